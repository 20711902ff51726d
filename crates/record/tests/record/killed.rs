//! Kills under load: every acknowledged command is recorded once, and the next program continues.

use taisai_journal::suite::TemporaryServer;

use crate::casino::chain;
use crate::shift::{Plan, Shift};
use crate::test_store::{Acknowledged, TestStore};

/// How often a process is killed on each store, unless `RECORD_KILLS` is set.
const KILLS: usize = 20;

/// What must be in the anchor and among the snapshots of one store at some kill, or else kills go on: both are written beside the load,
/// and a busy machine gets to them less often.
const MIN_ANCHORED: usize = 20;
const MIN_SNAPSHOTS: usize = 3;

/// How many kills one store gets. Everything is verified after each kill, so stores stay small.
const KILLS_OF_A_STORE: usize = 50;

fn kill_again_and_again(new_place: impl Fn() -> TestStore) {
    let kills = std::env::var("RECORD_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut place = new_place();
    let mut acknowledged = Acknowledged::default();
    let (mut anchored, mut snapshots) = (0, 0);
    let mut kill = 0;
    while kill < kills || anchored < MIN_ANCHORED || snapshots < MIN_SNAPSHOTS {
        assert!(kill < 10 * kills, "{anchored} lines in an anchor and {snapshots} snapshots are not much");
        if kill > 0 && kill % KILLS_OF_A_STORE == 0 {
            (place, acknowledged) = (new_place(), Acknowledged::default());
        }
        let before = acknowledged.count();
        // A different number each time, spread over a few hundred.
        let answers = 1 + kill * 7919 % 300;
        let output = Shift::start(Shift::command(&place, Plan::Endless)).kill_after(answers);
        assert_eq!((output.status, output.stopped.as_str()), (None, ""), "it was killed");
        place.check(&output, &mut acknowledged);
        assert!(acknowledged.count() >= before + answers);
        anchored = anchored.max(place.anchored().len());
        snapshots = snapshots.max(place.archive().unwrap().snapshots(&chain("table-1-0")).unwrap().len());
        kill += 1;
    }
}

#[test]
fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::cell::Cell::new(0);
    kill_again_and_again(|| {
        count.set(count.get() + 1);
        let folder = folder.path().join(count.get().to_string());
        std::fs::create_dir(&folder).unwrap();
        TestStore::folder(&folder)
    });
}

#[test]
fn on_postgres() {
    let server = TemporaryServer::shared();
    let folder = tempfile::tempdir().unwrap();
    kill_again_and_again(|| {
        let store = server.database();
        let files = folder.path().join(store.rsplit('=').next().unwrap());
        std::fs::create_dir(&files).unwrap();
        TestStore { store, files }
    });
}
