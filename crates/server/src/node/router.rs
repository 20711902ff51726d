//! The way to every partition: to those that run here, and to the nodes that hold the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use serde_json::Value;
use taisai_engine::{Input, Message};
use taisai_table::{ClusterId, MachineId, TableId};
use tokio::sync::mpsc;

use crate::node::handle::Request;
use crate::node::peer_sender::PeerSender;
use crate::ws::publisher::Publisher;

type Requests = mpsc::Sender<Request>;

/// A partition that runs here.
#[derive(Clone)]
struct LocalPartition {
    requests: Requests,
    publisher: Publisher,
}

/// The queues of the partitions that run here, and the way to the others.
pub(crate) struct Router {
    partitions: RwLock<BTreeMap<MachineId, LocalPartition>>,
    /// Where another node holds the House: who reads it here, and passes commands on.
    house_reader: RwLock<Option<Requests>>,
    /// The tables whose clusters run apart from their dealer's side.
    spread: BTreeSet<TableId>,
    peers: Option<PeerSender>,
}

impl Router {
    /// A router where nothing runs yet.
    pub(crate) fn new(peers: Option<PeerSender>, spread: BTreeSet<TableId>) -> Self {
        Self { partitions: RwLock::default(), house_reader: RwLock::default(), spread, peers }
    }

    /// From now on nothing runs here.
    pub(crate) fn close(&self) {
        self.partitions.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.set_house_reader(None);
    }

    /// Sends a message to its partition, here or on another node. One that does not arrive is sent again by its sender.
    pub(crate) async fn send(&self, message: Message) {
        let here = self.partition(message.to());
        match (here, &self.peers) {
            (Some(partition), _) => {
                partition.send(Request::Input(Input::Message(message))).await.unwrap_or_default();
            }
            (None, Some(peers)) => peers.message(message),
            (None, None) => {}
        }
    }

    /// The queue of a partition that runs here.
    pub(crate) fn partition(&self, partition: MachineId) -> Option<Requests> {
        self.partitions().get(&partition).map(|here| here.requests.clone())
    }

    fn partitions(&self) -> RwLockReadGuard<'_, BTreeMap<MachineId, LocalPartition>> {
        self.partitions.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on a partition runs here.
    pub(crate) fn set(&self, partition: MachineId, requests: Requests, publisher: Publisher) {
        let mut partitions = self.partitions.write().unwrap_or_else(PoisonError::into_inner);
        partitions.insert(partition, LocalPartition { requests, publisher });
    }

    /// From now on a partition, with those that share its thread, runs here no longer.
    pub(crate) fn remove(&self, partition: MachineId) {
        let mut partitions = self.partitions.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(gone) = partitions.remove(&partition) {
            partitions.retain(|_, here| !here.requests.same_channel(&gone.requests));
        }
    }

    /// A table whose dealer's side runs here, as anyone sees it and as it was last published.
    pub(crate) fn public(&self, table: TableId) -> Option<Value> {
        let publisher = self.partitions().get(&MachineId::Round(table)).map(|here| here.publisher.clone());
        publisher.and_then(|publisher| publisher.public())
    }

    /// Where the House is asked and looked at: its own queue where it runs here. A queue that is closed takes nothing.
    pub(crate) fn house(&self) -> Requests {
        let reader = || self.house_reader.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.partition(MachineId::House).or_else(reader).unwrap_or_else(|| mpsc::channel(1).0)
    }

    /// Whether the House runs here.
    pub(crate) fn has_house(&self) -> bool {
        self.partitions().contains_key(&MachineId::House)
    }

    /// From now on the House of another node is read here, or no longer.
    pub(crate) fn set_house_reader(&self, reader: Option<Requests>) {
        *self.house_reader.write().unwrap_or_else(PoisonError::into_inner) = reader;
    }

    /// The queue of a table whose dealer's side runs here.
    pub(crate) fn table(&self, table: TableId) -> Option<Requests> {
        self.partition(MachineId::Round(table))
    }

    /// The queue of a cluster that runs here.
    pub(crate) fn cluster(&self, cluster: ClusterId) -> Option<Requests> {
        self.partition(MachineId::Cluster(cluster))
    }

    /// The tables whose dealer's side runs here.
    pub(crate) fn tables(&self) -> Vec<(TableId, Requests)> {
        let table = |(partition, here): (&MachineId, &LocalPartition)| match partition {
            MachineId::Round(table) => Some((*table, here.requests.clone())),
            MachineId::House | MachineId::Cluster(_) => None,
        };
        self.partitions().iter().filter_map(table).collect()
    }

    /// The queue of every thread of a table or of a cluster alone, once each.
    pub(crate) fn table_threads(&self) -> Vec<Requests> {
        let mut threads: Vec<Requests> = Vec::new();
        for (partition, LocalPartition { requests, .. }) in &*self.partitions() {
            let is_known = threads.iter().any(|known| known.same_channel(requests));
            if *partition != MachineId::House && !is_known {
                threads.push(requests.clone());
            }
        }
        threads
    }

    /// Whether the clusters of a table run apart from its dealer's side.
    pub(crate) fn is_spread(&self, table: TableId) -> bool {
        self.spread.contains(&table)
    }

    /// The way to the other nodes.
    pub(crate) const fn peers(&self) -> Option<&PeerSender> {
        self.peers.as_ref()
    }
}
