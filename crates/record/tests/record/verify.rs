//! What is verified, and what is found: a changed byte, a cut, a forged entry with all its hashes.

use taisai_journal::{Anchor, Archive, Memory, SigningKey};
use taisai_record::{Finding, verify_chain};
use taisai_table::{Cluster, House, Round};

use crate::hall::{Hall, chain, files, program};

/// A house that has played, closed, with its store and the folder of its key and anchor.
fn played() -> (tempfile::TempDir, Memory, [[u8; 32]; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::default();
    let mut hall = Hall::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    hall.play(3);
    hall.correct(2, [6, 6, 5]);
    let hashes = hall.close();
    (folder, memory, hashes)
}

/// Verifies every chain; the state of each, or the first finding.
fn verify(folder: &std::path::Path, archive: &mut dyn Archive) -> Result<[[u8; 32]; 3], Finding> {
    let files = files(folder);
    let keys = [SigningKey::open(&files.key).unwrap().public()];
    let anchored = Anchor::read(&files.anchor.unwrap()).unwrap().lines;
    let program = program();
    let house = verify_chain::<House>(archive, &chain("house"), &keys, &anchored, &program, |_| {})?;
    let round = verify_chain::<Round>(archive, &chain("table-1"), &keys, &anchored, &program, |_| {})?;
    let cluster = verify_chain::<Cluster>(archive, &chain("table-1-0"), &keys, &anchored, &program, |_| {})?;
    assert!(round.checkpoints >= 3 && cluster.entries > 20, "{} and {}", round.checkpoints, cluster.entries);
    Ok([
        house.machine.unwrap().state_hash(),
        round.machine.unwrap().state_hash(),
        cluster.machine.unwrap().state_hash(),
    ])
}

#[test]
fn a_whole_record_is_verified() {
    let (folder, memory, hashes) = played();
    assert_eq!(verify(folder.path(), &mut *archive(&memory)).unwrap(), hashes);
}

fn archive(memory: &Memory) -> Box<dyn Archive> {
    use taisai_journal::Journal as _;
    memory.open().archive().unwrap()
}

/// Each byte of every block, changed behind the program's back, is found.
#[test]
fn a_changed_byte_is_found() {
    let (folder, memory, _) = played();
    for name in ["house", "table-1", "table-1-0"] {
        let mut lengths = Vec::new();
        memory.tamper(&chain(name), |blocks| lengths = blocks.iter().map(Vec::len).collect());
        for (block, length) in lengths.into_iter().enumerate() {
            for byte in (0..length).step_by(1 + length / 40) {
                let forked = memory.fork();
                forked.tamper(&chain(name), |blocks| blocks[block][byte] ^= 0x20);
                let finding = verify(folder.path(), &mut *archive(&forked));
                assert!(finding.is_err(), "{name}, block {block}, byte {byte} of {length}");
            }
        }
    }
}

/// A chain that was cut off behind a whole block is found through the anchor.
#[test]
fn a_cut_is_found_through_the_anchor() {
    let (folder, memory, _) = played();
    for name in ["house", "table-1", "table-1-0"] {
        let forked = memory.fork();
        forked.tamper(&chain(name), |blocks| blocks.truncate(2));
        assert!(verify(folder.path(), &mut *archive(&forked)).is_err(), "{name}");
    }
}
