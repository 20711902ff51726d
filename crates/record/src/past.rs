//! The slip of a settled round, read from the record for a correction. The cluster is rebuilt from the newest snapshot
//! before the round.

use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainName, PublicKey};
use taisai_rules::Dice;
use taisai_table::{Cluster, ClusterCommand, ClusterEvent, Entry, RoundNumber, Slip};

use crate::replay::{ChainReplay, ReplayError, ReplayEvent};

/// What an entry does to rounds: settles the one in play, or changes one that is over.
pub(crate) enum RoundChange {
    Settled(RoundNumber, Option<Dice>),
    Changed(RoundNumber, Option<Dice>),
}

pub(crate) fn change(entry: &Entry<ClusterCommand, ClusterEvent>) -> Option<RoundChange> {
    let ClusterCommand::Follow { notice, .. } = &entry.request.command else { return None };
    let (round, by) = notice.stands()?;
    match entry.outcome.as_ref().ok()? {
        ClusterEvent::Settled { .. } => Some(RoundChange::Settled(round, by.ok())),
        ClusterEvent::Compensated { .. } => Some(RoundChange::Changed(round, by.ok())),
        ClusterEvent::Done
        | ClusterEvent::Rejected { .. }
        | ClusterEvent::BoughtIn { .. }
        | ClusterEvent::BuyInReversed { .. }
        | ClusterEvent::StackerDiffers { .. }
        | ClusterEvent::StackerEmptied { .. } => None,
    }
}

/// The slip of a settled round; none if the chain does not hold it.
pub fn past_slip(
    archive: &mut dyn Archive,
    chain: &ChainName,
    keys: &[PublicKey],
    round: RoundNumber,
) -> Result<Option<Slip>, ReplayError> {
    let is_before = |cluster: &Cluster| cluster.round() < round;
    let mut replay = ChainReplay::<Cluster>::from_snapshot(archive, chain, keys, is_before, |_, _| {})?;
    let mut found = None;
    replay.run(|seen| {
        if let ReplayEvent::Entry(_, cluster, entry) = seen
            && let Some(RoundChange::Settled(settled, _)) = change(entry)
            && settled == round
        {
            found = Some(cluster.slip());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
