//! Reading blocks and slips beside the writer, and snapshots in their own file, each cut into parts that `SQLite` takes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, params};

use super::SqliteError;
use super::file::{DatabaseFile, as_sql, from_sql, open_file, open_to_read};
use crate::block::MAX_BLOCK_BYTES;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{
    Archive, Cause, ChainHead, MAX_SLIP_BYTES, MAX_SNAPSHOTS_PER_CHAIN, ReadError, SnapshotError, StoredSlip,
    StoredSnapshot, StrayBlock,
};

/// The store in a folder, for reading.
#[derive(Debug)]
pub struct SqliteArchive {
    folder: PathBuf,
    connection: Connection,
    /// A file that no program has opened to write since there are slips has no table of them.
    has_slips: bool,
    /// Opened when they are first needed: damaged ones must not keep anyone from the chains.
    snapshots: Option<Connection>,
    /// The same file for those who only read, who make nothing.
    kept: Option<Connection>,
}

/// Goes from chain to chain by the key, and looks only at both ends of each.
const STRAYS: &str = "
    WITH RECURSIVE found (id) AS (
        SELECT min(chain) FROM blocks
        UNION ALL
        SELECT (SELECT min(chain) FROM blocks WHERE chain > id) FROM found WHERE id IS NOT NULL
    ), ends AS (
        SELECT id, (SELECT min(position) FROM blocks WHERE chain = id) AS first,
               (SELECT max(position) FROM blocks WHERE chain = id) AS last
        FROM found WHERE id IS NOT NULL
    )
    SELECT CAST(coalesce(c.name, 'with the number ' || e.id) AS TEXT),
           CASE WHEN c.id IS NULL OR e.first < 0 THEN e.first ELSE e.last END
    FROM ends e LEFT JOIN chains c ON c.id = e.id
    WHERE c.id IS NULL OR e.first < 0 OR e.last >= c.next
    ORDER BY e.id";

/// The most bytes of a part of a snapshot.
const SNAPSHOT_PART_BYTES: usize = 8 * 1024 * 1024;

impl SqliteArchive {
    /// Opens the store in a folder for reading, beside its writer.
    pub fn open(folder: &Path) -> Result<Self, SqliteError> {
        let connection = open_to_read(folder, DatabaseFile::Chains)?;
        let has_slips = connection.table_exists(None, "slips").map_err(|source| {
            let file = folder.join(DatabaseFile::Chains.name());
            SqliteError::Sqlite { file, source }
        })?;
        Ok(Self { folder: folder.into(), connection, has_slips, snapshots: None, kept: None })
    }

    fn snapshots_file(&mut self) -> Result<&mut Connection, SnapshotError> {
        match &mut self.snapshots {
            Some(connection) => Ok(connection),
            closed @ None => {
                let opened = open_file(&self.folder, DatabaseFile::Snapshots);
                Ok(closed.insert(opened.map_err(|error| SnapshotError::Failed(error.into()))?))
            }
        }
    }

    /// Nothing where no snapshot was ever kept.
    fn kept_snapshots(&mut self) -> Result<Option<&Connection>, SnapshotError> {
        if let Some(connection) = &self.snapshots {
            return Ok(Some(connection));
        }
        if self.kept.is_none() {
            self.kept = match open_to_read(&self.folder, DatabaseFile::Snapshots) {
                Ok(connection) => Some(connection),
                Err(SqliteError::NoStore { source, .. }) if source.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(SnapshotError::Failed(error.into())),
            };
        }
        Ok(self.kept.as_ref())
    }
}

impl Archive for SqliteArchive {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        let failed = |error: rusqlite::Error| ReadError::Failed(error.into());
        let select = self.connection.prepare_cached("SELECT name, epoch, next, hash FROM chains ORDER BY name");
        let mut select = select.map_err(failed)?;
        let mut rows = select.query([]).map_err(failed)?;
        let mut heads = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            // A name may be any bytes.
            let name = row.get_ref(0).and_then(|name| Ok(name.as_bytes()?)).map_err(failed)?;
            let (epoch, next) = (row.get(1).map_err(failed)?, row.get(2).map_err(failed)?);
            let hash = row.get_ref(3).and_then(|hash| Ok(hash.as_blob()?)).map_err(failed)?;
            heads.push(ChainHead::of_store(&String::from_utf8_lossy(name), epoch, next, hash)?);
        }
        Ok(heads)
    }

    fn strays(&mut self) -> Result<Vec<StrayBlock>, ReadError> {
        let strays = || {
            let mut select = self.connection.prepare_cached(STRAYS)?;
            let stray = |row: &Row<'_>| Ok(StrayBlock { chain: row.get(0)?, position: row.get(1)? });
            select.query_map([], stray)?.collect::<rusqlite::Result<_>>()
        };
        strays().map_err(|error| ReadError::Failed(error.into()))
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let failed = |error: rusqlite::Error| ReadError::Failed(error.into());
        let Ok(from) = i64::try_from(from) else { return Ok(Vec::new()) };
        // The length is asked first, so that something huge in the place of a block is not even loaded.
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT position, length(block), block FROM blocks
                 WHERE chain = (SELECT id FROM chains WHERE name = ?1) AND position >= ?2 ORDER BY position",
            )
            .map_err(failed)?;
        let mut rows = select.query(params![chain.as_str(), from]).map_err(failed)?;
        let mut found = Vec::new();
        let mut total = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            let length: i64 = row.get(1).map_err(failed)?;
            let Some(length) = usize::try_from(length).ok().filter(|length| *length <= MAX_BLOCK_BYTES) else {
                let position = row.get(0).map_err(failed)?;
                return Err(ReadError::Damaged { chain: chain.to_string(), position });
            };
            total += length;
            if total > bytes && !found.is_empty() {
                break;
            }
            found.push(row.get(2).map_err(failed)?);
        }
        Ok(found)
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        let (true, Ok(from)) = (self.has_slips, i64::try_from(from)) else { return Ok(Vec::new()) };
        list_slips(&self.connection, chain, from, (most, bytes)).map_err(|error| ReadError::Failed(error.into()))
    }

    fn put_snapshot(
        &mut self,
        chain: &ChainName,
        position: u64,
        state: Hash,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        let connection = self.snapshots_file()?;
        let kept = put(connection, chain.as_str(), as_sql(position), state, bytes);
        if kept.is_err() {
            // What is really there is read when the file is opened again.
            self.snapshots = None;
        }
        kept.map_err(|error| SnapshotError::Failed(error.into()))
    }

    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        let Some(connection) = self.kept_snapshots()? else { return Ok(Vec::new()) };
        list(connection, chain.as_str()).map_err(SnapshotError::Failed)
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        let missing = || SnapshotError::Missing { chain: chain.clone(), position };
        let connection = self.kept_snapshots()?.ok_or_else(missing)?;
        let found = i64::try_from(position).map_or(Ok(None), |position| get(connection, chain.as_str(), position));
        found.map_err(|error| SnapshotError::Failed(Cause::from(error)))?.ok_or_else(missing)
    }
}

fn list_slips(
    connection: &Connection,
    chain: &ChainName,
    from: i64,
    (most, bytes): (u16, usize),
) -> rusqlite::Result<Vec<StoredSlip>> {
    // The length is asked first, so that something huge in the place of a slip is not even loaded.
    let mut select = connection.prepare_cached(
        "SELECT round, length(bytes), bytes FROM slips
         WHERE chain = (SELECT id FROM chains WHERE name = ?1) AND round >= ?2 ORDER BY round LIMIT ?3",
    )?;
    let mut rows = select.query(params![chain.as_str(), from, most])?;
    let mut found = Vec::new();
    let mut total = 0;
    while let Some(row) = rows.next()? {
        let length: i64 = row.get(1)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= MAX_SLIP_BYTES);
        total += length.unwrap_or(0);
        if total > bytes && !found.is_empty() {
            break;
        }
        let slip = if length.is_some() { row.get(2)? } else { Vec::new() };
        found.push(StoredSlip { chain: chain.clone(), round: from_sql(row.get(0)?)?, bytes: slip });
    }
    Ok(found)
}

fn put(connection: &mut Connection, chain: &str, position: i64, state: Hash, bytes: &[u8]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute("DELETE FROM parts WHERE chain = ?1 AND position = ?2", params![chain, position])?;
    {
        let mut insert =
            transaction.prepare_cached("INSERT INTO parts (chain, position, part, bytes) VALUES (?1, ?2, ?3, ?4)")?;
        for (part, bytes) in (0_i64..).zip(bytes.chunks(SNAPSHOT_PART_BYTES)) {
            insert.execute(params![chain, position, part, bytes])?;
        }
    }
    let length = i64::try_from(bytes.len()).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction.execute(
        "INSERT OR REPLACE INTO snapshots (chain, position, state, length) VALUES (?1, ?2, ?3, ?4)",
        params![chain, position, state.as_bytes(), length],
    )?;
    let kept = i64::try_from(MAX_SNAPSHOTS_PER_CHAIN)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    transaction.execute(
        "DELETE FROM snapshots WHERE chain = ?1 AND position NOT IN
             (SELECT position FROM snapshots WHERE chain = ?1 ORDER BY position DESC LIMIT ?2)",
        params![chain, kept],
    )?;
    transaction.execute(
        "DELETE FROM parts WHERE chain = ?1 AND position NOT IN (SELECT position FROM snapshots WHERE chain = ?1)",
        params![chain],
    )?;
    transaction.commit()
}

fn list(connection: &Connection, chain: &str) -> Result<Vec<StoredSnapshot>, Cause> {
    let mut select = connection
        .prepare_cached("SELECT position, state, length FROM snapshots WHERE chain = ?1 ORDER BY position DESC")?;
    let mut rows = select.query(params![chain])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (position, length): (i64, i64) = (row.get(0)?, row.get(2)?);
        let state = row.get_ref(1)?.as_blob()?.try_into();
        let bad = || format!("chain {chain}: what the store says of the snapshot at {position} cannot be");
        let (Ok(at), Ok(length), Ok(state)) = (position.try_into(), length.try_into(), state) else {
            return Err(bad().into());
        };
        found.push(StoredSnapshot { position: at, state: Hash::from_bytes(state), length });
    }
    Ok(found)
}

/// Nothing unless all parts are there and make up the length that was written down.
fn get(connection: &Connection, chain: &str, position: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut sizes = connection.prepare_cached(
        "SELECT length, (SELECT total(length(bytes)) FROM parts p WHERE p.chain = s.chain AND p.position = s.position)
                = length FROM snapshots s WHERE chain = ?1 AND position = ?2",
    )?;
    let mut rows = sizes.query(params![chain, position])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (length, whole): (i64, bool) = (row.get(0)?, row.get(1)?);
    let Some(length) = usize::try_from(length).ok().filter(|_| whole) else { return Ok(None) };
    let mut bytes = Vec::with_capacity(length);
    let mut select =
        connection.prepare_cached("SELECT bytes FROM parts WHERE chain = ?1 AND position = ?2 ORDER BY part")?;
    let mut rows = select.query(params![chain, position])?;
    while let Some(row) = rows.next()? {
        bytes.extend_from_slice(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?);
    }
    Ok(Some(bytes))
}
