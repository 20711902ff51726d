//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use taisai_record::Address;
use taisai_rules::{Game, Games, Layout, Moment, Paragraph};

/// Tai Sai and Sic Bo as their regulator approved them: exact settlement, odds and layouts.
#[derive(Parser)]
#[command(name = "taisai", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Use the games in this folder (*.toml) instead of the approved ones in the program
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) games: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Settle slips: read one JSON object a line, print one result a line
    ///
    /// A slip names game, layout, dice and bets, and may name limits; amounts are whole cents:
    ///
    /// {"game":"tai-sai","layout":"A","dice":[6,6,5],"bets":[{"player":"a","box":"big","amount":400000}]}
    ///
    /// A bad line gives its error in its place. The exit status is then 1.
    #[command(verbatim_doc_comment)]
    Settle,
    /// Show every box of a layout with its ways, odds, exact house edge and variance
    Odds {
        #[command(flatten)]
        table: TableArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what is certain when only some of the dice are known (5.4)
    Outcome {
        #[command(flatten)]
        table: TableArgs,
        /// Faces known so far, none to three
        #[arg(value_name = "FACE", num_args = 0..=3, value_parser = clap::value_parser!(u8).range(1..=6))]
        dice: Vec<u8>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the games, show their pay tables and rules, check game files
    Games {
        #[command(subcommand)]
        command: Option<GamesCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Draw a layout's felt as SVG
    Felt {
        #[command(flatten)]
        table: TableArgs,
        /// File to write; standard output if left out or "-"
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Play a script of rounds and print what happens, with settlement sheets and balances
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
        /// Script, or "-" for standard input
        #[arg(value_name = "FILE.round")]
        file: PathBuf,
        /// Play by the profile in this file, whatever the script says
        #[arg(long, value_name = "FILE")]
        profile: Option<PathBuf>,
        #[command(flatten)]
        store: NewStoreArgs,
        /// Print JSON: one object for each line of the script
        #[arg(long)]
        json: bool,
    },
    /// Step through the record of a simulated run or of a table, forwards and backwards
    Replay {
        /// A file that `taisai-lab torture` wrote, a data folder, or postgres://…
        #[arg(value_name = "FILE|STORE")]
        record: Address,
        /// Table in the store; may be left out if there is only one
        #[arg(long)]
        table: Option<u16>,
        /// Count the blocks of this cluster of the table, not those of its Round
        #[arg(long, requires = "table")]
        cluster: Option<u16>,
        /// Trusted public key, ed25519:…, or a file with keys; house.key in a data folder if left out
        #[arg(long, value_name = "KEY|FILE")]
        key: Vec<String>,
        /// Only show the table as it was after this entry of a file, or this block of a store
        #[arg(long, value_name = "ENTRY|POSITION")]
        at: Option<u64>,
        /// Print JSON: one object for each entry
        #[arg(long)]
        json: bool,
    },
    /// Verify the record of a casino, show a round, and write evidence of a round
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Build the reporting tables of a record, and query them
    Report {
        #[command(subcommand)]
        command: ReportCommand,
    },
    /// Write par sheets: exact figures, bands and charts for every box
    Par(crate::par::ParArgs),
    /// Analyse a slip of bets: exact distribution in one round and over many, risk of ruin, contradicting bets
    Slip(crate::slip::SlipArgs),
    /// Simulate sessions with bankrolls and strategies, and compare them with the exact figures
    Simulate(crate::simulate::SimulateArgs),
    /// Check throws for fairness, and compute how many throws show a bias
    Dice {
        #[command(subcommand)]
        command: crate::dice::DiceCommand,
    },
    /// Run a casino: serve its tables, screens and devices until the program is stopped
    Serve(crate::serve::ServeArgs),
    /// Unlock a person when nobody else can do it at a screen; stop the server first
    Unlock(crate::unlock::UnlockArgs),
    /// Replace the keys of a stopped casino, on record
    Keys {
        #[command(subcommand)]
        command: crate::keys::KeysCommand,
    },
    /// Check what a casino depends on: database and standbys, clocks, disks, keys and limits
    ///
    /// Connects to every server of the address, times commits and flushes, and changes nothing. Lists every problem with what to
    /// do about it. The exit status is 0 if nothing is wrong, 1 if something is, and 2 if the check could not run.
    Doctor(crate::doctor::DoctorArgs),
    /// Show which node holds which table, and move tables between nodes
    Tables {
        #[command(subcommand)]
        command: crate::tables::TablesCommand,
    },
    /// Check a configuration file, and apply it to a running casino
    Config {
        #[command(subcommand)]
        command: crate::config::ConfigCommand,
    },
    /// Copy a data folder while the server runs, and verify the copy
    Backup(crate::backup::BackupArgs),
    /// Print the completion script for a shell
    Completions { shell: clap_complete::Shell },
}

#[derive(Subcommand)]
pub(crate) enum GamesCommand {
    /// Print pay tables as in the document
    Show {
        /// Game, like tai-sai or tai-sai@6; every game if left out
        game: Option<String>,
        /// Layout; every layout of the game if left out
        #[arg(long, requires = "game")]
        layout: Option<String>,
        #[arg(from_global)]
        json: bool,
    },
    /// Print the approved text of a game, or one paragraph of it
    Rules {
        /// Game, like tai-sai or tai-sai@6
        #[arg(long)]
        game: String,
        /// Paragraph, like 5.1.1, or 003:5.14 for another document; the whole text if left out
        paragraph: Option<Paragraph>,
        #[arg(from_global)]
        json: bool,
    },
    /// Print the texts of felts, with what the drawings leave blank and doubtful readings
    Felt {
        /// Game, like tai-sai or tai-sai@6; every game if left out
        game: Option<String>,
        /// Layout; every layout of the game if left out
        #[arg(long, requires = "game")]
        layout: Option<String>,
        #[arg(from_global)]
        json: bool,
    },
    /// Check game files, show every fault with its line and column, and compare layouts and odds
    ///
    /// If there is no fault, compares the layouts of the files with those of the games in the program (or of --games): boxes, odds,
    /// rows of the pay tables, order, places, words and captions. A difference is not a fault.
    Check {
        /// Files; compares the games in the program if left out
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        #[arg(from_global)]
        json: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Verify every chain of a store, and that the chains agree
    ///
    /// Checks blocks, hashes and signatures, repeats every decision, computes every payout and balance again, and compares the ends
    /// of the chains with the anchor. The exit status is 0 if nothing is wrong, 1 if something is, and 2 if the audit could not run.
    Verify {
        #[command(flatten)]
        store: StoreArgs,
        /// Anchor file; anchor.txt in a data folder if left out
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a round: first and current settlement sheet, who acted, and what each player paid and received
    Show {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        round: RoundArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write evidence of a settled round to a file that `verify-evidence` can check on any machine
    Evidence {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        round: RoundArgs,
        /// File to write
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Print the public keys of a casino, to keep elsewhere and give to auditors; the present one is the last
    Key {
        /// Data folder, or a key file
        #[arg(value_name = "FOLDER|FILE")]
        path: PathBuf,
    },
    /// Check evidence of a round with nothing but the casino's public key
    VerifyEvidence {
        /// Evidence file
        file: PathBuf,
        /// The casino's public key, ed25519:…, or a file that holds it
        #[arg(long, value_name = "KEY|FILE", required = true)]
        key: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum ReportCommand {
    /// Drop the reporting tables and build them again from the record
    Rebuild {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Add what is new in the record to the reporting tables
    Update {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show how far the reporting tables are behind the record; the exit status is 1 if they are
    Lag {
        /// Data folder, or postgres://…
        #[arg(value_name = "STORE")]
        address: Address,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a query of docs/reporting.md
    Query(QueryArgs),
    /// Search events by time, kind, table, terminal and person
    Events(crate::report::EventsArgs),
    /// Show the meters of every seat and cluster, compared with the ledger
    Meters(crate::report::MetersArgs),
    /// Show win and theoretical win, with the range that luck explains, by table, dealer, shift, day or box
    Theory(crate::theory::TheoryArgs),
}

#[derive(clap::Args)]
pub(crate) struct QueryArgs {
    /// Data folder, or postgres://…
    #[arg(value_name = "STORE", required_unless_present = "list")]
    pub(crate) address: Option<Address>,
    /// Name of the query
    #[arg(required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// Parameters of the query, like table=1
    #[arg(value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,
    /// List the queries
    #[arg(long)]
    pub(crate) list: bool,
    /// Print JSON: one object for each row
    #[arg(long)]
    pub(crate) json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    /// Data folder, or postgres://…
    #[arg(value_name = "STORE")]
    pub(crate) address: Address,
    /// Trusted public key, ed25519:…, or a file with keys; house.key in a data folder if left out
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) key: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct NewStoreArgs {
    /// Record the script in this new store, a data folder or postgres://…, for `audit` and `replay`
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<Address>,
    /// Key file, made if it is missing; house.key in a data folder if left out
    #[arg(long, value_name = "FILE", requires = "store")]
    pub(crate) keys: Option<PathBuf>,
    /// Anchor file, best where those who can change the store cannot change it; anchor.txt in a data folder if left out
    #[arg(long, value_name = "FILE", requires = "store")]
    pub(crate) anchor: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct RoundArgs {
    /// Table; may be left out if the store has only one
    #[arg(long)]
    pub(crate) table: Option<u16>,
    /// Round, counted from 1
    #[arg(long)]
    pub(crate) round: u64,
}

#[derive(clap::Args)]
pub(crate) struct TableArgs {
    /// Game, like tai-sai (the newest version in force) or tai-sai@6
    #[arg(long)]
    game: String,
    /// Layout, like A
    #[arg(long)]
    layout: String,
}

impl TableArgs {
    pub(crate) fn find<'g>(&self, games: &'g Games, now: Moment) -> anyhow::Result<(&'g Game, &'g Layout)> {
        let game = games.find(&self.game, Some(now))?;
        Ok((game, game.layout(&self.layout)?))
    }
}

#[derive(clap::Args)]
pub(crate) struct OptionalTableArgs {
    /// Game, like tai-sai (the newest version in force) or tai-sai@6
    #[arg(long, requires = "layout")]
    game: Option<String>,
    /// Layout, like A
    #[arg(long, requires = "game")]
    layout: Option<String>,
}

impl OptionalTableArgs {
    pub(crate) fn given(&self) -> Option<TableArgs> {
        Some(TableArgs { game: self.game.clone()?, layout: self.layout.clone()? })
    }
}
