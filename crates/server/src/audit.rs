//! Rounds on record, evidence, and verification of the record. All of it reads beside the tables in play, a few readers at a time,
//! and can be cancelled.

mod archive;
mod http;
mod verification;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taisai_journal::PublicKey;
use taisai_record::{
    Address, ChainStatus, GatherError, Program, RoundEvidence, RoundSheet, chain_of, chain_statuses, round_settlement,
};
use taisai_table::{MachineId, RoundNumber, TableId};
use tokio::sync::Semaphore;

pub(crate) use http::routes;
pub(crate) use verification::{Verification, Verifications};

use crate::http::denied::Denied;
use crate::reports::ReportError;
use archive::Stoppable;

const MAX_CONCURRENT_READS: usize = 2;

/// How long a request waits for its turn.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);

const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// What is needed to read the record.
#[derive(Clone, Debug)]
pub(crate) struct RecordSource {
    pub(crate) address: Address,
    /// The keys whose checkpoints are trusted.
    pub(crate) keys: Vec<PublicKey>,
    pub(crate) anchor: Option<PathBuf>,
    pub(crate) program: Program,
}

pub(crate) struct Audits {
    recorded: Arc<RecordSource>,
    permits: Arc<Semaphore>,
    pub(crate) verifications: Verifications,
}

impl Audits {
    pub(crate) fn new(recorded: RecordSource) -> Self {
        let recorded = Arc::new(recorded);
        Self {
            verifications: Verifications::new(Arc::clone(&recorded)),
            recorded,
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_READS)),
        }
    }

    /// Reads the record on a blocking thread, with a time limit.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&RecordSource, &mut Stoppable) -> Result<T, Denied> + Send + 'static,
    ) -> Result<T, Denied> {
        let permit = tokio::time::timeout(PERMIT_TIMEOUT, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(Denied::TooMany) };
        let recorded = Arc::clone(&self.recorded);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let archive = recorded.address.archive().map_err(|error| Denied::from(ReportError::from(error)))?;
            read(&recorded, &mut Stoppable::new(archive, is_stopped))
        });
        let Ok(answer) = tokio::time::timeout(READ_TIMEOUT, work).await else {
            stop.store(true, Ordering::Relaxed);
            return Err(Denied::TooLong);
        };
        answer.unwrap_or_else(|_| Err(ReportError::Thread.into()))
    }

    pub(crate) async fn standings(&self) -> Result<Vec<ChainStatus>, Denied> {
        self.read(|_, archive| Ok(chain_statuses(archive).map_err(ReportError::from)?)).await
    }

    /// A round with every line, its paragraphs, what was moved and who acted.
    pub(crate) async fn round(&self, table: TableId, round: RoundNumber) -> Result<RoundSheet, Denied> {
        self.read(move |recorded, archive| {
            is_there(archive, table)?;
            let found = round_settlement(archive, &recorded.keys, table, round).map_err(ReportError::from)?;
            let settlement = found.filter(|_| round.0 > 0).ok_or(Denied::Unknown)?;
            Ok(RoundSheet::new(&settlement).map_err(ReportError::from)?)
        })
        .await
    }

    /// Checked evidence of a round, which proves it elsewhere.
    pub(crate) async fn evidence(&self, table: TableId, round: RoundNumber) -> Result<Vec<u8>, Denied> {
        self.read(move |recorded, archive| {
            is_there(archive, table)?;
            let gathered = RoundEvidence::gather(archive, &recorded.keys, table, round);
            let evidence = match gathered {
                Ok(evidence) => evidence,
                Err(GatherError::NoChain(_)) => return Err(Denied::Unknown),
                Err(GatherError::NotSettled(_) | GatherError::Unsigned(_)) => return Err(Denied::NotYet),
                Err(GatherError::Replay(error)) => return Err(ReportError::from(error).into()),
                Err(GatherError::Read(error)) => return Err(ReportError::from(error).into()),
            };
            let failed = |error: String| {
                tracing::error!(table = table.0, round = round.0, error, "the evidence of a round does not verify");
                Denied::Internal
            };
            evidence.check(&recorded.keys, &recorded.program).map_err(|error| failed(error.to_string()))?;
            evidence.to_bytes().map_err(|error| failed(error.to_string()))
        })
        .await
    }
}

/// A table that the record does not have is unknown, not damaged.
fn is_there(archive: &mut Stoppable, table: TableId) -> Result<(), Denied> {
    use taisai_journal::Archive as _;
    let chain = chain_of(MachineId::Round(table));
    let heads = archive.heads().map_err(|error| Denied::from(ReportError::from(error)))?;
    if heads.iter().any(|head| head.chain == chain && head.next > 0) { Ok(()) } else { Err(Denied::Unknown) }
}

#[cfg(test)]
mod tests;
