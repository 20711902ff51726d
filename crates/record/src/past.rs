//! The slip of a settled round, read from the record for a correction: the store keeps it beside the chain. For a round that was
//! settled before slips were kept, the cluster is rebuilt from the newest snapshot before it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainName, MAX_SLIP_BYTES, PublicKey, ReadError, StoredSlip};
use taisai_rules::Dice;
use taisai_table::{BadKeptSlip, Cluster, ClusterCommand, ClusterEvent, Entry, MachineId, RoundNumber, Slip};

use crate::opening::chain_of;
use crate::replay::{BATCH, ChainReplay, PausedReplay, ReplayError, ReplayEvent};

/// What an entry does to rounds: settles the one in play, or changes one that is over.
pub(crate) enum RoundChange {
    Settled(RoundNumber, Option<Dice>),
    Changed(RoundNumber, Option<Dice>),
}

pub(crate) fn change(entry: &Entry<ClusterCommand, ClusterEvent>) -> Option<RoundChange> {
    let ClusterCommand::Follow { notice, .. } = &entry.request.command else { return None };
    let (round, by) = notice.stands()?;
    match entry.outcome.as_ref().ok()? {
        ClusterEvent::Settled { .. } => Some(RoundChange::Settled(round, by.ok())),
        ClusterEvent::Compensated { .. } => Some(RoundChange::Changed(round, by.ok())),
        ClusterEvent::Done
        | ClusterEvent::Rejected { .. }
        | ClusterEvent::BoughtIn { .. }
        | ClusterEvent::BuyInReversed { .. }
        | ClusterEvent::StackerDiffers { .. }
        | ClusterEvent::StackerEmptied { .. } => None,
    }
}

/// Why the slip that a store keeps is not used. It is never fatal: the chain is the truth.
#[derive(Debug, thiserror::Error)]
pub enum UnusedSlip {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Bad(#[from] BadKeptSlip),
}

/// The slip of a settled round that the store keeps, if it is the one that the digest in the chain stands for; none if it keeps
/// none. This reads one row.
pub fn kept_slip(
    archive: &mut dyn Archive,
    chain: &ChainName,
    round: RoundNumber,
    digest: [u8; 32],
) -> Result<Option<Slip>, UnusedSlip> {
    let kept = archive.slips(chain, round.0, 1, MAX_SLIP_BYTES)?.into_iter().find(|kept| kept.round == round.0);
    Ok(kept.map(|kept| Slip::from_kept(&kept.bytes, digest)).transpose()?)
}

/// What the store keeps of the rounds that a cluster has settled.
#[derive(Debug, Default)]
pub(crate) struct KeptSlips {
    /// How many of the rounds have no slip.
    pub(crate) missing: u64,
    /// The first slip that is not the one that was settled.
    pub(crate) bad: Option<(RoundNumber, BadKeptSlip)>,
}

/// How many slips are read at once, where they are small.
const MAX_SLIPS_PER_READ: u16 = 256;

impl KeptSlips {
    /// Compares all slips with the digests that a cluster at the end of its chain holds. Those of rounds that it does not know were
    /// stored since.
    pub(crate) fn compare(archive: &mut dyn Archive, cluster: &Cluster) -> Result<Self, ReadError> {
        let chain = chain_of(MachineId::Cluster(cluster.id()));
        // The last one may be in play.
        let last = cluster.round();
        let missing = if cluster.slip_digest(last).is_some() { last.0 } else { last.0.saturating_sub(1) };
        let mut kept = Self { missing, bad: None };
        let mut next = 1;
        loop {
            let slips = archive.slips(&chain, next, MAX_SLIPS_PER_READ, BATCH)?;
            for StoredSlip { round, bytes, .. } in &slips {
                let round = RoundNumber(*round);
                let Some(digest) = cluster.slip_digest(round) else { return Ok(kept) };
                kept.missing -= 1;
                let read = Slip::from_kept(bytes, digest);
                kept.bad = kept.bad.or(read.err().map(|bad| (round, bad)));
            }
            let Some(last) = slips.last() else { return Ok(kept) };
            next = last.round + 1;
        }
    }
}

/// Finds the slips of settled rounds by replaying their chains, where the store does not keep them. Rounds of one chain that are
/// asked for in order are found in one replay, while other chains are asked for rounds too.
pub struct SlipReplay {
    keys: Vec<PublicKey>,
    /// The chain that was asked last is the last one.
    chains: Vec<ChainSlips>,
}

/// What is kept of one chain between two questions.
struct ChainSlips {
    chain: ChainName,
    paused: PausedReplay<Cluster>,
    /// The slips in the block with the round that was found last, from that round on.
    found: BTreeMap<RoundNumber, Slip>,
}

/// Each paused replay holds a cluster and the blocks that it has read ahead.
const MAX_PAUSED_REPLAYS: usize = 16;

/// A replay that was paused goes on to a round that is no further; to one that is, a snapshot may be nearer.
const MAX_ROUNDS_AHEAD: u64 = 1_000;

impl SlipReplay {
    /// Snapshots must be vouched for with one of the keys.
    pub const fn new(keys: Vec<PublicKey>) -> Self {
        Self { keys, chains: Vec::new() }
    }

    /// The slip of a settled round; none if the chain does not hold it, or if nobody wants it any more.
    pub fn slip(
        &mut self,
        archive: &mut dyn Archive,
        chain: &ChainName,
        round: RoundNumber,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Option<Slip>, ReplayError> {
        let kept = self.chains.iter().position(|kept| kept.chain == *chain).map(|at| self.chains.remove(at));
        let slips = match kept {
            Some(slips) if slips.found.contains_key(&round) => slips,
            kept => {
                let start = self.start(archive, chain, round, kept.map(|slips| slips.paused))?;
                ChainSlips::replay(archive, chain, round, start, is_wanted)?
            }
        };
        let slip = slips.found.get(&round).cloned();
        if self.chains.len() == MAX_PAUSED_REPLAYS {
            self.chains.remove(0);
        }
        self.chains.push(slips);
        Ok(slip)
    }

    /// The state before a round from which least is to be replayed, as far as that can be told without looking at all snapshots
    /// each time.
    fn start(
        &self,
        archive: &mut dyn Archive,
        chain: &ChainName,
        round: RoundNumber,
        paused: Option<PausedReplay<Cluster>>,
    ) -> Result<PausedReplay<Cluster>, ReplayError> {
        // A round in play is not settled yet.
        let is_before = |cluster: &Cluster| cluster.slip_digest(round).is_none();
        let paused = paused.filter(|paused| paused.machine().is_none_or(is_before));
        let after = paused.as_ref().and_then(PausedReplay::machine).map_or(RoundNumber(0), Cluster::round);
        match paused {
            Some(paused) if round.0.saturating_sub(after.0) <= MAX_ROUNDS_AHEAD => Ok(paused),
            paused => {
                let is_nearer = |cluster: &Cluster| is_before(cluster) && cluster.round() > after;
                let nearer = ChainReplay::from_snapshot(archive, chain, &self.keys, is_nearer, |_, _| {})?;
                let nearer = nearer.pause_with_blocks();
                Ok(if nearer.machine().is_some() { nearer } else { paused.unwrap_or(nearer) })
            }
        }
    }
}

impl ChainSlips {
    /// Replays a chain up to the block that settles a round, while the round is wanted.
    fn replay(
        archive: &mut dyn Archive,
        chain: &ChainName,
        round: RoundNumber,
        start: PausedReplay<Cluster>,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Self, ReplayError> {
        let mut found = BTreeMap::new();
        let mut replay = ChainReplay::resume_with_blocks(archive, start);
        while !found.contains_key(&round) && is_wanted() {
            let look = |seen: ReplayEvent<'_, Cluster>| {
                if let ReplayEvent::Entry(_, cluster, entry) = seen
                    && let Some(RoundChange::Settled(settled, _)) = change(entry)
                    && settled >= round
                {
                    found.insert(settled, cluster.slip());
                }
                ControlFlow::Continue(())
            };
            if replay.next_block(look)?.is_none() {
                break;
            }
        }
        Ok(Self { chain: chain.clone(), paused: replay.pause_with_blocks(), found })
    }
}
