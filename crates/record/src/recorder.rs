//! A machine that records: it decides and applies commands, and buffers their entries until they are submitted to the
//! writer. No reply may leave before the writer has made its entry durable.

use std::sync::mpsc;

use taisai_journal::{ChainHandle, CheckpointTarget, Entries, WriterStopped};
use taisai_table::{CommandRequest, Decision, Entry, SettledSlip, Time, encode};

use crate::checkpointer::{CheckpointJob, CheckpointedState, Checkpointer};
use crate::machine::RecordedMachine;
use crate::opening::ChainOpening;

/// Buffered entries are submitted without a commit when they have this many bytes.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// After this many bytes of entries a checkpoint comes with a snapshot, which bounds what a restart reads.
const SNAPSHOT_INTERVAL_BYTES: usize = 4 << 20;

/// Nothing more is recorded, so nothing more may be answered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the table has stopped")]
pub struct RecordingStopped(#[from] WriterStopped);

impl RecordingStopped {
    /// Whether a write or a flush of the store failed.
    pub fn is_failed_write(&self) -> bool {
        self.0.is_failed_write()
    }
}

/// Appends the entries of one machine to its chain.
#[derive(Debug)]
pub struct ChainWriter {
    handle: ChainHandle,
    checkpointer: Checkpointer,
    waiting: Entries,
    /// The slips of the rounds that waiting entries settle.
    slips: Vec<(u64, Vec<u8>)>,
    snapshot_after: usize,
    since_snapshot: usize,
    since_checkpoint: usize,
    stopped: Option<RecordingStopped>,
}

/// A machine and the chain that it is recorded in.
#[derive(Debug)]
pub struct Recorder<M: RecordedMachine> {
    machine: M,
    chain: ChainWriter,
}

impl ChainWriter {
    /// Keeps the slip of the round that the next entry settles beside the chain. It is stored with that entry, or not at all.
    pub fn keep_slip(&mut self, SettledSlip { round, bytes }: SettledSlip) {
        self.slips.push((round.0, bytes));
    }

    /// Adds an entry. It is durable when a [`commit`](Self::commit) after it is.
    pub fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.waiting.write(write);
        if self.is_full() {
            self.hand_over(drop);
        }
    }

    /// Whether enough is buffered to commit now.
    fn is_full(&self) -> bool {
        self.waiting.bytes().len() >= MAX_WAITING_BYTES
    }

    /// Submits what was appended since the last commit. `done` is called on the writer's thread once that and
    /// everything before it is durable, or with the reason why it never will be.
    pub fn commit(
        &mut self,
        done: impl FnOnce(Result<(), RecordingStopped>) + Send + 'static,
    ) -> Result<(), RecordingStopped> {
        self.hand_over(done);
        self.stopped.clone().map_or(Ok(()), Err)
    }

    /// If the writer has stopped, every commit from the next on says so.
    fn hand_over(&mut self, done: impl FnOnce(Result<(), RecordingStopped>) + Send + 'static) {
        let (entries, slips) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.slips));
        self.since_snapshot += entries.bytes().len();
        self.since_checkpoint += entries.bytes().len();
        let done = |durable: Result<_, _>| done(durable.map(drop).map_err(RecordingStopped));
        let submitted = self.handle.submit_with_slips(entries, slips, done);
        if let Err(stopped) = submitted {
            self.stopped.get_or_insert(stopped.into());
        }
    }

    /// Whether entries were handed over that no checkpoint was requested for.
    pub const fn is_uncovered(&self) -> bool {
        self.since_checkpoint > 0
    }

    /// Whether a checkpoint that is requested now may have to wait.
    pub fn is_checkpointer_busy(&self) -> bool {
        self.checkpointer.is_busy()
    }

    /// Requests a checkpoint for everything appended so far, with this state of the machine, and now and then a
    /// snapshot with it. Another thread does the work. Called when a round is settled, and when a chain ends here. Waits
    /// only if many checkpoints are queued; does nothing if nothing was recorded.
    pub fn checkpoint<M: RecordedMachine>(&mut self, time: Time, machine: &M) -> Result<(), RecordingStopped> {
        self.commit(drop)?;
        if std::mem::take(&mut self.since_checkpoint) == 0 {
            return Ok(());
        }
        let with_snapshot = self.since_snapshot >= self.snapshot_after;
        if with_snapshot {
            self.since_snapshot = 0;
        }
        let (answer, target) = mpsc::channel::<Result<CheckpointTarget, WriterStopped>>();
        // If nobody receives it, the checkpointer has stopped, and the record store with it.
        self.handle.end_block(move |target| answer.send(target).unwrap_or_default())?;
        let machine = machine.clone();
        let state = move || CheckpointedState {
            hash: machine.state_hash(),
            snapshot: with_snapshot.then(|| machine.snapshot()),
        };
        self.checkpointer.submit(CheckpointJob { handle: self.handle.clone(), target, time, state: Box::new(state) });
        Ok(())
    }
}

impl<M: RecordedMachine> Recorder<M> {
    pub(crate) fn new(machine: M, handle: ChainHandle, checkpointer: Checkpointer, opening: &ChainOpening) -> Self {
        let mut waiting = Entries::default();
        waiting.write(|buffer| opening.write(buffer));
        let chain = ChainWriter {
            handle,
            checkpointer,
            waiting,
            slips: Vec::new(),
            snapshot_after: SNAPSHOT_INTERVAL_BYTES,
            since_snapshot: 0,
            since_checkpoint: 0,
            stopped: None,
        };
        Self { machine, chain }
    }

    /// Stores a snapshot with a checkpoint after this many bytes of entries.
    #[must_use]
    pub const fn with_snapshot_after(mut self, bytes: usize) -> Self {
        self.chain.snapshot_after = bytes;
        self
    }

    /// Splits into the machine and the writer of its entries.
    pub fn into_parts(self) -> (M, ChainWriter) {
        (self.machine, self.chain)
    }

    /// The machine in its current state, ahead of what is durable.
    pub const fn machine(&self) -> &M {
        &self.machine
    }

    /// Decides and applies a command. The reply may leave after the next [`commit`](Self::commit) is done.
    pub fn ask(&mut self, request: CommandRequest<M::Command>) -> Decision<M::Event> {
        let request = self.machine.conceal(request);
        let outcome = match self.machine.decide(&request) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(verdict) => return Decision::Repeated(verdict),
        };
        let entry = Entry { request, outcome };
        if let Some(slip) = self.machine.settled_slip(&entry) {
            self.chain.keep_slip(slip);
        }
        self.machine.apply(&entry);
        self.chain.append(|buffer| encode(&entry, buffer));
        entry.outcome.map_or_else(Decision::Refused, Decision::Accepted)
    }

    /// Whether enough is buffered to commit now.
    pub fn is_full(&self) -> bool {
        self.chain.is_full()
    }

    /// Submits the entries since the last commit: see [`ChainWriter::commit`].
    pub fn commit(
        &mut self,
        done: impl FnOnce(Result<(), RecordingStopped>) + Send + 'static,
    ) -> Result<(), RecordingStopped> {
        self.chain.commit(done)
    }

    /// Requests a checkpoint for everything so far: see [`ChainWriter::checkpoint`].
    pub fn checkpoint(&mut self, time: Time) -> Result<(), RecordingStopped> {
        self.chain.checkpoint(time, &self.machine)
    }
}
