//! The host in memory itself: time, terminals, messages that are lost, and commands that wait.

use taisai_engine::Message;
use taisai_table::{
    BetsCloser, ClusterCommand, Decision, MachineEntry, Phase, Profile, RoundCommand, RoundNumber, Seat, Time, Verdict,
};

use crate::hall::{CLUSTER, ETG, Hall, NOON, TABLE};

fn closing_by_itself() -> Hall {
    let mut hall = Hall::ready(ETG, "A", &Profile { closes: BetsCloser::Tick, ..Profile::singapore() });
    hall.run("dealer open; ? closes = 36");
    hall
}

/// When the dealer's side looked at the clock, in milliseconds after noon.
fn ticks(hall: &Hall) -> Vec<u64> {
    let ticks = hall.house.record.iter().filter_map(|recorded| match recorded {
        MachineEntry::Round(_, entry) if entry.request.command == RoundCommand::Tick => {
            Some(entry.request.time.0 - NOON)
        }
        MachineEntry::Round(..) | MachineEntry::Cluster(..) | MachineEntry::House(_) => None,
    });
    ticks.collect()
}

#[test]
fn what_partitions_do_by_themselves_happens_when_it_is_due() {
    let mut hall = closing_by_itself();
    hall.house.pass_until(Time(NOON + 35_999));
    assert_eq!((hall.round().phase(), ticks(&hall)), (Phase::Open, vec![]));
    hall.house.pass_until(Time(NOON + 90_000));
    assert_eq!((hall.round().phase(), ticks(&hall)), (Phase::Closed, vec![36_000]));
    assert_eq!(hall.house.now(), Time(NOON + 90_000));
}

#[test]
fn a_clock_that_jumps_has_what_was_due_happen_once() {
    let mut hall = closing_by_itself();
    let entries = hall.house.record.len();
    hall.house.set_clock(Time(NOON + 3_600_000));
    assert_eq!((hall.round().phase(), ticks(&hall)), (Phase::Closed, vec![3_600_000]));
    let of_house = hall.house.record[entries..].iter().filter(|recorded| matches!(recorded, MachineEntry::House(_)));
    assert_eq!(of_house.count(), 1, "one tick of the House stands for sixty");
    assert!(hall.house.next_timer().is_some_and(|timer| timer > hall.house.now()));
}

#[test]
fn terminals_connect_again_after_a_restart() {
    let mut hall = Hall::new(ETG);
    hall.run("fund 0 500; fund 1 500");
    hall.house.disconnect(CLUSTER, Seat(1), Time(NOON));
    hall.run("? lost 0 = no; ? lost 1 = yes");
    assert!(hall.house.is_connected(CLUSTER, Seat(0)) && !hall.house.is_connected(CLUSTER, Seat(1)));
    hall.house.restart(hall.house.machines().clone(), Time(NOON));
    hall.house.pass_until(Time(NOON + 10_000));
    hall.run("? lost 0 = no; ? lost 1 = yes");
    hall.house.connect(CLUSTER, Seat(1), Time(NOON + 10_000));
    hall.run("? lost 1 = no");
    assert!(hall.house.is_as_recorded());
}

#[test]
fn a_message_that_is_lost_is_sent_again() {
    let mut hall = Hall::apart(ETG);
    hall.run("quiet; dealer open");
    let is_notice = |message: &Message| matches!(message, Message::Notice { .. });
    let place = hall.house.waiting().position(is_notice).expect("a notice");
    let lost = hall.house.take_waiting(place).expect("it waits there");
    hall.house.deliver_all();
    hall.run("? betting = idle");
    hall.house.pass_until(Time(NOON + 999));
    assert!(!hall.house.waiting().any(is_notice));
    hall.house.pass_until(Time(NOON + 1_000));
    assert_eq!(hall.house.waiting().find(|message| is_notice(message)), Some(&lost));
    hall.house.deliver_all();
    hall.run("? betting = open");
}

/// Between rounds the dealer's side waits a while for clusters that do not hold what has happened.
#[test]
fn a_command_that_waits_is_answered_by_its_entry() {
    let mut hall = Hall::apart(ETG);
    hall.run("quiet; dealer open; dealer interrupt");
    let dealer = hall.actor("dealer", None);
    let asked = hall.asked(dealer, RoundCommand::OpenBets);
    assert_eq!(hall.house.ask_round(TABLE, asked.clone()), None, "it waits");
    hall.house.deliver_all();
    assert_eq!((hall.round().phase(), hall.round().number()), (Phase::Open, RoundNumber(2)));
    let is_its =
        |recorded: &MachineEntry| matches!(recorded, MachineEntry::Round(_, entry) if entry.request.id == asked.id);
    assert_eq!(hall.house.record.iter().filter(|recorded| is_its(recorded)).count(), 1);
    assert_eq!(hall.house.ask_round(TABLE, asked), Some(Decision::Repeated(Verdict::Accepted)));
}

#[test]
fn nobody_answers_for_a_table_or_a_cluster_that_there_is_not() {
    let mut hall = Hall::new(ETG);
    let entries = hall.house.record.len();
    let dealer = hall.actor("dealer", None);
    let (open, clear) = (hall.asked(dealer, RoundCommand::OpenBets), ClusterCommand::Clear { seat: Seat(0) });
    assert_eq!(hall.house.ask_round(taisai_table::TableId(9), open), None);
    let clear = hall.asked(dealer, clear);
    assert_eq!(hall.house.ask_cluster(taisai_table::ClusterId { number: 9, ..CLUSTER }, clear), None);
    assert_eq!(hall.house.record.len(), entries);
}
