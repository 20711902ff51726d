//! The slips of rounds that are over, which notices wait for. They are read while play goes on, some of them ahead of the notice that
//! is next: a void of many rounds is followed in batches.

use std::collections::{BTreeMap, VecDeque};

use taisai_table::{Cluster, Notice, RoundNumber, Slip, Time};

use crate::effect::{Effect, Effects};
use crate::planted::{Mistake, makes};
use crate::timer::Millis;

/// A slip that has not come by then is read again.
const SLIP_TIMEOUT: Millis = Millis(5_000);

/// The slips of so many notices are read at once. A slip may have a line for every bet of a round.
const MAX_NOTICES_AHEAD: usize = 64;

#[derive(Debug, Default)]
pub(super) struct AwaitedSlips {
    arrived: BTreeMap<RoundNumber, Slip>,
    /// The slips that are being read, and when they are read again.
    reading: BTreeMap<RoundNumber, Time>,
}

impl AwaitedSlips {
    pub(super) fn has(&self, round: RoundNumber) -> bool {
        self.arrived.contains_key(&round)
    }

    pub(super) fn take(&mut self, round: RoundNumber) -> Option<Slip> {
        self.arrived.remove(&round)
    }

    /// A slip was read; none where it could not be.
    pub(super) fn arrive(&mut self, mut round: RoundNumber, slip: Option<Slip>) {
        if makes(Mistake::SlipOfTheWrongRound) {
            round.0 += 1;
        }
        if let Some(slip) = slip
            && self.reading.remove(&round).is_some()
        {
            self.arrived.insert(round, slip);
        }
    }

    /// Has the slips read that the next notices need, and again those that did not come.
    pub(super) fn read(
        &mut self,
        now: Time,
        notices: &VecDeque<(u64, Notice)>,
        cluster: &Cluster,
        effects: &mut Effects,
    ) {
        for round in notices.iter().take(MAX_NOTICES_AHEAD).filter_map(|(_, notice)| changed_round(notice, cluster)) {
            let is_read = self.has(round) || self.reading.get(&round).is_some_and(|again| *again > now);
            if !is_read && let Some(digest) = cluster.slip_digest(round) {
                self.reading.insert(round, SLIP_TIMEOUT.after(now));
                let wrong = RoundNumber(round.0.saturating_sub(1));
                let round = if makes(Mistake::SlipOfTheWrongRound) { wrong } else { round };
                effects.held.push(Effect::ReadSlip { cluster: cluster.id(), round, digest });
            }
        }
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.reading.values().min().copied()
    }
}

/// The round that a notice is about, where the cluster has settled it already.
pub(super) fn changed_round(notice: &Notice, cluster: &Cluster) -> Option<RoundNumber> {
    match notice {
        Notice::Voided { round, .. } | Notice::Corrected { round, .. } => {
            cluster.slip_digest(*round).is_some().then_some(*round)
        }
        Notice::TableOpened
        | Notice::TableClosed
        | Notice::ClosureAnnounced
        | Notice::Relieved { .. }
        | Notice::Limits { .. }
        | Notice::Opened { .. }
        | Notice::Closed { .. }
        | Notice::Thrown { .. }
        | Notice::Result { .. }
        | Notice::Held
        | Notice::Resumed => None,
    }
}
