//! Where a record is: a data folder, or a `PostgreSQL` database.

use std::path::PathBuf;
use std::str::FromStr;

use taisai_journal::{
    Archive, Journal, Postgres, PostgresArchive, PostgresError, ReadError, Sqlite, SqliteArchive, SqliteError,
};

use crate::book::Files;

/// A store's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A data folder with `SQLite` files.
    Folder(PathBuf),
    /// A `PostgreSQL` database, as `postgres://…`.
    Postgres(String),
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or its files.
    #[error(transparent)]
    Sqlite(#[from] SqliteError),
    /// The database.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl FromStr for Address {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_database = text.starts_with("postgres://") || text.starts_with("postgresql://");
        Ok(if is_database { Self::Postgres(text.to_owned()) } else { Self::Folder(text.into()) })
    }
}

impl Address {
    /// The key and the anchor as they lie in a data folder, where nobody says otherwise. A database has none of its own.
    pub fn files(&self) -> Option<Files> {
        match self {
            Self::Folder(folder) => Some(Files {
                key: folder.join("house.key"),
                anchor: Some(folder.join("anchor.txt")),
                trusted: Vec::new(),
            }),
            Self::Postgres(_) => None,
        }
    }

    /// Opens the store for writing, or makes it.
    pub fn journal(&self) -> Result<Box<dyn Journal>, StoreError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(Sqlite::open(folder)?),
            Self::Postgres(address) => Box::new(Postgres::open(address)?),
        })
    }

    /// Opens the store for reading; it must be there.
    pub fn archive(&self) -> Result<Box<dyn Archive>, StoreError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteArchive::open(folder)?),
            Self::Postgres(address) => Box::new(PostgresArchive::open(address)?),
        })
    }
}
