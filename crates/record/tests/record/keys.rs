//! A signing key that is replaced: a record with two keys is well, and the old one vouches for nothing that comes after.

use std::path::Path;

use taisai_journal::{Anchor, Archive as _, Keys, MemoryStore, PublicKey};
use taisai_record::{AuditFinding, Auditor};
use taisai_table::{Actor, HouseCommand, KeyFingerprint, KeysInUse, SignerKey};

use crate::casino::{TestCasino, files, program};

fn open(memory: &MemoryStore, folder: &Path) -> TestCasino {
    TestCasino::open(Box::new(memory.open()), folder, "tai-sai").unwrap()
}

fn use_keys(casino: &mut TestCasino, keys: &Keys) {
    let fingerprint = KeyFingerprint(*keys.fingerprint().as_bytes());
    let keys = KeysInUse { fingerprint, signer: SignerKey(*keys.signing.public().as_bytes()) };
    casino.house(Actor::System, HouseCommand::UseKeys { keys });
}

fn findings(memory: &MemoryStore, folder: &Path, keys: &[PublicKey]) -> Vec<AuditFinding> {
    let anchored = Anchor::read(&files(folder).anchor.unwrap()).unwrap().lines;
    let heads = memory.clone().heads().unwrap();
    let auditor = Auditor { keys, anchored: &anchored, program: &program() };
    let audit = auditor.audit(&|| Ok(Box::new(memory.clone())), &heads, &|| {}).unwrap();
    assert!(audit.chains.iter().all(|chain| chain.result.is_ok()), "{audit:?}");
    audit.between
}

#[test]
fn a_replaced_key_vouches_for_no_later_block() {
    for is_rotated in [true, false] {
        let (folder, memory) = (tempfile::tempdir().unwrap(), MemoryStore::default());
        let folder = folder.path();
        let mut casino = open(&memory, folder);
        let mut old = Keys::open(&files(folder).key_file).unwrap();
        use_keys(&mut casino, &old);
        casino.play(1);
        casino.close();
        old.next = Some(Keys::random().unwrap().signing);
        let new = old.rotated();
        if is_rotated {
            new.replace(&files(folder).key_file).unwrap();
        }
        let mut casino = open(&memory, folder);
        use_keys(&mut casino, &new);
        casino.play(1);
        // The House has another entry to vouch for.
        use_keys(&mut casino, &new);
        casino.play(1);
        casino.close();
        let found = findings(&memory, folder, &new.public());
        let late: Vec<_> = found
            .iter()
            .map(|finding| match finding {
                AuditFinding::ReplacedKey { chain, key, .. } if *key == old.signing.public() => chain.to_string(),
                other => panic!("{other}"),
            })
            .collect();
        let expected: &[&str] = if is_rotated { &[] } else { &["house", "table-1", "table-1-0"] };
        assert_eq!(late, expected, "the old key went on: {}", !is_rotated);
    }
}
