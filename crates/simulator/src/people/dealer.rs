//! What a Dealer does: open, close, tumble, read the dice, some of it wrongly.

use taisai_rules::{Dice, Face, Money};
use taisai_table::{
    Chips, ClusterCommand, ClusterId, MIN_TUMBLES, Phase, Registration, RequiredRegistration, RoundCommand,
    RoundNumber, Seat, Stake, Stakes, TableId, VoidReason,
};

use super::{Intent, Scene, terminal};
use crate::casino::SEATS;

pub(super) fn dice(scene: &mut Scene<'_>) -> Dice {
    let mut face = || scene.random.pick(&Face::ALL);
    Dice::from([face(), face(), face()])
}

pub(super) fn wish(table: TableId, scene: &mut Scene<'_>) -> Option<RoundCommand> {
    let round = scene.record.round(table);
    if round.is_held() {
        let is_given_up = scene.random.one_in(8);
        return Some(if is_given_up { RoundCommand::Interrupt { known: Vec::new() } } else { RoundCommand::Continue });
    }
    match round.phase() {
        Phase::Idle | Phase::Settled | Phase::Void => scene.random.percent(40).then_some(RoundCommand::OpenBets),
        Phase::Open => match scene.random.below(40) {
            0 => Some(RoundCommand::Activate),
            1 => Some(RoundCommand::Interrupt { known: Vec::new() }),
            // Nobody may know a face before the close.
            7 => Some(RoundCommand::Tumbled { times: 3 }),
            8 => Some(RoundCommand::AtRest { faces: dice(scene).faces().map(Some) }),
            9 => Some(RoundCommand::Commit { dice: dice(scene) }),
            2..=6 => Some(RoundCommand::CloseBets),
            _ => None,
        },
        Phase::Closed => Some(closed(table, scene)),
        Phase::Shut | Phase::Closing | Phase::Result => None,
    }
}

fn closed(table: TableId, scene: &mut Scene<'_>) -> RoundCommand {
    let round = scene.record.round(table);
    if round.is_interrupted() {
        let known = round.faces().and_then(|faces| Some(Dice::from([faces[0]?, faces[1]?, faces[2]?])));
        let other = dice(scene);
        return match scene.random.below(3) {
            0 => RoundCommand::Void { reason: VoidReason::NotFlat },
            1 => RoundCommand::AtRest { faces: other.faces().map(Some) },
            _ => RoundCommand::Commit { dice: known.unwrap_or(other) },
        };
    }
    match (round.tumbles(), round.faces()) {
        (None, _) => RoundCommand::Activate,
        (Some(tumbles), _) if tumbles < MIN_TUMBLES => match scene.random.below(20) {
            0 => RoundCommand::Void { reason: VoidReason::FewTumbles },
            _ => RoundCommand::Tumbled { times: 3 },
        },
        (Some(_), None) => {
            let mut faces = dice(scene).faces().map(Some);
            if scene.random.one_in(20) {
                faces[0] = None;
            }
            RoundCommand::AtRest { faces }
        }
        (Some(_), Some([Some(a), Some(b), Some(c)])) => {
            let is_misread = scene.random.one_in(20);
            RoundCommand::Commit { dice: if is_misread { dice(scene) } else { Dice::from([a, b, c]) } }
        }
        (Some(_), Some(_)) => RoundCommand::Void { reason: VoidReason::NotFlat },
    }
}

/// Bets that lie on the layout of a live table are registered.
pub(super) fn register(table: TableId, scene: &mut Scene<'_>) -> Option<Intent> {
    let id = ClusterId { table, number: 0 };
    let seat = Seat(1 + u32::try_from(scene.random.below(u64::from(SEATS) - 1)).unwrap_or(0));
    if scene.record.cluster(id).rules().registration() == Registration::Winners {
        return register_winners(id, seat, scene).map(|command| Intent::Cluster(id, command));
    }
    let command = match (scene.record.round(table).phase(), scene.random.below(20)) {
        (Phase::Open, 0) => ClusterCommand::Clear { seat },
        (Phase::Open, 1) => ClusterCommand::Double { seat },
        (Phase::Open, 2) => ClusterCommand::Repeat { seat },
        (Phase::Open, _) | (Phase::Closed, 0) => {
            ClusterCommand::Place { seat, chips: Chips::Own, stakes: terminal::stakes(id, scene) }
        }
        (_, 1) => ClusterCommand::Leave { seat },
        (_, _) => return None,
    };
    Some(Intent::Cluster(id, command))
}

/// After the dice, what wins is registered until the Dealer says that this is all. Then the pay list is ticked off.
fn register_winners(id: ClusterId, seat: Seat, scene: &mut Scene<'_>) -> Option<ClusterCommand> {
    let cluster = scene.record.cluster(id);
    if cluster.thrown().is_none() {
        let is_early = scene.random.one_in(20);
        return match cluster.pay_list() {
            Some(_) if scene.random.percent(30) => Some(ClusterCommand::TickOff { seat, is_paid: true }),
            Some(_) | None => is_early.then_some(ClusterCommand::AllRegistered),
        };
    }
    let boxes = scene.casino.plan(id.table).rules.layout().boxes();
    let total =
        boxes.iter().find(|bet_box| cluster.required_registration(**bet_box) == Some(RequiredRegistration::Total));
    if let Some(bet_box) = total {
        return Some(ClusterCommand::TellTotal { bet_box: *bet_box, amount: Money::from_cents(100) });
    }
    if scene.random.one_in(3) {
        return Some(ClusterCommand::AllRegistered);
    }
    let wins: Vec<_> = boxes
        .iter()
        .filter(|bet_box| cluster.required_registration(**bet_box) == Some(RequiredRegistration::Stakes))
        .collect();
    let bet_box = if wins.is_empty() { boxes[0] } else { *scene.random.pick(&wins) };
    let amount = Money::from_cents(100 * scene.random.signed(1, 8));
    let stakes = Stakes::from_slice(&[Stake { bet_box, amount }]);
    Some(ClusterCommand::Register { seat, stakes, second: None })
}

/// A round of the last few that are over.
pub(super) fn past(table: TableId, scene: &mut Scene<'_>) -> Option<RoundNumber> {
    let newest = scene.record.round(table).number().0;
    let number = newest.checked_sub(scene.random.below(5))?;
    let round = RoundNumber(number);
    scene.record.round(table).past(round).map(|_| round)
}
