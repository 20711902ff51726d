//! Chip readers and cameras (docs/chip-reader.md). A reader reports the chips on the layout of a live table that registers every
//! bet; its cluster decides, as it does for the Dealer.

mod message;

use std::time::Duration;

use axum::response::Response;
use taisai_endpoint::endpoint;
use taisai_table::{Actor, ClusterCommand, ClusterId, DeviceId, DeviceKind};

use crate::devices::{ClusterDevice, DeviceUpgrade, UnreadableMessage};
use crate::http::api::Routes;
use crate::http::denied::Denied;
#[cfg(test)]
pub(crate) use message::FromReader;
use message::read;

pub(crate) fn routes() -> Routes {
    Routes::of([connect::add_to])
}

/// The socket of a chip reader. It proves itself as every device does, and then reports the chips on the layout; docs/chip-reader.md.
#[endpoint(
    get,
    "/tables/{table}/chip-reader",
    params(("table" = u16, Path, description = "The table"), crate::ws::InCluster),
    responses(
        (status = 101, description = "The connection is a WebSocket from now on"),
        (status = 404, description = "There is no such table"),
    )
)]
async fn connect(upgrade: DeviceUpgrade) -> Result<Response, Denied> {
    upgrade.serve::<ChipReader>()
}

#[derive(Clone, Copy)]
struct ChipReader {
    cluster: ClusterId,
}

impl ClusterDevice for ChipReader {
    const NAME: &'static str = "chip reader";

    /// A reader serves all seats of a table; many bet in the last seconds before the close.
    const RATE: (u32, Duration) = (64, Duration::from_millis(50));

    fn of(kind: DeviceKind) -> Option<Self> {
        match kind {
            DeviceKind::ChipReader { cluster } => Some(Self { cluster }),
            DeviceKind::Terminal { .. }
            | DeviceKind::Tumbler
            | DeviceKind::Screen
            | DeviceKind::NoteAcceptor { .. } => None,
        }
    }

    fn cluster(self) -> ClusterId {
        self.cluster
    }

    fn actor(self, device: DeviceId) -> Actor {
        Actor::ChipReader(device)
    }

    fn read(self, text: &str) -> Result<(u64, ClusterCommand), UnreadableMessage> {
        read(text)
    }
}
