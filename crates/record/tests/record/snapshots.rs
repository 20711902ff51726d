//! Invalid snapshots are skipped with a warning, and the state comes from the chain.

use std::ops::ControlFlow;
use std::path::Path;

use taisai_journal::suite::{HANG_LIMIT, wait_until};
use taisai_journal::{Archive, ChainPurpose, Hash, MemoryStore, StoredSnapshot};
use taisai_record::{ChainReplay, MachineSetup, RecordStore, RecordStoreError, RecordedMachine, Recorder};
use taisai_table::{
    Cluster, CommandId, CommandRequest, House, Profile, Registration, Round, RoundCommand, TableId, Time,
};

use crate::casino::{TestCasino, chain, dealer, files, program, supervisor};
use crate::test_store::TestStore;
use crate::verify::key;

const GAME: &str = "sic-bo-etg";

struct Played {
    folder: tempfile::TempDir,
    memory: MemoryStore,
    hashes: [[u8; 32]; 3],
    /// The unconfirmed final state of the cluster.
    last: Vec<u8>,
}

fn played() -> Played {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), GAME).unwrap().with_snapshots();
    casino.play(2);
    casino.open_bets();
    casino.bet(0, "big", 100);
    let last = casino.cluster.machine().snapshot();
    Played { memory, hashes: casino.close(), folder, last }
}

#[test]
fn bad_snapshot_is_skipped_with_a_warning() {
    let Played { folder, memory, hashes, last } = played();
    let name = chain("table-1-0");
    let mut archive = memory.clone();
    let StoredSnapshot { position, state, .. } = archive.snapshots(&name).unwrap()[0];
    let bytes = archive.read_snapshot(&name, position).unwrap();
    let end = archive.heads().unwrap().into_iter().find(|head| head.chain == name).unwrap().next - 1;
    assert!(end > position);
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let other = Hash::of(b"another state");
    let damages: [(&str, u64, Hash, &[u8], &str); 7] = [
        ("as it was", position, state, &bytes, ""),
        ("truncated", position, state, &bytes[..bytes.len() - 1], "the snapshot cannot be read"),
        ("empty", position, state, &[], "the snapshot cannot be read"),
        ("a flipped byte", position, state, &flipped, ""),
        ("another state hash", position, other, &bytes, "no checkpoint of a trusted key vouches for it"),
        ("another state", position, state, &last, "it holds another state than it promises"),
        ("unvouched", end, Hash::from_bytes(hashes[2]), &last, "no checkpoint of a trusted key vouches for it"),
    ];
    for (damage, position, state, bytes, why) in damages {
        let memory = memory.fork();
        memory.clone().put_snapshot(&name, position, state, bytes).unwrap();
        let casino = TestCasino::open(Box::new(memory.open()), folder.path(), GAME).unwrap();
        assert_eq!(casino.hashes(), hashes, "{damage}");
        let warnings = casino.warnings.lock().unwrap();
        if damage == "as it was" {
            assert_eq!(*warnings, [""; 0]);
            continue;
        }
        let [warning] = &warnings[..] else { panic!("{damage}: {warnings:?}") };
        let expected = format!("chain table-1-0: the snapshot at block {position} was not used: ");
        assert!(warning.starts_with(&expected) && warning.contains(why), "{damage}: {warning}");
    }
}

/// A block in the place of a checkpoint is found at the start: the search for the checkpoint ends.
#[test]
fn block_instead_of_the_checkpoint_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut casino = TestStore::folder(folder.path()).open().unwrap().with_snapshots();
    casino.play(1);
    casino.close();
    let store = rusqlite::Connection::open(folder.path().join("journal.db")).unwrap();
    let changed = store.execute(
        "UPDATE blocks SET block = (SELECT block FROM blocks b WHERE b.chain = blocks.chain AND b.position = 1)
         WHERE chain = (SELECT id FROM chains WHERE name = 'table-1-0')
           AND position = (SELECT next - 1 FROM chains WHERE name = 'table-1-0')",
        [],
    );
    assert_eq!(changed, Ok(1));
    drop(store);
    let (answer, opened) = std::sync::mpsc::channel();
    let place = folder.path().to_owned();
    std::thread::spawn(move || answer.send(TestStore::folder(&place).open().is_err()).unwrap());
    assert_eq!(opened.recv_timeout(HANG_LIMIT), Ok(true), "it is refused");
}

fn table(record_store: &mut RecordStore, number: u16) -> Result<Recorder<Round>, RecordStoreError> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/tai-sai.toml");
    let (table, game, layout) = (TableId(number), std::fs::read_to_string(file).unwrap(), "A".to_owned());
    let setup = MachineSetup::Round {
        table,
        game,
        layout,
        registration: Registration::EveryBet,
        is_training: false,
        clusters: 1,
    };
    let recorder = record_store.machine(setup, &Profile::singapore(), Time(1_800_000_000_000))?;
    Ok(recorder.with_snapshot_after(0))
}

/// A table does not start with the state of another table, even if blocks and snapshot were exchanged.
#[test]
fn table_does_not_start_with_the_state_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let journal = Box::new(taisai_journal::Sqlite::open(folder.path()).unwrap());
        let warn = std::sync::Arc::new(|_| {});
        RecordStore::in_journal(journal, &files(folder.path()), program(), [7; 16], ChainPurpose::Real, warn).unwrap()
    };
    let mut record_store = open();
    let mut tables = [table(&mut record_store, 1).unwrap(), table(&mut record_store, 2).unwrap()];
    let mut archive = taisai_journal::SqliteArchive::open(folder.path()).unwrap();
    let mut blocks = |name: &str| {
        let heads = archive.heads().unwrap();
        heads.iter().find(|head| head.chain == chain(name)).map_or(0, |head| head.next)
    };
    for sequence in 1..=3 {
        // Only table 2 is opened, which only a supervisor may do.
        for ((recorder, actor), name) in tables.iter_mut().zip([dealer(), supervisor()]).zip(["table-1", "table-2"]) {
            let before = blocks(name);
            let (time, id) = (Time(1_800_000_000_000 + sequence), CommandId { source: 1, sequence });
            recorder.ask(CommandRequest { time, actor, id, command: RoundCommand::OpenTable });
            recorder.checkpoint(time).unwrap();
            wait_until("the checkpoint stands before the next entry", || blocks(name) == before + 2);
        }
    }
    let hashes = tables.each_ref().map(|recorder| recorder.machine().state_hash());
    assert_ne!(hashes[0], hashes[1]);
    drop(tables);
    record_store.close().unwrap();
    let change = |file: &str, sql: &str| {
        rusqlite::Connection::open(folder.path().join(file)).unwrap().execute_batch(sql).unwrap();
    };
    change(
        "journal.db",
        "UPDATE blocks SET block = (
             SELECT b.block FROM blocks b JOIN chains c ON c.id = b.chain AND c.name = 'table-2'
             WHERE b.position = blocks.position)
         WHERE chain = (SELECT id FROM chains WHERE name = 'table-1') AND position IN (3, 4)",
    );
    change(
        "snapshots.db",
        "DELETE FROM snapshots WHERE chain = 'table-1'; DELETE FROM parts WHERE chain = 'table-1';
         INSERT INTO snapshots SELECT 'table-1', position, state, length FROM snapshots WHERE position = 3;
         INSERT INTO parts SELECT 'table-1', position, part, bytes FROM parts WHERE position = 3",
    );
    let started = table(&mut open(), 1).map(|recorder| recorder.machine().state_hash());
    assert!(started.as_ref().map_or(true, |hash| *hash != hashes[1]), "table 1 is what table 2 was");
    assert!(started.map_or(true, |hash| hash == hashes[0]));
}

/// The position from which a machine was read, and its final state.
fn read<M: RecordedMachine>(played: &Played, archive: &mut dyn Archive, name: &str) -> (u64, [u8; 32]) {
    let keys = [key(played.folder.path())];
    let mut replay = ChainReplay::<M>::from_snapshot(archive, &chain(name), &keys, |_| true, |_, _| {}).unwrap();
    let from = replay.head().next;
    replay.run(|_| ControlFlow::Continue(())).unwrap();
    (from, replay.into_machine().unwrap().1.state_hash())
}

/// Flips each byte of the newest snapshot. None of them is used as the state.
fn check_flips<M: RecordedMachine>(name: &str, machine: usize) {
    let played = played();
    let mut archive = played.memory.clone();
    let StoredSnapshot { position, state, .. } = archive.snapshots(&chain(name)).unwrap()[0];
    let bytes = archive.read_snapshot(&chain(name), position).unwrap();
    assert_eq!(read::<M>(&played, &mut archive, name), (position + 1, played.hashes[machine]));
    for byte in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[byte] ^= 1 << (byte % 8);
        archive.put_snapshot(&chain(name), position, state, &flipped).unwrap();
        let (from, found) = read::<M>(&played, &mut archive, name);
        assert!(from <= position, "byte {byte} of {name}");
        assert_eq!(found, played.hashes[machine], "byte {byte} of {name}");
    }
}

#[test]
fn every_flipped_byte_of_a_snapshot_is_found() {
    check_flips::<House>("house", 0);
    check_flips::<Round>("table-1", 1);
    check_flips::<Cluster>("table-1-0", 2);
}
