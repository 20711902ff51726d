//! How a batch of blocks moves the heads of its chains. Every store checks that each head is where the batch begins.

use std::collections::BTreeMap;

use crate::block::Block;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{AppendError, ChainHead, StoredSlip};

/// How a batch moves one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadMove<'a> {
    pub(crate) chain: &'a ChainName,
    pub(crate) epoch: u64,
    pub(crate) from: u64,
    pub(crate) previous: Hash,
    pub(crate) next: u64,
    pub(crate) hash: Hash,
}

impl HeadMove<'_> {
    /// Whether a chain with that head can be moved so.
    pub(crate) fn starts_at(&self, head: &ChainHead) -> bool {
        (self.epoch, self.from, self.previous) == (head.epoch, head.next, head.hash)
    }

    pub(crate) fn fenced(&self) -> AppendError {
        AppendError::Fenced { chain: self.chain.clone(), position: self.from, epoch: self.epoch }
    }
}

/// The moves of a batch in the order of names, which is the order in which a database locks the chains. The blocks of a
/// chain must follow each other.
///
/// # Panics
/// If a slip is of a chain without a block: nothing would fence it.
pub(crate) fn moves<'a>(blocks: &'a [Block], slips: &[StoredSlip]) -> Result<Vec<HeadMove<'a>>, AppendError> {
    let mut moves: BTreeMap<&ChainName, HeadMove<'_>> = BTreeMap::new();
    for block in blocks {
        let header = block.header();
        let (next, hash) = (header.position + 1, block.hash());
        let entry = moves.entry(&header.chain).or_insert_with(|| HeadMove {
            chain: &header.chain,
            epoch: header.epoch,
            from: header.position,
            previous: header.previous,
            next: header.position,
            hash: header.previous,
        });
        if (entry.epoch, entry.next, entry.hash) != (header.epoch, header.position, header.previous) {
            return Err(AppendError::Fenced {
                chain: header.chain.clone(),
                position: header.position,
                epoch: header.epoch,
            });
        }
        (entry.next, entry.hash) = (next, hash);
    }
    assert!(slips.iter().all(|slip| moves.contains_key(&slip.chain)), "a slip is stored with a block of its chain");
    Ok(moves.into_values().collect())
}
