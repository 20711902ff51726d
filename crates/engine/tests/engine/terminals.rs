//! Terminals: one connection a seat, replies with the view of the seat, and an end to those that do nothing but ask wrongly.

use taisai_engine::{ClusterInput, ConnectionId, Effect, Input, Reply, ReplyTo, ScreenChange};
use taisai_table::{CommandId, Refusal, Seat, Verdict};

use crate::installation::{Installation, together};
use crate::play::{accepted, changes, connection, json, place, refused, source, terminal};

const SEAT: Seat = Seat(3);

fn ready() -> Installation {
    let mut table = together();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table.open_bets();
    table.left.clear();
    table
}

/// A bet of the terminal at a seat, answered there.
fn bet(table: &mut Installation, bet_box: &str, amount: i64) -> (u64, Input) {
    let (actor, id) = (terminal(SEAT), table.id(source(terminal(SEAT))));
    let (command, reply) = (place(SEAT, bet_box, amount), ReplyTo::Seat(id.sequence));
    (id.sequence, Input::Cluster(0, ClusterInput::Command { actor, id, command, reply }))
}

fn disconnect(table: &mut Installation, connection: ConnectionId) {
    table.input(0, Input::Cluster(0, ClusterInput::Disconnect { seat: SEAT, connection }));
}

#[test]
fn replies_go_with_the_view_of_the_seat() {
    let mut table = ready();
    let (first, one) = bet(&mut table, "big", 500);
    let (second, two) = bet(&mut table, "big", 1_000_000);
    let (third, three) = bet(&mut table, "small", 700);
    table.inputs(0, [one, two, three]);
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Seat(seat)] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    let replies = [(first, accepted()), (second, refused(Refusal::NotEnoughCredits)), (third, accepted())];
    assert_eq!((seat.connection, &seat.replies[..]), (connection(0, SEAT), &replies[..]));
    assert_eq!(json(&seat.view)["credits"], 8_800, "as it stands after all of them");
    let before = json(&seat.view)["number"].as_u64();
    let (_, next) = bet(&mut table, "small", 700);
    table.input(0, next);
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Seat(seat)] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    assert_eq!(json(&seat.view)["number"].as_u64(), before.map(|before| before + 1), "views are numbered");
    assert_eq!(seat.replies.len(), 1);
}

#[test]
fn the_first_of_two_connections_is_cut() {
    let mut table = ready();
    let (sequence, one) = bet(&mut table, "big", 500);
    table.input(0, one);
    table.left.clear();
    let newer = ConnectionId(99);
    table.connect(0, SEAT, newer);
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Cut(old), ScreenChange::SeatConnected { connection: to, counted, view, .. }] =
        &screen_changes[..]
    else {
        panic!("{screen_changes:?}")
    };
    assert_eq!((*old, *to, counted.sequence), (connection(0, SEAT), newer, sequence));
    assert_eq!(json(view)["credits"], 9_500);
    assert_eq!(table.nodes[0].counted.terminals, 1, "it is one terminal");
    disconnect(&mut table, connection(0, SEAT));
    assert!(!table.cluster(0).is_lost(SEAT), "the end of the old connection is no news");
    assert_eq!(table.nodes[0].counted.terminals, 1);
    disconnect(&mut table, newer);
    assert!(table.cluster(0).is_lost(SEAT));
    assert_eq!(table.nodes[0].counted.terminals, 0);
    table.connect(0, SEAT, ConnectionId(100));
    assert!(!table.cluster(0).is_lost(SEAT), "it is back");
}

/// The new connection does not get the replies of the old one: it knows the newest number, and asks again.
#[test]
fn replies_of_the_connection_before_are_dropped() {
    let mut table = ready();
    let (_, one) = bet(&mut table, "big", 500);
    let counted = taisai_engine::NewestCommand { source: source(terminal(SEAT)), sequence: 0 };
    let connect = ClusterInput::Connect { seat: SEAT, connection: ConnectionId(99), counted, money: Box::default() };
    table.inputs(0, [one, Input::Cluster(0, connect)]);
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Cut(_), ScreenChange::SeatConnected { .. }, ScreenChange::Seat(seat)] = &screen_changes[..]
    else {
        panic!("{screen_changes:?}")
    };
    assert_eq!((seat.connection, &seat.replies[..]), (ConnectionId(99), &[][..]));
}

#[test]
fn a_seat_that_there_is_not_is_cut() {
    let mut table = ready();
    table.connect(0, Seat(50), ConnectionId(5));
    table.connect_to_nowhere(ConnectionId(6));
    let cut = [ConnectionId(5), ConnectionId(6)].map(ScreenChange::Cut);
    assert_eq!(changes(table.take_left()), cut);
    assert_eq!(table.nodes[0].counted.terminals, 1);
}

impl Installation {
    fn connect_to_nowhere(&mut self, connection: ConnectionId) {
        let counted = taisai_engine::NewestCommand { source: 7, sequence: 0 };
        let connect = ClusterInput::Connect { seat: SEAT, connection, counted, money: Box::default() };
        self.input(0, Input::Cluster(9, connect));
    }
}

/// Its refusals would fill the record.
#[test]
fn a_terminal_with_more_than_a_thousand_refusals_in_a_round_is_cut_off() {
    let mut table = ready();
    let cuts = |table: &mut Installation| {
        changes(table.take_left())
            .into_iter()
            .filter(|change| matches!(change, ScreenChange::Cut(_)))
            .collect::<Vec<_>>()
    };
    for _ in 0..1_000 {
        let (_, wrong) = bet(&mut table, "big", 1_000_000);
        table.input(0, wrong);
    }
    assert_eq!(cuts(&mut table), []);
    let (_, wrong) = bet(&mut table, "big", 1_000_000);
    table.input(0, wrong);
    assert_eq!(cuts(&mut table), [ScreenChange::Cut(connection(0, SEAT))]);
    disconnect(&mut table, connection(0, SEAT));
    table.connect(0, SEAT, ConnectionId(99));
    let (_, right) = bet(&mut table, "big", 500);
    table.input(0, right);
    assert_eq!(cuts(&mut table), [], "what is right is carried out");
    let (_, wrong) = bet(&mut table, "big", 1_000_000);
    table.input(0, wrong);
    assert_eq!(cuts(&mut table), [ScreenChange::Cut(ConnectionId(99))]);
    table.close_bets();
    table.throw([1, 2, 3]);
    table.open_bets();
    disconnect(&mut table, ConnectionId(99));
    table.connect(0, SEAT, ConnectionId(100));
    let (_, wrong) = bet(&mut table, "big", 1_000_000);
    table.input(0, wrong);
    assert_eq!(cuts(&mut table), [], "each round begins anew");
}

/// The reply to a command of a terminal that is gone is dropped, and is there when it asks again.
#[test]
fn a_command_that_is_sent_again_over_a_new_connection_is_answered_again() {
    let mut table = ready();
    let id = CommandId { source: source(terminal(SEAT)), sequence: 77 };
    let again = || {
        let (actor, command, reply) = (terminal(SEAT), place(SEAT, "big", 500), ReplyTo::Seat(77));
        Input::Cluster(0, ClusterInput::Command { actor, id, command, reply })
    };
    disconnect(&mut table, connection(0, SEAT));
    table.connect(0, SEAT, ConnectionId(8));
    disconnect(&mut table, ConnectionId(8));
    table.left.clear();
    table.input(0, again());
    assert_eq!(table.take_left(), []);
    table.connect(0, SEAT, ConnectionId(9));
    table.left.clear();
    table.input(0, again());
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Seat(seat)] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    let lost = Verdict::Refused(Refusal::TerminalLost);
    assert_eq!(seat.replies, [(77, Reply { verdict: lost, is_repeated: true, event: None })], "as it was answered");
}

#[test]
fn reads_are_released_with_the_batch() {
    let mut table = ready();
    let (_, one) = bet(&mut table, "big", 500);
    table.inputs(0, [one, Input::ReadBarrier(taisai_engine::CallerId(5))]);
    let left = table.take_left();
    assert!(left.contains(&Effect::ReadBarrier(taisai_engine::CallerId(5))), "{left:?}");
}
