//! Messages of partitions on this node to those of others, in order. One that does not arrive is lost: whoever sent it sends it again
//! until it is held, and whoever gets it twice recognises it.

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

/// At most so many messages wait to be sent; more are lost, and sent again.
const QUEUE_CAPACITY: usize = 4_096;

/// At most so many are sent together.
const MAX_BATCH_MESSAGES: usize = 64;

/// So many bytes of messages go in one request, unless a single one is larger: it fits all the same.
const MAX_BATCH_BYTES: usize = MAX_BODY_BYTES / 2;

/// What nodes send each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum PeerMessage {
    /// A message of one partition to another.
    Message(Message),
    /// A device is revoked, or enrolled anew with a source: its connection ends at once.
    Cut {
        device: DeviceId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        enrolled: Option<u64>,
    },
}

impl PeerMessage {
    /// What it only shows, where that is all: of several the newest is enough.
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

/// A command for a cluster from another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardedClusterCommand {
    pub(crate) cluster: ClusterId,
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: ClusterCommand,
}

/// A command for the House from another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardedHouseCommand {
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: HouseCommand,
}

/// To whom a message goes.
enum Recipient {
    Holder(ChainName),
    /// Wherever the cluster runs: apart, or with its dealer's side.
    Cluster(ClusterId),
    All,
}

/// Sends messages to other nodes.
#[derive(Clone)]
pub(crate) struct PeerSender {
    messages: mpsc::Sender<(Recipient, PeerMessage)>,
    nodes: Peers,
    runtime: Handle,
}

impl PeerSender {
    /// Begins to send messages, in a runtime.
    pub(crate) fn start(nodes: &Peers) -> Self {
        let (messages, waiting) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(distribute(waiting, nodes.clone()));
        Self { messages, nodes: nodes.clone(), runtime: Handle::current() }
    }

    /// Sends a message to the node that holds its partition.
    pub(crate) fn message(&self, message: Message) {
        let to = match message.to() {
            MachineId::House => Recipient::Holder(house()),
            MachineId::Round(table) => Recipient::Holder(partition_of(table)),
            MachineId::Cluster(cluster) => Recipient::Cluster(cluster),
        };
        self.send(to, PeerMessage::Message(message));
    }

    /// The connection of a device ends, wherever it is. Who does not hear of it finds it out.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.send(Recipient::All, PeerMessage::Cut { device, enrolled });
    }

    /// Asks the House, on the node that holds it, and tells the answer; none where the House cannot be reached.
    pub(crate) fn ask(&self, asked: ForwardedHouseCommand, answer: impl FnOnce(Option<CommandReply>) + Send + 'static) {
        let nodes = self.nodes.clone();
        self.runtime.spawn(async move {
            answer(nodes.ask(&house(), "/api/v1/node/house", &asked).await);
        });
    }

    fn send(&self, to: Recipient, message: PeerMessage) {
        // It is sent again by whoever sent it.
        self.messages.try_send((to, message)).unwrap_or_default();
    }
}

impl Peers {
    /// Asks a cluster that another node holds; nothing where what came of it is not known.
    pub(crate) async fn ask_cluster(&self, asked: &ForwardedClusterCommand) -> Option<CommandReply> {
        self.ask(&self.partition_of_cluster(asked.cluster), "/api/v1/node/cluster", asked).await
    }

    /// Has the node that holds a part answer what is asked of it.
    async fn ask(&self, partition: &ChainName, path: &str, asked: &impl Serialize) -> Option<CommandReply> {
        let asking = async {
            let node = self.elsewhere(partition).ok_or(PeerError::Nobody)?;
            let body = serde_json::to_vec(asked).expect("a command can be written down");
            let answer = self.client.json(&node, path, self.key()?, Some(body)).await?;
            serde_json::from_value(answer).map_err(|_| PeerError::Unreadable)
        };
        asking.await.inspect_err(|error| tracing::warn!(%partition, %error, "a part elsewhere did not answer")).ok()
    }

    async fn deliver(&self, node: &str, batch: String) -> Result<(), PeerError> {
        self.client.json(node, "/api/v1/node/messages", self.key()?, Some(batch.into_bytes())).await.map(drop)
    }
}

/// Gives each node its messages. One that is silent delays no other.
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
        // Of what is only shown the newest counts.
        let newest: BTreeMap<_, usize> =
            (0..).zip(&messages).filter_map(|(at, message)| Some((message.shows()?, at))).collect();
        let is_news = |at: usize, message: &PeerMessage| message.shows().is_none_or(|shows| newest[&shows] == at);
        let news = (0..).zip(&messages).filter(|(at, message)| is_news(*at, message)).map(|(_, message)| message);
        for batch in batches(news) {
            // The node has left, or comes back under the same address: then it has another queue.
            if waiting.is_closed() {
                return;
            }
            if let Err(error) = nodes.deliver(&node, batch).await {
                tracing::warn!(node, %error, "messages did not arrive: they are sent again");
            }
        }
        messages.clear();
    }
}

/// Messages as the bodies of requests, in order.
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
