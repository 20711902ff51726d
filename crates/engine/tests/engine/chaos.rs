//! Whole evenings by chance: commands of everyone in any order, a network that loses, repeats and reorders, slips that come late, and
//! nodes that stop in the middle of a batch. What each entry rests on stands before it, all money is accounted for after every step,
//! and when the faults stop play goes on.

use taisai_engine::{ClusterInput, ConnectionId, Input, Message, RoundInput, Topic};
use taisai_table::{
    Actor, CashOut, ClusterCommand, HouseCommand, MachineId, Phase, Position, RoundCommand, RoundNumber, Seat,
    VoidReason, VoucherHash, VoucherNumber,
};

use crate::installation::{FIRST, Installation, ROUND, SECOND, cluster, etg};
use crate::network::{Random, lossy};
use crate::play::{
    DEALER, accepted, buy_in, cashier, correction, dealer, limits, manager, opening, place, supervisor, terminal, throw,
};

const SEEDS: u64 = 40;
const STEPS: u64 = 300;
const BOXES: [&str; 4] = ["big", "small", "odd", "single:3"];

/// How the partitions lie on nodes.
const APART: &[&[MachineId]] = &[&[MachineId::House], &[ROUND], &[FIRST], &[SECOND]];
const TOGETHER: &[&[MachineId]] = &[&[MachineId::House], &[ROUND, FIRST, SECOND]];
const MIXED: &[&[MachineId]] = &[&[MachineId::House], &[ROUND, FIRST], &[SECOND]];

fn faces(chance: &mut Random) -> [u8; 3] {
    [0; 3].map(|_| u8::try_from(chance.below(6) + 1).unwrap())
}

/// Something that the pit or the dealer might do, sensible or not.
fn of_round(table: &Installation, chance: &mut Random) -> (Actor, RoundCommand) {
    let [activate, tumbled, commit] = throw(faces(chance));
    let last = table.round().number().0.max(1);
    let past = 1 + chance.below(last);
    let why = "by chance".to_owned();
    match chance.below(42) {
        // What is due, as the table stands.
        0..24 => {
            let tumbles = table.round().tumbles();
            let due = match table.phase() {
                _ if table.round().is_held() => RoundCommand::Continue,
                Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => RoundCommand::OpenBets,
                Phase::Open => RoundCommand::CloseBets,
                Phase::Closing | Phase::Closed if tumbles.is_none() => activate,
                Phase::Closing | Phase::Closed if tumbles == Some(0) => tumbled,
                Phase::Closing | Phase::Closed | Phase::Result => commit,
            };
            (dealer(), due)
        }
        24..36 => {
            let any =
                [RoundCommand::OpenBets, RoundCommand::CloseBets, activate, tumbled, commit, RoundCommand::Continue];
            (dealer(), any[usize::try_from(chance.below(6)).unwrap()].clone())
        }
        36 => (dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles }),
        37 | 38 => (supervisor(), correction(past, faces(chance))),
        39 => {
            let (round, reason, second) = (RoundNumber(past), VoidReason::Malfunction, Some(manager()));
            (supervisor(), RoundCommand::VoidByLaw { round, reason, why, second })
        }
        40 => (supervisor(), RoundCommand::ShowLimits { limits: limits(), why }),
        _ => (supervisor(), RoundCommand::Relieve { position: Position::Dealer, person: Some(DEALER) }),
    }
}

/// Something that a player or an attendant might do.
fn of_cluster(chance: &mut Random, vouchers: &mut Vec<VoucherHash>) -> (Actor, ClusterCommand) {
    let seat = Seat(u32::try_from(1 + chance.below(4)).unwrap());
    let amount = i64::try_from(100 * (1 + chance.below(20))).unwrap();
    match chance.below(20) {
        0..4 => (cashier(), buy_in(seat, amount * 10)),
        4..13 => {
            let bet_box = BOXES[usize::try_from(chance.below(4)).unwrap()];
            (terminal(seat), place(seat, bet_box, amount))
        }
        13 => (terminal(seat), ClusterCommand::Clear { seat }),
        14 => (terminal(seat), ClusterCommand::Repeat { seat }),
        15 | 16 => {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&chance.below(u64::MAX).to_le_bytes());
            vouchers.push(VoucherHash(hash));
            let to = CashOut::Voucher(VoucherNumber { hash: VoucherHash(hash), digits: 7 });
            (terminal(seat), ClusterCommand::CashOut { seat, to })
        }
        17 => (terminal(seat), ClusterCommand::CashOut { seat, to: CashOut::HandPay }),
        _ => (terminal(seat), ClusterCommand::Read { seat, message: 1 }),
    }
}

fn step(table: &mut Installation, chance: &mut Random, vouchers: &mut Vec<VoucherHash>) {
    let number = u16::try_from(chance.below(2)).unwrap();
    let cluster_node = table.node_of(MachineId::Cluster(cluster(number))).unwrap();
    match chance.below(18) {
        0..5 => {
            let (actor, command) = of_round(table, chance);
            let (_, input) = table.round_input(actor, command);
            table.input(table.node_of(ROUND).unwrap(), input);
        }
        5..10 => {
            // Several in one batch, as when a node is busy.
            let inputs = (0..=chance.below(4)).map(|_| {
                let (actor, command) = of_cluster(chance, vouchers);
                table.cluster_input(number, actor, command).1
            });
            let inputs: Vec<_> = inputs.collect();
            table.inputs(cluster_node, inputs);
        }
        10 | 11 => {
            let seat = Seat(u32::try_from(1 + chance.below(4)).unwrap());
            table.connect(number, seat, ConnectionId(chance.below(1_000)));
        }
        12 => {
            let seat = Seat(u32::try_from(1 + chance.below(4)).unwrap());
            let gone = ClusterInput::Disconnect { seat, connection: ConnectionId(chance.below(1_000)) };
            table.input(cluster_node, Input::Cluster(number, gone));
        }
        13 => {
            if let Some(hash) = vouchers.pop() {
                let seat = Seat(u32::try_from(1 + chance.below(5)).unwrap());
                table.own(HouseCommand::RedeemAtSeat { hash, cluster: cluster(number), seat });
            }
        }
        14 => table.reads_slips = chance.below(3) > 0,
        15 => table.pass(chance.below(6_000)),
        16 => {
            let topics = vec![Topic::Public, Topic::Staff];
            let connection = ConnectionId(chance.below(1_000));
            let subscribe = RoundInput::Subscribe { topics, counted: None, connection };
            let watched = RoundInput::Watched { by_staff: chance.below(3) > 0 };
            table.inputs(table.node_of(ROUND).unwrap(), [watched, subscribe].map(Input::Round));
        }
        _ => table.pass(chance.below(800)),
    }
}

fn check(table: &Installation) {
    table.check_record();
    table.house.check().unwrap();
}

/// Once nothing fails any more the round is finished and the next one is played.
fn finish(table: &mut Installation, seed: u64) {
    table.carrier = Box::new(|_| vec![0]);
    table.mishap = Box::new(|_| None);
    table.reads_slips = true;
    table.pass(30_000);
    let is_quiet = |table: &Installation| {
        let money = |number| {
            let machine = table.machines().cluster(cluster(number)).unwrap();
            machine.outbox().count() + table.machines().house.outbox(cluster(number)).count()
        };
        table.round().is_followed() && money(0) + money(1) == 0
    };
    assert!(is_quiet(table), "seed {seed}");
    table.sent.clear();
    if table.round().is_held() {
        table.accept_round(dealer(), RoundCommand::Continue);
    }
    if table.phase() == Phase::Open {
        table.close_bets();
    }
    if table.phase() == Phase::Closed {
        table.ask_round(dealer(), RoundCommand::Activate);
        table.ask_round(dealer(), RoundCommand::Tumbled { times: 3 });
        let [_, _, commit] = throw([1, 2, 3]);
        table.accept_round(dealer(), commit);
    }
    assert!(matches!(table.phase(), Phase::Idle | Phase::Settled | Phase::Void), "seed {seed}: {:?}", table.phase());
    let retried = table.sent.iter().filter(|(_, message)| matches!(message, Message::ToHouse { .. })).count();
    assert_eq!(retried, 0, "nothing is sent that is held");
    table.seat(0, Seat(7), 1_000);
    table.play_round(Seat(7), [4, 5, 6]);
    assert_eq!(table.phase(), Phase::Settled, "seed {seed}");
    check(table);
}

fn evening(seed: u64, nodes: &[&[MachineId]]) {
    let mut chance = Random::new(seed);
    let mut table = etg(&[8, 8], nodes);
    for command in opening() {
        assert_eq!(table.ask_round(supervisor(), command).1, Some(accepted()));
    }
    let slowest = [50, 900, 4_000][usize::try_from(seed % 3).unwrap()];
    table.carrier = lossy(seed, slowest);
    let mut mishaps = chance.clone();
    table.mishap = Box::new(move |appends| {
        let appends = u64::try_from(appends).unwrap();
        mishaps.one_in(150).then(|| usize::try_from(mishaps.below(appends + 1)).unwrap())
    });
    let mut vouchers = Vec::new();
    for _ in 0..STEPS {
        step(&mut table, &mut chance, &mut vouchers);
        check(&table);
        table.left.clear();
        table.sent.clear();
    }
    finish(&mut table, seed);
}

#[test]
fn evenings_apart_end_well() {
    for seed in 0..SEEDS {
        evening(seed, APART);
    }
}

#[test]
fn evenings_together_end_well() {
    for seed in 0..SEEDS {
        evening(seed, TOGETHER);
    }
}

#[test]
fn evenings_with_one_cluster_elsewhere_end_well() {
    for seed in 0..SEEDS {
        evening(seed, MIXED);
    }
}
