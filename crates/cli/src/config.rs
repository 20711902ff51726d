//! `taisai config`: checks a configuration file, and applies it to a running installation, by a person and with a reason.

mod apply;
mod changes;
mod client;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use taisai_rules::Station;
use taisai_server::config::{Config, GameNames, TableConfig};

use crate::check::{CheckedFile, CheckedFiles};

const MAX_CONFIG_BYTES: u64 = 1 << 20;

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check files and show every fault with its line and column
    Check {
        /// Files to check
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show where a file differs from a running casino, and change it between rounds
    ///
    /// The program asks for the person's password, or takes it from the variable `TAISAI_PASSWORD`. A change that needs a second person
    /// waits until that person approves it at a screen of their own.
    Apply(apply::ApplyArgs),
}

/// `false` if a file has faults, or differs in what cannot be changed.
pub(crate) fn run(command: &ConfigCommand, names: &GameNames<'_>) -> anyhow::Result<bool> {
    match command {
        ConfigCommand::Check { files, json } => {
            let checked = CheckedFiles::read(files, |file| read(file, names));
            checked.print(*json, summary)?;
            checked.finish()
        }
        ConfigCommand::Apply(args) => apply::run(args, names),
    }
}

pub(crate) fn read(file: &Path, names: &GameNames<'_>) -> CheckedFile<Config> {
    let mut text = String::new();
    std::fs::File::open(file)?.take(MAX_CONFIG_BYTES + 1).read_to_string(&mut text)?;
    Ok(Config::read(&text, file, names))
}

fn summary(config: &Config) -> String {
    let tables: Vec<_> = config.tables.iter().map(table).collect();
    let training = if config.is_training { ", TRAINING" } else { "" };
    format!("{}{training}, profile {}; {}", config.name, config.profile.name, tables.join("; "))
}

fn table(table: &TableConfig) -> String {
    let seats: u32 = table.seats.iter().sum();
    let places = match table.station {
        Station::PlayerTerminals => "terminals",
        Station::LiveTable => "seats",
    };
    let training = if table.is_training { ", TRAINING" } else { "" };
    format!("table {} {} layout {}, {seats} {places}{training}", table.table.0, table.game, table.layout)
}
