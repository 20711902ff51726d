//! The three kinds of machines as one type, for those who read chains.

use taisai_table::{
    BadBytes, BrokenInvariant, Cluster, ClusterEntry, ClusterEvent, CommandId, CommandRequest, Decision, Entry, House,
    HouseEntry, Machine as _, Round, RoundEntry, RoundNumber, Slip, Time, Verdict, decode,
};

/// A machine.
#[derive(Clone, Debug)]
pub(crate) enum AnyMachine {
    House(Box<House>),
    Round(Box<Round>),
    Cluster(Box<Cluster>),
}

/// An entry of its chain.
#[derive(Clone, Debug)]
pub(crate) enum AnyEntry {
    House(HouseEntry),
    Round(RoundEntry),
    Cluster(ClusterEntry),
}

impl AnyMachine {
    /// Reads an entry of this kind of machine.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<AnyEntry, BadBytes> {
        match self {
            Self::House(_) => decode(bytes).map(AnyEntry::House),
            Self::Round(_) => decode(bytes).map(AnyEntry::Round),
            Self::Cluster(_) => decode(bytes).map(AnyEntry::Cluster),
        }
    }

    /// Whether the machine decides an entry's command as the entry says.
    pub(crate) fn decides(&self, recorded: &AnyEntry) -> Result<(), String> {
        match (self, recorded) {
            (Self::House(house), AnyEntry::House(entry)) => agree(&house.decide(&entry.request), entry),
            (Self::Round(round), AnyEntry::Round(entry)) => agree(&round.decide(&entry.request), entry),
            (Self::Cluster(cluster), AnyEntry::Cluster(entry)) => agree(&cluster.decide(&entry.request), entry),
            (Self::House(_) | Self::Round(_) | Self::Cluster(_), _) => Err("an entry of another machine".to_owned()),
        }
    }

    /// Applies an entry that was decided in this state.
    pub(crate) fn apply(&mut self, recorded: &AnyEntry) {
        match (self, recorded) {
            (Self::House(house), AnyEntry::House(entry)) => house.apply(entry),
            (Self::Round(round), AnyEntry::Round(entry)) => round.apply(entry),
            (Self::Cluster(cluster), AnyEntry::Cluster(entry)) => cluster.apply(entry),
            (Self::House(_) | Self::Round(_) | Self::Cluster(_), _) => unreachable!("an entry is read by its machine"),
        }
    }

    /// The slip that an entry settles, before the entry is applied.
    pub(crate) fn settles(&self, recorded: &AnyEntry) -> Option<(RoundNumber, Slip)> {
        match (self, recorded) {
            (Self::Cluster(cluster), AnyEntry::Cluster(Entry { outcome: Ok(ClusterEvent::Settled { .. }), .. })) => {
                Some((cluster.round(), cluster.slip()))
            }
            (Self::House(_) | Self::Round(_) | Self::Cluster(_), _) => None,
        }
    }

    pub(crate) fn state_hash(&self) -> [u8; 32] {
        match self {
            Self::House(house) => house.state_hash(),
            Self::Round(round) => round.state_hash(),
            Self::Cluster(cluster) => cluster.state_hash(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), BrokenInvariant> {
        match self {
            Self::House(house) => house.check(),
            Self::Round(round) => (**round).check(),
            Self::Cluster(cluster) => cluster.check(),
        }
    }

    /// The highest number of a source that it has on record.
    pub(crate) fn highest_source(&self) -> u64 {
        match self {
            Self::House(house) => house.highest_source(),
            Self::Round(round) => round.highest_source(),
            Self::Cluster(cluster) => cluster.highest_source(),
        }
    }
}

impl AnyEntry {
    pub(crate) fn time(&self) -> Time {
        match self {
            Self::House(entry) => entry.request.time,
            Self::Round(entry) => entry.request.time,
            Self::Cluster(entry) => entry.request.time,
        }
    }

    pub(crate) fn id(&self) -> CommandId {
        match self {
            Self::House(entry) => entry.request.id,
            Self::Round(entry) => entry.request.id,
            Self::Cluster(entry) => entry.request.id,
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self::House(entry) => entry.verdict(),
            Self::Round(entry) => entry.verdict(),
            Self::Cluster(entry) => entry.verdict(),
        }
    }

    /// The command and what came of it, for people.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::House(entry) => text(&entry.request, &entry.outcome),
            Self::Round(entry) => text(&entry.request, &entry.outcome),
            Self::Cluster(entry) => text(&entry.request, &entry.outcome),
        }
    }
}

fn text<C: std::fmt::Debug, O: std::fmt::Debug>(request: &CommandRequest<C>, outcome: &O) -> String {
    format!("{request:?}: {outcome:?}")
}

fn agree<C, E: PartialEq + std::fmt::Debug>(decision: &Decision<E>, entry: &Entry<C, E>) -> Result<(), String> {
    let is_same = match (decision, &entry.outcome) {
        (Decision::Accepted(event), Ok(recorded)) => event == recorded,
        (Decision::Refused(refusal), Err(recorded)) => refusal == recorded,
        (Decision::Accepted(_) | Decision::Refused(_) | Decision::Repeated(_), _) => false,
    };
    if is_same { Ok(()) } else { Err(format!("{decision:?}")) }
}
