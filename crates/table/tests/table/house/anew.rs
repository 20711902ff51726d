//! Vouchers that are not confirmed and are issued anew (F42), and claims that an attendant takes or the player takes back.

use taisai_table::{
    Account, Actor, ClaimId, Decision, HouseCommand, HouseEvent, PaidAt, PersonId, Refusal, SessionId,
    SignificantEventKind, Time, Transfer, TransferPurpose, Verdict, VoucherOrigin, VoucherSerial, VoucherState,
};

use super::floor::*;

const OWN: Actor = terminal(TERMINAL, SEAT);

/// A House in which a voucher was cashed out at the seat, as serial number 1.
fn cashed_out() -> Floor {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, 33_500, voucher(1)));
    floor
}

/// F42: the number is drawn each time that a command is sent, so it is no part of what is sent.
#[test]
fn a_command_sent_again_under_another_number_is_the_same() {
    let mut floor = cashed_out();
    for (actor, first, again, other) in [
        (by(CASHIER), sell(2, 300), sell(3, 300), sell(3, 301)),
        (OWN, reissue(1, 4, None), reissue(1, 5, None), reissue(2, 5, None)),
    ] {
        let request = floor.request(actor, first);
        assert!(matches!(floor.send(&request), Decision::Accepted(_)));
        let before = floor.house.clone();
        let mut repeated = request.clone();
        repeated.command = again;
        assert_eq!(floor.send(&repeated), Decision::Repeated(Verdict::Accepted));
        assert_eq!(floor.house, before, "the second number is nowhere");
        repeated.command = other;
        assert_eq!(floor.send(&repeated), Decision::Refused(Refusal::CommandIdReused));
    }
}

#[test]
fn a_voucher_issued_anew_has_the_amount_and_the_end_of_the_one_that_dies() {
    let mut floor = cashed_out();
    let expires = floor.house.voucher(hash(1)).unwrap().expires;
    floor.pass(DAY);
    let anew = HouseEvent::VoucherReissued { serial: VoucherSerial(2), amount: cents(33_500), expires };
    assert_eq!(floor.accept(OWN, reissue(1, 2, None)), anew);
    let dead = VoucherState::Replaced { time: floor.time, by: VoucherSerial(2) };
    assert_eq!(floor.house.voucher(hash(1)).unwrap().state, dead);
    let now = floor.house.voucher(hash(2)).unwrap();
    assert_eq!((now.amount, now.expires, now.issued, now.is_confirmed), (cents(33_500), expires, floor.time, false));
    assert_eq!(
        floor.happened()[0],
        SignificantEventKind::VoucherReissued { replaced: VoucherSerial(1), by: VoucherSerial(2) }
    );
    assert_eq!(floor.house.balance(Account::Vouchers), cents(33_500), "one of them is owed");
    floor.refuse(by(CASHIER), at_cage(1), Refusal::VoucherReplaced);
    floor.refuse(by(CASHIER), void(1, "torn", second(SUPERVISOR)), Refusal::VoucherReplaced);
    floor.accept(by(CASHIER), at_cage(2));
    assert_eq!(floor.house.balance(Account::Cash), cents(33_500), "paid once");
}

/// What was shown under a new number may be lost again; each time the one before dies.
#[test]
fn a_voucher_is_issued_anew_until_it_is_confirmed() {
    let mut floor = cashed_out();
    for serial in 1..5_u8 {
        assert_eq!(floor.house.unconfirmed_at(CLUSTER, SEAT).unwrap().serial, VoucherSerial(serial.into()));
        floor.accept(OWN, reissue(serial.into(), serial + 1, None));
        floor.refuse(OWN, reissue(serial.into(), 9, None), Refusal::VoucherReplaced);
    }
    floor.accept(OWN, confirm(5));
    assert_eq!(floor.house.unconfirmed_at(CLUSTER, SEAT), None);
    floor.refuse(OWN, reissue(5, 9, None), Refusal::VoucherConfirmed);
    floor.refuse(OWN, confirm(5), Refusal::VoucherConfirmed);
}

/// The next player does not get the last one's voucher.
#[test]
fn a_terminal_issues_only_its_newest_voucher_anew() {
    let mut floor = cashed_out();
    floor.accept(Actor::System, receive(CLUSTER, 2, 500, voucher(2)));
    floor.refuse(OWN, reissue(1, 3, None), Refusal::VoucherConfirmed);
    floor.accept(OWN, reissue(2, 3, None));
    assert!(floor.house.voucher(hash(1)).is_some_and(|voucher| voucher.state == VoucherState::Good));
    floor.accept(by(CASHIER), reissue(1, 4, second(SUPERVISOR)));
}

#[test]
fn terminal_shows_that_its_voucher_was_redeemed_meanwhile() {
    let mut floor = cashed_out();
    floor.accept(by(CASHIER), at_cage(1));
    floor.refuse(OWN, reissue(1, 2, None), Refusal::VoucherPaid);
    let offered = floor.house.unconfirmed_at(CLUSTER, SEAT).unwrap();
    assert_eq!(offered.state, VoucherState::Paid { time: floor.time, at: PaidAt::Cage(PersonId(CASHIER)) });
    floor.accept(OWN, confirm(1));
    assert_eq!(floor.house.unconfirmed_at(CLUSTER, SEAT), None);
}

/// A cashier alone could take the holder's money; and what people hand out, the terminal shows no more.
#[test]
fn two_people_issue_a_voucher_anew_also_after_it_was_confirmed() {
    let mut floor = cashed_out();
    floor.accept(OWN, confirm(1));
    floor.refuse(by(CASHIER), reissue(1, 2, None), Refusal::SecondPersonMissing);
    floor.accept(by(CASHIER), reissue(1, 2, second(SUPERVISOR)));
    assert_eq!(floor.house.voucher(hash(2)).unwrap().origin, VoucherOrigin::Cage(PersonId(CASHIER)));
    assert_eq!(floor.house.unconfirmed_at(CLUSTER, SEAT), None);
    floor.refuse(OWN, reissue(2, 3, None), Refusal::NotAllowed);
    floor.refuse(OWN, confirm(2), Refusal::NotAllowed);
    floor.refuse(by(OTHER_CASHIER), confirm(2), Refusal::NotAllowed);
    floor.accept(by(CASHIER), confirm(2));
}

#[test]
fn an_expired_voucher_is_not_issued_anew_and_a_forgotten_one_is_offered_no_more() {
    let mut floor = cashed_out();
    floor.pass(29 * DAY);
    floor.accept(OWN, reissue(1, 2, None));
    floor.pass(DAY);
    floor.refuse(OWN, reissue(2, 3, None), Refusal::VoucherExpired);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!(floor.house.unconfirmed_at(CLUSTER, SEAT).unwrap().state, VoucherState::Expired);
    floor.accept(by(SHIFT_MANAGER), rule_expired(2, "was in hospital"));
    floor.pass(30 * DAY);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!((floor.house.vouchers().count(), floor.house.unconfirmed().count()), (0, 0));
}

#[test]
fn a_claim_is_the_attendants_once_it_is_taken() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, 33_500, CASH_OUT));
    assert_eq!(floor.house.claim(ClaimId(1)).unwrap().opened, floor.time);
    let take = HouseCommand::TakeClaim { claim: ClaimId(1) };
    floor.accept(by(ATTENDANT), take.clone());
    assert_eq!(floor.house.claim(ClaimId(1)).unwrap().taken.unwrap().person, PersonId(ATTENDANT));
    floor.refuse(by(ATTENDANT), take.clone(), Refusal::ClaimTaken);
    floor.refuse(OWN, take_back(1), Refusal::ClaimTaken);
    // A colleague takes it over from one who has gone.
    floor.accept(by(CASHIER), take);
    assert_eq!(floor.house.claim(ClaimId(1)).unwrap().taken.unwrap().person, PersonId(CASHIER));
    // Whoever is nearest pays it.
    floor.accept(by(CASHIER), HouseCommand::PayClaim { claim: ClaimId(1), second: None });
    let (claim, paid) = floor.house.paid_claims().next().unwrap();
    assert_eq!((claim, paid.amount, paid.time), (ClaimId(1), cents(33_500), floor.time));
    floor.accept(OWN, HouseCommand::ReadClaim { claim });
    assert_eq!(floor.house.paid_claims().count(), 0);
}

#[test]
fn what_the_player_takes_back_goes_to_the_same_session_of_the_same_seat() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(CLUSTER, 1, 33_500, CASH_OUT));
    let sent = HouseEvent::CreditsSent { number: 1, amount: cents(33_500) };
    assert_eq!(floor.accept(OWN, take_back(1)), sent);
    let purpose = TransferPurpose::Credits { seat: SEAT, session: Some(SessionId(1)) };
    let transfer = Transfer { number: 1, amount: cents(33_500), purpose };
    assert_eq!(floor.house.outbox(CLUSTER).copied().collect::<Vec<_>>(), [transfer]);
    assert_eq!(floor.house.balance(Account::Claims), cents(0));
    floor.refuse(OWN, take_back(1), Refusal::UnknownClaim);
    floor.refuse(by(ATTENDANT), HouseCommand::PayClaim { claim: ClaimId(1), second: None }, Refusal::UnknownClaim);
}

/// A person who freed the seat had the claim opened: the player has gone.
#[test]
fn only_the_players_own_cash_out_is_taken_back() {
    let mut floor = Floor::new();
    let TransferPurpose::Claim { seat, session, reason, .. } = CASH_OUT else { panic!() };
    let freed = TransferPurpose::Claim { seat, session, reason, by: Some(PersonId(ATTENDANT)) };
    for (number, purpose) in [(1, freed), (2, CLAIM), (3, RETURNED)] {
        floor.accept(Actor::System, receive(CLUSTER, number, 500, purpose));
        floor.refuse(OWN, take_back(number), Refusal::NotAllowed);
    }
}

/// Claims of live tables, where no terminal stands, leave nothing to be read; and what nobody reads is bounded.
#[test]
fn paid_claims_wait_for_a_terminal_that_can_read_them() {
    let mut floor = Floor::new();
    floor.accept(Actor::System, receive(OTHER_CLUSTER, 1, 500, CASH_OUT));
    floor.accept(by(CASHIER), HouseCommand::PayClaim { claim: ClaimId(1), second: None });
    assert_eq!(floor.house.paid_claims().count(), 0);
    for number in 1..=1_001 {
        floor.accept(Actor::System, receive(CLUSTER, number, 500, CASH_OUT));
        floor.accept(by(CASHIER), HouseCommand::PayClaim { claim: ClaimId(number + 1), second: None });
    }
    assert_eq!(floor.house.paid_claims().count(), 1_000);
    assert_eq!(floor.house.paid_claims().next().unwrap().0, ClaimId(3), "the oldest made room");
}

#[test]
fn every_voucher_has_a_serial_number_of_its_own() {
    let mut floor = cashed_out();
    floor.accept(by(CASHIER), sell(2, 300));
    floor.accept(OWN, reissue(1, 3, None));
    for (serial, byte) in [(1, 1), (2, 2), (3, 3)] {
        assert_eq!(floor.house.voucher_with(VoucherSerial(serial)).unwrap().0, hash(byte));
        assert!(floor.house.voucher(hash(byte)).unwrap().issued <= Time(floor.time.0));
    }
    assert_eq!(floor.house.voucher_with(VoucherSerial(4)), None);
}
