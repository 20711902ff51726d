//! A casino that stops and starts again is what it was; what is not kept in memory is read from its chains.

use std::path::Path;

use taisai_journal::{
    AcknowledgedHeads, AppendError, Archive, Block, ChainHead, ChainName, ChainPurpose, ClaimError, Journal,
    MemoryJournal, MemoryStore, ReadError, Sqlite, TakeError,
};
use taisai_record::{Address, ChainOpening, MachineSetup, RecordStore, RecordStoreError, first_opening, past_slip};
use taisai_table::{Cluster, House, MachineId, Profile, Registration, Round, RoundNumber, Time};

use crate::casino::{TestCasino, chain};

const GAMES: [&str; 4] = ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"];

/// Plays, stops, starts and plays on, so often; each time the machines are what they were.
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
fn machines_are_what_they_were_before_the_restart() {
    for game in GAMES {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryStore::default();
        check_restarts(game, folder.path(), || Box::new(memory.open()));
        let store = folder.path().join("store");
        let beside = tempfile::tempdir().unwrap();
        check_restarts(game, beside.path(), || Box::new(Sqlite::open(&store).unwrap()));
    }
}

#[test]
fn slips_of_settled_rounds_are_read_from_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.open_bets();
    casino.bet(0, "big", 300);
    casino.bet(1, "small", 200);
    let lying = casino.cluster.machine().slip();
    casino.deal([4, 5, 6]);
    casino.play(12);
    casino.correct(1, [1, 2, 3]);
    casino.commit();
    let (name, keys) = (chain("table-1-0"), casino.record_store.keys().to_vec());
    let archive = casino.record_store.archive();
    assert_eq!(past_slip(archive, &name, &keys, RoundNumber(1)).unwrap().as_ref(), Some(&lying));
    assert_eq!(past_slip(archive, &name, &keys, RoundNumber(14)).unwrap(), None);
}

/// A casino that is set up otherwise does not write into the same chains.
#[test]
fn another_game_is_not_played_into_the_same_chains() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap().close();
    let error = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").err().unwrap();
    assert!(matches!(error, RecordStoreError::OtherSetup(ref chain) if chain == "table-1"), "{error}");
}

/// Nor does it take them away from the one that writes to them.
#[test]
fn program_with_other_setup_fences_nobody() {
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

/// The anchor knows more than the store: the book is not opened.
#[test]
fn a_record_that_was_rolled_back_is_not_opened() {
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

/// Writes to one store and reads another, as two sessions do that are on different servers.
struct Divided {
    written: MemoryJournal,
    read: MemoryStore,
}

impl Journal for Divided {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        self.written.claim(chain, epoch)
    }

    fn append(&mut self, blocks: &[Block]) -> Result<(), AppendError> {
        self.written.append(blocks)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        self.read.open().archive()
    }
}

/// The machine would be built without what the chain holds.
#[test]
fn a_chain_that_is_read_on_another_server_is_not_opened() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.commit();
    let lagging = memory.fork();
    casino.play(1);
    casino.close();
    // The anchor, which would tell, is on another machine.
    let (from, to) = (crate::casino::files(folder.path()).key, crate::casino::files(other.path()).key);
    std::fs::copy(from, to).unwrap();
    let divided = Box::new(Divided { written: memory.open(), read: lagging });
    let error = TestCasino::open(divided, other.path(), "tai-sai").err().expect("it lacks acknowledged bets");
    assert!(
        matches!(error, RecordStoreError::OtherEnd { ref chain, taken, read } if chain == "house" && taken > read),
        "{error}"
    );
}

/// A process that joins again knows what was acknowledged to it, and does not go on with less.
#[test]
fn a_chain_that_lost_acknowledged_blocks_is_not_opened_again() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (memory, acknowledged) = (MemoryStore::default(), AcknowledgedHeads::default());
    let mut casino = TestCasino::open(acknowledged.guard(Box::new(memory.open())), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.commit();
    let promoted = memory.fork();
    casino.play(1);
    casino.close();
    let (from, to) = (crate::casino::files(folder.path()).key, crate::casino::files(other.path()).key);
    std::fs::copy(from, to).unwrap();
    let open = |memory: &MemoryStore| {
        TestCasino::open(acknowledged.guard(Box::new(memory.open())), other.path(), "tai-sai").map(TestCasino::close)
    };
    open(&memory).expect("this one has everything");
    let error = open(&promoted).expect_err("it lacks acknowledged bets");
    assert!(matches!(error, RecordStoreError::Take(TakeError::Claim(ClaimError::Lost { .. }))), "{error}");
    assert!(error.to_string().contains("chain house lacks blocks"), "{error}");
}

/// A partition is held up by its own chains only.
#[test]
fn partition_opens_with_its_own_chains_only() {
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

/// Whoever rolls a record back may take the anchor away as well: a book with checkpoints and no anchor says so.
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
        let is_told = opened.map_or(true, |casino| !casino.warnings.lock().unwrap().is_empty());
        assert!(is_told, "{damage}: it is opened, and nobody hears of it");
    }
}

/// A key that is gone is not made anew beside a record that it has signed.
#[test]
fn missing_key_is_reported_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.close();
    let key = crate::casino::files(folder.path()).key;
    std::fs::remove_file(&key).unwrap();
    assert!(TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").is_err());
    assert!(!key.exists(), "a new key lies in its place");
}
