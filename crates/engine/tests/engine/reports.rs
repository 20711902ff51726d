//! Significant events on their way to the House: each arrives once, and those of one partition in their order.

use taisai_engine::{ClusterInput, Input, Message};
use taisai_table::{ReportedEvent, RoundCommand, Seat, SignificantEventKind};

use crate::installation::{FIRST, Installation, TABLE, cluster, with_house};
use crate::network::lossy;
use crate::play::{connection, limits, opening, source, supervisor, terminal};

const SEAT: Seat = Seat(3);

/// What the House has of reports, the oldest first.
fn reports(table: &Installation) -> Vec<ReportedEvent> {
    let reported = |what: &SignificantEventKind| match what {
        SignificantEventKind::Reported(report) => Some(*report),
        _ => None,
    };
    table.machines().house.significant().filter_map(|event| reported(&event.what)).collect()
}

fn of_limits(table: &Installation) -> usize {
    reports(table).into_iter().filter(|report| *report == ReportedEvent::LimitChange { table: TABLE }).count()
}

fn show_limits(table: &mut Installation) {
    let show = RoundCommand::ShowLimits { limits: limits(), why: "again".to_owned() };
    table.accept_round(supervisor(), show);
}

fn disconnect(table: &mut Installation) {
    let gone = taisai_engine::ClusterInput::Disconnect { seat: SEAT, connection: connection(0, SEAT) };
    table.input(1, taisai_engine::Input::Cluster(0, gone));
}

#[test]
fn each_report_reaches_the_house_once_and_in_order() {
    for seed in 0..20 {
        let mut table = with_house();
        table.carrier = lossy(seed, 100);
        for command in opening() {
            table.accept_round(supervisor(), command);
        }
        table.seat(0, SEAT, 1_000);
        for _ in 0..10 {
            disconnect(&mut table);
            table.connect(0, SEAT, connection(0, SEAT));
            show_limits(&mut table);
        }
        table.pass(300_000);
        assert_eq!(of_limits(&table), 11, "seed {seed}");
        let terminals: Vec<_> =
            reports(&table).into_iter().filter(|report| !matches!(report, ReportedEvent::LimitChange { .. })).collect();
        let (cluster, seat) = (cluster(0), SEAT);
        let expected =
            [ReportedEvent::TerminalLost { cluster, seat }, ReportedEvent::TerminalBack { cluster, seat }].repeat(10);
        assert_eq!(terminals, expected, "seed {seed}");
    }
}

#[test]
fn reports_are_sent_in_order_and_again_after_a_second() {
    let mut table = with_house();
    table.open_table();
    table.pass(5_000);
    table.sent.clear();
    table.carrier = Box::new(|_| vec![]);
    for _ in 0..3 {
        show_limits(&mut table);
    }
    let sends = |table: &mut Installation| {
        let id = |message| match message {
            Message::Report { id, .. } => Some(id.sequence),
            _ => None,
        };
        table.take_sent().into_iter().filter_map(id).collect::<Vec<_>>()
    };
    let first = sends(&mut table)[..].to_vec();
    let [one, two, three] = first[..] else { panic!("each at once: {first:?}") };
    assert_eq!((two, three), (one + 1, one + 2));
    table.pass(999);
    assert_eq!(sends(&mut table), [0; 0]);
    table.pass(1);
    assert_eq!(sends(&mut table), first);
    // The first is lost again: what overtakes it waits for it.
    table.carrier = Box::new(move |message| match message {
        Message::Report { id, .. } if id.sequence == one => vec![],
        _ => vec![0],
    });
    table.pass(1_000);
    assert_eq!((sends(&mut table), of_limits(&table)), (first.clone(), 1));
    table.carrier = Box::new(|_| vec![0]);
    table.pass(1_000);
    assert_eq!(sends(&mut table), first);
    table.pass(10_000);
    assert_eq!(sends(&mut table), [0; 0]);
    assert_eq!(of_limits(&table), 4);
}

/// An acknowledgement of an earlier report does not stand for the one that waits.
#[test]
fn an_old_acknowledgement_does_not_drop_a_report() {
    let mut table = with_house();
    table.open_table();
    let held = table.take_sent().into_iter().find(|message| matches!(message, Message::ReportHeld { .. })).unwrap();
    table.carrier = Box::new(|_| vec![]);
    show_limits(&mut table);
    table.deliver(held);
    table.carrier = Box::new(|_| vec![0]);
    table.pass(1_000);
    assert_eq!(of_limits(&table), 2);
}

/// Nothing reaches the House, and every node stops. What happened before is reported once they run again, and once.
#[test]
fn reports_that_the_house_never_got_are_sent_after_a_restart() {
    for is_lossy in [false, true] {
        let mut table = with_house();
        table.open_table();
        table.seat(0, SEAT, 1_000);
        table.pass(5_000);
        let before = reports(&table).len();
        table.carrier = Box::new(|message| if matches!(message, Message::Report { .. }) { vec![] } else { vec![0] });
        show_limits(&mut table);
        disconnect(&mut table);
        table.pass(5_000);
        assert_eq!(reports(&table).len(), before, "nothing has arrived");
        for node in 0..table.nodes.len() {
            table.restart(node);
        }
        table.carrier = if is_lossy { lossy(7, 100) } else { Box::new(|_| vec![0]) };
        table.pass(300_000);
        table.check_record();
        let lost = ReportedEvent::TerminalLost { cluster: cluster(0), seat: SEAT };
        let mut reported = reports(&table).split_off(before);
        reported.sort_by_key(|report| *report == lost);
        assert_eq!(reported, [ReportedEvent::LimitChange { table: TABLE }, lost]);
        let kept = table.round().events().count() + table.cluster(0).events().count();
        assert_eq!(kept, 0, "the House holds them");
    }
}

/// The House does not answer while terminals come and go: none of it is dropped.
#[test]
fn no_report_is_dropped_however_many_wait() {
    const TIMES: usize = 5_010;
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 1_000);
    table.pass(5_000);
    table.carrier = Box::new(|message| if matches!(message, Message::Report { .. }) { vec![] } else { vec![0] });
    for _ in 0..TIMES {
        disconnect(&mut table);
        table.connect(0, SEAT, connection(0, SEAT));
    }
    assert_eq!(table.cluster(0).events().count(), 2 * TIMES);
}

/// Each source once a round, however often it uses an id again.
#[test]
fn an_id_that_is_used_again_is_reported_once_a_round() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    let reuse = |table: &mut Installation| {
        table.open_bets();
        table.bet(0, SEAT, "big", 500);
        let mut id_of_bet = table.id(source(terminal(SEAT)));
        id_of_bet.sequence -= 1;
        for _ in 0..3 {
            let (caller, mut input) = table.cluster_input(0, terminal(SEAT), crate::play::place(SEAT, "big", 700));
            if let Input::Cluster(_, ClusterInput::Command { id, .. }) = &mut input {
                *id = id_of_bet;
            }
            table.input(table.node_of(FIRST).unwrap(), input);
            let refused = crate::play::refused(taisai_table::Refusal::CommandIdReused);
            assert_eq!(table.reply(caller), Some(refused));
        }
        table.close_bets();
        table.throw([1, 2, 3]);
    };
    let reused = ReportedEvent::CommandIdReused { table: TABLE, source: source(terminal(SEAT)) };
    let count = |table: &Installation| reports(table).into_iter().filter(|report| *report == reused).count();
    reuse(&mut table);
    assert_eq!(count(&table), 1);
    reuse(&mut table);
    assert_eq!(count(&table), 2);
}

/// A win that locks the seat (F33), and what a correction is reported as.
#[test]
fn large_wins_and_corrections_are_reported() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 1_000_000);
    table.open_bets();
    table.bet(0, SEAT, "big", 1_000_000);
    table.close_bets();
    table.throw([4, 5, 6]);
    assert!(table.cluster(0).is_locked(SEAT));
    let amount = crate::play::cents(2_000_000);
    assert!(reports(&table).contains(&ReportedEvent::LargeWin { cluster: cluster(0), seat: SEAT, amount }));
    table.accept_round(supervisor(), crate::play::correction(1, [1, 2, 3]));
    let corrected = ReportedEvent::Correction { table: TABLE, round: taisai_table::RoundNumber(1) };
    assert_eq!(reports(&table).last(), Some(&corrected));
}
