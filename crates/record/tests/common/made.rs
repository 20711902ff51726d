//! Small scripted casinos with everything that reports show and that a record of this release holds.

use std::path::Path;

use taisai_journal::Journal;
use taisai_rules::{Dice, Money};
use taisai_table::{
    Actor, CashOut, ClaimId, ClusterCommand, DeviceId, Founder, HouseCommand, Person, PersonId, ReceivableId,
    ReceivableRuling, Role, Roles, RoundCommand, RoundNumber, RoundStanding, Ruling, Seat, VoidReason, VoucherHash,
    VoucherNumber, VoucherSerial,
};

use crate::casino::{CLUSTER, TestCasino, dealer, person, supervisor};

const DAY: u64 = 24 * 60 * 60 * 1_000;

fn number(place: u8) -> VoucherNumber {
    VoucherNumber { hash: VoucherHash([place; 32]), digits: 1_000 + u16::from(place) }
}

pub(crate) fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}

fn cashier() -> Actor {
    person(8, Role::Cashier)
}

pub(crate) fn shift_manager() -> Actor {
    person(6, Role::ShiftManager)
}

fn terminal(seat: u32) -> Actor {
    Actor::Terminal { device: DeviceId(seat), seat: Seat(seat) }
}

pub(crate) fn pit_manager() -> Person {
    Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) }
}

pub(crate) fn found(casino: &mut TestCasino) {
    let people = [
        (1, "Ada", Role::Dealer),
        (3, "Ben", Role::PitSupervisor),
        (5, "Cai", Role::PitManager),
        (6, "Dee", Role::ShiftManager),
        (8, "Hui", Role::Cashier),
        (9, "Ina", Role::Administrator),
    ];
    let founder = |(id, name, role): (u32, &str, Role)| Founder {
        person: PersonId(id),
        name: name.to_owned(),
        roles: Roles::of(&[role]),
    };
    casino.house(Actor::System, HouseCommand::Found { people: people.into_iter().map(founder).collect() });
}

/// A casino after several days: terminals, vouchers in every state, claims, a receivable, a correction, a late void, a ruling.
pub(crate) fn house(journal: Box<dyn Journal>, folder: &Path) -> TestCasino {
    let mut casino = TestCasino::open(journal, folder, "sic-bo-etg").unwrap();
    found(&mut casino);
    rounds(&mut casino);
    vouchers(&mut casino);
    casino.commit();
    casino
}

fn rounds(casino: &mut TestCasino) {
    // Round 1 is corrected while both players are seated: their credits change at once.
    casino.open_bets();
    casino.bet(0, "big", 300);
    casino.bet(1, "small", 200);
    casino.bet(1, "sum:9", 100);
    casino.deal([4, 5, 6]);
    casino.correct(1, [1, 2, 3]);
    // Round 2 is won and lost, and corrected after both players have left: one owes, one is owed.
    casino.open_bets();
    casino.bet(0, "big", 500);
    casino.bet(1, "small", 500);
    casino.deal([5, 5, 6]);
    casino.wait(8 * 60 * 60 * 1_000);
    let voucher = CashOut::Voucher(number(1));
    assert!(casino.cluster(terminal(0), ClusterCommand::CashOut { seat: Seat(0), to: voucher }));
    assert!(casino.cluster(terminal(1), ClusterCommand::CashOut { seat: Seat(1), to: CashOut::HandPay }));
    casino.correct(2, [1, 1, 2]);
    // Round 3 is voided during play, round 4 afterwards.
    casino.open_bets();
    casino.bet(2, "any-triple", 400);
    casino.round(dealer(), RoundCommand::CloseBets);
    casino.round(dealer(), RoundCommand::Activate);
    casino.round(dealer(), RoundCommand::Tumbled { times: 2 });
    casino.round(dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles });
    casino.open_bets();
    casino.bet(2, "any-triple", 400);
    casino.deal([3, 3, 3]);
    let why = "the tumbler stopped by itself".to_owned();
    let reason = VoidReason::Malfunction;
    let void = RoundCommand::VoidByLaw { round: RoundNumber(4), reason, why, second: Some(pit_manager()) };
    casino.round(supervisor(), void);
    // A ruling settles it after all.
    let dice = Dice::try_from([3, 3, 3]).unwrap();
    let ruling = Ruling::Settle { round: RoundNumber(4), dice };
    casino
        .round(shift_manager(), RoundCommand::Rule { ruling, why: "the film was of round 3".to_owned(), second: None });
    casino.round(supervisor(), RoundCommand::Witness { round: RoundNumber(4), seen: RoundStanding::Settled(dice) });
    // Round 5 is void and stays so, and nobody bets after the close.
    casino.open_bets();
    casino.bet(3, "big", 200);
    casino.deal([2, 2, 1]);
    let late = ClusterCommand::Clear { seat: Seat(3) };
    assert!(!casino.cluster(terminal(3), late.clone()) && !casino.cluster(terminal(3), late));
    let why = "the tumbler was hit".to_owned();
    casino.round(
        shift_manager(),
        RoundCommand::Rule {
            ruling: Ruling::Void { round: RoundNumber(5), fact: None },
            why,
            second: Some(pit_manager()),
        },
    );
}

fn vouchers(casino: &mut TestCasino) {
    for place in 2..=5 {
        let amount = money(1_000 * i64::from(place));
        casino.house(cashier(), HouseCommand::SellVoucher { number: number(place), amount, second: None });
    }
    casino.house(cashier(), HouseCommand::RedeemAtCage { hash: number(2).hash });
    casino.house(Actor::System, HouseCommand::RedeemAtSeat { hash: number(3).hash, cluster: CLUSTER, seat: Seat(1) });
    casino.deliver();
    let why = "it was torn".to_owned();
    casino.house(cashier(), HouseCommand::VoidVoucher { hash: number(4).hash, why, second: Some(pit_manager()) });
    casino.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(2).hash });
    casino.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(9).hash });
    let (serial, second) = (VoucherSerial(5), Some(pit_manager()));
    casino.house(cashier(), HouseCommand::ReissueVoucher { serial, number: number(7), ended: None, second });
    casino.house(cashier(), HouseCommand::ConfirmVoucher { serial: VoucherSerial(6) });
    casino.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(5).hash });
    casino.house(cashier(), HouseCommand::TakeClaim { claim: ClaimId(1) });
    casino.house(cashier(), HouseCommand::PayClaim { claim: ClaimId(1), second: None });
    let ruling = ReceivableRuling::Collected { amount: money(300) };
    let why = "the player came back".to_owned();
    casino.house(shift_manager(), HouseCommand::RuleReceivable { receivable: ReceivableId(1), ruling, why });
    for _ in 0..5 {
        casino.house(Actor::System, HouseCommand::LoginFailed { person: PersonId(5) });
    }
    let why = "the new carpet".to_owned();
    let (key, value) = ("carpet".to_owned(), "red".to_owned());
    let with = Some(Person { id: PersonId(3), roles: Roles::of(&[Role::PitSupervisor]) });
    casino.house(person(9, Role::Administrator), HouseCommand::Configure { key, value, why, second: with });
    // A month later unredeemed vouchers have expired; one is sold that day, and one is paid by ruling.
    casino.wait(31 * DAY);
    casino.house(Actor::System, HouseCommand::Tick);
    casino.house(cashier(), HouseCommand::SellVoucher { number: number(6), amount: money(6_000), second: None });
    let why = "the player was in hospital".to_owned();
    casino.house(shift_manager(), HouseCommand::RuleExpired { hash: number(7).hash, why });
}
