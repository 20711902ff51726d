//! 5.4 (ETG 5.1): what is certain when only some of the dice are known, against all throws that could still come.

use std::collections::BTreeMap;

use taisai_rules::{BetBox, BoxStanding, Dice, Face, Game, Games, Layout, Outcome};

fn layouts() -> Vec<(String, &'static Layout)> {
    let of_game = |game: &'static Game| {
        game.layouts().iter().map(move |layout| (format!("{} {}", game.id(), layout.id()), layout))
    };
    let layouts: Vec<_> = Games::embedded().iter().flat_map(of_game).collect();
    assert_eq!(layouts.len(), 10, "layouts");
    layouts
}

fn faces(numbers: &[u8]) -> Vec<Face> {
    numbers.iter().map(|number| Face::try_from(*number).expect("a face")).collect()
}

/// Every sequence of none to three dice.
fn sequences() -> Vec<Vec<u8>> {
    let mut all = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|known| (1..=6).map(|face| [&known[..], &[face]].concat())).collect();
        all.extend(last.iter().cloned());
    }
    assert_eq!(all.len(), 1 + 6 + 36 + 216);
    all
}

/// Whether the throw has the known dice among its three, wherever they lie.
fn can_come(throw: &[u8], known: &[u8]) -> bool {
    let mut left = throw.to_vec();
    known.iter().all(|face| left.iter().position(|other| other == face).map(|place| left.swap_remove(place)).is_some())
}

#[test]
fn standing_is_what_all_remaining_throws_agree_on() {
    let sequences = sequences();
    let throws: Vec<_> = sequences.iter().filter(|known| known.len() == 3).collect();
    let remaining =
        |known: &Vec<u8>| -> Vec<usize> { (0..throws.len()).filter(|throw| can_come(throws[*throw], known)).collect() };
    let remaining: Vec<_> = sequences.iter().map(remaining).collect();
    for (name, layout) in layouts() {
        for bet_box in layout.boxes() {
            let wins = |throw: &&Vec<u8>| {
                let dice = Dice::try_from([throw[0], throw[1], throw[2]]).unwrap();
                matches!(layout.outcome(*bet_box, dice), Some(Outcome::Won(_)))
            };
            let wins: Vec<_> = throws.iter().map(wins).collect();
            for (known, remaining) in sequences.iter().zip(&remaining) {
                let winning = remaining.iter().filter(|throw| wins[**throw]).count();
                let expected = match winning {
                    0 => BoxStanding::Lost,
                    some if some == remaining.len() => BoxStanding::Won,
                    _ => BoxStanding::Open,
                };
                let found = layout.standing(*bet_box, &faces(known));
                assert_eq!(found, Some(expected), "{name}: {bet_box}, known {known:?}");
            }
        }
    }
}

#[test]
fn the_order_of_known_dice_does_not_matter() {
    for (name, layout) in layouts() {
        let mut seen: BTreeMap<Vec<u8>, Vec<Option<BoxStanding>>> = BTreeMap::new();
        for known in sequences() {
            let standings: Vec<_> = BetBox::all().map(|bet_box| layout.standing(bet_box, &faces(&known))).collect();
            let mut sorted = known.clone();
            sorted.sort_unstable();
            let first = seen.entry(sorted).or_insert_with(|| standings.clone());
            assert_eq!(*first, standings, "{name}: {known:?}");
        }
        assert_eq!(seen.len(), 1 + 6 + 21 + 56, "none to three dice, sorted");
    }
}

/// Layout, box, known dice, and what is certain: read off the rules by hand.
const CERTAIN: &[(&str, &str, &[u8], BoxStanding)] = &[
    ("A", "single:4", &[4], BoxStanding::Won),
    ("A", "single:4", &[5], BoxStanding::Open),
    ("A", "single:4", &[5, 1], BoxStanding::Open),
    ("A", "triple:1", &[2], BoxStanding::Lost),
    ("A", "triple:1", &[1, 1], BoxStanding::Open),
    ("A", "any-triple", &[3], BoxStanding::Open),
    ("A", "any-triple", &[3, 4], BoxStanding::Lost),
    ("A", "any-triple", &[3, 3, 3], BoxStanding::Won),
    ("A", "sum:17", &[4], BoxStanding::Lost),
    ("A", "sum:17", &[5], BoxStanding::Open),
    ("A", "domino:12", &[1, 2], BoxStanding::Won),
    ("A", "domino:12", &[3, 4], BoxStanding::Lost),
    ("A", "double:6", &[6, 6], BoxStanding::Won),
    ("A", "small", &[6, 6], BoxStanding::Lost),
    // A third six is a triple and makes Big lose (3.10); a five beside a six cannot become one.
    ("A", "big", &[6, 6], BoxStanding::Open),
    ("A", "big", &[6, 5], BoxStanding::Won),
    ("A", "small", &[1, 2], BoxStanding::Won),
    // 3.10 again: the Total Sum of 6 is Small, and 2 2 2 loses.
    ("A", "small", &[2, 2, 2], BoxStanding::Lost),
    ("A", "small", &[1, 1], BoxStanding::Open),
    ("C", "odd", &[1, 1, 1], BoxStanding::Lost),
    ("C", "even", &[2, 2, 2], BoxStanding::Lost),
    ("C", "odd", &[1, 2], BoxStanding::Open),
    ("C", "four:6543", &[1], BoxStanding::Lost),
    ("C", "four:6543", &[6, 6], BoxStanding::Lost),
    ("C", "four:6543", &[6, 5], BoxStanding::Open),
    ("C", "three:126", &[1, 1], BoxStanding::Lost),
    ("C", "pair:113", &[3, 3], BoxStanding::Lost),
    ("C", "pair:113", &[3, 1], BoxStanding::Open),
];

#[test]
fn what_is_certain_reads_as_the_rules_do() {
    let game = Games::embedded().find("tai-sai", None).unwrap();
    for (id, bet_box, known, expected) in CERTAIN {
        let found = game.layout(id).unwrap().standing(bet_box.parse().unwrap(), &faces(known));
        assert_eq!(found, Some(*expected), "{bet_box}, known {known:?}");
    }
}

#[test]
fn an_outcome_is_established_from_one_known_die_on() {
    for (name, layout) in layouts() {
        for known in sequences() {
            assert_eq!(layout.is_established(&faces(&known)), !known.is_empty(), "{name}: {known:?}");
        }
    }
}

#[test]
fn there_is_no_standing_off_the_layout_or_with_a_fourth_die() {
    for (name, layout) in layouts() {
        for bet_box in BetBox::all().filter(|bet_box| !layout.boxes().contains(bet_box)) {
            assert_eq!(layout.standing(bet_box, &faces(&[1])), None, "{name}: {bet_box}");
        }
        assert_eq!(layout.standing(BetBox::BIG, &faces(&[1, 2, 3, 4])), None, "{name}");
        assert!(!layout.is_established(&faces(&[1, 2, 3, 4])), "{name}");
    }
}

/// 5.4.1 speaks of the available bets: with Small and Big alone, one die settles nothing, and two may make one lose.
#[test]
fn an_outcome_is_established_by_the_bets_of_the_layout() {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games/tai-sai.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let (head, _) = text.split_once("[[layouts]]").unwrap();
    let layout = r#"
        [[layouts]]
        id = "A"
        pay_table = 1
        title = "Small and Big"
        paragraph = "4.1.1"
        rows = [{ type = "Small or Big", rules = "", pays = "1 to 1", boxes = ["small", "big"] }]
        [layouts.felt]
        size = [2, 1]
        source = "none"
        blocks = [{ at = [0, 0, 2, 1], rows = [["big", "small"]] }]
        words = { big = ["1 WINS {odds}"], small = ["1 WINS {odds}"] }
    "#;
    let game = Game::from_toml(format!("{head}{layout}")).unwrap();
    let layout = game.layout("A").unwrap();
    for (known, established) in [(&[][..], false), (&[1], false), (&[3, 4], false), (&[6, 6], true), (&[1, 2], true)] {
        assert_eq!(layout.is_established(&faces(known)), established, "{known:?}");
    }
}
