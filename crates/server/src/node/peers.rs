//! A node of a house on several machines. It joins, says every moment that it lives, claims parts that nobody holds, and knows
//! who holds the others: what is asked of them is relayed there.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use taisai_record::chain_of;

use serde_json::Value;
use taisai_journal::{ChainName, LeaseRoster, NodeName};
use taisai_table::{ClusterId, MachineId, TableId};
use tokio::sync::watch;

use super::peer_client::{PeerClient, PeerError};

use crate::http::accept::TlsError;

/// How a node is reached by the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeAddress {
    /// Its address, like `https://10.0.0.11:8080`; where it listens, if none is given.
    pub address: Option<String>,
    /// The certificates that the others are known by, PEM; without them only those in the clear are reached.
    pub authority: Option<PathBuf>,
}

impl NodeAddress {
    /// The address of a node that listens there.
    pub(crate) fn reached(&self, listens: SocketAddr, is_secured: bool) -> String {
        let scheme = if is_secured { "https" } else { "http" };
        self.address.clone().unwrap_or_else(|| format!("{scheme}://{listens}"))
    }
}

/// What a node knows of the others.
#[derive(Clone)]
pub(crate) struct Peers {
    pub(super) name: NodeName,
    pub(super) roster: watch::Receiver<LeaseRoster>,
    pub(super) key: Arc<OnceLock<[u8; 32]>>,
    pub(super) client: PeerClient,
}

impl Peers {
    pub(crate) fn new(
        name: NodeName,
        roster: watch::Receiver<LeaseRoster>,
        plan: &NodeAddress,
    ) -> Result<Self, TlsError> {
        Ok(Self { name, roster, key: Arc::default(), client: PeerClient::new(plan.authority.as_deref())? })
    }

    /// From now on the nodes know each other by this key.
    pub(crate) fn know_by(&self, key: [u8; 32]) {
        self.key.get_or_init(|| key);
    }

    /// The address of the other node that holds a part; none if this one does, or nobody.
    pub(super) fn elsewhere(&self, partition: &ChainName) -> Option<String> {
        let roster = self.roster.borrow();
        roster.holder(partition).filter(|node| node.name != self.name).map(|node| node.address.clone())
    }

    /// Whether this node holds a part.
    pub(crate) fn is_here(&self, partition: &ChainName) -> bool {
        self.roster.borrow().holder(partition).is_some_and(|node| node.name == self.name)
    }

    /// Whether another node holds a part.
    pub(crate) fn is_elsewhere(&self, partition: &ChainName) -> bool {
        self.elsewhere(partition).is_some()
    }

    /// The part that a cluster belongs to: its own, or that of its table.
    pub(crate) fn partition_of_cluster(&self, cluster: ClusterId) -> ChainName {
        let own = chain_of(MachineId::Cluster(cluster));
        let is_apart = self.roster.borrow().leases.iter().any(|lease| lease.partition == own);
        if is_apart { own } else { partition_of(cluster.table) }
    }

    /// The addresses of all other nodes.
    pub(super) fn others(&self) -> Vec<String> {
        let roster = self.roster.borrow();
        roster.nodes.iter().filter(|node| node.name != self.name).map(|node| node.address.clone()).collect()
    }

    /// What the other nodes answer to the same question: each a list. One that does not answer holds nothing now.
    pub(crate) async fn gather(&self, path: &str) -> Vec<Value> {
        let mut gathered = Vec::new();
        for node in self.others() {
            match self.get(&node, path).await {
                Ok(Value::Array(list)) => gathered.extend(list),
                Ok(_) => {}
                Err(error) => tracing::warn!(node, %error, "a node does not answer"),
            }
        }
        gathered
    }

    async fn get(&self, node: &str, path: &str) -> Result<Value, PeerError> {
        self.client.json(node, path, self.key()?, None).await
    }

    pub(super) fn key(&self) -> Result<&[u8; 32], PeerError> {
        self.key.get().ok_or(PeerError::NotYet)
    }
}

/// The part that the dealer's side of a table is.
pub(crate) fn partition_of(table: TableId) -> ChainName {
    chain_of(MachineId::Round(table))
}

/// The part that the House is.
pub(crate) fn house() -> ChainName {
    chain_of(MachineId::House)
}
