//! The checkpointer: one thread that hashes states, stores snapshots, has checkpoints signed and writes them to the
//! anchor, while the tables go on.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use taisai_journal::{Anchor, AnchorError, Archive, ChainHandle, CheckpointTarget, Hash, SnapshotError, WriterStopped};
use taisai_table::Time;

/// Tables wait when more checkpoints than this are queued.
const MAX_QUEUED_CHECKPOINTS: usize = 16;

/// With this many queued the checkpointer is busy: a checkpoint that can come later does, so that settled rounds do not wait.
const BUSY_CHECKPOINTS: usize = MAX_QUEUED_CHECKPOINTS / 2;

/// A failure that does no harm to the chains.
#[derive(Debug, thiserror::Error)]
pub enum RecordWarning {
    /// A snapshot was not kept: a restart will read more of the chain.
    #[error("a snapshot was not kept: {0}")]
    Snapshot(#[from] SnapshotError),
    /// A snapshot was not used.
    #[error("chain {chain}: the snapshot at block {position} was not used: {why}")]
    Skipped { chain: String, position: u64, why: crate::replay::SkippedSnapshot },
    /// The anchor takes no more lines: a roll-back to after its last line would not be noticed.
    #[error("a checkpoint was not anchored: {0}")]
    Anchor(#[from] AnchorError),
    /// The writer stopped while the record was closed. Nothing that is missing was acknowledged.
    #[error("the record was closed before its last entries were durable; none of them was acknowledged")]
    Unfinished(#[source] WriterStopped),
    /// The anchor has no line for a chain with checkpoints: if the line was removed, a roll-back would not be noticed.
    #[error("the anchor knows nothing of chain {chain}, which has checkpoints: a roll-back of it would not be noticed")]
    Unanchored { chain: String },
    #[error("no more checkpoints are made, as the checkpointer has panicked: restart the program")]
    NoCheckpointer,
    /// Hashing a state took so long that its checkpoint came too late.
    #[error("a checkpoint came too late and was skipped")]
    Late,
}

/// Receives warnings.
pub type WarningSink = Arc<dyn Fn(RecordWarning) + Send + Sync>;

/// A checkpoint to be made.
pub(crate) struct CheckpointJob {
    pub(crate) handle: ChainHandle,
    pub(crate) target: Receiver<Result<CheckpointTarget, WriterStopped>>,
    pub(crate) time: Time,
    pub(crate) state: Box<dyn FnOnce() -> CheckpointedState + Send>,
}

/// The state that a checkpoint vouches for.
pub(crate) struct CheckpointedState {
    pub(crate) hash: [u8; 32],
    /// Its bytes, where a snapshot is to be kept.
    pub(crate) snapshot: Option<Vec<u8>>,
}

/// Sends jobs to the thread, which ends when all senders are dropped.
#[derive(Clone)]
pub(crate) struct Checkpointer {
    jobs: SyncSender<CheckpointJob>,
    queued: Arc<AtomicUsize>,
    warn: WarningSink,
}

impl fmt::Debug for Checkpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checkpointer")
    }
}

impl Checkpointer {
    pub(crate) fn start(
        mut archive: Box<dyn Archive>,
        mut anchor: Option<Anchor>,
        warn: WarningSink,
    ) -> std::io::Result<(Self, thread::JoinHandle<()>)> {
        let (jobs, queue) = mpsc::sync_channel::<CheckpointJob>(MAX_QUEUED_CHECKPOINTS);
        let warnings = Arc::clone(&warn);
        let queued = Arc::new(AtomicUsize::new(0));
        let waiting = Arc::clone(&queued);
        let work = move || {
            for job in queue {
                waiting.fetch_sub(1, Ordering::Relaxed);
                job.work(&mut *archive, anchor.as_mut(), &warnings);
            }
        };
        let thread = thread::Builder::new().name("checkpointer".into()).spawn(work)?;
        Ok((Self { jobs, queued, warn }, thread))
    }

    /// Submits a job. If the checkpointer has panicked there are no more checkpoints, but no entry is lost.
    pub(crate) fn submit(&self, job: CheckpointJob) {
        self.queued.fetch_add(1, Ordering::Relaxed);
        if self.jobs.send(job).is_err() {
            (self.warn)(RecordWarning::NoCheckpointer);
        }
    }

    /// Whether many jobs are queued.
    pub(crate) fn is_busy(&self) -> bool {
        self.queued.load(Ordering::Relaxed) >= BUSY_CHECKPOINTS
    }
}

impl CheckpointJob {
    fn work(self, archive: &mut dyn Archive, anchor: Option<&mut Anchor>, warn: &WarningSink) {
        // Without a target the writer has stopped: the next commit returns why.
        let Ok(Ok(target)) = self.target.recv() else { return };
        let CheckpointedState { hash, snapshot } = (self.state)();
        let hash = Hash::from_bytes(hash);
        if let Some(bytes) = snapshot
            && let Err(error) = archive.put_snapshot(self.handle.chain(), target.position, hash, &bytes)
        {
            warn(error.into());
        }
        let (answer, signed) = mpsc::channel();
        let requested =
            self.handle.checkpoint(target, hash, self.time.0, move |signed| answer.send(signed).unwrap_or_default());
        // If the writer has stopped, the next commit returns why.
        let Ok(Ok(Ok(signed))) = requested.map(|()| signed.recv()) else { return };
        let Some(checkpoint) = signed else { return warn(RecordWarning::Late) };
        if let Some(Err(error)) = anchor.map(|anchor| anchor.add(&[checkpoint])) {
            warn(error.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use taisai_journal::suite::wait_until;
    use taisai_journal::{ChainPurpose, Genesis, Journal as _, MemoryStore, READER_VERSION, SigningKey, Writer};

    use super::*;

    #[test]
    fn a_checkpointer_is_busy_while_its_queue_is_half_full() {
        let journal = Box::new(MemoryStore::default().open());
        let archive = journal.archive().expect("memory can be read");
        let (checkpointer, thread) = Checkpointer::start(archive, None, Arc::new(drop)).expect("a thread");
        let writer = Writer::start(journal, SigningKey::from_secret([1; 32]), "test".to_owned()).expect("a thread");
        let genesis = Genesis { house: [7; 16], purpose: ChainPurpose::Real, least_reader: READER_VERSION };
        let (handle, head) = writer.take(&"house".parse().expect("a name"), 1, genesis).expect("nobody has it");
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let submit = || {
            let (answer, target) = mpsc::channel();
            answer.send(Ok(CheckpointTarget { position: head.next - 1, hash: head.hash })).expect("it is received");
            let held = Arc::clone(&held);
            let state = move || {
                let held = held.lock().expect("nobody panics");
                held.recv().unwrap_or_default();
                CheckpointedState { hash: [0; 32], snapshot: None }
            };
            checkpointer.submit(CheckpointJob {
                handle: handle.clone(),
                target,
                time: Time(1),
                state: Box::new(state),
            });
        };
        for _ in 1..BUSY_CHECKPOINTS {
            submit();
        }
        assert!(!checkpointer.is_busy());
        // One is worked on, and the others are queued.
        submit();
        submit();
        assert!(checkpointer.is_busy());
        drop(release);
        wait_until("the queue is empty", || !checkpointer.is_busy());
        drop(checkpointer);
        thread.join().expect("it did not panic");
    }
}
