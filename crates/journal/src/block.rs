//! A block: where it belongs, what kind it is, its body, and the hash of all that. `docs/record.md` has the bytes.
//!
//! A block is only ever made whole: sealed here, or decoded from bytes that were checked to the last one. Whether it
//! follows the block before it is the business of the store that takes it and of the verifier that reads it.

use crate::chain::ChainName;
use crate::checkpoint::Checkpoint;
use crate::entries::{Entries, EntriesIn};
use crate::genesis::Genesis;
use crate::hash::Hash;

/// The version of the format that this program writes and reads.
pub const BLOCK_FORMAT: u8 = 1;

/// What this program understands of chains; a chain's genesis says what it takes.
pub const READER_VERSION: u16 = 1;

/// The most bytes in the body of a block.
pub const MAX_BODY_BYTES: usize = (1 << 28) - 1;

/// The most bytes of a block.
pub const MAX_BLOCK_BYTES: usize = FIXED + ChainName::LONGEST + MAX_BODY_BYTES;

/// Positions and epochs are below 2^63, as both databases have signed numbers only.
pub const MAX_BLOCK_NUMBER: u64 = u64::MAX >> 1;

/// The most bytes of the owner's name in a take-over block.
pub const MAX_OWNER_BYTES: usize = 256;

/// Bytes beside the name and the body.
const FIXED: usize = 3 + 8 + 8 + Hash::LENGTH + 4 + Hash::LENGTH;

/// The kind of a checkpoint.
const CHECKPOINT: u8 = 2;

/// Where a block belongs in its chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// The chain.
    pub chain: ChainName,
    /// The position in it, from zero.
    pub position: u64,
    /// The epoch of the writer.
    pub epoch: u64,
    /// The hash of the block before it.
    pub previous: Hash,
}

/// What is in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockContent {
    /// The first block of a chain.
    Genesis(Genesis),
    /// Entries; [`Block::entries`] reads them.
    Entries,
    /// A checkpoint.
    Checkpoint(Box<Checkpoint>),
    /// A new writer, and what it calls itself.
    TakeOver(String),
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    bytes: Vec<u8>,
    header: BlockHeader,
    content: BlockContent,
    hash: Hash,
}

/// Why bytes are not a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBlock {
    /// A newer program wrote it.
    #[error("it has format {0}, and this program reads {BLOCK_FORMAT}")]
    Version(u8),
    /// Bytes are missing or left over.
    #[error("it has the wrong length")]
    Length,
    /// The bytes are not those that were written.
    #[error("its bytes do not fit its hash")]
    Hash,
    /// The hash is right, but the fields are not.
    #[error("its fields make no sense")]
    Fields,
}

impl Block {
    /// The first block of a chain.
    pub fn genesis(header: BlockHeader, genesis: Genesis) -> Self {
        Self::seal(header, BlockContent::Genesis(genesis), &[&genesis.to_body()])
    }

    /// A block of entries, buffer after buffer.
    ///
    /// # Panics
    /// If there are more bytes than a block holds.
    pub fn of_entries(header: BlockHeader, buffers: &[&Entries]) -> Self {
        let parts: Vec<&[u8]> = buffers.iter().map(|entries| entries.bytes()).collect();
        Self::seal(header, BlockContent::Entries, &parts)
    }

    /// A block with a checkpoint.
    pub fn checkpoint(header: BlockHeader, checkpoint: Checkpoint) -> Self {
        let body = checkpoint.to_body();
        Self::seal(header, BlockContent::Checkpoint(Box::new(checkpoint)), &[&body])
    }

    /// The first block of a new writer.
    ///
    /// # Panics
    /// If the name is too long.
    pub fn take_over(header: BlockHeader, owner: String) -> Self {
        assert!(owner.len() <= MAX_OWNER_BYTES, "a writer has a short name");
        let body = owner.clone();
        Self::seal(header, BlockContent::TakeOver(owner), &[body.as_bytes()])
    }

    fn seal(header: BlockHeader, content: BlockContent, body: &[&[u8]]) -> Self {
        assert!(header.position <= MAX_BLOCK_NUMBER && header.epoch <= MAX_BLOCK_NUMBER, "no chain is that long");
        let name = header.chain.as_str().as_bytes();
        let length: usize = body.iter().map(|part| part.len()).sum();
        assert!(length <= MAX_BODY_BYTES, "a block's body is bounded");
        let mut bytes = Vec::with_capacity(FIXED + name.len() + length);
        bytes.push(BLOCK_FORMAT);
        bytes.push(match content {
            BlockContent::Genesis(_) => 0,
            BlockContent::Entries => 1,
            BlockContent::Checkpoint(_) => CHECKPOINT,
            BlockContent::TakeOver(_) => 3,
        });
        bytes.push(name.len().try_into().expect("a chain's name is short"));
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(&header.position.to_le_bytes());
        bytes.extend_from_slice(&header.epoch.to_le_bytes());
        bytes.extend_from_slice(header.previous.as_bytes());
        bytes.extend_from_slice(&u32::try_from(length).expect("a block's body is bounded").to_le_bytes());
        for part in body {
            bytes.extend_from_slice(part);
        }
        let hash = Hash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        Self { bytes, header, content, hash }
    }

    /// Reads a block, checking all that can be checked without its neighbours.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, BadBlock> {
        // The version first: of a newer block nothing else is known.
        match bytes.first() {
            Some(&BLOCK_FORMAT) => {}
            Some(&version) => return Err(BadBlock::Version(version)),
            None => return Err(BadBlock::Length),
        }
        if bytes.len() > MAX_BLOCK_BYTES {
            return Err(BadBlock::Length);
        }
        let (sealed, hash) = bytes.split_last_chunk().ok_or(BadBlock::Length)?;
        let hash = Hash::from_bytes(*hash);
        let (kind, header, body) = fields(sealed).ok_or(BadBlock::Length)?;
        if Hash::of(sealed) != hash {
            return Err(BadBlock::Hash);
        }
        let (chain, position, epoch, previous) = header;
        let chain = ChainName::from_bytes(chain).map_err(|_| BadBlock::Fields)?;
        let content = content(kind, &chain, body).ok_or(BadBlock::Fields)?;
        if position > MAX_BLOCK_NUMBER || epoch > MAX_BLOCK_NUMBER {
            return Err(BadBlock::Fields);
        }
        Ok(Self { header: BlockHeader { chain, position, epoch, previous }, content, hash, bytes })
    }

    /// Whether bytes claim to be a checkpoint. Nothing else is checked, so it is quick.
    pub fn says_checkpoint(bytes: &[u8]) -> bool {
        matches!(bytes, [BLOCK_FORMAT, CHECKPOINT, ..])
    }

    /// Where it belongs.
    pub const fn header(&self) -> &BlockHeader {
        &self.header
    }

    /// What is in it.
    pub const fn content(&self) -> &BlockContent {
        &self.content
    }

    /// Its hash.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// All its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its body.
    pub fn body(&self) -> &[u8] {
        let start = FIXED - Hash::LENGTH + self.header.chain.as_str().len();
        &self.bytes[start..self.bytes.len() - Hash::LENGTH]
    }

    /// Its entries, in order; none if it is of another kind.
    ///
    /// # Panics
    /// Never: they were checked when the block was made.
    pub fn entries(&self) -> impl Iterator<Item = &[u8]> {
        let body = match self.content {
            BlockContent::Entries => self.body(),
            BlockContent::Genesis(_) | BlockContent::Checkpoint(_) | BlockContent::TakeOver(_) => &[],
        };
        EntriesIn::new(body).map(|entry| entry.expect("a block's entries were checked when it was made"))
    }
}

type RawHeader<'a> = (&'a [u8], u64, u64, Hash);

/// Cuts a block, without its hash, into kind, header and body, if it has exactly the bytes it says.
fn fields(sealed: &[u8]) -> Option<(u8, RawHeader<'_>, &[u8])> {
    let (&[_, kind, name], rest) = sealed.split_first_chunk()?;
    let (chain, rest) = rest.split_at_checked(name.into())?;
    let (position, rest) = rest.split_first_chunk()?;
    let (epoch, rest) = rest.split_first_chunk()?;
    let (previous, rest) = rest.split_first_chunk()?;
    let (length, body) = rest.split_first_chunk()?;
    if u32::from_le_bytes(*length) != u32::try_from(body.len()).ok()? {
        return None;
    }
    let header = (chain, u64::from_le_bytes(*position), u64::from_le_bytes(*epoch), Hash::from_bytes(*previous));
    Some((kind, header, body))
}

fn content(kind: u8, chain: &ChainName, body: &[u8]) -> Option<BlockContent> {
    match kind {
        0 => Genesis::from_body(body).map(BlockContent::Genesis),
        1 => EntriesIn::new(body).all(|entry| entry.is_ok()).then_some(BlockContent::Entries),
        CHECKPOINT => {
            Checkpoint::from_body(chain, body).map(|checkpoint| BlockContent::Checkpoint(Box::new(checkpoint)))
        }
        3 if body.len() <= MAX_OWNER_BYTES => {
            str::from_utf8(body).ok().map(|owner| BlockContent::TakeOver(owner.into()))
        }
        _ => None,
    }
}
