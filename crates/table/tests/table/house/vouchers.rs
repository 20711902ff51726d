//! Vouchers: redeemed once, expired, voided, guessed at (F40–F45).

use taisai_table::{
    Account, Actor, ClaimId, ClaimOrigin, ClaimReason, Decision, HouseCommand, HouseEvent, PaidAt, PersonId, Redeemer,
    Refusal, SessionId, SignificantEventKind, Time, Verdict, VoucherOrigin, VoucherSerial, VoucherState,
};

use super::floor::*;

/// F41: at two cages at the same instant.
#[test]
fn one_voucher_at_two_cages_is_paid_once() {
    for (first, other) in [(CASHIER, OTHER_CASHIER), (OTHER_CASHIER, CASHIER)] {
        let mut floor = Floor::new();
        floor.accept(by(CASHIER), sell(1, 500));
        // Both were sent before either was decided.
        let (one, two) = (floor.request(by(first), at_cage(1)), floor.request(by(other), at_cage(1)));
        assert_eq!(floor.send(&one), Decision::Accepted(HouseEvent::CashPaid { amount: cents(500) }));
        assert_eq!(floor.send(&two), Decision::Refused(Refusal::VoucherPaid));
        let paid = VoucherState::Paid { time: floor.time, at: PaidAt::Cage(PersonId(first)) };
        assert_eq!(floor.house.voucher(hash(1)).unwrap().state, paid, "where and when");
        assert_eq!(floor.house.balance(Account::Cash), cents(0));
    }
}

#[test]
fn one_voucher_at_a_cage_and_a_seat_is_paid_once() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    floor.accept(terminal(TERMINAL, SEAT), at_seat(1, CLUSTER, SEAT));
    floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherPaid);
    floor.refuse(Actor::System, at_seat(1, OTHER_CLUSTER, SEAT), Refusal::VoucherPaid);
    assert_eq!(floor.house.balance(Account::Transit(CLUSTER)), cents(500));
    assert_eq!(floor.house.outbox(CLUSTER).map(|transfer| transfer.amount).collect::<Vec<_>>(), [cents(500)]);
    assert_eq!(floor.house.outbox(OTHER_CLUSTER).count(), 0);
}

#[test]
fn a_command_sent_again_gets_the_same_answer_and_moves_nothing() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    let sale = floor.request(by(CASHIER), sell(2, 300));
    let late = floor.request(by(DEALER), at_cage(1));
    let paid = floor.request(by(CASHIER), at_cage(1));
    for (request, verdict) in
        [(&sale, Verdict::Accepted), (&late, Verdict::Refused(Refusal::NotAllowed)), (&paid, Verdict::Accepted)]
    {
        floor.send(request);
        let (before, recorded) = (floor.house.clone(), floor.entries.len());
        for _ in 0..3 {
            assert_eq!(floor.send(request), Decision::Repeated(verdict));
        }
        assert_eq!((&floor.house, floor.entries.len()), (&before, recorded));
    }
    // The same id for something else: refused, and a significant event. The first verdict stands.
    let mut other = sale.clone();
    other.command = sell(2, 301);
    assert_eq!(floor.send(&other), Decision::Refused(Refusal::CommandIdReused));
    assert_eq!(
        floor.happened(),
        [SignificantEventKind::CommandIdReused { source: 1 }],
        "and nothing of the refusal before"
    );
    assert_eq!(floor.send(&sale), Decision::Repeated(Verdict::Accepted));
    for byte in 10..14 {
        floor.accept(by(CASHIER), sell(byte, 1));
    }
    assert_eq!(floor.send(&sale), Decision::Refused(Refusal::CommandTooOld));
    assert_eq!(floor.house.balance(Account::Vouchers), cents(304));
}

/// Whoever is not on file is refused each time anew, and takes no memory.
#[test]
fn strangers_are_not_remembered() {
    let mut floor = Floor::new();
    let request = floor.request(by(STRANGER), at_cage(1));
    for _ in 0..2 {
        assert_eq!(floor.send(&request), Decision::Refused(Refusal::NotAllowed));
    }
}

#[test]
fn a_voucher_is_good_until_it_expires() {
    let mut floor = Floor::new();
    let expires = Time(floor.time.0 + 30 * DAY);
    assert_eq!(
        floor.accept(by(CASHIER), sell(1, 500)),
        HouseEvent::VoucherIssued { serial: VoucherSerial(1), expires }
    );
    floor.accept(by(CASHIER), sell(2, 300));
    floor.pass(30 * DAY - 1);
    assert_eq!(
        floor.accept(Actor::System, HouseCommand::Tick),
        HouseEvent::Ticked { expired: vec![], forgotten: vec![], approvals: vec![] }
    );
    floor.accept(by(CASHIER), at_cage(2));
    floor.pass(1);
    floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherExpired);
    assert_eq!(floor.house.balance(Account::Expired), cents(0), "its money moves by a tick");
    let HouseEvent::Ticked { expired, .. } = floor.accept(Actor::System, HouseCommand::Tick) else { panic!() };
    assert_eq!(
        expired.iter().map(|voucher| (voucher.hash, voucher.amount)).collect::<Vec<_>>(),
        [(hash(1), cents(500))]
    );
    assert_eq!(floor.house.balance(Account::Vouchers), cents(0));
    assert_eq!(floor.house.balance(Account::Expired), cents(500));
    // Though the clock may be stepped back.
    floor.time = Time(floor.time.0 - DAY);
    floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherExpired);
    // A ruling makes it a claim.
    let claim = ClaimId(1);
    let opened = HouseEvent::ClaimOpened { claim, amount: cents(500), set_off: Vec::new() };
    assert_eq!(floor.accept(by(SHIFT_MANAGER), rule_expired(1, "was in hospital")), opened);
    assert_eq!(floor.house.claims().next().unwrap().1.origin, ClaimOrigin::ExpiredVoucher(hash(1)));
    assert_eq!(floor.happened(), [SignificantEventKind::MoneyRuled]);
    floor.refuse(by(SHIFT_MANAGER), rule_expired(1, "again"), Refusal::VoucherPaid);
    floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherPaid);
    let pay = HouseCommand::PayClaim { claim, second: None };
    assert_eq!(floor.accept(by(CASHIER), pay.clone()), HouseEvent::CashPaid { amount: cents(500) });
    floor.refuse(by(CASHIER), pay, Refusal::UnknownClaim);
    assert!(floor.house.ledger().all(|(_, balance)| balance == cents(0)));
}

#[test]
fn an_overdue_voucher_is_ruled_on_before_the_tick() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    floor.pass(31 * DAY);
    floor.accept(by(SHIFT_MANAGER), rule_expired(1, "was in hospital"));
    assert_eq!(floor.house.balance(Account::Expired), cents(0));
    assert_eq!(floor.house.balance(Account::Claims), cents(500));
    floor.accept(Actor::System, HouseCommand::Tick);
}

#[test]
fn closed_vouchers_are_known_for_a_time_and_expired_ones_until_ruled_on() {
    let mut floor = Floor::new();
    for byte in 1..5 {
        floor.accept(by(CASHIER), sell(byte, 500));
    }
    floor.pass(DAY);
    floor.accept(by(CASHIER), at_cage(1));
    floor.accept(by(CASHIER), void(2, "torn", second(SUPERVISOR)));
    floor.accept(Actor::System, at_seat(3, CLUSTER, SEAT));
    floor.pass(29 * DAY);
    floor.accept(Actor::System, HouseCommand::Tick);
    for (byte, refusal) in [(1, Refusal::VoucherPaid), (2, Refusal::VoucherVoid), (3, Refusal::VoucherPaid)] {
        floor.refuse(by(CASHIER), at_cage(byte), refusal);
    }
    floor.pass(DAY);
    let HouseEvent::Ticked { forgotten, .. } = floor.accept(Actor::System, HouseCommand::Tick) else { panic!() };
    assert_eq!(forgotten, [hash(1), hash(2), hash(3)]);
    floor.pass(1_000 * DAY);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!(floor.house.vouchers().map(|(hash, _)| hash).collect::<Vec<_>>(), [hash(4)]);
}

#[test]
fn one_tick_closes_so_many_vouchers() {
    let mut floor = Floor::new();
    let mut number = number(0);
    for count in 0..1_001_u16 {
        number.hash.0[..2].copy_from_slice(&count.to_le_bytes());
        floor.accept(by(CASHIER), HouseCommand::SellVoucher { number, amount: cents(1), second: None });
    }
    floor.pass(30 * DAY);
    for most in [1_000, 1, 0] {
        let HouseEvent::Ticked { expired, .. } = floor.accept(Actor::System, HouseCommand::Tick) else { panic!() };
        assert_eq!(expired.len(), most);
    }
}

#[test]
fn a_void_voucher_is_owed_by_hand() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    let opened = HouseEvent::ClaimOpened { claim: ClaimId(1), amount: cents(500), set_off: Vec::new() };
    assert_eq!(floor.accept(by(CASHIER), void(1, "misprinted", second(SUPERVISOR))), opened);
    assert_eq!(floor.house.balance(Account::Vouchers), cents(0));
    assert_eq!(floor.house.balance(Account::Claims), cents(500));
    let state = VoucherState::Void { time: floor.time, claim: ClaimId(1) };
    assert_eq!(floor.house.voucher(hash(1)).unwrap().state, state);
}

/// F45.
#[test]
fn wrong_numbers_lock_a_cashier() {
    let mut floor = Floor::new();
    let redeemer = Redeemer::Person(PersonId(CASHIER));
    floor.accept(by(CASHIER), sell(1, 500));
    floor.accept(by(CASHIER), sell(2, 500));
    // A right number begins the count again.
    for _ in 0..4 {
        floor.refuse(by(CASHIER), at_cage(99), Refusal::VoucherNotOnFile);
    }
    floor.accept(by(CASHIER), at_cage(1));
    for _ in 0..4 {
        floor.refuse(by(CASHIER), at_cage(99), Refusal::VoucherNotOnFile);
        // Neither what is on file nor what others try counts.
        floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherPaid);
        floor.refuse(by(OTHER_CASHIER), at_cage(99), Refusal::VoucherNotOnFile);
    }
    assert!(!floor.house.is_redemption_locked(redeemer));
    floor.refuse(by(CASHIER), at_cage(99), Refusal::VoucherNotOnFile);
    assert_eq!(floor.happened()[0], SignificantEventKind::RedemptionLocked(redeemer));
    for byte in [2, 1, 99] {
        floor.refuse(by(CASHIER), at_cage(byte), Refusal::LockedOut);
    }
    floor.accept(by(CASHIER), sell(3, 500));
    floor.accept(by(OTHER_CASHIER), at_cage(2));
    floor.accept(by(ATTENDANT), HouseCommand::ClearRedemptionLock { redeemer });
    assert_eq!(floor.happened()[0], SignificantEventKind::RedemptionUnlocked(redeemer));
    floor.accept(by(CASHIER), at_cage(3));
}

/// F45: also at a terminal, whoever passes its numbers on.
#[test]
fn wrong_numbers_lock_a_seat() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    floor.accept(by(CASHIER), sell(2, 500));
    floor.refuse(Actor::System, at_seat(99, CLUSTER, SEAT), Refusal::VoucherNotOnFile);
    floor.accept(Actor::System, at_seat(2, CLUSTER, SEAT));
    for actor in [terminal(TERMINAL, SEAT), Actor::System, Actor::System, Actor::System, terminal(TERMINAL, SEAT)] {
        floor.refuse(actor, at_seat(99, CLUSTER, SEAT), Refusal::VoucherNotOnFile);
    }
    let redeemer = Redeemer::Seat { cluster: CLUSTER, seat: SEAT };
    assert_eq!(floor.happened(), [SignificantEventKind::RedemptionLocked(redeemer)]);
    floor.refuse(terminal(TERMINAL, SEAT), at_seat(1, CLUSTER, SEAT), Refusal::LockedOut);
    floor.accept(Actor::System, at_seat(1, OTHER_CLUSTER, SEAT));
}

/// F44.
#[test]
fn training_vouchers_never_redeem_in_a_real_casino() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(TRAINING, 1, 500, voucher(1)));
    assert_eq!(floor.house.voucher(hash(1)).unwrap().state, VoucherState::Play);
    floor.refuse(by(CASHIER), at_cage(1), Refusal::TrainingMixed);
    floor.refuse(Actor::System, at_seat(1, CLUSTER, SEAT), Refusal::TrainingMixed);
    floor.refuse(Actor::System, at_seat(1, TRAINING, SEAT), Refusal::TrainingMixed);
    assert_eq!(floor.house.balance(Account::Vouchers), cents(0));
    for (number, purpose) in [(2, voucher(1)), (3, CLAIM), (4, RETURNED), (5, RECEIVABLE)] {
        assert_eq!(floor.accept(Actor::System, receive(TRAINING, number, 100, purpose)), HouseEvent::PlayMoney);
    }
    assert_eq!(floor.house.balance(Account::Play), cents(700));
    assert_eq!(floor.house.balance(Account::Transit(TRAINING)), cents(-700));
    assert_eq!(floor.house.claims().count() + floor.house.receivables().count(), 0);
    floor.pass(30 * DAY);
    let HouseEvent::Ticked { expired, forgotten, .. } = floor.accept(Actor::System, HouseCommand::Tick) else {
        panic!()
    };
    assert_eq!((expired, forgotten), (vec![], vec![hash(1)]));
}

/// F44: whether it was cashed out or sold.
#[test]
fn training_casino_redeems_none_of_its_vouchers() {
    let mut floor = Floor::empty(true);
    floor.accept(Actor::System, table(2, 1, true, None));
    floor.accept(Actor::System, HouseCommand::Found { people: founders() });
    floor.accept(Actor::System, receive(TRAINING, 1, 500, voucher(1)));
    floor.accept(by(CASHIER), sell(2, 300));
    for byte in [1, 2] {
        assert_eq!(floor.house.voucher(hash(byte)).unwrap().state, VoucherState::Play);
        floor.refuse(by(CASHIER), at_cage(byte), Refusal::TrainingMixed);
        floor.refuse(Actor::System, at_seat(byte, TRAINING, SEAT), Refusal::TrainingMixed);
        floor.refuse(by(CASHIER), void(byte, "torn", second(SUPERVISOR)), Refusal::TrainingMixed);
        floor.refuse(by(SHIFT_MANAGER), rule_expired(byte, "late"), Refusal::TrainingMixed);
    }
    assert_eq!((floor.house.balance(Account::Play), floor.house.balance(Account::Vouchers)), (cents(800), cents(0)));
    // What is owed by hand is trained too.
    let owed = floor.accept(Actor::System, receive(TRAINING, 2, 500, CLAIM));
    assert_eq!(owed, HouseEvent::ClaimOpened { claim: ClaimId(1), amount: cents(500), set_off: Vec::new() });
    floor.accept(by(CASHIER), HouseCommand::PayClaim { claim: ClaimId(1), second: None });
    assert_eq!(floor.house.check(), Ok(()));
}

/// F43: what cannot be a voucher is paid by hand.
#[test]
fn a_voucher_that_cannot_be_issued_becomes_a_claim() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, 1_000_000, voucher(1)));
    let origin = VoucherOrigin::Seat { cluster: CLUSTER, seat: SEAT, session: SessionId(1) };
    assert_eq!(floor.house.voucher(hash(1)).unwrap().origin, origin);
    for (number, claim, amount, byte) in [(2, 1, 700, 1), (3, 2, 1_000_001, 2)] {
        let opened = HouseEvent::ClaimOpened { claim: ClaimId(claim), amount: cents(amount), set_off: Vec::new() };
        assert_eq!(floor.accept(Actor::System, receive(CLUSTER, number, amount, voucher(byte))), opened);
        assert_eq!(floor.happened()[0], SignificantEventKind::VoucherFailed { cluster: CLUSTER, seat: SEAT });
        let (session, reason) = (SessionId(1), ClaimReason::VoucherFailed);
        let origin = ClaimOrigin::Session { cluster: CLUSTER, seat: SEAT, session, reason };
        assert_eq!(floor.house.claims().last().unwrap().1.origin, origin);
    }
    assert_eq!(floor.house.voucher(hash(1)).unwrap().amount, cents(1_000_000));
    assert_eq!(floor.house.balance(Account::Claims), cents(1_000_701));
}
