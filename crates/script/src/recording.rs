//! Records a played script in a new store. The recording machines take every command again, and must decide as the script's
//! machines did.

use std::path::PathBuf;
use std::sync::mpsc;

use taisai_journal::{ChainPurpose, PublicKey, ReadError};
use taisai_record::{
    Address, MachineSetup, Program, RecordFiles, RecordStore, RecordStoreError, RecordedMachine, Recorder,
    RecordingStopped, WarningSink,
};
use taisai_table::{Cluster, ClusterEvent, Decision, Entry, House, MachineEntry, Round, Time};

use crate::installation::BEGIN;
use crate::script::{CLUSTER, Script, TABLE};

/// Why a script cannot be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    #[error("the system gives no random number: {0}")]
    Random(#[from] getrandom::Error),
    #[error(transparent)]
    Store(#[from] RecordStoreError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0} has a record already; a script needs a new store")]
    NotEmpty(Address),
    #[error(transparent)]
    RecordingStopped(#[from] RecordingStopped),
    #[error("the writer of the record stopped without a reply")]
    WriterStopped,
    #[error("a command is in the record before it was sent")]
    KnownBefore,
    #[error("the recording machine decides differently from the script's machine")]
    Differs,
}

/// The store that a script is recorded in.
pub struct ScriptRecorder {
    address: Address,
    files: RecordFiles,
    store: RecordStore,
    house: Recorder<House>,
    round: Recorder<Round>,
    cluster: Recorder<Cluster>,
}

/// A finished record, and what an audit needs to check it.
pub struct ScriptRecord {
    pub address: Address,
    /// The key that signed the checkpoints.
    pub key: Option<PublicKey>,
    pub anchor: Option<PathBuf>,
    /// Whether key and anchor are where an audit finds them without options.
    pub has_own_files: bool,
}

impl ScriptRecorder {
    /// Begins a record in a store that has none.
    pub fn open(
        address: Address,
        files: RecordFiles,
        program: Program,
        warn: WarningSink,
        script: &Script,
    ) -> Result<Self, RecordingError> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        let mut store = RecordStore::open(&address, &files, program, id, ChainPurpose::Training, warn)?;
        if !store.archive().heads()?.is_empty() {
            return Err(RecordingError::NotEmpty(address));
        }
        let setup = &script.setup;
        let (game, layout) = (setup.rules.game().file().to_owned(), setup.rules.layout().id().to_owned());
        let house = store.machine(MachineSetup::House { is_training: false }, &setup.profile, BEGIN)?;
        let (table, is_training) = (TABLE, setup.is_training);
        let registration = setup.rules.registration();
        let of_round = MachineSetup::Round {
            table,
            game: game.clone(),
            layout: layout.clone(),
            registration,
            is_training,
            clusters: 1,
        };
        let round = store.machine(of_round, &setup.profile, BEGIN)?;
        // Seat 0 stays empty, as in the script's own installation.
        let of_cluster = MachineSetup::Cluster { cluster: CLUSTER, game, layout, registration, seats: setup.seats + 1 };
        let cluster = store.machine(of_cluster, &setup.profile, BEGIN)?;
        Ok(Self { address, files, store, house, round, cluster })
    }

    /// Records all entries and closes the store. Every settled round and the end get a checkpoint.
    pub fn record(mut self, entries: &[MachineEntry]) -> Result<ScriptRecord, RecordingError> {
        let mut time = BEGIN;
        for entry in entries {
            time = match entry {
                MachineEntry::House(entry) => replay(&mut self.house, entry)?,
                MachineEntry::Round(_, entry) => replay(&mut self.round, entry)?,
                MachineEntry::Cluster(_, entry) => replay(&mut self.cluster, entry)?,
            };
            if let MachineEntry::Cluster(_, Entry { outcome: Ok(ClusterEvent::Settled { .. }), .. }) = entry {
                self.checkpoint(time)?;
            }
        }
        self.checkpoint(time)?;
        let (sender, receiver) = mpsc::channel();
        let done = || {
            let sender = sender.clone();
            move |result: Result<(), RecordingStopped>| sender.send(result).unwrap_or_default()
        };
        self.house.commit(done())?;
        self.round.commit(done())?;
        self.cluster.commit(done())?;
        for _ in 0..3 {
            receiver.recv().map_err(|_| RecordingError::WriterStopped)??;
        }
        let Self { address, files, store, house, round, cluster } = self;
        drop((house, round, cluster));
        let key = store.keys().last().copied();
        store.close()?;
        let has_own_files =
            address.files().is_some_and(|own| own.key_file == files.key_file && own.anchor == files.anchor);
        Ok(ScriptRecord { address, key, anchor: files.anchor, has_own_files })
    }

    fn checkpoint(&mut self, time: Time) -> Result<(), RecordingStopped> {
        self.house.checkpoint(time)?;
        self.round.checkpoint(time)?;
        self.cluster.checkpoint(time)
    }
}

/// Sends a command of the script to the recording machine, and gives its time.
fn replay<M: RecordedMachine>(
    recorder: &mut Recorder<M>,
    entry: &Entry<M::Command, M::Event>,
) -> Result<Time, RecordingError> {
    let outcome = match recorder.ask(entry.request.clone()) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(_) => return Err(RecordingError::KnownBefore),
    };
    if outcome != entry.outcome {
        return Err(RecordingError::Differs);
    }
    if recorder.is_full() {
        recorder.commit(drop)?;
    }
    Ok(entry.request.time)
}
