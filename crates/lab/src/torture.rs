//! `taisai-lab torture`: the simulator. Random players, dealers, mistakes, faults and restarts from a seed, invariants after every
//! step, and at the end how often everything was met. A failing run leaves its record in a file for `taisai replay`.
//!
//! A casino is played for some thousand rounds and then another is founded, with the next layout and another profile: so memory
//! stays bounded, every casino can be rebuilt from its first entry, and a failure's file begins where the casino did.

mod cage;
mod casino;
mod coverage;
mod faults;
pub(crate) mod installations;
mod messages;
mod model;
mod notes;
mod order;
mod pit;
mod play;
mod players;
mod register;
mod restart;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use data_encoding::HEXLOWER;
use taisai::output_file::OutputFile;
use taisai::print::{self, BAD, Column, GOOD, QUIET};
use taisai::progress_bar::ProgressBar;
use taisai::replay::failure::{RunFailure, caught, quietly};
use taisai::replay::setup::ReplaySetup;
use taisai_engine::WorkerPlacement;
use taisai_rules::{Game, Games, Layout, LimitScope, Moment, Money, Station};
use taisai_simulator::Random;
use taisai_table::{BetsCloser, ExcessPolicy, Profile, Registration};

use casino::SimulatedCasino;
use coverage::{Coverage, CoverageRow};
use installations::InstallationArgs;

/// From this many rounds on, a run fails if something that can happen never did.
const COVERAGE_ROUNDS: u64 = 20_000;

/// How many casinos a run has, if they are neither too small nor too large.
const MAX_CASINOS: u64 = 20;
/// The least rounds of a casino.
const MIN_CASINO_ROUNDS: u64 = 50;
/// The most: memory stays bounded, and no casino is too long to be rebuilt from its first entry.
const MAX_CASINO_ROUNDS: u64 = 1_000;

/// How the simulator runs.
#[derive(clap::Args)]
pub(crate) struct TortureArgs {
    /// The seed: the same seed gives the same run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many rounds are played, of each game
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// The game, like tai-sai or tai-sai@6; every game in force if left out
    #[arg(long)]
    game: Option<String>,
    /// The layout; the layouts of the game in turn if left out
    #[arg(long, requires = "game")]
    layout: Option<String>,
    /// How many Player Terminals, or seats at a live table
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=200))]
    terminals: u32,
    /// How many rounds a casino plays before the next is founded
    #[arg(long, hide = true, value_parser = clap::value_parser!(u64).range(1..))]
    house: Option<u64>,
    /// Write the record of the last casino to this file, also if all is well
    #[arg(long, hide = true, value_name = "FILE", requires = "game")]
    save: Option<PathBuf>,
    #[command(flatten)]
    installations: InstallationArgs,
}

impl TortureArgs {
    const fn new(seed: u64, rounds: u64) -> Self {
        Self {
            seed,
            rounds,
            game: None,
            layout: None,
            terminals: 8,
            house: None,
            save: None,
            installations: InstallationArgs::NONE,
        }
    }
}

/// What a game's run came to.
struct GameRun<'g> {
    game: &'g Game,
    coverage: Coverage,
    /// The hash of the last casino's final state.
    hash: [u8; 32],
}

/// Plays rounds of a game with eight terminals, and gives how many commands there were: for benchmarks.
pub fn commands(game: &str, rounds: u64) -> anyhow::Result<u64> {
    let args = TortureArgs::new(1, rounds);
    let games = Games::embedded();
    let ran = quietly(|| play(&args, games, games.find(game, None)?))?;
    Ok(ran.context("an invariant was broken")?.coverage.commands)
}

/// Plays rounds on a layout of a game, writes the record of the last casino to a file, and gives the hash of the state it ends in:
/// for tests of what reads such files.
pub fn write_replay(file: &Path, game: &str, layout: &str, rounds: u64) -> anyhow::Result<[u8; 32]> {
    let (layout, save) = (Some(layout.to_owned()), Some(file.to_owned()));
    let args = TortureArgs { layout, save, ..TortureArgs::new(5, rounds) };
    let games = Games::embedded();
    let ran = play(&args, games, games.find(game, None)?)?;
    Ok(ran.context("an invariant was broken")?.hash)
}

/// Runs the simulator; `false` if an invariant was broken or something was never met.
pub(crate) fn run(args: &TortureArgs, games: &Games, now: Moment) -> anyhow::Result<bool> {
    if let Some(nodes) = args.installations.nodes {
        return quietly(|| installations::run(&args.installations, nodes, args.seed));
    }
    let chosen = match &args.game {
        Some(name) => vec![games.find(name, Some(now))?],
        None => games.iter().filter(|game| game.is_in_force(now)).collect(),
    };
    let ran: Vec<_> = quietly(|| chosen.into_iter().map(|game| play(args, games, game)).collect::<Result<_, _>>())?;
    let Some(ran) = ran.into_iter().collect::<Option<Vec<_>>>() else { return Ok(false) };
    summary(args, &ran)
}

/// Plays one game; none if it failed, which has been printed.
fn play<'g>(args: &TortureArgs, games: &Games, game: &'g Game) -> anyhow::Result<Option<GameRun<'g>>> {
    let layouts: Vec<_> = match &args.layout {
        Some(layout) => vec![game.layout(layout)?],
        None => game.layouts().iter().collect(),
    };
    let mut coverage = Coverage::default();
    let mut hash = [0; 32];
    let mut bar = ProgressBar::new(game.id(), args.rounds);
    let mut seeds = Random::new(args.seed);
    let size = args.house.unwrap_or_else(|| house_size(args.rounds));
    for house in 0..args.rounds.div_ceil(size) {
        let setup = setup(args, game, &layouts, house, &mut seeds)?;
        let rounds = size.min(args.rounds - house * size);
        // On several nodes every partition may have a worker of its own: then messages between all of them are chosen.
        let placement = if seeds.one_in(3) { WorkerPlacement::Together } else { WorkerPlacement::Apart };
        let mut casino = SimulatedCasino::new(setup, games, placement, seeds.next(), &mut coverage)?;
        let played = caught(&"a step between commands", || {
            casino.found()?;
            for _ in 0..rounds {
                casino.play_round()?;
                bar.advance(1);
            }
            casino.end()
        });
        hash = casino.installation.machines().state_hash();
        if let Err(failure) = played.and_then(|held| held) {
            bar.finish(&format!("{} rounds", bar.done), (casino.coverage.commands, "commands"));
            report_failure(args, &casino, &failure, house)?;
            return Ok(None);
        }
        if let Some(path) = &args.save {
            save(path, &casino)?;
        }
    }
    bar.finish(&format!("{} rounds", bar.done), (coverage.commands, "commands"));
    Ok(Some(GameRun { game, coverage, hash }))
}

/// Short runs have small casinos, so that they too see every profile and layout; long ones have casinos that grow old.
fn house_size(rounds: u64) -> u64 {
    rounds.div_ceil(MAX_CASINOS).clamp(MIN_CASINO_ROUNDS, MAX_CASINO_ROUNDS)
}

/// Casinos differ in layout, in whether notes are taken, in who closes bets, in what is done with excess, in what counts as large and long and, where
/// terminals have their own limits, in how many clusters they are spread over.
fn setup(
    args: &TortureArgs,
    game: &Game,
    layouts: &[&Layout],
    house: u64,
    seeds: &mut Random,
) -> anyhow::Result<ReplaySetup> {
    // Every third casino has no note acceptors.
    let mut profile = if house % 3 == 2 { Profile::singapore() } else { Profile::training() };
    profile.excess = if house.is_multiple_of(2) { ExcessPolicy::Show } else { ExcessPolicy::Refuse };
    profile.closes = if (house / 2).is_multiple_of(2) { BetsCloser::Tick } else { BetsCloser::Dealer };
    if (house / 4).is_multiple_of(2) {
        (profile.voucher_days, profile.large_win) = (2, Money::from_cents(100_000));
    }
    if (house / 2).is_multiple_of(2) {
        profile.registration_limit = Money::from_cents(20_000);
    }
    let place = usize::try_from(house + house / 4)? % layouts.len();
    // Every third casino of a live table registers winners.
    let registers_winners = game.station() == Station::LiveTable && house % 3 == 1;
    let is_bound_by_terminal = game.limit_scope() == Some(LimitScope::Terminal);
    let clusters = if is_bound_by_terminal { (1 + seeds.small(3)).min(args.terminals) } else { 1 };
    Ok(ReplaySetup {
        game: format!("{}@{}", game.id(), game.version()),
        layout: layouts[place].id().to_owned(),
        registration: if registers_winners { Registration::Winners } else { Registration::EveryBet },
        seats: (0..clusters).map(|number| (args.terminals + number) / clusters).collect(),
        training: false,
        profile,
    })
}

fn save(path: &Path, casino: &SimulatedCasino) -> anyhow::Result<()> {
    let bytes = casino.record.file(&casino.setup, &casino.installation.machines().state_hash())?;
    OutputFile::new(path)?.write(bytes).map(drop)
}

fn report_failure(
    args: &TortureArgs,
    casino: &SimulatedCasino,
    failure: &RunFailure,
    house: u64,
) -> anyhow::Result<()> {
    let name = format!("torture-{}.replay", args.seed);
    let path = args.save.clone().unwrap_or_else(|| name.into());
    save(&path, casino)?;
    let ReplaySetup { game, layout, .. } = &casino.setup;
    let (round, path) = (casino.round().number().0, path.display());
    let mut out = anstream::stdout().lock();
    writeln!(out, "{BAD}broken{BAD:#}  {game} layout {layout}, casino {}, round {round}: {}", house + 1, failure.0)?;
    writeln!(out, "The record is in {path}. Step through it with")?;
    writeln!(out, "  taisai replay {path}")?;
    Ok(())
}

/// Prints what was met; `false` if something that can be was not, in a run that is long enough.
fn summary(args: &TortureArgs, ran: &[GameRun]) -> anyhow::Result<bool> {
    let mut out = anstream::stdout().lock();
    let columns: Vec<_> = ["Game"]
        .into_iter()
        .map(Column::left)
        .chain(["Rounds", "Commands", "A round", "Bets", "Faults"].into_iter().map(Column::right))
        .chain([Column::left("Final state")])
        .collect();
    let row = |GameRun { game, coverage, hash }: &GameRun| {
        vec![
            game.id().to_owned(),
            coverage.rounds.to_string(),
            coverage.commands.to_string(),
            coverage.commands.checked_div(coverage.rounds).unwrap_or(0).to_string(),
            coverage.bets.to_string(),
            coverage.faults().to_string(),
            HEXLOWER.encode(hash),
        ]
    };
    print::heading(&mut out, &format!("Seed {}: every invariant held", args.seed))?;
    print::table(&mut out, &columns, &ran.iter().map(row).collect::<Vec<_>>())?;
    print::heading(&mut out, "How often it was met")?;
    let met: Vec<Vec<CoverageRow>> = ran.iter().map(|ran| ran.coverage.rows(ran.game)).collect();
    let columns: Vec<_> = [Column::left(""), Column::left("What")]
        .into_iter()
        .chain(ran.iter().map(|ran| Column::right(ran.game.id())))
        .collect();
    let rows = (0..met.first().map_or(0, Vec::len)).map(|place| {
        let cells = met.iter().map(|rows| cell(&rows[place]));
        [met[0][place].group.to_owned(), met[0][place].name.clone()].into_iter().chain(cells).collect()
    });
    print::table(&mut out, &columns, &rows.collect::<Vec<Vec<_>>>())?;
    writeln!(out)?;
    let mut all_met = true;
    for (ran, rows) in ran.iter().zip(&met) {
        for CoverageRow { group, name, out_of_reach, .. } in rows {
            if let Some(why) = out_of_reach {
                writeln!(out, "{QUIET}–  {}: {group} {name}: {why}{QUIET:#}", ran.game.id())?;
            }
        }
        for row in rows.iter().filter(|row| row.is_missing()) {
            all_met = false;
            writeln!(out, "{BAD}never met{BAD:#}  {}: {} {}", ran.game.id(), row.group, row.name)?;
        }
    }
    if all_met {
        writeln!(out, "{GOOD}ok{GOOD:#}  everything that can be met was met")?;
    }
    Ok(all_met || args.rounds < COVERAGE_ROUNDS)
}

fn cell(row: &CoverageRow) -> String {
    match row.out_of_reach {
        Some(_) if row.count == 0 => "–".to_owned(),
        Some(_) | None => row.count.to_string(),
    }
}
