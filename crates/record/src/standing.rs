//! How the chains of a record stand: how long each is, and up to where and when somebody vouched for it.

use serde::Serialize;
use taisai_journal::{Archive, Block, Content, Head, ReadError};
use taisai_table::Time;

use crate::replay::BATCH;

/// So many blocks at the end of a chain are looked at.
pub(crate) const LOOKED_BACK: u64 = 256;

/// How a chain stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Standing {
    /// The chain.
    pub chain: String,
    /// How many blocks it has.
    pub blocks: u64,
    /// How often it was taken over.
    pub epoch: u64,
    /// The newest checkpoint among its last blocks.
    pub checkpoint: Option<Vouching>,
}

/// A checkpoint, as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Vouching {
    /// The last block that it vouches for.
    pub position: u64,
    /// When it was signed.
    pub time: Time,
}

/// How every chain stands.
pub fn standings(archive: &mut dyn Archive) -> Result<Vec<Standing>, ReadError> {
    let heads = archive.heads()?;
    heads.iter().map(|head| standing(archive, head)).collect()
}

fn standing(archive: &mut dyn Archive, head: &Head) -> Result<Standing, ReadError> {
    let newest = newest_checkpoint(archive, head)?.and_then(|bytes| Block::decode(bytes).ok());
    let checkpoint = match newest.as_ref().map(Block::content) {
        Some(Content::Checkpoint(signed)) => {
            Some(Vouching { position: signed.vouched.position, time: Time(signed.vouched.time) })
        }
        Some(_) | None => None,
    };
    Ok(Standing { chain: head.chain.to_string(), blocks: head.next, epoch: head.epoch, checkpoint })
}

/// The newest of the last blocks of a chain that says it is a checkpoint, unchecked.
pub(crate) fn newest_checkpoint(archive: &mut dyn Archive, head: &Head) -> Result<Option<Vec<u8>>, ReadError> {
    let mut newest = None;
    let mut next = head.next.saturating_sub(LOOKED_BACK);
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
