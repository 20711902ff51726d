//! What partitions on different nodes show each other: lost views come again, and the newest counts.

use serde_json::{Value, json as value};
use taisai_engine::{ConnectionId, Effect, Input, Message, NewestCommand, PublicView, RoundInput, ScreenChange, Topic};
use taisai_table::{
    Actor, ClusterCommand, MachineId, Person, PersonId, Phase, Role, Roles, RoundCommand, Seat, TableLimits,
};

use crate::installation::{FIRST, Installation, ROUND, SECOND, apart, cluster, etg};
use crate::play::{buy_in, cents, changes, is_of, json, supervisor};

/// A body between nodes has no more bytes.
const LARGEST_BODY: usize = 64 * 1024;

/// What one node has published since this was last asked.
fn published(table: &mut Installation, of: MachineId) -> Vec<ScreenChange> {
    let node = table.node_of(of).unwrap();
    let (own, others) = std::mem::take(&mut table.left).into_iter().partition(|(at, _)| *at == node);
    table.left = others;
    changes(Vec::into_iter(own).map(|(_, effect): (usize, Effect)| effect).collect())
}

fn asks_for_table(messages: &[Message]) -> usize {
    messages.iter().filter(|message| matches!(message, Message::ShowTable { .. })).count()
}

fn public_views(messages: &[Message], number: u16) -> usize {
    messages.iter().filter(|message| matches!(message, Message::PublicView { .. }) && is_of(message, number)).count()
}

fn cluster_views(messages: &[Message], number: u16) -> usize {
    let is_its =
        |message: &&Message| matches!(message, Message::ClusterView { cluster: of, .. } if *of == cluster(number));
    messages.iter().filter(is_its).count()
}

#[test]
fn a_cluster_asks_for_the_table_every_second_until_it_is_shown() {
    let mut table = apart();
    table.open_table();
    let first = table.node_of(FIRST).unwrap();
    table.carrier = Box::new(|message| if is_of(message, 0) { vec![] } else { vec![0] });
    table.sent.clear();
    table.left.clear();
    table.restart(first);
    table.pass(0);
    assert_eq!(asks_for_table(&table.take_sent()), 1);
    table.pass(999);
    assert_eq!(asks_for_table(&table.take_sent()), 0);
    table.pass(1);
    assert_eq!(asks_for_table(&table.take_sent()), 1);
    assert_eq!(published(&mut table, FIRST), []);
    table.carrier = Box::new(|_| vec![0]);
    table.pass(1_000);
    let screen_changes = published(&mut table, FIRST);
    let [ScreenChange::Results(results), ScreenChange::Public(public)] = &screen_changes[..] else {
        panic!("{screen_changes:?}")
    };
    assert_eq!((results.len(), public.phase()), (0, Phase::Idle));
    table.sent.clear();
    table.pass(60_000);
    assert_eq!(asks_for_table(&table.take_sent()), 0);
}

#[test]
fn clusters_are_shown_changes_at_once_and_the_table_again_every_two_seconds() {
    let mut table = apart();
    table.open_table();
    table.pass(10_000);
    published(&mut table, FIRST);
    table.sent.clear();
    table.open_bets();
    let screen_changes = published(&mut table, FIRST);
    let [ScreenChange::Public(public)] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    assert_eq!(public.phase(), Phase::Open);
    assert_eq!(public_views(&table.take_sent(), 0), 1);
    table.pass(1_999);
    assert_eq!(public_views(&table.take_sent(), 0), 0);
    table.pass(1);
    assert_eq!((public_views(&table.sent_now(), 0), public_views(&table.take_sent(), 1)), (1, 1));
    assert_eq!(published(&mut table, FIRST), [], "it knows that");
    // One that is lost comes again.
    table.carrier = Box::new(|message| if is_of(message, 0) && message.is_view() { vec![] } else { vec![0] });
    table.close_bets();
    assert_eq!(published(&mut table, FIRST), []);
    table.carrier = Box::new(|_| vec![0]);
    table.pass(2_000);
    let screen_changes = published(&mut table, FIRST);
    assert!(matches!(&screen_changes[..], [ScreenChange::Public(public)] if public.phase() == Phase::Closed));
}

/// The latest result is in the view; all of them are shown only to those who missed some.
#[test]
fn results_are_shown_again_only_where_some_were_missed() {
    let mut table = apart();
    table.open_table();
    table.seat(0, Seat(1), 10_000);
    table.pass(10_000);
    let results = |table: &mut Installation| {
        let screen_changes = published(table, FIRST).into_iter().filter_map(|change| match change {
            ScreenChange::Results(results) => Some(results.len()),
            _ => None,
        });
        screen_changes.collect::<Vec<_>>()
    };
    assert_eq!(results(&mut table), [0], "when it was first shown the table");
    for _ in 0..3 {
        table.play_round(Seat(1), [4, 5, 6]);
    }
    table.accept_round(supervisor(), crate::play::correction(2, [1, 2, 3]));
    assert_eq!(results(&mut table), [0; 0], "each was the latest once");
    table.carrier = Box::new(|message| if message.is_view() { vec![] } else { vec![0] });
    table.play_round(Seat(1), [4, 5, 6]);
    table.play_round(Seat(1), [4, 5, 6]);
    table.carrier = Box::new(|_| vec![0]);
    table.pass(2_000);
    assert_eq!(results(&mut table), [5]);
}

#[test]
fn results_reach_the_terminals_of_clusters_elsewhere() {
    let mut table = apart();
    table.open_table();
    table.seat(0, Seat(1), 10_000);
    table.play_round(Seat(1), [4, 5, 6]);
    let screen_changes = published(&mut table, SECOND);
    let Some(ScreenChange::Public(public)) = screen_changes.last() else { panic!("{screen_changes:?}") };
    assert_eq!(json(public)["latest"]["dice"], value!([4, 5, 6]));
    let second = table.node_of(SECOND).unwrap();
    table.restart(second);
    table.pass(0);
    let screen_changes = published(&mut table, SECOND);
    let [ScreenChange::Results(results), ScreenChange::Public(_)] = &screen_changes[..] else {
        panic!("{screen_changes:?}")
    };
    assert_eq!(json(results), value!([{ "round": 1, "dice": [4, 5, 6], "void": null }]));
}

/// The round shows staff what each cluster has shown, until it is silent for eight seconds.
#[test]
fn staff_see_clusters_elsewhere_until_they_are_silent() {
    let mut table = apart();
    table.open_table();
    table.pass(10_000);
    published(&mut table, ROUND);
    table.sent.clear();
    table.seat(0, Seat(2), 700);
    table.pass(250);
    let screen_changes = published(&mut table, ROUND);
    let Some(ScreenChange::ClusterStaff(0, Some(view))) = screen_changes.first() else { panic!("{screen_changes:?}") };
    assert_eq!(json(&view.seats[0])["credits"], 700);
    assert_eq!(cluster_views(&table.take_sent(), 0), 1);
    table.pass(10_000);
    let (again, unchanged) = (cluster_views(&table.sent_now(), 0), cluster_views(&table.take_sent(), 1));
    assert!((4..=5).contains(&again) && (4..=5).contains(&unchanged), "{again} and {unchanged} in ten seconds");
    published(&mut table, ROUND);
    table.carrier = Box::new(|message| if message.from() == FIRST { vec![] } else { vec![0] });
    let mut silent = Vec::new();
    for second in 1..=30 {
        table.pass(1_000);
        let gone = published(&mut table, ROUND);
        silent.extend(gone.into_iter().filter(|change| *change == ScreenChange::ClusterStaff(0, None)).map(|_| second));
    }
    assert_eq!(silent.len(), 1, "once: {silent:?}");
    assert!((6..=8).contains(&silent[0]), "{silent:?}");
    table.carrier = Box::new(|_| vec![0]);
    table.pass(2_250);
    let back = published(&mut table, ROUND);
    assert!(back.iter().any(|change| matches!(change, ScreenChange::ClusterStaff(0, Some(_)))), "{back:?}");
}

/// A screen that lost count receives the newest number that any cluster has of it.
#[test]
fn a_screen_receives_its_newest_number_of_clusters_elsewhere() {
    let mut table = apart();
    table.open_table();
    table.seat(1, Seat(2), 700);
    table.seat(1, Seat(3), 700);
    table.pass(250);
    published(&mut table, ROUND);
    let counted = Some(NewestCommand { source: 1_008, sequence: 0 });
    let subscribe = RoundInput::Subscribe { topics: vec![Topic::Public], counted, connection: ConnectionId(9) };
    table.input(table.node_of(ROUND).unwrap(), Input::Round(subscribe));
    let screen_changes = published(&mut table, ROUND);
    let [ScreenChange::Subscribed { counted: Some(counted), .. }] = &screen_changes[..] else {
        panic!("{screen_changes:?}")
    };
    assert_eq!(counted.sequence, 2);
}

/// Each number as long as its kind can be, so that a view is as long as any.
fn largest(view: &Value) -> Value {
    match view {
        Value::Number(_) => i64::MAX.into(),
        Value::Array(items) => items.iter().map(largest).collect(),
        Value::Object(fields) => {
            let small = |key: &str| match key {
                "cluster" => Some(u64::from(u16::MAX)),
                "seat" | "session" | "receipt" | "by" | "unlisted" | "rounds" | "voids" => Some(u64::from(u32::MAX)),
                "time" => Some(u64::MAX),
                _ => None,
            };
            let field = |(key, field): (&String, &Value)| {
                let is_number = field.is_number();
                let number = small(key).filter(|_| is_number).map(Value::from);
                (key.clone(), number.unwrap_or_else(|| largest(field)))
            };
            fields.iter().map(field).collect()
        }
        Value::Bool(_) => false.into(),
        Value::Null | Value::String(_) => view.clone(),
    }
}

#[test]
fn a_view_of_a_large_cluster_fits_into_a_message() {
    let mut table = etg(&[1_000], &[&[ROUND], &[FIRST]]);
    table.open_table();
    table.open_bets();
    let boxes = table.cluster(0).rules().layout().boxes().to_vec();
    let by = |id| Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[Role::Cashier]) });
    for seat in 1..1_000 {
        table.accept_cluster(0, by(1_000 + seat % 300), buy_in(Seat(seat), 100_000));
        let stake =
            taisai_table::Stake { bet_box: boxes[usize::try_from(seat).unwrap() % boxes.len()], amount: cents(100) };
        let (chips, stakes) = (taisai_table::Chips::Own, [stake].into_iter().collect());
        let place = ClusterCommand::Place { seat: Seat(seat), chips, stakes };
        table.accept_cluster(0, crate::play::terminal(Seat(seat)), place);
    }
    table.sent.clear();
    table.pass(250);
    let mut views = table.take_sent().into_iter().filter_map(|message| match message {
        Message::ClusterView { view, .. } => Some(view),
        _ => None,
    });
    let view = views.next_back().unwrap();
    assert_eq!((view.seats.len(), view.unlisted, view.totals.len()), (150, 849, boxes.len()));
    let view = json(&view);
    assert_eq!(view["numbers"].as_array().unwrap().len(), 100);
    let cluster = value!({ "table": u16::MAX, "number": u16::MAX });
    let message = value!({ "cluster-view": { "cluster": cluster, "view": largest(&view) } });
    serde_json::from_value::<Message>(message.clone()).expect("it is still a view");
    let length = message.to_string().len();
    assert!((30_000..LARGEST_BODY).contains(&length), "{length} bytes");
}

/// The last results are bounded, and so are limits: a layout has so many boxes.
#[test]
fn a_view_of_the_table_fits_into_a_message() {
    let mut table = apart();
    table.open_table();
    let boxes = table.cluster(0).rules().layout().boxes().to_vec();
    let entry = |bet_box: &taisai_rules::BetBox| taisai_table::LimitEntry {
        boxes: bet_box.to_string().parse().unwrap(),
        min: Some(cents(100)),
        max: Some(cents(1_000_000_000)),
    };
    let limits = TableLimits { boxes: boxes.iter().map(entry).collect(), ..crate::play::limits() };
    table.accept_round(supervisor(), RoundCommand::ShowLimits { limits, why: "each its own".to_owned() });
    for _ in 0..150 {
        table.open_bets();
        table.close_bets();
        table.throw([6, 6, 6]);
    }
    let mut views = table.take_sent().into_iter().filter(|message| matches!(message, Message::PublicView { .. }));
    let view = views.next_back().unwrap();
    let Message::PublicView { results, .. } = &view else { panic!("a view") };
    assert_eq!(results.len(), 100);
    let length = json(&view).to_string().len();
    assert!((5_000..LARGEST_BODY / 2).contains(&length), "{length} bytes");
}

/// A public view as it was is no news.
#[test]
fn an_old_view_is_corrected_within_two_seconds() {
    let mut table = apart();
    table.open_table();
    table.open_bets();
    let open = table.take_sent().into_iter().rfind(|message| public_views(std::slice::from_ref(message), 0) == 1);
    table.close_bets();
    published(&mut table, FIRST);
    table.deliver(open.unwrap());
    table.pass(2_000);
    let screen_changes = published(&mut table, FIRST);
    let Some(ScreenChange::Public(last)) = screen_changes.last() else { panic!("{screen_changes:?}") };
    assert_eq!(PublicView::phase(last), Phase::Closed);
}
