//! The book of a house: the store with its writer and checkpointer, and the chains that this program has taken. A chain is taken
//! when it was read and understood; nobody else writes to it from then on, and what came meanwhile is read too.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::JoinHandle;

use taisai_journal::{
    Anchor, AnchorError, AnchorLine, Archive, Block, BlockContent, ChainHead, ChainName, ChainPurpose, Genesis,
    Journal, KeyError, PublicKey, READER_VERSION, ReadError, SigningKey, TakeError, TrustedKeys, Verifier, Writer,
    WriterStopped,
};
use taisai_table::{MachineId, Profile, Time, time_of};

use crate::chain_status::{MAX_CHECKPOINT_SEARCH, newest_checkpoint};
use crate::checkpointer::{Checkpointer, RecordWarning, WarningSink};
use crate::machine::RecordedMachine;
use crate::opening::{BadChainOpening, ChainOpening, MachineSetup, Program, chain_of};
use crate::recorder::Recorder;
use crate::replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent};
use crate::store::{Address, StoreError};

/// The files beside the store.
#[derive(Clone, Debug)]
pub struct RecordFiles {
    /// The key that checkpoints are signed with; made on the first start.
    pub key: PathBuf,
    /// The anchor: best on another disk than the store, or on another machine.
    pub anchor: Option<PathBuf>,
    /// Public keys of earlier or other writers of this record.
    pub trusted: Vec<PublicKey>,
}

impl RecordFiles {
    /// The keys whose checkpoints are believed, the own one last, which must be there.
    pub fn keys(&self) -> Result<Vec<PublicKey>, RecordStoreError> {
        if !self.key.exists() {
            return Err(RecordStoreError::KeyMissing(self.key.clone()));
        }
        let key = SigningKey::open_or_create(&self.key)?;
        Ok(self.trusted.iter().copied().chain([key.public()]).collect())
    }
}

/// Why a book or a chain in it cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum RecordStoreError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key that signed the record is not there, and another one would not be believed.
    #[error("the signing key {0} is missing, and the record was signed with it: put it back")]
    KeyMissing(PathBuf),
    /// The anchor.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// The record was cut off or rolled back.
    #[error(
        "chain {chain} does not hold block {position} as line {line} of the anchor knows it: it was cut off, rolled back or replaced"
    )]
    RolledBack {
        /// The chain.
        chain: String,
        /// The position.
        position: u64,
        /// The line of the anchor.
        line: usize,
    },
    /// A chain belongs to someone else, or the writer has stopped.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// A chain is damaged.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The chain is of a table that is set up otherwise.
    #[error("chain {0} is of another house, or of a table that is set up otherwise")]
    OtherSetup(String),
    /// The machine cannot be built.
    #[error(transparent)]
    Opening(#[from] BadChainOpening),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// An open book.
pub struct RecordStore {
    /// Before the writer: it has a handle.
    checkpointer: Checkpointer,
    /// Before the writer too: the last to close the store is the one who tidies it.
    archive: Box<dyn Archive>,
    writer: Writer,
    checkpoints_thread: JoinHandle<()>,
    keys: Vec<PublicKey>,
    program: Program,
    genesis: Genesis,
    newest: Option<Time>,
    warn: WarningSink,
}

impl RecordStore {
    /// Opens the book in a store, or begins it with that house id. The heads of its chains are compared with the anchor.
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

    /// Opens the book for a part of a house on several machines, which has these chains. Beside them only the House's is looked at,
    /// which says whose they are: how long that takes does not hang on how many parts there are.
    pub fn open_partition(
        address: &Address,
        files: &RecordFiles,
        program: Program,
        new_house: [u8; 16],
        purpose: ChainPurpose,
        chains: &[ChainName],
        warn: WarningSink,
    ) -> Result<Self, RecordStoreError> {
        let is_own = |chain: &ChainName| chains.contains(chain);
        Self::of_chains(address.journal()?, files, program, (new_house, purpose), is_own, warn)
    }

    /// Opens the book in a journal of whatever kind.
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
        // Before anything is written, also beside the store: what this program cannot read it leaves alone.
        let (begun, newest) = beginning(&mut *archive, &heads)?;
        let genesis = begun.unwrap_or(Genesis { house: new_house, purpose, least_reader: READER_VERSION });
        if genesis.purpose != purpose {
            return Err(RecordStoreError::OtherSetup("house".to_owned()));
        }
        let signed = signed(&mut *archive, &heads)?;
        if !signed.is_empty() && files.trusted.is_empty() && !files.key.exists() {
            return Err(RecordStoreError::KeyMissing(files.key.clone()));
        }
        let key = SigningKey::open_or_create(&files.key)?;
        let anchor = files.anchor.as_deref().map(Anchor::open).transpose()?;
        let anchor = match anchor {
            Some((anchor, known)) => {
                let newest = known.newest().filter(|line| is_own(&line.checkpoint.content.chain));
                // Another part of this machine may have written and anchored since the heads were read.
                let heads = archive.heads()?;
                compare(&mut *archive, &heads, newest)?;
                for chain in signed.into_iter().filter(is_own) {
                    if known.newest().all(|line| line.checkpoint.content.chain != chain) {
                        warn(RecordWarning::Unanchored { chain: chain.to_string() });
                    }
                }
                Some(anchor)
            }
            None => None,
        };
        let keys = files.trusted.iter().copied().chain([key.public()]).collect();
        let (checkpointer, checkpoints_thread) = Checkpointer::start(journal.archive()?, anchor, warn.clone())?;
        let owner = format!("taisai {}", program.version);
        let writer = Writer::start(journal, key, owner)?;
        Ok(Self { checkpointer, archive, writer, checkpoints_thread, keys, program, genesis, newest, warn })
    }

    /// The id of the house whose record is in a store, and the newest time in it; for those who write nothing yet.
    pub fn beginning(archive: &mut dyn Archive) -> Result<(Option<[u8; 16]>, Option<Time>), RecordStoreError> {
        let heads = archive.heads()?;
        let (begun, newest) = beginning(archive, &heads)?;
        Ok((begun.map(|genesis| genesis.house), newest))
    }

    /// Takes the chain of a machine, and builds the machine from it; it begins where there is none.
    pub fn machine<M: RecordedMachine>(
        &mut self,
        setup: MachineSetup,
        profile: &Profile,
        time: Time,
    ) -> Result<Recorder<M>, RecordStoreError> {
        let opening = ChainOpening { time, program: self.program.clone(), profile: profile.clone(), setup };
        let chain = opening.setup.chain();
        let known = self.archive.heads()?.into_iter().find(|head| head.chain == chain);
        let epoch = known.map_or(1, |head| head.epoch + 1);
        let warn = &self.warn;
        let skipped = |position, why| warn(RecordWarning::Skipped { chain: chain.to_string(), position, why });
        let mut newest = self.newest;
        let mut note_time = |seen: ReplayEvent<'_, M>| {
            newest = newest.max(match seen {
                ReplayEvent::Opening(_, opening) => Some(opening.time),
                ReplayEvent::Entry(_, _, entry) => Some(entry.asked.time),
                ReplayEvent::Checkpoint(..) | ReplayEvent::Block(..) => None,
            });
            ControlFlow::Continue(())
        };
        let mut replay = ChainReplay::<M>::from_snapshot(&mut *self.archive, &chain, &self.keys, |_| true, skipped)?;
        replay.run(&mut note_time)?;
        let reading = replay.pause();
        let other = || RecordStoreError::OtherSetup(chain.to_string());
        if reading.opening().is_some_and(|before| !before.builds_the_same(&opening)) {
            return Err(other());
        }
        let (handle, _) = self.writer.take(&chain, epoch, self.genesis)?;
        // What was written until then, the take-over with it.
        let mut replay = ChainReplay::resume(&mut *self.archive, reading);
        replay.run(note_time)?;
        replay.finish()?;
        // Whoever held the chain before may have written until it was taken, with a clock that is ahead of this one.
        self.newest = newest;
        let opening = ChainOpening { time: newest.map_or(time, |newest| time.max(Time(newest.0 + 1))), ..opening };
        let machine = match replay.into_machine() {
            Some((before, _)) if !before.builds_the_same(&opening) => return Err(other()),
            Some((_, machine)) => machine,
            None => M::build(&opening)?,
        };
        Ok(Recorder::new(machine, handle, self.checkpointer.clone(), &opening))
    }

    /// A way to read the record beside those who write it.
    pub fn archive(&mut self) -> &mut dyn Archive {
        &mut *self.archive
    }

    /// The keys whose checkpoints are believed, the own one last.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// The house's id.
    pub const fn house(&self) -> [u8; 16] {
        self.genesis.house
    }

    /// The newest time on record of the chains that were looked at when the book was opened, or taken since: time goes on after it.
    pub const fn newest(&self) -> Option<Time> {
        self.newest
    }

    /// Writes everything that was handed over, makes the checkpoints that wait, and closes. The recorders must be gone.
    pub fn close(self) {
        drop(self.checkpointer);
        // A checkpointer that broke down has said so.
        self.checkpoints_thread.join().unwrap_or_default();
        drop(self.archive);
        match self.writer.stop() {
            (_, WriterStopped::Closed) => {}
            (_, reason @ (WriterStopped::Failed(_) | WriterStopped::Panicked)) => {
                (self.warn)(RecordWarning::Unfinished(reason))
            }
        }
    }
}

/// What the chains of a house begin with, and their newest time; none if there are none yet. A chain that begins or ends with what only a newer
/// program understands is refused.
fn beginning(
    archive: &mut dyn Archive,
    heads: &[ChainHead],
) -> Result<(Option<Genesis>, Option<Time>), RecordStoreError> {
    let (mut found, mut newest) = (None, None);
    for head in heads {
        let mut verifier = Verifier::new(head.chain.clone(), TrustedKeys::AnyKey);
        for bytes in archive.read(&head.chain, 0, 1)? {
            verifier.follow(bytes).map_err(ReplayError::from)?;
        }
        if let Some(genesis) = verifier.genesis() {
            if *found.get_or_insert(*genesis) != *genesis {
                return Err(RecordStoreError::OtherSetup(head.chain.to_string()));
            }
            newest = newest.max(last_time(archive, head)?);
        }
    }
    Ok((found, newest))
}

/// The newest time at the end of a chain, if this program knows the version of the last entries. A newer program that has written to the chain has written
/// the last of them, so it shows here, before any chain is taken; all else shows when the chain is read.
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
            newest = newest.max(Some(entry_time(&head.chain, EntryPosition { position, entry }, bytes)?));
        }
        break;
    }
    Ok(newest)
}

fn entry_time(chain: &ChainName, at: EntryPosition, bytes: &[u8]) -> Result<Time, ReplayError> {
    let chain = || chain.clone();
    if ChainOpening::is_one(bytes) {
        let opening = ChainOpening::read(bytes).map_err(|bad| ReplayError::Opening { chain: chain(), at, bad })?;
        return Ok(opening.time);
    }
    time_of(bytes).map_err(|bad| ReplayError::Entry { chain: chain(), at, bad })
}

/// The chains that someone has vouched for, as their last blocks show.
fn signed(archive: &mut dyn Archive, heads: &[ChainHead]) -> Result<Vec<ChainName>, RecordStoreError> {
    let mut signed = Vec::new();
    for head in heads {
        if newest_checkpoint(archive, head)?.is_some() {
            signed.push(head.chain.clone());
        }
    }
    Ok(signed)
}

/// Whether each chain holds the last block that the anchor knows of it.
fn compare<'a>(
    archive: &mut dyn Archive,
    heads: &[ChainHead],
    known: impl Iterator<Item = &'a AnchorLine>,
) -> Result<(), RecordStoreError> {
    for newest in known {
        let vouched = &newest.checkpoint.content;
        let is_there = heads.iter().any(|head| head.chain == vouched.chain && head.next > vouched.position);
        let bytes = if is_there { archive.read(&vouched.chain, vouched.position, 1)?.into_iter().next() } else { None };
        let block = bytes.and_then(|bytes| Block::decode(bytes).ok());
        if block.is_none_or(|block| block.hash() != vouched.hash) {
            let (chain, position, line) = (vouched.chain.to_string(), vouched.position, newest.line);
            return Err(RecordStoreError::RolledBack { chain, position, line });
        }
    }
    Ok(())
}
