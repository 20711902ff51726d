//! The pay list of the round that was settled last: what was given, by the Dealer's ticks, when the round is corrected or void.

use crate::cluster::LIVE;
use crate::installation::{CLASSIC, TAI_SAI, TestInstallation};

/// The same steps, whichever way bets are registered. `bet 0 big 500` is placed before the close, or registered after the dice.
fn both(game: &'static str, bets: &[&str], script: &str) {
    let placed: Vec<_> = bets.iter().map(|bet| format!("player {bet}")).collect();
    TestInstallation::new(game).run(&format!("dealer open; {}; deal 456; {script}", placed.join("; ")));
    let registered: Vec<_> = bets.iter().map(|bet| format!("dealer {}", bet.replace("bet", "register"))).collect();
    TestInstallation::winners(game).run(&format!("round 456; {}; dealer registered; {script}", registered.join("; ")));
}

/// 5.3: what a player who walked away gets is kept as a claim and nothing else.
#[test]
fn a_player_who_walked_away_is_not_paid_twice() {
    for game in LIVE {
        let mut every = TestInstallation::new(game);
        every.run("dealer open; player bet 0 big 500; player bet 1 big 300; dealer walk 0; deal 456");
        let mut winners = TestInstallation::winners(game);
        winners.run("round 456; dealer register 0 big 500; dealer register 1 big 300; dealer walk 0; ? pay 0 = claim");
        winners.run("? pay 1 = 600; dealer registered");
        for mut installation in [every, winners] {
            installation.run(
                "? claims = 0/1 1000 walked-away 1; ? pay 0 = claim; ? pay 1 = 600; dealer tick 0 = !not-on-pay-list",
            );
            installation.run(
                "dealer untick 0 = !not-on-pay-list; dealer tick 1; shift rule void 1 with manager; ? pay 0 = claim",
            );
            installation.run("? claims = 0/1 500 walked-away 1");
        }
    }
}

/// 3.9, 5.12: a seat that was not ticked off has been given nothing, so the pay list gives what the round comes to now.
#[test]
fn a_seat_that_was_given_nothing_neither_owes_nor_waits() {
    for game in LIVE {
        let bets = ["bet 0 big 500", "bet 1 single:4 200"];
        both(game, &bets, "? pay 0 = 1000; shift rule void 1 with manager; ? pay 0 = 500; ? owed = -; ? claims = -");
        both(
            game,
            &bets,
            "supervisor correct 1 123 with manager; ? pay 0 = 0; ? pay 1 = 0; ? owed = -; ? claims = -
             supervisor correct 1 446 with manager; ? pay 0 = 1000; ? pay 1 = 600; ? owed = -; ? claims = -
             supervisor void-by-law 1 force-majeure with manager; ? pay 0 = 500; ? owed = -; ? claims = -; ? house = 0; ? chips = 0",
        );
    }
}

/// When the next round opens, the table closes or the player leaves, the chips count as given.
#[test]
fn chips_count_as_given_when_the_round_is_left_behind() {
    let bets = ["bet 0 big 500"];
    both(TAI_SAI, &bets, "dealer open; shift rule void 1 with manager; ? owed = 0/1 500 round 1");
    both(
        TAI_SAI,
        &bets,
        "dealer leave 0; ? pay 0 = 1000 given 1000 house 0; dealer untick 0 = !given-stands
         shift rule void 1 with manager; ? owed = 0/1 500 round 1; ? pay 0 = 500 given 1000 house -500",
    );
    TestInstallation::new(TAI_SAI).run(
        "supervisor announce; dealer open; player bet 0 big 500; deal 456; supervisor close-table; ? pay 0 = 1000 given 1000 house 0
         shift rule void 1 with manager; ? owed = 0/1 500 round 1; ? pay 0 = 500 given 1000 house -500",
    );
    both(TAI_SAI, &bets, "dealer walk 0; ? claims = -; ? pay 0 = 1000 given 1000 house 0");
}

/// 3.9: a seat that was ticked off and gets more is given the difference; ticked off again, it has it.
#[test]
fn a_seat_that_gets_more_is_given_the_rest() {
    for game in LIVE {
        both(
            game,
            &["bet 0 single:4 200"],
            "? pay 0 = 400; dealer tick 0; supervisor correct 1 446 with manager; ? pay 0 = 600 given 400 house 0; ? claims = -
             dealer tick 0; ? pay 0 = 600 given 600 house 0; dealer untick 0; ? pay 0 = 600; dealer tick 0
             shift rule void 1 with manager; ? pay 0 = 200 given 600 house -400; ? owed = 0/1 400 round 1",
        );
        // What was not given of it is not taken back.
        both(
            game,
            &["bet 0 single:4 200"],
            "dealer tick 0; supervisor correct 1 446 with manager; ? chips = 400; shift rule void 1 with manager
             ? pay 0 = 200 given 400 house -200; ? owed = 0/1 200 round 1; ? chips = 200",
        );
    }
}

/// A seat that was given too much owes it, and what it owes is set off when it gets more again.
#[test]
fn a_seat_that_was_given_too_much_owes_it() {
    for game in LIVE {
        both(
            game,
            &["bet 0 single:4 200"],
            "dealer tick 0; supervisor correct 1 123 with manager; ? pay 0 = 0 given 400 house -400; ? owed = 0/1 400 round 1
             dealer untick 0 = !given-stands; supervisor correct 1 446 with manager; ? pay 0 = 600 given 400 house 0; ? owed = -
             ? claims = -; dealer tick 0; ? pay 0 = 600 given 600 house 0",
        );
        // What the session owes for an earlier round is set off: only the rest is given.
        both(
            game,
            &["bet 0 big 500"],
            "dealer tick 0; dealer open; shift rule void 1 with manager; ? owed = 0/1 500 round 1; ? pay 0 = -",
        );
    }
    let mut installation = TestInstallation::new(TAI_SAI);
    installation.run("dealer open; player bet 0 big 500; deal 456; dealer tick 0; dealer open; player bet 0 single:4 200; player bet 1 single:4 200");
    installation.run("deal 124; shift rule void 1 with manager; ? owed = 0/1 500 round 1; dealer tick 0");
    installation.run("supervisor correct 2 144 with manager; ? owed = 0/1 300 round 1; ? pay 0 = 600 given 400 house 200; ? pay 1 = 600");
    // A seat that was given nothing has nothing set off.
    installation.run("dealer open; player bet 0 single:4 200; deal 124; supervisor correct 3 144 with manager; ? owed = 0/1 300 round 1; ? pay 0 = 600");
}

/// Colour Chips that were not given are taken out of the set again.
#[test]
fn colour_chips_that_were_not_given_are_no_part_of_the_set() {
    let mut installation = TestInstallation::new(CLASSIC);
    installation
        .run("dealer issue 0 1 100 10; dealer open; player bet-colour 0 big 500; player bet 0 small 300; deal 456");
    installation
        .run("? colour 0 = 1 100 1500; supervisor correct 1 123 with manager; ? colour 0 = 1 100 500; ? pay 0 = 600");
    installation.run(
        "? owed = -; ? claims = -; shift rule void 1 with manager; ? colour 0 = 1 100 1000; ? pay 0 = 800; ? house = 0",
    );
    // Redeemed, they had been given as cash chips; a new set is not touched.
    installation.run("dealer open; player bet-colour 0 big 500; deal 456; dealer redeem 0; dealer issue 0 1 100 2; ? colour 0 = 1 100 200");
    installation.run("supervisor correct 2 123 with manager; ? colour 0 = 1 100 0; ? owed = -");
}
