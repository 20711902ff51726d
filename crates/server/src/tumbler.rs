//! Dice tumblers over a socket of their own; docs/tumbler.md describes what they say. What a tumbler says becomes commands of the
//! round, which decides what counts; the Dealer still commits. Whatever else it does ends at its own connection.

mod hearing;
mod message;
mod pace;

use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use taisai_table::{DeviceKind, TableId};
use tokio::time::{MissedTickBehavior, interval};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::denied::Denied;
use crate::devices::{self, Proven};
use crate::leaving::{Answer, json};
use crate::server::Shared;
use hearing::{Heard, Hearing};

/// No message of a tumbler has more bytes.
const LARGEST_MESSAGE: usize = 4 * 1024;

/// How often a tumbler is asked whether it is there and may still speak, and how long it may be silent.
const PING: Duration = Duration::from_secs(1);
const SILENT: Duration = Duration::from_secs(3);

/// Why a connection ends, as the protocol numbers it.
const GOING_AWAY: u16 = 1001;
const NOT_TEXT: u16 = 1003;
const NOT_ALLOWED: u16 = 1008;

/// Where tumblers connect.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(connect))
}

/// The socket of a dice tumbler. It proves itself as every device does, and then says what it does; docs/tumbler.md.
#[utoipa::path(
    get,
    path = "/tables/{table}/tumbler",
    params(("table" = u16, Path, description = "The table")),
    responses(
        (status = 101, description = "The connection is a WebSocket from now on"),
        (status = 404, description = "There is no such table"),
    )
)]
async fn connect(
    State(server): State<Shared>,
    Path(table): Path<u16>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let table = TableId(table);
    let door = server.doors.table(table).ok_or(Denied::Unknown)?;
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE).read_buffer_size(1_024);
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        let end = match prove(&mut socket, &server).await {
            Ok(proven) => {
                tracing::info!(table = table.0, device = proven.device.0, "a tumbler is connected");
                let hearing = Hearing::new(proven, table, door, server.doors.house());
                let end = converse(&mut socket, hearing).await;
                tracing::info!(table = table.0, device = proven.device.0, "a tumbler has gone");
                end
            }
            Err(denied) => {
                // The other end may be gone already.
                drop(socket.send(Message::Text(json(&Answer::Refused(denied.into())))).await);
                close(NOT_ALLOWED, denied.code())
            }
        };
        drop(socket.send(Message::Close(end)).await);
    }))
}

async fn prove(socket: &mut WebSocket, server: &Shared) -> Result<Proven, Denied> {
    let proven = devices::prove(socket, server).await?;
    match proven.kind {
        DeviceKind::Tumbler => Ok(proven),
        DeviceKind::Terminal { .. } | DeviceKind::Screen => Err(Denied::NotForYou),
    }
}

/// Hears a tumbler, one message after the other, until one of the two has gone.
async fn converse(socket: &mut WebSocket, mut hearing: Hearing) -> Option<CloseFrame> {
    let mut heard = Instant::now();
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            received = socket.recv() => {
                heard = Instant::now();
                let text = match received {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => return close(NOT_TEXT, "messages are text"),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                };
                match hearing.hear(&text).await {
                    Ok(Heard::Answer(answer)) => if socket.send(Message::Text(answer)).await.is_err() {
                        return None;
                    },
                    Ok(Heard::Enough(denied)) => return close(NOT_ALLOWED, denied.code()),
                    Err(_) => return close(GOING_AWAY, "the house has stopped"),
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT || socket.send(Message::Ping(axum::body::Bytes::new())).await.is_err() {
                    return None;
                }
                match hearing.may_speak().await {
                    Ok(true) => {}
                    Ok(false) => return close(NOT_ALLOWED, "revoked"),
                    Err(_) => return close(GOING_AWAY, "the house has stopped"),
                }
            }
        }
    }
}

fn close(code: u16, reason: &'static str) -> Option<CloseFrame> {
    Some(CloseFrame { code, reason: reason.into() })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests;
