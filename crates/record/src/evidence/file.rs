//! The file of evidence, as described in `docs/record.md`. It may come from anyone: every length is checked before
//! memory is allocated, and the hash at the end before anything is used.

use taisai_journal::{Hash, MAX_BLOCK_BYTES};
use taisai_table::{RoundNumber, TableId};

use super::{ChainEvidence, LaterBlocks, RoundEvidence};

/// How a file begins; the last byte is the version of its form.
const MAGIC: &[u8] = b"taisai evidence\n\x01";

/// Why bytes are no evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEvidenceFile {
    #[error("this file is not evidence of a round")]
    Other,
    /// A newer program wrote them.
    #[error("the evidence has format {0}: use the newer program that wrote it")]
    Newer(u8),
    #[error("it is larger than {} bytes", RoundEvidence::LARGEST)]
    TooLarge,
    /// They do not fit their hash.
    #[error("its bytes do not fit its hash")]
    Hash,
    /// The hash is right, but the lengths are not.
    #[error("byte {0}: its lengths do not fit its bytes")]
    Lengths(usize),
}

impl RoundEvidence {
    /// No file is larger.
    pub const LARGEST: usize = 256 << 20;

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadEvidenceFile> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.table.0.to_le_bytes());
        bytes.extend_from_slice(&self.round.0.to_le_bytes());
        write_number(&mut bytes, self.parts.len())?;
        for part in &self.parts {
            write_all(&mut bytes, &part.beginning)?;
            bytes.push(u8::from(part.later.is_some()));
            if let Some(later) = &part.later {
                write(&mut bytes, &later.state)?;
                write_all(&mut bytes, &later.blocks)?;
            }
        }
        let hash = Hash::of(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        if bytes.len() > Self::LARGEST { Err(BadEvidenceFile::TooLarge) } else { Ok(bytes) }
    }

    /// Reads the bytes of a file. Whether they prove anything is shown by [`check`](Self::check).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadEvidenceFile> {
        let (magic, version) = (MAGIC.len() - 1, MAGIC[MAGIC.len() - 1]);
        if bytes.get(..magic) != Some(&MAGIC[..magic]) {
            return Err(BadEvidenceFile::Other);
        }
        match bytes.get(magic) {
            Some(found) if *found == version => {}
            Some(found) => return Err(BadEvidenceFile::Newer(*found)),
            None => return Err(BadEvidenceFile::Other),
        }
        if bytes.len() > Self::LARGEST {
            return Err(BadEvidenceFile::TooLarge);
        }
        let (content, hash) = bytes.split_last_chunk().ok_or(BadEvidenceFile::Hash)?;
        if Hash::of(content) != Hash::from_bytes(*hash) {
            return Err(BadEvidenceFile::Hash);
        }
        let mut reader = FileReader { bytes: content, at: MAGIC.len() };
        let table = TableId(u16::from_le_bytes(reader.array()?));
        let round = RoundNumber(u64::from_le_bytes(reader.array()?));
        let parts = (0..reader.number()?).map(|_| reader.part()).collect::<Result<_, _>>()?;
        if reader.at < content.len() {
            return Err(BadEvidenceFile::Lengths(reader.at));
        }
        Ok(Self { table, round, parts })
    }
}

fn write_number(bytes: &mut Vec<u8>, number: usize) -> Result<(), BadEvidenceFile> {
    bytes.extend_from_slice(&u32::try_from(number).map_err(|_| BadEvidenceFile::TooLarge)?.to_le_bytes());
    Ok(())
}

fn write(bytes: &mut Vec<u8>, part: &[u8]) -> Result<(), BadEvidenceFile> {
    write_number(bytes, part.len())?;
    bytes.extend_from_slice(part);
    Ok(())
}

fn write_all(bytes: &mut Vec<u8>, blocks: &[Vec<u8>]) -> Result<(), BadEvidenceFile> {
    write_number(bytes, blocks.len())?;
    blocks.iter().try_for_each(|block| write(bytes, block))
}

struct FileReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FileReader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], BadEvidenceFile> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(BadEvidenceFile::Lengths(self.at))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BadEvidenceFile> {
        let at = self.at;
        self.take(N)?.try_into().map_err(|_| BadEvidenceFile::Lengths(at))
    }

    fn number(&mut self) -> Result<usize, BadEvidenceFile> {
        let at = self.at;
        usize::try_from(u32::from_le_bytes(self.array()?)).map_err(|_| BadEvidenceFile::Lengths(at))
    }

    fn block(&mut self) -> Result<Vec<u8>, BadEvidenceFile> {
        let (at, length) = (self.at, self.number()?);
        if length > MAX_BLOCK_BYTES {
            return Err(BadEvidenceFile::Lengths(at));
        }
        self.take(length).map(<[u8]>::to_vec)
    }

    fn blocks(&mut self) -> Result<Vec<Vec<u8>>, BadEvidenceFile> {
        (0..self.number()?).map(|_| self.block()).collect()
    }

    fn part(&mut self) -> Result<ChainEvidence, BadEvidenceFile> {
        let beginning = self.blocks()?;
        let at = self.at;
        let later = match self.array()? {
            [0] => None,
            [1] => {
                let length = self.number()?;
                Some(LaterBlocks { state: self.take(length)?.to_vec(), blocks: self.blocks()? })
            }
            [_] => return Err(BadEvidenceFile::Lengths(at)),
        };
        Ok(ChainEvidence { beginning, later })
    }
}
