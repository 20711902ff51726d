//! Devices: they are enrolled with a one-time code, prove themselves with a key of their own, and have one connection each. What
//! a device may do is decided by the machines; here it is only found out which one it is.
//!
//! A connection of a device goes like this: [`prove`] it, then [`take`] its place, and keep what that gives for as long as the
//! connection lasts. While it lasts [`DeviceConnection::told`] is one more thing to wait for:
//! at [`ConnectionSignal::ShowLife`] it pings the device, and calls [`LifeSign::shown`] once the pong to that ping is there; at [`ConnectionSignal::CutOff`]
//! it closes.
//!
//! Whoever has a device revoked calls [`Devices::cut`] once the House has accepted it: the machines of a table do not know which
//! devices are revoked.

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

use taisai_table::{DeviceId, DeviceKind, House, HouseCommand, Time};

use crate::auth::Attempts;
use crate::auth::secrets::{Secrets, SecretsError, StoredDevice};
use crate::http::denied::Denied;
use crate::server::Server;
pub(crate) use challenge::prove;
#[cfg(test)]
pub(crate) use challenge::{Challenge, Signed};
#[cfg(test)]
pub(crate) use cluster_device::DeviceReply;
pub(crate) use cluster_device::{ClusterDevice, UnreadableMessage, answer};
use connected::ConnectionRegistry;
pub(crate) use connected::{ConnectionSignal, DeviceConnection, LifeSign};
pub(crate) use enrol::{enrolment_code, routes};
pub(crate) use rate_limit::RateLimit;

/// Devices that are connected are looked at so often.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// A copy is reported so often at most, in milliseconds.
const REPORT_INTERVAL_MILLIS: u64 = 60 * 1_000;

/// The devices that are enrolled, and those that are connected.
pub(crate) struct Devices {
    enrolled: Mutex<HashMap<DeviceId, StoredDevice>>,
    live: ConnectionRegistry,
    /// When a copy of each device was last reported.
    copied: Mutex<HashMap<DeviceId, Time>>,
    tries: Attempts,
}

/// A device that has proved itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Proven {
    pub(crate) device: DeviceId,
    pub(crate) kind: DeviceKind,
    /// The number of its commands; the same each time it connects.
    pub(crate) source: u64,
}

impl Devices {
    /// Those that are enrolled.
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

    /// Ends the connection of a device, if it has one: any, or all but one of the source that it was enrolled with last.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.live.cut(device, enrolled);
    }

    fn enrolled(&self, device: DeviceId) -> Option<StoredDevice> {
        held(&self.enrolled).get(&device).copied()
    }

    /// Whether a copy of the device is reported now.
    fn is_reported(&self, device: DeviceId, now: Time) -> bool {
        let mut copied = held(&self.copied);
        let is_due = copied.get(&device).is_none_or(|last| now.0.abs_diff(last.0) >= REPORT_INTERVAL_MILLIS);
        if is_due {
            copied.insert(device, now);
        }
        is_due
    }
}

/// Takes the place of a device that has proved itself. If another connection has it and shows a sign of life, this one is the
/// copy: it is denied, and the House hears of it.
pub(crate) async fn take(server: &Server, proven: Proven) -> Result<DeviceConnection, Denied> {
    let Some(taken) = server.devices.live.take(proven.device, proven.source, server.sign_of_life).await else {
        copied(server, proven.device).await?;
        return Err(Denied::NotProven);
    };
    // It may have been revoked, or enrolled anew, while it proved itself: nobody could cut it off then.
    let kind = on_file(server, proven.device).await?;
    let source = key_of(server, proven.device).await?.map(|kept| kept.source);
    if kind == Some(proven.kind) && source == Some(proven.source) { Ok(taken) } else { Err(Denied::NotProven) }
}

/// Where several nodes run the house: ends connections of devices that were revoked or enrolled anew at another, also where no word
/// of it came.
pub(crate) async fn find_out(server: Weak<Server>) {
    let mut looks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        looks.tick().await;
        let Some(server) = server.upgrade() else { return };
        if let Err(denied) = end_outdated(&server).await {
            tracing::debug!(why = denied.code(), "devices could not be looked at: they are again");
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
    for (device, source) in server.node.house().look(outdated).await? {
        tracing::info!(device = device.0, "a device is revoked or enrolled anew: its connection ends");
        server.devices.live.end(device, source);
    }
    Ok(())
}

/// The key of a device. Where several nodes run the house it may have been enrolled at another.
async fn key_of(server: &Server, device: DeviceId) -> Result<Option<StoredDevice>, Denied> {
    match server.peers {
        Some(_) => Ok(server.secrets.device(device).await?),
        None => Ok(server.devices.enrolled(device)),
    }
}

/// What a device is, unless it is revoked or not on file.
async fn on_file(server: &Server, device: DeviceId) -> Result<Option<DeviceKind>, Denied> {
    let look = move |house: &House| house.device(device).filter(|known| !known.is_revoked).map(|known| known.kind);
    Ok(server.node.house().look(look).await?)
}

/// Someone else speaks for a device: it did nothing, and the House hears of it.
async fn copied(server: &Server, device: DeviceId) -> Result<(), Denied> {
    if server.devices.is_reported(device, server.clock.now()) {
        tracing::warn!(device = device.0, "someone else speaks for a device");
        server.node.house().own(HouseCommand::CopiedToken { device }).await?;
    }
    Ok(())
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is whole, also where one that held it broke down.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
