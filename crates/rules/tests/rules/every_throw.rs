//! All 216 throws × every box × every pay table, against the data in `tests/odds`, which a script writes from the
//! approved documents alone. A box is settled in three ways, and all three must say what the data says.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use taisai_rules::{Bet, BetBox, BetError, Dice, Games, Layout, Limits, Money, Outcome, SettledLine, Unit};

/// The ten pay tables.
const TABLES: [(&str, &str); 10] = [
    ("tai-sai-classic", "A"),
    ("tai-sai", "A"),
    ("tai-sai", "C"),
    ("tai-sai", "E"),
    ("tai-sai-open-cover", "A"),
    ("tai-sai-open-cover", "C"),
    ("tai-sai-open-cover", "E"),
    ("sic-bo-etg", "A"),
    ("sic-bo-etg", "B"),
    ("sic-bo-etg", "C"),
];

/// Every table pays a stake of 200 cents in whole cents: here, 100 units of 2.
const UNIT: i64 = 2;
const UNITS: i64 = 100;
const STAKE: Money = Money::from_cents(UNIT * UNITS);

/// The winning boxes of a sorted throw, each with its place among the odds of its row: a Single Dice box by the number
/// of dice that show it, every other box the first.
type Winners = HashMap<BetBox, usize>;

/// A row of a pay table's file.
struct Row {
    bet_box: BetBox,
    ways: String,
    pays: Vec<String>,
    edge: String,
    variance: String,
}

fn odds_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/odds").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(odds_file(name)).unwrap_or_else(|error| panic!("tests/odds/{name}: {error}"))
}

fn parse(bet_box: &str) -> BetBox {
    bet_box.parse().unwrap_or_else(|_| panic!("the data names no box {bet_box:?}"))
}

fn layout(game: &str, layout: &str) -> &'static Layout {
    Games::embedded().find(game, None).expect("an approved game").layout(layout).expect("one of its layouts")
}

/// Every throw in every order, and not by the crate's own list of them.
fn throws() -> impl Iterator<Item = [u8; 3]> {
    (1..=6).flat_map(|a| (1..=6).flat_map(move |b| (1..=6).map(move |c| [a, b, c])))
}

fn winners_by_throw() -> HashMap<[u8; 3], Winners> {
    let mut all = HashMap::new();
    for line in read("throws.tsv").lines() {
        let [throw, orderings, boxes] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        let faces: Vec<u8> = throw.split(' ').map(|face| face.parse().expect("a face")).collect();
        let sorted: [u8; 3] = faces.try_into().expect("three faces");
        let winners = boxes.split(' ').map(|text| match text.split_once('*') {
            Some((bet_box, dice)) => (parse(bet_box), dice.parse::<usize>().expect("on how many dice") - 1),
            None => (parse(text), 0),
        });
        let ways = throws().filter(|throw| sort(*throw) == sorted).count();
        assert_eq!(orderings, ways.to_string(), "orderings of {throw}");
        assert!(all.insert(sorted, winners.collect()).is_none(), "{throw} is in the data twice");
    }
    assert_eq!(all.len(), 56, "sorted throws");
    all
}

fn sort(mut throw: [u8; 3]) -> [u8; 3] {
    throw.sort_unstable();
    throw
}

fn pay_table(game: &str, layout: &str) -> Vec<Row> {
    let text = read(&format!("{game}-{layout}.tsv"));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("box\tways\tpays\tedge\tvariance"));
    let row = |line: &str| {
        let [bet_box, ways, pays, edge, variance] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line:?}")
        };
        let pays = pays.split(',').map(str::to_owned).collect();
        let (ways, edge, variance) = (ways.to_owned(), edge.to_owned(), variance.to_owned());
        Row { bet_box: parse(bet_box), ways, pays, edge, variance }
    };
    lines.map(row).collect()
}

/// The profit on the stake at odds as the data writes them: `6`, or `17/2`.
fn profit(odds: &str) -> Money {
    let (numerator, denominator) = odds.split_once('/').unwrap_or((odds, "1"));
    let number = |text: &str| text.parse::<i64>().expect("a whole number");
    Money::from_cents(STAKE.cents() / number(denominator) * number(numerator))
}

fn settle_one(layout: &Layout, bet_box: BetBox, dice: Dice) -> Result<(SettledLine<()>, i64), BetError> {
    let bet = Bet { player: (), bet_box, amount: STAKE };
    let settled = layout.settle(&Limits::none(), dice, [bet]).map_err(|error| error.why)?;
    let [line] = settled.lines[..] else { panic!("one bet is one line") };
    Ok((line, settled.house.net().cents()))
}

/// `odds` is what the data says a box pays on a throw: nothing when it loses.
fn check_box(layout: &Layout, bet_box: BetBox, dice: Dice, paid: Option<Money>, odds: Option<&str>) {
    let place = format!("{bet_box} on {dice}, layout {}, pay table {}", layout.id(), layout.pay_table());
    let expected_profit = odds.map_or(Money::ZERO, profit);
    let expected_paid = odds.map_or(Money::ZERO, |_| STAKE.checked_add(expected_profit).expect("a small amount"));

    let outcome = match layout.outcome(bet_box, dice).unwrap_or_else(|| panic!("{place}: is on the layout")) {
        Outcome::Won(odds) => Some(odds.to_string()),
        Outcome::Lost | Outcome::LostToTriple => None,
    };
    assert_eq!(outcome.as_deref(), odds, "{place}: outcome");

    let (line, net) = settle_one(layout, bet_box, dice).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert_eq!((line.bet_box, line.stake, line.counted), (bet_box, STAKE, STAKE), "{place}: line");
    assert_eq!(line.odds.map(|odds| odds.to_string()).as_deref(), odds, "{place}: odds of the line");
    assert_eq!((line.profit, line.paid()), (expected_profit, expected_paid), "{place}: profit and paid");
    let lost = if odds.is_none() { STAKE.cents() } else { 0 };
    assert_eq!(net, lost - expected_profit.cents(), "{place}: the House");

    assert_eq!(paid, Some(expected_paid), "{place}: payouts");
}

#[test]
fn there_are_ten_pay_tables() {
    let embedded: Vec<_> = Games::embedded()
        .iter()
        .flat_map(|game| game.layouts().iter().map(|layout| (game.id().to_owned(), layout.id().to_owned())))
        .collect();
    assert_eq!(embedded, TABLES.map(|(game, layout)| (game.to_owned(), layout.to_owned())));
}

#[test]
fn boxes_odds_and_chances_are_those_of_the_data() {
    for (game, id) in TABLES {
        let (layout, rows) = (layout(game, id), pay_table(game, id));
        let boxes: Vec<_> = rows.iter().map(|row| row.bet_box).collect();
        assert_eq!(layout.boxes(), boxes, "{game} {id}: the boxes, in their order");
        for Row { bet_box, ways, pays, edge, variance } in &rows {
            let chances = layout.chances(*bet_box).unwrap();
            let found: Vec<_> = layout.pays(*bet_box).map(|odds| odds.to_string()).collect();
            assert_eq!(&found, pays, "{game} {id} {bet_box}: odds");
            assert_eq!(&chances.ways.to_string(), ways, "{game} {id} {bet_box}: ways");
            assert_eq!(&chances.edge.to_string(), edge, "{game} {id} {bet_box}: edge");
            assert_eq!(&chances.variance.to_string(), variance, "{game} {id} {bet_box}: variance");
        }
    }
}

#[test]
fn every_throw_pays_what_the_data_says() {
    let winners = winners_by_throw();
    for (game, id) in TABLES {
        let (layout, rows) = (layout(game, id), pay_table(game, id));
        for throw in throws() {
            let dice = Dice::try_from(throw).unwrap();
            let payouts = layout.payouts(dice, Unit::try_from(Money::from_cents(UNIT)).unwrap()).unwrap();
            for Row { bet_box, pays, .. } in &rows {
                let odds = winners[&sort(throw)].get(bet_box).map(|place| pays[*place].as_str());
                check_box(layout, *bet_box, dice, payouts.paid(*bet_box, UNITS), odds);
            }
        }
    }
}

#[test]
fn a_box_off_the_layout_has_no_outcome() {
    for (game, id) in TABLES {
        let (layout, rows) = (layout(game, id), pay_table(game, id));
        for bet_box in BetBox::all().filter(|bet_box| rows.iter().all(|row| row.bet_box != *bet_box)) {
            assert!(!layout.has(bet_box) && layout.pays(bet_box).next().is_none(), "{game} {id} {bet_box}");
            assert_eq!(layout.chances(bet_box), None, "{game} {id} {bet_box}");
            for throw in throws() {
                let dice = Dice::try_from(throw).unwrap();
                assert_eq!(layout.outcome(bet_box, dice), None, "{game} {id} {bet_box}");
                assert_eq!(settle_one(layout, bet_box, dice), Err(BetError::NotOnLayout(bet_box)), "{game} {id}");
            }
        }
    }
}

#[test]
fn the_data_is_what_the_script_writes() {
    let run = Command::new("python3").arg(odds_file("enumerate.py")).arg("--check").output();
    let output = run.unwrap_or_else(|error| {
        panic!("python3 is needed on the PATH to check tests/odds against enumerate.py: {error}")
    });
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "enumerate.py --check: {}; {complaint}", output.status);
}
