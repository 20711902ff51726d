//! The display at a table: it shows what anyone may see, and sends nothing.

use axum::Extension;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use taisai_endpoint::endpoint;
use taisai_engine::Topic;
use taisai_table::TableId;

use super::{Farewell, Screen, converse, upgrade};
use crate::auth::Caller;
use crate::http::accept::Held;
use crate::http::denied::Denied;
use crate::http::request::Named;
use crate::server::Shared;
use crate::ws::connection::Connection;

struct Display;

impl Screen for Display {
    async fn hear(&mut self, _: &str) -> Result<(), Farewell> {
        Err(Farewell::Bad("a display sends nothing".to_owned()))
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
    State(server): State<Shared>,
    Named(table): Named<u16>,
    caller: Caller,
    held: Option<Extension<Held>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let door = server.table(TableId(table))?;
    let place = server.displays.take(TableId(table), caller).ok_or(Denied::TooMany)?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let (connection, messages) = Connection::new();
        let farewell = match door.subscribe(vec![Topic::Public], None, connection).await {
            Ok(()) => converse(&mut socket, &mut Display, messages, &server).await,
            Err(stopped) => stopped.into(),
        };
        drop((server, door, place));
        farewell.say(socket).await;
    }))
}
