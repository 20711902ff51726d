//! Follows the chains of a record and writes the reporting tables. Each batch of blocks is one transaction that also moves
//! the position of its chain, so that a block is projected exactly once, wherever a program stops.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainHead, ChainName, PublicKey, ReadError};
use taisai_table::{Cluster, House, Round};

use crate::batch::SqlBatch;
use crate::machine::{ChainContext, EntryError, ProjectedMachine};
use crate::store::{ChainAdvance, QueryResult, Tables, TablesError};
use crate::value::SqlValue;
use taisai_record::{
    Address, BadChainOpening, ChainOpening, ChainReplay, MachineSetup, ReplayError, ReplayEvent, ReplayState,
    first_opening,
};

/// A batch is written when it holds about this many values.
const MAX_BATCH_VALUES: usize = 500_000;

/// Why the record cannot be projected.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// No machine can be built.
    #[error("chain {chain}: {bad}")]
    Opening { chain: ChainName, bad: BadChainOpening },
    /// An entry cannot be projected.
    #[error("chain {chain}, before block {next}: {trouble}")]
    Trouble {
        chain: ChainName,
        /// The position of the block after it.
        next: u64,
        trouble: EntryError,
    },
    /// The tables are of another record, or the record was rolled back.
    #[error("the reporting tables do not belong to this record: block {next} of chain {chain} is not where they end")]
    OtherRecord {
        chain: ChainName,
        /// The position up to which it is projected.
        next: u64,
    },
}

/// What a projection has added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectionProgress {
    pub blocks: u64,
    pub entries: u64,
    /// Wagers among what was settled in them.
    pub wagers: u64,
}

impl ProjectionProgress {
    fn add(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.entries += other.entries;
        self.wagers += other.wagers;
    }
}

/// Turns the record into reporting tables.
pub struct Projection {
    pub(crate) tables: Tables,
    followed: BTreeMap<ChainName, FollowedChain>,
    batch: usize,
}

/// A chain that is followed, with its machine at the end of the tables.
enum FollowedChain {
    House(Box<FollowedMachine<House>>),
    Round(Box<FollowedMachine<Round>>),
    Cluster(Box<FollowedMachine<Cluster>>),
}

struct FollowedMachine<M: ProjectedMachine> {
    paused: Option<ReplayState<M>>,
    context: ChainContext,
    notes: M::Notes,
    next: u64,
}

impl Projection {
    /// Opens or creates the reporting tables of a store.
    pub fn open(address: &Address) -> Result<Self, ProjectionError> {
        Ok(Self { tables: Tables::open(address)?, followed: BTreeMap::new(), batch: MAX_BATCH_VALUES })
    }

    /// Drops the reporting tables of a store and creates them again, empty.
    pub fn anew(address: &Address) -> Result<Self, ProjectionError> {
        Ok(Self { tables: Tables::anew(address)?, followed: BTreeMap::new(), batch: MAX_BATCH_VALUES })
    }

    /// Writes a batch when it holds about this many values; zero means a transaction for every block.
    #[must_use]
    pub const fn with_batch(mut self, values: usize) -> Self {
        self.batch = values;
        self
    }

    /// Projects what the tables do not hold yet. A snapshot of the record is used if one of the keys confirms it.
    pub fn catch_up(
        &mut self,
        archive: &mut dyn Archive,
        keys: &[PublicKey],
    ) -> Result<ProjectionProgress, ProjectionError> {
        let mut all = ProjectionProgress::default();
        loop {
            let progress = self.advance(archive, keys)?;
            if progress == ProjectionProgress::default() {
                return Ok(all);
            }
            all.add(progress);
        }
    }

    /// Writes one batch for each chain that has more.
    pub fn advance(
        &mut self,
        archive: &mut dyn Archive,
        keys: &[PublicKey],
    ) -> Result<ProjectionProgress, ProjectionError> {
        let mut all = ProjectionProgress::default();
        for head in archive.heads()? {
            let progress = self.advance_chain(archive, keys, &head);
            if progress.is_err() {
                // Every chain is read again from where the tables end.
                self.followed.clear();
            }
            all.add(progress?);
        }
        Ok(all)
    }

    fn advance_chain(
        &mut self,
        archive: &mut dyn Archive,
        keys: &[PublicKey],
        head: &ChainHead,
    ) -> Result<ProjectionProgress, ProjectionError> {
        let chain = &head.chain;
        let mut follower = match self.followed.remove(chain) {
            Some(follower) => follower,
            None => match self.follow(archive, keys, chain)? {
                Some(follower) => follower,
                None => return Ok(ProjectionProgress::default()),
            },
        };
        let progress = match &mut follower {
            FollowedChain::House(followed) => followed.advance(archive, head, self.batch, &mut self.tables)?,
            FollowedChain::Round(followed) => followed.advance(archive, head, self.batch, &mut self.tables)?,
            FollowedChain::Cluster(followed) => followed.advance(archive, head, self.batch, &mut self.tables)?,
        };
        self.followed.insert(chain.clone(), follower);
        Ok(progress)
    }

    /// Follows a chain from where the tables end; `None` while the chain has no opening.
    fn follow(
        &mut self,
        archive: &mut dyn Archive,
        keys: &[PublicKey],
        chain: &ChainName,
    ) -> Result<Option<FollowedChain>, ProjectionError> {
        let Some(opening) = first_opening(archive, chain)? else { return Ok(None) };
        let sql = "SELECT next, hash FROM chains WHERE chain = $1";
        let rows = self.tables.query(sql, &[chain.as_str().to_owned().into()])?.rows;
        let row = rows.first().map_or(&[][..], |row| &row[..]);
        let next = row.first().and_then(SqlValue::number).and_then(|next| u64::try_from(next).ok()).unwrap_or(0);
        let hash = row.get(1).and_then(SqlValue::text).unwrap_or_default();
        let place = ProjectedEnd { archive, keys, chain, next, hash };
        Ok(Some(match opening.setup {
            MachineSetup::House { .. } => FollowedChain::House(Box::new(place.follow(&opening)?)),
            MachineSetup::Round { .. } => FollowedChain::Round(Box::new(place.follow(&opening)?)),
            MachineSetup::Cluster { .. } => FollowedChain::Cluster(Box::new(place.follow(&opening)?)),
        }))
    }

    /// Runs a query on the tables as they are; [`lag`](Self::lag) says how far they are behind.
    pub fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<QueryResult, ProjectionError> {
        Ok(self.tables.query(sql, values)?)
    }
}

/// Where the tables end in a chain.
struct ProjectedEnd<'a> {
    archive: &'a mut dyn Archive,
    keys: &'a [PublicKey],
    chain: &'a ChainName,
    next: u64,
    hash: &'a str,
}

impl ProjectedEnd<'_> {
    fn follow<M: ProjectedMachine>(self, opening: &ChainOpening) -> Result<FollowedMachine<M>, ProjectionError> {
        let ProjectedEnd { archive, keys, chain, next, hash } = self;
        let trouble = |day| ProjectionError::Trouble { chain: chain.clone(), next, trouble: EntryError::Day(day) };
        let context = ChainContext::new(chain.as_str(), opening).map_err(trouble)?;
        let replay = ChainReplay::<M>::from_position(archive, chain, keys, next)?;
        let head = replay.head();
        if head.next != next || (next > 0 && head.hash.to_string() != hash) {
            return Err(ProjectionError::OtherRecord { chain: chain.clone(), next });
        }
        let notes = match replay.machine() {
            Some(machine) => machine.notes(&context),
            None => {
                M::build(opening).map_err(|bad| ProjectionError::Opening { chain: chain.clone(), bad })?.notes(&context)
            }
        };
        Ok(FollowedMachine { paused: Some(replay.pause()), context, notes, next })
    }
}

impl<M: ProjectedMachine> FollowedMachine<M> {
    /// Replays blocks until the batch is full or the chain ends, and writes the batch.
    fn advance(
        &mut self,
        archive: &mut dyn Archive,
        head: &ChainHead,
        most: usize,
        tables: &mut Tables,
    ) -> Result<ProjectionProgress, ProjectionError> {
        let Some(paused) = self.paused.take() else { return Ok(ProjectionProgress::default()) };
        if self.next >= head.next {
            self.paused = Some(paused);
            return Ok(ProjectionProgress::default());
        }
        let mut batch = SqlBatch::default();
        let mut replay = ChainReplay::resume(archive, paused);
        let mut trouble = None;
        let (context, notes) = (&mut self.context, &mut self.notes);
        loop {
            let look = |seen: ReplayEvent<'_, M>| match context.see(notes, &seen, &mut batch) {
                Ok(()) => ControlFlow::Continue(()),
                Err(found) => {
                    trouble = Some(found);
                    ControlFlow::Break(())
                }
            };
            let is_more = replay.next_block(look)?.is_some();
            if let Some(trouble) = trouble {
                let ChainHead { chain, next, .. } = replay.head();
                return Err(ProjectionError::Trouble { chain, next, trouble });
            }
            if !is_more || batch.size() >= most || replay.head().next >= head.next {
                break;
            }
        }
        batch.close();
        let ChainHead { chain, next, hash, .. } = replay.head();
        let before = std::mem::replace(&mut self.next, next);
        tables.apply(&batch, &ChainAdvance { chain: chain.to_string(), before, next, hash: hash.to_string() })?;
        self.paused = Some(replay.pause());
        Ok(ProjectionProgress { blocks: next - before, entries: batch.entries, wagers: batch.wagers })
    }
}
