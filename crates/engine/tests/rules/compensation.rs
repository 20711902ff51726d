//! "Whose money is taken back": corrections, late voids and reinstatements touch the free credits of the same open
//! session and nothing else; the rest is a receivable or a claim. Only the round's own slip is settled again.

use taisai_rules::BetBox;
use taisai_table::{
    Chips, ClusterCommand, Decision, Notice, Profile, Refusal, RoundNumber, Seat, SessionId, Slip, SlipLine,
};

use crate::cluster::LIVE;
use crate::installation::{CLASSIC, CLUSTER, ETG, GAMES, OPEN_COVER, TAI_SAI, TestInstallation, dice};
use crate::round::check;
use crate::script::reason;

const WON: &str = "fund 0 5000; dealer open; player bet 0 big 500; deal 456";
const LOST: &str = "fund 0 5000; dealer open; player bet 0 big 500; deal 123";

/// Scripts that begin with a round won or lost on Big.
fn check_after(before: &str, games: &[&'static str], rows: &[&str]) {
    for script in rows {
        check(&[(games, &format!("{before}; {script}"))]);
    }
}

#[test]
fn an_open_session_is_put_right_at_once() {
    check_after(
        WON,
        &[ETG],
        &[
            "supervisor correct 1 123 with manager; ? credits 0 = 4500; ? house = 500; ? owed = -; ? claims = -",
            "supervisor correct 1 455 with manager; ? credits 0 = 5500; ? house = -500; ? owed = -; ? claims = -",
            "manager void-by-law 1 malfunction with shift; ? credits 0 = 5000; ? house = 0; ? owed = -
             ? claims = -",
            "supervisor void-damaged 1 1 with manager; ? credits 0 = 5000; supervisor void-damaged 1 1 with manager
             ? credits 0 = 5000",
            // Each act compensates the latest state.
            "supervisor correct 1 123 with manager; supervisor correct 1 444 with manager; ? credits 0 = 4500
             supervisor correct 1 446 with manager; ? credits 0 = 5500; supervisor correct 1 123 with manager
             ? credits 0 = 4500
             manager void-by-law 1 malfunction with shift; ? credits 0 = 5000; shift rule void 1 with manager; ? credits 0 = 5000
             shift rule settle 1 456 with manager; ? credits 0 = 5500; shift rule void 1 with manager; ? credits 0 = 5000; ? house = 0
             shift rule settle 1 123 with manager; ? credits 0 = 4500; shift rule settle 1 456 with manager; ? credits 0 = 5500",
            // A lost terminal and a locked one are put right like others; a later round is not touched (5.6).
            "system lost 0; supervisor correct 1 123 with manager; ? credits 0 = 4500",
            "dealer open; player bet 0 small 300; supervisor correct 1 123 with manager; ? bets 0 = small 300
             ? credits 0 = 4200
             deal 124; ? credits 0 = 4800; ? past 2 = 124 124 - 7 9 1",
        ],
    );
    check_after(
        LOST,
        &[ETG],
        &[
            "supervisor correct 1 456 with manager; ? credits 0 = 5500; ? house = -500; ? claims = -",
            "manager void-by-law 1 malfunction with shift; ? credits 0 = 5000; ? house = 0; ? claims = -",
        ],
    );
    // A round that was void in play, reinstated: what was returned is taken, what was won is paid.
    check(&[
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; dealer interrupt; ? credits 0 = 5000
                  shift rule settle 1 123 with manager
                  ? credits 0 = 4500; ? house = 500; ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; dealer interrupt; shift rule settle 1 456 with manager
                  ? credits 0 = 5500",
        ),
    ]);
}

#[test]
fn what_cannot_be_taken_is_a_receivable() {
    check_after(
        WON,
        &[ETG],
        &[
            // Partly spent: only free credits, never the bet on the layout.
            "dealer open; player bet 0 small 5200; ? credits 0 = 300; supervisor correct 1 123 with manager
             ? credits 0 = 0; ? layout 0 = 5200; ? bets 0 = small 5200; ? owed = 0/1 700 round 1; ? house = 500
             ? transit = -700",
            "dealer open; player bet 0 small 4500; supervisor correct 1 123 with manager; ? credits 0 = 0; ? owed = -",
            "dealer open; player bet 0 small 4600; manager void-by-law 1 malfunction with shift; ? credits 0 = 400
             ? owed = -",
            "dealer open; player bet 0 small 5500; manager void-by-law 1 malfunction with shift; ? credits 0 = 0
             ? owed = 0/1 500 round 1
             deal 123; ? credits 0 = 11000; ? owed = 0/1 500 round 1",
            // A later session at the same terminal, and a printed voucher, are never touched.
            "player voucher 0 7; supervisor correct 1 123 with manager; ? owed = 0/1 1000 round 1; ? vouchers = 5500",
            "player voucher 0 7; fund 0 9000; ? session 0 = 2; supervisor correct 1 123 with manager; ? credits 0 = 9000
             ? owed = 0/1 1000 round 1; supervisor correct 1 456 with manager; ? credits 0 = 9000
             ? owed = -; ? claims = -",
            // Message by message: what is owed is on its way, then with the House, then confirmed.
            "player voucher 0 7; quiet; supervisor correct 1 123 with manager; carry-one; ? transit = 4500; carry-one
             ? owed = -; carry-one; ? owed = 0/1 1000 round 1; carry-one; ? transit = 4500; carry",
            "player hand-pay 0; supervisor void-damaged 1 1 with manager; ? owed = 0/1 500 round 1
             ? claims = 0/1 5500 cash-out",
        ],
    );
    // At a live table chips can be given, but those that were given are not taken.
    check_after(
        WON,
        &LIVE,
        &[
            "dealer tick 0; ? chips = 500; supervisor correct 1 123 with manager; ? chips = 500; ? owed = 0/1 1000 round 1
             ? house = 500",
            "dealer tick 0; manager void-by-law 1 malfunction with shift; ? owed = 0/1 500 round 1; ? house = 0",
            "dealer leave 0; dealer open; player bet 0 big 500; shift rule settle 1 123 with manager
             ? owed = 0/1 1000 round 1; ? bets 0 = big 500",
        ],
    );
}

/// "Colour Chips: returned and paid in the same set", also late; what the set's value cannot express is in cash chips, and
/// what own chips have won is no Colour Chip.
#[test]
fn what_colour_chips_won_is_paid_in_the_set() {
    let lost = "dealer issue 0 4 500 6; dealer open; player bet-colour 0 big 500; deal 123; ? colour 0 = 4 500 2500";
    check_after(
        lost,
        &[CLASSIC],
        &[
            "supervisor correct 1 456 with manager; ? colour 0 = 4 500 3500; ? chips = 0; ? house = -500; ? claims = -",
            "manager void-by-law 1 malfunction with shift; ? colour 0 = 4 500 3000; ? chips = 0; ? house = 0",
            // Given, never taken.
            "supervisor correct 1 456 with manager; dealer tick 0; supervisor correct 1 123 with manager; ? colour 0 = 4 500 3500
             ? owed = 0/1 1000 round 1",
            // The set is converted: cash chips.
            "dealer redeem 0; ? chips = 2500; supervisor correct 1 456 with manager; ? colour 0 = -; ? chips = 3500",
            // The player is gone.
            "dealer redeem 0; dealer leave 0; supervisor correct 1 456 with manager; ? claims = 0/1 1000 correction 1
             ? chips = 2500",
        ],
    );
    check(&[
        (
            &[CLASSIC],
            "dealer issue 0 4 500 6; dealer open; player bet-colour 0 small 500; player bet 0 big 700; deal 123
             ? colour 0 = 4 500 3500; ? chips = -700; dealer tick 0; supervisor correct 1 456 with manager; ? colour 0 = 4 500 3500
             ? chips = -300",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 4 500 6; dealer open; player bet-colour 0 big 500; player bet 0 single:5 700; deal 112
             supervisor correct 1 445 with manager; ? colour 0 = 4 500 3500; ? chips = 700",
        ),
        // 1000 won in the set less 600 lost in cash chips: 400 is less than a chip of the set.
        (
            &[CLASSIC],
            "dealer issue 0 4 500 6; dealer open; player bet-colour 0 big 500; player bet 0 small 300; deal 123
             ? colour 0 = 4 500 2500; ? chips = 300; dealer tick 0; supervisor correct 1 456 with manager; ? colour 0 = 4 500 2500
             ? chips = 700",
        ),
    ]);
}

#[test]
fn what_is_owed_to_a_closed_session_is_a_claim() {
    check_after(
        LOST,
        &[ETG],
        &[
            "player voucher 0 7; supervisor correct 1 456 with manager; ? claims = 0/1 1000 correction 1
             ? house = -500",
            "player voucher 0 7; fund 0 300; supervisor correct 1 456 with manager; ? claims = 0/1 1000 correction 1
             ? credits 0 = 300",
            "player voucher 0 7; supervisor void-damaged 1 1 with manager; ? claims = 0/1 500 void 1; ? house = 0",
        ],
    );
    check_after(
        LOST,
        &LIVE,
        &[
            "? chips = -500; supervisor correct 1 456 with manager; ? chips = 500; ? claims = -; ? house = -500",
            "dealer leave 0; supervisor correct 1 456 with manager; ? chips = -500; ? claims = 0/1 1000 correction 1",
            "dealer leave 0; manager void-by-law 1 malfunction with shift; ? claims = 0/1 500 void 1",
            // One who has walked away from a later round does not sit there any more.
            "dealer open; player bet 0 big 500; dealer walk 0; shift rule settle 1 456 with manager
             ? claims = 0/1 1000 correction 1",
        ],
    );
    check(&[(
        &LIVE,
        "dealer open; player bet 0 big 500; dealer walk 0; deal 123; ? claims = -
                 supervisor correct 1 456 with manager
                 ? claims = 0/1 1000 correction 1; dealer open; player bet 0 big 500; ? session 0 = 2",
    )]);
}

/// A player with neither credits nor a bet when the next round opens has left: nothing is put on an empty terminal.
#[test]
fn an_empty_terminal_gets_no_credits() {
    check(&[
        (
            &[ETG],
            "fund 0 500; dealer open; player bet 0 big 500; deal 123; ? session 0 = 1; supervisor correct 1 456 with manager
             ? credits 0 = 1000",
        ),
        (
            &[ETG],
            "fund 0 500; dealer open; player bet 0 big 500; deal 123; dealer open; ? session 0 = -
             supervisor correct 1 456 with manager; ? credits 0 = 0; ? claims = 0/1 1000 correction 1",
        ),
    ]);
}

/// Within a session what is owed and what owes cancel, whichever comes first; credits cashed out, and winnings of later rounds, are
/// untouched (5.8).
#[test]
fn claims_and_receivables_of_a_session_are_set_off() {
    check_after(
        WON,
        &[ETG],
        &[
            // A debt first: what a later correction gives shrinks it, and pays the rest.
            "player voucher 0 7; supervisor correct 1 123 with manager; ? owed = 0/1 1000 round 1
             manager void-by-law 1 malfunction with shift; ? owed = 0/1 500 round 1; ? claims = -
             shift rule settle 1 456 with manager; ? owed = -; ? claims = -",
            // Another session's debt is its own.
            "player voucher 0 7; supervisor correct 1 123 with manager; fund 0 500; dealer open; player bet 0 big 500; deal 123
             player leave 0; supervisor correct 2 456 with manager; ? owed = 0/1 1000 round 1
             ? claims = 0/2 1000 correction 2",
            // Credits cashed out by hand stay whole.
            "player hand-pay 0; supervisor correct 1 123 with manager; ? claims = 0/1 5500 cash-out; ? owed = 0/1 1000 round 1",
        ],
    );
    check_after(
        LOST,
        &[ETG],
        &[
            // A claim first: it shrinks before a receivable is opened.
            "player voucher 0 7; supervisor correct 1 456 with manager; ? claims = 0/1 1000 correction 1
             manager void-by-law 1 malfunction with shift; ? claims = 0/1 500 correction 1; ? owed = -
             shift rule settle 1 123 with manager; ? claims = -; ? owed = -",
            // Two rounds of one session.
            "dealer open; player bet 0 big 300; deal 456; player voucher 0 7; supervisor correct 2 123 with manager
             ? owed = 0/1 600 round 2; supervisor correct 1 456 with manager; ? owed = -; ? claims = 0/1 400 correction 1",
        ],
    );
    // An open session that owes: a later correction goes to the House, which sets it off.
    check_after(
        WON,
        &[ETG],
        &["dealer open; player bet 0 small 5500; supervisor correct 1 123 with manager; ? owed = 0/1 1000 round 1; deal 456
           supervisor correct 2 123 with manager; ? credits 0 = 10000; ? owed = -; ? claims = -"],
    );
    check_after(
        WON,
        &LIVE,
        &["dealer tick 0; supervisor correct 1 123 with manager; ? owed = 0/1 1000 round 1; ? chips = 500
           supervisor correct 1 456 with manager; ? owed = -; ? chips = 500; ? claims = -"],
    );
    // 5.3: what the bets of one who walked away came to shrinks by the correction of that round only.
    check(&[
        (
            &LIVE,
            "dealer open; player bet 0 big 500; dealer walk 0; deal 456; ? claims = 0/1 1000 walked-away 1
             supervisor correct 1 123 with manager; ? claims = -; ? owed = -",
        ),
        (
            &LIVE,
            "dealer open; player bet 0 big 500; deal 456; dealer open; player bet 0 big 500; dealer walk 0; deal 456
             shift rule settle 1 123 with manager; ? claims = 0/1 1000 walked-away 2; ? owed = 0/1 1000 round 1",
        ),
    ]);
}

/// F81: winnings are taken back only where that was displayed, and never after force majeure; what the House bears is not paid
/// twice.
#[test]
fn winnings_are_taken_back_only_where_it_was_displayed() {
    check_after(
        WON,
        &[ETG],
        &["manager void-by-law 1 force-majeure with shift; ? credits 0 = 5500; ? house = 0; ? claims = -
           shift rule settle 1 456 with manager; ? credits 0 = 5500; ? claims = -"],
    );
    check_after(LOST, &[ETG], &["manager void-by-law 1 force-majeure with shift; ? credits 0 = 5000; ? house = 0"]);
    let mut profile = Profile::singapore();
    profile.law.takes_back = false;
    let mut installation = TestInstallation::ready(ETG, "A", &profile);
    installation.run(&format!("{WON}; supervisor correct 1 123 with manager; ? credits 0 = 5500; ? claims = -"));
    installation.run("supervisor correct 1 456 with manager; ? credits 0 = 5500; ? claims = -");
}

/// What counted at the close counts again, by the unit of that time; each seat by its own lines.
#[test]
fn a_round_is_settled_again_as_it_was_counted() {
    check(&[
        (
            &[TAI_SAI, OPEN_COVER],
            "supervisor limits unit=100 big=..1000; dealer open; player bet 0 big 1500; player bet 1 big 500 small 100
             deal 123
             ? house = 900; ? chips = -900; supervisor limits unit=500 big=..9000
             supervisor correct 1 456 with manager; ? house = -900; ? chips = 900; dealer tick 0; dealer tick 1
             manager void-by-law 1 malfunction with shift; ? house = 0; ? owed = 0/1 800 round 1, 1/2 100 round 1",
        ),
        (
            &[ETG],
            "fund 0 5000; fund 1 5000; dealer open; player bet 0 big 500 small 500 sum:15 200; player bet 1 small 300
             deal 456
             ? credits 0 = 8800; ? credits 1 = 4700; supervisor correct 1 124 with manager; ? credits 0 = 4800
             ? credits 1 = 5300
             manager void-by-law 1 malfunction with shift; ? credits 0 = 5000; ? credits 1 = 5000; ? house = 0",
        ),
        (
            &GAMES,
            "round 123; supervisor correct 1 456 with manager; manager void-by-law 1 malfunction with shift
                  ? house = 0",
        ),
        (
            &[CLASSIC],
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 500; deal 123; dealer redeem 0
                      dealer leave 0
                      supervisor void-damaged 1 1 with manager; ? claims = 0/1 500 void 1; ? house = 0",
        ),
    ]);
}

/// F31: what is bet less what is won and returned is the result of the House, however often it is settled again.
#[test]
fn meters_follow_what_is_settled_again() {
    for act in [
        "supervisor correct 1 123 with manager",
        "manager void-by-law 1 malfunction with shift",
        "player voucher 0 7; fund 0 300; supervisor correct 1 123 with manager; ? session-meters 0 = 300 0 0 0 0 0 0",
        "shift rule void 1 with manager; shift rule settle 1 446 with manager; shift rule settle 1 124 with manager",
    ] {
        let mut installation = TestInstallation::new(ETG);
        installation
            .run(&format!("fund 0 5000; dealer open; player bet 0 big 500 small 100; deal 456; round 111; {act}"));
        for (whose, meters) in
            [("seat", installation.cluster().seat_meters(Seat(0))), ("cluster", installation.cluster().meters())]
        {
            let result = meters.bet.cents() - meters.won.cents() - meters.returned.cents();
            assert_eq!(result, installation.cluster().ledger().house.cents(), "{act}: {whose} {meters:?}");
            let is_void = act.contains("void-by-law");
            assert_eq!((meters.rounds, meters.voids), (u32::from(!is_void), u32::from(is_void)), "{act}: {whose}");
        }
    }
}

/// `decide` refuses a slip whose digest differs: another round's, or the round's with anything changed.
#[test]
fn another_slip_is_refused() {
    let mut installation = TestInstallation::apart(ETG);
    installation
        .run("fund 0 5000; fund 1 5000; dealer open; player bet 0 big 500 small 300; player bet 1 small 300; deal 456");
    installation.run("dealer open; player bet 0 big 500 small 400; player bet 1 small 300; deal 456; quiet");
    let slip = |round| installation.house.slip(CLUSTER, RoundNumber(round)).expect("a slip").clone();
    let (right, other) = (slip(1), slip(2));
    let changed = |line: usize, change: fn(&mut SlipLine)| {
        let mut slip = right.clone();
        change(&mut slip.lines[line]);
        slip
    };
    let mut wrong = vec![
        other,
        Slip::default(),
        changed(0, |line| line.seat = Seat(2)),
        changed(0, |line| line.session = SessionId(2)),
        changed(1, |line| line.bet_box = BetBox::BIG),
        changed(0, |line| line.bet_box = "three:126".parse().expect("a box")),
        changed(0, |line| line.chips = Chips::Colour),
        changed(2, |line| line.units += 1),
        changed(2, |line| line.counted -= 1),
        changed(2, |line| line.counted += 1),
        changed(2, |line| (line.units, line.counted) = (u32::MAX, u32::MAX)),
        changed(0, |line| line.seat = Seat(u32::MAX)),
    ];
    for change in [&right.lines[..2], &right.lines[1..]].map(|lines| Slip { lines: lines.to_vec(), ..right.clone() }) {
        wrong.push(change);
    }
    let mut swapped = right.clone();
    swapped.lines.swap(0, 1);
    wrong.push(swapped);
    let mut longer = right.clone();
    longer.lines.push(right.lines[0]);
    wrong.push(longer);
    let round = RoundNumber(1);
    for notice in [Notice::Corrected { round, dice: dice("123") }, Notice::Voided { round, reason: reason("not-flat") }]
    {
        let number = installation.cluster().followed() + 1;
        let follow = |slip| ClusterCommand::Follow { number, notice: notice.clone(), slip };
        let before = installation.cluster().ledger();
        for slip in wrong.iter().cloned().map(Some).chain([None]) {
            let decision = installation.ask_cluster(taisai_table::Actor::System, follow(slip.clone()));
            assert_eq!(decision, Decision::Refused(Refusal::SlipDiffers), "{slip:?}");
        }
        assert_eq!(installation.cluster().ledger(), before);
        let decision = installation.ask_cluster(taisai_table::Actor::System, follow(Some(right.clone())));
        assert!(matches!(decision, Decision::Accepted(_)), "the right slip: {decision:?}");
    }
}
