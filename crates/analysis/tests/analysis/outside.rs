//! The figures against what stands outside the program: published edges, and an enumeration in Python that shares no code with it.

use std::process::Command;

use taisai_analysis::{BoxFigures, PlayerSlip};
use taisai_rules::{Games, Layout, Money};

fn layout(name: &str) -> &'static Layout {
    let (game, layout) = name.rsplit_once('-').expect("a game and a layout");
    let game = Games::embedded().iter().find(|known| known.id() == game).expect("a game");
    game.layout(layout).expect("a layout")
}

#[test]
fn edges_are_the_published_ones() {
    // Edges per cent as they are published for the two pay tables of Total Sums that casinos use, and for the other bets.
    let lower = [("4", "62", 12.50), ("5", "31", 11.11), ("6", "18", 12.04), ("7", "12", 9.72), ("8", "8", 12.50)];
    let lower = lower.into_iter().chain([("9", "7", 7.41), ("10", "6", 12.50)]);
    let higher = [("4", "64", 9.72), ("5", "32", 8.33), ("6", "19", 7.41), ("7", "12", 9.72), ("8", "17/2", 7.64)];
    let higher = higher.into_iter().chain([("9", "7", 7.41), ("10", "13/2", 6.25)]);
    let tables = lower.map(|row| ("tai-sai-A", row)).chain(higher.map(|row| ("sic-bo-etg-A", row)));
    for (table, (sum, odds, published)) in tables {
        let opposite = (21 - sum.parse::<u8>().unwrap()).to_string();
        for sum in [sum, &opposite] {
            let figures = BoxFigures::of(layout(table), format!("sum:{sum}").parse().unwrap()).unwrap();
            assert_eq!(figures.wins[0].pays.fraction().to_string(), odds, "{table} sum:{sum}");
            let percent: f64 = taisai_analysis::decimals(figures.edge, 6).parse::<f64>().unwrap() * 100.0;
            assert!((percent - published).abs() < 0.0051, "{table} sum:{sum}: {percent}");
        }
    }
    for (table, bet_box, edge) in [
        ("tai-sai-A", "small", "1/36"),
        ("tai-sai-A", "big", "1/36"),
        ("tai-sai-A", "any-triple", "1/9"),
        ("tai-sai-A", "triple:1", "35/216"),
        ("tai-sai-A", "triple:6", "35/216"),
        ("tai-sai-A", "domino:12", "1/36"),
        ("tai-sai-A", "double:3", "1/9"),
        ("tai-sai-A", "single:4", "1/27"),
    ] {
        let figures = BoxFigures::of(layout(table), bet_box.parse().unwrap()).unwrap();
        assert_eq!(figures.edge.to_string(), edge, "{table} {bet_box}");
    }
}

fn bets(text: &str) -> Vec<(taisai_rules::BetBox, Money)> {
    let bet = |text: &str| {
        let (bet_box, cents) = text.split_once('=').expect("a bet");
        (bet_box.parse().expect("a box"), Money::from_cents(cents.parse().expect("cents")))
    };
    text.split(' ').map(bet).collect()
}

#[test]
fn figures_are_those_of_the_enumeration_in_python() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/analysis/enumerate.py");
    let output = Command::new("python3").arg(script).output().expect("python3 is needed on the PATH");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut met = [0; 3];
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let fields: Vec<_> = line.split('\t').collect();
        match &fields[..] {
            ["box", table, bet_box, ways, edge, variance, third] => {
                let figures = BoxFigures::of(layout(table), bet_box.parse().unwrap()).unwrap();
                let found = [figures.edge, figures.variance, figures.third_moment].map(|figure| figure.to_string());
                assert_eq!(
                    (figures.ways.to_string().as_str(), found),
                    (*ways, [*edge, *variance, *third].map(str::to_owned))
                );
                met[0] += 1;
            }
            ["slip", table, slip, rounds, below, even, low, high] => {
                let found = PlayerSlip::new(layout(table), bets(slip))
                    .unwrap()
                    .spread()
                    .after(rounds.parse().unwrap())
                    .unwrap();
                let (zero, cent) = (Money::ZERO, Money::from_cents(1));
                let chances = [found.chance_below(zero), found.chance_below(cent) - found.chance_below(zero)];
                for (found_chance, exact) in chances.iter().zip([below, even]) {
                    let exact: f64 = exact.parse().unwrap();
                    assert!((found_chance - exact).abs() <= 2.0 * found.error() + 1e-16, "{line}: {found_chance}");
                }
                let (found_low, found_high) = found.band(0.05);
                assert_eq!([found_low.to_string(), found_high.to_string()], [*low, *high], "{line}");
                met[1] += 1;
            }
            ["ruin", table, slip, bankroll, rounds, chance] => {
                let slip = PlayerSlip::new(layout(table), bets(slip)).unwrap();
                let rounds = rounds.parse().unwrap();
                let ruin = slip.ruin(Money::from_cents(bankroll.parse().unwrap()), rounds).unwrap();
                let exact: f64 = chance.parse().unwrap();
                assert!(
                    (ruin.within(rounds) / exact - 1.0).abs() <= ruin.relative_error(),
                    "{line}: {}",
                    ruin.within(rounds)
                );
                met[2] += 1;
            }
            _ => panic!("{line}"),
        }
    }
    assert_eq!(met, [836, 9, 3]);
}
