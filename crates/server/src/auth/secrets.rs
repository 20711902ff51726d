//! The store of secrets beside the record: password hashes, sign-ins and device keys. They are in no chain, and are authenticated
//! with a key that is in the key file, not in the store. One thread does the work in order, so that nothing else waits for a disk or a database.

mod authentic;
mod check;
mod devices;
pub(crate) mod hex;
mod moved;
mod passwords;
mod readable;
mod sign_ins;
mod store;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use taisai_journal::{KeyError, Keys, PostgresError, SqliteError};
use taisai_record::Address;
use taisai_table::{SecretOwner, Time};
use tokio::sync::{Mutex, MutexGuard, mpsc, oneshot};

use authentic::RefusedSecrets;
pub use check::{SecretFinding, check_secrets};
pub(crate) use devices::{CodeUse, StoredDevice};
pub(crate) use moved::{forget_secrets, move_keys};
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
        "{place} is missing, with everyone's passwords and the keys of devices: put it back from a backup. If there is none, \
         --new-secrets makes it anew: everyone gets a password for the first time, and every device is enrolled again"
    )]
    Missing { place: String },
    /// Existing secrets are never replaced.
    #[error("{place} exists already and is not made anew: leave --new-secrets out")]
    NotMissing { place: String },
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key file is of another installation, or an old copy.
    #[error("the key file is not the one that {place} was written with: use the one of the node that wrote it")]
    OtherKeys { place: String },
    /// Another node has the whole key file.
    #[error(
        "{file} has the signing key alone, and the other keys were moved from {place} into the key file of another machine: copy \
         that one here"
    )]
    KeysMoved { file: PathBuf, place: String },
    /// The record knows that the keys were moved, and the store is as it was before.
    #[error(
        "{place} is as it was before the keys were moved out of it, and what is in it cannot be believed: put back a backup that \
         was made since, or move it aside and start with --new-secrets"
    )]
    Restored { place: String },
    #[error("the secrets cannot be read: {0}")]
    Read(SqliteError),
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
    refused: Arc<RefusedSecrets>,
    reporting: Arc<Mutex<()>>,
}

/// The store, which is opened again after a failure.
struct StoreConnection {
    address: Address,
    keys: Keys,
    refused: Arc<RefusedSecrets>,
    store: Option<SecretStore>,
}

impl Secrets {
    /// Opens the secrets beside a record, or creates them if they may be missing. Those of an older layout are taken over if
    /// `may_move`: only before the record knows the keys. Blocks on the disk or the database.
    pub(crate) fn open(
        address: &Address,
        keys: &Keys,
        expected: Expected,
        may_move: bool,
    ) -> Result<Self, SecretsError> {
        let (work, mut waiting) = mpsc::channel::<StoreJob>(QUEUE_CAPACITY);
        let (sender, receiver) = std::sync::mpsc::channel();
        let refused = Arc::<RefusedSecrets>::default();
        let (address, keys, shared) = (address.clone(), keys.clone(), Arc::clone(&refused));
        let run = move || {
            let opened = SecretStore::open(&address, &keys, (expected, may_move), &shared)
                .map(|store| StoreConnection { address, keys, refused: shared, store: Some(store) });
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
        Ok(Self { work, refused, reporting: Arc::default() })
    }

    /// The secrets must exist from now on.
    pub(crate) async fn take_into_use(&self) -> Result<(), SecretsError> {
        self.with(SecretStore::take_into_use).await
    }

    /// Whoever reports refused secrets does it alone.
    pub(crate) async fn reporting(&self) -> MutexGuard<'_, ()> {
        self.reporting.lock().await
    }

    /// Whose secrets were refused and are to be reported.
    pub(crate) fn refused(&self, now: Time) -> Vec<SecretOwner> {
        self.refused.due(now)
    }

    pub(crate) fn reported(&self, owner: SecretOwner, now: Time) {
        self.refused.reported(owner, now);
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
            None => SecretStore::open(&self.address, &self.keys, (Expected::There, false), &self.refused)?,
        };
        let done = work(&mut store)?;
        if store.has_warned() {
            return Err(SecretsError::Warned);
        }
        self.store = Some(store);
        Ok(done)
    }
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], SecretsError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| SecretsError::Random)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
