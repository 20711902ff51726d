//! Recording what a script plays: a new book in a data folder takes every entry through the machines that record, which must
//! decide as those of the script did.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use anyhow::{Context as _, bail, ensure};
use taisai_journal::Purpose;
use taisai_record::{Address, Book, Machine, NotRecorded, Recorder, Setup, Warning};
use taisai_table::{Cluster, ClusterEvent, Decision, Entry, House, Recorded, Round, Time};

use super::script::{CLUSTER, Script, TABLE};
use super::stage::BEGIN;

/// A book that a script is recorded in.
pub(super) struct Keep {
    folder: PathBuf,
    book: Book,
    house: Recorder<House>,
    round: Recorder<Round>,
    cluster: Recorder<Cluster>,
}

impl Keep {
    /// Begins a book in a folder that has none.
    pub(super) fn open(folder: &Path, script: &Script) -> anyhow::Result<Self> {
        let address = Address::Folder(folder.into());
        let files = address.files().context("a folder has files")?;
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        let warn = Arc::new(|warning: Warning| {
            // Nothing is left to do if standard error is closed.
            use std::io::Write as _;
            writeln!(anstream::stderr(), "{warning}").ok();
        });
        let mut book = Book::open(&address, &files, crate::audit::program()?, id, Purpose::Training, warn)?;
        if !book.archive().heads()?.is_empty() {
            bail!("{} has a record already, and a script begins a new one", folder.display());
        }
        let setup = &script.setup;
        let (game, layout) = (setup.rules.game().file().to_owned(), setup.rules.layout().id().to_owned());
        let house = book.machine(Setup::House { is_training: false }, &setup.profile, BEGIN)?;
        let (table, is_training) = (TABLE, setup.is_training);
        let of_round = Setup::Round { table, game: game.clone(), layout: layout.clone(), is_training, clusters: 1 };
        let round = book.machine(of_round, &setup.profile, BEGIN)?;
        // Seat 0 stays empty, as on the stage.
        let of_cluster = Setup::Cluster { cluster: CLUSTER, game, layout, seats: setup.seats + 1 };
        let cluster = book.machine(of_cluster, &setup.profile, BEGIN)?;
        Ok(Self { folder: folder.into(), book, house, round, cluster })
    }

    /// Records everything, and closes the book. A checkpoint comes with every settled round and at the end.
    pub(super) fn record(mut self, record: &[Recorded]) -> anyhow::Result<PathBuf> {
        let mut time = BEGIN;
        for recorded in record {
            time = match recorded {
                Recorded::House(entry) => ask(&mut self.house, entry)?,
                Recorded::Round(_, entry) => ask(&mut self.round, entry)?,
                Recorded::Cluster(_, entry) => ask(&mut self.cluster, entry)?,
            };
            if let Recorded::Cluster(_, Entry { outcome: Ok(ClusterEvent::Settled { .. }), .. }) = recorded {
                self.checkpoint(time)?;
            }
        }
        self.checkpoint(time)?;
        let (answer, answers) = mpsc::channel();
        let done = || {
            let answer = answer.clone();
            move |result: Result<(), NotRecorded>| answer.send(result).unwrap_or_default()
        };
        self.house.commit(done())?;
        self.round.commit(done())?;
        self.cluster.commit(done())?;
        for _ in 0..3 {
            answers.recv()??;
        }
        let Self { folder, book, house, round, cluster } = self;
        drop((house, round, cluster));
        book.close();
        Ok(folder)
    }

    fn checkpoint(&mut self, time: Time) -> anyhow::Result<()> {
        self.house.checkpoint(time)?;
        self.round.checkpoint(time)?;
        self.cluster.checkpoint(time)?;
        Ok(())
    }
}

/// Asks what the script asked; when it was asked.
fn ask<M: Machine>(recorder: &mut Recorder<M>, entry: &Entry<M::Command, M::Event>) -> anyhow::Result<Time> {
    let decided = match recorder.ask(entry.asked.clone()) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(_) => bail!("a command is known to the record before it was asked"),
    };
    ensure!(decided == entry.outcome, "the machine that records decides otherwise than the script's");
    if recorder.is_full() {
        recorder.commit(drop)?;
    }
    Ok(entry.asked.time)
}
