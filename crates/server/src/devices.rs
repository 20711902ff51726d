//! Devices: enrolment with a one-time code, proof of identity with a key, and one connection each. The machines decide what a
//! device may do; here the server only finds out which one it is.
//!
//! A session first calls [`prove`], then [`register`], and keeps the [`DeviceConnection`] while it lasts. On
//! [`ConnectionSignal::ShowLife`] it pings the device and calls [`LifeSign::shown`] when the pong arrives; on
//! [`ConnectionSignal::CutOff`] it closes.
//!
//! Call [`Devices::cut`] after the House has revoked a device: clusters do not know which devices are revoked.

pub(crate) mod acceptor;
mod challenge;
pub(crate) mod chip_reader;
mod cluster_device;
mod connected;
pub(crate) mod displays;
mod enrol;
mod rate_limit;
pub(crate) mod tumbler;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use taisai_table::{DeviceId, DeviceKind, House, HouseCommand, SecretOwner, Time};

use crate::auth::secrets::{Secrets, SecretsError, StoredDevice};
use crate::auth::{Attempts, newest_secret, record_secret};
use crate::http::denied::Denied;
use crate::server::Server;
pub(crate) use challenge::prove;
#[cfg(test)]
pub(crate) use challenge::{Challenge, Signed};
pub(crate) use cluster_device::{ClusterDevice, DeviceReply, DeviceUpgrade, UnreadableMessage};
use connected::ConnectionRegistry;
pub(crate) use connected::{ConnectionSignal, DeviceConnection, LifeSign};
pub(crate) use enrol::{enrolment_code, routes};
pub(crate) use rate_limit::RateLimit;

const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// A copied device is reported at most this often.
const REPORT_INTERVAL_MILLIS: u64 = 60 * 1_000;

pub(crate) struct Devices {
    enrolled: Mutex<HashMap<DeviceId, StoredDevice>>,
    live: ConnectionRegistry,
    /// When a copy of each device was last reported.
    copied: Mutex<HashMap<DeviceId, Time>>,
    tries: Attempts,
}

/// A device that has proved its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proven {
    pub(crate) device: DeviceId,
    pub(crate) kind: DeviceKind,
    /// The source of its commands, the same for every connection.
    pub(crate) source: u64,
}

impl Devices {
    pub(crate) async fn open(secrets: &Secrets) -> Result<Self, SecretsError> {
        let enrolled = secrets.devices().await?.into_iter().map(|kept| (kept.device, kept)).collect();
        let copied = Mutex::default();
        Ok(Self {
            enrolled: Mutex::new(enrolled),
            live: ConnectionRegistry::default(),
            copied,
            tries: Attempts::default(),
        })
    }

    /// Closes the connection of a device, unless it uses the source that the device was last enrolled with.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.live.cut(device, enrolled);
    }

    fn enrolled(&self, device: DeviceId) -> Option<StoredDevice> {
        lock(&self.enrolled).get(&device).copied()
    }

    fn is_reported(&self, device: DeviceId, now: Time) -> bool {
        let mut copied = lock(&self.copied);
        let is_due = copied.get(&device).is_none_or(|last| now.0.abs_diff(last.0) >= REPORT_INTERVAL_MILLIS);
        if is_due {
            copied.insert(device, now);
        }
        is_due
    }
}

/// Registers the connection of a device that has proved its identity. If another connection of the device is alive, this one is a
/// copy: it is denied and reported to the House.
pub(crate) async fn register(server: &Server, proven: Proven) -> Result<DeviceConnection, Denied> {
    let Some(taken) = server.devices.live.register(proven.device, proven.source, server.sign_of_life).await else {
        copied(server, proven.device).await?;
        return Err(Denied::NotProven);
    };
    // The device may have been revoked or enrolled again meanwhile, before [`Devices::cut`] could find it.
    let kind = on_file(server, proven.device).await?;
    let source = key_of(server, proven.device).await?.map(|kept| kept.source);
    if kind == Some(proven.kind) && source == Some(proven.source) { Ok(taken) } else { Err(Denied::NotProven) }
}

/// With several nodes: closes connections of devices that were revoked or enrolled again at another node, even if that node's
/// message was lost.
pub(crate) async fn close_revoked_elsewhere(server: Weak<Server>) {
    let mut interval = tokio::time::interval(CHECK_INTERVAL);
    loop {
        interval.tick().await;
        let Some(server) = server.upgrade() else { return };
        if let Err(denied) = end_outdated(&server).await {
            tracing::debug!(why = denied.code(), "could not check connected devices; trying again");
        }
    }
}

async fn end_outdated(server: &Server) -> Result<(), Denied> {
    let live = server.devices.live.all();
    if live.is_empty() {
        return Ok(());
    }
    let enrolled: HashMap<_, _> =
        server.secrets.devices().await?.into_iter().map(|kept| (kept.device, kept.source)).collect();
    let outdated = move |house: &House| {
        let is_on_file = |device| house.device(device).is_some_and(|known| !known.is_revoked);
        let is_outdated =
            |(device, source): &(DeviceId, u64)| enrolled.get(device) != Some(source) || !is_on_file(*device);
        live.into_iter().filter(is_outdated).collect::<Vec<_>>()
    };
    for (device, source) in server.node.house().read(outdated).await? {
        tracing::info!(device = device.0, "closing the connection of a device that was revoked or enrolled again");
        server.devices.live.end(device, source);
    }
    Ok(())
}

/// The key of a device, which may have been enrolled at another node. One that is older than the newest was restored; one that is newer
/// is recorded, as an enrolment was interrupted before it was. The first is not counted.
async fn key_of(server: &Server, device: DeviceId) -> Result<Option<StoredDevice>, Denied> {
    let kept = match server.peers {
        Some(_) => server.secrets.device(device).await?,
        None => server.devices.enrolled(device),
    };
    let Some(kept) = kept else { return Ok(None) };
    let owner = SecretOwner::Device(device);
    let newest = newest_secret(server, owner).await?;
    if kept.version < newest {
        server.secrets.refuse_device(device);
        return Ok(None);
    }
    if kept.version > newest.max(1) {
        record_secret(server, owner, kept.version).await?;
    }
    Ok(Some(kept))
}

/// The kind of a device, unless it is revoked or not on file.
async fn on_file(server: &Server, device: DeviceId) -> Result<Option<DeviceKind>, Denied> {
    let read = move |house: &House| house.device(device).filter(|known| !known.is_revoked).map(|known| known.kind);
    Ok(server.node.house().read(read).await?)
}

/// Reports a copied device to the House; the real one did nothing wrong.
async fn copied(server: &Server, device: DeviceId) -> Result<(), Denied> {
    if server.devices.is_reported(device, server.clock.now()) {
        tracing::warn!(device = device.0, "a copy of a device tried to connect");
        server.node.house().own(HouseCommand::CopiedToken { device }).await?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is complete, even if another holder of the lock panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
