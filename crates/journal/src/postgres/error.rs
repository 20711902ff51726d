//! Why a store on a server cannot be used, in words that say what to do. A password is never among them.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::address::{BadAddress, ServerAddress};

/// Why a store on a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The address.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// Nobody answers.
    #[error("no PostgreSQL server answers at {place} ({why}): start it, or correct the address")]
    Absent {
        /// Where.
        place: String,
        /// The error of the connection.
        why: String,
    },
    /// The user is not let in.
    #[error("the server at {place} does not let user {user} in ({why}): check user and password")]
    KeptOut {
        /// Where.
        place: String,
        /// The user.
        user: String,
        /// What the server says.
        why: String,
    },
    /// There is no such database.
    #[error(
        "the server at {place} has no database {database:?}: make it (createdb {database}), or correct the address"
    )]
    NoDatabase {
        /// Where.
        place: String,
        /// The database.
        database: String,
    },
    /// There is no TLS, or not with the right server.
    #[error("there is no TLS with the server at {place}: {why}")]
    NoTls {
        /// Where.
        place: String,
        /// Why.
        why: String,
    },
    /// The authorities cannot be read.
    #[error("sslrootcert {} cannot be used: {why}", file.display())]
    Roots {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// TLS cannot be set up here.
    #[error("TLS cannot be set up: {0}")]
    Tls(rustls::Error),
    /// The connection's own thread of control could not be made.
    #[error("a connection cannot be made: {0}")]
    Thread(std::io::Error),
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
    /// Commits wait for no standby.
    #[error(
        "the server waits for no synchronous standby (synchronous_standby_names is empty), so what it acknowledges is on \
         one machine only: set synchronous_standby_names = 'ANY 1 (first, second)' there, or add single_server=on to the \
         address of the store if one server is wanted"
    )]
    NoStandby,
    /// A second session of a store is on another server than the first.
    #[error(
        "a session that reads is on another server than the one that writes: the primary has changed, or the address \
         leads to several servers; the store must be opened again"
    )]
    OtherServer,
    /// A newer program made the tables.
    #[error("the tables have layout {found}, and this program knows layouts up to {known}: use the newer program")]
    Newer {
        /// Their layout.
        found: i32,
        /// The newest layout that this program knows.
        known: i32,
    },
    /// There are no tables, and only reading was asked for.
    #[error("the database holds no records of this program: correct the address")]
    Empty,
    /// There is a schema of our name with something else in it.
    #[error("the schema taisai_journal of the database is not of this program: use another database")]
    Foreign,
    /// The server does not answer.
    #[error("the server did not answer for {} ms; if it has synchronous standbys, look whether one is missing", .0.as_millis())]
    Silent(Duration),
    /// The server failed.
    #[error("the database cannot be used: {}", in_words(.0))]
    Server(#[from] Error),
}

impl PostgresError {
    /// Why there is no connection.
    pub(super) fn connecting(server: &ServerAddress, error: Error) -> Self {
        let (place, why) = (server.display_name(), in_words(&error));
        let Some(answer) = error.as_db_error() else {
            return match kind(&error) {
                ConnectErrorKind::Tls => Self::NoTls { place, why },
                ConnectErrorKind::Password => Self::KeptOut { place, user: server.user().to_owned(), why },
                ConnectErrorKind::Other => Self::Absent { place, why },
            };
        };
        match answer.code() {
            code if *code == SqlState::INVALID_CATALOG_NAME => {
                Self::NoDatabase { place, database: server.database().to_owned() }
            }
            code if code.code().starts_with("28") || *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                Self::KeptOut { place, user: server.user().to_owned(), why }
            }
            _ => Self::Server(error),
        }
    }

    /// Nobody said anything.
    pub(super) fn silent(server: &ServerAddress) -> Self {
        Self::Absent { place: server.display_name(), why: "it is silent".to_owned() }
    }

    /// Why none of the servers of an address is connected to. One that answered tells more than those that did not.
    pub(super) fn nowhere(all: &ServerAddress, mut failures: Vec<Self>) -> Self {
        let answered = failures.iter().position(|failure| !matches!(failure, Self::Absent { .. }));
        if let Some(at) = answered.or_else(|| (failures.len() == 1).then_some(0)) {
            return failures.swap_remove(at);
        }
        let whys = failures.iter().map(|failure| match failure {
            Self::Absent { place, why } => format!("{place}: {why}"),
            other => other.to_string(),
        });
        Self::Absent { place: all.display_name(), why: whys.collect::<Vec<_>>().join("; ") }
    }

    /// What the server itself answered, if it did.
    pub(super) const fn server(&self) -> Option<&Error> {
        match self {
            Self::Server(error) => Some(error),
            _ => None,
        }
    }
}

enum ConnectErrorKind {
    Tls,
    Password,
    Other,
}

/// The library keeps the kind of its errors to itself, save for their text.
fn kind(error: &Error) -> ConnectErrorKind {
    match error.to_string() {
        text if text.contains("TLS") => ConnectErrorKind::Tls,
        text if text.contains("authentication") || text.contains("configuration") => ConnectErrorKind::Password,
        _ => ConnectErrorKind::Other,
    }
}

/// What happened, in one line.
fn in_words(error: &Error) -> String {
    if let Some(answer) = error.as_db_error() {
        let detail = answer.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
        return format!("{}{detail}", answer.message()).replace('\n', " ");
    }
    let mut words = error.to_string();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(because) = cause {
        words = because.to_string();
        cause = because.source();
    }
    words.replace('\n', " ")
}
