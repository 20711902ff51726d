//! The state that all request handlers share.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use taisai_table::{DeviceId, Profile, TableId};
use tokio::sync::watch;

use crate::audit::Audits;
use crate::auth::People;
use crate::auth::secrets::Secrets;
use crate::config::{Seed, recorded_name};
use crate::devices::Devices;
use crate::devices::displays::Displays;
use crate::http::denied::Denied;
use crate::http::network::Network;
use crate::metrics::Metrics;
use crate::node::NodeHandle;
use crate::node::clock::{Clock, Sources};
use crate::node::handle::TableHandle;
use crate::node::lease_deadline::SharedLeaseDeadline;
use crate::node::peers::Peers;
use crate::node::stopped::Stopped;
use crate::reports::Reports;
use crate::vouchers::Printer;

/// The property as people know it.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Used while the record has no name.
    pub(crate) name: String,
    /// The id in the record.
    pub(crate) house: [u8; 16],
    pub(crate) is_training: bool,
    /// Whether every table plays an approved game: vouchers and screens of the House are marked if not.
    pub(crate) is_game_approved: bool,
    pub(crate) version: String,
}

/// How far shutdown has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stopping {
    No,
    NoNewRound,
    /// Connections are closed.
    Now,
    /// A thread has failed for this reason, and connections are closed.
    Failed(Arc<str>),
}

impl Stopping {
    /// The close reason for connections, once they must end.
    pub(crate) fn close_reason(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::No | Self::NoNewRound => None,
            Self::Now => Some("the server closes: connect again".into()),
            Self::Failed(why) => Some(format!("the server has stopped: {why}").into()),
        }
    }
}

/// Waits until connections must close, and returns the reason for their clients.
pub(crate) async fn stop_reason(stopping: &mut watch::Receiver<Stopping>) -> Cow<'static, str> {
    let stopped = stopping.wait_for(|stopping| stopping.close_reason().is_some()).await;
    // A server that was dropped has stopped too.
    stopped.ok().and_then(|stopping| stopping.close_reason()).unwrap_or("the server has stopped".into())
}

pub(crate) struct Server {
    pub(crate) place: Property,
    pub(crate) profile: Arc<Profile>,
    /// Whether connections use TLS.
    pub(crate) is_secured: bool,
    /// Proposals of the configuration file to the people of the installation.
    pub(crate) seed: Seed,
    pub(crate) node: NodeHandle,
    /// The other nodes, if the installation runs on several machines.
    pub(crate) peers: Option<Peers>,
    /// Until when this node may answer for its partitions.
    pub(crate) lease: SharedLeaseDeadline,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    pub(crate) secrets: Secrets,
    pub(crate) people: People,
    pub(crate) devices: Devices,
    pub(crate) vouchers: Printer,
    pub(crate) displays: Displays,
    pub(crate) metrics: Arc<Metrics>,
    /// Networks that may read the metrics, beside this machine.
    pub(crate) metrics_from: Vec<Network>,
    pub(crate) reports: Reports,
    pub(crate) audits: Audits,
    pub(crate) stopping: watch::Sender<Stopping>,
    /// How long a client may take to answer a ping.
    pub(crate) sign_of_life: Duration,
}

impl Server {
    /// The name in the record, or else that of the file.
    pub(crate) async fn name(&self) -> Result<String, Stopped> {
        Ok(self.node.house().read(recorded_name).await?.unwrap_or_else(|| self.place.name.clone()))
    }

    /// A handle to a table. While a table moves between nodes it is denied as elsewhere, not as unknown.
    pub(crate) fn table(&self, table: TableId) -> Result<TableHandle, Denied> {
        let missing = || {
            let is_elsewhere = self.peers.is_some() && self.node.is_laid_out(table);
            match (self.is_closed(table), is_elsewhere) {
                (true, _) => Denied::Unreadable,
                (false, true) => Denied::Elsewhere,
                (false, false) => Denied::Unknown,
            }
        };
        self.node.table(table).ok_or_else(missing)
    }

    /// Whether the table stays closed, as its record cannot be read.
    pub(crate) fn is_closed(&self, table: TableId) -> bool {
        self.node.unopened().closed_tables().contains_key(&table)
    }

    /// Closes the connection of a revoked device on every node; if it was enrolled again, its new connection stays.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.devices.cut(device, enrolled);
        if let Some(peers) = self.node.peer_sender() {
            peers.cut(device, enrolled);
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow() != Stopping::No
    }
}

pub(crate) type SharedServer = Arc<Server>;
