//! Letters from the machines of this node to those of others, in order. One that does not arrive is lost: whoever sent it sends
//! it again until its outbox is empty, and whoever gets it twice knows it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_journal::ChainName;
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, DeviceId, HouseCommand, MachineId, Message, Seat, TableId,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::fellow::Unreachable;
use super::{Nodes, house, part_of};
use crate::guard::LARGEST_BODY;
use crate::house::SeatMoney;
use crate::leaving::Answer;
use crate::table::{AtCluster, TableMail};

/// So many letters may wait to be sent; more are lost, and sent again.
const WAITING: usize = 4_096;

/// So many are taken at once.
const AT_ONCE: usize = 64;

/// So many bytes of letters go in one request, unless a single one is larger: it fits all the same.
const BAG: usize = LARGEST_BODY / 2;

/// A letter between nodes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Letter {
    /// A message of one machine to another.
    Message(Message),
    /// What lies on the layout of a cluster, and how its seats are.
    AtCluster { cluster: ClusterId, at_cluster: AtCluster },
    /// What the House has of the player at a seat. It is sent a few times, as one may be lost.
    SeatMoney { cluster: ClusterId, seat: Seat, money: Box<SeatMoney> },
    /// A device is revoked, or enrolled anew with a source: its connection ends at once.
    Cut {
        device: DeviceId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        enrolled: Option<u64>,
    },
}

impl Letter {
    /// The cluster that it only shows.
    const fn shows(&self) -> Option<ClusterId> {
        match self {
            Self::AtCluster { cluster, .. } => Some(*cluster),
            Self::Message(_) | Self::SeatMoney { .. } | Self::Cut { .. } => None,
        }
    }
}

/// A command for a cluster from another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForCluster {
    pub(crate) cluster: ClusterId,
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: ClusterCommand,
}

/// A command for the House from another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forwarded {
    pub(crate) actor: Actor,
    pub(crate) id: CommandId,
    pub(crate) command: HouseCommand,
}

/// To whom a letter goes.
enum To {
    Holder(ChainName),
    /// Wherever the cluster runs: apart, or with its dealer's side.
    Cluster(ClusterId),
    All,
}

/// What takes letters to other nodes.
#[derive(Clone)]
pub(crate) struct Courier {
    letters: mpsc::Sender<(To, Letter)>,
    nodes: Nodes,
    runtime: Handle,
}

impl Courier {
    /// Begins to take letters, in a runtime.
    pub(crate) fn start(nodes: &Nodes) -> Self {
        let (letters, waiting) = mpsc::channel(WAITING);
        tokio::spawn(carry(waiting, nodes.clone()));
        Self { letters, nodes: nodes.clone(), runtime: Handle::current() }
    }

    /// What a table on another node is sent.
    pub(crate) fn to_table(&self, table: TableId, letter: &TableMail) {
        let of = |number| ClusterId { table, number };
        let (to, letter) = match *letter {
            TableMail::AtCluster { cluster, ref at_cluster } => {
                let at_cluster = at_cluster.clone();
                (To::Holder(part_of(table)), Letter::AtCluster { cluster: of(cluster), at_cluster })
            }
            TableMail::SeatMoney { cluster, seat, ref money } => {
                let money = money.clone();
                (To::Cluster(of(cluster)), Letter::SeatMoney { cluster: of(cluster), seat, money })
            }
            // Nobody else has a way to a table that does not run here.
            TableMail::Message(_)
            | TableMail::Round { .. }
            | TableMail::Cluster { .. }
            | TableMail::Sit { .. }
            | TableMail::Gone { .. }
            | TableMail::Follow { .. }
            | TableMail::Look(_)
            | TableMail::Slip { .. }
            | TableMail::Followed(_)
            | TableMail::DamagedSet { .. }
            | TableMail::Depart => return,
        };
        self.send(to, letter);
    }

    /// Sends a message to the node that holds its machine.
    pub(crate) fn message(&self, message: Message) {
        let to = match message.to() {
            MachineId::House => To::Holder(house()),
            MachineId::Round(table) => To::Holder(part_of(table)),
            MachineId::Cluster(cluster) => To::Cluster(cluster),
        };
        self.send(to, Letter::Message(message));
    }

    /// The connection of a device ends, wherever it is. Who does not hear of it finds it out.
    pub(crate) fn cut(&self, device: DeviceId, enrolled: Option<u64>) {
        self.send(To::All, Letter::Cut { device, enrolled });
    }

    /// Asks the House, on the node that holds it, and tells the answer; none where the House cannot be reached.
    pub(crate) fn ask(&self, asked: Forwarded, answer: impl FnOnce(Option<Answer>) + Send + 'static) {
        let nodes = self.nodes.clone();
        self.runtime.spawn(async move {
            answer(nodes.ask(&house(), "/api/v1/node/house", &asked).await);
        });
    }

    fn send(&self, to: To, letter: Letter) {
        // It is sent again by whoever sent it.
        self.letters.try_send((to, letter)).unwrap_or_default();
    }
}

impl Nodes {
    /// Asks a cluster that another node holds; nothing where what came of it is not known.
    pub(crate) async fn ask_cluster(&self, asked: &ForCluster) -> Option<Answer> {
        self.ask(&self.part_of_cluster(asked.cluster), "/api/v1/node/cluster", asked).await
    }

    /// Has the node that holds a part answer what is asked of it.
    async fn ask(&self, part: &ChainName, path: &str, asked: &impl Serialize) -> Option<Answer> {
        let asking = async {
            let node = self.elsewhere(part).ok_or(Unreachable::Nobody)?;
            let body = serde_json::to_vec(asked).expect("a command can be written down");
            let answer = self.fellow.json(&node, path, self.key()?, Some(body)).await?;
            serde_json::from_value(answer).map_err(|_| Unreachable::Unreadable)
        };
        asking.await.inspect_err(|error| tracing::warn!(%part, %error, "a part elsewhere did not answer")).ok()
    }

    async fn carried(&self, node: &str, bag: String) -> Result<(), Unreachable> {
        self.fellow.json(node, "/api/v1/node/letters", self.key()?, Some(bag.into_bytes())).await.map(drop)
    }
}

/// Gives each node its letters. One that is silent delays no other.
async fn carry(mut waiting: mpsc::Receiver<(To, Letter)>, nodes: Nodes) {
    let mut ways: BTreeMap<String, mpsc::Sender<Letter>> = BTreeMap::new();
    while let Some((to, letter)) = waiting.recv().await {
        let to = match to {
            To::Holder(part) => nodes.elsewhere(&part).into_iter().collect(),
            To::Cluster(cluster) => nodes.elsewhere(&nodes.part_of_cluster(cluster)).into_iter().collect(),
            To::All => nodes.others(),
        };
        for node in to {
            let way = ways.entry(node.clone()).or_insert_with(|| {
                let (way, letters) = mpsc::channel(WAITING);
                tokio::spawn(carry_to(node, letters, nodes.clone()));
                way
            });
            way.try_send(letter.clone()).unwrap_or_default();
        }
        let living = nodes.others();
        ways.retain(|node, _| living.contains(node));
    }
}

async fn carry_to(node: String, mut waiting: mpsc::Receiver<Letter>, nodes: Nodes) {
    let mut letters = Vec::with_capacity(AT_ONCE);
    while waiting.recv_many(&mut letters, AT_ONCE).await > 0 {
        // Of what is only shown the newest counts.
        let views: BTreeMap<ClusterId, usize> =
            (0..).zip(&letters).filter_map(|(at, letter)| Some((letter.shows()?, at))).collect();
        let is_news = |at: usize, letter: &Letter| letter.shows().is_none_or(|cluster| views[&cluster] == at);
        let news = (0..).zip(&letters).filter(|(at, letter)| is_news(*at, letter)).map(|(_, letter)| letter);
        for bag in bags(news) {
            // The node has left, or comes back under the same address: then it has another way.
            if waiting.is_closed() {
                return;
            }
            if let Err(error) = nodes.carried(&node, bag).await {
                tracing::warn!(node, %error, "letters did not arrive: they are sent again");
            }
        }
        letters.clear();
    }
}

/// Letters as the bodies of requests, in order.
fn bags<'l>(letters: impl IntoIterator<Item = &'l Letter>) -> Vec<String> {
    let mut bags: Vec<String> = Vec::new();
    for letter in letters {
        let letter = serde_json::to_string(letter).expect("a letter can be written down");
        match bags.last_mut() {
            Some(bag) if bag.len() + letter.len() < BAG => {
                bag.push(',');
                bag.push_str(&letter);
            }
            _ => bags.push(format!("[{letter}")),
        }
    }
    for bag in &mut bags {
        bag.push(']');
    }
    bags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_carried_in_order_in_bags_that_fit() {
        let cut = |device| Letter::Cut { device: DeviceId(device), enrolled: None };
        let letters: Vec<_> = (0..5_000).map(cut).collect();
        let bags = bags(&letters);
        assert!(bags.len() > 1 && bags.iter().all(|bag| bag.len() <= LARGEST_BODY));
        let carried = bags.iter().flat_map(|bag| serde_json::from_str::<Vec<Letter>>(bag).unwrap());
        assert!(bags.iter().all(|bag| bag.len() <= BAG + 1), "none is larger than it must be");
        let devices = carried.map(|letter| if let Letter::Cut { device, .. } = letter { device.0 } else { u32::MAX });
        assert!(devices.eq(0..5_000));
        assert!(super::bags([]).is_empty());
        let cluster = ClusterId { table: TableId(u16::MAX), number: u16::MAX };
        let largest = Letter::AtCluster { cluster, at_cluster: AtCluster::largest() };
        let bags = super::bags([&letters[0], &largest, &letters[1]]);
        assert!(bags.iter().all(|bag| bag.len() <= LARGEST_BODY), "{:?}", bags.iter().map(String::len));
        let carried = bags.iter().flat_map(|bag| serde_json::from_str::<Vec<Letter>>(bag).unwrap());
        assert_eq!(carried.filter_map(|letter| letter.shows()).collect::<Vec<_>>(), [cluster]);
    }
}
