//! A connection over a real socket: what counts as a sign of life.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::routing::any;
use taisai_journal::suite::HANG_LIMIT;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, WebSocket};

use super::*;
use crate::tests::running::RunningServer;

/// A screen that receives everything and counts its signs of life.
#[derive(Default)]
struct Counting {
    signs: usize,
    is_doubted: bool,
}

impl SocketSession for Counting {
    async fn receive(&mut self, _: &str) -> Result<(), CloseReason> {
        Ok(())
    }

    async fn signal(&mut self) -> Option<CloseReason> {
        if std::mem::take(&mut self.is_doubted) { None } else { std::future::pending().await }
    }

    fn alive(&mut self) {
        self.signs += 1;
    }
}

/// Serves such screens, in doubt or not, and sends the number of signs of life of each that has ended.
async fn serve(house: &RunningServer, is_doubted: bool) -> (SocketAddr, mpsc::UnboundedReceiver<usize>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let upgrade = async move |State(server): State<SharedServer>, upgrade: WebSocketUpgrade| {
        upgrade.on_upgrade(async move |mut socket| {
            let (mut screen, (_connection, messages)) = (Counting { signs: 0, is_doubted }, Connection::new());
            run_session(&mut socket, &mut screen, messages, &server).await;
            sender.send(screen.signs).unwrap_or_default();
        })
    };
    let router = Router::new().route("/", any(upgrade)).with_state(Arc::clone(&house.server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, router).into_future());
    (address, receiver)
}

fn connect(address: SocketAddr) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    tungstenite::client(format!("ws://{address}/"), stream).unwrap().0
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_connection_is_no_sign_of_life() {
    type Act = fn(&mut WebSocket<TcpStream>);
    let house = RunningServer::start().await;
    let (address, mut receiver) = serve(&house, false).await;
    let rows: [(&str, Act, usize); 5] = [
        ("it breaks off", |_| {}, 0),
        ("it says that it goes", |socket| socket.close(None).unwrap(), 0),
        ("it sends what is no message", |socket| socket.send(tungstenite::Message::binary(vec![1])).unwrap(), 0),
        ("it speaks", |socket| socket.send("{}".into()).unwrap(), 1),
        (
            "it asks, speaks and goes",
            |socket| {
                socket.send(tungstenite::Message::Ping(Bytes::new())).unwrap();
                socket.send("{}".into()).unwrap();
                socket.close(None).unwrap();
            },
            2,
        ),
    ];
    for (what, act, signs) in rows {
        tokio::task::spawn_blocking(move || act(&mut connect(address))).await.unwrap();
        assert_eq!(receiver.recv().await, Some(signs), "{what}");
    }
}

/// A screen that was quiet for long is pinged too, and gets the time: this one has not been quiet.
#[tokio::test(flavor = "multi_thread")]
async fn a_doubted_connection_is_pinged_at_once() {
    let house = RunningServer::start().await;
    let (address, _signs) = serve(&house, true).await;
    let response = move || {
        let mut socket = connect(address);
        (socket.read().unwrap(), socket.read())
    };
    let (first, second) = tokio::task::spawn_blocking(response).await.unwrap();
    assert!(first.is_ping(), "{first}");
    assert!(!second.is_ok_and(|second| second.is_text()), "it was pinged because it was quiet");
}

/// A page counts the server as lost without heartbeats, however long the server would wait for the page.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_answers_is_pinged_again() {
    let house = RunningServer::start().await;
    let (address, _signs) = serve(&house, false).await;
    let heartbeats = move || {
        let mut socket = connect(address);
        let mut heartbeats = 0;
        while heartbeats < 3 {
            heartbeats += usize::from(socket.read().unwrap().is_text());
        }
    };
    tokio::task::spawn_blocking(heartbeats).await.unwrap();
}

/// A message that is sent again after a lost connection is answered as it was: machines remember each of its commands.
#[test]
fn a_message_holds_no_more_commands_than_are_remembered() {
    let message = |count: usize| serde_json::json!({"commands": vec![0; count]}).to_string();
    let (connection, _messages) = Connection::new();
    let mut unreadable = UnreadableCommands::new(connection);
    let mut read = |count| unreadable.commands(&message(count), |_: serde_json::Value| vec![(); count]);
    assert!(read(RecentCommands::KEPT).is_ok_and(|commands| commands.len() == RecentCommands::KEPT));
    assert!(matches!(read(RecentCommands::KEPT + 1), Err(CloseReason::Bad(why)) if why.contains("at most 4 commands")));
}
