//! `taisai simulate`: simulates sessions of players with bankrolls and strategies, or counts throws on every box, from a seed.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

mod player;

use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::bail;
use serde::Serialize;
use taisai_analysis::simulate::{
    BoxResult, PlayerSummary, SimulationEngine, SimulationPlan, SimulationResults, count, run as play, summaries,
};
use taisai_analysis::{percent, real};
use taisai_rules::{Game, Games, Layout, Moment, Money};
use taisai_table::{LimitEntry, TableLimits};

use crate::args::TableArgs;
use crate::figures::{self, cents, near};
use crate::output_file::OutputFile;
use crate::print::{self, Column, QUIET};
use crate::progress_bar::ProgressBar;

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EngineChoice {
    /// Apply the rules: limits, pro rata, payouts
    Rules,
    /// Run the machines of a whole table
    Table,
    /// Count throws without players, for every box of the layout
    Count,
}

#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    table: TableArgs,
    /// A player: STRATEGY:BOX=STAKE,…[@BANKROLL], random:STAKE[@BANKROLL] or script:FILE[@BANKROLL]
    ///
    /// Strategies are flat, martingale, paroli, dalembert, random and script. A script has the slip of a round in each line,
    /// like "big=100 sum:9=50", or "-" to sit out.
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Bankroll of players without one of their own; 1000 if left out
    #[arg(long, value_parser = crate::slip::amount)]
    bankroll: Option<Money>,
    /// Most rounds of a session; it ends earlier if every player is ruined
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    rounds: u64,
    /// Number of sessions; 1000 if left out
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    sessions: Option<u64>,
    /// Seed of the random numbers: the same seed gives the same results, on any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; as many as the machine has if left out
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
    /// How to simulate
    #[arg(long, value_enum, default_value = "rules")]
    engine: EngineChoice,
    /// Unit of the table; 1 if left out
    #[arg(long, value_parser = crate::slip::amount)]
    unit: Option<Money>,
    /// Limit for a kind or a box, like big=25..5000 or sum=..500
    #[arg(long = "limit", value_name = "BOX=MIN..MAX", value_parser = player::limit)]
    limits: Vec<LimitEntry>,
    /// Differential of the table
    #[arg(long, value_parser = crate::slip::amount)]
    differential: Option<Money>,
    /// Write a row for each player and session, or for each box, to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const DEFAULT_BANKROLL: Money = Money::from_cents(100_000);
const DEFAULT_SESSIONS: u64 = 1_000;
const DEFAULT_UNIT: Money = Money::from_cents(100);

pub(crate) fn run(args: &SimulateArgs, games: &Games, now: Moment) -> anyhow::Result<bool> {
    let (game, layout) = args.table.find(games, now)?;
    let threads = args.threads.map_or_else(all_threads, usize::from);
    let output = args.csv.as_deref().map(OutputFile::new).transpose()?;
    if args.engine == EngineChoice::Count {
        if let Some(option) = of_players(args) {
            bail!("--engine count has neither players nor limits, so no {option}: every box gets the same stake");
        }
        return counted(args, layout, threads, output);
    }
    if args.players.is_empty() {
        bail!("no player: add one like --player flat:big=10, or use --engine count for every box");
    }
    let plan = plan(args, game, layout)?;
    let planned = plan.rounds() * plan.sessions();
    let results = with_progress(planned, |done| play(&plan, threads, done), |results| results.rounds);
    let summaries = summaries(&plan, &results);
    if let Some(output) = output {
        output.write(&sessions_csv(&summaries, &results)?)?;
    }
    if args.json {
        print::json_array(summaries.iter().map(PlayerJson::new))?;
    } else {
        print_summaries(args.seed, &plan, results.rounds, &summaries)?;
    }
    Ok(true)
}

/// The first given option that needs players.
fn of_players(args: &SimulateArgs) -> Option<&'static str> {
    let given = [
        ("--player", !args.players.is_empty()),
        ("--limit", !args.limits.is_empty()),
        ("--differential", args.differential.is_some()),
        ("--unit", args.unit.is_some()),
        ("--sessions", args.sessions.is_some()),
        ("--bankroll", args.bankroll.is_some()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn plan(args: &SimulateArgs, game: &Game, layout: &Layout) -> anyhow::Result<SimulationPlan> {
    let unit = args.unit.unwrap_or(DEFAULT_UNIT);
    let (boxes, differential) = (args.limits.clone(), args.differential);
    let limits = TableLimits { unit, boxes, rest: None, differential };
    let players = args.players.iter().map(|text| player::read(text, layout, args.bankroll.unwrap_or(DEFAULT_BANKROLL)));
    let players = players.collect::<anyhow::Result<Vec<_>>>()?;
    let engine = if args.engine == EngineChoice::Table { SimulationEngine::Table } else { SimulationEngine::Rules };
    let plan = SimulationPlan::new(game, layout.id(), limits)?.seat(players)?;
    Ok(plan.with(args.rounds, args.sessions.unwrap_or(DEFAULT_SESSIONS), args.seed, engine)?)
}

/// Runs `work` with a progress bar, and prints how many rounds were played.
fn with_progress<T: Send>(
    planned: u64,
    work: impl FnOnce(&AtomicU64) -> T + Send,
    played: impl FnOnce(&T) -> u64,
) -> T {
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&done));
        let mut bar = ProgressBar::new("simulate", planned);
        while !worker.is_finished() {
            bar.advance(done.load(Ordering::Relaxed) - bar.done);
            std::thread::sleep(Duration::from_millis(2));
        }
        let results = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let rounds = played(&results);
        bar.finish(&print::counted(rounds, ("round", "rounds")), (rounds, "rounds"));
        results
    })
}

fn counted(args: &SimulateArgs, layout: &Layout, threads: usize, output: Option<OutputFile>) -> anyhow::Result<bool> {
    let counts =
        with_progress(args.rounds, |done| count(args.seed, args.rounds, threads, done), |counts| counts.iter().sum());
    let boxes = BoxResult::of(layout, &counts);
    if let Some(output) = output {
        let mut text = String::from("box,rounds,edge,edge_exact,expected_edge,expected_edge_exact,deviations\r\n");
        for counted in &boxes {
            let (bet_box, rounds, exact) = (counted.figures.bet_box, args.rounds, counted.figures.edge);
            let (edge, expected, deviations) = (real(counted.edge), real(exact), counted.deviations());
            let found = counted.edge;
            write!(text, "{bet_box},{rounds},{edge:.9},{found},{expected:.9},{exact},{deviations:.4}\r\n")?;
        }
        output.write(&text)?;
    }
    if args.json {
        print::json_array(boxes.iter().map(BoxJson::new))?;
        return Ok(true);
    }
    let rows = boxes.iter().map(|counted| {
        let half = taisai_analysis::Confidence::NinetyFive.deviations() * counted.deviation;
        vec![
            counted.figures.bet_box.to_string(),
            percent(counted.hits, 4),
            percent(counted.figures.hit_frequency(), 4),
            percent(counted.edge, 4),
            format!("± {}", figures::percent(half, 4)),
            percent(counted.figures.edge, 4),
            figures::deviations(counted.deviations()),
        ]
    });
    let columns = [
        Column::left("Box"),
        Column::right("Hits"),
        Column::right("exactly"),
        Column::right("Edge"),
        Column::right("95 %"),
        Column::right("exactly"),
        Column::right("Deviations"),
    ];
    let mut out = anstream::stdout().lock();
    print::heading(&mut out, &format!("{} from seed {}", print::counted(args.rounds, ("throw", "throws")), args.seed))?;
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    Ok(true)
}

fn print_summaries(seed: u64, plan: &SimulationPlan, played: u64, summaries: &[PlayerSummary]) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let rounds = |count| print::counted(count, ("round", "rounds"));
    let sessions = print::counted(plan.sessions(), ("session", "sessions"));
    let title = format!("{sessions} of at most {} from seed {seed}: {} played", rounds(plan.rounds()), rounds(played));
    print::heading(&mut out, &title)?;
    let rows = summaries.iter().map(|player| {
        let share = |share: f64| figures::percent(share, 2);
        vec![
            player.name.clone(),
            player.rounds.to_string(),
            cents(player.staked),
            cents(player.net),
            figures::percent(player.edge.found, 3),
            figures::percents(player.edge.low, player.edge.high, 3),
            percent(player.exact_edge, 3),
            figures::deviations(player.deviations),
            share(player.ruin.found),
            figures::percents(player.ruin.low, player.ruin.high, 2),
            player.exact_ruin.map_or("–".to_owned(), share),
        ]
    });
    let columns = [
        Column::left("Player"),
        Column::right("Rounds"),
        Column::right("Staked"),
        Column::right("Net"),
        Column::right("Edge"),
        Column::right("95 %"),
        Column::right("exactly"),
        Column::right("Deviations"),
        Column::right("Ruined"),
        Column::right("95 %"),
        Column::right("exactly"),
    ];
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    print::heading(&mut out, "The bankroll at the end of a session")?;
    let rows = summaries.iter().map(|player| {
        let [five, half, ninety_five] = player.ends.map(|money| money.to_string());
        let band = format!("{} … {}", near(player.bankroll.low), near(player.bankroll.high));
        let (lowest, highest) = player.extremes;
        let mean = near(player.bankroll.found);
        vec![player.name.clone(), mean, band, five, half, ninety_five, lowest.to_string(), highest.to_string()]
    });
    let columns = [
        Column::left("Player"),
        Column::right("Mean"),
        Column::right("95 %"),
        Column::right("5 % below"),
        Column::right("Half below"),
        Column::right("5 % above"),
        Column::right("Ever lowest"),
        Column::right("Ever highest"),
    ];
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    writeln!(out, "\n  {QUIET}exactly: what these stakes lose on average; no way of staking changes it{QUIET:#}")?;
    Ok(())
}

fn sessions_csv(players: &[PlayerSummary], results: &SimulationResults) -> anyhow::Result<Vec<u8>> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    csv.write_record([
        "session", "player", "strategy", "rounds", "won", "staked", "net", "lowest", "highest", "ruined",
    ])?;
    for (index, result) in results.results.iter().enumerate() {
        let player = &players[index % results.players];
        csv.write_record([
            (index / results.players + 1).to_string(),
            player.name.clone(),
            player.strategy.to_string(),
            result.rounds.to_string(),
            result.won.to_string(),
            result.staked.cents().to_string(),
            result.net.cents().to_string(),
            result.lowest.cents().to_string(),
            result.highest.cents().to_string(),
            u8::from(result.is_ruined).to_string(),
        ])?;
    }
    Ok(csv.into_inner()?)
}

/// Amounts are cents.
#[derive(Serialize)]
struct PlayerJson<'a> {
    player: &'a str,
    strategy: &'static str,
    rounds: u64,
    won: u64,
    staked: i128,
    net: i128,
    edge: [f64; 3],
    expected_edge: f64,
    expected_edge_exact: String,
    deviations: f64,
    ruined: [f64; 3],
    exact_ruin: Option<f64>,
    mean_bankroll: [f64; 3],
}

impl<'a> PlayerJson<'a> {
    fn new(player: &'a PlayerSummary) -> Self {
        let interval = |i: taisai_analysis::simulate::Interval| [i.low, i.found, i.high];
        Self {
            player: &player.name,
            strategy: player.strategy.text(),
            rounds: player.rounds,
            won: player.won,
            staked: player.staked,
            net: player.net,
            edge: interval(player.edge),
            expected_edge: player.exact_edge_real(),
            expected_edge_exact: player.exact_edge.to_string(),
            deviations: player.deviations,
            ruined: interval(player.ruin),
            exact_ruin: player.exact_ruin,
            mean_bankroll: interval(player.bankroll),
        }
    }
}

/// A box for programs.
#[derive(Serialize)]
struct BoxJson {
    #[serde(rename = "box")]
    bet_box: &'static str,
    edge: f64,
    edge_exact: String,
    expected_edge: f64,
    expected_edge_exact: String,
    deviations: f64,
}

impl BoxJson {
    fn new(counted: &BoxResult) -> Self {
        Self {
            bet_box: counted.figures.bet_box.text(),
            edge: real(counted.edge),
            edge_exact: counted.edge.to_string(),
            expected_edge: real(counted.figures.edge),
            expected_edge_exact: counted.figures.edge.to_string(),
            deviations: counted.deviations(),
        }
    }
}
