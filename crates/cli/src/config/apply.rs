//! `taisai config apply`: shows where a file differs from the record, asks for the reason, and sends the changes.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow, bail, ensure};
use taisai_server::config::GameNames;

use super::changes::{ChangeAction, changes};
use super::client::{ApiClient, ChangeCommand};
use crate::print::{BAD, GOOD, QUIET};

#[derive(clap::Args)]
pub(crate) struct ApplyArgs {
    /// The configuration file
    file: PathBuf,
    /// Address of the running server; https:// where it has a certificate
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// Trust the certificate authorities in this file (PEM), not those of the system
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Number of the person who signs in
    #[arg(long, value_name = "NUMBER")]
    person: u32,
    /// Reason for the change; the program asks for it if left out
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

/// Applies a file. `false` if the record still differs from it.
pub(super) fn run(args: &ApplyArgs, names: &GameNames<'_>) -> anyhow::Result<bool> {
    let mut out = anstream::stdout().lock();
    let file = args.file.display();
    let config = match super::read(&args.file, names).with_context(|| format!("cannot read {file}"))? {
        Ok(config) => config,
        Err(faults) => {
            crate::check::print_faults(&mut out, &args.file, &faults)?;
            return Ok(false);
        }
    };
    let mut client = ApiClient::sign_in(&args.server, args.ca.as_deref(), args.person, &password()?)?;
    let recorded = client.configuration()?;
    let found = changes(&config, &recorded, "");
    for change in &found {
        let mark = if change.action == ChangeAction::Nothing { "stays " } else { "change" };
        writeln!(out, "{QUIET}{mark}{QUIET:#}  {}", change.sentence)?;
    }
    let is_all = found.iter().all(|change| change.action != ChangeAction::Nothing);
    if found.iter().all(|change| change.action == ChangeAction::Nothing) {
        let rest = if found.is_empty() { "the file and the record agree" } else { "none of this can be changed" };
        writeln!(out, "{rest}")?;
        client.sign_out()?;
        return Ok(is_all);
    }
    let why = args.why.clone().map_or_else(read_reason, Ok)?;
    ensure!(!why.trim().is_empty(), "a change needs a reason: give one with --why");
    for change in changes(&config, &recorded, &why) {
        let command = match change.action {
            ChangeAction::House(command) => ChangeCommand::House(command),
            ChangeAction::Table(table, round) => ChangeCommand::Table { table, round },
            ChangeAction::Nothing => continue,
        };
        let mut last_notice = String::new();
        let notify = |text: &str| {
            if last_notice != text {
                text.clone_into(&mut last_notice);
                // Nothing is left to do if standard error is closed.
                writeln!(anstream::stderr(), "{QUIET}{text}{QUIET:#}").unwrap_or_default();
            }
        };
        match client.send_until_accepted(&command, notify) {
            Ok(()) => writeln!(out, "{GOOD}done{GOOD:#}    {}", change.sentence)?,
            Err(error) => {
                writeln!(out, "{BAD}refused{BAD:#} {}: {error:#}", change.sentence)?;
                bail!("the rest of the file was not applied");
            }
        }
    }
    client.sign_out()?;
    Ok(is_all)
}

fn read_reason() -> anyhow::Result<String> {
    write!(anstream::stderr(), "Reason for the change: ")?;
    read_line()
}

fn read_line() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The password from the environment, or typed without echo.
fn password() -> anyhow::Result<String> {
    if let Some(password) = std::env::var_os("TAISAI_PASSWORD") {
        return password.into_string().map_err(|_| anyhow!("TAISAI_PASSWORD is not text"));
    }
    ensure!(std::io::stdin().is_terminal(), "there is no terminal to ask for the password: set TAISAI_PASSWORD");
    write!(anstream::stderr(), "Password: ")?;
    let no_echo = NoEcho::begin()?;
    let password = read_line();
    drop(no_echo);
    writeln!(anstream::stderr())?;
    password
}

/// Turns the terminal's echo off until it is dropped.
struct NoEcho;

impl NoEcho {
    fn begin() -> anyhow::Result<Self> {
        ensure!(stty("-echo")?, "the terminal cannot hide what is typed: set TAISAI_PASSWORD");
        Ok(Self)
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        // A terminal that stays without echo is repaired with `stty echo`; nothing else can be done here.
        stty("echo").unwrap_or_default();
    }
}

fn stty(how: &str) -> std::io::Result<bool> {
    Command::new("stty").arg(how).stdin(Stdio::inherit()).status().map(|status| status.success())
}
