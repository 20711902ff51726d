//! An archive that can be stopped, so that reading a long record can be cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taisai_journal::{
    Archive, ChainHead, ChainName, Hash, ReadError, SnapshotError, StoredSlip, StoredSnapshot, StrayBlock,
};

pub(super) struct Stoppable {
    archive: Box<dyn Archive>,
    is_stopped: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
#[error("reading was cancelled")]
struct StopRequested;

impl Stoppable {
    pub(super) fn new(archive: Box<dyn Archive>, is_stopped: Arc<AtomicBool>) -> Self {
        Self { archive, is_stopped }
    }

    fn go_on(&self) -> Result<(), ReadError> {
        if self.is_stopped.load(Ordering::Relaxed) { Err(ReadError::Failed(Box::new(StopRequested))) } else { Ok(()) }
    }
}

impl Archive for Stoppable {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        self.go_on()?;
        self.archive.heads()
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.go_on()?;
        self.archive.read(chain, from, bytes)
    }

    fn strays(&mut self) -> Result<Vec<StrayBlock>, ReadError> {
        self.go_on()?;
        self.archive.strays()
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        self.go_on()?;
        self.archive.slips(chain, from, most, bytes)
    }

    fn put_snapshot(
        &mut self,
        chain: &ChainName,
        position: u64,
        state: Hash,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        self.archive.put_snapshot(chain, position, state, bytes)
    }

    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        self.archive.snapshots(chain)
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        self.archive.read_snapshot(chain, position)
    }
}
