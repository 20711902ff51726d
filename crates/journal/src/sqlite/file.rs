//! The two files of a store in a folder, how they are opened, and how numbers and heads stand in them. Snapshots have a
//! file of their own: writing one takes long, and `SQLite` has one writer a file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};

use super::SqliteError;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::ChainHead;
use crate::key_file::sync_folder_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatabaseFile {
    Chains,
    Snapshots,
}

/// `TaiS`, which tells our files from others'.
const APPLICATION: i64 = 0x5461_6953;

/// A block is written once and read in order, so large pages serve it; but a small commit writes two whole pages, and whoever
/// waits for it waits for them.
pub(super) const PAGE_BYTES: usize = 8 * 1024;

impl DatabaseFile {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Chains => "journal.db",
            Self::Snapshots => "snapshots.db",
        }
    }

    /// What makes each layout of the tables out of the one before it.
    const fn layouts(self) -> &'static [&'static str] {
        match self {
            Self::Chains => &[
                "CREATE TABLE chains (
                     id INTEGER PRIMARY KEY,
                     name TEXT NOT NULL UNIQUE,
                     epoch INTEGER NOT NULL,
                     next INTEGER NOT NULL,
                     hash BLOB NOT NULL
                 ) STRICT;
                 CREATE TABLE blocks (
                     chain INTEGER NOT NULL,
                     position INTEGER NOT NULL,
                     block BLOB NOT NULL,
                     PRIMARY KEY (chain, position)
                 ) STRICT, WITHOUT ROWID;",
                "CREATE TABLE slips (
                     chain INTEGER NOT NULL,
                     round INTEGER NOT NULL,
                     bytes BLOB NOT NULL,
                     PRIMARY KEY (chain, round)
                 ) STRICT, WITHOUT ROWID;",
            ],
            Self::Snapshots => &["CREATE TABLE snapshots (
                     chain TEXT NOT NULL,
                     position INTEGER NOT NULL,
                     state BLOB NOT NULL,
                     length INTEGER NOT NULL,
                     PRIMARY KEY (chain, position)
                 ) STRICT, WITHOUT ROWID;
                 CREATE TABLE parts (
                     chain TEXT NOT NULL,
                     position INTEGER NOT NULL,
                     part INTEGER NOT NULL,
                     bytes BLOB NOT NULL,
                     PRIMARY KEY (chain, position, part)
                 ) STRICT, WITHOUT ROWID;"],
        }
    }

    /// The number of the newest layout.
    fn newest(self) -> i64 {
        i64::try_from(self.layouts().len()).expect("there are few layouts")
    }

    /// A snapshot is written once, so a journal of the pages it replaces is cheaper than a log of the pages it has.
    const fn journal_mode(self) -> &'static str {
        match self {
            Self::Chains => "wal",
            Self::Snapshots => "truncate",
        }
    }
}

/// Opens a file, or makes it with its tables.
pub(super) fn open_file(folder: &Path, kind: DatabaseFile) -> Result<Connection, SqliteError> {
    let file = folder.join(kind.name());
    let failed = |source| SqliteError::Sqlite { file: file.clone(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&file, flags).map_err(failed)?;
    let found = match check(&connection, kind).map_err(failed)? {
        FileLayout::Known(found) => found,
        FileLayout::None => {
            let bytes = i64::try_from(PAGE_BYTES).expect("a page is small");
            connection.pragma_update(None, "page_size", bytes).map_err(failed)?;
            0
        }
        FileLayout::Newer(found) => return Err(SqliteError::Newer { file, found, known: kind.newest() }),
        FileLayout::Foreign => return Err(SqliteError::Foreign { file }),
    };
    set_up(&connection, kind).map_err(failed)?;
    bring_up_to_date(&mut connection, kind, found).map_err(failed)?;
    // The files are there now, the log with them, but the folder may not know it yet. SQLite flushes it too, and says
    // nothing when that fails.
    check(&connection, kind).map_err(failed)?;
    sync_folder_of(&file).map_err(|source| SqliteError::Io { folder: folder.into(), source })?;
    Ok(connection)
}

/// Opens a file of the store as someone who only reads: nothing is made, and nothing is locked out.
pub(super) fn open_to_read(folder: &Path, kind: DatabaseFile) -> Result<Connection, SqliteError> {
    let file = folder.join(kind.name());
    let failed = |source| SqliteError::Sqlite { file: file.clone(), source };
    let connection = open_sqlite_to_read(&file)?;
    match check(&connection, kind).map_err(failed)? {
        FileLayout::Known(_) => {}
        FileLayout::Newer(found) => return Err(SqliteError::Newer { file, found, known: kind.newest() }),
        FileLayout::Foreign => return Err(SqliteError::Foreign { file }),
        // Someone is about to make it.
        FileLayout::None => return Err(SqliteError::NoStore { file, source: ErrorKind::NotFound.into() }),
    }
    Ok(connection)
}

/// Opens an `SQLite` file that must be there, to read it, also where nothing may be written beside it.
pub fn open_sqlite_to_read(file: &Path) -> Result<Connection, SqliteError> {
    let failed = |source| SqliteError::Sqlite { file: file.into(), source };
    if let Err(source) = std::fs::metadata(file) {
        return Err(SqliteError::NoStore { file: file.into(), source });
    }
    // SQLite wants to write beside a write-ahead log even to read it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    match Connection::open_with_flags(file, flags).and_then(ready_to_read) {
        Err(error) if is_write_protected(&error) => {
            if std::fs::metadata(log_of(file)).is_ok_and(|log| log.len() > 0) {
                return Err(SqliteError::Protected { file: file.into() });
            }
            open_unchanging(file).and_then(ready_to_read).map_err(failed)
        }
        opened => opened.map_err(failed),
    }
}

/// The first look at a file shows whether it can be read.
fn ready_to_read(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    count_tables(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    keep_log(&connection)?;
    Ok(connection)
}

/// Opens a file that nobody can write to, without looking for a log or taking a lock.
fn open_unchanging(file: &Path) -> rusqlite::Result<Connection> {
    let file = percent_encode(file.as_os_str().as_encoded_bytes(), URI);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{file}?immutable=1"), flags)
}

/// What ends the path in a URI, or stands for something else.
const URI: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#');

fn is_write_protected(error: &rusqlite::Error) -> bool {
    // The last one where the index of a log is there, and may not be brought up to date.
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::FileLockingProtocolFailed)
    )
}

fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Leaves the write-ahead log as it is when the connection is closed. The last to close would copy it into the database and
/// remove it, which is not for those who only read, nor for anyone after a flush has failed: the log is what was flushed.
pub(super) fn keep_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(drop)
}

/// Readers wait for the moments in which a file is locked.
const BUSY_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

enum FileLayout {
    None,
    Known(i64),
    Newer(i64),
    Foreign,
}

fn check(connection: &Connection, kind: DatabaseFile) -> rusqlite::Result<FileLayout> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let tables = count_tables(connection)?;
    Ok(match (number("application_id")?, number("user_version")?) {
        (0, 0) if tables == 0 => FileLayout::None,
        (APPLICATION, found) if (1..=kind.newest()).contains(&found) => FileLayout::Known(found),
        (APPLICATION, newer) if newer > kind.newest() => FileLayout::Newer(newer),
        _ => FileLayout::Foreign,
    })
}

fn count_tables(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
}

/// Makes the tables that a file lacks. They appear together with the numbers that make the file ours.
fn bring_up_to_date(connection: &mut Connection, kind: DatabaseFile, found: i64) -> rusqlite::Result<()> {
    if found == kind.newest() {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for (_, tables) in (1..).zip(kind.layouts()).filter(|(layout, _)| *layout > found) {
        transaction.execute_batch(tables)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", kind.newest())?;
    transaction.commit()
}

fn set_up(connection: &Connection, kind: DatabaseFile) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    set_journal_mode(connection, kind.journal_mode())?;
    connection.pragma_update(None, "synchronous", "full")?;
    // The writer says when, so that it hears of a failure.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Changes the mode, and sees to it that it changed. The change is written after the answer, so the statement is run to
/// its end; and one that cannot be made is no error, but answered with the mode that the file still has.
fn set_journal_mode(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    let mut change = connection.prepare(&format!("PRAGMA journal_mode = {mode}"))?;
    let answers: Vec<String> = change.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    if answers == [mode] {
        return Ok(());
    }
    let refused = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR);
    Err(rusqlite::Error::SqliteFailure(refused, Some(format!("the journal mode is {answers:?}"))))
}

/// A position or epoch, as `SQLite` has it.
///
/// # Panics
/// If it is larger than any block's, which the format refuses.
pub(super) fn as_sql(number: u64) -> i64 {
    number.try_into().expect("the numbers of a block are below 2^63")
}

/// A number that was stored.
pub(super) fn from_sql(number: i64) -> rusqlite::Result<u64> {
    number.try_into().map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, number))
}

/// Name, epoch, next and hash.
pub(super) fn head_in_row(row: &Row<'_>) -> rusqlite::Result<ChainHead> {
    let name: String = row.get(0)?;
    let chain: ChainName =
        name.parse().map_err(|bad| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(bad)))?;
    let (epoch, next) = (from_sql(row.get(1)?)?, from_sql(row.get(2)?)?);
    Ok(ChainHead { chain, epoch, next, hash: Hash::from_bytes(row.get(3)?) })
}
