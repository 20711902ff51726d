//! Attacks on stored data: edits, rollbacks, and a second program on the same store.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::dealing::{Dealing, buy_in};
use crate::house::TestCasino;
use crate::person::accepted;

/// A stopped casino with a settled round.
fn played() -> TestCasino {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("big", 1_000)]));
    dealing.conclude([4, 5, 6]);
    terminal.until("what was won", |terminal| terminal.view["credits"] == 101_000);
    drop(terminal);
    house.audit();
    house
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn record(house: &TestCasino) -> PathBuf {
    house.folder().join("data").join("journal.db")
}

/// Finds the block with the round's result by its bytes.
fn edit(house: &TestCasino, sql: &str) {
    let store = rusqlite::Connection::open(record(house)).unwrap();
    let changed = store.execute(sql, []).unwrap();
    assert!(changed > 0, "{sql}");
}

#[test]
fn edited_store_is_found() {
    let edits = [
        ("an entry of a table is changed", "update blocks set block = zeroblob(length(block)) where position = 2"),
        ("a record is cut out", "delete from blocks where position = 2"),
        (
            "the end is cut off",
            "delete from blocks where (chain, position) in (select chain, max(position) from blocks group by chain)",
        ),
    ];
    let mut house = played();
    let (data, before) = (house.folder().join("data"), house.folder().join("before"));
    copy(&data, &before);
    for (what, sql) in edits {
        fs::remove_dir_all(&data).unwrap();
        copy(&before, &data);
        edit(&house, sql);
        let (is_good, found) = house.taisai(&["audit", "verify", "data"]);
        assert!(!is_good, "{what}: {found}");
        let printed = house.fails_to_start();
        assert!(printed.contains("chain") && printed.contains("block"), "{what}: {printed}");
    }
}

/// Money is taken in after the last round, and the casino stops normally. Then its last entries are cut off, and the head of
/// their chain is set back.
#[test]
fn entries_that_are_cut_off_after_a_stop_are_found() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("big", 1_000)]));
    dealing.conclude([4, 5, 6]);
    terminal.until("what was won", |terminal| terminal.view["credits"] == 101_000);
    buy_in(&house, 1, 3, 5_000);
    drop(terminal);
    house.audit();
    let cluster = "(select id from chains where name = 'table-1-0')";
    // A block's second byte is its kind, and the previous hash follows the name (docs/record.md).
    let is_entries = "hex(substr(block, 2, 1)) = '01'";
    let last = format!("(select max(position) from blocks where chain = {cluster} and {is_entries})");
    let before = format!("(select substr(block, 29, 32) from blocks where chain = {cluster} and position = {last})");
    edit(&house, &format!("update chains set next = {last}, hash = {before} where id = {cluster}"));
    edit(&house, &format!("delete from blocks where chain = {cluster} and position >= {last}"));
    let (is_good, found) = house.taisai(&["audit", "verify", "data"]);
    assert!(!is_good && found.contains("table-1-0") && found.contains("cut off"), "{found}");
    // The other table plays.
    house.restart();
    let (status, tables) = house.get("/api/v1/tables");
    let tables: serde_json::Value = serde_json::from_str(&tables).unwrap();
    let why = tables[0]["not_open"].as_str().unwrap_or_default();
    assert!(status == 200 && why.contains("table-1-0") && why.contains("cut off"), "{tables}");
    assert!(tables[1]["not_open"].is_null(), "{tables}");
    assert_eq!(house.get("/api/v1/tables/1").0, 503);
    Dealing::open(&house, 2).open_bets();
}

/// Flips a byte in the database file.
#[test]
fn flipped_byte_is_found() {
    let mut house = played();
    let path = record(&house);
    let length = fs::metadata(&path).unwrap().len();
    let mut found = 0;
    for part in 1..8 {
        let mut file = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let at = length * part / 8 + 100;
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[byte[0] ^ 0x40]).unwrap();
        let (is_good, _) = house.taisai(&["audit", "verify", "data"]);
        if !is_good {
            found += 1;
            let (starts, printed) = house.starts();
            // A damaged table stays closed; the rest of the casino is opened.
            assert!(
                if starts { printed.contains("a table stays closed") } else { !printed.trim().is_empty() },
                "{printed}"
            );
        }
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&byte).unwrap();
    }
    // Some bytes of a file are unused, so a flip there changes nothing.
    assert!(found > 0);
    house.audit();
}

/// A rolled back record lacks what the anchor beside it knows.
#[test]
fn rolled_back_record_is_found() {
    let mut house = played();
    let (data, before) = (house.folder().join("data"), house.folder().join("before"));
    copy(&data, &before);
    house.restart();
    let dealing = Dealing { table: 1, dealer: house.person("dealer"), supervisor: house.person("pit-supervisor") };
    dealing.open_bets();
    dealing.conclude([1, 1, 2]);
    house.audit();
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let (from, to) = (before.join(name), data.join(name));
        if from.exists() {
            fs::copy(from, to).unwrap();
        } else if to.exists() {
            fs::remove_file(to).unwrap();
        }
    }
    let (is_good, found) = house.taisai(&["audit", "verify", "data"]);
    assert!(!is_good, "{found}");
    let printed = house.fails_to_start();
    assert!(printed.contains("anchor"), "{printed}");
}

#[test]
fn second_program_on_one_store_is_refused() {
    let house = TestCasino::open();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_taisai"))
        .args(["serve", "--config", "taisai.toml"])
        .current_dir(house.folder())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(!printed.trim().is_empty(), "it says why");
    // The first program continues.
    Dealing::open(&house, 1).open_bets();
}
