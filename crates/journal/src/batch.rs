//! What a batch of blocks does to the heads of its chains. Every store asks the same: does each chain stand where the
//! batch begins? If so it stands where the batch ends.

use std::collections::BTreeMap;

use crate::block::Block;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{AppendError, Head};

/// How a batch moves one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Move<'a> {
    pub(crate) chain: &'a ChainName,
    pub(crate) epoch: u64,
    pub(crate) from: u64,
    pub(crate) previous: Hash,
    pub(crate) next: u64,
    pub(crate) hash: Hash,
}

impl Move<'_> {
    /// Whether a chain with that head can be moved so.
    pub(crate) fn starts_at(&self, head: &Head) -> bool {
        (self.epoch, self.from, self.previous) == (head.epoch, head.next, head.hash)
    }

    pub(crate) fn fenced(&self) -> AppendError {
        AppendError::Fenced { chain: self.chain.clone(), position: self.from, epoch: self.epoch }
    }
}

/// The moves of a batch in the order of names, which is the order in which a database locks the chains. The blocks of a
/// chain must follow each other.
pub(crate) fn moves(blocks: &[Block]) -> Result<Vec<Move<'_>>, AppendError> {
    let mut moves: BTreeMap<&ChainName, Move<'_>> = BTreeMap::new();
    for block in blocks {
        let place = block.place();
        let (next, hash) = (place.position + 1, block.hash());
        let entry = moves.entry(&place.chain).or_insert_with(|| Move {
            chain: &place.chain,
            epoch: place.epoch,
            from: place.position,
            previous: place.previous,
            next: place.position,
            hash: place.previous,
        });
        if (entry.epoch, entry.next, entry.hash) != (place.epoch, place.position, place.previous) {
            return Err(AppendError::Fenced {
                chain: place.chain.clone(),
                position: place.position,
                epoch: place.epoch,
            });
        }
        (entry.next, entry.hash) = (next, hash);
    }
    Ok(moves.into_values().collect())
}
