//! Random sequences of commands: the invariants hold after each, the naive model of the books agrees, commands sent
//! again change nothing, and the entries make the same House again from the start and from any snapshot.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use taisai_table::{
    Act, Actor, ApprovalAnswer, ApprovalId, ClaimId, ClusterId, Decision, DeviceId, DeviceKind, Entry, House,
    HouseCommand, Person, PersonId, Profile, ReceivableId, ReceivableRuling, Redeemer, Refusal, ReportedEvent, Role,
    Roles, SecretOwner, Verdict, VoucherSerial, VoucherState,
};

use super::examples::missing;
use super::floor::*;
use super::model::Model;

/// A step: who asks what, after how long, and whether it is sent twice. Numbers in transfers count from the next one,
/// numbers of claims, receivables and approvals are places among those that are open, and of events among the newest.
type Step = (Actor, HouseCommand, u64, bool);

fn amount() -> impl Strategy<Value = i64> {
    select(&[-1, 0, 1, 70, 500, 500, 500, 1_000_000, 1_000_001, 6_000_000][..])
}

fn cluster() -> impl Strategy<Value = ClusterId> {
    select(&[CLUSTER, CLUSTER, CLUSTER, OTHER_CLUSTER, TRAINING, NOWHERE][..])
}

fn anyone() -> impl Strategy<Value = u32> {
    select(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21][..])
}

fn two() -> impl Strategy<Value = Option<Person>> {
    select(vec![second(SUPERVISOR), second(SUPERVISOR), second(SHIFT_MANAGER), second(DOUBLE), None])
}

fn text() -> impl Strategy<Value = String> {
    select(&["why", "why", "why", "because", ""][..]).prop_map(str::to_owned)
}

fn money() -> impl Strategy<Value = HouseCommand> {
    use HouseCommand as C;
    let byte = || 1..9_u8;
    let purpose = prop_oneof![
        2 => byte().prop_map(voucher),
        2 => Just(CLAIM),
        2 => Just(CASH_OUT),
        2 => Just(RECEIVABLE),
        1 => Just(RETURNED),
        1 => Just(CREDITS),
    ];
    let ruling = prop_oneof![
        amount().prop_map(|amount| ReceivableRuling::Collected { amount: cents(amount) }),
        Just(ReceivableRuling::WrittenOff),
    ];
    let next = || select(&[1_u64, 1, 1, 1, 0, 2][..]);
    let seat = (1..3_u32).prop_map(taisai_table::Seat);
    let sale = (byte(), amount()).prop_map(|(byte, amount)| sell(byte, amount));
    let redeemed = (byte(), cluster(), seat).prop_map(|(byte, cluster, seat)| at_seat(byte, cluster, seat));
    let voided = (byte(), text(), two()).prop_map(|(byte, why, second)| void(byte, &why, second));
    let ruled = (byte(), text()).prop_map(|(byte, why)| rule_expired(byte, &why));
    let received = (cluster(), next(), amount(), purpose);
    let received = received.prop_map(|(cluster, number, amount, purpose)| receive(cluster, number, amount, purpose));
    let delivered = (cluster(), next()).prop_map(|(cluster, number)| C::Delivered { cluster, number });
    let paid = (0..4_u64, two()).prop_map(|(claim, second)| C::PayClaim { claim: ClaimId(claim), second });
    let serial = || (1..9_u64).prop_map(VoucherSerial);
    let anew = (serial(), byte(), two());
    let anew = anew.prop_map(|(serial, byte, second)| C::ReissueVoucher {
        serial,
        number: number(byte),
        ended: Some(taisai_table::SessionId(1)),
        second,
    });
    let claim = || (0..4_u64).prop_map(ClaimId);
    let receivable = (0..3_u64).prop_map(ReceivableId);
    let collected = (receivable, ruling, text());
    let collected = collected.prop_map(|(receivable, ruling, why)| C::RuleReceivable { receivable, ruling, why });
    prop_oneof![
        4 => sale,
        3 => byte().prop_map(at_cage),
        3 => redeemed,
        2 => voided,
        3 => ruled,
        6 => received,
        2 => delivered,
        3 => paid,
        3 => anew,
        1 => serial().prop_map(|serial| C::ConfirmVoucher { serial }),
        1 => claim().prop_map(|claim| C::TakeClaim { claim }),
        2 => claim().prop_map(|claim| C::TakeBackClaim { claim }),
        1 => claim().prop_map(|claim| C::ReadClaim { claim }),
        3 => collected,
        3 => Just(C::Tick),
    ]
}

fn other() -> impl Strategy<Value = HouseCommand> {
    use HouseCommand as C;
    let person = || anyone().prop_map(PersonId);
    let device = || (11..15_u32).prop_map(DeviceId);
    let kind = prop_oneof![
        Just(DeviceKind::Screen),
        cluster().prop_map(|cluster| DeviceKind::Terminal { cluster, seat: SEAT }),
    ];
    let redeemer = prop_oneof![
        person().prop_map(Redeemer::Person),
        cluster().prop_map(|cluster| Redeemer::Seat { cluster, seat: SEAT }),
    ];
    let roles = || select(&Role::ALL[..]).prop_map(|role| Roles::of(&[role]));
    let acts = select(&[Act::VoidVoucher, Act::LargeHandPay, Act::LargeSale, Act::Cage][..]);
    let added = (person(), text(), roles(), two());
    let added = added.prop_map(|(person, name, roles, second)| C::AddPerson { person, name, roles, second });
    let changed = (person(), roles(), two());
    let changed = changed.prop_map(|(person, roles, second)| C::SetRoles { person, roles, second });
    let enrolled = (device(), kind, two()).prop_map(|(device, kind, second)| C::Enrol { device, kind, second });
    let tables = (1..5_u16, any::<bool>(), two());
    let tables = tables.prop_map(|(number, training, second)| table(number, 1, training, second));
    let configured = (text(), text(), text(), two());
    let configured = configured.prop_map(|(key, value, why, second)| C::Configure { key, value, why, second });
    let approvals = prop_oneof![
        (acts, text()).prop_map(|(act, what)| request(act, &what)),
        (0..3_u64, any::<bool>()).prop_map(|(approval, approve)| answer(approval, approve)),
        (0..2_u64).prop_map(|command| use_approval(1, command)),
    ];
    let other = prop_oneof![
        added,
        changed,
        (person(), two()).prop_map(|(person, second)| C::Suspend { person, second }),
        (person(), two()).prop_map(|(person, second)| C::Reinstate { person, second }),
        person().prop_map(|person| C::LoginFailed { person }),
        person().prop_map(|person| C::LoginSucceeded { person }),
        (person(), two()).prop_map(|(person, second)| C::Unlock { person, second }),
        enrolled,
        (device(), two()).prop_map(|(device, second)| C::GiveCode { device, second }),
        device().prop_map(|device| C::Revoke { device }),
        device().prop_map(|device| C::CopiedToken { device }),
        (1..3_u8).prop_map(|byte| C::UseKeys { keys: keys(byte) }),
        (device(), 0..4_u32)
            .prop_map(|(device, version)| C::ChangeSecret { owner: SecretOwner::Device(device), version }),
        (person(), 0..4_u32)
            .prop_map(|(person, version)| C::ChangeSecret { owner: SecretOwner::Person(person), version }),
        (1..5_u64).prop_map(|approval| C::WithdrawApproval { approval: ApprovalId(approval) }),
        tables,
        configured,
        redeemer.prop_map(|redeemer| C::ClearRedemptionLock { redeemer }),
        Just(C::Report { what: ReportedEvent::StoreProblem }),
        (0..4_u64).prop_map(|event| C::Acknowledge { event }),
        Just(C::Found { people: vec![] }),
    ];
    // An approval is soon over.
    prop_oneof![1 => approvals, 1 => other]
}

/// Mostly someone who may ask it.
fn fitting(command: &HouseCommand) -> Actor {
    use HouseCommand as C;
    match command {
        C::SellVoucher { .. } | C::RedeemAtCage { .. } | C::VoidVoucher { .. } | C::PayClaim { .. } => by(CASHIER),
        C::ConfirmVoucher { .. } | C::TakeBackClaim { .. } | C::ReadClaim { .. } => terminal(TERMINAL, SEAT),
        C::ReissueVoucher { second, .. } if second.is_none() => terminal(TERMINAL, SEAT),
        C::RuleExpired { .. } | C::RuleReceivable { .. } => by(SHIFT_MANAGER),
        C::ClearRedemptionLock { .. } | C::ReissueVoucher { .. } | C::TakeClaim { .. } => by(ATTENDANT),
        C::AddPerson { .. }
        | C::SetRoles { .. }
        | C::Suspend { .. }
        | C::Reinstate { .. }
        | C::Unlock { .. }
        | C::Enrol { .. }
        | C::GiveCode { .. }
        | C::Revoke { .. }
        | C::AddTable { .. }
        | C::Configure { .. } => by(ADMINISTRATOR),
        C::RequestApproval { .. } | C::WithdrawApproval { .. } => by(DOUBLE),
        C::AnswerApproval { .. } | C::Acknowledge { .. } => by(SUPERVISOR),
        C::Found { .. }
        | C::LoginFailed { .. }
        | C::LoginSucceeded { .. }
        | C::CopiedToken { .. }
        | C::UseKeys { .. }
        | C::ChangeSecret { .. }
        | C::RedeemAtSeat { .. }
        | C::Receive { .. }
        | C::Delivered { .. }
        | C::Report { .. }
        | C::Tick
        | C::UseApproval { .. } => Actor::System,
    }
}

fn step() -> impl Strategy<Value = Step> {
    let command = prop_oneof![3 => money(), 2 => other()];
    let stray = prop_oneof![
        anyone().prop_map(by),
        Just(terminal(TERMINAL, SEAT)),
        Just(Actor::Tumbler(TUMBLER)),
        Just(Actor::ChipReader(TUMBLER)),
        Just(Actor::System),
    ];
    let wait = select(&[0, 0, 0, 0, 0, 0, 1, 1, 1_000, 60_000, 11 * 60_000, DAY, 12 * DAY][..]);
    (command, stray, 0..8_u8, wait, any::<bool>()).prop_map(|(command, stray, which, wait, twice)| {
        let actor = if which == 0 { stray } else { fitting(&command) };
        (actor, command, wait, twice)
    })
}

fn nth<T>(mut open: impl Iterator<Item = T>, place: u64) -> Option<T> {
    open.nth(place.try_into().expect("a small place"))
}

/// Counts from what the House has.
fn place(house: &House, command: HouseCommand) -> HouseCommand {
    use HouseCommand as C;
    match command {
        C::Receive { cluster, mut transfer } => {
            transfer.number += house.received(cluster);
            C::Receive { cluster, transfer }
        }
        C::Delivered { cluster, number } => {
            let waiting = u64::try_from(house.outbox(cluster).count()).expect("a count");
            C::Delivered { cluster, number: house.sent(cluster) - waiting + number }
        }
        C::PayClaim { claim, second } => {
            let open = nth(house.claims(), claim.0);
            C::PayClaim { claim: open.map_or(claim, |(id, _)| id), second }
        }
        C::TakeClaim { claim } => C::TakeClaim { claim: nth(house.claims(), claim.0).map_or(claim, |(id, _)| id) },
        C::TakeBackClaim { claim } => {
            let own = house.claims().filter(|(_, claim)| claim.is_players_cash_out());
            C::TakeBackClaim { claim: nth(own, claim.0).map_or(claim, |(id, _)| id) }
        }
        C::ReadClaim { claim } => C::ReadClaim { claim: nth(house.paid_claims(), claim.0).map_or(claim, |(id, _)| id) },
        C::ConfirmVoucher { serial } => {
            let offered = house.unconfirmed_at(CLUSTER, SEAT).filter(|_| serial.0 % 2 == 0);
            C::ConfirmVoucher { serial: offered.map_or(serial, |voucher| voucher.serial) }
        }
        C::ReissueVoucher { serial, number, ended, second } => {
            let good = house.vouchers().map(|(_, voucher)| voucher).filter(|one| one.state == VoucherState::Good);
            let serial = nth(good, serial.0 - 1).map_or(serial, |voucher| voucher.serial);
            C::ReissueVoucher { serial, number, ended, second }
        }
        C::AnswerApproval { approval, approve } => {
            let open = nth(house.approvals(), approval.0);
            C::AnswerApproval { approval: open.map_or(approval, |(id, _)| id), approve }
        }
        C::UseApproval { approval, command } => {
            let approved = house.approvals().find(|(_, found)| matches!(found.answer, ApprovalAnswer::Approved(_)));
            C::UseApproval { approval: approved.map_or(approval, |(id, _)| id), command }
        }
        C::RuleReceivable { receivable, ruling, why } => {
            let open = nth(house.receivables(), receivable.0);
            C::RuleReceivable { receivable: open.map_or(receivable, |(id, _)| id), ruling, why }
        }
        C::Acknowledge { event } => {
            let newest = nth(house.significant().rev(), event);
            C::Acknowledge { event: newest.map_or(event, |newest| newest.number) }
        }
        C::Reinstate { person, second } => {
            let suspended = house.people().find(|(_, employee)| employee.is_suspended);
            C::Reinstate { person: suspended.map_or(person, |(id, _)| id), second }
        }
        other => other,
    }
}

fn snapshot(house: &House) -> House {
    House::restore(&house.snapshot()).expect("the bytes of a House")
}

fn run(steps: Vec<Step>, cut: usize) -> Result<Floor, TestCaseError> {
    let mut floor = Floor::new();
    let mut model = Model::default();
    let mut restored: Option<House> = None;
    for (turn, (actor, command, wait, twice)) in steps.into_iter().enumerate() {
        floor.pass(wait);
        let command = place(&floor.house, command);
        let request = floor.request(actor, command);
        let decision = floor.send(&request);
        let entry = floor.entries.last().expect("it was recorded");
        model.follow(entry);
        let balances: BTreeMap<_, _> = floor.house.ledger().collect();
        prop_assert_eq!(balances, model.balances());
        if let Some(restored) = &mut restored {
            restored.apply(entry);
        }
        let verdict = match decision {
            Decision::Accepted(_) => Verdict::Accepted,
            Decision::Refused(refusal) => Verdict::Refused(refusal),
            Decision::Repeated(_) => unreachable!("the id is new"),
        };
        if twice {
            // Whoever is not on file is not remembered, and refused anew.
            let again = floor.house.decide(&request);
            let anew =
                verdict == Verdict::Refused(Refusal::NotAllowed) && again == Decision::Refused(Refusal::NotAllowed);
            prop_assert!(anew || again == Decision::Repeated(verdict), "{:?}", again);
        }
        if turn == cut {
            restored = Some(snapshot(&floor.house));
        }
    }
    prop_assert!(restored.is_none_or(|restored| restored == floor.house));
    Ok(floor)
}

/// The entries applied from the start give the House; decided again, they give the same outcomes.
fn replays(floor: &Floor) -> Result<(), TestCaseError> {
    let mut house = House::new(Profile::singapore(), false);
    for Entry { request, outcome } in &floor.entries {
        let again = match house.decide(request) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(_) => unreachable!("repeats are not recorded"),
        };
        prop_assert_eq!(&again, outcome);
        house.apply(&Entry { request: request.clone(), outcome: outcome.clone() });
    }
    prop_assert_eq!(&house, &floor.house);
    prop_assert_eq!(&snapshot(&house), &floor.house);
    prop_assert_eq!(house.state_hash(), floor.house.state_hash());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sequences_keep_the_ledger_balanced(steps in proptest::collection::vec(step(), 1..120), cut in 0..120_usize) {
        replays(&run(steps, cut)?)?;
    }
}

/// The sequences above are worth something: together they carry out every command and meet most refusals.
#[test]
fn sequences_reach_far() {
    let mut runner = TestRunner::deterministic();
    let (mut done, mut met) = (Vec::new(), BTreeSet::new());
    for _ in 0..40 {
        let steps = proptest::collection::vec(step(), 200).new_tree(&mut runner).unwrap().current();
        for Entry { request, outcome } in run(steps, 100).unwrap().entries {
            match outcome {
                Ok(_) => done.push(request.command),
                Err(refusal) => met.extend([refusal.code()]),
            }
        }
    }
    assert_eq!(missing(&done), Vec::<usize>::new());
    assert!(met.len() >= 24, "{} {met:?}", met.len());
}
