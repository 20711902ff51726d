//! The store of a shift, and the checks after the shift.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use taisai_journal::{
    Anchor, AnchorLine, Archive, Journal, Postgres, PostgresArchive, Sqlite, SqliteArchive, TrustedKeys,
};
use taisai_record::{Auditor, ChainReplay, RecordStoreError, ReplayEvent, StoreError};
use taisai_table::{Actor, Cluster, CommandId, Decision, Seat, check_transit};

use crate::casino::{TestCasino, chain, files, program};
use crate::recording::terminal_command;
use crate::shift::{ShiftOutput, UNDER_WAY, command_of, error_text, word};
use crate::verify::key;

const GAME: &str = "sic-bo-etg";

/// A store, and the folder of the key and the anchor.
#[derive(Clone, Debug)]
pub(crate) struct TestStore {
    /// A folder, or the address of a database.
    pub(crate) store: String,
    pub(crate) files: PathBuf,
}

/// Every command that was acknowledged on a store, with its verdict.
#[derive(Clone, Debug, Default)]
pub(crate) struct Acknowledged {
    commands: BTreeMap<CommandId, String>,
    settled: u64,
}

impl TestStore {
    /// Store, key and anchor in one folder.
    pub(crate) fn folder(folder: &Path) -> Self {
        Self { store: folder.to_str().unwrap().to_owned(), files: folder.to_owned() }
    }

    fn is_folder(&self) -> bool {
        self.store.starts_with('/')
    }

    fn journal(&self) -> Result<Box<dyn Journal>, StoreError> {
        if !self.is_folder() {
            return Ok(Box::new(Postgres::open(&self.store)?));
        }
        // With a small log, checkpoints of the log happen during play.
        Ok(Box::new(Sqlite::open(self.store.as_ref())?.with_max_log(500_000)))
    }

    pub(crate) fn open(&self) -> Result<TestCasino, RecordStoreError> {
        TestCasino::open(self.journal()?, &self.files, GAME)
    }

    pub(crate) fn archive(&self) -> Result<Box<dyn Archive>, StoreError> {
        if self.is_folder() {
            Ok(Box::new(SqliteArchive::open(self.store.as_ref())?))
        } else {
            Ok(Box::new(PostgresArchive::open(&self.store)?))
        }
    }

    /// What the anchor holds.
    pub(crate) fn anchored(&self) -> Vec<AnchorLine> {
        Anchor::read(&files(&self.files).anchor.unwrap()).unwrap().lines
    }

    /// Verifies all chains, the transfers between them and the anchor.
    pub(crate) fn verify(&self) {
        let heads = self.archive().unwrap().heads().unwrap();
        let (keys, anchored) = ([key(&self.files)], self.anchored());
        let auditor = Auditor { keys: &keys, anchored: &anchored, program: &program() };
        let audit = auditor.audit(&|| self.archive(), &heads, &|| {}).unwrap();
        let findings: Vec<_> = audit.findings().map(|finding| error_text(finding)).collect();
        assert_eq!(findings, [""; 0], "{}", self.store);
    }

    /// How often each command of a terminal is recorded, and with which verdicts.
    fn recorded(&self) -> BTreeMap<CommandId, Vec<String>> {
        let mut archive = self.archive().unwrap();
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let trust = TrustedKeys::Keys(vec![key(&self.files)]);
        let mut replay = ChainReplay::<Cluster>::new(&mut *archive, chain("table-1-0"), trust, &[]);
        let look = |seen: ReplayEvent<'_, Cluster>| {
            if let ReplayEvent::Entry(_, _, entry) = seen
                && let Actor::Terminal { .. } = entry.request.actor
            {
                found.entry(entry.request.id).or_default().push(word(entry.verdict()).to_owned());
            }
            ControlFlow::Continue(())
        };
        replay.run(look).unwrap();
        found
    }

    /// Opens the record after a shift, however that ended, and continues: every acknowledged command is recorded once and gets
    /// the same reply again, nothing is carried out twice, and everything verifies.
    pub(crate) fn check(&self, output: &ShiftOutput, acknowledged: &mut Acknowledged) {
        acknowledged.add(output);
        let mut casino = self.open().unwrap_or_else(|error| panic!("{}: {error}", self.store));
        casino.exchange();
        casino.commit();
        casino.house.machine().check().unwrap();
        casino.cluster.machine().check().unwrap();
        check_transit(casino.house.machine(), casino.cluster.machine()).unwrap();
        assert!(casino.round.machine().number().0 >= acknowledged.settled);
        let recorded = self.recorded();
        for (id, verdict) in &acknowledged.commands {
            assert_eq!(recorded.get(id), Some(&vec![verdict.clone()]), "{id:?} in {}", self.store);
        }
        assert!(recorded.values().all(|verdicts| verdicts.len() == 1), "nothing is recorded twice");
        acknowledged.send_again(&mut casino, output, &recorded);
        casino.close();
        self.verify();
    }
}

impl Acknowledged {
    /// The number of acknowledged commands.
    pub(crate) fn count(&self) -> usize {
        self.commands.len()
    }

    pub(crate) fn add(&mut self, output: &ShiftOutput) {
        let answers = output.answers.iter();
        self.commands
            .extend(answers.map(|(seat, sequence, verdict)| (terminal_command(*seat, *sequence), verdict.clone())));
        self.settled = self.settled.max(output.settled);
    }

    /// Repeats the last commands of every terminal: known ones get their replies again and change nothing.
    fn send_again(
        &mut self,
        casino: &mut TestCasino,
        output: &ShiftOutput,
        recorded: &BTreeMap<CommandId, Vec<String>>,
    ) {
        let last: BTreeMap<Seat, u64> = output.answers.iter().map(|(seat, sequence, _)| (*seat, *sequence)).collect();
        for (seat, last) in last {
            for sequence in (last..).take(1 + UNDER_WAY) {
                let id = terminal_command(seat, sequence);
                let before = casino.cluster.machine().state_hash();
                let decision = casino.ask_at(seat, sequence, command_of(seat, sequence), |_, _| {}).unwrap();
                let verdict = word(decision.verdict()).to_owned();
                if let Some(known) = recorded.get(&id) {
                    assert!(matches!(decision, Decision::Repeated(_)), "{id:?} was recorded: {decision:?}");
                    assert_eq!(known.first(), Some(&verdict), "{id:?}");
                    assert_eq!(casino.cluster.machine().state_hash(), before, "{id:?} changes nothing");
                } else {
                    assert!(!matches!(decision, Decision::Repeated(_)), "{id:?} is new: {decision:?}");
                    let again = casino.ask_at(seat, sequence, command_of(seat, sequence), |_, _| {}).unwrap();
                    assert!(matches!(again, Decision::Repeated(_)), "{id:?} twice: {again:?}");
                }
                self.commands.insert(id, verdict);
            }
        }
        casino.commit();
    }
}
