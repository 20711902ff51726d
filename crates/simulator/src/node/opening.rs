//! Taking a partition over: for each of its chains read, raise the epoch, read the rest; then the machines are there.

use std::rc::Rc;

use taisai_table::MachineId;

use crate::machine::AnyMachine;
use crate::planted::{Mistakes, Planted};
use crate::store::{SimulatedBlock, SimulatedHead};

/// What is done next with a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpeningStage {
    Read,
    Take,
    ReadTheRest,
}

/// A partition that is being taken over.
#[derive(Debug)]
pub(crate) struct PartitionOpening {
    pub(crate) run: u64,
    /// The chains that are still to be taken, the next one first.
    chains: Vec<MachineId>,
    pub(crate) stage: OpeningStage,
    /// The machine of the first chain as far as it was read, and the head then.
    reading: Option<(AnyMachine, SimulatedHead)>,
    taken: SimulatedHead,
    opened: Vec<(MachineId, AnyMachine, SimulatedHead)>,
}

impl PartitionOpening {
    pub(crate) const fn new(run: u64, chains: Vec<MachineId>) -> Self {
        Self {
            run,
            chains,
            stage: OpeningStage::Read,
            reading: None,
            taken: SimulatedHead { epoch: 0, next: 0, hash: 0 },
            opened: Vec::new(),
        }
    }

    /// The chain that is being taken.
    pub(crate) fn chain(&self) -> Option<MachineId> {
        self.chains.first().copied()
    }

    /// The epoch that the chain is taken with.
    pub(crate) fn epoch(&self) -> u64 {
        self.reading.as_ref().map_or(1, |(_, head)| head.epoch + 1)
    }

    /// The chain was read up to a head, from a snapshot on.
    pub(crate) fn read(
        &mut self,
        (after, mut machine): (SimulatedHead, AnyMachine),
        blocks: &[Rc<SimulatedBlock>],
        head: SimulatedHead,
        mistakes: Mistakes,
    ) {
        if !mistakes.is(Planted::StaleSnapshot) {
            apply(&mut machine, blocks, after.next, head.next);
        }
        self.reading = Some((machine, head));
        self.stage = OpeningStage::Take;
    }

    /// The epoch was raised.
    pub(crate) const fn take(&mut self, head: SimulatedHead) {
        self.taken = head;
        self.stage = OpeningStage::ReadTheRest;
    }

    /// The rest was read: `false` if the chain does not end where it was taken, as another node has taken it.
    pub(crate) fn read_the_rest(
        &mut self,
        blocks: &[Rc<SimulatedBlock>],
        head: SimulatedHead,
        mistakes: Mistakes,
    ) -> bool {
        let Some((mut machine, before)) = self.reading.take() else { return false };
        if head != self.taken {
            return false;
        }
        if !mistakes.is(Planted::TakeOverDoesNotReadTheRest) {
            apply(&mut machine, blocks, before.next, head.next);
        }
        let chain = self.chains.remove(0);
        self.opened.push((chain, machine, head));
        self.stage = OpeningStage::Read;
        true
    }

    /// Every chain, once all are taken.
    pub(crate) fn finish(self) -> Vec<(MachineId, AnyMachine, SimulatedHead)> {
        self.opened
    }
}

/// Applies the entries of blocks, from a position to before another.
fn apply(machine: &mut AnyMachine, blocks: &[Rc<SimulatedBlock>], from: u64, to: u64) {
    let place = |position| usize::try_from(position).expect("a chain fits in memory");
    for block in &blocks[place(from)..place(to)] {
        for bytes in block.entries() {
            let recorded = machine.read(bytes).expect("the store holds what was written");
            machine.apply(&recorded);
        }
    }
}
