//! What supervisors, cashiers, attendants and shift managers do.

use taisai_rules::Money;
use taisai_table::{
    ClusterCommand, HouseCommand, PersonId, Phase, Position, ReceivableRuling, Redeemer, Round, RoundCommand,
    RoundNumber, Ruling, Seat, TableId,
};

use super::dealer::{dice, past};
use super::{Intent, Scene};
use crate::casino::{CASHIER, DEALER, LIVE, LIVE_DEALER, MANAGER, SEATS, SUPERVISOR, TERMINALS, person};

pub(super) fn supervisor(table: TableId, scene: &mut Scene<'_>) -> Option<RoundCommand> {
    let round = scene.record.round(table);
    let dealer = PersonId(if table == LIVE { LIVE_DEALER } else { DEALER });
    if round.holder(Position::Dealer) != Some(dealer) {
        return Some(RoundCommand::Relieve { position: Position::Dealer, person: Some(dealer) });
    }
    if round.phase() == Phase::Shut {
        return Some(RoundCommand::OpenTable);
    }
    if round.limits().is_none() {
        let (limits, why) = (scene.casino.limits(table), "the day begins".to_owned());
        return Some(RoundCommand::ShowLimits { limits, why });
    }
    if let Some(ruling) = round.unwitnessed_rulings().first()
        && scene.random.percent(60)
    {
        return Some(RoundCommand::Witness { round: ruling.round, seen: ruling.stands });
    }
    if round.damaged_sets().contains(&round.dice_set()) {
        return Some(RoundCommand::UseDice { dice_set: round.dice_set() + 1 });
    }
    if round.is_closure_announced() {
        return scene.random.percent(30).then_some(RoundCommand::CloseTable);
    }
    let (why, second) = ("the camera shows it".to_owned(), Some(person(MANAGER)));
    match scene.random.below(40) {
        30 => return Some(RoundCommand::AnnounceClosure),
        31 => return Some(RoundCommand::UseDice { dice_set: round.dice_set() + 1 }),
        _ => {}
    }
    match scene.random.below(6) {
        0..=1 => {
            let round = past(table, scene)?;
            Some(RoundCommand::Correct { round, dice: dice(scene), why, second })
        }
        2 => {
            let to = past(table, scene)?;
            let from = RoundNumber(to.0.saturating_sub(scene.random.below(3)).max(1));
            let dice_set = scene.random.percent(30).then(|| round.dice_set());
            Some(RoundCommand::VoidDamaged { from, to, dice_set, why, second })
        }
        _ => None,
    }
}

pub(super) fn cashier(scene: &mut Scene<'_>) -> Option<Intent> {
    match scene.random.below(20) {
        0..=2 => {
            let hash = scene.pocket.take(scene.random)?;
            Some(Intent::House(HouseCommand::RedeemAtCage { hash }))
        }
        3 => {
            let (number, amount) = (scene.new_voucher(), Money::from_cents(1_000 * scene.random.signed(1, 20)));
            scene.pocket.put(number.hash, scene.random);
            Some(Intent::House(HouseCommand::SellVoucher { number, amount, second: None }))
        }
        4 => {
            let cluster =
                scene.record.clusters().find(|cluster| cluster.stackers().any(|(_, stacker)| stacker.notes > 0))?;
            let (acceptor, stacker) = cluster.stackers().find(|(_, stacker)| stacker.notes > 0)?;
            let (notes, amount) = (stacker.notes - u32::from(scene.random.one_in(10)), stacker.amount);
            Some(Intent::Cluster(cluster.id(), ClusterCommand::EmptyStacker { acceptor, notes, amount }))
        }
        _ => {
            let clusters: Vec<_> = scene.casino.clusters().filter(|cluster| cluster.table == TERMINALS).collect();
            let id = scene.random.pick(&clusters);
            let cluster = scene.record.cluster(id);
            let is_poor = |seat: &Seat| cluster.credits(*seat) < Money::from_cents(2_000);
            let seat = (1..SEATS).map(Seat).find(is_poor)?;
            let amount = Money::from_cents(1_000 * scene.random.signed(2, 30));
            Some(Intent::Cluster(id, ClusterCommand::BuyIn { seat, amount, second: None }))
        }
    }
}

pub(super) fn attendant(scene: &mut Scene<'_>) -> Option<Intent> {
    let house = scene.record.house();
    for cluster in scene.record.clusters() {
        if let Some(seat) = cluster.seats().find(|seat| cluster.is_locked(*seat)) {
            return Some(Intent::Cluster(cluster.id(), ClusterCommand::ClearLock { seat }));
        }
        let seats = cluster.seats().map(|seat| Redeemer::Seat { cluster: cluster.id(), seat });
        let mut redeemers = seats.chain([Redeemer::Person(PersonId(CASHIER))]);
        if let Some(redeemer) = redeemers.find(|redeemer| house.is_redemption_locked(*redeemer)) {
            return Some(Intent::House(HouseCommand::ClearRedemptionLock { redeemer }));
        }
    }
    let (claim, claimed) = house.claims().next()?;
    let second = (claimed.amount > scene.casino.profile.hand_pay_limit).then(|| person(SUPERVISOR));
    Some(Intent::House(HouseCommand::PayClaim { claim, second }))
}

pub(super) fn shift_manager(scene: &mut Scene<'_>) -> Option<Intent> {
    let is_unfollowed = |round: &&Round| round.phase() == Phase::Void && !round.is_followed();
    if let Some(round) = scene.record.rounds().find(is_unfollowed)
        && scene.random.percent(30)
    {
        let ruling = Ruling::Settle { round: round.number(), dice: dice(scene) };
        let (why, second) = ("as the cameras show".to_owned(), Some(person(MANAGER)));
        return Some(Intent::Round(round.table(), RoundCommand::Rule { ruling, why, second }));
    }
    if scene.random.one_in(5) {
        return rule(scene);
    }
    let (receivable, owed) = scene.record.house().receivables().next()?;
    let ruling = if scene.random.percent(50) {
        ReceivableRuling::Collected { amount: owed.left }
    } else {
        ReceivableRuling::WrittenOff
    };
    Some(Intent::House(HouseCommand::RuleReceivable { receivable, ruling, why: "not seen again".to_owned() }))
}

/// A round that is over, or in play, is ruled on; where it moves money another person has to witness it.
fn rule(scene: &mut Scene<'_>) -> Option<Intent> {
    let table = scene.casino.tables[scene.random.index(scene.casino.tables.len())].table;
    let round = if scene.random.one_in(4) { scene.record.round(table).number() } else { past(table, scene)? };
    let at = scene.record.round(table);
    if round == at.number() && !at.is_followed() {
        return None;
    }
    let ruling = match scene.random.below(3) {
        0 => Ruling::Note,
        1 => Ruling::Void { round, fact: None },
        _ => Ruling::Settle { round, dice: dice(scene) },
    };
    let (why, second) = ("as the cameras show".to_owned(), scene.random.percent(30).then(|| person(MANAGER)));
    Some(Intent::Round(table, RoundCommand::Rule { ruling, why, second }))
}
