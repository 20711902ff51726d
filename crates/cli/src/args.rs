//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use taisai_rules::{Game, Games, Layout, Moment};

/// Tai Sai and Sic Bo as their regulator approved them: exact settlement, odds and layouts.
#[derive(Parser)]
#[command(name = "taisai", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Use the games of this folder (*.toml) in place of the approved ones in the program
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) games: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Settle slips: one JSON object a line in, one answer a line out
    ///
    /// A slip names game, layout, dice and bets, and may name limits; amounts are whole cents:
    ///
    /// {"game":"tai-sai","layout":"A","dice":[6,6,5],"bets":[{"player":"a","box":"big","amount":400000}]}
    ///
    /// A bad line is answered with its error in its place, and the exit status is 1 at the end.
    #[command(verbatim_doc_comment)]
    Settle,
    /// Show every box of a layout with its ways, odds, exact edge and variance
    Odds {
        #[command(flatten)]
        table: TableArgs,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// Show what is certain when only some of the dice are known (5.4)
    Outcome {
        #[command(flatten)]
        table: TableArgs,
        /// The faces known so far, none to three
        #[arg(value_name = "FACE", num_args = 0..=3, value_parser = clap::value_parser!(u8).range(1..=6))]
        dice: Vec<u8>,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// List the games, show their pay tables, check game files
    Games {
        #[command(subcommand)]
        command: Option<GamesCommand>,
        /// Print for programs
        #[arg(long, global = true)]
        json: bool,
    },
    /// Draw a layout's felt as SVG
    Felt {
        #[command(flatten)]
        table: TableArgs,
        /// The file to write; standard output if left out or "-"
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Subcommand)]
pub(crate) enum GamesCommand {
    /// Print pay tables as the document prints them
    Show {
        /// The game, like tai-sai or tai-sai@6; every game if left out
        game: Option<String>,
        /// The layout; every layout of the game if left out
        #[arg(long, requires = "game")]
        layout: Option<String>,
        #[arg(from_global)]
        json: bool,
    },
    /// Check game files and name every fault with its line and column
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[arg(from_global)]
        json: bool,
    },
}

/// Which pay table.
#[derive(clap::Args)]
pub(crate) struct TableArgs {
    /// The game, like tai-sai (the newest version in force) or tai-sai@6
    #[arg(long)]
    game: String,
    /// The layout, like A
    #[arg(long)]
    layout: String,
}

impl TableArgs {
    pub(crate) fn find<'g>(&self, games: &'g Games, now: Moment) -> anyhow::Result<(&'g Game, &'g Layout)> {
        let game = games.find(&self.game, Some(now))?;
        Ok((game, game.layout(&self.layout)?))
    }
}
