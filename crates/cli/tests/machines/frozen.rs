//! A machine stands still for longer than its lease and goes on: others play on meanwhile, and what it was asked before it knows
//! of that it does not answer.

use std::thread;

use serde_json::Value;

use crate::crowd::Player;
use crate::house::{House, TABLE, THE_TABLE};
use crate::play::{BETS, Play, tell};
use crate::socket::Heard;
use crate::terminal::place;

const TERMINALS: u32 = 20;

/// The table as a machine shows it, if it does.
fn shown(door: std::net::SocketAddr) -> Option<Value> {
    let mut answer = crate::person::agent().get(format!("http://{door}/api/v1/tables/{TABLE}")).call().ok()?;
    if answer.status() == 200 { answer.body_mut().read_json().ok() } else { None }
}

#[test]
fn what_it_is_asked_meanwhile_it_does_not_answer() {
    let own = TERMINALS + 1;
    let Play { house, crowd, dealer } = Play::at(House::open(own), TERMINALS, 4);
    let dealer = dealer.works();
    let device = house.enrol(own..=own).remove(0);
    let holder = house.holder(THE_TABLE);
    let door = house.doors()[holder];
    let mut terminal = device.connect(door);
    house.runtime.block_on(house.cashier().buys_in(0, own, 10_000));
    terminal
        .until("bets are open", |terminal| terminal.public["phase"] == "open" && terminal.public["is_held"] == false);
    let frozen = crowd.watch();
    house.freeze(holder);
    let bet = place(own, &[("odd", 100)]);
    let late = terminal.send(&bet);
    let look = thread::spawn(move || shown(door));
    tell("the table's machine, frozen", crowd.first_bet(frozen));
    let other = house.other_holder(THE_TABLE, holder);
    crowd.bets(BETS);
    let known = shown(house.doors()[other]).unwrap();
    house.thaw(holder);
    while let Heard::Said(message) = terminal.socket.heard() {
        // What came in for the seat before it was frozen is told with no answer in it.
        assert!(message["answers"].as_array().is_none_or(Vec::is_empty), "it answers: {message}");
    }
    if let Some(told) = look.join().unwrap() {
        assert!(told["round"].as_u64() >= known["round"].as_u64(), "it shows what was: {told}");
    }
    house.until_whole();
    // Asked again under its number, it is answered once and for all.
    let mut player = Player::new(&house, device);
    house.runtime.block_on(player.bets_as(late, &bet));
    crowd.bets(BETS);
    Play { house, crowd, dealer: dealer.rests() }.ends_with(vec![player]);
}
