//! What a hostile tester found, each as the smallest test that shows it.

use taisai_engine::Message;
use taisai_rules::Money;
use taisai_table::{
    Actor, Chips, ClusterCommand, Decision, Meters, Profile, Refusal, Seat, Slip, SlipLine, Transfer, TransferPurpose,
};

use crate::cluster::BOXED;
use crate::installation::{CLASSIC, ETG, GAMES, OPEN_COVER, TAI_SAI, TestInstallation};
use crate::round::check;

fn net(meters: &Meters) -> i64 {
    [meters.bought_in, meters.won, meters.returned, meters.owed].map(Money::cents).iter().sum::<i64>()
        - meters.bet.cents()
        - meters.dispensed.cents()
}

/// F33: a large win locks the terminal, also one that a correction brings.
#[test]
fn a_large_win_by_correction_locks_the_terminal() {
    check(&[(
        &[ETG],
        "fund 0 50000; dealer open; player bet 0 any-triple 50000; deal 124; ? locked 0 = no
         supervisor correct 1 111 with manager; ? locked 0 = yes",
    )]);
}

/// F31: meters reconcile with the ledger when a correction owes a closed session more.
#[test]
fn meters_reconcile_after_a_correction_of_a_closed_session() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000; dealer open; player bet 0 big 500; deal 123; t0 hand-pay 0");
    installation.run("supervisor correct 1 456 with manager");
    assert_eq!(net(&installation.cluster().seat_meters(Seat(0))), installation.cluster().credits(Seat(0)).cents());
}

/// F31: and when it takes back what has left already.
#[test]
fn meters_reconcile_after_a_receivable() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000; dealer open; player bet 0 big 500; deal 456; t0 hand-pay 0");
    installation.run("supervisor correct 1 123 with manager");
    assert_eq!(net(&installation.cluster().seat_meters(Seat(0))), installation.cluster().credits(Seat(0)).cents());
}

/// F31: a round void after all counts as void, its bets as returned.
#[test]
fn a_late_void_is_metered_as_a_void() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000; dealer open; player bet 0 big 500; deal 456");
    installation.run("supervisor void-damaged 1 1 with manager");
    let meters = installation.cluster().seat_meters(Seat(0));
    assert_eq!((meters.rounds, meters.voids), (0, 1), "{meters:?}");
    assert_eq!((meters.won.cents(), meters.returned.cents()), (0, 500), "{meters:?}");
}

/// F31: the meters of a session are never below zero.
#[test]
fn session_meters_are_never_below_zero() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000; dealer open; player bet 0 big 500; deal 456; t0 hand-pay 0");
    installation
        .run("fund 0 5000; dealer open; player bet 0 big 500; dealer interrupt; shift rule settle 2 123 with manager");
    let meters = installation.cluster().session_meters(Seat(0));
    assert!(meters.won >= Money::ZERO, "{meters:?}");
}

/// The end of time is no reason for the House to stop either.
#[test]
fn a_voucher_at_the_end_of_time() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000");
    installation.now = u64::MAX;
    installation.run("t0 voucher 0 7");
}

/// Precedence: `seat-locked` comes before `no-session`.
#[test]
fn a_locked_seat_without_session_is_locked_first() {
    check(&[(
        &[ETG],
        "fund 0 50000; dealer open; player bet 0 any-triple 50000; deal 111; ? locked 0 = yes
         t0 hand-pay 0; t0 voucher 0 7 = !seat-locked",
    )]);
}

/// Precedence: `no-such-bet` comes before `amount-off-unit` and `amount-too-large`.
#[test]
fn more_than_lies_there_is_no_such_bet_first() {
    check(&[(&GAMES, "fund 0 5000; dealer open; player bet 0 big 500; player take 0 big 1050 = !no-such-bet")]);
}

/// Precedence: `table-not-open` comes before `not-in-game`.
#[test]
fn a_shut_table_comes_before_what_is_not_in_the_game() {
    let mut installation = TestInstallation::shut(ETG, "A", &Profile::singapore());
    installation.run("supervisor relieve dealer dealer; dealer bet-for 0 big 500 = !table-not-open");
}

/// Colour Chips are in the early edition only: elsewhere `not-in-game`, as for issuing them.
#[test]
fn colour_chips_are_not_in_other_games() {
    check(&[
        (&[TAI_SAI, OPEN_COVER], "dealer redeem 0 = !not-in-game"),
        (&[TAI_SAI, OPEN_COVER, ETG], "fund 0 5000; dealer open; player bet-colour 0 big 500 = !not-in-game"),
    ]);
}

/// 5.5.2: a die that did not lie flat voids; reading it again does not mend it.
#[test]
fn a_die_not_flat_is_not_read_again() {
    check(&[(
        &GAMES,
        "dealer open; dealer close; dealer activate; tumbler9 tumbled 3; tumbler9 rest 12-
         dealer rest 123 = !; dealer commit 123 = !dice-not-known",
    )]);
}

/// 5.4: a ruling concludes by the dice that are known.
#[test]
fn a_ruling_does_not_contradict_known_dice() {
    check(&[(
        &GAMES,
        "dealer open; dealer close; dealer activate; tumbler9 tumbled 3; dealer interrupt 24
         shift rule conclude 111 with manager = !",
    )]);
}

/// A slip with an amount that cannot be is refused, not a reason to stop.
#[test]
fn a_hostile_slip_is_refused() {
    let mut installation = TestInstallation::apart(TAI_SAI);
    installation.run("supervisor limits unit=10000000000; dealer open; player bet 0 big 10000000000; deal 456");
    let session = installation.cluster().session(Seat(0)).expect("a session");
    let line = SlipLine {
        seat: Seat(0),
        session,
        bet_box: "big".parse().expect("a box"),
        chips: Chips::Own,
        units: u32::MAX,
        counted: 0,
    };
    installation.run("quiet; supervisor correct 1 123 with manager");
    let notice = installation.house.waiting().find_map(|message| match message {
        Message::Notice { number, notice, .. } => Some((*number, notice.clone())),
        _ => None,
    });
    let (number, notice) = notice.expect("a notice");
    let slip = Some(Slip { lines: vec![line], ..Slip::default() });
    let actor = installation.actor("system", None);
    let answer = installation.ask_cluster(actor, ClusterCommand::Follow { number, notice, slip });
    assert_eq!(answer, Decision::Refused(Refusal::SlipDiffers));
}

/// 1.5, 5.1: whoever deals at another table rejects, places and withdraws nothing at this one.
#[test]
fn a_dealer_of_another_table_does_not_act_here() {
    check(&[(
        &BOXED,
        "supervisor limits unit=100 big=..1000; dealer open; dealer bet 0 big 1500; dealer2 reject = !not-acting
         dealer2 clear 0 = !not-acting",
    )]);
}

/// A transfer of nothing, of less, or of more than can be counted is refused by a cluster as it is by the House.
#[test]
fn a_cluster_takes_no_transfer_of_less_than_nothing() {
    for amount in [-500, 0, i64::MAX] {
        let mut installation = TestInstallation::new(ETG);
        installation.run("fund 0 100");
        let purpose = TransferPurpose::Credits { seat: Seat(0), session: None };
        let transfer = Transfer { number: 1, amount: Money::from_cents(amount), purpose };
        let answer = installation.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
        assert!(
            matches!(answer, Decision::Refused(_)),
            "{amount}: {answer:?}, {:?}",
            installation.cluster().credits(Seat(0))
        );
    }
}

/// Colour Chips are redeemed before the table closes: once that is announced none are issued.
#[test]
fn a_table_does_not_close_on_colour_chips_just_issued() {
    let mut installation = TestInstallation::apart(CLASSIC);
    installation.run("supervisor announce; round 123; quiet; dealer issue 0 1 500 4 = !table-closing");
    installation.run("manager close-table; carry; supervisor open-table; dealer issue 0 1 500 4");
}

/// 5.4.1: dice that the tumbler has read, flat and after a valid tumble, are known, whatever the Dealer leaves out.
#[test]
fn dice_on_record_are_known_in_an_interruption() {
    check(&[(
        &GAMES,
        "dealer open; dealer close; dealer activate; tumbler9 tumbled 3; tumbler9 rest 246
         dealer interrupt = established",
    )]);
}

/// 5.6: dice sets are recorded so that the affected rounds are known: a round of other dice is not among them.
#[test]
fn damaged_dice_leave_rounds_of_other_dice_alone() {
    check(&[(
        &GAMES,
        "round 123; supervisor use-dice 8; round 456; supervisor use-dice 7; round 245
         supervisor void-damaged 1 3 7 with manager; ? past 2 = 456 456 - 8 9 1; ? past 1 = 123 123 damaged-dice 7 9 1",
    )]);
}
