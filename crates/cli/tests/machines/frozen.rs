//! A node is frozen for longer than its lease. Others take over, and it replies to nothing that it received before it knows
//! that.

use std::thread;

use serde_json::Value;

use crate::betting_players::Player;
use crate::house::{TABLE, TABLE_PARTITION, TestCasino};
use crate::play::{BETS, BettingRun, print_interruption};
use crate::socket::ReceivedFrame;
use crate::terminal::place;

const TERMINALS: u32 = 20;

/// The table as a node shows it; none if it does not answer.
fn table_view(address: std::net::SocketAddr) -> Option<Value> {
    let mut answer = crate::person::agent().get(format!("http://{address}/api/v1/tables/{TABLE}")).call().ok()?;
    if answer.status() == 200 { answer.body_mut().read_json().ok() } else { None }
}

#[test]
fn frozen_node_does_not_reply_after_its_lease_ends() {
    let own = TERMINALS + 1;
    let BettingRun { house, crowd, dealer } = BettingRun::at(TestCasino::open(own), TERMINALS, 4);
    let dealer = dealer.works();
    let device = house.enrol(own..=own).remove(0);
    let holder = house.holder(TABLE_PARTITION);
    let address = house.addresses()[holder];
    let mut terminal = device.connect(address);
    house.runtime.block_on(house.cashier().buys_in(0, own, 10_000));
    terminal
        .until("bets are open", |terminal| terminal.public["phase"] == "open" && terminal.public["is_held"] == false);
    let frozen = crowd.watch();
    house.freeze(holder);
    let bet = place(own, &[("odd", 100)]);
    let late = terminal.send(&bet);
    let request = thread::spawn(move || table_view(address));
    print_interruption("the table's machine, frozen", crowd.first_bet(frozen));
    let other = house.other_holder(TABLE_PARTITION, holder);
    crowd.bets(BETS);
    let known = table_view(house.addresses()[other]).unwrap();
    house.thaw(holder);
    while let ReceivedFrame::Json(message) = terminal.socket.receive() {
        // Commands received before the freeze get a message without replies.
        assert!(message["answers"].as_array().is_none_or(Vec::is_empty), "it answers: {message}");
    }
    if let Some(view) = request.join().unwrap() {
        assert!(view["round"].as_u64() >= known["round"].as_u64(), "it shows an older state: {view}");
    }
    house.wait_until_all_partitions_are_held();
    // Repeated under its number, the command gets its final reply.
    let mut player = Player::new(&house, device);
    house.runtime.block_on(player.bets_as(late, &bet));
    crowd.bets(BETS);
    BettingRun { house, crowd, dealer: dealer.rests() }.ends_with(vec![player]);
}
