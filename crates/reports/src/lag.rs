//! How far the reporting tables are behind the record.

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_journal::{Archive, Block, BlockContent, ChainHead, ChainName};
use taisai_table::{
    ClusterCommand, ClusterEvent, Entry, HouseCommand, HouseEvent, RoundCommand, RoundEvent, Time, decode,
};

use super::value::SqlValue;
use super::{Projection, ProjectionError};
use taisai_record::first_opening;
use taisai_record::{ChainOpening, MachineSetup};

/// A place in a chain: the position of the next block, and the time of the last entry or opening before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChainProgress {
    pub next: u64,
    /// The time; zero where there is no entry.
    pub time: Time,
}

/// How far one chain is projected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectionLag {
    pub chain: ChainName,
    pub head: ChainProgress,
    pub projected: ChainProgress,
}

impl ProjectionLag {
    /// How many blocks the tables are behind.
    pub const fn blocks(&self) -> u64 {
        self.head.next.saturating_sub(self.projected.next)
    }
}

impl Projection {
    /// How far each chain is projected.
    pub fn lag(&mut self, archive: &mut dyn Archive) -> Result<Vec<ProjectionLag>, ProjectionError> {
        let rows = self.tables.query("SELECT chain, next, projected_at FROM chains", &[])?.rows;
        let number = |value: Option<&SqlValue>| value.and_then(SqlValue::number).and_then(|n| u64::try_from(n).ok());
        let heads = archive.heads()?;
        let mut lags = Vec::new();
        for head in heads {
            let row = rows.iter().find(|row| row.first().and_then(SqlValue::text) == Some(head.chain.as_str()));
            let part = |place: usize| number(row.and_then(|row| row.get(place))).unwrap_or(0);
            let projected = ChainProgress { next: part(1), time: Time(part(2)) };
            let time = if head.next > projected.next { newest(archive, &head)? } else { None };
            let head_at = ChainProgress { next: head.next, time: time.unwrap_or_default().max(projected.time) };
            lags.push(ProjectionLag { chain: head.chain, head: head_at, projected });
        }
        Ok(lags)
    }
}

/// The time of the last entry or opening of a chain, however many blocks without one stand behind it.
fn newest(archive: &mut dyn Archive, head: &ChainHead) -> Result<Option<Time>, ProjectionError> {
    let Some(opening) = first_opening(archive, &head.chain)? else { return Ok(None) };
    for position in (0..head.next).rev() {
        let Some(bytes) = archive.read(&head.chain, position, 1)?.into_iter().next() else { continue };
        let Ok(block) = Block::decode(bytes) else { continue };
        if !matches!(block.content(), BlockContent::Entries) {
            continue;
        }
        let time = match opening.setup {
            MachineSetup::House { .. } => last_time::<HouseCommand, HouseEvent>(&block),
            MachineSetup::Round { .. } => last_time::<RoundCommand, RoundEvent>(&block),
            MachineSetup::Cluster { .. } => last_time::<ClusterCommand, ClusterEvent>(&block),
        };
        if time.is_some() {
            return Ok(time);
        }
    }
    Ok(None)
}

fn last_time<C: DeserializeOwned, E: DeserializeOwned>(block: &Block) -> Option<Time> {
    let last = block.entries().last()?;
    if ChainOpening::is_one(last) {
        return ChainOpening::read(last).ok().map(|opening| opening.time);
    }
    decode(last).ok().map(|entry: Entry<C, E>| entry.request.time)
}
