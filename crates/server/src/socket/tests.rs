//! A connection over a real socket: what counts as a sign of life.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::routing::any;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{self, WebSocket};

use super::*;
use crate::people::running::Running;

/// A screen that hears everything and counts its signs of life.
#[derive(Default)]
struct Counting {
    signs: usize,
}

impl Screen for Counting {
    async fn hear(&mut self, _: &str) -> Result<(), Farewell> {
        Ok(())
    }

    fn lives(&mut self) {
        self.signs += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_connection_is_no_sign_of_life() {
    type Says = fn(&mut WebSocket<TcpStream>);
    let house = Running::start().await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let upgrade = async move |State(server): State<Shared>, upgrade: WebSocketUpgrade| {
        upgrade.on_upgrade(async move |mut socket| {
            let (mut screen, (_line, messages)) = (Counting::default(), Line::new());
            converse(&mut socket, &mut screen, messages, &server).await;
            tell.send(screen.signs).unwrap();
        })
    };
    let router = Router::new().route("/", any(upgrade)).with_state(Arc::clone(&house.server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let served = tokio::spawn(axum::serve(listener, router).into_future());
    let rows: [(&str, Says, usize); 5] = [
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
    for (what, says, signs) in rows {
        let connect = move || {
            let stream = TcpStream::connect(address).unwrap();
            let (mut socket, _) = tungstenite::client(format!("ws://{address}/"), stream).unwrap();
            says(&mut socket);
        };
        tokio::task::spawn_blocking(connect).await.unwrap();
        assert_eq!(told.recv().await, Some(signs), "{what}");
    }
    served.abort();
}
