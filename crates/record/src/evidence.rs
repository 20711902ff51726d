//! Evidence of one round: what an outsider needs to check its result, with the casino's public key and nothing else.
//! For the dealer's side and each cluster it has the beginning of the chain with the rules, a state before the round
//! that a checkpoint confirms, and the blocks from there to a checkpoint behind the settlement and every correction,
//! void and ruling since.
//!
//! Blocks are read only after their signatures are checked.

mod file;
mod gather;

use std::collections::BTreeSet;

use taisai_journal::{
    BadBlock, Block, BlockContent, ChainFault, ChainName, Checkpoint, Genesis, Hash, PublicKey, TrustedKeys, Verifier,
};
use taisai_table::{Cluster, ClusterId, MachineId, Round, RoundNumber, TableId, Time};

pub use file::BadEvidenceFile;
pub use gather::GatherError;

use crate::finding::AuditFinding;
use crate::machine::RecordedMachine;
use crate::notices::Notices;
use crate::opening::{BadChainOpening, ChainOpening, MachineSetup, Program, chain_of};
use crate::replay::{ReplayError, ReplayEvent, ReplayState};
use crate::settlement::{Acts, ClusterSettlement, RoundSettlement, Settling, clusters_of, unwitnessed};
use crate::verify::Checks;

/// Evidence of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEvidence {
    pub table: TableId,
    pub round: RoundNumber,
    /// The dealer's side first, then its clusters by number.
    parts: Vec<ChainEvidence>,
}

/// What is needed of one chain. Blocks are bytes as they were stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ChainEvidence {
    /// From the first block to a checkpoint behind the opening; or, without a state, to one behind the last change of the round.
    beginning: Vec<Vec<u8>>,
    later: Option<LaterBlocks>,
}

/// A state before the round, the block after which it stood, and those from there to a checkpoint behind the last change of
/// the round.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LaterBlocks {
    state: Vec<u8>,
    blocks: Vec<Vec<u8>>,
}

/// What evidence proves.
#[derive(Clone, Debug)]
pub struct ProvenRound {
    /// The round as it stands, and as it was settled before.
    pub settlement: RoundSettlement,
    /// How many entries were decided again.
    pub entries: u64,
    /// The keys that vouch for it.
    pub signers: Vec<PublicKey>,
    /// Up to when all of its chains are signed, by the casino's clock: what was changed after that is not in it.
    pub signed: Time,
}

/// Why evidence proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum UnprovenRound {
    /// A block is not what it should be, or is not signed with the key.
    #[error(transparent)]
    Block(#[from] ChainFault),
    /// Something that was recorded is wrong.
    #[error(transparent)]
    Finding(#[from] AuditFinding),
    #[error(transparent)]
    Opening(#[from] BadChainOpening),
    /// There are no blocks, or no opening in them.
    #[error("chain {0}: there is no beginning with an opening")]
    NoBeginning(ChainName),
    #[error("chain {0}: no checkpoint vouches for its opening, or for its state")]
    Unvouched(ChainName),
    /// The state is not the one that a checkpoint vouches for.
    #[error("chain {0}: the state is not the one that a checkpoint vouches for")]
    State(ChainName),
    /// The round is not settled in it.
    #[error("chain {0}: the round is not settled in it")]
    NotSettled(ChainName),
    /// Its state is from after the round was opened: who acted is not in it.
    #[error("chain {0}: it begins after the round was opened, so that who acted is not in it")]
    NotOpened(ChainName),
    /// Chains do not belong together.
    #[error("chain {0} does not belong to the same table as the others")]
    OtherTable(ChainName),
}

impl From<ReplayError> for UnprovenRound {
    fn from(error: ReplayError) -> Self {
        Self::Finding(error.into())
    }
}

impl RoundEvidence {
    /// Checks everything: signatures with one of the keys, hashes, every decision, and that the clusters followed their round.
    pub fn check(&self, keys: &[PublicKey], program: &Program) -> Result<ProvenRound, UnprovenRound> {
        let mut check = Check { keys, program, entries: 0, signers: Vec::new(), signed: None };
        let chain = chain_of(MachineId::Round(self.table));
        let (part, rest) = self.parts.split_first().ok_or_else(|| UnprovenRound::NoBeginning(chain.clone()))?;
        let signed = check.signed(&chain, part)?;
        let (mut acts, mut given) = (Acts::new(self.round), Notices::default());
        let round = check.replay::<Round>(&chain, part, &signed, |seen| {
            acts.see(seen);
            given.see_round(seen);
        })?;
        let past = round.past(self.round).copied();
        let unwitnessed = unwitnessed(&round, self.round).cloned();
        if past.is_none() {
            return Err(UnprovenRound::NotSettled(chain));
        }
        // A round that is over, and was opened in these blocks, got its result in them.
        if !acts.is_opened() {
            return Err(UnprovenRound::NotOpened(chain));
        }
        let ids = clusters_of(&signed.opening.setup);
        if ids.len() != rest.len() {
            return Err(UnprovenRound::OtherTable(chain));
        }
        let mut clusters = Vec::new();
        for (id, part) in ids.into_iter().zip(rest) {
            clusters.push(self.cluster(id, part, &signed, &given, &mut check)?);
        }
        let (table, round, CheckedPart { genesis, opening, .. }) = (self.table, self.round, signed);
        let settlement =
            RoundSettlement { table, round, genesis, opening, past, unwitnessed, acts: acts.acts, clusters };
        let Check { entries, signers, signed, .. } = check;
        Ok(ProvenRound { settlement, entries, signers, signed: Time(signed.unwrap_or_default()) })
    }

    fn cluster(
        &self,
        id: ClusterId,
        part: &ChainEvidence,
        round: &CheckedPart,
        given: &Notices,
        check: &mut Check<'_>,
    ) -> Result<ClusterSettlement, UnprovenRound> {
        let chain = chain_of(MachineId::Cluster(id));
        let signed = check.signed(&chain, part)?;
        if signed.genesis != round.genesis || !is_same_table(&signed.opening, &round.opening) {
            return Err(UnprovenRound::OtherTable(chain));
        }
        let (mut settling, mut followed) = (Settling::new(self.round), Notices::default());
        check.replay::<Cluster>(&chain, part, &signed, |seen| {
            settling.see(seen);
            followed.see_cluster(seen);
        })?;
        let settled = settling.settled.ok_or_else(|| UnprovenRound::NotSettled(chain.clone()))?;
        let unlike = followed.up_to(given.newest()).first_unlike(given).map(|noted| (noted.at, noted.number));
        let mut own = settled.changes.iter().map(|change| (change.at, change.notice));
        let own = std::iter::once((settled.at, settled.notice)).chain(&mut own).find(|(_, notice)| !given.has(*notice));
        match unlike.or(own) {
            None => Ok(settled),
            Some((at, number)) => {
                let round = chain_of(MachineId::Round(self.table));
                Err(AuditFinding::Notice { chain, at, number, round }.into())
            }
        }
    }
}

/// Whether a cluster is played by the rules and the profile of its round.
fn is_same_table(cluster: &ChainOpening, round: &ChainOpening) -> bool {
    let rules = |setup: &MachineSetup| match setup {
        MachineSetup::Round { game, layout, .. } | MachineSetup::Cluster { game, layout, .. } => {
            Some((game.clone(), layout.clone()))
        }
        MachineSetup::House { .. } => None,
    };
    cluster.profile == round.profile && rules(&cluster.setup) == rules(&round.setup)
}

/// What is known of a part once its signatures are checked.
struct CheckedPart {
    genesis: Genesis,
    opening: ChainOpening,
    /// The first of the later blocks, and the hash of the state after it.
    entered: Option<(Block, Hash)>,
    /// The checkpoints of the blocks that hold the round.
    checkpoints: Vec<Checkpoint>,
}

/// What evidence is checked with, and what was counted on the way.
struct Check<'a> {
    keys: &'a [PublicKey],
    program: &'a Program,
    entries: u64,
    signers: Vec<PublicKey>,
    /// The earliest of the times up to which the chains are signed.
    signed: Option<u64>,
}

impl Check<'_> {
    fn trust(&self) -> TrustedKeys {
        TrustedKeys::Keys(self.keys.to_vec())
    }

    /// Follows every block with its signatures. The opening must be vouched for, and so must the state that is entered with.
    fn signed(&mut self, chain: &ChainName, part: &ChainEvidence) -> Result<CheckedPart, UnprovenRound> {
        let mut verifier = Verifier::new(chain.clone(), self.trust());
        let (blocks, checkpoints) = self.follow(&mut verifier, &part.beginning)?;
        let first = blocks.iter().find(|block| *block.content() == BlockContent::Entries);
        let first = first.ok_or_else(|| UnprovenRound::NoBeginning(chain.clone()))?;
        if newest(&checkpoints) < Some(first.header().position) {
            return Err(UnprovenRound::Unvouched(chain.clone()));
        }
        let opening = ChainOpening::read(first.entries().next().unwrap_or_default())?;
        if opening.setup.chain() != *chain {
            return Err(UnprovenRound::OtherTable(chain.clone()));
        }
        let genesis = *verifier.genesis().ok_or_else(|| UnprovenRound::NoBeginning(chain.clone()))?;
        let Some(later) = &part.later else {
            return Ok(CheckedPart { genesis, opening, entered: None, checkpoints });
        };
        let (entered, checkpoints) = self.entered(chain, &genesis, later)?;
        Ok(CheckedPart { genesis, opening, entered: Some(entered), checkpoints })
    }

    /// The block with which the later ones begin and the state that a checkpoint among them vouches for, and all of those.
    fn entered(
        &mut self,
        chain: &ChainName,
        genesis: &Genesis,
        later: &LaterBlocks,
    ) -> Result<((Block, Hash), Vec<Checkpoint>), UnprovenRound> {
        let unvouched = || UnprovenRound::Unvouched(chain.clone());
        let (first, rest) = later.blocks.split_first().ok_or_else(unvouched)?;
        let bad = |bad: BadBlock| ChainFault { chain: chain.clone(), position: 0, reason: bad.into() };
        let first = Block::decode(first.clone()).map_err(bad)?;
        if first.header().chain != *chain {
            return Err(UnprovenRound::OtherTable(chain.clone()));
        }
        let mut verifier = Verifier::after(&first, self.trust()).of_house(genesis.house);
        let (_, checkpoints) = self.follow(&mut verifier, rest)?;
        let (position, hash) = (first.header().position, first.hash());
        let mut known = checkpoints.iter().map(|checkpoint| &checkpoint.content);
        let known = known.find(|vouched| vouched.position == position && vouched.hash == hash);
        let state = known.ok_or_else(unvouched)?.state;
        Ok(((first, state), checkpoints))
    }

    fn follow(
        &mut self,
        verifier: &mut Verifier,
        blocks: &[Vec<u8>],
    ) -> Result<(Vec<Block>, Vec<Checkpoint>), UnprovenRound> {
        let (mut followed, mut checkpoints) = (Vec::new(), Vec::new());
        for bytes in blocks {
            let block = verifier.follow(bytes.clone())?;
            if let BlockContent::Checkpoint(checkpoint) = block.content() {
                if !self.signers.contains(&checkpoint.key) {
                    self.signers.push(checkpoint.key);
                }
                checkpoints.push(checkpoint.as_ref().clone());
            }
            followed.push(block);
        }
        Ok((followed, checkpoints))
    }

    /// Goes through the blocks that hold the round, as far as a checkpoint vouches for them, and takes every decision again.
    fn replay<M: RecordedMachine>(
        &mut self,
        chain: &ChainName,
        part: &ChainEvidence,
        signed: &CheckedPart,
        mut watch: impl FnMut(&ReplayEvent<'_, M>),
    ) -> Result<M, UnprovenRound> {
        let mut checks = Checks::new(chain.clone(), self.program.clone(), BTreeSet::new());
        let (mut reading, blocks) = match (&part.later, &signed.entered) {
            (Some(later), Some((first, state))) => {
                let machine = M::restore(&signed.opening, &later.state)?;
                if Hash::from_bytes(machine.state_hash()) != *state {
                    return Err(UnprovenRound::State(chain.clone()));
                }
                let opening = signed.opening.clone();
                checks.enter(opening.clone(), first.header().position, *state);
                (ReplayState::after(first, (self.trust(), &signed.genesis), opening, machine), &later.blocks[1..])
            }
            (_, _) => (ReplayState::new(chain.clone(), self.trust()), &part.beginning[..]),
        };
        checks.want(blocks);
        let end = newest(&signed.checkpoints);
        for bytes in blocks {
            let mut look = |seen: ReplayEvent<'_, M>| {
                watch(&seen);
                checks.see(&seen)
            };
            if Some(reading.next()) > end || reading.block(bytes.clone(), &mut look)?.is_break() {
                break;
            }
        }
        if let Some(finding) = checks.finding.take() {
            return Err(finding.into());
        }
        for checkpoint in &signed.checkpoints {
            checks.checkpoint(checkpoint)?;
        }
        self.entries += checks.entries;
        let signed = signed.checkpoints.iter().map(|checkpoint| checkpoint.content.time).max();
        self.signed = [self.signed, signed].into_iter().flatten().min();
        let machine = reading.into_machine().map(|(_, machine)| machine);
        machine.ok_or_else(|| UnprovenRound::NoBeginning(chain.clone()))
    }
}

/// The last block that is vouched for.
fn newest(checkpoints: &[Checkpoint]) -> Option<u64> {
    checkpoints.iter().map(|checkpoint| checkpoint.content.position).max()
}
