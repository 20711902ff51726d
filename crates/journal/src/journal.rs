//! What a store of chains does. A [`Journal`] belongs to the one writer. An [`Archive`] of the same store is for
//! everyone else: it reads blocks and slips, and keeps snapshots. Slips and snapshots are not part of any chain.

use std::error::Error;

use crate::block::Block;
use crate::chain::{BadChainName, ChainName};
use crate::hash::Hash;

/// No slip has more bytes: 20,000 seats, each with the largest bet of 18 bytes on each of 117 boxes with chips of both kinds, come to
/// 85 MB. What a store holds in the place of a slip is not loaded if it is larger.
pub const MAX_SLIP_BYTES: usize = 96 << 20;

/// The newest snapshots of a chain that are kept.
pub const MAX_SNAPSHOTS_PER_CHAIN: usize = 3;

/// Where a chain ends, and who may write to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// The chain.
    pub chain: ChainName,
    /// The epoch that was claimed last; blocks of no other are taken.
    pub epoch: u64,
    /// The position of the next block.
    pub next: u64,
    /// The hash of the last block, or [`Hash::NONE`].
    pub hash: Hash,
}

/// A snapshot of a state, without its bytes. It is not trusted: a checkpoint must confirm the hash of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// The last block that is in it.
    pub position: u64,
    /// The hash of the state.
    pub state: Hash,
    /// How many bytes it has.
    pub length: u64,
}

/// The slip of a settled round, which is kept beside its chain. It is not trusted: the chain holds its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSlip {
    /// The chain that settled the round.
    pub chain: ChainName,
    /// The number of the round.
    pub round: u64,
    /// The slip, whose meaning is not known here.
    pub bytes: Vec<u8>,
}

/// The writing side of a store.
pub trait Journal: Send {
    /// Raises a chain's epoch, so that writers with a lower one are refused. Creates the chain if it is missing.
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError>;

    /// Appends blocks of one or several chains: all of them or none. They are durable when this returns.
    ///
    /// A chain takes a block only if its position, epoch and previous hash are those of the chain's head.
    fn append(&mut self, blocks: &[Block]) -> Result<(), AppendError> {
        self.append_with_slips(blocks, &[])
    }

    /// The same with the slips of rounds that the blocks settle: they are stored with the blocks, or not at all. A slip
    /// takes the place of one that is kept for the same round.
    ///
    /// # Panics
    /// If a slip is of a chain without a block.
    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError>;

    /// Another way into the same store, for another thread.
    fn archive(&self) -> Result<Box<dyn Archive>, ReadError>;
}

/// The reading side of a store, and its snapshots.
pub trait Archive: Send {
    /// The heads of all chains, by name.
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError>;

    /// The bytes of blocks of a chain as they are stored, from a position on: at least one if there is one, and then as
    /// many as fit in that many bytes. They are unchecked; a [`Verifier`](crate::Verifier) checks them.
    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// For each chain, the first or last block that does not belong to it: of an unknown chain, before its beginning or
    /// behind its head. Stores that cannot hold such blocks return none.
    fn strays(&mut self) -> Result<Vec<StrayBlock>, ReadError> {
        Ok(Vec::new())
    }

    /// At most `most` slips of a chain, from a round on, by their rounds: at least one if there is one, and then as many as fit in
    /// that many bytes. A store of an older layout has none. The bytes of one that is larger than any slip are left out.
    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError>;

    /// Keeps a snapshot, and deletes all but the newest few of that chain.
    fn put_snapshot(
        &mut self,
        chain: &ChainName,
        position: u64,
        state: Hash,
        bytes: &[u8],
    ) -> Result<(), SnapshotError>;

    /// The snapshots of a chain, the newest first.
    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError>;

    /// The bytes of a snapshot.
    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError>;
}

/// The error of a store's database or file.
pub type Cause = Box<dyn Error + Send + Sync>;

/// Why a block was not appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Position, epoch or previous hash are not those of the chain: another writer has it. Nothing was stored.
    #[error("someone else writes to chain {chain}: it does not take block {position} of epoch {epoch}")]
    Fenced {
        /// The chain.
        chain: ChainName,
        /// The position of the block that was refused.
        position: u64,
        /// Its epoch.
        epoch: u64,
    },
    /// Nothing was stored.
    #[error("the blocks could not be stored")]
    Failed(#[source] Cause),
    /// The blocks may or may not be stored. Only reading shows it.
    #[error("it is not known whether the blocks are stored; the store must be opened and read again")]
    Unknown(#[source] Cause),
    /// An earlier append failed, so this handle refuses everything.
    #[error("an earlier append failed; the store must be opened and read again")]
    Poisoned,
}

impl AppendError {
    /// Whether a write or a flush failed, now or before.
    pub const fn is_failed_write(&self) -> bool {
        match self {
            Self::Failed(_) | Self::Unknown(_) | Self::Poisoned => true,
            Self::Fenced { .. } => false,
        }
    }
}

/// Why a chain was not claimed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The epoch is not higher than the chain's, or higher than any epoch is.
    #[error("chain {chain} cannot be claimed at epoch {epoch}: someone else claimed it, or there is no such epoch")]
    Refused {
        /// The chain.
        chain: ChainName,
        /// The requested epoch.
        epoch: u64,
    },
    /// The store acknowledged blocks to this process that the chain does not hold. Nothing was changed.
    #[error(
        "chain {chain} lacks blocks {first} to {last}, or holds others, and this process was told that they are stored: a \
         server without them was promoted. Stop the casino, and promote the server that has them"
    )]
    Lost {
        /// The chain.
        chain: ChainName,
        /// The first block that is missing.
        first: u64,
        /// The last block that was acknowledged.
        last: u64,
    },
    /// The store failed. The epoch may or may not be raised.
    #[error("the chain could not be claimed")]
    Failed(#[source] Cause),
    /// An earlier append failed, so this handle refuses everything.
    #[error("an earlier append failed; the store must be opened and read again")]
    Poisoned,
}

impl ClaimError {
    /// Whether a write or a flush failed, now or before.
    pub const fn is_failed_write(&self) -> bool {
        match self {
            Self::Failed(_) | Self::Poisoned => true,
            Self::Refused { .. } | Self::Lost { .. } => false,
        }
    }
}

/// Why blocks or heads cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The store holds something there that is no block or head.
    #[error("chain {chain}: the store holds something else than a block at {position}")]
    Damaged {
        /// The chain.
        chain: String,
        /// Where, as the store says.
        position: i64,
    },
    /// The store holds something there that is no head.
    #[error("chain {chain}: {bad}")]
    Head {
        /// The chain, as the store calls it.
        chain: String,
        /// What is wrong.
        bad: BadHead,
    },
    /// The store failed.
    #[error("the store cannot be read")]
    Failed(#[source] Cause),
}

/// What can be wrong with a head that a store keeps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHead {
    /// No chain is called so.
    #[error("{0}")]
    Name(#[from] BadChainName),
    /// The epoch of the last writer.
    #[error("the store says that its epoch is {0}")]
    Epoch(i64),
    /// The position of the next block.
    #[error("the store says that its next block is {0}")]
    Next(i64),
    /// The hash of the last block.
    #[error("the store has {0} bytes for the hash of its last block, not 32")]
    Hash(usize),
}

impl ChainHead {
    /// A head as a store keeps it.
    pub(crate) fn of_store(name: &str, epoch: i64, next: i64, hash: &[u8]) -> Result<Self, ReadError> {
        let head = || {
            Ok(Self {
                chain: name.parse()?,
                epoch: epoch.try_into().map_err(|_| BadHead::Epoch(epoch))?,
                next: next.try_into().map_err(|_| BadHead::Next(next))?,
                hash: Hash::from_bytes(hash.try_into().map_err(|_| BadHead::Hash(hash.len()))?),
            })
        };
        head().map_err(|bad| ReadError::Head { chain: name.to_owned(), bad })
    }
}

/// A block in a store that is no part of any chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayBlock {
    /// The chain, as the store calls it.
    pub chain: String,
    /// Where.
    pub position: i64,
}

/// Why a snapshot was not kept or read. It is never fatal: a machine can always be rebuilt from its chain.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// There is no such snapshot, or not all of it.
    #[error("chain {chain} has no whole snapshot at {position}")]
    Missing {
        /// The chain.
        chain: ChainName,
        /// The position.
        position: u64,
    },
    /// The store failed.
    #[error("the snapshot could not be stored or read")]
    Failed(#[source] Cause),
}
