//! The store in memory, for tests. It writes a log to a simulated disk that can fail in every way, and after a crash it
//! has what the log has.

mod disk;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub use disk::{DiskFault, DiskStep, FaultDuration};

use crate::batch::moves;
use crate::block::{Block, MAX_BLOCK_NUMBER};
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{
    AppendError, Archive, Cause, ChainHead, ClaimError, Journal, MAX_SNAPSHOTS_PER_CHAIN, ReadError, SnapshotError,
    StoredSlip, StoredSnapshot,
};
use disk::{Disk, FailedStep};

/// A store in memory, shared by its handles.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<Disk>>);

impl MemoryStore {
    /// Plans a fault.
    pub fn plan(&self, fault: DiskFault) {
        self.disk().plan(fault);
    }

    /// How many writes and flushes there were.
    pub fn steps(&self) -> (u64, u64) {
        self.disk().steps()
    }

    /// Simulates a crash. Unflushed bytes are lost, except for the first `kept`. The planned fault is cleared, and
    /// handles opened before are dead.
    pub fn crash(&self, kept: usize) {
        self.disk().crash(kept);
    }

    /// Another store with the same past.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self(Arc::new(Mutex::new(self.disk().clone())))
    }

    /// How many bytes were written and not flushed.
    pub fn unflushed(&self) -> usize {
        self.disk().unflushed()
    }

    /// Tampers with the stored blocks of a chain.
    pub fn tamper(&self, chain: &ChainName, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
        if let Some(found) = self.disk().chains.get_mut(chain) {
            change(&mut found.blocks);
        }
    }

    /// Tampers with the slips that are kept beside a chain.
    pub fn tamper_slips(&self, chain: &ChainName, change: impl FnOnce(&mut BTreeMap<u64, Vec<u8>>)) {
        if let Some(found) = self.disk().chains.get_mut(chain) {
            change(&mut found.slips);
        }
    }

    /// A handle to write with.
    pub fn open(&self) -> MemoryJournal {
        MemoryJournal { generation: self.disk().generation, memory: self.clone() }
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().expect("a disk in memory is never left half changed")
    }
}

/// A handle on a store in memory.
#[derive(Debug)]
pub struct MemoryJournal {
    memory: MemoryStore,
    generation: u64,
}

impl MemoryJournal {
    fn usable(&self) -> Option<MutexGuard<'_, Disk>> {
        let disk = self.memory.disk();
        (disk.generation == self.generation && !disk.broken).then_some(disk)
    }
}

impl Journal for MemoryJournal {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        let mut disk = self.usable().ok_or(ClaimError::Poisoned)?;
        let current = disk.chains.get(chain).map_or(0, |found| found.head.epoch);
        if epoch <= current || epoch > MAX_BLOCK_NUMBER {
            return Err(ClaimError::Refused { chain: chain.clone(), epoch });
        }
        disk.store_claim(chain, epoch).map_err(|broken| ClaimError::Failed(broken.into()))?;
        Ok(disk.chains[chain].head.clone())
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        let mut disk = self.usable().ok_or(AppendError::Poisoned)?;
        for moved in moves(blocks, slips)? {
            let head = disk.chains.get(moved.chain).map(|found| &found.head);
            if !head.is_some_and(|head| moved.starts_at(head)) {
                return Err(moved.fenced());
            }
        }
        disk.store_blocks(blocks, slips).map_err(|broken| match broken {
            FailedStep::Write => AppendError::Failed(broken.into()),
            FailedStep::Flush => AppendError::Unknown(broken.into()),
        })
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        Ok(Box::new(self.memory.clone()))
    }
}

impl Archive for MemoryStore {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        Ok(self.disk().chains.values().map(|chain| chain.head.clone()).collect())
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let disk = self.disk();
        let blocks = disk.chains.get(chain).map_or(&[][..], |chain| &chain.blocks);
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut total = 0;
        for block in blocks.iter().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
            total += block.len();
            if total > bytes && !found.is_empty() {
                break;
            }
            found.push(block.clone());
        }
        Ok(found)
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        let disk = self.disk();
        let slips = disk.chains.get(chain).into_iter().flat_map(|found| found.slips.range(from..));
        let mut found: Vec<StoredSlip> = Vec::new();
        let mut total = 0;
        for (round, slip) in slips.take(most.into()) {
            total += slip.len();
            if total > bytes && !found.is_empty() {
                break;
            }
            found.push(StoredSlip { chain: chain.clone(), round: *round, bytes: slip.clone() });
        }
        Ok(found)
    }

    fn put_snapshot(
        &mut self,
        chain: &ChainName,
        position: u64,
        state: Hash,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        let mut disk = self.disk();
        let snapshots = disk.snapshots.entry(chain.clone()).or_default();
        snapshots.insert(position, (state, bytes.to_vec()));
        while snapshots.len() > MAX_SNAPSHOTS_PER_CHAIN {
            snapshots.pop_first();
        }
        Ok(())
    }

    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        let disk = self.disk();
        let kept = disk.snapshots.get(chain).into_iter().flatten().rev();
        kept.map(|(&position, (state, bytes))| {
            let length = bytes.len().try_into().map_err(|error| SnapshotError::Failed(Cause::from(error)))?;
            Ok(StoredSnapshot { position, state: *state, length })
        })
        .collect()
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        let disk = self.disk();
        let found = disk.snapshots.get(chain).and_then(|kept| kept.get(&position));
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| SnapshotError::Missing { chain: chain.clone(), position })
    }
}
