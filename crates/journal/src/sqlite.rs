//! The store in a folder: `SQLite` with a write-ahead log that is flushed at every commit, one row a block. A lock
//! keeps a second program out, so there is only one writer.
//!
//! After a failed append the handle refuses everything. A failed flush leaves the page cache and the disk different,
//! and a second flush that succeeds would hide it. Only opening the store again shows what is on the disk.

mod archive;
mod file;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};

pub use archive::SqliteArchive;
pub use file::open_sqlite_to_read;

use crate::batch::{HeadMove, moves};
use crate::block::{Block, MAX_BLOCK_NUMBER};
use crate::chain::ChainName;
use crate::journal::{AppendError, Archive, Cause, ChainHead, ClaimError, Journal, ReadError, StoredSlip};
use crate::key_file::sync_folder_of;
use file::{DatabaseFile, PAGE_BYTES, as_sql, head_in_row, keep_log, open_file};

/// The store in a folder, open for writing.
#[derive(Debug)]
pub struct Sqlite {
    folder: PathBuf,
    connection: Connection,
    /// Bytes in the write-ahead log since it was last copied into the database, about.
    logged: usize,
    max_log: usize,
    poisoned: bool,
    /// Held until the store is closed.
    _lock: Lock,
}

/// The system releases the lock when the process ends. Dropping it unlocks explicitly: a child process that is just
/// starting has copies of all open files for a moment, and would hold the lock through them.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.unlock().unwrap_or_default();
    }
}

/// Why a store in a folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SqliteError {
    /// Another program has it open.
    #[error("another program uses the records in {folder}: stop it first")]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A newer program wrote it.
    #[error("{file} has layout {found}, and this program knows layouts up to {known}: use the newer program")]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its layout.
        found: i64,
        /// The newest layout that this program knows.
        known: i64,
    },
    /// The file is something else.
    #[error("{file} is not a file of this program")]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// There is no store.
    #[error("there is no record: {file} cannot be read")]
    NoStore {
        /// The file that should be there.
        file: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// Blocks stand in a log that cannot be read where nothing may be written.
    #[error("{file} may not be written to, and its log was not closed: copy the whole folder to where you may write")]
    Protected {
        /// The file.
        file: PathBuf,
    },
    /// The folder cannot be used.
    #[error("the folder {folder} cannot be used")]
    Io {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// `SQLite` failed.
    #[error("{file} cannot be opened")]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The log of an earlier program could not be copied into the database and flushed.
    #[error("the log of {file} cannot be copied into it and flushed")]
    Flush {
        /// The file.
        file: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The log cannot be emptied while someone reads it.
    #[error("another program reads {file} and does not end: an audit, a backup or a report; start again when it has")]
    Read {
        /// The file.
        file: PathBuf,
    },
}

impl SqliteError {
    /// Whether the disk failed under a store that is there: a person must look at it.
    pub const fn is_failed_write(&self) -> bool {
        matches!(self, Self::Flush { .. })
    }
}

/// Whoever waits for a commit waits for the copy before it, so it must be short. A log that is begun anew often is also faster:
/// its bytes have their place on the disk already.
const MAX_LOG_BYTES: usize = 4 * 1024 * 1024;

impl Sqlite {
    /// Opens or creates the store in a folder.
    pub fn open(folder: &Path) -> Result<Self, SqliteError> {
        let lock = lock(folder)
            .map_err(|source| SqliteError::Io { folder: folder.into(), source })?
            .ok_or_else(|| SqliteError::InUse { folder: folder.into() })?;
        let connection = open_file(folder, DatabaseFile::Chains)?;
        empty_log(&connection, folder)?;
        Ok(Self { folder: folder.into(), connection, logged: 0, max_log: MAX_LOG_BYTES, poisoned: false, _lock: lock })
    }

    /// Copies the write-ahead log into the database and restarts it when it has about this many bytes.
    #[must_use]
    pub fn with_max_log(mut self, bytes: usize) -> Self {
        self.max_log = bytes;
        self
    }

    fn raise(&mut self, chain: &ChainName, epoch: i64) -> rusqlite::Result<Option<ChainHead>> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let head = {
            let mut raise = transaction.prepare_cached(
                "INSERT INTO chains (name, epoch, next, hash) VALUES (?1, ?2, 0, zeroblob(32))
                 ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE epoch < excluded.epoch
                 RETURNING name, epoch, next, hash",
            )?;
            let mut rows = raise.query(params![chain.as_str(), epoch])?;
            rows.next()?.map(head_in_row).transpose()?
        };
        transaction.commit()?;
        Ok(head)
    }

    fn store(&mut self, moves: &[HeadMove<'_>], blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        self.shorten_log().map_err(|error| AppendError::Failed(error.into()))?;
        let failed = |error: rusqlite::Error| AppendError::Failed(error.into());
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        {
            let mut advance = transaction
                .prepare_cached(
                    "UPDATE chains SET next = ?2, hash = ?3 WHERE name = ?1 AND epoch = ?4 AND next = ?5 AND hash = ?6",
                )
                .map_err(failed)?;
            for m in moves {
                let (next, epoch, from) = (as_sql(m.next), as_sql(m.epoch), as_sql(m.from));
                let (hash, previous) = (m.hash.as_bytes(), m.previous.as_bytes());
                let row = params![m.chain.as_str(), next, hash, epoch, from, previous];
                if advance.execute(row).map_err(failed)? != 1 {
                    return Err(m.fenced());
                }
            }
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO blocks (chain, position, block) SELECT id, ?2, ?3 FROM chains WHERE name = ?1",
                )
                .map_err(failed)?;
            for block in blocks {
                let header = block.header();
                let row = params![header.chain.as_str(), as_sql(header.position), block.bytes()];
                insert.execute(row).map_err(failed)?;
            }
            let mut keep = transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO slips (chain, round, bytes) SELECT id, ?2, ?3 FROM chains WHERE name = ?1",
                )
                .map_err(failed)?;
            for slip in slips {
                keep.execute(params![slip.chain.as_str(), as_sql(slip.round), slip.bytes]).map_err(failed)?;
            }
        }
        // From here on the commit may be on the disk, whatever the result.
        transaction.commit().map_err(|error| AppendError::Unknown(error.into()))?;
        self.logged += pages(moves.len(), blocks, slips) * PAGE_BYTES;
        Ok(())
    }

    /// Refuses everything from now on, and leaves the log alone when the store is closed.
    fn poison(&mut self) {
        self.poisoned = true;
        // This fails only if SQLite lacks the setting.
        keep_log(&self.connection).unwrap_or_default();
    }

    /// Copies the log into the database before it grows too large. `SQLite` could do so after a commit, but would not
    /// report a failure, and would delay acknowledgements that are due.
    fn shorten_log(&mut self) -> rusqlite::Result<()> {
        if self.logged >= self.max_log {
            self.connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_row([], |_| Ok(()))?;
            self.logged = 0;
        }
        Ok(())
    }
}

impl Journal for Sqlite {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        if self.poisoned {
            return Err(ClaimError::Poisoned);
        }
        let refused = || ClaimError::Refused { chain: chain.clone(), epoch };
        if epoch == 0 || epoch > MAX_BLOCK_NUMBER {
            return Err(refused());
        }
        match self.raise(chain, as_sql(epoch)) {
            Ok(head) => head.ok_or_else(refused),
            Err(error) => {
                self.poison();
                Err(ClaimError::Failed(error.into()))
            }
        }
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        if self.poisoned {
            return Err(AppendError::Poisoned);
        }
        let stored = moves(blocks, slips).and_then(|moves| self.store(&moves, blocks, slips));
        match &stored {
            Ok(()) | Err(AppendError::Fenced { .. }) => {}
            Err(AppendError::Failed(_) | AppendError::Unknown(_) | AppendError::Poisoned) => self.poison(),
        }
        stored
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        let archive = SqliteArchive::open(&self.folder).map_err(|error| ReadError::Failed(Cause::from(error)))?;
        Ok(Box::new(archive))
    }
}

/// Copies the whole log into the database, flushes it, and empties the log. The page cache still shows what an earlier program
/// wrote when its flush failed, and nobody could tell that it is not on the disk. From here on it is.
fn empty_log(connection: &Connection, folder: &Path) -> Result<(), SqliteError> {
    let file = folder.join(DatabaseFile::Chains.name());
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    match emptied {
        Ok(0) => Ok(()),
        Ok(_) => Err(SqliteError::Read { file }),
        Err(source) => {
            // Closing must not try again: this fails only if SQLite lacks the setting.
            keep_log(connection).unwrap_or_default();
            Err(SqliteError::Flush { file, source })
        }
    }
}

/// The pages that a commit writes, about: each chain's head, and each block and slip at the end of its chain.
fn pages(moves: usize, blocks: &[Block], slips: &[StoredSlip]) -> usize {
    let lengths = blocks.iter().map(|block| block.bytes().len()).chain(slips.iter().map(|slip| slip.bytes.len()));
    moves + lengths.map(|length| 1 + length / PAGE_BYTES).sum::<usize>()
}

/// `None` if another program has the lock.
fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    if !fs::exists(folder)? {
        fs::create_dir_all(folder)?;
        sync_folder_of(folder)?;
    }
    let file = File::options().create(true).append(true).open(folder.join("journal.lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
