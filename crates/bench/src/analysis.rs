//! Figures of the analysis: plain throws beside `NumPy`, sessions by the rules and through the table, slips and par sheets.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use taisai_analysis::PlayerSlip;
use taisai_analysis::par::{Maker, ParSheet, index};
use taisai_analysis::simulate::{BoxResult, PlayerPlan, SimulationEngine, SimulationPlan, Strategy, count, run};
use taisai_rules::{BetBox, Games, Money};
use taisai_table::{LimitEntry, TableLimits};

use crate::race;
use crate::rules::layout;
use taisai_lab::Figure;

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    Ok(vec![
        flat(),
        sessions("simulate-rules", SimulationEngine::Rules)?,
        sessions("simulate-table", SimulationEngine::Table)?,
        slip()?,
        par(),
    ])
}

/// Flat bets on the 50 boxes of the standard layout, one thread, beside the same in `NumPy`.
fn flat() -> Figure {
    const ROUNDS: u32 = 200_000_000;
    let layout = layout("tai-sai@6", "A");
    let mut seed = 0;
    let ours = || {
        seed += 1;
        let counts = count(seed, ROUNDS.into(), 1, &AtomicU64::new(0));
        assert_eq!(std::hint::black_box(BoxResult::of(layout, &counts)).len(), 50);
    };
    let (ours, _) = race(5, ours, || {});
    let rate = f64::from(ROUNDS) / ours.as_secs_f64() / 1e6;
    let (ratio, of) = match numpy() {
        Ok(rival) => (rate / rival, "NumPy counting in 216 bins (at least 3)"),
        Err(error) => {
            println!("simulate-flat: the rival is missing: {error:#}");
            (f64::NAN, "NumPy, which is missing")
        }
    };
    Figure::measured("simulate-flat", rate, "M rounds/s", ratio, of)
}

/// Millions of rounds a second in `NumPy`: of this machine's Python, or of one made for it under `target`.
fn numpy() -> anyhow::Result<f64> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/analysis/histogram.py");
    let has_numpy = |python: &PathBuf| {
        Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success())
    };
    let mut python = PathBuf::from("python3");
    if !has_numpy(&python) {
        let folder = PathBuf::from("target/numpy");
        python = folder.join("bin/python");
        if !has_numpy(&python) {
            let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).output().context("python3")?;
            anyhow::ensure!(made.status.success(), "python3 -m venv: {}", String::from_utf8_lossy(&made.stderr));
            let got = Command::new(&python).args(["-m", "pip", "install", "--quiet", "numpy"]).output()?;
            anyhow::ensure!(got.status.success(), "pip install numpy: {}", String::from_utf8_lossy(&got.stderr));
        }
    }
    let output = Command::new(python).arg(script).output()?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().parse::<f64>()? / 1e6)
}

/// Players with bankrolls, strategies and limits at one live table, one thread: four by the rules, two through the table.
fn sessions(name: &'static str, engine: SimulationEngine) -> anyhow::Result<Figure> {
    let (sessions, promise, of) = match engine {
        SimulationEngine::Rules => (100, 5.0, "5 M rounds/s, four players (at least 1)"),
        SimulationEngine::Table => (5, 0.3, "0.3 M rounds/s, two players (at least 1)"),
    };
    let entry = |kind: &str| LimitEntry {
        boxes: kind.parse().expect("a kind"),
        min: Some(Money::from_cents(500)),
        max: Some(Money::from_cents(1_000_000)),
    };
    let boxes = ["big", "small", "sum", "domino"].map(entry).to_vec();
    let limits = TableLimits { unit: Money::from_cents(100), boxes, rest: None, differential: None };
    let player = |strategy: Strategy, bets: &[(&str, i64)]| PlayerPlan {
        name: strategy.to_string(),
        strategy,
        bankroll: Money::from_cents(1_000_000_000),
        slips: vec![bets.iter().map(|(b, cents)| (b.parse().expect("a box"), Money::from_cents(*cents))).collect()],
    };
    let mut players = vec![
        player(Strategy::Flat, &[("big", 500), ("sum:9", 500), ("domino:12", 500)]),
        player(Strategy::Martingale, &[("small", 500)]),
        player(Strategy::Paroli, &[("big", 500), ("sum:4", 500)]),
        player(Strategy::DAlembert, &[("domino:56", 500)]),
    ];
    if engine == SimulationEngine::Table {
        players.truncate(2);
    }
    let game = Games::embedded().find("tai-sai@6", None)?;
    let plan = SimulationPlan::new(game, "A", limits)?.seat(players)?.with(20_000, sessions, 1, engine)?;
    let mut best = Duration::MAX;
    let mut played = 0;
    for _ in 0..10 {
        let start = Instant::now();
        let results = run(&plan, 1, &AtomicU64::new(0));
        best = best.min(start.elapsed());
        played = results.of(0).map(|result| result.rounds).sum::<u64>();
    }
    let rate = f64::from(u32::try_from(played)?) / best.as_secs_f64() / 1e6;
    Ok(Figure::measured(name, rate, "M rounds/s", rate / promise, of))
}

/// The exact distribution of twenty bets over a thousand rounds.
fn slip() -> anyhow::Result<Figure> {
    let layout = layout("sic-bo-etg@2", "B");
    let boxes: Vec<BetBox> = layout.boxes().iter().copied().step_by(5).take(20).collect();
    let bets = (1..).zip(boxes).map(|(place, bet_box)| (bet_box, Money::from_cents(100 * (1 + place % 7))));
    let slip = PlayerSlip::new(layout, bets)?;
    let mut error = 0.0;
    let (ours, _) = race(20, || error = slip.spread().after(1_000).map_or(1.0, |found| found.error()), || {});
    println!("slip-rounds: {} bets, every chance within {error:.1e}", slip.bets().len());
    let milliseconds = ours.as_secs_f64() * 1e3;
    Ok(Figure::measured("slip-rounds", milliseconds, "ms", milliseconds / 50.0, "50 ms (at most 1)"))
}

/// The par sheets of all ten layouts in three forms, and their index.
fn par() -> Figure {
    let maker = Maker { name: "taisai".to_owned(), hash: String::new() };
    let ours = || {
        let games = Games::embedded().iter();
        let sheets = games.flat_map(|game| game.layouts().iter().map(|layout| ParSheet::new(game, layout, &maker)));
        let sheets: Vec<_> = sheets.collect();
        for sheet in &sheets {
            let json = serde_json::to_string_pretty(&sheet.document()).expect("a sheet");
            std::hint::black_box((sheet.html(), sheet.csv(), json));
        }
        std::hint::black_box(index(&sheets));
    };
    let (ours, _) = race(5, ours, || {});
    let seconds = ours.as_secs_f64();
    Figure::measured("par-all-ten", seconds * 1e3, "ms", seconds, "1 s (at most 1)")
}
