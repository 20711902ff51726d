//! A live table that registers winners, over the API: the console through a kill and a correction, and the reports.

use serde_json::{Value, json};
use taisai_journal::suite::wait_until;

use crate::dealing::{Dealing, wide_limits};
use crate::house::TestCasino;
use crate::person::{Person, accepted, refused};
use taisai_rules::LimitScope;

const WINNERS: &str = r#"
[[table]]
number = 1
game = "tai-sai"
layout = "C"
seats = 7
registration = "winners"
"#;

fn register(seat: u32, bet_box: &str, amount: i64) -> Value {
    json!({"register": {"seat": seat, "stakes": [{"box": bet_box, "amount": amount}]}})
}

fn staff(house: &TestCasino) -> Value {
    house.person("dealer").console(1).next()["snapshot"]["staff"].clone()
}

/// Sends a command with a second person.
fn with_second(first: &Person, second: &Person, act: &str, command: &Value) -> Value {
    let what = json!({"cluster": {"table": 1, "number": 0, "command": command}});
    let approval = first.approved_by(second, act, &what);
    first.table(1, Some(approval), &json!({"cluster": {"number": 0, "command": command}}))
}

#[test]
fn winners_are_registered_paid_and_made_good_from_the_film() {
    let mut house = TestCasino::with(WINNERS);
    let dealing = Dealing::with(&house, 1, Some(&wide_limits(LimitScope::Box)));
    dealing.open_bets();
    let place = json!({"place": {"seat": 1, "chips": "own", "stakes": [{"box": "big", "amount": 1_000}]}});
    refused(&dealing.dealer.cluster(1, place), "other-registration");
    refused(&dealing.dealer.cluster(1, register(1, "big", 1_000)), "not-thrown");
    dealing.conclude([4, 5, 6]);
    let (_, public) = dealing.dealer.get("/api/v1/tables/1");
    assert_eq!((&public["phase"], &public["is_registering"]), (&json!("result"), &json!(true)), "{public}");
    assert!(public["latest"]["winners"].as_array().unwrap().contains(&json!("big")), "{public}");
    accepted(&dealing.dealer.cluster(1, register(1, "big", 1_000)));
    refused(&dealing.dealer.cluster(1, register(2, "small", 1_000)), "losing-box");
    let large = register(2, "big", 2_000_000);
    refused(&dealing.dealer.cluster(1, large.clone()), "second-person-missing");
    accepted(&with_second(&dealing.dealer, &dealing.supervisor, "large-registration", &large));
    let what = json!({"cluster": {"table": 1, "number": 0, "command": register(3, "big", 1_500_000)}});
    let approval = dealing.dealer.asks_approval("large-registration", &what);

    // The registered bets survive a power failure, and nothing is paid.
    house.kill();
    house.restart();
    let own = house.person("dealer").get("/api/v1/house/approvals").1;
    assert_eq!(
        (&own[0]["id"], &own[0]["answer"]),
        (&json!(approval), &json!("waiting")),
        "what was used is not told: {own}"
    );
    assert_eq!(own[0]["what"].as_str().map(|text| text.contains("1500000")), Some(true), "{own}");
    assert_eq!(house.person("pit-supervisor").get("/api/v1/house/approvals").1, json!([]), "others asked for it");
    let view = staff(&house);
    let lies = json!({"cluster": 0, "seat": 1, "chips": "own", "box": "big", "amount": 1_000});
    assert_eq!((&view["bets"][0], view["bets"].as_array().map(Vec::len)), (&lies, Some(2)), "{view}");
    let big = view["registering"]["boxes"].as_array().unwrap().iter().find(|of| of["box"] == "big").unwrap().clone();
    assert_eq!(
        (&big["wins"], &big["asked_for"], &big["registered"]),
        (&json!(true), &json!("stakes"), &json!(2_001_000))
    );
    assert_eq!(view["pay_list"]["is_settled"], false, "{view}");
    assert_eq!(view["pay_list"]["lines"][0]["pays"], 2_000, "{view}");
    assert_eq!(view["meters"], json!([]), "not known");

    let dealer = house.person("dealer");
    accepted(&dealer.cluster(1, "all-registered"));
    wait_until("it is settled", || dealer.get("/api/v1/tables/1").1["phase"] == "settled");
    let view = staff(&house);
    assert_eq!((&view["registering"], &view["pay_list"]["is_settled"]), (&Value::Null, &json!(true)), "{view}");
    assert_eq!(view["pay_list"]["lines"].as_array().unwrap().len(), 2, "{view}");
    assert_eq!(view["bets"], json!([]), "{view}");
    accepted(&dealer.cluster(1, json!({"tick-off": {"seat": 1, "is_paid": true}})));
    let ticked_off = || staff(&house)["pay_list"]["ticked_off"].clone();
    wait_until("it is ticked off", || ticked_off() == json!([{"seat": 1, "given": 2_000, "at_house": 0}]));
    // Only the table's Dealer sees the round again.
    assert_eq!(dealer.get("/api/v1/tables/1/rounds/1").0, 200);
    assert_eq!(dealer.get("/api/v1/tables/1/rounds/1/evidence").0, 403);
    assert_eq!(house.person("second-dealer").get("/api/v1/tables/1/rounds/1").0, 403);

    // A late correction: bets that win by the right dice but were collected are registered from the film.
    let (supervisor, manager) = (house.person("pit-supervisor"), house.person("pit-manager"));
    let correct = json!({"correct": {"round": 1, "dice": [1, 2, 3], "why": "the console read 4 5 6"}});
    let approval = supervisor.approved_by(&manager, "correct", &json!({"table": {"table": 1, "round": correct}}));
    accepted(&supervisor.table(1, Some(approval), &json!({"round": correct})));
    wait_until("returns are open", || staff(&house)["returns"][0]["round"] == 1);
    // The seat that was given its chips owes them; the other one was given nothing.
    assert_eq!(ticked_off(), json!([{"seat": 1, "given": 2_000, "at_house": -2_000}]));
    wait_until("a receivable is open", || {
        let (_, receivables) = house.person("pit-manager").get("/api/v1/house/lists/receivables");
        receivables.as_array().is_some_and(|owed| owed.len() == 1 && owed[0].to_string().contains("2000"))
    });
    let film = json!({"register-from-film": {"round": 1, "seat": 5, "player": "in a red coat", "stake": {"box": "small", "amount": 700}}});
    refused(&supervisor.cluster(1, film.clone()), "second-person-missing");
    accepted(&with_second(&supervisor, &manager, "correct", &film));
    let other = json!({"register-from-film": {"round": 1, "seat": 6, "player": "in a blue coat", "stake": {"box": "small", "amount": 900}}});
    accepted(&with_second(&supervisor, &manager, "correct", &other));
    let again = json!({"register-from-film": {"round": 1, "seat": 1, "player": "at the end", "stake": {"box": "big", "amount": 1_000}}});
    refused(&with_second(&supervisor, &manager, "correct", &again), "already-registered");
    let returns = &staff(&house)["returns"][0];
    assert_eq!(returns["lines"][1]["number"], 2, "{returns}");
    assert_eq!(returns["owed"], json!([{"seat": 5, "amount": 1_400}, {"seat": 6, "amount": 1_800}]), "{returns}");
    let withdraw = json!({"withdraw-from-film": {"round": 1, "line": 2}});
    refused(&supervisor.cluster(1, withdraw.clone()), "second-person-missing");
    accepted(&with_second(&supervisor, &manager, "correct", &withdraw));
    assert_eq!(staff(&house)["returns"][0]["owed"], json!([{"seat": 5, "amount": 1_400}]));
    let claims = || house.person("pit-manager").get("/api/v1/house/lists/claims").1.to_string();
    assert!(!claims().contains("from-film"), "money moves when the returns are closed");
    accepted(&with_second(&supervisor, &manager, "correct", &json!({"close-returns": {"round": 1}})));
    assert_eq!(staff(&house)["returns"], json!([]));
    wait_until("a claim is open", || claims().contains("from-film") && claims().contains("1400"));

    // The sheet names the kind of registration, and leaves out what needs every bet.
    let (status, sheet) = house.person("auditor").get("/api/v1/tables/1/rounds/1");
    assert_eq!((status, &sheet["registration"]), (200, &json!("winners")), "{sheet}");
    let registered = sheet["clusters"][0]["registered"].as_array().unwrap();
    assert_eq!(registered.len(), 7, "{registered:?}");
    let moved: Vec<_> = registered.iter().map(|line| line["movements"].as_array().map_or(0, Vec::len)).collect();
    assert_eq!(moved, [0, 0, 0, 0, 0, 0, 1], "{registered:?}");
    assert!(registered.iter().all(|line| line["time"].as_u64().unwrap() > 0));
    house.audit();
    assert!(house.taisai(&["report", "rebuild", "data"]).0);
    let (is_good, printed) = house.taisai(&["report", "theory", "data", "--json"]);
    assert!(is_good, "{printed}");
    let lines: Value = serde_json::from_str(printed.trim()).unwrap();
    assert_eq!((&lines[0]["unregistered_rounds"], &lines[0]["handle"]), (&json!(1), &Value::Null), "{lines}");
    assert_eq!((&lines[0]["win"], &lines[0]["theoretical_win"]), (&Value::Null, &Value::Null), "{lines}");
}
