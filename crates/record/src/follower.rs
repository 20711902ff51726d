//! A machine that follows a chain which another program writes.

use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainName, PublicKey};

use crate::machine::RecordedMachine;
use crate::replay::{ChainReplay, ReplayError, ReplayEvent, ReplayState};
use crate::store::{Address, StoreError};

/// Why a chain cannot be followed now.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The store cannot be reached.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chain cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl FollowError {
    /// Whether an entry cannot be read: the follower stays before it for good.
    pub const fn is_unreadable(&self) -> bool {
        match self {
            Self::Replay(error) => error.is_unreadable(),
            Self::Store(_) => false,
        }
    }
}

/// Follows one chain. After an error of the store the next step opens it again, and goes on where it was. An entry that cannot be read
/// ends it: every later step gives the same error, and the machine is not to be relied on.
pub struct ChainFollower<M> {
    address: Address,
    archive: Option<Box<dyn Archive>>,
    chain: ChainName,
    keys: Vec<PublicKey>,
    reading: Option<ReplayState<M>>,
}

impl<M: RecordedMachine> ChainFollower<M> {
    /// Follows a chain of the store at an address. Snapshots must be confirmed with one of the keys.
    pub const fn new(address: Address, chain: ChainName, keys: Vec<PublicKey>) -> Self {
        Self { address, archive: None, chain, keys, reading: None }
    }

    /// The machine in its current state, once its opening is read.
    pub fn machine(&self) -> Option<&M> {
        self.reading.as_ref().and_then(ReplayState::machine)
    }

    /// Replays everything written since.
    pub fn follow(&mut self, look: impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()>) -> Result<(), FollowError> {
        let mut archive = match self.archive.take() {
            Some(archive) => archive,
            None => self.address.archive()?,
        };
        let mut replay = match self.reading.take() {
            Some(reading) => ChainReplay::resume(&mut *archive, reading),
            None => ChainReplay::from_snapshot(&mut *archive, &self.chain, &self.keys, |_| true, |_, _| {})?,
        };
        let went = replay.run(look);
        self.reading = Some(replay.pause());
        if went.as_ref().err().is_none_or(ReplayError::is_unreadable) {
            self.archive = Some(archive);
        }
        Ok(went?)
    }
}
