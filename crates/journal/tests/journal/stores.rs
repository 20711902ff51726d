//! What is particular to a store: who is let in, what is refused at the door, and what is found when its bytes are
//! changed behind its back.

use rusqlite::{Connection, params};
use taisai_journal::suite::{Spawned, TemporaryServer, begin, block, chain, genesis, head, verify};
use taisai_journal::{
    AppendError, Archive, BadHead, Block, ChainFault, ChainFaultReason, Journal, MemoryStore, Postgres,
    PostgresArchive, PostgresError, ReadError, Sqlite, SqliteArchive, SqliteError, StoredSlip, StrayBlock,
};
use tempfile::TempDir;

use crate::common::small_chain;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Stores the small chain, claiming its second epoch when it comes.
fn store(journal: &mut dyn Journal, blocks: &[Block]) {
    let name = &blocks[0].header().chain;
    for (at, block) in blocks.iter().enumerate() {
        if at == 0 || block.header().epoch > blocks[at - 1].header().epoch {
            journal.claim(name, block.header().epoch).expect("a higher epoch");
        }
        journal.append(std::slice::from_ref(block)).expect("the next block");
    }
}

#[test]
fn second_program_is_refused() {
    let folder = folder();
    let first = Sqlite::open(folder.path()).unwrap();
    assert!(matches!(Sqlite::open(folder.path()), Err(SqliteError::InUse { .. })), "in the same process");
    let other = Spawned::test("stores::other_process").env("JOURNAL_FOLDER", folder.path()).output().unwrap();
    let printed = String::from_utf8_lossy(&other.stdout);
    assert!(printed.contains("another program uses the records in"), "{printed}");
    SqliteArchive::open(folder.path()).expect("reading is free");
    drop(first);
    Sqlite::open(folder.path()).expect("the first one has gone");
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn other_process() {
    if let Some(folder) = std::env::var_os("JOURNAL_FOLDER") {
        println!("{}", Sqlite::open(folder.as_ref()).unwrap_err());
    }
}

#[test]
fn log_stays_short_with_small_commits() {
    let folder = folder();
    let mut journal = Sqlite::open(folder.path()).unwrap().with_max_log(200_000);
    let mut at = begin(&mut journal, "table-1");
    for _ in 0..200 {
        let next = block(&at, &[b"one small entry"]);
        journal.append(std::slice::from_ref(&next)).unwrap();
        at = head(&next);
    }
    let length = std::fs::metadata(folder.path().join("journal.db-wal")).unwrap().len();
    assert!((100_000..400_000).contains(&length), "{length}");
}

/// A program whose flush failed leaves a log that the page cache shows and the disk may not have. Whoever opens the store next
/// trusts no block that is only there.
#[test]
fn opened_store_trusts_no_log_that_another_program_left() {
    let (left, opened, disk) = (folder(), folder(), folder());
    let mut journal = Sqlite::open(left.path()).unwrap();
    store(&mut journal, &small_chain());
    // As it ends without closing anything.
    for file in ["journal.db", "journal.db-wal"] {
        std::fs::copy(left.path().join(file), opened.path().join(file)).unwrap();
    }
    let log = opened.path().join("journal.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "the blocks are in the log");
    let next = Sqlite::open(opened.path()).unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0, "the log is copied, flushed and emptied");
    // Without the log, everything is there.
    std::fs::copy(opened.path().join("journal.db"), disk.path().join("journal.db")).unwrap();
    let mut archive = SqliteArchive::open(disk.path()).unwrap();
    assert_eq!(verify(&mut archive, &chain("table/1")).unwrap(), small_chain());
    drop(next);
}

#[test]
fn newer_and_foreign_files_are_refused() {
    let folder = folder();
    let file = folder.path().join("journal.db");
    drop(Sqlite::open(folder.path()).unwrap());
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 3).unwrap();
    assert!(matches!(Sqlite::open(folder.path()), Err(SqliteError::Newer { found: 3, known: 2, .. })));
    assert!(matches!(SqliteArchive::open(folder.path()), Err(SqliteError::Newer { .. })));
    connection.pragma_update(None, "user_version", 2).unwrap();
    connection.pragma_update(None, "application_id", 7).unwrap();
    assert!(matches!(Sqlite::open(folder.path()), Err(SqliteError::Foreign { .. })));
    drop(connection);
    std::fs::write(&file, "something else entirely, and long enough to be taken for a header of a file").unwrap();
    assert!(matches!(Sqlite::open(folder.path()), Err(SqliteError::Sqlite { .. })));
    let empty = tempfile::tempdir().unwrap();
    assert!(SqliteArchive::open(empty.path()).is_err(), "reading makes nothing");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
}

/// Appends a block with a slip behind the small chain, and reads the slip.
fn settle(journal: &mut dyn Journal) {
    let slip = StoredSlip { chain: chain("table/1"), round: 7, bytes: b"slip".to_vec() };
    let next = block(&head(&small_chain()[4]), &[b"settled"]);
    journal.append_with_slips(&[next], std::slice::from_ref(&slip)).expect("a block with a slip");
    let mut archive = journal.archive().expect("an archive");
    assert_eq!(archive.slips(&slip.chain, 0, 9, usize::MAX).expect("slips"), [slip]);
}

/// A store of a program without slips is read as it is, and gets their table when it is opened to write.
#[test]
fn a_store_without_slips_gets_their_table() {
    let folder = folder();
    store(&mut Sqlite::open(folder.path()).unwrap(), &small_chain());
    let connection = Connection::open(folder.path().join("journal.db")).unwrap();
    connection.execute_batch("DROP TABLE slips; PRAGMA user_version = 1").unwrap();
    drop(connection);
    let mut archive = SqliteArchive::open(folder.path()).unwrap();
    assert_eq!(verify(&mut archive, &chain("table/1")).unwrap(), small_chain());
    assert_eq!(archive.slips(&chain("table/1"), 0, 9, usize::MAX).unwrap(), []);
    drop(archive);
    settle(&mut Sqlite::open(folder.path()).unwrap());

    let address = TemporaryServer::shared().database();
    store(&mut Postgres::open(&address).unwrap(), &small_chain());
    let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    client
        .batch_execute(
            "DROP TABLE taisai_journal.slips; DROP FUNCTION taisai_journal.append_with_slips;
             UPDATE taisai_journal.layout SET number = 2",
        )
        .unwrap();
    let mut archive = PostgresArchive::open(&address).unwrap();
    assert_eq!(verify(&mut archive, &chain("table/1")).unwrap(), small_chain());
    assert_eq!(archive.slips(&chain("table/1"), 0, 9, usize::MAX).unwrap(), []);
    settle(&mut Postgres::open(&address).unwrap());
}

/// Whoever can write to a store can put anything in the place of a slip: what is too large is not loaded.
#[test]
fn something_huge_is_no_slip() {
    let folder = folder();
    let mut journal = Sqlite::open(folder.path()).unwrap();
    store(&mut journal, &small_chain());
    settle(&mut journal);
    let edit = Connection::open(folder.path().join("journal.db")).unwrap();
    edit.execute_batch("UPDATE slips SET bytes = zeroblob(300000000)").unwrap();
    let found = journal.archive().unwrap().slips(&chain("table/1"), 0, 9, usize::MAX).unwrap();
    assert_eq!(found, [StoredSlip { chain: chain("table/1"), round: 7, bytes: Vec::new() }]);
}

/// Every byte of every stored block is changed, one at a time, and found.
fn flips(
    blocks: &[Block],
    mut set: impl FnMut(usize, &[u8]),
    mut check: impl FnMut() -> Result<Vec<Block>, ChainFault>,
) {
    assert_eq!(check().expect("a good chain"), blocks);
    for (at, block) in blocks.iter().enumerate() {
        for byte in 0..block.bytes().len() {
            let mut changed = block.bytes().to_vec();
            changed[byte] ^= 0x10;
            set(at, &changed);
            assert_eq!(check().expect_err("found").position, block.header().position, "byte {byte}");
        }
        for length in 0..block.bytes().len() {
            set(at, &block.bytes()[..length]);
            assert_eq!(check().expect_err("found").position, block.header().position, "cut at {length}");
        }
        set(at, block.bytes());
    }
}

#[test]
fn every_change_in_a_file_is_found() {
    let folder = folder();
    let blocks = small_chain();
    let name = chain("table/1");
    let mut journal = Sqlite::open(folder.path()).unwrap();
    store(&mut journal, &blocks);
    let mut archive = journal.archive().unwrap();
    drop(journal);
    let edit = Connection::open(folder.path().join("journal.db")).unwrap();
    edit.pragma_update(None, "synchronous", "off").unwrap();
    let set = |at: usize, bytes: &[u8]| {
        edit.execute("UPDATE blocks SET block = ?1 WHERE position = ?2", params![bytes, i64::try_from(at).unwrap()])
            .unwrap();
    };
    flips(&blocks, set, || verify(&mut *archive, &name));
    // The head's row, and blocks that are missing or in the wrong place.
    for (change, undo, position) in [
        ("UPDATE chains SET next = 4", "UPDATE chains SET next = 5", 5),
        ("UPDATE chains SET hash = zeroblob(32)", "", 5),
        ("DELETE FROM blocks WHERE position = 4", "", 4),
        ("DELETE FROM blocks WHERE position = 1", "", 1),
        ("UPDATE blocks SET position = 1 WHERE position = 2", "", 1),
    ] {
        edit.execute_batch(change).unwrap();
        assert_eq!(verify(&mut *archive, &name).expect_err(change).position, position, "{change}");
        edit.execute_batch(undo).unwrap();
    }
    edit.execute_batch("INSERT INTO blocks SELECT chain, 9, zeroblob(300000000) FROM blocks LIMIT 1").unwrap();
    assert!(matches!(archive.read(&name, 9, 100), Err(ReadError::Damaged { position: 9, .. })));
    edit.execute_batch("UPDATE chains SET name = 'x y'").unwrap();
    assert!(matches!(archive.heads(), Err(ReadError::Head { bad: BadHead::Name(_), .. })));
}

/// What a store says of its chains cannot be: it names the chain, and is told from a store that fails.
#[test]
fn a_damaged_head_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Sqlite::open(folder.path()).unwrap();
    store(&mut journal, &small_chain());
    let mut archive = journal.archive().unwrap();
    assert_eq!(archive.strays().unwrap(), []);
    drop(journal);
    let edit = Connection::open(folder.path().join("journal.db")).unwrap();
    let whole = "UPDATE chains SET name = 'table/1', epoch = 1, next = 5, hash = zeroblob(32)";
    for (change, expected) in [
        ("name = 'x y'", "chain x y: "),
        ("name = CAST(x'ff' AS TEXT)", "chain \u{fffd}: "),
        ("epoch = -1", "chain table/1: the store says that its epoch is -1"),
        ("next = -1", "chain table/1: the store says that its next block is -1"),
        ("hash = zeroblob(31)", "chain table/1: the store has 31 bytes for the hash of its last block, not 32"),
    ] {
        edit.execute_batch(whole).unwrap();
        assert!(archive.heads().is_ok());
        edit.execute_batch(&format!("UPDATE chains SET {change}")).unwrap();
        let error = archive.heads().expect_err(change);
        assert!(matches!(error, ReadError::Head { .. }) && error.to_string().starts_with(expected), "{error}");
    }
    edit.execute_batch(whole).unwrap();
    for (change, chain, position) in [
        ("INSERT INTO blocks VALUES (77, 3, x'00')", "with the number 77", 3),
        ("DELETE FROM blocks WHERE chain = 77; INSERT INTO blocks SELECT id, -4, x'00' FROM chains", "table/1", -4),
        ("DELETE FROM blocks WHERE position < 0; INSERT INTO blocks SELECT id, 9, x'00' FROM chains", "table/1", 9),
    ] {
        edit.execute_batch(change).unwrap();
        assert_eq!(archive.strays().unwrap(), [StrayBlock { chain: chain.to_owned(), position }], "{change}");
    }
}

#[test]
fn every_change_in_memory_is_found() {
    let memory = MemoryStore::default();
    let blocks = small_chain();
    let name = chain("table/1");
    store(&mut memory.open(), &blocks);
    let set = |at: usize, bytes: &[u8]| memory.tamper(&name, |stored| stored[at] = bytes.to_vec());
    flips(&blocks, set, || verify(&mut memory.clone(), &name));
    memory.tamper(&name, |stored| drop(stored.pop()));
    assert_eq!(verify(&mut memory.clone(), &name).expect_err("cut off").reason, ChainFaultReason::Head);
}

#[test]
fn chains_open_with_a_damaged_snapshot_file() {
    let folder = folder();
    let mut journal = Sqlite::open(folder.path()).unwrap();
    begin(&mut journal, "house");
    std::fs::write(folder.path().join("snapshots.db"), "no database at all, and long enough to be read as one")
        .unwrap();
    let mut archive = journal.archive().unwrap();
    assert!(archive.snapshots(&chain("house")).is_err());
    verify(&mut *archive, &chain("house")).expect("the chain is the truth");
}

#[test]
fn a_server_that_is_not_durable_or_is_newer_is_refused() {
    let mut server = TemporaryServer::start();
    let address = server.database();
    assert!(matches!(PostgresArchive::open(&address), Err(PostgresError::Empty)));
    Postgres::open(&address).unwrap();
    PostgresArchive::open(&address).unwrap();
    for weak in ["off", "local", "remote_write"] {
        let weakened = format!("{address} options='-c synchronous_commit={weak}'");
        let refused = Postgres::open(&weakened);
        assert!(matches!(refused, Err(PostgresError::Setting { setting: "synchronous_commit", .. })), "{refused:?}");
    }
    let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    client.batch_execute("UPDATE taisai_journal.layout SET number = 4").unwrap();
    assert!(matches!(Postgres::open(&address), Err(PostgresError::Newer { found: 4, known: 3 })));
    assert!(matches!(PostgresArchive::open(&address), Err(PostgresError::Newer { .. })));
    client.batch_execute("UPDATE taisai_journal.layout SET number = 3").unwrap();

    // A standby that never comes: the commit waits until it is cancelled, and then warns. Its fate is unknown.
    let first = begin(&mut Postgres::open(&address).unwrap(), "house");
    server.crash();
    server.run("-c synchronous_standby_names=nobody");
    let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    let mut journal = Postgres::open(&address).unwrap();
    let second = block(&first, &[b"x"]);
    let waiting = std::thread::spawn(move || {
        let result = journal.append(std::slice::from_ref(&second));
        (result, journal.append(&[genesis(&head(&second))]), second)
    });
    let waits = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while client.query_one(waits, &[]).unwrap().get::<_, i64>(0) == 0 {
        std::thread::yield_now();
    }
    let (result, later, second) = waiting.join().unwrap();
    assert!(matches!(result, Err(AppendError::Unknown(_))), "{result:?}");
    assert!(matches!(later, Err(AppendError::Poisoned)), "{later:?}");
    let blocks = verify(&mut PostgresArchive::open(&address).unwrap(), &chain("house")).unwrap();
    assert_eq!(blocks[1], second, "this time it was stored");
}
