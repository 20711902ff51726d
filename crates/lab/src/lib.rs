//! The commands of `taisai-lab`: the simulator, the load generator and simulated devices. It tests and measures `taisai`, and is
//! not installed on a floor.

mod bench;
mod device;
mod replay;
mod socket;
pub mod torture;
mod tumbler;

pub use bench::{Figure, RequiredRatio};
pub use taisai_simulator::Random;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The simulator, the load generator and the simulated devices of Tai Sai: for tests and measurements, not for a floor.
#[derive(Parser)]
#[command(name = "taisai-lab", version, max_term_width = 100, arg_required_else_help = true)]
struct LabArgs {
    /// Use the games of this folder (*.toml) in place of the approved ones in the program
    #[arg(long, global = true, value_name = "DIR")]
    games: Option<PathBuf>,
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Play random rounds with mistakes, faults and restarts from a seed, and check every invariant
    Torture(torture::TortureArgs),
    /// Step through a run of `torture --nodes` that broke an invariant: it runs again from its seed up to an event
    Replay(replay::ReplayArgs),
    /// Measure a casino over the network: bets, answers, results, memory and start, beside a rival in the same run
    ///
    /// It starts a training casino of its own in a folder that is gone afterwards, and an echo server. The exit status is 1 if a
    /// figure is not reached.
    Bench(bench::BenchArgs),
    /// Run a simulated dice tumbler at a table of a casino, one that does its work or one that misbehaves
    Tumbler(tumbler::TumblerArgs),
}

/// Runs the program with the arguments it was started with; the exit status is that of `taisai`.
pub fn main() -> ExitCode {
    taisai::exit_status(run(&LabArgs::parse()), true)
}

/// Carries out a command; `false` if an invariant was broken or a figure was not reached.
fn run(args: &LabArgs) -> anyhow::Result<bool> {
    match &args.command {
        LabCommand::Torture(torture) => {
            torture::run(torture, &*taisai::games::load(args.games.as_deref())?, taisai::now()?)
        }
        LabCommand::Replay(args) => replay::run(args),
        LabCommand::Bench(bench) => bench::run(bench),
        LabCommand::Tumbler(tumbler) => tumbler::run(tumbler),
    }
}
