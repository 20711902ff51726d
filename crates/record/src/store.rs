//! Where a record is: a data folder, or a `PostgreSQL` database.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use taisai_journal::{
    Archive, Journal, Postgres, PostgresArchive, PostgresError, ReadError, Sqlite, SqliteArchive, SqliteError,
};

use crate::record_store::RecordFiles;

/// A store's address.
#[derive(Clone, PartialEq, Eq)]
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
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl StoreError {
    /// Whether a write or a flush failed under a store that is there.
    pub const fn is_failed_write(&self) -> bool {
        match self {
            Self::Sqlite(error) => error.is_failed_write(),
            Self::Postgres(_) | Self::Read(_) => false,
        }
    }
}

/// An address of a kind that there is not: a folder of that name would be another, empty record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{scheme}:// is no kind of store: did you mean {nearest}://? A store is a folder, or postgres://USER@HOST/DATABASE"
)]
pub struct UnknownScheme {
    scheme: String,
    nearest: &'static str,
}

/// How the address of a database begins.
const SCHEMES: [&str; 2] = ["postgres", "postgresql"];

impl FromStr for Address {
    type Err = UnknownScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once("://") {
            None => Ok(Self::Folder(text.into())),
            Some((scheme, _)) if SCHEMES.contains(&scheme) => Ok(Self::Postgres(text.to_owned())),
            Some((scheme, _)) => Err(UnknownScheme { scheme: scheme.to_owned(), nearest: nearest(scheme) }),
        }
    }
}

/// The scheme whose length is nearest: all schemes are spellings of one name.
fn nearest(scheme: &str) -> &'static str {
    let [short, long] = SCHEMES;
    if scheme.len().abs_diff(long.len()) < scheme.len().abs_diff(short.len()) { long } else { short }
}

/// Without the password that a database's address may hold.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = match self {
            Self::Folder(folder) => return write!(f, "{}", folder.display()),
            Self::Postgres(address) => address,
        };
        let Some((scheme, rest)) = address.split_once("://") else { return f.write_str("a database") };
        // Before the last @ are the user and the password; the options may hold a password too.
        let (user, place) = rest.rsplit_once('@').unwrap_or(("", rest));
        let user = user.split_once(':').map_or(user, |(user, _)| user);
        let at = if user.is_empty() { "" } else { "@" };
        let (place, options) = place.split_once('?').unwrap_or((place, ""));
        write!(f, "{scheme}://{user}{at}{place}")?;
        let options = options.split('&').filter(|option| !option.is_empty() && !option.starts_with("password"));
        options.enumerate().try_for_each(|(at, option)| write!(f, "{}{option}", if at == 0 { '?' } else { '&' }))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Address {
    /// The default paths of key and anchor in a data folder. A database has none.
    pub fn files(&self) -> Option<RecordFiles> {
        match self {
            Self::Folder(folder) => Some(RecordFiles {
                key_file: folder.join("house.key"),
                anchor: Some(folder.join("anchor.txt")),
                trusted: Vec::new(),
            }),
            Self::Postgres(_) => None,
        }
    }

    /// Opens or creates the store for writing.
    pub fn journal(&self) -> Result<Box<dyn Journal>, StoreError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(Sqlite::open(folder)?),
            Self::Postgres(address) => Box::new(Postgres::open(address)?),
        })
    }

    /// Opens an existing store for reading.
    pub fn archive(&self) -> Result<Box<dyn Archive>, StoreError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteArchive::open(folder)?),
            Self::Postgres(address) => Box::new(PostgresArchive::open(address)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (address, shown) in [
            ("data", "data"),
            ("postgres://u:secret@h:1/d", "postgres://u@h:1/d"),
            ("postgres://u:se@cret@h/d?sslmode=require", "postgres://u@h/d?sslmode=require"),
            ("postgresql://h/d?user=u&password=secret&port=1", "postgresql://h/d?user=u&port=1"),
        ] {
            let address: Address = address.parse().expect("an address");
            assert_eq!((address.to_string(), format!("{address:?}")), (shown.to_owned(), shown.to_owned()));
        }
        assert_eq!(Address::Postgres("host=h password=secret".to_owned()).to_string(), "a database");
    }

    #[test]
    fn an_unknown_kind_of_store_is_no_folder() {
        for (address, nearest) in [
            ("postgress://u:secret@h/d", "postgress:// is no kind of store: did you mean postgres://?"),
            ("postgressql://h/d", "postgressql:// is no kind of store: did you mean postgresql://?"),
            ("POSTGRES://h/d", "POSTGRES:// is no kind of store: did you mean postgres://?"),
            ("sqlite://data", "sqlite:// is no kind of store: did you mean postgres://?"),
            ("://data", ":// is no kind of store: did you mean postgres://?"),
        ] {
            let bad = address.parse::<Address>().expect_err(address).to_string();
            assert!(bad.starts_with(nearest) && !bad.contains("secret"), "{bad}");
        }
        for folder in ["data", "/var/lib/taisai", "postgres:/data", "C:data", "a//b"] {
            assert_eq!(folder.parse(), Ok(Address::Folder(folder.into())));
        }
    }
}
