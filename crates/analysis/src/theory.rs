//! The operator's figures (F70): what the House should have won on the stakes that were made, what it did win, and whether the
//! difference is luck. The theoretical win and its variance are exact; so is the band, where rounds are few and alike enough to be
//! convolved.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use std::collections::HashMap;

use taisai_rules::{BetBox, Fraction, Layout, Money};

use crate::layout_figures::Confidence;
use crate::real::{real, whole};
use crate::rounds::Distribution;
use crate::slip::{BadSlip, PlayerSlip, Spread};

/// Up to this many rounds, bands come from the exact distribution.
pub const EXACT_ROUNDS: u64 = 2_000;

/// Why a round cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRound {
    /// Its stakes are no slip of the layout.
    #[error(transparent)]
    Slip(#[from] BadSlip),
    /// The sums no longer fit.
    #[error("the stakes of all rounds together are too large to be counted")]
    TooLarge,
}

/// The rounds of one table, dealer or shift.
#[derive(Clone, Debug, Default)]
pub struct Theory {
    rounds: u64,
    wagers: u64,
    handle: i128,
    win: i128,
    /// In 216ths of a cent.
    theoretical: i128,
    /// In 216² parts of a squared cent.
    variance: i128,
    /// The possible results of the House; none once there are too many.
    spreads: Option<HashMap<Spread, u32>>,
}

/// The band of wins that luck explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinBand {
    /// The lower end, in cents.
    pub low: f64,
    pub high: f64,
    /// Whether it comes from the exact distribution.
    pub is_exact: bool,
}

impl Theory {
    pub fn new() -> Self {
        Self { spreads: Some(HashMap::new()), ..Self::default() }
    }

    /// Adds a round: what counted on each box in how many wagers, and what the House won.
    ///
    /// ```
    /// use taisai_analysis::Theory;
    /// use taisai_rules::{BetBox, Games, Money};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let mut theory = Theory::new();
    /// theory.add(layout, [(BetBox::BIG, Money::from_cents(3_600))], 2, Money::from_cents(3_600)).unwrap();
    /// assert_eq!(theory.theoretical_win().to_string(), "100", "a 36th of it");
    /// ```
    pub fn add(
        &mut self,
        layout: &Layout,
        stakes: impl IntoIterator<Item = (BetBox, Money)>,
        wagers: u64,
        win: Money,
    ) -> Result<(), BadRound> {
        let slip = PlayerSlip::new(layout, stakes)?;
        let mut house = [0; 216];
        for (house, (_, net)) in house.iter_mut().zip(slip.nets()) {
            *house = -net.cents();
        }
        let spread = Spread::of(&house);
        let sum: i128 = house.iter().map(|result| i128::from(*result)).sum();
        let squares: i128 = house.iter().map(|result| i128::from(*result).pow(2)).sum();
        let variance = self.variance.checked_add(216 * squares - sum * sum).ok_or(BadRound::TooLarge)?;
        (self.variance, self.theoretical) = (variance, self.theoretical + sum);
        self.rounds += 1;
        self.wagers += wagers;
        self.handle += i128::from(slip.staked().cents());
        self.win += i128::from(win.cents());
        if let Some(spreads) = &mut self.spreads {
            *spreads.entry(spread).or_insert(0) += 1;
        }
        if self.rounds > EXACT_ROUNDS {
            self.spreads = None;
        }
        Ok(())
    }

    /// Rounds with a bet.
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// What counted of all stakes, in cents.
    pub const fn handle(&self) -> i128 {
        self.handle
    }

    /// What the House won, in cents.
    pub const fn win(&self) -> i128 {
        self.win
    }

    /// What it should have won on average, in cents, exactly.
    pub fn theoretical_win(&self) -> Fraction {
        Fraction::new(self.theoretical, 216)
    }

    /// What it should keep of a stake of one, exactly; none without stakes.
    pub fn edge(&self) -> Option<Fraction> {
        (self.handle > 0).then(|| Fraction::new(self.theoretical, 216 * self.handle))
    }

    /// The average bet, in cents; none without bets.
    pub fn average_bet(&self) -> Option<Fraction> {
        (self.wagers > 0).then(|| Fraction::new(self.handle, self.wagers.into()))
    }

    /// The standard deviation of the win, in cents.
    pub fn standard_deviation(&self) -> f64 {
        whole(self.variance).sqrt() / 216.0
    }

    /// By how many standard deviations the win is above the theoretical one.
    pub fn deviations(&self) -> f64 {
        let deviation = self.standard_deviation();
        if deviation > 0.0 { (whole(self.win) - real(self.theoretical_win())) / deviation } else { 0.0 }
    }

    /// The band in which the win lies by luck alone.
    pub fn band(&self, confidence: Confidence) -> WinBand {
        let rounds = self.spreads.iter().flatten().map(|(spread, times)| (spread.clone(), *times));
        let mut rounds: Vec<_> = rounds.collect();
        // Sorted, so that the same rounds give the same digits in any order.
        rounds.sort_by(|a, b| a.0.results().cmp(b.0.results()));
        if let (false, Ok(found)) = (rounds.is_empty(), Distribution::of(&rounds)) {
            let (low, high) = found.band(confidence.outside());
            return WinBand { low: whole(low), high: whole(high), is_exact: true };
        }
        let (mean, half) = (real(self.theoretical_win()), confidence.deviations() * self.standard_deviation());
        WinBand { low: mean - half, high: mean + half, is_exact: false }
    }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;
    use crate::chance::Throws;

    fn layout() -> &'static Layout {
        Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap()
    }

    fn stakes(round: u64) -> Vec<(BetBox, Money)> {
        let boxes: [&[&str]; 3] = [&["big", "sum:9"], &["small", "triple:4", "domino:12"], &["single:1"]];
        let boxes = boxes[usize::try_from(round % 3).unwrap()];
        boxes.iter().map(|text| (text.parse().unwrap(), Money::from_cents(1_000))).collect()
    }

    #[test]
    fn the_theoretical_win_is_the_sum_of_edges_and_the_band_holds_the_win() {
        let (mut inside, mut all) = (0, 0);
        for part in 0..60 {
            let mut theory = Theory::new();
            for (round, dice) in (0..90).zip(Throws::of(21, part)) {
                let slip = PlayerSlip::new(layout(), stakes(round)).unwrap();
                let net = slip.nets().find(|(throw, _)| *throw == dice).unwrap().1;
                theory.add(layout(), stakes(round), 1, Money::from_cents(-net.cents())).unwrap();
            }
            // Thirty rounds of each: 10.00 times 1/36 + 2/27, 1/36 + 35/216 + 1/36, and 1/27.
            let expected = Fraction::new(1_000 * 30 * (6 + 16 + 6 + 35 + 6 + 8), 216);
            assert_eq!(theory.theoretical_win(), expected);
            let band = theory.band(Confidence::Ninety);
            assert!(band.is_exact);
            all += 1;
            inside += u32::from((band.low..=band.high).contains(&whole(theory.win())));
        }
        assert!(inside * 100 >= all * 80 && inside < all, "{inside} of {all}");
    }

    #[test]
    fn many_rounds_have_a_normal_band_beside_the_exact_one() {
        let mut theory = Theory::new();
        for round in 0..EXACT_ROUNDS {
            theory.add(layout(), stakes(round), 3, Money::ZERO).unwrap();
        }
        let exact = theory.band(Confidence::NinetyFive);
        theory.add(layout(), stakes(0), 3, Money::ZERO).unwrap();
        let normal = theory.band(Confidence::NinetyFive);
        assert!(exact.is_exact && !normal.is_exact);
        let width = normal.high - normal.low;
        assert!((exact.low - normal.low).abs() < width / 12.0 && (exact.high - normal.high).abs() < width / 12.0);
    }

    #[test]
    fn rounds_that_are_all_different_have_a_normal_band() {
        let mut chance = crate::chance::SplitMix64::of(6, 6);
        let boxes: Vec<_> = layout().boxes().iter().copied().take(20).collect();
        let mut theory = Theory::new();
        for _ in 0..EXACT_ROUNDS {
            let stakes = boxes.iter().map(|bet_box| {
                let units = i64::try_from(1 + chance.below(200)).unwrap();
                (*bet_box, Money::from_cents(2_500 * units))
            });
            theory.add(layout(), stakes.collect::<Vec<_>>(), 20, Money::ZERO).unwrap();
        }
        assert!(theory.spreads.as_ref().unwrap().len() > 1_900, "nearly every round has its own spread");
        let band = theory.band(Confidence::NinetyFive);
        assert!(!band.is_exact);
        let half = Confidence::NinetyFive.deviations() * theory.standard_deviation();
        assert!((band.high - band.low - 2.0 * half).abs() < 1.0);
    }

    #[test]
    fn the_win_is_what_was_won_however_large() {
        let mut theory = Theory::new();
        let win = Money::from_cents(i64::MAX);
        (0..2).for_each(|round| theory.add(layout(), stakes(round), 1, win).unwrap());
        assert_eq!(theory.win(), 2 * i128::from(i64::MAX));
    }

    #[test]
    fn nothing_played_is_no_deviation() {
        let theory = Theory::new();
        assert_eq!((theory.edge(), theory.average_bet(), theory.rounds()), (None, None, 0));
        assert!(theory.deviations() == 0.0);
    }
}
