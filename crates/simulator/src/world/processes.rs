//! Processes start, freeze, end, or drop everything and join again; and their memberships decide about leases.

use taisai_table::MachineId;

use super::World;
use crate::clock::SourceNumbers;
use crate::event::{Event, NodeEvent, PersonEvent, StatementPurpose};
use crate::invariants::InvariantResult;
use crate::membership::{NodeMembership, NodeMembershipEffect, NodeMembershipInput};
use crate::node::{PartitionOpening, ProcessState, Slot};
use crate::people::{ClientRole, Link};
use crate::planted::Planted;
use crate::store::StoreStatement;

/// How long a process takes to join again, from and to.
const REJOIN_DELAY: (u64, u64) = (100, 800);

impl World {
    /// A process is started, unless one runs.
    pub(super) fn start(&mut self, node: usize) -> InvariantResult {
        let at = &mut self.nodes[node];
        if at.state != ProcessState::Down {
            return Ok(());
        }
        (at.process, at.state) = (at.process + 1, ProcessState::Up);
        self.schedule.trace(format_args!("node {node}: process {} starts", self.nodes[node].process));
        if self.is_alone() {
            for partition in self.casino.partitions() {
                self.open(node, partition);
            }
            return Ok(());
        }
        self.join(node)
    }

    fn join(&mut self, node: usize) -> InvariantResult {
        let former = std::mem::take(&mut self.nodes[node].former);
        let membership = NodeMembership::new(node, self.casino.partitions(), &former, self.schedule.mistakes);
        self.nodes[node].membership = Some(membership);
        self.membership(node, NodeMembershipInput::Timer)
    }

    /// A process ends, with all that it has not written.
    pub(super) fn kill(&mut self, node: usize) -> InvariantResult {
        let (now, process) = (self.now(), self.nodes[node].process);
        let is_of_node = |waiter: &crate::event::StatementSender| waiter.node == node && waiter.process == process;
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

    /// A process shuts down: what runs here ends, and its leases are free immediately.
    pub(super) fn stop(&mut self, node: usize) {
        if let Some(name) = self.nodes[node].name() {
            self.call(node, StoreStatement::Leave { name }, StatementPurpose::Nobody);
        }
        self.nodes[node].end();
        self.cut_clients(node, None);
    }

    pub(super) fn thaw(&mut self, node: usize, process: u64) {
        let at = &mut self.nodes[node];
        if at.process != process || at.state != ProcessState::Frozen {
            return;
        }
        at.state = ProcessState::Up;
        self.schedule.trace(format_args!("node {node}: goes on"));
        let deferred = std::mem::take(&mut self.nodes[node].deferred);
        for event in deferred {
            let event = self.event(node, event);
            self.schedule.after(0, event);
        }
    }

    /// The membership of a node takes an input.
    pub(super) fn membership(&mut self, node: usize, input: NodeMembershipInput) -> InvariantResult {
        let now = self.nodes[node].clock.monotonic(self.now());
        let mut effects = Vec::new();
        let Some(membership) = &mut self.nodes[node].membership else { return Ok(()) };
        membership.handle(now, input, &mut effects);
        for effect in effects {
            match effect {
                NodeMembershipEffect::Ask(statement) => self.call(node, statement, StatementPurpose::Membership),
                NodeMembershipEffect::Joined { slot } => {
                    self.nodes[node].sources = SourceNumbers::new(slot);
                    let name = self.nodes[node].name();
                    self.schedule.trace(format_args!("node {node}: joins as {name:?} with slot {slot}"));
                }
                NodeMembershipEffect::InvariantResult(partition) => {
                    self.schedule.trace(format_args!("node {node}: holds {partition:?}"));
                    self.open(node, partition);
                }
                NodeMembershipEffect::Wanted(partition) => {
                    self.schedule.trace(format_args!("node {node}: {partition:?} goes to another node"));
                    self.depart(node, partition)?;
                }
                NodeMembershipEffect::Over(why) => self.over(node, &why)?,
                NodeMembershipEffect::Timer(at) => {
                    let at = self.nodes[node].clock.when(at);
                    let event = self.event(node, NodeEvent::Membership);
                    self.schedule.at(at, event);
                }
            }
        }
        Ok(())
    }

    /// The node drops everything, and joins again under another number.
    pub(super) fn over(&mut self, node: usize, why: &str) -> InvariantResult {
        self.schedule.trace(format_args!("node {node}: drops everything: {why}"));

        if self.schedule.mistakes.is(Planted::ReplyInventedOnFailure) {
            self.invent_replies(node)?;
        }
        if let Some(name) = self.nodes[node].name() {
            self.nodes[node].former.push(name);
        }
        self.nodes[node].end();
        self.cut_clients(node, None);
        let (least, most) = REJOIN_DELAY;
        let after = self.schedule.random.between(least, most);
        self.schedule.after(after, Event::Start { node });
        Ok(())
    }

    /// Begins to take a partition over.
    fn open(&mut self, node: usize, partition: MachineId) {
        let run = self.nodes[node].next_run();
        let opening = PartitionOpening::new(run, self.casino.chains_of(partition));
        self.nodes[node].slots.insert(partition, Slot::Opening(opening));
        self.open_next(node, partition);
    }

    /// Terminals that are connected to a node, or through it to a partition, mostly notice that it ended.
    pub(super) fn cut_clients(&mut self, node: usize, partition: Option<MachineId>) {
        for person in 0..self.people.everyone.len() {
            let at = &self.people.everyone[person];
            let Link::Connected(connection) = at.link else { continue };
            let ClientRole::Terminal { cluster, .. } = at.role else { continue };
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
