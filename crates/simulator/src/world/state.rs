//! The installation as a person who replays a run sees it.

use taisai_engine::Partition;
use taisai_table::{Account, Cluster, House, MachineId, Round};

use super::World;
use crate::event::{Event, NodeEvent};
use crate::machine::AnyMachine;
use crate::node::{RunningWorker, SimulatedNode, Slot};
use crate::replay::State;

/// Longer texts of messages and commands are cut off.
const MAX_TEXT: usize = 160;

impl World {
    /// Nodes with their partitions and machines, chains, people who wait, and what is in flight.
    pub(crate) fn state(&self) -> State {
        let mut state = State::new();
        for (index, node) in self.nodes.iter().enumerate() {
            state.push((format!("node {index}"), self.node_state(node)));
            for (partition, slot) in &node.slots {
                let worker = format!("node {index} worker {}", name(*partition));
                match slot {
                    Slot::Opening(opening) => {
                        let chain = opening.chain().map_or_else(|| "–".to_owned(), name);
                        state.push((worker, format!("opening: {:?} {chain}", opening.stage)));
                    }
                    Slot::Running(running) => {
                        state.push((worker, running.progress()));
                        state.extend(machines(running).map(|(id, text)| (format!("node {index} {}", name(id)), text)));
                    }
                }
            }
        }
        for chain in self.casino.chains() {
            let head = self.store.head(chain);
            let holder = self.store.holder(self.casino.partition_of(chain));
            let index = holder.and_then(|holder| self.nodes.iter().position(|node| node.name() == Some(holder)));
            let holder = index.map_or_else(|| "–".to_owned(), |index| format!("node {index}"));
            let value = format!("epoch {}, {} blocks, lease of {holder}", head.epoch, head.next);
            state.push((format!("chain {}", name(chain)), value));
            let machine = match self.record.machine(chain) {
                AnyMachine::House(house) => house_state(house),
                AnyMachine::Round(round) => round_state(round),
                AnyMachine::Cluster(cluster) => cluster_state(cluster),
            };
            state.push((format!("record {}", name(chain)), machine));
        }
        for (index, person) in self.people.everyone.iter().enumerate() {
            if let Some(pending) = &person.pending {
                let value = format!("{:?} waits for node {}: {:?}", person.role, person.node, pending.ask);
                state.push((format!("person {index}"), cut(value)));
            }
        }
        state.extend(self.schedule.in_flight().filter_map(|(sequence, at, event)| {
            let value = match event {
                Event::Node { node, event: NodeEvent::Message(message), .. } => {
                    format!("to {} at node {node}: {message:?}", name(message.to()))
                }
                Event::Node { node, event: NodeEvent::Request(request), .. } => {
                    format!("to {} at node {node}: {:?}", name(request.what.machine()), request.what)
                }
                Event::Statement { node, number } => format!("statement {number} of node {node} to the store"),
                Event::Node { .. } | Event::Start { .. } | Event::Thaw { .. } | Event::Person { .. } | Event::Fault => {
                    return None;
                }
            };
            Some((format!("in flight {sequence}"), cut(format!("due {} {value}", seconds(at)))))
        }));
        state
    }

    fn node_state(&self, node: &SimulatedNode) -> String {
        let joined = node.name().map_or_else(String::new, |name| format!(", joined as {}", name.0 % 10_000));
        let lease = match (&node.membership, node.lease_holds(self.now())) {
            (None, _) => "",
            (Some(_), true) => ", lease lasts",
            (Some(_), false) => ", without a lease",
        };
        format!("{:?}, process {}{joined}{lease}", node.state, node.process)
    }
}

/// The machines of a worker, ahead of what is durable.
fn machines(running: &RunningWorker) -> impl Iterator<Item = (MachineId, String)> {
    running.worker.partitions().iter().map(|partition| {
        let text = match partition {
            Partition::House(house) => house_state(house.machine()),
            Partition::Round(round) => round_state(round.machine()),
            Partition::Cluster(cluster) => cluster_state(cluster.machine()),
        };
        (partition.id(), text)
    })
}

fn house_state(house: &House) -> String {
    let balances = [Account::Vouchers, Account::Claims, Account::Receivables].map(|account| house.balance(account));
    let [vouchers, claims, receivables] = balances;
    format!("vouchers {vouchers}, claims {claims}, receivables {receivables}")
}

fn round_state(round: &Round) -> String {
    let held = if round.is_held() { ", held" } else { "" };
    let followed = if round.is_followed() { "" } else { ", not followed by all" };
    format!("round {} {:?}{held}{followed}", round.number().0, round.phase())
}

fn cluster_state(cluster: &Cluster) -> String {
    let seats = cluster.seats().filter(|seat| cluster.session(*seat).is_some()).map(|seat| {
        let lost = if cluster.is_lost(seat) { " lost" } else { "" };
        format!("seat {}{lost} {} + {}", seat.0, cluster.credits(seat), cluster.on_layout(seat))
    });
    let seats: Vec<_> = seats.collect();
    let (round, betting, followed) = (cluster.round().0, cluster.betting(), cluster.followed());
    let (sent, received) = (cluster.outbox().count(), cluster.received());
    format!(
        "round {round} {betting:?}, notice {followed}, transfers {sent} out and {received} in; {}",
        seats.join(", ")
    )
}

fn name(machine: MachineId) -> String {
    match machine {
        MachineId::House => "house".to_owned(),
        MachineId::Round(table) => format!("table-{}", table.0),
        MachineId::Cluster(cluster) => format!("table-{}-{}", cluster.table.0, cluster.number),
    }
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1_000, millis % 1_000)
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text;
    }
    text.chars().take(MAX_TEXT).chain(['…']).collect()
}
