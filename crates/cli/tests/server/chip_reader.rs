//! A chip reader at a live table, over its socket, as docs/chip-reader.md describes it.

use std::path::Path;

use serde_json::{Value, json};
use taisai_rules::LimitScope;
use taisai_table::Profile;
use tokio_tungstenite::tungstenite::Message;

use crate::dealing::{Dealing, wide_limits};
use crate::house::{TWO_TABLES, TestCasino};
use crate::person::{accepted, refused};
use crate::socket::{ReceivedFrame, Socket};
use crate::terminal::{Device, place, unhex};

const READER: u32 = 901;

/// A live table whose profile refuses bets over a limit.
fn live(registration: &str) -> (TestCasino, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("refusing.toml");
    let text = Profile::SINGAPORE.replace(r#"excess = "show""#, r#"excess = "refuse""#);
    std::fs::write(&profile, text).unwrap();
    let house = TestCasino::with(&format!(
        "profile = {:?}\n\n[[table]]\nnumber = 1\ngame = \"tai-sai\"\nlayout = \"C\"\nseats = 7\nregistration = \"{registration}\"\n",
        profile.display().to_string()
    ));
    (house, folder)
}

/// Registers a reader for a table, and enrols it.
fn enrolled(house: &TestCasino, table: u16) -> Device {
    let (administrator, supervisor) = (house.person("administrator"), house.person("pit-supervisor"));
    let kind = json!({"chip-reader": {"cluster": {"table": table, "number": 0}}});
    let enrol = json!({"enrol": {"device": READER, "kind": kind}});
    accepted(&administrator.house_with_second(&supervisor, "manage-devices", &enrol));
    let approval = administrator.approved_by(&supervisor, "manage-devices", &json!({"code": {"device": READER}}));
    let (status, given) = administrator.post(&format!("/api/v1/devices/{READER}/code"), &json!({"approval": approval}));
    assert_eq!(status, 200, "{given}");
    Device::enrol(house.address(), table, 0, given["code"].as_str().unwrap())
}

struct ReaderConnection(Socket);

impl ReaderConnection {
    fn connect(house: &TestCasino, device: &Device) -> Self {
        let path = format!("/api/v1/tables/{}/chip-reader", device.table);
        let mut socket = Socket::open(house.address(), &path, &[]);
        let challenge = unhex(socket.next()["challenge"].as_str().unwrap());
        socket.send_json(&device.proof(&challenge));
        Self(socket)
    }

    fn receive(&self) -> Value {
        self.0.until("an answer", |message| message.get("answer").is_some().then(|| message.clone()))
    }

    fn asks(&mut self, message: &Value) -> Value {
        self.0.send_json(message);
        self.receive()["answer"].clone()
    }
}

fn numbered(sequence: u64, mut command: Value) -> Value {
    command["sequence"] = sequence.into();
    command
}

fn on_boxes(house: &TestCasino) -> Value {
    let staff_view = house.person("dealer").console(1).next()["snapshot"]["staff"].clone();
    let bets = staff_view["bets"].as_array().unwrap().iter();
    bets.map(|bet| json!([bet["seat"], bet["box"], bet["amount"]])).collect()
}

#[test]
fn example_of_the_document_works() {
    let (mut house, _profile) = live("every-bet");
    let mut limits = wide_limits(LimitScope::Box);
    limits["boxes"] = json!([{"boxes": "big", "min": 100, "max": 100_000}]);
    let dealing = Dealing::with(&house, 1, Some(&limits));
    dealing.open_bets();
    let device = enrolled(&house, 1);
    let mut reader = ReaderConnection::connect(&house, &device);
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/chip-reader.md");
    let document = std::fs::read_to_string(document).unwrap();
    let mut lines =
        document.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.starts_with(['>', '<']));
    let mut answers = 0;
    while let (Some(sent), Some(received)) = (lines.next(), lines.next()) {
        reader.0.send(Message::text(sent.strip_prefix("> ").unwrap()));
        let expected: Value = serde_json::from_str(received.strip_prefix("< ").unwrap()).unwrap();
        assert_eq!(reader.receive(), expected, "{sent}");
        answers += 1;
    }
    assert!(answers > 0, "there is an example");
    assert_eq!(on_boxes(&house), json!([[3, "big", 50_000], [5, "big", 60_000]]));
    dealing.conclude([4, 5, 6]);
    let (_, sheet) = house.person("auditor").get("/api/v1/tables/1/rounds/1");
    assert!(sheet.to_string().contains(r#""box":"big""#), "{sheet}");
    house.audit();
}

#[test]
fn chip_reader_reports_count_once_over_reconnects_and_a_kill() {
    let (mut house, _profile) = live("every-bet");
    let dealing = Dealing::with(&house, 1, Some(&wide_limits(LimitScope::Box)));
    dealing.open_bets();
    let device = enrolled(&house, 1);
    let first = numbered(7, place(2, &[("big", 5_000)]));
    let mut reader = ReaderConnection::connect(&house, &device);
    accepted(&reader.asks(&first));
    // The connection breaks before the reply.
    drop(reader);
    let mut reader = ReaderConnection::connect(&house, &device);
    accepted(&reader.asks(&first));
    house.kill();
    house.restart();
    let mut reader = ReaderConnection::connect(&house, &device);
    accepted(&reader.asks(&first));
    refused(&reader.asks(&numbered(7, place(2, &[("big", 6_000)]))), "command-id-reused");
    refused(&reader.asks(&numbered(6, place(2, &[("big", 6_000)]))), "command-too-old");
    assert_eq!(on_boxes(&house), json!([[2, "big", 5_000]]));
    refused(&reader.asks(&numbered(8, place(2, &[("big", 5_000)]))), "held");
    accepted(&house.person("dealer").round(1, "continue"));
    for seat in [0, 8] {
        refused(
            &reader.asks(&numbered(9 + seat, place(u32::try_from(seat).unwrap(), &[("big", 5_000)]))),
            "unknown-seat",
        );
    }
    let withdraw = json!({"withdraw": {"seat": 2, "chips": "own", "stakes": [{"box": "big", "amount": 2_000}]}});
    accepted(&reader.asks(&numbered(20, withdraw.clone())));
    accepted(&reader.asks(&numbered(20, withdraw)));
    assert_eq!(on_boxes(&house), json!([[2, "big", 3_000]]));
    accepted(&reader.asks(&json!({"sequence": 21, "clear": {"seat": 2}})));
    accepted(&house.person("dealer").round(1, "close-bets"));
    refused(&reader.asks(&numbered(22, place(2, &[("big", 5_000)]))), "bets-closed");

    // A revoked reader is cut off, and its key no longer works.
    accepted(&house.person("administrator").house(json!({"revoke": {"device": READER}})));
    assert_eq!(reader.0.over().map(|(code, _)| code), Some(4000));
    let reader = ReaderConnection::connect(&house, &device);
    assert_eq!(reader.0.over(), Some((4000, "not-proven".to_owned())));
    house.audit();
}

#[test]
fn chip_reader_is_refused_with_winners_registration_and_at_terminals() {
    let (house, _profile) = live("winners");
    let dealing = Dealing::with(&house, 1, Some(&wide_limits(LimitScope::Box)));
    dealing.open_bets();
    let mut reader = ReaderConnection::connect(&house, &enrolled(&house, 1));
    refused(&reader.asks(&numbered(1, place(2, &[("big", 5_000)]))), "other-registration");
    dealing.conclude([4, 5, 6]);
    accepted(&dealing.dealer.cluster(1, json!({"register": {"seat": 2, "stakes": [{"box": "big", "amount": 5_000}]}})));
    refused(&reader.asks(&json!({"sequence": 2, "clear": {"seat": 2}})), "other-registration");
    drop(reader);

    let house = TestCasino::with(TWO_TABLES);
    Dealing::open(&house, 1).open_bets();
    let mut reader = ReaderConnection::connect(&house, &enrolled(&house, 1));
    refused(&reader.asks(&numbered(1, place(2, &[("big", 5_000)]))), "not-allowed");
}

/// Another device's key, or a command that no reader sends, costs only that connection.
#[test]
fn misbehaving_chip_reader_loses_only_its_connection() {
    let mut house = TestCasino::with(TWO_TABLES);
    let dealing = Dealing::open(&house, 2);
    dealing.open_bets();
    let terminal = house.enrol(1, 3);
    let stranger = ReaderConnection::connect(&house, &terminal);
    assert_eq!(stranger.0.over(), Some((4000, "not-for-you".to_owned())));
    let device = enrolled(&house, 2);
    let mut elsewhere = device.clone();
    elsewhere.table = 1;
    assert_eq!(ReaderConnection::connect(&house, &elsewhere).0.over(), Some((4000, "not-yours".to_owned())));
    assert_eq!(Socket::try_open(house.address(), "/api/v1/tables/9/chip-reader", &[]).err(), Some(404));

    let mut reader = ReaderConnection::connect(&house, &device);
    for (command, code) in [
        (json!({"sequence": 1, "double": {"seat": 1}}), "bad-request"),
        (json!({"sequence": 1, "place": {"seat": 1}, "clear": {"seat": 1}}), "bad-request"),
        (numbered(1, place(1, &[("big", -5_000)])), "bad-amount"),
        (numbered(2, place(1, &[("big", i64::MAX)])), "amount-too-large"),
        (numbered(3, place(1, &[("big", 5_000), ("big", 5_000)])), "box-twice"),
        (numbered(0, place(1, &[("big", 5_000)])), "command-too-old"),
    ] {
        refused(&reader.asks(&command), code);
    }
    accepted(&reader.asks(&numbered(4, place(1, &[("big", 5_000)]))));
    // Messages that come too fast are refused; if they do not stop, the connection is closed.
    for _ in 0..1_000 {
        reader.0.send(Message::text("{}"));
    }
    let over = loop {
        match reader.0.receive() {
            ReceivedFrame::Json(_) => {}
            ReceivedFrame::Closed(why) => break why,
        }
    };
    assert!(over.is_none_or(|(code, _)| code == 4000), "it was cut off");
    // The Dealer continues, and the reader may connect again.
    accepted(&dealing.dealer.cluster(2, place(1, &[("small", 5_000)])));
    let mut reader = ReaderConnection::connect(&house, &device);
    reader.0.send(Message::text("x".repeat(100_000)));
    assert!(reader.0.over().is_none_or(|(code, _)| code != 4000), "it is no message");
    let mut reader = ReaderConnection::connect(&house, &device);
    accepted(&reader.asks(&numbered(5, place(1, &[("big", 5_000)]))));
    drop(reader);
    house.audit();
}
