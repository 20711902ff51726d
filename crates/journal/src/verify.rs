//! Following a chain block by block: the first thing that is wrong, and where. The anchor's lines, if there are any, are
//! held against it, as a chain that was cut off or rolled back is faultless in itself.

use std::collections::VecDeque;

use crate::anchor::Anchored;
use crate::block::{BadBlock, Block, Content, READER};
use crate::chain::ChainName;
use crate::checkpoint::{Checkpoint, PublicKey, Vouched};
use crate::genesis::Genesis;
use crate::hash::Hash;
use crate::journal::Head;

/// Whose checkpoints are believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those signed with any key. It shows that a checkpoint is whole, not who made it.
    AnyKey,
    /// Those signed with one of these.
    Keys(Vec<PublicKey>),
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chain {chain}, block {position}: {reason}")]
pub struct Fault {
    /// The chain.
    pub chain: ChainName,
    /// The position of the block, or where it should be.
    pub position: u64,
    /// What is wrong.
    pub reason: Reason,
}

/// What can be wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
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
    #[error("the chain takes reader {0}, and this program is reader {READER}")]
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
    /// A checkpoint is of another house.
    #[error("its checkpoint is of another house")]
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

/// How far back a checkpoint may vouch. A state is hashed while others write on, but not for so long.
pub const FARTHEST_VOUCHED: u64 = 1 << 16;

/// Follows one chain.
#[derive(Clone, Debug)]
pub struct Verifier {
    chain: ChainName,
    trust: Trust,
    anchored: VecDeque<(u64, Hash)>,
    genesis: Option<Genesis>,
    /// The house, once something has told it.
    house: Option<[u8; 16]>,
    /// The checkpoints of the anchor that the chain must hold.
    expected: VecDeque<Checkpoint>,
    next: u64,
    epoch: u64,
    hash: Hash,
    /// The hashes of the last blocks, the newest last: what a checkpoint may vouch for.
    recent: VecDeque<Hash>,
}

impl Verifier {
    /// Follows a chain from its beginning.
    pub const fn new(chain: ChainName, trust: Trust) -> Self {
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

    /// Follows a chain after a block that is believed for other reasons.
    pub fn after(block: &Block, trust: Trust) -> Self {
        let place = block.place();
        let mut verifier = Self::new(place.chain.clone(), trust);
        (verifier.next, verifier.epoch, verifier.hash) = (place.position + 1, place.epoch, block.hash());
        verifier.recent.push_back(block.hash());
        verifier
    }

    /// Takes only checkpoints of this house.
    #[must_use]
    pub const fn of_house(mut self, house: [u8; 16]) -> Self {
        self.house = Some(house);
        self
    }

    /// Holds what the anchor knows of this chain against it, from the next block on: the blocks, and the checkpoints themselves,
    /// which stood in the chain before they were anchored.
    #[must_use]
    pub fn with_anchor(mut self, lines: &[Anchored]) -> Self {
        let known = |line: &&Anchored| {
            let vouched = &line.checkpoint.vouched;
            vouched.chain == self.chain && vouched.position >= self.next
        };
        let mut known: Vec<&Anchored> = lines.iter().filter(known).collect();
        known.sort_by_key(|line| line.checkpoint.vouched.position);
        let blocks = known.iter().map(|line| (line.checkpoint.vouched.position, line.checkpoint.vouched.hash));
        self.anchored = blocks.collect();
        self.expected = known.into_iter().map(|line| line.checkpoint.clone()).collect();
        self
    }

    /// What the chain's first block says, once it was seen.
    pub const fn genesis(&self) -> Option<&Genesis> {
        self.genesis.as_ref()
    }

    /// Where the chain ends, as far as it was followed.
    pub fn head(&self) -> Head {
        Head { chain: self.chain.clone(), epoch: self.epoch, next: self.next, hash: self.hash }
    }

    /// Takes the bytes of the next block.
    pub fn follow(&mut self, bytes: Vec<u8>) -> Result<Block, Fault> {
        let block = Block::decode(bytes).map_err(|bad| self.fault(self.next, bad.into()))?;
        self.check(&block).map_err(|reason| self.fault(self.next, reason))?;
        self.next = block.place().position + 1;
        self.epoch = block.place().epoch;
        self.hash = block.hash();
        self.recent.push_back(self.hash);
        if u64::try_from(self.recent.len()).is_ok_and(|known| known > FARTHEST_VOUCHED) {
            self.recent.pop_front();
        }
        Ok(block)
    }

    /// Checks the end of the chain against what the store and the anchor say.
    pub fn finish(self, head: &Head) -> Result<(), Fault> {
        if let Some(&(position, _)) = self.anchored.front() {
            return Err(self.fault(position, Reason::CutOff));
        }
        if self.expected.front().is_some() {
            return Err(self.fault(self.next, Reason::CheckpointCutOff));
        }
        // A claimed chain has the epoch of a writer that has not written yet.
        if head.next != self.next || head.hash != self.hash || head.epoch < self.epoch {
            return Err(self.fault(self.next, Reason::Head));
        }
        Ok(())
    }

    fn check(&mut self, block: &Block) -> Result<(), Reason> {
        let place = block.place();
        if place.chain != self.chain {
            return Err(Reason::OtherChain(place.chain.clone()));
        }
        if place.position != self.next {
            return Err(Reason::Position(place.position));
        }
        if place.previous != self.hash {
            return Err(Reason::Previous);
        }
        let first = self.next == 0;
        match block.content() {
            Content::Genesis(_) if !first => return Err(Reason::Genesis),
            Content::Genesis(genesis) => {
                if genesis.least_reader > READER {
                    return Err(Reason::Reader(genesis.least_reader));
                }
                self.genesis = Some(*genesis);
                self.house = Some(genesis.house);
            }
            Content::Entries | Content::Checkpoint(_) | Content::TakeOver(_) if first => return Err(Reason::Genesis),
            Content::Entries => self.same_epoch(place.epoch)?,
            Content::Checkpoint(checkpoint) => {
                self.same_epoch(place.epoch)?;
                if self.vouches_otherwise(&checkpoint.vouched) {
                    return Err(Reason::Checkpoint);
                }
                if *self.house.get_or_insert(checkpoint.vouched.house) != checkpoint.vouched.house {
                    return Err(Reason::OtherHouse);
                }
                if let Trust::Keys(keys) = &self.trust
                    && !keys.contains(&checkpoint.key)
                {
                    return Err(Reason::Key(checkpoint.key));
                }
                if !checkpoint.is_signed() {
                    return Err(Reason::Signature);
                }
                self.meet(checkpoint);
            }
            Content::TakeOver(_) if place.epoch <= self.epoch => {
                return Err(Reason::Epoch { before: self.epoch, found: place.epoch });
            }
            Content::TakeOver(_) => {}
        }
        self.check_anchor(block)
    }

    /// Whether a checkpoint contradicts the chain. Of what lies before the first block that was followed nothing is known.
    fn vouches_otherwise(&self, vouched: &Vouched) -> bool {
        let back = self.next.checked_sub(vouched.position).filter(|back| (1..=FARTHEST_VOUCHED).contains(back));
        let Some(back) = back.and_then(|back| usize::try_from(back).ok()) else { return true };
        let known = self.recent.len().checked_sub(back).map(|place| self.recent[place]);
        known.is_some_and(|hash| hash != vouched.hash)
    }

    /// A checkpoint that the anchor knows stands where it should.
    fn meet(&mut self, checkpoint: &Checkpoint) {
        let position = checkpoint.vouched.position;
        let until_here = self.expected.iter().take_while(|expected| expected.vouched.position <= position);
        let place = until_here.enumerate().find(|(_, expected)| *expected == checkpoint).map(|(place, _)| place);
        if let Some(place) = place {
            self.expected.remove(place);
        }
    }

    const fn same_epoch(&self, found: u64) -> Result<(), Reason> {
        if found == self.epoch { Ok(()) } else { Err(Reason::Epoch { before: self.epoch, found }) }
    }

    fn check_anchor(&mut self, block: &Block) -> Result<(), Reason> {
        while let Some(&(position, hash)) = self.anchored.front()
            && position == self.next
        {
            if hash != block.hash() {
                return Err(Reason::Anchor(hash));
            }
            self.anchored.pop_front();
        }
        Ok(())
    }

    fn fault(&self, position: u64, reason: Reason) -> Fault {
        Fault { chain: self.chain.clone(), position, reason }
    }
}
