//! The exact figures of one box: everything a par sheet says about it follows from how many of the 216 throws pay which odds.
//! Odds *to* one and returns *for* one are two types, so that no sheet can mix them.

#![expect(
    clippy::float_arithmetic,
    reason = "standard deviation and skewness are roots: the last step before they are shown"
)]

use std::fmt;

use taisai_rules::{BetBox, Dice, Fraction, Layout, Odds, Outcome};

use crate::real::real;

/// Odds *to* one: the profit on a stake of one. The stake comes back as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ToOne(Fraction);

/// A return *for* one: everything that comes back for a stake of one, the stake included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForOne(Fraction);

impl ToOne {
    /// As a number.
    pub const fn fraction(self) -> Fraction {
        self.0
    }

    /// The same, with the stake.
    ///
    /// ```
    /// use taisai_analysis::ToOne;
    /// let odds: taisai_rules::Odds = "8.5 to 1".parse().unwrap();
    /// assert_eq!(ToOne::from(odds).for_one().to_string(), "19/2 for 1");
    /// ```
    pub fn for_one(self) -> ForOne {
        ForOne(Fraction::new(self.0.numerator() + self.0.denominator(), self.0.denominator()))
    }
}

impl ForOne {
    /// As a number.
    pub const fn fraction(self) -> Fraction {
        self.0
    }
}

impl From<Odds> for ToOne {
    fn from(odds: Odds) -> Self {
        Self(Fraction::new(odds.numerator().into(), odds.denominator().into()))
    }
}

impl fmt::Display for ToOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} to 1", self.0))
    }
}

impl fmt::Display for ForOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} for 1", self.0))
    }
}

/// Throws on which a box pays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Win {
    /// How many of the 216 there are.
    pub ways: u8,
    /// What they pay.
    pub pays: ToOne,
}

/// The exact figures of a stake of one on a box.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoxFigures {
    pub bet_box: BetBox,
    /// What it pays, and how often.
    pub wins: Vec<Win>,
    /// How many of the 216 throws win.
    pub ways: u8,
    /// What the House keeps of a stake of one on average.
    pub edge: Fraction,
    /// The variance of the net result.
    pub variance: Fraction,
    /// The third central moment of the net result.
    pub third_moment: Fraction,
}

const THROWS: i128 = 216;

impl BoxFigures {
    /// The figures of a box; nothing if it is not on the layout.
    ///
    /// ```
    /// use taisai_analysis::BoxFigures;
    /// let layout = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let sum = BoxFigures::of(layout, "sum:4".parse().unwrap()).unwrap();
    /// assert_eq!((sum.ways, sum.edge.to_string(), sum.expected_return().to_string()), (3, "1/8".into(), "7/8 for 1".into()));
    /// ```
    pub fn of(layout: &Layout, bet_box: BetBox) -> Option<Self> {
        if !layout.has(bet_box) {
            return None;
        }
        let mut wins: Vec<Win> = layout.pays(bet_box).map(|odds| Win { ways: 0, pays: odds.into() }).collect();
        for dice in Dice::all() {
            if let Some(Outcome::Won(odds)) = layout.outcome(bet_box, dice) {
                let win = wins.iter_mut().find(|win| win.pays == odds.into())?;
                win.ways += 1;
            }
        }
        let ways = wins.iter().map(|win| win.ways).sum();
        // Whole net results of a stake of `scale`, and their power sums over the 216 throws.
        let scale = wins.iter().fold(1, |scale, win| common_multiple(scale, win.pays.0.denominator()));
        let lost = (-scale, THROWS - i128::from(ways));
        let won =
            wins.iter().map(|win| (win.pays.0.numerator() * (scale / win.pays.0.denominator()), i128::from(win.ways)));
        let [one, two, three] = won.chain([lost]).fold([0; 3], |[one, two, three], (net, ways)| {
            [one + ways * net, two + ways * net * net, three + ways * net * net * net]
        });
        let all = THROWS * scale;
        let third = THROWS * THROWS * three - 3 * THROWS * one * two + 2 * one * one * one;
        Some(Self {
            bet_box,
            wins,
            ways,
            edge: Fraction::new(-one, all),
            variance: Fraction::new(THROWS * two - one * one, all * all),
            third_moment: Fraction::new(third, all * all * all),
        })
    }

    /// How often it wins.
    pub fn hit_frequency(&self) -> Fraction {
        Fraction::new(self.ways.into(), THROWS)
    }

    /// What comes back of a stake of one on average.
    pub fn expected_return(&self) -> ForOne {
        ForOne(Fraction::new(self.edge.denominator() - self.edge.numerator(), self.edge.denominator()))
    }

    /// The odds that would leave the House nothing; none for a box that never wins.
    pub fn fair_odds(&self) -> Option<ToOne> {
        (self.ways > 0).then(|| ToOne(Fraction::new(THROWS - i128::from(self.ways), self.ways.into())))
    }

    /// The standard deviation of the net result.
    pub fn standard_deviation(&self) -> f64 {
        real(self.variance).sqrt()
    }

    /// The third central moment over the cube of the standard deviation: above zero where a few large wins stand against many
    /// small losses.
    pub fn skewness(&self) -> f64 {
        real(self.third_moment) / real(self.variance).powf(1.5)
    }

    /// Whether another box has the same figures, so that one line can stand for both.
    pub fn is_like(&self, other: &Self) -> bool {
        self.bet_box.kind() == other.bet_box.kind() && self.wins == other.wins
    }
}

/// The least common multiple.
fn common_multiple(a: i128, b: i128) -> i128 {
    // In lowest terms, a/b has b without what both share.
    a * Fraction::new(a, b).denominator()
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    fn figures(bet_box: &str) -> BoxFigures {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
        BoxFigures::of(layout, bet_box.parse().unwrap()).unwrap()
    }

    #[test]
    fn skewness_is_that_of_a_bet_with_two_results() {
        // (1 − 2p) / √(p (1 − p)) for a chance p of winning, whatever the odds.
        for (bet_box, ways) in [("big", 105.0), ("sum:4", 3.0), ("triple:1", 1.0), ("domino:12", 30.0)] {
            let p: f64 = ways / 216.0;
            let expected = (1.0 - 2.0 * p) / (p * (1.0 - p)).sqrt();
            assert!((figures(bet_box).skewness() - expected).abs() < 1e-9, "{bet_box}");
        }
    }

    #[test]
    fn a_box_with_three_odds_counts_each() {
        let single = figures("single:1");
        let wins: Vec<_> = single.wins.iter().map(|win| (win.ways, win.pays.to_string())).collect();
        assert_eq!(wins, [(75, "1 to 1".to_owned()), (15, "2 to 1".to_owned()), (1, "12 to 1".to_owned())]);
        assert_eq!((single.ways, single.hit_frequency().to_string()), (91, "91/216".to_owned()));
    }

    #[test]
    fn a_box_not_on_the_layout_has_no_figures() {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
        assert_eq!(BoxFigures::of(layout, BetBox::ODD), None);
    }

    #[test]
    fn the_least_common_multiple_is_the_least() {
        for (a, b, multiple) in [(1, 2, 2), (2, 2, 2), (4, 6, 12), (20, 50, 100)] {
            assert_eq!(common_multiple(a, b), multiple, "{a}, {b}");
        }
    }
}
