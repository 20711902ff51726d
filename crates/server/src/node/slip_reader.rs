//! Reads slips of old rounds from the record, each on a thread of its own, because that can take long.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use taisai_journal::PublicKey;
use taisai_record::{Address, chain_of, past_slip};
use taisai_table::{ClusterId, MachineId, RoundNumber, Slip};

#[derive(Clone)]
pub(crate) struct SlipReader {
    address: Address,
    keys: Vec<PublicKey>,
    /// The slips that are being read.
    reading: Arc<Mutex<BTreeSet<(ClusterId, RoundNumber)>>>,
}

impl SlipReader {
    pub(crate) fn new(address: Address, keys: Vec<PublicKey>) -> Self {
        Self { address, keys, reading: Arc::default() }
    }

    /// Reads a slip and passes it to `done`; none if it cannot be read. A slip that is being read is not read again.
    pub(crate) fn read(
        &self,
        cluster: ClusterId,
        round: RoundNumber,
        done: impl FnOnce(Option<Slip>) + Send + 'static,
    ) {
        let reading = Arc::clone(&self.reading);
        let is_new = reading.lock().unwrap_or_else(PoisonError::into_inner).insert((cluster, round));
        if !is_new {
            return;
        }
        let (address, keys) = (self.address.clone(), self.keys.clone());
        let read = move || {
            let chain = chain_of(MachineId::Cluster(cluster));
            let read = address.archive().map_err(|error| error.to_string()).and_then(|mut archive| {
                past_slip(&mut *archive, &chain, &keys, round).map_err(|error| error.to_string())
            });
            reading.lock().unwrap_or_else(PoisonError::into_inner).remove(&(cluster, round));
            done(read.unwrap_or_else(|error| {
                tracing::error!(%chain, round = round.0, error, "cannot read the slip of a round");
                None
            }));
        };
        if let Err(error) = thread::Builder::new().name("slip".into()).spawn(read) {
            self.reading.lock().unwrap_or_else(PoisonError::into_inner).remove(&(cluster, round));
            tracing::error!(%error, "cannot read the slip of a round");
        }
    }
}
