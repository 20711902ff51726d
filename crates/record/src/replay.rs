//! Replays a chain: checks every block against the one before it, shows every entry to the caller, and then applies it.
//! Nothing is decided here.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use taisai_journal::{
    AnchorLine, Archive, BLOCK_FORMAT, BadBlock, Block, BlockContent, ChainFault, ChainFaultReason, ChainHead,
    ChainName, Checkpoint, Genesis, Hash, MAX_CHECKPOINT_DISTANCE, PublicKey, ReadError, SnapshotError, StoredSnapshot,
    TrustedKeys, Verifier,
};
use taisai_table::{BadBytes, Entry, decode};

use crate::machine::RecordedMachine;
use crate::opening::{BadChainOpening, ChainOpening};

/// How many bytes of blocks or slips one read fetches.
pub(crate) const BATCH: usize = 4 << 20;

/// Where an entry stands in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryPosition {
    /// The position of the block.
    pub position: u64,
    /// The index of the entry in the block, from zero.
    pub entry: u32,
}

/// What a replay finds in a chain, before it changes the machine.
#[derive(Debug)]
pub enum ReplayEvent<'a, M: RecordedMachine> {
    /// A program begins to write.
    Opening(EntryPosition, &'a ChainOpening),
    Entry(EntryPosition, &'a M, &'a Entry<M::Command, M::Event>),
    /// A checkpoint, at this position.
    Checkpoint(u64, &'a Checkpoint),
    /// The end of a block, with the machine after it.
    Block(u64, &'a M),
}

/// Why a chain cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A block is not what it should be.
    #[error(transparent)]
    Block(#[from] ChainFault),
    /// An entry cannot be read.
    #[error("chain {chain}, block {}, entry {}: {bad}", at.position, at.entry)]
    Entry { chain: ChainName, at: EntryPosition, bad: BadBytes },
    /// An opening is missing, is damaged, or differs from the one before it.
    #[error("chain {chain}, block {}, entry {}: {bad}", at.position, at.entry)]
    Opening { chain: ChainName, at: EntryPosition, bad: BadChainOpening },
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl ReplayError {
    /// Whether an entry or opening cannot be read, in a block that is as it was written.
    pub const fn is_unreadable(&self) -> bool {
        match self {
            Self::Entry { .. } | Self::Opening { .. } => true,
            Self::Block(_) | Self::Read(_) => false,
        }
    }

    /// Whether a newer program wrote what this one cannot read: nothing is damaged then.
    pub const fn is_of_newer_program(&self) -> bool {
        match self {
            Self::Block(fault) => match fault.reason {
                ChainFaultReason::Reader(_) => true,
                ChainFaultReason::Block(BadBlock::Version(found)) => found > BLOCK_FORMAT,
                ChainFaultReason::Block(BadBlock::Length | BadBlock::Hash | BadBlock::Fields)
                | ChainFaultReason::OtherChain(_)
                | ChainFaultReason::Position(_)
                | ChainFaultReason::Previous
                | ChainFaultReason::Genesis
                | ChainFaultReason::Epoch { .. }
                | ChainFaultReason::Signature
                | ChainFaultReason::Key(_)
                | ChainFaultReason::Checkpoint
                | ChainFaultReason::OtherHouse
                | ChainFaultReason::Anchor(_)
                | ChainFaultReason::CutOff
                | ChainFaultReason::CheckpointCutOff
                | ChainFaultReason::Head => false,
            },
            Self::Entry { bad, .. } => bad.is_of_newer_program(),
            Self::Opening { bad, .. } => bad.is_of_newer_program(),
            Self::Read(_) => false,
        }
    }

    /// The chain that is damaged or cannot be read, with the block.
    pub(crate) fn damage(&self) -> Option<(ChainName, Option<u64>)> {
        match self {
            Self::Block(fault) => Some((fault.chain.clone(), Some(fault.position))),
            Self::Entry { chain, at, .. } | Self::Opening { chain, at, .. } => Some((chain.clone(), Some(at.position))),
            Self::Read(_) => None,
        }
    }
}

/// Replays one chain of a store.
pub struct ChainReplay<'a, M> {
    archive: &'a mut dyn Archive,
    ahead: VecDeque<Vec<u8>>,
    reading: ReplayState<M>,
    /// Where to stop; later blocks are left alone.
    until: Option<ChainHead>,
}

impl<'a, M: RecordedMachine> ChainReplay<'a, M> {
    /// Replays a chain from its beginning.
    pub fn new(archive: &'a mut dyn Archive, chain: ChainName, trust: TrustedKeys, anchored: &[AnchorLine]) -> Self {
        let verifier = Verifier::new(chain, trust).with_anchor(anchored);
        Self::of(archive, ReplayState { verifier, opening: None, machine: None, unreadable: None })
    }

    const fn of(archive: &'a mut dyn Archive, reading: ReplayState<M>) -> Self {
        Self { archive, ahead: VecDeque::new(), reading, until: None }
    }

    /// Replays a chain from the newest snapshot that `is_taken` accepts and that a checkpoint of a trusted key
    /// confirms, or else from its beginning. `skipped` is called for each snapshot that is not confirmed.
    pub fn from_snapshot(
        archive: &'a mut dyn Archive,
        chain: &ChainName,
        keys: &[PublicKey],
        is_taken: impl Fn(&M) -> bool,
        skipped: impl FnMut(u64, SkippedSnapshot),
    ) -> Result<Self, ReplayError> {
        Self::start(archive, chain, keys, |_, machine| is_taken(machine), skipped)
    }

    fn start(
        archive: &'a mut dyn Archive,
        chain: &ChainName,
        keys: &[PublicKey],
        is_taken: impl Fn(u64, &M) -> bool,
        mut skipped: impl FnMut(u64, SkippedSnapshot),
    ) -> Result<Self, ReplayError> {
        let trust = TrustedKeys::Keys(keys.to_vec());
        let Some((genesis, opening)) = beginning(archive, chain)? else {
            return Ok(Self::new(archive, chain.clone(), trust, &[]));
        };
        let snapshots = archive.snapshots(chain).unwrap_or_else(|error| {
            skipped(0, error.into());
            Vec::new()
        });
        for snapshot in snapshots {
            let position = snapshot.position;
            match restore::<M>(archive, &trust, (&genesis, &opening), snapshot) {
                Ok((machine, _)) if !is_taken(position, &machine) => {}
                Ok((machine, block)) => {
                    return Ok(Self::of(archive, ReplayState::after(&block, (trust, &genesis), opening, machine)));
                }
                Err(error) => skipped(position, error),
            }
        }
        Ok(Self::new(archive, chain.clone(), trust, &[]))
    }

    /// Stops at an earlier end of the chain.
    #[must_use]
    pub fn until(mut self, head: ChainHead) -> Self {
        self.until = Some(head);
        self
    }

    /// Replays a chain up to a position, from the newest confirmed snapshot before it. Without keys no snapshot is
    /// used, and checkpoints of any key are accepted.
    pub fn from_position(
        archive: &'a mut dyn Archive,
        chain: &ChainName,
        keys: &[PublicKey],
        next: u64,
    ) -> Result<Self, ReplayError> {
        let mut replay = match keys {
            [] => Self::new(archive, chain.clone(), TrustedKeys::AnyKey, &[]),
            keys => Self::start(archive, chain, keys, |position, _| position < next, |_, _| {})?,
        };
        while replay.head().next < next && replay.next_block(|_| ControlFlow::Continue(()))?.is_some() {}
        Ok(replay)
    }

    /// Pauses between two blocks, and releases the store.
    pub fn pause(self) -> ReplayState<M> {
        self.reading
    }

    /// Resumes a paused replay.
    pub const fn resume(archive: &'a mut dyn Archive, reading: ReplayState<M>) -> Self {
        Self::of(archive, reading)
    }

    /// Pauses, and keeps the blocks that were read ahead.
    pub(crate) fn pause_with_blocks(self) -> PausedReplay<M> {
        PausedReplay { reading: self.reading, ahead: self.ahead }
    }

    /// Resumes a replay that was paused with its blocks.
    pub(crate) fn resume_with_blocks(archive: &'a mut dyn Archive, paused: PausedReplay<M>) -> Self {
        Self { archive, ahead: paused.ahead, reading: paused.reading, until: None }
    }

    /// The machine in its current state, once the opening is read.
    pub const fn machine(&self) -> Option<&M> {
        self.reading.machine.as_ref()
    }

    /// The last opening of the chain, once it is read.
    pub const fn opening(&self) -> Option<&ChainOpening> {
        self.reading.opening.as_ref()
    }

    /// The opening and the machine.
    pub fn into_machine(self) -> Option<(ChainOpening, M)> {
        self.reading.into_machine()
    }

    /// How far the replay has come.
    pub fn head(&self) -> ChainHead {
        self.reading.verifier.head()
    }

    /// What the chain's first block says, once it is read.
    pub const fn genesis(&self) -> Option<&Genesis> {
        self.reading.verifier.genesis()
    }

    /// Compares the end with what the store and the anchor say.
    pub fn finish(&mut self) -> Result<(), ReplayError> {
        let end = self.head();
        let goes_on = !self.archive.read(&end.chain, end.next, 1)?.is_empty();
        let stored = self.archive.heads()?.into_iter().find(|head| head.chain == end.chain).unwrap_or(end);
        let head = self.until.as_ref().unwrap_or(&stored);
        self.reading.verifier.clone().finish(head)?;
        // Blocks behind the head, unless the head has moved on since.
        if goes_on && stored == *head {
            let ChainHead { chain, next: position, .. } = stored;
            return Err(ChainFault { chain, position, reason: ChainFaultReason::Head }.into());
        }
        Ok(())
    }

    /// Replays everything, or until `look` breaks.
    pub fn run(&mut self, mut look: impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()>) -> Result<(), ReplayError> {
        while self.next_block(&mut look)?.is_some_and(|seen| seen.is_continue()) {}
        Ok(())
    }

    /// Replays the next block; `None` if there is none yet. Behind an entry that cannot be read nothing is replayed, however often
    /// this is called: the machine would lack that entry.
    pub fn next_block(
        &mut self,
        mut look: impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()>,
    ) -> Result<Option<ControlFlow<()>>, ReplayError> {
        if let Some(unreadable) = &self.reading.unreadable {
            return Err(unreadable.error(self.head().chain));
        }
        self.next_bytes()?.map(|bytes| self.reading.block(bytes, &mut look)).transpose()
    }

    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, ReplayError> {
        let ChainHead { chain, next, .. } = self.head();
        if self.until.as_ref().is_some_and(|until| next >= until.next) {
            return Ok(None);
        }
        if self.ahead.is_empty() {
            self.ahead = self.archive.read(&chain, next, BATCH)?.into();
        }
        Ok(self.ahead.pop_front())
    }
}

/// A paused replay with the blocks that were read ahead.
pub(crate) struct PausedReplay<M> {
    reading: ReplayState<M>,
    ahead: VecDeque<Vec<u8>>,
}

impl<M> PausedReplay<M> {
    /// The machine so far, once its opening is read.
    pub(crate) const fn machine(&self) -> Option<&M> {
        self.reading.machine.as_ref()
    }
}

/// A replay without its store: the machine so far, and the verifier of the chain.
pub struct ReplayState<M> {
    verifier: Verifier,
    opening: Option<ChainOpening>,
    machine: Option<M>,
    /// The entry that could not be read. Its block counts as read, and the machine may have the entries before it in that block.
    unreadable: Option<UnreadableEntry>,
}

/// An entry or opening that cannot be read.
#[derive(Clone)]
struct UnreadableEntry {
    at: EntryPosition,
    bad: BadEntry,
}

#[derive(Clone)]
enum BadEntry {
    Bytes(BadBytes),
    Opening(BadChainOpening),
}

impl UnreadableEntry {
    fn error(&self, chain: ChainName) -> ReplayError {
        let at = self.at;
        match self.bad.clone() {
            BadEntry::Bytes(bad) => ReplayError::Entry { chain, at, bad },
            BadEntry::Opening(bad) => ReplayError::Opening { chain, at, bad },
        }
    }
}

impl From<BadBytes> for BadEntry {
    fn from(bad: BadBytes) -> Self {
        Self::Bytes(bad)
    }
}

impl From<BadChainOpening> for BadEntry {
    fn from(bad: BadChainOpening) -> Self {
        Self::Opening(bad)
    }
}

impl<M: RecordedMachine> ReplayState<M> {
    /// From the beginning of a chain.
    pub(crate) const fn new(chain: ChainName, trust: TrustedKeys) -> Self {
        Self { verifier: Verifier::new(chain, trust), opening: None, machine: None, unreadable: None }
    }

    /// From the state after a block that is believed for other reasons.
    pub(crate) fn after(
        block: &Block,
        (trust, of): (TrustedKeys, &Genesis),
        opening: ChainOpening,
        machine: M,
    ) -> Self {
        let verifier = Verifier::after(block, trust).of_house(of.house);
        Self { verifier, opening: Some(opening), machine: Some(machine), unreadable: None }
    }

    /// The machine in its current state, once its opening is read.
    pub(crate) const fn machine(&self) -> Option<&M> {
        self.machine.as_ref()
    }

    /// What the machine was last opened with.
    pub(crate) const fn opening(&self) -> Option<&ChainOpening> {
        self.opening.as_ref()
    }

    pub(crate) fn into_machine(self) -> Option<(ChainOpening, M)> {
        self.opening.zip(self.machine)
    }

    /// The position of the next block.
    pub(crate) fn next(&self) -> u64 {
        self.verifier.head().next
    }

    pub(crate) fn block(
        &mut self,
        bytes: Vec<u8>,
        look: &mut impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ReplayError> {
        let block = self.verifier.follow(bytes)?;
        let position = block.header().position;
        match block.content() {
            BlockContent::Genesis(_) | BlockContent::TakeOver(_) => {}
            BlockContent::Checkpoint(checkpoint) => {
                if look(ReplayEvent::Checkpoint(position, checkpoint)).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            BlockContent::Entries => {
                for (entry, bytes) in (0..).zip(block.entries()) {
                    let at = EntryPosition { position, entry };
                    let seen = self.entry(at, bytes, look).map_err(|bad| {
                        let unreadable = self.unreadable.insert(UnreadableEntry { at, bad });
                        unreadable.error(block.header().chain.clone())
                    })?;
                    if seen.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(self
            .machine
            .as_ref()
            .map_or(ControlFlow::Continue(()), |machine| look(ReplayEvent::Block(position, machine))))
    }

    fn entry(
        &mut self,
        at: EntryPosition,
        bytes: &[u8],
        look: &mut impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BadEntry> {
        if ChainOpening::is_one(bytes) {
            return Ok(look(ReplayEvent::Opening(at, self.take_opening(bytes)?)));
        }
        let entry = decode(bytes)?;
        let machine = self.machine.as_mut().ok_or(BadChainOpening::Missing)?;
        let seen = look(ReplayEvent::Entry(at, machine, &entry));
        if seen.is_continue() {
            machine.apply(&entry);
        }
        Ok(seen)
    }

    /// The first opening builds the machine; a later one must be for the same.
    fn take_opening(&mut self, bytes: &[u8]) -> Result<&ChainOpening, BadChainOpening> {
        let opening = ChainOpening::read(bytes)?;
        if opening.setup.chain() != self.verifier.head().chain {
            return Err(BadChainOpening::OtherMachine);
        }
        match &self.opening {
            Some(before) if !before.builds_the_same(&opening) => return Err(BadChainOpening::OtherMachine),
            Some(_) => {}
            None => self.machine = Some(M::build(&opening)?),
        }
        Ok(self.opening.insert(opening))
    }
}

/// Why a snapshot is not used. It is never fatal: the chain is the truth.
#[derive(Debug, thiserror::Error)]
pub enum SkippedSnapshot {
    #[error(transparent)]
    Store(#[from] SnapshotError),
    /// The chain cannot be read there.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its bytes are no state.
    #[error(transparent)]
    Bytes(#[from] BadChainOpening),
    /// Its bytes are not the state that it promises.
    #[error("it holds another state than it promises")]
    State,
    /// No checkpoint in the chain vouches for it.
    #[error("no checkpoint of a trusted key vouches for it")]
    Unvouched,
}

/// The machine in a snapshot, and the block after which it stood so.
fn restore<M: RecordedMachine>(
    archive: &mut dyn Archive,
    trust: &TrustedKeys,
    (genesis, opening): (&Genesis, &ChainOpening),
    snapshot: StoredSnapshot,
) -> Result<(M, Block), SkippedSnapshot> {
    let chain = opening.setup.chain();
    let StoredSnapshot { position, state, .. } = snapshot;
    let block = vouched_block(archive, &chain, trust, genesis, snapshot)?.ok_or(SkippedSnapshot::Unvouched)?;
    let machine = M::restore(opening, &archive.read_snapshot(&chain, position)?)?;
    if Hash::from_bytes(machine.state_hash()) == state { Ok((machine, block)) } else { Err(SkippedSnapshot::State) }
}

/// The block at the position of a snapshot, if a checkpoint after it vouches for it and for that state.
fn vouched_block(
    archive: &mut dyn Archive,
    chain: &ChainName,
    trust: &TrustedKeys,
    genesis: &Genesis,
    StoredSnapshot { position, state, .. }: StoredSnapshot,
) -> Result<Option<Block>, ReadError> {
    let Some(bytes) = archive.read(chain, position, 1)?.into_iter().next() else { return Ok(None) };
    let Ok(block) = Block::decode(bytes) else { return Ok(None) };
    if block.header().chain != *chain || block.header().position != position {
        return Ok(None);
    }
    let mut verifier = Verifier::after(&block, trust.clone()).of_house(genesis.house);
    while verifier.head().next - position <= MAX_CHECKPOINT_DISTANCE {
        let batch = archive.read(chain, verifier.head().next, BATCH)?;
        if batch.is_empty() {
            break;
        }
        for bytes in batch {
            let Ok(followed) = verifier.follow(bytes) else { return Ok(None) };
            if let BlockContent::Checkpoint(checkpoint) = followed.content()
                && let vouched = &checkpoint.content
                && (vouched.position, vouched.hash, vouched.state) == (position, block.hash(), state)
            {
                return Ok(Some(block));
            }
        }
    }
    Ok(None)
}

/// What the machine of a chain is built with; none while the chain has only begun.
pub fn first_opening(archive: &mut dyn Archive, chain: &ChainName) -> Result<Option<ChainOpening>, ReplayError> {
    Ok(beginning(archive, chain)?.map(|(_, opening)| opening))
}

/// The casino of a chain, and what its machine is built with; none while the chain has only begun.
fn beginning(archive: &mut dyn Archive, chain: &ChainName) -> Result<Option<(Genesis, ChainOpening)>, ReplayError> {
    let mut verifier = Verifier::new(chain.clone(), TrustedKeys::AnyKey);
    loop {
        let position = verifier.head().next;
        let Some(bytes) = archive.read(chain, position, 1)?.into_iter().next() else { return Ok(None) };
        if let Some(line) = verifier.follow(bytes)?.entries().next() {
            let at = EntryPosition { position, entry: 0 };
            let opening =
                ChainOpening::read(line).map_err(|bad| ReplayError::Opening { chain: chain.clone(), at, bad })?;
            return Ok(verifier.genesis().map(|genesis| (*genesis, opening)));
        }
    }
}
