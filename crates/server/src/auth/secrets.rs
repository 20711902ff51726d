//! The store of secrets beside the record: password hashes, sign-ins, device keys, and keys of the installation. They are in no
//! chain. One thread does the work in order, so that nothing else waits for a disk or a database.

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
use store::SecretStore;

/// Whether the secrets must exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// There are people: without secrets nobody can sign in, and no voucher number is known.
    There,
    /// The installation is new.
    Either,
    /// They are lost and must be created again.
    Lost,
}

/// Further callers wait.
const QUEUE_CAPACITY: usize = 256;

#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// There are people, but no secrets.
    #[error(
        "{place} is missing, with everyone's passwords, the keys of devices and the key of voucher numbers: put it back from a \
         backup. If there is none, --new-secrets makes it anew: everyone gets a password for the first time, every device is \
         enrolled again, and vouchers printed before no longer redeem by their numbers"
    )]
    Missing { place: String },
    /// Existing secrets are never replaced.
    #[error("{place} exists already and is not made anew: leave --new-secrets out")]
    NotMissing { place: String },
    #[error("{file} can be read or written by others: run chmod 600 on it, and set new passwords if it may be known")]
    Exposed { file: PathBuf },
    #[error("the secrets in {file} cannot be used: {source}")]
    File { file: PathBuf, source: std::io::Error },
    #[error("the secrets in {file} cannot be used: {source}")]
    Sqlite { file: PathBuf, source: rusqlite::Error },
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The standby may not have it.
    #[error(
        "the server warned while it committed, as it does when a standby is missing: what was to be kept may be lost"
    )]
    Warned,
    /// Another version of the program created the tables.
    #[error("the secrets have layout {0}, which this program does not know: use the program that made them")]
    OtherLayout(i64),
    /// Something other than this program wrote them.
    #[error("the secrets are damaged: {0}")]
    Damaged(&'static str),
    #[error("the secrets cannot be reached: {0}")]
    Unreachable(String),
    #[error("the system gave no random bytes")]
    Random,
}

impl SecretsError {
    /// Whether the store failed: the same may work in a moment.
    pub(crate) const fn is_of_store(&self) -> bool {
        matches!(self, Self::Postgres(_) | Self::Warned | Self::Unreachable(_))
    }
}

type StoreJob = Box<dyn FnOnce(&mut StoreConnection) + Send>;

#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    work: mpsc::Sender<StoreJob>,
}

/// The store, which is opened again after a failure.
struct StoreConnection {
    address: Address,
    store: Option<SecretStore>,
}

impl Secrets {
    /// Opens the secrets beside a record, or creates them if they may be missing. Blocks on the disk or the database.
    pub(crate) fn open(address: &Address, expected: Expected) -> Result<Self, SecretsError> {
        let (work, mut waiting) = mpsc::channel::<StoreJob>(QUEUE_CAPACITY);
        let (sender, receiver) = std::sync::mpsc::channel();
        let address = address.clone();
        let run = move || {
            let opened =
                SecretStore::open(&address, expected).map(|store| StoreConnection { address, store: Some(store) });
            let (mut place, said) = match opened {
                Ok(place) => (Some(place), Ok(())),
                Err(error) => (None, Err(error)),
            };
            if sender.send(said).is_ok()
                && let Some(place) = &mut place
            {
                while let Some(work) = waiting.blocking_recv() {
                    work(place);
                }
            }
        };
        let unreachable = |why: &dyn std::error::Error| SecretsError::Unreachable(why.to_string());
        thread::Builder::new().name("secrets".to_owned()).spawn(run).map_err(|error| unreachable(&error))?;
        receiver.recv().map_err(|error| unreachable(&error))??;
        Ok(Self { work })
    }

    /// The highest source of any device, sign-in or screen; zero if there is none.
    pub(crate) async fn highest_source(&self) -> Result<u64, SecretsError> {
        let select = "SELECT coalesce(max(source), 0) FROM (SELECT source FROM devices UNION ALL
                      SELECT source FROM sign_ins UNION ALL SELECT further FROM further_sources) AS given";
        let rows = self.with(|store| store.rows(select, &[])).await?;
        rows.first().ok_or(SecretsError::Damaged("a number is missing"))?.get(0)
    }

    /// Runs a job in the store's thread and waits until it is durable.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SecretStore) -> Result<T, SecretsError> + Send + 'static,
    ) -> Result<T, SecretsError> {
        let (sender, receiver) = oneshot::channel();
        let work = move |place: &mut StoreConnection| {
            // The caller may have given up.
            sender.send(place.with(work)).map_or_else(drop, drop);
        };
        let ended = || SecretsError::Unreachable("their thread has ended".to_owned());
        self.work.send(Box::new(work)).await.map_err(|_| ended())?;
        receiver.await.map_err(|_| ended())?
    }
}

impl StoreConnection {
    /// A store that failed is not used again: a lost connection stays lost, and a failed flush must not be retried. A commit with a
    /// warning has an unknown outcome.
    fn with<T>(&mut self, work: impl FnOnce(&mut SecretStore) -> Result<T, SecretsError>) -> Result<T, SecretsError> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => SecretStore::open(&self.address, Expected::There)?,
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
