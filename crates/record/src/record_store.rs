//! The store of a record with its writer and its checkpointer, and the chains that this program has taken. A chain is
//! read before it is taken. From then on no other program writes to it; blocks that came in between are read as well.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::JoinHandle;

use taisai_journal::{
    Anchor, AnchorError, AnchorLine, Archive, Block, BlockContent, ChainHead, ChainName, ChainPurpose, Genesis,
    Journal, KeyError, KeyFileContent, Keys, PublicKey, READER_VERSION, ReadError, TakeError, TrustedKeys, Verifier,
    Writer, WriterStopped,
};
use taisai_table::{MachineId, Profile, Time, entry_time};

use crate::chain_status::{MAX_CHECKPOINT_SEARCH, newest_checkpoint};
use crate::checkpointer::{Checkpointer, RecordWarning, WarningSink};
use crate::machine::RecordedMachine;
use crate::opening::{BadChainOpening, ChainOpening, MachineSetup, Program, chain_of};
use crate::recorder::{Recorder, RecordingStopped};
use crate::replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent, ReplayState};
use crate::store::{Address, StoreError};

/// The files beside the store.
#[derive(Clone, Debug)]
pub struct RecordFiles {
    /// The keys of the installation; created on the first start.
    pub key_file: PathBuf,
    /// The anchor: best on another disk than the store, or on another machine.
    pub anchor: Option<PathBuf>,
    /// Public keys of earlier or other writers of this record.
    pub trusted: Vec<PublicKey>,
}

impl RecordFiles {
    /// The keys whose checkpoints are accepted, the own one last. The key file must exist.
    pub fn keys(&self) -> Result<Vec<PublicKey>, RecordStoreError> {
        if !self.key_file.exists() {
            return Err(RecordStoreError::KeyMissing(self.key_file.clone()));
        }
        Ok(self.trusting(Keys::open(&self.key_file)?.public()))
    }

    fn trusting(&self, own: Vec<PublicKey>) -> Vec<PublicKey> {
        self.trusted.iter().copied().chain(own).collect()
    }
}

/// Why a record store, or a chain in it, cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum RecordStoreError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The keys that the record was signed with are missing, and others would not be accepted.
    #[error(
        "the key file {0} is missing, and the record was signed with a key in it: put it back, or on several machines copy it \
         from another. If there is none left, see docs/keys.md"
    )]
    KeyMissing(PathBuf),
    /// The key file is of another installation, or an old copy.
    #[error(
        "the key file {path} is not the one of this record: chain {chain} is signed with {signed}, and the file has {own}. Use the \
         file of the node that signed it"
    )]
    OtherKeys { path: PathBuf, chain: String, signed: PublicKey, own: PublicKey },
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// The record was cut off or rolled back.
    #[error(
        "chain {chain} does not hold block {position} as line {line} of the anchor knows it: it was cut off, rolled back or replaced"
    )]
    RolledBack {
        chain: String,
        position: u64,
        /// The line of the anchor.
        line: usize,
    },
    /// Another program has the chain, or the writer has stopped.
    #[error(transparent)]
    Take(#[from] TakeError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The machine would lack blocks that were acknowledged.
    #[error(
        "chain {chain} was taken over at block {taken}, and reading it ended at block {read}: the session that reads is on \
         another server than the one that writes, or another node has taken the chain since"
    )]
    OtherEnd {
        chain: String,
        /// The last block when the chain was taken.
        taken: u64,
        /// The last block that was read.
        read: u64,
    },
    /// The chain is of a table with another setup.
    #[error("chain {0} is of another casino, or of a table that is set up otherwise")]
    OtherSetup(String),
    /// The machine cannot be built.
    #[error(transparent)]
    Opening(#[from] BadChainOpening),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

impl RecordStoreError {
    /// Whether a newer program wrote what this one cannot read: nothing is damaged then.
    pub const fn is_of_newer_program(&self) -> bool {
        match self {
            Self::Replay(error) => error.is_of_newer_program(),
            Self::Opening(bad) => bad.is_of_newer_program(),
            Self::Store(_)
            | Self::Read(_)
            | Self::Key(_)
            | Self::KeyMissing(_)
            | Self::OtherKeys { .. }
            | Self::Anchor(_)
            | Self::RolledBack { .. }
            | Self::Take(_)
            | Self::OtherEnd { .. }
            | Self::OtherSetup(_)
            | Self::Thread(_) => false,
        }
    }

    /// The chain that is damaged or cannot be read, with the block where that is known.
    pub fn damage(&self) -> Option<(ChainName, Option<u64>)> {
        match self {
            Self::RolledBack { chain, position, .. } => chain.parse().ok().map(|chain| (chain, Some(*position))),
            Self::OtherSetup(chain) => chain.parse().ok().map(|chain| (chain, None)),
            Self::Replay(error) => error.damage(),
            Self::Store(_)
            | Self::Read(_)
            | Self::Key(_)
            | Self::KeyMissing(_)
            | Self::OtherKeys { .. }
            | Self::Anchor(_)
            | Self::Take(_)
            | Self::OtherEnd { .. }
            | Self::Opening(_)
            | Self::Thread(_) => None,
        }
    }

    /// Whether a write or a flush of the store failed.
    pub fn is_failed_write(&self) -> bool {
        match self {
            Self::Store(error) => error.is_failed_write(),
            Self::Take(error) => error.is_failed_write(),
            Self::Read(_)
            | Self::Key(_)
            | Self::KeyMissing(_)
            | Self::OtherKeys { .. }
            | Self::Anchor(_)
            | Self::RolledBack { .. }
            | Self::Replay(_)
            | Self::OtherEnd { .. }
            | Self::OtherSetup(_)
            | Self::Opening(_)
            | Self::Thread(_) => false,
        }
    }
}

/// An open record store.
pub struct RecordStore {
    /// Dropped before the writer, as it has a handle.
    checkpointer: Checkpointer,
    /// Dropped before the writer too: the last to close the store tidies it up.
    archive: Box<dyn Archive>,
    writer: Writer,
    checkpoints_thread: JoinHandle<()>,
    keys: Vec<PublicKey>,
    program: Program,
    genesis: Genesis,
    /// The newest line of the anchor for each chain.
    anchored: BTreeMap<ChainName, AnchorLine>,
    newest: Option<Time>,
    warn: WarningSink,
}

/// A machine as its chain has it, which was read and is not taken yet.
pub struct ReadMachine<M> {
    opening: ChainOpening,
    /// The epoch to claim the chain at.
    epoch: u64,
    reading: ReplayState<M>,
    /// The machine before its first entry, if the chain has none.
    new: Option<M>,
}

impl<M: RecordedMachine> ReadMachine<M> {
    /// The machine in its state at the end of the chain.
    ///
    /// # Panics
    /// Never: where the chain has no machine, a new one was built.
    pub fn machine(&self) -> &M {
        self.reading.machine().or(self.new.as_ref()).expect("there is a machine")
    }
}

impl RecordStore {
    /// Opens the record in a store, or begins it with this id of the installation. A damaged chain of a table is refused when it is
    /// [read](Self::read), so that it keeps no other from being opened.
    pub fn open(
        address: &Address,
        files: &RecordFiles,
        program: Program,
        new_house: [u8; 16],
        purpose: ChainPurpose,
        warn: WarningSink,
    ) -> Result<Self, RecordStoreError> {
        Self::in_journal(address.journal()?, files, program, new_house, purpose, warn)
    }

    /// Opens the record for partitions with these chains. Beside them it reads only the House's chain, which says whose
    /// they are, so that the number of other partitions does not matter.
    pub fn open_partition(
        journal: Box<dyn Journal>,
        files: &RecordFiles,
        program: Program,
        new_house: [u8; 16],
        purpose: ChainPurpose,
        chains: &[ChainName],
        warn: WarningSink,
    ) -> Result<Self, RecordStoreError> {
        let is_own = |chain: &ChainName| chains.contains(chain);
        Self::of_chains(journal, files, program, (new_house, purpose), is_own, warn)
    }

    /// Opens the record in any journal.
    pub fn in_journal(
        journal: Box<dyn Journal>,
        files: &RecordFiles,
        program: Program,
        new_house: [u8; 16],
        purpose: ChainPurpose,
        warn: WarningSink,
    ) -> Result<Self, RecordStoreError> {
        Self::of_chains(journal, files, program, (new_house, purpose), |_| true, warn)
    }

    fn of_chains(
        journal: Box<dyn Journal>,
        files: &RecordFiles,
        program: Program,
        (new_house, purpose): ([u8; 16], ChainPurpose),
        is_own: impl Fn(&ChainName) -> bool,
        warn: WarningSink,
    ) -> Result<Self, RecordStoreError> {
        let (mut archive, house) = (journal.archive()?, chain_of(MachineId::House));
        let mut heads = archive.heads()?;
        heads.retain(|head| head.chain == house || is_own(&head.chain));
        // Before anything is written, also beside the store: this program must not change a record that it cannot read.
        let (begun, newest) = beginning(&mut *archive, &heads)?;
        let genesis = begun.unwrap_or(Genesis { house: new_house, purpose, least_reader: READER_VERSION });
        if genesis.purpose != purpose {
            return Err(RecordStoreError::OtherSetup("house".to_owned()));
        }
        let signed = signed(&mut *archive, &heads);
        if !signed.is_empty() && files.trusted.is_empty() && !files.key_file.exists() {
            return Err(RecordStoreError::KeyMissing(files.key_file.clone()));
        }
        // Programs before 0.2 had the other keys in the store, and only this one is needed here.
        let own = KeyFileContent::open_or_create(&files.key_file)?;
        let keys = files.trusting(own.public());
        if let Some((chain, key)) = signed.iter().find(|(chain, key)| *chain == house && !keys.contains(key)) {
            let (path, chain) = (files.key_file.clone(), chain.to_string());
            return Err(RecordStoreError::OtherKeys { path, chain, signed: *key, own: own.signing().public() });
        }
        let anchor = files.anchor.as_deref().map(Anchor::open).transpose()?;
        let mut anchored = BTreeMap::new();
        let anchor = match anchor {
            Some((anchor, known)) => {
                let newest = known.newest().filter(|line| is_own(&line.checkpoint.content.chain));
                anchored.extend(newest.map(|line| (line.checkpoint.content.chain.clone(), line.clone())));
                for (chain, _) in signed.into_iter().filter(|(chain, _)| is_own(chain)) {
                    if known.newest().all(|line| line.checkpoint.content.chain != chain) {
                        warn(RecordWarning::Unanchored { chain: chain.to_string() });
                    }
                }
                Some(anchor)
            }
            None => None,
        };
        if let Some(line) = anchored.get(&house) {
            compare(&mut *archive, line)?;
        }
        let (checkpointer, checkpoints_thread) = Checkpointer::start(journal.archive()?, anchor, warn.clone())?;
        let owner = format!("taisai {}", program.version);
        let writer = Writer::start(journal, own.signing().clone(), owner)?;
        Ok(Self { checkpointer, archive, writer, checkpoints_thread, keys, program, genesis, anchored, newest, warn })
    }

    /// The id of the installation whose record is in a store, and the newest time in it.
    pub fn beginning(archive: &mut dyn Archive) -> Result<(Option<[u8; 16]>, Option<Time>), RecordStoreError> {
        let heads = archive.heads()?;
        let (begun, newest) = beginning(archive, &heads)?;
        Ok((begun.map(|genesis| genesis.house), newest))
    }

    /// Takes the chain of a machine, and builds the machine from it. A missing chain is begun.
    pub fn machine<M: RecordedMachine>(
        &mut self,
        setup: MachineSetup,
        profile: &Profile,
        time: Time,
    ) -> Result<Recorder<M>, RecordStoreError> {
        let read = self.read(setup, profile, time)?;
        self.take(read)
    }

    /// Compares the end of a chain that was read with what the store says. Only where no other program writes: the end would move.
    pub fn check_end<M: RecordedMachine>(&mut self, read: ReadMachine<M>) -> Result<ReadMachine<M>, RecordStoreError> {
        let mut replay = ChainReplay::resume(&mut *self.archive, read.reading);
        replay.finish()?;
        Ok(ReadMachine { reading: replay.pause(), ..read })
    }

    /// Builds a machine from its chain, and writes nothing: so all chains can be read before the first is taken.
    pub fn read<M: RecordedMachine>(
        &mut self,
        setup: MachineSetup,
        profile: &Profile,
        time: Time,
    ) -> Result<ReadMachine<M>, RecordStoreError> {
        let opening = ChainOpening { time, program: self.program.clone(), profile: profile.clone(), setup };
        let chain = opening.setup.chain();
        let known = self.archive.heads()?.into_iter().find(|head| head.chain == chain);
        let epoch = known.as_ref().map_or(1, |head| head.epoch + 1);
        if let Some((genesis, _)) = known.map(|head| chain_beginning(&mut *self.archive, &head)).transpose()?.flatten()
            && genesis != self.genesis
        {
            return Err(RecordStoreError::OtherSetup(chain.to_string()));
        }
        let warn = &self.warn;
        let skipped = |position, why| warn(RecordWarning::Skipped { chain: chain.to_string(), position, why });
        let mut replay = ChainReplay::<M>::from_snapshot(&mut *self.archive, &chain, &self.keys, |_| true, skipped)?;
        replay.run(note_time(&mut self.newest))?;
        let reading = replay.pause();
        // A chain that is sound in itself may have been cut off.
        if let Some(line) = self.anchored.get(&chain) {
            compare(&mut *self.archive, line)?;
        }
        if reading.opening().is_some_and(|before| !before.builds_the_same(&opening)) {
            return Err(RecordStoreError::OtherSetup(chain.to_string()));
        }
        let new = if reading.machine().is_none() { Some(M::build(&opening)?) } else { None };
        Ok(ReadMachine { opening, epoch, reading, new })
    }

    /// Takes the chain of a machine that was read, and writes its opening.
    pub fn take<M: RecordedMachine>(&mut self, read: ReadMachine<M>) -> Result<Recorder<M>, RecordStoreError> {
        let ReadMachine { opening, epoch, reading, new } = read;
        let chain = opening.setup.chain();
        let (handle, taken) = self.writer.take(&chain, epoch, self.genesis)?;
        // The blocks until then, with the take-over. The previous writer may have written until the chain was taken, with a clock
        // ahead of this one.
        let mut replay = ChainReplay::resume(&mut *self.archive, reading);
        replay.run(note_time(&mut self.newest))?;
        replay.finish()?;
        let end = replay.head();
        if (end.next, end.hash) != (taken.next, taken.hash) {
            let (taken, read) = (taken.next.saturating_sub(1), end.next.saturating_sub(1));
            return Err(RecordStoreError::OtherEnd { chain: chain.to_string(), taken, read });
        }
        let time = self.newest.map_or(opening.time, |newest| opening.time.max(Time(newest.0 + 1)));
        let opening = ChainOpening { time, ..opening };
        let machine = match (replay.into_machine(), new) {
            (Some((before, _)), _) if !before.builds_the_same(&opening) => {
                return Err(RecordStoreError::OtherSetup(chain.to_string()));
            }
            (Some((_, machine)), _) | (None, Some(machine)) => machine,
            (None, None) => M::build(&opening)?,
        };
        Ok(Recorder::new(machine, handle, self.checkpointer.clone(), &opening))
    }

    /// Reads the record beside its writers.
    pub fn archive(&mut self) -> &mut dyn Archive {
        &mut *self.archive
    }

    /// The keys whose checkpoints are accepted, the own one last.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// The id of the installation.
    pub const fn house(&self) -> [u8; 16] {
        self.genesis.house
    }

    /// The newest time in the chains that were read on opening or taken since. Time must go on after it.
    pub const fn newest(&self) -> Option<Time> {
        self.newest
    }

    /// Writes everything submitted, makes the queued checkpoints, and closes. Drop the recorders first. If the writer has stopped
    /// early, some of it may not be stored, and none of that was acknowledged.
    pub fn close(self) -> Result<(), RecordingStopped> {
        drop(self.checkpointer);
        // A checkpointer that panicked has reported it.
        self.checkpoints_thread.join().unwrap_or_default();
        drop(self.archive);
        match self.writer.stop() {
            (_, WriterStopped::Closed) => Ok(()),
            (_, reason @ (WriterStopped::Failed(_) | WriterStopped::Panicked)) => {
                (self.warn)(RecordWarning::Unfinished(reason.clone()));
                Err(reason.into())
            }
        }
    }
}

/// Keeps the newest time of what is replayed.
fn note_time<M: RecordedMachine>(newest: &mut Option<Time>) -> impl FnMut(ReplayEvent<'_, M>) -> ControlFlow<()> {
    |seen| {
        *newest = (*newest).max(match seen {
            ReplayEvent::Opening(_, opening) => Some(opening.time),
            ReplayEvent::Entry(_, _, entry) => Some(entry.request.time),
            ReplayEvent::Checkpoint(..) | ReplayEvent::Block(..) => None,
        });
        ControlFlow::Continue(())
    }
}

/// What the chains begin with, and their newest time; none without chains. A chain that begins or ends with what only a
/// newer program understands is refused. The damaged chain of a table is left out: whoever reads it is told.
fn beginning(
    archive: &mut dyn Archive,
    heads: &[ChainHead],
) -> Result<(Option<Genesis>, Option<Time>), RecordStoreError> {
    let house = chain_of(MachineId::House);
    let (mut found, mut newest) = (None, None);
    for head in heads {
        match chain_beginning(archive, head) {
            Ok(Some((genesis, last))) => {
                // The chains come by their names, and the House's is the first.
                if *found.get_or_insert(genesis) == genesis {
                    newest = newest.max(last);
                }
            }
            Err(error) if head.chain == house || error.is_of_newer_program() => return Err(error),
            Ok(None) | Err(_) => {}
        }
    }
    Ok((found, newest))
}

/// What a chain begins with, and its newest time; none while it has no block.
fn chain_beginning(
    archive: &mut dyn Archive,
    head: &ChainHead,
) -> Result<Option<(Genesis, Option<Time>)>, RecordStoreError> {
    let mut verifier = Verifier::new(head.chain.clone(), TrustedKeys::AnyKey);
    for bytes in archive.read(&head.chain, 0, 1)? {
        verifier.follow(bytes).map_err(ReplayError::from)?;
    }
    let Some(genesis) = verifier.genesis().copied() else { return Ok(None) };
    Ok(Some((genesis, last_time(archive, head)?)))
}

/// The newest time at the end of a chain. The last entries show whether a newer program has written to the chain,
/// before any chain is taken.
fn last_time(archive: &mut dyn Archive, head: &ChainHead) -> Result<Option<Time>, RecordStoreError> {
    let mut newest = None;
    for position in (head.next.saturating_sub(MAX_CHECKPOINT_SEARCH)..head.next).rev() {
        let bytes = archive.read(&head.chain, position, 1)?.into_iter().next();
        let Some(block) = bytes.and_then(|bytes| Block::decode(bytes).ok()) else { continue };
        if let BlockContent::Checkpoint(checkpoint) = block.content() {
            newest = newest.max(Some(Time(checkpoint.content.time)));
        }
        let mut entries = (0..).zip(block.entries()).peekable();
        if entries.peek().is_none() {
            continue;
        }
        for (entry, bytes) in entries {
            newest = newest.max(Some(recorded_time(&head.chain, EntryPosition { position, entry }, bytes)?));
        }
        break;
    }
    Ok(newest)
}

fn recorded_time(chain: &ChainName, at: EntryPosition, bytes: &[u8]) -> Result<Time, ReplayError> {
    let chain = || chain.clone();
    if ChainOpening::is_one(bytes) {
        let opening = ChainOpening::read(bytes).map_err(|bad| ReplayError::Opening { chain: chain(), at, bad })?;
        return Ok(opening.time);
    }
    entry_time(bytes).map_err(|bad| ReplayError::Entry { chain: chain(), at, bad })
}

/// The chains that have a checkpoint among their last blocks, and the key that signed the newest. One that cannot be read is left out:
/// whoever reads it finds the damage.
fn signed(archive: &mut dyn Archive, heads: &[ChainHead]) -> Vec<(ChainName, PublicKey)> {
    let key = |head: &ChainHead| {
        let newest = newest_checkpoint(archive, head).ok().flatten().and_then(|bytes| Block::decode(bytes).ok())?;
        let BlockContent::Checkpoint(checkpoint) = newest.content() else { return None };
        Some((head.chain.clone(), checkpoint.key))
    };
    heads.iter().filter_map(key).collect()
}

/// Whether a chain holds the last block that the anchor knows of it. The store may have more since the anchor was read.
fn compare(archive: &mut dyn Archive, newest: &AnchorLine) -> Result<(), RecordStoreError> {
    let vouched = &newest.checkpoint.content;
    let heads = archive.heads()?;
    let is_there = heads.iter().any(|head| head.chain == vouched.chain && head.next > vouched.position);
    let bytes = if is_there { archive.read(&vouched.chain, vouched.position, 1)?.into_iter().next() } else { None };
    let block = bytes.and_then(|bytes| Block::decode(bytes).ok());
    if block.is_none_or(|block| block.hash() != vouched.hash) {
        let (chain, position, line) = (vouched.chain.to_string(), vouched.position, newest.line);
        return Err(RecordStoreError::RolledBack { chain, position, line });
    }
    Ok(())
}
