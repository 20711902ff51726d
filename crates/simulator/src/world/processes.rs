//! Processes that start, freeze, end, and drop everything to join anew; and what they decide about leases.

use taisai_table::MachineId;

use super::World;
use crate::clock::Sources;
use crate::event::{Event, NodeEvent, PersonEvent, Waiting};
use crate::invariants::Held;
use crate::membership::{Effect, Input, Membership};
use crate::node::{Opening, Slot, State};
use crate::people::{Link, Role};
use crate::planted::Planted;
use crate::store::Statement;

/// How long a process takes to join anew.
const REJOINS: (u64, u64) = (100, 800);

impl World {
    /// A process is started, unless one runs.
    pub(super) fn start(&mut self, node: usize) -> Held {
        let at = &mut self.nodes[node];
        if at.state != State::Down {
            return Ok(());
        }
        (at.process, at.state) = (at.process + 1, State::Up);
        self.schedule.trace(format_args!("node {node}: process {} starts", self.nodes[node].process));
        if self.is_alone() {
            for partition in self.casino.partitions() {
                self.open(node, partition);
            }
            return Ok(());
        }
        self.join(node)
    }

    fn join(&mut self, node: usize) -> Held {
        let former = std::mem::take(&mut self.nodes[node].former);
        let membership = Membership::new(node, self.casino.partitions(), &former, self.schedule.mistakes);
        self.nodes[node].membership = Some(membership);
        self.membership(node, Input::Timer)
    }

    /// A process ends, with all that it has not written.
    pub(super) fn kill(&mut self, node: usize) -> Held {
        let (now, process) = (self.now(), self.nodes[node].process);
        let is_of_node = |waiter: &crate::event::Waiter| waiter.node == node && waiter.process == process;
        self.store.forget(is_of_node, now, node, &mut self.schedule.random);
        self.record.follow(&self.store)?;
        if self.schedule.mistakes.is(Planted::SnapshotAheadOfTheChain) {
            for slot in self.nodes[node].slots.values() {
                let Slot::Running(running) = slot else { continue };
                running.machines().for_each(|(chain, machine)| self.record.keep(chain, machine));
            }
        }
        self.nodes[node].end();
        self.cut_clients(node, None);
        Ok(())
    }

    /// A process stops as it was told to: what runs here ends, and everything is free at once.
    pub(super) fn stop(&mut self, node: usize) {
        if let Some(name) = self.nodes[node].name() {
            self.call(node, Statement::Leave { name }, Waiting::Nobody);
        }
        self.nodes[node].end();
        self.cut_clients(node, None);
    }

    pub(super) fn thaw(&mut self, node: usize, process: u64) {
        let at = &mut self.nodes[node];
        if at.process != process || at.state != State::Frozen {
            return;
        }
        at.state = State::Up;
        self.schedule.trace(format_args!("node {node}: goes on"));
        let deferred = std::mem::take(&mut self.nodes[node].deferred);
        for event in deferred {
            let event = self.event(node, event);
            self.schedule.after(0, event);
        }
    }

    /// The membership of a node takes an input.
    pub(super) fn membership(&mut self, node: usize, input: Input) -> Held {
        let now = self.nodes[node].clock.monotonic(self.now());
        let mut effects = Vec::new();
        let Some(membership) = &mut self.nodes[node].membership else { return Ok(()) };
        membership.handle(now, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Ask(statement) => self.call(node, statement, Waiting::Membership),
                Effect::Joined { slot } => {
                    self.nodes[node].sources = Sources::new(slot);
                    let name = self.nodes[node].name();
                    self.schedule.trace(format_args!("node {node}: joins as {name:?} with slot {slot}"));
                }
                Effect::Held(partition) => {
                    self.schedule.trace(format_args!("node {node}: holds {partition:?}"));
                    self.open(node, partition);
                }
                Effect::Wanted(partition) => {
                    self.schedule.trace(format_args!("node {node}: {partition:?} goes to another node"));
                    self.depart(node, partition)?;
                }
                Effect::Over(why) => self.over(node, &why)?,
                Effect::Timer(at) => {
                    let at = self.nodes[node].clock.when(at);
                    let event = self.event(node, NodeEvent::Membership);
                    self.schedule.at(at, event);
                }
            }
        }
        Ok(())
    }

    /// The node drops everything, and joins anew under another name.
    pub(super) fn over(&mut self, node: usize, why: &str) -> Held {
        self.schedule.trace(format_args!("node {node}: drops everything: {why}"));

        if self.schedule.mistakes.is(Planted::ReplyInventedOnFailure) {
            self.invent_replies(node)?;
        }
        if let Some(name) = self.nodes[node].name() {
            self.nodes[node].former.push(name);
        }
        self.nodes[node].end();
        self.cut_clients(node, None);
        let (least, most) = REJOINS;
        let after = self.schedule.random.between(least, most);
        self.schedule.after(after, Event::Start { node });
        Ok(())
    }

    /// Begins to take a partition over.
    fn open(&mut self, node: usize, partition: MachineId) {
        let run = self.nodes[node].next_run();
        let opening = Opening::new(run, self.casino.chains_of(partition));
        self.nodes[node].slots.insert(partition, Slot::Opening(opening));
        self.open_next(node, partition);
    }

    /// Terminals that are connected to a node, or through it to a partition, mostly notice that it is gone.
    pub(super) fn cut_clients(&mut self, node: usize, partition: Option<MachineId>) {
        for person in 0..self.people.everyone.len() {
            let at = &self.people.everyone[person];
            let Link::Connected(connection) = at.link else { continue };
            let Role::Terminal { cluster, .. } = at.role else { continue };
            let own = self.casino.partition_of(MachineId::Cluster(cluster));
            let is_cut = match partition {
                Some(partition) => partition == own,
                None => at.node == node || !self.nodes.iter().any(|node| node.is_running(own)),
            };
            if is_cut && self.schedule.random.percent(90) {
                let after = self.schedule.random.between(1, 60);
                let event = PersonEvent::Cut { connection };
                self.schedule.after(after, Event::Person { person, event });
            }
        }
    }
}
