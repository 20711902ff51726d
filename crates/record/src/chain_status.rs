//! The status of the chains of a record: how long each is, and its newest checkpoint.

use serde::Serialize;
use taisai_journal::{Archive, Block, BlockContent, ChainHead, ReadError};
use taisai_table::Time;

use crate::replay::BATCH;

/// The most blocks at the end of a chain that are searched for a checkpoint.
pub(crate) const MAX_CHECKPOINT_SEARCH: u64 = 256;

/// How a chain stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Standing))]
pub struct ChainStatus {
    /// The chain.
    pub chain: String,
    /// How many blocks it has.
    pub blocks: u64,
    /// How often it was taken over.
    pub epoch: u64,
    /// The newest checkpoint among its last blocks.
    pub checkpoint: Option<CheckpointStatus>,
}

/// A checkpoint, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Vouching))]
pub struct CheckpointStatus {
    /// The last block that it vouches for.
    pub position: u64,
    /// When it was signed.
    pub time: Time,
}

/// The status of every chain.
pub fn chain_statuses(archive: &mut dyn Archive) -> Result<Vec<ChainStatus>, ReadError> {
    let heads = archive.heads()?;
    heads.iter().map(|head| chain_status(archive, head)).collect()
}

fn chain_status(archive: &mut dyn Archive, head: &ChainHead) -> Result<ChainStatus, ReadError> {
    let newest = newest_checkpoint(archive, head)?.and_then(|bytes| Block::decode(bytes).ok());
    let checkpoint = match newest.as_ref().map(Block::content) {
        Some(BlockContent::Checkpoint(signed)) => {
            Some(CheckpointStatus { position: signed.content.position, time: Time(signed.content.time) })
        }
        Some(_) | None => None,
    };
    Ok(ChainStatus { chain: head.chain.to_string(), blocks: head.next, epoch: head.epoch, checkpoint })
}

/// The newest of the last blocks of a chain that says it is a checkpoint, unchecked.
pub(crate) fn newest_checkpoint(archive: &mut dyn Archive, head: &ChainHead) -> Result<Option<Vec<u8>>, ReadError> {
    let mut newest = None;
    let mut next = head.next.saturating_sub(MAX_CHECKPOINT_SEARCH);
    while next < head.next {
        let batch = archive.read(&head.chain, next, BATCH)?;
        if batch.is_empty() {
            break;
        }
        next += u64::try_from(batch.len()).unwrap_or(u64::MAX);
        newest = batch.into_iter().rfind(|bytes| Block::says_checkpoint(bytes)).or(newest);
    }
    Ok(newest)
}
