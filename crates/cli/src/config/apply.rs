//! `taisai config apply`: shows what the file says otherwise than the record, asks why it is to be changed, and asks the house.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow, bail, ensure};
use taisai_server::config::GameNames;

use super::changes::{Step, changes};
use super::visit::{Visit, What};
use crate::print::{BAD, GOOD, QUIET};

/// What is applied where, and by whom.
#[derive(clap::Args)]
pub(crate) struct ApplyArgs {
    /// The house's file
    file: PathBuf,
    /// The running house
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// The number of the person who signs in
    #[arg(long, value_name = "NUMBER")]
    person: u32,
    /// Why it is changed; asked for if left out
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

/// Applies a file; `false` if it and the record still differ.
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
    let mut visit = Visit::sign_in(&args.server, args.person, &password()?)?;
    let recorded = visit.configuration()?;
    let found = changes(&config, &recorded, "");
    for change in &found {
        let mark = if change.step == Step::Nothing { "stays " } else { "change" };
        writeln!(out, "{QUIET}{mark}{QUIET:#}  {}", change.sentence)?;
    }
    let is_all = found.iter().all(|change| change.step != Step::Nothing);
    if found.iter().all(|change| change.step == Step::Nothing) {
        let rest = if found.is_empty() { "the file and the record agree" } else { "nothing of this can be changed" };
        writeln!(out, "{rest}")?;
        visit.sign_out()?;
        return Ok(is_all);
    }
    let why = args.why.clone().map_or_else(ask_why, Ok)?;
    ensure!(!why.trim().is_empty(), "nothing is changed without a reason");
    for change in changes(&config, &recorded, &why) {
        let what = match change.step {
            Step::House(command) => What::House(command),
            Step::Table(table, round) => What::Table { table, round },
            Step::Nothing => continue,
        };
        let mut told = String::new();
        let tell = |text: &str| {
            if told != text {
                text.clone_into(&mut told);
                // Nothing is left to do if standard error is closed.
                writeln!(anstream::stderr(), "{QUIET}{text}{QUIET:#}").unwrap_or_default();
            }
        };
        match visit.ask(&what, tell) {
            Ok(()) => writeln!(out, "{GOOD}done{GOOD:#}    {}", change.sentence)?,
            Err(error) => {
                writeln!(out, "{BAD}refused{BAD:#} {}: {error:#}", change.sentence)?;
                bail!("the rest of the file is not applied");
            }
        }
    }
    visit.sign_out()?;
    Ok(is_all)
}

fn ask_why() -> anyhow::Result<String> {
    write!(anstream::stderr(), "Why is it changed? ")?;
    line()
}

fn line() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The password: of the environment, or typed unseen.
fn password() -> anyhow::Result<String> {
    if let Some(password) = std::env::var_os("TAISAI_PASSWORD") {
        return password.into_string().map_err(|_| anyhow!("TAISAI_PASSWORD is not text"));
    }
    ensure!(std::io::stdin().is_terminal(), "there is no terminal to ask for the password: set TAISAI_PASSWORD");
    write!(anstream::stderr(), "Password: ")?;
    let unseen = Unseen::begin()?;
    let password = line();
    drop(unseen);
    writeln!(anstream::stderr())?;
    password
}

/// While this lives, what is typed is not shown.
struct Unseen;

impl Unseen {
    fn begin() -> anyhow::Result<Self> {
        ensure!(stty("-echo")?, "the terminal cannot hide what is typed: set TAISAI_PASSWORD");
        Ok(Self)
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        // Whoever sees nothing of what they type knows how to help themselves.
        stty("echo").unwrap_or_default();
    }
}

fn stty(how: &str) -> std::io::Result<bool> {
    Command::new("stty").arg(how).stdin(Stdio::inherit()).status().map(|status| status.success())
}
