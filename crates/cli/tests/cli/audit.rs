//! `taisai audit` and `taisai replay` on the record of a script, intact and tampered with.

use std::path::Path;

use crate::common::{SCRIPT, key, taisai};

/// A folder with a script and its intact record.
fn recorded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.round"), SCRIPT).unwrap();
    let (status, printed, error) = taisai(folder.path(), &["play", "script.round", "--store", "data"]);
    assert_eq!(status, Some(0), "{printed}{error}");
    assert!(printed.contains("taisai audit verify data"), "{printed}");
    folder
}

#[test]
fn intact_record_is_verified() {
    let folder = recorded();
    let folder = folder.path();
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data"]);
    assert_eq!(status, Some(0), "{printed}");
    for part in ["3 chains hold", "the key is the one in the store's folder", "tai-sai@6 layout C, table 1"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains('\u{1b}'), "without a terminal there is no colour");
    let key = key(folder, "data");
    for of in ["data", "data/house.key"] {
        let (status, printed, _) = taisai(folder, &["audit", "key", of]);
        assert_eq!((status, printed), (Some(0), format!("{key}\n")), "{of}");
    }
    let (status, _, error) = taisai(folder, &["audit", "key", "script.round"]);
    assert_eq!((status, error.contains("script.round")), (Some(2), true), "{error}");
    std::fs::rename(folder.join("data/anchor.txt"), folder.join("anchor.txt")).unwrap();
    std::fs::write(folder.join("key.txt"), format!("{key}\n")).unwrap();
    let (status, printed, _) =
        taisai(folder, &["audit", "verify", "data", "--key", "key.txt", "--anchor", "anchor.txt"]);
    assert_eq!((status, printed.contains("note")), (Some(0), false), "{printed}");
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data", "--key", &key]);
    assert_eq!((status, printed.contains("a roll-back was not checked")), (Some(0), true), "{printed}");
    std::fs::remove_file(folder.join("data/house.key")).unwrap();
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data"]);
    assert_eq!((status, printed.contains("only against the keys beside them")), (Some(0), true), "{printed}");
    let (_, json, _) = taisai(folder, &["audit", "verify", "data", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["ok"], &json["keys_checked"], &json["roll_back_checked"]),
        (&true.into(), &false.into(), &false.into())
    );
    assert_eq!((&json["chains"][1]["chain"], &json["chains"][1]["rounds"]), (&"table-1".into(), &3.into()));
}

/// Replaces the first occurrence of some bytes in a store's file by others of the same length.
fn tamper(file: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = std::fs::read(file).unwrap();
    let place = bytes.windows(from.len()).position(|window| window == from).expect("it is there");
    bytes[place..place + to.len()].copy_from_slice(to);
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn tampering_is_found_and_named() {
    let folder = recorded();
    let folder = folder.path();
    let stranger = format!("ed25519:{}", "0".repeat(64));
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data", "--key", &stranger]);
    assert_eq!((status, printed.contains("is signed with the unknown key")), (Some(1), true), "{printed}");

    let files = |name: &str| std::fs::read(folder.join("data").join(name)).unwrap();
    let (journal, anchor) = (files("journal.db"), files("anchor.txt"));
    tamper(&folder.join("data/journal.db"), b"the console read 6", b"the console read 5");
    let (status, printed, _) = taisai(folder, &["audit", "verify", "data"]);
    let found = printed.lines().find(|line| line.starts_with("found")).expect("a finding");
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        found.starts_with("found  chain table-1, block ") && found.ends_with("its bytes do not fit its hash"),
        "{found}"
    );
    let (_, json, _) = taisai(folder, &["audit", "verify", "data", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["ok"], false);

    // Another record replaces this one. It is intact, but it does not match the anchor.
    std::fs::write(folder.join("data/journal.db"), journal).unwrap();
    assert_eq!(taisai(folder, &["audit", "verify", "data"]).0, Some(0));
    let shorter: String = SCRIPT.split_inclusive('\n').take(10).collect();
    std::fs::write(folder.join("shorter.round"), shorter).unwrap();
    assert_eq!(taisai(folder, &["play", "shorter.round", "--store", "other"]).0, Some(0));
    std::fs::write(folder.join("anchor.txt"), anchor).unwrap();
    let (status, printed, _) = taisai(folder, &["audit", "verify", "other", "--anchor", "anchor.txt"]);
    assert_eq!((status, printed.contains("the chain was written anew")), (Some(1), true), "{printed}");
}

#[test]
fn audit_errors_are_printed() {
    let folder = recorded();
    for (args, expected) in [
        (&["audit", "verify", "no-such-folder"][..], "no-such-folder"),
        (&["audit", "verify", "data", "--key", "no-such-key"], "neither ed25519:… nor a file"),
        (&["audit", "verify", "data", "--key", "ed25519:12"], "is not a public key"),
        (&["audit", "verify", "data", "--anchor", "no-such-anchor"], "no-such-anchor"),
        (&["audit", "show", "data", "--table", "1", "--round", "4"], "no round 4 of table 1"),
        (&["audit", "show", "data", "--table", "2", "--round", "1"], "no round 1 of table 2"),
        (&["audit", "evidence", "data", "--table", "1", "--round", "4", "-o", "e"], "the round is not settled"),
        (&["audit", "verify-evidence", "script.round"], "--key"),
        (&["replay", "data", "--table", "2"], "no table 2"),
        (&["replay", "data", "--table", "1", "--at", "999"], "chain table-1 has"),
        (&["replay", "script.round", "--table", "1"], "is no store"),
        (&["play", "script.round", "--store", "data"], "has a record already"),
    ] {
        let (status, _, error) = taisai(folder.path(), args);
        assert_eq!((status, error.contains(expected)), (Some(2), true), "{args:?}: {error}");
    }
}

#[test]
fn audit_show_prints_first_and_current_settlement() {
    let folder = recorded();
    let show = |round: &str, more: &[&str]| {
        let args = [&["audit", "show", "data", "--table", "1", "--round", round], more].concat();
        taisai(folder.path(), &args).1
    };
    let first = show("1", &[]);
    for part in [
        "Dealt by person 3",
        "It stands by the dice 2 4 3",
        "first committed was 2 4 6",
        "person 7 and person 2",
        "Because: the console read 6",
        "As it was first settled",
        "As it stands\n",
        "4.1.2",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let second = show("2", &[]);
    assert!(second.contains("The round is void: equipment malfunction. (law: equipment malfunction"), "{second}");
    assert!(second.contains("every bet is returned"), "{second}");
    let json: serde_json::Value = serde_json::from_str(&show("1", &["--json"])).unwrap();
    let cluster = &json["clusters"][0];
    assert_eq!(cluster["sheet"]["lines"][0]["paid"], 10_000, "{cluster}");
    assert_eq!(cluster["now"]["lines"][1]["paid"], 8_000, "{cluster}");
    assert_eq!(cluster["changes"][0]["movements"].as_array().unwrap().len(), 1, "{cluster}");
}

#[test]
fn evidence_is_checked_elsewhere() {
    let folder = recorded();
    let folder = folder.path();
    let key = key(folder, "data");
    let elsewhere = tempfile::tempdir().unwrap();
    let elsewhere = elsewhere.path();
    for round in ["1", "2", "3"] {
        let file = elsewhere.join(format!("round-{round}"));
        let file = file.to_str().unwrap();
        let args = ["audit", "evidence", "data", "--table", "1", "--round", round, "-o", file];
        let (status, printed, error) = taisai(folder, &args);
        assert_eq!(status, Some(0), "{printed}{error}");
        let (status, printed, _) = taisai(elsewhere, &["audit", "verify-evidence", file, "--key", &key]);
        assert_eq!(status, Some(0), "{printed}");
        // The current settlement comes first, the first one beside it.
        let expected = match round {
            "1" => {
                "Round 1 of table 1 stands by the dice 2 4 3 (3.9, 5.10, 5.11, 5.8). It was first settled by the dice 2 4 6; since then"
            }
            "2" => {
                "Round 2 of table 1 is void: equipment malfunction (law: equipment malfunction, 5.8). It was first settled by the dice 6 6 6"
            }
            _ => "Round 3 of table 1 was settled by the dice",
        };
        assert!(printed.contains("proven  Round ") && printed.contains(expected), "{printed}");
        let (stands, first) = (printed.find("As it stands\n"), printed.find("As it was first settled"));
        assert!(stands <= first && stands.is_some() == (round != "3"), "{printed}");
        let stranger = format!("ed25519:{}", "0".repeat(64));
        let (status, printed, _) = taisai(elsewhere, &["audit", "verify-evidence", file, "--key", &stranger]);
        assert_eq!((status, printed.starts_with("nothing is proven")), (Some(1), true), "{printed}");
    }
    let mut bytes = std::fs::read(elsewhere.join("round-3")).unwrap();
    for place in (0..bytes.len()).step_by(bytes.len() / 8) {
        bytes[place] ^= 1;
        std::fs::write(elsewhere.join("changed"), &bytes).unwrap();
        bytes[place] ^= 1;
        let (status, json, _) = taisai(elsewhere, &["audit", "verify-evidence", "changed", "--key", &key, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((status, &json["proven"]), (Some(1), &false.into()), "byte {place}");
    }
}

#[test]
fn replay_steps_through_a_table_of_a_store() {
    let folder = recorded();
    let folder = folder.path();
    let (status, printed, _) = taisai(folder, &["replay", "data"]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.lines().last().unwrap().starts_with("final state "), "{printed}");
    let place_of = |part: &str| printed.lines().position(|line| line.contains(part)).expect("an entry");
    let (closed, follows) = (place_of("\"close-bets\" → bets-closed"), place_of("{\"closed\":{\"round\":1}}"));
    assert!(closed < follows, "a cluster follows what its round has said");
    let (_, json, _) = taisai(folder, &["replay", "data", "--table", "1", "--at", "0", "--json"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["phase"],
        "shut",
        "nothing but the genesis block"
    );
    let (_, printed, _) = taisai(folder, &["replay", "data", "--table", "1", "--cluster", "0", "--at", "1"]);
    assert!(printed.contains("tai-sai@6 layout C · round 1"), "{printed}");
}
