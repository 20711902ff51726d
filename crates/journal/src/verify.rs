//! Follows a chain block by block and names its first fault. The chain is compared with the lines of the anchor, if
//! there are any: without them, a chain that was cut off or rolled back looks correct.

use std::collections::VecDeque;

use crate::anchor::AnchorLine;
use crate::block::{BadBlock, Block, BlockContent, READER_VERSION};
use crate::chain::ChainName;
use crate::checkpoint::{Checkpoint, CheckpointContent, PublicKey};
use crate::genesis::Genesis;
use crate::hash::Hash;
use crate::journal::ChainHead;

/// Whose checkpoints are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustedKeys {
    /// Those signed with any key. This shows that a checkpoint is undamaged, not who made it.
    AnyKey,
    /// Those signed with one of these.
    Keys(Vec<PublicKey>),
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chain {chain}, block {position}: {reason}")]
pub struct ChainFault {
    /// The chain.
    pub chain: ChainName,
    /// The position of the block, or where it should be.
    pub position: u64,
    /// What is wrong.
    pub reason: ChainFaultReason,
}

/// What can be wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainFaultReason {
    /// It is no block.
    #[error("{0}")]
    Block(#[from] BadBlock),
    /// It belongs to another chain.
    #[error("it belongs to chain {0}")]
    OtherChain(ChainName),
    /// A block is missing, twice there or in the wrong place.
    #[error("it says that it is block {0}")]
    Position(u64),
    /// It follows another block than the one before it.
    #[error("it does not follow the block before it")]
    Previous,
    /// The chain does not begin with a genesis block, or has a second one.
    #[error("a genesis block is the first of a chain, and only the first")]
    Genesis,
    /// The chain takes a newer program.
    #[error("the chain takes reader {0}, and this program is reader {READER_VERSION}")]
    Reader(u16),
    /// The writer's epoch changed without a take-over, or did not rise with one.
    #[error("its epoch is {found} after {before}: an epoch rises with a take-over and at no other time")]
    Epoch {
        /// In the block before it.
        before: u64,
        /// In this one.
        found: u64,
    },
    /// A checkpoint's signature is wrong.
    #[error("the signature of its checkpoint is wrong")]
    Signature,
    /// A checkpoint was signed by someone unknown.
    #[error("its checkpoint is signed with the unknown key {0}")]
    Key(PublicKey),
    /// A checkpoint says something else than the chain.
    #[error("its checkpoint vouches for another block than the one before it")]
    Checkpoint,
    /// A checkpoint is of another casino.
    #[error("its checkpoint is of another casino")]
    OtherHouse,
    /// The anchor says something else than the chain.
    #[error("the anchor knows another block here, with hash {0}: the chain was written anew")]
    Anchor(Hash),
    /// The chain ends before what the anchor knows.
    #[error("the anchor knows a block here, and the chain does not have it: the chain was cut off or rolled back")]
    CutOff,
    /// The chain ends before a checkpoint that the anchor knows.
    #[error(
        "the anchor knows a checkpoint, and the chain does not have it: the chain was cut off, or it was taken out"
    )]
    CheckpointCutOff,
    /// The chain ends elsewhere than its head says.
    #[error("the store says that the chain ends with another block")]
    Head,
}

/// The most blocks between a checkpoint and the block that it covers. The chain goes on while a state is hashed, but
/// not for that long.
pub const MAX_CHECKPOINT_DISTANCE: u64 = 1 << 16;

/// Follows one chain.
#[derive(Clone, Debug)]
pub struct Verifier {
    chain: ChainName,
    trust: TrustedKeys,
    anchored: VecDeque<(u64, Hash)>,
    genesis: Option<Genesis>,
    /// The installation, once a block has named it.
    house: Option<[u8; 16]>,
    /// The checkpoints of the anchor that the chain must hold.
    expected: VecDeque<Checkpoint>,
    next: u64,
    epoch: u64,
    hash: Hash,
    /// The hashes of the last blocks, the newest last: those that a checkpoint may cover.
    recent: VecDeque<Hash>,
}

impl Verifier {
    /// Follows a chain from its beginning.
    pub const fn new(chain: ChainName, trust: TrustedKeys) -> Self {
        Self {
            chain,
            trust,
            anchored: VecDeque::new(),
            genesis: None,
            house: None,
            expected: VecDeque::new(),
            next: 0,
            epoch: 0,
            hash: Hash::NONE,
            recent: VecDeque::new(),
        }
    }

    /// Follows a chain after a block that is trusted for other reasons.
    pub fn after(block: &Block, trust: TrustedKeys) -> Self {
        let header = block.header();
        let mut verifier = Self::new(header.chain.clone(), trust);
        (verifier.next, verifier.epoch, verifier.hash) = (header.position + 1, header.epoch, block.hash());
        verifier.recent.push_back(block.hash());
        verifier
    }

    /// Accepts only checkpoints of this installation.
    #[must_use]
    pub const fn of_house(mut self, house: [u8; 16]) -> Self {
        self.house = Some(house);
        self
    }

    /// Compares the chain with the anchor from the next block on: the blocks, and the checkpoints, which were in the
    /// chain before they were anchored.
    #[must_use]
    pub fn with_anchor(mut self, lines: &[AnchorLine]) -> Self {
        let known = |line: &&AnchorLine| {
            let vouched = &line.checkpoint.content;
            vouched.chain == self.chain && vouched.position >= self.next
        };
        let mut known: Vec<&AnchorLine> = lines.iter().filter(known).collect();
        known.sort_by_key(|line| line.checkpoint.content.position);
        let blocks = known.iter().map(|line| (line.checkpoint.content.position, line.checkpoint.content.hash));
        self.anchored = blocks.collect();
        self.expected = known.into_iter().map(|line| line.checkpoint.clone()).collect();
        self
    }

    /// What the chain's first block says, once it was seen.
    pub const fn genesis(&self) -> Option<&Genesis> {
        self.genesis.as_ref()
    }

    /// Where the chain ends, as far as it was followed.
    pub fn head(&self) -> ChainHead {
        ChainHead { chain: self.chain.clone(), epoch: self.epoch, next: self.next, hash: self.hash }
    }

    /// Takes the bytes of the next block.
    pub fn follow(&mut self, bytes: Vec<u8>) -> Result<Block, ChainFault> {
        let block = Block::decode(bytes).map_err(|bad| self.fault(self.next, bad.into()))?;
        self.check(&block).map_err(|reason| self.fault(self.next, reason))?;
        self.next = block.header().position + 1;
        self.epoch = block.header().epoch;
        self.hash = block.hash();
        self.recent.push_back(self.hash);
        if u64::try_from(self.recent.len()).is_ok_and(|known| known > MAX_CHECKPOINT_DISTANCE) {
            self.recent.pop_front();
        }
        Ok(block)
    }

    /// Checks the end of the chain against what the store and the anchor say.
    pub fn finish(self, head: &ChainHead) -> Result<(), ChainFault> {
        if let Some(&(position, _)) = self.anchored.front() {
            return Err(self.fault(position, ChainFaultReason::CutOff));
        }
        if self.expected.front().is_some() {
            return Err(self.fault(self.next, ChainFaultReason::CheckpointCutOff));
        }
        // The epoch of a chain rises when it is claimed, before the new writer's first block.
        if head.next != self.next || head.hash != self.hash || head.epoch < self.epoch {
            return Err(self.fault(self.next, ChainFaultReason::Head));
        }
        Ok(())
    }

    fn check(&mut self, block: &Block) -> Result<(), ChainFaultReason> {
        let header = block.header();
        if header.chain != self.chain {
            return Err(ChainFaultReason::OtherChain(header.chain.clone()));
        }
        if header.position != self.next {
            return Err(ChainFaultReason::Position(header.position));
        }
        if header.previous != self.hash {
            return Err(ChainFaultReason::Previous);
        }
        let first = self.next == 0;
        match block.content() {
            BlockContent::Genesis(_) if !first => return Err(ChainFaultReason::Genesis),
            BlockContent::Genesis(genesis) => {
                if genesis.least_reader > READER_VERSION {
                    return Err(ChainFaultReason::Reader(genesis.least_reader));
                }
                self.genesis = Some(*genesis);
                self.house = Some(genesis.house);
            }
            BlockContent::Entries | BlockContent::Checkpoint(_) | BlockContent::TakeOver(_) if first => {
                return Err(ChainFaultReason::Genesis);
            }
            BlockContent::Entries => self.same_epoch(header.epoch)?,
            BlockContent::Checkpoint(checkpoint) => {
                self.same_epoch(header.epoch)?;
                if self.vouches_otherwise(&checkpoint.content) {
                    return Err(ChainFaultReason::Checkpoint);
                }
                if *self.house.get_or_insert(checkpoint.content.house) != checkpoint.content.house {
                    return Err(ChainFaultReason::OtherHouse);
                }
                if let TrustedKeys::Keys(keys) = &self.trust
                    && !keys.contains(&checkpoint.key)
                {
                    return Err(ChainFaultReason::Key(checkpoint.key));
                }
                if !checkpoint.is_signed() {
                    return Err(ChainFaultReason::Signature);
                }
                self.meet(checkpoint);
            }
            BlockContent::TakeOver(_) if header.epoch <= self.epoch => {
                return Err(ChainFaultReason::Epoch { before: self.epoch, found: header.epoch });
            }
            BlockContent::TakeOver(_) => {}
        }
        self.check_anchor(block)
    }

    /// Whether a checkpoint contradicts the chain. Nothing is known of blocks before the first that was followed.
    fn vouches_otherwise(&self, vouched: &CheckpointContent) -> bool {
        let back = self.next.checked_sub(vouched.position).filter(|back| (1..=MAX_CHECKPOINT_DISTANCE).contains(back));
        let Some(back) = back.and_then(|back| usize::try_from(back).ok()) else { return true };
        let known = self.recent.len().checked_sub(back).map(|index| self.recent[index]);
        known.is_some_and(|hash| hash != vouched.hash)
    }

    /// Ticks off a checkpoint that the anchor expects.
    fn meet(&mut self, checkpoint: &Checkpoint) {
        let position = checkpoint.content.position;
        let until_here = self.expected.iter().take_while(|expected| expected.content.position <= position);
        let index = until_here.enumerate().find(|(_, expected)| *expected == checkpoint).map(|(index, _)| index);
        if let Some(index) = index {
            self.expected.remove(index);
        }
    }

    const fn same_epoch(&self, found: u64) -> Result<(), ChainFaultReason> {
        if found == self.epoch { Ok(()) } else { Err(ChainFaultReason::Epoch { before: self.epoch, found }) }
    }

    fn check_anchor(&mut self, block: &Block) -> Result<(), ChainFaultReason> {
        while let Some(&(position, hash)) = self.anchored.front()
            && position == self.next
        {
            if hash != block.hash() {
                return Err(ChainFaultReason::Anchor(hash));
            }
            self.anchored.pop_front();
        }
        Ok(())
    }

    fn fault(&self, position: u64, reason: ChainFaultReason) -> ChainFault {
        ChainFault { chain: self.chain.clone(), position, reason }
    }
}
