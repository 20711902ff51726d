//! Reading blocks and slips beside the writer, and snapshots, each cut into parts that a row takes.

use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PostgresError;
use super::server::{SLIPS, ServerIdentity, check, identity, layout};
use super::session::PostgresSession;
use crate::block::MAX_BLOCK_BYTES;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{
    Archive, Cause, ChainHead, MAX_SLIP_BYTES, MAX_SNAPSHOTS_PER_CHAIN, ReadError, SnapshotError, StoredSlip,
    StoredSnapshot, StrayBlock,
};

/// The store on a server, for reading.
#[derive(Debug)]
pub struct PostgresArchive {
    session: PostgresSession,
    has_slips: bool,
}

/// How long one statement may take: it reads or writes a few megabytes.
const STATEMENT_TIMEOUT: Duration = Duration::from_mins(1);

/// The most bytes of a part of a snapshot.
const SNAPSHOT_PART_BYTES: usize = 8 * 1024 * 1024;

/// Goes from chain to chain by the key, and looks only at both ends of each.
const STRAYS: &str = "
    WITH RECURSIVE found (name) AS (
        (SELECT chain FROM taisai_journal.blocks ORDER BY chain LIMIT 1)
        UNION ALL
        SELECT (SELECT chain FROM taisai_journal.blocks WHERE chain > name ORDER BY chain LIMIT 1)
        FROM found WHERE name IS NOT NULL
    ), ends AS (
        SELECT name, (SELECT min(position) FROM taisai_journal.blocks WHERE chain = name) AS first,
               (SELECT max(position) FROM taisai_journal.blocks WHERE chain = name) AS last
        FROM found WHERE name IS NOT NULL
    )
    SELECT e.name, CASE WHEN c.name IS NULL OR e.first < 0 THEN e.first ELSE e.last END
    FROM ends e LEFT JOIN taisai_journal.chains c ON c.name = e.name
    WHERE c.name IS NULL OR e.first < 0 OR e.last >= c.next
    ORDER BY e.name";

/// How many blocks are asked for at once, at most.
const MAX_ROWS_PER_READ: i64 = 4096;

impl PostgresArchive {
    /// Opens the store at an address for reading, beside its writer.
    pub fn open(address: &str) -> Result<Self, PostgresError> {
        let session = PostgresSession::open(address, "taisai", STATEMENT_TIMEOUT)?;
        check(&session)?;
        let has_slips = layout(&session)?.ok_or(PostgresError::Empty)? >= SLIPS;
        Ok(Self { session, has_slips })
    }

    /// Opens the store for reading on this server. On another one it may lack what the writer was acknowledged.
    pub(super) fn open_on(address: &str, server: &ServerIdentity) -> Result<Self, PostgresError> {
        let archive = Self::open(address)?;
        if identity(&archive.session)? == *server { Ok(archive) } else { Err(PostgresError::OtherServer) }
    }

    fn put(&self, chain: &str, position: i64, state: Hash, bytes: &[u8]) -> Result<(), Cause> {
        self.session.transaction(|session| {
            // Nothing rests on a snapshot, so it waits for no standby.
            session.batch("SET LOCAL synchronous_commit = local")?;
            let place: [&(dyn ToSql + Sync); 2] = [&chain, &position];
            session.execute("DELETE FROM taisai_journal.parts WHERE chain = $1 AND position = $2", &place)?;
            let insert = session
                .prepare("INSERT INTO taisai_journal.parts (chain, position, part, bytes) VALUES ($1, $2, $3, $4)")?;
            for (part, bytes) in (0_i32..).zip(bytes.chunks(SNAPSHOT_PART_BYTES)) {
                session.execute(&insert, &[&chain, &position, &part, &bytes])?;
            }
            session.execute(
                "INSERT INTO taisai_journal.snapshots (chain, position, state, length) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (chain, position) DO UPDATE SET state = excluded.state, length = excluded.length",
                &[&chain, &position, &&state.as_bytes()[..], &i64::try_from(bytes.len())?],
            )?;
            session.execute(
                "DELETE FROM taisai_journal.snapshots WHERE chain = $1 AND position NOT IN
                     (SELECT position FROM taisai_journal.snapshots WHERE chain = $1 ORDER BY position DESC LIMIT $2)",
                &[&chain, &i64::try_from(MAX_SNAPSHOTS_PER_CHAIN)?],
            )?;
            session.execute(
                "DELETE FROM taisai_journal.parts WHERE chain = $1 AND position NOT IN
                     (SELECT position FROM taisai_journal.snapshots WHERE chain = $1)",
                &[&chain],
            )?;
            Ok(())
        })
    }

    fn list_slips(&self, chain: &ChainName, from: i64, (most, bytes): (u16, usize)) -> Result<Vec<StoredSlip>, Cause> {
        // The lengths decide which slips are sent.
        let rows = self.session.query(
            "SELECT s.round, CASE WHEN length(s.bytes) <= $5 THEN s.bytes ELSE '' END
             FROM (SELECT round, row_number() OVER rounds AS number,
                          sum(CASE WHEN length(bytes) <= $5 THEN length(bytes) ELSE 0 END) OVER rounds AS total
                   FROM (SELECT round, bytes FROM taisai_journal.slips
                         WHERE chain = $1 AND round >= $2 ORDER BY round LIMIT $4) next
                   WINDOW rounds AS (ORDER BY round)) sizes
             JOIN taisai_journal.slips s ON s.chain = $1 AND s.round = sizes.round
             WHERE sizes.total <= $3 OR sizes.number = 1
             ORDER BY s.round",
            &[
                &chain.as_str(),
                &from,
                &i64::try_from(bytes).unwrap_or(i64::MAX),
                &i64::from(most),
                &i32::try_from(MAX_SLIP_BYTES)?,
            ],
        )?;
        let slip = |row: &Row| {
            let round = row.try_get::<_, i64>(0)?.try_into()?;
            Ok(StoredSlip { chain: chain.clone(), round, bytes: row.try_get(1)? })
        };
        rows.iter().map(slip).collect()
    }

    fn list(&self, chain: &str) -> Result<Vec<StoredSnapshot>, Cause> {
        let rows = self.session.query(
            "SELECT position, state, length FROM taisai_journal.snapshots WHERE chain = $1 ORDER BY position DESC",
            &[&chain],
        )?;
        let snapshot = |row: &Row| {
            let (position, length): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
            let state = row.try_get::<_, &[u8]>(1)?.try_into()?;
            Ok(StoredSnapshot {
                position: position.try_into()?,
                state: Hash::from_bytes(state),
                length: length.try_into()?,
            })
        };
        rows.iter().map(snapshot).collect()
    }

    /// Nothing unless all parts are there and make up the length that was written down.
    fn get(&self, chain: &str, position: i64) -> Result<Option<Vec<u8>>, Cause> {
        let whole = self.session.query_opt(
            "SELECT s.length FROM taisai_journal.snapshots s
             WHERE s.chain = $1 AND s.position = $2 AND s.length =
                 (SELECT coalesce(sum(length(p.bytes)), 0) FROM taisai_journal.parts p
                  WHERE p.chain = s.chain AND p.position = s.position)",
            &[&chain, &position],
        )?;
        let Some(row) = whole else { return Ok(None) };
        let mut bytes = Vec::with_capacity(row.try_get::<_, i64>(0)?.try_into()?);
        let select = self
            .session
            .prepare("SELECT bytes FROM taisai_journal.parts WHERE chain = $1 AND position = $2 AND part = $3")?;
        for part in 0_i32.. {
            match self.session.query_opt(&select, &[&chain, &position, &part])? {
                Some(row) => bytes.extend_from_slice(row.try_get(0)?),
                None => break,
            }
        }
        Ok(Some(bytes))
    }

    fn blocks(&self, chain: &str, from: i64, bytes: usize) -> Result<Vec<Row>, Cause> {
        // The lengths decide which blocks are sent, so that something huge in the place of a block never is.
        let rows = self.session.query(
            "SELECT b.position, CASE WHEN length(b.block) <= $5 THEN b.block END
             FROM (SELECT position, sum(length(block)) OVER (ORDER BY position) AS total
                   FROM (SELECT position, block FROM taisai_journal.blocks
                         WHERE chain = $1 AND position >= $2 ORDER BY position LIMIT $4) next) sizes
             JOIN taisai_journal.blocks b ON b.chain = $1 AND b.position = sizes.position
             WHERE sizes.total <= $3
                OR sizes.position = (SELECT min(position) FROM taisai_journal.blocks
                                     WHERE chain = $1 AND position >= $2)
             ORDER BY b.position",
            &[
                &chain,
                &from,
                &i64::try_from(bytes).unwrap_or(i64::MAX),
                &MAX_ROWS_PER_READ,
                &i32::try_from(MAX_BLOCK_BYTES)?,
            ],
        )?;
        Ok(rows)
    }
}

impl Archive for PostgresArchive {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        let rows = self.session.query("SELECT name, epoch, next, hash FROM taisai_journal.chains ORDER BY name", &[]);
        let rows = rows.map_err(|error| ReadError::Failed(error.into()))?;
        rows.iter().map(stored_head).collect()
    }

    fn strays(&mut self) -> Result<Vec<StrayBlock>, ReadError> {
        let rows = self.session.query(STRAYS, &[]).map_err(|error| ReadError::Failed(error.into()))?;
        let stray = |row: &Row| Ok(StrayBlock { chain: row.try_get(0)?, position: row.try_get(1)? });
        rows.iter()
            .map(|row| stray(row).map_err(|error: tokio_postgres::Error| ReadError::Failed(error.into())))
            .collect()
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let Ok(from) = i64::try_from(from) else { return Ok(Vec::new()) };
        let rows = self.blocks(chain.as_str(), from, bytes).map_err(ReadError::Failed)?;
        let block = |row: &Row| {
            let position = row.try_get(0).map_err(|error| ReadError::Failed(error.into()))?;
            let block: Option<Vec<u8>> = row.try_get(1).map_err(|error| ReadError::Failed(error.into()))?;
            block.ok_or_else(|| ReadError::Damaged { chain: chain.to_string(), position })
        };
        rows.iter().map(block).collect()
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        let (true, Ok(from)) = (self.has_slips, i64::try_from(from)) else { return Ok(Vec::new()) };
        self.list_slips(chain, from, (most, bytes)).map_err(ReadError::Failed)
    }

    fn put_snapshot(
        &mut self,
        chain: &ChainName,
        position: u64,
        state: Hash,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        self.put(chain.as_str(), as_sql(position), state, bytes).map_err(SnapshotError::Failed)
    }

    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        self.list(chain.as_str()).map_err(SnapshotError::Failed)
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        let found = i64::try_from(position).map_or(Ok(None), |position| self.get(chain.as_str(), position));
        found.map_err(SnapshotError::Failed)?.ok_or_else(|| SnapshotError::Missing { chain: chain.clone(), position })
    }
}

/// A position or epoch, as the database has it.
///
/// # Panics
/// If it is larger than any block's, which the format refuses.
pub(super) fn as_sql(number: u64) -> i64 {
    number.try_into().expect("the numbers of a block are below 2^63")
}

/// Name, epoch, next and hash.
pub(super) fn head_in_row(row: &Row) -> Result<ChainHead, Cause> {
    Ok(stored_head(row)?)
}

fn stored_head(row: &Row) -> Result<ChainHead, ReadError> {
    let failed = |error: tokio_postgres::Error| ReadError::Failed(error.into());
    let (epoch, next) = (row.try_get(1).map_err(failed)?, row.try_get(2).map_err(failed)?);
    ChainHead::of_store(row.try_get(0).map_err(failed)?, epoch, next, row.try_get(3).map_err(failed)?)
}
