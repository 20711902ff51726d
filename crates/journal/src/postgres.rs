//! The store for several machines: `PostgreSQL` 15 and later. Whether a block may be appended is decided inside the
//! database: one statement moves the heads of all chains of a batch and inserts the blocks, or changes nothing.
//!
//! The statement is its own transaction, so there is one round trip a batch. If the answer does not come, or comes with
//! a warning (a synchronous standby is missing), nobody knows whether the blocks will last: the handle does nothing
//! more, and whoever opens the store again reads what is there.

mod archive;
mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use postgres::error::SqlState;
use postgres::{Client, Statement};

pub use archive::PostgresArchive;

use crate::batch::{Move, moves};
use crate::block::{Block, LARGEST_NUMBER};
use crate::chain::ChainName;
use crate::journal::{AppendError, Archive, Cause, ClaimError, Head, Journal, ReadError};
use archive::{as_sql, head_in_row};
use server::connect;

/// The store on a server, open for writing.
pub struct Postgres {
    address: String,
    client: Client,
    append: Statement,
    /// Whether the server warned of something since this was last cleared.
    warned: Arc<AtomicBool>,
    poisoned: bool,
}

/// Why a store on a server cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The server is too old.
    #[error("the server is PostgreSQL {found}, and version 15 or later is needed")]
    Old {
        /// What it says it is.
        found: String,
    },
    /// A setting of the server gives durability away.
    #[error("the server has {setting} = {found}, and needs {needed}: what is committed would not be durable")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// What it must be.
        needed: &'static str,
    },
    /// A newer program made the tables.
    #[error("the tables have layout {found}, and this program knows layouts up to {known}: use the newer program")]
    Newer {
        /// Their layout.
        found: i32,
        /// The newest layout that this program knows.
        known: i32,
    },
    /// There are no tables, and only reading was asked for.
    #[error("the database holds no records of this program")]
    Empty,
    /// The server failed.
    #[error("the database cannot be used")]
    Server(#[from] postgres::Error),
}

impl Postgres {
    /// Opens the store at an address (`postgres://…`), and makes its tables where there are none.
    pub fn open(address: &str) -> Result<Self, PostgresError> {
        let (mut client, warned) = connect(address)?;
        server::create(&mut client)?;
        let append = client.prepare("SELECT taisai_journal.append($1, $2, $3, $4, $5, $6, $7, $8, $9)")?;
        Ok(Self { address: address.into(), client, append, warned, poisoned: false })
    }

    fn store(&mut self, moves: &[Move<'_>], blocks: &[Block]) -> Result<(), AppendError> {
        let names: Vec<&str> = moves.iter().map(|m| m.chain.as_str()).collect();
        let epochs: Vec<i64> = moves.iter().map(|m| as_sql(m.epoch)).collect();
        let froms: Vec<i64> = moves.iter().map(|m| as_sql(m.from)).collect();
        let previous: Vec<&[u8]> = moves.iter().map(|m| &m.previous.as_bytes()[..]).collect();
        let nexts: Vec<i64> = moves.iter().map(|m| as_sql(m.next)).collect();
        let hashes: Vec<&[u8]> = moves.iter().map(|m| &m.hash.as_bytes()[..]).collect();
        let chains: Vec<&str> = blocks.iter().map(|block| block.place().chain.as_str()).collect();
        let positions: Vec<i64> = blocks.iter().map(|block| as_sql(block.place().position)).collect();
        let bytes: Vec<&[u8]> = blocks.iter().map(Block::bytes).collect();
        self.warned.store(false, Ordering::Relaxed);
        let sent = self
            .client
            .execute(&self.append, &[&names, &epochs, &froms, &previous, &nexts, &hashes, &chains, &positions, &bytes]);
        match sent {
            Ok(_) if self.warned.load(Ordering::Relaxed) => Err(AppendError::Unknown(Cause::from(
                "the server warned while it committed, as it does when a standby is missing",
            ))),
            Ok(_) => Ok(()),
            Err(error) => Err(refused(moves, error)),
        }
    }
}

/// What an error of the statement means. An answer of the server that the statement failed means that nothing was
/// stored, save where the server was being stopped and may have been past the commit.
fn refused(moves: &[Move<'_>], error: postgres::Error) -> AppendError {
    match error.as_db_error() {
        Some(answer) if *answer.code() == server::fenced() => {
            // The server says which chain in the detail of its answer.
            let chain = moves.iter().find(|m| answer.detail() == Some(m.chain.as_str())).or(moves.first());
            chain.map_or_else(|| AppendError::Failed(error.into()), Move::fenced)
        }
        Some(answer) if is_stop(answer.code()) => AppendError::Unknown(error.into()),
        Some(_) => AppendError::Failed(error.into()),
        None => AppendError::Unknown(error.into()),
    }
}

/// Operator intervention (class 57), system errors (58) and internal ones (XX) can come after the commit.
fn is_stop(code: &SqlState) -> bool {
    ["57", "58", "XX"].iter().any(|class| code.code().starts_with(class))
}

impl Journal for Postgres {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<Head, ClaimError> {
        if self.poisoned {
            return Err(ClaimError::Poisoned);
        }
        let refused = || ClaimError::Refused { chain: chain.clone(), epoch };
        if epoch == 0 || epoch > LARGEST_NUMBER {
            return Err(refused());
        }
        let raised = self.client.query_opt(
            "INSERT INTO taisai_journal.chains AS c (name, epoch, next, hash)
             VALUES ($1, $2, 0, decode(repeat('00', 32), 'hex'))
             ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE c.epoch < excluded.epoch
             RETURNING name, epoch, next, hash",
            &[&chain.as_str(), &as_sql(epoch)],
        );
        match raised {
            Ok(Some(row)) => head_in_row(&row).map_err(ClaimError::Failed),
            Ok(None) => Err(refused()),
            Err(error) => {
                self.poisoned = true;
                Err(ClaimError::Failed(error.into()))
            }
        }
    }

    fn append(&mut self, blocks: &[Block]) -> Result<(), AppendError> {
        if self.poisoned {
            return Err(AppendError::Poisoned);
        }
        let stored = moves(blocks).and_then(|moves| self.store(&moves, blocks));
        self.poisoned = match &stored {
            Ok(()) | Err(AppendError::Fenced { .. }) => false,
            Err(AppendError::Failed(_) | AppendError::Unknown(_) | AppendError::Poisoned) => true,
        };
        stored
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        let archive = PostgresArchive::open(&self.address).map_err(|error| ReadError::Failed(error.into()))?;
        Ok(Box::new(archive))
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.debug_struct("Postgres").field("poisoned", &self.poisoned).finish_non_exhaustive()
    }
}
