//! `taisai simulate`: sessions of players with bankrolls and strategies, or plain throws counted on every box, from a seed.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

mod player;

use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::Serialize;
use taisai_analysis::simulate::{Counted, Engine, Plan, PlayerSummary, Results, count, run as play, summaries};
use taisai_analysis::{percent, real};
use taisai_rules::{Game, Games, Layout, Moment, Money};
use taisai_table::{LimitEntry, TableLimits};

use crate::args::TableArgs;
use crate::bar::Bar;
use crate::print::{self, Column, QUIET};

/// How sessions are played.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum How {
    /// By the rules: limits, pro rata, payouts
    Rules,
    /// Through the machines of a whole table
    Table,
    /// Without players: throws are counted, and every box of the layout has its result
    Count,
}

/// What is simulated.
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
    /// What players have who are given no bankroll of their own
    #[arg(long, default_value = "1000", value_parser = crate::slip::amount)]
    bankroll: Money,
    /// Rounds of a session
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    rounds: u64,
    /// How many sessions
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    sessions: u64,
    /// Where chance begins: the same seed gives the same results, on any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads; as many as the machine has if left out
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,
    /// How it is played
    #[arg(long, value_enum, default_value = "rules")]
    engine: How,
    /// The table's unit
    #[arg(long, default_value = "1", value_parser = crate::slip::amount)]
    unit: Money,
    /// A limit for a kind or a box, like big=25..5000 or sum=..500
    #[arg(long = "limit", value_name = "BOX=MIN..MAX", value_parser = player::limit)]
    limits: Vec<LimitEntry>,
    /// The largest Differential
    #[arg(long, value_parser = crate::slip::amount)]
    differential: Option<Money>,
    /// Write a row for each player and session, or for each box, to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print for programs
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SimulateArgs, games: &Games, now: Moment) -> anyhow::Result<bool> {
    let (game, layout) = args.table.find(games, now)?;
    let threads = args.threads.map_or_else(all_threads, usize::from);
    if args.engine == How::Count {
        if !args.players.is_empty() || !args.limits.is_empty() || args.differential.is_some() {
            bail!("--engine count has neither players nor limits: every box gets the same stake");
        }
        return counted(args, layout, threads);
    }
    if args.players.is_empty() {
        bail!("there is no player: --player flat:big=10, or --engine count for every box at once");
    }
    let plan = plan(args, game, layout)?;
    let results = shown_while("rounds", plan.rounds() * plan.sessions(), |done| play(&plan, threads, done));
    let summaries = summaries(&plan, &results);
    if let Some(path) = &args.csv {
        sessions_csv(path, &summaries, &results)?;
    }
    if args.json { print::json_array(summaries.iter().map(Shown::new)) } else { told(args, &summaries) }?;
    Ok(true)
}

fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn plan(args: &SimulateArgs, game: &Game, layout: &Layout) -> anyhow::Result<Plan> {
    let limits = TableLimits { unit: args.unit, boxes: args.limits.clone(), differential: args.differential };
    let players = args.players.iter().map(|text| player::read(text, layout, args.bankroll));
    let players = players.collect::<anyhow::Result<Vec<_>>>()?;
    let engine = if args.engine == How::Table { Engine::Table } else { Engine::Rules };
    let plan = Plan::new(game, layout.id(), limits)?.seat(players)?;
    Ok(plan.with(args.rounds, args.sessions, args.seed, engine)?)
}

/// Does something while a bar on standard error shows how far it is.
fn shown_while<T: Send>(name: &str, all: u64, work: impl FnOnce(&AtomicU64) -> T + Send) -> T {
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&done));
        let mut bar = Bar::new("simulate", all);
        while !worker.is_finished() {
            bar.more(done.load(Ordering::Relaxed) - bar.done);
            std::thread::sleep(Duration::from_millis(2));
        }
        let rounds = done.load(Ordering::Relaxed);
        bar.end(&format!("{rounds} {name}"), (rounds, name));
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn counted(args: &SimulateArgs, layout: &Layout, threads: usize) -> anyhow::Result<bool> {
    let counts = shown_while("rounds", args.rounds, |done| count(args.seed, args.rounds, threads, done));
    let boxes = Counted::of(layout, &counts);
    if let Some(path) = &args.csv {
        let mut text = String::from("box,rounds,edge,exact_edge,deviations\r\n");
        for counted in &boxes {
            let (bet_box, exact) = (counted.figures.bet_box, counted.figures.edge);
            write!(text, "{bet_box},{},{},{exact},{:.4}\r\n", args.rounds, counted.edge, counted.deviations())?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        print::json_array(boxes.iter().map(ShownBox::new))?;
        return Ok(true);
    }
    let rows = boxes.iter().map(|counted| {
        let half = taisai_analysis::Confidence::NinetyFive.deviations() * counted.deviation;
        vec![
            counted.figures.bet_box.to_string(),
            percent(counted.hits, 4),
            percent(counted.figures.hit_frequency(), 4),
            percent(counted.edge, 4),
            format!("± {:.4} %", half * 100.0),
            percent(counted.figures.edge, 4),
            format!("{:+.2}", counted.deviations()),
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
    print::heading(&mut out, &format!("{} throws from seed {}", args.rounds, args.seed))?;
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    Ok(true)
}

fn cents(cents: i128) -> String {
    i64::try_from(cents).map_or_else(|_| cents.to_string(), |cents| Money::from_cents(cents).to_string())
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a mean that is shown, rounded to cents")]
fn near(number: f64) -> String {
    Money::from_cents(number.round() as i64).to_string()
}

fn told(args: &SimulateArgs, summaries: &[PlayerSummary]) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let title = format!("{} sessions of {} rounds from seed {}", args.sessions, args.rounds, args.seed);
    print::heading(&mut out, &title)?;
    let rows = summaries.iter().map(|player| {
        let share = |share: f64| format!("{:.2} %", share * 100.0);
        vec![
            player.name.clone(),
            player.rounds.to_string(),
            cents(player.staked),
            cents(player.net),
            format!("{:.3} %", player.edge.found * 100.0),
            format!("{:.3} … {:.3} %", player.edge.low * 100.0, player.edge.high * 100.0),
            percent(player.exact_edge, 3),
            format!("{:+.2}", player.deviations),
            share(player.ruin.found),
            format!("{:.2} … {:.2} %", player.ruin.low * 100.0, player.ruin.high * 100.0),
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

fn sessions_csv(path: &Path, players: &[PlayerSummary], results: &Results) -> anyhow::Result<()> {
    let mut text = String::from("session,player,strategy,rounds,won,staked,net,lowest,highest,ruined\r\n");
    for (place, result) in results.results.iter().enumerate() {
        let (session, player) = (place / results.players + 1, &players[place % results.players]);
        let name = player.name.replace('"', "\"\"");
        write!(
            text,
            "{session},\"{name}\",{},{},{},{},{},{},{},{}\r\n",
            player.strategy,
            result.rounds,
            result.won,
            result.staked.cents(),
            result.net.cents(),
            result.lowest.cents(),
            result.highest.cents(),
            u8::from(result.is_ruined),
        )?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A player for programs. Amounts are cents.
#[derive(Serialize)]
struct Shown<'a> {
    player: &'a str,
    strategy: &'static str,
    rounds: u64,
    won: u64,
    staked: i128,
    net: i128,
    edge: [f64; 3],
    exact_edge: String,
    deviations: f64,
    ruined: [f64; 3],
    exact_ruin: Option<f64>,
    mean_bankroll: [f64; 3],
}

impl<'a> Shown<'a> {
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
            exact_edge: player.exact_edge.to_string(),
            deviations: player.deviations,
            ruined: interval(player.ruin),
            exact_ruin: player.exact_ruin,
            mean_bankroll: interval(player.bankroll),
        }
    }
}

/// A box for programs.
#[derive(Serialize)]
struct ShownBox {
    #[serde(rename = "box")]
    bet_box: &'static str,
    edge: f64,
    exact_edge: String,
    deviations: f64,
}

impl ShownBox {
    fn new(counted: &Counted) -> Self {
        let (bet_box, exact_edge) = (counted.figures.bet_box.text(), counted.figures.edge.to_string());
        Self { bet_box, edge: real(counted.edge), exact_edge, deviations: counted.deviations() }
    }
}
