//! Buy-ins by a person: a receipt for each, and the last one of an open session is reversed by two people, once, with free credits.

use taisai_table::Profile;

use crate::installation::{CLASSIC, ETG, TestInstallation};

const WRONG: &str = "the wrong seat with manager";

#[test]
fn every_buy_in_has_a_receipt_of_its_own() {
    TestInstallation::new(ETG).run(
        "cashier cash 0 5000 = bought-in; ? buy-in 0 = 1 5000 by 10; cashier cash 1 700; ? buy-in 1 = 2 700 by 10
         attendant cash 0 300; ? buy-in 0 = 3 300 by 9; ? buy-in 2 = -
         player hand-pay 0; ? buy-in 0 = -; cashier cash 0 100; ? buy-in 0 = 4 100 by 10",
    );
    // Notes have a stacker, and Colour Chips lie on the table: neither has a receipt here.
    TestInstallation::ready(ETG, "A", &Profile::training()).run("n0 note 0 1000; ? buy-in 0 = -");
    TestInstallation::new(CLASSIC).run("dealer issue 0 1 500 2; ? buy-in 0 = -");
}

/// The cash goes back: ledger, credits and meters are what they were.
#[test]
fn a_buy_in_is_reversed_once() {
    TestInstallation::new(ETG).run(&format!(
        "cashier cash 0 5000; cashier cash 0 700; ? cash = -5700; ? meters 0 = 5700 0 0 0 0 0 0
         cashier reverse 0 1 {WRONG} = !unknown-buy-in
         cashier reverse 0 2 {WRONG} = buy-in-reversed
         ? cash = -5000; ? credits 0 = 5000; ? meters 0 = 5000 0 0 0 0 0 0; ? meters = 5000 0 0 0 0 0 0
         ? buy-in 0 = 2 700 by 10 reversed; ? notices 0 = 1: receipt 2 700, 5000 left
         cashier reverse 0 2 {WRONG} = !unknown-buy-in; cashier reverse 0 1 {WRONG} = !unknown-buy-in
         cashier cash 0 200; ? buy-in 0 = 3 200 by 10; cashier reverse 0 3 {WRONG}; ? credits 0 = 5000"
    ));
}

#[test]
fn only_free_credits_of_the_same_open_session_are_taken() {
    let reverse = format!("cashier reverse 0 1 {WRONG}");
    for script in [
        // Credits on the layout are not free; once they are back they are.
        format!(
            "dealer open; player bet 0 big 100; {reverse} = !not-enough-credits; player clear 0; {reverse}; ? credits 0 = 0"
        ),
        format!("dealer open; player bet 0 big 100; deal 123; {reverse} = !not-enough-credits; ? credits 0 = 4900"),
        format!("dealer open; player bet 0 big 100; deal 456; {reverse}; ? credits 0 = 100"),
        // The session has ended, and the next one is another player's.
        format!("player hand-pay 0; {reverse} = !no-session; cashier cash 0 5000; {reverse} = !unknown-buy-in"),
        // Nothing is left: the session ends with the next round, as ever.
        format!("{reverse}; ? session 0 = 1; round 123; ? session 0 = -; {reverse} = !no-session"),
        // The player is not there: the money is put right all the same, and the notice is shown when the terminal is back.
        format!("system lost 0; {reverse}; ? credits 0 = 0; ? notices 0 = 1: receipt 1 5000, 0 left"),
    ] {
        TestInstallation::new(ETG).run(&format!("cashier cash 0 5000; {script}"));
    }
}

#[test]
fn a_reason_is_given() {
    TestInstallation::new(ETG)
        .run("cashier cash 0 5000; cashier reverse 0 1 with manager = !bad-text; ? credits 0 = 5000");
}
