//! The players' side: bets and their limits, excess, lost terminals, locks, sessions, cash-out and Colour Chips.

use taisai_rules::{BetBox, Money};
use taisai_table::{
    Chips, ClusterCommand, ClusterEvent, Decision, Entry, ExcessPolicy, MachineEntry, OverDifferential, Profile,
    RejectedStake, Seat, Stake,
};

use crate::installation::{CLASSIC, ETG, GAMES, OPEN_COVER, TAI_SAI, TestInstallation, cents};
use crate::round::check;

pub(crate) const LIVE: [&str; 3] = [CLASSIC, TAI_SAI, OPEN_COVER];
pub(crate) const BOXED: [&str; 2] = [TAI_SAI, OPEN_COVER];

fn check_with(profile: &Profile, games: &[&'static str], rows: &[&str]) {
    for script in rows {
        for game in games {
            TestInstallation::ready(game, "A", profile).run(script);
        }
    }
}

/// Placed, increased, withdrawn, cleared, repeated and doubled, in one command each; all or nothing.
#[test]
fn bets_are_placed_and_withdrawn() {
    check(&[
        (
            &[ETG],
            "cashier cash 0 10000; dealer open; player bet 0 big 500 small 300; ? credits 0 = 9200; ? layout 0 = 800
             player bet 0 big 200; ? bets 0 = big 700, small 300; player take 0 small 300 big 100; ? bets 0 = big 600
             player double 0; ? bets 0 = big 1200; ? credits 0 = 8800; player clear 0; ? bets 0 = -; ? credits 0 = 10000
             player bet 0 small 400 sum:4 200; deal 111; ? credits 0 = 9400; ? house = 600; ? total small = 0
             dealer open; ? total small = 0; player repeat 0; ? bets 0 = small 400, sum:4 200; ? credits 0 = 8800",
        ),
        (
            &LIVE,
            "dealer open; player bet 0 big 500 small 500; ? chips = -1000; ? session 0 = 1; ? credits 0 = 0
             player bet 1 big 1500; ? total big = 2000; ? session 1 = 2; player take 1 big 500; ? chips = -2000
             player double 0; ? bets 0 = big 1000, small 1000; player clear 0; ? chips = -1000
             player bet 0 single:6 100
             deal 665; ? chips = 1200; ? house = -1200; ? session 0 = 1; dealer open; player repeat 1
             ? bets 1 = big 1000",
        ),
        // The bets of the last round only; a void round's bets may be repeated.
        (
            &GAMES,
            "fund 0 5000; dealer open; player bet 0 big 500; deal 123; round 123; dealer open
             player repeat 0 = !nothing-to-repeat",
        ),
        (
            &GAMES,
            "fund 0 5000; dealer open; player bet 0 big 500; dealer interrupt; dealer open; player repeat 0
             ? bets 0 = big 500",
        ),
        (
            &GAMES,
            "fund 0 5000; dealer open; player bet 0 small 500 three:126 500 = !box-not-on-layout; ? bets 0 = -
             ? layout 0 = 0; player bet 0 big 500; player take 0 big 100 small 100 = !no-such-bet
             ? bets 0 = big 500",
        ),
        // No sum of stakes can stop a table.
        (
            &LIVE,
            "supervisor limits unit=1000000000; dealer open; player bet 0 big 4000000000000000000 = !amount-too-large
             player bet 0 big 1000000000000; player bet 1 big 1000000000 = !amount-too-large
             player bet 1 small 1000000000",
        ),
        // In the same amounts, whatever the unit is now; not at all where it cannot express them.
        (
            &GAMES,
            "fund 0 50000; dealer open; player bet 0 big 1000 small 2000; deal 456; supervisor limits unit=500
             dealer open
             player repeat 0; ? bets 0 = big 1000, small 2000",
        ),
        (
            &GAMES,
            "fund 0 50000; dealer open; player bet 0 big 1000 small 900; deal 456; supervisor limits unit=500
             dealer open
             player repeat 0 = !nothing-to-repeat; ? bets 0 = -",
        ),
        // In the order of first placement: an increase keeps its place, a bet taken off and put again is a new one.
        (
            &GAMES,
            "fund 0 9000; dealer open; player bet 0 big 500; player bet 0 small 500; player bet 0 sum:4 500
             player bet 0 big 500; ? bets 0 = big 1000, small 500, sum:4 500; player take 0 big 1000
             player bet 0 big 500
             ? bets 0 = small 500, sum:4 500, big 500",
        ),
    ]);
}

/// 3.6, 5.7, 3.5 of the terminals: after the close nothing is placed, increased or withdrawn; every attempt is
/// recorded.
#[test]
fn nothing_changes_after_the_close() {
    let acts = ["bet 0 big 500", "take 0 big 500", "clear 0", "repeat 0", "double 0"];
    for (phase, code) in
        [("dealer close", "bets-closed"), ("deal 123", "no-round-open"), ("dealer interrupt", "no-round-open")]
    {
        for act in acts {
            let script = format!(
                "fund 0 5000; dealer open; player bet 0 big 500; deal 456; dealer open; player bet 0 big 500; {phase}
                 player {act} = !{code}; player {act} = !{code}; ? refusals = 2"
            );
            check(&[(&GAMES, &script)]);
        }
    }
    check(&[
        // Of a terminal also for itself, round by round. A restart that finds no round in play is the dealer's side's first.
        (
            &[ETG],
            "fund 0 5000; dealer open; t0 clear 0 = !no-such-bet; t0 clear 0 = !no-such-bet; t1 clear 1 = !no-session
             ? refusals 0 = 2; ? refusals 1 = 1; ? refusals = 3; ? round-refusals = 1; deal 123; dealer open
             ? refusals 0 = 0; ? refusals = 3; dealer open = !round-in-play; dealer open = !round-in-play
             ? round-refusals = 3",
        ),
        (&BOXED, "dealer reject = !no-round-open; dealer open; dealer close; dealer reject = !bets-closed"),
        (&[CLASSIC, ETG], "dealer open; dealer reject = !not-in-game"),
        // Bets stay as they lie at the close, and settle so (5.9, 5.7 of the terminals).
        (
            &GAMES,
            "fund 0 5000; dealer open; player bet 0 big 500; dealer close; player clear 0 = !bets-closed
             ? bets 0 = big 500",
        ),
    ]);
}

/// 3.3 of the terminals: minimum and maximum bind each terminal's own total on a box.
#[test]
fn limits_bind_each_terminal() {
    check(&[(
        &[ETG],
        "supervisor limits unit=100 big=500..1000; fund 0 9000; fund 1 9000; dealer open
         player bet 0 big 400 = !below-minimum; player bet 0 big 1100 = !over-limit; player bet 0 big 1000
         player bet 0 big 100 = !over-limit; player bet 1 big 1000; ? total big = 2000; ? excess = -; ? below = -
         player double 0 = !over-limit; player take 0 big 600 = !below-minimum; player take 0 big 500
         player bet 0 big 100
         player take 0 big 600; ? bets 0 = -; player bet 0 small 100; player bet 0 single:1 9000 = !not-enough-credits
         player bet 0 big 500 small 100000 = !not-enough-credits; ? bets 0 = small 100; ? credits 0 = 8900
         player bet 0 big 1000 single:1 7900; ? credits 0 = 0; player bet 0 single:2 100 = !not-enough-credits
         player double 1 = !over-limit; player bet 1 single:1 8000; player double 1 = !over-limit; ? credits 1 = 0",
    )]);
}

/// 3.3 to 3.5 of Tai Sai: the maximum and the Differential bind the box's total over all players; where excess is
/// refused.
#[test]
fn excess_is_refused_where_the_profile_says_so() {
    check_with(
        &Profile { excess: ExcessPolicy::Refuse, ..Profile::singapore() },
        &BOXED,
        &[
            "supervisor limits unit=100 big=500..2000 small=500..3000 diff=1500; dealer open; player bet 0 big 1000
             player bet 1 big 600 = !over-differential; player bet 1 small 500; player bet 1 big 600
             player bet 2 big 500 = !over-limit; player bet 2 big 400; ? total big = 2000; ? excess = -
             # The opposite counts as it is placed, up to its own maximum.
             player bet 2 small 3000 = !over-limit; player bet 2 small 2500; ? total small = 3000",
            // Both sides in one command.
            "supervisor limits unit=100 diff=1000; dealer open; player bet 0 big 3000 = !over-differential
             player bet 0 big 3000 small 2000; player bet 1 small 2100 = !over-differential; player bet 1 small 2000
             # A withdrawal is never refused for the Differential, and what it leaves is flagged.
             player take 0 big 3000; ? excess = small 4000/1000; player bet 1 small 100 = !over-differential
             player double 0 = !over-differential; player bet 2 big 3000; ? excess = -",
            "supervisor limits unit=100 single:1=100..500; dealer open; player bet 0 single:1 300
             player double 0 = !over-limit
             player bet 1 single:1 200; player bet 2 single:1 100 = !over-limit; player bet 2 single:2 100000",
            // Below the minimum is advised, not refused (5.2).
            "supervisor limits unit=100 big=500..2000; dealer open; ? below = -; player bet 0 big 100
             ? below = big 100/500
             player bet 1 big 300; ? below = big 400/500; player bet 1 big 100; ? below = -; player take 0 big 100
             ? below = big 400/500; deal 456; ? house = -400",
        ],
    );
}

/// 5.1: shown as it stands, and rejected by the Dealer: the latest bet is cut to what fits; a remainder below the
/// minimum is rejected whole; the other side's Differential again.
#[test]
fn excess_is_shown_and_rejected() {
    let show = Profile { excess: ExcessPolicy::Show, ..Profile::singapore() };
    check_with(
        &show,
        &BOXED,
        &[
            "supervisor limits unit=100 big=..2000; dealer open; dealer reject = !no-excess; player bet 0 big 1500
             player bet 1 big 400
             player bet 0 big 300; ? excess = big 2200/2000; supervisor reject = !not-allowed; t0 reject = !not-allowed
             dealer reject = rejected; ? bets 0 = big 1600; ? bets 1 = big 400; ? chips = -2000
             dealer reject = !no-excess",
            // What is rejected of a player who has walked away is a claim (5.3).
            "supervisor limits unit=100 big=..2000; dealer open; player bet 1 big 1900; player bet 0 big 300; dealer walk 0
             dealer reject; ? bets 0 = big 100; ? claims = 0/2 200 left-behind; ? chips = -2200; ? session 0 = 2",
            "supervisor limits unit=100 big=..2000; dealer open; player bet 1 big 2000; player bet 0 big 300; dealer walk 0
             dealer reject; ? claims = 0/2 300 left-behind; ? session 0 = -; player bet 0 small 500; ? session 0 = 3",
            // The latest bet, then the one before it.
            "supervisor limits unit=100 big=..2000; dealer open; player bet 0 big 2500; player bet 1 big 400
             player bet 2 big 200
             dealer reject; ? bets 0 = big 2000; ? bets 1 = -; ? bets 2 = -; ? excess = -; ? chips = -2000",
            // The latest is the latest placement, not the player who came last.
            "supervisor limits unit=100 big=..2000; dealer open; player bet 0 big 1000; player bet 1 big 1000
             player bet 0 big 500
             dealer reject; ? bets 0 = big 1000; ? bets 1 = big 1000",
            // A withdrawal takes from the player's latest bets first.
            "supervisor limits unit=100 big=..2000; dealer open; player bet 0 big 1000; player bet 1 big 1500
             player bet 0 big 500
             player take 0 big 500; ? excess = big 2500/2000; dealer reject; ? bets 0 = big 1000; ? bets 1 = big 1000",
            // From no one else's, and from as many as it takes.
            "supervisor limits unit=100 big=..600; dealer open; player bet 0 big 1000; player bet 1 big 1500
             player take 0 big 500; dealer reject; ? bets 0 = big 500; ? bets 1 = big 100",
            "supervisor limits unit=100 big=..300; dealer open; player bet 1 big 500; player bet 0 big 300
             player bet 0 big 400; player take 0 big 600; dealer reject; ? bets 0 = -; ? bets 1 = big 300",
            // The excess and no more: what is left of the player's total may be below the minimum.
            "supervisor limits unit=100 big=500..2000; dealer open; player bet 0 big 1700; player bet 1 big 600
             dealer reject; ? bets 0 = big 1700; ? bets 1 = big 300",
            "supervisor limits unit=100 big=500..2000; dealer open; player bet 0 big 1500; player bet 1 big 600
             dealer reject; ? bets 0 = big 1500; ? bets 1 = big 500",
            // Those of the round before do not.
            "supervisor limits unit=100 big=500..2000; dealer open; player bet 1 big 600; deal 456; dealer open
             player bet 0 big 1700; player bet 1 big 600; dealer reject; ? bets 0 = big 1700; ? bets 1 = big 300",
            // An earlier bet of the same player counts towards the minimum.
            "supervisor limits unit=100 big=500..2000; dealer open; player bet 1 big 300; player bet 0 big 1400
             player bet 1 big 600
             dealer reject; ? bets 0 = big 1400; ? bets 1 = big 600",
            // Rejecting one side puts the other over its Differential: again.
            "supervisor limits unit=100 big=..2000 small=..9000 diff=1000; dealer open; player bet 0 big 2600
             player bet 1 small 3500
             ? excess = big 2600/2000; dealer reject; ? bets 0 = big 2000; ? bets 1 = small 3000
             ? excess = -",
            "supervisor limits unit=100 big=..2000 small=500..9000 diff=1000; dealer open; player bet 0 big 1000
             player bet 1 small 2000
             player bet 2 big 1500; ? excess = big 2500/2000; dealer reject; ? bets 2 = big 1000
             ? bets 1 = small 2000",
            "supervisor limits unit=100 big=800..1500 diff=1000; dealer open; player bet 0 big 900
             player bet 1 small 2400
             player bet 2 big 1000; ? excess = big 1900/1500; dealer reject
             ? bets 0 = big 900; ? bets 1 = small 2400; ? bets 2 = big 600; ? excess = -; ? chips = -3900",
        ],
    );
    // The cuts are in the event, the latest bets first.
    let mut installation = TestInstallation::ready(TAI_SAI, "A", &show);
    installation.run("supervisor limits unit=100 big=..2000; dealer open; player bet 0 big 2500; player bet 1 big 400");
    let dealer = installation.actor("dealer", None);
    let decision = installation.ask_cluster(dealer, ClusterCommand::RejectExcess);
    let cut = |seat, amount| {
        let stake = Stake { bet_box: BetBox::BIG, amount: cents(amount) };
        RejectedStake { seat: Seat(seat), chips: Chips::Own, stake }
    };
    assert_eq!(decision, Decision::Accepted(ClusterEvent::Rejected { cuts: vec![cut(1, 400), cut(0, 500)] }));
}

/// 5.1.1, 5.1.2, 5.2.1 at settlement: what is not rejected counts pro rata, the rest is returned; below the minimum it
/// wins or loses as it lies. Meters: bought in, bet, won, returned, dispensed, rounds, voids.
#[test]
fn excess_left_counts_pro_rata() {
    check(&[
        // Shares of 750 and 250 are rounded down to the unit; the unit left goes to the earlier of equal remainders.
        (
            &BOXED,
            "supervisor limits unit=100 big=..1000; dealer open; player bet 0 big 1500; player bet 1 big 500; deal 456
             ? house = -1000; ? chips = 1000; ? meters 0 = 0 1500 1600 700 0 1 0; ? meters 1 = 0 500 400 300 0 1 0",
        ),
        (
            &BOXED,
            "supervisor limits unit=100 big=..1000; dealer open; player bet 0 big 1500; player bet 1 big 500; deal 123
             ? house = 1000; ? chips = -1000; ? meters 0 = 0 1500 0 700 0 1 0; ? meters 1 = 0 500 0 300 0 1 0",
        ),
        (
            &BOXED,
            "supervisor limits unit=100 big=..1000; dealer open; player bet 1 big 500; player bet 0 big 1500; deal 123
             ? meters 0 = 0 1500 0 800 0 1 0; ? meters 1 = 0 500 0 200 0 1 0",
        ),
        // Below the minimum a stake counts in full; shares below it become it.
        (
            &BOXED,
            "supervisor limits unit=100 big=500..1000; dealer open; player bet 0 big 300; player bet 1 big 1500
             player bet 2 big 600
             deal 123; ? house = 1300; ? meters 0 = 0 300 0 0 0 1 0; ? meters 1 = 0 1500 0 1000 0 1 0
             ? meters 2 = 0 600 0 100 0 1 0",
        ),
        // Big 1500 against Small 300: 1300 counts; Small wins its 300.
        (
            &BOXED,
            "supervisor limits unit=100 diff=1000; dealer open; player bet 0 big 1500; player bet 1 small 300
             deal 124
             ? house = 1000; ? meters 0 = 0 1500 0 200 0 1 0; ? meters 1 = 0 300 600 0 0 1 0",
        ),
        (&BOXED, "supervisor limits unit=100 big=500..; dealer open; player bet 0 big 100; deal 456; ? house = -100"),
    ]);
}

/// Limits, bets, and where what counts is over the Differential: the box, what counts on it and on the opposite one, and the
/// Differential.
type OverRow = (&'static str, &'static str, &'static [(&'static str, i64, i64, i64)]);

/// 1.3: where what counts differs by more than the Differential, the settlement says so. Excess is measured against what was placed.
#[test]
fn a_counted_difference_over_the_differential_is_an_event() {
    let rows: [OverRow; 6] = [
        // Small is cut by its own maximum, Big is within the Differential of what was placed on it.
        ("unit=100 small=..3000 diff=2000", "small 6000, big 7000", &[("big", 7_000, 3_000, 2_000)]),
        // Equal to the Differential is not over it.
        ("unit=100 small=..3000 diff=2000", "small 6000, big 5000", &[]),
        // Big is cut by the Differential.
        ("unit=100 small=..3000 diff=2000", "small 3000, big 9000", &[]),
        // Both are cut by their maximum.
        ("unit=100 small=..3000 big=..4000 diff=2000", "small 6000, big 9000", &[]),
        // Stakes below the minimum count in full, though they are over the Differential.
        ("unit=100 big=1000.. diff=200", "big 900", &[("big", 900, 0, 200)]),
        ("unit=100 small=..3000", "small 6000, big 7000", &[]),
    ];
    for (limits, bets, expected) in rows {
        for dice in ["456", "124", "222"] {
            let mut installation = TestInstallation::ready(TAI_SAI, "A", &Profile::singapore());
            installation.run(&format!("supervisor limits {limits}; dealer open"));
            for (seat, bet) in bets.split(", ").enumerate() {
                installation.run(&format!("player bet {seat} {bet}"));
            }
            installation.run(&format!("deal {dice}"));
            let found = installation.house.record.iter().rev().find_map(|entry| match entry {
                MachineEntry::Cluster(
                    _,
                    Entry { outcome: Ok(ClusterEvent::Settled { over_differential, .. }), .. },
                ) => Some(over_differential.clone()),
                MachineEntry::Cluster(..) | MachineEntry::Round(..) | MachineEntry::House(_) => None,
            });
            let expected: Vec<_> = expected
                .iter()
                .map(|(bet_box, counted, opposite, differential)| OverDifferential {
                    bet_box: bet_box.parse().unwrap(),
                    counted: cents(*counted),
                    opposite_counted: cents(*opposite),
                    differential: cents(*differential),
                })
                .collect();
            assert_eq!(found, Some(expected), "{limits}: {bets}, {dice}");
        }
    }
}

/// 5.2 of the terminals: the round goes on; registered bets are settled, the terminal bets no more until it is back.
#[test]
fn a_lost_terminal_keeps_its_bets() {
    check(&[
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; system lost 0; ? lost 0 = yes
             player bet 0 big 500 = !terminal-lost
             player clear 0 = !terminal-lost; cashier cash 0 100 = !terminal-lost; deal 456; ? credits 0 = 5500
             ? phase = settled
             system back 0; ? lost 0 = no; dealer open; player repeat 0; ? bets 0 = big 500",
        ),
        (
            &[ETG],
            "fund 0 5000; t0 lost 0 = !not-allowed; dealer lost 0 = !not-allowed; system lost 9 = !unknown-seat
             system lost 0; player voucher 0 7 = !terminal-lost; attendant hand-pay 0
             ? claims = 0/1 5000 cash-out; ? session 0 = -",
        ),
        (&LIVE, "system lost 0 = !not-in-game; system back 0 = !not-in-game"),
    ]);
}

/// F33: a win at or above the limit locks the terminal: no bets, no voucher; hand-pay stays possible, the round
/// concludes.
#[test]
fn a_large_win_locks_the_terminal() {
    let profile = |large_win| Profile { large_win: Money::from_cents(large_win), ..Profile::singapore() };
    for (limit, stakes, locked) in [
        (1_000, "big 900", "no"),
        (1_000, "big 1000", "yes"),
        (1_000, "big 1100", "yes"),
        // What is won is what the round brought the seat: 1000 won, 100 lost.
        (1_000, "big 1000 small 100", "no"),
        (1_000, "big 1100 small 100", "yes"),
    ] {
        let script = format!(
            "fund 0 5000; dealer open; player bet 0 {stakes}; deal 456; ? locked 0 = {locked}; ? phase = settled"
        );
        check_with(&profile(limit), &[ETG], &[&script]);
    }
    check_with(
        &profile(1_000),
        &[ETG],
        &[
            "fund 0 5000; dealer open; player bet 0 big 1000; deal 456; ? credits 0 = 6000
             player voucher 0 7 = !seat-locked; dealer open
             player bet 0 big 500 = !seat-locked; player repeat 0 = !seat-locked; t0 unlock 0 = !not-allowed
             dealer unlock 0 = !not-allowed
             attendant unlock 0; ? locked 0 = no; attendant unlock 0 = !not-held; player repeat 0; ? bets 0 = big 1000
             attendant unlock 9 = !unknown-seat",
            "fund 0 5000; dealer open; player bet 0 big 1000; deal 456; player hand-pay 0; ? claims = 0/1 6000 cash-out
             ? session 0 = -; ? locked 0 = yes; attendant unlock 0; fund 0 100; ? locked 0 = no",
            "fund 0 5000; dealer open; player bet 0 big 1000; deal 456; attendant unlock 0; player voucher 0 7
             ? vouchers = 6000",
            // A void round wins nothing.
            "fund 0 5000; dealer open; player bet 0 big 2000; dealer interrupt; ? locked 0 = no",
        ],
    );
    check_with(
        &profile(1_000),
        &LIVE,
        &["dealer open; player bet 0 big 2000; deal 456; ? locked 0 = no; dealer open; player bet 0 big 500"],
    );
}

/// 5.3: the bets of a player who walks away are settled; stake and winnings become a claim, never a bet in the next
/// round.
#[test]
fn a_player_walks_away() {
    check(&[
        (
            &LIVE,
            "dealer open; player bet 0 big 500; dealer walk 0; ? bets 0 = big 500
             player bet 0 big 500 = !no-session
             player clear 0 = !no-session; supervisor relieve manager manager; manager bet-for 0 big 500 = !no-session
             deal 456
             ? claims = 0/1 1000 walked-away 1; ? session 0 = -; ? chips = -500; ? house = -500
             dealer open; player repeat 0 = !nothing-to-repeat; player bet 0 big 500; ? session 0 = 2",
        ),
        (
            &LIVE,
            "dealer open; player bet 0 big 500; dealer walk 0; deal 123; ? claims = -; ? session 0 = -
             ? house = 500",
        ),
        (
            &LIVE,
            "dealer open; player bet 0 big 500; dealer close; dealer walk 0; dealer interrupt
             ? claims = 0/1 500 walked-away 1",
        ),
        (
            &LIVE,
            "dealer walk 0 = !no-session; dealer walk 9 = !unknown-seat; dealer open; player bet 0 big 500; deal 456
             supervisor walk 0 = !not-allowed; dealer walk 0; ? session 0 = -; ? claims = -",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 1500; dealer walk 0
             ? claims = 0/1 3500 left-behind
             deal 456; ? claims = 0/1 3500 left-behind, 0/1 3000 walked-away 1; ? colour 0 = -; ? session 0 = -",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 1; dealer open; player bet-colour 0 big 500; dealer walk 0; ? claims = -; deal 456
             ? claims = 0/1 1000 walked-away 1",
        ),
        (&[ETG], "fund 0 5000; dealer walk 0 = !not-in-game"),
    ]);
}

/// 5.13, 1.5: Dealer, Pit Supervisor or Pit Manager place bets for a player, at live tables.
#[test]
fn staff_place_bets_for_players() {
    check(&[
        (
            &LIVE,
            "supervisor relieve supervisor supervisor; supervisor relieve manager manager; dealer open
             dealer bet-for 0 big 500; supervisor bet-for 0 big 500; manager bet-for 1 small 500
             dealer2 bet-for 0 big 500 = !not-acting; supervisor2 bet-for 0 big 500 = !not-acting
             manager2 bet-for 0 big 500 = !not-acting; all bet-for 0 big 500 = !not-acting
             ? bets 0 = big 1000; ? bets 1 = small 500; shift bet-for 0 big 500 = !not-allowed
             t0 bet-for 0 big 500 = !not-allowed
             supervisor bet 0 big 500 = !not-allowed; t0 bet 0 big 500 = !not-allowed
             cashier bet 0 big 500 = !not-allowed",
        ),
        (
            &[ETG],
            "fund 0 5000; dealer open; dealer bet-for 0 big 500 = !not-in-game; dealer bet 0 big 500 = !not-allowed
             t1 bet 0 big 500 = !not-allowed; t1 clear 0 = !not-allowed; system bet 0 big 500 = !not-allowed",
        ),
    ]);
}
