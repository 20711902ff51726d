//! What every request reaches: the doors of the house, its secrets, and who is connected.

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

/// The house as people know it.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// The property's name, where the record has none.
    pub(crate) name: String,
    /// The house's id, as in its record.
    pub(crate) house: [u8; 16],
    /// Whether the whole house plays for training.
    pub(crate) is_training: bool,
    /// The program's version.
    pub(crate) version: String,
}

/// How far a house is with stopping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stopping {
    /// It runs.
    No,
    /// No new round begins.
    NoNewRound,
    /// Connections end.
    Now,
    /// A part of it has failed, for this reason, and connections end.
    Failed(Arc<str>),
}

impl Stopping {
    /// What connections are told when they are to end.
    pub(crate) fn close_reason(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::No | Self::NoNewRound => None,
            Self::Now => Some("the house closes: connect again".into()),
            Self::Failed(why) => Some(format!("the house has stopped: {why}").into()),
        }
    }
}

/// The server.
pub(crate) struct Server {
    pub(crate) place: Property,
    pub(crate) profile: Arc<Profile>,
    /// Whether connections are secured.
    pub(crate) is_secured: bool,
    /// What the house was set up by, as an offer to its people.
    pub(crate) seed: Seed,
    pub(crate) node: NodeHandle,
    /// What this node knows of the others, where there are several.
    pub(crate) peers: Option<Peers>,
    /// Until when this node may speak.
    pub(crate) lease: SharedLeaseDeadline,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    pub(crate) secrets: Secrets,
    pub(crate) people: People,
    pub(crate) devices: Devices,
    pub(crate) vouchers: Printer,
    pub(crate) displays: Displays,
    pub(crate) metrics: Arc<Metrics>,
    /// Who may read them, beside this machine itself.
    pub(crate) metrics_from: Vec<Network>,
    pub(crate) reports: Reports,
    pub(crate) audits: Audits,
    pub(crate) stopping: watch::Sender<Stopping>,
    /// How long a screen that is asked for a sign of life may take to give one.
    pub(crate) sign_of_life: Duration,
}

impl Server {
    /// What the house is called: as the record says, or as the file does.
    pub(crate) async fn name(&self) -> Result<String, Stopped> {
        Ok(self.node.house().look(recorded_name).await?.unwrap_or_else(|| self.place.name.clone()))
    }

    /// The way to a table, which may be on its way from one node to another.
    pub(crate) fn table(&self, table: TableId) -> Result<TableHandle, Denied> {
        let missing = || {
            let is_elsewhere = self.peers.is_some() && self.node.is_laid_out(table);
            if is_elsewhere { Denied::Elsewhere } else { Denied::Unknown }
        };
        self.node.table(table).ok_or_else(missing)
    }

    /// Ends the connection of a device that is revoked, or was enrolled anew with a source, wherever it is.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.devices.cut(device, enrolled);
        if let Some(peers) = self.node.peer_sender() {
            peers.cut(device, enrolled);
        }
    }

    /// Whether the house is being closed.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow() != Stopping::No
    }
}

/// What handlers are given.
pub(crate) type SharedServer = Arc<Server>;
