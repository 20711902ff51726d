//! A node stops in each phase of a round and begins again with what is on record: play goes on, as it does today.

use taisai_engine::{ConnectionId, Message, ScreenChange};
use taisai_table::{Betting, Phase, Refusal, RoundCommand, Seat};

use crate::installation::{FIRST, Installation, ROUND, apart, cluster, together};
use crate::play::{
    accepted, buy_in, cashier, cents, changes, correction, dealer, place, refused, supervisor, terminal, throw,
};

const SEAT: Seat = Seat(3);

/// A table of one worker or of three in a phase, and what it has to do to settle the round from there by 4 5 6.
fn in_phase(mut table: Installation, phase: Phase) -> (Installation, Vec<RoundCommand>) {
    let [activate, tumbled, commit] = throw([4, 5, 6]);
    let steps = [RoundCommand::OpenBets, RoundCommand::CloseBets, activate, tumbled, commit];
    table.open_table();
    table.seat(0, SEAT, 10_000);
    let done = match phase {
        Phase::Idle => 0,
        Phase::Open => 1,
        Phase::Closed => 2,
        Phase::Settled => 5,
        other => panic!("{other:?} is over before anything else happens"),
    };
    for step in &steps[..done] {
        table.accept_round(dealer(), step.clone());
        if *step == RoundCommand::OpenBets {
            table.bet(0, SEAT, "big", 500);
        }
    }
    assert_eq!(table.phase(), phase);
    (table, steps[done..].to_vec())
}

fn restart_all(table: &mut Installation) {
    for node in 0..table.nodes.len() {
        table.restart(node);
    }
    table.pass(0);
    table.check_record();
}

/// A round in play is held until the Dealer continues; a result that was committed is settled.
#[test]
fn play_goes_on_after_a_restart_in_each_phase() {
    for make in [together, apart] {
        for phase in [Phase::Idle, Phase::Open, Phase::Closed, Phase::Settled] {
            let (mut table, rest) = in_phase(make(), phase);
            restart_all(&mut table);
            assert_eq!(table.phase(), phase);
            let is_held = matches!(phase, Phase::Open | Phase::Closed);
            assert_eq!((table.round().is_held(), table.cluster(0).is_held()), (is_held, is_held), "{phase:?}");
            table.connect(0, SEAT, ConnectionId(77));
            if is_held {
                let late = table.ask_cluster(0, terminal(SEAT), place(SEAT, "big", 500));
                let refusal = if phase == Phase::Open { Refusal::Held } else { Refusal::BetsClosed };
                assert_eq!(late, refused(refusal));
                table.accept_round(dealer(), RoundCommand::Continue);
                assert!(!table.cluster(0).is_held());
            }
            for command in rest {
                table.accept_round(dealer(), command.clone());
                if command == RoundCommand::OpenBets {
                    table.bet(0, SEAT, "big", 500);
                }
            }
            assert_eq!((table.phase(), table.cluster(0).credits(SEAT)), (Phase::Settled, cents(10_500)), "{phase:?}");
            table.open_bets();
            table.check_record();
        }
    }
}

/// The cluster holds the close, and the round stopped before it received that; and the same with the result.
#[test]
fn a_round_that_stopped_before_its_clusters_reported_moves_on() {
    let (mut table, rest) = in_phase(apart(), Phase::Open);
    table.carrier = Box::new(|message| if matches!(message, Message::Followed { .. }) { vec![] } else { vec![0] });
    table.close_bets();
    assert_eq!((table.phase(), table.cluster(0).betting()), (Phase::Closing, Betting::Closed));
    table.carrier = Box::new(|_| vec![0]);
    let round = table.node_of(ROUND).unwrap();
    table.restart(round);
    table.pass(0);
    assert_eq!(table.phase(), Phase::Closed, "at once");
    table.accept_round(dealer(), RoundCommand::Continue);
    table.carrier = Box::new(|message| if matches!(message, Message::Followed { .. }) { vec![] } else { vec![0] });
    for command in rest.into_iter().skip(1) {
        table.accept_round(dealer(), command);
    }
    assert_eq!(table.phase(), Phase::Result);
    table.carrier = Box::new(|_| vec![0]);
    table.restart(round);
    table.pass(0);
    assert_eq!((table.phase(), table.round().is_held()), (Phase::Settled, false));
    assert_eq!(table.nodes[round].counted.rounds, 1, "it is counted where it is over");
    assert_eq!(table.nodes[round].checkpoints, [ROUND]);
}

/// The round tells nobody until its close is durable: a cluster that stopped hears it from the record.
#[test]
fn a_cluster_that_stopped_receives_what_it_missed() {
    let (mut table, rest) = in_phase(apart(), Phase::Open);
    table.carrier = Box::new(|message| match message {
        Message::Notice { cluster: to, .. } if *to == cluster(0) => vec![],
        _ => vec![0],
    });
    table.close_bets();
    let first = table.node_of(FIRST).unwrap();
    table.carrier = Box::new(|_| vec![0]);
    table.restart(first);
    table.connect(0, SEAT, ConnectionId(77));
    table.pass(1_000);
    assert_eq!(table.phase(), Phase::Closed, "a round is not held because a cluster restarts");
    assert!(!table.round().is_held());
    for command in rest.into_iter().skip(1) {
        table.accept_round(dealer(), command);
    }
    assert_eq!((table.phase(), table.cluster(0).credits(SEAT)), (Phase::Settled, cents(10_500)));
}

#[test]
fn terminals_that_are_not_back_in_time_are_lost() {
    let mut table = together();
    table.open_table();
    for seat in [1, 2, 3] {
        table.seat(0, Seat(seat), 1_000);
    }
    table.connect(0, Seat(4), ConnectionId(4));
    table.restart(0);
    table.connect(0, Seat(1), ConnectionId(11));
    table.pass(1_899);
    let lost = |table: &Installation| [1, 2, 3, 4].map(|seat| table.cluster(0).is_lost(Seat(seat)));
    assert_eq!(lost(&table), [false; 4]);
    table.connect(0, Seat(2), ConnectionId(12));
    table.pass(1);
    assert_eq!(lost(&table), [false, false, true, false], "a seat without a player has nothing to lose");
    table.left.clear();
    table.connect(0, Seat(3), ConnectionId(13));
    assert_eq!(lost(&table), [false; 4]);
    assert!(matches!(&changes(table.take_left())[..], [ScreenChange::SeatConnected { .. }]));
    table.pass(60_000);
    assert_eq!(lost(&table), [false; 4], "once");
}

/// A slip that was being read is read again.
#[test]
fn a_correction_goes_on_after_a_restart() {
    for make in [together, apart] {
        let (mut table, _) = in_phase(make(), Phase::Settled);
        table.reads_slips = false;
        table.accept_round(supervisor(), correction(1, [1, 2, 3]));
        table.reads_slips = true;
        restart_all(&mut table);
        table.pass(1_000);
        assert_eq!(table.cluster(0).credits(SEAT), cents(9_500));
        assert!(table.round().is_followed());
    }
}

/// The program's own commands after a restart are new ones, not repeats of those before it.
#[test]
fn own_commands_of_the_next_start_are_new() {
    let (mut table, _) = in_phase(together(), Phase::Open);
    for _ in 0..3 {
        restart_all(&mut table);
        assert!(table.round().is_held());
        table.accept_round(dealer(), RoundCommand::Continue);
        assert!(!table.round().is_held() && !table.cluster(0).is_held());
    }
}

/// Of a batch only the first appends are durable when the process stops, whichever they are: nothing is torn.
#[test]
fn a_batch_that_is_durable_in_part_is_finished_after_the_restart() {
    for durable in 0..=3 {
        let (mut table, rest) = in_phase(together(), Phase::Open);
        let (_, close) = table.round_input(dealer(), RoundCommand::CloseBets);
        table.crash(0, close, |appends| {
            assert_eq!(appends, 3, "the round's close, the cluster's, the round's report");
            durable
        });
        table.restart(0);
        table.connect(0, SEAT, ConnectionId(77));
        let phase = if durable == 0 { Phase::Open } else { Phase::Closed };
        assert_eq!(table.phase(), phase, "{durable}");
        assert_eq!(table.cluster(0).betting() == Betting::Open, durable == 0);
        table.accept_round(dealer(), RoundCommand::Continue);
        for command in rest.into_iter().skip(usize::from(durable > 0)) {
            table.accept_round(dealer(), command);
        }
        assert_eq!((table.phase(), table.cluster(0).credits(SEAT)), (Phase::Settled, cents(10_500)));
        table.check_record();
    }
}

/// What was not durable was not answered: the same command is carried out when it is sent again.
#[test]
fn a_command_whose_batch_was_lost_is_carried_out_when_it_is_sent_again() {
    for durable in [0, 1] {
        let (mut table, _) = in_phase(together(), Phase::Open);
        let (id, caller) = (table.id(1_008), taisai_engine::CallerId(u64::MAX));
        let again = || {
            let (actor, command) = (cashier(), buy_in(SEAT, 700));
            let reply = taisai_engine::ReplyTo::Caller(caller);
            let command = taisai_engine::ClusterInput::Command { actor, id, command, reply };
            taisai_engine::Input::Cluster(0, command)
        };
        table.crash(0, again(), |_| durable);
        assert_eq!(table.reply(caller), None);
        table.restart(0);
        table.input(0, again());
        let reply = table.reply(caller).unwrap();
        assert_eq!((reply.verdict, reply.is_repeated), (accepted().verdict, durable == 1));
        assert_eq!(table.cluster(0).credits(SEAT), cents(9_500 + 700), "once");
    }
}
