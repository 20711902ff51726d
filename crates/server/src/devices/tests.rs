//! Devices at a running server.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use data_encoding::HEXLOWER;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use taisai_table::{
    Act, DeviceId, DeviceKind, House, HouseCommand, Person, ReportedEvent, Role, Roles, SecretOwner,
    SignificantEventKind, Time,
};
use tokio_tungstenite::tungstenite;

use super::challenge::{Signed, content, proven};
use super::{ConnectionSignal, Proven, enrolment_code, register};
use crate::auth::approvals::ApprovedAct;
use crate::auth::secrets::hex;
use crate::auth::{TimeOuts, report_refused};
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::server::SharedServer;
use crate::tests::running::{ADMINISTRATOR, DEVICE, HttpReply, RunningServer, answered_by_manager};

const CHALLENGE: [u8; 32] = [3; 32];

fn key(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

fn signed(key: &SigningKey, house: [u8; 16], device: DeviceId, challenge: &[u8; 32]) -> Signed {
    let signature = key.sign(&content(house, device, challenge));
    Signed { device, signature: HEXLOWER.encode(&signature.to_bytes()) }
}

async fn enrol(house: &RunningServer, code: &str, key: &SigningKey) -> HttpReply {
    let public_key = HEXLOWER.encode(&key.verifying_key().to_bytes());
    house.post("/devices/enrol", "", json!({"code": code, "public_key": public_key})).await
}

async fn code(house: &RunningServer) -> String {
    let expires = Time(house.server.clock.now().0 + 60_000);
    enrolment_code(&house.server.secrets, DEVICE, expires, 0).await.unwrap()
}

async fn prove(house: &RunningServer, signed: &Signed) -> Result<Proven, Denied> {
    proven(&house.server, &CHALLENGE, signed).await
}

/// How many reports of a copy the House received.
async fn copies(house: &RunningServer) -> usize {
    let read = |house: &taisai_table::House| {
        house.significant().filter(|event| matches!(event.what, SignificantEventKind::TokenCopied(_))).count()
    };
    house.server.node.house().read(read).await.unwrap()
}

fn administrator() -> Person {
    Person { id: ADMINISTRATOR, roles: Roles::of(&[Role::Administrator]) }
}

/// A request without an approval.
fn alone() -> Value {
    json!({"approval": null})
}

async fn revoke(house: &RunningServer) {
    let answer = house.ask(administrator(), HouseCommand::Revoke { device: DEVICE }).await;
    assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
}

#[tokio::test]
async fn a_device_is_enrolled_by_a_code_once() {
    let house = RunningServer::start().await;
    let code = code(&house).await;
    assert_eq!(house.post("/devices/enrol", "", json!({"code": code, "public_key": "00"})).await.code(), "bad-request");
    let weak = json!({"code": code, "public_key": HEXLOWER.encode(&[0; 32])});
    assert_eq!(house.post("/devices/enrol", "", weak).await.code(), "bad-request");
    assert_eq!(enrol(&house, "0000-0000-0000-0000-0000-0000-00", &key(1)).await.code(), "bad-code");
    assert_eq!(enrol(&house, "nonsense", &key(1)).await.code(), "bad-code");
    let response = enrol(&house, &code.to_lowercase(), &key(1)).await;
    let enrolled = house.server.devices.enrolled(DEVICE).unwrap();
    let expected = json!({"device": DEVICE, "house": "07".repeat(16), "source": enrolled.source, "kind": "screen"});
    assert_eq!(response.body, expected);
    assert_eq!(enrol(&house, &code, &key(2)).await.code(), "bad-code", "used");

    let late = enrolment_code(&house.server.secrets, DEVICE, house.server.clock.now(), 0).await.unwrap();
    assert_eq!(enrol(&house, &late, &key(2)).await.code(), "bad-code", "too old");
    let other = enrolment_code(&house.server.secrets, DeviceId(99), Time(u64::MAX / 2), 0).await.unwrap();
    assert_eq!(enrol(&house, &other, &key(2)).await.code(), "bad-code", "not on file");
    for _ in 0..15 {
        assert_eq!(enrol(&house, "nonsense", &key(1)).await.code(), "bad-code");
    }
    assert_eq!(enrol(&house, "nonsense", &key(1)).await.code(), "too-many");
}

/// The rows of the device and of its code, as they were before, put back by someone who can write to the store.
#[tokio::test]
async fn an_older_key_or_a_used_code_is_not_believed_again() {
    let house = RunningServer::start().await;
    let place = house.server.place.house;
    let store = rusqlite::Connection::open(house.data().join("secrets.db")).unwrap();
    enrol(&house, &code(&house).await, &key(1)).await;
    let code = code(&house).await;
    store.execute_batch("CREATE TABLE old AS SELECT * FROM devices; CREATE TABLE used AS SELECT * FROM codes").unwrap();
    assert_eq!(enrol(&house, &code, &key(2)).await.body["device"], json!(DEVICE));
    assert!(prove(&house, &signed(&key(2), place, DEVICE, &CHALLENGE)).await.is_ok());
    store.execute_batch("INSERT INTO codes SELECT * FROM used").unwrap();
    assert_eq!(enrol(&house, &code, &key(3)).await.code(), "bad-code");
    store.execute_batch("DELETE FROM devices; INSERT INTO devices SELECT * FROM old").unwrap();
    let house = RunningServer::open(house.close().await, TimeOuts::default()).await;
    assert_eq!(prove(&house, &signed(&key(1), place, DEVICE, &CHALLENGE)).await, Err(Denied::NotProven));
    report_refused(&house.server).await.unwrap();
    let what = SignificantEventKind::Reported(ReportedEvent::SecretRefused { owner: SecretOwner::Device(DEVICE) });
    let look = move |house: &House| house.significant().filter(|event| event.what == what).count();
    assert_eq!(house.server.node.house().read(look).await.unwrap(), 1);
}

#[tokio::test]
async fn an_administrator_gets_a_code() {
    let house = RunningServer::start().await;
    let cookie = house.sign_in(ADMINISTRATOR).await;
    assert_eq!(house.post("/devices/9/code", "", alone()).await.code(), "not-signed-in");
    let dealer = house.sign_in(taisai_table::PersonId(4)).await;
    assert_eq!(house.post("/devices/9/code", &dealer, alone()).await.code(), "not-allowed");
    assert_eq!(house.post("/devices/99/code", &cookie, alone()).await.code(), "unknown");
    for key in [key(1), key(2)] {
        let response = house.post("/devices/9/code", &cookie, alone()).await;
        assert_eq!(response.code(), "not-approved", "nobody is a device by one person's word");
        let (by, what) = (administrator(), ApprovedAct::Code { device: DEVICE }.text());
        let approval = answered_by_manager(&house, by, Act::ManageDevices, &what, true).await;
        let response = house.post("/devices/9/code", &cookie, json!({"approval": approval})).await;
        assert_eq!(enrol(&house, response.body["code"].as_str().unwrap(), &key).await.body["device"], json!(DEVICE));
    }
    let given = |house: &House| {
        house.significant().filter(|event| event.what == SignificantEventKind::CodeGiven(DEVICE)).count()
    };
    assert_eq!(house.server.node.house().read(given).await.unwrap(), 2, "each is on record");
    let body = json!({"source": house.get("/me", &cookie).await.body["source"], "sequence": 1, "approval": null,
        "command": {"give-code": {"device": 9, "second": null}}});
    assert_eq!(house.post("/house/commands", &cookie, body).await.status, 400, "a code is given where it is shown");
    revoke(&house).await;
    assert_eq!(house.post("/devices/9/code", &cookie, alone()).await.code(), "unknown", "revoked");
}

#[tokio::test]
async fn only_the_key_of_a_device_proves_it_and_a_copy_is_reported() {
    let house = RunningServer::start().await;
    let place = house.server.place.house;
    let right = signed(&key(1), place, DEVICE, &CHALLENGE);
    assert_eq!(prove(&house, &right).await, Err(Denied::NotProven), "it has no key yet");
    enrol(&house, &code(&house).await, &key(1)).await;
    let source = house.server.devices.enrolled(DEVICE).unwrap().source;
    assert_eq!(prove(&house, &right).await, Ok(Proven { device: DEVICE, kind: DeviceKind::Screen, source }));
    assert_eq!(copies(&house).await, 0);
    for wrong in [
        signed(&key(2), place, DEVICE, &CHALLENGE),
        signed(&key(1), [8; 16], DEVICE, &CHALLENGE),
        signed(&key(1), place, DEVICE, &[4; 32]),
        signed(&key(1), place, DeviceId(10), &CHALLENGE),
        Signed { device: DEVICE, signature: "00".repeat(64) },
        Signed { device: DEVICE, signature: "00".to_owned() },
        Signed { device: DEVICE, signature: signed(&key(1), place, DeviceId(10), &CHALLENGE).signature },
    ] {
        assert_eq!(prove(&house, &wrong).await, Err(Denied::NotProven), "{wrong:?}");
    }
    assert_eq!(copies(&house).await, 1, "one a minute");
    revoke(&house).await;
    assert_eq!(prove(&house, &right).await, Err(Denied::NotProven), "revoked");
}

#[tokio::test]
async fn a_device_has_one_connection() {
    let house = RunningServer::start().await;
    enrol(&house, &code(&house).await, &key(1)).await;
    let right = signed(&key(1), house.server.place.house, DEVICE, &CHALLENGE);
    let device = prove(&house, &right).await.unwrap();
    let mut taken = register(&house.server, device).await.unwrap();
    let alive = async {
        let ConnectionSignal::ShowLife(life) = taken.signal().await else { panic!("it was cut off") };
        life.confirm();
    };
    let (copy, ()) = tokio::join!(register(&house.server, device), alive);
    assert_eq!(copy.err(), Some(Denied::NotProven));
    assert_eq!(copies(&house).await, 1);

    enrol(&house, &code(&house).await, &key(2)).await;
    assert!(matches!(taken.signal().await, ConnectionSignal::CutOff), "enrolled anew");
    assert_eq!(prove(&house, &right).await, Err(Denied::NotProven), "the old key");
    assert_eq!(register(&house.server, device).await.err(), Some(Denied::NotProven), "proved before, with the old key");
    let device = prove(&house, &signed(&key(2), house.server.place.house, DEVICE, &CHALLENGE)).await.unwrap();
    let mut taken = register(&house.server, device).await.unwrap();

    revoke(&house).await;
    house.server.devices.cut(DEVICE, None);
    assert!(matches!(taken.signal().await, ConnectionSignal::CutOff), "revoked");
    drop(taken);
    assert_eq!(register(&house.server, device).await.err(), Some(Denied::NotProven), "proved before it was revoked");
}

/// The first answer to a device that connects: its source, or why it is denied.
async fn connected(mut socket: WebSocket, server: SharedServer) {
    let reply = match super::prove(&mut socket, &server).await {
        Ok(proven) => proven.source.to_string(),
        Err(denied) => denied.code().to_owned(),
    };
    // A device that sent a bad message may not read.
    drop(socket.send(Message::Text(reply.into())).await);
}

/// Connects, is challenged, and answers.
fn answer(address: SocketAddr, answer: impl FnOnce(Value) -> tungstenite::Message) -> String {
    let stream = TcpStream::connect(address).unwrap();
    let (mut socket, _) = tungstenite::client(format!("ws://{address}/"), stream).unwrap();
    let challenge = socket.read().unwrap().into_text().unwrap();
    socket.send(answer(serde_json::from_str(&challenge).unwrap())).unwrap();
    socket.read().unwrap().into_text().unwrap().to_string()
}

#[tokio::test]
async fn a_device_proves_itself_over_a_socket() {
    let house = RunningServer::start().await;
    enrol(&house, &code(&house).await, &key(1)).await;
    let (source, place) = (house.server.devices.enrolled(DEVICE).unwrap().source, house.server.place.house);
    let upgrade = async |State(server): State<SharedServer>, upgrade: WebSocketUpgrade| {
        upgrade.on_upgrade(|socket| connected(socket, server))
    };
    let router = Router::new().route("/", any(upgrade)).with_state(Arc::clone(&house.server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(axum::serve(listener, router).into_future());
    let devices = move || {
        let right = |challenge: Value| {
            let challenge = hex::bytes(challenge["challenge"].as_str().unwrap()).unwrap();
            serde_json::to_string(&signed(&key(1), place, DEVICE, &challenge)).unwrap()
        };
        let mut recorded = String::new();
        let honest = answer(address, |challenge| {
            recorded = right(challenge);
            recorded.as_str().into()
        });
        let replayed = answer(address, |_| recorded.into());
        let long = answer(address, |challenge| format!("{}{}", right(challenge), " ".repeat(1_024)).into());
        let binary = answer(address, |challenge| right(challenge).into_bytes().into());
        let unreadable = answer(address, |_| "{}".into());
        [honest, replayed, long, binary, unreadable]
    };
    let response = tokio::task::spawn_blocking(devices).await.unwrap();
    assert_eq!(response, [&source.to_string(), "not-proven", "not-proven", "not-proven", "not-proven"]);
    assert_eq!(copies(&house).await, 1, "what was recorded is of no use again");
    served.abort();
}
