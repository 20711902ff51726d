//! Where secrets are stored: in a file of the data folder that only its owner may read, or in a schema of the record's database.
//! Both take the same SQL; all differences are here.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use postgres::types::{ToSql, Type};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use taisai_journal::{Keys, PostgresError, PostgresSession, open_sqlite_to_read};
use taisai_record::Address;
use taisai_table::SecretOwner;

use super::authentic::{RefusedSecrets, RowKey};
use super::{Expected, SecretsError};

const FILE_NAME: &str = "secrets.db";

const SCHEMA: &str = "taisai_secrets";

const LAYOUT_VERSION: i64 = 2;

/// Keys lay among the secrets, and rows were not authenticated.
const LAYOUT_WITH_KEYS: i64 = 1;

/// Shows that the secrets were taken into use, with the keys of this installation.
pub(super) const IN_USE: &str = "in_use";

/// For a locked file, or a database.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct SecretStore {
    connection: SecretDatabase,
    key: RowKey,
    refused: Arc<RefusedSecrets>,
}

pub(super) enum SecretDatabase {
    Sqlite(PathBuf, Connection),
    Postgres(PostgresSession),
}

/// The keys that lie in a store, as programs before 0.2 had them.
pub(super) enum StoredKeys {
    /// They were moved into a key file.
    Moved,
    Here {
        voucher: Option<[u8; 32]>,
        nodes: Option<[u8; 32]>,
    },
    /// There are no secrets.
    None,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SecretValue {
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

pub(super) struct Row(Vec<SecretValue>);

impl SecretStore {
    /// Creates nothing where secrets must exist, so that a backup can still be restored there. Secrets of an older layout are
    /// taken over once, before the record knows the keys.
    pub(super) fn open(
        address: &Address,
        keys: &Keys,
        (expected, may_move): (Expected, bool),
        refused: &Arc<RefusedSecrets>,
    ) -> Result<Self, SecretsError> {
        let place = Self::place(address);
        let missing = || SecretsError::Missing { place: place.clone() };
        let connection = SecretDatabase::open(address, expected != Expected::There)?.ok_or_else(missing)?;
        let mut store = Self { connection, key: Self::row_key(keys), refused: Arc::clone(refused) };
        match store.connection.layout()? {
            LAYOUT_VERSION => {}
            LAYOUT_WITH_KEYS if may_move => store.take_over(keys, &place)?,
            LAYOUT_WITH_KEYS => return Err(SecretsError::Restored { place }),
            layout => return Err(SecretsError::OtherLayout(layout)),
        }
        let is_in_use = !store.connection.marks()?.is_empty();
        if !store.connection.is_marked_with(&store.key)? {
            return Err(SecretsError::OtherKeys { place });
        }
        match (expected, is_in_use) {
            (Expected::There, false) => Err(missing()),
            (Expected::Lost, true) => Err(SecretsError::NotMissing { place }),
            (Expected::There, true) | (Expected::Lost, false) | (Expected::Either, _) => Ok(store),
        }
    }

    /// Where the secrets of a record are, in words.
    pub(super) fn place(address: &Address) -> String {
        match address {
            Address::Folder(folder) => folder.join(FILE_NAME).display().to_string(),
            Address::Postgres(_) => format!("the schema {SCHEMA} of {address}"),
        }
    }

    pub(super) fn row_key(keys: &Keys) -> RowKey {
        RowKey::new(&keys.secrets)
    }

    /// The keys that lie in a store. Changes nothing.
    pub(super) fn stored_keys(address: &Address) -> Result<StoredKeys, SecretsError> {
        let Some(mut connection) = SecretDatabase::open_to_read(address)? else { return Ok(StoredKeys::None) };
        if !connection.has_keys()? {
            return Ok(StoredKeys::Moved);
        }
        let voucher = connection.stored_key("voucher")?;
        Ok(StoredKeys::Here { voucher, nodes: connection.stored_key("node")? })
    }

    /// Takes the keys out of the store, and authenticates what is in it.
    fn take_over(&mut self, keys: &Keys, place: &str) -> Result<(), SecretsError> {
        let (voucher, nodes) = (self.connection.stored_key("voucher")?, self.connection.stored_key("node")?);
        let is_other = |stored: Option<[u8; 32]>, own| stored.is_some_and(|stored| stored != own);
        if is_other(voucher, keys.voucher) || is_other(nodes, keys.nodes) {
            return Err(SecretsError::OtherKeys { place: place.to_owned() });
        }
        self.connection.begin()?;
        for (table, columns, owner) in [
            ("passwords", "person, hash, is_one_time, changed, version", "person"),
            ("devices", "device, key, source, version", "device"),
            ("codes", "device, code, expires, version", "device"),
            ("sign_ins", "source, token, person, begun, used, asked", "source"),
            ("further_sources", "further, source", "further"),
        ] {
            self.connection.add_authentication(table, columns.contains("version"))?;
            for row in self.connection.rows(&format!("SELECT {columns} FROM {table}"), &[])? {
                let update = format!("UPDATE {table} SET mac = $1 WHERE {owner} = $2");
                let hash = self.key.hash(table, &row.0);
                self.connection.change(&update, &[hash.into(), row.0[0].clone()])?;
            }
        }
        if voucher.is_some() || nodes.is_some() {
            self.take_into_use()?;
        }
        self.connection.change("DROP TABLE keys", &[])?;
        self.connection.change("UPDATE layout SET number = $1", &[SecretValue::Number(LAYOUT_VERSION)])?;
        self.connection.commit()?;
        if self.has_warned() {
            return Err(SecretsError::Warned);
        }
        tracing::warn!(place, "the keys were taken out of the store, and what is in it is authenticated from now on");
        Ok(())
    }

    /// The secrets must exist from now on.
    pub(super) fn take_into_use(&mut self) -> Result<(), SecretsError> {
        let mark = self.key.hash(IN_USE, &[]);
        if self.connection.marks()?.is_empty() {
            self.connection.change("INSERT INTO in_use (mark) VALUES ($1)", &[mark.into()])?;
        }
        Ok(())
    }

    /// Whether the database warned since the last call: then it is unknown whether a change is durable.
    pub(super) fn has_warned(&self) -> bool {
        match &self.connection {
            SecretDatabase::Sqlite(..) => false,
            SecretDatabase::Postgres(session) => session.has_warned(),
        }
    }

    /// Runs a statement that writes no row and returns how many it changed. That is durable, unless the store has warned.
    pub(super) fn change(&mut self, sql: &str, values: &[SecretValue]) -> Result<u64, SecretsError> {
        self.connection.change(sql, values)
    }

    /// Writes a row of these values; the last parameter of the statement is their authentication.
    pub(super) fn change_authentic(
        &mut self,
        table: &str,
        sql: &str,
        mut values: Vec<SecretValue>,
    ) -> Result<u64, SecretsError> {
        values.push(self.key.hash(table, &values).into());
        self.connection.change(sql, &values)
    }

    pub(super) fn rows(&mut self, sql: &str, values: &[SecretValue]) -> Result<Vec<Row>, SecretsError> {
        self.connection.rows(sql, values)
    }

    /// The rows that this installation wrote, with all columns in their order and the authentication last. Others count as missing,
    /// and are reported.
    pub(super) fn authentic_rows(
        &mut self,
        table: &str,
        sql: &str,
        values: &[SecretValue],
        owner: impl Fn(&Row) -> Result<SecretOwner, SecretsError>,
    ) -> Result<Vec<Row>, SecretsError> {
        let mut authentic = Vec::new();
        for row in self.connection.rows(sql, values)? {
            if self.key.is_right(table, &row.0) {
                authentic.push(row);
            } else {
                self.refused.add(owner(&row)?);
            }
        }
        Ok(authentic)
    }
}

impl SecretDatabase {
    pub(super) fn open(address: &Address, may_make: bool) -> Result<Option<Self>, SecretsError> {
        match address {
            Address::Folder(folder) => open_file(folder.join(FILE_NAME), may_make),
            Address::Postgres(address) => open_schema(address, may_make),
        }
    }

    /// Makes and changes nothing.
    pub(super) fn open_to_read(address: &Address) -> Result<Option<Self>, SecretsError> {
        match address {
            Address::Folder(folder) => {
                let file = folder.join(FILE_NAME);
                if !file.exists() {
                    return Ok(None);
                }
                let connection = open_sqlite_to_read(&file).map_err(SecretsError::Read)?;
                let mut store = Self::Sqlite(file, connection);
                let layout = store.rows("SELECT 1 FROM sqlite_master WHERE name = 'layout'", &[])?;
                Ok((!layout.is_empty()).then_some(store))
            }
            Address::Postgres(address) => {
                let session = PostgresSession::open(address, "taisai secrets", LOCK_TIMEOUT)?;
                session.batch(&format!("SET client_min_messages = warning; SET search_path = {SCHEMA}"))?;
                let is_missing = session.query("SELECT 1 WHERE to_regclass('layout') IS NOT NULL", &[])?.is_empty();
                Ok((!is_missing).then_some(Self::Postgres(session)))
            }
        }
    }

    fn layout(&mut self) -> Result<i64, SecretsError> {
        let layout = self.rows("SELECT number FROM layout", &[])?;
        layout.first().ok_or(SecretsError::Damaged("they have no layout"))?.number(0)
    }

    /// Whether keys lie in it.
    pub(super) fn has_keys(&mut self) -> Result<bool, SecretsError> {
        Ok(self.layout()? == LAYOUT_WITH_KEYS)
    }

    /// What shows that it is in use, and with which keys.
    fn marks(&mut self) -> Result<Vec<Row>, SecretsError> {
        self.rows("SELECT mark FROM in_use", &[])
    }

    /// Whether it is in use with these keys, or not yet in use.
    pub(super) fn is_marked_with(&mut self, key: &RowKey) -> Result<bool, SecretsError> {
        let mark = key.hash(IN_USE, &[]);
        self.marks()?.iter().try_fold(true, |all, row| Ok(all && row.bytes(0)? == mark))
    }

    fn stored_key(&mut self, name: &str) -> Result<Option<[u8; 32]>, SecretsError> {
        self.rows("SELECT key FROM keys WHERE name = $1", &[name.into()])?.first().map(|row| row.bytes(0)).transpose()
    }

    pub(super) fn begin(&mut self) -> Result<(), SecretsError> {
        self.change(if matches!(self, Self::Sqlite(..)) { "BEGIN IMMEDIATE" } else { "BEGIN" }, &[]).map(drop)
    }

    /// Commits, and leaves nothing of what was deleted in the file or its log.
    pub(super) fn commit(&mut self) -> Result<(), SecretsError> {
        self.change("COMMIT", &[])?;
        if let Self::Sqlite(file, connection) = self {
            let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            emptied.map_err(|source| SecretsError::Sqlite { file: file.clone(), source })?;
        }
        Ok(())
    }

    fn add_authentication(&mut self, table: &str, has_version: bool) -> Result<(), SecretsError> {
        let (number, bytes) = match self {
            Self::Sqlite(..) => ("INTEGER", "BLOB"),
            Self::Postgres(_) => ("BIGINT", "BYTEA"),
        };
        if has_version {
            self.change(&format!("ALTER TABLE {table} ADD COLUMN version {number} NOT NULL DEFAULT 1"), &[])?;
        }
        self.change(&format!("ALTER TABLE {table} ADD COLUMN mac {bytes} NOT NULL DEFAULT ''"), &[]).map(drop)
    }

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
             person {number} PRIMARY KEY, hash TEXT NOT NULL, is_one_time {number} NOT NULL, changed {number} NOT NULL,
             version {number} NOT NULL, mac {bytes} NOT NULL);
         CREATE TABLE IF NOT EXISTS sign_ins (
             source {number} PRIMARY KEY, token {bytes} NOT NULL UNIQUE, person {number} NOT NULL,
             begun {number} NOT NULL, used {number} NOT NULL, asked {number} NOT NULL, mac {bytes} NOT NULL);
         CREATE TABLE IF NOT EXISTS further_sources (
             further {number} PRIMARY KEY, source {number} NOT NULL, mac {bytes} NOT NULL);
         CREATE TABLE IF NOT EXISTS devices (
             device {number} PRIMARY KEY, key {bytes} NOT NULL, source {number} NOT NULL,
             version {number} NOT NULL, mac {bytes} NOT NULL);
         CREATE TABLE IF NOT EXISTS codes (
             device {number} PRIMARY KEY, code {bytes} NOT NULL UNIQUE, expires {number} NOT NULL,
             version {number} NOT NULL, mac {bytes} NOT NULL);
         CREATE TABLE IF NOT EXISTS in_use (mark {bytes} NOT NULL);"
    )
}

/// Only the owner may read the file before anything is in it; `SQLite` gives its side files the same mode.
fn open_file(file: PathBuf, may_make: bool) -> Result<Option<SecretDatabase>, SecretsError> {
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
    Ok(Some(SecretDatabase::Sqlite(file, connection)))
}

fn open_schema(address: &str, may_make: bool) -> Result<Option<SecretDatabase>, SecretsError> {
    let session = PostgresSession::open(address, "taisai secrets", LOCK_TIMEOUT)?;
    session.batch(&format!("SET client_min_messages = warning; SET search_path = {SCHEMA}"))?;
    if !may_make && session.query("SELECT 1 WHERE to_regclass('layout') IS NOT NULL", &[])?.is_empty() {
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
    Ok(Some(SecretDatabase::Postgres(session)))
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

    pub(super) fn values(&self) -> &[SecretValue] {
        &self.0
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
