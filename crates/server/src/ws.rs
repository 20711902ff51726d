//! A screen's connection: what it sends is heard by its kind of screen, and what waits in its queue is sent to it. Messages
//! are bounded in size; a command that cannot be read is refused, and a connection that is silent for too long, or sends what is no
//! message, ends.

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
use taisai_table::{ClusterId, Role, Time};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::auth;
use crate::http::accept::{ConnectionGuard, stops};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, NumberedReplies, NumberedReply, Refused, json};
use crate::http::request::Object;
use crate::node::stopped::Stopped;
use crate::server::{Server, SharedServer};
use crate::ws::connection::{Connection, ConnectionQueue};
pub(crate) use terminal::InCluster;
#[cfg(test)]
pub(crate) use {
    house::{Desk, FromDesk},
    staff::FromStaff,
    terminal::{FromTerminal, ToTerminal},
};

/// No message of a screen has more bytes.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// So long a screen that is cut off waits for a reason.
const STOP_REASON_TIMEOUT: Duration = Duration::from_millis(100);

/// No message has more commands: their answers must fit into a queue.
const MAX_COMMANDS: usize = 100;

/// So many commands in a row may be unreadable.
const MAX_UNREADABLE_IN_A_ROW: usize = 100;

/// What is read from a connection at once: screens say little, and there are many of them.
const READ_BUFFER_BYTES: usize = 2 * 1024;

/// What is gathered before it is written, and what may be gathered at most.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
const MAX_WRITE_BUFFER_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// A screen that was quiet for so long is asked for a sign of life.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// How long it may take to give one: with the quiet before it less than two seconds.
pub(crate) const PONG_TIMEOUT: Duration = Duration::from_millis(850);

/// How often it is looked whether a person is still signed in.
const SIGN_IN_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Why a connection ends, as the protocol numbers it.
const CLOSE_GOING_AWAY: u16 = 1001;
const CLOSE_BAD_MESSAGE: u16 = 1007;
const CLOSE_DENIED: u16 = 4000;
const CLOSE_ELSEWHERE: u16 = 4001;

/// The longest reason: a closing message can hold no longer one.
const MAX_CLOSE_REASON_BYTES: usize = 120;

/// Where screens connect.
pub(crate) fn routes() -> Routes {
    Routes::of([terminal::connect::add_to, staff::connect::add_to, display::connect::add_to, house::connect::add_to])
}

/// Why a conversation ends.
pub(crate) enum CloseReason {
    /// What was sent cannot be read, or may not be sent.
    Bad(String),
    /// The server denies it.
    Denied(Denied),
    /// The terminal's cluster runs on another machine: it connects again, and names it.
    Elsewhere(ClusterId),
    /// The house has stopped, or the screen was cut off.
    Away(Cow<'static, str>),
    /// The other end has gone.
    Gone,
}

impl From<Stopped> for CloseReason {
    fn from(_: Stopped) -> Self {
        Self::Away("the house has stopped".into())
    }
}

impl From<Denied> for CloseReason {
    fn from(denied: Denied) -> Self {
        match denied {
            // It may pass: the screen connects again.
            Denied::Stopped | Denied::Internal | Denied::TooSlow | Denied::Elsewhere => {
                Self::Away(denied.code().into())
            }
            denied => Self::Denied(denied),
        }
    }
}

impl CloseReason {
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

    /// Ends a connection with it.
    pub(crate) async fn say(self, mut socket: WebSocket) {
        if let Some(frame) = self.frame() {
            // The other end may be gone already.
            drop(socket.send(Message::Close(Some(frame))).await);
        }
    }
}

/// A kind of screen.
pub(crate) trait SocketSession {
    /// Hears what was sent.
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason>;

    /// Waits until the screen is to end for a reason of its own, or `None`: until it is to show a sign of life.
    async fn signal(&mut self) -> Option<CloseReason> {
        std::future::pending().await
    }

    /// There was a sign of life.
    fn alive(&mut self) {}
}

/// The house's time, as a quiet screen is told it: what hears nothing for some seconds has lost the house.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Beat))]
pub(crate) struct Heartbeat {
    beat: Time,
}

/// Reads a message, or a part of one.
fn read<'a, M: Deserialize<'a>>(text: &'a str) -> Result<M, CloseReason> {
    let read = serde_json::from_str(text).map_err(|error| CloseReason::Bad(error.to_string()));
    read.map(|Object(message)| message)
}

/// The number of a command that can be read no further.
#[derive(Deserialize)]
struct SequenceOnly {
    sequence: u64,
}

/// A message of commands with its commands apart, for when one of them cannot be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCommands<'a> {
    #[serde(borrow)]
    commands: Vec<&'a RawValue>,
}

/// The commands of a screen that cannot be read: each is answered under its number, and a screen that sends many is cut off.
struct UnreadableCommands {
    connection: Connection,
    in_a_row: usize,
}

impl UnreadableCommands {
    const fn new(connection: Connection) -> Self {
        Self { connection, in_a_row: 0 }
    }

    /// A message could be read as a whole.
    const fn none(&mut self) {
        self.in_a_row = 0;
    }

    /// The commands of a message that can be read.
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

    /// Reads the commands of a message one by one, and answers those that cannot be read.
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

/// As much of a text as a reason may have.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_CLOSE_REASON_BYTES)]
}

/// What a person is told of a command; a house that has stopped ends the conversation.
fn told(answer: Result<CommandReply, Denied>) -> Result<CommandReply, CloseReason> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(denied @ (Denied::Stopped | Denied::Elsewhere)) => Err(denied.into()),
        Err(denied) => Ok(CommandReply::Refused(denied.into())),
    }
}

/// Whether a message holds no more commands than one may.
fn not_too_many(commands: usize) -> Result<(), CloseReason> {
    if commands > MAX_COMMANDS {
        return Err(CloseReason::Bad(format!("a message holds at most {MAX_COMMANDS} commands")));
    }
    Ok(())
}

/// Takes a connection over as a socket.
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

/// Watches over a person at a screen: when they are signed out, suspended, idle for too long or hold none of the roles any
/// more, the connection is closed. It ends with the screen.
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

/// Talks until one of both ends it.
pub(crate) async fn converse(
    socket: &mut WebSocket,
    screen: &mut impl SocketSession,
    messages: ConnectionQueue,
    server: &Server,
) -> CloseReason {
    match talk(socket, screen, messages, server).await {
        // A part of the house that stops lets go of its screens before it is known why.
        CloseReason::Away(why) => {
            let mut stopping = server.stopping.subscribe();
            CloseReason::Away(timeout(STOP_REASON_TIMEOUT, stops(&mut stopping)).await.unwrap_or(why))
        }
        reason @ (CloseReason::Bad(_) | CloseReason::Denied(_) | CloseReason::Elsewhere(_) | CloseReason::Gone) => {
            reason
        }
    }
}

async fn talk(
    socket: &mut WebSocket,
    screen: &mut impl SocketSession,
    mut messages: ConnectionQueue,
    server: &Server,
) -> CloseReason {
    let (clock, mut stopping) = (server.clock, server.stopping.subscribe());
    let mut waiting: Vec<Utf8Bytes> = Vec::new();
    let mut heard = Instant::now();
    // Whether a sign of life was asked for since something was heard.
    let mut is_asked = false;
    let mut quiet = pin!(sleep_until(heard + PING_INTERVAL));
    let mut stops = pin!(stops(&mut stopping));
    loop {
        tokio::select! {
            // Replies leave before the next message is read: a screen cannot fill its own queue.
            biased;
            said = messages.take(&mut waiting) => {
                if !said {
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
                    // The end of a connection is no sign of life: whoever connects again is no copy.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return CloseReason::Gone,
                    Some(Ok(Message::Binary(_))) => return CloseReason::Bad("messages are text".to_owned()),
                    Some(Ok(Message::Text(text))) => Some(text),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => None,
                };
                heard = Instant::now();
                if std::mem::take(&mut is_asked) {
                    quiet.as_mut().reset(heard + PING_INTERVAL);
                }
                screen.alive();
                if let Some(text) = message && let Err(reason) = screen.receive(&text).await {
                    return reason;
                }
            }
            () = &mut quiet => {
                if is_asked {
                    return CloseReason::Gone;
                }
                let until = heard + PING_INTERVAL;
                if until > Instant::now() {
                    quiet.as_mut().reset(until);
                    continue;
                }
                // The protocol's own question is seen by no page, so a page is told the time beside it.
                // What another node may show by now is no longer shown as if it were so.
                if !server.lease.holds() {
                    return CloseReason::Away(Denied::Elsewhere.code().into());
                }
                let beat = json(&Heartbeat { beat: clock.now() });
                let asked = async {
                    socket.feed(Message::Ping(Bytes::new())).await?;
                    socket.send(Message::Text(beat)).await
                };
                if asked.await.is_err() {
                    return CloseReason::Gone;
                }
                is_asked = true;
                quiet.as_mut().reset(Instant::now() + server.sign_of_life);
            }
            told = screen.signal() => {
                if let Some(reason) = told {
                    return reason;
                }
                if !is_asked {
                    if socket.send(Message::Ping(Bytes::new())).await.is_err() {
                        return CloseReason::Gone;
                    }
                    is_asked = true;
                    quiet.as_mut().reset(Instant::now() + server.sign_of_life);
                }
            }
            why = &mut stops => return CloseReason::Away(why),
        }
    }
}

#[cfg(test)]
mod tests;
