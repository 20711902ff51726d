//! The dealer's side, line by line of the table in section 4: opening, limits, closing, tumbling and the result, and
//! who may do what. What voids a round, and what changes one that is over, is in `irregular`.

use taisai_table::{BetsCloser, Profile};

use crate::cluster::LIVE;
use crate::installation::{CLASSIC, ETG, GAMES, OPEN_COVER, TAI_SAI, TestInstallation};

pub(crate) const COVERED: [&str; 2] = [CLASSIC, TAI_SAI];
pub(crate) const OPEN: [&str; 2] = [OPEN_COVER, ETG];
pub(crate) const LIMITED: [&str; 3] = [TAI_SAI, OPEN_COVER, ETG];

/// Games, and a script for a table that is ready for its first round.
pub(crate) type Rows<'a> = &'a [(&'a [&'static str], &'a str)];

pub(crate) fn check(rows: Rows) {
    for (games, script) in rows {
        for game in *games {
            TestInstallation::for_script(game, script).run(script);
        }
    }
}

fn check_shut(rows: Rows) {
    for (games, script) in rows {
        for game in *games {
            TestInstallation::shut(game, "A", &Profile::singapore()).run(script);
        }
    }
}

/// Limits before the first round (3.2, 3.3), rules in force, who acts (1.5).
#[test]
fn a_table_opens() {
    check_shut(&[
        (&GAMES, "? phase = shut; supervisor open-table = table-opened; ? phase = idle; ? round = 0"),
        (&GAMES, "manager open-table; manager open-table = !table-open"),
        (
            &GAMES,
            "dealer open-table = !not-allowed; system open-table = !not-allowed; auditor open-table = !not-allowed",
        ),
        (&GAMES, "supervisor relieve dealer dealer; dealer open = !table-not-open; dealer activate = !table-not-open"),
        (&GAMES, "supervisor announce = !table-not-open; supervisor close-table = !table-not-open"),
        (&LIMITED, "supervisor open-table; supervisor relieve dealer dealer; dealer open = !limits-not-shown"),
        (&[CLASSIC], "supervisor open-table; supervisor relieve dealer dealer; dealer open = bets-opened"),
        (&LIMITED, "supervisor limits unit=100; supervisor open-table; supervisor relieve dealer dealer; dealer open"),
    ]);
}

/// F15, and "Table closing": announced, between rounds, Colour Chips redeemed; what was played can still be put right.
#[test]
fn a_table_closes() {
    check(&[
        (&GAMES, "supervisor close-table = !closure-not-announced; dealer announce = !not-allowed"),
        (
            &GAMES,
            "supervisor announce = closure-announced; round 123; supervisor close-table = table-closed; ? phase = shut",
        ),
        (
            &GAMES,
            "supervisor announce; dealer open; supervisor close-table = !round-in-play; deal 123; manager close-table",
        ),
        (&GAMES, "supervisor announce; dealer open; dealer interrupt; ? phase = void; supervisor close-table"),
        // Announced before the last round, not after it; a table without a round closes at once.
        (
            &GAMES,
            "round 123; supervisor announce; supervisor close-table = !closure-not-announced; supervisor announce
             round 456
             supervisor close-table",
        ),
        (
            &GAMES,
            "dealer open; supervisor announce; deal 123; supervisor close-table = !closure-not-announced
             round 456; supervisor close-table",
        ),
        (
            &GAMES,
            "supervisor announce; supervisor close-table; supervisor open-table; supervisor announce
             supervisor close-table",
        ),
        (
            &GAMES,
            "supervisor announce; round 123; supervisor close-table; dealer open = !table-not-open
             supervisor open-table; ? phase = idle; supervisor close-table = !closure-not-announced
             dealer open; ? round = 2",
        ),
        (
            &GAMES,
            "supervisor announce; round 123; supervisor correct 1 456 with manager; supervisor close-table
             ? past 1 = 456 123 - 7 9 1
             supervisor void-damaged 1 1 with manager; ? past 1 = 456 123 damaged-dice 7 9 1; ? phase = shut",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; supervisor announce; round 123; supervisor close-table = !not-cleared
             dealer redeem 0; supervisor close-table = table-closed",
        ),
    ]);
}

/// 3.3, 3.4, F53: limits change between rounds only, and must fit the game.
#[test]
fn limits_are_on_display() {
    check(&[
        (&GAMES, "dealer limits unit=100 = !not-allowed; dealer open; supervisor limits unit=100 = !round-in-play"),
        (
            &GAMES,
            "dealer open; dealer close; supervisor limits unit=200 = !round-in-play; throw 123
             manager limits unit=200",
        ),
        (&GAMES, "round 123; ? unit = 100; manager limits unit=200 = limits-shown; ? unit = 200"),
        (&[CLASSIC], "supervisor limits unit=100 big=100..500 = !bad-limits"),
        (&[CLASSIC, ETG], "supervisor limits unit=100 diff=500 = !bad-limits"),
        (&LIMITED, "supervisor limits unit=100 big=600..500 = !bad-limits"),
        (
            &LIMITED,
            "supervisor limits unit=100 big=150.. = !bad-limits; manager limits unit=100 big=..150 = !bad-limits",
        ),
        (&GAMES, "supervisor limits unit=0 = !bad-limits; supervisor limits unit=-100 = !bad-limits"),
        // On terminals a half to one on an odd number of cents is no whole cent.
        (&[ETG], "supervisor limits unit=101 = !bad-limits; supervisor limits unit=102 = limits-shown"),
        (&[TAI_SAI, OPEN_COVER], "supervisor limits unit=101 = limits-shown"),
        // Every cluster holds the limits before a round opens under them.
        (&LIMITED, "quiet; supervisor limits unit=200; dealer open = !round-in-play; carry; dealer open"),
    ]);
}

/// The phases in their order: Idle, Open, Closing, Closed, Result, Settled. Closed never reopens; the next round waits
/// for Settled or Void, and for the clusters.
#[test]
fn a_round_goes_through_its_phases() {
    check(&[
        (
            &GAMES,
            "quiet; dealer open = bets-opened; ? phase = open; ? round = 1; ? betting = idle; carry-one
             ? betting = open
             dealer close = bets-closed; ? phase = closing; dealer open = !round-in-play; dealer close = !bets-closed
             carry-one; ? phase = closing; ? betting = closed; dealer commit 123 = !bets-not-closed
             carry-one; ? phase = closed
             dealer close = !bets-closed; dealer open = !round-in-play; dealer activate; dealer tumbled 3
             dealer commit 123 = committed; ? phase = result; dealer open = !round-in-play; ? betting = closed
             carry-one; ? betting = idle; ? phase = result; dealer open = !round-in-play
             carry-one; ? phase = settled; dealer open; ? round = 2",
        ),
        (
            &GAMES,
            "dealer close = !no-round-open; dealer commit 123 = !no-round-open
             dealer tumbled 3 = !no-round-open",
        ),
        (
            &GAMES,
            "round 123; dealer close = !no-round-open; dealer commit 456 = !no-round-open
             ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &GAMES,
            "quiet; dealer open; carry-one; dealer close; carry-one; carry-one; dealer activate; dealer tumbled 3
             dealer commit 123; dealer commit 456 = !result-committed; dealer interrupt = !result-committed
             dealer void not-flat = !result-committed; dealer tumbled 1 = !result-committed; ? phase = result
             system restarted = !not-held; carry; ? phase = settled",
        ),
        // The next round opens only when every cluster holds the void of the last one.
        (
            &GAMES,
            "quiet; dealer open; dealer interrupt; ? phase = void; dealer open = !round-in-play; carry
             dealer open",
        ),
    ]);
}

/// F02, F03: the countdown, and who closes at its end. A held round is not closed by the tick.
#[test]
fn the_tick_closes_where_the_profile_says_so() {
    for (closes, script) in [
        (BetsCloser::Dealer, "dealer open; ? closes = 36; wait 36; system tick = !not-due; ? phase = open"),
        (
            BetsCloser::Tick,
            "dealer open; ? closes = 36; wait 35; system tick = !not-due; wait 1; system tick = bets-closed",
        ),
        (BetsCloser::Tick, "dealer open; wait 99; system tick = bets-closed"),
        // Whoever else says that it is time is refused; the partition itself looks at the clock with every command.
        (BetsCloser::Tick, "dealer open; wait 99; dealer tick = !not-allowed; ? phase = closed"),
        (
            BetsCloser::Tick,
            "dealer open; wait 99; tumbler9 tick = !not-allowed; ? phase = closed; system tick = !no-round-open",
        ),
        (BetsCloser::Tick, "dealer open; wait 5; dealer close; wait 99; system tick = !no-round-open; ? closes = -"),
        (BetsCloser::Tick, "system tick = !no-round-open; round 123; system tick = !no-round-open"),
        (
            BetsCloser::Tick,
            "dealer open; wait 30; system restarted; wait 30; system tick = !not-due; ? phase = open; dealer continue
             ? closes = 96; wait 35; system tick = !not-due; wait 1; system tick = bets-closed; ? phase = closed",
        ),
    ] {
        TestInstallation::ready(ETG, "A", &Profile { closes, ..Profile::singapore() }).run(script);
    }
    // 3.6: at a live table the Dealer's word alone closes, whatever the profile says.
    for game in LIVE {
        let mut installation =
            TestInstallation::ready(game, "A", &Profile { closes: BetsCloser::Tick, ..Profile::singapore() });
        installation
            .run("dealer open; wait 99; system tick = !not-due; ? phase = open; dealer close; ? phase = closed");
    }
}

/// 3.7 of Tai Sai, 3.6 of the terminals, 3.4 of the early edition: at least three tumbles; before the close only under
/// a cover. 3.8 and its like: three flat dice give the result.
#[test]
fn dice_are_tumbled_and_read() {
    check(&[
        (
            &COVERED,
            "dealer open; dealer activate = activated; dealer tumbled 3 = tumbled; dealer close
             dealer commit 123",
        ),
        (
            &COVERED,
            "dealer open; dealer activate; dealer tumbled 3; dealer commit 123 = !bets-not-closed
             ? phase = open",
        ),
        (
            &GAMES,
            "dealer open; dealer close; tumbler9 activate = activated; tumbler9 tumbled 2; ? tumbles = 2
             dealer commit 123 = !not-tumbled; tumbler9 tumbled 1; ? tumbles = 3; dealer commit 123 = committed",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer commit 123 = !not-tumbled; dealer rest 123 = !not-tumbled
             dealer tumbled 3 = !not-tumbled; ? tumbles = -; dealer activate; dealer commit 123 = !not-tumbled",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer activate = !already-tumbled
             dealer tumbled 0 = !bad-amount
             dealer tumbled 200; dealer tumbled 56 = !bad-amount; ? tumbles = 200",
        ),
        // A tumble in no round belongs to none.
        (
            &GAMES,
            "dealer activate = activated-in-no-round; dealer open; ? tumbles = -; ? phase = open; deal 123
             tumbler9 activate = activated-in-no-round; ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &[ETG],
            "quiet; dealer open; carry-one; dealer close; dealer activate = voided activated-early; carry; ? betting = idle",
        ),
        // At a live table the announcement is the close: an activation after it is lawful.
        (&LIVE, "quiet; dealer open; carry-one; dealer close; dealer activate = activated; carry; ? phase = closed"),
        // 5.5.1: dice that lie still are not tumbled again.
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 2; tumbler9 rest 123; tumbler9 tumbled 1 = !already-tumbled
             dealer commit 123 = !not-tumbled; dealer void few-tumbles",
        ),
        // Nor where nobody may know how they lie: the reading holds no faces, and comes again after the close.
        (
            &COVERED,
            "dealer open; dealer cover = covered; dealer activate; dealer tumbled 3; tumbler9 rest 123 = !dice-concealed
             ? faces = -; tumbler9 tumbled 1 = !already-tumbled; dealer commit 123 = !bets-not-closed; dealer close
             dealer uncover = uncovered; tumbler9 rest 123; ? faces = 123; dealer commit 123",
        ),
        (
            &COVERED,
            "dealer open; dealer uncover = uncovered; dealer activate; dealer tumbled 3; dealer uncover = voided exposed",
        ),
        (&OPEN, "dealer open; dealer cover = !not-in-game; dealer uncover = !not-in-game"),
        (
            &COVERED,
            "quiet; dealer open; carry-one; dealer close; dealer activate = activated; dealer tumbled 3
             dealer commit 123 = !bets-not-closed; carry; dealer commit 123",
        ),
        // A tumbler that is not in use, and others who may not tumble.
        (
            &GAMES,
            "dealer open; dealer close; tumbler8 activate = !not-allowed; t0 activate = !not-allowed
             system activate = !not-allowed; supervisor activate = !not-allowed; dealer2 activate = !not-acting",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; tumbler8 rest 123 = !not-allowed
             ? faces = -; tumbler9 rest 321 = at-rest; ? faces = 321; dealer commit 123 = committed
             ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; tumbler9 rest 124
             dealer commit 123 = committed differs",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; tumbler9 commit 123 = !not-allowed
             system commit 123 = !not-allowed; dealer commit 666; ? phase = settled",
        ),
        // Dice and tumbler change between rounds, and every round records its own.
        (
            &GAMES,
            "round 123; dealer use-dice 8 = !not-allowed; supervisor use-dice 8 = dice-in-use
             supervisor use-tumbler 5
             dealer open; supervisor use-dice 9 = !round-in-play; supervisor use-tumbler 9 = !round-in-play
             dealer close; dealer activate; tumbler9 tumbled 3 = !not-allowed; tumbler5 tumbled 3
             dealer commit 456
             ? past 1 = 123 123 - 7 9 1; ? past 2 = 456 456 - 8 5 1",
        ),
    ]);
}

/// Acting roles, relief included (1.5).
#[test]
fn whoever_holds_the_position_acts() {
    check(&[
        (
            &GAMES,
            "? holder dealer = 1; ? holder supervisor = -; dealer2 open = !not-acting; dealer open
             dealer relieve dealer dealer2 = !not-allowed; supervisor relieve dealer dealer2 = relieved
             ? holder dealer = 2
             dealer close = !not-acting; dealer2 close; dealer2 activate; dealer2 tumbled 3
             dealer commit 123 = !not-acting
             dealer2 commit 123; ? past 1 = 123 123 - 7 9 2",
        ),
        (&GAMES, "supervisor relieve dealer nobody; ? holder dealer = -; dealer open = !not-acting"),
        (
            &GAMES,
            "shift relieve supervisor supervisor2; ? holder supervisor = 4; casino relieve manager manager
             ? holder manager = 5",
        ),
        (
            &GAMES,
            "supervisor open = !not-allowed; auditor open = !not-allowed; administrator open = !not-allowed
             cashier close = !not-allowed; t0 open = !not-allowed; system open = !not-allowed
             all open = !not-acting",
        ),
    ]);
}
