//! What devices do by themselves: note acceptors and chip readers.

use taisai_rules::Money;
use taisai_table::{Chips, ClusterCommand, ClusterId, Phase, Registration, Seat, Stakes, TableId};

use super::{Intent, Scene, terminal};
use crate::casino::{SEATS, acceptor};

/// A player feeds a note, now and then one that is not taken; or the acceptor counts its stacker, now and then wrongly (F86).
pub(super) fn note_acceptor(id: ClusterId, seat: Seat, scene: &mut Scene<'_>) -> Option<Intent> {
    let cluster = scene.record.cluster(id);
    if scene.random.one_in(5) {
        let stacker = cluster.stackers().find(|(device, _)| *device == acceptor(id, seat));
        let notes = stacker.map_or(0, |(_, stacker)| stacker.notes) + u32::from(scene.random.one_in(10));
        return Some(Intent::Cluster(id, ClusterCommand::CountStacker { seat, notes }));
    }
    if cluster.credits(seat) > Money::from_cents(20_000) {
        return None;
    }
    let is_unknown = scene.random.one_in(20);
    let amount = if is_unknown { Money::from_cents(777) } else { scene.random.pick(cluster.notes()) };
    Some(Intent::Cluster(id, ClusterCommand::AcceptNote { seat, amount }))
}

/// The reader sees chips come and go on the layout of a live table; at one that registers winners it is refused.
pub(super) fn chip_reader(table: TableId, scene: &mut Scene<'_>) -> Option<Intent> {
    let id = ClusterId { table, number: 0 };
    let cluster = scene.record.cluster(id);
    let sees_bets = cluster.rules().registration() == Registration::EveryBet || scene.random.one_in(20);
    if scene.record.round(table).phase() != Phase::Open || !sees_bets {
        return None;
    }
    let seat = Seat(1 + u32::try_from(scene.random.below(u64::from(SEATS) - 1)).unwrap_or(0));
    let bets: Vec<_> = cluster.bets(seat).collect();
    let command = if !bets.is_empty() && scene.random.one_in(4) {
        let (chips, stake) = scene.random.pick(&bets);
        ClusterCommand::Withdraw { seat, chips, stakes: Stakes::from_slice(&[stake]) }
    } else {
        ClusterCommand::Place { seat, chips: Chips::Own, stakes: terminal::stakes(id, scene) }
    };
    Some(Intent::Cluster(id, command))
}
