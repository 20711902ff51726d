//! A cluster that does not hold the close in time is given to another node, and a cluster that departs leaves between rounds.

use taisai_engine::{Effect, Input};
use taisai_table::{Phase, RoundCommand, Seat};

use crate::installation::{FIRST, Installation, SECOND, apart, cluster, together};
use crate::play::{correction, is_of, supervisor};

fn seized(table: &mut Installation) -> Vec<Effect> {
    table.take_left().into_iter().filter(|effect| matches!(effect, Effect::Seize(_))).collect()
}

#[test]
fn a_cluster_that_does_not_hold_the_close_is_seized_every_few_seconds() {
    let mut table = apart();
    table.open_table();
    table.open_bets();
    table.carrier = Box::new(|message| if is_of(message, 1) { vec![] } else { vec![0] });
    table.pass(60_000);
    assert_eq!(seized(&mut table), [], "while bets are open a cluster may be silent");
    table.close_bets();
    table.pass(4_999);
    assert_eq!(seized(&mut table), []);
    table.pass(1);
    assert_eq!(seized(&mut table), [Effect::Seize(cluster(1))]);
    table.pass(5_000);
    assert_eq!(seized(&mut table), [Effect::Seize(cluster(1))], "another node may be silent too");
    table.carrier = Box::new(|_| vec![0]);
    table.restart(table.node_of(SECOND).unwrap());
    table.pass(1_000);
    assert_eq!(table.phase(), Phase::Closed);
    table.pass(60_000);
    assert_eq!(seized(&mut table), []);
}

/// Its time runs from the close of this round, not from that of an earlier one.
#[test]
fn the_time_to_hold_the_close_begins_with_the_close() {
    let mut table = apart();
    table.open_table();
    table.seat(0, Seat(1), 10_000);
    table.open_bets();
    table.carrier = Box::new(|message| if is_of(message, 1) { vec![4_000] } else { vec![0] });
    table.close_bets();
    table.pass(4_500);
    assert_eq!(table.phase(), Phase::Closed);
    table.throw([1, 2, 3]);
    table.pass(4_500);
    assert_eq!(table.phase(), Phase::Settled);
    table.open_bets();
    table.close_bets();
    table.pass(4_900);
    assert_eq!(seized(&mut table), []);
    assert_eq!(table.phase(), Phase::Closed);
}

/// A cluster whose node is gone is missed in every phase, not only at the close.
#[test]
fn a_silent_cluster_is_seized_between_rounds_too() {
    let mut table = apart();
    table.carrier = Box::new(|message| if is_of(message, 1) { vec![] } else { vec![0] });
    table.accept_round(supervisor(), RoundCommand::OpenTable);
    table.pass(4_999);
    assert_eq!(seized(&mut table), []);
    table.pass(1);
    assert_eq!(seized(&mut table), [Effect::Seize(cluster(1))]);
}

/// It waits for the slip of an old round, and answers meanwhile; on the round's own thread there is nobody to give it to.
#[test]
fn a_cluster_that_waits_for_a_slip_is_not_seized() {
    for make in [together, apart] {
        let mut table = make();
        table.open_table();
        table.seat(0, Seat(1), 10_000);
        table.play_round(Seat(1), [4, 5, 6]);
        table.reads_slips = false;
        table.open_bets();
        table.accept_round(supervisor(), correction(1, [1, 2, 3]));
        table.close_bets();
        table.pass(60_000);
        assert_eq!(table.phase(), Phase::Closing);
        assert_eq!(seized(&mut table), []);
        table.reads_slips = true;
        table.pass(5_000);
        assert_eq!(table.phase(), Phase::Closed);
    }
}

/// One that waited for a slip and then falls silent is missed all the same.
#[test]
fn a_cluster_that_falls_silent_while_it_waits_for_a_slip_is_seized() {
    let mut table = apart();
    table.open_table();
    table.seat(0, Seat(1), 10_000);
    table.play_round(Seat(1), [4, 5, 6]);
    table.reads_slips = false;
    table.open_bets();
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    table.pass(20_000);
    assert_eq!(seized(&mut table), []);
    table.carrier = Box::new(|message| if message.from() == SECOND { vec![] } else { vec![0] });
    table.pass(6_000);
    assert_eq!(seized(&mut table), [Effect::Seize(cluster(1))]);
}

#[test]
fn a_cluster_alone_departs_between_rounds() {
    let mut table = apart();
    table.open_table();
    let first = table.node_of(FIRST).unwrap();
    table.open_bets();
    table.input(first, Input::Depart);
    table.close_bets();
    assert!(!table.worker(first).has_departed());
    table.throw([1, 2, 3]);
    assert!(table.worker(first).has_departed());
}
