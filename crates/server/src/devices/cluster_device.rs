//! Devices that send numbered commands to one cluster: note acceptors and chip readers. A command is answered before the next is
//! read, and a repeated one is carried out once.

use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::FromRequestParts;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use taisai_engine::seat_of;
use taisai_table::{Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, House, Seat, TableId};
use tokio::time::{Interval, interval};

use super::{ConnectionSignal, DeviceConnection, LifeSign, Proven, RateLimit, prove, register};
use crate::auth::commands::no_such_seat;
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, json};
use crate::http::request::{PathParams, QueryParams};
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;
use crate::server::SharedServer;
use crate::ws::connection::Connection;
use crate::ws::{CloseReason, InCluster, SocketSession, run_session, upgrade};

/// How often the session checks that its device is not revoked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// More unreadable or too frequent messages in a row close the connection.
const MAX_DENIED_IN_A_ROW: u32 = 64;

pub(crate) trait ClusterDevice: Copy + Send + Sync + 'static {
    /// The name in log lines.
    const NAME: &'static str;

    /// The burst of messages, and the interval at which one more is allowed.
    const RATE: (u32, Duration);

    fn of(kind: DeviceKind) -> Option<Self>;

    fn cluster(self) -> ClusterId;

    fn actor(self, device: DeviceId) -> Actor;

    fn read(self, text: &str) -> Result<(u64, ClusterCommand), UnreadableMessage>;
}

/// A message that cannot be read, with its number if that can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadableMessage(pub(crate) Option<u64>);

/// The answer to a message of a device; without its number where that could not be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = ToDevice))]
pub(crate) struct DeviceReply {
    pub(super) sequence: Option<u64>,
    pub(super) answer: CommandReply,
}

/// A request for the socket of a device at a table.
pub(crate) struct DeviceUpgrade {
    server: SharedServer,
    table: TableId,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
}

impl FromRequestParts<SharedServer> for DeviceUpgrade {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, server: &SharedServer) -> Result<Self, Response> {
        let PathParams(table) = PathParams::from_request_parts(parts, server).await?;
        let QueryParams(InCluster { .. }) = QueryParams::from_request_parts(parts, server).await?;
        let held = Extension::from_request_parts(parts, server).await.ok();
        let socket = WebSocketUpgrade::from_request_parts(parts, server).await.map_err(IntoResponse::into_response)?;
        Ok(Self { server: SharedServer::clone(server), table: TableId(table), held, socket })
    }
}

impl DeviceUpgrade {
    /// Upgrades the connection and runs the session of a device of that kind.
    pub(crate) fn serve<D: ClusterDevice>(self) -> Result<Response, Denied> {
        let Self { server, table, held, socket } = self;
        if !server.node.is_laid_out(table) {
            return Err(Denied::Unknown);
        }
        Ok(upgrade(socket, held, move |mut socket| async move {
            let reason = answer::<D>(&mut socket, &server, table).await;
            drop(server);
            reason.close(socket).await;
        }))
    }
}

async fn answer<D: ClusterDevice>(socket: &mut WebSocket, server: &SharedServer, table: TableId) -> CloseReason {
    let proven = match prove(socket, server).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    let Some(kind) = D::of(proven.kind) else { return Denied::NotForYou.into() };
    let cluster = kind.cluster();
    if cluster.table != table {
        return Denied::NotYours.into();
    }
    let Some(handle) = server.node.cluster(cluster) else { return CloseReason::not_here(server, cluster) };
    let device_connection = match register(server, proven).await {
        Ok(device_connection) => device_connection,
        Err(denied) => return denied.into(),
    };
    tracing::info!(table = table.0, device = proven.device.0, "a {} has connected", D::NAME);
    let (connection, messages) = Connection::new();
    let mut asking = ClusterDeviceSession {
        server: SharedServer::clone(server),
        proven,
        kind,
        handle,
        connection,
        device_connection,
        life_signs: Vec::new(),
        checks: interval(CHECK_INTERVAL),
        pace: RateLimit::new(D::RATE.0, D::RATE.1, Instant::now()),
        denied: 0,
    };
    let reason = run_session(socket, &mut asking, messages, server).await;
    tracing::info!(table = table.0, device = proven.device.0, "a {} has disconnected", D::NAME);
    reason
}

struct ClusterDeviceSession<D> {
    server: SharedServer,
    proven: Proven,
    kind: D,
    handle: TableHandle,
    connection: Connection,
    device_connection: DeviceConnection,
    /// Reports to those who wait for a sign of life, because another connection claims to be this device.
    life_signs: Vec<LifeSign>,
    checks: Interval,
    pace: RateLimit,
    denied: u32,
}

impl<D> ClusterDeviceSession<D> {
    /// Whether the device is on file and not revoked.
    async fn is_accepted(&self) -> Result<bool, Stopped> {
        let device = self.proven.device;
        let is_known = move |house: &House| house.device(device).is_some_and(|device| !device.is_revoked);
        self.server.node.house().read(is_known).await
    }

    fn send(&self, sequence: Option<u64>, answer: CommandReply) {
        self.connection.send(json(&DeviceReply { sequence, answer }));
    }

    fn deny(&mut self, sequence: Option<u64>, denied: Denied) -> Result<(), CloseReason> {
        self.denied += 1;
        if self.denied > MAX_DENIED_IN_A_ROW {
            return Err(denied.into());
        }
        self.send(sequence, CommandReply::Refused(denied.into()));
        Ok(())
    }
}

impl<D: ClusterDevice> SocketSession for ClusterDeviceSession<D> {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        if !self.pace.allows(Instant::now()) {
            return self.deny(None, Denied::TooMany);
        }
        let (sequence, command) = match self.kind.read(text) {
            Ok(message) => message,
            Err(UnreadableMessage(sequence)) => return self.deny(sequence, Denied::BadRequest),
        };
        if !self.is_accepted().await? {
            return Err(Denied::NotYours.into());
        }
        self.denied = 0;
        let answer = if seat_of(&command) == Some(Seat(0)) {
            no_such_seat()
        } else {
            let id = CommandId { source: self.proven.source, sequence };
            let actor = self.kind.actor(self.proven.device);
            self.handle.ask_cluster(self.kind.cluster().number, actor, id, command).await?
        };
        self.send(Some(sequence), answer);
        Ok(())
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
                _ = self.checks.tick() => match self.is_accepted().await {
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
