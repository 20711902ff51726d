//! The writer's queue, bounded by its bytes: submitters wait while it is full.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard};

use super::{CheckpointTarget, DurablePosition, TakeError, WriterStopped};
use crate::chain::ChainName;
use crate::checkpoint::Checkpoint;
use crate::entries::Entries;
use crate::genesis::Genesis;
use crate::hash::Hash;
use crate::journal::{ChainHead, StoredSlip};

/// The most bytes queued, with those that are being committed.
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// What an item counts beside its entries, so that many small ones are bounded too.
const ITEM_OVERHEAD_BYTES: usize = 128;

pub(super) type Done<T> = Box<dyn FnOnce(Result<T, WriterStopped>) + Send>;
pub(super) type Taken = Box<dyn FnOnce(Result<(usize, ChainHead), TakeError>) + Send>;

/// Something to write. `index` is the chain's among those of the writer.
pub(super) enum Item {
    Entries { index: usize, entries: Entries, slips: Vec<StoredSlip>, done: Done<DurablePosition> },
    EndBlock { index: usize, done: Done<CheckpointTarget> },
    Checkpoint { index: usize, target: CheckpointTarget, state: Hash, time: u64, done: Done<Option<Checkpoint>> },
    Take { chain: ChainName, epoch: u64, genesis: Genesis, done: Taken },
}

impl Item {
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Entries { entries, slips, .. } => {
                ITEM_OVERHEAD_BYTES + entries.bytes().len() + slips.iter().map(|slip| slip.bytes.len()).sum::<usize>()
            }
            Self::EndBlock { .. } | Self::Checkpoint { .. } | Self::Take { .. } => ITEM_OVERHEAD_BYTES,
        }
    }

    pub(super) fn refuse(self, reason: &WriterStopped) {
        match self {
            Self::Entries { done, .. } => done(Err(reason.clone())),
            Self::EndBlock { done, .. } => done(Err(reason.clone())),
            Self::Checkpoint { done, .. } => done(Err(reason.clone())),
            Self::Take { done, .. } => done(Err(reason.clone().into())),
        }
    }
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    arrived: Condvar,
    room: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: Vec<Item>,
    /// Of what is queued and of what is being committed.
    weight: usize,
    closing: bool,
    stopped: Option<WriterStopped>,
}

impl Queue {
    pub(super) fn put(&self, item: Item) -> Result<(), WriterStopped> {
        let weight = item.weight();
        let full = |state: &mut QueueState| {
            state.reason().is_none() && state.weight > 0 && state.weight + weight > MAX_QUEUED_BYTES
        };
        let mut state = self.room.wait_while(self.state(), full).expect(UNBROKEN);
        if let Some(reason) = state.reason() {
            return Err(reason);
        }
        state.weight += weight;
        state.waiting.push(item);
        // The writer waits only when the queue is empty.
        if state.waiting.len() == 1 {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Waits until something is queued and takes all of it; false if the queue is closed and empty.
    pub(super) fn take(&self, into: &mut Vec<Item>) -> bool {
        let nothing = |state: &mut QueueState| state.waiting.is_empty() && !state.closing;
        let mut state = self.arrived.wait_while(self.state(), nothing).expect(UNBROKEN);
        std::mem::swap(&mut state.waiting, into);
        !into.is_empty()
    }

    /// Makes room for more after a commit.
    pub(super) fn release(&self, weight: usize) {
        self.state().weight -= weight;
        self.room.notify_all();
    }

    /// Refuses new items. Queued ones are still written.
    pub(super) fn close(&self) {
        self.state().closing = true;
        self.arrived.notify_all();
        self.room.notify_all();
    }

    /// Stops for good and returns what was queued. The first reason stays.
    pub(super) fn stop(&self, reason: &WriterStopped) -> Vec<Item> {
        let mut state = self.state();
        state.stopped.get_or_insert_with(|| reason.clone());
        self.room.notify_all();
        std::mem::take(&mut state.waiting)
    }

    /// Why the writer stopped, if it did.
    pub(super) fn reason(&self) -> Option<WriterStopped> {
        self.state().stopped.clone()
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().expect(UNBROKEN)
    }
}

impl QueueState {
    fn reason(&self) -> Option<WriterStopped> {
        self.stopped.clone().or(self.closing.then_some(WriterStopped::Closed))
    }
}

const UNBROKEN: &str = "nothing panics while it holds the queue";

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("stopped", &self.reason()).finish_non_exhaustive()
    }
}
