//! Evidence of a round: gathered from a store, checked elsewhere, and refused if any of it was changed.

use taisai_journal::{Hash, MemoryStore, PublicKey, SigningKey};
use taisai_record::{
    BadEvidenceFile, GatherError, ProvenRound, RoundEvidence, RoundSheet, UnprovenRound, round_settlement,
};
use taisai_rules::{Dice, Games};
use taisai_table::{PersonId, Role, RoundCommand, RoundNumber, RoundStanding, Ruling, Time, VoidReason};

use crate::casino::{TABLE, TestCasino, person, program};
use crate::verify::key;

/// A casino that has played six rounds, with a restart between them.
fn played(game: &str) -> (MemoryStore, PublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    for _ in 0..2 {
        let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), game).unwrap();
        casino.play(3);
        casino.close();
    }
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), game).unwrap();
    casino.correct(4, [6, 6, 5]);
    casino.checkpoint();
    casino.close();
    (memory, key(folder.path()))
}

fn gather(memory: &MemoryStore, keys: &[PublicKey], round: u64) -> Result<RoundEvidence, GatherError> {
    RoundEvidence::gather(&mut memory.clone(), keys, TABLE, RoundNumber(round))
}

#[test]
fn evidence_proves_every_round_without_the_store() {
    for game in ["tai-sai", "sic-bo-etg"] {
        let (memory, key) = played(game);
        for round in 1..=6 {
            for keys in [&[key][..], &[]] {
                let bytes = gather(&memory, keys, round).unwrap().to_bytes().unwrap();
                let evidence = RoundEvidence::from_bytes(&bytes).unwrap();
                assert_eq!((evidence.table, evidence.round.0), (TABLE, round));
                let proven = evidence.check(&[key], &program()).unwrap();
                let on_record =
                    round_settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(round)).unwrap().unwrap();
                let (here, there) = (&on_record.clusters[0], &proven.settlement.clusters[0]);
                assert_eq!((&here.slip, here.totals, here.dice), (&there.slip, there.totals, there.dice), "{game}");
                assert_eq!(
                    (here.changes.len(), there.changes.len()),
                    (usize::from(round == 4), usize::from(round == 4))
                );
                assert_eq!((here.latest(), on_record.past), (there.latest(), proven.settlement.past), "{game} {round}");
                assert_eq!(proven.settlement.past.unwrap().first_dice, here.dice);
                assert_eq!(proven.signers, [key]);
                assert!(there.slip.lines.len() == 4 && proven.entries > 8, "{game} {round}: {}", proven.entries);
            }
        }
    }
}

/// A round by a changed pay table is still proven: its sheet and its evidence say that the game is not approved.
#[test]
fn unapproved_game_is_marked_on_sheet_and_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed");
    let approved = Games::embedded().find("tai-sai@6", None).unwrap().file();
    std::fs::write(changed.with_extension("toml"), approved.replace("62 to 1", "60 to 1")).unwrap();
    for (game, is_approved) in [("tai-sai", true), (changed.to_str().unwrap(), false)] {
        let (memory, key) = played(game);
        let on_record = round_settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(4)).unwrap().unwrap();
        let evidence = gather(&memory, &[key], 4).unwrap();
        let proven = evidence.check(&[key], &program()).unwrap();
        for settlement in [&on_record, &proven.settlement] {
            let sheet = RoundSheet::new(settlement).unwrap();
            assert_eq!((&*sheet.game, sheet.is_game_approved), ("tai-sai@6", is_approved));
        }
    }
}

#[test]
fn unsettled_or_unsigned_round_has_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.open_bets();
    casino.bet(0, "big", 100);
    casino.commit();
    let key = key(folder.path());
    for round in [2, 3] {
        assert!(matches!(gather(&memory, &[key], round), Err(GatherError::NotSettled(_))), "{round}");
    }
    assert!(round_settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(3)).unwrap().is_none());
    let open = round_settlement(&mut memory.clone(), &[key], TABLE, RoundNumber(2)).unwrap().unwrap();
    assert!(open.past.is_none() && open.clusters.is_empty() && open.acts.len() == 1, "{open:?}");
    assert_eq!(open.acts[0].entry.request.command, RoundCommand::OpenBets);
    casino.close();
    let empty = MemoryStore::default();
    assert!(matches!(gather(&empty, &[key], 1), Err(GatherError::NoChain(_))));
}

#[test]
fn evidence_under_another_key_is_refused() {
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
fn changed_evidence_file_is_refused() {
    let (memory, key) = played("tai-sai");
    let bytes = gather(&memory, &[key], 5).unwrap().to_bytes().unwrap();
    for place in (0..bytes.len()).step_by(1 + bytes.len() / 4_000) {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        assert!(RoundEvidence::from_bytes(&changed).is_err(), "byte {place}");
        assert!(RoundEvidence::from_bytes(&bytes[..place]).is_err(), "cut off at {place}");
    }
    assert_eq!(RoundEvidence::from_bytes(&[&bytes[..], &[0]].concat()), Err(BadEvidenceFile::Hash));
    let mut newer = bytes;
    newer[16] = 2;
    assert_eq!(RoundEvidence::from_bytes(&newer), Err(BadEvidenceFile::Newer(2)));
}

/// With a changed byte and a recalculated file hash, the blocks, the state or the signatures refuse the file, and nothing
/// panics.
#[test]
fn changed_evidence_file_with_a_right_hash_is_refused() {
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
            let proven = RoundEvidence::from_bytes(&changed).map(|evidence| evidence.check(&[key], &program()).is_ok());
            assert!(!matches!(proven, Ok(true)), "byte {place}");
        }
    }
}

/// Numbers in an evidence file have four bytes, and each part is preceded by its length.
struct Cut<'a>(&'a [u8]);

impl<'a> Cut<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> usize {
        u32::from_le_bytes(self.take(4).try_into().unwrap()).try_into().unwrap()
    }

    fn blocks(&mut self) {
        for _ in 0..self.number() {
            let length = self.number();
            self.take(length);
        }
    }

    /// The part of one chain.
    fn part(&mut self) -> &'a [u8] {
        let before = self.0;
        self.blocks();
        if self.take(1) == [1] {
            let length = self.number();
            self.take(length);
            self.blocks();
        }
        &before[..before.len() - self.0.len()]
    }
}

/// Splits a file into the round and its parts.
pub(crate) fn parts(bytes: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let mut cut = Cut(&bytes[..bytes.len() - 32]);
    let head = cut.take(17 + 2 + 8);
    let parts = (0..cut.number()).map(|_| cut.part()).collect();
    (head, parts)
}

/// Builds a file from parts, with the right hash.
pub(crate) fn file_of(head: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let number = u32::try_from(parts.len()).unwrap().to_le_bytes();
    let mut bytes = [head, &number, &parts.concat()].concat();
    let hash = Hash::of(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// A round's part that begins after the round is signed and complete, but lacks who opened and dealt it.
#[test]
fn evidence_without_the_dealers_acts_is_refused() {
    let (memory, key) = played("sic-bo-etg");
    let file = |round| gather(&memory, &[key], round).unwrap().to_bytes().unwrap();
    for round in [1, 2, 4, 5] {
        let (this, next) = (file(round), file(round + 1));
        let ((head, of_this), (_, of_next)) = (parts(&this), parts(&next));
        let with = |dealer: &[u8]| {
            let parts = [&[dealer], &of_this[1..]].concat();
            RoundEvidence::from_bytes(&file_of(head, &parts)).unwrap().check(&[key], &program())
        };
        let proven = with(of_this[0]).unwrap();
        let is_opened = |command: &RoundCommand| *command == RoundCommand::OpenBets;
        assert!(proven.settlement.acts.iter().any(|act| is_opened(&act.entry.request.command)), "round {round}");
        let refused = with(of_next[0]).expect_err("the acts are not in it");
        assert!(matches!(refused, UnprovenRound::NotOpened(_)), "round {round}: {refused}");
    }
}

/// The standing of a round by its evidence, written, read and checked.
fn proven(memory: &MemoryStore, key: PublicKey, round: u64) -> (ProvenRound, RoundSheet) {
    let bytes = gather(memory, &[key], round).unwrap().to_bytes().unwrap();
    let proven = RoundEvidence::from_bytes(&bytes).unwrap().check(&[key], &program()).unwrap();
    let sheet = RoundSheet::new(&proven.settlement).unwrap();
    (proven, sheet)
}

fn dice(faces: [u8; 3]) -> Dice {
    Dice::try_from(faces).unwrap()
}

fn rule(casino: &mut TestCasino, ruling: Ruling) {
    let why = "as the film shows".to_owned();
    casino.round(person(7, Role::ShiftManager), RoundCommand::Rule { ruling, why, second: None });
}

fn witness(casino: &mut TestCasino, round: u64, seen: RoundStanding) {
    casino.round(person(5, Role::PitManager), RoundCommand::Witness { round: RoundNumber(round), seen });
}

/// An act on a past round.
type Step = (&'static str, fn(&mut TestCasino));

/// After each act on a past round, new evidence shows the current result beside the first settlement, and whether money waits
/// for a witness (3.9, 5.5, 5.6, 5.10, 5.11, 5.14).
#[test]
fn evidence_shows_the_current_result() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let open = || TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    let mut casino = open();
    casino.play(3);
    casino.close();
    let key = key(folder.path());
    let (first, before) = proven(&memory, key, 2);
    let first = first.settlement.clusters[0].dice;
    assert!(first.is_some() && before.clusters[0].changes.is_empty() && !before.is_changed());
    let (settled, void) = (|faces| RoundStanding::Settled(dice(faces)), RoundStanding::Void(VoidReason::Ruling));
    let ruled_dice =
        |casino: &mut TestCasino| rule(casino, Ruling::Settle { round: RoundNumber(2), dice: dice([2, 2, 2]) });
    let steps: [(Step, RoundStanding, RoundStanding, usize); 7] = [
        (("corrected", |casino| casino.correct(2, [6, 6, 5])), settled([6, 6, 5]), settled([6, 6, 5]), 1),
        (("corrected twice", |casino| casino.correct(2, [6, 5, 4])), settled([6, 5, 4]), settled([6, 5, 4]), 2),
        (
            ("ruled void", |casino| rule(casino, Ruling::Void { round: RoundNumber(2), fact: None })),
            void,
            settled([6, 5, 4]),
            2,
        ),
        (("void witnessed", |casino| witness(casino, 2, RoundStanding::Void(VoidReason::Ruling))), void, void, 3),
        (("ruled settled", ruled_dice), settled([2, 2, 2]), void, 3),
        (
            ("witnessed", |casino| witness(casino, 2, RoundStanding::Settled(dice([2, 2, 2])))),
            settled([2, 2, 2]),
            settled([2, 2, 2]),
            4,
        ),
        (("three more rounds", |casino| casino.play(3)), settled([2, 2, 2]), settled([2, 2, 2]), 4),
    ];
    let mut earlier: Vec<(RoundEvidence, RoundStanding)> = vec![];
    for ((name, act), stands, paid, changes) in steps {
        let mut casino = open();
        act(&mut casino);
        casino.commit();
        // The casino signs with every result and void that a cluster follows.
        if !["three more rounds", "void witnessed"].contains(&name) {
            // An unsigned change has no evidence, and there is no longer evidence of the round without it.
            assert!(matches!(gather(&memory, &[key], 2), Err(GatherError::Unsigned(_))), "{name}");
        }
        casino.checkpoint();
        casino.close();
        let (evidence, sheet) = proven(&memory, key, 2);
        let past = evidence.settlement.past.unwrap();
        assert_eq!(past.standing(), stands, "{name}");
        let cluster = &sheet.clusters[0];
        assert_eq!((cluster.dice, cluster.changes.len()), (first, changes), "{name}");
        let latest = match paid {
            RoundStanding::Settled(dice) => Some(dice),
            RoundStanding::Void(_) | RoundStanding::InPlay => None,
        };
        assert_eq!((cluster.latest, cluster.now.is_some()), (latest, latest.is_some()), "{name}");
        let waits = sheet.unwitnessed.as_ref().map(|ruling| (ruling.by, ruling.paid));
        assert_eq!(waits, (stands != paid).then_some((PersonId(7), paid)), "{name}");
        assert!(sheet.is_changed() && sheet.behind.is_empty() && !sheet.cited.is_empty(), "{name}");
        let gathered = gather(&memory, &[key], 2).unwrap();
        earlier.push((gathered, stands));
        // Earlier evidence stays valid for its time, and says up to when.
        let mut signed = 0;
        for (evidence, stood) in &earlier {
            let proven = evidence.check(&[key], &program()).unwrap();
            assert_eq!(proven.settlement.past.unwrap().standing(), *stood, "{name}");
            assert!(proven.signed.0 >= signed, "{name}");
            signed = proven.signed.0;
        }
    }
}

/// Round and cluster are signed one after the other; entries between the two signatures do not invalidate evidence.
#[test]
fn cluster_may_be_signed_later_than_its_round() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.play(1);
    casino.correct(1, [6, 6, 5]);
    casino.round.checkpoint(Time(1_900_000_000_000)).unwrap();
    casino.open_bets();
    casino.cluster.checkpoint(Time(1_900_000_000_010)).unwrap();
    casino.close();
    let (proven, sheet) = proven(&memory, key(folder.path()), 1);
    assert_eq!((proven.signed, sheet.clusters[0].latest), (Time(1_900_000_000_000), Some(dice([6, 6, 5]))));
}
