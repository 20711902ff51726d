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

pub use anchor::{Anchor, AnchorContent, AnchorError, Anchored};
pub use block::{
    BadBlock, Block, Content, FORMAT, LARGEST_BLOCK, LARGEST_BODY, LARGEST_NUMBER, LONGEST_OWNER, Place, READER,
};
pub use chain::{BadName, ChainName};
pub use checkpoint::{Checkpoint, PublicKey, Vouched};
pub use entries::Entries;
pub use genesis::{Genesis, Purpose};
pub use hash::{BadHex, Hash};
pub use journal::{
    AppendError, Archive, BadHead, Cause, ClaimError, Head, Journal, KEPT_SNAPSHOTS, ReadError, Snapshot,
    SnapshotError, Stray,
};
pub use key::{KeyError, SigningKey};
pub use memory::{Lasts, Memory, MemoryJournal, Step, Trouble};
pub use postgres::{
    ALLOWANCE, BadAddress, BadTerms, Beat, Claimed, Condition, Examined, Lease, LeaseError, Leases, Member, Node,
    NodeName, Postgres, PostgresArchive, PostgresError, Roster, SLOTS, Session, Setting, Standby, Tenure, Terms,
    Wished, examine,
};
pub use sqlite::{Sqlite, SqliteArchive, SqliteError, open_existing};
pub use verify::{FARTHEST_VOUCHED, Fault, Reason, Trust, Verifier};
pub use writer::{Durable, Mark, Pen, Stopped, TakeError, Writer};
