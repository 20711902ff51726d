//! `taisai config`: a house's file is checked, and what it says is held against the record of a running house and applied
//! there, by a person, with a reason.

mod apply;
mod changes;
mod visit;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use taisai_rules::Station;
use taisai_server::config::{Config, GameNames, TableConfig};

use crate::check::{CheckedFiles, Read};

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check files and name every fault with its line and column
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// Show where a file differs from the record of a running house, and have it changed between rounds
    ///
    /// The person signs in with the password that is asked for, or the variable `TAISAI_PASSWORD` holds. What needs a second person waits
    /// until that person has approved it at a screen of their own.
    Apply(apply::ApplyArgs),
}

/// Carries out a command; `false` if a file has faults, or differs in what cannot be changed.
pub(crate) fn run(command: &ConfigCommand, names: &GameNames<'_>) -> anyhow::Result<bool> {
    match command {
        ConfigCommand::Check { files, json } => {
            let checked = CheckedFiles::read(files, |file| read(file, names));
            checked.print(*json, sentence)?;
            checked.finish()
        }
        ConfigCommand::Apply(args) => apply::run(args, names),
    }
}

/// Reads a house's file.
pub(crate) fn read(file: &Path, names: &GameNames<'_>) -> Read<Config> {
    let mut text = String::new();
    std::fs::File::open(file)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    Ok(Config::read(&text, file, names))
}

fn sentence(config: &Config) -> String {
    let tables: Vec<_> = config.tables.iter().map(table).collect();
    let training = if config.is_training { ", TRAINING" } else { "" };
    format!("{}{training}, profile {}; {}", config.name, config.profile.name, tables.join("; "))
}

/// A table in a few words.
fn table(table: &TableConfig) -> String {
    let seats: u32 = table.seats.iter().sum();
    let places = match table.station {
        Station::PlayerTerminals => "terminals",
        Station::LiveTable => "seats",
    };
    let training = if table.is_training { ", TRAINING" } else { "" };
    format!("table {} {} layout {}, {seats} {places}{training}", table.table.0, table.game, table.layout)
}
