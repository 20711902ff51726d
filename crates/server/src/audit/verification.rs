//! Verifications of the whole record, one at a time, each on a thread with low priority.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::Serialize;
use taisai_record::{AuditProgress, AuditSheet, StoreAudit};

use super::RecordSource;
use super::archive::Stoppable;
use crate::http::denied::Denied;

const MAX_KEPT_RUNS: usize = 16;

/// How a verification is getting on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VerificationState {
    /// It runs.
    Running,
    /// It has come to its end.
    Done,
    /// It was cancelled.
    Cancelled,
    /// The record could not be read.
    Failed,
}

/// A verification.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Verification {
    /// Its number.
    pub(crate) id: u64,
    /// How it is getting on.
    pub(crate) state: VerificationState,
    /// How many blocks the record had when it began.
    pub(crate) blocks: u64,
    /// How many of them were gone through.
    pub(crate) verified: u64,
    /// Why it failed, if it did.
    pub(crate) error: Option<String>,
    /// What it found, once it is done.
    pub(crate) found: Option<AuditSheet>,
}

struct VerificationRun {
    id: u64,
    counted: Arc<Progress>,
    ended: Arc<Mutex<Option<VerificationOutcome>>>,
}

#[derive(Default)]
struct Progress {
    blocks: AtomicU64,
    verified: AtomicU64,
    is_stopped: Arc<AtomicBool>,
}

#[derive(Clone)]
enum VerificationOutcome {
    Done(AuditSheet),
    Cancelled,
    Failed(String),
}

impl AuditProgress for Progress {
    fn begins(&self, blocks: u64) {
        self.blocks.store(blocks, Ordering::Relaxed);
    }

    fn block(&self) {
        self.verified.fetch_add(1, Ordering::Relaxed);
    }
}

impl VerificationRun {
    fn ended(&self) -> MutexGuard<'_, Option<VerificationOutcome>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn view(&self) -> Verification {
        let (state, error, found) = match self.ended().clone() {
            None => (VerificationState::Running, None, None),
            Some(VerificationOutcome::Done(sheet)) => (VerificationState::Done, None, Some(sheet)),
            Some(VerificationOutcome::Cancelled) => (VerificationState::Cancelled, None, None),
            Some(VerificationOutcome::Failed(error)) => (VerificationState::Failed, Some(error), None),
        };
        let (blocks, verified) = (&self.counted.blocks, &self.counted.verified);
        let (blocks, verified) = (blocks.load(Ordering::Relaxed), verified.load(Ordering::Relaxed));
        Verification { id: self.id, state, blocks, verified, error, found }
    }
}

pub(crate) struct Verifications {
    recorded: Arc<RecordSource>,
    runs: Mutex<VecDeque<VerificationRun>>,
}

impl Verifications {
    pub(super) fn new(recorded: Arc<RecordSource>) -> Self {
        Self { recorded, runs: Mutex::default() }
    }

    fn runs(&self) -> MutexGuard<'_, VecDeque<VerificationRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a verification, unless one runs.
    pub(crate) fn begin(&self) -> Result<Verification, Denied> {
        let mut runs = self.runs();
        if runs.back().is_some_and(|last| last.ended().is_none()) {
            return Err(Denied::TooMany);
        }
        let id = runs.back().map_or(1, |last| last.id + 1);
        let run = VerificationRun { id, counted: Arc::default(), ended: Arc::default() };
        let (recorded, counted, ended) = (Arc::clone(&self.recorded), Arc::clone(&run.counted), Arc::clone(&run.ended));
        let verify = move || {
            let found = verify(&recorded, &counted);
            *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        };
        if let Err(error) = thread::Builder::new().name("verify".to_owned()).spawn(verify) {
            tracing::error!(%error, "cannot start a verification");
            return Err(Denied::Internal);
        }
        let view = run.view();
        runs.push_back(run);
        if runs.len() > MAX_KEPT_RUNS {
            runs.pop_front();
        }
        Ok(view)
    }

    pub(crate) fn find(&self, id: u64) -> Option<Verification> {
        self.runs().iter().find(|run| run.id == id).map(VerificationRun::view)
    }

    /// The newest first.
    pub(crate) fn all(&self) -> Vec<Verification> {
        self.runs().iter().rev().map(VerificationRun::view).collect()
    }

    /// Cancels a verification that runs; a finished one stays as it is.
    pub(crate) fn cancel(&self, id: u64) -> Option<Verification> {
        let runs = self.runs();
        let run = runs.iter().find(|run| run.id == id)?;
        run.counted.is_stopped.store(true, Ordering::Relaxed);
        Some(run.view())
    }
}

impl Drop for Verifications {
    fn drop(&mut self) {
        for run in self.runs().iter() {
            run.counted.is_stopped.store(true, Ordering::Relaxed);
        }
    }
}

fn verify(recorded: &RecordSource, counted: &Progress) -> VerificationOutcome {
    let RecordSource { address, keys, anchor, program } = recorded;
    let open = || {
        let archive: Box<dyn taisai_journal::Archive> =
            Box::new(Stoppable::new(address.archive()?, Arc::clone(&counted.is_stopped)));
        Ok(archive)
    };
    let anchor = anchor.as_deref().filter(|anchor| anchor.exists());
    let audited = StoreAudit::new(1, &open, keys, anchor, program, counted);
    if counted.is_stopped.load(Ordering::Relaxed) {
        return VerificationOutcome::Cancelled;
    }
    let failed = match &audited {
        Err(error) => Some(error.to_string()),
        Ok(audited) => audited.failure().map(ToString::to_string),
    };
    if let Some(error) = failed {
        tracing::error!(error, "cannot verify the record");
        return VerificationOutcome::Failed(error);
    }
    let Ok(audited) = audited else { return VerificationOutcome::Cancelled };
    // The first block of a chain is not reported.
    counted.verified.store(counted.blocks.load(Ordering::Relaxed), Ordering::Relaxed);
    let sheet = audited.sheet(program);
    for finding in &sheet.findings {
        tracing::error!(finding, "the verification found a fault");
    }
    VerificationOutcome::Done(sheet)
}
