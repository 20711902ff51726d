//! Rounds, evidence and verifications of a played installation.

use taisai_journal::suite::wait_for;
use taisai_record::{RoundEvidence, RoundSheet};
use taisai_table::{RoundNumber, TableId};

use super::verification::VerificationState;
use super::*;
use crate::tests::plan::{TABLE, plan, program};
use crate::tests::played::Playing;

async fn audits(folder: &std::path::Path) -> Audits {
    let mut playing = Playing::open(folder).await;
    playing.play().await;
    let keys = playing.close().await;
    let plan = plan(folder, &[4, 4]);
    Audits::new(RecordSource { address: plan.address, keys, anchor: plan.files.anchor, program: program() })
}

#[tokio::test]
async fn a_round_is_shown_with_every_line_and_its_evidence_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let audits = audits(folder.path()).await;
    let sheet = audits.round(TABLE, RoundNumber(3)).await.unwrap();
    assert_eq!(sheet.clusters.len(), 2);
    let json = serde_json::to_value(&sheet).unwrap();
    let cluster = &json["clusters"][0];
    assert_eq!((&cluster["dice"], &cluster["latest"]), (&[1, 2, 3].as_slice().into(), &[6, 5, 4].as_slice().into()));
    let line = &cluster["now"]["lines"][0];
    assert_eq!((&line["box"], &line["paid"]), (&"big".into(), &1_000.into()), "{json}");
    assert!(!line["paragraphs"].as_array().unwrap().is_empty());
    assert!(!cluster["changes"][0]["movements"].as_array().unwrap().is_empty());
    let bytes = audits.evidence(TABLE, RoundNumber(3)).await.unwrap();
    let proven = RoundEvidence::from_bytes(&bytes).unwrap().check(&audits.recorded.keys, &program()).unwrap();
    assert_eq!((proven.settlement.table, proven.settlement.round), (TABLE, RoundNumber(3)));
    // The evidence of a corrected round says what stands, with the first settlement beside it (5.5).
    let proven = RoundSheet::new(&proven.settlement).unwrap();
    assert_eq!(serde_json::to_value(&proven.clusters).unwrap(), json["clusters"]);
    assert_eq!((proven.past, &proven.cited, proven.is_changed()), (sheet.past, &sheet.cited, true));
    for (table, round) in [(1, 0), (1, 5), (1, u64::MAX), (2, 1), (u16::MAX, 1)] {
        let place = (TableId(table), RoundNumber(round));
        assert_eq!(audits.round(place.0, place.1).await.err(), Some(Denied::Unknown), "{place:?}");
        let denied = audits.evidence(place.0, place.1).await.err();
        assert!(matches!(denied, Some(Denied::Unknown | Denied::NotYet)), "{place:?}: {denied:?}");
    }
}

fn ended(audits: &Audits, id: u64) -> Verification {
    wait_for("the verification has ended", || {
        audits.verifications.find(id).filter(|found| found.state != VerificationState::Running)
    })
}

#[tokio::test]
async fn the_record_is_verified_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let audits = audits(folder.path()).await;
    let first = audits.verifications.begin().unwrap();
    let found = ended(&audits, first.id);
    assert_eq!((found.state, found.blocks), (VerificationState::Done, found.verified), "{found:?}");
    let sheet = found.found.unwrap();
    assert!(sheet.ok && sheet.roll_back_checked && sheet.findings.is_empty(), "{sheet:?}");
    assert_eq!(sheet.chains.len(), 4);
    let second = audits.verifications.begin().unwrap();
    assert_eq!(second.id, first.id + 1);
    // It runs, or has run already on a fast machine.
    if audits.verifications.begin().is_err_and(|denied| denied == Denied::TooMany) {
        audits.verifications.cancel(second.id).unwrap();
    }
    let found = ended(&audits, second.id);
    assert!(matches!(found.state, VerificationState::Cancelled | VerificationState::Done), "{found:?}");
    assert!(audits.verifications.find(99).is_none() && audits.verifications.cancel(99).is_none());
}

#[tokio::test]
async fn verification_finds_a_changed_record() {
    let folder = tempfile::tempdir().unwrap();
    let audits = audits(folder.path()).await;
    let anchor = audits.recorded.anchor.clone().unwrap();
    let lines = std::fs::read_to_string(&anchor).unwrap();
    std::fs::write(&anchor, lines.replace("table-1-0", "table-1-7")).unwrap();
    let found = ended(&audits, audits.verifications.begin().unwrap().id);
    let sheet = found.found.unwrap();
    assert!(!sheet.ok && !sheet.findings.is_empty(), "{sheet:?}");
}
