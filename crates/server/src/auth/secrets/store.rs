//! Where secrets are stored: in a file of the data folder that only its owner may read, or in a schema of the record's database.
//! Both take the same SQL; all differences are here.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use postgres::types::{ToSql, Type};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use taisai_journal::{PostgresError, PostgresSession};
use taisai_record::Address;

use super::{Expected, SecretsError};

const FILE_NAME: &str = "secrets.db";

const SCHEMA: &str = "taisai_secrets";

const LAYOUT_VERSION: i64 = 1;

/// For a locked file, or a database.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) enum SecretStore {
    Sqlite(PathBuf, Connection),
    Postgres(PostgresSession),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SecretValue {
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

pub(super) struct Row(Vec<SecretValue>);

impl SecretStore {
    /// Creates nothing where secrets must exist, so that a backup can still be restored there.
    pub(super) fn open(address: &Address, expected: Expected) -> Result<Self, SecretsError> {
        let place = match address {
            Address::Folder(folder) => folder.join(FILE_NAME).display().to_string(),
            Address::Postgres(_) => format!("the schema {SCHEMA} of {address}"),
        };
        let missing = || SecretsError::Missing { place: place.clone() };
        let may_make = expected != Expected::There;
        let opened = match address {
            Address::Folder(folder) => open_file(folder.join(FILE_NAME), may_make)?,
            Address::Postgres(address) => open_schema(address, may_make)?,
        };
        let mut store = opened.ok_or_else(missing)?;
        // An installation that has started once has a key.
        match (expected, store.rows("SELECT name FROM keys", &[])?.is_empty()) {
            (Expected::There, true) => return Err(missing()),
            (Expected::Lost, false) => return Err(SecretsError::NotMissing { place }),
            (Expected::There, false) | (Expected::Lost, true) | (Expected::Either, _) => {}
        }
        let layout = store.rows("SELECT number FROM layout", &[])?;
        let layout = layout.first().ok_or(SecretsError::Damaged("they have no layout"))?.number(0)?;
        if layout == LAYOUT_VERSION { Ok(store) } else { Err(SecretsError::OtherLayout(layout)) }
    }

    /// Whether the database warned since the last call: then it is unknown whether a change is durable.
    pub(super) fn has_warned(&self) -> bool {
        match self {
            Self::Sqlite(..) => false,
            Self::Postgres(session) => session.has_warned(),
        }
    }

    /// Runs a statement and returns how many rows it changed. They are durable, unless the store has warned.
    pub(super) fn change(&mut self, sql: &str, values: &[SecretValue]) -> Result<u64, SecretsError> {
        match self {
            Self::Sqlite(file, connection) => {
                let changed = connection.prepare_cached(sql).and_then(|mut s| s.execute(params_from_iter(values)));
                let changed = changed.map_err(|source| SecretsError::Sqlite { file: file.clone(), source })?;
                u64::try_from(changed).map_err(|_| SecretsError::Damaged("too many rows"))
            }
            Self::Postgres(session) => Ok(session.execute(sql, &parameters(values))?),
        }
    }

    pub(super) fn rows(&mut self, sql: &str, values: &[SecretValue]) -> Result<Vec<Row>, SecretsError> {
        match self {
            Self::Sqlite(file, connection) => rows_of_file(connection, sql, values)
                .map_err(|source| SecretsError::Sqlite { file: file.clone(), source }),
            Self::Postgres(session) => session.query(sql, &parameters(values))?.iter().map(Row::of_server).collect(),
        }
    }
}

/// The tables, with the store's types for 64-bit numbers and bytes.
fn tables(number: &str, bytes: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS layout (number {number} NOT NULL);
         INSERT INTO layout SELECT {LAYOUT_VERSION} WHERE NOT EXISTS (SELECT 1 FROM layout);
         CREATE TABLE IF NOT EXISTS passwords (
             person {number} PRIMARY KEY, hash TEXT NOT NULL, is_one_time {number} NOT NULL, changed {number} NOT NULL);
         CREATE TABLE IF NOT EXISTS sign_ins (
             source {number} PRIMARY KEY, token {bytes} NOT NULL UNIQUE, person {number} NOT NULL,
             begun {number} NOT NULL, used {number} NOT NULL, asked {number} NOT NULL);
         CREATE TABLE IF NOT EXISTS further_sources (further {number} PRIMARY KEY, source {number} NOT NULL);
         CREATE TABLE IF NOT EXISTS devices (
             device {number} PRIMARY KEY, key {bytes} NOT NULL, source {number} NOT NULL);
         CREATE TABLE IF NOT EXISTS codes (
             device {number} PRIMARY KEY, code {bytes} NOT NULL UNIQUE, expires {number} NOT NULL);
         CREATE TABLE IF NOT EXISTS keys (name TEXT PRIMARY KEY, key {bytes} NOT NULL);"
    )
}

/// Only the owner may read the file before anything is in it; `SQLite` gives its side files the same mode.
fn open_file(file: PathBuf, may_make: bool) -> Result<Option<SecretStore>, SecretsError> {
    if !may_make && !file.exists() {
        return Ok(None);
    }
    let unusable = |source| SecretsError::File { file: file.clone(), source };
    let private = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&file);
    let private = private.map_err(unusable)?;
    if private.metadata().map_err(unusable)?.permissions().mode() & 0o077 != 0 {
        return Err(SecretsError::Exposed { file });
    }
    let opened = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&file, flags)?;
        connection.busy_timeout(LOCK_TIMEOUT)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "full")?;
        // Overwrite what is deleted.
        connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
        connection.execute_batch(&format!("BEGIN IMMEDIATE; {} COMMIT;", tables("INTEGER", "BLOB")))?;
        Ok(connection)
    };
    let connection = opened().map_err(|source| SecretsError::Sqlite { file: file.clone(), source })?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(unusable)?;
    Ok(Some(SecretStore::Sqlite(file, connection)))
}

fn open_schema(address: &str, may_make: bool) -> Result<Option<SecretStore>, SecretsError> {
    let session = PostgresSession::open(address, "taisai secrets", LOCK_TIMEOUT)?;
    session.batch(&format!("SET client_min_messages = warning; SET search_path = {SCHEMA}"))?;
    if !may_make && session.query("SELECT 1 WHERE to_regclass('keys') IS NOT NULL", &[])?.is_empty() {
        return Ok(None);
    }
    session.transaction(|session| -> Result<(), PostgresError> {
        session.execute(&format!("SELECT pg_advisory_xact_lock(hashtext('{SCHEMA}'))"), &[])?;
        session.batch(&format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))?;
        session.batch(&tables("BIGINT", "BYTEA"))
    })?;
    if session.has_warned() {
        return Err(SecretsError::Warned);
    }
    Ok(Some(SecretStore::Postgres(session)))
}

fn parameters(values: &[SecretValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(SecretValue::parameter).collect()
}

fn rows_of_file(connection: &Connection, sql: &str, values: &[SecretValue]) -> rusqlite::Result<Vec<Row>> {
    let mut select = connection.prepare_cached(sql)?;
    let columns = select.column_count();
    let read = |row: &rusqlite::Row<'_>| {
        let value = |place| {
            Ok(match row.get_ref(place)? {
                ValueRef::Text(_) => SecretValue::Text(row.get(place)?),
                ValueRef::Blob(bytes) => SecretValue::Bytes(bytes.to_owned()),
                ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Null => SecretValue::Number(row.get(place)?),
            })
        };
        (0..columns).map(value).collect::<rusqlite::Result<_>>().map(Row)
    };
    select.query_map(params_from_iter(values), read)?.collect()
}

impl Row {
    fn of_server(row: &postgres::Row) -> Result<Self, SecretsError> {
        let value = |(place, column): (usize, &postgres::Column)| {
            Ok(match *column.type_() {
                Type::TEXT => SecretValue::Text(row.try_get(place)?),
                Type::BYTEA => SecretValue::Bytes(row.try_get(place)?),
                _ => SecretValue::Number(row.try_get(place)?),
            })
        };
        let values: Result<_, PostgresError> = row.columns().iter().enumerate().map(value).collect();
        Ok(Self(values?))
    }

    fn number(&self, place: usize) -> Result<i64, SecretsError> {
        match self.0.get(place) {
            Some(SecretValue::Number(number)) => Ok(*number),
            Some(SecretValue::Text(_) | SecretValue::Bytes(_)) | None => {
                Err(SecretsError::Damaged("a number is missing"))
            }
        }
    }

    pub(super) fn get<T: TryFrom<i64>>(&self, place: usize) -> Result<T, SecretsError> {
        T::try_from(self.number(place)?).map_err(|_| SecretsError::Damaged("a number is out of its range"))
    }

    pub(super) fn text(&self, place: usize) -> Result<String, SecretsError> {
        match self.0.get(place) {
            Some(SecretValue::Text(text)) => Ok(text.clone()),
            Some(SecretValue::Number(_) | SecretValue::Bytes(_)) | None => {
                Err(SecretsError::Damaged("a text is missing"))
            }
        }
    }

    pub(super) fn bytes(&self, place: usize) -> Result<[u8; 32], SecretsError> {
        let bytes = match self.0.get(place) {
            Some(SecretValue::Bytes(bytes)) => bytes.as_slice().try_into().ok(),
            Some(SecretValue::Number(_) | SecretValue::Text(_)) | None => None,
        };
        bytes.ok_or(SecretsError::Damaged("32 bytes are missing"))
    }
}

impl SecretValue {
    fn parameter(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Number(number) => number,
            Self::Text(text) => text,
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl rusqlite::ToSql for SecretValue {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        let value = match self {
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        };
        Ok(rusqlite::types::ToSqlOutput::Borrowed(value))
    }
}

impl From<u64> for SecretValue {
    /// # Panics
    /// If the number is 2^63 or more, which no time and no source is.
    fn from(number: u64) -> Self {
        Self::Number(number.try_into().expect("times and sources are below 2^63"))
    }
}

impl From<u32> for SecretValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for SecretValue {
    fn from(is_so: bool) -> Self {
        Self::Number(is_so.into())
    }
}

impl From<&str> for SecretValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<[u8; 32]> for SecretValue {
    fn from(bytes: [u8; 32]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}
