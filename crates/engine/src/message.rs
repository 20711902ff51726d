//! What partitions send each other. A message moves as a value in a process, and has one encoding between nodes. Delivery may lose,
//! repeat and reorder messages: the sender repeats a message until the receiver acknowledges it, and the receiver recognises what it
//! holds already. Views are sent again from time to time, and the newest counts.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;
use taisai_table::{ClusterId, CommandId, MachineId, Machines, Notice, ReportedEvent, Seat, Transfer};

use crate::cluster::ClusterView;
use crate::house::SeatMoney;
use crate::round::{PublicView, ResultView};

/// A message from one partition to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// From a round to a cluster: what happened.
    Notice {
        /// The receiver.
        cluster: ClusterId,
        /// The notice's number, counted from one.
        number: u64,
        notice: Notice,
    },
    /// From a cluster to its round: which notices it holds.
    Followed {
        /// The sender.
        cluster: ClusterId,
        /// The number of the last notice that it holds.
        followed: u64,
        /// The number of the last notice that has reached it: it may wait for the slip of an old round before it follows.
        received: u64,
        /// The value of its Colour Chips with players.
        colour_chips: Money,
        /// Whether the Dealer has registered all that wins.
        is_registered: bool,
        /// The report that this one replaces, as the round named it last; none where the round has not named one yet.
        replaces: Option<CommandId>,
    },
    /// From a round to a cluster: the report that it holds of how far the cluster follows.
    RoundHolds {
        /// The receiver.
        cluster: ClusterId,
        /// Names the report. No other report to this round, before or after, has the same.
        report: CommandId,
        /// The number of the last notice that the cluster holds, as the round knows it.
        followed: u64,
        /// The value of its Colour Chips, as the round knows it.
        colour_chips: Money,
        /// Whether all that wins is registered, as the round knows it.
        is_registered: bool,
    },
    /// From a cluster to the House: money.
    ToHouse {
        /// The sender.
        cluster: ClusterId,
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
        transfer: Transfer,
    },
    /// From a cluster to the House: it holds a transfer.
    ClusterHolds {
        /// The sender.
        cluster: ClusterId,
        /// The transfer's number.
        number: u64,
    },
    /// From a table's partition to the House: a significant event (F32).
    Report {
        /// The sender.
        from: MachineId,
        /// Its number. Those of a partition follow each other without gaps.
        id: CommandId,
        /// Whether the House holds all reports before it.
        is_first: bool,
        /// The event.
        what: ReportedEvent,
    },
    /// From the House: it holds a report, and all before it.
    ReportHeld {
        /// The receiver.
        to: MachineId,
        /// The report's number.
        id: CommandId,
    },
    /// From the House to a cluster: what it has of the player at a seat. The newest counts.
    SeatMoney {
        /// The receiver.
        cluster: ClusterId,
        seat: Seat,
        /// What the House has.
        money: Box<SeatMoney>,
    },
    /// From a cluster to its round, for staff screens: what lies on the layout and how seats are. The newest counts.
    ClusterView {
        /// The sender.
        cluster: ClusterId,
        view: Box<ClusterView>,
    },
    /// From a cluster to its round: it has not seen the table yet.
    ShowTable {
        /// The sender.
        cluster: ClusterId,
    },
    /// From a round to a cluster, for its terminals: what anyone at the table sees. The newest counts.
    PublicView {
        /// The receiver.
        cluster: ClusterId,
        view: Box<PublicView>,
        /// The last results, the newest first.
        results: Vec<ResultView>,
    },
}

impl Message {
    /// The receiver.
    pub const fn to(&self) -> MachineId {
        match self {
            Self::Notice { cluster, .. }
            | Self::RoundHolds { cluster, .. }
            | Self::HouseHolds { cluster, .. }
            | Self::ToCluster { cluster, .. }
            | Self::SeatMoney { cluster, .. }
            | Self::PublicView { cluster, .. } => MachineId::Cluster(*cluster),
            Self::Followed { cluster, .. } | Self::ClusterView { cluster, .. } | Self::ShowTable { cluster } => {
                MachineId::Round(cluster.table)
            }
            Self::ToHouse { .. } | Self::ClusterHolds { .. } | Self::Report { .. } => MachineId::House,
            Self::ReportHeld { to, .. } => *to,
        }
    }

    /// The sender.
    pub const fn from(&self) -> MachineId {
        match self {
            Self::Notice { cluster: ClusterId { table, .. }, .. }
            | Self::RoundHolds { cluster: ClusterId { table, .. }, .. }
            | Self::PublicView { cluster: ClusterId { table, .. }, .. } => MachineId::Round(*table),
            Self::Followed { cluster, .. }
            | Self::ClusterView { cluster, .. }
            | Self::ShowTable { cluster }
            | Self::ToHouse { cluster, .. }
            | Self::ClusterHolds { cluster, .. } => MachineId::Cluster(*cluster),
            Self::Report { from, .. } => *from,
            Self::HouseHolds { .. } | Self::ToCluster { .. } | Self::SeatMoney { .. } | Self::ReportHeld { .. } => {
                MachineId::House
            }
        }
    }

    /// Whether it only shows something: of several to the same receiver about the same the newest is enough.
    pub const fn is_view(&self) -> bool {
        match self {
            Self::SeatMoney { .. } | Self::ClusterView { .. } | Self::PublicView { .. } => true,
            Self::Notice { .. }
            | Self::Followed { .. }
            | Self::RoundHolds { .. }
            | Self::ToHouse { .. }
            | Self::HouseHolds { .. }
            | Self::ToCluster { .. }
            | Self::ClusterHolds { .. }
            | Self::Report { .. }
            | Self::ReportHeld { .. }
            | Self::ShowTable { .. } => false,
        }
    }

    /// Whether the receiver records it where it is the next one. Others show something, or say what is held.
    pub const fn is_recorded(&self) -> bool {
        match self {
            Self::Notice { .. }
            | Self::Followed { .. }
            | Self::ToHouse { .. }
            | Self::HouseHolds { .. }
            | Self::ToCluster { .. }
            | Self::ClusterHolds { .. }
            | Self::Report { .. }
            | Self::ReportHeld { .. } => true,
            Self::RoundHolds { .. }
            | Self::ShowTable { .. }
            | Self::SeatMoney { .. }
            | Self::ClusterView { .. }
            | Self::PublicView { .. } => false,
        }
    }

    /// Whether the receiver has not taken the message and has taken all before it. `held_report` names the report that a round holds of
    /// the cluster.
    pub fn is_next(&self, machines: &Machines, held_report: Option<CommandId>) -> bool {
        let house = &machines.house;
        match self {
            Self::Notice { cluster, number, .. } => {
                machines.cluster(*cluster).is_some_and(|to| *number == to.followed() + 1)
            }
            Self::Followed { cluster, followed, colour_chips, is_registered, replaces, .. } => {
                let round = machines.tables.get(&cluster.table).map(|table| &table.round);
                round.and_then(|round| round.reported(*cluster)).is_some_and(|known| {
                    let is_newer = *followed > known.0 || (*followed == known.0 && *replaces == held_report);
                    is_newer && known != (*followed, *colour_chips, *is_registered)
                })
            }
            Self::ToHouse { cluster, transfer } => transfer.number == house.received(*cluster) + 1,
            Self::ToCluster { cluster, transfer } => {
                machines.cluster(*cluster).is_some_and(|to| transfer.number == to.received() + 1)
            }
            Self::HouseHolds { cluster, number } => {
                let first = machines.cluster(*cluster).and_then(|to| to.outbox().next());
                first.is_some_and(|first| first.number == *number)
            }
            Self::ClusterHolds { cluster, number } => {
                house.outbox(*cluster).next().is_some_and(|first| first.number == *number)
            }
            Self::Report { id, is_first, .. } => {
                let newest = house.newest(id.source);
                id.sequence == newest + 1 || (*is_first && id.sequence > newest)
            }
            Self::ReportHeld { to: MachineId::Round(table), id } => {
                let round = machines.tables.get(table).map(|table| &table.round);
                round.is_some_and(|round| round.events().any(|(waiting, _)| waiting == *id))
            }
            Self::ReportHeld { to: MachineId::Cluster(cluster), id } => {
                let cluster = machines.cluster(*cluster);
                cluster.is_some_and(|cluster| cluster.events().any(|(waiting, _)| waiting == *id))
            }
            Self::ReportHeld { to: MachineId::House, .. }
            | Self::RoundHolds { .. }
            | Self::ShowTable { .. }
            | Self::SeatMoney { .. }
            | Self::ClusterView { .. }
            | Self::PublicView { .. } => false,
        }
    }
}
