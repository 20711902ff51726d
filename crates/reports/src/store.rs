//! Where the reporting tables are: a second file beside a store in a folder, or a schema of their own in its database.
//! Both run the same SQL; the few differences are all here.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, InterruptHandle, OpenFlags, TransactionBehavior, ffi, params_from_iter};
use taisai_journal::{PostgresError, PostgresSession, SqliteError, open_sqlite_to_read};
use tokio_postgres::types::{ToSql, Type};

use super::batch::SqlBatch;
use super::tables::{ColumnKind, REPORT_TABLES, ReportTable};
use super::value::SqlValue;
use taisai_record::Address;

/// The file of the reporting tables in a data folder.
pub const REPORTS_FILE: &str = "reports.db";

/// The layout of the tables; others are built again.
const LAYOUT: i64 = 2;

/// How long one program waits for another that writes.
const BUSY: Duration = Duration::from_secs(30);

/// How long a server may take for one statement: a query may cover years.
const PATIENCE: Duration = Duration::from_mins(30);

/// Why the reporting tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// `SQLite` failed.
    #[error("the reporting tables in {file} cannot be used")]
    Sqlite { file: PathBuf, source: rusqlite::Error },
    /// A broken file cannot be replaced.
    #[error("{file} is broken and cannot be removed")]
    Remove { file: PathBuf, source: io::Error },
    /// The file is write-protected and cannot be read that way.
    #[error(transparent)]
    Protected(#[from] SqliteError),
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// Another version of the program made them.
    #[error("the reporting tables have layout {found}, and this program makes layout {LAYOUT}: build them again")]
    OtherLayout { found: i64 },
    /// Another program has moved the projection on.
    #[error("another program projects chain {0} too")]
    Moved(String),
    /// The query was interrupted.
    #[error("the question was stopped")]
    Stopped,
}

/// Indexes for frequent look-ups by other columns than the key. Missing ones are created, so that tables of an earlier
/// program get them too.
const INDEXES: [(&str, &str); 4] = [
    ("events_by_time", "events (happened_at, chain, position, line, number)"),
    ("rounds_by_time", "rounds (table_number, opened_at)"),
    ("seats_by_session", "ledger_entries (table_number, cluster, session) WHERE account = 'seat'"),
    ("sessions_by_seat", "sessions (table_number, cluster, seat, session)"),
];

/// The tables' store.
pub(super) enum Tables {
    Sqlite(PathBuf, Connection),
    Postgres(PostgresSession),
}

/// How far a chain is projected, before and after a batch.
pub(super) struct ChainAdvance {
    pub(super) chain: String,
    pub(super) before: u64,
    pub(super) next: u64,
    pub(super) hash: String,
}

/// The rows of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryResult {
    /// The names of the columns.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<SqlValue>>,
}

impl Tables {
    /// Opens or creates the tables.
    pub(super) fn open(address: &Address) -> Result<Self, TablesError> {
        let mut tables = Self::connect(address)?;
        if tables.layout().is_none() {
            tables.create(false)?;
        }
        match tables.layout() {
            Some(LAYOUT) => {
                tables.index()?;
                Ok(tables)
            }
            found => Err(TablesError::OtherLayout { found: found.unwrap_or(0) }),
        }
    }

    /// The layout of the tables, if there are any.
    fn layout(&mut self) -> Option<i64> {
        self.query("SELECT number FROM layout", &[]).ok()?.rows.first()?.first()?.number()
    }

    /// Drops the tables and creates them again. A broken file is replaced: all that it held is built again from the record.
    pub(super) fn anew(address: &Address) -> Result<Self, TablesError> {
        match Self::try_anew(address) {
            Err(TablesError::Sqlite { file, source }) if is_broken(&source) => {
                remove(&file).map_err(|source| TablesError::Remove { file, source })?;
                Self::try_anew(address)
            }
            done => done,
        }
    }

    fn try_anew(address: &Address) -> Result<Self, TablesError> {
        let mut tables = Self::connect(address)?;
        tables.check_pages()?;
        tables.create(true)?;
        tables.index()?;
        Ok(tables)
    }

    /// Looks for damage in a file. A server looks after its own.
    fn check_pages(&mut self) -> Result<(), TablesError> {
        let Self::Sqlite(file, connection) = self else { return Ok(()) };
        let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        let found = found.and_then(|found| match found.as_str() {
            "ok" => Ok(()),
            _ => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(found))),
        });
        found.map_err(|source| TablesError::Sqlite { file: file.clone(), source })
    }

    /// Creates missing indexes. A user who may only read does without.
    fn index(&mut self) -> Result<(), TablesError> {
        match self {
            Self::Sqlite(file, connection) => {
                let statements = INDEXES.map(|(name, on)| format!("CREATE INDEX IF NOT EXISTS {name} ON {on}"));
                match connection.execute_batch(&statements.join(";\n")) {
                    Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => Ok(()),
                    made => made.map_err(|source| TablesError::Sqlite { file: file.clone(), source }),
                }
            }
            Self::Postgres(session) => {
                let known = "SELECT indexname::text FROM pg_indexes WHERE schemaname = 'reports'";
                let known = query_postgres(session, known, &[])?.rows;
                let is_missing = |name: &str| known.iter().all(|row| row[0].text() != Some(name));
                for (name, on) in INDEXES.iter().filter(|(name, _)| is_missing(name)) {
                    session.batch(&format!("CREATE INDEX IF NOT EXISTS {name} ON {on}"))?;
                }
                Ok(())
            }
        }
    }

    /// Changes the timeout of a statement on a database server.
    pub(super) fn set_timeout(&mut self, timeout: Duration) -> Result<(), TablesError> {
        match self {
            Self::Sqlite(..) => Ok(()),
            Self::Postgres(session) => Ok(session.set_timeout(timeout)?),
        }
    }

    /// Interrupts a running statement of `SQLite`.
    pub(super) fn interrupt_handle(&self) -> Option<InterruptHandle> {
        match self {
            Self::Sqlite(_, connection) => Some(connection.get_interrupt_handle()),
            Self::Postgres(_) => None,
        }
    }

    fn connect(address: &Address) -> Result<Self, TablesError> {
        match address {
            Address::Folder(folder) => Self::open_file(&folder.join(REPORTS_FILE)),
            Address::Postgres(address) => {
                let session = PostgresSession::open(address, "taisai reports", PATIENCE)?;
                // Rows that a crash of the server loses are projected again.
                session.batch(
                    "SET synchronous_commit = off; SET client_min_messages = warning; SET search_path = reports",
                )?;
                Ok(Self::Postgres(session))
            }
        }
    }

    fn open_file(file: &Path) -> Result<Self, TablesError> {
        let opened = || -> rusqlite::Result<Connection> {
            let flags =
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(file, flags)?;
            connection.busy_timeout(BUSY)?;
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.pragma_update(None, "cache_size", -65_536)?;
            connection.set_prepared_statement_cache_capacity(64);
            Ok(connection)
        };
        let connection = match opened() {
            // A user who may only read takes them as they are.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => open_sqlite_to_read(file)?,
            opened => opened.map_err(|source| TablesError::Sqlite { file: file.into(), source })?,
        };
        Ok(Self::Sqlite(file.into(), connection))
    }

    fn create(&mut self, anew: bool) -> Result<(), TablesError> {
        // SQLite stores rows in the order of the key only with this clause.
        let ending = match self {
            Self::Sqlite(..) => " WITHOUT ROWID",
            Self::Postgres(_) => "",
        };
        let mut statements = Vec::new();
        if anew {
            statements.extend(REPORT_TABLES.iter().map(|table| format!("DROP TABLE IF EXISTS {}", table.name)));
            statements.push("DROP TABLE IF EXISTS layout".to_owned());
        }
        statements.push("CREATE TABLE IF NOT EXISTS layout (number BIGINT NOT NULL)".to_owned());
        let number = format!("INSERT INTO layout SELECT {LAYOUT} WHERE NOT EXISTS (SELECT 1 FROM layout)");
        statements.push(number);
        statements.extend(REPORT_TABLES.iter().map(|table| format!("{}{ending}", table.create())));
        let statements = statements.join(";\n");
        match self {
            Self::Sqlite(file, connection) => {
                let mut created = || {
                    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                    transaction.execute_batch(&statements)?;
                    transaction.commit()
                };
                created().map_err(|source| TablesError::Sqlite { file: file.clone(), source })
            }
            Self::Postgres(session) => session.transaction(|session| {
                session.execute("SELECT pg_advisory_xact_lock(hashtext('taisai reports'))", &[])?;
                session.batch("CREATE SCHEMA IF NOT EXISTS reports")?;
                Ok(session.batch(&statements)?)
            }),
        }
    }

    /// Writes a batch and moves the chain's position, both or neither.
    pub(super) fn apply(&mut self, batch: &SqlBatch, to: &ChainAdvance) -> Result<(), TablesError> {
        let (time, entries, before) = (batch.time.into(), batch.entries.into(), to.before.into());
        let moved = [to.next.into(), to.hash.clone().into(), time, entries, to.chain.clone().into(), before];
        match self {
            Self::Sqlite(file, connection) => match apply_to_sqlite(connection, batch, &moved) {
                Ok(1) => Ok(()),
                Ok(_) => Err(TablesError::Moved(to.chain.clone())),
                Err(source) => Err(TablesError::Sqlite { file: file.clone(), source }),
            },
            Self::Postgres(session) => {
                session.transaction(|session| match apply_to_postgres(session, batch, &moved)? {
                    1 => Ok(()),
                    _ => Err(TablesError::Moved(to.chain.clone())),
                })
            }
        }
    }

    pub(super) fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<QueryResult, TablesError> {
        match self {
            Self::Sqlite(file, connection) => query_sqlite(connection, sql, values)
                .map_err(|source| TablesError::Sqlite { file: file.clone(), source }),
            Self::Postgres(session) => query_postgres(session, sql, values),
        }
    }
}

fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Removes a file of `SQLite` with what lies beside it.
fn remove(file: &Path) -> io::Result<()> {
    for ending in ["-wal", "-shm", ""] {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// A chain that begins to be projected has a row from then on.
const BEGIN: &str = "INSERT INTO chains (chain, next, hash, projected_at, entries) VALUES ($1, 0, '', 0, 0)
                     ON CONFLICT (chain) DO NOTHING";

const MOVE: &str = "UPDATE chains SET next = $1, hash = $2,
                        projected_at = CASE WHEN CAST($3 AS BIGINT) > projected_at THEN $3 ELSE projected_at END, entries = entries + $4
                    WHERE chain = $5 AND next = $6";

/// Nothing is changed unless the chain is where the batch begins.
fn apply_to_sqlite(connection: &mut Connection, batch: &SqlBatch, moved: &[SqlValue; 6]) -> rusqlite::Result<usize> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.prepare_cached(BEGIN)?.execute([&moved[4]])?;
    let chains = transaction.prepare_cached(MOVE)?.execute(params_from_iter(moved))?;
    if chains != 1 {
        return Ok(chains);
    }
    for (table, values) in batch.rows.values() {
        let places: Vec<_> = (1..=table.columns.len()).map(|place| format!("?{place}")).collect();
        let insert = format!("INSERT INTO {} VALUES ({})", table.name, places.join(", "));
        let mut insert = transaction.prepare_cached(&insert)?;
        for row in values.chunks_exact(table.columns.len()) {
            insert.execute(params_from_iter(row))?;
        }
    }
    for statement in &batch.statements {
        transaction.prepare_cached(statement.sql)?.execute(params_from_iter(&statement.values))?;
    }
    transaction.commit()?;
    Ok(chains)
}

fn apply_to_postgres(session: &PostgresSession, batch: &SqlBatch, moved: &[SqlValue; 6]) -> Result<u64, PostgresError> {
    session.execute(BEGIN, &[&moved[4]])?;
    let chains = session.execute(MOVE, &parameters(moved))?;
    if chains != 1 {
        return Ok(chains);
    }
    for (table, values) in batch.rows.values() {
        let copy = format!("COPY {} FROM STDIN BINARY", table.name);
        session.copy_in(&copy, &types(table), values.chunks_exact(table.columns.len()))?;
    }
    let mut prepared = std::collections::HashMap::new();
    for statement in &batch.statements {
        if !prepared.contains_key(statement.sql) {
            prepared.insert(statement.sql, session.prepare(statement.sql)?);
        }
        session.execute(&prepared[statement.sql], &parameters(&statement.values))?;
    }
    Ok(chains)
}

fn parameters(values: &[SqlValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| -> &(dyn ToSql + Sync) { value }).collect()
}

fn types(table: &ReportTable) -> Vec<Type> {
    let of = |kind| match kind {
        ColumnKind::Number => Type::INT8,
        ColumnKind::Text => Type::TEXT,
    };
    table.columns.iter().map(|column| of(column.kind)).collect()
}

fn query_sqlite(connection: &Connection, sql: &str, values: &[SqlValue]) -> rusqlite::Result<QueryResult> {
    let mut select = connection.prepare(sql)?;
    let columns: Vec<String> = select.column_names().map(ToOwned::to_owned).collect();
    let read = |row: &rusqlite::Row<'_>| {
        (0..columns.len())
            .map(|place| {
                Ok(match row.get_ref(place)? {
                    ValueRef::Null => SqlValue::Empty,
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
                    ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => SqlValue::Number(row.get(place)?),
                })
            })
            .collect()
    };
    let rows = select.query_map(params_from_iter(values), read)?.collect::<rusqlite::Result<_>>()?;
    Ok(QueryResult { columns, rows })
}

fn query_postgres(session: &PostgresSession, sql: &str, values: &[SqlValue]) -> Result<QueryResult, TablesError> {
    let select = session.prepare(sql)?;
    let columns = select.columns().iter().map(|column| column.name().to_owned()).collect();
    let mut rows = Vec::new();
    for row in session.query(&select, &parameters(values))? {
        let value = |place: usize| {
            Ok(match *row.columns()[place].type_() {
                Type::TEXT => row.try_get::<_, Option<String>>(place)?.into(),
                Type::INT4 => row.try_get::<_, Option<i32>>(place)?.map(i64::from).into(),
                _ => row.try_get::<_, Option<i64>>(place)?.into(),
            })
        };
        rows.push((0..row.len()).map(value).collect::<Result<_, PostgresError>>()?);
    }
    Ok(QueryResult { columns, rows })
}
