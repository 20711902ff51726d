//! Sends messages between partitions on different nodes, in order. A lost message is repeated by its sender until it is
//! acknowledged, and receivers recognise repetitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_engine::Message;
use taisai_journal::ChainName;
use taisai_table::{Actor, ClusterCommand, ClusterId, CommandId, DeviceId, HouseCommand, MachineId, Seat};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::peer_client::PeerError;
use super::peers::{Peers, house, partition_of};
use crate::http::guard::MAX_BODY_BYTES;
use crate::http::reply::CommandReply;

/// Further messages are dropped; their senders repeat them.
const QUEUE_CAPACITY: usize = 4_096;

const MAX_BATCH_MESSAGES: usize = 64;

/// A single larger message is sent all the same: it fits into a request.
const MAX_BATCH_BYTES: usize = MAX_BODY_BYTES / 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum PeerMessage {
    Message(Message),
    /// A device is revoked, or enrolled again with a new source: its connection ends.
    Cut {
        device: DeviceId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        enrolled: Option<u64>,
    },
}

impl PeerMessage {
    /// Identifies a view: of several, only the newest needs to be sent.
    const fn shows(&self) -> Option<(MachineId, MachineId, Option<Seat>)> {
        match self {
            Self::Message(message) if message.is_view() => {
                let seat = match message {
                    Message::SeatMoney { seat, .. } => Some(*seat),
                    _ => None,
                };
                Some((message.from(), message.to(), seat))
            }
            Self::Message(_) | Self::Cut { .. } => None,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardedClusterCommand {
    pub(crate) cluster: ClusterId,
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: ClusterCommand,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardedHouseCommand {
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: HouseCommand,
}

enum Recipient {
    Holder(ChainName),
    /// Wherever the cluster runs: alone, or with its round.
    Cluster(ClusterId),
    All,
}

#[derive(Clone)]
pub(crate) struct PeerSender {
    messages: mpsc::Sender<(Recipient, PeerMessage)>,
    nodes: Peers,
    runtime: Handle,
}

impl PeerSender {
    /// Starts sending in the current runtime.
    pub(crate) fn start(nodes: &Peers) -> Self {
        let (messages, waiting) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(distribute(waiting, nodes.clone()));
        Self { messages, nodes: nodes.clone(), runtime: Handle::current() }
    }

    pub(crate) fn message(&self, message: Message) {
        let to = match message.to() {
            MachineId::House => Recipient::Holder(house()),
            MachineId::Round(table) => Recipient::Holder(partition_of(table)),
            MachineId::Cluster(cluster) => Recipient::Cluster(cluster),
        };
        self.send(to, PeerMessage::Message(message));
    }

    /// Closes the connection of a device on every node. A node that misses this finds out by itself.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.send(Recipient::All, PeerMessage::Cut { device, enrolled });
    }

    /// Forwards a command to the node that holds the House. Calls back without a reply if it cannot be reached.
    pub(crate) fn ask(
        &self,
        command: ForwardedHouseCommand,
        answer: impl FnOnce(Option<CommandReply>) + Send + 'static,
    ) {
        let nodes = self.nodes.clone();
        self.runtime.spawn(async move {
            answer(nodes.ask(&house(), "/api/v1/node/house", &command).await);
        });
    }

    fn send(&self, to: Recipient, message: PeerMessage) {
        // The sender repeats what does not fit.
        self.messages.try_send((to, message)).unwrap_or_default();
    }
}

impl Peers {
    /// Forwards a command to a cluster on another node; no reply means that the outcome is unknown.
    pub(crate) async fn ask_cluster(&self, command: &ForwardedClusterCommand) -> Option<CommandReply> {
        self.ask(&self.partition_of_cluster(command.cluster), "/api/v1/node/cluster", command).await
    }

    async fn ask(&self, partition: &ChainName, path: &str, command: &impl Serialize) -> Option<CommandReply> {
        let asking = async {
            let node = self.elsewhere(partition).ok_or(PeerError::Nobody)?;
            let body = serde_json::to_vec(command).expect("a command can be written down");
            let answer = self.client.json(&node, path, self.key()?, Some(body)).await?;
            serde_json::from_value(answer).map_err(|_| PeerError::Unreadable)
        };
        asking
            .await
            .inspect_err(|error| tracing::warn!(%partition, %error, "a partition on another node did not answer"))
            .ok()
    }

    async fn deliver(&self, node: &str, batch: String) -> Result<(), PeerError> {
        self.client.json(node, "/api/v1/node/messages", self.key()?, Some(batch.into_bytes())).await.map(drop)
    }
}

/// Gives each node its messages. A node that does not answer delays no other.
async fn distribute(mut waiting: mpsc::Receiver<(Recipient, PeerMessage)>, nodes: Peers) {
    let mut peers: BTreeMap<String, mpsc::Sender<PeerMessage>> = BTreeMap::new();
    while let Some((to, message)) = waiting.recv().await {
        let to = match to {
            Recipient::Holder(partition) => nodes.elsewhere(&partition).into_iter().collect(),
            Recipient::Cluster(cluster) => nodes.elsewhere(&nodes.partition_of_cluster(cluster)).into_iter().collect(),
            Recipient::All => nodes.others(),
        };
        for node in to {
            let peer = peers.entry(node.clone()).or_insert_with(|| {
                let (peer, messages) = mpsc::channel(QUEUE_CAPACITY);
                tokio::spawn(send_to(node, messages, nodes.clone()));
                peer
            });
            peer.try_send(message.clone()).unwrap_or_default();
        }
        let living = nodes.others();
        peers.retain(|node, _| living.contains(node));
    }
}

async fn send_to(node: String, mut waiting: mpsc::Receiver<PeerMessage>, nodes: Peers) {
    let mut messages = Vec::with_capacity(MAX_BATCH_MESSAGES);
    while waiting.recv_many(&mut messages, MAX_BATCH_MESSAGES).await > 0 {
        // Of each view only the newest is sent.
        let newest: BTreeMap<_, usize> =
            (0..).zip(&messages).filter_map(|(at, message)| Some((message.shows()?, at))).collect();
        let is_news = |at: usize, message: &PeerMessage| message.shows().is_none_or(|shows| newest[&shows] == at);
        let news = (0..).zip(&messages).filter(|(at, message)| is_news(*at, message)).map(|(_, message)| message);
        for batch in batches(news) {
            // The node has left. If it returns under the same address, it gets a new queue.
            if waiting.is_closed() {
                return;
            }
            if let Err(error) = nodes.deliver(&node, batch).await {
                tracing::warn!(node, %error, "messages did not arrive; their senders repeat them");
            }
        }
        messages.clear();
    }
}

/// Joins messages into request bodies, in order.
fn batches<'m>(messages: impl IntoIterator<Item = &'m PeerMessage>) -> Vec<String> {
    let mut batches: Vec<String> = Vec::new();
    for message in messages {
        let message = serde_json::to_string(message).expect("a message can be written down");
        match batches.last_mut() {
            Some(batch) if batch.len() + message.len() < MAX_BATCH_BYTES => {
                batch.push(',');
                batch.push_str(&message);
            }
            _ => batches.push(format!("[{message}")),
        }
    }
    for batch in &mut batches {
        batch.push(']');
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sent_in_order_in_batches_that_fit() {
        let cut = |device| PeerMessage::Cut { device: DeviceId(device), enrolled: None };
        let messages: Vec<_> = (0..5_000).map(cut).collect();
        let batches = batches(&messages);
        assert!(batches.len() > 1 && batches.iter().all(|batch| batch.len() <= MAX_BODY_BYTES));
        assert!(batches.iter().all(|batch| batch.len() <= MAX_BATCH_BYTES + 1), "none is larger than it must be");
        let sent = batches.iter().flat_map(|batch| serde_json::from_str::<Vec<PeerMessage>>(batch).unwrap());
        let devices =
            sent.map(|message| if let PeerMessage::Cut { device, .. } = message { device.0 } else { u32::MAX });
        assert!(devices.eq(0..5_000));
        assert!(super::batches([]).is_empty());
    }
}
