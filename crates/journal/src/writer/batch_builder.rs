//! Builds blocks from the queue: one for each chain, and more only where one would be too large.

use super::queue::{Done, Item, Taken};
use super::{CheckpointTarget, DurablePosition, TakeError, WriterStopped};
use crate::block::{Block, BlockHeader, MAX_OWNER_BYTES};
use crate::chain::ChainName;
use crate::checkpoint::{Checkpoint, CheckpointContent};
use crate::entries::Entries;
use crate::genesis::Genesis;
use crate::hash::Hash;
use crate::journal::{ChainHead, Journal, StoredSlip};
use crate::key::SigningKey;
use crate::verify::MAX_CHECKPOINT_DISTANCE;

/// A block is closed when it has this many bytes of entries. Larger blocks are no faster, and reading one entry takes
/// longer.
const TARGET_BLOCK_BYTES: usize = 256 * 1024;

/// A commit starts when it has this many bytes: a larger one would keep the first submitters waiting.
const TARGET_BATCH_BYTES: usize = 8 * 1024 * 1024;

/// The chains of a writer, with the open block of each.
pub(super) struct BatchBuilder {
    key: SigningKey,
    owner: String,
    chains: Vec<OpenChain>,
}

struct OpenChain {
    house: [u8; 16],
    head: ChainHead,
    entries: Vec<Entries>,
    bytes: usize,
    count: u32,
}

/// Blocks that are committed together, and who waits for them.
#[derive(Default)]
pub(super) struct BlockBatch {
    blocks: Vec<Block>,
    slips: Vec<StoredSlip>,
    waiting: Vec<Waiter>,
    weight: usize,
    bytes: usize,
}

enum Waiter {
    Entries(Done<DurablePosition>, DurablePosition),
    EndBlock(Done<CheckpointTarget>, CheckpointTarget),
    Checkpoint(Done<Option<Checkpoint>>, Option<Checkpoint>),
    Taken(Taken, usize, ChainHead),
}

impl BatchBuilder {
    pub(super) fn new(key: SigningKey, mut owner: String) -> Self {
        owner.truncate(owner.floor_char_boundary(MAX_OWNER_BYTES));
        Self { key, owner, chains: Vec::new() }
    }

    /// Takes items until a batch is full. Its weight is zero only if there were no items.
    pub(super) fn next_batch(
        &mut self,
        items: &mut impl Iterator<Item = Item>,
        journal: &mut dyn Journal,
    ) -> BlockBatch {
        let mut batch = BlockBatch::default();
        while batch.bytes < TARGET_BATCH_BYTES
            && let Some(item) = items.next()
        {
            batch.weight += item.weight();
            match item {
                Item::Entries { index, entries, slips, done } => {
                    batch.bytes += entries.bytes().len() + slips.iter().map(|slip| slip.bytes.len()).sum::<usize>();
                    batch.slips.extend(slips);
                    let durable = self.chains[index].add(entries, &mut batch.blocks);
                    batch.waiting.push(Waiter::Entries(done, durable));
                }
                Item::EndBlock { index, done } => {
                    let target = self.chains[index].end_block(&mut batch.blocks);
                    batch.waiting.push(Waiter::EndBlock(done, target));
                }
                Item::Checkpoint { index, target, state, time, done } => {
                    let checkpoint = self.chains[index].checkpoint(target, state, time, &self.key, &mut batch.blocks);
                    batch.waiting.push(Waiter::Checkpoint(done, checkpoint));
                }
                Item::Take { chain, epoch, genesis, done } => match self.take(&chain, epoch, genesis, journal) {
                    Ok((index, block)) => {
                        batch.waiting.push(Waiter::Taken(done, index, self.chains[index].head.clone()));
                        batch.blocks.push(block);
                    }
                    Err(error) => done(Err(error)),
                },
            }
        }
        for chain in &mut self.chains {
            chain.seal(&mut batch.blocks);
        }
        batch
    }

    fn take(
        &mut self,
        chain: &ChainName,
        epoch: u64,
        genesis: Genesis,
        journal: &mut dyn Journal,
    ) -> Result<(usize, Block), TakeError> {
        if self.chains.iter().any(|open| open.head.chain == *chain) {
            return Err(TakeError::Mine(chain.clone()));
        }
        let mut open = OpenChain {
            house: genesis.house,
            head: journal.claim(chain, epoch)?,
            entries: Vec::new(),
            bytes: 0,
            count: 0,
        };
        let header = open.header();
        let block = match header.position {
            0 => Block::genesis(header, genesis),
            _ => Block::take_over(header, self.owner.clone()),
        };
        open.advance(&block);
        self.chains.push(open);
        Ok((self.chains.len() - 1, block))
    }
}

impl OpenChain {
    fn header(&self) -> BlockHeader {
        let ChainHead { chain, epoch, next, hash } = self.head.clone();
        BlockHeader { chain, position: next, epoch, previous: hash }
    }

    fn advance(&mut self, block: &Block) {
        (self.head.next, self.head.hash) = (block.header().position + 1, block.hash());
    }

    /// Adds entries to the open block, and returns where they will be.
    fn add(&mut self, entries: Entries, blocks: &mut Vec<Block>) -> DurablePosition {
        if entries.count() == 0 {
            return DurablePosition { position: self.head.next - u64::from(self.count == 0), first: self.count };
        }
        if self.bytes + entries.bytes().len() > TARGET_BLOCK_BYTES {
            self.seal(blocks);
        }
        let durable = DurablePosition { position: self.head.next, first: self.count };
        self.bytes += entries.bytes().len();
        self.count += entries.count();
        self.entries.push(entries);
        durable
    }

    fn seal(&mut self, blocks: &mut Vec<Block>) {
        if self.count > 0 {
            let block = Block::of_entries(self.header(), &self.entries.iter().collect::<Vec<_>>());
            self.advance(&block);
            blocks.push(block);
            self.entries.clear();
            (self.bytes, self.count) = (0, 0);
        }
    }

    /// Closes the open block, so that later entries go into another.
    fn end_block(&mut self, blocks: &mut Vec<Block>) -> CheckpointTarget {
        self.seal(blocks);
        CheckpointTarget { position: self.head.next - 1, hash: self.head.hash }
    }

    /// Signs a checkpoint for a block; none if it is too far back.
    fn checkpoint(
        &mut self,
        target: CheckpointTarget,
        state: Hash,
        time: u64,
        key: &SigningKey,
        blocks: &mut Vec<Block>,
    ) -> Option<Checkpoint> {
        self.seal(blocks);
        if self.head.next - target.position > MAX_CHECKPOINT_DISTANCE {
            return None;
        }
        let chain = self.head.chain.clone();
        let content =
            CheckpointContent { chain, house: self.house, position: target.position, hash: target.hash, state, time };
        let checkpoint = Checkpoint::sign(content, key);
        let block = Block::checkpoint(self.header(), checkpoint.clone());
        self.advance(&block);
        blocks.push(block);
        Some(checkpoint)
    }
}

impl BlockBatch {
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(super) fn slips(&self) -> &[StoredSlip] {
        &self.slips
    }

    pub(super) const fn weight(&self) -> usize {
        self.weight
    }

    pub(super) fn acknowledge(self) {
        for waiting in self.waiting {
            match waiting {
                Waiter::Entries(done, durable) => done(Ok(durable)),
                Waiter::EndBlock(done, target) => done(Ok(target)),
                Waiter::Checkpoint(done, checkpoint) => done(Ok(checkpoint)),
                Waiter::Taken(done, index, head) => done(Ok((index, head))),
            }
        }
    }

    pub(super) fn refuse(self, reason: &WriterStopped) {
        for waiting in self.waiting {
            match waiting {
                Waiter::Entries(done, _) => done(Err(reason.clone())),
                Waiter::EndBlock(done, _) => done(Err(reason.clone())),
                Waiter::Checkpoint(done, _) => done(Err(reason.clone())),
                Waiter::Taken(done, ..) => done(Err(reason.clone().into())),
            }
        }
    }
}
