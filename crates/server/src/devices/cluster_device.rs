//! Devices that send numbered commands to one cluster: note acceptors and chip readers. Each command is answered before the next one
//! is read, and one that is sent again is carried out once.

use std::time::{Duration, Instant};

use axum::extract::ws::WebSocket;
use serde::Serialize;
use taisai_engine::seat_of;
use taisai_table::{Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, House, Seat, TableId};
use tokio::time::{Interval, interval};

use super::{Life, Pace, Proven, Taken, Told, prove, take};
use crate::auth::commands::no_such_seat;
use crate::http::denied::Denied;
use crate::http::reply::{Answer, json};
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;
use crate::server::Shared;
use crate::ws::connection::Connection;
use crate::ws::{Farewell, Screen, converse};

/// How often it is looked whether a device may still speak.
const CHECKED: Duration = Duration::from_secs(1);

/// So many messages in a row that cannot be read or come too fast end the connection.
const PATIENCE: u32 = 64;

/// A kind of device that sends commands to its cluster.
pub(crate) trait AsksCluster: Copy {
    /// What it is called in the log.
    const NAME: &'static str;

    /// How many messages it may send at once, and how long until one more.
    const PACE: (u32, Duration);

    /// The device, if it is one of this kind.
    fn of(kind: DeviceKind) -> Option<Self>;

    fn cluster(self) -> ClusterId;

    fn actor(self, device: DeviceId) -> Actor;

    fn read(self, text: &str) -> Result<(u64, ClusterCommand), Unreadable>;
}

/// A message that cannot be read; with its number, if that could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) Option<u64>);

/// The answer to a message of a device; without its number where that could not be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ToDevice {
    sequence: Option<u64>,
    answer: Answer,
}

/// Lets a device of that kind prove itself, and answers it until the connection ends.
pub(crate) async fn answer<D: AsksCluster>(socket: &mut WebSocket, server: &Shared, table: TableId) -> Farewell {
    let proven = match prove(socket, server).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    let Some(kind) = D::of(proven.kind) else { return Denied::NotForYou.into() };
    let cluster = kind.cluster();
    if cluster.table != table {
        return Denied::NotYours.into();
    }
    let Some(door) = server.doors.cluster(cluster) else { return Farewell::Elsewhere(cluster) };
    let place = match take(server, proven).await {
        Ok(place) => place,
        Err(denied) => return denied.into(),
    };
    tracing::info!(table = table.0, device = proven.device.0, "a {} is connected", D::NAME);
    let (connection, messages) = Connection::new();
    let mut asking = Asking {
        server: Shared::clone(server),
        proven,
        kind,
        door,
        connection,
        place,
        doubted_by: Vec::new(),
        checks: interval(CHECKED),
        pace: Pace::new(D::PACE.0, D::PACE.1, Instant::now()),
        denied: 0,
    };
    let farewell = converse(socket, &mut asking, messages, server).await;
    tracing::info!(table = table.0, device = proven.device.0, "a {} has gone", D::NAME);
    farewell
}

struct Asking<D> {
    server: Shared,
    proven: Proven,
    kind: D,
    door: TableHandle,
    connection: Connection,
    place: Taken,
    /// Those who wait for a sign of life, as they say to be this device.
    doubted_by: Vec<Life>,
    checks: Interval,
    pace: Pace,
    denied: u32,
}

impl<D> Asking<D> {
    /// Whether it is still on file: one that was revoked is heard no more.
    async fn may_speak(&self) -> Result<bool, Stopped> {
        let device = self.proven.device;
        let is_known = move |house: &House| house.device(device).is_some_and(|device| !device.is_revoked);
        self.server.doors.house().look(is_known).await
    }

    fn say(&self, sequence: Option<u64>, answer: Answer) {
        self.connection.send(json(&ToDevice { sequence, answer }));
    }

    fn deny(&mut self, sequence: Option<u64>, denied: Denied) -> Result<(), Farewell> {
        self.denied += 1;
        if self.denied > PATIENCE {
            return Err(denied.into());
        }
        self.say(sequence, Answer::Refused(denied.into()));
        Ok(())
    }
}

impl<D: AsksCluster> Screen for Asking<D> {
    async fn hear(&mut self, text: &str) -> Result<(), Farewell> {
        if !self.pace.allows(Instant::now()) {
            return self.deny(None, Denied::TooMany);
        }
        let (sequence, command) = match self.kind.read(text) {
            Ok(message) => message,
            Err(Unreadable(sequence)) => return self.deny(sequence, Denied::BadRequest),
        };
        if !self.may_speak().await? {
            return Err(Denied::NotYours.into());
        }
        self.denied = 0;
        let answer = if seat_of(&command) == Some(Seat(0)) {
            no_such_seat()
        } else {
            let id = CommandId { source: self.proven.source, sequence };
            let actor = self.kind.actor(self.proven.device);
            self.door.ask_cluster(self.kind.cluster().number, actor, id, command).await?
        };
        self.say(Some(sequence), answer);
        Ok(())
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
                _ = self.checks.tick() => match self.may_speak().await {
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
