//! Chains of blocks of bytes on `SQLite`, `PostgreSQL` or in memory. The writer acknowledges a block once it is
//! durable. Each block holds the hash of the block before it. Signed checkpoints are in the chain and in an anchor, a
//! file outside the store. The journal does not know what the bytes mean. `docs/record.md` has the format, byte by
//! byte.
//!
//! Open a [`Journal`] ([`Sqlite`], [`Postgres`] or [`MemoryStore`]) and give it to a [`Writer`], which commits what
//! several threads submit through a [`ChainHandle`] each. An [`Archive`] reads the same store beside the writer. A
//! [`Verifier`] follows a chain and names its first fault. [`Leases`] decide which node of several writes to which
//! chain.

#![warn(missing_docs)]

mod acknowledged;
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
mod key_file;
mod memory;
mod postgres;
mod sqlite;
#[cfg(feature = "suite")]
pub mod suite;
mod verify;
mod writer;

pub use acknowledged::AcknowledgedHeads;
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
    AppendError, Archive, BadHead, Cause, ChainHead, ClaimError, Journal, MAX_SLIP_BYTES, MAX_SNAPSHOTS_PER_CHAIN,
    ReadError, SnapshotError, StoredSlip, StoredSnapshot, StrayBlock,
};
pub use key::SigningKey;
pub use key_file::{KeyError, KeyFileContent, Keys, key_file_credential};
pub use memory::{DiskFault, DiskStep, FaultDuration, MemoryJournal, MemoryStore};
pub use postgres::{
    BadAddress, BadLeaseTiming, CLOCK_SKEW_ALLOWANCE, ClaimOutcome, ExaminedServer, Heartbeat, JoinedNode, Lease,
    LeaseDeadline, LeaseError, LeaseRoster, LeaseTiming, Leases, LiveNode, MoveOutcome, NODE_SLOTS, NodeName, Postgres,
    PostgresArchive, PostgresError, PostgresSession, ServerCondition, ServerSetting, StandbyServer, examine_servers,
};
pub use sqlite::{Sqlite, SqliteArchive, SqliteError, open_sqlite_to_read};
pub use verify::{ChainFault, ChainFaultReason, MAX_CHECKPOINT_DISTANCE, TrustedKeys, Verifier};
pub use writer::{ChainHandle, CheckpointTarget, DurablePosition, TakeError, Writer, WriterStopped};
