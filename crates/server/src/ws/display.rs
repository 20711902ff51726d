//! The display at a table: it shows the public view and sends nothing.

use axum::Extension;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use taisai_endpoint::endpoint;
use taisai_engine::Topic;
use taisai_table::TableId;

use super::{CloseReason, SocketSession, run_session, upgrade};
use crate::auth::ClientAddress;
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::server::SharedServer;
use crate::ws::connection::Connection;

struct Display;

impl SocketSession for Display {
    async fn receive(&mut self, _: &str) -> Result<(), CloseReason> {
        Err(CloseReason::Bad("a display sends nothing".to_owned()))
    }
}

/// The socket of a display: a snapshot of what anyone may see of the table, then its changes.
#[endpoint(
    get,
    "/tables/{table}/display",
    params(("table" = u16, Path, description = "The table")),
    responses((status = 101, description = "A WebSocket: messages `snapshot` and `public`"))
)]
pub(super) async fn connect(
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    caller: ClientAddress,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let handle = server.table(TableId(table))?;
    let place = server.displays.reserve(TableId(table), caller).ok_or(Denied::TooMany)?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let (connection, messages) = Connection::new();
        let reason = match handle.subscribe(vec![Topic::Public], None, connection).await {
            Ok(()) => run_session(&mut socket, &mut Display, messages, &server).await,
            Err(stopped) => stopped.into(),
        };
        drop((server, handle, place));
        reason.close(socket).await;
    }))
}
