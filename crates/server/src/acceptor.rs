//! Note acceptors over a socket of their own; docs/acceptor.md describes what they say. An acceptor holds a note and asks; its
//! cluster decides, and only what it accepts is stacked (F86). In a training house the server simulates them.

mod message;

use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde::Serialize;
use taisai_endpoint::endpoint;
use taisai_table::{Actor, ClusterCommand, ClusterId, CommandId, DeviceKind, House, Refusal, Seat, TableId, Verdict};
use tokio::time::{Interval, interval};

use crate::accept::Held;
use crate::api::Routes;
use crate::denied::Denied;
use crate::devices::{self, Life, Pace, Proven, Taken, Told};
use crate::leaving::{Answer, json};
use crate::line::Line;
use crate::request::{Asked, Named};
use crate::server::{Server, Shared};
use crate::socket::{Farewell, InCluster, Screen, converse, upgrade};
use crate::stopped::Stopped;
use crate::table::TableDoor;
#[cfg(test)]
pub(crate) use message::FromAcceptor;
use message::{Unreadable, read};

/// How often it is looked whether an acceptor may still speak.
const CHECKED: Duration = Duration::from_secs(1);

/// How fast an acceptor may speak: a person feeds it a note in two seconds.
const MESSAGES: (u32, Duration) = (16, Duration::from_millis(250));

/// So many messages in a row that cannot be read or come too fast end the connection.
const PATIENCE: u32 = 64;

/// Where note acceptors connect.
pub(crate) fn routes() -> Routes {
    Routes::of([connect::add_to])
}

/// The answer to a message of a note acceptor; without its number where that could not be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ToAcceptor {
    sequence: Option<u64>,
    answer: Answer,
}

/// The socket of a note acceptor. It proves itself as every device does, and then asks for each note; docs/acceptor.md. A house
/// whose profile names no notes has no such address.
#[endpoint(
    get,
    "/tables/{table}/acceptor",
    params(("table" = u16, Path, description = "The table"), InCluster),
    responses(
        (status = 101, description = "The connection is a WebSocket from now on"),
        (status = 404, description = "There is no such table, or the house takes no notes"),
    )
)]
async fn connect(
    State(server): State<Shared>,
    Named(table): Named<u16>,
    Asked(InCluster { .. }): Asked<InCluster>,
    held: Option<Extension<Held>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let table = TableId(table);
    if server.profile.notes.is_empty() || !server.doors.is_laid_out(table) {
        return Err(Denied::Unknown);
    }
    Ok(upgrade(socket, held, move |mut socket| async move {
        let farewell = accept_notes(&mut socket, &server, table).await;
        drop(server);
        farewell.say(socket).await;
    }))
}

async fn accept_notes(socket: &mut WebSocket, server: &Shared, table: TableId) -> Farewell {
    let proven = match devices::prove(socket, server).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    let DeviceKind::NoteAcceptor { cluster, seat } = proven.kind else { return Denied::NotForYou.into() };
    if cluster.table != table {
        return Denied::NotYours.into();
    }
    let Some(door) = server.doors.cluster(cluster) else { return Farewell::Elsewhere(cluster) };
    let place = match devices::take(server, proven).await {
        Ok(place) => place,
        Err(denied) => return denied.into(),
    };
    tracing::info!(table = table.0, seat = seat.0, device = proven.device.0, "a note acceptor is connected");
    let (line, messages) = Line::new();
    let pace = Pace::new(MESSAGES.0, MESSAGES.1, Instant::now());
    let (doubted_by, checks) = (Vec::new(), interval(CHECKED));
    let server_of = Shared::clone(server);
    let mut acceptor =
        Acceptor { server: server_of, proven, cluster, seat, door, line, place, doubted_by, checks, pace, denied: 0 };
    let farewell = converse(socket, &mut acceptor, messages, server).await;
    tracing::info!(table = table.0, seat = seat.0, device = proven.device.0, "a note acceptor has gone");
    farewell
}

struct Acceptor {
    server: Shared,
    proven: Proven,
    cluster: ClusterId,
    seat: Seat,
    door: TableDoor,
    line: Line,
    place: Taken,
    /// Those who wait for a sign of life, as they say to be this acceptor.
    doubted_by: Vec<Life>,
    checks: Interval,
    pace: Pace,
    denied: u32,
}

impl Acceptor {
    /// Whether it is still on file: one that was revoked is heard no more.
    async fn may_speak(&self) -> Result<bool, Stopped> {
        let device = self.proven.device;
        let is_known = move |house: &House| house.device(device).is_some_and(|device| !device.is_revoked);
        self.server.doors.house().look(is_known).await
    }

    fn say(&self, sequence: Option<u64>, answer: Answer) {
        self.line.say(json(&ToAcceptor { sequence, answer }));
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

impl Screen for Acceptor {
    /// Each message is answered before the next one is read.
    async fn hear(&mut self, text: &str) -> Result<(), Farewell> {
        if !self.pace.allows(Instant::now()) {
            return self.deny(None, Denied::TooMany);
        }
        let (sequence, command) = match read(text, self.seat) {
            Ok(message) => message,
            Err(Unreadable(sequence)) => return self.deny(sequence, Denied::BadRequest),
        };
        if !self.may_speak().await? {
            return Err(Denied::NotYours.into());
        }
        let id = CommandId { source: self.proven.source, sequence };
        let actor = Actor::NoteAcceptor { device: self.proven.device, seat: self.seat };
        let answer = self.door.ask_cluster(self.cluster.number, actor, id, command).await?;
        self.denied = 0;
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

/// A note for the simulated acceptor of a seat. It asks for itself, under the number that the button was pressed with.
pub(crate) async fn simulated(
    server: &Server,
    (cluster, seat): (ClusterId, Seat),
    door: &TableDoor,
    id: CommandId,
    command: ClusterCommand,
) -> Result<Answer, Stopped> {
    match server.doors.house().look(move |house| house.acceptor_at(cluster, seat)).await? {
        Some(device) => door.ask_cluster(cluster.number, Actor::NoteAcceptor { device, seat }, id, command).await,
        None => Ok(Answer::new(Verdict::Refused(Refusal::UnknownDevice), |_| Vec::new())),
    }
}
