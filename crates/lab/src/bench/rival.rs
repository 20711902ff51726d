//! The rival: a server of the same framework and with the same buffers, which reads the same messages into the same types and
//! answers with as many bytes, but decides, records and flushes nothing. What it receives at one address it sends to everyone.

use std::net::SocketAddr;

use anyhow::Context as _;
use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use axum::extract::{Query, State, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use taisai_table::ClusterCommand;
use tokio::net::TcpListener;
use tokio::sync::broadcast;

use super::process::Process;
use super::terminal::TerminalEndpoint;
use crate::socket::{CasinoAddress, ClientSocket};

/// The buffers of a casino's sockets.
const READ_BUFFER: usize = 4 * 1024;
const LARGEST_MESSAGE: usize = 64 * 1024;

/// What a terminal sends, read as a casino reads it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EchoMessage {
    commands: Vec<EchoCommand>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EchoCommand {
    sequence: u64,
    command: ClusterCommand,
}

/// A note that a terminal puts in first: here there is no acceptor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteOfTerminal {
    #[serde(rename = "commands")]
    _commands: [EchoNote; 1],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EchoNote {
    #[serde(rename = "sequence")]
    _sequence: u64,
    #[serde(rename = "command")]
    _command: InsertNote,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsertNote {
    #[serde(rename = "insert-note")]
    _note: serde::de::IgnoredAny,
}

/// How long answers are.
#[derive(Clone, Copy, Deserialize)]
struct AnswerSize {
    bytes: usize,
}

/// Runs until the process is ended, and says where.
pub(super) async fn run() -> anyhow::Result<()> {
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
    println!("http://{}", listener.local_addr()?);
    serve(listener).await
}

async fn serve(listener: TcpListener) -> anyhow::Result<()> {
    let (everyone, _) = broadcast::channel(16);
    let routes = Router::new()
        .route("/echo", get(echo))
        .route("/everyone", get(follow))
        .route("/publish", get(publish))
        .with_state(everyone);
    Ok(axum::serve(listener, routes).await?)
}

fn with_buffers(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_message_size(LARGEST_MESSAGE)
        .max_frame_size(LARGEST_MESSAGE)
}

async fn echo(Query(AnswerSize { bytes }): Query<AnswerSize>, upgrade: WebSocketUpgrade) -> Response {
    with_buffers(upgrade).on_upgrade(move |mut socket| async move {
        let mut number = 0_u64;
        while let Some(Ok(Message::Text(text))) = socket.recv().await {
            number += 1;
            let answer = if let Ok(EchoMessage { commands }) = serde_json::from_str(&text) {
                answer(number, &commands, bytes)
            } else if serde_json::from_str::<NoteOfTerminal>(&text).is_ok() {
                format!(r#"{{"number":{number},"answers":[{{"sequence":1,"answer":{{"refused":null}}}}]}}"#)
            } else {
                return;
            };
            if socket.send(Message::Text(answer.into())).await.is_err() {
                return;
            }
        }
    })
}

/// An answer in the casino's form, filled up to its length.
fn answer(number: u64, commands: &[EchoCommand], bytes: usize) -> String {
    let answers = commands.iter().map(|EchoCommand { sequence, command }| {
        // The command is used, so that reading it is not left out.
        let word = if matches!(command, ClusterCommand::Place { .. }) { "accepted" } else { "refused" };
        format!("{{\"sequence\":{sequence},\"answer\":{{\"{word}\":null}}}}")
    });
    let answers = answers.collect::<Vec<_>>().join(",");
    let head = format!("{{\"number\":{number},\"answers\":[{answers}],\"fill\":\"");
    let fill = bytes.saturating_sub(head.len() + 2);
    format!("{head}{:x<fill$}\"}}", "")
}

async fn follow(State(everyone): State<broadcast::Sender<Utf8Bytes>>, upgrade: WebSocketUpgrade) -> Response {
    // Before the other end knows that it is connected, so that it misses nothing.
    let mut published = everyone.subscribe();
    with_buffers(upgrade).on_upgrade(move |mut socket: WebSocket| async move {
        // Greets each new connection, so that its end knows that it misses nothing from now on.
        let mut next = Ok(Utf8Bytes::from_static("{}"));
        while let Ok(text) = next {
            if socket.send(Message::Text(text)).await.is_err() {
                return;
            }
            next = published.recv().await;
        }
    })
}

async fn publish(State(everyone): State<broadcast::Sender<Utf8Bytes>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |mut socket| async move {
        while let Some(Ok(Message::Text(text))) = socket.recv().await {
            // Nobody may follow yet.
            everyone.send(text).unwrap_or_default();
            if socket.send(Message::Text(Utf8Bytes::from_static("{}"))).await.is_err() {
                return;
            }
        }
    })
}

/// Where the rival is.
pub(super) struct RivalAddress {
    server: CasinoAddress,
    address: SocketAddr,
}

/// Where a rival in a process of its own is.
pub(super) fn place(process: &Process) -> anyhow::Result<RivalAddress> {
    RivalAddress::new(&process.line().context("the echo server")?)
}

impl RivalAddress {
    fn new(url: &str) -> anyhow::Result<Self> {
        let server = CasinoAddress::parse(url)?;
        let address = server.authority.parse()?;
        Ok(Self { server, address })
    }

    fn endpoint(&self, path: String, greets: bool) -> TerminalEndpoint {
        let authority = self.server.authority.clone();
        TerminalEndpoint { address: self.address, authority, path, devices: Vec::new(), greets }
    }

    /// Where it answers with this many bytes.
    pub(super) fn echo(&self, bytes: usize) -> TerminalEndpoint {
        self.endpoint(format!("/echo?bytes={bytes}"), false)
    }

    /// Where everyone receives what is published.
    pub(super) fn everyone(&self) -> TerminalEndpoint {
        self.endpoint("/everyone".to_owned(), true)
    }

    /// Publishes something to everyone, and gives the time.
    pub(super) async fn publish(&self, text: &str) -> anyhow::Result<std::time::Instant> {
        let mut socket = ClientSocket::open_at(self.address, &self.server.authority, "/publish", None).await?;
        let sent = std::time::Instant::now();
        socket.send(text).await?;
        // A connection that is closed too soon may never be read.
        socket.next().await?.context("the echo server did not receive it")?;
        Ok(sent)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::answers::answers;
    use super::*;

    /// A rival in this process.
    pub(crate) async fn start() -> RivalAddress {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(serve(listener));
        RivalAddress::new(&url).unwrap()
    }

    #[tokio::test]
    async fn it_answers_each_command_with_as_many_bytes_as_the_casino() {
        let rival = start().await;
        let endpoint = rival.echo(400);
        let mut socket =
            ClientSocket::open_at(endpoint.address, &endpoint.authority, &endpoint.path, None).await.unwrap();
        let place = r#"{"place":{"seat":3,"chips":"own","stakes":[{"box":"small","amount":100}]}}"#;
        for number in 1..4 {
            let (first, second) = (2 * number, 2 * number + 1);
            let message = format!(
                r#"{{"commands":[{{"sequence":{first},"command":{place}}},{{"sequence":{second},"command":{place}}}]}}"#
            );
            socket.send(&message).await.unwrap();
            let answer = socket.next().await.unwrap().unwrap();
            assert_eq!(answer.len(), 400);
            assert_eq!(answers(answer).collect::<Vec<_>>(), [(first, true), (second, true)]);
            assert!(serde_json::from_str::<serde_json::Value>(answer).is_ok(), "{answer}");
        }
        socket.send("nonsense").await.unwrap();
        assert!(socket.next().await.unwrap().is_none(), "it reads what it is sent");
    }
}
