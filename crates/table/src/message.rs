//! What machines send each other. Delivery may lose, repeat and reorder messages: the sender sends again until it knows that a
//! message is held, and the receiver recognises what it holds already.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use crate::cluster::Slip;
use crate::identity::{ClusterId, MachineId};
use crate::round::Notice;
use crate::transfer::Transfer;

/// A message between machines. A machine takes the next one of its kind, and refuses any other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// From a round to a cluster: what happened, with the slip of the round that it is about where that is over.
    Notice {
        /// The receiver.
        cluster: ClusterId,
        /// The notice's number, counted from one.
        number: u64,
        /// The notice.
        notice: Notice,
        /// The slip.
        slip: Option<Slip>,
    },
    /// From a cluster to its round: which notices it holds.
    Followed {
        /// The sender.
        cluster: ClusterId,
        /// The number of the last notice that it holds.
        followed: u64,
        /// The value of its Colour Chips with players.
        colour_chips: Money,
        /// Whether the Dealer has registered all that wins.
        is_registered: bool,
    },
    /// From a cluster to the House: money.
    ToHouse {
        /// The sender.
        cluster: ClusterId,
        /// The transfer.
        transfer: Transfer,
    },
    /// From the House to a cluster: it holds a transfer.
    HouseHolds {
        /// The receiver.
        cluster: ClusterId,
        /// The transfer's number.
        number: u64,
    },
    /// From the House to a cluster: money.
    ToCluster {
        /// The receiver.
        cluster: ClusterId,
        /// The transfer.
        transfer: Transfer,
    },
    /// From a cluster to the House: it holds a transfer.
    ClusterHolds {
        /// The sender.
        cluster: ClusterId,
        /// The transfer's number.
        number: u64,
    },
}

impl Message {
    /// The cluster that sends or receives it.
    pub const fn cluster(&self) -> ClusterId {
        match self {
            Self::Notice { cluster, .. }
            | Self::Followed { cluster, .. }
            | Self::ToHouse { cluster, .. }
            | Self::HouseHolds { cluster, .. }
            | Self::ToCluster { cluster, .. }
            | Self::ClusterHolds { cluster, .. } => *cluster,
        }
    }

    /// The receiver.
    pub const fn to(&self) -> MachineId {
        match self {
            Self::Notice { cluster, .. } | Self::HouseHolds { cluster, .. } | Self::ToCluster { cluster, .. } => {
                MachineId::Cluster(*cluster)
            }
            Self::Followed { cluster, .. } => MachineId::Round(cluster.table),
            Self::ToHouse { .. } | Self::ClusterHolds { .. } => MachineId::House,
        }
    }
}
