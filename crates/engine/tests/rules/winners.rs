//! A table that registers winners: after the dice, what lay on the layout at the close (5.9).

use std::collections::BTreeMap;

use taisai_rules::{BetBox, Dice, Outcome};
use taisai_table::{
    Actor, Cluster, ClusterCommand, Decision, Notice, PayLine, Refusal, Registration, RequiredRegistration,
    RoundNumber, Seat, Slip,
};

use crate::cluster::{BOXED, LIVE};
use crate::installation::{CLUSTER, ETG, TAI_SAI, TestInstallation, dice, rules};

/// The same steps on each game.
fn on(games: &[&'static str], script: &str) {
    for game in games {
        let is_apart = script.contains("quiet");
        let mut installation =
            if is_apart { TestInstallation::winners_apart(game) } else { TestInstallation::winners(game) };
        installation.run(script);
    }
}

#[test]
fn only_a_live_table_registers_winners() {
    for game in LIVE {
        assert!(rules(game, "A").registering(Registration::Winners).is_ok(), "{game}");
    }
    assert!(rules(ETG, "A").registering(Registration::Winners).is_err());
    assert!(rules(ETG, "A").registering(Registration::EveryBet).is_ok());
}

/// 3.9: nothing is paid with the dice; what wins is paid when all of it is registered.
#[test]
fn what_wins_is_registered_and_then_paid() {
    on(
        &LIVE,
        "dealer open; dealer close; throw 456; ? phase = result; ? chips = 0; ? house = 0
         dealer register 0 big 1000; dealer register 1 big 500 sum:15 200; dealer register 0 big 200
         dealer take 0 big 200; ? bets 0 = big 1000; ? phase = result; ? house = 0
         dealer registered; ? phase = settled; ? bets 0 = -; ? claims = -; dealer open; ? phase = open",
    );
    // Whatever is registered is paid out of the House: what lost is not known.
    on(&[TAI_SAI], "round 456; dealer register 0 big 1000; dealer registered; ? house = -1000; ? chips = 1000");
}

#[test]
fn a_round_waits_for_the_dealer_and_nothing_else() {
    on(
        &LIVE,
        "round 456; dealer open = !round-in-play; supervisor limits unit=100 = !round-in-play; dealer2 registered = !not-acting
         system restarted = !not-held; dealer void few-tumbles = !result-committed; dealer register 0 big 500
         supervisor relieve dealer dealer2; dealer registered = !not-acting; dealer2 registered; ? phase = settled
         dealer2 open; dealer2 close; ? phase = closed",
    );
}

/// 5.3: stake and winnings of a player who walks away become a claim.
#[test]
fn a_player_walks_away_from_registered_bets() {
    on(
        &LIVE,
        "round 456; dealer walk 0 = !no-session; dealer register 0 big 500; dealer walk 0; dealer register 0 sum:15 200
         ? pay 0 = claim; dealer registered; ? session 0 = -; ? layout 0 = 0",
    );
    on(
        &[TAI_SAI],
        "round 456; dealer register 0 big 500; dealer walk 0; dealer registered; ? claims = 0/1 1000 walked-away 1",
    );
}

/// 5.3: when what a player who walked away had there is taken off the register, the session is over as without bets; whoever plays
/// there next is there.
#[test]
fn a_player_walks_away_from_bets_that_are_taken_off_the_register() {
    for off in ["dealer clear 0", "dealer take 0 big 500", "dealer take 0 big 200; ? session 0 = 1; dealer clear 0"] {
        on(
            &[TAI_SAI],
            &format!(
                "round 456; dealer register 0 big 500; dealer walk 0; {off}; ? session 0 = -; dealer registered; ? claims = -
                 round 456; dealer register 0 big 700; dealer registered; ? pay 0 = 1400; ? claims = -; ? chips = 700"
            ),
        );
    }
}

/// 5.2 is for players who may still increase or withdraw: where winners are registered nothing is known before the close.
#[test]
fn nothing_is_below_its_minimum_where_winners_are_registered() {
    on(&BOXED, "round 456; dealer register 0 big 100; ? total big = 100; ? below = -; dealer registered; ? below = -");
}

/// What is said of a round that is settled or void, and before the first one.
#[test]
fn registering_is_refused_by_what_is_so() {
    on(
        &LIVE,
        "dealer registered = !not-thrown; dealer register 0 big 500 = !not-thrown; round 456; dealer register 0 big 500
         dealer registered; dealer registered = !all-registered; dealer register 0 big 500 = !all-registered
         dealer clear 0 = !all-registered; dealer total big 500 = !all-registered; dealer open; dealer registered = !not-thrown",
    );
    on(&LIVE, "round 456; shift rule void 1 with manager; dealer register 0 big 500 = !round-void");
}

/// Nobody is asked to approve what the table never registers.
#[test]
fn an_impossible_amount_is_refused_before_a_second_person_is_asked() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 1000100 = !second-person-missing
         dealer register 0 big 1000000000100 = !amount-too-large; dealer register 0 big 1000150 = !amount-off-unit
         dealer register 0 three:126 1000100 = !box-not-on-layout; dealer register 0 big 1000100 big 1000100 = !box-twice",
    );
}

/// Until all is registered nothing is paid: a void hands the chips back on the layout, a correction changes what is registered.
#[test]
fn before_it_is_paid_a_round_is_void_or_corrected_as_it_lies() {
    for void in [
        "supervisor void-by-law 1 malfunction with manager",
        "supervisor void-damaged 1 1 with manager",
        "shift rule void 1 with manager",
    ] {
        on(
            &LIVE,
            &format!(
                "round 456; dealer register 0 big 500; {void}; ? phase = void; ? house = 0; ? chips = 0; ? bets 0 = -
                 ? claims = -; ? owed = -; dealer registered = !round-void; supervisor close-returns 1 with manager = !not-held"
            ),
        );
    }
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; supervisor correct 1 123 with manager; ? phase = result; ? house = 0
         dealer register 0 big 500 = !losing-box; dealer register 1 small 500; dealer registered; ? phase = settled; ? house = 0
         supervisor close-returns 1 with manager = !not-held; ? past 1 = 123 456 - 7 9 1",
    );
}

/// 5.14: a ruling stands at once, and its money waits for the witness. Nothing is paid by the dice meanwhile.
#[test]
fn a_ruling_on_a_round_that_is_being_registered_waits_for_its_witness() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; shift rule void 1; ? phase = void; dealer registered; ? house = 0
         dealer open = !not-witnessed; manager witness 1 void; ? bets 0 = -; ? chips = 0; dealer open",
    );
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; shift rule settle 1 123; ? phase = result; dealer registered; ? house = 0
         ? phase = result; manager witness 1 123; ? phase = result; dealer register 1 small 500; dealer registered; ? phase = settled
         ? house = 0",
    );
    on(
        &LIVE,
        "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4; shift rule conclude 456 with manager
         ? phase = result; dealer register 0 big 500; dealer registered; ? phase = settled; ? house = -500",
    );
}

/// All registered, and before the round knows it the dice are corrected: what wins by the new ones is registered again.
#[test]
fn a_correction_overtakes_the_end_of_registering() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; quiet; dealer registered; supervisor correct 1 123 with manager; carry
         ? phase = result; ? house = 0; dealer register 1 small 500; dealer registered; ? phase = settled; ? house = 0",
    );
}

/// 5.1.1: of a winning box over its maximum each player's share counts. 5.1.2: a stake below the minimum counts in full.
#[test]
fn a_winning_box_over_its_maximum_is_paid_pro_rata() {
    for game in BOXED {
        let mut installation = TestInstallation::winners(game);
        installation.run("supervisor limits unit=100 big=500..10000 small=500..10000 diff=100000");
        installation
            .run("round 456; dealer register 0 big 15000; dealer register 1 big 5000; dealer register 2 big 300");
        assert_eq!(counted(installation.cluster()), [(0, 15_000, 7_300), (1, 5_000, 2_400), (2, 300, 300)]);
        installation.run("dealer registered; ? phase = settled; ? house = -10000");
        assert_eq!(counted(installation.cluster()), [(0, 15_000, 7_300), (1, 5_000, 2_400), (2, 300, 300)]);
        installation.run("dealer open");
        assert_eq!(installation.cluster().pay_list(), None, "it is kept until the next round opens");
    }
}

/// 1.3, 5.1.1: the opposite total decides how much counts, and is asked for when a total exceeds the Differential.
#[test]
fn the_opposite_total_is_asked_for_and_decides() {
    for game in BOXED {
        let mut installation = TestInstallation::winners(game);
        installation.run("supervisor limits unit=100 big=500..100000 small=500..100000 diff=5000");
        installation.run("round 456; dealer register 0 big 5000");
        assert_eq!(installation.cluster().required_registration(BetBox::SMALL), None);
        installation.run("dealer register 1 big 5000");
        assert_eq!(installation.cluster().required_registration(BetBox::SMALL), Some(RequiredRegistration::Total));
        installation.run("dealer registered = !opposite-not-told; dealer total small 3000");
        assert_eq!(installation.cluster().required_registration(BetBox::SMALL), None);
        assert_eq!(counted(installation.cluster()), [(0, 5_000, 4_000), (1, 5_000, 4_000)]);
        installation.run("dealer total small 5000");
        assert_eq!(counted(installation.cluster()), [(0, 5_000, 5_000), (1, 5_000, 5_000)]);
        installation.run("dealer total small 0; dealer registered; ? phase = settled; ? house = -5000");
        // Where the maximum alone decides, nobody is asked.
        installation.run("supervisor limits unit=100 big=500..4000 small=500..4000 diff=5000");
        installation.run("round 456; dealer register 0 big 9000; dealer registered; ? phase = settled");
    }
}

/// 5.1.1: a player loses pro rata too, so all of a losing box over its maximum is registered, and no other.
#[test]
fn a_losing_box_over_its_maximum_is_returned_pro_rata() {
    for game in BOXED {
        let mut installation = TestInstallation::winners(game);
        installation.run("supervisor limits unit=100 sum=200..1000 diff=5000");
        installation.run("round 456; dealer register 0 sum:9 900 = !losing-box; dealer total sum:9 1000");
        installation.run("dealer register 0 sum:9 900 = !losing-box; dealer total sum:9 2000");
        assert_eq!(
            installation.cluster().required_registration("sum:9".parse().unwrap()),
            Some(RequiredRegistration::Stakes)
        );
        installation
            .run("dealer register 0 sum:9 1500; dealer registered = !total-differs; dealer register 1 sum:9 500");
        assert_eq!(installation.cluster().required_registration("sum:9".parse().unwrap()), None);
        assert_eq!(counted(installation.cluster()), [(0, 1_500, 800), (1, 500, 200)]);
        installation.run("dealer registered; ? phase = settled; ? house = 1000; ? chips = -1000");
    }
}

/// The Dealer ticks off the seats of the pay list, whichever way bets are registered, until the next round opens.
#[test]
fn seats_of_the_pay_list_are_ticked_off() {
    for game in LIVE {
        let mut every = TestInstallation::new(game);
        every.run("dealer open; player bet 0 big 500; player bet 2 small 500; deal 456");
        let mut winners = TestInstallation::winners(game);
        winners.run("round 456; dealer register 0 big 500; dealer register 2 big 700; dealer tick 0 = !round-in-play");
        winners.run("dealer registered");
        for mut installation in [every, winners] {
            installation.run("dealer tick 0; dealer tick 2; dealer untick 2; dealer tick 1 = !not-on-pay-list");
            installation.run("? pay 0 = 1000 given 1000 house 0; dealer tick 0; ? pay 0 = 1000 given 1000 house 0; dealer untick 1 = !not-on-pay-list");
            installation.run("dealer open; dealer close; dealer tick 0 = !round-in-play");
        }
    }
}

/// Seat, stake and what counts of it.
fn counted(cluster: &Cluster) -> Vec<(u32, i64, i64)> {
    let lines = cluster.pay_list().expect("a pay list").lines;
    lines.iter().map(|line| (line.seat.0, line.stake.cents(), line.counted.cents())).collect()
}

/// A late void: Supervisor and a second person register what was collected, line by line. Money moves when they close the returns:
/// each session has its stakes back in full as a claim.
#[test]
fn a_late_void_is_made_good_from_the_film() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; dealer registered; dealer open; dealer close
         supervisor void-by-law 1 malfunction with manager; ? owed = 0/1 500 round 1
         supervisor film 1 2 small 700 with manager; supervisor film 1 2 sum:4 100 with manager
         supervisor film 1 3 sum:4 200 with manager; ? claims = -; ? house = 0
         supervisor close-returns 1 with manager; ? claims = 2/2 800 from-film 1, 3/3 200 from-film 1; ? house = -1000
         supervisor film 1 2 sum:5 100 with manager = !not-held; supervisor close-returns 1 with manager = !not-held",
    );
}

/// Sessions are numbered as the lines of the film are registered, and the seats come in order when the returns are closed.
#[test]
fn seats_are_registered_from_the_film_in_any_order() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; dealer registered; dealer open; dealer close
         supervisor void-by-law 1 malfunction with manager; supervisor film 1 3 sum:4 200 with manager
         supervisor film 1 2 small 700 with manager; supervisor close-returns 1 with manager
         ? claims = 2/3 700 from-film 1, 3/2 200 from-film 1; ? house = -900",
    );
}

/// What the player of a registered bet owes is set off against what the film gives the same session.
#[test]
fn what_the_film_gives_is_set_off_within_the_session() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; dealer registered; dealer tick 0; supervisor correct 1 123 with manager
         ? owed = 0/1 1000 round 1; supervisor film 1 0 small 700 with manager; ? owed = 0/1 1000 round 1
         supervisor close-returns 1 with manager; ? owed = -; ? claims = 0/1 400 from-film 1",
    );
}

/// A corrected round owes what wins by the new dice. When it comes to stand otherwise again, the returns are open again, and closing
/// them makes up the difference.
#[test]
fn a_correction_is_made_good_from_the_film_and_corrected_again() {
    on(
        &LIVE,
        "round 456; dealer registered; supervisor correct 1 123 with manager
         supervisor film 1 2 sum:9 700 with manager = !losing-box; supervisor film 1 2 small 700 with manager
         supervisor close-returns 1 with manager; ? claims = 2/1 1400 from-film 1; ? house = -1400
         shift rule void 1 with manager; ? claims = 2/1 1400 from-film 1; ? house = -1400
         supervisor film 1 3 odd 300 with manager = !box-not-on-layout; supervisor film 1 3 sum:4 300 with manager
         supervisor close-returns 1 with manager; ? house = -1000; ? claims = 2/1 700 from-film 1, 3/2 300 from-film 1
         shift rule settle 1 123 with manager; supervisor close-returns 1 with manager; ? house = -1400
         supervisor close-returns 1 with manager = !not-held",
    );
}

/// What was registered after the dice is settled again with the slip: the film does not pay it twice.
#[test]
fn what_was_registered_after_the_dice_is_not_registered_from_the_film() {
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; dealer registered; dealer tick 0; supervisor void-by-law 1 malfunction with manager
         supervisor film 1 0 big 500 with manager = !already-registered
         supervisor film 1 1 big 500 with manager = !already-registered
         supervisor film 1 1 sum:15 500 with manager = !already-registered; supervisor film 1 0 small 500 with manager
         supervisor close-returns 1 with manager; ? owed = -; ? claims = -",
    );
    // The dice are corrected while winners are registered: what was registered of a box that loses then stays on the slip.
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; supervisor correct 1 123 with manager; dealer registered; ? house = 500
         shift rule settle 1 456 with manager; ? house = -500; supervisor film 1 0 big 500 with manager = !already-registered
         supervisor film 1 1 big 700 with manager; supervisor close-returns 1 with manager; ? house = -1900",
    );
    // So does what was registered when a round was void, before its chips were collected.
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; shift rule void 1 with manager; ? house = 0
         shift rule settle 1 456 with manager; ? house = -500; supervisor film 1 0 big 500 with manager = !already-registered
         supervisor film 1 1 big 700 with manager; supervisor close-returns 1 with manager; ? house = -1200",
    );
}

/// 5.1.1: a losing box over its maximum was registered as a whole.
#[test]
fn a_losing_box_that_was_registered_is_not_registered_from_the_film() {
    on(
        &BOXED,
        "supervisor limits unit=100 sum=200..1000 diff=5000
         round 456; dealer total sum:6 1500; dealer register 0 sum:6 1500; dealer registered
         supervisor correct 1 123 with manager; supervisor film 1 2 sum:6 500 with manager = !already-registered",
    );
}

/// 1.3, 5.1.2: a round that is void before all is registered, and settled by a ruling, counts pro rata of what was announced.
#[test]
fn what_was_announced_and_not_registered_has_its_share_of_what_counts() {
    on(
        &BOXED,
        "supervisor limits unit=100 big=500..10000 small=500..10000 sum=200..1000 diff=5000
         round 456; dealer total big 10000; dealer register 0 big 4000; dealer register 1 big 2000
         supervisor void-damaged 1 1 with manager; ? owed = -; shift rule settle 1 123 with manager
         ? owed = 0/1 2000 round 1, 1/2 1000 round 1; ? house = 3000",
    );
}

/// 5.1.1: lines from the film are apportioned by the maximum and the Differential of their round, once all of them are known.
#[test]
fn lines_from_the_film_are_apportioned_when_the_returns_are_closed() {
    let limits = "supervisor limits unit=100 big=500..10000 small=500..10000 sum=200..1000 diff=5000";
    let later = "supervisor limits unit=200 big=200..99800 small=200..99800 diff=99800";
    // Big was registered as a whole: 1000 + 5000 is the most that counts on Small, two thirds of it of seat 1.
    on(
        &BOXED,
        &format!(
            "{limits}; round 456; dealer register 0 big 1000; dealer registered; {later}; supervisor correct 1 123 with manager
             supervisor film 1 1 small 6000 with manager; supervisor film 1 2 small 4000 with manager
             supervisor film 1 1 small 2000 with manager; supervisor close-returns 1 with manager
             ? claims = 1/2 12000 from-film 1, 2/3 6000 from-film 1"
        ),
    );
    // The film of another box shows what lies opposite, and 5.1.2: a stake below the minimum counts in full.
    on(
        &BOXED,
        &format!(
            "{limits}; round 222; dealer registered; supervisor correct 1 123 with manager
             supervisor film 1 1 small 8000 with manager; supervisor film 1 2 small 400 with manager
             supervisor film 1 3 big 2000 with manager; supervisor close-returns 1 with manager
             ? claims = 1/1 14600 from-film 1, 2/2 800 from-film 1"
        ),
    );
    // What the Dealer has announced counts, and a void round returns everything.
    on(
        &BOXED,
        &format!(
            "{limits}; round 456; dealer total small 9000; dealer register 0 big 10000; dealer registered; {later}
             supervisor correct 1 222 with manager; supervisor correct 1 123 with manager
             supervisor film 1 1 small 9000 with manager; supervisor close-returns 1 with manager; ? claims = 1/2 18000 from-film 1
             shift rule void 1 with manager; supervisor close-returns 1 with manager; ? claims = 1/2 9000 from-film 1"
        ),
    );
    // A box of which a part was registered is apportioned with that part.
    on(
        &BOXED,
        &format!(
            "{limits}; round 456; dealer register 0 sum:15 1000; supervisor correct 1 123 with manager; dealer registered
             shift rule settle 1 456 with manager; ? chips = 18000; supervisor film 1 1 sum:15 1000 with manager
             supervisor close-returns 1 with manager; ? owed = 0/1 9000 round 1; ? claims = 1/2 10000 from-film 1"
        ),
    );
}

/// The limits and totals that the film is counted by are those of the round: a slip with others is refused.
#[test]
fn a_slip_with_other_limits_or_totals_is_refused() {
    let mut installation = TestInstallation::winners_apart(TAI_SAI);
    installation.run("round 456; dealer total small 300; dealer register 0 big 500; dealer registered; quiet");
    let right = installation.house.slip(CLUSTER, RoundNumber(1)).expect("a slip").clone();
    assert!(right.limits.is_some());
    let mut wider = right.clone();
    wider.limits.as_mut().expect("limits").differential = None;
    let (none, unannounced) = (Slip { limits: None, ..right.clone() }, Slip { told: Vec::new(), ..right.clone() });
    let number = installation.cluster().followed() + 1;
    let notice = Notice::Corrected { round: RoundNumber(1), dice: dice("123") };
    let follow = |slip| ClusterCommand::Follow { number, notice: notice.clone(), slip: Some(slip) };
    for wrong in [wider, none, unannounced] {
        let decision = installation.ask_cluster(Actor::System, follow(wrong));
        assert_eq!(decision, Decision::Refused(Refusal::SlipDiffers));
    }
    assert!(matches!(installation.ask_cluster(Actor::System, follow(right)), Decision::Accepted(_)));
}

/// A wrong line is taken off by two people before the returns are closed; one that was paid is taken back when they are closed again.
#[test]
fn a_line_from_the_film_is_taken_off() {
    on(
        &LIVE,
        "round 456; dealer registered; supervisor void-by-law 1 malfunction with manager
         supervisor film 1 1 small 700 with manager; supervisor film 1 2 small 500 with manager
         supervisor unfilm 1 1 with manager; supervisor unfilm 1 1 with manager = !no-such-bet
         supervisor film 1 3 small 300 with manager; supervisor close-returns 1 with manager
         ? claims = 2/1 500 from-film 1, 3/2 300 from-film 1; supervisor unfilm 1 2 with manager = !not-held
         shift rule settle 1 123 with manager; supervisor unfilm 1 2 with manager; supervisor close-returns 1 with manager
         ? claims = 3/2 300 from-film 1, 3/2 300 from-film 1; ? house = -600",
    );
}

/// F81: what the film gave is not taken back after force majeure: the House bears it, and the claim stays.
#[test]
fn what_the_film_gave_is_borne_after_force_majeure() {
    on(
        &LIVE,
        "round 456; dealer registered; supervisor correct 1 123 with manager; supervisor film 1 2 small 700 with manager
         supervisor close-returns 1 with manager; ? claims = 2/1 1400 from-film 1
         supervisor void-by-law 1 force-majeure with manager; supervisor close-returns 1 with manager
         ? claims = 2/1 1400 from-film 1; ? owed = 2/1 700 round 1",
    );
}

/// A round that was void first was handed back on the layout: settled by a ruling, a winner is owed the profit and a loser owes.
#[test]
fn a_void_round_that_a_ruling_settles_is_reckoned_from_what_was_handed_back() {
    on(
        &LIVE,
        "dealer open; dealer close; dealer activate; dealer tumbled 1; dealer void few-tumbles; ? phase = void
         shift rule settle 1 456 with manager; supervisor film 1 0 big 500 with manager
         supervisor film 1 1 small 500 with manager; supervisor close-returns 1 with manager
         ? claims = 0/1 500 from-film 1; ? owed = 1/2 500 round 1",
    );
    // What was registered was handed back as well: the rest is given.
    on(
        &LIVE,
        "round 456; dealer register 0 big 500; shift rule void 1 with manager; ? pay 0 = 500 given 500 house 0
         shift rule settle 1 456 with manager; ? pay 0 = 1000 given 500 house 0; ? chips = 500
         shift rule settle 1 123 with manager; ? pay 0 = 0 given 500 house -500; ? owed = 0/1 500 round 1; ? chips = 0",
    );
}

/// What a seat gets for a box: paid, with what is returned.
type ExpectedPay = BTreeMap<(Seat, BetBox), i64>;

fn gets(cluster: &Cluster) -> ExpectedPay {
    let lines = cluster.pay_list().expect("a pay list").lines;
    let gets = |line: &PayLine| ((line.seat, line.bet_box), line.pays.cents() + line.returned.cents());
    lines.iter().map(gets).filter(|(_, cents)| *cents > 0).collect()
}

/// What the Dealer registers of a slip by the dice: totals that are asked for, and all of each box that wins or is over its limit.
fn register(installation: &mut TestInstallation, slip: &str, over: &[BetBox]) {
    let dice = installation.cluster().thrown().expect("the dice");
    let bets = slip.split("; ").filter_map(|bet| bet.strip_prefix("player bet "));
    let bets: Vec<(&str, BetBox, i64)> = bets
        .map(|bet| {
            let words: Vec<_> = bet.split(' ').collect();
            (words[0], words[1].parse().expect("a box"), words[2].parse().expect("an amount"))
        })
        .collect();
    let layout = installation.cluster().rules().layout().clone();
    let total = |of: BetBox| bets.iter().filter(|(_, bet_box, _)| *bet_box == of).map(|(.., cents)| cents).sum::<i64>();
    for bet_box in over {
        if !matches!(layout.outcome(*bet_box, dice), Some(Outcome::Won(_))) {
            installation.run(&format!("dealer total {bet_box} {}", total(*bet_box)));
            let opposite = bet_box.opposite().filter(|opposite| layout.has(*opposite));
            if let Some(opposite) = opposite.filter(|opposite| {
                installation.cluster().required_registration(*opposite) == Some(RequiredRegistration::Total)
            }) {
                installation.run(&format!("dealer total {opposite} {}", total(opposite)));
            }
        }
    }
    for (seat, bet_box, cents) in &bets {
        if matches!(layout.outcome(*bet_box, dice), Some(Outcome::Won(_))) || over.contains(bet_box) {
            installation.run(&format!("dealer register {seat} {bet_box} {cents}"));
        }
    }
    for bet_box in layout.boxes() {
        if installation.cluster().required_registration(*bet_box) == Some(RequiredRegistration::Total) {
            installation.run(&format!("dealer total {bet_box} {}", total(*bet_box)));
        }
    }
    installation.run("dealer registered; ? phase = settled");
}

/// The same chips and the same dice are paid the same, whichever way they are registered: every throw.
#[test]
fn both_ways_pay_the_same_on_every_throw() {
    let slips = [
        "player bet 0 big 1000; player bet 1 small 700; player bet 2 sum:9 300; player bet 0 single:4 500; player bet 1 any-triple 100",
        "player bet 0 big 15000; player bet 1 big 8000; player bet 2 small 400; player bet 3 big 300; player bet 0 triple:2 500",
        "player bet 0 small 9000; player bet 1 big 20000; player bet 2 sum:11 1500; player bet 3 sum:11 700; player bet 0 sum:11 100",
        "player bet 0 double:1 700; player bet 1 domino:12 900; player bet 2 domino:12 800; player bet 3 small 6100; player bet 0 single:1 2000",
    ];
    for game in LIVE {
        let limits = if BOXED.contains(&game) {
            "supervisor limits unit=100 big=500..10000 small=500..10000 sum=200..1000 domino=100..1000 diff=5000"
        } else {
            ""
        };
        for slip in slips {
            for dice in Dice::all() {
                let throw = format!("throw {}", dice.to_string().replace(' ', ""));
                let mut every = TestInstallation::new(game);
                every.run(&format!("{limits}; dealer open; {slip}; dealer close"));
                let over: Vec<_> = every.cluster().excess().map(|(bet_box, ..)| bet_box).collect();
                every.run(&throw);
                let mut winners = TestInstallation::winners(game);
                winners.run(&format!("{limits}; dealer open; dealer close; {throw}"));
                register(&mut winners, slip, &over);
                assert_eq!(gets(every.cluster()), gets(winners.cluster()), "{game} {slip}, {dice}");
            }
        }
    }
}
