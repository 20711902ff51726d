//! The host in memory itself: time, terminals, messages that are lost, and commands that wait.

use taisai_engine::Message;
use taisai_table::{
    BetsCloser, ClusterCommand, Decision, MachineEntry, Phase, Profile, RoundCommand, RoundNumber, Seat, Time, Verdict,
};

use crate::installation::{CLUSTER, ETG, NOON, TABLE, TestInstallation};

fn closing_by_itself() -> TestInstallation {
    let mut installation =
        TestInstallation::ready(ETG, "A", &Profile { closes: BetsCloser::Tick, ..Profile::singapore() });
    installation.run("dealer open; ? closes = 36");
    installation
}

/// When the dealer's side looked at the clock, in milliseconds after noon.
fn ticks(installation: &TestInstallation) -> Vec<u64> {
    let ticks = installation.house.record.iter().filter_map(|recorded| match recorded {
        MachineEntry::Round(_, entry) if entry.request.command == RoundCommand::Tick => {
            Some(entry.request.time.0 - NOON)
        }
        MachineEntry::Round(..) | MachineEntry::Cluster(..) | MachineEntry::House(_) => None,
    });
    ticks.collect()
}

#[test]
fn what_partitions_do_by_themselves_happens_when_it_is_due() {
    let mut installation = closing_by_itself();
    installation.house.pass_until(Time(NOON + 35_999));
    assert_eq!((installation.round().phase(), ticks(&installation)), (Phase::Open, vec![]));
    installation.house.pass_until(Time(NOON + 90_000));
    assert_eq!((installation.round().phase(), ticks(&installation)), (Phase::Closed, vec![36_000]));
    assert_eq!(installation.house.now(), Time(NOON + 90_000));
}

#[test]
fn a_clock_that_jumps_has_what_was_due_happen_once() {
    let mut installation = closing_by_itself();
    let entries = installation.house.record.len();
    installation.house.set_clock(Time(NOON + 3_600_000));
    assert_eq!((installation.round().phase(), ticks(&installation)), (Phase::Closed, vec![3_600_000]));
    let of_house =
        installation.house.record[entries..].iter().filter(|recorded| matches!(recorded, MachineEntry::House(_)));
    assert_eq!(of_house.count(), 1, "one tick of the House stands for sixty");
    assert!(installation.house.next_timer().is_some_and(|timer| timer > installation.house.now()));
}

#[test]
fn terminals_connect_again_after_a_restart() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 500; fund 1 500");
    installation.house.disconnect(CLUSTER, Seat(1), Time(NOON));
    installation.run("? lost 0 = no; ? lost 1 = yes");
    assert!(installation.house.is_connected(CLUSTER, Seat(0)) && !installation.house.is_connected(CLUSTER, Seat(1)));
    installation.house.restart(installation.house.machines().clone(), Time(NOON));
    installation.house.pass_until(Time(NOON + 10_000));
    installation.run("? lost 0 = no; ? lost 1 = yes");
    installation.house.connect(CLUSTER, Seat(1), Time(NOON + 10_000));
    installation.run("? lost 1 = no");
    assert!(installation.house.is_as_recorded());
}

#[test]
fn a_message_that_is_lost_is_sent_again() {
    let mut installation = TestInstallation::apart(ETG);
    installation.run("quiet; dealer open");
    let is_notice = |message: &Message| matches!(message, Message::Notice { .. });
    let place = installation.house.waiting().position(is_notice).expect("a notice");
    let lost = installation.house.take_waiting(place).expect("it waits there");
    installation.house.deliver_all();
    installation.run("? betting = idle");
    installation.house.pass_until(Time(NOON + 999));
    assert!(!installation.house.waiting().any(is_notice));
    installation.house.pass_until(Time(NOON + 1_000));
    assert_eq!(installation.house.waiting().find(|message| is_notice(message)), Some(&lost));
    installation.house.deliver_all();
    installation.run("? betting = open");
}

/// Between rounds the dealer's side waits a while for clusters that do not hold what has happened.
#[test]
fn a_command_that_waits_is_answered_by_its_entry() {
    let mut installation = TestInstallation::apart(ETG);
    installation.run("quiet; dealer open; dealer interrupt");
    let dealer = installation.actor("dealer", None);
    let request = installation.request(dealer, RoundCommand::OpenBets);
    assert_eq!(installation.house.ask_round(TABLE, request.clone()), None, "it waits");
    installation.house.deliver_all();
    assert_eq!((installation.round().phase(), installation.round().number()), (Phase::Open, RoundNumber(2)));
    let is_its =
        |recorded: &MachineEntry| matches!(recorded, MachineEntry::Round(_, entry) if entry.request.id == request.id);
    assert_eq!(installation.house.record.iter().filter(|recorded| is_its(recorded)).count(), 1);
    assert_eq!(installation.house.ask_round(TABLE, request), Some(Decision::Repeated(Verdict::Accepted)));
}

#[test]
fn nobody_answers_for_a_table_or_a_cluster_that_there_is_not() {
    let mut installation = TestInstallation::new(ETG);
    let entries = installation.house.record.len();
    let dealer = installation.actor("dealer", None);
    let (open, clear) = (installation.request(dealer, RoundCommand::OpenBets), ClusterCommand::Clear { seat: Seat(0) });
    assert_eq!(installation.house.ask_round(taisai_table::TableId(9), open), None);
    let clear = installation.request(dealer, clear);
    assert_eq!(installation.house.ask_cluster(taisai_table::ClusterId { number: 9, ..CLUSTER }, clear), None);
    assert_eq!(installation.house.record.len(), entries);
}
