//! Profiles: the embedded one is well, rights are as it says, and a bad file's faults are all named.

use taisai_table::{Act, Actor, BetsCloser, ExcessPolicy, Person, PersonId, Profile, Refusal, Role, Roles};

const FILE: &str = include_str!("../../../../profiles/singapore.toml");

fn person(id: u32, roles: &[Role]) -> Person {
    Person { id: PersonId(id), roles: Roles::of(roles) }
}

#[test]
fn the_default_profile_is_what_its_file_says() {
    let profile = Profile::singapore();
    assert_eq!((profile.name.as_str(), profile.betting_seconds), ("singapore", 36));
    assert_eq!((profile.closes, profile.excess), (BetsCloser::Dealer, ExcessPolicy::Show));
    assert_eq!((profile.gaming_day, profile.voucher_days, profile.attempts), (360, 30, 5));
    let shifts: Vec<_> = profile.shifts.iter().map(|shift| (shift.name.as_str(), shift.begins)).collect();
    assert_eq!(shifts, [("day", 360), ("swing", 840), ("night", 1_320)]);
    assert!(profile.notes.is_empty(), "F86: no note acceptors unless a casino has them");
}

/// F50: the Administrator touches neither money nor results, the Auditor reads only.
#[test]
fn administrators_and_auditors_touch_neither_money_nor_results() {
    let profile = Profile::singapore();
    for act in Act::ALL {
        let right = profile.right(act);
        let of_people = matches!(act, Act::ManagePeople | Act::ManageDevices | Act::Configure);
        assert_eq!(right.first.any(&[Role::Administrator]), of_people, "{act:?}");
        let all = [Some(right.first), right.second];
        assert!(!all.into_iter().flatten().any(|roles| roles.any(&[Role::Auditor])), "{act:?}");
    }
}

#[test]
fn a_role_is_itself_and_no_other() {
    for role in Role::ALL {
        for other in Role::ALL {
            assert_eq!(Roles::of(&[role]).any(&[other]), role == other, "{role:?} {other:?}");
        }
        assert_eq!(Roles::of(&[role, role]), Roles::of(&[role]), "{role:?} twice");
    }
    assert_eq!(Roles::of(&Role::ALL).iter().collect::<Vec<_>>(), Role::ALL);
}

#[test]
fn two_person_acts_need_two_identities() {
    let profile = Profile::singapore();
    let supervisor = person(7, &[Role::PitSupervisor]);
    let both = person(7, &[Role::PitSupervisor, Role::PitManager]);
    let manager = person(2, &[Role::PitManager]);
    let dealer = person(3, &[Role::Dealer]);
    for (act, first, second, expected) in [
        (Act::Correct, supervisor, Some(manager), Ok(supervisor)),
        (Act::Correct, supervisor, None, Err(Refusal::SecondPersonMissing)),
        (Act::Correct, both, Some(both), Err(Refusal::SecondPersonNotAllowed)),
        (Act::Correct, supervisor, Some(dealer), Err(Refusal::SecondPersonNotAllowed)),
        (Act::Correct, dealer, Some(manager), Err(Refusal::NotAllowed)),
        (Act::Deal, dealer, None, Ok(dealer)),
        (Act::Deal, supervisor, None, Err(Refusal::NotAllowed)),
    ] {
        assert_eq!(profile.check(act, Actor::Person(first), second), expected, "{act:?} {first:?} {second:?}");
    }
    assert_eq!(profile.check(Act::Deal, Actor::System, None), Err(Refusal::NotAllowed));
}

#[test]
fn every_fault_of_a_profile_is_named_with_its_place() {
    let edits = [
        ("seconds = 36", "seconds = 2", "13:11: bad-value"),
        ("closes = \"dealer\"", "closes = \"clock\"", "14:10: bad-value"),
        ("gaming_day = \"06:00\"", "gaming_day = \"6:00\"", "5:14: bad-value"),
        ("begins = \"14:00\"", "begins = \"05:00\"", "8:5: bad-value"),
        ("voucher_days = 30", "voucher_days = \"30\"", "20:16: wrong-type"),
        ("notes = []", "notes = [1_000, 500]", "25:17: bad-value"),
        ("attempts = 5", "tries = 5", "28:1: unknown-key"),
        ("reality_check = 60", "reality_check = 0", "31:17: bad-value"),
        ("silent = 5", "silent = \"5\"", "34:10: wrong-type"),
        ("deal             = { by = [\"dealer\"] }", "deal             = { by = [\"deeler\"] }", "48:28: bad-value"),
        ("cage             = { by = [\"cashier\"] }\n", "", "45:1: missing-key"),
    ];
    let mut all = FILE.to_owned();
    for (from, to, expected) in &edits {
        assert!(all.contains(from), "{from}");
        all = all.replacen(from, to, 1);
        let alone = Profile::from_toml(&FILE.replacen(from, to, 1)).expect_err("a fault alone is one");
        assert!(alone.iter().any(|fault| fault.to_string().starts_with(expected)), "{to}: {alone:#?}");
    }
    let faults: Vec<_> = Profile::from_toml(&all).unwrap_err().iter().map(ToString::to_string).collect();
    for (_, to, expected) in edits {
        assert!(faults.iter().any(|fault| fault.starts_with(expected)), "{to}: {expected} in {faults:#?}");
    }
    assert_eq!(faults.len(), 12, "and the missing \"attempts\": {faults:#?}");
}

/// F50, and section 4 of the rules: what no profile can say. Auditors read only, administrators touch neither money nor results,
/// corrections and voids of settled rounds take two people, and only a Shift Manager or above rules.
#[test]
fn a_profile_does_not_give_away_what_the_rules_keep() {
    let with = ", with = [\"pit-manager\", \"shift-manager\", \"casino-manager\"] }";
    let all = "by = [\"pit-supervisor\", \"pit-manager\", \"shift-manager\", \"casino-manager\"]";
    for (from, to) in [
        (format!("correct          = {{ {all}{with}"), "correct = { by = [\"pit-supervisor\"] }"),
        (format!("void-damaged     = {{ {all}{with}"), "void-damaged = { by = [\"dealer\"] }"),
        ("rule             = { by = [\"shift-manager\", \"casino-manager\"]".to_owned(), "rule = { by = [\"dealer\"]"),
        ("cage             = { by = [\"cashier\"] }".to_owned(), "cage = { by = [\"auditor\"] }"),
        (
            "hand-pay         = { by = [\"attendant\", \"cashier\"] }".to_owned(),
            "hand-pay = { by = [\"administrator\"] }",
        ),
    ] {
        assert!(FILE.contains(&from), "{from}");
        assert!(Profile::from_toml(&FILE.replacen(&from, to, 1)).is_err(), "accepted: {to}");
    }
}

/// The profile has the time zone: one that there is.
#[test]
fn a_profile_names_a_time_zone() {
    for zone in ["", "Mars/Olympus"] {
        let text = FILE.replacen("Asia/Singapore", zone, 1);
        assert!(Profile::from_toml(&text).is_err(), "accepted: {zone:?}");
    }
}

#[test]
fn a_time_of_day_is_from_midnight_to_midnight() {
    let gaming_day = |time: &str| {
        let file = FILE.replacen("gaming_day = \"06:00\"", &format!("gaming_day = \"{time}\""), 1);
        Profile::from_toml(&file).ok().map(|profile| profile.gaming_day)
    };
    for (time, minutes) in [("00:00", Some(0)), ("06:05", Some(365)), ("23:59", Some(1_439))] {
        assert_eq!(gaming_day(time), minutes, "{time}");
    }
    for time in ["24:00", "06:60", "6:00", "06:0", "+6:00", "06", "0600", ""] {
        assert_eq!(gaming_day(time), None, "{time}");
    }
}
