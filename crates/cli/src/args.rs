//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use taisai_record::Address;
use taisai_rules::{Game, Games, Layout, Moment, Paragraph};

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
    /// List the games, show their pay tables and rules, check game files
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
    /// Play a script of rounds, and print what happens, the settlement sheets and the balances
    ///
    /// A script has one step a line, as a dealer would say it:
    ///
    /// table tai-sai layout C seats 7
    /// dealer 3
    /// limits unit 1, big 25..5000, rest 1..1000, differential 2000
    /// open
    /// place your bets
    /// seat 3 bets 50 on big and 10 on sum:9
    /// no more bets
    /// dice 2 4 6
    /// expect house -40
    ///
    /// The exit status is 1 if the script has faults or an expectation is not met.
    #[command(verbatim_doc_comment, after_long_help = taisai_script::help())]
    Play {
        /// The script, or "-" for standard input
        #[arg(value_name = "FILE.round")]
        file: PathBuf,
        /// Play by the profile of this file, whatever the script says
        #[arg(long, value_name = "FILE")]
        profile: Option<PathBuf>,
        #[command(flatten)]
        store: NewStoreArgs,
        /// Print for programs: one JSON object a line of the script
        #[arg(long)]
        json: bool,
    },
    /// Step through a record, forwards and backwards: of a simulated run, or of a table in a store
    Replay {
        /// The file that `taisai-lab torture` has written, a data folder, or postgres://…
        #[arg(value_name = "FILE|STORE")]
        record: Address,
        /// The table of a store; may be left out if there is one
        #[arg(long)]
        table: Option<u16>,
        /// Count blocks in the chain of this cluster of the table, not in that of its dealer's side
        #[arg(long, requires = "table")]
        cluster: Option<u16>,
        /// A public key whose checkpoints are believed, ed25519:…, or a file that holds one; house.key in a data folder if left out
        #[arg(long, value_name = "KEY|FILE")]
        key: Vec<String>,
        /// Show the table only as it stood after this entry of a file, or after this block of a store
        #[arg(long, value_name = "ENTRY|POSITION")]
        at: Option<u64>,
        /// Print for programs: one object an entry, a line each
        #[arg(long)]
        json: bool,
    },
    /// Check the record of a house, show a round, and write evidence of it
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Build the reporting tables of a record, and query them
    Report {
        #[command(subcommand)]
        command: ReportCommand,
    },
    /// Write par sheets: every box with its exact figures, bands and charts
    Par(crate::par::ParArgs),
    /// Reckon a slip of bets: its exact distribution in one round and over many, risk of ruin, and bets that contradict
    Slip(crate::slip::SlipArgs),
    /// Play sessions with bankrolls and strategies from a seed, beside what is known exactly
    Simulate(crate::simulate::SimulateArgs),
    /// Watch dice: whether throws look fair, and how many it takes to see a bias
    Dice {
        #[command(subcommand)]
        command: crate::dice::DiceCommand,
    },
    /// Run a house: its tables, screens and devices over the network, until it is told to stop
    Serve(crate::serve::ServeArgs),
    /// Let a person in again where nobody who manages people is left to do it; the house must be stopped
    Unlock(crate::unlock::UnlockArgs),
    /// Check what a house rests on: its database and standbys, clocks, disks, keys and limits
    ///
    /// Every server of the address is asked, commits and flushes are timed, and nothing is changed. All that is wrong is said at
    /// once, with what to do about it. The exit status is 0 if nothing is wrong, 1 if something is, and 2 if it could not be done.
    Doctor(crate::doctor::DoctorArgs),
    /// Show which machine of a house holds which table, and move tables between machines
    Tables {
        #[command(subcommand)]
        command: crate::tables::TablesCommand,
    },
    /// Check the file of a house, and have a running house changed to it
    Config {
        #[command(subcommand)]
        command: crate::config::ConfigCommand,
    },
    /// Copy the record of a house to another folder while it runs, and verify the copy
    Backup(crate::backup::BackupArgs),
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
    /// Print the approved text of a game, or one paragraph of it
    Rules {
        /// The game, like tai-sai or tai-sai@6
        #[arg(long)]
        game: String,
        /// The paragraph, like 5.1.1, or 003:5.14 for one of another document; the whole text if left out
        paragraph: Option<Paragraph>,
        #[arg(from_global)]
        json: bool,
    },
    /// Print what stands on felts, in words, with what the drawings leave blank and doubtful readings
    Felt {
        /// The game, like tai-sai or tai-sai@6; every game if left out
        game: Option<String>,
        /// The layout; every layout of the game if left out
        #[arg(long, requires = "game")]
        layout: Option<String>,
        #[arg(from_global)]
        json: bool,
    },
    /// Check game files and name every fault with its line and column; compare layouts and odds
    ///
    /// Without a fault, the layouts of the files and of the games in the program (or of --games) are compared: boxes, odds,
    /// rows of the pay tables, order, places, words and captions. Every difference is named; a difference is no fault.
    Check {
        /// The files; without any, the games that the program knows are compared
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        #[arg(from_global)]
        json: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Verify every chain of a store, and what must hold between them
    ///
    /// Blocks, hashes and signatures are checked, every decision is taken again, every payout and balance is reckoned, and the
    /// ends of the chains are compared with the anchor. The exit status is 0 only if all holds, 1 if something was found, and
    /// 2 if it could not be done.
    Verify {
        #[command(flatten)]
        store: StoreArgs,
        /// The anchor; anchor.txt in a data folder if left out
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// Show a round: the settlement sheet then and now, who acted, and who gave and got what
    Show {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        round: RoundArgs,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// Write evidence of a settled round to one file, which `verify-evidence` checks on any machine
    Evidence {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        round: RoundArgs,
        /// The file to write
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Write over a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Print the public key of a house, to be kept elsewhere and given to those who check
    Key {
        /// A data folder, or the file of a signing key
        #[arg(value_name = "FOLDER|FILE")]
        path: PathBuf,
    },
    /// Check evidence of a round with the public key of the house, and nothing else
    VerifyEvidence {
        /// The file
        file: PathBuf,
        /// The house's public key, ed25519:…, or a file that holds it
        #[arg(long, value_name = "KEY|FILE", required = true)]
        key: Vec<String>,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
}

/// What is done with the reporting tables.
#[derive(Subcommand)]
pub(crate) enum ReportCommand {
    /// Drop the tables and build them again from the record
    Rebuild {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Project what the tables do not hold yet
    Update {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Say how far the tables are behind the record; the exit status is 1 if they are
    Lag {
        /// A data folder, or postgres://…
        #[arg(value_name = "STORE")]
        address: Address,
        /// Print for programs
        #[arg(long)]
        json: bool,
    },
    /// Run one of the queries of docs/reporting.md
    Query(QueryArgs),
    /// Search events by time, kind, table, terminal and person
    Events(crate::report::EventsArgs),
    /// Meters of every seat and cluster, which come to what the ledger has
    Meters(crate::report::MetersArgs),
    /// Win beside theoretical win, with the band that luck explains, by table, dealer, shift, day or box
    Theory(crate::theory::TheoryArgs),
}

/// Which query, and how it is printed.
#[derive(clap::Args)]
pub(crate) struct QueryArgs {
    /// A data folder, or postgres://…
    #[arg(value_name = "STORE", required_unless_present = "list")]
    pub(crate) address: Option<Address>,
    /// The query
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// What it asks for, like table=1
    #[arg(value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,
    /// List the queries
    #[arg(long)]
    pub(crate) list: bool,
    /// Print for programs: one object a row
    #[arg(long)]
    pub(crate) json: bool,
    /// Print for spreadsheets
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// Which record, and whose signatures are believed.
#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    /// A data folder, or postgres://…
    #[arg(value_name = "STORE")]
    pub(crate) address: Address,
    /// A public key whose checkpoints are believed, ed25519:…, or a file that holds one; house.key in a data folder if left out
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) key: Vec<String>,
}

/// Where a new record is kept, and what lies beside it.
#[derive(clap::Args)]
pub(crate) struct NewStoreArgs {
    /// Record what is played in this store, a new data folder or postgres://…, which `audit` checks and `replay` steps through
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<Address>,
    /// The signing key, made if it is not there; house.key in a data folder if left out
    #[arg(long, value_name = "FILE", requires = "store")]
    pub(crate) key: Option<PathBuf>,
    /// The anchor, best out of reach of those who can change the store; anchor.txt in a data folder if left out
    #[arg(long, value_name = "FILE", requires = "store")]
    pub(crate) anchor: Option<PathBuf>,
}

/// Which round.
#[derive(clap::Args)]
pub(crate) struct RoundArgs {
    /// The table; may be left out if the store has one
    #[arg(long)]
    pub(crate) table: Option<u16>,
    /// The round, counted from 1
    #[arg(long)]
    pub(crate) round: u64,
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

/// Which pay table, where it may be left out.
#[derive(clap::Args)]
pub(crate) struct OptionalTableArgs {
    /// The game, like tai-sai (the newest version in force) or tai-sai@6
    #[arg(long, requires = "layout")]
    game: Option<String>,
    /// The layout, like A
    #[arg(long, requires = "game")]
    layout: Option<String>,
}

impl OptionalTableArgs {
    pub(crate) fn given(&self) -> Option<TableArgs> {
        Some(TableArgs { game: self.game.clone()?, layout: self.layout.clone()? })
    }
}
