//! The workers of an installation in memory: what they are built from, and what they append.

use std::collections::{BTreeMap, VecDeque};

use taisai_table::{
    Cluster, ClusterEvent, ClusterId, MachineEntry, MachineId, Machines, RoundNumber, SettledSlip, Slip, Time,
};

use super::{InMemoryBatch, InMemoryInstallation, WorkerPlacement};
use crate::cluster::ClusterPartition;
use crate::effect::CallerId;
use crate::house::HousePartition;
use crate::round::RoundPartition;
use crate::worker::{Input, Worker, WorkerStop};

/// The partitions' own sources are above those of people and devices.
const FIRST_SOURCE: u64 = 1 << 40;

/// For tests that stop workers in the middle of a batch, or place partitions otherwise.
impl InMemoryInstallation {
    /// Workers of these partitions, not begun.
    pub fn laid_out(machines: Machines, partitions: Vec<Vec<MachineId>>, placement: WorkerPlacement) -> Self {
        let mut house = Self {
            placement,
            now: Time(0),
            machines,
            workers: Vec::new(),
            partitions: Vec::new(),
            slips: BTreeMap::new(),
            waiting: VecDeque::new(),
            connections: BTreeMap::new(),
            sequences: BTreeMap::new(),
            newest_source: FIRST_SOURCE,
            newest_caller: CallerId(0),
            record: Vec::new(),
        };
        house.workers = partitions.iter().map(|partitions| house.build(partitions)).collect();
        house.partitions = partitions;
        house
    }

    /// A worker of machines as the record has them.
    pub(super) fn build(&mut self, partitions: &[MachineId]) -> Worker {
        let (mut round, mut clusters, mut house) = (None, Vec::new(), None);
        for partition in partitions {
            let source = self.new_source();
            match *partition {
                MachineId::House => house = Some(HousePartition::new(self.house().clone(), source)),
                MachineId::Round(table) => {
                    let machine = self.table(table).expect("the table is laid out").round.clone();
                    round = Some(RoundPartition::new(machine, self.house().profile(), source));
                }
                MachineId::Cluster(id) => {
                    let machine = self.cluster(id).expect("the cluster is laid out").clone();
                    clusters.push(ClusterPartition::new(machine, source));
                }
            }
        }
        match (house, round) {
            (Some(house), _) => Worker::house(house),
            (None, Some(round)) => Worker::table(round, clusters),
            (None, None) => Worker::cluster(clusters.pop().expect("a worker has partitions")),
        }
    }

    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    pub fn worker_of(&self, partition: MachineId) -> Option<usize> {
        self.partitions.iter().position(|partitions| partitions.contains(&partition))
    }

    /// Builds a worker from the record and begins it.
    pub fn start(&mut self, worker: usize, time: Time) -> Result<InMemoryBatch, WorkerStop> {
        self.now = time;
        let partitions = std::mem::take(&mut self.partitions[worker]);
        self.workers[worker] = self.build(&partitions);
        self.partitions[worker] = partitions;
        InMemoryBatch::started(&mut self.workers[worker], time)
    }

    /// Gives a worker inputs in one batch, and records nothing of it.
    pub fn batch(
        &mut self,
        worker: usize,
        time: Time,
        inputs: impl IntoIterator<Item = Input>,
    ) -> Result<InMemoryBatch, WorkerStop> {
        self.now = time;
        InMemoryBatch::of(&mut self.workers[worker], time, inputs)
    }

    /// Appends an entry to the record.
    pub fn append(&mut self, recorded: MachineEntry) {
        self.slips.extend(settled(&self.machines, &recorded));
        // The entry at which a machine stops is on record.
        self.record.push(recorded);
        if let Some(recorded) = self.record.last() {
            self.machines.apply(recorded);
        }
    }

    /// Whether the workers' machines are those that the record makes.
    pub fn is_as_recorded(&self) -> bool {
        self.workers.iter().all(|worker| {
            let house = worker.the_house().is_none_or(|house| house == self.house());
            let round = worker.round().is_none_or(|round| {
                self.table(round.table()).is_some_and(|table| table.round.state_hash() == round.state_hash())
            });
            let is_recorded = |cluster: &Cluster| {
                self.cluster(cluster.id()).is_some_and(|recorded| recorded.state_hash() == cluster.state_hash())
            };
            house && round && worker.clusters().all(is_recorded)
        })
    }
}

/// The slip of the round that an entry settles, before it is applied: as it is read from the bytes that are kept.
fn settled(machines: &Machines, recorded: &MachineEntry) -> Option<((ClusterId, RoundNumber), Slip)> {
    let MachineEntry::Cluster(id, entry) = recorded else { return None };
    let Ok(ClusterEvent::Settled { digest, .. }) = &entry.outcome else { return None };
    let SettledSlip { round, bytes } = machines.cluster(*id)?.settled_slip(entry)?;
    let slip = Slip::from_kept(&bytes, *digest).expect("a slip can be read as it was settled");
    Some(((*id, round), slip))
}
