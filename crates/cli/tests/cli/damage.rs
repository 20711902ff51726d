//! Changes to a store's chain heads and to its anchor. Each one is reported by name, with exit status 1.

use std::path::Path;

use rusqlite::Connection;
use taisai_rules::{Game, Games};

use crate::common::{SCRIPT, key, sell, taisai};

/// A folder with a script and its record.
fn recorded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.round"), SCRIPT).unwrap();
    let (status, printed, error) = taisai(folder.path(), &["play", "script.round", "--store", "data"]);
    assert_eq!((status, error.as_str()), (Some(0), ""), "{printed}");
    folder
}

/// What `audit verify` finds.
fn found(folder: &Path) -> Vec<String> {
    let (status, printed, error) = taisai(folder, &["audit", "verify", "data"]);
    let found: Vec<_> = printed.lines().filter_map(|line| line.strip_prefix("found  ")).map(str::to_owned).collect();
    assert_eq!(status, Some(i32::from(!found.is_empty())), "{printed}{error}");
    found
}

#[test]
fn damaged_chain_head_is_found() {
    let folder = recorded();
    let folder = folder.path();
    let journal = folder.join("data/journal.db");
    let whole = std::fs::read(&journal).unwrap();
    for (change, expected) in [
        (
            "UPDATE chains SET next = -1 WHERE name = 'table-1'",
            "chain table-1: the store says that its next block is -1",
        ),
        ("UPDATE chains SET epoch = -1 WHERE name = 'house'", "chain house: the store says that its epoch is -1"),
        ("UPDATE chains SET hash = x'00' WHERE name = 'table-1-0'", "chain table-1-0: the store has 1 bytes"),
        ("UPDATE chains SET name = 'no such' WHERE name = 'table-1'", "chain no such: "),
        (
            "UPDATE chains SET epoch = 9223372036854775807 WHERE name = 'table-1'",
            "chain table-1: its epoch is the highest there is",
        ),
        ("INSERT INTO blocks VALUES (77, 0, x'00')", "chain with the number 77: the store holds a block at 0"),
        (
            "INSERT INTO blocks SELECT id, -1, x'00' FROM chains WHERE name = 'house'",
            "chain house: the store holds a block at -1",
        ),
        (
            "INSERT INTO blocks SELECT id, 999, x'00' FROM chains WHERE name = 'table-1-0'",
            "chain table-1-0: the store holds a block at 999",
        ),
    ] {
        Connection::open(&journal).unwrap().execute_batch(change).unwrap();
        let found = found(folder);
        assert!(found.iter().any(|found| found.starts_with(expected)), "{change}: {found:?}");
        let (status, json, _) = taisai(folder, &["audit", "verify", "data", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((status, &json["ok"]), (Some(1), &false.into()), "{change}");
        std::fs::write(&journal, &whole).unwrap();
    }
    assert_eq!(found(folder), [""; 0]);
    // The other commands name the chain as well.
    Connection::open(&journal).unwrap().execute_batch("UPDATE chains SET next = -1 WHERE name = 'house'").unwrap();
    for args in [
        &["audit", "show", "data", "--round", "1"][..],
        &["audit", "evidence", "data", "--round", "1", "-o", "proof"],
        &["replay", "data"],
        &["report", "update", "data"],
    ] {
        let (status, _, error) = taisai(folder, args);
        assert_eq!((status, error.lines().count()), (Some(2), 1), "{args:?}: {error}");
        assert!(error.contains("chain house: the store says that its next block is -1"), "{args:?}: {error}");
    }
}

#[test]
fn claimed_chain_without_a_block_is_empty() {
    let folder = recorded();
    let folder = folder.path();
    let journal = Connection::open(folder.join("data/journal.db")).unwrap();
    journal.execute_batch("INSERT INTO chains VALUES (9, 'table-2', 1, 0, zeroblob(32))").unwrap();
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data"]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.contains("3 chains hold by themselves and together"), "{printed}");
    assert!(printed.contains("chain table-2 was claimed, and nothing is written to it"), "{printed}");
    journal.execute_batch("DELETE FROM blocks; UPDATE chains SET next = 0, hash = zeroblob(32)").unwrap();
    assert!(found(folder).iter().any(|found| found.contains("cut off or rolled back")));
    std::fs::remove_file(folder.join("data/anchor.txt")).unwrap();
    let (status, _, error) = taisai(folder, &["audit", "verify", "data"]);
    assert_eq!((status, error.contains("there is nothing to verify")), (Some(2), true), "{error}");
}

#[test]
fn damaged_anchor_is_reported_with_its_line() {
    let folder = recorded();
    let folder = folder.path();
    let file = folder.join("data/anchor.txt");
    let whole = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    let edited = whole.replacen(lines[1], &lines[1].replacen("1 ", "1  ", 1), 1).into_bytes();
    let binary = [&b"\xff\x00\xfe".repeat(400)[..], whole.as_bytes()].concat();
    let empty_line = format!("{}\n\n", lines[0]).into_bytes();
    for (bytes, line) in [(edited, 2), (binary, 1), (empty_line, 2)] {
        std::fs::write(&file, bytes).unwrap();
        let found = found(folder);
        let expected = format!("line {line} of the anchor data/anchor.txt is damaged");
        assert_eq!(found, [expected]);
        let (_, printed, _) = taisai(folder, &["audit", "verify", "data"]);
        assert!(printed.contains("the anchor is damaged: a roll-back was not checked"), "{printed}");
        assert!(!printed.contains("ok     "), "{printed}");
    }
    std::fs::write(&file, "").unwrap();
    let (status, json, _) = taisai(folder, &["audit", "verify", "data", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, &json["roll_back_checked"]), (Some(0), &false.into()), "an empty anchor knows nothing");
}

/// Every output about a training record is marked as training (F54).
#[test]
fn training_records_are_marked_in_every_output() {
    let folder = recorded();
    let folder = folder.path();
    let key = key(folder, "data");
    let evidence = ["audit", "evidence", "data", "--round", "1", "-o", "proof"];
    assert_eq!(taisai(folder, &evidence).0, Some(0));
    let mut houses = Vec::new();
    for args in [
        &["audit", "verify", "data"][..],
        &["audit", "show", "data", "--round", "1"],
        &["audit", "verify-evidence", "proof", "--key", &key],
    ] {
        let (status, printed, _) = taisai(folder, args);
        assert_eq!(status, Some(0), "{printed}");
        assert!(printed.starts_with("TRAINING  "), "{args:?}: {printed}");
        let house = printed.lines().find_map(|line| line.strip_prefix("house     ")).expect("the house");
        assert_eq!(house.len(), 32, "{house}");
        houses.push(house.to_owned());
        let (_, json, _) = taisai(folder, &[args, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let json = json.get("round").filter(|round| round.is_object()).unwrap_or(&json);
        assert_eq!((&json["training"], &json["house"]), (&true.into(), &house.into()), "{args:?}");
    }
    houses.dedup();
    assert_eq!(houses.len(), 1, "{houses:?}");

    let (real, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    sell(real.path(), beside.path(), 1..2);
    let (_, printed, _) = taisai(real.path(), &["audit", "verify", "."]);
    assert!(!printed.contains("TRAINING") && printed.contains(&"07".repeat(16)), "{printed}");
}

/// The sheet and the evidence of a round say that its pay table was changed.
#[test]
fn rounds_of_a_game_that_is_not_approved_are_marked_in_every_output() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let approved = Games::embedded().find("tai-sai@6", None).unwrap();
    let changed = approved.file().replace("62 to 1", "60 to 1");
    std::fs::create_dir(folder.join("games")).unwrap();
    std::fs::write(folder.join("games/tai-sai-6.toml"), &changed).unwrap();
    std::fs::write(folder.join("script.round"), SCRIPT).unwrap();
    let play = ["--games", "games", "play", "script.round", "--store", "data"];
    let (status, printed, error) = taisai(folder, &play);
    assert_eq!(status, Some(0), "{printed}{error}");
    let mark = format!(
        "The game tai-sai@6 has the hash {}; the approved one has {}.",
        Game::from_toml(&changed).unwrap().hash(),
        approved.hash()
    );
    let (status, printed, error) = taisai(folder, &["audit", "evidence", "data", "--round", "1", "-o", "proof"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(printed.ends_with(&format!("The game is NOT APPROVED. {mark}\n")), "{printed}");
    let key = key(folder, "data");
    let proof = ["audit", "verify-evidence", "proof", "--key", &key];
    for args in [&["audit", "show", "data", "--round", "1"][..], &proof] {
        let (status, printed, _) = taisai(folder, args);
        assert_eq!(status, Some(0), "{printed}");
        assert!(printed.starts_with(&format!("NOT APPROVED  {mark}\n")), "{args:?}: {printed}");
        let (_, json, _) = taisai(folder, &[args, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let json = json.get("round").filter(|round| round.is_object()).unwrap_or(&json);
        assert_eq!(json["is_game_approved"], false, "{args:?}");
    }
    let (_, printed, _) = taisai(folder, &proof);
    assert!(printed.trim_end().ends_with(&format!("The game is NOT APPROVED. {mark}")), "{printed}");

    let same = recorded();
    let (_, printed, _) = taisai(same.path(), &["audit", "show", "data", "--round", "1"]);
    assert!(!printed.contains("APPROVED"), "{printed}");
}

#[test]
fn existing_files_are_kept_and_a_folder_is_not_a_key() {
    let folder = recorded();
    let folder = folder.path();
    let evidence = ["audit", "evidence", "data", "--round", "1", "-o", "script.round"];
    let (status, _, error) = taisai(folder, &evidence);
    assert_eq!((status, error.contains("--force overwrites it")), (Some(2), true), "{error}");
    assert_eq!(std::fs::read_to_string(folder.join("script.round")).unwrap(), SCRIPT);
    assert_eq!(taisai(folder, &[&evidence[..], &["--force"]].concat()).0, Some(0));
    assert_ne!(std::fs::read(folder.join("script.round")).unwrap(), SCRIPT.as_bytes());
    let (status, _, error) = taisai(folder, &["audit", "verify", "data", "--key", "data"]);
    assert_eq!((status, error.contains("data is a folder")), (Some(2), true), "{error}");
}
