//! Dice tumblers (docs/tumbler.md). What a tumbler sends becomes commands of the round, which decides what counts; the Dealer still
//! commits. Misbehaviour ends only the tumbler's own connection.

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

use crate::devices::{self, ConnectionSignal, DeviceConnection, LifeSign, Proven};
use crate::http::accept::ConnectionGuard;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::node::handle::TableHandle;
use crate::server::SharedServer;
use crate::ws::connection::Connection;
use crate::ws::{CloseReason, SocketSession, run_session, upgrade};
use session::{TumblerReply, TumblerSession};

/// How often the session checks that its tumbler is not revoked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

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
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let table = TableId(table);
    let handle = server.table(table)?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let reason = tumble(&mut socket, &server, table, handle).await;
        drop(server);
        reason.close(socket).await;
    }))
}

async fn tumble(socket: &mut WebSocket, server: &SharedServer, table: TableId, handle: TableHandle) -> CloseReason {
    let (proven, device_connection) = match prove(socket, server).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    tracing::info!(table = table.0, device = proven.device.0, "a tumbler has connected");
    let (connection, messages) = Connection::new();
    let session = TumblerSession::new(proven, table, handle, server.node.house());
    let mut tumbler =
        Tumbler { session, connection, device_connection, life_signs: Vec::new(), checks: interval(CHECK_INTERVAL) };
    let reason = run_session(socket, &mut tumbler, messages, server).await;
    tracing::info!(table = table.0, device = proven.device.0, "a tumbler has disconnected");
    reason
}

async fn prove(socket: &mut WebSocket, server: &SharedServer) -> Result<(Proven, DeviceConnection), Denied> {
    let proven = devices::prove(socket, server).await?;
    match proven.kind {
        DeviceKind::Tumbler => Ok((proven, devices::register(server, proven).await?)),
        DeviceKind::Terminal { .. }
        | DeviceKind::NoteAcceptor { .. }
        | DeviceKind::Screen
        | DeviceKind::ChipReader { .. } => Err(Denied::NotForYou),
    }
}

struct Tumbler {
    session: TumblerSession,
    connection: Connection,
    device_connection: DeviceConnection,
    /// Reports to those who wait for a sign of life, because another connection claims to be this tumbler.
    life_signs: Vec<LifeSign>,
    checks: Interval,
}

impl SocketSession for Tumbler {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        match self.session.receive(text).await? {
            TumblerReply::Send(answer) => {
                self.connection.send(answer);
                Ok(())
            }
            TumblerReply::Enough(denied) => Err(denied.into()),
        }
    }

    async fn signal(&mut self) -> Option<CloseReason> {
        loop {
            tokio::select! {
                signal = self.device_connection.signal() => match signal {
                    ConnectionSignal::ShowLife(life) => {
                        self.life_signs.push(life);
                        return None;
                    }
                    ConnectionSignal::CutOff => return Some(Denied::NotProven.into()),
                },
                _ = self.checks.tick() => match self.session.is_accepted().await {
                    Ok(true) => {}
                    Ok(false) => return Some(Denied::NotYours.into()),
                    Err(stopped) => return Some(stopped.into()),
                },
            }
        }
    }

    fn alive(&mut self) {
        self.life_signs.drain(..).for_each(LifeSign::confirm);
    }
}

#[cfg(test)]
mod tests;
