//! A worker as the server runs it: inputs in batches, appends in order, effects once they are durable.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use taisai_engine::{
    BatchNumber, ClusterPartition, Effect, Effects, HousePartition, Input, Outbox, Partition, RoundPartition, Worker,
    WorkerStop,
};
use taisai_rules::Station;
use taisai_table::{Cluster, ClusterId, MachineId, Profile, Seat, SessionId, Time};

use crate::clock::WorkerClock;
use crate::invariants::{self, InvariantResult};
use crate::machine::AnyMachine;
use crate::planted::{Mistakes, Planted};
use crate::random::Random;
use crate::store::{SimulatedBlock, SimulatedHead};

/// How many inputs are decided before they are submitted.
const BATCH_SIZE: usize = 1_024;

/// How many batches may wait to become durable.
const MAX_BATCHES_IN_FLIGHT: u64 = 2;

/// Terminals have reconnected by then after a worker's start, or are lost.
const RECONNECT_GRACE: u64 = 2_500;

/// A transaction that waits for the one before it.
#[derive(Debug)]
struct Write {
    blocks: Vec<Rc<SimulatedBlock>>,
    /// The batch that is durable with it.
    completes: Option<u64>,
}

/// What leaves with a batch, and what it rests on.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub(crate) effects: Vec<Effect>,
    pub(crate) rests_on: Vec<(MachineId, SimulatedHead)>,
}

/// A worker with its inputs, its writer and its outbox.
#[derive(Debug)]
pub(crate) struct RunningWorker {
    pub(crate) run: u64,
    pub(crate) worker: Worker,
    effects: Effects,
    outbox: Outbox<Submitted>,
    pub(crate) clock: WorkerClock,
    pub(crate) inbox: VecDeque<Input>,
    batch: u64,
    durable: u64,
    heads: BTreeMap<MachineId, SimulatedHead>,
    writes: VecDeque<Write>,
    is_writing: bool,
    /// The sessions of terminals when it began.
    sessions: BTreeMap<ClusterId, Vec<(Seat, SessionId)>>,
    /// True time of the earliest event that wakes the worker.
    pub(crate) wakes_at: Option<u64>,
    mistakes: Mistakes,
}

impl RunningWorker {
    /// A worker of machines that were just taken over.
    pub(crate) fn new(
        run: u64,
        machines: Vec<(MachineId, AnyMachine, SimulatedHead)>,
        (profile, clock, sources): (&Profile, WorkerClock, &[u64]),
        mistakes: Mistakes,
    ) -> Self {
        let heads = machines.iter().map(|(id, _, head)| (*id, *head)).collect();
        let (mut round, mut clusters, mut house) = (None, Vec::new(), None);
        for ((_, machine, _), source) in machines.into_iter().zip(sources.iter().copied()) {
            match machine {
                AnyMachine::House(machine) => house = Some(HousePartition::new(*machine, source)),
                AnyMachine::Round(machine) => round = Some(RoundPartition::new(*machine, profile, source)),
                AnyMachine::Cluster(machine) => clusters.push(ClusterPartition::new(*machine, source)),
            }
        }
        let worker = match (house, round) {
            (Some(house), _) => Worker::house(house),
            (None, Some(round)) => Worker::table(round, clusters),
            (None, None) => Worker::cluster(clusters.pop().expect("a partition has a machine")),
        };
        let sessions = worker.clusters().map(|cluster| (cluster.id(), sessions(cluster))).collect();
        Self {
            run,
            worker,
            sessions,
            effects: Effects::default(),
            outbox: Outbox::default(),
            clock,
            inbox: VecDeque::new(),
            batch: 0,
            durable: 0,
            heads,
            writes: VecDeque::new(),
            is_writing: false,
            wakes_at: None,
            mistakes,
        }
    }

    /// The worker begins.
    pub(crate) fn start(&mut self, now: Time, random: &mut Random) -> Result<Vec<Submitted>, WorkerStop> {
        self.worker.start(now, &mut self.effects)?;
        self.end_batch(now, random)
    }

    /// Whether it has something to do, and room to do it.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        let has_timer = self.worker.next_timer().is_some_and(|timer| timer <= now);
        self.batch - self.durable < MAX_BATCHES_IN_FLIGHT && (has_timer || !self.inbox.is_empty())
    }

    pub(crate) const fn has_room(&self) -> bool {
        self.batch - self.durable < MAX_BATCHES_IN_FLIGHT
    }

    /// Decides a batch. Gives what leaves before it is durable, by mistake.
    pub(crate) fn work(&mut self, now: Time, random: &mut Random) -> Result<Vec<Submitted>, WorkerStop> {
        for _ in 0..self.inbox.len().min(BATCH_SIZE) {
            let Some(input) = self.inbox.pop_front() else { break };
            self.worker.handle(now, input, &mut self.effects)?;
        }
        self.end_batch(now, random)
    }

    fn end_batch(&mut self, now: Time, random: &mut Random) -> Result<Vec<Submitted>, WorkerStop> {
        self.worker.end_batch(now, &mut self.effects)?;
        self.batch += 1;
        let mut blocks = Vec::with_capacity(self.effects.appends.len());
        if self.mistakes.is(Planted::AppendsOutOfOrder) {
            self.effects.appends.reverse();
        }
        for append in &self.effects.appends {
            let head = self.heads.get_mut(&append.partition).expect("a worker appends to its own chains");
            let mut block = SimulatedBlock::after(append.partition, *head);
            let count = append.entries.iter().count();
            let forgets = self.mistakes.is(Planted::EntryForgotten) && count > 1 && random.one_in(20);
            append.entries.iter().take(count - usize::from(forgets)).for_each(|entry| block.push(entry));
            let block = block.sealed();
            *head = block.head();
            blocks.push(Rc::new(block));
        }
        self.effects.appended();
        // A writer gathers what waits: a batch is one transaction, or several in order.
        if random.one_in(4) {
            for block in blocks.drain(..) {
                self.writes.push_back(Write { blocks: vec![block], completes: None });
            }
        }
        self.writes.push_back(Write { blocks, completes: Some(self.batch) });
        let effects = std::mem::take(&mut self.effects.held);
        let rests_on = self.heads.iter().map(|(id, head)| (*id, *head)).collect();
        let mut submitted = Submitted { effects, rests_on };
        let early = self.too_early(&mut submitted);
        self.outbox.hold(BatchNumber(self.batch), submitted);
        Ok(early)
    }

    /// What leaves before it is durable, by mistake.
    fn too_early(&self, submitted: &mut Submitted) -> Vec<Submitted> {
        let leaves = |effect: &Effect| match effect {
            Effect::Reply(..) | Effect::Voucher(..) => self.mistakes.is(Planted::ReplyBeforeDurable),
            Effect::Send(message) => self.mistakes.is(Planted::MessageBeforeDurable) && !message.is_view(),
            Effect::Publish(_) => self.mistakes.is(Planted::ViewBeforeDurable),
            Effect::ReadBarrier(_) | Effect::ReadSlip { .. } | Effect::Seize(_) => false,
        };
        let (early, late) = std::mem::take(&mut submitted.effects).into_iter().partition(leaves);
        submitted.effects = late;
        let rests_on = submitted.rests_on.clone();
        let early = Submitted { effects: early, rests_on };
        if early.effects.is_empty() { Vec::new() } else { vec![early] }
    }

    /// The next transaction, if none is under way.
    pub(crate) fn next_write(&mut self) -> Option<Vec<Rc<SimulatedBlock>>> {
        while !self.is_writing {
            let write = self.writes.front()?;
            if !write.blocks.is_empty() {
                self.is_writing = true;
                return Some(write.blocks.clone());
            }
            self.complete();
        }
        None
    }

    /// The transaction that was under way is durable.
    pub(crate) fn written(&mut self) {
        self.is_writing = false;
        self.complete();
    }

    fn complete(&mut self) {
        if let Some(batch) = self.writes.pop_front().and_then(|write| write.completes) {
            self.durable = batch;
        }
    }

    /// The transaction that was under way is tried again after another head, by mistake.
    pub(crate) fn rewrite(&mut self, head: impl Fn(MachineId) -> SimulatedHead) {
        self.is_writing = false;
        let mut heads: BTreeMap<MachineId, SimulatedHead> = self.heads.keys().map(|id| (*id, head(*id))).collect();
        for write in &mut self.writes {
            for block in &mut write.blocks {
                let Some(head) = heads.get_mut(&block.chain) else { continue };
                let mut moved = SimulatedBlock::after(block.chain, *head);
                block.entries().for_each(|entry| moved.push(entry));
                let moved = moved.sealed();
                *head = moved.head();
                *block = Rc::new(moved);
            }
        }
        self.heads = heads;
    }

    /// What may leave now.
    pub(crate) fn release(&mut self, lease_holds: bool) -> Option<Submitted> {
        let ahead = u64::from(self.mistakes.is(Planted::NextBatchIsDurable));
        self.outbox.release(BatchNumber(self.durable + ahead), lease_holds)
    }

    /// Whether all that was decided is durable.
    pub(crate) const fn is_durable(&self) -> bool {
        self.batch == self.durable
    }

    /// How far it has decided and written.
    pub(crate) fn progress(&self) -> String {
        let writes = if self.is_writing { ", writes" } else { "" };
        format!("batch {}, durable {}, {} inputs{writes}", self.batch, self.durable, self.inbox.len())
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.worker.has_departed() && self.is_durable()
    }
}

impl RunningWorker {
    /// Terminals that did not come back are lost, once they had time to.
    pub(crate) fn absent_terminals_are_lost(&self, now: Time) -> InvariantResult {
        if now < self.clock.opened_at(RECONNECT_GRACE) {
            return Ok(());
        }
        self.worker.partitions().iter().try_for_each(|partition| match partition {
            Partition::Cluster(cluster) => {
                invariants::absent_terminals_are_lost(cluster, &self.sessions[&cluster.machine().id()])
            }
            Partition::House(_) | Partition::Round(_) => Ok(()),
        })
    }

    /// Its machines, ahead of what is durable.
    pub(crate) fn machines(&self) -> impl Iterator<Item = (MachineId, AnyMachine)> {
        self.worker.partitions().iter().map(|partition| {
            let machine = match partition {
                Partition::House(house) => AnyMachine::House(Box::new(house.machine().clone())),
                Partition::Round(round) => AnyMachine::Round(Box::new(round.machine().clone())),
                Partition::Cluster(cluster) => AnyMachine::Cluster(Box::new(cluster.machine().clone())),
            };
            (partition.id(), machine)
        })
    }

    /// Whether its chains end where it has written last.
    pub(crate) fn ends_at(&self, head: impl Fn(MachineId) -> SimulatedHead) -> bool {
        self.heads.iter().all(|(id, written)| head(*id) == *written)
    }

    /// Drops what was not written and goes on with the same machines, by mistake.
    pub(crate) fn forget_writes(&mut self, head: impl Fn(MachineId) -> SimulatedHead) {
        self.is_writing = false;
        self.writes.clear();
        self.durable = self.batch;
        self.outbox = Outbox::default();
        self.heads = self.heads.keys().map(|id| (*id, head(*id))).collect();
    }
}

/// The sessions at the terminals of a cluster.
fn sessions(cluster: &Cluster) -> Vec<(Seat, SessionId)> {
    match cluster.rules().game().station() {
        Station::LiveTable => Vec::new(),
        Station::PlayerTerminals => cluster.seats().filter_map(|seat| Some((seat, cluster.session(seat)?))).collect(),
    }
}
