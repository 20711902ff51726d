//! A table on one worker: a round and its cluster share a thread, and what passes between them is in one batch.

use taisai_engine::{Input, RoundInput, ScreenChange, Topic};
use taisai_rules::Money;
use taisai_table::{
    ClusterCommand, Entry, MachineEntry, MachineId, Phase, Refusal, RoundCommand, RoundNumber, Seat, VoidReason,
};

use crate::installation::{FIRST, Installation, ROUND, together};
use crate::play::{
    accepted, buy_in, cashier, cents, changes, dealer, json, opening, place, refused, supervisor, terminal, throw,
};

const SEAT: Seat = Seat(3);

/// The commands on record, as short words: the round's in capitals.
fn words(record: &[MachineEntry]) -> Vec<String> {
    let first = |debug: String| debug.split([' ', '{']).next().unwrap().to_owned();
    let word = |recorded: &MachineEntry| match recorded {
        MachineEntry::Round(_, Entry { request, .. }) => first(format!("{:?}", request.command)).to_uppercase(),
        MachineEntry::Cluster(_, Entry { request, .. }) => match &request.command {
            ClusterCommand::Follow { notice, .. } => format!("follow {}", first(format!("{notice:?}"))),
            command => first(format!("{command:?}")).to_lowercase(),
        },
        MachineEntry::House(entry) => panic!("{entry:?}"),
    };
    record.iter().map(word).collect()
}

fn ready() -> Installation {
    let mut table = together();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table
}

#[test]
fn entries_are_appended_in_causal_order() {
    let mut table = ready();
    table.house.record.clear();
    table.play_round(SEAT, [4, 5, 6]);
    let expected = [
        "OPENBETS",
        "follow Opened",
        "REPORT",
        "place",
        "CLOSEBETS",
        "follow Closed",
        "REPORT",
        "ACTIVATE",
        "TUMBLED",
        "COMMIT",
        "follow Result",
        "REPORT",
    ];
    assert_eq!(words(&table.house.record), expected);
    assert_eq!((table.phase(), table.cluster(0).credits(SEAT)), (Phase::Settled, cents(10_500)));
    table.check_record();
}

#[test]
fn a_round_is_counted_and_vouched_for_once() {
    let mut table = ready();
    for round in 1..=3 {
        table.nodes[0].checkpoints.clear();
        table.play_round(SEAT, [4, 5, 6]);
        assert_eq!(table.nodes[0].checkpoints, [ROUND, FIRST], "round {round}");
        let counted = &table.nodes[0].counted;
        assert_eq!((counted.bets, counted.rounds, counted.are_sound), (round, round, Some(true)));
    }
    assert_eq!(table.nodes[0].counted.refusals, [Refusal::NotHeld], "when it started no round was in play");
}

/// The dealer voids a round and opens the next before the batch ends.
#[test]
fn a_void_round_is_counted_and_vouched_for_if_the_next_opens_in_the_same_batch() {
    let mut table = ready();
    table.open_bets();
    table.close_bets();
    table.accept_round(dealer(), RoundCommand::Activate);
    let void = RoundCommand::Void { reason: VoidReason::FewTumbles };
    let (voided, void) = table.round_input(dealer(), void);
    let (opened, open) = table.round_input(dealer(), RoundCommand::OpenBets);
    table.inputs(0, [void, open]);
    assert_eq!((table.reply(voided), table.reply(opened)), (Some(accepted()), Some(accepted())));
    assert_eq!((table.phase(), table.round().number()), (Phase::Open, RoundNumber(2)));
    assert_eq!(table.nodes[0].counted.rounds, 1);
    assert_eq!(table.nodes[0].checkpoints, [ROUND, FIRST]);
}

/// Between rounds a command waits until the cluster follows, which it does within the batch.
#[test]
fn a_whole_evening_fits_into_one_batch() {
    let mut table = together();
    let mut inputs = Vec::new();
    let mut callers = Vec::new();
    for command in opening() {
        let (caller, input) = table.round_input(supervisor(), command);
        inputs.push(input);
        callers.push(caller);
    }
    let (caller, input) = table.round_input(dealer(), RoundCommand::OpenBets);
    inputs.push(input);
    callers.push(caller);
    table.inputs(0, inputs);
    let replies: Vec<_> = callers.into_iter().map(|caller| table.reply(caller)).collect();
    assert_eq!(replies, [const { Some(accepted()) }; 4]);
    assert_eq!(table.phase(), Phase::Open);
    table.check_record();
}

#[test]
fn screens_are_shown_what_has_changed_and_no_more() {
    let mut table = ready();
    table.open_bets();
    table.left.clear();
    table.bet(0, SEAT, "big", 500);
    let [ScreenChange::Seat(seat)] = &changes(table.take_left())[..] else { panic!("a bet is its seat's business") };
    let view = json(&seat.view);
    assert_eq!((&view["credits"], &view["on_layout"]), (&9_500.into(), &500.into()));
    assert_eq!(view["bets"], serde_json::json!([{ "chips": "own", "box": "big", "amount": 500 }]));
    table.close_bets();
    let [ScreenChange::Public(public)] = &changes(table.take_left())[..] else { panic!("everyone sees the close") };
    assert_eq!(public.phase(), Phase::Closed, "of a batch only its end is shown");
    for command in throw([4, 5, 6]) {
        table.left.clear();
        table.accept_round(dealer(), command);
    }
    let result = changes(table.take_left());
    let [ScreenChange::Seat(seat), ScreenChange::Public(public)] = &result[..] else { panic!("{result:?}") };
    assert_eq!((&json(&seat.view)["credits"], &json(&seat.view)["last"]["paid"]), (&10_500.into(), &1_000.into()));
    assert_eq!((public.phase(), &json(public)["latest"]["dice"]), (Phase::Settled, &serde_json::json!([4, 5, 6])));
    table.pass(60_000);
    assert_eq!(table.take_left(), [], "nothing changes");
}

#[test]
fn a_staff_screen_is_shown_how_everything_stands_when_it_subscribes() {
    let mut table = ready();
    let connection = taisai_engine::ConnectionId(9);
    let counted = Some(taisai_engine::NewestCommand { source: 1_008, sequence: 0 });
    table.left.clear();
    let topics = vec![Topic::Public, Topic::Staff];
    let subscribe = RoundInput::Subscribe { topics: topics.clone(), counted, connection };
    table.inputs(0, [Input::Round(RoundInput::Watched { by_staff: true }), Input::Round(subscribe)]);
    let screen_changes = changes(table.take_left());
    let [
        ScreenChange::RoundStaff(_),
        ScreenChange::ClusterStaff(0, Some(seats)),
        ScreenChange::Subscribed { counted, .. },
    ] = &screen_changes[..]
    else {
        panic!("{screen_changes:?}")
    };
    assert_eq!(counted.map(|counted| counted.sequence), Some(1), "the cashier's last command was the cluster's");
    assert_eq!(seats.meters.map(|meters| meters.bought_in), Some(cents(10_000)));
    table.accept_cluster(0, cashier(), buy_in(Seat(4), 100));
    table.pass(99);
    assert_eq!(changes(table.take_left()), []);
    table.pass(1);
    let screen_changes = changes(table.take_left());
    let [ScreenChange::ClusterStaff(0, Some(seats))] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    assert_eq!(seats.meters.map(|meters| meters.bought_in), Some(cents(10_100)));
    table.input(0, Input::Round(RoundInput::Watched { by_staff: false }));
    table.accept_cluster(0, cashier(), buy_in(Seat(5), 100));
    table.pass(10_000);
    assert_eq!(changes(table.take_left()), [], "nobody watches");
}

#[test]
fn refusals_are_counted_and_repeats_are_recognised() {
    let mut table = ready();
    table.open_bets();
    let poor = table.ask_cluster(0, terminal(SEAT), place(SEAT, "big", 20_000));
    assert_eq!(poor, refused(Refusal::NotEnoughCredits));
    let (caller, input) = table.cluster_input(0, cashier(), buy_in(SEAT, 500));
    let Input::Cluster(number, taisai_engine::ClusterInput::Command { actor, id, command, reply }) = input else {
        panic!("a command")
    };
    let again = |command| Input::Cluster(number, taisai_engine::ClusterInput::Command { actor, id, command, reply });
    table.input(0, again(command.clone()));
    assert_eq!(table.reply(caller), Some(accepted()));
    table.left.clear();
    table.input(0, again(command));
    assert_eq!(table.reply(caller).map(|reply| reply.is_repeated), Some(true));
    assert_eq!(table.cluster(0).credits(SEAT), cents(10_500), "once");
    table.left.clear();
    table.input(0, again(buy_in(SEAT, 600)));
    assert_eq!(table.reply(caller), Some(refused(Refusal::CommandIdReused)));
    let counted = [Refusal::NotHeld, Refusal::NotEnoughCredits, Refusal::CommandIdReused];
    assert_eq!(table.nodes[0].counted.refusals, counted);
}

#[test]
fn a_cluster_that_is_not_here_refuses() {
    let mut table = ready();
    let (caller, input) = table.cluster_input(7, terminal(SEAT), place(SEAT, "big", 500));
    table.input(0, input);
    assert_eq!(table.reply(caller), Some(refused(Refusal::UnknownSeat)));
}

/// At a live table a word of the Dealer alone closes (3.6), and the time that was given for bets passes.
#[test]
fn the_time_for_bets_at_a_live_table_passes_without_a_decision() {
    use crate::installation::TableLayout;
    use crate::play::rules;
    use taisai_table::{BetsCloser, Profile};
    let profile = Profile { closes: BetsCloser::Tick, ..Profile::singapore() };
    let layout = TableLayout { rules: rules("tai-sai", "A"), profile, seats: &[4], nodes: &[&[ROUND, FIRST]] };
    let mut table = Installation::new(&layout);
    let [open, relieve, RoundCommand::ShowLimits { mut limits, why }] = opening() else { panic!("limits last") };
    limits.differential = Some(cents(50_000));
    for command in [open, relieve, RoundCommand::ShowLimits { limits, why }] {
        table.accept_round(supervisor(), command);
    }
    table.open_bets();
    let entries = table.house.record.len();
    table.pass(600_000);
    assert_eq!((table.phase(), table.house.record.len()), (Phase::Open, entries));
    table.close_bets();
    assert_eq!(table.phase(), Phase::Closed);
}

/// At terminals a recorded tick closes, if the profile says so.
#[test]
fn bets_close_by_themselves_when_their_time_is_up() {
    use crate::installation::TableLayout;
    use crate::play::rules;
    use taisai_table::{BetsCloser, Profile};
    let profile = Profile { closes: BetsCloser::Tick, ..Profile::singapore() };
    let layout = TableLayout { rules: rules("sic-bo-etg", "B"), profile, seats: &[4], nodes: &[&[ROUND, FIRST]] };
    let mut table = Installation::new(&layout);
    table.open_table();
    table.open_bets();
    table.pass(35_999);
    assert_eq!(table.phase(), Phase::Open);
    table.pass(1);
    assert_eq!(table.phase(), Phase::Closed);
    assert_eq!(table.cluster(0).betting(), taisai_table::Betting::Closed);
}

#[test]
fn a_worker_departs_once_its_round_is_over() {
    let mut table = ready();
    table.open_bets();
    table.input(0, Input::Depart);
    assert!(!table.worker(0).has_departed());
    table.close_bets();
    assert!(!table.worker(0).has_departed());
    table.throw([1, 2, 3]);
    assert!(table.worker(0).has_departed());
    assert_eq!(table.cluster(0).credits(SEAT), cents(10_000));
    assert_ne!(Money::ZERO, table.cluster(0).meters().bought_in);
    assert_eq!(table.worker(0).partitions().len(), 2);
    assert!(table.node_of(MachineId::House).is_none());
}
