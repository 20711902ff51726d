//! Recording what a script plays: a new book in a store takes every entry through the machines that record, which must
//! decide as those of the script did.

use std::collections::HashSet;
use std::io::Write as _;
use std::mem::discriminant;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use anyhow::{Context as _, bail, ensure};
use taisai_journal::ChainPurpose;
use taisai_record::{
    Address, MachineSetup, RecordFiles, RecordStore, RecordWarning, RecordedMachine, Recorder, RecordingStopped,
};
use taisai_table::{Cluster, ClusterEvent, Decision, Entry, House, MachineEntry, Round, Time};

use crate::args::KeepArgs;

use super::script::{CLUSTER, Script, TABLE};
use super::stage::BEGIN;

/// A book that a script is recorded in.
pub(super) struct Keep {
    address: Address,
    files: RecordFiles,
    book: RecordStore,
    house: Recorder<House>,
    round: Recorder<Round>,
    cluster: Recorder<Cluster>,
}

impl Keep {
    /// Begins a book in a store that has none, if one is named.
    pub(super) fn open(args: &KeepArgs, script: &Script) -> anyhow::Result<Option<Self>> {
        let Some(address) = args.store.clone() else { return Ok(None) };
        let files = files(&address, args)?;
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        // Nothing is left to do if standard error is closed.
        let warn = Arc::new(once(|sentence| writeln!(anstream::stderr(), "{sentence}").unwrap_or_default()));
        let mut book = RecordStore::open(&address, &files, crate::audit::program()?, id, ChainPurpose::Training, warn)?;
        if !book.archive().heads()?.is_empty() {
            bail!("{address} has a record already, and a script begins a new one");
        }
        let setup = &script.setup;
        let (game, layout) = (setup.rules.game().file().to_owned(), setup.rules.layout().id().to_owned());
        let house = book.machine(MachineSetup::House { is_training: false }, &setup.profile, BEGIN)?;
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
        let round = book.machine(of_round, &setup.profile, BEGIN)?;
        // Seat 0 stays empty, as on the stage.
        let of_cluster = MachineSetup::Cluster { cluster: CLUSTER, game, layout, registration, seats: setup.seats + 1 };
        let cluster = book.machine(of_cluster, &setup.profile, BEGIN)?;
        Ok(Some(Self { address, files, book, house, round, cluster }))
    }

    /// Records everything, and closes the book. A checkpoint comes with every settled round and at the end. What was done, and
    /// how it is checked.
    pub(super) fn record(mut self, record: &[MachineEntry]) -> anyhow::Result<String> {
        let mut time = BEGIN;
        for recorded in record {
            time = match recorded {
                MachineEntry::House(entry) => ask(&mut self.house, entry)?,
                MachineEntry::Round(_, entry) => ask(&mut self.round, entry)?,
                MachineEntry::Cluster(_, entry) => ask(&mut self.cluster, entry)?,
            };
            if let MachineEntry::Cluster(_, Entry { outcome: Ok(ClusterEvent::Settled { .. }), .. }) = recorded {
                self.checkpoint(time)?;
            }
        }
        self.checkpoint(time)?;
        let (answer, answers) = mpsc::channel();
        let done = || {
            let answer = answer.clone();
            move |result: Result<(), RecordingStopped>| answer.send(result).unwrap_or_default()
        };
        self.house.commit(done())?;
        self.round.commit(done())?;
        self.cluster.commit(done())?;
        for _ in 0..3 {
            answers.recv()??;
        }
        let Self { address, files, book, house, round, cluster } = self;
        drop((house, round, cluster));
        let key = book.keys().last().map(|key| format!(" --key {key}")).unwrap_or_default();
        book.close();
        let options = match address.files() {
            Some(own) if own.key == files.key && own.anchor == files.anchor => String::new(),
            _ => key + &files.anchor.map(|file| format!(" --anchor {}", file.display())).unwrap_or_default(),
        };
        Ok(format!("The record is in {address}. Check it with\n  taisai audit verify {address}{options}"))
    }

    fn checkpoint(&mut self, time: Time) -> anyhow::Result<()> {
        self.house.checkpoint(time)?;
        self.round.checkpoint(time)?;
        self.cluster.checkpoint(time)?;
        Ok(())
    }
}

/// Tells a warning of each kind once: what fails with one checkpoint fails with the next.
fn once(tell: impl Fn(String)) -> impl Fn(RecordWarning) {
    let told = Mutex::new(HashSet::new());
    move |warning| {
        if told.lock().is_ok_and(|mut told| told.insert(discriminant(&warning))) {
            tell(sentence(warning));
        }
    }
}

/// A warning with what caused it, each said once.
fn sentence(warning: RecordWarning) -> String {
    let mut told = String::new();
    for cause in anyhow::Error::from(warning).chain().map(ToString::to_string) {
        if !told.ends_with(&cause) {
            told += if told.is_empty() { "warning: " } else { ": " };
            told += &cause;
        }
    }
    told
}

/// The key and the anchor: where the command says, or in the data folder.
fn files(address: &Address, args: &KeepArgs) -> anyhow::Result<RecordFiles> {
    let own = address.files();
    let key = args.key.clone().or_else(|| own.as_ref().map(|files| files.key.clone()));
    let key =
        key.context("a database has no place for the signing key: name a file with --key, and one with --anchor")?;
    Ok(RecordFiles { key, anchor: args.anchor.clone().or_else(|| own?.anchor), trusted: Vec::new() })
}

/// Asks what the script asked; when it was asked.
fn ask<M: RecordedMachine>(recorder: &mut Recorder<M>, entry: &Entry<M::Command, M::Event>) -> anyhow::Result<Time> {
    let decided = match recorder.ask(entry.request.clone()) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(_) => bail!("a command is known to the record before it was asked"),
    };
    ensure!(decided == entry.outcome, "the machine that records decides otherwise than the script's");
    if recorder.is_full() {
        recorder.commit(drop)?;
    }
    Ok(entry.request.time)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::ErrorKind;

    use taisai_journal::{AnchorError, SnapshotError};

    use super::*;

    #[test]
    fn a_warning_is_told_once_with_its_cause() {
        let told = RefCell::new(Vec::new());
        let warn = once(|sentence| told.borrow_mut().push(sentence));
        let path = || "anchor.txt".into();
        let full = || AnchorError::Io { path: path(), source: ErrorKind::StorageFull.into() };
        for error in [full(), full(), AnchorError::Broken { path: path() }] {
            warn(error.into());
        }
        let full = || SnapshotError::Failed(std::io::Error::from(ErrorKind::StorageFull).into());
        warn(full().into());
        warn(full().into());
        let expected = [
            "warning: a checkpoint was not anchored: the anchor anchor.txt cannot be used: no storage space",
            "warning: a snapshot was not kept: the snapshot could not be stored or read: no storage space",
        ];
        assert_eq!(*told.borrow(), expected);
    }
}
