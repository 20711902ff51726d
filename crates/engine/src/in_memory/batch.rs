//! A batch of inputs to a worker, and what came of it.

use taisai_table::{MachineEntry, MachineId, Time, decode};

use crate::effect::{Append, Counts, Effect, Effects};
use crate::worker::{Input, Worker, WorkerStop};

/// What came of a batch. Nothing of it is recorded yet.
#[derive(Debug)]
pub struct InMemoryBatch {
    /// The appends in the order in which they become durable, each with its entries as they are read back.
    pub appends: Vec<Vec<MachineEntry>>,
    /// What leaves once they are durable.
    pub effects: Vec<Effect>,
    /// Partitions whose state is vouched for as it stands then.
    pub checkpoints: Vec<MachineId>,
    /// What was counted.
    pub counts: Counts,
}

impl InMemoryBatch {
    pub(super) fn started(worker: &mut Worker, now: Time) -> Result<Self, WorkerStop> {
        let mut effects = Effects::default();
        worker.start(now, &mut effects)?;
        Self::end(worker, now, effects)
    }

    pub(super) fn of(
        worker: &mut Worker,
        now: Time,
        inputs: impl IntoIterator<Item = Input>,
    ) -> Result<Self, WorkerStop> {
        let mut effects = Effects::default();
        for input in inputs {
            worker.handle(now, input, &mut effects)?;
        }
        Self::end(worker, now, effects)
    }

    fn end(worker: &mut Worker, now: Time, mut effects: Effects) -> Result<Self, WorkerStop> {
        worker.end_batch(now, &mut effects)?;
        let Effects { appends, held, checkpoints, counts, .. } = effects;
        Ok(Self { appends: appends.iter().map(entries).collect(), effects: held, checkpoints, counts })
    }
}

/// The entries of an append, read from their bytes.
fn entries(append: &Append) -> Vec<MachineEntry> {
    let entry = |bytes: &[u8]| {
        let read = match append.partition {
            MachineId::House => decode(bytes).map(MachineEntry::House),
            MachineId::Round(table) => decode(bytes).map(|entry| MachineEntry::Round(table, entry)),
            MachineId::Cluster(cluster) => decode(bytes).map(|entry| MachineEntry::Cluster(cluster, entry)),
        };
        read.expect("what a partition appends can be read back")
    };
    append.entries.iter().map(entry).collect()
}
