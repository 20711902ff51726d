//! How the chains of a record stand: how long each is, and up to where and when somebody vouched for it.

use serde::Serialize;
use taisai_journal::{Archive, Block, Content, Head, ReadError};
use taisai_table::Time;

/// So many blocks at the end of a chain are looked at.
const LOOKED_BACK: u64 = 256;

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
    let mut checkpoint = None;
    for position in (head.next.saturating_sub(LOOKED_BACK)..head.next).rev() {
        let bytes = archive.read(&head.chain, position, 1)?.into_iter().next();
        if let Some(Content::Checkpoint(signed)) =
            bytes.and_then(|bytes| Block::decode(bytes).ok()).as_ref().map(Block::content)
        {
            checkpoint = Some(Vouching { position: signed.vouched.position, time: Time(signed.vouched.time) });
            break;
        }
    }
    Ok(Standing { chain: head.chain.to_string(), blocks: head.next, epoch: head.epoch, checkpoint })
}
