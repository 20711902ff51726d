//! Section 4.1 and the triple rule, laid out like the regulation: every row of every pay table wins what it pays, with
//! the paragraph it rests on, and 3.10 (ETG 3.9) is cited where a triple makes a bet lose, and nowhere else.

use taisai_rules::{Bet, BetBox, Dice, Games, Layout, Limits, Money, SettledLine};

/// What is staked, in cents: profits below are on this.
const STAKE: i64 = 100;

type Throw = [u8; 3];
/// A row of a pay table: what it pays as printed, a box of it, a throw on which it wins, its profit, and a throw on
/// which it loses.
type Row = (&'static str, &'static str, Throw, i64, Throw);
/// Game, layout, its paragraph, and the rows as printed.
type PayTable = (&'static str, &'static str, &'static str, &'static [Row]);

const PAY_TABLES: &[PayTable] = &[
    ("tai-sai-classic", "A", "4.1", TAI_SAI_1),
    ("tai-sai", "A", "4.1.1", TAI_SAI_1),
    ("tai-sai", "C", "4.1.2", TAI_SAI_2),
    ("tai-sai", "E", "4.1.3", TAI_SAI_3),
    ("tai-sai-open-cover", "A", "4.1.1", TAI_SAI_1),
    ("tai-sai-open-cover", "C", "4.1.2", TAI_SAI_2),
    ("tai-sai-open-cover", "E", "4.1.3", TAI_SAI_3),
    ("sic-bo-etg", "A", "4.1.1", ETG_1),
    ("sic-bo-etg", "B", "4.1.2", ETG_2),
    ("sic-bo-etg", "C", "4.1.3", ETG_3),
];

/// 001 4.1; 003 and 004 4.1.1.
const TAI_SAI_1: &[Row] = &[
    ("1 to 1", "small", [5, 4, 1], 100, [5, 4, 2]),
    ("1 to 1", "big", [5, 4, 2], 100, [5, 4, 1]),
    ("1 to 1", "single:3", [3, 1, 2], 100, [1, 2, 4]),
    ("2 to 1", "single:3", [3, 1, 3], 200, [4, 1, 4]),
    ("12 to 1", "single:3", [3, 3, 3], 1_200, [4, 4, 4]),
    ("62 to 1", "sum:4", [1, 2, 1], 6_200, [1, 1, 1]),
    ("31 to 1", "sum:16", [6, 4, 6], 3_100, [6, 5, 6]),
    ("18 to 1", "sum:15", [6, 4, 5], 1_800, [5, 4, 5]),
    ("12 to 1", "sum:7", [4, 2, 1], 1_200, [4, 2, 2]),
    ("8 to 1", "sum:13", [6, 6, 1], 800, [6, 6, 2]),
    ("7 to 1", "sum:9", [4, 4, 1], 700, [4, 4, 2]),
    ("6 to 1", "sum:11", [6, 4, 1], 600, [6, 5, 1]),
    ("6 to 1", "domino:25", [5, 5, 2], 600, [5, 5, 3]),
    ("11 to 1", "double:4", [4, 1, 4], 1_100, [4, 1, 5]),
    ("31 to 1", "any-triple", [1, 1, 1], 3_100, [1, 1, 2]),
    ("180 to 1", "triple:6", [6, 6, 6], 18_000, [5, 5, 5]),
];

/// 003 and 004 4.1.2.
const TAI_SAI_2: &[Row] = &[
    ("1 to 1", "small", [1, 1, 2], 100, [6, 6, 5]),
    ("1 to 1", "big", [6, 6, 5], 100, [1, 1, 2]),
    ("1 to 1", "odd", [1, 2, 4], 100, [1, 2, 5]),
    ("1 to 1", "even", [1, 2, 5], 100, [1, 2, 4]),
    ("1 to 1", "single:6", [1, 6, 2], 100, [1, 2, 5]),
    ("2 to 1", "single:6", [6, 6, 2], 200, [5, 5, 2]),
    ("12 to 1", "single:6", [6, 6, 6], 1_200, [1, 1, 1]),
    ("62 to 1", "sum:17", [6, 5, 6], 6_200, [6, 6, 6]),
    ("31 to 1", "sum:5", [1, 1, 3], 3_100, [1, 1, 4]),
    ("18 to 1", "sum:6", [1, 1, 4], 1_800, [1, 1, 3]),
    ("12 to 1", "sum:14", [6, 6, 2], 1_200, [6, 6, 1]),
    ("8 to 1", "sum:8", [2, 2, 4], 800, [2, 2, 5]),
    ("7 to 1", "sum:12", [6, 3, 3], 700, [6, 3, 4]),
    ("6 to 1", "sum:10", [6, 3, 1], 600, [6, 3, 2]),
    ("6 to 1", "domino:56", [6, 1, 5], 600, [6, 1, 6]),
    ("11 to 1", "double:1", [1, 1, 6], 1_100, [1, 6, 6]),
    ("31 to 1", "any-triple", [4, 4, 4], 3_100, [4, 4, 3]),
    ("180 to 1", "triple:1", [1, 1, 1], 18_000, [1, 1, 6]),
    ("7 to 1", "four:6543", [3, 6, 4], 700, [6, 6, 4]),
    ("30 to 1", "three:126", [6, 2, 1], 3_000, [6, 2, 2]),
    ("50 to 1", "pair:113", [1, 3, 1], 5_000, [3, 3, 1]),
];

/// 003 and 004 4.1.3: no Odd, no Even, no Double Dice.
const TAI_SAI_3: &[Row] = &[
    ("1 to 1", "small", [6, 3, 1], 100, [6, 3, 2]),
    ("1 to 1", "big", [6, 3, 2], 100, [6, 3, 1]),
    ("1 to 1", "single:1", [1, 2, 3], 100, [4, 2, 3]),
    ("2 to 1", "single:1", [2, 1, 1], 200, [2, 3, 3]),
    ("12 to 1", "single:1", [1, 1, 1], 1_200, [2, 2, 2]),
    ("62 to 1", "sum:17", [5, 6, 6], 6_200, [5, 6, 5]),
    ("31 to 1", "sum:5", [2, 2, 1], 3_100, [2, 2, 2]),
    ("18 to 1", "sum:15", [6, 6, 3], 1_800, [6, 6, 4]),
    ("12 to 1", "sum:14", [6, 4, 4], 1_200, [6, 4, 3]),
    ("8 to 1", "sum:8", [6, 1, 1], 800, [6, 1, 2]),
    ("7 to 1", "sum:12", [6, 5, 1], 700, [6, 5, 2]),
    ("6 to 1", "sum:10", [4, 4, 2], 600, [4, 4, 4]),
    ("6 to 1", "domino:12", [2, 6, 1], 600, [2, 6, 2]),
    ("31 to 1", "any-triple", [6, 6, 6], 3_100, [6, 6, 5]),
    ("180 to 1", "triple:3", [3, 3, 3], 18_000, [3, 3, 2]),
    ("7 to 1", "four:6421", [1, 6, 2], 700, [1, 6, 3]),
    ("30 to 1", "three:345", [5, 3, 4], 3_000, [5, 3, 3]),
    ("50 to 1", "pair:664", [6, 4, 6], 5_000, [6, 4, 4]),
];

/// 002 4.1.1: halves.
const ETG_1: &[Row] = &[
    ("1 to 1", "small", [5, 4, 1], 100, [5, 4, 2]),
    ("1 to 1", "big", [5, 4, 2], 100, [5, 4, 1]),
    ("1 to 1", "even", [1, 2, 5], 100, [1, 2, 4]),
    ("1 to 1", "odd", [1, 2, 4], 100, [1, 2, 5]),
    ("1 to 1", "single:5", [5, 1, 2], 100, [1, 2, 4]),
    ("2 to 1", "single:5", [5, 1, 5], 200, [4, 1, 4]),
    ("12 to 1", "single:5", [5, 5, 5], 1_200, [4, 4, 4]),
    ("64 to 1", "sum:4", [1, 2, 1], 6_400, [1, 2, 2]),
    ("32 to 1", "sum:16", [6, 4, 6], 3_200, [6, 5, 6]),
    ("19 to 1", "sum:15", [6, 4, 5], 1_900, [5, 4, 5]),
    ("12 to 1", "sum:7", [4, 2, 1], 1_200, [4, 2, 2]),
    ("8.5 to 1", "sum:13", [6, 6, 1], 850, [6, 6, 2]),
    ("7 to 1", "sum:9", [4, 4, 1], 700, [4, 4, 2]),
    ("6.5 to 1", "sum:11", [6, 4, 1], 650, [6, 5, 1]),
    ("6 to 1", "domino:25", [5, 5, 2], 600, [5, 5, 3]),
    ("7.5 to 1", "four:6532", [2, 6, 3], 750, [2, 6, 4]),
    ("11.5 to 1", "double:4", [4, 1, 4], 1_150, [4, 1, 5]),
    ("32 to 1", "any-triple", [2, 2, 2], 3_200, [2, 2, 1]),
    ("195 to 1", "triple:6", [6, 6, 6], 19_500, [5, 5, 5]),
];

/// 002 4.1.2: halves, and the combinations of three.
const ETG_2: &[Row] = &[
    ("1 to 1", "small", [1, 1, 2], 100, [6, 6, 5]),
    ("1 to 1", "big", [6, 6, 5], 100, [1, 1, 2]),
    ("1 to 1", "even", [6, 6, 4], 100, [6, 6, 5]),
    ("1 to 1", "odd", [6, 6, 5], 100, [6, 6, 4]),
    ("1 to 1", "single:2", [1, 6, 2], 100, [1, 6, 5]),
    ("2 to 1", "single:2", [2, 6, 2], 200, [6, 6, 5]),
    ("12 to 1", "single:2", [2, 2, 2], 1_200, [1, 1, 1]),
    ("64 to 1", "sum:17", [6, 5, 6], 6_400, [6, 6, 6]),
    ("32 to 1", "sum:5", [1, 1, 3], 3_200, [1, 1, 4]),
    ("19 to 1", "sum:6", [1, 1, 4], 1_900, [1, 1, 3]),
    ("12 to 1", "sum:14", [6, 6, 2], 1_200, [6, 6, 1]),
    ("8.5 to 1", "sum:8", [2, 2, 4], 850, [2, 2, 5]),
    ("7 to 1", "sum:12", [6, 3, 3], 700, [6, 3, 4]),
    ("6.5 to 1", "sum:10", [6, 3, 1], 650, [6, 3, 2]),
    ("6 to 1", "domino:13", [3, 1, 5], 600, [3, 2, 5]),
    ("7.5 to 1", "four:4321", [3, 1, 4], 750, [3, 3, 4]),
    ("11.5 to 1", "double:6", [6, 6, 6], 1_150, [6, 5, 5]),
    ("32 to 1", "any-triple", [5, 5, 5], 3_200, [5, 5, 6]),
    ("195 to 1", "triple:1", [1, 1, 1], 19_500, [1, 1, 2]),
    ("30 to 1", "three:456", [6, 5, 4], 3_000, [6, 5, 3]),
    ("50 to 1", "pair:221", [1, 2, 2], 5_000, [1, 1, 2]),
];

/// 002 4.1.3: the lower whole odds.
const ETG_3: &[Row] = &[
    ("1 to 1", "small", [6, 3, 1], 100, [6, 3, 2]),
    ("1 to 1", "big", [6, 3, 2], 100, [6, 3, 1]),
    ("1 to 1", "even", [6, 3, 1], 100, [6, 3, 2]),
    ("1 to 1", "odd", [6, 3, 2], 100, [6, 3, 1]),
    ("1 to 1", "single:4", [1, 4, 2], 100, [1, 3, 2]),
    ("2 to 1", "single:4", [4, 4, 2], 200, [5, 5, 2]),
    ("12 to 1", "single:4", [4, 4, 4], 1_200, [3, 3, 3]),
    ("62 to 1", "sum:17", [6, 6, 5], 6_200, [6, 6, 6]),
    ("31 to 1", "sum:16", [5, 5, 6], 3_100, [5, 5, 5]),
    ("18 to 1", "sum:6", [1, 2, 3], 1_800, [1, 2, 4]),
    ("12 to 1", "sum:7", [1, 2, 4], 1_200, [1, 2, 3]),
    ("8 to 1", "sum:13", [4, 4, 5], 800, [4, 4, 4]),
    ("7 to 1", "sum:9", [2, 3, 4], 700, [2, 3, 5]),
    ("6 to 1", "sum:10", [2, 3, 5], 600, [2, 3, 4]),
    ("6 to 1", "domino:46", [6, 4, 4], 600, [5, 4, 4]),
    ("11 to 1", "double:2", [2, 5, 2], 1_100, [2, 5, 5]),
    ("31 to 1", "any-triple", [3, 3, 3], 3_100, [3, 3, 4]),
    ("180 to 1", "triple:5", [5, 5, 5], 18_000, [4, 4, 4]),
    ("7 to 1", "four:5432", [5, 2, 3], 700, [5, 2, 1]),
    ("30 to 1", "three:123", [3, 2, 1], 3_000, [3, 2, 2]),
    ("50 to 1", "pair:556", [6, 5, 5], 5_000, [6, 6, 5]),
];

/// Game, its triple rule, and the paragraph of each of its parts.
const TRIPLE_RULES: &[(&str, &str, [&str; 5])] = &[
    ("tai-sai-classic", "003:3.10", ["003:3.10.1", "003:3.10.2", "003:3.10.3", "003:3.10.4", "003:3.10.5"]),
    ("tai-sai", "3.10", ["3.10.1", "3.10.2", "3.10.3", "3.10.4", "3.10.5"]),
    ("tai-sai-open-cover", "3.10", ["3.10.1", "3.10.2", "3.10.3", "3.10.4", "3.10.5"]),
    ("sic-bo-etg", "3.9", ["3.9.1", "3.9.2", "3.9.3", "3.9.4", "3.9.5"]),
];

/// Which part of the triple rule lets a box win, on which triple, and its profit: at whole odds, and on ETG A and B.
const TRIPLE_WINS: &[(usize, &str, u8, i64, i64)] = &[
    (1, "triple:2", 2, 18_000, 19_500),
    (2, "any-triple", 5, 3_100, 3_200),
    (3, "double:6", 6, 1_100, 1_150),
    (4, "single:1", 1, 1_200, 1_200),
    (5, "sum:6", 2, 1_800, 1_900),
    (5, "sum:9", 3, 700, 700),
    (5, "sum:12", 4, 700, 700),
    (5, "sum:15", 5, 1_800, 1_900),
];

/// Boxes that lose on a triple, which, and whether it is the triple that makes them lose: their own combination shows.
const TRIPLE_LOSES: &[(&str, u8, bool)] = &[
    ("small", 1, false),
    ("small", 2, true),
    ("small", 3, true),
    ("small", 5, false),
    ("big", 2, false),
    ("big", 4, true),
    ("big", 5, true),
    ("big", 6, false),
    ("odd", 1, true),
    ("odd", 4, false),
    ("odd", 5, true),
    ("even", 1, false),
    ("even", 4, true),
    ("even", 6, true),
    ("domino:12", 1, false),
    ("four:6543", 5, false),
    ("three:135", 3, false),
    ("pair:113", 1, false),
    ("triple:2", 3, false),
    ("double:2", 3, false),
    ("single:2", 3, false),
    ("sum:10", 3, false),
];

fn layout(game: &str, id: &str) -> &'static Layout {
    Games::embedded().find(game, None).expect("an approved game").layout(id).expect("one of its layouts")
}

/// One bet's line, and the paragraphs it cites as they are printed.
fn settle(layout: &Layout, bet_box: BetBox, throw: Throw) -> (SettledLine<&'static str>, Vec<String>) {
    let bet = Bet { player: "ann", bet_box, amount: Money::from_cents(STAKE) };
    let dice = Dice::try_from(throw).expect("three dice");
    let settled = layout.settle(&Limits::none(), dice, [bet]).expect("a bet that can be settled");
    let line = settled.lines[0];
    let cited = |citation| layout.paragraph(citation).expect("a paragraph for every rule that applied").to_string();
    (line, line.citations().map(cited).collect())
}

fn check_won(layout: &Layout, bet_box: BetBox, throw: Throw, profit: i64, paragraphs: &[&str]) {
    let (line, cited) = settle(layout, bet_box, throw);
    assert!(line.odds.is_some(), "{bet_box} wins on {throw:?}, layout {}", layout.id());
    let (won, paid) = (line.profit.cents(), line.paid().cents());
    assert_eq!((won, paid), (profit, STAKE + profit), "{bet_box} on {throw:?}: profit, and the stake as well");
    assert_eq!(cited, paragraphs, "{bet_box} on {throw:?}");
}

fn check_lost(layout: &Layout, bet_box: BetBox, throw: Throw, paragraphs: &[&str]) {
    let (line, cited) = settle(layout, bet_box, throw);
    assert_eq!(line.odds, None, "{bet_box} loses on {throw:?}, layout {}", layout.id());
    assert_eq!((line.profit.cents(), line.paid().cents()), (0, 0), "{bet_box} on {throw:?}");
    assert_eq!(cited, paragraphs, "{bet_box} on {throw:?}");
}

#[test]
fn every_row_of_4_1_pays_what_it_prints() {
    for (game, id, paragraph, rows) in PAY_TABLES {
        let layout = layout(game, id);
        let printed: Vec<_> = layout.rows().iter().map(|row| row.pays.as_str()).collect();
        let expected: Vec<_> = rows.iter().map(|row| row.0).collect();
        assert_eq!(printed, expected, "{game} {paragraph}: the rows");
        for ((_, bet_box, wins, profit, loses), row) in rows.iter().zip(layout.rows()) {
            let bet_box = bet_box.parse().unwrap();
            assert!(row.boxes.contains(&bet_box), "{game} {paragraph}: {bet_box} is in the row {}", row.name);
            check_won(layout, bet_box, *wins, *profit, &[paragraph]);
            check_lost(layout, bet_box, *loses, &[paragraph]);
        }
    }
}

#[test]
fn only_the_bets_that_3_10_names_win_on_a_triple() {
    for (game, id, pay_table, _) in PAY_TABLES {
        let layout = layout(game, id);
        for (_, bet_box, face, whole, halves) in TRIPLE_WINS {
            let bet_box = bet_box.parse().unwrap();
            // 4.1.3 of Tai Sai has no Double Dice, though 3.10.3 names it.
            if layout.has(bet_box) || (*id, bet_box.text()) != ("E", "double:6") {
                let profit = if *game == "sic-bo-etg" && *id != "C" { halves } else { whole };
                check_won(layout, bet_box, [*face; 3], *profit, &[pay_table]);
            }
        }
    }
}

#[test]
fn a_line_cites_3_10_where_the_triple_makes_it_lose() {
    for (game, id, pay_table, _) in PAY_TABLES {
        let layout = layout(game, id);
        let (_, triple, _) = TRIPLE_RULES.iter().find(|rule| rule.0 == *game).unwrap();
        for (bet_box, face, by_triple) in TRIPLE_LOSES {
            let bet_box = bet_box.parse().unwrap();
            if layout.has(bet_box) {
                let paragraphs = if *by_triple { vec![*pay_table, *triple] } else { vec![*pay_table] };
                check_lost(layout, bet_box, [*face; 3], &paragraphs);
            }
        }
    }
}

#[test]
fn no_other_line_cites_3_10() {
    for (game, id, pay_table, _) in PAY_TABLES {
        let layout = layout(game, id);
        let (_, triple, _) = TRIPLE_RULES.iter().find(|rule| rule.0 == *game).unwrap();
        for dice in Dice::all() {
            let throw = dice.faces().map(taisai_rules::Face::number);
            for bet_box in layout.boxes() {
                let faces: &[u8] = match bet_box.text() {
                    "small" => &[2, 3],
                    "big" => &[4, 5],
                    "odd" => &[1, 3, 5],
                    "even" => &[2, 4, 6],
                    _ => &[],
                };
                let by_triple = faces.iter().any(|face| throw == [*face; 3]);
                let (_, cited) = settle(layout, *bet_box, throw);
                let expected = if by_triple { vec![*pay_table, *triple] } else { vec![*pay_table] };
                assert_eq!(cited, expected, "{game} {id}: {bet_box} on {throw:?}");
            }
        }
    }
}

#[test]
fn the_triple_rule_has_its_five_paragraphs() {
    for (game, paragraph, parts) in TRIPLE_RULES {
        let rule = Games::embedded().find(game, None).unwrap().triple_rule();
        assert_eq!(rule.paragraph.text(), *paragraph, "{game}");
        let found: Vec<_> = rule.wins.iter().map(|(part, _)| part.text()).collect();
        assert_eq!(found, parts, "{game}");
        for (part, bet_box, ..) in TRIPLE_WINS {
            assert!(rule.wins[part - 1].1.contains(&bet_box.parse().unwrap()), "{game} {}: {bet_box}", parts[part - 1]);
        }
        let counts: Vec<_> = rule.wins.iter().map(|(_, boxes)| boxes.len()).collect();
        assert_eq!(counts, [6, 1, 6, 6, 4], "{game}: boxes of each paragraph");
    }
}
