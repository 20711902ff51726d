//! The notices that a round has given or a cluster has followed, up to the end of a replay. Only their hashes are kept,
//! to compare them.

use taisai_journal::Hash;
use taisai_table::{Cluster, ClusterCommand, ClusterId, Notice, Round};

use crate::replay::{EntryPosition, ReplayEvent};

/// A notice by its hash, and where it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) number: u64,
    pub(crate) hash: Hash,
    pub(crate) at: EntryPosition,
}

/// Notices with rising numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Vec<Noted>);

impl Notices {
    /// Looks at the dealer's side for notices that are new. One that was given is there until the clusters report it, which
    /// is an entry of its own.
    pub(crate) fn see_round(&mut self, seen: &ReplayEvent<'_, Round>) {
        let (at, round) = match seen {
            ReplayEvent::Entry(at, round, _) => (*at, *round),
            ReplayEvent::Block(position, round) => (EntryPosition { position: *position, entry: u32::MAX }, *round),
            ReplayEvent::Opening(..) | ReplayEvent::Checkpoint(..) => return,
        };
        let newest = self.newest();
        let all = round.notices(ClusterId { table: round.table(), number: 0 });
        for (number, notice) in all.filter(|(number, _)| *number > newest) {
            self.0.push(Noted { number, hash: hash(notice), at });
        }
    }

    /// Looks at a players' side for a notice that it follows.
    pub(crate) fn see_cluster(&mut self, seen: &ReplayEvent<'_, Cluster>) {
        if let ReplayEvent::Entry(at, _, entry) = seen
            && let ClusterCommand::Follow { number, notice, .. } = &entry.request.command
            && entry.outcome.is_ok()
        {
            self.0.push(Noted { number: *number, hash: hash(notice), at: *at });
        }
    }

    /// Whether a notice was seen.
    pub(crate) fn has(&self, number: u64) -> bool {
        self.0.binary_search_by_key(&number, |noted| noted.number).is_ok()
    }

    /// The number of the newest; zero if there is none.
    pub(crate) fn newest(&self) -> u64 {
        self.0.last().map_or(0, |noted| noted.number)
    }

    /// Those up to a number: a cluster may be signed for later than its round.
    pub(crate) fn up_to(mut self, newest: u64) -> Self {
        self.0.retain(|noted| noted.number <= newest);
        self
    }

    /// The first of a cluster's notices that a round has not given so. Of those before the round was seen nothing is known.
    pub(crate) fn first_unlike(&self, round: &Self) -> Option<Noted> {
        let first = round.0.first().map_or(1, |noted| noted.number);
        let given = |number: u64| {
            let place = round.0.binary_search_by_key(&number, |noted| noted.number).ok()?;
            Some(round.0[place].hash)
        };
        self.0.iter().find(|noted| noted.number >= first && given(noted.number) != Some(noted.hash)).copied()
    }
}

fn hash(notice: &Notice) -> Hash {
    Hash::of(&postcard::to_allocvec(notice).expect("a notice can be written down"))
}
