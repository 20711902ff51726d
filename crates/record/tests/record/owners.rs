//! Two programs on one store: a folder refuses the second; on a server it takes the chains over, and the first stops.

use taisai_journal::suite::TemporaryServer;
use taisai_journal::{AppendError, SqliteError, WriterStopped};
use taisai_record::{RecordStoreError, StoreError};
use taisai_table::Seat;

use crate::shift::{Plan, Shift, command_of, error_text};
use crate::test_store::TestStore;

#[test]
fn second_program_is_refused_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let place = TestStore::folder(folder.path());
    let mut first = Shift::start(Shift::command(&place, Plan::Hold));
    first.wait_until_it_holds();
    let refused = place.open().err().unwrap();
    assert!(matches!(refused, RecordStoreError::Store(StoreError::Sqlite(SqliteError::InUse { .. }))), "{refused}");
    let expected = format!("another program uses the records in {}: stop it first", folder.path().display());
    assert_eq!(error_text(&refused), expected);
    let heads = place.archive().unwrap().heads().unwrap();
    assert_eq!(heads.len(), 3, "reading is free");
    let output = first.end();
    assert_eq!((output.status, output.stopped.as_str()), (Some(0), ""));
    let mut casino = place.open().expect("the first one has gone");
    casino.play(1);
    casino.close();
    place.verify();
}

#[test]
fn second_program_takes_over_on_postgres() {
    let server = TemporaryServer::shared();
    let folder = tempfile::tempdir().unwrap();
    let place = TestStore { store: server.database(), files: folder.path().to_owned() };
    let mut first = place.open().unwrap();
    first.play(1);
    first.open_bets();
    first.commit();
    let before = first.hashes();
    let epochs = || place.archive().unwrap().heads().unwrap().iter().map(|head| head.epoch).collect::<Vec<_>>();
    assert_eq!(epochs(), [1, 1, 1]);

    let mut second = place.open().unwrap();
    assert_eq!(epochs(), [2, 2, 2]);
    assert_eq!(second.hashes(), before, "it has all that was acknowledged");

    // The first program decides without knowing that it was replaced. The command is not acknowledged, and the program stops.
    first.bet(0, "big", 100);
    for _ in 0..2 {
        let stopped = first.try_commit().unwrap_err();
        let WriterStopped::Failed(failed) = std::error::Error::source(&stopped).unwrap().downcast_ref().unwrap() else {
            panic!("{stopped}");
        };
        assert!(matches!(**failed, AppendError::Fenced { epoch: 1, .. }), "{failed}");
    }
    let outcome = first.ask_at(Seat(0), first.next_number(), command_of(Seat(0), 1), |_, _| {});
    assert!(error_text(&outcome.unwrap_err()).contains("someone else writes to chain table-1-0"));
    first.leave();

    assert_eq!(second.hashes(), before);
    second.bet(1, "small", 100);
    second.deal([1, 2, 3]);
    second.close();
    place.verify();
}
