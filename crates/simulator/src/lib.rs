//! Whole installations of the engine under virtual time: several nodes with clocks that differ and jump, a network that loses, repeats
//! and delays, a store that fails and is promoted, people and terminals. One seed is one run, the same on every machine. Invariants are
//! checked after every step. There is no thread, socket, clock or chance from outside in this crate.

mod casino;
mod clock;
mod event;
mod fault;
mod invariants;
mod machine;
mod membership;
mod network;
mod node;
mod people;
mod plan;
mod planted;
mod random;
mod record;
mod replay;
mod roster;
mod store;
mod trace;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use fault::Fault;
pub use plan::{SimulationFailure, SimulationSummary, SimulatorPlan, StoreKind};
pub use planted::Planted;
pub use random::Random;
pub use replay::{ChangedState, ReplayMoment, event_at, replay};

use invariants::InvariantViolation;
use world::World;

/// Runs an installation from a seed until its faults and rounds are over, play has gone on, and everything has come to rest.
pub fn run(seed: u64, plan: &SimulatorPlan) -> Result<SimulationSummary, SimulationFailure> {
    let mut world = World::new(seed, plan);
    match play(&mut world) {
        Ok(()) => Ok(world.summary()),
        Err(InvariantViolation { invariant, detail }) => {
            let (millis, event) = (world.schedule.now, world.schedule.events());
            Err(SimulationFailure { seed, invariant, detail, millis, event, trace: world.into_trace().into_lines() })
        }
    }
}

/// Plays to the end. A panic is a broken invariant too.
fn play(world: &mut World) -> Result<(), InvariantViolation> {
    catch_unwind(AssertUnwindSafe(|| world.play())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(InvariantViolation { invariant: "nothing_panics", detail: text.unwrap_or_default() })
    })
}
