//! A round of every game on every layout: the casino pays by the rules, and records it.

use std::fmt::Write as _;
use std::thread;

use serde_json::{Value, json};
use taisai_rules::{Cover, Dice, Game, Games, Layout, Money, Station, Unit};

use crate::dealing::{Dealing, buy_in, wide_limits};
use crate::house::TestCasino;
use crate::person::accepted;
use crate::random::Random;
use crate::terminal::{Terminal, place};

const STAKE: i64 = 1_000;
const CREDITS: i64 = 100_000;

fn every_layout() -> impl Iterator<Item = (u16, &'static Game, &'static Layout)> {
    let layouts = Games::embedded().iter().flat_map(|game| game.layouts().iter().map(move |layout| (game, layout)));
    (1..).zip(layouts).map(|(table, (game, layout))| (table, game, layout))
}

fn tables() -> String {
    let mut text = String::new();
    for (table, game, layout) in every_layout() {
        let places = match game.station() {
            Station::PlayerTerminals => "terminals",
            Station::LiveTable => "seats",
        };
        let (id, version, layout) = (game.id(), game.version(), layout.id());
        write!(text, "\n[[table]]\nnumber = {table}\ngame = \"{id}@{version}\"\nlayout = \"{layout}\"\n{places} = 2\n")
            .unwrap();
    }
    text
}

/// A few boxes of the layout, and what the rules pay on them.
fn bets(layout: &Layout, dice: Dice, random: &mut Random) -> (Vec<(&'static str, i64)>, i64) {
    let payouts = layout.payouts(dice, Unit::try_from(Money::from_cents(STAKE)).unwrap()).unwrap();
    let boxes = (0..12).map(|_| *random.among(layout.boxes()));
    let boxes: std::collections::BTreeSet<_> = boxes.collect();
    let paid = boxes.iter().map(|bet_box| payouts.paid(*bet_box, 1).unwrap().cents()).sum();
    (boxes.iter().map(|bet_box| (bet_box.text(), STAKE)).collect(), paid)
}

#[test]
fn payouts_of_every_game_match_the_rules() {
    let mut house = TestCasino::with(&tables());
    // Everyone signs in before the tables are played in parallel.
    for role in ["dealer", "pit-supervisor", "cashier"] {
        house.person(role);
    }
    thread::scope(|scope| {
        for (table, game, layout) in every_layout() {
            let house = &house;
            scope.spawn(move || play_at(house, table, game, layout));
        }
    });
    house.audit();
}

/// Two rounds at a table.
fn play_at(house: &TestCasino, table: u16, game: &Game, layout: &Layout) {
    let mut random = Random(table.into());
    let dealing = Dealing::with(house, table, game.limit_scope().map(wide_limits).as_ref());
    let mut terminal = (game.station() == Station::PlayerTerminals).then(|| house.terminal(table, 1));
    for _ in 0..2 {
        let faces = [0; 3].map(|_| u8::try_from(random.below(6)).unwrap() + 1);
        let dice = Dice::try_from(faces).unwrap();
        let (stakes, paid) = bets(layout, dice, &mut random);
        let staked = STAKE * i64::try_from(stakes.len()).unwrap();
        play((house, &dealing, game), terminal.as_mut(), &stakes, faces, (staked, paid));
    }
}

/// A round at seat 1 in the order of the game: tumbled before or after the bets.
fn play(
    (house, dealing, game): (&TestCasino, &Dealing, &Game),
    mut terminal: Option<&mut Terminal>,
    stakes: &[(&str, i64)],
    dice: [u8; 3],
    (staked, paid): (i64, i64),
) {
    let table = dealing.table;
    dealing.open_bets();
    if game.cover() == Cover::Covered {
        dealing.deals("activate");
        dealing.deals(json!({"tumbled": {"times": 3}}));
    }
    let before = meters(house, table);
    let mut credits = 0;
    match &mut terminal {
        Some(terminal) => {
            let had = terminal.view["credits"].as_i64().unwrap();
            buy_in(house, table, 1, CREDITS);
            credits = had + CREDITS;
            terminal.until("the credits", |terminal| terminal.view["credits"] == credits);
            accepted(&terminal.place(stakes));
            assert_eq!(terminal.view["credits"], credits - staked);
        }
        None => accepted(&dealing.dealer.cluster(table, place(1, stakes))),
    }
    match game.cover() {
        Cover::Covered => {
            dealing.deals("close-bets");
            dealing.deals(json!({"commit": {"dice": dice}}));
        }
        Cover::Open => dealing.conclude(dice),
    }
    if let Some(terminal) = terminal {
        terminal.until("what was won", |terminal| terminal.view["credits"] == credits - staked + paid);
        terminal.until("the result", |terminal| terminal.public["latest"]["dice"] == json!(dice));
    }
    let won = |meters: &Value| (meters["bet"].as_i64().unwrap(), meters["won"].as_i64().unwrap());
    let (bet, before) = (staked + won(&before).0, won(&before).1);
    let console = dealing.dealer.console(table);
    let mut now = Value::Null;
    while now.is_null() || won(&now) != (bet, before + paid) {
        let message = console.next();
        let staff = message.get("staff").or_else(|| message["snapshot"].get("staff"));
        now = staff.map_or(now, |staff| staff.get("meters").map_or(Value::Null, |meters| meters[0].clone()));
    }
}

fn meters(house: &TestCasino, table: u16) -> Value {
    house.person("dealer").console(table).next()["snapshot"]["staff"]["meters"][0].clone()
}
