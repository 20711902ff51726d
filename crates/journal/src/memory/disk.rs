//! The disk under the store in memory: one log, of which a part is flushed. A record of the log is its length, its
//! parts and a hash, so that a torn one at the end is seen and dropped whole.

use std::collections::BTreeMap;

use crate::block::Block;
use crate::chain::ChainName;
use crate::hash::Hash;
use crate::journal::{ChainHead, StoredSlip};

/// A fault of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskFault {
    /// The first step that fails.
    pub at: DiskStep,
    /// Whether the steps of that kind after it fail too.
    pub lasts: FaultDuration,
    /// How many bytes a failing write has written when it fails.
    pub short: usize,
}

/// A step of a disk, counted from one for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskStep {
    /// A write.
    Write(u64),
    /// A flush.
    Flush(u64),
}

/// How long a fault lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultDuration {
    /// One step.
    Once,
    /// All steps from then on.
    ForEver,
}

/// A step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FailedStep {
    #[error("a write failed")]
    Write,
    #[error("a flush failed")]
    Flush,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    pub(super) chains: BTreeMap<ChainName, Stored>,
    pub(super) snapshots: BTreeMap<ChainName, BTreeMap<u64, (Hash, Vec<u8>)>>,
    /// Whether a step failed since the last crash.
    pub(super) broken: bool,
    /// How many crashes there were.
    pub(super) generation: u64,
    log: Vec<u8>,
    flushed: usize,
    writes: u64,
    flushes: u64,
    fault: Option<DiskFault>,
}

#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) head: ChainHead,
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) slips: BTreeMap<u64, Vec<u8>>,
}

const CLAIM: u8 = 0;
const BLOCKS: u8 = 1;

impl Disk {
    pub(super) fn plan(&mut self, fault: DiskFault) {
        self.fault = Some(fault);
    }

    pub(super) const fn steps(&self) -> (u64, u64) {
        (self.writes, self.flushes)
    }

    pub(super) const fn unflushed(&self) -> usize {
        self.log.len() - self.flushed
    }

    pub(super) fn crash(&mut self, kept: usize) {
        self.log.truncate(self.flushed + kept);
        let log = std::mem::take(&mut self.log);
        *self =
            Self { snapshots: std::mem::take(&mut self.snapshots), generation: self.generation + 1, ..Self::default() };
        let mut rest = &log[..];
        while let Some(record) = take_record(&mut rest) {
            self.replay(record);
        }
        self.flushed = log.len() - rest.len();
        self.log = log[..self.flushed].to_vec();
    }

    pub(super) fn store_claim(&mut self, chain: &ChainName, epoch: u64) -> Result<(), FailedStep> {
        self.record(&[&[CLAIM], chain.as_str().as_bytes(), &[0], &epoch.to_le_bytes()])?;
        self.apply_claim(chain.clone(), epoch);
        Ok(())
    }

    /// A slip begins with the name of its chain and a zero, and then has the round.
    pub(super) fn store_blocks(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), FailedStep> {
        let count = length(blocks.len());
        let slip =
            |slip: &StoredSlip| [slip.chain.as_str().as_bytes(), &[0], &slip.round.to_le_bytes(), &slip.bytes].concat();
        let kept: Vec<Vec<u8>> = slips.iter().map(slip).collect();
        let stored: Vec<&[u8]> = blocks.iter().map(Block::bytes).chain(kept.iter().map(Vec::as_slice)).collect();
        let lengths: Vec<[u8; 4]> = stored.iter().map(|bytes| length(bytes.len())).collect();
        let mut parts: Vec<&[u8]> = vec![&[BLOCKS], &count];
        for (bytes, length) in stored.iter().zip(&lengths) {
            parts.extend([&length[..], bytes]);
        }
        self.record(&parts)?;
        for block in blocks {
            self.apply_block(block);
        }
        for StoredSlip { chain, round, bytes } in slips {
            self.apply_slip(chain, *round, bytes);
        }
        Ok(())
    }

    /// Every part is a write of its own, and the record has one flush.
    fn record(&mut self, parts: &[&[u8]]) -> Result<(), FailedStep> {
        let all = parts.concat();
        let stored = self.write(&length(all.len())).and_then(|()| {
            parts.iter().try_for_each(|part| self.write(part))?;
            self.write(Hash::of(&all).as_bytes())?;
            self.flush()
        });
        self.broken = stored.is_err();
        stored
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FailedStep> {
        self.writes += 1;
        if let Some(DiskFault { at: DiskStep::Write(at), lasts, short }) = self.fault
            && fails(self.writes, at, lasts)
        {
            self.log.extend_from_slice(&bytes[..short.min(bytes.len())]);
            return Err(FailedStep::Write);
        }
        self.log.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), FailedStep> {
        self.flushes += 1;
        if let Some(DiskFault { at: DiskStep::Flush(at), lasts, .. }) = self.fault
            && fails(self.flushes, at, lasts)
        {
            return Err(FailedStep::Flush);
        }
        self.flushed = self.log.len();
        Ok(())
    }

    fn replay(&mut self, record: &[u8]) {
        let damaged = "a record with the right hash is as it was written";
        match record.split_first().expect(damaged) {
            (&CLAIM, rest) => {
                let name = rest.split(|byte| *byte == 0).next().expect(damaged);
                let epoch = rest.last_chunk().expect(damaged);
                self.apply_claim(ChainName::from_bytes(name).expect(damaged), u64::from_le_bytes(*epoch));
            }
            (_, rest) => {
                let (count, mut rest) = rest.split_first_chunk().expect(damaged);
                for _ in 0..u32::from_le_bytes(*count) {
                    let bytes = take_part(&mut rest).expect(damaged);
                    self.apply_block(&Block::decode(bytes.to_vec()).expect(damaged));
                }
                while let Some(slip) = take_part(&mut rest) {
                    let name = slip.split(|byte| *byte == 0).next().expect(damaged);
                    let (round, bytes) = slip[name.len() + 1..].split_first_chunk().expect(damaged);
                    self.apply_slip(&ChainName::from_bytes(name).expect(damaged), u64::from_le_bytes(*round), bytes);
                }
            }
        }
    }

    fn apply_claim(&mut self, chain: ChainName, epoch: u64) {
        let head = ChainHead { chain: chain.clone(), epoch, next: 0, hash: Hash::NONE };
        self.chains.entry(chain).or_insert(Stored { head, blocks: Vec::new(), slips: BTreeMap::new() }).head.epoch =
            epoch;
    }

    fn apply_block(&mut self, block: &Block) {
        let chain = self.chains.get_mut(&block.header().chain).expect("blocks follow a claim");
        chain.head.next = block.header().position + 1;
        chain.head.hash = block.hash();
        chain.blocks.push(block.bytes().to_vec());
    }

    fn apply_slip(&mut self, chain: &ChainName, round: u64, bytes: &[u8]) {
        self.chains.get_mut(chain).expect("slips follow a claim").slips.insert(round, bytes.to_vec());
    }
}

fn fails(step: u64, at: u64, lasts: FaultDuration) -> bool {
    match lasts {
        FaultDuration::Once => step == at,
        FaultDuration::ForEver => step >= at,
    }
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).expect("tests write little").to_le_bytes()
}

fn take_part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length).try_into().ok()?)?;
    *bytes = rest;
    Some(part)
}

fn take_record<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = *bytes;
    let record = take_part(&mut rest)?;
    let (hash, rest) = rest.split_first_chunk()?;
    if Hash::from_bytes(*hash) != Hash::of(record) {
        return None;
    }
    *bytes = rest;
    Some(record)
}
