//! Chains of blocks with their heads.

use std::collections::BTreeMap;
use std::rc::Rc;

use taisai_table::MachineId;

use crate::planted::{Mistakes, Planted};
use crate::random::hash;

/// Where a chain ends, and who may write to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SimulatedHead {
    pub(crate) epoch: u64,
    /// The position of the next block.
    pub(crate) next: u64,
    /// The hash of the last block.
    pub(crate) hash: u64,
}

/// Entries that are stored together; none where a chain is taken over.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedBlock {
    pub(crate) chain: MachineId,
    pub(crate) epoch: u64,
    pub(crate) position: u64,
    pub(crate) previous: u64,
    pub(crate) hash: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl SimulatedBlock {
    /// An empty block after a head.
    pub(crate) const fn after(chain: MachineId, head: SimulatedHead) -> Self {
        let SimulatedHead { epoch, next, hash } = head;
        Self { chain, epoch, position: next, previous: hash, hash: 0, bytes: Vec::new(), ends: Vec::new() }
    }

    pub(crate) fn push(&mut self, entry: &[u8]) {
        self.bytes.extend_from_slice(entry);
        self.ends.push(self.bytes.len());
    }

    /// The block with its hash.
    pub(crate) fn sealed(mut self) -> Self {
        self.hash = self.reckoned();
        self
    }

    /// The hash that its content should have.
    pub(crate) fn reckoned(&self) -> u64 {
        let numbers = hash(self.previous, &self.epoch.to_le_bytes());
        hash(numbers ^ self.position, &self.bytes)
    }

    /// The chain's head after this block.
    pub(crate) const fn head(&self) -> SimulatedHead {
        SimulatedHead { epoch: self.epoch, next: self.position + 1, hash: self.hash }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    pub(crate) const fn is_take_over(&self) -> bool {
        self.ends.is_empty()
    }
}

#[derive(Clone, Debug, Default)]
struct Chain {
    head: SimulatedHead,
    blocks: Vec<Rc<SimulatedBlock>>,
}

pub(super) struct TakenChain {
    pub(super) head: SimulatedHead,
    pub(super) block: Option<Rc<SimulatedBlock>>,
}

/// Every chain of an installation.
#[derive(Clone, Debug, Default)]
pub(super) struct ChainTable(BTreeMap<MachineId, Chain>);

impl ChainTable {
    /// The chains that a log of blocks makes.
    pub(super) fn replay(log: &[Rc<SimulatedBlock>]) -> Self {
        let mut chains = Self::default();
        for block in log {
            chains.put(block);
        }
        chains
    }

    fn put(&mut self, block: &Rc<SimulatedBlock>) {
        let chain = self.0.entry(block.chain).or_default();
        chain.head = SimulatedHead { epoch: chain.head.epoch.max(block.epoch), ..block.head() };
        chain.blocks.push(Rc::clone(block));
    }

    pub(super) fn head(&self, chain: MachineId) -> SimulatedHead {
        self.0.get(&chain).map(|chain| chain.head).unwrap_or_default()
    }

    pub(super) fn blocks(&self, chain: MachineId) -> &[Rc<SimulatedBlock>] {
        self.0.get(&chain).map_or(&[], |chain| &chain.blocks)
    }

    /// Raises the epoch and writes a block that says so, which fences earlier writers.
    pub(super) fn take(&mut self, chain: MachineId, epoch: u64, writes: bool) -> Option<TakenChain> {
        let head = self.head(chain);
        if epoch <= head.epoch {
            return None;
        }
        let raised = SimulatedHead { epoch, ..head };
        if !writes {
            self.0.entry(chain).or_default().head = raised;
            return Some(TakenChain { head: raised, block: None });
        }
        let block = Rc::new(SimulatedBlock::after(chain, raised).sealed());
        self.put(&block);
        Some(TakenChain { head: block.head(), block: Some(block) })
    }

    /// Appends blocks of one or several chains: all of them or none.
    pub(super) fn append(
        &mut self,
        blocks: &[Rc<SimulatedBlock>],
        mistakes: Mistakes,
    ) -> Option<Vec<Rc<SimulatedBlock>>> {
        let mut heads: BTreeMap<MachineId, SimulatedHead> = BTreeMap::new();
        let mut written = Vec::with_capacity(blocks.len());
        for block in blocks {
            let head = heads.entry(block.chain).or_insert_with(|| self.head(block.chain));
            let is_next = head.next == block.position && head.hash == block.previous;
            let is_epoch = head.epoch == block.epoch || mistakes.is(Planted::EpochNotCompared);
            if mistakes.is(Planted::AppendWithoutCompare) {
                // It lands at the end, wherever that is.
                let mut moved = SimulatedBlock::clone(block);
                (moved.position, moved.previous) = (head.next, head.hash);
                let moved = Rc::new(moved.sealed());
                *head = moved.head();
                written.push(moved);
                continue;
            }
            if !(is_next && is_epoch) {
                return None;
            }
            *head = SimulatedHead { epoch: head.epoch, ..block.head() };
            written.push(Rc::clone(block));
        }
        for block in &written {
            self.put(block);
        }
        Some(written)
    }
}
