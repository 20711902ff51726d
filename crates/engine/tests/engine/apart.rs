//! A dealer's side and two clusters on three workers, over a network that loses, repeats and reorders.

use taisai_engine::Message;
use taisai_rules::Money;
use taisai_table::{Betting, ClusterCommand, CommandId, Phase, Profile, Refusal, RoundCommand, Seat, VoidReason};

use crate::installation::{FIRST, Installation, ROUND, SECOND, TableLayout, apart, cluster};
use crate::play::{
    accepted, cents, dealer, is_of, notices, opening, place, refused, rules, supervisor, terminal, throw, without_views,
};

const SEAT: Seat = Seat(3);

fn ready() -> Installation {
    let mut table = apart();
    table.open_table();
    for number in [0, 1] {
        table.seat(number, SEAT, 10_000);
    }
    table
}

/// Nothing reaches the second cluster any more, and nothing of it.
fn cut_off_second(table: &mut Installation) {
    let is_second = |message: &Message| is_of(message, 1) || message.from() == SECOND;
    table.carrier = Box::new(move |message| if is_second(message) { vec![] } else { vec![0] });
}

fn repair(table: &mut Installation) {
    table.carrier = Box::new(|_| vec![0]);
}

#[test]
fn a_round_is_played_over_three_workers() {
    let mut table = ready();
    table.open_bets();
    for number in [0, 1] {
        table.bet(number, SEAT, "big", 500);
    }
    table.close_bets();
    assert_eq!(table.phase(), Phase::Closed);
    table.throw([4, 5, 6]);
    assert_eq!(table.phase(), Phase::Settled);
    for number in [0, 1] {
        assert_eq!(table.cluster(number).credits(SEAT), cents(10_500));
    }
    for node in &table.nodes {
        assert_eq!(node.checkpoints.len(), 1, "each vouches for its own");
    }
    table.check_record();
}

#[test]
fn a_lost_notice_is_sent_again_after_a_second_and_only_then() {
    let mut table = ready();
    cut_off_second(&mut table);
    table.pass(10_000);
    table.sent.clear();
    table.open_bets();
    let first = table.take_sent();
    assert_eq!((notices(&first, 0), notices(&first, 1)), (vec![4], vec![4]));
    table.pass(999);
    assert_eq!(without_views(table.take_sent()), []);
    assert_eq!((table.cluster(0).betting(), table.cluster(1).betting()), (Betting::Open, Betting::Idle));
    table.pass(1);
    let again = table.take_sent();
    assert_eq!((notices(&again, 0), notices(&again, 1)), (vec![], vec![4]), "the first cluster holds it");
    repair(&mut table);
    table.pass(1_000);
    assert_eq!(notices(&table.take_sent(), 1), [4]);
    assert_eq!(table.cluster(1).betting(), Betting::Open);
    table.pass(10_000);
    assert_eq!(without_views(table.take_sent()), [], "everything is held");
}

/// A message gets its whole second, however shortly before another was sent that is held.
#[test]
fn what_is_held_does_not_hasten_what_is_not() {
    let mut table = ready();
    table.pass(10_000);
    table.open_bets();
    table.pass(700);
    cut_off_second(&mut table);
    table.sent.clear();
    table.close_bets();
    table.pass(999);
    assert_eq!(notices(&table.take_sent(), 1), [5], "once");
    table.pass(1);
    assert_eq!(notices(&table.take_sent(), 1), [5]);
}

#[test]
fn a_lost_acknowledgement_is_sent_again_after_a_second() {
    let mut table = ready();
    table.pass(10_000);
    table.carrier = Box::new(|message| match message {
        Message::Followed { .. } => vec![],
        _ => vec![0],
    });
    table.sent.clear();
    table.open_bets();
    let reports =
        |messages: &[Message]| messages.iter().filter(|message| matches!(message, Message::Followed { .. })).count();
    assert_eq!(reports(&table.take_sent()), 2, "each cluster reports it");
    table.pass(999);
    assert_eq!(reports(&table.take_sent()), 0);
    assert!(!table.round().is_followed());
    repair(&mut table);
    table.pass(1);
    assert!(table.round().is_followed());
    table.pass(10_000);
    assert!(reports(&table.take_sent()) >= 2);
    table.pass(10_000);
    assert_eq!(without_views(table.take_sent()), []);
}

#[test]
fn repeated_and_reordered_messages_change_nothing() {
    let mut table = ready();
    table.open_bets();
    table.bet(0, SEAT, "big", 500);
    table.close_bets();
    table.throw([4, 5, 6]);
    let everything = without_views(table.take_sent());
    assert!(everything.len() > 20, "{everything:?}");
    let (record, round) = (table.house.record.len(), table.round().state_hash());
    for message in everything.iter().rev().chain(&everything) {
        table.deliver(message.clone());
        assert_eq!(table.house.record.len(), record, "{message:?}");
    }
    assert_eq!(table.round().state_hash(), round);
    table.pass(10_000);
    assert_eq!(table.house.record.len(), record);
    table.sent.clear();
    table.pass(10_000);
    assert_eq!(without_views(table.take_sent()), [], "and all is quiet again");
}

/// Later notices overtake the first, and are followed in order all the same.
#[test]
fn notices_that_arrive_out_of_order_are_followed_in_order() {
    let mut table = ready();
    let mut delays = (0..).map(|count| 300 - 100 * (count % 3));
    table.carrier = Box::new(move |_| vec![delays.next().unwrap(), 700]);
    let (_, waits) = table.ask_round(dealer(), RoundCommand::OpenBets);
    assert_eq!(waits, Some(accepted()));
    table.accept_round(dealer(), RoundCommand::CloseBets);
    table.pass(5_000);
    assert_eq!(table.phase(), Phase::Closed);
    for command in throw([4, 5, 6]) {
        table.accept_round(dealer(), command);
    }
    table.pass(5_000);
    assert_eq!(table.phase(), Phase::Settled);
    table.check_record();
}

#[test]
fn commands_between_rounds_wait_until_clusters_follow() {
    let mut table = apart();
    table.carrier = Box::new(|_| vec![100]);
    let mut callers = Vec::new();
    for command in opening() {
        callers.push(table.ask_round(supervisor(), command).0);
    }
    callers.push(table.ask_round(dealer(), RoundCommand::OpenBets).0);
    let replied = |table: &Installation| callers.iter().filter_map(|caller| table.reply(*caller)).collect::<Vec<_>>();
    assert_eq!(replied(&table).len(), 1, "the others wait");
    table.pass(199);
    assert_eq!(replied(&table).len(), 1);
    table.pass(1);
    assert_eq!(replied(&table).len(), 2, "the clusters hold the first");
    table.pass(400);
    assert_eq!(replied(&table), [const { accepted() }; 4]);
    assert_eq!(table.phase(), Phase::Open);
}

#[test]
fn commands_between_rounds_wait_two_seconds_at_most() {
    let mut table = apart();
    cut_off_second(&mut table);
    let [open, relieve, limits] = opening();
    table.accept_round(supervisor(), open);
    let (relieved, reply) = table.ask_round(supervisor(), relieve);
    assert_eq!(reply, None);
    table.pass(500);
    let (limits_sequence, reply) = table.ask_round(supervisor(), limits);
    assert_eq!(reply, None);
    table.pass(1_499);
    assert_eq!(table.reply(relieved), None);
    table.pass(1);
    assert_eq!(
        (table.reply(relieved), table.reply(limits_sequence)),
        (Some(accepted()), None),
        "in order, each its time"
    );
    table.pass(500);
    assert_eq!(table.reply(limits_sequence), Some(refused(Refusal::RoundInPlay)), "limits need every cluster");
}

/// While a round is in play nothing waits: the tumbler does not either.
#[test]
fn commands_of_a_round_in_play_do_not_wait() {
    let mut table = ready();
    cut_off_second(&mut table);
    table.open_bets();
    table.close_bets();
    assert_eq!(table.phase(), Phase::Closing);
    table.accept_round(dealer(), RoundCommand::Activate);
    assert_eq!(table.phase(), Phase::Void, "5.3.3: terminals do not display the close yet");
    repair(&mut table);
    table.pass(1_000);
    let past = table.round().past(table.round().number()).unwrap();
    assert_eq!(past.void, Some(VoidReason::ActivatedEarly));
    assert!(table.round().is_followed());
}

/// A message of a holder that was fenced, and one that arrives when the cluster has long sent more.
#[test]
fn what_the_round_held_once_does_not_stop_a_cluster_from_telling_more() {
    let mut table = ready();
    table.pass(10_000);
    let held = |followed| Message::RoundHolds {
        cluster: cluster(0),
        report: CommandId { source: 1, sequence: 1 },
        followed,
        colour_chips: Money::ZERO,
        is_registered: false,
    };
    table.carrier = Box::new(|message| if matches!(message, Message::Followed { .. }) { vec![] } else { vec![0] });
    table.open_bets();
    table.deliver(held(3));
    repair(&mut table);
    table.pass(1_000);
    assert!(table.round().is_followed(), "it is sent again");
    table.deliver(held(3));
    table.sent.clear();
    table.pass(10_000);
    let sent = without_views(table.take_sent());
    assert!(sent.len() <= 2, "once more, and no more: {sent:?}");
}

/// A live table whose cluster runs on another node than its round.
fn live_table_apart() -> Installation {
    let layout = TableLayout {
        rules: rules("tai-sai-classic", "A"),
        profile: Profile::singapore(),
        seats: &[4],
        nodes: &[&[ROUND], &[FIRST]],
    };
    let mut table = Installation::new(&layout);
    let [open, relieve, RoundCommand::ShowLimits { mut limits, why }] = opening() else { panic!("limits last") };
    limits.rest = None;
    for command in [open, relieve, RoundCommand::ShowLimits { limits, why }] {
        table.accept_round(supervisor(), command);
    }
    table
}

/// Each report of Colour Chips replaces the one before it; one that arrives late replaces nothing, whoever runs the round then.
#[test]
fn late_report_of_colour_chips_changes_nothing() {
    let mut table = live_table_apart();
    let issue = |colour| ClusterCommand::IssueColour { seat: SEAT, colour, value: cents(100), chips: 20, second: None };
    table.sent.clear();
    table.accept_cluster(0, supervisor(), issue(1));
    let late = table.take_sent().into_iter().find(|message| matches!(message, Message::Followed { .. })).unwrap();
    table.accept_cluster(0, supervisor(), ClusterCommand::RedeemColour { seat: SEAT });
    table.pass(1_000);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, Money::ZERO);
    table.deliver(late.clone());
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, Money::ZERO, "the same number, and an older value");
    table.restart(0);
    table.deliver(late);
    table.pass(1_000);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, Money::ZERO, "also after a restart");
    table.accept_cluster(0, supervisor(), issue(2));
    table.pass(1_000);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, cents(2_000), "a new report is taken");
}

/// A set of Colour Chips comes and goes while nothing is acknowledged: the round may hold either.
#[test]
fn what_a_cluster_takes_back_before_it_is_held_is_sent_again() {
    let mut table = live_table_apart();
    table.carrier = Box::new(|message| match message {
        Message::RoundHolds { .. } => vec![],
        _ => vec![0],
    });
    let (colour, value) = (1, cents(100));
    let issue = ClusterCommand::IssueColour { seat: SEAT, colour, value, chips: 20, second: None };
    table.accept_cluster(0, supervisor(), issue);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, cents(2_000));
    table.carrier = Box::new(|_| vec![]);
    table.accept_cluster(0, supervisor(), ClusterCommand::RedeemColour { seat: SEAT });
    table.pass(10_000);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, cents(2_000));
    repair(&mut table);
    table.pass(1_000);
    assert_eq!(table.round().reported(cluster(0)).unwrap().1, Money::ZERO, "or the table could never close");
    table.sent.clear();
    table.pass(10_000);
    assert_eq!(without_views(table.take_sent()), []);
}

#[test]
fn terminals_bet_while_their_cluster_receives_nothing() {
    let mut table = ready();
    table.open_bets();
    cut_off_second(&mut table);
    table.pass(60_000);
    table.bet(1, SEAT, "big", 500);
    table.close_bets();
    let late = table.ask_cluster(0, terminal(SEAT), place(SEAT, "big", 500));
    assert_eq!(late, refused(Refusal::BetsClosed));
    table.bet(1, SEAT, "big", 500);
    assert_eq!(table.phase(), Phase::Closing, "so the round is not closed");
    repair(&mut table);
    table.pass(1_000);
    assert_eq!(table.phase(), Phase::Closed);
    let late = table.ask_cluster(1, terminal(SEAT), place(SEAT, "big", 500));
    assert_eq!(late, refused(Refusal::BetsClosed));
}
