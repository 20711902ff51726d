//! The commands of `taisai`: arguments and printing. Other crates do the work; no rule of the game is here.
//!
//! To add a command, add a variant to `args::Command`, an arm to `run`, and a file that calls the crate which does the work.

mod args;
mod audit;
mod backup;
mod check;
mod config;
mod dice;
mod doctor;
mod excerpt;
mod felt;
mod figures;
pub mod flush;
pub mod games;
mod keys;
mod odds;
mod outcome;
pub mod output_file;
mod par;
mod play;
pub mod print;
pub mod progress_bar;
pub mod replay;
mod report;
mod rules_text;
mod serve;
pub mod settle;
mod sheet;
mod simulate;
mod slip;
mod store;
mod tables;
mod theory;
mod unlock;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser as _};
use taisai_rules::Moment;
use taisai_server::FailedWrite;
use taisai_server::config::GameNames;

use args::{Args, Command, GamesCommand};
use output_file::OutputFile;

/// Former commands of `taisai` that `taisai-lab` has now.
const LAB_COMMANDS: [&str; 3] = ["torture", "bench", "tumbler"];

/// The exit status after which nothing may start the program again before a person has looked at the disk; `deploy/taisai.service`
/// knows it.
const FAILED_WRITE_STATUS: u8 = 3;

/// Runs the program with the arguments it was started with.
///
/// Exit status 0: success. 1: what was checked or settled has faults, which were printed. 2: the command could not run, or not go
/// on. 3: the record could not be written to its folder, or not flushed (`FAILED_WRITE_STATUS`).
pub fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| hint_at_lab(error).exit());
    // Half a settlement or audit must not look like success.
    let may_be_cut_short = !matches!(args.command, Command::Settle | Command::Audit { .. });
    exit_status(run(&args), may_be_cut_short)
}

/// Prints the error of a command, if any, and gives its exit status: see [`main`].
///
/// With `may_be_cut_short`, it is no error if the reader of the output closes the pipe early.
pub fn exit_status(done: anyhow::Result<bool>, may_be_cut_short: bool) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if may_be_cut_short && is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed as well.
            writeln!(anstream::stderr(), "{}error:{:#} {error:#}", print::BAD, print::BAD).ok();
            ExitCode::from(if error.is::<FailedWrite>() { FAILED_WRITE_STATUS } else { 2 })
        }
    }
}

/// Adds a hint to the error of a command that `taisai-lab` has now.
fn hint_at_lab(mut error: clap::Error) -> clap::Error {
    let named = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if LAB_COMMANDS.contains(&name.as_str()) => name.clone(),
        Some(_) | None => return error,
    };
    let tip = format!("this command moved: run taisai-lab {named}");
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Runs a command. `false` if what it checked has faults.
fn run(args: &Args) -> anyhow::Result<bool> {
    match &args.command {
        Command::Settle => {
            let games = games::load(args.games.as_deref())?;
            let input = std::io::stdin().lock();
            settle::hint_if_terminal(&input);
            settle::run(&games, Some(now()?), input, std::io::stdout().lock())
        }
        Command::Odds { table, json } => {
            let games = games::load(args.games.as_deref())?;
            let (game, layout) = table.find(&games, now()?)?;
            odds::print(game, layout, *json)?;
            Ok(true)
        }
        Command::Outcome { table, dice, json } => {
            let games = games::load(args.games.as_deref())?;
            let (game, layout) = table.find(&games, now()?)?;
            outcome::print(game, layout, dice, *json)?;
            Ok(true)
        }
        Command::Games { json, command: None } => {
            games::list(&*games::load(args.games.as_deref())?, now()?, *json)?;
            Ok(true)
        }
        Command::Games { command: Some(GamesCommand::Show { game, layout, json }), .. } => {
            let games = games::load(args.games.as_deref())?;
            games::show(games::chosen(&games, now()?, game.as_deref(), layout.as_deref())?, *json)?;
            Ok(true)
        }
        Command::Games { command: Some(GamesCommand::Rules { game, paragraph, json }), .. } => {
            rules_text::print(&*games::load(args.games.as_deref())?, now()?, game, paragraph.as_ref(), *json)?;
            Ok(true)
        }
        Command::Games { command: Some(GamesCommand::Felt { game, layout, json }), .. } => {
            let games = games::load(args.games.as_deref())?;
            games::felts(games::chosen(&games, now()?, game.as_deref(), layout.as_deref())?, *json)?;
            Ok(true)
        }
        Command::Games { command: Some(GamesCommand::Check { files, json }), .. } => {
            games::check(&*games::load(args.games.as_deref())?, files, *json)
        }
        Command::Felt { table, output } => {
            let games = games::load(args.games.as_deref())?;
            let (game, layout) = table.find(&games, now()?)?;
            let svg = felt::draw(game, layout);
            match output.as_deref() {
                Some(path) if path.as_os_str() != "-" => {
                    OutputFile::new(path)?.write(svg)?;
                }
                _ => std::io::stdout().lock().write_all(svg.as_bytes())?,
            }
            Ok(true)
        }
        Command::Play { file, profile, store, json } => {
            play::run(&*games::load(args.games.as_deref())?, file, profile.as_deref(), store, *json)
        }
        Command::Replay { record, table, cluster, key, at, json } => {
            let games = games::load(args.games.as_deref())?;
            replay::run(&games, record, &replay::ReplayTarget { table: *table, cluster: *cluster, at: *at, key }, *json)
        }
        Command::Audit { command } => audit::run(command),
        Command::Report { command } => report::run(command, args.games.as_deref()),
        Command::Par(par) => par::run(par, &*games::load(args.games.as_deref())?, now()?),
        Command::Slip(slip) => slip::run(slip, &*games::load(args.games.as_deref())?, now()?),
        Command::Simulate(simulate) => simulate::run(simulate, &*games::load(args.games.as_deref())?, now()?),
        Command::Dice { command } => dice::run(command),
        Command::Serve(serve) => {
            let games = games::load(args.games.as_deref())?;
            serve::run(serve, &GameNames { games: &games, now: now()? })
        }
        Command::Unlock(unlock) => {
            let games = games::load(args.games.as_deref())?;
            unlock::run(unlock, &GameNames { games: &games, now: now()? })
        }
        Command::Keys { command } => {
            let games = games::load(args.games.as_deref())?;
            keys::run(command, &GameNames { games: &games, now: now()? })
        }
        Command::Tables { command } => tables::run(command),
        Command::Doctor(doctor) => {
            let games = games::load(args.games.as_deref())?;
            doctor::run(doctor, &GameNames { games: &games, now: now()? })
        }
        Command::Config { command } => {
            let games = games::load(args.games.as_deref())?;
            config::run(command, &GameNames { games: &games, now: now()? })
        }
        Command::Backup(backup) => backup::run(backup),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "taisai", &mut script);
            std::io::stdout().lock().write_all(&script)?;
            Ok(true)
        }
    }
}

/// The present moment, which chooses the version of a game that is named without one.
pub fn now() -> anyhow::Result<Moment> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the system's clock is before 1970")?;
    Ok(Moment::from_unix_seconds(i64::try_from(since.as_secs()).context("the system's clock is out of range")?))
}

/// Whether the reader of the output closed the pipe.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(std::io::ErrorKind::BrokenPipe)
    })
}
