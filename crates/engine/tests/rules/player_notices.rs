//! What the player of an open session is notified of and must read: kept in the record, only for that session, until it is read.

use crate::installation::{CLASSIC, ETG, TestInstallation};

const WON: &str = "fund 0 5000; dealer open; player bet 0 big 500; deal 456";

#[test]
fn a_late_change_is_kept_until_it_is_read() {
    TestInstallation::new(ETG).run(&format!(
        "{WON}; ? credits 0 = 5500; ? notices 0 = -
         supervisor correct 1 123 with manager; ? notices 0 = 1: round 1 -1000 -1000, 4500 left
         manager void-by-law 1 malfunction with shift
         ? notices 0 = 1: round 1 -1000 -1000, 4500 left, 2: round 1 500 500, 5000 left
         player read 0 1; ? notices 0 = 1: round 1 -1000 -1000, 4500 left read, 2: round 1 500 500, 5000 left
         player read 0 1 = !nothing-to-read; player read 0 3 = !nothing-to-read; player read 0 0 = !nothing-to-read
         player read 0 2; ? notices 0 = 1: round 1 -1000 -1000, 4500 left read, 2: round 1 500 500, 5000 left read"
    ));
}

/// What could not be taken is owed, and set off later: both figures are shown, and what was read is there to reckon it.
#[test]
fn a_set_off_is_shown_with_both_figures() {
    TestInstallation::new(ETG).run(
        "fund 0 500; dealer open; player bet 0 big 500; deal 456; dealer open; player bet 0 big 1000; deal 123
         supervisor correct 1 123 with manager; ? notices 0 = 1: round 1 -1000 0, 0 left",
    );
    TestInstallation::new(ETG).run(
        "fund 0 600; dealer open; player bet 0 big 500; deal 456; dealer open; player bet 0 big 1000; deal 123
         supervisor correct 1 123 with manager; ? notices 0 = 1: round 1 -1000 -100, 0 left; player read 0 1
         supervisor correct 2 456 with manager
         ? notices 0 = 1: round 1 -1000 -100, 0 left read, 2: round 2 2000 1100, 1100 left",
    );
}

/// The session of a player who has nothing left ends with the next round; the reason is shown all the same.
#[test]
fn player_with_nothing_left_gets_the_reason() {
    TestInstallation::new(ETG).run(
        "fund 0 500; dealer open; player bet 0 big 500; deal 456
         supervisor correct 1 123 with manager; ? credits 0 = 0; dealer open; ? session 0 = -
         ? notices 0 = 1: round 1 -1000 -1000, 0 left; player read 0 1; player read 0 1 = !nothing-to-read
         fund 0 700; ? notices 0 = -",
    );
}

#[test]
fn next_player_gets_no_notice_of_it() {
    for ends in ["player hand-pay 0; fund 0 700", "player voucher 0 7; fund 0 700"] {
        TestInstallation::new(ETG).run(&format!(
            "{WON}; supervisor correct 1 123 with manager; {ends}; ? notices 0 = -; player read 0 1 = !nothing-to-read"
        ));
    }
    // Nor of a round of the player before.
    TestInstallation::new(ETG)
        .run(&format!("{WON}; player hand-pay 0; fund 0 700; supervisor correct 1 123 with manager; ? notices 0 = -"));
    // At a live table the Dealer tells.
    TestInstallation::new(CLASSIC).run(&format!("{WON}; supervisor correct 1 123 with manager; ? notices 0 = -"));
}

/// A session keeps its latest hundred.
#[test]
fn a_session_keeps_a_bounded_number() {
    let mut installation = TestInstallation::new(ETG);
    installation.run(WON);
    for _ in 0..60 {
        installation.run("supervisor correct 1 123 with manager; supervisor correct 1 456 with manager");
    }
    let notices = installation.look(&["notices", "0"]);
    assert_eq!(notices.matches(" left").count(), 100, "{notices}");
    assert!(notices.starts_with("21: ") && notices.contains("120: round 1 1000 1000, 5500 left"), "{notices}");
    installation.run("player read 0 120; player read 0 1 = !nothing-to-read");
}
