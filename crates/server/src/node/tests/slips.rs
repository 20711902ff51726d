//! Corrections go by the slip that the store keeps, and by the chain where it keeps none or another.

use rusqlite::Connection as Database;

use super::*;

/// Plays a round, changes the store under the node, corrects the round, and waits until the player has given the win back.
async fn corrected_after(change: &str) {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let seat = Seat(3);
    let mut screen = connect(&node, seat).await;
    asker.win_on_big(seat).await;
    let store = Database::open(folder.path().join("data/journal.db")).unwrap();
    store.busy_timeout(HANG_LIMIT).unwrap();
    store.execute_batch(change).unwrap();
    drop(store);
    let second = Some(person(5, Role::PitManager));
    let dice = Dice::try_from([1, 2, 3]).unwrap();
    let correct = RoundCommand::Correct { round: RoundNumber(1), dice, why: "the camera".to_owned(), second };
    accepted(&asker.round(actor(2, Role::PitSupervisor), correct).await);
    let corrected = async {
        loop {
            let seat = screen.next().await["seat"].take();
            if seat["messages"].as_array().is_some_and(|messages| !messages.is_empty()) {
                break seat["credits"].clone();
            }
        }
    };
    assert_eq!(tokio::time::timeout(HANG_LIMIT, corrected).await.expect(change), 9_500, "{change}");
    close(node).await;
    assert!(!folder.path().join("data/journal.db-wal").exists(), "nobody has the store open");
}

/// Without its blocks the chain could not be replayed.
#[tokio::test]
async fn an_old_round_is_corrected_without_its_chain() {
    corrected_after("DELETE FROM blocks WHERE chain = (SELECT id FROM chains WHERE name = 'table-1-0')").await;
}

#[tokio::test]
async fn a_round_without_its_slip_is_corrected_by_its_chain() {
    for change in ["DELETE FROM slips", "UPDATE slips SET bytes = x'0100000000'", "UPDATE slips SET round = round + 1"]
    {
        corrected_after(change).await;
    }
}
