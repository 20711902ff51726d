//! Evidence of a round: gathered from a store, checked elsewhere, and refused when any of it was changed.

use taisai_journal::{Hash, Memory, PublicKey, SigningKey};
use taisai_record::{BadFile, Evidence, NoEvidence, settlement};
use taisai_table::{RoundCommand, RoundNumber};

use crate::hall::{Hall, TABLE, program};
use crate::verify::key;

/// A house that has played six rounds and stopped once between them.
fn played(game: &str) -> (Memory, PublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::default();
    for _ in 0..2 {
        let mut hall = Hall::open(Box::new(memory.open()), folder.path(), game).unwrap();
        hall.play(3);
        hall.close();
    }
    let mut hall = Hall::open(Box::new(memory.open()), folder.path(), game).unwrap();
    hall.correct(4, [6, 6, 5]);
    hall.checkpoint();
    hall.close();
    (memory, key(folder.path()))
}

fn gather(memory: &Memory, keys: &[PublicKey], round: u64) -> Result<Evidence, NoEvidence> {
    Evidence::gather(&mut memory.clone(), keys, TABLE, RoundNumber(round))
}

#[test]
fn every_round_is_proven_elsewhere() {
    for game in ["tai-sai", "sic-bo-etg"] {
        let (memory, key) = played(game);
        for round in 1..=6 {
            for keys in [&[key][..], &[]] {
                let bytes = gather(&memory, keys, round).unwrap().to_bytes().unwrap();
                let evidence = Evidence::from_bytes(&bytes).unwrap();
                assert_eq!((evidence.table, evidence.round.0), (TABLE, round));
                let proven = evidence.check(&[key], &program()).unwrap();
                let on_record = settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(round)).unwrap().unwrap();
                let (here, there) = (&on_record.clusters[0], &proven.settlement.clusters[0]);
                assert_eq!((&here.slip, here.totals, here.dice), (&there.slip, there.totals, there.dice), "{game}");
                assert_eq!((here.changes.len(), there.changes.len()), (usize::from(round == 4), 0), "{game}");
                assert_eq!(proven.settlement.past.unwrap().first_dice, here.dice);
                assert_eq!(proven.signers, [key]);
                assert!(there.slip.lines.len() == 4 && proven.entries > 8, "{game} {round}: {}", proven.entries);
            }
        }
    }
}

#[test]
fn a_round_that_is_not_settled_or_not_signed_for_has_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::default();
    let mut hall = Hall::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    hall.play(1);
    hall.open_bets();
    hall.bet(0, "big", 100);
    hall.commit();
    let key = key(folder.path());
    for round in [2, 3] {
        assert!(matches!(gather(&memory, &[key], round), Err(NoEvidence::NotSettled(_))), "{round}");
    }
    assert!(settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(3)).unwrap().is_none());
    let open = settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(2)).unwrap().unwrap();
    assert!(open.past.is_none() && open.clusters.is_empty() && open.acts.len() == 1, "{open:?}");
    assert_eq!(open.acts[0].entry.asked.command, RoundCommand::OpenBets);
    hall.close();
    let empty = Memory::default();
    assert!(matches!(gather(&empty, &[key], 1), Err(NoEvidence::NoChain(_))));
}

#[test]
fn another_key_proves_nothing() {
    let (memory, key) = played("tai-sai");
    let stranger = SigningKey::from_secret([9; 32]).public();
    for round in [1, 5] {
        let evidence = gather(&memory, &[key], round).unwrap();
        let refused = evidence.check(&[stranger], &program()).unwrap_err().to_string();
        assert!(refused.contains("is signed with the unknown key"), "{refused}");
        assert!(evidence.check(&[stranger, key], &program()).is_ok());
        assert!(evidence.check(&[], &program()).is_err(), "without a key nothing is proven");
    }
}

/// No byte of a file can be changed, left out or added.
#[test]
fn a_changed_file_is_refused() {
    let (memory, key) = played("tai-sai");
    let bytes = gather(&memory, &[key], 5).unwrap().to_bytes().unwrap();
    for place in (0..bytes.len()).step_by(1 + bytes.len() / 4_000) {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        assert!(Evidence::from_bytes(&changed).is_err(), "byte {place}");
        assert!(Evidence::from_bytes(&bytes[..place]).is_err(), "cut off at {place}");
    }
    assert_eq!(Evidence::from_bytes(&[&bytes[..], &[0]].concat()), Err(BadFile::Hash));
    let mut newer = bytes;
    newer[16] = 2;
    assert_eq!(Evidence::from_bytes(&newer), Err(BadFile::Newer(2)));
}

/// Someone changes a byte and reckons the hash of the file again: the blocks, the state and the signatures refuse it, and
/// nothing panics.
#[test]
fn a_changed_file_with_a_right_hash_is_refused() {
    const HEADER: usize = 16 + 1 + 2 + 8;
    let (memory, key) = played("sic-bo-etg");
    let bytes = gather(&memory, &[key], 5).unwrap().to_bytes().unwrap();
    let content = &bytes[..bytes.len() - 32];
    for place in (HEADER..content.len()).step_by(1 + content.len() / 400) {
        for flip in [1, 0x80] {
            let mut changed = content.to_vec();
            changed[place] ^= flip;
            let hash = Hash::of(&changed);
            changed.extend_from_slice(hash.as_bytes());
            let proven = Evidence::from_bytes(&changed).map(|evidence| evidence.check(&[key], &program()).is_ok());
            assert!(!matches!(proven, Ok(true)), "byte {place}");
        }
    }
}
