//! WebSocket sessions of screens and devices: reading commands, sending what waits in the connection's queue, pings and closing.
//!
//! The size of a message is bounded. A command that cannot be read is refused under its number; a connection that stays silent or
//! sends something that is no message is closed.

pub(crate) mod connection;
mod display;
mod house;
pub(crate) mod publisher;
mod staff;
mod terminal;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::WebSocketUpgrade;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use axum::response::Response;
use futures_util::SinkExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taisai_table::{ClusterId, RecentCommands, Role, Time};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::auth;
use crate::http::accept::ConnectionGuard;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, NumberedReplies, NumberedReply, Refused, json};
use crate::http::request::Object;
use crate::node::stopped::Stopped;
use crate::server::{Server, SharedServer, stop_reason};
use crate::ws::connection::{Connection, ConnectionQueue};
pub(crate) use terminal::InCluster;
#[cfg(test)]
pub(crate) use {
    house::{FromHouseScreen, HouseScreen},
    staff::FromStaff,
    terminal::{FromTerminal, ToTerminal},
};

const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// How long a closed session waits for the reason why the server stops.
const STOP_REASON_TIMEOUT: Duration = Duration::from_millis(100);

/// A message that may not have been carried out is sent again: no more of its commands are taken than machines remember.
const MAX_COMMANDS: usize = RecentCommands::KEPT;

const MAX_UNREADABLE_IN_A_ROW: usize = 100;

/// Small, because screens send little and there are many of them.
const READ_BUFFER_BYTES: usize = 2 * 1024;

/// Bytes to collect before they are written, and the most that may be collected.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
const MAX_WRITE_BUFFER_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// A connection that was quiet for this long is pinged.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// How long a pong may take: together with the quiet before it less than two seconds.
pub(crate) const PONG_TIMEOUT: Duration = Duration::from_millis(850);

const SIGN_IN_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// WebSocket close codes.
const CLOSE_GOING_AWAY: u16 = 1001;
const CLOSE_BAD_MESSAGE: u16 = 1007;
const CLOSE_DENIED: u16 = 4000;
const CLOSE_ELSEWHERE: u16 = 4001;

/// A close frame holds at most 125 bytes, two of them for the code.
const MAX_CLOSE_REASON_BYTES: usize = 120;

pub(crate) fn routes() -> Routes {
    Routes::of([terminal::connect::add_to, staff::connect::add_to, display::connect::add_to, house::connect::add_to])
}

/// Why a connection is closed.
pub(crate) enum CloseReason {
    /// The message cannot be read, or this kind of client may not send it.
    Bad(String),
    Denied(Denied),
    /// The terminal's cluster runs on another node: the terminal reconnects and names the cluster.
    Elsewhere(ClusterId),
    /// The server stops, or it closed this connection.
    Away(Cow<'static, str>),
    /// The client has disconnected.
    Gone,
}

impl From<Stopped> for CloseReason {
    fn from(_: Stopped) -> Self {
        Self::Away("the server has stopped".into())
    }
}

impl From<Denied> for CloseReason {
    fn from(denied: Denied) -> Self {
        // The client reconnects and sends again what may not have been carried out.
        if denied.leaves_fate_unknown() { Self::Away(denied.code().into()) } else { Self::Denied(denied) }
    }
}

impl CloseReason {
    /// The cluster does not run here. Where its record cannot be read, the device tries again until it can.
    pub(crate) fn not_here(server: &Server, cluster: ClusterId) -> Self {
        if server.is_closed(cluster.table) {
            Self::Away(Denied::Unreadable.code().into())
        } else {
            Self::Elsewhere(cluster)
        }
    }

    fn frame(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Bad(why) => (CLOSE_BAD_MESSAGE, why),
            Self::Denied(denied) => (CLOSE_DENIED, denied.code().to_owned()),
            Self::Elsewhere(cluster) => (CLOSE_ELSEWHERE, cluster.number.to_string()),
            Self::Away(why) => (CLOSE_GOING_AWAY, why.into_owned()),
            Self::Gone => return None,
        };
        Some(CloseFrame { code, reason: beginning(&reason).into() })
    }

    /// Closes the socket for this reason.
    pub(crate) async fn close(self, mut socket: WebSocket) {
        if let Some(frame) = self.frame() {
            // The client may have disconnected already.
            drop(socket.send(Message::Close(Some(frame))).await);
        }
    }
}

/// What a kind of screen or device does with its connection.
pub(crate) trait SocketSession {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason>;

    /// Waits until the session must end for a reason of its own, or, with `None`, until the client must be pinged.
    async fn signal(&mut self) -> Option<CloseReason> {
        std::future::pending().await
    }

    /// The client has sent something, a pong included.
    fn alive(&mut self) {}
}

/// The time of the server, sent to a quiet screen. A screen that receives nothing for some seconds has lost its connection.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Beat))]
pub(crate) struct Heartbeat {
    beat: Time,
}

fn read<'a, M: Deserialize<'a>>(text: &'a str) -> Result<M, CloseReason> {
    let read = serde_json::from_str(text).map_err(|error| CloseReason::Bad(error.to_string()));
    read.map(|Object(message)| message)
}

/// The number of a command that cannot be read any further.
#[derive(Deserialize)]
struct SequenceOnly {
    sequence: u64,
}

/// A message whose commands are parsed one by one, because one of them cannot be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCommands<'a> {
    #[serde(borrow)]
    commands: Vec<&'a RawValue>,
}

/// Refuses commands that cannot be read under their numbers, and closes the connection when too many come in a row.
struct UnreadableCommands {
    connection: Connection,
    in_a_row: usize,
}

impl UnreadableCommands {
    const fn new(connection: Connection) -> Self {
        Self { connection, in_a_row: 0 }
    }

    /// Call this when a whole message could be read.
    const fn none(&mut self) {
        self.in_a_row = 0;
    }

    /// The readable commands of a message.
    fn commands<M: DeserializeOwned, C: DeserializeOwned>(
        &mut self,
        text: &str,
        of: impl FnOnce(M) -> Vec<C>,
    ) -> Result<Vec<C>, CloseReason> {
        if let Ok(Object(message)) = serde_json::from_str(text) {
            self.none();
            let commands = of(message);
            not_too_many(commands.len())?;
            return Ok(commands);
        }
        let RawCommands { commands } = read(text)?;
        self.one_by_one(&commands)
    }

    /// Reads commands one by one and refuses those that cannot be read.
    fn one_by_one<C: DeserializeOwned>(&mut self, commands: &[&RawValue]) -> Result<Vec<C>, CloseReason> {
        not_too_many(commands.len())?;
        let (mut readable, mut answers) = (Vec::new(), Vec::new());
        for command in commands {
            match serde_json::from_str(command.get()) {
                Ok(command) => {
                    self.in_a_row = 0;
                    readable.push(command);
                }
                Err(why) => {
                    self.in_a_row += 1;
                    let SequenceOnly { sequence } = read(command.get())?;
                    answers.push(NumberedReply { sequence, answer: CommandReply::Refused(bad_command(&why)) });
                }
            }
        }
        if self.in_a_row > MAX_UNREADABLE_IN_A_ROW {
            return Err(CloseReason::Bad("too many commands cannot be read".to_owned()));
        }
        if !answers.is_empty() {
            self.connection.send(json(&NumberedReplies { answers }));
        }
        Ok(readable)
    }
}

fn bad_command(why: &serde_json::Error) -> Refused {
    let denied = Refused::from(Denied::BadCommand);
    Refused { sentence: format!("{} {}", denied.sentence, beginning(&why.to_string())).into(), ..denied }
}

/// Cuts a text to the length of a close reason.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_CLOSE_REASON_BYTES)]
}

/// The reply to a person's command. If the server has stopped or the partition has moved, the connection is closed instead.
fn reply_or_close(answer: Result<CommandReply, Denied>) -> Result<CommandReply, CloseReason> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(denied @ (Denied::Unreachable | Denied::Stopped | Denied::Elsewhere)) => Err(denied.into()),
        Err(denied) => Ok(CommandReply::Refused(denied.into())),
    }
}

fn not_too_many(commands: usize) -> Result<(), CloseReason> {
    if commands > MAX_COMMANDS {
        return Err(CloseReason::Bad(format!("a message holds at most {MAX_COMMANDS} commands")));
    }
    Ok(())
}

/// Upgrades a request to a WebSocket.
pub(crate) fn upgrade<F: Future<Output = ()> + Send + 'static>(
    socket: WebSocketUpgrade,
    held: Option<Extension<ConnectionGuard>>,
    run: impl FnOnce(WebSocket) -> F + Send + 'static,
) -> Response {
    socket
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(MAX_WRITE_BUFFER_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(async move |socket| {
            run(socket).await;
            drop(held);
        })
}

/// Closes the connection of a person who is signed out, suspended, idle for too long or no longer holds one of the roles. The watch
/// ends when it is dropped.
struct SignInWatch(JoinHandle<()>);

impl SignInWatch {
    fn over(server: &SharedServer, login: u64, roles: Option<&'static [Role]>, connection: Connection) -> Self {
        let server = Arc::downgrade(server);
        let watch = async move {
            loop {
                tokio::time::sleep(SIGN_IN_CHECK_INTERVAL).await;
                let Some(server) = server.upgrade() else { return };
                let by = auth::still(&server, login, false).await;
                if !by.is_ok_and(|by| roles.is_none_or(|roles| by.person.roles.any(roles))) {
                    return connection.close();
                }
            }
        };
        Self(tokio::spawn(watch))
    }
}

impl Drop for SignInWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a session until either side closes it.
pub(crate) async fn run_session(
    socket: &mut WebSocket,
    screen: &mut impl SocketSession,
    messages: ConnectionQueue,
    server: &Server,
) -> CloseReason {
    match run_until_closed(socket, screen, messages, server).await {
        // A partition that stops closes its connections before the server knows why it stops.
        CloseReason::Away(why) => {
            let mut stopping = server.stopping.subscribe();
            CloseReason::Away(timeout(STOP_REASON_TIMEOUT, stop_reason(&mut stopping)).await.unwrap_or(why))
        }
        reason @ (CloseReason::Bad(_) | CloseReason::Denied(_) | CloseReason::Elsewhere(_) | CloseReason::Gone) => {
            reason
        }
    }
}

async fn run_until_closed(
    socket: &mut WebSocket,
    screen: &mut impl SocketSession,
    mut messages: ConnectionQueue,
    server: &Server,
) -> CloseReason {
    let (clock, mut stopping) = (server.clock, server.stopping.subscribe());
    let mut waiting: Vec<Utf8Bytes> = Vec::new();
    let mut last_received = Instant::now();
    // Whether the client was pinged since it last sent something.
    let mut is_pinged = false;
    let mut quiet = pin!(sleep_until(last_received + PING_INTERVAL));
    let mut stop_reason = pin!(stop_reason(&mut stopping));
    loop {
        tokio::select! {
            // Replies are sent before the next message is read, so that a client cannot fill its own queue.
            biased;
            is_open = messages.take(&mut waiting) => {
                if !is_open {
                    return CloseReason::Away("cut off: connect again".into());
                }
                let send = async {
                    for message in waiting.drain(..) {
                        socket.feed(Message::Text(message)).await?;
                    }
                    SinkExt::<Message>::flush(socket).await
                };
                if send.await.is_err() {
                    return CloseReason::Gone;
                }
            }
            received = socket.recv() => {
                let message = match received {
                    // A disconnect is no sign of life: otherwise a device that reconnects would be taken for a copy.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return CloseReason::Gone,
                    Some(Ok(Message::Binary(_))) => return CloseReason::Bad("messages are text".to_owned()),
                    Some(Ok(Message::Text(text))) => Some(text),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => None,
                };
                last_received = Instant::now();
                if std::mem::take(&mut is_pinged) {
                    quiet.as_mut().reset(last_received + PING_INTERVAL);
                }
                screen.alive();
                if let Some(text) = message && let Err(reason) = screen.receive(&text).await {
                    return reason;
                }
            }
            () = &mut quiet => {
                if is_pinged {
                    return CloseReason::Gone;
                }
                let until = last_received + PING_INTERVAL;
                if until > Instant::now() {
                    quiet.as_mut().reset(until);
                    continue;
                }
                // Pages do not see pings, so they get the time beside it. After the lease another node may publish newer views:
                // this one must not look alive then.
                if !server.lease.holds() {
                    return CloseReason::Away(Denied::Elsewhere.code().into());
                }
                let beat = json(&Heartbeat { beat: clock.now() });
                let pinged = async {
                    socket.feed(Message::Ping(Bytes::new())).await?;
                    socket.send(Message::Text(beat)).await
                };
                if pinged.await.is_err() {
                    return CloseReason::Gone;
                }
                is_pinged = true;
                quiet.as_mut().reset(Instant::now() + server.sign_of_life);
            }
            signal = screen.signal() => {
                if let Some(reason) = signal {
                    return reason;
                }
                if !is_pinged {
                    if socket.send(Message::Ping(Bytes::new())).await.is_err() {
                        return CloseReason::Gone;
                    }
                    is_pinged = true;
                    quiet.as_mut().reset(Instant::now() + server.sign_of_life);
                }
            }
            why = &mut stop_reason => return CloseReason::Away(why),
        }
    }
}

#[cfg(test)]
mod tests;
