//! That the checks find what they are for: each is broken on purpose.

use taisai::replay::file::ReplayFile;
use taisai_engine::{ClusterInput, Input, ReplyTo};
use taisai_rules::Money;
use taisai_table::{MachineId, Profile};

use super::*;

fn played(coverage: &mut Coverage) -> SimulatedCasino<'_> {
    let setup = ReplaySetup {
        game: "sic-bo-etg@2".to_owned(),
        layout: "A".to_owned(),
        registration: taisai_table::Registration::EveryBet,
        seats: vec![3, 2],
        training: false,
        profile: Profile::singapore(),
    };
    let mut casino = SimulatedCasino::new(setup, Games::embedded(), WorkerPlacement::Apart, 5, coverage).unwrap();
    casino.found().unwrap();
    for _ in 0..3 {
        casino.play_round().unwrap();
    }
    casino
}

/// Credits from nowhere, behind the back of the record.
fn forge(casino: &mut SimulatedCasino) {
    let command = ClusterCommand::BuyIn { seat: Seat(1), amount: Money::from_cents(100), second: None };
    let request = casino.request(by(CASHIER), command);
    casino.installation.ask_cluster(casino.at, request).unwrap();
    casino.installation.record.pop();
}

#[track_caller]
fn breaks(held: CheckResult, name: &str) {
    let RunFailure(what) = held.unwrap_err();
    assert!(what.starts_with(name), "{what}");
}

#[test]
fn what_the_record_does_not_hold_is_found() {
    let mut coverage = Coverage::default();
    let mut casino = played(&mut coverage);
    forge(&mut casino);
    breaks(casino.rebuild_from_the_first_entry().map(drop), "replay gives the same state hash");
    casino.take_snapshot();
    forge(&mut casino);
    breaks(casino.rebuild_from_the_snapshot().map(drop), "replay gives the same state hash");
    forge(&mut casino);
    let answer = casino.ask_cluster(Actor::System, ClusterCommand::Delivered { number: 0 });
    breaks(answer.map(|_| ()), "every seat has what the record gives it");
}

#[test]
fn what_a_partition_decides_and_does_not_append_is_found() {
    let mut coverage = Coverage::default();
    let mut casino = played(&mut coverage);
    let CommandRequest { time, actor, id, command } =
        casino.request(by(CASHIER), ClusterCommand::Clear { seat: Seat(999) });
    let input = ClusterInput::Command { actor, id, command, reply: ReplyTo::Nobody };
    let worker = casino.installation.worker_of(MachineId::Cluster(casino.at)).unwrap();
    casino.installation.batch(worker, time, [Input::Cluster(casino.at.number, input)]).unwrap();
    breaks(casino.check_all(), "the partitions' machines are those of the record");
}

#[test]
fn a_bet_that_is_not_in_the_record_is_found() {
    let mut coverage = Coverage::default();
    let mut casino = played(&mut coverage);
    casino.acknowledged.push(CommandId { source: 1, sequence: 1 });
    breaks(casino.check_all(), "every accepted bet is in the record once");
}

#[test]
fn an_entry_that_reads_otherwise_is_found() {
    let mut coverage = Coverage::default();
    let mut casino = played(&mut coverage);
    casino.ask_round(by(AUDITOR), RoundCommand::OpenTable).unwrap();
    let Some(MachineEntry::Round(_, entry)) = casino.installation.record.last_mut() else { panic!("it was recorded") };
    entry.request.time = Time(1);
    breaks(casino.check_all(), "an entry reads as it was written");
}

#[test]
fn a_file_holds_the_whole_run() {
    let mut coverage = Coverage::default();
    let casino = played(&mut coverage);
    let file = casino.record.file(&casino.setup, &casino.installation.machines().state_hash()).unwrap();
    let replay = ReplayFile::read(&file).unwrap();
    let mut machines = replay.setup.machines(Games::embedded()).unwrap();
    replay.entries.iter().for_each(|entry| machines.apply(entry));
    assert_eq!(machines.state_hash(), replay.hash);
    for end in (0..file.len()).rev().step_by(97) {
        let Err(error) = ReplayFile::read(&file[..end]) else { panic!("{end} bytes of {} were enough", file.len()) };
        assert!(format!("{error:#}").contains("byte "), "{end}: {error:#}");
    }
}
