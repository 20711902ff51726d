//! A screen's connection: what it sends is put before its table, and what the table says is sent to it. Messages are bounded in
//! size; a connection that is silent for too long, or sends what cannot be read, ends.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use serde::Deserialize;
use taisai_table::{Actor, ClusterCommand, CommandId, DeviceId, RoundCommand, Seat};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::leaving::{Reply, Topic};
use crate::line::{Line, Messages};
use crate::table::TableMail;

/// No message of a screen has more bytes.
pub(crate) const LARGEST_MESSAGE: usize = 64 * 1024;

/// How often a screen is asked whether it is there, and how long it may be silent.
const PING: Duration = Duration::from_millis(500);
const SILENT: Duration = Duration::from_millis(1_500);

/// Why a connection ends, as the protocol numbers it.
const BAD_MESSAGE: u16 = 1007;
const GOING_AWAY: u16 = 1001;

/// A Player Terminal that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    pub(crate) device: DeviceId,
    pub(crate) cluster: u16,
    pub(crate) seat: Seat,
    pub(crate) source: u64,
}

/// A person at a staff screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Staff {
    pub(crate) actor: Actor,
    pub(crate) source: u64,
}

/// Who is at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Screen {
    Terminal(Terminal),
    Console(Staff),
    Display,
}

/// A command of a terminal, under the number that it gave it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FromTerminal {
    sequence: u64,
    command: ClusterCommand,
}

/// A command of a console.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FromConsole {
    sequence: u64,
    #[serde(flatten)]
    command: TableCommand,
}

/// A command for one side of a table.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TableCommand {
    /// For the dealer's side.
    Round(RoundCommand),
    /// For a players' side.
    Cluster { number: u16, command: ClusterCommand },
}

/// What cannot be read, in a sentence.
struct Unreadable(String);

impl Screen {
    const fn topics(self) -> &'static [Topic] {
        match self {
            Self::Terminal(_) | Self::Display => &[Topic::Public],
            Self::Console(_) => &[Topic::Public, Topic::Staff],
        }
    }

    fn hello(self, line: Line) -> TableMail {
        match self {
            Self::Terminal(Terminal { cluster, seat, .. }) => TableMail::Sit { cluster, seat, line },
            Self::Console(_) | Self::Display => TableMail::Follow { topics: self.topics().to_vec(), line },
        }
    }

    fn read(self, text: &str, line: &Line) -> Result<TableMail, Unreadable> {
        let bad = |error: serde_json::Error| Unreadable(error.to_string());
        match self {
            Self::Terminal(Terminal { device, cluster, seat, source }) => {
                let FromTerminal { sequence, command } = serde_json::from_str(text).map_err(bad)?;
                let (actor, id) = (Actor::Terminal { device, seat }, CommandId { source, sequence });
                Ok(TableMail::Cluster { cluster, actor, id, command, reply: Reply::Seat(sequence) })
            }
            Self::Console(Staff { actor, source }) => {
                let FromConsole { sequence, command } = serde_json::from_str(text).map_err(bad)?;
                let (id, reply) = (CommandId { source, sequence }, Reply::Line(line.clone(), sequence));
                Ok(match command {
                    TableCommand::Round(command) => TableMail::Round { actor, id, command, reply },
                    TableCommand::Cluster { number: cluster, command } => {
                        TableMail::Cluster { cluster, actor, id, command, reply }
                    }
                })
            }
            Self::Display => Err(Unreadable("a display sends nothing".to_owned())),
        }
    }
}

/// Runs a connection to its end.
pub(crate) async fn run(mut socket: WebSocket, screen: Screen, table: mpsc::Sender<TableMail>) {
    let (line, messages) = Line::new();
    if table.send(screen.hello(line.clone())).await.is_ok() {
        let farewell = converse(&mut socket, screen, &line, messages, &table).await;
        // The other end may be gone already.
        drop(socket.send(Message::Close(farewell)).await);
    }
    if let Screen::Terminal(Terminal { cluster, seat, .. }) = screen {
        // A table that has stopped needs no word.
        table.send(TableMail::Gone { cluster, seat, line }).await.unwrap_or_default();
    }
}

async fn converse(
    socket: &mut WebSocket,
    screen: Screen,
    line: &Line,
    mut messages: Messages,
    table: &mpsc::Sender<TableMail>,
) -> Option<CloseFrame> {
    let mut waiting: Vec<Utf8Bytes> = Vec::new();
    let mut heard = Instant::now();
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let close = |code, reason: &str| Some(CloseFrame { code, reason: reason.into() });
    loop {
        tokio::select! {
            said = messages.take(&mut waiting) => {
                if !said {
                    return close(GOING_AWAY, "cut off: connect again");
                }
                for message in waiting.drain(..) {
                    if socket.send(Message::Text(message)).await.is_err() {
                        return None;
                    }
                }
            }
            received = socket.recv() => {
                heard = Instant::now();
                match received {
                    Some(Ok(Message::Text(text))) => match screen.read(&text, line) {
                        Ok(letter) => if table.send(letter).await.is_err() {
                            return close(GOING_AWAY, "the table has stopped");
                        },
                        Err(Unreadable(why)) => return close(BAD_MESSAGE, &why),
                    },
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Binary(_))) => return close(BAD_MESSAGE, "messages are text"),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT || socket.send(Message::Ping(axum::body::Bytes::new())).await.is_err() {
                    return None;
                }
            }
        }
    }
}
