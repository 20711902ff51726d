//! Stepping through a run. A run is its seed and its plan, so a replay runs it again up to an event and shows the installation then.

use crate::plan::{SimulationFailure, SimulatorPlan};
use crate::world::World;
use crate::{InvariantViolation, play};

/// What replays compare: names of things in the installation, and how each stands.
pub(crate) type State = Vec<(String, String)>;

/// A thing that an event changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedState {
    pub name: String,
    /// None where it was not there.
    pub before: Option<String>,
    /// None where it is not there any more.
    pub after: Option<String>,
}

/// The installation after an event.
#[derive(Clone, Debug)]
pub struct ReplayMoment {
    /// The event's number, counted from one.
    pub event: u64,
    /// When it happened, in virtual milliseconds.
    pub millis: u64,
    pub what: String,
    /// The lines of the trace that the event left.
    pub trace: Vec<String>,
    pub changed: Vec<ChangedState>,
    /// Nodes, their partitions and machines, chains, people, and messages in flight.
    pub state: State,
    /// The invariant that the event broke.
    pub broken: Option<SimulationFailure>,
}

/// The event at which a replay stops, and what was there before it.
#[derive(Debug)]
pub(crate) struct ReplayStop {
    pub(crate) event: u64,
    pub(crate) what: String,
    pub(crate) before: State,
    pub(crate) lines_before: u64,
}

/// What [`World::step`] gives where a replay stops.
pub(crate) const REPLAY_STOPS: &str = "replay_stops";

/// Runs an installation again up to an event, counted from one; none where the run has fewer events.
pub fn replay(seed: u64, plan: &SimulatorPlan, event: u64) -> Option<ReplayMoment> {
    let mut world = World::new(seed, plan);
    world.stop = Some(ReplayStop { event, what: String::new(), before: State::new(), lines_before: 0 });
    let held = play(&mut world);
    let stop = world.stop.take().filter(|_| world.schedule.events() == event)?;
    let broken = held.err().filter(|broken| broken.invariant != REPLAY_STOPS);
    let (millis, state) = (world.schedule.now, world.state());
    let trace = world.into_trace();
    let lines = trace.lines_since(stop.lines_before);
    let broken = broken.map(|InvariantViolation { invariant, detail }| {
        let trace = trace.into_lines();
        SimulationFailure { seed, invariant, detail, millis, event, trace }
    });
    let changed = changes(&stop.before, &state);
    Some(ReplayMoment { event, millis, what: stop.what, trace: lines, changed, state, broken })
}

/// The last event up to a moment of virtual time, in milliseconds, and how many events the run has.
pub fn event_at(seed: u64, plan: &SimulatorPlan, millis: u64) -> (u64, u64) {
    let mut world = World::new(seed, plan);
    world.schedule.counts_until = millis;
    // A broken invariant ends the run, and is none of this question.
    play(&mut world).map_or_else(drop, drop);
    (world.schedule.counted, world.schedule.events())
}

fn changes(before: &State, after: &State) -> Vec<ChangedState> {
    let find =
        |state: &State, name: &str| state.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let gone = before.iter().filter(|(name, _)| find(after, name).is_none());
    let gone = gone.map(|(name, value)| (name.clone(), Some(value.clone()), None));
    let others = after.iter().map(|(name, value)| (name.clone(), find(before, name), Some(value.clone())));
    let changed = gone.chain(others).filter(|(_, before, after)| before != after);
    changed.map(|(name, before, after)| ChangedState { name, before, after }).collect()
}
