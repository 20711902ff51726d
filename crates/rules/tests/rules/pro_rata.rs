//! 5.1.1, 5.1.2 and 5.2.1: how much of each stake counts, and which paragraph the line cites. `pro_rata` is held
//! against a slow transcription of the rule step by step; the caps are tested on whole slips.

use proptest::prelude::*;
use taisai_rules::{Bet, BoxLimit, Dice, Games, Limits, Money, Unit, pro_rata};

fn money(cents: &[i64]) -> Vec<Money> {
    cents.iter().copied().map(Money::from_cents).collect()
}

fn counted(stakes: &[i64], cap: i64, minimum: i64, unit: i64) -> Vec<i64> {
    let unit = Unit::try_from(Money::from_cents(unit)).expect("a unit");
    let counted = pro_rata(&money(stakes), Money::from_cents(cap), Money::from_cents(minimum), unit);
    counted.into_iter().map(Money::cents).collect()
}

/// An exact fraction; the denominator is above zero.
#[derive(Clone, Copy)]
struct Ratio(i128, i128);

impl Ratio {
    fn is_less(self, other: Self) -> bool {
        self.0 * other.1 < other.0 * self.1
    }

    fn minus(self, whole: i128) -> Self {
        Self(self.0 - whole * self.1, self.1)
    }
}

/// Section 5 of the rules, steps 1 to 4, to the letter.
fn oracle(stakes: &[i64], cap: i64, minimum: i64, unit: i64) -> Vec<i64> {
    let stakes: Vec<i128> = stakes.iter().copied().map(i128::from).collect();
    let (cap, minimum, unit) = (i128::from(cap), i128::from(minimum), i128::from(unit));
    // 1. Total within the cap: every stake counts in full.
    let mut fixed: Vec<Option<i128>> = vec![None; stakes.len()];
    if stakes.iter().sum::<i128>() <= cap {
        fixed = stakes.iter().copied().map(Some).collect();
    }
    // 2. A stake below the minimum counts in full; it uses up room.
    for (fixed, stake) in fixed.iter_mut().zip(&stakes).filter(|(_, stake)| **stake < minimum) {
        *fixed = Some(*stake);
    }
    // 3. The others share the room that is left; every share below the minimum becomes it, until none is below.
    let shares: Vec<Option<Ratio>> = loop {
        let room = (cap - fixed.iter().flatten().sum::<i128>()).max(0);
        let sharing: i128 =
            stakes.iter().zip(&fixed).filter(|(_, fixed)| fixed.is_none()).map(|(stake, _)| *stake).sum();
        let share = |(stake, fixed): (&i128, &Option<i128>)| fixed.is_none().then_some(Ratio(room * stake, sharing));
        let shares: Vec<_> = stakes.iter().zip(&fixed).map(share).collect();
        let below = |share: &Option<Ratio>| share.is_some_and(|share| share.is_less(Ratio(minimum, 1)));
        if !shares.iter().any(below) {
            break shares;
        }
        for (fixed, _) in fixed.iter_mut().zip(&shares).filter(|(_, share)| below(share)) {
            *fixed = Some(minimum);
        }
    };
    // 4. Rounded down to units; the units left go to the largest remainders, ties to the earlier placement.
    let down = |share: Ratio| share.0 / (share.1 * unit) * unit;
    let room = (cap - fixed.iter().flatten().sum::<i128>()).max(0);
    let mut left = (room - shares.iter().flatten().map(|share| down(*share)).sum::<i128>()) / unit;
    let mut result: Vec<_> = fixed.iter().zip(&shares).map(|(fixed, share)| fixed.or(share.map(down))).collect();
    let mut remainders: Vec<_> = shares.iter().map(|share| share.map(|share| share.minus(down(share)))).collect();
    while left > 0 && remainders.iter().any(Option::is_some) {
        let mut largest: Option<(usize, Ratio)> = None;
        for (place, remainder) in remainders.iter().enumerate() {
            if let Some(remainder) = *remainder
                && largest.is_none_or(|(_, found)| found.is_less(remainder))
            {
                largest = Some((place, remainder));
            }
        }
        let (place, _) = largest.expect("a share that has had no unit yet");
        (remainders[place], result[place]) = (None, result[place].map(|share| share + unit));
        left -= 1;
    }
    result.into_iter().map(|share| i64::try_from(share.expect("a share")).expect("no more than a stake")).collect()
}

/// Stakes, cap, minimum, unit, and what counts.
type Example = (&'static [i64], i64, i64, i64, &'static [i64]);

const EXAMPLES: &[Example] = &[
    // Within the cap everything counts.
    (&[], 0, 0, 1, &[]),
    (&[500, 300], 800, 0, 100, &[500, 300]),
    // 5.1.1: in proportion.
    (&[600, 300], 600, 0, 100, &[400, 200]),
    // Units left over go to the largest remainders: shares of 4.15, 2.77 and 2.08 units.
    (&[6_000, 4_000, 3_000], 9_000, 0, 1_000, &[4_000, 3_000, 2_000]),
    // Ties go to the earlier placement.
    (&[500, 500, 500], 1_000, 0, 100, &[400, 300, 300]),
    (&[100, 100, 100, 100], 200, 0, 100, &[100, 100, 0, 0]),
    // 5.1.1, last sentence: no share falls below the minimum; the others bear it.
    (&[500, 100], 300, 100, 100, &[200, 100]),
    (&[900, 300, 100], 650, 100, 1, &[413, 137, 100]),
    // The second is pushed below the minimum only by what the third got.
    (&[800, 210, 100], 555, 100, 1, &[355, 100, 100]),
    // Minimums that together exceed the cap count all the same.
    (&[100, 100, 100], 200, 100, 100, &[100, 100, 100]),
    (&[900, 100, 100], 200, 100, 100, &[100, 100, 100]),
    // 5.1.2: under the minimum, no pro rata; the stake uses up room.
    (&[600, 300, 50], 500, 100, 1, &[300, 150, 50]),
    (&[900, 50], 40, 100, 1, &[100, 50]),
    // Neither cap nor minimum: everything is returned.
    (&[700, 300], 0, 0, 100, &[0, 0]),
];

#[test]
fn worked_examples() {
    for (stakes, cap, minimum, unit, expected) in EXAMPLES {
        assert_eq!(counted(stakes, *cap, *minimum, *unit), *expected, "{stakes:?}, cap {cap}, minimum {minimum}");
        assert_eq!(oracle(stakes, *cap, *minimum, *unit), *expected, "by the letter: {stakes:?}, cap {cap}");
    }
}

#[test]
fn every_small_case_follows_the_text() {
    for unit in [1, 2, 5] {
        let mut slips: Vec<Vec<i64>> = vec![vec![]];
        for _ in 0..4 {
            slips = slips.iter().flat_map(|slip| (1..=6).map(|stake| [&slip[..], &[stake * unit]].concat())).collect();
            for (slip, cap, minimum) in
                slips.iter().flat_map(|slip| (0..=12).flat_map(move |cap| (0..=4).map(move |m| (slip, cap, m))))
            {
                let (cap, minimum) = (cap * unit, minimum * unit);
                let expected = oracle(slip, cap, minimum, unit);
                assert_eq!(counted(slip, cap, minimum, unit), expected, "{slip:?}, {cap}, {minimum}, {unit}");
            }
        }
    }
}

/// Stakes, cap, minimum and unit: caps around the total, minimums around a stake, small numbers and very large ones.
fn cases() -> impl Strategy<Value = (Vec<i64>, i64, i64, i64)> {
    let most = prop_oneof![Just(12_i64), Just(1_000), Just(1 << 42)];
    let parts = (most, 0..=120_i64, 0..=100_i64, prop_oneof![Just(1_i64), Just(5), Just(100)]);
    parts.prop_flat_map(|(most, cap_percent, minimum_percent, unit)| {
        prop::collection::vec(0..=most, 0..9).prop_map(move |units| {
            let cap = units.iter().sum::<i64>() * cap_percent / 100 * unit;
            let minimum = most * minimum_percent / 200 * unit;
            (units.iter().map(|units| units * unit).collect(), cap, minimum, unit)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_case_follows_the_text((stakes, cap, minimum, unit) in cases()) {
        prop_assert_eq!(counted(&stakes, cap, minimum, unit), oracle(&stakes, cap, minimum, unit));
    }

    #[test]
    fn the_total_is_the_cap_or_the_minimums((stakes, cap, minimum, unit) in cases()) {
        let counted = counted(&stakes, cap, minimum, unit);
        if stakes.iter().sum::<i64>() <= cap {
            prop_assert_eq!(counted, stakes, "within the cap everything counts");
        } else {
            let least: i64 = stakes.iter().map(|stake| *stake.min(&minimum)).sum();
            prop_assert_eq!(counted.iter().sum::<i64>(), cap.max(least));
        }
    }

    #[test]
    fn a_share_is_whole_units_between_the_minimum_and_the_stake((stakes, cap, minimum, unit) in cases()) {
        for (share, stake) in counted(&stakes, cap, minimum, unit).into_iter().zip(stakes) {
            prop_assert!(share % unit == 0 && stake.min(minimum) <= share && share <= stake, "{} of {}", share, stake);
        }
    }

    #[test]
    fn a_larger_or_earlier_stake_never_counts_for_less((stakes, cap, minimum, unit) in cases()) {
        let counted = counted(&stakes, cap, minimum, unit);
        for later in 0..stakes.len() {
            for earlier in 0..later {
                let (first, second) = (counted[earlier], counted[later]);
                match stakes[earlier].cmp(&stakes[later]) {
                    std::cmp::Ordering::Less => prop_assert!(first <= second),
                    std::cmp::Ordering::Equal => prop_assert!(first == second || first == second + unit),
                    std::cmp::Ordering::Greater => prop_assert!(first >= second),
                }
            }
        }
    }

    #[test]
    fn another_order_of_placement_moves_at_most_one_unit((stakes, cap, minimum, unit) in cases(), turn in 0..9_usize) {
        let before = counted(&stakes, cap, minimum, unit);
        let by = turn % stakes.len().max(1);
        let rotated = [&stakes[by..], &stakes[..by]].concat();
        let mut after = counted(&rotated, cap, minimum, unit);
        after.rotate_right(by);
        let distinct = oracle_has_no_tie(&stakes, cap, minimum, unit);
        for (before, after) in before.iter().zip(&after) {
            let moved = (before - after).abs();
            prop_assert!(moved == 0 || (moved == unit && !distinct), "{:?} and {:?}", before, after);
        }
    }

    #[test]
    fn another_currency_changes_nothing((stakes, cap, minimum, unit) in cases(), factor in 1..=9_i64) {
        let times = |amounts: &[i64]| amounts.iter().map(|amount| amount * factor).collect::<Vec<_>>();
        let scaled = counted(&times(&stakes), cap * factor, minimum * factor, unit * factor);
        prop_assert_eq!(scaled, times(&counted(&stakes, cap, minimum, unit)));
    }
}

/// Whether nothing hangs on the order of placement: the reverse order gives the same by the letter.
fn oracle_has_no_tie(stakes: &[i64], cap: i64, minimum: i64, unit: i64) -> bool {
    let reversed: Vec<_> = stakes.iter().rev().copied().collect();
    let mut back = oracle(&reversed, cap, minimum, unit);
    back.reverse();
    back == oracle(stakes, cap, minimum, unit)
}

/// The largest amounts a slip can hold are shared out: no product overflows.
#[test]
fn stakes_as_large_as_64_bits_hold_are_shared() {
    let large = (1 << 62) - 1;
    assert_eq!(counted(&[large; 2], large, 0, 1), [large / 2 + 1, large / 2]);
    assert_eq!(counted(&[large; 2], large, large, 1), [large; 2], "every share is raised to the minimum");
    assert_eq!(counted(&[large; 2], large, 0, large), [large, 0], "one unit for two");
}

#[test]
fn amounts_off_the_unit_or_too_large_are_a_bug_of_the_caller() {
    let large = (1 << 62) / 100 * 100;
    for (stakes, cap, minimum) in [
        (&[150][..], 100, 0),
        (&[200], 150, 0),
        (&[200], 100, 50),
        (&[-100, 300], 100, 0),
        (&[large, large, large], large, 0),
    ] {
        let run = std::panic::catch_unwind(|| counted(stakes, cap, minimum, 100));
        assert!(run.is_err(), "{stakes:?}, cap {cap}, minimum {minimum}");
    }
}

/// A slip on one layout of `tai-sai`, in units of 100 cents, with what counts and what is cited. Amounts are in units.
struct Slip {
    why: &'static str,
    layout: &'static str,
    /// Key, minimum and maximum.
    limits: &'static [(&'static str, Option<i64>, Option<i64>)],
    differential: Option<i64>,
    /// Player, box and amount.
    bets: &'static [(&'static str, &'static str, i64)],
    /// Player, box, stake, counted, and the paragraphs after the pay table's.
    lines: &'static [(&'static str, &'static str, i64, i64, &'static [&'static str])],
}

const FREE: Slip = Slip { why: "", layout: "A", limits: &[], differential: None, bets: &[], lines: &[] };

const SLIPS: &[Slip] = &[
    Slip {
        why: "maximum only",
        limits: &[("big", None, Some(5))],
        bets: &[("a", "big", 6), ("b", "big", 4), ("c", "small", 9)],
        lines: &[("a", "big", 6, 3, &["5.1.1"]), ("b", "big", 4, 2, &["5.1.1"]), ("c", "small", 9, 9, &[])],
        ..FREE
    },
    Slip {
        why: "at the maximum nothing is in excess",
        limits: &[("big", None, Some(10))],
        bets: &[("a", "big", 6), ("b", "big", 4)],
        lines: &[("a", "big", 6, 6, &[]), ("b", "big", 4, 4, &[])],
        ..FREE
    },
    Slip {
        why: "Differential only, Big the larger side",
        differential: Some(2),
        bets: &[("a", "big", 10), ("b", "small", 3)],
        lines: &[("a", "big", 10, 5, &["5.1.1"]), ("b", "small", 3, 3, &[])],
        ..FREE
    },
    Slip {
        why: "Differential only, Small the larger side",
        differential: Some(2),
        bets: &[("a", "big", 3), ("b", "small", 4), ("c", "small", 6)],
        lines: &[("a", "big", 3, 3, &[]), ("b", "small", 4, 2, &["5.1.1"]), ("c", "small", 6, 3, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "maximum and Differential: the Differential is the lower cap",
        limits: &[("big", None, Some(8))],
        differential: Some(3),
        bets: &[("a", "big", 9), ("b", "small", 4)],
        lines: &[("a", "big", 9, 7, &["5.1.1"]), ("b", "small", 4, 4, &[])],
        ..FREE
    },
    Slip {
        why: "maximum and Differential: the maximum is the lower cap",
        limits: &[("big", None, Some(8))],
        differential: Some(3),
        bets: &[("a", "big", 9), ("b", "small", 6)],
        lines: &[("a", "big", 9, 8, &["5.1.1"]), ("b", "small", 6, 6, &[])],
        ..FREE
    },
    Slip {
        why: "the Differential compares what was placed (1.3), though the opposite counts for no more than its own maximum",
        limits: &[("small", None, Some(3))],
        differential: Some(2),
        bets: &[("a", "big", 9), ("b", "small", 10)],
        lines: &[("a", "big", 9, 9, &[]), ("b", "small", 10, 3, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "what was placed, whatever counts of it: 7 + 1",
        limits: &[("small", Some(3), Some(3))],
        differential: Some(1),
        bets: &[("a", "big", 9), ("b", "small", 3), ("c", "small", 4)],
        lines: &[("a", "big", 9, 8, &["5.1.1"]), ("b", "small", 3, 3, &["5.1.1"]), ("c", "small", 4, 3, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "5.1.2: the maximum is exceeded, and a stake under the minimum counts in full",
        limits: &[("big", Some(2), Some(6))],
        bets: &[("a", "big", 9), ("b", "big", 1)],
        lines: &[("a", "big", 9, 5, &["5.1.1"]), ("b", "big", 1, 1, &["5.1.2"])],
        ..FREE
    },
    Slip {
        why: "only the Differential is exceeded: the same by the last sentence of 5.1.1",
        limits: &[("big", Some(2), Some(10))],
        differential: Some(6),
        bets: &[("a", "big", 9), ("b", "big", 1)],
        lines: &[("a", "big", 9, 5, &["5.1.1"]), ("b", "big", 1, 1, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "both exceeded: 5.1.2, and one apportionment with the lower cap",
        limits: &[("big", Some(2), Some(8))],
        differential: Some(6),
        bets: &[("a", "big", 9), ("b", "big", 1)],
        lines: &[("a", "big", 9, 5, &["5.1.1"]), ("b", "big", 1, 1, &["5.1.2"])],
        ..FREE
    },
    Slip {
        why: "a stake at the minimum is not under it",
        limits: &[("big", Some(2), Some(6))],
        bets: &[("a", "big", 9), ("b", "big", 2)],
        lines: &[("a", "big", 9, 4, &["5.1.1"]), ("b", "big", 2, 2, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "5.2.1: the box stays below the minimum and lies as it lies",
        limits: &[("big", Some(5), None)],
        bets: &[("a", "big", 2), ("b", "big", 2), ("a", "small", 1)],
        lines: &[("a", "big", 2, 2, &["5.2.1"]), ("b", "big", 2, 2, &["5.2.1"]), ("a", "small", 1, 1, &[])],
        ..FREE
    },
    Slip {
        why: "5.2 looks at the box's total: together they meet the minimum",
        limits: &[("big", Some(5), None)],
        bets: &[("a", "big", 2), ("b", "big", 3)],
        lines: &[("a", "big", 2, 2, &[]), ("b", "big", 3, 3, &[])],
        ..FREE
    },
    Slip {
        why: "below the minimum and over the Differential: counts in full by both",
        limits: &[("big", Some(5), None)],
        differential: Some(0),
        bets: &[("a", "big", 2)],
        lines: &[("a", "big", 2, 2, &["5.1.1", "5.2.1"])],
        ..FREE
    },
    Slip {
        why: "a box's own key wins over its kind's, in either order",
        limits: &[("sum:17", None, Some(3)), ("sum", Some(2), Some(8)), ("sum:4", None, None)],
        bets: &[("a", "sum:17", 6), ("b", "sum:17", 1), ("a", "sum:16", 9), ("a", "sum:4", 9), ("a", "sum:5", 1)],
        lines: &[
            ("a", "sum:17", 6, 3, &["5.1.1"]),
            ("b", "sum:17", 1, 0, &["5.1.1"]),
            ("a", "sum:16", 9, 8, &["5.1.1"]),
            ("a", "sum:4", 9, 9, &[]),
            ("a", "sum:5", 1, 1, &["5.2.1"]),
        ],
        ..FREE
    },
    Slip {
        why: "neither cap nor minimum: everything is returned",
        differential: Some(0),
        bets: &[("a", "big", 7)],
        lines: &[("a", "big", 7, 0, &["5.1.1"])],
        ..FREE
    },
    Slip {
        why: "Odd and Even are compared with each other, never with Big and Small",
        layout: "C",
        limits: &[("even", None, Some(4))],
        differential: Some(2),
        bets: &[("a", "odd", 9), ("b", "even", 5), ("c", "big", 1), ("c", "small", 2), ("d", "single:6", 9)],
        lines: &[
            ("a", "odd", 9, 7, &["5.1.1"]),
            ("b", "even", 5, 4, &["5.1.1"]),
            ("c", "big", 1, 1, &[]),
            ("c", "small", 2, 2, &[]),
            ("d", "single:6", 9, 9, &[]),
        ],
    },
    Slip {
        why: "lines and ties in order of first placement; a player's bets on a box are one",
        limits: &[("big", None, Some(5))],
        bets: &[("b", "small", 1), ("b", "big", 1), ("a", "big", 4), ("b", "big", 3), ("a", "small", 2)],
        lines: &[
            ("b", "small", 1, 1, &[]),
            ("b", "big", 4, 3, &["5.1.1"]),
            ("a", "big", 4, 2, &["5.1.1"]),
            ("a", "small", 2, 2, &[]),
        ],
        ..FREE
    },
];

/// Settles a slip on a throw on which Big and Odd win at 1 and `sum:17` at 62.
fn check_slip(game: &str, slip: &Slip) {
    let layout = Games::embedded().find(game, None).expect("an approved game").layout(slip.layout).expect("a layout");
    let units = |units: i64| Money::from_cents(units * 100);
    let limit = |(key, min, max): &(&str, Option<i64>, Option<i64>)| {
        (key.parse().expect("a kind or a box"), BoxLimit { min: min.map(units), max: max.map(units) })
    };
    let boxes: Vec<_> = slip.limits.iter().map(limit).collect();
    let limits = Limits::new(layout, units(1), &boxes, slip.differential.map(units)).expect("limits of the layout");
    let bet = |(player, bet_box, amount): &(&'static str, &str, i64)| Bet {
        player: *player,
        bet_box: bet_box.parse().expect("a box"),
        amount: units(*amount),
    };
    let dice = Dice::try_from([6, 6, 5]).expect("three dice");
    let settled = layout.settle(&limits, dice, slip.bets.iter().map(bet)).expect("a slip that can be settled");

    assert_eq!(settled.lines.len(), slip.lines.len(), "{}: lines", slip.why);
    let (mut collected, mut paid_out) = (0, 0);
    for (line, (player, bet_box, stake, counted, cited)) in settled.lines.iter().zip(slip.lines) {
        let why = format!("{}: {player} on {bet_box}", slip.why);
        assert_eq!((line.player, line.bet_box.text(), line.stake), (*player, *bet_box, units(*stake)), "{why}");
        assert_eq!((line.counted, line.returned()), (units(*counted), units(stake - counted)), "{why}");
        let odds = match *bet_box {
            "big" | "odd" => 1,
            "single:6" => 2,
            "sum:17" => 62,
            _ => 0,
        };
        let paid = if odds > 0 { units(counted * (1 + odds)) } else { Money::ZERO };
        assert_eq!((line.odds.is_some(), line.profit, line.paid()), (odds > 0, units(counted * odds), paid), "{why}");
        let paragraphs = line.citations().map(|citation| layout.paragraph(citation).expect("a paragraph").text());
        let pay_table = if slip.layout == "A" { "4.1.1" } else { "4.1.2" };
        let expected: Vec<_> = [pay_table].iter().chain(*cited).copied().collect();
        assert_eq!(paragraphs.collect::<Vec<_>>(), expected, "{why}");
        paid_out += counted * odds;
        collected += if odds > 0 { 0 } else { *counted };
    }
    assert_eq!((settled.house.collected, settled.house.paid_out), (units(collected), units(paid_out)), "{}", slip.why);
}

#[test]
fn slips_over_and_under_their_limits() {
    for slip in SLIPS {
        check_slip("tai-sai", slip);
        check_slip("tai-sai-open-cover", slip);
    }
}

/// Section 6 of the rules, to the cent.
#[test]
fn the_example_of_the_contract() {
    check_slip(
        "tai-sai",
        &Slip {
            why: "section 6",
            limits: &[("big", Some(25), Some(5_000))],
            differential: Some(2_000),
            bets: &[("a", "big", 4_000)],
            lines: &[("a", "big", 4_000, 2_000, &["5.1.1"])],
            ..FREE
        },
    );
}
