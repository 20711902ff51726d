//! Attacks by people and through devices.

use serde_json::{Value, json};
use taisai_journal::suite::{wait_for, wait_until};

use crate::dealing::{Dealing, buy_in, events, has_happened};
use crate::house::TestCasino;
use crate::person::{Person, accepted, refused};
use crate::socket::Socket;
use crate::terminal::Terminal;

#[test]
fn copied_terminal_session_is_refused() {
    let house = TestCasino::open();
    let (_dealing, mut terminal) = house.betting(3, 100_000);
    // The copy has the key as well. While the terminal is connected, the copy is refused.
    let device = terminal.device.clone();
    let is_reported = |event: &Value| event["what"]["token-copied"] == device.number;
    let mut overheard = Value::Null;
    wait_until("the copy is reported", || {
        let (mut copy, challenge) = device.knock(house.address());
        overheard = device.proof(&challenge);
        copy.send_json(&overheard);
        let (code, why) = copy.over().expect("it says why");
        assert!(code >= 4000, "{code} {why}");
        events(&house).iter().any(is_reported)
    });
    // A recorded proof is useless for another challenge, and for another device.
    let other = house.enrol(1, 4);
    let (mut copy, fresh) = device.knock(house.address());
    copy.send_json(&overheard);
    copy.over();
    let (mut copy, _) = other.knock(house.address());
    copy.send_json(&json!({"device": device.number, "signature": other.proof(&fresh)["signature"]}));
    copy.over();
    // The terminal is not disturbed.
    accepted(&terminal.place(&[("small", 1_000)]));
    assert_eq!(terminal.view["credits"], 99_000);
    // A person's cookie proves no device, and a missing one neither.
    assert!(Socket::try_open(house.address(), "/api/v1/tables/1/console", &[]).is_err_and(|status| status == 401));
    let forged = format!("__Host-taisai={}", "ab".repeat(32));
    let (status, _) = crate::person::post(house.address(), Some(&forged), "/api/v1/house/commands", &json!({}));
    assert_eq!(status, 401);
}

/// 003 3.7, 5.5.3: faces given before "No more Bets" are in no message, and only those who work at a table see its staff screen.
#[test]
fn dice_under_the_cover_are_not_published() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 2);
    for role in ["cashier", "auditor", "administrator"] {
        let cookie = house.person(role).cookie;
        let opened = Socket::try_open(house.address(), "/api/v1/tables/2/console", &[("cookie", &cookie)]);
        assert!(opened.is_err_and(|status| status == 403), "{role}");
    }
    let console = dealing.dealer.console(2);
    dealing.open_bets();
    dealing.deals("activate");
    dealing.deals(json!({"tumbled": {"times": 3}}));
    refused(&dealing.dealer.round(2, json!({"at-rest": {"faces": [6, 5, 6]}})), "dice-concealed");
    refused(&dealing.dealer.round(2, json!({"commit": {"dice": [6, 5, 6]}})), "bets-not-closed");
    dealing.deals("close-bets");
    console.until("the close", |message| {
        assert!(!message.to_string().contains("[6,5,6]"), "{message}");
        (message["public"]["phase"] == "closed").then_some(())
    });
    dealing.deals(json!({"commit": {"dice": [1, 2, 3]}}));
    // The record shows that faces were given, but not which.
    let sheet = wait_for("the round is settled", || {
        let (status, sheet) = house.person("auditor").get("/api/v1/tables/2/rounds/1");
        (status == 200).then(|| sheet.to_string())
    });
    assert!(sheet.contains("conceal") && !sheet.contains("[6,5,6]"), "{sheet}");
}

/// 5.6, 2.2.1: a dice set found damaged at one table opens no round at another until two people have inspected it.
#[test]
fn damaged_dice_are_refused_at_another_table() {
    let house = TestCasino::open();
    let (first, second) = (Dealing::open(&house, 1), Dealing::open(&house, 2));
    accepted(&first.supervisor.round(1, json!({"use-dice": {"dice_set": 5}})));
    first.open_bets();
    let damaged = json!({"void-damaged": {"from": 1, "to": 1, "dice_set": 5, "why": "a die is chipped"}});
    let void = json!({"table": {"table": 1, "round": damaged}});
    let manager = house.person("pit-manager");
    let approval = first.supervisor.approved_by(&manager, "void-damaged", &void);
    accepted(&first.supervisor.table(1, Some(approval), &json!({"round": damaged})));
    has_happened(&house, |what| what["reported"]["dice-damaged"]["dice_set"] == 5);
    refused(&second.supervisor.round(2, json!({"use-dice": {"dice_set": 5}})), "dice-damaged");
    accepted(&second.supervisor.round(2, json!({"use-dice": {"dice_set": 6}})));
}

#[test]
fn revoked_terminal_is_refused_and_its_credits_recovered() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 5, 30_000);
    let terminal = house.terminal(1, 5);
    let device = terminal.device.clone();
    accepted(&house.person("administrator").house(json!({"revoke": {"device": device.number}})));
    terminal.socket.over();
    let (mut again, challenge) = device.knock(house.address());
    again.send_json(&device.proof(&challenge));
    again.over();
    has_happened(&house, |what| what["device-revoked"] == device.number);
    // A supervisor recovers the credits, and an attendant pays them by hand.
    accepted(&dealing.supervisor.cluster(1, json!({"cash-out": {"seat": 5, "to": "hand-pay"}})));
    let attendant = house.person("attendant");
    let claim = wait_for("there is a claim", || {
        let (_, claims) = attendant.get("/api/v1/house/lists/claims");
        claims.as_array().and_then(|claims| claims.first().cloned())
    });
    assert_eq!(claim["amount"], 30_000);
    let paid = attendant.house(json!({"pay-claim": {"claim": claim["id"]}}));
    assert_eq!(paid["accepted"]["cash-paid"]["amount"], 30_000, "{paid}");
    refused(&attendant.house(json!({"pay-claim": {"claim": claim["id"]}})), "unknown-claim");
}

/// Round 1 was settled by 1 2 3, and the player at seat 3 lost 10.00 on Big.
fn after_a_lost_bet(house: &TestCasino) -> (Dealing, Terminal) {
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("big", 1_000)]));
    dealing.conclude([1, 2, 3]);
    terminal.until("the loss", |terminal| terminal.view["credits"] == 99_000 && terminal.public["phase"] == "settled");
    (dealing, terminal)
}

#[test]
fn dealer_cannot_change_a_past_result() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = after_a_lost_bet(&house);
    // A Dealer has no such act.
    refused(&dealing.dealer.round(1, json!({"commit": {"dice": [6, 6, 5]}})), "no-round-open");
    let correct = json!({"correct": {"round": 1, "dice": [6, 6, 5], "why": "the console read 1 2 3"}});
    refused(&dealing.dealer.round(1, correct.clone()), "not-allowed");
    // The caller cannot name the second person.
    refused(&dealing.supervisor.round(1, correct.clone()), "second-person-missing");
    let mut named = correct.clone();
    named["correct"]["second"] = json!({"id": 4, "roles": ["pit-manager"]});
    refused(&dealing.supervisor.round(1, named), "second-person-missing");
    // Two people can; one approval serves one act.
    let manager = house.person("pit-manager");
    let what = json!({"table": {"table": 1, "round": correct}});
    let unanswered = dealing.supervisor.asks_approval("correct", &what);
    refused(&dealing.supervisor.table(1, Some(unanswered), &json!({"round": correct})), "not-approved");
    let approval = dealing.supervisor.approved_by(&manager, "correct", &what);
    let other = json!({"round": {"correct": {"round": 1, "dice": [6, 6, 6], "why": "another"}}});
    refused(&dealing.supervisor.table(1, Some(approval), &other), "not-approved");
    refused(&manager.table(1, Some(approval), &json!({"round": correct})), "not-approved");
    accepted(&dealing.supervisor.table(1, Some(approval), &json!({"round": correct})));
    terminal.until("what was won", |terminal| terminal.view["credits"] == 101_000);
    terminal.until("the result", |terminal| terminal.public["latest"]["dice"] == json!([6, 6, 5]));
    has_happened(&house, |what| what["reported"].get("correction").is_some());
    house.audit();
    let (is_shown, round) = house.taisai(&["audit", "show", "data", "--table", "1", "--round", "1"]);
    assert!(is_shown, "{round}");
    assert!(round.contains("1 2 3") && round.contains("6 6 5"), "both results: {round}");
}

/// 5.14, F12: one manager can rule, and the ruling stands, but its money waits for a witness. Both events show before and after.
#[test]
fn ruling_of_one_manager_moves_no_money_without_a_witness() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = after_a_lost_bet(&house);
    let manager = house.person("shift-manager");
    let rule = |ruling: Value| json!({"rule": {"ruling": ruling, "why": "the table was wet"}});
    accepted(&manager.round(1, rule(json!({"void": {"round": 1, "fact": null}}))));
    accepted(&manager.round(1, rule(json!({"settle": {"round": 1, "dice": [6, 6, 5]}}))));
    terminal.until("the ruling", |terminal| terminal.public["latest"]["dice"] == json!([6, 6, 5]));
    let witness = |seen: Value| json!({"witness": {"round": 1, "seen": seen}});
    let settled = json!({"settled": [6, 6, 5]});
    refused(&manager.round(1, witness(settled.clone())), "second-person-not-allowed");
    refused(&dealing.dealer.round(1, witness(settled.clone())), "not-allowed");
    // A witness confirms the latest ruling only.
    refused(&dealing.supervisor.round(1, witness(json!({"void": "ruling"}))), "nothing-to-witness");
    // The next round is played meanwhile, and the money has not moved.
    dealing.open_bets();
    accepted(&terminal.place(&[("small", 1_000)]));
    assert_eq!(terminal.view["credits"], 98_000);
    dealing.conclude([6, 6, 5]);
    terminal
        .until("the second loss", |terminal| terminal.public["phase"] == "settled" && terminal.view["on_layout"] == 0);
    assert_eq!(terminal.view["credits"], 98_000);
    has_happened(&house, |what| {
        let ruling = &what["reported"]["money-ruling"];
        ruling["after"] == json!({"settled": [6, 6, 5]})
            && ruling["before"] == json!({"void": "ruling"})
            && ruling["waits"] == true
    });
    accepted(&dealing.supervisor.round(1, witness(settled)));
    terminal.until("what was ruled", |terminal| terminal.view["credits"] == 100_000);
    has_happened(&house, |what| what["reported"]["ruling-witnessed"]["round"] == 1);
    house.audit();
}

/// One person, one identity: an act of two people needs two identities (F50).
#[test]
fn person_with_two_roles_cannot_approve_alone() {
    let house = TestCasino::open();
    let (administrator, supervisor) = (house.person("administrator"), house.person("pit-supervisor"));
    let engage = |roles: &[&str]| json!({"add-person": {"person": 77, "name": "Two Hats", "roles": roles}});
    // Administrators and auditors move no money and change no results.
    for roles in [["administrator", "pit-manager"], ["auditor", "cashier"]] {
        let add = engage(&roles);
        refused(&administrator.house_with_second(&supervisor, "manage-people", &add), "roles-conflict");
    }
    let add = engage(&["cashier", "pit-supervisor"]);
    accepted(&administrator.house_with_second(&supervisor, "manage-people", &add));
    let approval = administrator.approved_by(&supervisor, "manage-people", &json!({"password": {"person": 77}}));
    let (status, given) = administrator.post("/api/v1/people/77/password", &json!({"approval": approval}));
    assert_eq!(status, 200, "{given}");
    let password = given["password"].as_str().unwrap();
    let hats = Person::sign_in(house.address(), 77, password);
    refused(&hats.house("tick"), "password-to-be-set");
    hats.set_password(password, "a password of my own");
    let sell = json!({"sell": {"amount": 600_000}});
    let own = hats.asks_approval("large-sale", &json!({"house": sell}));
    let answer = hats.house(json!({"answer-approval": {"approval": own, "approve": true}}));
    assert!(answer.get("refused").is_some(), "{answer}");
    refused(&hats.house_with(own, sell.clone()), "not-approved");
    refused(&hats.house(sell.clone()), "second-person-missing");
    accepted(&hats.house_with_second(&supervisor, "large-sale", &sell));
    // An administrator moves no money and changes no results.
    refused(&administrator.house(json!({"sell": {"amount": 1_000}})), "not-allowed");
    refused(&administrator.round(1, "open-table"), "not-allowed");
    refused(&house.person("auditor").round(1, "open-table"), "not-allowed");
}

/// F51: five failed sign-ins lock the account, from any client; then even the right password is refused.
#[test]
fn guessed_passwords_lock_the_account() {
    let house = TestCasino::open();
    let right = house.password(5);
    let mut answers = Vec::new();
    for guess in 0..5 {
        let (status, answer) = Person::try_sign_in(house.address(), 5, &format!("guess number {guess}")).err().unwrap();
        assert!(status == 401 || status == 429, "{status} {answer}");
        answers.push(answer);
    }
    let (status, answer) = Person::try_sign_in(house.address(), 5, &right).err().expect("locked out");
    assert!(status == 401 || status == 429, "{status} {answer}");
    let (_, nobody) = Person::try_sign_in(house.address(), 4_000, "nobody's password").err().unwrap();
    assert!(answers.contains(&nobody) || nobody["refused"]["code"] == "too-many", "the same for nobody: {nobody}");
    has_happened(&house, |what| what["login-locked"] == 5);
}

/// JSON keeps the text as it is, and no page runs a script in it.
#[test]
fn script_in_a_name_stays_text() {
    let house = TestCasino::open();
    let (administrator, supervisor) = (house.person("administrator"), house.person("pit-supervisor"));
    let script = "<script>alert(1)</script>";
    let add = json!({"add-person": {"person": 78, "name": script, "roles": ["dealer"]}});
    accepted(&administrator.house_with_second(&supervisor, "manage-people", &add));
    let (_, people) = supervisor.get("/api/v1/house/lists/people");
    let named = |person: &&Value| person["id"] == 78;
    assert_eq!(people.as_array().unwrap().iter().find(named).unwrap()["name"], script);
    for path in ["/", "/api/docs", "/api/v1/house", "/nothing-here"] {
        let answer = crate::person::agent().get(format!("http://{}{path}", house.address())).call().unwrap();
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'self'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
    }
    let (_, page) = house.get("/api/docs");
    assert!(!page.contains("<script>") && !page.contains("style="), "no script or style stands in the page");
    // Characters that no screen can show are refused.
    let bad = json!({"add-person": {"person": 79, "name": "a\u{0}b", "roles": ["dealer"]}});
    refused(&administrator.house_with_second(&supervisor, "manage-people", &bad), "bad-text");
}
