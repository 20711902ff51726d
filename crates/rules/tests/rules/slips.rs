//! A slip of any length: one line a player and box, in order of first placement, with all that was placed. Long slips
//! are gathered by another way than short ones, and must not be told apart.

use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};

/// How many players bet on how many boxes each. From 24 lines on the way is another.
const SIZES: [(i64, usize); 8] = [(1, 1), (23, 1), (24, 1), (25, 1), (1, 30), (5, 5), (4, 6), (40, 50)];

#[test]
fn the_bets_of_a_player_on_a_box_are_one_line() {
    let layout = Games::embedded().find("tai-sai", None).unwrap().layout("A").unwrap();
    for (players, boxes) in SIZES {
        let on_every_box = |player| layout.boxes()[..boxes].iter().map(move |bet_box| (player, *bet_box));
        let lines: Vec<(i64, BetBox)> = (1..=players).flat_map(on_every_box).collect();
        let bet = |(player, bet_box), cents| Bet { player, bet_box, amount: Money::from_cents(cents * player) };
        let first = lines.iter().map(|line| bet(*line, 1));
        let again_from_the_last_on = lines.iter().rev().map(|line| bet(*line, 10));
        let dice = Dice::try_from([1, 2, 4]).unwrap();
        let settled = layout.settle(&Limits::none(), dice, first.chain(again_from_the_last_on)).unwrap();
        let found: Vec<_> = settled.lines.iter().map(|line| (line.player, line.bet_box, line.stake.cents())).collect();
        let expected: Vec<_> = lines.iter().map(|(player, bet_box)| (*player, *bet_box, 11 * player)).collect();
        assert_eq!(found, expected, "{players} players on {boxes} boxes");
        assert!(settled.lines.iter().all(|line| line.counted == line.stake), "{players} players on {boxes} boxes");
    }
}
