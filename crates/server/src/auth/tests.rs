//! People at a running server, over HTTP.

use axum::extract::FromRequestParts as _;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use taisai_rules::Dice;
use taisai_table::{
    Act, ApprovalId, House, HouseCommand, PersonId, ReportedEvent, Role, RoundCommand, RoundNumber, Seat, SecretOwner,
    SignificantEventKind, TableId, VoucherSerial,
};
use tokio::task::JoinSet;

use super::approvals::{ApprovedAct, second};
use super::{SignedIn, TimeOuts, one_time_password, still};
use crate::demo::occupy;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::tests::running::{
    ADMINISTRATOR, DEALER, MANAGER, PASSWORD, RunningServer, SUPERVISOR, answered_by_manager, pair, person,
};
use crate::vouchers::{Validation, VoucherKey};

const KEY: VoucherKey = VoucherKey([0; 32]);

#[tokio::test]
async fn a_person_signs_in_and_out() {
    let house = RunningServer::start().await;
    assert_eq!(house.get("/me", "").await.code(), "not-signed-in");
    house.with_password(DEALER).await;
    let response = house.try_in(DEALER, PASSWORD).await;
    let cookie = response.cookie.clone().unwrap();
    assert!(cookie.starts_with("__Host-taisai=") && cookie.ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"));
    assert_eq!((&response.body["roles"], &response.body["is_fresh"]), (&json!(["dealer"]), &json!(true)));
    let cookie = pair(&response);
    let me = house.get("/me", &cookie).await;
    assert_eq!(me.body, response.body);
    assert_eq!((&me.body["person"], &me.body["name"]), (&json!(DEALER), &json!("Dealer")));
    assert_eq!(house.get("/me", &cookie.replace('=', "=0")).await.code(), "not-signed-in");
    assert_eq!(house.post("/sign-out", &cookie, Value::Null).await.status, StatusCode::NO_CONTENT);
    assert_eq!(house.get("/me", &cookie).await.code(), "not-signed-in");
    assert!(house.server.secrets.sign_ins().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_restart_signs_nobody_out() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    let further = house.post("/sources", &cookie, Value::Null).await.body["source"].as_u64().unwrap();
    let me = house.get("/me", &cookie).await.body;
    let house = RunningServer::open(house.close().await, TimeOuts::default()).await;
    let again = house.get("/me", &cookie).await.body;
    assert_eq!((&again["source"], &again["person"]), (&me["source"], &me["person"]));
    let signed_in = still(&house.server, me["source"].as_u64().unwrap(), true).await.unwrap();
    assert!(house.server.people.uses(&signed_in, further));
}

#[tokio::test]
async fn f51_five_failures_lock_a_person_out_and_the_reply_does_not_show_it() {
    let house = RunningServer::start().await;
    house.with_password(DEALER).await;
    let open = house.sign_in(SUPERVISOR).await;
    for _ in 0..5 {
        let wrong = house.try_in(DEALER, "a wrong password").await;
        assert_eq!((wrong.status, wrong.code()), (StatusCode::UNAUTHORIZED, "wrong-password"));
    }
    let wrong = house.try_in(DEALER, "a wrong password").await;
    let locked = house.try_in(DEALER, PASSWORD).await;
    let nobody = house.try_in(PersonId(99), PASSWORD).await;
    assert_eq!((locked.status, &locked.body), (wrong.status, &wrong.body));
    assert_eq!((nobody.status, &nobody.body), (wrong.status, &wrong.body));
    assert_eq!((locked.cookie, nobody.cookie), (None, None));
    let employee = house.server.node.house().read(|house| house.person(DEALER).cloned()).await.unwrap().unwrap();
    assert!(employee.is_locked);

    // Four failures and a success leave nothing behind, also where the password is asked for again.
    for _ in 0..2 {
        for _ in 0..4 {
            let wrong = house.post("/sign-in/again", &open, json!({"password": "a wrong password"})).await;
            assert_eq!(wrong.code(), "wrong-password");
        }
        assert_eq!(house.post("/sign-in/again", &open, json!({"password": PASSWORD})).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn an_address_that_fails_too_often_waits() {
    let house = RunningServer::start().await;
    house.with_password(DEALER).await;
    let body = |number: u32, password: &str| Some(json!({"person": number, "password": password}));
    for number in 100..120 {
        let response = house.send("POST", "/sign-in", None, 7, body(number, "guess")).await;
        assert_eq!(response.code(), "wrong-password");
    }
    let response = house.send("POST", "/sign-in", None, 7, body(DEALER.0, PASSWORD)).await;
    assert_eq!((response.status, response.code()), (StatusCode::TOO_MANY_REQUESTS, "too-many"));
    assert_eq!(house.send("POST", "/sign-in", None, 8, body(DEALER.0, PASSWORD)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_one_time_password_must_be_replaced() {
    let house = RunningServer::start().await;
    let given = one_time_password(&house.server.secrets, house.server.clock.now(), DEALER, 0).await.unwrap().0;
    let response = house.try_in(DEALER, &given).await;
    assert_eq!((response.status, &response.body["password_to_be_set"]), (StatusCode::OK, &json!(true)));
    let cookie = pair(&response);
    let other = pair(&house.try_in(DEALER, &given).await);
    assert_eq!(house.post("/sources", &cookie, Value::Null).await.code(), "password-to-be-set");
    let source = response.body["source"].as_u64().unwrap();
    assert_eq!(still(&house.server, source, true).await, Err(Denied::PasswordToBeSet));

    for (old, new, code) in [
        (given.as_str(), "too short", "weak-password"),
        (&given, &given, "weak-password"),
        ("not it at all", PASSWORD, "wrong-password"),
        (&given, PASSWORD, "accepted"),
        (&given, "yet another password", "wrong-password"),
    ] {
        let response = house.post("/password", &cookie, json!({"old": old, "new": new})).await;
        assert_eq!(response.code(), code, "{new}");
    }
    assert_eq!(house.post("/sources", &cookie, Value::Null).await.status, StatusCode::OK);
    assert_eq!(house.get("/me", &other).await.code(), "not-signed-in", "other logins have ended");
    assert_eq!(house.try_in(DEALER, &given).await.code(), "wrong-password");
    assert_eq!(house.try_in(DEALER, PASSWORD).await.status, StatusCode::OK);
}

/// The store as someone finds it who can write to it.
fn change_store(house: &RunningServer, statement: &str) {
    let store = rusqlite::Connection::open(house.data().join("secrets.db")).unwrap();
    store.execute_batch(statement).unwrap();
}

/// How often it was reported that a person's password is not what the casino stored.
async fn refusals(house: &RunningServer, person: PersonId) -> usize {
    let what = SignificantEventKind::Reported(ReportedEvent::SecretRefused { owner: SecretOwner::Person(person) });
    let look = move |house: &House| house.significant().filter(|event| event.what == what).count();
    house.server.node.house().read(look).await.unwrap()
}

#[tokio::test]
async fn a_password_copied_from_another_person_lets_nobody_in() {
    let house = RunningServer::start().await;
    let hashed = house.server.people.hashing.hash("the password of another".to_owned()).await.unwrap();
    house.server.secrets.set_password(DEALER, hashed, house.server.clock.now(), 0).await.unwrap();
    house.with_password(SUPERVISOR).await;
    assert_eq!(house.try_in(SUPERVISOR, "the password of another").await.code(), "wrong-password");
    assert_eq!(refusals(&house, SUPERVISOR).await, 0);
    let (from, to) = (DEALER.0, SUPERVISOR.0);
    change_store(
        &house,
        &format!("UPDATE passwords SET hash = (SELECT hash FROM passwords WHERE person = {from}) WHERE person = {to}"),
    );
    assert_eq!(house.try_in(SUPERVISOR, "the password of another").await.code(), "wrong-password");
    assert_eq!(house.try_in(SUPERVISOR, PASSWORD).await.code(), "wrong-password");
    assert_eq!(refusals(&house, SUPERVISOR).await, 1);
    assert_eq!(house.try_in(DEALER, "the password of another").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_password_that_was_replaced_stays_so_when_its_row_is_put_back() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    change_store(&house, "CREATE TABLE kept AS SELECT * FROM passwords");
    let new = json!({"old": PASSWORD, "new": "another password since"});
    assert_eq!(house.post("/password", &cookie, new).await.code(), "accepted");
    let newest = house.server.node.house().read(|house| house.secret_version(SecretOwner::Person(DEALER))).await;
    assert_eq!(newest.unwrap(), 2, "it is on record");
    change_store(&house, "DELETE FROM passwords; INSERT INTO passwords SELECT * FROM kept");
    assert_eq!(house.try_in(DEALER, PASSWORD).await.code(), "wrong-password");
    assert_eq!(refusals(&house, DEALER).await, 1);
    let (given, version) = one_time_password(&house.server.secrets, house.server.clock.now(), DEALER, 2).await.unwrap();
    assert_eq!((version, house.try_in(DEALER, &given).await.status), (3, StatusCode::OK), "a new one does");
}

/// The program was killed between the change and its entry.
#[tokio::test]
async fn a_password_whose_change_was_interrupted_is_recorded_at_the_next_sign_in() {
    let house = RunningServer::start().await;
    house.sign_in(DEALER).await;
    change_store(&house, "CREATE TABLE kept AS SELECT * FROM passwords");
    house.with_password(DEALER).await;
    let newest = async || {
        let version = |house: &House| house.secret_version(SecretOwner::Person(DEALER));
        house.server.node.house().read(version).await.unwrap()
    };
    assert_eq!(house.try_in(DEALER, "not it at all").await.code(), "wrong-password");
    assert_eq!(newest().await, 0);
    assert_eq!(house.try_in(DEALER, PASSWORD).await.status, StatusCode::OK);
    assert_eq!(newest().await, 2);
    change_store(&house, "DELETE FROM passwords; INSERT INTO passwords SELECT * FROM kept");
    assert_eq!(house.try_in(DEALER, PASSWORD).await.code(), "wrong-password");
    assert_eq!(refusals(&house, DEALER).await, 1);
}

#[tokio::test]
async fn f51_an_idle_sign_in_ends() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    let folder = house.close().await;
    let none = std::time::Duration::ZERO;
    let house = RunningServer::open(folder, TimeOuts { idle: none, ..TimeOuts::default() }).await;
    assert_eq!(house.get("/me", &cookie).await.code(), "not-signed-in");
    assert_eq!(house.post("/sources", &cookie, Value::Null).await.code(), "not-signed-in");
}

#[tokio::test]
async fn f51_polling_keeps_nobody_signed_in() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    let source = house.get("/me", &cookie).await.body["source"].as_u64().unwrap();
    let ends = || house.server.people.sign_ins.by_source(source, house.server.clock.now()).unwrap().ends;
    for (value, is_use) in [(Some("yes"), false), (Some("no"), true), (None, true)] {
        let (then, now) = (ends(), house.server.clock.now());
        while house.server.clock.now() == now {
            tokio::task::yield_now().await;
        }
        let mut request = Request::builder().header(header::COOKIE, &cookie);
        if let Some(value) = value {
            request = request.header("taisai-unattended", value);
        }
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        let found = SignedIn::from_request_parts(&mut parts, &house.server).await.unwrap();
        assert_eq!((found.source, ends() > then), (source, is_use), "{value:?}");
    }
}

#[tokio::test]
async fn another_persons_source_is_denied() {
    let house = RunningServer::start().await;
    let (dealer, supervisor) = (house.sign_in(DEALER).await, house.sign_in(SUPERVISOR).await);
    let mut owners = Vec::new();
    for cookie in [&dealer, &supervisor] {
        let source = house.get("/me", cookie).await.body["source"].as_u64().unwrap();
        let further = house.post("/sources", cookie, Value::Null).await.body["source"].as_u64().unwrap();
        owners.push((still(&house.server, source, false).await.unwrap(), [source, further]));
    }
    for (one, (owner, _)) in owners.iter().enumerate() {
        for (other, (_, sources)) in owners.iter().enumerate() {
            let owns = sources.map(|source| house.server.people.uses(owner, source));
            assert_eq!(owns, [one == other; 2]);
        }
    }
    for _ in 0..70 {
        assert_eq!(house.post("/sources", &dealer, Value::Null).await.status, StatusCode::OK);
    }
    let (owner, [own, further]) = owners[0];
    assert_eq!([own, further].map(|source| house.server.people.uses(&owner, source)), [true, false], "long unused");
    let kept = house.server.secrets.sign_ins().await.unwrap().into_iter().find(|kept| kept.source == own).unwrap();
    assert!(!kept.further.contains(&further), "also on file");
}

#[tokio::test]
async fn a_suspended_person_is_signed_out_at_the_next_request() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    let second = Some(person(SUPERVISOR, Role::PitSupervisor));
    let suspend = HouseCommand::Suspend { person: DEALER, second };
    let answer = house.ask(person(ADMINISTRATOR, Role::Administrator), suspend).await;
    assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
    assert_eq!(house.post("/sources", &cookie, Value::Null).await.code(), "not-signed-in");
    assert_eq!(house.try_in(DEALER, PASSWORD).await.code(), "wrong-password");
    assert!(house.server.secrets.sign_ins().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_administrator_gives_others_a_password() {
    let house = RunningServer::start().await;
    let (administrator, dealer) = (house.sign_in(ADMINISTRATOR).await, house.sign_in(DEALER).await);
    let give = async |cookie: &str, person: u32, approval: Option<ApprovalId>| {
        house.post(&format!("/people/{person}/password"), cookie, json!({"approval": approval})).await
    };
    let approved = async |who: u32, approve: bool| {
        let (by, what) = (person(ADMINISTRATOR, Role::Administrator), ApprovedAct::Password { person: PersonId(who) });
        Some(answered_by_manager(&house, by, Act::ManagePeople, &what.text(), approve).await)
    };
    let used = approved(DEALER.0, true).await;
    for (cookie, person, approval, code) in [
        ("", DEALER.0, None, "not-signed-in"),
        (&dealer, SUPERVISOR.0, None, "not-allowed"),
        (&administrator, ADMINISTRATOR.0, None, "not-allowed"),
        (&administrator, ADMINISTRATOR.0, approved(ADMINISTRATOR.0, true).await, "not-allowed"),
        (&administrator, MANAGER.0, approved(MANAGER.0, true).await, "not-approved"),
        (&administrator, 99, approved(99, true).await, "unknown"),
        (&administrator, DEALER.0, None, "not-approved"),
        (&administrator, DEALER.0, approved(DEALER.0, false).await, "not-approved"),
        (&administrator, DEALER.0, approved(SUPERVISOR.0, true).await, "not-approved"),
        (&administrator, DEALER.0, used, "accepted"),
        (&administrator, DEALER.0, used, "not-approved"),
    ] {
        assert_eq!(give(cookie, person, approval).await.code(), code, "{person} {approval:?}");
    }
    assert_eq!(house.get("/me", &dealer).await.code(), "not-signed-in");
    assert_eq!(house.try_in(DEALER, PASSWORD).await.code(), "wrong-password");
    let given = give(&administrator, DEALER.0, approved(DEALER.0, true).await).await.body["password"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(house.try_in(DEALER, &given).await.body["password_to_be_set"], json!(true));

    let folder = house.close().await;
    let stale = TimeOuts { fresh: std::time::Duration::ZERO, ..TimeOuts::default() };
    let house = RunningServer::open(folder, stale).await;
    let response = house.post("/people/4/password", &administrator, json!({"approval": null})).await;
    assert_eq!(response.code(), "sign-in-again");
}

#[tokio::test]
async fn an_unreadable_request_is_denied_in_the_same_form() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(DEALER).await;
    for (path, body) in [
        ("/sign-in", json!({"person": -1, "password": "x"})),
        ("/sign-in", json!({"person": 4, "password": "x", "roles": []})),
        ("/sign-in", json!({"person": 4, "password": "x".repeat(5_000)})),
        ("/sign-in/again", json!([])),
        ("/password", json!({"old": "x"})),
    ] {
        let response = house.post(path, &cookie, body).await;
        assert_eq!((response.status, response.code()), (StatusCode::BAD_REQUEST, "bad-request"), "{path}");
    }
    assert_eq!(house.post("/people/x/password", &cookie, json!({"approval": null})).await.code(), "bad-request");
}

/// The supervisor asks for an approval of a correction, and the manager answers.
async fn approval(house: &RunningServer, what: &str, approve: bool) -> ApprovalId {
    answered_by_manager(house, person(SUPERVISOR, Role::PitSupervisor), Act::Correct, what, approve).await
}

fn correction(table: u16, faces: [u8; 3]) -> ApprovedAct {
    let dice = Dice::try_from(faces).unwrap();
    let claimed = Some(person(SUPERVISOR, Role::CasinoManager));
    let round = RoundCommand::Correct { round: RoundNumber(1), dice, why: "misread".to_owned(), second: claimed };
    ApprovedAct::Table { table: TableId(table), round }
}

#[tokio::test]
async fn an_approval_fits_one_act_and_one_command() {
    let house = RunningServer::start().await;
    let what = correction(1, [1, 2, 3]).text();
    assert!(!what.contains("casino-manager"), "who is second is not taken from outside: {what}");
    let approved = approval(&house, &what, true).await;
    let refused = approval(&house, &what, false).await;
    for (by, approval, act) in [
        (MANAGER, approved, correction(1, [1, 2, 3])),
        (DEALER, approved, correction(1, [1, 2, 3])),
        (SUPERVISOR, approved, correction(1, [1, 2, 4])),
        (SUPERVISOR, approved, correction(2, [1, 2, 3])),
        (SUPERVISOR, refused, correction(1, [1, 2, 3])),
        (SUPERVISOR, ApprovalId(99), correction(1, [1, 2, 3])),
    ] {
        let what = act.text();
        let response = second(&house.server, by, approval, what.clone()).await;
        assert_eq!(response, Err(Denied::NotApproved), "{by:?} {approval:?} {what}");
    }
    let manager = Ok(person(MANAGER, Role::PitManager));
    assert_eq!(second(&house.server, SUPERVISOR, approved, what).await, manager);
}

#[tokio::test]
async fn a_command_with_an_approval_is_the_same_after_a_restart() {
    let mut house = RunningServer::start().await;
    let cookie = house.sign_in(ADMINISTRATOR).await;
    let source = house.get("/me", &cookie).await.body["source"].as_u64().unwrap();
    let command = json!({"add-person": {"person": 20, "name": "Ann", "roles": ["dealer"], "second": null}});
    let what = ApprovedAct::spelled(&json!({"house": &command}).to_string(), &KEY).unwrap();
    let by = person(ADMINISTRATOR, Role::Administrator);
    let approval = answered_by_manager(&house, by, Act::ManagePeople, &what, true).await;
    let send = async |house: &RunningServer, sequence: u64, approval: ApprovalId| {
        let body = json!({"source": source, "sequence": sequence, "approval": approval, "command": &command});
        house.post("/house/commands", &cookie, body).await.code().to_owned()
    };
    assert_eq!(send(&house, 1, approval).await, "accepted");
    for _ in 0..2 {
        assert_eq!(send(&house, 1, approval).await, "accepted", "the same command again");
        assert_eq!(send(&house, 2, approval).await, "not-approved", "another command");
        house = RunningServer::open(house.close().await, TimeOuts::default()).await;
    }
    let approval = answered_by_manager(&house, by, Act::ManagePeople, &what, true).await;
    for _ in 0..2 {
        assert_eq!(send(&house, 3, approval).await, "person-exists", "refused, it uses the approval up");
        assert_eq!(send(&house, 4, approval).await, "not-approved");
    }
}

/// F50: one Dealer does not credit a seat with millions. What is approved is exactly the buy-in that is carried out.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_buy_in_takes_two_people() {
    let house = RunningServer::start().await;
    let mut terminals = JoinSet::new();
    occupy(&house.server.node.table(TableId(1)).unwrap(), 0, Seat(1), &mut terminals).await;
    let cookie = house.sign_in(DEALER).await;
    let source = house.get("/me", &cookie).await.body["source"].clone();
    let buy_in =
        |cents: i64| json!({"buy-in": {"seat": 1, "amount": cents, "second": {"id": 3, "roles": ["pit-manager"]}}});
    let send = async |sequence: u64, cents: i64, approval: Option<ApprovalId>| {
        let command = json!({"cluster": {"number": 0, "command": buy_in(cents)}});
        let body = json!({"source": source, "sequence": sequence, "approval": approval, "command": command});
        house.post("/tables/1/commands", &cookie, body).await.code().to_owned()
    };
    assert_eq!(send(1, 1_000_000, None).await, "accepted");
    assert_eq!(send(2, 1_000_001, None).await, "second-person-missing", "who is second is not taken from outside");
    let outside = json!({"cluster": {"table": 1, "number": 0, "command": buy_in(1_000_001)}}).to_string();
    let what = ApprovedAct::spelled(&outside, &KEY).unwrap();
    let approval = answered_by_manager(&house, person(DEALER, Role::Dealer), Act::LargeBuyIn, &what, true).await;
    assert_eq!(send(3, 1_000_002, Some(approval)).await, "not-approved", "another amount");
    assert_eq!(send(4, 1_000_001, Some(approval)).await, "accepted");
    assert_eq!(send(5, 1_000_001, Some(approval)).await, "not-approved", "once");
    terminals.shutdown().await;
    house.close().await;
}

/// A voucher's number is drawn when it is sold, and is no part of what is approved.
#[test]
fn a_sale_is_approved_by_its_amount() {
    let text = ApprovedAct::spelled(r#"{"house":{"sell":{"amount":600000}}}"#, &KEY).unwrap();
    assert_eq!(text, r#"{"sale":{"amount":600000}}"#);
    let number = Validation::draw().unwrap().voucher_number(&KEY);
    let command = HouseCommand::SellVoucher { number, amount: taisai_rules::Money::from_cents(600_000), second: None };
    assert_eq!(ApprovedAct::House(command).text(), text);
    let text = ApprovedAct::spelled(r#"{"house":{"reissue":{"serial":7}}}"#, &KEY).unwrap();
    assert_eq!(text, r#"{"reissue":{"serial":7}}"#);
    let command = HouseCommand::ReissueVoucher { serial: VoucherSerial(7), number, ended: None, second: None };
    assert_eq!(ApprovedAct::House(command).text(), text);
}

#[test]
fn an_act_to_approve_has_one_spelling() {
    let text = correction(1, [1, 2, 3]).text();
    let typed = text.replace(':', ": ").replace(r#""second": null"#, r#""second": {"id": 2, "roles": []}"#);
    assert_ne!(typed, text);
    assert_eq!(ApprovedAct::spelled(&typed, &KEY), Ok(text.clone()));
    let twice = text.replace(r#""dice":"#, r#""dice":[6,6,6],"dice":"#);
    assert_eq!(ApprovedAct::spelled(&twice, &KEY), Err(Denied::BadRequest));
    assert_eq!(ApprovedAct::spelled("\"anything\"", &KEY), Err(Denied::BadRequest));
}

#[test]
fn a_sensitive_command_needs_a_recent_password() {
    let person = person(DEALER, Role::Dealer);
    let stale = SignedIn { person, source: 1, is_fresh: false };
    assert_eq!(stale.fresh(), Err(Denied::SignInAgain));
    let fresh = SignedIn { is_fresh: true, ..stale };
    assert_eq!(fresh.fresh(), Ok(fresh));
}
