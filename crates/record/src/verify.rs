//! Verifies a chain: every block and signature, every decision once more, every invariant, and the hash of every state
//! that a checkpoint covers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use taisai_journal::{
    AnchorLine, Archive, Block, BlockContent, ChainHead, ChainName, Checkpoint, CheckpointContent, Genesis, Hash,
    PublicKey, ReadError, SnapshotError, StoredSnapshot, TrustedKeys,
};
use taisai_table::{Decision, Entry, Refusal};

use crate::finding::AuditFinding;
use crate::machine::RecordedMachine;
use crate::opening::{ChainOpening, Program};
use crate::replay::{BATCH, ChainReplay, EntryPosition, ReplayEvent, SkippedSnapshot};

/// What was verified.
#[derive(Clone, Debug)]
pub struct VerifiedChain<M> {
    pub head: ChainHead,
    /// What its first block says; none of a chain that was only claimed.
    pub genesis: Option<Genesis>,
    /// How many entries it has.
    pub entries: u64,
    /// How many of them no checkpoint covers yet.
    pub unsigned: u64,
    pub checkpoints: u64,
    /// The keys that signed them.
    pub signers: Vec<PublicKey>,
    /// What it was last opened with.
    pub opening: Option<ChainOpening>,
    /// The machine as it stands; none of a chain that has only begun.
    pub machine: Option<M>,
}

/// Verifies the chain of a machine up to an end that it had. `watch` sees everything first.
pub fn verify_chain<M: RecordedMachine>(
    archive: &mut dyn Archive,
    head: &ChainHead,
    keys: &[PublicKey],
    anchored: &[AnchorLine],
    program: &Program,
    mut watch: impl FnMut(&ReplayEvent<'_, M>),
) -> Result<VerifiedChain<M>, AuditFinding> {
    let chain = &head.chain;
    let mut snapshots = archive.snapshots(chain).map_err(|why| bad_snapshot(chain, head.next, why.into()))?;
    snapshots.retain(|snapshot| snapshot.position < head.next);
    let mut wanted = vouched_positions(archive, head)?;
    wanted.extend(snapshots.iter().map(|snapshot| snapshot.position));
    let mut checks = Checks::new(chain.clone(), program.clone(), wanted);
    let trust = if keys.is_empty() { TrustedKeys::AnyKey } else { TrustedKeys::Keys(keys.to_vec()) };
    let mut replay = ChainReplay::<M>::new(archive, chain.clone(), trust, anchored).until(head.clone());
    replay.run(|seen| {
        watch(&seen);
        checks.see(&seen)
    })?;
    if let Some(finding) = checks.finding.take() {
        return Err(finding);
    }
    replay.finish()?;
    let genesis = replay.genesis().copied();
    let machine = replay.into_machine().map(|(_, machine)| machine);
    if let Some(machine) = &machine {
        checks.hold(head.next.saturating_sub(1), machine)?;
    }
    if let Some(opening) = &checks.opening {
        for snapshot in snapshots {
            let state = checks.states.get(&snapshot.position).copied();
            check_snapshot::<M>(archive, chain, opening, snapshot, state)?;
        }
    }
    let Checks { entries, unsigned, checkpoints, signers, opening, .. } = checks;
    let unsigned = unsigned.iter().map(|(_, entries)| entries).sum();
    Ok(VerifiedChain { head: head.clone(), genesis, entries, unsigned, checkpoints, signers, opening, machine })
}

/// What is checked on the way through a chain, and what was counted.
pub(crate) struct Checks {
    chain: ChainName,
    program: Program,
    /// After which blocks the state is wanted.
    wanted: BTreeSet<u64>,
    states: BTreeMap<u64, Hash>,
    /// Of states before this block nothing is known.
    from: u64,
    pub(crate) entries: u64,
    /// The blocks that no checkpoint vouches for yet, with their entries.
    unsigned: VecDeque<(u64, u64)>,
    checkpoints: u64,
    signers: Vec<PublicKey>,
    opening: Option<ChainOpening>,
    pub(crate) finding: Option<AuditFinding>,
}

impl Checks {
    pub(crate) fn new(chain: ChainName, program: Program, wanted: BTreeSet<u64>) -> Self {
        Self {
            chain,
            program,
            wanted,
            states: BTreeMap::new(),
            from: 0,
            entries: 0,
            unsigned: VecDeque::new(),
            checkpoints: 0,
            signers: Vec::new(),
            opening: None,
            finding: None,
        }
    }

    /// The state after a block is known, as a chain is entered there.
    pub(crate) fn enter(&mut self, opening: ChainOpening, position: u64, state: Hash) {
        self.opening = Some(opening);
        self.from = position;
        self.states.insert(position, state);
    }

    /// The states that checkpoints among these blocks vouch for are wanted.
    pub(crate) fn want(&mut self, blocks: &[Vec<u8>]) {
        self.wanted.extend(blocks.iter().filter_map(|bytes| checkpoint_in(bytes)).map(|vouched| vouched.position));
    }

    /// Checks one event of the replay; breaks at the first finding.
    pub(crate) fn see<M: RecordedMachine>(&mut self, seen: &ReplayEvent<'_, M>) -> ControlFlow<()> {
        let seen = match seen {
            ReplayEvent::Opening(_, opened) => {
                self.opening = Some((*opened).clone());
                Ok(())
            }
            ReplayEvent::Entry(at, machine, entry) => self.entry(*at, *machine, entry),
            ReplayEvent::Block(position, machine) => self.block(*position, *machine),
            ReplayEvent::Checkpoint(_, checkpoint) => self.checkpoint(checkpoint),
        };
        self.finding = seen.err();
        if self.finding.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn entry<M: RecordedMachine>(
        &mut self,
        at: EntryPosition,
        machine: &M,
        entry: &Entry<M::Command, M::Event>,
    ) -> Result<(), AuditFinding> {
        self.entries += 1;
        match self.unsigned.back_mut() {
            Some((position, entries)) if *position == at.position => *entries += 1,
            Some(_) | None => self.unsigned.push_back((at.position, 1)),
        }
        let Some(decided) = decided_otherwise(machine, entry) else { return Ok(()) };
        let recorder = self.opening.as_ref().map(|opening| &opening.program);
        Err(AuditFinding::Decision {
            chain: self.chain.clone(),
            at,
            recorded: outcome_text(&entry.outcome),
            decided,
            other_program: recorder.filter(|program| **program != self.program).cloned().map(Box::new),
        })
    }

    fn block<M: RecordedMachine>(&mut self, position: u64, machine: &M) -> Result<(), AuditFinding> {
        if !self.wanted.contains(&position) {
            return Ok(());
        }
        self.states.insert(position, Hash::from_bytes(machine.state_hash()));
        self.hold(position, machine)
    }

    /// Compares a checkpoint with the state of the replay.
    pub(crate) fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), AuditFinding> {
        self.checkpoints += 1;
        if !self.signers.contains(&checkpoint.key) {
            self.signers.push(checkpoint.key);
        }
        let (position, vouched) = (checkpoint.content.position, checkpoint.content.state);
        while self.unsigned.front().is_some_and(|(signed, _)| *signed <= position) {
            self.unsigned.pop_front();
        }
        let found = self.states.get(&position).copied().unwrap_or(Hash::NONE);
        if found == vouched || position < self.from {
            return Ok(());
        }
        Err(AuditFinding::State { chain: self.chain.clone(), position, vouched, found })
    }

    /// Every invariant of the machine.
    fn hold(&self, position: u64, machine: &impl RecordedMachine) -> Result<(), AuditFinding> {
        machine.check().map_err(|broken| AuditFinding::Invariant { chain: self.chain.clone(), position, broken })
    }
}

/// What is decided now, where that is not what is recorded.
fn decided_otherwise<M: RecordedMachine>(machine: &M, entry: &Entry<M::Command, M::Event>) -> Option<String> {
    let decided = match machine.decide(&entry.request) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(verdict) => return Some(format!("that it was answered before: {verdict:?}")),
    };
    (decided != entry.outcome).then(|| outcome_text(&decided))
}

fn outcome_text<E: std::fmt::Debug>(outcome: &Result<E, Refusal>) -> String {
    match outcome {
        Ok(event) => format!("{event:?}"),
        Err(refusal) => format!("the refusal {}", refusal.code()),
    }
}

/// The positions that checkpoints of a chain vouch for. The blocks are not checked here.
fn vouched_positions(archive: &mut dyn Archive, head: &ChainHead) -> Result<BTreeSet<u64>, ReadError> {
    Ok(checkpoints(archive, head)?.into_iter().map(|(_, vouched)| vouched.position).collect())
}

/// The checkpoints of a chain and what they vouch for, by position. The blocks are not checked here.
pub(crate) fn checkpoints(
    archive: &mut dyn Archive,
    head: &ChainHead,
) -> Result<Vec<(u64, CheckpointContent)>, ReadError> {
    let mut found = Vec::new();
    let mut next = 0;
    while next < head.next {
        let batch = archive.read(&head.chain, next, BATCH)?;
        if batch.is_empty() {
            break;
        }
        for (position, bytes) in (next..).zip(&batch) {
            found.extend(checkpoint_in(bytes).map(|vouched| (position, vouched)));
            next = position + 1;
        }
    }
    Ok(found)
}

/// What bytes vouch for, if they are a checkpoint. Other blocks are not even hashed.
fn checkpoint_in(bytes: &[u8]) -> Option<CheckpointContent> {
    let block = Block::says_checkpoint(bytes).then(|| Block::decode(bytes.to_vec()).ok())??;
    match block.content() {
        BlockContent::Checkpoint(checkpoint) => Some(checkpoint.content.clone()),
        BlockContent::Genesis(_) | BlockContent::Entries | BlockContent::TakeOver(_) => None,
    }
}

/// Whether a snapshot holds the state after its block. A missing one was replaced by a newer one.
fn check_snapshot<M: RecordedMachine>(
    archive: &mut dyn Archive,
    chain: &ChainName,
    opening: &ChainOpening,
    StoredSnapshot { position, state: promised, .. }: StoredSnapshot,
    state: Option<Hash>,
) -> Result<(), AuditFinding> {
    let bytes = match archive.read_snapshot(chain, position) {
        Ok(bytes) => bytes,
        Err(SnapshotError::Missing { .. }) => return Ok(()),
        Err(why) => return Err(bad_snapshot(chain, position, why.into())),
    };
    let restored = M::restore(opening, &bytes).map_err(|bad| bad_snapshot(chain, position, bad.into()))?;
    if Some(promised) == state && promised == Hash::from_bytes(restored.state_hash()) {
        return Ok(());
    }
    Err(bad_snapshot(chain, position, SkippedSnapshot::State))
}

fn bad_snapshot(chain: &ChainName, position: u64, why: SkippedSnapshot) -> AuditFinding {
    AuditFinding::Snapshot { chain: chain.clone(), position, why }
}
