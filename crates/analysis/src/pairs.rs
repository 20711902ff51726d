//! How two bets of a slip relate: which never win together, which win only with the other, and which reduce each other's
//! variance. Computed from the 216 throws, never from the names of boxes.

use taisai_rules::{BetBox, Fraction, Money};

use crate::slip::PlayerSlip;

/// How two bets relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They never win together: where one wins, the other loses.
    Contradict,
    /// They may win together, but each does so less often when the other does: together they vary less.
    Hedge,
    /// Where the first wins, the second wins too.
    FirstImpliesSecond,
    /// Where the second wins, the first wins too.
    SecondImpliesFirst,
    /// They win on the same throws.
    Same,
    /// None of these: they win together as often as independent bets, or more often.
    Independent,
}

/// Two bets of a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BetPair {
    /// The first, by the order of the slip.
    pub first: BetBox,
    pub second: BetBox,
    pub relation: Relation,
    /// On how many throws both win.
    pub both_win: u8,
    /// On how many throws both lose.
    pub both_lose: u8,
    /// The covariance of their net results, in squared cents: negative where one bet offsets the other.
    pub covariance: Fraction,
    /// The best joint result.
    pub best: Money,
}

impl BetPair {
    /// Whether the two together can win nothing: a certain loss, or at best the stakes back.
    pub fn is_pure_cost(&self) -> bool {
        self.best <= Money::ZERO
    }
}

impl PlayerSlip {
    /// Every pair of bets.
    ///
    /// ```
    /// use taisai_analysis::{Relation, PlayerSlip};
    /// use taisai_rules::{BetBox, Games, Money};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let one = Money::from_cents(100);
    /// let pair = PlayerSlip::new(layout, [(BetBox::BIG, one), (BetBox::SMALL, one)]).unwrap().pairs()[0];
    /// assert_eq!((pair.relation, pair.both_lose, pair.is_pure_cost()), (Relation::Contradict, 6, true));
    /// ```
    pub fn pairs(&self) -> Vec<BetPair> {
        let bets = self.bets().len();
        let places = (0..bets).flat_map(|first| (first + 1..bets).map(move |second| (first, second)));
        places.map(|(first, second)| self.pair(first, second)).collect()
    }

    fn pair(&self, first: usize, second: usize) -> BetPair {
        let results = || self.results(first).iter().zip(self.results(second));
        let count = |test: fn(bool, bool) -> bool| {
            let met = results().filter(|(a, b)| test(**a > 0, **b > 0)).count();
            u8::try_from(met).expect("at most 216 throws")
        };
        let (both_win, both_lose) = (count(|a, b| a && b), count(|a, b| !a && !b));
        let (only_first, only_second) = (count(|a, b| a && !b), count(|a, b| !a && b));
        let sums = results().fold([0i128; 3], |[a, b, product], (first, second)| {
            let (first, second) = (i128::from(*first), i128::from(*second));
            [a + first, b + second, product + first * second]
        });
        let covariance = Fraction::new(216 * sums[2] - sums[0] * sums[1], 216 * 216);
        let relation = match (both_win, only_first, only_second) {
            (0, _, _) => Relation::Contradict,
            (_, 0, 0) => Relation::Same,
            (_, 0, _) => Relation::FirstImpliesSecond,
            (_, _, 0) => Relation::SecondImpliesFirst,
            _ if covariance.numerator() < 0 => Relation::Hedge,
            _ => Relation::Independent,
        };
        let best = results().map(|(a, b)| a + b).max().map_or(Money::ZERO, Money::from_cents);
        let box_of = |place: usize| self.bets()[place].0;
        BetPair { first: box_of(first), second: box_of(second), relation, both_win, both_lose, covariance, best }
    }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    #[test]
    fn pairs_are_distinguished_by_their_throws() {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("C").unwrap();
        for (first, second, relation, both_win) in [
            ("big", "small", Relation::Contradict, 0),
            ("sum:4", "sum:5", Relation::Contradict, 0),
            ("any-triple", "big", Relation::Contradict, 0),
            ("sum:4", "small", Relation::FirstImpliesSecond, 3),
            ("any-triple", "triple:3", Relation::SecondImpliesFirst, 1),
            ("triple:1", "double:1", Relation::FirstImpliesSecond, 1),
            ("small", "single:6", Relation::Hedge, 18),
            ("big", "single:6", Relation::Independent, 72),
            ("single:1", "domino:12", Relation::SecondImpliesFirst, 30),
        ] {
            let bets = [first, second].map(|text| (text.parse().unwrap(), Money::from_cents(100)));
            let pair = PlayerSlip::new(layout, bets).unwrap().pairs()[0];
            assert_eq!((pair.relation, pair.both_win), (relation, both_win), "{first}, {second}");
        }
    }

    #[test]
    fn covariances_are_what_the_variance_of_the_slip_leaves() {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("C").unwrap();
        let bets = ["big", "single:2", "sum:9"].map(|text| (text.parse().unwrap(), Money::from_cents(300)));
        let slip = PlayerSlip::new(layout, bets).unwrap();
        let scaled = |fraction: Fraction| fraction.numerator() * (216 * 216 / fraction.denominator());
        let alone: i128 =
            bets.iter().map(|bet| scaled(PlayerSlip::new(layout, [*bet]).unwrap().spread().variance())).sum();
        let between: i128 = slip.pairs().iter().map(|pair| scaled(pair.covariance)).sum();
        assert_eq!(alone + 2 * between, scaled(slip.spread().variance()));
    }
}
