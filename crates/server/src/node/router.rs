//! Finds the queue of a partition: on this node, or through the node that holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use serde_json::Value;
use taisai_engine::{Input, Message};
use taisai_table::{ClusterId, MachineId, TableId};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::node::handle::Request;
use crate::node::peer_sender::PeerSender;
use crate::ws::publisher::Publisher;

type Requests = mpsc::Sender<Request>;

#[derive(Clone)]
struct LocalPartition {
    requests: Requests,
    publisher: Publisher,
}

pub(crate) struct Router {
    partitions: RwLock<BTreeMap<MachineId, LocalPartition>>,
    /// The reader of a House that another node holds.
    house_reader: RwLock<Option<Requests>>,
    /// Tables whose clusters run apart from their round.
    spread: BTreeSet<TableId>,
    peers: Option<PeerSender>,
}

impl Router {
    pub(crate) fn new(peers: Option<PeerSender>, spread: BTreeSet<TableId>) -> Self {
        Self { partitions: RwLock::default(), house_reader: RwLock::default(), spread, peers }
    }

    /// Removes all partitions.
    pub(crate) fn close(&self) {
        self.partitions.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.set_house_reader(None);
    }

    /// Sends a message to its partition, here or on another node. If it does not arrive, its sender repeats it.
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

    /// Sends a message without waiting; gives it back if the queue of its partition is full.
    pub(crate) fn try_send(&self, message: Message) -> Option<Message> {
        let Some(partition) = self.partition(message.to()) else {
            if let Some(peers) = &self.peers {
                peers.message(message);
            }
            return None;
        };
        match partition.try_send(Request::Input(Input::Message(message))) {
            Err(TrySendError::Full(Request::Input(Input::Message(message)))) => Some(message),
            // A partition that has stopped takes nothing more.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Closed(_)) => None,
        }
    }

    pub(crate) fn partition(&self, partition: MachineId) -> Option<Requests> {
        self.partitions().get(&partition).map(|here| here.requests.clone())
    }

    fn partitions(&self) -> RwLockReadGuard<'_, BTreeMap<MachineId, LocalPartition>> {
        self.partitions.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, partition: MachineId, requests: Requests, publisher: Publisher) {
        let mut partitions = self.partitions.write().unwrap_or_else(PoisonError::into_inner);
        partitions.insert(partition, LocalPartition { requests, publisher });
    }

    /// Removes a partition and those that share its thread.
    pub(crate) fn remove(&self, partition: MachineId) {
        let mut partitions = self.partitions.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(gone) = partitions.remove(&partition) {
            partitions.retain(|_, here| !here.requests.same_channel(&gone.requests));
        }
    }

    /// The public view of a table whose round runs here.
    pub(crate) fn public(&self, table: TableId) -> Option<Value> {
        let publisher = self.partitions().get(&MachineId::Round(table)).map(|here| here.publisher.clone());
        publisher.and_then(|publisher| publisher.public())
    }

    /// The queue of the House, or of its reader. If there is neither, a closed queue.
    pub(crate) fn house(&self) -> Requests {
        let reader = || self.house_reader.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.partition(MachineId::House).or_else(reader).unwrap_or_else(|| mpsc::channel(1).0)
    }

    pub(crate) fn has_house(&self) -> bool {
        self.partitions().contains_key(&MachineId::House)
    }

    pub(crate) fn set_house_reader(&self, reader: Option<Requests>) {
        *self.house_reader.write().unwrap_or_else(PoisonError::into_inner) = reader;
    }

    /// The queue of a table whose round runs here.
    pub(crate) fn table(&self, table: TableId) -> Option<Requests> {
        self.partition(MachineId::Round(table))
    }

    pub(crate) fn cluster(&self, cluster: ClusterId) -> Option<Requests> {
        self.partition(MachineId::Cluster(cluster))
    }

    /// The tables whose round runs here.
    pub(crate) fn tables(&self) -> Vec<(TableId, Requests)> {
        let table = |(partition, here): (&MachineId, &LocalPartition)| match partition {
            MachineId::Round(table) => Some((*table, here.requests.clone())),
            MachineId::House | MachineId::Cluster(_) => None,
        };
        self.partitions().iter().filter_map(table).collect()
    }

    /// The queue of each thread of a table or cluster, once.
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

    pub(crate) fn is_spread(&self, table: TableId) -> bool {
        self.spread.contains(&table)
    }

    pub(crate) const fn peers(&self) -> Option<&PeerSender> {
        self.peers.as_ref()
    }
}
