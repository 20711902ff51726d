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
mod roster;
mod store;
mod trace;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use fault::Fault;
pub use plan::{Failure, Plan, StoreKind, Summary};
pub use planted::Planted;

use invariants::Broken;
use world::World;

/// Runs an installation from a seed until its faults and rounds are over, play has gone on, and everything has come to rest.
pub fn run(seed: u64, plan: &Plan) -> Result<Summary, Failure> {
    let mut world = World::new(seed, plan);
    let played = catch_unwind(AssertUnwindSafe(|| world.play()));
    let held = played.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(Broken { invariant: "nothing_panics", detail: text.unwrap_or_default() })
    });
    match held {
        Ok(()) => Ok(world.summary()),
        Err(Broken { invariant, detail }) => {
            let millis = world.schedule.now;
            Err(Failure { seed, invariant, detail, millis, trace: world.into_trace().into_lines() })
        }
    }
}
