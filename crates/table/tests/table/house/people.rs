//! People, devices and approvals: two identities for two-person acts, locks, and what is significant (F32, F50, F51).

use taisai_table::{
    Acknowledgement, Act, Actor, ApprovalAnswer, ApprovalId, BadBytes, CommandId, CommandRequest, Decision, DeviceKind,
    House, HouseCommand, HouseEvent, MAX_OPEN_APPROVALS, MAX_SIGNIFICANT_EVENTS, PersonId, Profile, Refusal,
    ReportedEvent, Role, Roles, SecretOwner, SignificantEventKind, Time,
};

use super::floor::*;

#[test]
fn the_file_has_everyone_and_every_device() {
    let floor = Floor::new();
    let people: Vec<_> = floor.house.people().map(|(id, employee)| (id.0, employee.roles)).collect();
    assert_eq!(people, PEOPLE.map(|(id, roles)| (id, Roles::of(roles))));
    let devices: Vec<_> = floor.house.devices().map(|(id, device)| (id, device.kind)).collect();
    let seated = DeviceKind::Terminal { cluster: CLUSTER, seat: SEAT };
    assert_eq!(devices, [(TERMINAL, seated), (TUMBLER, DeviceKind::Tumbler)]);
}

/// One person with the roles of both cannot do what takes two, nor approve the own request.
#[test]
fn two_person_acts_need_two_identities() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 500));
    floor.refuse(by(DOUBLE), void(1, "torn", second(DOUBLE)), Refusal::SecondPersonNotAllowed);
    floor.accept(by(DOUBLE), request(Act::VoidVoucher, "voucher 0001"));
    floor.refuse(by(DOUBLE), answer(1, true), Refusal::SecondPersonNotAllowed);
    floor.accept(by(SUPERVISOR), answer(1, true));
    floor.accept(by(DOUBLE), void(1, "torn", second(SUPERVISOR)));
}

#[test]
fn approvals_wait_are_answered_and_are_over() {
    let mut floor = Floor::new();
    let answers = |floor: &Floor| floor.house.approvals().map(|(id, found)| (id.0, found.answer)).collect::<Vec<_>>();
    for (number, by_whom) in [(1, CASHIER), (2, ATTENDANT), (3, CASHIER)] {
        let requested = HouseEvent::ApprovalRequested { approval: ApprovalId(number) };
        assert_eq!(floor.accept(by(by_whom), request(Act::LargeHandPay, "claim 7")), requested);
    }
    floor.accept(by(SUPERVISOR), answer(1, true));
    floor.accept(by(SHIFT_MANAGER), answer(2, false));
    let (yes, no) = (ApprovalAnswer::Approved(PersonId(SUPERVISOR)), ApprovalAnswer::Refused(PersonId(SHIFT_MANAGER)));
    assert_eq!(answers(&floor), [(1, yes), (2, no), (3, ApprovalAnswer::Waiting)]);
    floor.accept(by(CASHIER), HouseCommand::WithdrawApproval { approval: ApprovalId(1) });
    floor.accept(Actor::System, HouseCommand::WithdrawApproval { approval: ApprovalId(2) });
    floor.pass(10 * 60 * 1_000);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!(answers(&floor), [(3, ApprovalAnswer::Waiting)]);
    floor.pass(1);
    floor.refuse(by(SUPERVISOR), answer(3, true), Refusal::UnknownApproval);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!(answers(&floor), []);
    // A clock stepped back ends none.
    floor.accept(by(CASHIER), request(Act::LargeHandPay, "claim 8"));
    floor.time = Time(floor.time.0 - DAY);
    floor.accept(Actor::System, HouseCommand::Tick);
    floor.accept(by(SUPERVISOR), answer(4, true));
}

/// One approval serves one command, which may be sent again until the approval is over.
#[test]
fn an_approval_is_used_by_one_command() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), request(Act::LargeHandPay, "claim 7"));
    floor.accept(by(SUPERVISOR), answer(1, true));
    let used = |floor: &Floor| floor.house.approvals().map(|(_, approval)| approval.used).collect::<Vec<_>>();
    assert_eq!(used(&floor), [None]);
    for _ in 0..2 {
        floor.accept(Actor::System, use_approval(1, 5));
        floor.refuse(Actor::System, use_approval(1, 6), Refusal::UnknownApproval);
        assert_eq!(used(&floor), [Some(CommandId { source: 9, sequence: 5 })]);
    }
    // Those that are used do not keep anyone from asking for more.
    for _ in 0..MAX_OPEN_APPROVALS {
        floor.accept(by(CASHIER), request(Act::LargeHandPay, "claim 8"));
    }
    floor.refuse(by(CASHIER), request(Act::LargeHandPay, "claim 9"), Refusal::TooManyApprovals);
    floor.pass(10 * 60 * 1_000);
    floor.accept(Actor::System, use_approval(1, 5));
    floor.pass(1);
    floor.refuse(Actor::System, use_approval(1, 5), Refusal::UnknownApproval);
    floor.accept(Actor::System, HouseCommand::Tick);
    assert_eq!(used(&floor), []);
}

/// F51.
#[test]
fn failed_logins_lock_a_person_out() {
    let mut floor = Floor::new();
    let person = PersonId(DEALER);
    let failed = HouseCommand::LoginFailed { person };
    for _ in 0..4 {
        assert_eq!(floor.accept(Actor::System, failed.clone()), HouseEvent::LoginCounted { locked: false });
    }
    floor.accept(Actor::System, HouseCommand::LoginSucceeded { person });
    for locked in [false, false, false, false, true] {
        assert_eq!(floor.accept(Actor::System, failed.clone()), HouseEvent::LoginCounted { locked });
    }
    assert_eq!(
        floor.happened()[..2],
        [SignificantEventKind::LoginLocked(person), SignificantEventKind::LoginFailed(person)]
    );
    floor.refuse(Actor::System, failed, Refusal::LockedOut);
    floor.refuse(Actor::System, HouseCommand::LoginSucceeded { person }, Refusal::LockedOut);
    floor.refuse(Actor::System, HouseCommand::Unlock { person, second: None }, Refusal::NotAllowed);
    floor.accept(by(ADMINISTRATOR), HouseCommand::Unlock { person, second: second(SUPERVISOR) });
    assert_eq!(floor.happened()[0], SignificantEventKind::LoginUnlocked(person));
    floor.accept(Actor::System, HouseCommand::LoginSucceeded { person });
}

/// Guessing at the last administrator's password must not lock the casino for ever.
#[test]
fn the_console_unlocks_only_when_nobody_else_can() {
    let mut floor = Floor::empty(false);
    floor.accept(Actor::System, HouseCommand::Found { people: founders()[..2].to_vec() });
    let unlock = |person| HouseCommand::Unlock { person: PersonId(person), second: None };
    floor.refuse(Actor::System, unlock(ADMINISTRATOR), Refusal::NotAllowed);
    for _ in 0..5 {
        floor.accept(Actor::System, HouseCommand::LoginFailed { person: PersonId(ADMINISTRATOR) });
    }
    floor.refuse(Actor::System, unlock(STRANGER), Refusal::UnknownPerson);
    floor.accept(Actor::System, unlock(ADMINISTRATOR));
    floor.refuse(Actor::System, unlock(ADMINISTRATOR), Refusal::NotAllowed);
}

/// Roles count as they are on file at that moment, not as the one who asks remembers them.
#[test]
fn rights_follow_the_file() {
    let mut floor = Floor::new();
    let (person, two) = (PersonId(CASHIER), second(SUPERVISOR));
    floor.accept(by(CASHIER), sell(1, 100));
    floor.accept(by(ADMINISTRATOR), HouseCommand::Suspend { person, second: two });
    assert_eq!(floor.house.as_actor(person), None);
    floor.refuse(by(CASHIER), sell(2, 100), Refusal::NotAllowed);
    floor.refuse(by(ADMINISTRATOR), HouseCommand::Suspend { person, second: two }, Refusal::UnknownPerson);
    floor.accept(by(ADMINISTRATOR), HouseCommand::Reinstate { person, second: two });
    assert_eq!(floor.house.as_actor(person), second(CASHIER));
    floor.accept(by(CASHIER), sell(2, 100));
    let roles = Roles::of(&[Role::Dealer]);
    floor.accept(by(ADMINISTRATOR), HouseCommand::SetRoles { person, roles, second: two });
    floor.refuse(by(CASHIER), sell(3, 100), Refusal::NotAllowed);
    // Of the roles on file only those claimed count.
    let half = Actor::Person(claimed(DOUBLE, &[Role::Attendant]));
    floor.refuse(half, sell(3, 100), Refusal::NotAllowed);
    floor.accept(by(DOUBLE), sell(3, 100));
}

/// F50: the roles of the profile keep the Administrator from money.
#[test]
fn an_administrator_touches_no_money() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 100));
    floor.accept(Actor::System, receive(CLUSTER, 1, 100, CLAIM));
    floor.accept(Actor::System, receive(CLUSTER, 2, 100, RECEIVABLE));
    let why = || "because".to_owned();
    for command in [
        sell(2, 100),
        at_cage(1),
        at_seat(1, CLUSTER, SEAT),
        void(1, "torn", second(SUPERVISOR)),
        rule_expired(1, "because"),
        HouseCommand::PayClaim { claim: taisai_table::ClaimId(1), second: second(SUPERVISOR) },
        HouseCommand::RuleReceivable {
            receivable: taisai_table::ReceivableId(1),
            ruling: taisai_table::ReceivableRuling::WrittenOff,
            why: why(),
        },
    ] {
        floor.refuse(by(ADMINISTRATOR), command, Refusal::NotAllowed);
    }
}

#[test]
fn replaced_keys_are_an_event_and_old_secrets_stay_old() {
    let mut floor = Floor::new();
    let (before, snapshot) = (floor.happened(), floor.house.snapshot());
    assert_eq!(floor.house.keys(), None);
    floor.accept(Actor::System, HouseCommand::UseKeys { keys: keys(1) });
    floor.accept(Actor::System, HouseCommand::UseKeys { keys: keys(1) });
    assert_eq!(floor.happened(), before, "the first keys replace none");
    floor.accept(Actor::System, HouseCommand::UseKeys { keys: keys(2) });
    assert_eq!(floor.happened()[0], SignificantEventKind::KeysReplaced);
    assert_eq!(floor.house.keys(), Some(keys(2)));
    let owner = SecretOwner::Person(PersonId(DEALER));
    assert_eq!(floor.house.secret_version(owner), 0);
    for version in [2, 5, 3] {
        floor.accept(Actor::System, HouseCommand::ChangeSecret { owner, version });
    }
    assert_eq!(floor.house.secret_version(owner), 5, "two nodes may change it at once");
    assert_eq!(floor.house.secret_version(SecretOwner::Device(TERMINAL)), 0);
    let house = House::restore(&floor.house.snapshot()).unwrap();
    assert_eq!((house.state_hash(), &house), (floor.house.state_hash(), &floor.house));
    assert_ne!(house.state_hash(), House::restore(&snapshot).unwrap().state_hash());
}

#[test]
fn a_stolen_terminal_is_revoked_by_one_person_and_replaced() {
    let mut floor = Floor::new();
    floor.accept(by(CASHIER), sell(1, 100));
    floor.accept(Actor::System, HouseCommand::CopiedToken { device: TERMINAL });
    assert_eq!(floor.happened()[0], SignificantEventKind::TokenCopied(TERMINAL));
    floor.accept(by(SUPERVISOR), HouseCommand::Revoke { device: TERMINAL });
    assert_eq!(floor.happened()[0], SignificantEventKind::DeviceRevoked(TERMINAL));
    let is_revoked = |device| floor.house.device(device).map(|device| device.is_revoked);
    assert_eq!([TERMINAL, TUMBLER].map(is_revoked), [Some(true), Some(false)]);
    floor.refuse(terminal(TERMINAL, SEAT), at_seat(1, CLUSTER, SEAT), Refusal::NotAllowed);
    floor.refuse(by(SUPERVISOR), HouseCommand::Revoke { device: TERMINAL }, Refusal::UnknownDevice);
    let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: SEAT };
    let enrol = |device| HouseCommand::Enrol { device, kind, second: second(SUPERVISOR) };
    floor.refuse(by(ADMINISTRATOR), enrol(TERMINAL), Refusal::DeviceExists);
    let other = taisai_table::DeviceId(50);
    floor.accept(by(ADMINISTRATOR), enrol(other));
    assert_eq!(floor.house.terminal_at(CLUSTER, SEAT), Some(other));
    floor.accept(terminal(other, SEAT), at_seat(1, CLUSTER, SEAT));
}

/// F32: the newest are kept, numbered without a gap.
#[test]
fn significant_events_are_kept_up_to_a_number() {
    let mut floor = Floor::new();
    let most = i64::try_from(MAX_SIGNIFICANT_EVENTS).unwrap();
    for millis in 0..=most {
        floor.accept(Actor::System, HouseCommand::Report { what: ReportedEvent::ClockStepped { millis } });
    }
    let kept: Vec<_> = floor.house.significant().collect();
    assert_eq!(kept.len(), MAX_SIGNIFICANT_EVENTS);
    assert_eq!(kept[0].what, SignificantEventKind::Reported(ReportedEvent::ClockStepped { millis: 1 }));
    assert!(kept.windows(2).all(|pair| pair[0].number + 1 == pair[1].number));
    assert_eq!(kept[0].number, 2);
}

/// An event is acknowledged once, by someone who runs tables.
#[test]
fn significant_events_are_acknowledged() {
    let mut floor = Floor::new();
    for _ in 0..2 {
        floor.accept(Actor::System, HouseCommand::Report { what: ReportedEvent::StoreProblem });
    }
    let acknowledge = |event| HouseCommand::Acknowledge { event };
    for person in [CASHIER, DEALER, ATTENDANT, ADMINISTRATOR] {
        floor.refuse(by(person), acknowledge(1), Refusal::NotAllowed);
    }
    floor.refuse(Actor::System, acknowledge(1), Refusal::NotAllowed);
    for unknown in [0, 3, u64::MAX] {
        floor.refuse(by(SUPERVISOR), acknowledge(unknown), Refusal::UnknownEvent);
    }
    floor.pass(70);
    floor.accept(by(SUPERVISOR), acknowledge(1));
    let seen = Acknowledgement { by: PersonId(SUPERVISOR), time: floor.entries.last().unwrap().request.time };
    floor.refuse(by(SHIFT_MANAGER), acknowledge(1), Refusal::UnknownEvent);
    assert_eq!((floor.house.acknowledged(1), floor.house.acknowledged(2)), (Some(&seen), None));
    floor.accept(by(SHIFT_MANAGER), acknowledge(2));
}

/// What is not kept any more is not acknowledged, and who has seen to it is not kept either.
#[test]
fn an_acknowledgement_goes_with_its_event() {
    let mut floor = Floor::new();
    let report = HouseCommand::Report { what: ReportedEvent::StoreProblem };
    floor.accept(Actor::System, report.clone());
    floor.accept(by(SUPERVISOR), HouseCommand::Acknowledge { event: 1 });
    for _ in 1..MAX_SIGNIFICANT_EVENTS {
        floor.accept(Actor::System, report.clone());
    }
    assert!(floor.house.acknowledged(1).is_some());
    floor.accept(Actor::System, report.clone());
    assert_eq!(floor.house.acknowledged(1), None);
    floor.accept(Actor::System, report);
    for gone in [1, 2] {
        floor.refuse(by(SUPERVISOR), HouseCommand::Acknowledge { event: gone }, Refusal::UnknownEvent);
    }
    floor.accept(by(SUPERVISOR), HouseCommand::Acknowledge { event: 3 });
}

/// A state has bytes and a hash of its acknowledgements where it has any, and those of old where it has none.
#[test]
fn acknowledgements_stand_behind_the_state() {
    let mut floor = Floor::new();
    for _ in 0..2 {
        floor.accept(Actor::System, HouseCommand::Report { what: ReportedEvent::StoreProblem });
    }
    let mut as_of_old = vec![taisai_table::FORMAT_VERSION];
    as_of_old.extend(postcard::to_allocvec(&floor.house).unwrap());
    assert_eq!(floor.house.snapshot(), as_of_old);
    assert_eq!(floor.house.state_hash(), *blake3::hash(&as_of_old).as_bytes());

    let acknowledging = |event| {
        let mut floor = floor.clone();
        floor.accept(by(SUPERVISOR), HouseCommand::Acknowledge { event });
        floor.house
    };
    let (first, other) = (acknowledging(1), acknowledging(2));
    assert_ne!(first.state_hash(), other.state_hash());
    let bytes = first.snapshot();
    assert_eq!(House::restore(&bytes).as_ref(), Ok(&first));
    assert_eq!(House::restore(&bytes[..bytes.len() - 1]), Err(BadBytes::Damaged));
    assert_eq!(House::restore(&[&bytes[..], &[0]].concat()), Err(BadBytes::Damaged));
}

/// F53: with who and why.
#[test]
fn configuration_is_recorded() {
    let mut floor = Floor::new();
    for value in ["one", "two"] {
        let (key, value, why) = ("table.1.name".to_owned(), value.to_owned(), "renamed".to_owned());
        floor.accept(by(ADMINISTRATOR), HouseCommand::Configure { key, value, why, second: second(SUPERVISOR) });
    }
    assert_eq!(floor.house.configuration().collect::<Vec<_>>(), [("table.1.name", "two")]);
    assert_eq!(floor.happened()[0], SignificantEventKind::Configured);
}

/// Every text is bounded, each by itself.
#[test]
fn texts_are_neither_empty_nor_endless() {
    let mut floor = Floor::new();
    for (key, value, why) in [(101, 1, 1), (1, 10_001, 1), (1, 1, 1_001), (0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        let configure = |key: usize, value: usize, why: usize| HouseCommand::Configure {
            key: "大".repeat(key),
            value: "小".repeat(value),
            why: "x".repeat(why),
            second: second(SUPERVISOR),
        };
        floor.refuse(by(ADMINISTRATOR), configure(key, value, why), Refusal::BadText);
        floor.accept(by(ADMINISTRATOR), configure(key.clamp(1, 100), value.clamp(1, 10_000), why.clamp(1, 1_000)));
    }
}

/// Every source of the casino keeps its own numbers.
#[test]
fn sources_do_not_disturb_each_other() {
    let mut floor = Floor::new();
    for (byte, source) in [(1, 10), (2, 11)] {
        let id = CommandId { source, sequence: 1 };
        let request = CommandRequest { time: floor.time, actor: by(CASHIER), id, command: sell(byte, 100) };
        assert!(matches!(floor.send(&request), Decision::Accepted(_)));
        assert!(matches!(floor.send(&request), Decision::Repeated(_)));
    }
}

/// A House remembers 1,024 sources, and two more for each of the nine people and two devices on file; then the one that was
/// silent longest is too old to be answered.
#[test]
fn sources_longest_silent_are_forgotten() {
    let mut floor = Floor::new();
    let request = |floor: &Floor, source| {
        let id = CommandId { source, sequence: 1 };
        CommandRequest { time: floor.time, actor: by(DEALER), id, command: HouseCommand::Tick }
    };
    // One source has set the floor up.
    let most = 1_024 + 2 * (9 + 2);
    for source in 2..=most {
        floor.send(&request(&floor, source));
    }
    let (first, next) = (request(&floor, 2), request(&floor, most + 1));
    assert!(matches!(floor.send(&first), Decision::Repeated(_)), "all are remembered");
    floor.send(&next);
    assert!(matches!(floor.send(&first), Decision::Repeated(_)), "the one that set up was silent longest");
    floor.send(&request(&floor, most + 2));
    assert_eq!(floor.send(&first), Decision::Refused(Refusal::CommandTooOld));
    assert!(matches!(floor.send(&next), Decision::Repeated(_)));
}

/// Where the profile asks for one person only, one can found a casino and revoke a device, and nobody else can.
#[test]
fn a_profile_may_ask_for_one_person_only() {
    let mut floor = Floor::empty(false);
    let mut profile = Profile::singapore();
    profile.rights.iter_mut().for_each(|right| right.second = None);
    floor.house = House::new(profile, false);
    let enrol = HouseCommand::Enrol { device: TUMBLER, kind: DeviceKind::Tumbler, second: None };
    floor.accept(Actor::System, enrol);
    let people = |id: usize| vec![founders().remove(id - 1)];
    floor.refuse(Actor::System, HouseCommand::Found { people: people(2) }, Refusal::NobodyToManage);
    floor.accept(Actor::System, HouseCommand::Found { people: people(1) });
    let (person, roles) = (PersonId(SUPERVISOR), Roles::of(&[Role::PitSupervisor]));
    let supervisor = HouseCommand::AddPerson { person, name: "Bo".to_owned(), roles, second: None };
    floor.accept(by(ADMINISTRATOR), supervisor);
    floor.refuse(by(SUPERVISOR), HouseCommand::Revoke { device: TUMBLER }, Refusal::NotAllowed);
    floor.accept(by(ADMINISTRATOR), HouseCommand::Revoke { device: TUMBLER });
}
