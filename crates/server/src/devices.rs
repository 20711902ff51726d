//! Devices: they are enrolled with a one-time code, prove themselves with a key of their own, and have one connection each.

use axum::extract::ws::WebSocket;
use taisai_table::{DeviceId, DeviceKind};
use utoipa_axum::router::OpenApiRouter;

use crate::denied::Denied;
use crate::server::{Server, Shared};

/// The devices that are connected.
pub(crate) struct Devices {}

/// A device that has proved itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proven {
    pub(crate) device: DeviceId,
    pub(crate) kind: DeviceKind,
    /// The number of its commands; the same each time it connects.
    pub(crate) source: u64,
}

impl Devices {
    pub(crate) fn cut(&self, _: DeviceId) {}
}

/// Has the device at the other end prove itself.
pub(crate) async fn prove(_socket: &mut WebSocket, _server: &Server) -> Result<Proven, Denied> {
    Err(Denied::NotYours)
}

/// Where devices are enrolled.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
}
