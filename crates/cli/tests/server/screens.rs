//! Screens that connect, reconnect and vanish: they show the current state, and the server notices who is lost.

use serde_json::{Value, json};
use taisai_journal::suite::wait_until;

use crate::dealing::{Dealing, buy_in, has_happened};
use crate::house::TestCasino;
use crate::person::{accepted, refused};
use crate::socket::{ReceivedFrame, Socket};
use crate::terminal::place;

/// F20: "your bets stand" comes from a new snapshot.
#[test]
fn reconnected_terminal_gets_the_current_state() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("small", 1_000), ("sum:9", 500)]));
    let device = terminal.device.clone();
    drop(terminal);
    // The round goes on without it.
    dealing.conclude([2, 3, 4]);
    let mut terminal = device.connect(house.address());
    terminal.until("what was won", |terminal| terminal.view["credits"].as_i64() > Some(100_000));
    let won = terminal.view.clone();
    assert_eq!(won["on_layout"], 0);
    assert_eq!(terminal.public["results"][0]["dice"], json!([2, 3, 4]), "{}", terminal.public);
    // The same after the server was killed during a round.
    dealing.open_bets();
    accepted(&terminal.place(&[("big", 2_000)]));
    let (bets, credits) = (terminal.view["bets"].clone(), terminal.view["credits"].clone());
    house.kill();
    terminal.socket.over();
    house.restart();
    let mut terminal = device.connect(house.address());
    assert_eq!((&terminal.view["bets"], &terminal.view["credits"]), (&bets, &credits), "F21");
    assert_eq!((&terminal.public["phase"], &terminal.public["is_held"]), (&json!("open"), &json!(true)));
    refused(&terminal.place(&[("big", 100)]), "held");
    let dealing = Dealing { table: 1, dealer: house.person("dealer"), supervisor: house.person("pit-supervisor") };
    dealing.deals("continue");
    terminal.until("play", |terminal| terminal.public["is_held"] == false);
    accepted(&terminal.place(&[("big", 100)]));
    dealing.conclude([6, 6, 5]);
    let credits = credits.as_i64().unwrap() - 100 + 2 * 2_100;
    terminal.until("what was won", |terminal| terminal.view["credits"] == credits);
    house.audit();
}

#[test]
fn silent_terminal_counts_as_lost() {
    let house = TestCasino::impatient();
    let dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 100_000);
    let mut terminal = house.terminal(1, 3);
    let console = dealing.dealer.console(1);
    console.next();
    dealing.open_bets();
    accepted(&terminal.place(&[("big", 1_000)]));
    terminal.socket.vanish();
    let is_lost = |message: &Value| {
        let seats = message["staff"]["seats"].as_array()?;
        seats.iter().any(|seat| seat["seat"] == 3 && seat["is_lost"] == true).then_some(())
    };
    console.until("the loss", is_lost);
    has_happened(&house, |what| what["reported"]["terminal-lost"]["seat"] == 3);
    // Its bet stands, and is paid.
    dealing.conclude([4, 5, 6]);
    let device = terminal.device.clone();
    let mut terminal = device.connect(house.address());
    terminal.until("what was won", |terminal| terminal.view["credits"] == 101_000);
    has_happened(&house, |what| what["reported"]["terminal-back"]["seat"] == 3);
    dealing.open_bets();
    accepted(&terminal.place(&[("small", 100)]));
}

/// A stopping server begins no round, lets the one in play end, and closes.
#[test]
fn stopping_server_closes_connections() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("small", 1_000)]));
    // They sign in first: a stopping server may refuse sign-ins.
    let dealer = house.person("dealer");
    house.terminate();
    wait_until("it is no longer ready", || house.get("/readyz").0 != 200);
    refused(&dealer.round(2, "open-bets"), "stopping");
    accepted(&terminal.place(&[("small", 1_000)]));
    dealing.conclude([1, 2, 3]);
    terminal.until("what was won", |terminal| terminal.view["credits"] == 102_000);
    terminal.socket.over();
    let (status, log) = house.stopped();
    assert!(status.success(), "{log}");
    house.audit();
    house.restart();
    assert_eq!(terminal.device.clone().connect(house.address()).view["credits"], 102_000);
}

/// Each screen shows only what is for its audience, and a display shows nobody's money.
#[test]
fn screens_see_only_what_is_theirs() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 100_000);
    let mut terminal = house.terminal(1, 3);
    let mut other = house.terminal(1, 4);
    let display = Socket::open(house.address(), "/api/v1/tables/1/display", &[]);
    let snapshot = display.next();
    assert!(snapshot["snapshot"].get("seat").is_none() && snapshot["snapshot"].get("staff").is_none(), "{snapshot}");
    dealing.open_bets();
    accepted(&terminal.place(&[("small", 1_000)]));
    dealing.conclude([1, 2, 3]);
    display.until("the result", |message| {
        assert!(message.get("staff").is_none() && message.get("seat").is_none(), "{message}");
        (message["public"]["latest"]["dice"] == json!([1, 2, 3])).then_some(())
    });
    // Messages of the round arrive before the reply to a command sent after it.
    let last = other.send(&place(4, &[("small", 100)]));
    loop {
        let ReceivedFrame::Json(message) = other.socket.receive() else { panic!("the other terminal is cut off") };
        assert!(message.get("staff").is_none() && !message["seat"].to_string().contains("small"), "{message}");
        if message["answers"].as_array().is_some_and(|answers| answers.iter().any(|one| one["sequence"] == last)) {
            break;
        }
    }
    for (role, screen, is_let_in) in [
        ("pit-supervisor", "pit", true),
        ("cashier", "cage", true),
        ("auditor", "audit", true),
        ("dealer", "pit", false),
        ("cashier", "audit", false),
        ("dealer", "cage", false),
    ] {
        let person = house.person(role);
        let path = format!("/api/v1/house/{screen}");
        let opened = Socket::try_open(house.address(), &path, &[("cookie", &person.cookie)]);
        assert_eq!(opened.as_ref().err(), (!is_let_in).then_some(&403), "{role} at {screen}");
        if let Ok(socket) = opened {
            assert!(socket.next()["snapshot"]["parts"].is_object());
        }
    }
    // Nobody bets at another seat.
    refused(&terminal.ask(&place(4, &[("small", 100)])), "not-allowed");
}

/// 1.9: a void round has no result, even if it was voided late.
#[test]
fn late_void_shows_no_result() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    dealing.open_bets();
    dealing.conclude([2, 3, 4]);
    let ruling = json!({"rule": {"ruling": {"void": {"round": 1}}, "why": "the cover was lifted"}});
    wait_until("it is ruled", || {
        let answer = house.person("shift-manager").round(1, ruling.clone());
        answer.get("refused").is_none()
    });
    wait_until("it is shown", || {
        let snapshot = Socket::open(house.address(), "/api/v1/tables/1/display", &[]).next();
        let result = &snapshot["snapshot"]["public"]["results"][0];
        result["void"] == "ruling" && result["dice"].is_null()
    });
}

/// 5.6, F82: every late void is published, and its player gets the amounts.
#[test]
fn rounds_voided_together_are_notified_one_by_one() {
    let house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 10_000);
    let mut terminal = house.terminal(1, 3);
    for credits in [11_000, 12_000] {
        dealing.open_bets();
        accepted(&terminal.place(&[("big", 1_000)]));
        dealing.conclude([4, 5, 6]);
        terminal.until("what was won", |terminal| terminal.view["credits"] == credits);
    }
    let display = Socket::open(house.address(), "/api/v1/tables/1/display", &[]);
    display.next();
    let damaged = json!({"void-damaged": {"from": 1, "to": 2, "dice_set": null, "why": "a die is chipped"}});
    let what = json!({"table": {"table": 1, "round": damaged}});
    let approval = dealing.supervisor.approved_by(&house.person("pit-manager"), "void-damaged", &what);
    accepted(&dealing.supervisor.table(1, Some(approval), &json!({"round": damaged})));
    for round in [1, 2] {
        display.until("the void", |message| {
            let latest = &message["public"]["latest"];
            (latest["round"] == round && latest["void"] == "damaged-dice").then_some(())
        });
    }
    terminal.until("both changes", |terminal| terminal.view["messages"].as_array().is_some_and(|all| all.len() == 2));
    let message = &terminal.view["messages"][1];
    assert_eq!(
        (&message["number"], &message["is_read"], &message["credits"]),
        (&json!(2), &json!(false), &json!(10_000))
    );
    let change = &message["changed"];
    assert_eq!((&change["round"], &change["void"]), (&json!(2), &json!("damaged-dice")));
    assert_eq!((&change["amount"], &change["at_once"]), (&json!(-1_000), &json!(-1_000)));
    assert_eq!(terminal.view["credits"], 10_000);
}

/// 5.2: until the close the console shows boxes below the minimum, with their bets.
#[test]
fn boxes_below_the_minimum_are_shown_until_the_close() {
    let house = TestCasino::open();
    let limits = json!({"unit": 100, "boxes": [], "rest": {"min": 2_500, "max": 100_000}, "differential": 0});
    let dealing = Dealing::with(&house, 2, Some(&limits));
    let console = dealing.dealer.console(2);
    dealing.open_bets();
    accepted(&dealing.dealer.cluster(2, place(3, &[("sum:9", 1_000)])));
    let below = |message: &Value| message["staff"]["below"].as_array().cloned();
    let below_minimum = console.until("the box", |message| below(message).filter(|boxes| !boxes.is_empty()));
    let bets = json!([{"seat": 3, "chips": "own", "amount": 1_000}]);
    assert_eq!(json!(below_minimum), json!([{"box": "sum:9", "total": 1_000, "minimum": 2_500, "bets": bets}]));
    accepted(&dealing.dealer.cluster(2, json!({"advise": {"box": "sum:9"}})));
    dealing.deals("close-bets");
    console.until("none", |message| below(message).filter(Vec::is_empty));
}
