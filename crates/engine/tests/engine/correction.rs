//! A round that is settled is settled again: its slip is read from the record while play goes on.

use taisai_engine::{ClusterInput, Effect, Input, ScreenChange, WorkerStop};
use taisai_table::{ClusterId, MachineId, Phase, Refusal, RoundCommand, RoundNumber, Seat, Slip};

use crate::installation::{FIRST, Installation, ROUND, SECOND, apart, cluster, together};
use crate::play::{accepted, cents, changes, correction, dealer, json, manager, notices, refused, supervisor};

const SEAT: Seat = Seat(3);

/// A table whose first round was won with 5.00 on Big. Slips are read by hand from now on.
fn with_a_win(mut table: Installation) -> Installation {
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table.play_round(SEAT, [4, 5, 6]);
    table.reads_slips = false;
    table.left.clear();
    table
}

fn reads(table: &mut Installation) -> Vec<(ClusterId, RoundNumber)> {
    let read = |effect| match effect {
        Effect::ReadSlip { cluster, round, .. } => Some((cluster, round)),
        _ => None,
    };
    table.take_left().into_iter().filter_map(read).collect()
}

fn slip(table: &mut Installation, number: u16, round: u64, slip: Option<Slip>) {
    let node = table.node_of(MachineId::Cluster(cluster(number))).unwrap();
    let slip = ClusterInput::Slip { round: RoundNumber(round), slip };
    table.input(node, Input::Cluster(number, slip));
}

/// The slip as the record has it.
fn recorded(table: &Installation, number: u16, round: u64) -> Option<Slip> {
    table.house.slip(cluster(number), RoundNumber(round)).cloned()
}

#[test]
fn a_slip_is_asked_for_and_again_after_five_seconds() {
    let mut table = with_a_win(together());
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    assert_eq!(reads(&mut table), [(cluster(0), RoundNumber(1))]);
    table.pass(4_999);
    assert_eq!(reads(&mut table), []);
    table.pass(1);
    assert_eq!(reads(&mut table), [(cluster(0), RoundNumber(1))]);
    slip(&mut table, 0, 1, None);
    assert_eq!(reads(&mut table), [], "one that could not be read is read again when it is time");
    table.pass(5_000);
    assert_eq!(reads(&mut table), [(cluster(0), RoundNumber(1))]);
    assert_eq!(table.cluster(0).credits(SEAT), cents(10_500));
    let of_record = recorded(&table, 0, 1);
    slip(&mut table, 0, 1, of_record);
    assert_eq!(table.cluster(0).credits(SEAT), cents(9_500));
    table.pass(60_000);
    assert_eq!(reads(&mut table), []);
    assert!(table.round().is_followed());
}

#[test]
fn a_correction_is_shown_to_its_player_and_vouched_for() {
    let mut table = with_a_win(together());
    table.nodes[0].checkpoints.clear();
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    assert_eq!(table.nodes[0].checkpoints, [ROUND], "it stands at once");
    table.left.clear();
    let of_record = recorded(&table, 0, 1);
    slip(&mut table, 0, 1, of_record);
    assert_eq!(table.nodes[0].checkpoints, [ROUND, FIRST]);
    assert_eq!(table.nodes[0].counted.rounds, 1, "it was counted before");
    let screen_changes = changes(table.take_left());
    let [ScreenChange::Seat(seat)] = &screen_changes[..] else { panic!("{screen_changes:?}") };
    let view = json(&seat.view);
    assert_eq!((&view["credits"], &view["last"]["paid"]), (&9_500.into(), &0.into()));
    assert_eq!(view["messages"][0]["changed"]["amount"], -1_000);
}

/// Bets go on while the slip is read; only what the round tells next has to wait for it.
#[test]
fn bets_of_the_next_round_do_not_wait_for_a_slip() {
    let mut table = with_a_win(together());
    table.open_bets();
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    for _ in 0..3 {
        table.pass(5_000);
        table.bet(0, SEAT, "small", 500);
    }
    assert_eq!(reads(&mut table).len(), 4);
    table.close_bets();
    assert_eq!(table.phase(), Phase::Closing, "the cluster does not hold the close");
    let of_record = recorded(&table, 0, 1);
    slip(&mut table, 0, 1, of_record);
    assert_eq!(table.phase(), Phase::Closed);
    table.throw([1, 2, 4]);
    assert_eq!(table.cluster(0).credits(SEAT), cents(9_500 + 1_500));
    table.check_record();
}

/// Two corrections of one round, one of another, and a void: each has the slip that it is about.
#[test]
fn corrections_are_followed_one_by_one() {
    let mut table = with_a_win(together());
    table.reads_slips = true;
    table.play_round(SEAT, [1, 2, 3]);
    table.reads_slips = false;
    let void = RoundCommand::VoidDamaged {
        from: RoundNumber(1),
        to: RoundNumber(2),
        dice_set: None,
        why: "a chipped die".to_owned(),
        second: Some(manager()),
    };
    table.open_bets();
    table.left.clear();
    for command in [correction(1, [1, 2, 3]), correction(1, [5, 5, 6]), void] {
        table.accept_round(supervisor(), command);
    }
    let mut read = Vec::new();
    loop {
        let asked: Vec<_> = reads(&mut table).into_iter().map(|(_, RoundNumber(round))| round).collect();
        if asked.is_empty() {
            break;
        }
        for round in asked {
            read.push(round);
            let of_record = recorded(&table, 0, round);
            slip(&mut table, 0, round, of_record);
        }
    }
    assert_eq!(read, [1, 2, 1, 1], "that of round 2 is read ahead, and each of round 1 when it is needed");
    assert!(table.round().is_followed());
    assert_eq!(table.cluster(0).credits(SEAT), cents(10_000), "both rounds are void");
    table.check_record();
}

/// The table stops rather than go on with wrong money. Nothing of the batch is recorded.
#[test]
fn a_wrong_slip_stops_the_table() {
    let mut table = with_a_win(together());
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    let (entries, mut wrong) = (table.house.record.len(), recorded(&table, 0, 1).unwrap());
    wrong.lines[0].units += 1;
    let slip = ClusterInput::Slip { round: RoundNumber(1), slip: Some(wrong) };
    let stop = WorkerStop::Refused { by: FIRST, refusal: Refusal::SlipDiffers };
    assert_eq!(table.handle(0, [Input::Cluster(0, slip)]), Err(stop));
    assert_eq!(table.house.record.len(), entries);
    table.reads_slips = true;
    table.restart(0);
    table.pass(0);
    assert_eq!(table.cluster(0).credits(SEAT), cents(9_500), "it asks again, and goes on with the right one");
}

#[test]
fn a_slip_that_nobody_asked_for_is_ignored() {
    let mut table = with_a_win(together());
    let (entries, of_record) = (table.house.record.len(), recorded(&table, 0, 1));
    slip(&mut table, 0, 1, of_record.clone());
    slip(&mut table, 0, 9, of_record.clone());
    assert_eq!(table.house.record.len(), entries);
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    assert_eq!(reads(&mut table), [(cluster(0), RoundNumber(1))], "it is not kept for later");
    slip(&mut table, 0, 1, of_record.clone());
    slip(&mut table, 0, 1, of_record);
    assert_eq!(table.cluster(0).credits(SEAT), cents(9_500), "a second one changes nothing");
}

/// Over three workers: notices that arrive while a slip is read are followed after it, in order.
#[test]
fn notices_that_arrive_while_a_slip_is_read_wait_for_it() {
    let mut table = with_a_win(apart());
    table.open_bets();
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    table.close_bets();
    table.pass(4_000);
    assert_eq!(table.phase(), Phase::Closing);
    let read: Vec<_> = reads(&mut table).into_iter().map(|(cluster, _)| cluster.number).collect();
    assert_eq!(read, [0, 1], "each cluster reads its own");
    for number in [0, 1] {
        let of_record = recorded(&table, number, 1);
        slip(&mut table, number, 1, of_record);
    }
    assert_eq!(table.phase(), Phase::Closed);
    assert_eq!(table.cluster(0).credits(SEAT), cents(9_500));
    assert!(table.node_of(SECOND).is_some());
    table.check_record();
}

/// Between rounds the dealer's next command waits for the slip, two seconds at most.
#[test]
fn the_next_round_opens_when_the_correction_is_followed() {
    let mut table = with_a_win(apart());
    table.accept_round(supervisor(), correction(1, [1, 2, 3]));
    let (opened, reply) = table.ask_round(dealer(), RoundCommand::OpenBets);
    assert_eq!(reply, None);
    for number in [0, 1] {
        let of_record = recorded(&table, number, 1);
        slip(&mut table, number, 1, of_record);
    }
    assert_eq!(table.reply(opened), Some(accepted()));
    table.close_bets();
    table.throw([1, 2, 3]);
    table.accept_round(supervisor(), correction(1, [4, 5, 6]));
    let (opened, _) = table.ask_round(dealer(), RoundCommand::OpenBets);
    table.pass(2_000);
    assert_eq!(table.reply(opened), Some(refused(Refusal::RoundInPlay)), "as long as it is not, no round opens");
}

/// Ten thousand rounds may be void at once. A cluster takes so many notices ahead of a slip, and is not sent more.
#[test]
fn notices_that_a_cluster_cannot_take_are_not_sent() {
    let mut table = with_a_win(apart());
    table.open_bets();
    let faces = [[1, 2, 3], [4, 5, 6]];
    let commands: Vec<_> = (0..1_500).map(|count| correction(1, faces[count % 2])).collect();
    let inputs: Vec<_> = commands.into_iter().map(|command| table.round_input(supervisor(), command).1).collect();
    let round = table.node_of(ROUND).unwrap();
    table.sent.clear();
    table.inputs(round, inputs);
    assert_eq!(notices(&table.take_sent(), 0).len(), 1_024);
    table.pass(1_000);
    assert_eq!(notices(&table.take_sent(), 0).len(), 1_024, "again, as they may be lost");
    table.reads_slips = true;
    table.pass(5_000);
    assert!(table.round().is_followed());
    let credits = table.cluster(0).credits(SEAT);
    assert_eq!(credits, cents(10_500), "the last one counts");
}

/// A table with so many rounds behind it, and one with open bets.
fn with_rounds(mut table: Installation, rounds: u64) -> Installation {
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table.play_round(SEAT, [4, 5, 6]);
    for _ in 1..rounds {
        table.open_bets();
        table.close_bets();
        table.throw([1, 2, 3]);
    }
    table.open_bets();
    table.left.clear();
    table
}

fn void_until(round: u64) -> RoundCommand {
    let (from, to, second) = (RoundNumber(1), RoundNumber(round), Some(manager()));
    RoundCommand::VoidDamaged { from, to, dice_set: None, why: "a chipped die".to_owned(), second }
}

/// The slips that each cluster had read, in order.
fn read_by(table: &mut Installation, number: u16) -> Vec<u64> {
    let mut read: Vec<u64> = Vec::new();
    for effect in table.left.iter().map(|(_, effect)| effect) {
        if let Effect::ReadSlip { cluster, round, digest } = effect
            && cluster.number == number
        {
            assert_eq!(Some(*digest), table.cluster(number).slip_digest(*round), "the slip that the chain stands for");
            read.push(round.0);
        }
    }
    read
}

/// However many rounds are void, each slip is read once, and some of them ahead: the rounds are followed in batches. Bets are taken
/// meanwhile, and nobody counts as silent.
#[test]
fn a_void_of_many_rounds_reads_each_slip_once() {
    for (table, clusters, rounds) in [(together(), 1, 10_000), (apart(), 2, 2_000)] {
        let mut table = with_rounds(table, rounds);
        table.reads_slips = false;
        table.accept_round(supervisor(), void_until(rounds));
        for number in 0..clusters {
            assert_eq!(read_by(&mut table, number), (1..=64).collect::<Vec<_>>(), "so many at once");
        }
        table.pass(4_000);
        table.bet(0, SEAT, "small", 500);
        table.left.clear();
        table.reads_slips = true;
        table.pass(30_000);
        assert!(table.round().is_followed());
        for number in 0..clusters {
            assert_eq!(read_by(&mut table, number), (1..=rounds).collect::<Vec<_>>(), "cluster {number}");
        }
        assert!(!table.left.iter().any(|(_, effect)| matches!(effect, Effect::Seize(_))));
        assert_eq!(table.cluster(0).credits(SEAT), cents(9_500), "the win of round 1 is taken back");
        table.close_bets();
        assert_eq!(table.phase(), Phase::Closed);
        table.check_record();
    }
}

#[test]
fn two_hundred_corrections_read_two_hundred_slips() {
    const ROUNDS: u64 = 200;
    for make in [together, apart] {
        let mut table = with_rounds(make(), ROUNDS);
        for round in 1..=ROUNDS {
            table.accept_round(supervisor(), correction(round, [1, 1, 2]));
        }
        table.pass(0);
        assert!(table.round().is_followed());
        assert_eq!(read_by(&mut table, 0), (1..=ROUNDS).collect::<Vec<_>>());
        table.check_record();
    }
}

/// F82: each round that is voided late is shown, also where several change at once.
#[test]
fn rounds_that_are_void_together_are_all_shown() {
    for make in [together, apart] {
        let mut table = with_a_win(make());
        table.reads_slips = true;
        for faces in [[1, 2, 3], [4, 4, 5], [2, 2, 6]] {
            table.play_round(SEAT, faces);
        }
        table.left.clear();
        let (from, to, second) = (RoundNumber(1), RoundNumber(3), Some(manager()));
        let why = "a chipped die".to_owned();
        let void = RoundCommand::VoidDamaged { from, to, dice_set: None, why, second };
        table.accept_round(supervisor(), void);
        table.pass(10_000);
        let (round, second) = (table.node_of(ROUND).unwrap(), table.nodes.len() - 1);
        for node in [round, second] {
            let rounds = table.left.iter().filter(|(at, _)| *at == node).filter_map(|(_, effect)| match effect {
                Effect::Publish(ScreenChange::Public(public)) => Some(json(public)["latest"].clone()),
                _ => None,
            });
            let mut rounds: Vec<_> = rounds
                .filter(|latest| latest["void"] == "damaged-dice")
                .map(|latest| latest["round"].as_u64())
                .collect();
            rounds.dedup();
            assert_eq!(rounds, [Some(1), Some(2), Some(3)]);
        }
    }
}
