//! That the checks find what they are for: each is broken on purpose.

use taisai::replay::file::Replay;
use taisai_engine::{ClusterInput, Input, ReplyTo};
use taisai_rules::Money;
use taisai_table::{MachineId, Profile};

use super::*;

fn played(tally: &mut Tally) -> Hall<'_> {
    let setup = Setup {
        game: "sic-bo-etg@2".to_owned(),
        layout: "A".to_owned(),
        registration: taisai_table::Registration::EveryBet,
        seats: vec![3, 2],
        training: false,
        profile: Profile::singapore(),
    };
    let mut hall = Hall::new(setup, Games::embedded(), WorkerPlacement::Apart, 5, tally).unwrap();
    hall.found().unwrap();
    for _ in 0..3 {
        hall.play_round().unwrap();
    }
    hall
}

/// Credits from nowhere, behind the back of the record.
fn forge(hall: &mut Hall) {
    let command = ClusterCommand::BuyIn { seat: Seat(1), amount: Money::from_cents(100), second: None };
    let asked = hall.asked(by(CASHIER), command);
    hall.installation.ask_cluster(hall.at, asked).unwrap();
    hall.installation.record.pop();
}

#[track_caller]
fn breaks(held: Held, name: &str) {
    let Failure(what) = held.unwrap_err();
    assert!(what.starts_with(name), "{what}");
}

#[test]
fn what_the_record_does_not_hold_is_found() {
    let mut tally = Tally::default();
    let mut hall = played(&mut tally);
    forge(&mut hall);
    breaks(hall.rebuild_from_the_first_entry().map(drop), "replay gives the same state hash");
    hall.take_snapshot();
    forge(&mut hall);
    breaks(hall.rebuild_from_the_snapshot().map(drop), "replay gives the same state hash");
    forge(&mut hall);
    let told = hall.ask_cluster(Actor::System, ClusterCommand::Delivered { number: 0 });
    breaks(told.map(|_| ()), "every seat has what the record gives it");
}

#[test]
fn what_a_partition_decides_and_does_not_append_is_found() {
    let mut tally = Tally::default();
    let mut hall = played(&mut tally);
    let CommandRequest { time, actor, id, command } =
        hall.asked(by(CASHIER), ClusterCommand::Clear { seat: Seat(999) });
    let input = ClusterInput::Command { actor, id, command, reply: ReplyTo::Nobody };
    let worker = hall.installation.worker_of(MachineId::Cluster(hall.at)).unwrap();
    hall.installation.batch(worker, time, [Input::Cluster(hall.at.number, input)]).unwrap();
    breaks(hall.check_all(), "the partitions' machines are those of the record");
}

#[test]
fn a_bet_that_is_not_in_the_record_is_found() {
    let mut tally = Tally::default();
    let mut hall = played(&mut tally);
    hall.acknowledged.push(CommandId { source: 1, sequence: 1 });
    breaks(hall.check_all(), "every accepted bet is in the record once");
}

#[test]
fn an_entry_that_reads_otherwise_is_found() {
    let mut tally = Tally::default();
    let mut hall = played(&mut tally);
    hall.ask_round(by(AUDITOR), RoundCommand::OpenTable).unwrap();
    let Some(MachineEntry::Round(_, entry)) = hall.installation.record.last_mut() else { panic!("it was recorded") };
    entry.request.time = Time(1);
    breaks(hall.check_all(), "an entry reads as it was written");
}

#[test]
fn a_file_holds_the_whole_run() {
    let mut tally = Tally::default();
    let hall = played(&mut tally);
    let file = hall.record.file(&hall.setup, &hall.installation.machines().state_hash()).unwrap();
    let replay = Replay::read(&file).unwrap();
    let mut machines = replay.setup.machines(Games::embedded()).unwrap();
    replay.entries.iter().for_each(|entry| machines.apply(entry));
    assert_eq!(machines.state_hash(), replay.hash);
    for end in (0..file.len()).rev().step_by(97) {
        let Err(error) = Replay::read(&file[..end]) else { panic!("{end} bytes of {} were enough", file.len()) };
        assert!(format!("{error:#}").contains("byte "), "{end}: {error:#}");
    }
}
