//! The last block of each chain that a store has acknowledged to this process. A server that is promoted without the
//! newest blocks has a shorter chain that is sound in itself: only those who were told of more can notice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::block::Block;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{AppendError, Archive, ChainHead, ClaimError, Journal, ReadError, StoredSlip};

/// What was acknowledged to this process, whichever handle it was through. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct AcknowledgedHeads(Arc<Mutex<BTreeMap<ChainName, LastBlock>>>);

#[derive(Clone, Copy, Debug)]
struct LastBlock {
    position: u64,
    hash: Hash,
}

impl AcknowledgedHeads {
    /// Notes what this journal acknowledges, and has it claim no chain that lacks a block acknowledged before.
    pub fn guard(&self, journal: Box<dyn Journal>) -> Box<dyn Journal> {
        Box::new(GuardedJournal { journal, acknowledged: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChainName, LastBlock>> {
        self.0.lock().expect("nobody panics while holding it")
    }

    fn note(&self, blocks: &[Block]) {
        let mut heads = self.lock();
        for block in blocks {
            let header = block.header();
            let last = LastBlock { position: header.position, hash: block.hash() };
            match heads.get_mut(&header.chain) {
                // A former writer of this process may come to note its last block after the next one has.
                Some(before) if before.position >= last.position => {}
                Some(before) => *before = last,
                None => drop(heads.insert(header.chain.clone(), last)),
            }
        }
    }

    fn last(&self, chain: &ChainName) -> Option<LastBlock> {
        self.lock().get(chain).copied()
    }
}

/// Whether the store still holds the last acknowledged block of a chain.
fn check(last: LastBlock, archive: &mut dyn Archive, chain: &ChainName) -> Result<(), ClaimError> {
    let failed = |error: ReadError| ClaimError::Failed(error.into());
    let next = archive.heads().map_err(failed)?.into_iter().find(|head| head.chain == *chain);
    let next = next.map_or(0, |head| head.next);
    let lost = |first| ClaimError::Lost { chain: chain.clone(), first, last: last.position };
    if next <= last.position {
        return Err(lost(next));
    }
    let bytes = archive.read(chain, last.position, 1).map_err(failed)?.into_iter().next();
    let block = bytes.and_then(|bytes| Block::decode(bytes).ok());
    if block.is_some_and(|block| block.hash() == last.hash) { Ok(()) } else { Err(lost(last.position)) }
}

struct GuardedJournal {
    journal: Box<dyn Journal>,
    acknowledged: AcknowledgedHeads,
}

impl Journal for GuardedJournal {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        if let Some(last) = self.acknowledged.last(chain) {
            let mut archive = self.journal.archive().map_err(|error| ClaimError::Failed(error.into()))?;
            check(last, &mut *archive, chain)?;
        }
        self.journal.claim(chain, epoch)
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        self.journal.append_with_slips(blocks, slips)?;
        self.acknowledged.note(blocks);
        Ok(())
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        self.journal.archive()
    }
}
