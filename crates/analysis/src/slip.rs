//! A slip of bets in one round: what it comes to on each of the 216 throws, and so its whole distribution, exactly and in cents.

use std::collections::BTreeMap;

use taisai_rules::{BetBox, Dice, Fraction, Layout, Money, Outcome, PayoutError};

/// No result of a slip may be larger: the squares of results are then still counted exactly.
pub const MAX_RESULT: Money = Money::from_cents(1_000_000_000_000_000);

/// Why bets are no slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSlip {
    /// There is no bet.
    #[error("there is no bet on the slip")]
    Empty,
    /// A box that the layout does not have.
    #[error("{0} is not on this layout")]
    NotOnLayout(BetBox),
    /// A stake that is not above zero.
    #[error("the stake on {0} must be above zero")]
    NotPositive(BetBox),
    /// A stake that cannot be paid.
    #[error("a stake of {amount} on {bet_box}: {why}")]
    Payout { bet_box: BetBox, amount: Money, why: PayoutError },
    /// A result that is too large to be counted.
    #[error("the slip could win or lose more than {MAX_RESULT}")]
    TooLarge,
}

/// Bets of one player in one round.
#[derive(Clone, Debug)]
pub struct PlayerSlip {
    bets: Vec<(BetBox, Money)>,
    /// The net result of each bet on each throw, in cents.
    results: Vec<[i64; 216]>,
    net: [i64; 216],
    staked: Money,
}

impl PlayerSlip {
    /// A slip of these bets; those on one box are one.
    ///
    /// ```
    /// use taisai_analysis::PlayerSlip;
    /// use taisai_rules::{BetBox, Games, Money};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let slip = PlayerSlip::new(layout, [(BetBox::BIG, Money::from_cents(100))]).unwrap();
    /// assert_eq!(slip.spread().mean().to_string(), "-25/9", "cents");
    /// ```
    pub fn new(layout: &Layout, bets: impl IntoIterator<Item = (BetBox, Money)>) -> Result<Self, BadSlip> {
        let mut gathered: Vec<(BetBox, Money)> = Vec::new();
        for (bet_box, amount) in bets {
            if !layout.has(bet_box) {
                return Err(BadSlip::NotOnLayout(bet_box));
            }
            if amount <= Money::ZERO {
                return Err(BadSlip::NotPositive(bet_box));
            }
            match gathered.iter_mut().find(|(known, _)| *known == bet_box) {
                Some((_, stake)) => *stake = stake.checked_add(amount).ok_or(BadSlip::TooLarge)?,
                None => gathered.push((bet_box, amount)),
            }
        }
        if gathered.is_empty() {
            return Err(BadSlip::Empty);
        }
        let mut staked = Money::ZERO;
        let (mut results, mut net) = (Vec::with_capacity(gathered.len()), [0i64; 216]);
        for (bet_box, amount) in &gathered {
            let payout = |why| BadSlip::Payout { bet_box: *bet_box, amount: *amount, why };
            layout.check_stake(*bet_box, *amount).map_err(payout)?;
            staked = staked.checked_add(*amount).ok_or(BadSlip::TooLarge)?;
            let mut result = [0; 216];
            for ((result, net), dice) in result.iter_mut().zip(&mut net).zip(Dice::all()) {
                *result = match layout.outcome(*bet_box, dice).ok_or(BadSlip::NotOnLayout(*bet_box))? {
                    Outcome::Won(odds) => odds.profit(*amount).map_err(payout)?.cents(),
                    Outcome::Lost | Outcome::LostToTriple => -amount.cents(),
                };
                *net = net.checked_add(*result).ok_or(BadSlip::TooLarge)?;
            }
            results.push(result);
        }
        if staked > MAX_RESULT || net.iter().any(|net| *net > MAX_RESULT.cents()) {
            return Err(BadSlip::TooLarge);
        }
        Ok(Self { bets: gathered, results, net, staked })
    }

    /// The bets, one a box, in the order in which they were given.
    pub fn bets(&self) -> &[(BetBox, Money)] {
        &self.bets
    }

    /// What is staked in all.
    pub const fn staked(&self) -> Money {
        self.staked
    }

    /// The net result on each throw, in the order of [`Dice::all`].
    pub fn nets(&self) -> impl Iterator<Item = (Dice, Money)> {
        Dice::all().zip(self.net.iter().map(|cents| Money::from_cents(*cents)))
    }

    /// The results of one bet, in cents.
    pub(crate) fn results(&self, bet: usize) -> &[i64; 216] {
        &self.results[bet]
    }

    /// The distribution of the net result.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.net)
    }
}

/// The exact distribution of a net result in one round: amounts ascending, each with its ways of 216.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spread {
    results: Vec<(Money, u8)>,
}

const THROWS: i128 = 216;

impl Spread {
    /// Of the results in cents on the 216 throws, none larger than [`MAX_RESULT`] either way.
    pub(crate) fn of(nets: &[i64; 216]) -> Self {
        let mut ways = BTreeMap::new();
        for net in nets {
            *ways.entry(Money::from_cents(*net)).or_insert(0u8) += 1;
        }
        Self { results: ways.into_iter().collect() }
    }

    /// Amounts ascending, each with its ways of 216.
    pub fn results(&self) -> &[(Money, u8)] {
        &self.results
    }

    /// The worst and the best result.
    pub fn ends(&self) -> (Money, Money) {
        (self.results[0].0, self.results[self.results.len() - 1].0)
    }

    fn power_sum(&self, power: u32) -> i128 {
        self.results.iter().map(|(net, ways)| i128::from(*ways) * i128::from(net.cents()).pow(power)).sum()
    }

    /// The expected net result in cents.
    pub fn mean(&self) -> Fraction {
        Fraction::new(self.power_sum(1), THROWS)
    }

    /// The variance of the net result in squared cents.
    pub fn variance(&self) -> Fraction {
        let (sum, squares) = (self.power_sum(1), self.power_sum(2));
        Fraction::new(THROWS * squares - sum * sum, THROWS * THROWS)
    }

    /// How many throws win money on balance, change nothing, and lose.
    pub fn ways(&self) -> [u8; 3] {
        let mut ways = [0; 3];
        for (net, count) in &self.results {
            ways[match net.cmp(&Money::ZERO) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            }] += count;
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    fn slip(bets: &[(&str, i64)]) -> Result<PlayerSlip, BadSlip> {
        let layout = Games::embedded().find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
        PlayerSlip::new(layout, bets.iter().map(|(text, cents)| (text.parse().unwrap(), Money::from_cents(*cents))))
    }

    #[test]
    fn bets_on_one_box_are_one_and_results_add_up() {
        let slip = slip(&[("big", 100), ("sum:17", 100), ("big", 200)]).unwrap();
        assert_eq!(slip.bets().len(), 2);
        assert_eq!(slip.staked(), Money::from_cents(400));
        let net = slip.nets().find(|(dice, _)| dice.to_string() == "6 6 5").unwrap().1;
        assert_eq!(net, Money::from_cents(300 + 6_400));
        assert_eq!(slip.spread().results().iter().map(|(_, ways)| u32::from(*ways)).sum::<u32>(), 216);
    }

    #[test]
    fn the_moments_of_one_bet_are_those_of_its_box() {
        let slip = slip(&[("sum:8", 200)]).unwrap();
        let layout = Games::embedded().find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
        let chances = layout.chances("sum:8".parse().unwrap()).unwrap();
        let (edge, variance) = (chances.edge, chances.variance);
        assert_eq!(slip.spread().mean(), Fraction::new(-200 * edge.numerator(), edge.denominator()));
        assert_eq!(slip.spread().variance(), Fraction::new(40_000 * variance.numerator(), variance.denominator()));
    }

    #[test]
    fn what_is_no_slip_says_why() {
        for (bets, expected) in [
            (&[][..], "there is no bet on the slip"),
            (&[("three:123", 100)], "three:123 is not on this layout"),
            (&[("big", 0)], "the stake on big must be above zero"),
            (&[("big", -5)], "the stake on big must be above zero"),
            (&[("sum:8", 25)], "a stake of 0.25 on sum:8: the payout is not a whole number of cents"),
            (&[("big", i64::MAX)], "a stake of 92,233,720,368,547,758.07 on big: the payout is too large"),
            (&[("big", 2_000_000_000_000_000)], "the slip could win or lose more than 10,000,000,000,000.00"),
            (&[("triple:1", 10_000_000_000_000)], "the slip could win or lose more than"),
        ] {
            let error = slip(bets).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{bets:?}: {error}");
        }
    }
}
