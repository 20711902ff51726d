//! A restarted casino has the state that it had before; what is not kept in memory is read from its chains.

use std::path::Path;

use taisai_journal::{
    AcknowledgedHeads, AppendError, Archive, Block, ChainHead, ChainName, ChainPurpose, ClaimError, Journal,
    MemoryJournal, MemoryStore, ReadError, Sqlite, StoredSlip, TakeError,
};
use taisai_record::{Address, ChainOpening, MachineSetup, RecordStore, RecordStoreError, first_opening};
use taisai_table::{Cluster, House, MachineId, Profile, Registration, Round, Time};

use crate::casino::TestCasino;

const GAMES: [&str; 4] = ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"];

/// Restarts this often. Each time the machines have the state that they had before.
fn check_restarts(game: &str, folder: &Path, open: impl Fn() -> Box<dyn Journal>) {
    let mut before = None;
    for _ in 0..4 {
        let mut casino = TestCasino::open(open(), folder, game).unwrap();
        if let Some(before) = before {
            assert_eq!(casino.hashes(), before, "{game}");
        }
        casino.play(5);
        casino.correct(casino.round.machine().number().0 - 1, [1, 1, 2]);
        assert_eq!(*casino.warnings.lock().unwrap(), [""; 0], "{game}");
        before = Some(casino.close());
    }
}

#[test]
fn restart_restores_the_state_of_every_machine() {
    for game in GAMES {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryStore::default();
        check_restarts(game, folder.path(), || Box::new(memory.open()));
        let store = folder.path().join("store");
        let beside = tempfile::tempdir().unwrap();
        check_restarts(game, beside.path(), || Box::new(Sqlite::open(&store).unwrap()));
    }
}

/// A casino with another setup does not write to the same chains.
#[test]
fn another_game_cannot_use_the_same_chains() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap().close();
    let error = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").err().unwrap();
    assert!(matches!(error, RecordStoreError::OtherSetup(ref chain) if chain == "table-1"), "{error}");
}

/// Nor does it take them from the program that writes to them.
#[test]
fn program_with_other_setup_takes_no_chains() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut first = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    first.play(1);
    first.commit();
    let files = crate::casino::files(folder.path());
    let warn = std::sync::Arc::new(|_| {});
    let program = crate::casino::program();
    let journal = Box::new(memory.open());
    let mut record_store =
        RecordStore::in_journal(journal, &files, program, [7; 16], ChainPurpose::Real, warn).unwrap();
    let (game, layout) = (String::new(), "A".to_owned());
    let setup = MachineSetup::Round {
        table: crate::casino::TABLE,
        game,
        layout,
        registration: Registration::EveryBet,
        is_training: false,
        clusters: 1,
    };
    let refused = record_store.machine::<Round>(setup, &Profile::singapore(), Time(1_800_000_000_000)).err().unwrap();
    assert!(matches!(refused, RecordStoreError::OtherSetup(_)), "{refused}");
    first.play(1);
    first.close();
}

/// The anchor has later blocks than the store, so the record is not opened.
#[test]
fn rolled_back_record_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(2);
    casino.close();
    let early = memory.fork();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(2);
    casino.close();
    let error = TestCasino::open(Box::new(early.open()), folder.path(), "tai-sai").err().unwrap();
    assert!(matches!(error, RecordStoreError::RolledBack { .. }), "{error}");
}

/// Writes to one store and reads another, like two sessions on different servers.
struct Divided {
    written: MemoryJournal,
    read: MemoryStore,
}

impl Journal for Divided {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        self.written.claim(chain, epoch)
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        self.written.append_with_slips(blocks, slips)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        self.read.open().archive()
    }
}

/// The machine would be rebuilt without entries that the chain holds.
#[test]
fn chain_read_from_another_server_is_not_opened() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.commit();
    let lagging = memory.fork();
    casino.play(1);
    casino.close();
    // The anchor is on another machine, so it cannot show the loss.
    let (from, to) = (crate::casino::files(folder.path()).key_file, crate::casino::files(other.path()).key_file);
    std::fs::copy(from, to).unwrap();
    let divided = Box::new(Divided { written: memory.open(), read: lagging });
    let error = TestCasino::open(divided, other.path(), "tai-sai").err().expect("it lacks acknowledged bets");
    assert!(
        matches!(error, RecordStoreError::OtherEnd { ref chain, taken, read } if chain == "house" && taken > read),
        "{error}"
    );
}

/// A process that joins again remembers what was acknowledged to it, and refuses a chain with less.
#[test]
fn chain_without_acknowledged_blocks_is_not_opened_again() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (memory, acknowledged) = (MemoryStore::default(), AcknowledgedHeads::default());
    let mut casino = TestCasino::open(acknowledged.guard(Box::new(memory.open())), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.commit();
    let promoted = memory.fork();
    casino.play(1);
    casino.close();
    let (from, to) = (crate::casino::files(folder.path()).key_file, crate::casino::files(other.path()).key_file);
    std::fs::copy(from, to).unwrap();
    let open = |memory: &MemoryStore| {
        TestCasino::open(acknowledged.guard(Box::new(memory.open())), other.path(), "tai-sai").map(TestCasino::close)
    };
    open(&memory).expect("this one has everything");
    let error = open(&promoted).expect_err("it lacks acknowledged bets");
    assert!(matches!(error, RecordStoreError::Take(TakeError::Claim(ClaimError::Lost { .. }))), "{error}");
    assert!(error.to_string().contains("chain house lacks blocks"), "{error}");
}

/// A partition depends only on its own chains.
#[test]
fn partition_needs_only_its_own_chains() {
    let (folder, early) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let play = || {
        let journal = Box::new(Sqlite::open(folder.path()).unwrap());
        let mut casino = TestCasino::open(journal, folder.path(), "tai-sai").unwrap();
        casino.play(2);
        casino.close();
    };
    play();
    for file in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), early.path().join(file.file_name())).unwrap();
    }
    play();
    for (part, is_rolled_back) in [("house", true), ("table-1", true), ("table-1-0", true), ("table-9", false)] {
        let (address, files) = (Address::Folder(early.path().to_owned()), crate::casino::files(folder.path()));
        let (program, chains) = (crate::casino::program(), [part.parse().unwrap()]);
        let warn = std::sync::Arc::new(|warning| panic!("{warning}"));
        let journal = address.journal().unwrap();
        let opened = RecordStore::open_partition(journal, &files, program, [9; 16], ChainPurpose::Real, &chains, warn);
        let read = opened.and_then(|mut store| {
            assert_eq!(store.house(), [7; 16], "the House says whose it is");
            let Some(ChainOpening { time, profile, setup, .. }) = first_opening(store.archive(), &chains[0]).unwrap()
            else {
                store.close().unwrap();
                return Ok(());
            };
            let read = match setup.machine() {
                MachineId::House => store.read::<House>(setup, &profile, time).map(drop),
                MachineId::Round(_) => store.read::<Round>(setup, &profile, time).map(drop),
                MachineId::Cluster(_) => store.read::<Cluster>(setup, &profile, time).map(drop),
            };
            store.close().unwrap();
            read
        });
        match read {
            Ok(()) => assert!(!is_rolled_back, "{part}"),
            Err(error) => {
                assert!(is_rolled_back && matches!(error, RecordStoreError::RolledBack { .. }), "{part}: {error}");
            }
        }
    }
}

/// Whoever rolls a record back may remove the anchor too, so a record with checkpoints and no anchor opens with a warning.
#[test]
fn missing_anchor_is_reported() {
    for damage in ["removed", "emptied"] {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryStore::default();
        let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
        casino.play(2);
        casino.close();
        let anchor = crate::casino::files(folder.path()).anchor.unwrap();
        match damage {
            "removed" => std::fs::remove_file(anchor).unwrap(),
            _ => std::fs::write(anchor, "").unwrap(),
        }
        let opened = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai");
        let is_reported = opened.map_or(true, |casino| !casino.warnings.lock().unwrap().is_empty());
        assert!(is_reported, "{damage}: it is opened, and nobody hears of it");
    }
}

/// A missing key is not created again beside a record that it has signed.
#[test]
fn missing_key_is_reported_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.close();
    let key = crate::casino::files(folder.path()).key_file;
    std::fs::remove_file(&key).unwrap();
    assert!(TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").is_err());
    assert!(!key.exists(), "a new key lies in its place");
}
