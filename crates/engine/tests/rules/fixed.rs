//! What was once wrong, each as the smallest test that shows it.

use taisai_rules::Money;
use taisai_table::{Decision, Refusal, RoundCommand, RoundNumber, Ruling, Seat, VoidReason};

use crate::cluster::BOXED;
use crate::installation::{ETG, TestInstallation, dice, limits, person};
use crate::round::check;

/// F31: meters always reconcile with the ledger, also of a void round, and of one that is reinstated.
#[test]
fn meters_reconcile_after_a_void() {
    for act in ["dealer interrupt", "dealer interrupt; shift rule settle 1 123 with manager"] {
        let mut installation = TestInstallation::new(ETG);
        installation.run(&format!("fund 0 5000; dealer open; player bet 0 big 500; {act}"));
        let meters = installation.cluster().seat_meters(Seat(0));
        let [bought_in, bet, won, returned, dispensed] =
            [meters.bought_in, meters.bet, meters.won, meters.returned, meters.dispensed].map(Money::cents);
        let credits = installation.cluster().credits(Seat(0)).cents();
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
         dealer reject = !held; ? bets 0 = big 1500",
    )]);
}

/// F53, 5.14: whatever is done with a reason is recorded with one that can be read.
#[test]
fn a_reason_can_be_read() {
    let long = "x".repeat(1_001);
    for why in ["", " \n ", "a\u{7}bell", &long] {
        let mut installation = TestInstallation::new(ETG);
        installation.run("round 123");
        let round = RoundNumber(1);
        let second = person("manager");
        let why = || why.to_owned();
        for (who, command) in [
            ("supervisor", RoundCommand::ShowLimits { limits: limits(&["unit=100"]), why: why() }),
            ("supervisor", RoundCommand::Correct { round, dice: dice("456"), why: why(), second }),
            (
                "manager",
                RoundCommand::VoidByLaw { round, reason: VoidReason::Malfunction, why: why(), second: person("shift") },
            ),
            ("supervisor", RoundCommand::VoidDamaged { from: round, to: round, dice_set: None, why: why(), second }),
            ("shift", RoundCommand::Rule { ruling: Ruling::Note, why: why(), second: None }),
        ] {
            let actor = installation.actor(who, None);
            assert_eq!(
                installation.ask_round(actor, command.clone()),
                Decision::Refused(Refusal::BadText),
                "{command:?}"
            );
        }
    }
}

/// The end of time is no reason to stop.
#[test]
fn bets_open_at_the_end_of_time() {
    let mut installation = TestInstallation::new(ETG);
    installation.now = u64::MAX;
    installation.run("dealer open; deal 123; ? phase = settled");
}
