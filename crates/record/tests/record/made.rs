//! Small made houses in which everything happens that reports tell of and that a record of this release holds.

use std::path::Path;

use taisai_journal::Journal;
use taisai_rules::{Dice, Money};
use taisai_table::{
    Actor, CashOut, Chips, ClaimId, ClusterCommand, DeviceId, Founder, HouseCommand, Person, PersonId, ReceivableId,
    ReceivableRuling, Role, Roles, RoundCommand, RoundNumber, RoundStanding, Ruling, Seat, Stake, Stakes, VoidReason,
    VoucherHash, VoucherNumber, VoucherSerial,
};

use crate::hall::{CLUSTER, Hall, dealer, person, supervisor};

const DAY: u64 = 24 * 60 * 60 * 1_000;

fn number(place: u8) -> VoucherNumber {
    VoucherNumber { hash: VoucherHash([place; 32]), digits: 1_000 + u16::from(place) }
}

fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}

fn cashier() -> Actor {
    person(8, Role::Cashier)
}

fn shift_manager() -> Actor {
    person(6, Role::ShiftManager)
}

fn terminal(seat: u32) -> Actor {
    Actor::Terminal { device: DeviceId(seat), seat: Seat(seat) }
}

fn pit_manager() -> Person {
    Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) }
}

fn found(hall: &mut Hall) {
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
    hall.house(Actor::System, HouseCommand::Found { people: people.into_iter().map(founder).collect() });
}

/// The house after its days: terminals, vouchers of every fate, claims, a receivable, a correction, a late void, a ruling.
pub(crate) fn house(journal: Box<dyn Journal>, folder: &Path) -> Hall {
    let mut hall = Hall::open(journal, folder, "sic-bo-etg").unwrap();
    found(&mut hall);
    rounds(&mut hall);
    vouchers(&mut hall);
    hall.commit();
    hall
}

/// A live table after some rounds: Colour Chips, excess, a player who walks away, void rounds, rulings, corrections.
pub(crate) fn live_table(journal: Box<dyn Journal>, folder: &Path) -> Hall {
    let mut hall = Hall::open(journal, folder, "tai-sai-classic").unwrap();
    found(&mut hall);
    let (seat, value) = (Seat(3), money(500));
    assert!(hall.cluster(dealer(), ClusterCommand::IssueColour { seat, colour: 1, value, chips: 20, second: None }));
    for round in 0..3 {
        hall.open_bets();
        let stakes: Stakes = [Stake { bet_box: "small".parse().unwrap(), amount: money(1_000) }].into_iter().collect();
        let chips = Chips::Colour;
        assert!(hall.cluster(dealer(), ClusterCommand::Place { seat, chips, stakes: stakes.clone() }));
        hall.bet(0, "big", 700);
        hall.bet(1, "any-triple", 300);
        match round {
            0 => assert!(hall.cluster(dealer(), ClusterCommand::Clear { seat: Seat(1) })),
            1 => assert!(hall.cluster(dealer(), ClusterCommand::WalkAway { seat: Seat(0) })),
            _ => {
                assert!(hall.cluster(dealer(), ClusterCommand::Place { seat, chips, stakes: stakes.clone() }));
                assert!(hall.cluster(dealer(), ClusterCommand::Withdraw { seat, chips, stakes }));
            }
        }
        hall.deal([2, 3, 6]);
    }
    assert!(hall.cluster(dealer(), ClusterCommand::RedeemColour { seat }));
    hall.correct(1, [1, 2, 3]);
    hall.open_bets();
    hall.bet(1, "big", 400);
    hall.round(dealer(), RoundCommand::CloseBets);
    hall.round(dealer(), RoundCommand::Activate);
    hall.round(dealer(), RoundCommand::Tumbled { times: 2 });
    hall.round(dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles });
    hall.open_bets();
    hall.bet(1, "sum:9", 400);
    hall.deal([3, 3, 3]);
    let why = "the tumbler stopped by itself".to_owned();
    let void = RoundCommand::VoidByLaw {
        round: RoundNumber(5),
        reason: VoidReason::Malfunction,
        why,
        second: Some(pit_manager()),
    };
    hall.round(supervisor(), void);
    hall.round(
        shift_manager(),
        RoundCommand::Rule { ruling: Ruling::Note, why: "a guest complains".to_owned(), second: None },
    );
    assert!(!hall.cluster(dealer(), ClusterCommand::Clear { seat: Seat(1) }), "nothing lies there");
    hall.round(supervisor(), RoundCommand::AnnounceClosure);
    hall.commit();
    hall
}

fn rounds(hall: &mut Hall) {
    // Round 1 is corrected while both players are there: what they got and lost changes at once.
    hall.open_bets();
    hall.bet(0, "big", 300);
    hall.bet(1, "small", 200);
    hall.bet(1, "sum:9", 100);
    hall.deal([4, 5, 6]);
    hall.correct(1, [1, 2, 3]);
    // Round 2 is won and lost, and both players leave before it is corrected: one owes, one is owed.
    hall.open_bets();
    hall.bet(0, "big", 500);
    hall.bet(1, "small", 500);
    hall.deal([5, 5, 6]);
    hall.wait(8 * 60 * 60 * 1_000);
    let voucher = CashOut::Voucher(number(1));
    assert!(hall.cluster(terminal(0), ClusterCommand::CashOut { seat: Seat(0), to: voucher }));
    assert!(hall.cluster(terminal(1), ClusterCommand::CashOut { seat: Seat(1), to: CashOut::HandPay }));
    hall.correct(2, [1, 1, 2]);
    // Round 3 is void while it is played, round 4 afterwards.
    hall.open_bets();
    hall.bet(2, "any-triple", 400);
    hall.round(dealer(), RoundCommand::CloseBets);
    hall.round(dealer(), RoundCommand::Activate);
    hall.round(dealer(), RoundCommand::Tumbled { times: 2 });
    hall.round(dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles });
    hall.open_bets();
    hall.bet(2, "any-triple", 400);
    hall.deal([3, 3, 3]);
    let why = "the tumbler stopped by itself".to_owned();
    let reason = VoidReason::Malfunction;
    let void = RoundCommand::VoidByLaw { round: RoundNumber(4), reason, why, second: Some(pit_manager()) };
    hall.round(supervisor(), void);
    // It is settled after all.
    let dice = Dice::try_from([3, 3, 3]).unwrap();
    let ruling = Ruling::Settle { round: RoundNumber(4), dice };
    hall.round(shift_manager(), RoundCommand::Rule { ruling, why: "the film was of round 3".to_owned(), second: None });
    hall.round(supervisor(), RoundCommand::Witness { round: RoundNumber(4), seen: RoundStanding::Settled(dice) });
    // Round 5 is void and stays so; nobody bets after the close.
    hall.open_bets();
    hall.bet(3, "big", 200);
    hall.deal([2, 2, 1]);
    let late = ClusterCommand::Clear { seat: Seat(3) };
    assert!(!hall.cluster(terminal(3), late.clone()) && !hall.cluster(terminal(3), late));
    let why = "the tumbler was hit".to_owned();
    hall.round(
        shift_manager(),
        RoundCommand::Rule {
            ruling: Ruling::Void { round: RoundNumber(5), fact: None },
            why,
            second: Some(pit_manager()),
        },
    );
}

fn vouchers(hall: &mut Hall) {
    for place in 2..=5 {
        let amount = money(1_000 * i64::from(place));
        hall.house(cashier(), HouseCommand::SellVoucher { number: number(place), amount, second: None });
    }
    hall.house(cashier(), HouseCommand::RedeemAtCage { hash: number(2).hash });
    hall.house(Actor::System, HouseCommand::RedeemAtSeat { hash: number(3).hash, cluster: CLUSTER, seat: Seat(1) });
    hall.deliver();
    let why = "it was torn".to_owned();
    hall.house(cashier(), HouseCommand::VoidVoucher { hash: number(4).hash, why, second: Some(pit_manager()) });
    hall.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(2).hash });
    hall.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(9).hash });
    let (serial, second) = (VoucherSerial(5), Some(pit_manager()));
    hall.house(cashier(), HouseCommand::ReissueVoucher { serial, number: number(7), ended: None, second });
    hall.house(cashier(), HouseCommand::ConfirmVoucher { serial: VoucherSerial(6) });
    hall.house_refuses(cashier(), HouseCommand::RedeemAtCage { hash: number(5).hash });
    hall.house(cashier(), HouseCommand::TakeClaim { claim: ClaimId(1) });
    hall.house(cashier(), HouseCommand::PayClaim { claim: ClaimId(1), second: None });
    let ruling = ReceivableRuling::Collected { amount: money(300) };
    let why = "the player came back".to_owned();
    hall.house(shift_manager(), HouseCommand::RuleReceivable { receivable: ReceivableId(1), ruling, why });
    for _ in 0..5 {
        hall.house(Actor::System, HouseCommand::LoginFailed { person: PersonId(5) });
    }
    let why = "the new carpet".to_owned();
    let (key, value) = ("carpet".to_owned(), "red".to_owned());
    let with = Some(Person { id: PersonId(3), roles: Roles::of(&[Role::PitSupervisor]) });
    hall.house(person(9, Role::Administrator), HouseCommand::Configure { key, value, why, second: with });
    // A month later those that were not redeemed have expired; one is sold that day and one is paid by ruling.
    hall.wait(31 * DAY);
    hall.house(Actor::System, HouseCommand::Tick);
    hall.house(cashier(), HouseCommand::SellVoucher { number: number(6), amount: money(6_000), second: None });
    let why = "the player was in hospital".to_owned();
    hall.house(shift_manager(), HouseCommand::RuleExpired { hash: number(7).hash, why });
}
