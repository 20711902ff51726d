//! Risk of ruin: the chance that a bankroll can no longer cover the same slip, round by round. Computed forwards over every
//! bankroll that can still be ruined. All terms are positive, so rounding only costs a known part of each chance.

#![expect(clippy::float_arithmetic, reason = "probabilities, with a bound on every rounding")]

use taisai_rules::Money;

use crate::fourier::ROUNDOFF;
use crate::real::size;
use crate::rounds::common;
use crate::slip::PlayerSlip;

const MAX_ROUNDS: u32 = 1_000_000;
/// Additions: some seconds of work.
const MAX_WORK: u128 = 20_000_000_000;

/// Why the risk of ruin cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRuin {
    /// The bankroll does not cover the slip once.
    #[error("a bankroll of {bankroll} does not cover the slip once, which costs {staked}")]
    Short {
        bankroll: Money,
        /// The slip.
        staked: Money,
    },
    #[error("rounds are from 1 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
    /// Too many bankrolls to go through.
    #[error("there are too many bankrolls to go through: take fewer rounds, or stakes with a larger common measure")]
    Work,
}

/// The risk of ruin of a bankroll.
#[derive(Clone, Debug)]
pub struct Ruin {
    /// The chance of ruin within 0, 1, 2, … rounds.
    chances: Vec<f64>,
    /// The part of a chance that rounding may have taken or added.
    relative_error: f64,
}

impl Ruin {
    /// The chance of ruin within this many rounds, or within all that were computed.
    pub fn within(&self, rounds: u32) -> f64 {
        let place = usize::try_from(rounds).unwrap_or(usize::MAX).min(self.chances.len() - 1);
        self.chances[place]
    }

    /// The chances of ruin, from none played on.
    pub fn chances(&self) -> &[f64] {
        &self.chances
    }

    /// The part of a chance that rounding may have taken or added.
    pub const fn relative_error(&self) -> f64 {
        self.relative_error
    }
}

impl PlayerSlip {
    /// The risk that a bankroll no longer covers this slip within this many rounds.
    ///
    /// ```
    /// use taisai_analysis::PlayerSlip;
    /// use taisai_rules::{BetBox, Games, Money};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let slip = PlayerSlip::new(layout, [(BetBox::BIG, Money::from_cents(100))]).unwrap();
    /// let ruin = slip.ruin(Money::from_cents(200), 2).unwrap();
    /// assert!((ruin.within(2) - (111.0f64 / 216.0).powi(2)).abs() < 1e-15, "lost twice");
    /// ```
    pub fn ruin(&self, bankroll: Money, rounds: u32) -> Result<Ruin, NoRuin> {
        let staked = self.staked();
        if rounds == 0 || rounds > MAX_ROUNDS {
            return Err(NoRuin::Rounds(rounds));
        }
        let Some(spare) = bankroll.checked_sub(staked).filter(|spare| *spare >= Money::ZERO) else {
            return Err(NoRuin::Short { bankroll, staked });
        };
        let spread = self.spread();
        let step = spread.results().iter().fold(0, |step, (net, _)| common(step, net.cents())).max(1);
        let moves: Vec<_> =
            spread.results().iter().map(|(n, ways)| (n.cents() / step, f64::from(*ways) / 216.0)).collect();
        let worst = u64::try_from(-moves[0].0).unwrap_or(0);
        let first = u64::try_from(spare.cents() / step).unwrap_or(0);
        let all = usize::try_from(rounds).map_err(|_| NoRuin::Work)?;
        // A larger bankroll cannot be ruined in the remaining rounds.
        let needed = |left: usize| u64::try_from(left).ok()?.checked_mul(worst);
        let most = needed(all).ok_or(NoRuin::Work)?;
        if first >= most {
            return Ok(Ruin { chances: vec![0.0; all + 1], relative_error: 0.0 });
        }
        let best = u64::try_from(moves[moves.len() - 1].0).unwrap_or(0);
        let reached = best.checked_mul(u64::from(rounds)).and_then(|gain| gain.checked_add(first)).unwrap_or(u64::MAX);
        let states = usize::try_from(most.min(reached) + 1).map_err(|_| NoRuin::Work)?;
        let work = u128::try_from(states).unwrap_or(u128::MAX) * u128::from(rounds);
        if work.saturating_mul(u128::try_from(moves.len()).unwrap_or(1)) > MAX_WORK {
            return Err(NoRuin::Work);
        }
        let mut now = vec![0.0; states];
        now[usize::try_from(first).map_err(|_| NoRuin::Work)?] = 1.0;
        let mut next = vec![0.0; states];
        let mut chances = vec![0.0];
        let mut ruined = 0.0;
        for played in 1..=all {
            let needed = needed(all - played + 1).and_then(|needed| usize::try_from(needed).ok()).unwrap_or(states);
            let open = &now[..states.min(needed)];
            next.fill(0.0);
            for (distance, chance) in &moves {
                ruined += moved(open, &mut next, *distance, *chance);
            }
            chances.push(ruined);
            std::mem::swap(&mut now, &mut next);
        }
        let relative_error = 1.01 * size(all) * (size(moves.len()) + 4.0) * ROUNDOFF + 1.01 * size(states) * ROUNDOFF;
        Ok(Ruin { chances, relative_error })
    }
}

/// Moves every bankroll by one result; what falls below zero is ruined, and given back. What goes beyond the end is safe.
fn moved(now: &[f64], next: &mut [f64], distance: i64, chance: f64) -> f64 {
    let places = usize::try_from(distance.unsigned_abs()).unwrap_or(usize::MAX);
    if distance < 0 {
        let (ruined, rest) = now.split_at(places.min(now.len()));
        for (to, from) in next.iter_mut().zip(rest) {
            *to += chance * from;
        }
        chance * ruined.iter().sum::<f64>()
    } else {
        for (to, from) in next.iter_mut().skip(places).zip(now) {
            *to += chance * from;
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    fn slip(bets: &[(&str, i64)]) -> PlayerSlip {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
        PlayerSlip::new(layout, bets.iter().map(|(text, cents)| (text.parse().unwrap(), Money::from_cents(*cents))))
            .unwrap()
    }

    #[test]
    fn ruin_is_that_of_the_gambler_with_even_money() {
        // In the end, with p = 105/216 and nothing to stop at, ruin is certain; within N rounds it is the reflected walk.
        let ruin = slip(&[("big", 100)]).ruin(Money::from_cents(300), 5).unwrap();
        let (p, q) = (105.0 / 216.0, 111.0f64 / 216.0);
        // Ruined after exactly 3 rounds: qqq; after 5: three paths of four losses and one win.
        assert!((ruin.within(3) - q.powi(3)).abs() < 1e-15);
        assert!((ruin.within(4) - q.powi(3)).abs() < 1e-15);
        assert!((ruin.within(5) - (q.powi(3) + 3.0 * p * q.powi(4))).abs() < 1e-15);
    }

    #[test]
    fn a_bankroll_that_outlasts_the_rounds_is_never_ruined() {
        let slip = slip(&[("big", 100)]);
        assert!(slip.ruin(Money::from_cents(1_100), 10).unwrap().chances().iter().all(|chance| *chance == 0.0));
        assert!(slip.ruin(Money::from_cents(1_000), 10).unwrap().within(10) > 0.0);
    }

    #[test]
    fn a_part_of_a_stake_is_no_stake() {
        let slip = slip(&[("big", 100)]);
        let chances = |cents| slip.ruin(Money::from_cents(cents), 9).unwrap().chances().to_vec();
        assert_eq!(chances(399), chances(300));
    }

    #[test]
    fn what_cannot_be_computed_gives_a_reason() {
        let slip = slip(&[("big", 100), ("triple:1", 1)]);
        assert_eq!(
            slip.ruin(Money::from_cents(100), 1).unwrap_err().to_string(),
            "a bankroll of 1.00 does not cover the slip once, which costs 1.01"
        );
        assert_eq!(slip.ruin(Money::MAX, 0).unwrap_err(), NoRuin::Rounds(0));
        assert_eq!(slip.ruin(Money::from_cents(1_000_000), 1_000_000).unwrap_err(), NoRuin::Work);
    }
}
