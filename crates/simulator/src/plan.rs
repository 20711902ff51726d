//! What is simulated, and what came of it.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::planted::Planted;

/// What an installation keeps its record in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// A file of one node: what is cut off while it is written is torn, and the disk may be full.
    Sqlite,
    /// A server with synchronous standbys, which is lost and promoted.
    Postgres,
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct SimulatorPlan {
    /// How many nodes there are; one with [`StoreKind::Sqlite`].
    pub nodes: u16,
    /// How many clusters the table with terminals has.
    pub clusters: u16,
    /// Whether there is a table with chips on the layout beside it.
    pub has_live_table: bool,
    /// Whether staff screens follow the tables and the House.
    pub has_screens: bool,
    /// What the record is kept in.
    pub store: StoreKind,
    /// How many faults are injected. Messages that are lost, repeated or late come on top.
    pub faults: u64,
    /// How many rounds are over at least when the run ends.
    pub rounds: u64,
    /// Kinds of fault that the program does not withstand yet.
    pub open_faults: Vec<Fault>,
    /// A mistake that is made on purpose. Only in a build with the feature `planted`.
    pub planted: Option<Planted>,
}

impl Default for SimulatorPlan {
    fn default() -> Self {
        Self {
            nodes: 3,
            clusters: 2,
            has_live_table: true,
            has_screens: false,
            store: StoreKind::Postgres,
            faults: 100,
            rounds: 10,
            open_faults: Vec::new(),
            planted: None,
        }
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct SimulationSummary {
    /// How often each kind of fault happened.
    pub faults: BTreeMap<Fault, u64>,
    /// Rounds that were settled or void.
    pub rounds: u64,
    /// Bets that were accepted.
    pub bets: u64,
    /// Commands on record.
    pub commands: u64,
    /// Those of them that were refused.
    pub refusals: u64,
    /// Notes that acceptors took.
    pub notes: u64,
    /// Winners that were registered after the dice.
    pub registered: u64,
    /// Transfers that were taken.
    pub transfers: u64,
    /// Rounds that were corrected or voided at a cluster after they were settled.
    pub corrections: u64,
    /// How often a chain was taken over.
    pub take_overs: u64,
    /// Replies that people and terminals received.
    pub replies: u64,
    /// How long it took, in virtual seconds.
    pub virtual_seconds: u64,
    /// How many events the run had.
    pub events: u64,
    /// A hash of every line of the trace.
    pub trace_hash: u64,
}

impl SimulationSummary {
    /// All faults that were injected, without those of single messages.
    pub fn injected(&self) -> u64 {
        self.faults.iter().filter(|(fault, _)| fault.is_injected()).map(|(_, count)| count).sum()
    }

    /// Adds what another run came to.
    pub fn add(&mut self, other: &Self) {
        for (fault, count) in &other.faults {
            *self.faults.entry(*fault).or_default() += count;
        }
        self.rounds += other.rounds;
        self.bets += other.bets;
        self.commands += other.commands;
        self.refusals += other.refusals;
        self.notes += other.notes;
        self.registered += other.registered;
        self.transfers += other.transfers;
        self.corrections += other.corrections;
        self.take_overs += other.take_overs;
        self.replies += other.replies;
        self.virtual_seconds += other.virtual_seconds;
        self.events += other.events;
    }
}

/// An invariant that does not hold.
#[derive(Clone, Debug, thiserror::Error)]
#[error("seed {seed}, {}.{:03} s: {invariant}: {detail}", .millis / 1_000, .millis % 1_000)]
pub struct SimulationFailure {
    /// The run.
    pub seed: u64,
    /// The invariant's name.
    pub invariant: &'static str,
    /// What is wrong.
    pub detail: String,
    /// When, in virtual milliseconds.
    pub millis: u64,
    /// The event that broke it, counted from one: [`replay`](crate::replay()) shows it.
    pub event: u64,
    /// What happened last, the newest last.
    pub trace: Vec<String>,
}
