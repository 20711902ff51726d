//! Transfers: in once and in order, out until they are held; claims and receivables that come of them.

use taisai_table::{
    Account, Actor, ClaimId, ClaimOrigin, HouseCommand, HouseEvent, ReceivableId, ReceivableRuling, Refusal,
    RoundNumber, SignificantEventKind, Transfer,
};

use super::floor::*;

#[test]
fn transfers_arrive_once_and_in_order() {
    let mut floor = Floor::new();
    let system = Actor::System;
    for (cluster, number, refusal) in [
        (CLUSTER, 0, Some(Refusal::OutOfOrder)),
        (CLUSTER, 2, Some(Refusal::OutOfOrder)),
        (CLUSTER, 1, None),
        (CLUSTER, 1, Some(Refusal::OutOfOrder)),
        (OTHER_CLUSTER, 2, Some(Refusal::OutOfOrder)),
        (OTHER_CLUSTER, 1, None),
        (CLUSTER, 3, Some(Refusal::OutOfOrder)),
        (CLUSTER, 2, None),
        (CLUSTER, u64::MAX, Some(Refusal::OutOfOrder)),
    ] {
        assert_eq!(floor.ask(system, receive(cluster, number, 100, CLAIM)).err(), refusal, "{cluster:?} {number}");
    }
    assert_eq!((floor.house.received(CLUSTER), floor.house.received(OTHER_CLUSTER)), (2, 1));
    assert_eq!(floor.house.balance(Account::Claims), cents(300));
    assert_eq!(floor.house.balance(Account::Transit(CLUSTER)), cents(-200));
}

#[test]
fn what_is_sent_waits_until_the_cluster_holds_it() {
    let mut floor = Floor::new();
    for byte in 1..4 {
        floor.accept(by(CASHIER), sell(byte, i64::from(byte) * 100));
        let sent = HouseEvent::CreditsSent { number: u64::from(byte), amount: cents(i64::from(byte) * 100) };
        assert_eq!(floor.accept(Actor::System, at_seat(byte, CLUSTER, SEAT)), sent);
    }
    let transfer =
        |number: i64| Transfer { number: number.try_into().unwrap(), amount: cents(number * 100), purpose: CREDITS };
    let waiting = |floor: &Floor| floor.house.outbox(CLUSTER).copied().collect::<Vec<_>>();
    assert_eq!(waiting(&floor), [transfer(1), transfer(2), transfer(3)]);
    let delivered = |number| HouseCommand::Delivered { cluster: CLUSTER, number };
    floor.refuse(Actor::System, delivered(2), Refusal::OutOfOrder);
    floor.accept(Actor::System, delivered(1));
    floor.refuse(Actor::System, delivered(1), Refusal::OutOfOrder);
    floor.accept(Actor::System, delivered(2));
    assert_eq!(waiting(&floor), [transfer(3)]);
    floor.accept(Actor::System, delivered(3));
    floor.refuse(Actor::System, delivered(4), Refusal::OutOfOrder);
    floor.accept(by(CASHIER), sell(4, 400));
    floor.accept(Actor::System, at_seat(4, CLUSTER, SEAT));
    assert_eq!(waiting(&floor), [transfer(4)], "numbers go on");
    assert_eq!(floor.house.sent(CLUSTER), 4);
    assert_eq!(floor.house.balance(Account::Transit(CLUSTER)), cents(1_000));
}

#[test]
fn returned_credits_and_claims_are_paid_by_hand() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, 5_000_000, CLAIM));
    floor.accept(Actor::System, receive(CLUSTER, 2, 5_000_001, RETURNED));
    let origins: Vec<_> = floor.house.claims().map(|(_, claim)| claim.origin).collect();
    assert_eq!(origins[1], ClaimOrigin::Returned { cluster: CLUSTER, seat: SEAT });
    let pay = |claim, second| HouseCommand::PayClaim { claim: ClaimId(claim), second };
    // F43: at the limit one person pays, above it two do.
    floor.refuse(by(ATTENDANT), pay(2, None), Refusal::SecondPersonMissing);
    floor.refuse(by(ATTENDANT), pay(2, second(CASHIER)), Refusal::SecondPersonNotAllowed);
    floor.refuse(by(DOUBLE), pay(2, second(DOUBLE)), Refusal::SecondPersonNotAllowed);
    floor.accept(by(ATTENDANT), pay(1, None));
    floor.accept(by(ATTENDANT), pay(2, second(SUPERVISOR)));
    assert_eq!(floor.house.balance(Account::Cash), cents(10_000_001));
    assert_eq!(floor.house.claims().count(), 0);
}

#[test]
fn a_receivable_is_collected_in_parts_or_written_off() {
    let mut floor = Floor::new();
    let rule = |receivable, ruling| HouseCommand::RuleReceivable {
        receivable: ReceivableId(receivable),
        ruling,
        why: "agreed with the player".to_owned(),
    };
    let collected = |amount| ReceivableRuling::Collected { amount: cents(amount) };
    for number in 1..3 {
        let opened = HouseEvent::ReceivableOpened { receivable: ReceivableId(number), set_off: Vec::new() };
        assert_eq!(floor.accept(Actor::System, receive(CLUSTER, number, 900, RECEIVABLE)), opened);
    }
    assert_eq!(floor.house.receivables().next().unwrap().1.round, RoundNumber(4));
    assert_eq!(floor.house.balance(Account::Receivables), cents(-1_800));
    assert_eq!(floor.house.balance(Account::Transit(CLUSTER)), cents(1_800));
    for (receivable, ruling, amount, left) in [
        (1, collected(400), 400, 500),
        (1, collected(499), 499, 1),
        (1, collected(1), 1, 0),
        (2, collected(300), 300, 600),
        (2, ReceivableRuling::WrittenOff, 600, 0),
    ] {
        let ruled = HouseEvent::ReceivableRuled { amount: cents(amount), left: cents(left) };
        assert_eq!(floor.accept(by(SHIFT_MANAGER), rule(receivable, ruling)), ruled);
    }
    assert_eq!(floor.happened(), [SignificantEventKind::MoneyRuled; 5]);
    for receivable in [1, 2] {
        floor.refuse(by(SHIFT_MANAGER), rule(receivable, collected(1)), Refusal::UnknownReceivable);
    }
    let balances: Vec<_> = floor.house.ledger().filter(|(_, balance)| *balance != cents(0)).collect();
    assert_eq!(
        balances,
        [(Account::Cash, cents(-1_200)), (Account::Result, cents(-600)), (Account::Transit(CLUSTER), cents(1_800))]
    );
}

/// What came in can always be moved on: the room is checked when it comes in, up to the last cent.
#[test]
fn ledger_agrees_with_what_can_be_counted() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, i64::MAX - 500, CLAIM));
    floor.refuse(Actor::System, receive(CLUSTER, 2, 501, RETURNED), Refusal::AmountTooLarge);
    floor.refuse(by(CASHIER), sell(1, 501), Refusal::AmountTooLarge);
    floor.accept(by(CASHIER), sell(1, 500));
    floor.accept(by(CASHIER), void(1, "torn", second(SUPERVISOR)));
    assert_eq!(floor.house.balance(Account::Claims), cents(i64::MAX));
    for claim in [1, 2] {
        let pay = HouseCommand::PayClaim { claim: ClaimId(claim), second: second(SUPERVISOR) };
        floor.accept(by(ATTENDANT), pay);
    }
    floor.refuse(by(CASHIER), sell(2, 1), Refusal::AmountTooLarge);
}
