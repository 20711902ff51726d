//! The registry of connected devices, one connection each. A new connection replaces one that shows no sign of life; if the first
//! is alive, the new one is a copy.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taisai_table::DeviceId;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::lock;

/// How often a new connection tries, while others come and go.
const MAX_ATTEMPTS: usize = 3;

/// How many new connections may wait for a sign of life of one connection.
const MAX_WAITING: usize = 4;

type ConnectedDevices = HashMap<DeviceId, ConnectedDevice>;

#[derive(Default)]
pub(super) struct ConnectionRegistry {
    connections: Arc<Mutex<ConnectedDevices>>,
}

struct ConnectedDevice {
    /// The source that it proved its identity with.
    source: u64,
    /// Requests a sign of life. It identifies the connection.
    request_sender: mpsc::Sender<LifeSign>,
}

/// The registered connection of a device. Dropping it frees the device for another one.
pub(crate) struct DeviceConnection {
    device: DeviceId,
    requests: mpsc::Receiver<LifeSign>,
    request_sender: mpsc::WeakSender<LifeSign>,
    connections: Arc<Mutex<ConnectedDevices>>,
}

#[derive(Debug)]
pub(crate) enum ConnectionSignal {
    /// Ping the device: another connection claims to be it.
    ShowLife(LifeSign),
    /// Close: the device is revoked or enrolled again, or another connection has replaced this one.
    CutOff,
}

/// Reports a sign of life to a new connection that waits for it.
#[derive(Debug)]
pub(crate) struct LifeSign(oneshot::Sender<()>);

impl LifeSign {
    pub(crate) fn confirm(self) {
        // The new connection may have given up.
        self.0.send(()).unwrap_or_default();
    }
}

impl ConnectionRegistry {
    /// Registers a connection; none if another one shows a sign of life in time.
    pub(super) async fn register(
        &self,
        device: DeviceId,
        source: u64,
        sign_of_life: Duration,
    ) -> Option<DeviceConnection> {
        let mut silent: Option<mpsc::Sender<LifeSign>> = None;
        for _ in 0..MAX_ATTEMPTS {
            let first = match self.enter((device, source), silent.as_ref()) {
                Ok(taken) => return Some(taken),
                Err(first) => first,
            };
            if timeout(sign_of_life, is_alive(&first)).await.unwrap_or(false) {
                return None;
            }
            silent = Some(first);
        }
        None
    }

    /// Registers a connection if the device has none, or one that was silent.
    fn enter(
        &self,
        (device, source): (DeviceId, u64),
        silent: Option<&mpsc::Sender<LifeSign>>,
    ) -> Result<DeviceConnection, mpsc::Sender<LifeSign>> {
        let mut connections = lock(&self.connections);
        let entry = connections.entry(device);
        if let Entry::Occupied(first) = &entry
            && !silent.is_some_and(|silent| silent.same_channel(&first.get().request_sender))
        {
            return Err(first.get().request_sender.clone());
        }
        let (request_sender, requests) = mpsc::channel(MAX_WAITING);
        let taken = DeviceConnection {
            device,
            requests,
            request_sender: request_sender.downgrade(),
            connections: Arc::clone(&self.connections),
        };
        entry.insert_entry(ConnectedDevice { source, request_sender });
        Ok(taken)
    }

    pub(super) fn all(&self) -> Vec<(DeviceId, u64)> {
        lock(&self.connections).iter().map(|(device, connection)| (*device, connection.source)).collect()
    }

    /// Ends the connection of a device with this source.
    pub(super) fn end(&self, device: DeviceId, source: u64) {
        let mut connections = lock(&self.connections);
        if connections.get(&device).is_some_and(|connection| connection.source == source) {
            connections.remove(&device);
        }
    }

    /// Ends the connection of a device, unless it uses the source of the last enrolment.
    pub(super) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        let mut connections = lock(&self.connections);
        if connections.get(&device).is_some_and(|connection| Some(connection.source) != enrolled) {
            connections.remove(&device);
        }
    }
}

async fn is_alive(first: &mpsc::Sender<LifeSign>) -> bool {
    let (life, confirmed) = oneshot::channel();
    first.send(LifeSign(life)).await.is_ok() && confirmed.await.is_ok()
}

impl DeviceConnection {
    /// Waits for the next signal. Cancelling and calling again is safe.
    pub(crate) async fn signal(&mut self) -> ConnectionSignal {
        self.requests.recv().await.map_or(ConnectionSignal::CutOff, ConnectionSignal::ShowLife)
    }
}

impl Drop for DeviceConnection {
    fn drop(&mut self) {
        let mut connections = lock(&self.connections);
        let is_own = |connection: &ConnectedDevice| {
            self.request_sender.upgrade().is_some_and(|sender| sender.same_channel(&connection.request_sender))
        };
        if connections.get(&self.device).is_some_and(is_own) {
            connections.remove(&self.device);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: DeviceId = DeviceId(1);
    const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

    /// A connection that shows signs of life until it is cut off.
    fn alive(mut taken: DeviceConnection) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move {
            while let ConnectionSignal::ShowLife(life) = taken.signal().await {
                life.confirm();
            }
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_copy_of_a_live_device_is_rejected() {
        let live = ConnectionRegistry::default();
        let first = alive(live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap());
        assert!(live.register(DEVICE, 1, SIGN_OF_LIFE).await.is_none());
        assert!(live.register(DEVICE, 1, SIGN_OF_LIFE).await.is_none(), "however often it tries");
        assert!(live.register(DeviceId(2), 1, SIGN_OF_LIFE).await.is_some(), "another device");
        live.cut(DEVICE, None);
        first.await.unwrap();
        assert!(live.register(DEVICE, 1, SIGN_OF_LIFE).await.is_some(), "the place is free");
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_connection_is_replaced() {
        let live = ConnectionRegistry::default();
        let mut first = live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap();
        let second = live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap();
        // This sign of life comes too late.
        let ConnectionSignal::ShowLife(life) = first.signal().await else { panic!("a sign of life was requested") };
        life.confirm();
        assert!(matches!(first.signal().await, ConnectionSignal::CutOff));
        drop(first);
        let second = alive(second);
        assert!(live.register(DEVICE, 1, SIGN_OF_LIFE).await.is_none(), "the place stays with the second");
        live.cut(DEVICE, None);
        second.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn one_of_two_new_connections_wins() {
        let live = ConnectionRegistry::default();
        let silent = live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap();
        let register = async || live.register(DEVICE, 1, SIGN_OF_LIFE).await.map(alive);
        let (one, other) = tokio::join!(register(), register());
        assert_eq!(usize::from(one.is_some()) + usize::from(other.is_some()), 1);
        drop(silent);
        assert!(live.register(DEVICE, 1, SIGN_OF_LIFE).await.is_none());
    }

    /// The notice of an enrolment may arrive after the device has connected again.
    #[tokio::test(start_paused = true)]
    async fn a_device_that_was_enrolled_again_stays() {
        let live = ConnectionRegistry::default();
        let before = alive(live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap());
        live.cut(DEVICE, Some(2));
        before.await.unwrap();
        let anew = alive(live.register(DEVICE, 2, SIGN_OF_LIFE).await.unwrap());
        assert_eq!(live.all(), [(DEVICE, 2)]);
        live.end(DEVICE, 1);
        live.cut(DEVICE, Some(2));
        assert!(live.register(DEVICE, 2, SIGN_OF_LIFE).await.is_none(), "it is there");
        live.cut(DEVICE, None);
        anew.await.unwrap();
    }

    #[tokio::test]
    async fn a_connection_that_ends_is_removed() {
        let live = ConnectionRegistry::default();
        drop(live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap());
        assert!(lock(&live.connections).is_empty());
        drop(live.register(DEVICE, 1, SIGN_OF_LIFE).await.unwrap());
    }
}
