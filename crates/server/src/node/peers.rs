//! What a node knows of the others: who holds which partition, and how to reach them.

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

/// How other nodes reach this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeAddress {
    /// Like `https://10.0.0.11:8080`; the listening address if none is given.
    pub address: Option<String>,
    /// Certificates that other nodes are trusted by, PEM. Without them only nodes without TLS can be reached.
    pub authority: Option<PathBuf>,
}

impl NodeAddress {
    pub(crate) fn reached(&self, listens: SocketAddr, is_secured: bool) -> String {
        let scheme = if is_secured { "https" } else { "http" };
        self.address.clone().unwrap_or_else(|| format!("{scheme}://{listens}"))
    }
}

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

    /// Sets the key that the nodes share.
    pub(crate) fn know_by(&self, key: [u8; 32]) {
        self.key.get_or_init(|| key);
    }

    /// The address of the other node that holds a partition; none if this node or no node does.
    pub(super) fn elsewhere(&self, partition: &ChainName) -> Option<String> {
        let roster = self.roster.borrow();
        roster.holder(partition).filter(|node| node.name != self.name).map(|node| node.address.clone())
    }

    pub(crate) fn is_here(&self, partition: &ChainName) -> bool {
        self.roster.borrow().holder(partition).is_some_and(|node| node.name == self.name)
    }

    pub(crate) fn is_elsewhere(&self, partition: &ChainName) -> bool {
        self.elsewhere(partition).is_some()
    }

    /// The leased partition of a cluster: its own, or that of its table.
    pub(crate) fn partition_of_cluster(&self, cluster: ClusterId) -> ChainName {
        let own = chain_of(MachineId::Cluster(cluster));
        let is_apart = self.roster.borrow().leases.iter().any(|lease| lease.partition == own);
        if is_apart { own } else { partition_of(cluster.table) }
    }

    pub(super) fn others(&self) -> Vec<String> {
        let roster = self.roster.borrow();
        roster.nodes.iter().filter(|node| node.name != self.name).map(|node| node.address.clone()).collect()
    }

    /// Asks all other nodes for a list and joins the lists. A node that does not answer holds nothing now.
    pub(crate) async fn gather(&self, path: &str) -> Vec<Value> {
        let mut gathered = Vec::new();
        for node in self.others() {
            match self.get(&node, path).await {
                Ok(Value::Array(list)) => gathered.extend(list),
                Ok(_) => {}
                Err(error) => tracing::warn!(node, %error, "another node does not answer"),
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

/// The partition of a table's round.
pub(crate) fn partition_of(table: TableId) -> ChainName {
    chain_of(MachineId::Round(table))
}

pub(crate) fn house() -> ChainName {
    chain_of(MachineId::House)
}
