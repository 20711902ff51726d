//! What a player does at a terminal.

use taisai_rules::Money;
use taisai_table::{Betting, CashOut, Chips, ClusterCommand, ClusterId, HouseCommand, Seat, Stake, Stakes};

use super::{Scene, Wish};

#[derive(Clone, Copy)]
enum Kind {
    Place,
    Repeat,
    Double,
    Withdraw,
    Clear,
    CashOut,
    Redeem,
    Leave,
    Nothing,
}

pub(super) fn wish(id: ClusterId, seat: Seat, scene: &mut Scene<'_>) -> Option<Wish> {
    let cluster = scene.record.cluster(id);
    if let Some((message, _)) = cluster.messages(seat).find(|(_, is_read)| !is_read)
        && scene.random.percent(20)
    {
        return Some(Wish::Cluster(id, ClusterCommand::Read { seat, message: message.number }));
    }
    let kinds = match cluster.betting() {
        Betting::Open => &[
            (60, Kind::Place),
            (6, Kind::Repeat),
            (5, Kind::Double),
            (8, Kind::Withdraw),
            (3, Kind::Clear),
            (5, Kind::CashOut),
            (6, Kind::Redeem),
        ][..],
        // Some bet when it is too late.
        Betting::Closed => &[(8, Kind::Place), (2, Kind::Withdraw), (3, Kind::Redeem), (40, Kind::Nothing)],
        Betting::Idle => {
            &[(3, Kind::Place), (8, Kind::CashOut), (8, Kind::Redeem), (3, Kind::Leave), (20, Kind::Nothing)]
        }
    };
    let command = match scene.random.weighted(kinds) {
        Kind::Place => ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes(id, scene) },
        Kind::Repeat => ClusterCommand::Repeat { seat },
        Kind::Double => ClusterCommand::Double { seat },
        Kind::Withdraw => {
            let bets: Vec<_> = cluster.bets(seat).collect();
            if bets.is_empty() {
                return None;
            }
            let (chips, stake) = scene.random.pick(&bets);
            ClusterCommand::Withdraw { seat, chips, stakes: Stakes::from_slice(&[stake]) }
        }
        Kind::Clear => ClusterCommand::Clear { seat },
        Kind::CashOut if cluster.credits(seat) > Money::ZERO => {
            let is_by_hand = scene.random.one_in(8);
            let to = if is_by_hand { CashOut::HandPay } else { CashOut::Voucher(scene.new_voucher()) };
            ClusterCommand::CashOut { seat, to }
        }
        Kind::Redeem => {
            let hash = scene.pocket.take(scene.random)?;
            return Some(Wish::House(HouseCommand::RedeemAtSeat { hash, cluster: id, seat }));
        }
        Kind::Leave => ClusterCommand::Leave { seat },
        Kind::CashOut | Kind::Nothing => return None,
    };
    Some(Wish::Cluster(id, command))
}

/// A few stakes that mostly can be placed.
pub(super) fn stakes(id: ClusterId, scene: &mut Scene<'_>) -> Stakes {
    let boxes = scene.casino.plan(id.table).rules.layout().boxes();
    let mut stakes = Stakes::new();
    for _ in 0..scene.random.weighted(&[(60, 1), (25, 2), (15, 3)]) {
        let bet_box = boxes[scene.random.index(boxes.len())];
        if stakes.iter().all(|stake: &Stake| stake.bet_box != bet_box) {
            stakes.push(Stake { bet_box, amount: Money::from_cents(100 * scene.random.signed(1, 8)) });
        }
    }
    stakes
}
