//! The secrets of the house, beside its record: hashes of passwords, who is signed in, keys of devices, and keys of the house's
//! own. They decide nothing of the game and are in no chain. What is asked for is done by one thread, in order, so that nobody
//! else waits for a disk or a server.

mod devices;
pub(crate) mod hex;
mod keys;
mod passwords;
mod readable;
mod sign_ins;
mod store;

use std::path::PathBuf;
use std::thread;

use taisai_journal::PostgresError;
use taisai_record::Address;
use tokio::sync::{mpsc, oneshot};

pub(crate) use devices::StoredDevice;
pub(crate) use keys::random;
pub(crate) use passwords::Password;
pub(crate) use readable::OneTimeCode;
pub(crate) use sign_ins::{SignInKey, StoredSignIn};
use store::Store;

/// Whether a house has secrets already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// It has people: without its secrets nobody comes in, and no voucher number is known.
    There,
    /// It begins.
    Either,
    /// They are lost, and made anew.
    Lost,
}

/// So many may wait for the thread; more of them wait to wait.
const QUEUE_CAPACITY: usize = 256;

/// Why the secrets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The house has people, and its secrets are gone.
    #[error(
        "{place} is missing, with everyone's passwords, the keys of devices and the key of voucher numbers: put it back from a \
         backup. If there is none, --new-secrets makes it anew: everyone gets a password for the first time, every device is \
         enrolled again, and vouchers printed before no longer redeem by their numbers"
    )]
    Missing {
        /// Where they should be.
        place: String,
    },
    /// Secrets that are there are not replaced.
    #[error("{place} is there: it is not made anew")]
    NotMissing {
        /// Where they are.
        place: String,
    },
    /// Others may read the file.
    #[error("{file} can be read or written by others: run chmod 600 on it, and set new passwords if it may be known")]
    Exposed {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be used.
    #[error("the secrets in {file} cannot be used: {source}")]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `SQLite` failed.
    #[error("the secrets in {file} cannot be used: {source}")]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The server failed.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The standby may not have it.
    #[error(
        "the server warned while it committed, as it does when a standby is missing: what was to be kept may be lost"
    )]
    Warned,
    /// Another version of the program made the tables.
    #[error("the secrets have layout {0}, which this program does not know: use the program that made them")]
    OtherLayout(i64),
    /// Something else than this program wrote them.
    #[error("the secrets are damaged: {0}")]
    Damaged(&'static str),
    /// The thread could not be started, or has ended.
    #[error("the secrets cannot be reached: {0}")]
    Unreachable(String),
    /// The system gave no random bytes.
    #[error("the system gave no random bytes")]
    Random,
}

type StoreJob = Box<dyn FnOnce(&mut StoreConnection) + Send>;

/// The store of secrets.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    work: mpsc::Sender<StoreJob>,
}

/// Where the secrets are, and the way to them, which is made anew after it has failed.
struct StoreConnection {
    address: Address,
    store: Option<Store>,
}

impl Secrets {
    /// Opens the secrets beside a record, or makes them where they may be missing. It waits for the disk or the server.
    pub(crate) fn open(address: &Address, expected: Expected) -> Result<Self, SecretsError> {
        let (work, mut waiting) = mpsc::channel::<StoreJob>(QUEUE_CAPACITY);
        let (tell, told) = std::sync::mpsc::channel();
        let address = address.clone();
        let run = move || {
            let opened = Store::open(&address, expected).map(|store| StoreConnection { address, store: Some(store) });
            let (mut place, said) = match opened {
                Ok(place) => (Some(place), Ok(())),
                Err(error) => (None, Err(error)),
            };
            if tell.send(said).is_ok()
                && let Some(place) = &mut place
            {
                while let Some(work) = waiting.blocking_recv() {
                    work(place);
                }
            }
        };
        let unreachable = |why: &dyn std::error::Error| SecretsError::Unreachable(why.to_string());
        thread::Builder::new().name("secrets".to_owned()).spawn(run).map_err(|error| unreachable(&error))?;
        told.recv().map_err(|error| unreachable(&error))??;
        Ok(Self { work })
    }

    /// The highest number that a device, a sign-in or a screen was given; zero if there is none.
    pub(crate) async fn highest_source(&self) -> Result<u64, SecretsError> {
        let select = "SELECT coalesce(max(source), 0) FROM (SELECT source FROM devices UNION ALL
                      SELECT source FROM sign_ins UNION ALL SELECT further FROM further_sources) AS given";
        let rows = self.with(|store| store.rows(select, &[])).await?;
        rows.first().ok_or(SecretsError::Damaged("a number is missing"))?.get(0)
    }

    /// Does something with the store, and waits until it is durable.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, SecretsError> + Send + 'static,
    ) -> Result<T, SecretsError> {
        let (tell, told) = oneshot::channel();
        let work = move |place: &mut StoreConnection| {
            // Whoever asked may have gone.
            tell.send(place.with(work)).map_or_else(drop, drop);
        };
        let ended = || SecretsError::Unreachable("their thread has ended".to_owned());
        self.work.send(Box::new(work)).await.map_err(|_| ended())?;
        told.await.map_err(|_| ended())?
    }
}

impl StoreConnection {
    /// What failed once is not used again: a lost connection stays lost, and a failed flush is never tried again. A commit that
    /// came with a warning is of unknown fate.
    fn with<T>(&mut self, work: impl FnOnce(&mut Store) -> Result<T, SecretsError>) -> Result<T, SecretsError> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::open(&self.address, Expected::There)?,
        };
        let done = work(&mut store)?;
        if store.has_warned() {
            return Err(SecretsError::Warned);
        }
        self.store = Some(store);
        Ok(done)
    }
}

#[cfg(test)]
mod tests;
