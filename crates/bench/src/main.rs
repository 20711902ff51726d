//! `make bench`: every figure the project promises, measured beside its named rival in the same run, as the machine's
//! own speed changes from run to run. Ends with one line a figure and writes the same to `target/bench.json`.
//! Groups can be named: `rules`, `table`, `torture`, `record`, `analysis`.

#![expect(clippy::float_arithmetic, reason = "rates and ratios; no money is counted here")]

mod analysis;
mod record;
mod rules;
mod table;
mod torture;

use std::time::{Duration, Instant};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts what is allocated, for the figures that promise how little.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() -> anyhow::Result<()> {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |group: &str| chosen.is_empty() || chosen.iter().any(|name| name == group);
    let mut figures = Vec::new();
    if is_chosen("rules") {
        figures.extend([rules::settle_wagers(), rules::all_odds()]);
        figures.extend(rules::settle_lines()?);
    }
    if is_chosen("table") {
        figures.extend(table::figures(ALLOCATOR)?);
    }
    if is_chosen("torture") {
        figures.extend(torture::figures()?);
    }
    if is_chosen("record") {
        figures.extend(record::figures()?);
    }
    if is_chosen("analysis") {
        figures.extend(analysis::figures()?);
    }
    println!();
    for figure in &figures {
        println!("{figure}");
    }
    std::fs::create_dir_all("target")?;
    let file = std::path::Path::new("target/bench.json");
    std::fs::write(file, serde_json::to_string_pretty(&figures)? + "\n")?;
    Ok(())
}

/// Runs two rivals in turn and gives the best time of each: what the machine can do when nothing disturbs it.
fn race(rounds: u32, mut ours: impl FnMut(), mut rival: impl FnMut()) -> (Duration, Duration) {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        best = (best.0.min(time(&mut ours)), best.1.min(time(&mut rival)));
    }
    best
}
