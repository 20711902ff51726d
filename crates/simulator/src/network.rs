//! Links between nodes, the store, and people and terminals: they delay, lose, repeat and reorder, and are cut one way or both.

use std::collections::BTreeMap;

use crate::random::Random;

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkEnd {
    Node(usize),
    Store,
    Clients,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Arrives { after: u64 },
    Late { after: u64 },
    Twice { after: u64, again: u64 },
}

/// The network.
#[derive(Debug, Default)]
pub(crate) struct SimulatedNetwork {
    /// Until when nothing passes, by direction.
    cuts: BTreeMap<(LinkEnd, LinkEnd), u64>,
    /// Whether single messages are lost, repeated and late.
    pub(crate) is_reliable: bool,
}

impl SimulatedNetwork {
    pub(crate) fn cut(&mut self, from: LinkEnd, to: LinkEnd, until: u64) {
        let cut = self.cuts.entry((from, to)).or_default();
        *cut = until.max(*cut);
    }

    /// Every link is whole again.
    pub(crate) fn heal(&mut self) {
        self.cuts.clear();
    }

    pub(crate) fn is_cut(&self, from: LinkEnd, to: LinkEnd, now: u64) -> bool {
        self.cuts.get(&(from, to)).is_some_and(|until| *until > now)
    }

    /// What becomes of a message that is sent now.
    pub(crate) fn send(&self, from: LinkEnd, to: LinkEnd, now: u64, random: &mut Random) -> Fate {
        if self.is_cut(from, to, now) {
            return Fate::Lost;
        }
        let after = 1 + random.below(3);
        match random.below(if self.is_reliable { 60 } else { 100 }) {
            95..=96 => Fate::Lost,
            97 => Fate::Twice { after, again: after + random.below(2_000) },
            98 => Fate::Late { after: 20 + random.below(2_000) },
            // It was on its way while much has changed.
            99 => Fate::Late { after: 2_000 + random.below(30_000) },
            _ => Fate::Arrives { after },
        }
    }
}
