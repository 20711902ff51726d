//! What a node has counted since it began.

use taisai_engine::Counts;
use taisai_table::MachineId;

/// The sums over all batches of a node.
#[derive(Debug, Default)]
pub(crate) struct TestNode {
    pub(crate) counted: Counts,
    pub(crate) checkpoints: Vec<MachineId>,
}

impl TestNode {
    /// Adds what came of a batch.
    pub(crate) fn add(&mut self, counts: Counts, checkpoints: Vec<MachineId>) {
        self.checkpoints.extend(checkpoints);
        self.counted.bets += counts.bets;
        self.counted.rounds += counts.rounds;
        self.counted.terminals += counts.terminals;
        self.counted.refusals.extend(counts.refusals);
        self.counted.are_sound = counts.are_sound.or(self.counted.are_sound);
    }
}
