//! A record of a newer program is refused at the start with a message that says so, and nothing is written to its folder.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::Connection;
use taisai_journal::suite::{block, head, next_header};
use taisai_journal::{Archive as _, Block, ChainPurpose, Genesis, Journal, Sqlite, SqliteArchive};
use taisai_record::{Address, ChainFollower, ReplayEvent};
use taisai_table::{Actor, CommandId, CommandRequest, Entry, House, encode, entry_time};

use crate::casino::chain;
use crate::shift::error_text;
use crate::test_store::TestStore;
use crate::verify::key;

/// Names and contents of all files in a folder.
fn bytes_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
}

/// Opens a folder that a newer program has written.
fn check_refused(folder: &Path, expected: &str) {
    let before = bytes_in(folder);
    let refused = TestStore::folder(folder).open().err().unwrap_or_else(|| panic!("it is opened, not: {expected}"));
    assert!(error_text(&refused).contains(expected), "{expected}: {}", error_text(&refused));
    let after = bytes_in(folder);
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after), "{expected}");
    assert!(before == after, "{expected}: a file was changed");
}

/// A folder with one played round.
fn played() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut casino = TestStore::folder(folder.path()).open().unwrap().with_snapshots();
    casino.play(1);
    casino.close();
    folder
}

#[test]
fn chain_for_newer_readers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Sqlite::open(folder.path()).unwrap();
    let claimed = journal.claim(&chain("house"), 1).unwrap();
    let genesis = Genesis { house: [7; 16], purpose: ChainPurpose::Real, least_reader: 2 };
    journal.append(&[Block::genesis(next_header(&claimed), genesis)]).unwrap();
    drop(journal);
    check_refused(folder.path(), "chain house, block 0: the chain takes reader 2, and this program is reader 1");
}

/// Whichever chain is newer, none of the others is written to.
#[test]
fn entries_of_a_newer_version_are_refused() {
    let lines: [(&[u8], &str); 2] = [
        (&[2, 1, 2, 3], "version 2 is newer than this program"),
        (&[0, 2, 1, 2, 3], "the opening has format 2: use the newer program that wrote it"),
    ];
    for name in ["house", "table-1", "table-1-0"] {
        for (line, expected) in lines {
            let folder = played();
            let mut journal = Sqlite::open(folder.path()).unwrap();
            let claimed = journal.claim(&chain(name), 2).unwrap();
            let taken = Block::take_over(next_header(&claimed), "taisai 2".to_owned());
            let newer = block(&head(&taken), &[line]);
            let expected = format!("chain {name}, block {}, entry 0: {expected}", newer.header().position);
            journal.append(&[taken, newer]).unwrap();
            drop(journal);
            check_refused(folder.path(), &expected);
        }
    }
}

/// An unknown entry of a later program, in a block before the last.
fn add_unknown(folder: &Path, name: &str) -> u64 {
    let mut archive = SqliteArchive::open(folder).unwrap();
    let known = archive.heads().unwrap().into_iter().find(|head| head.chain == chain(name)).unwrap();
    let blocks = archive.read(&chain(name), 0, usize::MAX).unwrap().into_iter();
    let blocks: Vec<_> = blocks.map(|bytes| Block::decode(bytes).unwrap()).collect();
    let last = blocks.iter().flat_map(Block::entries).last().unwrap().to_vec();
    drop(archive);
    // The tag of a command is one byte.
    let id = CommandId { source: u64::MAX, sequence: 1 };
    let request = CommandRequest { time: entry_time(&last).unwrap(), actor: Actor::System, id, command: 120_u8 };
    let mut unknown = Vec::new();
    encode(&Entry { request, outcome: Ok([1_u8, 2, 3]) }, &mut unknown);
    let mut journal = Sqlite::open(folder).unwrap();
    let claimed = journal.claim(&chain(name), known.epoch + 1).unwrap();
    let taken = Block::take_over(next_header(&claimed), "taisai 2".to_owned());
    let newer = block(&head(&taken), &[&unknown]);
    let later = block(&head(&newer), &[&last]);
    let position = newer.header().position;
    journal.append(&[taken, newer, later]).unwrap();
    position
}

const UNKNOWN: &str = "a newer program wrote something that this one does not know: use the newer program";

/// It is distinguished from damage, and found before any chain is written to.
#[test]
fn command_of_a_newer_program_is_refused_before_anything_is_written() {
    for name in ["house", "table-1", "table-1-0"] {
        let folder = played();
        let position = add_unknown(folder.path(), name);
        let heads = || SqliteArchive::open(folder.path()).unwrap().heads().unwrap();
        let before = heads();
        let refused = TestStore::folder(folder.path()).open().err().expect("it is refused");
        let expected = format!("chain {name}, block {position}, entry 0: {UNKNOWN}");
        assert_eq!((error_text(&refused), heads()), (expected, before), "{name}");
    }
}

/// Later entries would be applied to another state than they were decided on.
#[test]
fn follower_stops_before_an_entry_that_it_cannot_read() {
    let folder = played();
    let keys = vec![key(folder.path())];
    let mut follower = ChainFollower::<House>::new(Address::Folder(folder.path().into()), chain("house"), keys);
    follower.follow(|_| ControlFlow::Continue(())).unwrap();
    let before = follower.machine().unwrap().state_hash();
    let position = add_unknown(folder.path(), "house");
    for _ in 0..3 {
        let mut entries = 0;
        let followed = follower.follow(|seen| {
            entries += u32::from(matches!(seen, ReplayEvent::Entry(..)));
            ControlFlow::Continue(())
        });
        let expected = format!("chain house, block {position}, entry 0: {UNKNOWN}");
        assert_eq!((followed.unwrap_err().to_string(), entries), (expected, 0));
        assert_eq!(follower.machine().unwrap().state_hash(), before);
    }
}

#[test]
fn blocks_of_a_newer_format_are_refused() {
    let folder = played();
    let connection = Connection::open(folder.path().join("journal.db")).unwrap();
    let change = "UPDATE blocks SET block = CAST(x'02' || substr(block, 2) AS BLOB) WHERE position = 0";
    assert_eq!(connection.execute(change, []).unwrap(), 3);
    connection.close().unwrap();
    check_refused(folder.path(), "chain house, block 0: it has format 2, and this program reads 1");
}

#[test]
fn newer_store_layout_is_refused() {
    let folder = played();
    let connection = Connection::open(folder.path().join("journal.db")).unwrap();
    connection.pragma_update(None, "user_version", 3).unwrap();
    connection.close().unwrap();
    check_refused(folder.path(), "has layout 3, and this program knows layouts up to 2: use the newer program");
}

/// Snapshots only save time: newer ones are neither used nor changed, and the record opens.
#[test]
fn newer_snapshots_are_neither_used_nor_changed() {
    let folder = played();
    let file = folder.path().join("snapshots.db");
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    connection.close().unwrap();
    let before = fs::read(&file).unwrap();
    let mut casino = TestStore::folder(folder.path()).open().unwrap().with_snapshots();
    casino.play(1);
    let warnings = std::sync::Arc::clone(&casino.warnings);
    casino.close();
    assert!(warnings.lock().unwrap().len() >= 6, "three are not used and three not kept: {warnings:?}");
    assert!(fs::read(&file).unwrap() == before);
}
