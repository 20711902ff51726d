//! Refusals: every code of `LimitError` and `BetError`, reached by its smallest case, in their order of precedence;
//! units that break a payout; and amounts at the edge of 64 bits, which give an error and never a panic.

use taisai_rules::{
    BadUnit, Bet, BetBox, BetError, BoxLimit, Dice, Game, Games, Layout, LimitError, Limits, Money, PayoutError,
    SlipError, Unit,
};

const MAX: i64 = i64::MAX;
/// Key, minimum and maximum, in cents.
type Limit = (&'static str, Option<i64>, Option<i64>);
/// Player, box and amount in cents.
type Placed = (u8, &'static str, i64);

fn layout(name: &str) -> &'static Layout {
    let (game, id) = name.split_once(' ').expect("a game and a layout");
    Games::embedded().find(game, None).expect("an approved game").layout(id).expect("one of its layouts")
}

fn limits(layout: &Layout, unit: i64, boxes: &[Limit], differential: Option<i64>) -> Result<Limits, LimitError> {
    let limit = |(key, min, max): &Limit| {
        let (min, max) = (min.map(Money::from_cents), max.map(Money::from_cents));
        (key.parse().expect("a kind or a box"), BoxLimit { min, max })
    };
    let boxes: Vec<_> = boxes.iter().map(limit).collect();
    Limits::new(layout, Money::from_cents(unit), &boxes, differential.map(Money::from_cents))
}

fn settle(layout: &Layout, limits: &Limits, throw: [u8; 3], bets: &[Placed]) -> Result<(i64, i64), SlipError> {
    let bet = |(player, bet_box, amount): &Placed| Bet {
        player: *player,
        bet_box: bet_box.parse().expect("a box"),
        amount: Money::from_cents(*amount),
    };
    let dice = Dice::try_from(throw).expect("three dice");
    let house = layout.settle(limits, dice, bets.iter().map(bet))?.house;
    Ok((house.collected.cents(), house.paid_out.cents()))
}

/// Layout, unit, limits, Differential, and the code.
type RefusedLimits = (&'static str, i64, &'static [Limit], Option<i64>, &'static str);

const REFUSED_LIMITS: &[RefusedLimits] = &[
    ("tai-sai A", 0, &[], None, "bad-unit"),
    ("tai-sai A", -1, &[], None, "bad-unit"),
    ("tai-sai A", i64::MIN, &[], None, "bad-unit"),
    // The Electronic Table Game has no Differential, the early edition no limits at all.
    ("sic-bo-etg A", 1, &[], Some(0), "limit-not-in-game"),
    ("tai-sai-classic A", 1, &[], Some(0), "limit-not-in-game"),
    ("tai-sai-classic A", 1, &[("big", Some(0), None)], None, "limit-not-in-game"),
    ("tai-sai-classic A", 1, &[("big", None, Some(0))], None, "limit-not-in-game"),
    ("tai-sai A", 1, &[("big", Some(-1), None)], None, "bad-limit"),
    ("tai-sai A", 1, &[("big", None, Some(-1))], None, "bad-limit"),
    ("tai-sai A", 1, &[], Some(-1), "bad-limit"),
    ("tai-sai A", 1, &[], Some(i64::MIN), "bad-limit"),
    ("tai-sai A", 2, &[("big", Some(1), None)], None, "limit-off-unit"),
    ("tai-sai A", 2, &[("big", None, Some(1))], None, "limit-off-unit"),
    ("tai-sai A", 2, &[], Some(1), "limit-off-unit"),
    ("sic-bo-etg A", 2, &[("big", Some(1), None)], None, "limit-off-unit"),
    ("tai-sai A", 1, &[("big", Some(2), Some(1))], None, "limits-contradict"),
    ("tai-sai E", 1, &[("double:1", None, None)], None, "box-not-on-layout"),
    ("tai-sai C", 1, &[("four:6542", None, None)], None, "box-not-on-layout"),
    ("tai-sai C", 1, &[("pair:112", None, None)], None, "box-not-on-layout"),
    ("tai-sai A", 1, &[("sum", None, None), ("sum", None, None)], None, "limit-twice"),
    ("tai-sai A", 1, &[("sum:4", None, None), ("sum", None, None), ("sum:4", None, None)], None, "limit-twice"),
    // Unit, then what the game has, then the Differential's amount, then the boxes one after the other, kinds first.
    ("tai-sai-classic A", 0, &[("big", Some(-1), None)], Some(-1), "bad-unit"),
    ("tai-sai-classic A", 1, &[("big", Some(-1), None)], None, "limit-not-in-game"),
    ("sic-bo-etg A", 1, &[("big", Some(-1), None)], Some(-1), "limit-not-in-game"),
    ("tai-sai A", 2, &[("big", Some(-2), None)], Some(1), "limit-off-unit"),
    ("tai-sai A", 2, &[("odd", Some(4), Some(2))], None, "limits-contradict"),
    ("tai-sai A", 2, &[("sum:4", Some(1), None), ("big", Some(-2), None)], None, "bad-limit"),
];

#[test]
fn limits_are_refused_by_code() {
    for (name, unit, boxes, differential, code) in REFUSED_LIMITS {
        let found = limits(layout(name), *unit, boxes, *differential).map_or_else(|e| e.code(), |_| "accepted");
        assert_eq!(found, *code, "{name}, unit {unit}, {boxes:?}, Differential {differential:?}");
    }
}

/// One of each, with what it says. The match is there so that a new error must come into this table.
#[test]
fn a_refused_limit_says_what_is_wrong() {
    let unit = |cents| Unit::try_from(Money::from_cents(cents)).unwrap();
    let cents = Money::from_cents;
    for (found, expected, code, text) in [
        (
            limits(layout("tai-sai A"), 0, &[], None),
            LimitError::Unit(BadUnit),
            "bad-unit",
            "the unit must be at least 1 cent",
        ),
        (
            limits(layout("tai-sai-classic A"), 1, &[("big", None, Some(1))], None),
            LimitError::NotInGame { limit: "max" },
            "limit-not-in-game",
            "this game has no limit \"max\": leave it out",
        ),
        (
            limits(layout("tai-sai A"), 1, &[], Some(-7)),
            LimitError::Negative(cents(-7)),
            "bad-limit",
            "a limit of -7 cents is below zero",
        ),
        (
            limits(layout("tai-sai A"), 5, &[("big", Some(7), None)], None),
            LimitError::OffUnit { amount: cents(7), unit: unit(5) },
            "limit-off-unit",
            "a limit of 7 cents is not a whole multiple of the unit of 5 cents",
        ),
        (
            limits(layout("tai-sai A"), 5, &[("big", Some(10), Some(5))], None),
            LimitError::Contradict { min: cents(10), max: cents(5) },
            "limits-contradict",
            "a minimum of 10 cents is above the maximum of 5 cents",
        ),
        (
            limits(layout("tai-sai A"), 1, &[("three:126", None, None)], None),
            LimitError::NotOnLayout("three:126".parse().unwrap()),
            "box-not-on-layout",
            "three:126 is not on this layout: it can have no limit",
        ),
        (
            limits(layout("tai-sai A"), 1, &[("sum", None, None), ("sum", None, None)], None),
            LimitError::Twice("sum".parse().unwrap()),
            "limit-twice",
            "the limit for sum is given twice",
        ),
        (
            limits(layout("tai-sai A"), 1, &[("sum:4", None, None), ("sum:4", None, None)], None),
            LimitError::Twice("sum:4".parse().unwrap()),
            "limit-twice",
            "the limit for sum:4 is given twice",
        ),
    ] {
        match expected {
            LimitError::Unit(_)
            | LimitError::NotInGame { .. }
            | LimitError::Negative(_)
            | LimitError::OffUnit { .. }
            | LimitError::Contradict { .. }
            | LimitError::NotOnLayout(_)
            | LimitError::Twice(_) => assert_eq!(expected.code(), code),
        }
        assert_eq!(expected.to_string(), text);
        assert_eq!(found.unwrap_err(), expected);
    }
}

#[test]
fn limits_at_their_edges_are_accepted() {
    let accepted: &[(&str, i64, &[Limit], Option<i64>)] = &[
        ("tai-sai A", 1, &[("big", Some(1), Some(1))], Some(0)),
        // A kind that the layout does not have: one set of limits serves several layouts.
        ("tai-sai A", 1, &[("odd", Some(1), None), ("pair", None, Some(5))], None),
        ("tai-sai E", 1, &[("double", Some(1), None)], None),
        ("tai-sai A", 1, &[("big", Some(0), Some(0)), ("small", Some(MAX), Some(MAX))], Some(MAX)),
        ("tai-sai A", MAX, &[("sum", None, Some(MAX)), ("sum:4", None, None)], None),
        ("sic-bo-etg A", 100, &[("odd", Some(100), Some(200))], None),
        ("tai-sai-classic A", 100, &[("big", None, None)], None),
    ];
    for (name, unit, boxes, differential) in accepted {
        let found = limits(layout(name), *unit, boxes, *differential);
        let found = found.map(|limits| (limits.unit().cents(), limits.differential().map(Money::cents)));
        assert_eq!(found, Ok((*unit, *differential)), "{name}, unit {unit}, {boxes:?}, Differential {differential:?}");
    }
}

/// The most that counts is never more than 64 bits hold.
#[test]
fn a_cap_does_not_overflow() {
    let limits = limits(layout("tai-sai A"), 1, &[("big", None, Some(5))], Some(MAX)).unwrap();
    assert_eq!(limits.cap(BetBox::SMALL, Money::MAX), Money::MAX);
    assert_eq!(limits.cap(BetBox::BIG, Money::MAX), Money::from_cents(5));
    assert_eq!(limits.cap("sum:4".parse().unwrap(), Money::MAX), Money::MAX);
}

/// Layout, limits, bets, the bet at fault and the code: a unit of 2 cents, so that halves are paid.
type RefusedSlip = (&'static str, &'static [Limit], &'static [Placed], usize, &'static str);

const REFUSED_SLIPS: &[RefusedSlip] = &[
    ("tai-sai A", &[], &[(1, "odd", 2)], 0, "box-not-on-layout"),
    ("tai-sai A", &[], &[(1, "big", 0)], 0, "bad-amount"),
    ("tai-sai A", &[], &[(1, "big", -2)], 0, "bad-amount"),
    ("tai-sai A", &[], &[(1, "big", i64::MIN)], 0, "bad-amount"),
    ("tai-sai A", &[], &[(1, "big", 3)], 0, "amount-off-unit"),
    ("tai-sai A", &[], &[(1, "big", MAX - 1)], 0, "amount-too-large"),
    ("sic-bo-etg A", &[("big", None, Some(4))], &[(1, "big", 6)], 0, "over-limit"),
    ("sic-bo-etg A", &[("big", Some(4), None)], &[(1, "big", 2)], 0, "below-minimum"),
    // A box that is not there comes before its amount, an amount of nothing before the unit.
    ("tai-sai A", &[], &[(1, "odd", -3)], 0, "box-not-on-layout"),
    ("tai-sai A", &[], &[(1, "big", -3)], 0, "bad-amount"),
    // The first bad bet is the one reported.
    ("tai-sai A", &[], &[(1, "big", 2), (1, "big", 3), (1, "odd", 2)], 1, "amount-off-unit"),
    ("tai-sai A", &[], &[(1, "big", 2), (2, "big", 2), (1, "odd", 2), (1, "big", 0)], 2, "box-not-on-layout"),
    // One player's total is what the limit binds; the first of the bets that make it up is reported.
    ("sic-bo-etg A", &[("big", None, Some(4))], &[(2, "big", 4), (1, "big", 4), (1, "big", 2)], 1, "over-limit"),
    ("sic-bo-etg A", &[("sum", Some(4), None)], &[(2, "big", 2), (1, "sum:5", 2), (1, "sum:6", 2)], 1, "below-minimum"),
    ("sic-bo-etg A", &[("big", Some(2), Some(4))], &[(1, "big", 6), (1, "odd", 3)], 1, "amount-off-unit"),
    // Two halves of 64 bits on one box: too much for one player, at the second bet.
    ("tai-sai A", &[], &[(2, "small", 2), (1, "big", MAX - 1), (1, "big", 2)], 2, "amount-too-large"),
];

#[test]
fn slips_are_refused_by_bet_and_code() {
    for (name, boxes, bets, bet, code) in REFUSED_SLIPS {
        let layout = layout(name);
        let limits = limits(layout, 2, boxes, None).unwrap();
        let error = settle(layout, &limits, [1, 2, 4], bets).unwrap_err();
        assert_eq!((error.bet, error.why.code()), (*bet, *code), "{name}: {boxes:?}, {bets:?}: {error}");
        assert!(error.to_string().starts_with(&format!("bet {}: ", bet + 1)), "people count from one: {error}");
    }
}

#[test]
fn a_refused_bet_says_what_is_wrong() {
    let sum: BetBox = "sum:8".parse().unwrap();
    let cents = Money::from_cents;
    let (etg, tai_sai) = (layout("sic-bo-etg A"), layout("tai-sai A"));
    let refused = |layout, boxes: &[Limit], unit, bet: Placed| {
        settle(layout, &limits(layout, unit, boxes, None).unwrap(), [1, 2, 4], &[bet]).unwrap_err().why
    };
    let two = Unit::try_from(cents(2)).unwrap();
    for (found, expected, code, text) in [
        (
            refused(tai_sai, &[], 1, (1, "odd", 1)),
            BetError::NotOnLayout(BetBox::ODD),
            "box-not-on-layout",
            "odd is not on this layout: choose a box that is",
        ),
        (
            refused(tai_sai, &[], 1, (1, "big", -7)),
            BetError::NotPositive(cents(-7)),
            "bad-amount",
            "an amount of -7 cents is no bet: it must be above zero",
        ),
        (
            refused(tai_sai, &[], 2, (1, "big", 3)),
            BetError::OffUnit { amount: cents(3), unit: two },
            "amount-off-unit",
            "an amount of 3 cents is not a whole multiple of the unit of 2 cents",
        ),
        (
            refused(tai_sai, &[], 1, (1, "sum:8", MAX)),
            BetError::Payout(sum, PayoutError::TooLarge),
            "amount-too-large",
            "what counts on sum:8 cannot be paid at its odds: the payout is too large to be counted in 64-bit cents",
        ),
        // Broken, won or lost: 1 2 4 is no 8.
        (
            refused(etg, &[], 1, (1, "sum:8", 1)),
            BetError::Payout(sum, PayoutError::Broken),
            "broken-payout",
            "what counts on sum:8 cannot be paid at its odds: the payout is not a whole number of cents",
        ),
        (
            refused(etg, &[("sum", None, Some(4))], 2, (1, "sum:8", 6)),
            BetError::OverLimit { bet_box: sum, stake: cents(6), max: cents(4) },
            "over-limit",
            "6 cents on sum:8 is over the maximum of 4 cents",
        ),
        (
            refused(etg, &[("sum", Some(4), None)], 2, (1, "sum:8", 2)),
            BetError::BelowMinimum { bet_box: sum, stake: cents(2), min: cents(4) },
            "below-minimum",
            "2 cents on sum:8 is below the minimum of 4 cents",
        ),
    ] {
        match expected {
            BetError::NotOnLayout(_)
            | BetError::NotPositive(_)
            | BetError::OffUnit { .. }
            | BetError::TooLarge
            | BetError::Payout(..)
            | BetError::OverLimit { .. }
            | BetError::BelowMinimum { .. } => assert_eq!(expected.code(), code),
        }
        assert_eq!(found, expected);
        assert_eq!(found.to_string(), text);
    }
}

/// ETG 3.3 binds each player alone: what all have on a box is not limited, and nothing is pro-rated.
#[test]
fn terminals_are_bound_one_by_one() {
    let layout = layout("sic-bo-etg A");
    let limits = limits(layout, 2, &[("big", Some(2), Some(4))], None).unwrap();
    assert_eq!(settle(layout, &limits, [6, 6, 5], &[(1, "big", 4), (2, "big", 4), (3, "big", 2)]), Ok((0, 10)));
    assert_eq!(settle(layout, &limits, [1, 2, 4], &[(1, "big", 2), (2, "big", 4), (1, "big", 2)]), Ok((8, 0)));
}

#[test]
fn a_unit_of_one_cent_is_refused_where_halves_are_paid() {
    for game in Games::embedded().iter() {
        for layout in game.layouts() {
            let name = format!("{} {}", game.id(), layout.id());
            let halves = game.id() == "sic-bo-etg" && layout.id() != "C";
            let broken = layout.check_unit(Unit::CENT).err();
            assert_eq!(broken.is_some(), halves, "{name}");
            assert_eq!(layout.payouts("1 2 4".parse().unwrap(), Unit::CENT).is_err(), halves, "{name}");
            if let Some(broken) = broken {
                assert_eq!((broken.bet_box.text(), broken.error), ("sum:8", PayoutError::Broken), "{name}");
            }
            assert_eq!(layout.check_unit(Unit::try_from(Money::from_cents(2)).unwrap()), Ok(()), "{name}");
            let broken = layout.check_unit(Unit::try_from(Money::MAX).unwrap()).unwrap_err();
            assert_eq!(broken.error, PayoutError::TooLarge, "{name}");
        }
    }
}

/// The largest stake on Big whose payout fits, and one more.
#[test]
fn payouts_at_the_edge_of_64_bits() {
    for name in ["tai-sai-classic A", "tai-sai A", "sic-bo-etg C"] {
        let (layout, most) = (layout(name), MAX / 2);
        assert_eq!(settle(layout, &Limits::none(), [6, 6, 5], &[(1, "big", most)]), Ok((0, most)), "{name}");
        assert_eq!(settle(layout, &Limits::none(), [1, 2, 4], &[(1, "big", most)]), Ok((most, 0)), "{name}");
        let error = settle(layout, &Limits::none(), [1, 2, 4], &[(1, "big", most + 1)]).unwrap_err();
        assert_eq!(error.why, BetError::Payout(BetBox::BIG, PayoutError::TooLarge), "{name}, won or lost");
        let payouts = layout.payouts("6 6 5".parse().unwrap(), Unit::CENT).unwrap();
        assert_eq!(payouts.paid(BetBox::BIG, most), Some(Money::from_cents(MAX - 1)), "{name}");
        assert_eq!(payouts.paid(BetBox::BIG, most + 1), None, "{name}");
    }
}

/// Layout, box, and the largest stake whose payout fits: halves are paid on even stakes, and a Single Dice box by its
/// highest odds.
#[test]
fn the_largest_stake_is_that_of_the_highest_odds() {
    for (name, bet_box, most) in [
        ("sic-bo-etg A", "sum:8", MAX / 19 * 2),
        ("sic-bo-etg A", "double:4", MAX / 25 * 2),
        ("tai-sai A", "single:1", MAX / 13),
        ("tai-sai A", "triple:6", MAX / 181),
    ] {
        let (layout, bet_box) = (layout(name), bet_box.parse().unwrap());
        assert_eq!(layout.check_stake(bet_box, Money::from_cents(most)), Ok(()), "{name} {bet_box}");
        let more = layout.check_stake(bet_box, Money::from_cents(most + 2));
        assert_eq!(more, Err(PayoutError::TooLarge), "{name} {bet_box}");
    }
}

/// Each stake can be paid, their sum cannot be counted: on one box, and over the House.
#[test]
fn sums_beyond_64_bits_are_refused() {
    let half = MAX / 2;
    let one_box = [(1, "big", half), (2, "big", half), (3, "big", half)];
    let two_boxes = [(1, "big", half), (1, "single:6", MAX / 13), (2, "big", half)];
    for name in ["tai-sai-classic A", "tai-sai A", "sic-bo-etg C"] {
        for throw in [[6, 6, 5], [1, 2, 4]] {
            let error = settle(layout(name), &Limits::none(), throw, &one_box).unwrap_err();
            assert_eq!((error.bet, error.why.code()), (2, "amount-too-large"), "{name} on {throw:?}");
            let error = settle(layout(name), &Limits::none(), throw, &two_boxes).unwrap_err();
            assert_eq!((error.bet, error.why.code()), (2, "amount-too-large"), "{name} on {throw:?}");
        }
    }
}

/// The bet reported is counted among the bets as placed, not among the lines they make.
#[test]
fn the_bet_that_overflows_a_box_is_counted_among_the_bets() {
    let bets = [(1, "small", 1), (1, "small", 1), (2, "big", MAX / 2), (3, "big", MAX / 2), (4, "big", 2)];
    let layout = layout("tai-sai A");
    for limits in [Limits::none(), limits(layout, 1, &[], Some(5)).unwrap()] {
        let error = settle(layout, &limits, [1, 2, 4], &bets).unwrap_err();
        assert_eq!((error.bet, error.why), (4, BetError::TooLarge), "{limits:?}");
    }
}

/// A stake breaks a payout only if the stake times some odds of its box is not whole cents. Odds of 5/2 and 5/4 on the
/// same box need a multiple of 4.
#[test]
fn a_stake_that_pays_whole_cents_at_all_odds_of_its_box_is_accepted() {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games/tai-sai.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.replace("\"1 to 1\",   dice = 1", "\"2.5 to 1\", dice = 1");
    let text = text.replace("\"2 to 1\",   dice = 2", "\"1.25 to 1\", dice = 2");
    let game = Game::from_toml(&text).unwrap();
    let (layout, single) = (game.layout("A").unwrap(), "single:1".parse().unwrap());
    let pays: Vec<_> = layout.pays(single).map(|odds| odds.to_string()).collect();
    assert_eq!(pays, ["5/2", "5/4", "12"]);
    for (stake, expected) in [(2, Err(PayoutError::Broken)), (6, Err(PayoutError::Broken)), (4, Ok(())), (8, Ok(()))] {
        assert_eq!(layout.check_stake(single, Money::from_cents(stake)), expected, "a stake of {stake}");
    }
}
