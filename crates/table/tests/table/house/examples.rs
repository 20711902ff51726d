//! One command and one event of every kind.

use taisai_rules::BetBox;
use taisai_table::{
    Act, ApprovalId, ClaimId, DeviceId, DeviceKind, ExpiredVoucher, HouseCommand, HouseEvent, OverDifferential,
    PersonId, ReceivableId, ReceivableRuling, Redeemer, ReportedEvent, Role, Roles, RoundNumber, RoundStanding,
    SecretOwner, SetOff, TableId, Time, VoidReason, VoucherSerial,
};

use super::floor::*;

/// How many kinds of commands there are. The match below does not compile when one is added.
const COMMANDS: usize = 38;
const EVENTS: usize = 12;

fn place(command: &HouseCommand) -> usize {
    use HouseCommand as C;
    match command {
        C::Found { .. } => 0,
        C::AddPerson { .. } => 1,
        C::SetRoles { .. } => 2,
        C::Suspend { .. } => 3,
        C::Reinstate { .. } => 4,
        C::LoginFailed { .. } => 5,
        C::LoginSucceeded { .. } => 6,
        C::Unlock { .. } => 7,
        C::Enrol { .. } => 8,
        C::Revoke { .. } => 9,
        C::CopiedToken { .. } => 10,
        C::RequestApproval { .. } => 11,
        C::AnswerApproval { .. } => 12,
        C::WithdrawApproval { .. } => 13,
        C::AddTable { .. } => 14,
        C::Configure { .. } => 15,
        C::SellVoucher { .. } => 16,
        C::RedeemAtCage { .. } => 17,
        C::RedeemAtSeat { .. } => 18,
        C::VoidVoucher { .. } => 19,
        C::RuleExpired { .. } => 20,
        C::ClearRedemptionLock { .. } => 21,
        C::Receive { .. } => 22,
        C::Delivered { .. } => 23,
        C::PayClaim { .. } => 24,
        C::RuleReceivable { .. } => 25,
        C::Report { .. } => 26,
        C::Tick => 27,
        C::UseApproval { .. } => 28,
        C::Acknowledge { .. } => 29,
        C::GiveCode { .. } => 30,
        C::ConfirmVoucher { .. } => 31,
        C::ReissueVoucher { .. } => 32,
        C::TakeClaim { .. } => 33,
        C::TakeBackClaim { .. } => 34,
        C::ReadClaim { .. } => 35,
        C::UseKeys { .. } => 36,
        C::ChangeSecret { .. } => 37,
    }
}

fn event_place(event: &HouseEvent) -> usize {
    use HouseEvent as E;
    match event {
        E::Done => 0,
        E::LoginCounted { .. } => 1,
        E::ApprovalRequested { .. } => 2,
        E::VoucherIssued { .. } => 3,
        E::CashPaid { .. } => 4,
        E::CreditsSent { .. } => 5,
        E::ClaimOpened { .. } => 6,
        E::ReceivableOpened { .. } => 7,
        E::PlayMoney => 8,
        E::ReceivableRuled { .. } => 9,
        E::Ticked { .. } => 10,
        E::VoucherReissued { .. } => 11,
    }
}

/// The kinds that are not among the commands, by their place.
pub(crate) fn missing<'a>(commands: impl IntoIterator<Item = &'a HouseCommand>) -> Vec<usize> {
    let seen: Vec<_> = commands.into_iter().map(place).collect();
    (0..COMMANDS).filter(|kind| !seen.contains(kind)).collect()
}

pub(crate) fn commands() -> Vec<HouseCommand> {
    use HouseCommand as C;
    let (person, why, two) = (PersonId(20), "because".to_owned(), second(SUPERVISOR));
    let commands = vec![
        C::Found { people: founders() },
        C::AddPerson { person, name: "Ann".to_owned(), roles: Roles::of(&[Role::Dealer]), second: two },
        C::SetRoles { person, roles: Roles::of(&[Role::Dealer, Role::Cashier]), second: two },
        C::Suspend { person, second: two },
        C::Reinstate { person, second: two },
        C::LoginFailed { person },
        C::LoginSucceeded { person },
        C::Unlock { person, second: None },
        C::Enrol { device: TERMINAL, kind: DeviceKind::Terminal { cluster: CLUSTER, seat: SEAT }, second: two },
        C::Enrol { device: TUMBLER, kind: DeviceKind::Screen, second: None },
        C::Enrol { device: TUMBLER, kind: DeviceKind::NoteAcceptor { cluster: CLUSTER, seat: SEAT }, second: None },
        C::Enrol { device: TUMBLER, kind: DeviceKind::ChipReader { cluster: CLUSTER }, second: None },
        C::GiveCode { device: TERMINAL, second: two },
        C::Revoke { device: TERMINAL },
        C::CopiedToken { device: TERMINAL },
        request(Act::LargeHandPay, "claim 7"),
        answer(1, true),
        C::WithdrawApproval { approval: ApprovalId(1) },
        use_approval(1, 7),
        C::Acknowledge { event: 7 },
        table(3, 4, false, two),
        C::Configure { key: "tables.1.name".to_owned(), value: "大小".to_owned(), why: why.clone(), second: two },
        sell(1, 500),
        at_cage(1),
        at_seat(1, CLUSTER, SEAT),
        void(1, "torn", two),
        rule_expired(1, "was in hospital"),
        C::ClearRedemptionLock { redeemer: Redeemer::Person(person) },
        C::ClearRedemptionLock { redeemer: Redeemer::Seat { cluster: CLUSTER, seat: SEAT } },
        receive(CLUSTER, 1, 500, voucher(2)),
        receive(CLUSTER, 2, 500, CLAIM),
        receive(CLUSTER, 3, 500, RECEIVABLE),
        receive(CLUSTER, 4, 500, RETURNED),
        C::Delivered { cluster: CLUSTER, number: 1 },
        C::PayClaim { claim: ClaimId(1), second: None },
        C::RuleReceivable {
            receivable: ReceivableId(1),
            ruling: ReceivableRuling::Collected { amount: cents(5) },
            why: why.clone(),
        },
        C::RuleReceivable { receivable: ReceivableId(1), ruling: ReceivableRuling::WrittenOff, why },
        C::ConfirmVoucher { serial: VoucherSerial(1) },
        reissue(1, 3, two),
        C::TakeClaim { claim: ClaimId(1) },
        C::TakeBackClaim { claim: ClaimId(1) },
        C::ReadClaim { claim: ClaimId(1) },
        C::UseKeys { keys: keys(1) },
        C::ChangeSecret { owner: SecretOwner::Person(person), version: 2 },
        C::ChangeSecret { owner: SecretOwner::Device(TERMINAL), version: 2 },
        C::Tick,
    ];
    commands.into_iter().chain(reports().map(|what| C::Report { what })).collect()
}

fn reports() -> impl Iterator<Item = ReportedEvent> {
    let (table, round, cluster, seat) = (TableId(1), RoundNumber(2), CLUSTER, SEAT);
    [
        ReportedEvent::ClockStepped { millis: -3_600_000 },
        ReportedEvent::StoreProblem,
        ReportedEvent::TerminalLost { cluster, seat },
        ReportedEvent::TerminalBack { cluster, seat },
        ReportedEvent::LimitChange { table },
        ReportedEvent::Void { table, round },
        ReportedEvent::Correction { table, round },
        ReportedEvent::Ruling { table },
        ReportedEvent::MoneyRuling {
            table,
            round,
            before: RoundStanding::InPlay,
            after: RoundStanding::Void(VoidReason::Ruling),
            waits: true,
        },
        ReportedEvent::RulingWitnessed { table, round },
        ReportedEvent::LargeWin { cluster, seat, amount: cents(1_000_000) },
        ReportedEvent::OverDifferential {
            table,
            round,
            over: OverDifferential {
                bet_box: BetBox::BIG,
                counted: cents(700_000),
                opposite_counted: cents(400_000),
                differential: cents(200_000),
            },
        },
        ReportedEvent::CommandIdReused { table, source: 7 },
        ReportedEvent::TumblerFault { table, tumbler: DeviceId(7) },
        ReportedEvent::SecretRefused { owner: SecretOwner::Person(PersonId(20)) },
    ]
    .into_iter()
}

pub(crate) fn events() -> Vec<HouseEvent> {
    use HouseEvent as E;
    let (claim, amount) = (ClaimId(1), cents(500));
    let (receivable, claim_round, receivable_round) = (ReceivableId(1), RoundNumber(4), RoundNumber(5));
    let set_off = SetOff { amount, claim, claim_round, receivable, receivable_round };
    let events = vec![
        E::Done,
        E::LoginCounted { locked: true },
        E::ApprovalRequested { approval: ApprovalId(1) },
        E::VoucherIssued { serial: VoucherSerial(1), expires: Time(7) },
        E::VoucherReissued { serial: VoucherSerial(2), amount, expires: Time(7) },
        E::CashPaid { amount },
        E::CreditsSent { number: 1, amount },
        E::ClaimOpened { claim, amount, set_off: vec![set_off] },
        E::ReceivableOpened { receivable: ReceivableId(1), set_off: Vec::new() },
        E::PlayMoney,
        E::ReceivableRuled { amount, left: cents(0) },
        E::Ticked {
            expired: vec![ExpiredVoucher { hash: hash(1), amount }],
            forgotten: vec![hash(2)],
            approvals: vec![ApprovalId(1)],
        },
    ];
    let mut seen = [false; EVENTS];
    for event in &events {
        seen[event_place(event)] = true;
    }
    assert!(seen.iter().all(|seen| *seen), "an event of every kind");
    events
}
