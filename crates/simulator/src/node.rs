//! A node: a process with its clocks, its membership, and the workers of the partitions that it holds.

mod opening;
mod running;

use std::collections::BTreeMap;

use taisai_table::MachineId;

pub(crate) use opening::{OpeningStage, PartitionOpening};
pub(crate) use running::{RunningWorker, Submitted};

use crate::clock::{NodeClock, SourceNumbers};
use crate::event::NodeEvent;
use crate::membership::NodeMembership;
use crate::roster::NodeNumber;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessState {
    Down,
    Up,
    Frozen,
}

/// A partition that the node holds.
#[derive(Debug)]
pub(crate) enum Slot {
    Opening(PartitionOpening),
    Running(Box<RunningWorker>),
}

/// A machine with at most one process of the program.
#[derive(Debug)]
pub(crate) struct SimulatedNode {
    /// Which process it is, since the run began.
    pub(crate) process: u64,
    pub(crate) state: ProcessState,
    pub(crate) clock: NodeClock,
    /// None while the process is down, and where there is one node alone.
    pub(crate) membership: Option<NodeMembership>,
    pub(crate) sources: SourceNumbers,
    /// Names under which this process was a member and could not say that it leaves.
    pub(crate) former: Vec<NodeNumber>,
    pub(crate) slots: BTreeMap<MachineId, Slot>,
    /// What happened to the process while it was frozen.
    pub(crate) deferred: Vec<NodeEvent>,
    /// Numbers for openings, so that late results can be recognised.
    runs: u64,
}

impl SimulatedNode {
    pub(crate) fn new(clock: NodeClock) -> Self {
        Self {
            process: 0,
            state: ProcessState::Down,
            clock,
            membership: None,
            sources: SourceNumbers::default(),
            former: Vec::new(),
            slots: BTreeMap::new(),
            deferred: Vec::new(),
            runs: 0,
        }
    }

    pub(crate) const fn next_run(&mut self) -> u64 {
        self.runs += 1;
        self.runs
    }

    pub(crate) fn running(&mut self, partition: MachineId) -> Option<&mut RunningWorker> {
        match self.slots.get_mut(&partition) {
            Some(Slot::Running(running)) => Some(running),
            Some(Slot::Opening(_)) | None => None,
        }
    }

    pub(crate) fn is_running(&self, partition: MachineId) -> bool {
        matches!(self.slots.get(&partition), Some(Slot::Running(_)))
    }

    /// Whether the node may answer for what it holds. One that is alone always may.
    pub(crate) fn lease_holds(&self, now: u64) -> bool {
        self.membership.as_ref().is_none_or(|membership| membership.holds(self.clock.monotonic(now)))
    }

    pub(crate) fn name(&self) -> Option<NodeNumber> {
        self.membership.as_ref().and_then(NodeMembership::name)
    }

    /// Which node holds a partition, as this one knows it.
    pub(crate) fn holder_of(&self, partition: MachineId) -> Option<usize> {
        Some(self.membership.as_ref()?.roster.holder(partition)?.address)
    }

    /// The process ends: nothing of it is left.
    pub(crate) fn end(&mut self) {
        self.process += 1;
        self.state = ProcessState::Down;
        self.membership = None;
        self.slots.clear();
        self.deferred.clear();
    }
}
