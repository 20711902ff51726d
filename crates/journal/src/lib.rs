//! The journal: chains of blocks of bytes. A block is durable before anyone hears of it, each holds the hash of the one
//! before it, and signed checkpoints stand in the chain and in an anchor outside the store. What the bytes mean is not
//! known here. `docs/record.md` has the format, byte by byte.
//!
//! A [`Writer`] owns a [`Journal`] and commits what several threads submit; an [`Archive`] reads beside it; a
//! [`Verifier`] finds the first thing that is wrong with a chain.

#![warn(missing_docs)]

mod anchor;
mod batch;
mod block;
mod chain;
mod checkpoint;
mod entries;
mod genesis;
mod hash;
mod journal;
mod key;
mod memory;
mod postgres;
mod sqlite;
#[cfg(feature = "suite")]
pub mod suite;
mod verify;
mod writer;

pub use anchor::{Anchor, AnchorContent, AnchorError, AnchorLine};
pub use block::{
    BLOCK_FORMAT, BadBlock, Block, BlockContent, BlockHeader, MAX_BLOCK_BYTES, MAX_BLOCK_NUMBER, MAX_BODY_BYTES,
    MAX_OWNER_BYTES, READER_VERSION,
};
pub use chain::{BadChainName, ChainName};
pub use checkpoint::{Checkpoint, CheckpointContent, PublicKey};
pub use entries::Entries;
pub use genesis::{ChainPurpose, Genesis};
pub use hash::{BadHex, Hash};
pub use journal::{
    AppendError, Archive, BadHead, Cause, ChainHead, ClaimError, Journal, MAX_SNAPSHOTS_PER_CHAIN, ReadError,
    SnapshotError, StoredSnapshot, StrayBlock,
};
pub use key::{KeyError, SigningKey};
pub use memory::{DiskFault, DiskStep, FaultDuration, MemoryJournal, MemoryStore};
pub use postgres::{
    BadAddress, BadLeaseTiming, CLOCK_SKEW_ALLOWANCE, ClaimOutcome, ExaminedServer, Heartbeat, JoinedNode, Lease,
    LeaseDeadline, LeaseError, LeaseRoster, LeaseTiming, Leases, LiveNode, MoveOutcome, NODE_SLOTS, NodeName, Postgres,
    PostgresArchive, PostgresError, PostgresSession, ServerCondition, ServerSetting, StandbyServer, examine_servers,
};
pub use sqlite::{Sqlite, SqliteArchive, SqliteError, open_sqlite_to_read};
pub use verify::{ChainFault, ChainFaultReason, MAX_CHECKPOINT_DISTANCE, TrustedKeys, Verifier};
pub use writer::{ChainHandle, CheckpointTarget, DurablePosition, TakeError, Writer, WriterStopped};
