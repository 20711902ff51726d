//! Money between clusters and the House, over a network that loses, repeats and reorders: every transfer arrives once.

use taisai_engine::{CallerId, Effect, HouseInput, Input, Message, VoucherFate};
use taisai_rules::Money;
use taisai_table::{CashOut, ClusterCommand, HouseCommand, MachineId, Seat, VoucherHash, VoucherNumber};

use crate::installation::{FIRST, Installation, ROUND, cluster, etg, with_house};
use crate::network::lossy;
use crate::play::{cashier, cents, terminal};

const SEAT: Seat = Seat(3);

/// How long anything may take on a network that loses.
const LONG: u64 = 120_000;

const fn hash(number: u8) -> VoucherHash {
    VoucherHash([number; 32])
}

fn cash_out(table: &mut Installation, seat: Seat, number: u8) {
    let voucher = CashOut::Voucher(VoucherNumber { hash: hash(number), digits: 7 });
    table.accept_cluster(0, terminal(seat), ClusterCommand::CashOut { seat, to: voucher });
}

fn await_voucher(table: &mut Installation, number: u8, caller: u64) {
    let input = HouseInput::AwaitVoucher { hash: hash(number), caller: CallerId(caller) };
    table.input(table.node_of(MachineId::House).unwrap(), Input::House(input));
}

fn fates(table: &mut Installation) -> Vec<(u64, VoucherFate)> {
    let fate = |effect| match effect {
        Effect::Voucher(CallerId(caller), fate) => Some((caller, fate)),
        _ => None,
    };
    table.take_left().into_iter().filter_map(fate).collect()
}

fn check(table: &Installation) {
    table.house.check().unwrap();
    table.check_record();
}

fn is_quiet(table: &Installation) -> bool {
    let out = table.cluster(0).outbox().count();
    out + table.machines().house.outbox(cluster(0)).count() == 0
}

#[test]
fn vouchers_go_to_the_house_and_come_back_once_over_a_lossy_network() {
    for seed in 0..20 {
        let mut table = with_house();
        table.open_table();
        table.seat(0, SEAT, 10_000);
        table.carrier = lossy(seed, 1_500);
        for number in 1..=5 {
            cash_out(&mut table, SEAT, number);
            await_voucher(&mut table, number, number.into());
            for _ in 0..120 {
                table.pass(1_000);
                check(&table);
            }
            let [(caller, VoucherFate::Voucher(voucher))] = fates(&mut table)[..] else { panic!("seed {seed}") };
            assert_eq!((caller, voucher.amount), (number.into(), cents(10_000)));
            await_voucher(&mut table, number, 99);
            assert_eq!(fates(&mut table), [(99, VoucherFate::Voucher(voucher))], "whoever comes later gets it at once");
            table.own(HouseCommand::RedeemAtSeat { hash: hash(number), cluster: cluster(0), seat: SEAT });
            table.pass(LONG);
            check(&table);
            assert_eq!(table.cluster(0).credits(SEAT), cents(10_000), "seed {seed}");
            assert!(is_quiet(&table), "seed {seed}");
        }
    }
}

/// Each message of a whole exchange once more, in order and backwards: no machine that has it gets a command.
#[test]
fn repeated_transfers_and_acknowledgements_are_not_recorded() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    for number in [1, 2] {
        cash_out(&mut table, SEAT, number);
        table.own(HouseCommand::RedeemAtSeat { hash: hash(number), cluster: cluster(0), seat: SEAT });
    }
    table.pass(10_000);
    let everything = table.take_sent();
    let entries = table.house.record.len();
    for message in everything.iter().rev().chain(&everything) {
        table.deliver(message.clone());
        assert_eq!(table.house.record.len(), entries, "{message:?}");
    }
    check(&table);
}

/// The House has sent the first again, and the second is under way.
#[test]
fn an_old_acknowledgement_does_not_stand_for_the_next_transfer() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    cash_out(&mut table, SEAT, 1);
    assert!(is_quiet(&table));
    table.carrier = Box::new(|_| vec![]);
    table.seat(0, SEAT, 500);
    cash_out(&mut table, SEAT, 2);
    let entries = table.house.record.len();
    table.deliver(Message::HouseHolds { cluster: cluster(0), number: 1 });
    assert_eq!((table.house.record.len(), is_quiet(&table)), (entries, false));
    table.carrier = Box::new(|_| vec![0]);
    table.pass(1_000);
    assert!(is_quiet(&table));
    check(&table);
}

/// The second arrives before the first: no refusal is recorded, and it is taken when it is sent again.
#[test]
fn overtaking_transfers_are_not_recorded() {
    let mut table = with_house();
    table.open_table();
    for number in [1, 2] {
        table.seat(0, SEAT, 10_000);
        cash_out(&mut table, SEAT, number);
    }
    table.carrier = Box::new(|_| vec![]);
    table.sent.clear();
    for number in [3, 4] {
        table.seat(0, SEAT, 500);
        cash_out(&mut table, SEAT, number);
        table.own(HouseCommand::RedeemAtSeat { hash: hash(number - 2), cluster: cluster(0), seat: SEAT });
    }
    let entries = table.house.record.len();
    let overtaking = table.take_sent().into_iter().filter(|message| match message {
        Message::ToHouse { transfer, .. } => transfer.number == 4,
        Message::ToCluster { transfer, .. } => transfer.number == 2,
        _ => false,
    });
    let overtaking: Vec<_> = overtaking.collect();
    assert_eq!(overtaking.len(), 2, "{overtaking:?}");
    for message in overtaking {
        table.deliver(message.clone());
        assert_eq!(table.house.record.len(), entries, "{message:?}");
    }
    table.carrier = Box::new(|_| vec![0]);
    table.pass(10_000);
    assert!(is_quiet(&table));
    assert_eq!(table.cluster(0).credits(SEAT), cents(20_000));
    check(&table);
}

/// Many at once: each cluster's transfers arrive in their order.
#[test]
fn transfers_of_many_seats_arrive_over_a_lossy_network() {
    for seed in 0..10 {
        let mut table = with_house();
        table.open_table();
        table.carrier = lossy(seed, 3_000);
        for seat in 1..8 {
            table.seat(0, Seat(seat), 1_000);
            cash_out(&mut table, Seat(seat), u8::try_from(seat).unwrap());
        }
        table.pass(LONG);
        check(&table);
        assert!(is_quiet(&table), "seed {seed}");
        for seat in 1..8 {
            let voucher = table.machines().house.voucher(hash(seat)).unwrap();
            assert_eq!(voucher.amount, cents(1_000));
        }
        assert_eq!(table.machines().house.received(cluster(0)), 7);
    }
}

#[test]
fn a_transfer_is_sent_again_after_a_second_until_the_house_holds_it() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table.pass(10_000);
    table.carrier = Box::new(|_| vec![]);
    table.sent.clear();
    cash_out(&mut table, SEAT, 1);
    let sends = |table: &mut Installation| {
        table.take_sent().into_iter().filter(|message| matches!(message, Message::ToHouse { .. })).count()
    };
    assert_eq!(sends(&mut table), 1);
    table.pass(999);
    assert_eq!(sends(&mut table), 0);
    table.pass(1);
    assert_eq!(sends(&mut table), 1);
    table.carrier = Box::new(|_| vec![0]);
    table.pass(1_000);
    assert_eq!((sends(&mut table), is_quiet(&table)), (1, true));
    table.seat(0, SEAT, 500);
    table.pass(700);
    table.carrier = Box::new(|_| vec![]);
    cash_out(&mut table, SEAT, 2);
    table.pass(999);
    assert_eq!(sends(&mut table), 1, "what is held does not hasten it");
    table.pass(1);
    assert_eq!(sends(&mut table), 1);
}

/// Nothing is lost or doubled where either side stops between any two messages.
#[test]
fn transfers_survive_restarts_of_either_side() {
    for seed in 0..20 {
        let mut table = with_house();
        table.open_table();
        table.seat(0, SEAT, 10_000);
        table.carrier = lossy(seed, 1_000);
        cash_out(&mut table, SEAT, 1);
        for second in 0..60 {
            table.pass(700);
            if second % 3 == seed % 3 {
                let node = usize::try_from(second % 2).unwrap();
                table.restart(node);
            }
            check(&table);
        }
        table.own(HouseCommand::RedeemAtSeat { hash: hash(1), cluster: cluster(0), seat: SEAT });
        for second in 0..60 {
            table.pass(700);
            if second % 3 == 0 {
                let node = usize::try_from(second % 2).unwrap();
                table.restart(node);
            }
            check(&table);
        }
        table.pass(LONG);
        let credits = table.cluster(0).credits(SEAT);
        let claims: i64 = table.machines().house.claims().map(|(_, claim)| claim.amount.cents()).sum();
        assert_eq!(credits.cents() + claims, 10_000, "a terminal that is lost cannot take it: then it is a claim");
        assert!(is_quiet(&table), "seed {seed}");
    }
}

/// The House shows the cluster what the player has there, and the terminal is shown it.
#[test]
fn the_money_of_a_seat_is_shown_at_its_terminal() {
    let mut table = with_house();
    table.open_table();
    table.seat(0, SEAT, 10_000);
    table.left.clear();
    table.accept_cluster(0, terminal(SEAT), ClusterCommand::CashOut { seat: SEAT, to: CashOut::HandPay });
    let screen_changes = crate::play::changes(table.take_left());
    let Some(taisai_engine::ScreenChange::Seat(seat)) = screen_changes.last() else { panic!("{screen_changes:?}") };
    assert_eq!(crate::play::json(&seat.view)["money"]["claims"][0]["amount"], 10_000);
    table.pass(60_000);
    assert_eq!(crate::play::changes(table.take_left()), [], "it is sent more often than it changes");
}

/// Two clusters have each its own transfers.
#[test]
fn each_cluster_counts_its_own_transfers() {
    let mut table = etg(&[8, 8], &[&[MachineId::House], &[ROUND, FIRST, MachineId::Cluster(cluster(1))]]);
    table.open_table();
    for number in [0, 1] {
        table.seat(number, SEAT, 1_000);
        let hand_pay = ClusterCommand::CashOut { seat: SEAT, to: CashOut::HandPay };
        table.accept_cluster(number, terminal(SEAT), hand_pay);
        table.accept_cluster(number, cashier(), crate::play::buy_in(SEAT, 500));
    }
    let house = &table.machines().house;
    assert_eq!([0, 1].map(|number| house.received(cluster(number))), [1, 1]);
    assert_eq!(house.claims().count(), 2);
    assert_ne!(table.cluster(1).credits(SEAT), Money::ZERO);
}
