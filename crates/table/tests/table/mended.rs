//! What was once wrong, each as the smallest test that shows it.

use taisai_rules::Money;
use taisai_table::Seat;

use crate::cluster::BOXED;
use crate::hall::{ETG, Hall};
use crate::round::check;

/// F31: meters always reconcile with the ledger, also of a void round, and of one that is reinstated.
#[test]
fn meters_reconcile_after_a_void() {
    for act in ["dealer interrupt", "dealer interrupt; shift rule reinstate 1 123"] {
        let mut hall = Hall::new(ETG);
        hall.run(&format!("fund 0 5000; dealer open; player bet 0 big 500; {act}"));
        let meters = hall.cluster().seat_meters(Seat(0));
        let [bought_in, bet, won, returned, dispensed] =
            [meters.bought_in, meters.bet, meters.won, meters.returned, meters.dispensed].map(Money::cents);
        let credits = hall.cluster().credits(Seat(0)).cents();
        assert_eq!(bought_in - bet + won + returned - dispensed, credits, "{act}: {meters:?}");
        assert!(won >= 0, "{act}: {meters:?}");
    }
}

/// Held bets are not cut either.
#[test]
fn excess_is_not_rejected_while_play_is_held() {
    check(&[(
        &BOXED,
        "supervisor limits unit=100 big=..1000; dealer open; player bet 0 big 1500; system restarted
         system restarted-cluster; dealer reject = !held; ? bets 0 = big 1500",
    )]);
}
