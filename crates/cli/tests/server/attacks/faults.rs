//! Clock steps, a full disk and failing flushes, injected into the program by a small preloaded library.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::json;
use taisai_journal::suite::HANG_LIMIT;

use crate::dealing::{Dealing, has_happened};
use crate::house::{TWO_TABLES, TestCasino};
use crate::person::{accepted, agent, try_post};
use crate::socket::ReceivedFrame;
use crate::terminal::place;

/// The library, compiled once.
fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (library, own) = (folder.join("faults.so"), folder.join(format!("faults-{}.so", std::process::id())));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/attacks/faults.c");
        let mut cc = Command::new("cc");
        let built = cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&own).args([source, "-ldl"]).status();
        assert!(built.unwrap().success());
        // Another process may have the old file open.
        fs::rename(own, &library).unwrap();
        library
    })
}

/// A server with the fault library.
fn faulty() -> TestCasino {
    TestCasino::faulty(TWO_TABLES, library())
}

fn happen(house: &TestCasino, fault: &str, how: &str) {
    fs::write(house.folder().join(fault), how).unwrap();
}

#[test]
fn clock_steps_do_not_change_a_round() {
    for step in ["3600", "-3600"] {
        let mut house = faulty();
        let (dealing, mut terminal) = house.betting(3, 1_000_000);
        terminal.until("the countdown", |terminal| terminal.public["closes_at"].is_u64());
        let closes_at = terminal.public["closes_at"].clone();
        accepted(&terminal.place(&[("small", 1_000)]));
        happen(&house, "clock", step);
        has_happened(&house, |what| what["reported"]["clock-stepped"]["millis"].is_i64());
        // The round continues and concludes as usual, and nobody is signed out.
        accepted(&terminal.place(&[("big", 1_000)]));
        assert_eq!(terminal.public["closes_at"], closes_at);
        dealing.conclude([1, 2, 3]);
        terminal.until("the result", |terminal| terminal.view["credits"] == 1_000_000);
        house.terminate();
        let (status, log) = house.stopped();
        assert!(status.success(), "{log}");
        let (is_good, printed) = house.taisai(&["audit", "verify", "data"]);
        assert!(is_good, "{printed}");
    }
}

/// Betting stops at once, nothing is acknowledged that is not stored, and the process ends with a message. Everything
/// acknowledged is there after a restart.
fn stops_at_once(fault: &str, why: &str) {
    let mut house = faulty();
    let (_, mut terminal) = house.betting(3, 1_000_000);
    let mut taken = 0;
    for _ in 0..20 {
        accepted(&terminal.place(&[("small", 100)]));
        taken += 100;
    }
    happen(&house, fault, "");
    let sequence = terminal.send(&place(3, &[("small", 100)]));
    let by = Instant::now() + HANG_LIMIT;
    let closed = loop {
        let message = match terminal.socket.receive() {
            ReceivedFrame::Json(message) => message,
            ReceivedFrame::Closed(why) => break why,
        };
        assert!(Instant::now() < by, "it goes on: {message}");
        let answers = message["answers"].as_array().cloned().unwrap_or_default();
        let accepted =
            answers.iter().any(|answer| answer["sequence"] == sequence && answer["answer"].get("accepted").is_some());
        assert!(!accepted, "acknowledged, and not stored: {message}");
    };
    let (code, reason) = closed.expect("it says why");
    assert!(code == 1001 && reason.starts_with("the server has stopped: ") && reason.ends_with(why), "{code} {reason}");
    let (status, log) = house.stopped();
    let has_reason = |line: &str| line.contains("the server stops") && line.contains(why);
    assert!(log.lines().any(has_reason), "{log}");
    // systemd does not restart it, and the message says what a person must check.
    assert_eq!(status.code(), Some(3), "{log}");
    assert!(include_str!("../../../../../deploy/taisai.service").contains("\nRestartPreventExitStatus=3\n"));
    assert!(log.contains("look at the free space, the log of the kernel and the health of the disk"), "{log}");
    fs::remove_file(house.folder().join(fault)).unwrap();
    let device = terminal.device.clone();
    drop(terminal);
    house.restart();
    let mut terminal = device.connect(house.address());
    // The outcome of the last bet is unknown. Repeated under its number, it is one bet.
    accepted(&house.person("dealer").round(1, "continue"));
    let on_layout = terminal.view["on_layout"].as_i64().unwrap();
    assert!(on_layout == taken || on_layout == taken + 100, "{on_layout}");
    terminal.until("play", |terminal| terminal.public["is_held"] == false);
    terminal.send_as(sequence, &place(3, &[("small", 100)]));
    accepted(&terminal.answer(sequence));
    assert_eq!(terminal.view["on_layout"], taken + 100);
    // A server that receives a stop signal waits for the end of a round.
    Dealing { table: 1, dealer: house.person("dealer"), supervisor: house.person("pit-supervisor") }
        .conclude([1, 2, 3]);
    house.audit();
}

#[test]
fn full_disk_stops_the_server() {
    stops_at_once("full", "database or disk is full");
}

#[test]
fn failing_flush_stops_the_server() {
    stops_at_once("flush", "disk I/O error");
}

/// While nothing can be stored, a person who sells or signs in gets an error or no connection.
#[test]
fn no_bet_is_acknowledged_while_the_store_fails() {
    let house = faulty();
    let cashier = house.person("cashier");
    happen(&house, "flush", "");
    let sell = json!({"source": cashier.source, "sequence": 1, "command": {"sell": {"amount": 1_000}}});
    let sold = try_post(agent(), house.address(), Some(&cashier.cookie), "/api/v1/house/commands", &sell);
    if let Ok((status, answer)) = sold {
        assert!(status >= 500 || answer.get("accepted").is_none(), "{status} {answer}");
    }
    let sign_in = json!({"person": 5, "password": "whatever it was"});
    let signed_in = try_post(agent(), house.address(), None, "/api/v1/sign-in", &sign_in);
    assert!(signed_in.is_err() || signed_in.is_ok_and(|(status, _)| status >= 400));
}
