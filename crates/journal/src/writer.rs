//! The writer: one thread that owns the journal and commits what other threads submit. While it flushes one commit, the
//! next batch fills up; there is no timer. A submitter is acknowledged once its entries are durable.
//!
//! If an append fails, the writer stops for good and gives the reason to everyone who waits or submits later. Entries
//! that were not acknowledged may or may not be in the store: open it again and read.

mod batch_builder;
mod queue;

use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use crate::block::MAX_BODY_BYTES;
use crate::chain::ChainName;
use crate::checkpoint::Checkpoint;
use crate::entries::Entries;
use crate::genesis::Genesis;
use crate::hash::Hash;
use crate::journal::{AppendError, ChainHead, ClaimError, Journal, StoredSlip};
use crate::key::SigningKey;
use batch_builder::BatchBuilder;
use queue::{Item, Queue};

/// The thread that writes to the chains of a store.
#[derive(Debug)]
pub struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<Box<dyn Journal>>>,
}

/// Writes to one chain. It can be cloned and sent to any thread.
#[derive(Clone, Debug)]
pub struct ChainHandle {
    queue: Arc<Queue>,
    index: usize,
    chain: ChainName,
}

/// Where entries are, now that they are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurablePosition {
    /// The position of their block.
    pub position: u64,
    /// The index of the first of them in the block, from zero.
    pub first: u32,
}

/// The block that a checkpoint is to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointTarget {
    /// Its position.
    pub position: u64,
    /// Its hash.
    pub hash: Hash,
}

/// Why the writer has stopped.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriterStopped {
    /// An append failed.
    #[error("nothing more is recorded")]
    Failed(#[source] Arc<AppendError>),
    /// The writer was stopped on request.
    #[error("nothing more is recorded: the writer was stopped")]
    Closed,
    /// A bug stopped the writer.
    #[error("nothing more is recorded: the writer broke down")]
    Panicked,
}

impl WriterStopped {
    /// Whether a write or a flush failed.
    pub fn is_failed_write(&self) -> bool {
        match self {
            Self::Failed(error) => error.is_failed_write(),
            Self::Closed | Self::Panicked => false,
        }
    }
}

/// Why a chain cannot be written to.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// This writer has it already.
    #[error("this program writes to chain {0} already")]
    Mine(ChainName),
    /// It could not be claimed.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The writer has stopped.
    #[error(transparent)]
    Stopped(#[from] WriterStopped),
}

impl TakeError {
    /// Whether a write or a flush failed.
    pub fn is_failed_write(&self) -> bool {
        match self {
            Self::Claim(error) => error.is_failed_write(),
            Self::Stopped(stopped) => stopped.is_failed_write(),
            Self::Mine(_) => false,
        }
    }
}

impl Writer {
    /// Starts a writer. It signs checkpoints with the key, and records `owner` when it takes a chain over.
    pub fn start(journal: Box<dyn Journal>, key: SigningKey, owner: String) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let shared = Arc::clone(&queue);
        let builder = BatchBuilder::new(key, owner);
        let thread = thread::Builder::new().name("journal".into()).spawn(move || write(&shared, journal, builder))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Takes a chain: claims it at a higher epoch and writes its first block, or a take-over block if it has one. When
    /// this returns the block is durable, and so is everything before it. The head is the one after it.
    ///
    /// # Panics
    /// If called on the writer's own thread, in a completion: it would wait for itself.
    pub fn take(&self, chain: &ChainName, epoch: u64, genesis: Genesis) -> Result<(ChainHandle, ChainHead), TakeError> {
        let (answer, taken) = mpsc::channel();
        self.queue.put(Item::Take {
            chain: chain.clone(),
            epoch,
            genesis,
            done: Box::new(move |result| {
                // If the caller has panicked, nobody waits.
                answer.send(result).unwrap_or_default();
            }),
        })?;
        let (index, head) = taken.recv().unwrap_or(Err(WriterStopped::Panicked.into()))?;
        Ok((ChainHandle { queue: Arc::clone(&self.queue), index, chain: chain.clone() }, head))
    }

    /// Writes what is queued, and returns the journal unless the writer panicked.
    pub fn stop(mut self) -> (Option<Box<dyn Journal>>, WriterStopped) {
        let journal = self.join();
        (journal, self.queue.reason().unwrap_or(WriterStopped::Closed))
    }

    fn join(&mut self) -> Option<Box<dyn Journal>> {
        self.queue.close();
        self.thread.take().and_then(|thread| thread.join().ok())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.join();
    }
}

impl ChainHandle {
    /// The chain that it writes.
    pub const fn chain(&self) -> &ChainName {
        &self.chain
    }

    /// Submits entries; `done` is called on the writer's thread once they are durable, or with the reason why they
    /// never will be. It should be short. Blocks while the queue is full. If this fails `done` is not called.
    ///
    /// An empty buffer is not written: `done` is called when everything submitted to this chain before is durable.
    ///
    /// # Panics
    /// If they are more than a block holds.
    pub fn submit(
        &self,
        entries: Entries,
        done: impl FnOnce(Result<DurablePosition, WriterStopped>) + Send + 'static,
    ) -> Result<(), WriterStopped> {
        self.submit_with_slips(entries, Vec::new(), done)
    }

    /// The same with slips of rounds that the entries settle, each with the number of its round. They become durable with
    /// the entries, or not at all.
    ///
    /// # Panics
    /// If there are slips and no entries, or if the entries are more than a block holds.
    pub fn submit_with_slips(
        &self,
        entries: Entries,
        slips: Vec<(u64, Vec<u8>)>,
        done: impl FnOnce(Result<DurablePosition, WriterStopped>) + Send + 'static,
    ) -> Result<(), WriterStopped> {
        assert!(slips.is_empty() || entries.count() > 0, "slips come with what settles their rounds");
        let slip = |(round, bytes)| StoredSlip { chain: self.chain.clone(), round, bytes };
        let slips = slips.into_iter().map(slip).collect();
        assert!(entries.bytes().len() <= MAX_BODY_BYTES, "entries fit a block");
        self.queue.put(Item::Entries { index: self.index, entries, slips, done: Box::new(done) })
    }

    /// Ends the current block of the chain: later entries go into another. `done` gets the last block with everything
    /// submitted before, once that is durable. So a state can be hashed while the chain goes on.
    pub fn end_block(
        &self,
        done: impl FnOnce(Result<CheckpointTarget, WriterStopped>) + Send + 'static,
    ) -> Result<(), WriterStopped> {
        self.queue.put(Item::EndBlock { index: self.index, done: Box::new(done) })
    }

    /// Signs a checkpoint for everything up to a target, with the hash of the state after it. `done` gets `None` if the
    /// target is too far back ([`MAX_CHECKPOINT_DISTANCE`](crate::MAX_CHECKPOINT_DISTANCE)).
    pub fn checkpoint(
        &self,
        target: CheckpointTarget,
        state: Hash,
        time: u64,
        done: impl FnOnce(Result<Option<Checkpoint>, WriterStopped>) + Send + 'static,
    ) -> Result<(), WriterStopped> {
        self.queue.put(Item::Checkpoint { index: self.index, target, state, time, done: Box::new(done) })
    }
}

/// The writer's thread.
fn write(queue: &Queue, mut journal: Box<dyn Journal>, mut builder: BatchBuilder) -> Box<dyn Journal> {
    let broken = StopOnPanic(queue);
    let mut waiting = Vec::new();
    while queue.take(&mut waiting) {
        let mut items = waiting.drain(..);
        loop {
            let batch = builder.next_batch(&mut items, &mut *journal);
            if batch.weight() == 0 {
                break;
            }
            // A batch without blocks only waits for earlier ones.
            let (blocks, slips) = (batch.blocks(), batch.slips());
            let stored = if blocks.is_empty() { Ok(()) } else { journal.append_with_slips(blocks, slips) };
            match stored {
                Ok(()) => {
                    queue.release(batch.weight());
                    batch.acknowledge();
                }
                Err(error) => {
                    let reason = WriterStopped::Failed(Arc::new(error));
                    let later = queue.stop(&reason);
                    batch.refuse(&reason);
                    items.chain(later).for_each(|item| item.refuse(&reason));
                    return journal;
                }
            }
        }
    }
    for late in queue.stop(&WriterStopped::Closed) {
        late.refuse(&WriterStopped::Closed);
    }
    drop(broken);
    journal
}

/// Releases everyone who waits if the writer's thread panics.
struct StopOnPanic<'a>(&'a Queue);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            for item in self.0.stop(&WriterStopped::Panicked) {
                item.refuse(&WriterStopped::Panicked);
            }
        }
    }
}
