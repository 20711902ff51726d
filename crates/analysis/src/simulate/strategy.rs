//! How players choose their next stake. A strategy sees its own results and nothing else; it never knows the next throw.

use std::fmt;
use std::str::FromStr;

use crate::chance::SplitMix64;

/// How a player chooses stakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The same slip every round.
    Flat,
    /// Twice as much after a round that lost, the first stake after one that won.
    Martingale,
    /// Twice as much after a round that won, up to three in a row; the first stake after one that lost.
    Paroli,
    /// One stake more after a round that lost, one less after one that won.
    DAlembert,
    /// The same stake on a box of the layout chosen by chance.
    Random,
    /// The slips of a script in turn, from the first again after the last.
    Script,
}

/// A word that is no strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("strategies are flat, martingale, paroli, dalembert, random and script")]
pub struct UnknownStrategy;

impl Strategy {
    pub const ALL: [Self; 6] =
        [Self::Flat, Self::Martingale, Self::Paroli, Self::DAlembert, Self::Random, Self::Script];

    pub const fn text(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Martingale => "martingale",
            Self::Paroli => "paroli",
            Self::DAlembert => "dalembert",
            Self::Random => "random",
            Self::Script => "script",
        }
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        Self::ALL.into_iter().find(|strategy| strategy.text() == text).ok_or(UnknownStrategy)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// The largest multiple of the first stake: more than any bankroll or limit allows.
const MAX_MULTIPLE: i64 = 1 << 40;
/// A paroli ends after this many wins in a row.
const PAROLI_WINS: u8 = 3;

/// The state of a player's strategy.
#[derive(Clone, Debug)]
pub(super) struct StrategyState {
    strategy: Strategy,
    multiple: i64,
    wins: u8,
    next: usize,
    chance: SplitMix64,
}

impl StrategyState {
    pub(super) const fn new(strategy: Strategy, chance: SplitMix64) -> Self {
        Self { strategy, multiple: 1, wins: 0, next: 0, chance }
    }

    /// Which slip comes next, and with which multiple of its stakes.
    #[inline]
    pub(super) fn choose(&mut self, slips: usize) -> (usize, i64) {
        let slip = match self.strategy {
            Strategy::Flat | Strategy::Martingale | Strategy::Paroli | Strategy::DAlembert => 0,
            Strategy::Random => {
                usize::try_from(self.chance.below(u64::try_from(slips).unwrap_or(1))).expect("a place in a list")
            }
            Strategy::Script => {
                let slip = self.next;
                self.next = if slip + 1 == slips { 0 } else { slip + 1 };
                slip
            }
        };
        (slip, self.multiple)
    }

    /// Adds the result of a round.
    #[inline]
    pub(super) fn learn(&mut self, net: i64) {
        match (self.strategy, net.signum()) {
            (Strategy::Flat | Strategy::Random | Strategy::Script, _) | (_, 0) => {}
            (Strategy::Martingale, 1) => self.multiple = 1,
            (Strategy::Martingale, _) => self.multiple = MAX_MULTIPLE.min(self.multiple * 2),
            (Strategy::Paroli, 1) => {
                self.wins = (self.wins + 1) % PAROLI_WINS;
                self.multiple = 1 << self.wins;
            }
            (Strategy::Paroli, _) => (self.wins, self.multiple) = (0, 1),
            (Strategy::DAlembert, 1) => self.multiple = 1.max(self.multiple - 1),
            (Strategy::DAlembert, _) => self.multiple = MAX_MULTIPLE.min(self.multiple + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stakes_follow_results_as_the_strategy_says() {
        for (strategy, nets, expected) in [
            (Strategy::Flat, [-1, -1, 1, 0, 1, -1], [1, 1, 1, 1, 1, 1]),
            (Strategy::Martingale, [-1, -1, 0, -1, 1, -1], [2, 4, 4, 8, 1, 2]),
            (Strategy::Paroli, [1, 1, 1, 1, -1, 1], [2, 4, 1, 2, 1, 2]),
            (Strategy::DAlembert, [-1, -1, 1, 0, 1, 1], [2, 3, 2, 2, 1, 1]),
        ] {
            let mut mind = StrategyState::new(strategy, SplitMix64::of(1, 1));
            assert_eq!(mind.choose(1), (0, 1), "{strategy}");
            let multiples = nets.map(|net| {
                mind.learn(net);
                mind.choose(1).1
            });
            assert_eq!(multiples, expected, "{strategy}");
        }
    }

    #[test]
    fn scripts_go_round_and_chance_meets_every_slip() {
        let mut script = StrategyState::new(Strategy::Script, SplitMix64::of(1, 1));
        assert_eq!([(); 5].map(|()| script.choose(2).0), [0, 1, 0, 1, 0]);
        let mut random = StrategyState::new(Strategy::Random, SplitMix64::of(1, 1));
        let mut met = [false; 20];
        (0..1_000).for_each(|_| met[random.choose(20).0] = true);
        assert_eq!(met, [true; 20]);
    }

    #[test]
    fn a_long_run_of_losses_does_not_overflow() {
        let mut mind = StrategyState::new(Strategy::Martingale, SplitMix64::of(1, 1));
        (0..200).for_each(|_| mind.learn(-1));
        assert_eq!(mind.choose(1), (0, MAX_MULTIPLE));
    }
}
