//! Note acceptors (docs/acceptor.md). An acceptor holds a note and asks; its cluster decides, and only accepted notes are stacked
//! (F86). In a training installation the server simulates them.

mod message;

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use taisai_endpoint::endpoint;
use taisai_table::{Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, Refusal, Seat};

use crate::devices::{ClusterDevice, DeviceUpgrade, UnreadableMessage};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;
use crate::server::{Server, SharedServer};
#[cfg(test)]
pub(crate) use message::FromAcceptor;
use message::read;

pub(crate) fn routes() -> Routes {
    Routes::of([connect::add_to])
}

/// The socket of a note acceptor. It proves itself as every device does, and then asks for each note; docs/acceptor.md. A casino
/// whose profile names no notes has no such address.
#[endpoint(
    get,
    "/tables/{table}/acceptor",
    params(("table" = u16, Path, description = "The table"), crate::ws::InCluster),
    responses(
        (status = 101, description = "The connection is a WebSocket from now on"),
        (status = 404, description = "There is no such table, or the casino takes no notes"),
    )
)]
async fn connect(State(server): State<SharedServer>, upgrade: DeviceUpgrade) -> Result<Response, Denied> {
    if server.profile.notes.is_empty() {
        return Err(Denied::Unknown);
    }
    upgrade.serve::<Acceptor>()
}

#[derive(Clone, Copy)]
struct Acceptor {
    cluster: ClusterId,
    seat: Seat,
}

impl ClusterDevice for Acceptor {
    const NAME: &'static str = "note acceptor";

    /// A person feeds a note in about two seconds.
    const RATE: (u32, Duration) = (16, Duration::from_millis(250));

    fn of(kind: DeviceKind) -> Option<Self> {
        match kind {
            DeviceKind::NoteAcceptor { cluster, seat } => Some(Self { cluster, seat }),
            DeviceKind::Terminal { .. } | DeviceKind::Tumbler | DeviceKind::Screen | DeviceKind::ChipReader { .. } => {
                None
            }
        }
    }

    fn cluster(self) -> ClusterId {
        self.cluster
    }

    fn actor(self, device: DeviceId) -> Actor {
        Actor::NoteAcceptor { device, seat: self.seat }
    }

    fn read(self, text: &str) -> Result<(u64, ClusterCommand), UnreadableMessage> {
        read(text, self.seat)
    }
}

/// Feeds a note to the simulated acceptor of a seat. The command has the number of the terminal's command.
pub(crate) async fn simulated(
    server: &Server,
    (cluster, seat): (ClusterId, Seat),
    handle: &TableHandle,
    id: CommandId,
    command: ClusterCommand,
) -> Result<CommandReply, Stopped> {
    match server.node.house().read(move |house| house.acceptor_at(cluster, seat)).await? {
        Some(device) => handle.ask_cluster(cluster.number, Actor::NoteAcceptor { device, seat }, id, command).await,
        None => Ok(CommandReply::refused(Refusal::UnknownDevice)),
    }
}
