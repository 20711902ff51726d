//! What a player does at a terminal.

use taisai_rules::Money;
use taisai_table::{Betting, CashOut, Chips, ClusterCommand, ClusterId, HouseCommand, Seat, Stake, Stakes};

use super::{Intent, Scene};

#[derive(Clone, Copy)]
enum PlayerAction {
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

pub(super) fn wish(id: ClusterId, seat: Seat, scene: &mut Scene<'_>) -> Option<Intent> {
    let cluster = scene.record.cluster(id);
    if let Some((message, _)) = cluster.messages(seat).find(|(_, is_read)| !is_read)
        && scene.random.percent(20)
    {
        return Some(Intent::Cluster(id, ClusterCommand::Read { seat, message: message.number }));
    }
    let kinds = match cluster.betting() {
        Betting::Open => &[
            (60, PlayerAction::Place),
            (6, PlayerAction::Repeat),
            (5, PlayerAction::Double),
            (8, PlayerAction::Withdraw),
            (3, PlayerAction::Clear),
            (5, PlayerAction::CashOut),
            (6, PlayerAction::Redeem),
        ][..],
        // Some bet when it is too late.
        Betting::Closed => &[
            (8, PlayerAction::Place),
            (2, PlayerAction::Withdraw),
            (3, PlayerAction::Redeem),
            (40, PlayerAction::Nothing),
        ],
        Betting::Idle => &[
            (3, PlayerAction::Place),
            (8, PlayerAction::CashOut),
            (8, PlayerAction::Redeem),
            (3, PlayerAction::Leave),
            (20, PlayerAction::Nothing),
        ],
    };
    let command = match scene.random.weighted(kinds) {
        PlayerAction::Place => ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes(id, scene) },
        PlayerAction::Repeat => ClusterCommand::Repeat { seat },
        PlayerAction::Double => ClusterCommand::Double { seat },
        PlayerAction::Withdraw => {
            let bets: Vec<_> = cluster.bets(seat).collect();
            if bets.is_empty() {
                return None;
            }
            let (chips, stake) = scene.random.pick(&bets);
            ClusterCommand::Withdraw { seat, chips, stakes: Stakes::from_slice(&[stake]) }
        }
        PlayerAction::Clear => ClusterCommand::Clear { seat },
        PlayerAction::CashOut if cluster.credits(seat) > Money::ZERO => {
            let is_by_hand = scene.random.one_in(8);
            let to = if is_by_hand { CashOut::HandPay } else { CashOut::Voucher(scene.new_voucher()) };
            ClusterCommand::CashOut { seat, to }
        }
        PlayerAction::Redeem => {
            let hash = scene.pocket.take(scene.random)?;
            return Some(Intent::House(HouseCommand::RedeemAtSeat { hash, cluster: id, seat }));
        }
        PlayerAction::Leave => ClusterCommand::Leave { seat },
        PlayerAction::CashOut | PlayerAction::Nothing => return None,
    };
    Some(Intent::Cluster(id, command))
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
