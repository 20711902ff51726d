//! `taisai-lab torture --nodes`: whole installations of the production engine, with several nodes, a network and a store that fail. One
//! seed is one run. A failing run leaves its seed and plan in a file for `taisai-lab replay`.

use std::io::Write as _;

use taisai::output_file::OutputFile;
use taisai::print::{self, BAD, Column, GOOD, QUIET};
use taisai::progress_bar::ProgressBar;
use taisai_simulator::{SimulationFailure, SimulationSummary, SimulatorPlan, StoreKind};

use crate::replay::RunFile;

/// What is simulated.
#[derive(clap::Args)]
pub(crate) struct InstallationArgs {
    /// Simulate whole installations with this number of nodes on one store, all of which fail
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=9))]
    pub(super) nodes: Option<u16>,
    /// How many clusters the table with Player Terminals has
    #[arg(long, requires = "nodes", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=9))]
    clusters: u16,
    /// How many faults each installation withstands: of processes, network, store and clocks
    #[arg(long, requires = "nodes", default_value_t = 100)]
    faults: u64,
    /// How many seeds are run, from the first on
    #[arg(long, requires = "nodes", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
}

impl InstallationArgs {
    pub(super) const NONE: Self = Self { nodes: None, clusters: 2, faults: 100, seeds: 1 };
}

/// Runs installations from a seed on; `false` if an invariant was broken.
pub(super) fn run(args: &InstallationArgs, nodes: u16, seed: u64) -> anyhow::Result<bool> {
    let plan = plan(nodes, args.clusters, args.faults);
    let mut all = SimulationSummary::default();
    let mut bar = ProgressBar::new("installations", args.seeds);
    for seed in seed..seed.saturating_add(args.seeds) {
        match taisai_simulator::run(seed, &plan) {
            Ok(summary) => all.add(&summary),
            Err(failure) => {
                bar.finish(&format!("{} seeds", bar.done), (all.injected(), "faults"));
                return broken(&plan, &failure).map(|()| false);
            }
        }
        bar.advance(1);
    }
    bar.finish(&format!("{} seeds", bar.done), (all.injected(), "faults"));
    print_summary(args, seed, &all).map(|()| true)
}

/// The plan that these numbers stand for: one node keeps its record in a file, several on a server.
pub(crate) fn plan(nodes: u16, clusters: u16, faults: u64) -> SimulatorPlan {
    let store = if nodes == 1 { StoreKind::Sqlite } else { StoreKind::Postgres };
    SimulatorPlan { nodes, clusters, faults, store, ..SimulatorPlan::default() }
}

fn broken(plan: &SimulatorPlan, failure: &SimulationFailure) -> anyhow::Result<()> {
    let path = format!("torture-{}.run", failure.seed);
    OutputFile::new(path.as_ref())?.write(RunFile::new(plan, failure).bytes()?)?;
    let mut out = anstream::stdout().lock();
    for line in &failure.trace {
        writeln!(out, "{QUIET}{line}{QUIET:#}")?;
    }
    writeln!(out, "{BAD}broken{BAD:#}  {failure}")?;
    writeln!(out, "The seed and the plan are in {path}. Step through the run with")?;
    writeln!(out, "  taisai-lab replay {path}")?;
    Ok(())
}

fn print_summary(args: &InstallationArgs, seed: u64, all: &SimulationSummary) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let seeds = if args.seeds == 1 { format!("Seed {seed}") } else { format!("{} seeds from {seed}", args.seeds) };
    print::heading(&mut out, &format!("{seeds}: every invariant held"))?;
    let columns = [Column::left("What"), Column::right("Count")];
    let counts = [
        ("faults injected", all.injected()),
        ("rounds", all.rounds),
        ("bets", all.bets),
        ("commands on record", all.commands),
        ("refusals", all.refusals),
        ("notes accepted", all.notes),
        ("winners registered", all.registered),
        ("transfers", all.transfers),
        ("corrections and late voids", all.corrections),
        ("take-overs", all.take_overs),
        ("virtual seconds", all.virtual_seconds),
    ];
    let counts = counts.into_iter().map(|(what, count)| vec![what.to_owned(), count.to_string()]);
    let faults = all.faults.iter().map(|(fault, count)| vec![format!("  {fault:?}"), count.to_string()]);
    print::table(&mut out, &columns, &counts.chain(faults).collect::<Vec<_>>())?;
    writeln!(out, "\n{GOOD}ok{GOOD:#}  the same seed gives the same run")?;
    Ok(())
}
