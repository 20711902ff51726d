//! Dice tumblers over a socket of their own; docs/tumbler.md describes what they say. What a tumbler says becomes commands of the
//! round, which decides what counts; the Dealer still commits. Whatever else it does ends at its own connection.

mod message;
mod session;

use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::response::Response;
use taisai_endpoint::endpoint;
use taisai_table::{DeviceKind, TableId};
use tokio::time::{Interval, interval};

use crate::devices::{self, Life, Proven, Taken, Told};
use crate::http::accept::Held;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::Named;
use crate::node::handle::TableHandle;
use crate::server::Shared;
use crate::ws::connection::Connection;
use crate::ws::{Farewell, Screen, converse, upgrade};
use session::{Heard, Hearing};

/// How often it is looked whether a tumbler may still speak.
const CHECKED: Duration = Duration::from_secs(1);

/// Where tumblers connect.
pub(crate) fn routes() -> Routes {
    Routes::of([connect::add_to])
}

/// The socket of a dice tumbler. It proves itself as every device does, and then says what it does; docs/tumbler.md.
#[endpoint(
    get,
    "/tables/{table}/tumbler",
    params(("table" = u16, Path, description = "The table")),
    responses(
        (status = 101, description = "The connection is a WebSocket from now on"),
        (status = 404, description = "There is no such table"),
    )
)]
async fn connect(
    State(server): State<Shared>,
    Named(table): Named<u16>,
    held: Option<Extension<Held>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let table = TableId(table);
    let door = server.table(table)?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let farewell = tumble(&mut socket, &server, table, door).await;
        drop(server);
        farewell.say(socket).await;
    }))
}

async fn tumble(socket: &mut WebSocket, server: &Shared, table: TableId, door: TableHandle) -> Farewell {
    let (proven, place) = match prove(socket, server).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    tracing::info!(table = table.0, device = proven.device.0, "a tumbler is connected");
    let (connection, messages) = Connection::new();
    let hearing = Hearing::new(proven, table, door, server.doors.house());
    let mut tumbler = Tumbler { hearing, connection, place, doubted_by: Vec::new(), checks: interval(CHECKED) };
    let farewell = converse(socket, &mut tumbler, messages, server).await;
    tracing::info!(table = table.0, device = proven.device.0, "a tumbler has gone");
    farewell
}

async fn prove(socket: &mut WebSocket, server: &Shared) -> Result<(Proven, Taken), Denied> {
    let proven = devices::prove(socket, server).await?;
    match proven.kind {
        DeviceKind::Tumbler => Ok((proven, devices::take(server, proven).await?)),
        DeviceKind::Terminal { .. }
        | DeviceKind::NoteAcceptor { .. }
        | DeviceKind::Screen
        | DeviceKind::ChipReader { .. } => Err(Denied::NotForYou),
    }
}

struct Tumbler {
    hearing: Hearing,
    connection: Connection,
    place: Taken,
    /// Those who wait for a sign of life, as they say to be this tumbler.
    doubted_by: Vec<Life>,
    checks: Interval,
}

impl Screen for Tumbler {
    async fn hear(&mut self, text: &str) -> Result<(), Farewell> {
        match self.hearing.hear(text).await? {
            Heard::Answer(answer) => {
                self.connection.send(answer);
                Ok(())
            }
            Heard::Enough(denied) => Err(denied.into()),
        }
    }

    async fn told(&mut self) -> Option<Farewell> {
        loop {
            tokio::select! {
                told = self.place.told() => match told {
                    Told::ShowLife(life) => {
                        self.doubted_by.push(life);
                        return None;
                    }
                    Told::CutOff => return Some(Denied::NotProven.into()),
                },
                _ = self.checks.tick() => match self.hearing.may_speak().await {
                    Ok(true) => {}
                    Ok(false) => return Some(Denied::NotYours.into()),
                    Err(stopped) => return Some(stopped.into()),
                },
            }
        }
    }

    fn lives(&mut self) {
        self.doubted_by.drain(..).for_each(Life::shown);
    }
}

#[cfg(test)]
mod tests;
