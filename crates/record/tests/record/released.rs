//! Records of released versions stay readable for ever. `tests/fixtures/record-v1` was written by the first release: a casino with
//! terminals and one with a live table, each with its public key, its anchor and the states that it ended with. The key that
//! signed it was thrown away. The folders are made once, where they are missing, and never written again.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use taisai_journal::{Anchor, Archive, Journal, PublicKey, Sqlite, SqliteArchive};
use taisai_record::{Auditor, machine_of, verify_chain};
use taisai_table::{Cluster, House, MachineId, Round};

use crate::casino::{TestCasino, program};
use crate::shift::error_text;
use crate::verify::key;
use crate::{live_table, made};

/// What to do when this test fails.
const ADVICE: &str = "A record of version 1 is not read as it was written. If the form of an entry or a state has changed, \
    give it a new version and keep the reading of the old one (crates/table/src/codec.rs); if a decision has changed, \
    the machine must go on deciding old entries as they were. Never write this folder anew once version 1 is released; \
    before that, remove it, run this test with BLESS=1, and say in the commit why it changed";

type Make = fn(Box<dyn Journal>, &Path) -> TestCasino;

fn fixture(name: &str, make: Make) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/record-v1").join(name);
    if !folder.exists() {
        assert!(
            std::env::var_os("BLESS").is_some(),
            "{} is missing: restore it from version control",
            folder.display()
        );
        write(&folder, make);
    }
    folder
}

fn write(folder: &Path, make: Make) {
    let made = tempfile::tempdir().unwrap();
    make(Box::new(Sqlite::open(made.path()).unwrap()), made.path()).close();
    fs::create_dir_all(folder).unwrap();
    for file in ["journal.db", "anchor.txt"] {
        fs::copy(made.path().join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("house.pub"), format!("{}\n", key(made.path()))).unwrap();
    fs::write(folder.join("states.txt"), states(&mut SqliteArchive::open(made.path()).unwrap())).unwrap();
}

/// A line for each chain: name, number of blocks, number of entries, and the hash of the final state.
fn states(archive: &mut dyn Archive) -> String {
    let mut lines = String::new();
    for head in archive.heads().unwrap() {
        let found = match machine_of(&head.chain).unwrap() {
            MachineId::House => verify_chain::<House>(archive, &head, &[], &[], &program(), |_| {})
                .map(|verified| (verified.entries, verified.machine.unwrap().state_hash())),
            MachineId::Round(_) => verify_chain::<Round>(archive, &head, &[], &[], &program(), |_| {})
                .map(|verified| (verified.entries, verified.machine.unwrap().state_hash())),
            MachineId::Cluster(_) => verify_chain::<Cluster>(archive, &head, &[], &[], &program(), |_| {})
                .map(|verified| (verified.entries, verified.machine.unwrap().state_hash())),
        };
        let (entries, state) = found.unwrap_or_else(|finding| panic!("{}. {ADVICE}.", error_text(&finding)));
        let state = taisai_journal::Hash::from_bytes(state);
        writeln!(lines, "{} {} {entries} {state}", head.chain, head.next).unwrap();
    }
    lines
}

/// Reads a stored record in a copy, as a reader of a log writes beside it.
fn check_kept(name: &str, make: Make) {
    let kept = fixture(name, make);
    let copy = tempfile::tempdir().unwrap();
    fs::copy(kept.join("journal.db"), copy.path().join("journal.db")).unwrap();
    let public: PublicKey = fs::read_to_string(kept.join("house.pub")).unwrap().trim().parse().unwrap();
    let anchored = Anchor::read(&kept.join("anchor.txt")).unwrap().lines;
    assert!(anchored.len() > 5, "{name}");
    let mut archive = SqliteArchive::open(copy.path()).unwrap();
    let heads = archive.heads().unwrap();
    let auditor = Auditor { keys: &[public], anchored: &anchored, program: &program() };
    let audit = auditor.audit(&|| Ok(Box::new(SqliteArchive::open(copy.path())?)), &heads, &|| {}).unwrap();
    let findings: Vec<_> = audit.findings().map(|finding| error_text(finding)).collect();
    assert_eq!(findings, [""; 0], "{name}. {ADVICE}.");
    let expected = fs::read_to_string(kept.join("states.txt")).unwrap();
    assert_eq!(states(&mut archive), expected, "{name}. {ADVICE}.");
}

#[test]
fn the_first_release_with_terminals_is_read() {
    check_kept("terminals", made::house);
}

#[test]
fn the_first_release_with_a_live_table_is_read() {
    check_kept("live-table", live_table::live_table);
}
