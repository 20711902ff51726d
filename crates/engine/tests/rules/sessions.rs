//! Money in and out at a seat: sessions from first credit to cash-out, their meters, Colour Chips, and void rounds.

use taisai_table::{Actor, ClusterCommand, Decision, Seat, SessionId, Transfer, TransferPurpose};

use crate::cluster::LIVE;
use crate::installation::{CLASSIC, ETG, OPEN_COVER, TAI_SAI, TestInstallation, cents};
use crate::round::check;

/// Sessions and meters (F31), cash-out limits (F43). Meters: bought in, bet, won, returned, dispensed, rounds, voids.
#[test]
fn a_session_is_from_first_credit_to_cash_out() {
    check(&[
        (
            &[ETG],
            "? session 0 = -; dealer open; player bet 0 big 500 = !no-session; cashier cash 0 5000; ? session 0 = 1
             ? cash = -5000
             cashier cash 0 1000; ? session 0 = 1; player bet 0 big 500; player voucher 0 7 = !round-in-play
             player leave 0 = !not-cleared
             deal 456; ? credits 0 = 6500; ? session-meters 0 = 6000 500 1000 0 0 1 0; player leave 0 = !not-cleared
             player voucher 0 7; ? credits 0 = 0; ? session 0 = -; ? vouchers = 6500; ? transit = 6500
             ? session-meters 0 = 6000 500 1000 0 6500 1 0; player voucher 0 8 = !no-session
             player leave 0 = !no-session
             dealer open; player repeat 0 = !no-session; cashier cash 0 300; ? session 0 = 2
             player repeat 0 = !nothing-to-repeat
             ? session-meters 0 = 300 0 0 0 0 0 0; ? meters 0 = 6300 500 1000 0 6500 1 0",
        ),
        // A session without credits is left, not cashed out.
        (
            &[ETG],
            "fund 0 500; dealer open; player bet 0 big 500; deal 123; player voucher 0 7 = !not-enough-credits
             player hand-pay 0 = !not-enough-credits; t1 leave 0 = !not-allowed; player leave 0; ? session 0 = -",
        ),
        // Whoever buys in where nothing was left may be another player: no correction touches what is theirs.
        (
            &[ETG],
            "fund 0 500; dealer open; player bet 0 big 500; deal 123; fund 0 900; ? session 0 = 2
             ? session-meters 0 = 900 0 0 0 0 0 0; supervisor correct 1 456 with manager; ? credits 0 = 900
             ? claims = 0/1 1000 correction 1; supervisor correct 1 123 with manager; ? credits 0 = 900
             ? owed = -; ? claims = -",
        ),
        (
            &[ETG],
            "fund 0 500; dealer open; player bet 0 big 500; fund 0 900; ? session 0 = 1; deal 123; fund 0 100
             ? session 0 = 1",
        ),
        // A voucher up to the limit, above it by hand.
        (&[ETG], "fund 0 1000000; player voucher 0 7; ? vouchers = 1000000; ? claims = -"),
        (
            &[ETG],
            "fund 0 1000001; player voucher 0 7 = !over-house-limit; player hand-pay 0
             ? claims = 0/1 1000001 cash-out",
        ),
        // A person frees a seat by hand only.
        (
            &[ETG],
            "fund 0 500; t1 voucher 0 7 = !not-allowed; attendant voucher 0 7 = !not-allowed
             dealer hand-pay 0 = !not-allowed
             system hand-pay 0 = !not-allowed; attendant hand-pay 0; ? claims = 0/1 500 cash-out
             ? session 0 = -",
        ),
        // F23: cash-out stays possible when play is held, or the table closed.
        (
            &[ETG],
            "fund 0 500; dealer open; system restarted; player voucher 0 7
             ? vouchers = 500",
        ),
        (
            &[ETG],
            "fund 0 500; supervisor announce; round 123; supervisor close-table; player voucher 0 7
             ? vouchers = 500",
        ),
        // Colour Chips belong to an open table.
        (
            &[CLASSIC],
            "supervisor announce; round 123; supervisor close-table; dealer issue 0 4 500 6 = !table-not-open
             player bet 0 big 500 = !table-not-open; supervisor open-table; dealer issue 0 4 500 6",
        ),
        (
            &[ETG],
            "t0 cash 0 500 = !not-allowed; system cash 0 500 = !not-allowed
             manager cash 0 500 = !not-allowed; cashier cash 9 500 = !unknown-seat; cashier cash 0 0 = !bad-amount
             cashier cash 0 -1 = !bad-amount; cashier cash 0 1000000000000001 with manager = !amount-too-large
             cashier cash 0 1000001 = !second-person-missing; cashier cash 0 1000001 with cashier = !second-person-not-allowed
             cashier cash 0 1000000000000000 with manager; cashier cash 0 1 = !amount-too-large",
        ),
        (
            &LIVE,
            "cashier cash 0 500 = !not-in-game; dealer open; player bet 0 big 500; dealer leave 0 = !not-cleared
             deal 123
             auditor leave 0 = !not-allowed; dealer leave 0; ? session 0 = -; dealer leave 0 = !no-session",
        ),
    ]);
}

/// F40, F41: a voucher is paid as credits at a seat, once. What a seat cannot take goes back and is owed by hand.
#[test]
fn a_voucher_is_credits_at_a_seat() {
    let printed = "fund 0 5000; player voucher 0 7; fund 0 300; player voucher 0 8; ? vouchers = 5000, 300";
    let rows = [
        "system insert 1 7 = credits-sent; ? credits 1 = 5000; ? session 1 = 3; ? transit = 300; ? claims = -
         ? session-meters 1 = 5000 0 0 0 0 0 0; system insert 2 7 = !voucher-paid; ? credits 2 = 0
         system insert 1 8; ? credits 1 = 5300; ? session 1 = 3; ? transit = 0; dealer open; player bet 1 big 5300",
        // On their way they are nobody's to bet; both arrive in order.
        "quiet; system insert 1 7; system insert 1 8; ? credits 1 = 0; ? transit = 5300; carry-one; ? credits 1 = 5000
         carry-one; carry-one; ? credits 1 = 5300; ? transit = 0; carry",
        "system lost 1; system insert 1 7; ? credits 1 = 0; ? session 1 = -; ? claims = 1 5000 returned; ? transit = 5300
         system back 1; system insert 1 8; ? credits 1 = 300",
        "system insert 9 7; ? claims = 9 5000 returned; ? transit = 5300",
    ];
    for row in rows {
        check(&[(&[ETG], &format!("{printed}; {row}"))]);
    }
}

/// 5.12, 5.9 of the terminals: a void round returns every bet in full, exactly, in the chips it was placed with.
#[test]
fn a_void_round_returns_every_bet() {
    let rest = "? bets 0 = -; ? layout 0 = 0; ? house = 0; ? total big = 0";
    for void in ["dealer interrupt", "shift rule void 1 with manager", "supervisor void-damaged 1 1 with manager"] {
        for close in ["", "; dealer close"] {
            let before = "dealer open; player bet 0 big 500 sum:4 300; player bet 1 small 700";
            let script = format!(
                "fund 0 5000; fund 1 700; {before}{close}; {void}; {rest}; ? betting = idle; ? phase = void
                 ? claims = -; ? owed = -"
            );
            check(&[
                (&[ETG], &format!("{script}; ? credits 0 = 5000; ? credits 1 = 700; ? voids 0 = 1; ? voids 2 = 0")),
                (&LIVE, &format!("{script}; ? chips = 0; ? voids 1 = 1; ? voids 2 = 0")),
            ]);
        }
    }
    check(&[
        // Over the limits as well: all of it.
        (
            &[TAI_SAI, OPEN_COVER],
            "supervisor limits unit=100 big=..1000 diff=500; dealer open; player bet 0 big 5000; dealer interrupt
             ? chips = 0; ? house = 0; ? voids 0 = 1",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 1500; player bet 0 big 300; dealer interrupt
             ? colour 0 = 1 500 5000; ? chips = 0",
        ),
    ]);
}

/// Colour Chips (3.3 of the early edition): with one player at one value, paid in the same set, the rest in cash chips.
#[test]
fn colour_chips_are_paid_in_their_set() {
    check(&[
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; ? colour 0 = 1 500 5000; ? cash = -5000; ? session 0 = 1; dealer open
             player bet-colour 0 big 1500 single:4 500; ? colour 0 = 1 500 3000
             ? bets 0 = colour big 1500, colour single:4 500
             player bet-colour 0 big 1200 = !amount-off-unit; player bet-colour 0 big 3500 = !not-enough-credits
             player take-colour 0 big 500; ? colour 0 = 1 500 3500; ? chips = 0
             dealer redeem 0 = !round-in-play; player bet 0 big 300
             ? bets 0 = colour big 1000, colour single:4 500, big 300
             deal 456; ? colour 0 = 1 500 6500; ? chips = 300; ? house = -1800",
        ),
        // Own chips and Colour Chips on one box are two bets; both are doubled, cleared and repeated.
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 500; player bet 0 big 200
             player double 0
             ? bets 0 = colour big 1000, big 400; ? total big = 1400; player clear 0; ? colour 0 = 1 500 5000
             ? chips = 0
             player bet-colour 0 big 500; player bet 0 big 200; deal 123; dealer open; player repeat 0
             ? bets 0 = big 200, colour big 500; ? colour 0 = 1 500 4000",
        ),
        // More of one set, never a second one, and no set with two players.
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer issue 0 1 500 2; ? colour 0 = 1 500 6000
             dealer issue 0 1 1000 1 = !colour-in-use
             dealer issue 0 2 500 1 = !colour-in-use; dealer issue 1 1 500 1 = !colour-in-use
             dealer issue 1 2 1000 1
             dealer redeem 0; ? colour 0 = -; ? chips = 6000; dealer redeem 0 = !colour-in-use
             dealer issue 1 2 1000 1
             dealer issue 2 1 500 1; ? colour 2 = 1 500 500; ? meters 0 = 6000 0 0 0 6000 0 0",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 0 10 = !bad-amount; dealer issue 0 1 500 0 = !bad-amount
             dealer issue 0 1 550 10 = !amount-off-unit
             dealer issue 9 1 500 10 = !unknown-seat; manager issue 0 1 500 10 = !not-allowed
             t0 issue 0 1 500 1 = !not-allowed
             dealer issue 0 1 1000000000 4000000000 with manager = !amount-too-large
             dealer issue 0 1 1000 1001 = !second-person-missing; ? session 0 = -",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer leave 0 = !not-cleared; dealer redeem 0; dealer leave 0
             ? session 0 = -
             dealer open; player bet-colour 0 big 500 = !colour-in-use",
        ),
        // Whole chips only, on the layout and off it; none for one who has walked away.
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 1000
             player take-colour 0 big 100 = !amount-off-unit
             player take-colour 0 big 500; ? bets 0 = colour big 500; ? chips = 0",
        ),
        // What is taken off in one kind of chips leaves the other as it lies.
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 500; player bet 0 big 200
             player take-colour 0 big 500; player bet 0 big 100; ? bets 0 = big 300; player take 0 big 300
             ? bets 0 = -; ? chips = 0",
        ),
        (
            &[CLASSIC],
            "dealer open; player bet 0 big 500; dealer walk 0; dealer issue 0 1 500 10 = !no-session; deal 456
             ? claims = 0/1 1000 walked-away 1; dealer issue 0 1 500 10; ? session 0 = 2",
        ),
        (
            &[TAI_SAI, OPEN_COVER, ETG],
            "fund 0 5000; dealer issue 0 1 500 10 = !not-in-game; dealer open
             player bet-colour 0 big 500 = !not-in-game; dealer redeem 0 = !not-in-game
             ? bets 0 = -",
        ),
    ]);
}

/// What a player takes back goes to the seat that it was cashed out at, unless another session has begun there: then it goes back
/// to the House as a claim.
#[test]
fn credits_taken_back_are_put_where_no_other_session_has_begun() {
    for (before, credits, session, is_back) in [
        ("", "500", "2", false),
        ("fund 0 900", "900", "2", true),
        ("fund 0 900; dealer open; player bet 0 big 900; deal 123; player leave 0", "0", "-", true),
        ("fund 1 900", "500", "3", false),
        ("system lost 0", "0", "-", true),
    ] {
        let mut installation = TestInstallation::new(ETG);
        installation.run("fund 0 500; player hand-pay 0");
        installation.run(before);
        let sent = installation.cluster().outbox().count();
        let purpose = TransferPurpose::Credits { seat: Seat(0), session: Some(SessionId(1)) };
        let transfer = Transfer { number: 1, amount: cents(500), purpose };
        let decision = installation.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
        assert!(matches!(decision, Decision::Accepted(_)), "{before}: {decision:?}");
        assert_eq!(
            (&*installation.look(&["credits", "0"]), &*installation.look(&["session", "0"])),
            (credits, session),
            "{before}"
        );
        let back: Vec<_> = installation.cluster().outbox().skip(sent).map(|transfer| transfer.purpose).collect();
        let returned = [TransferPurpose::Returned { seat: Seat(0) }];
        assert_eq!(back, if is_back { &returned[..] } else { &[] }, "{before}");
        assert_eq!(installation.cluster().check(), Ok(()), "{before}");
    }
}
