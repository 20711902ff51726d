//! The results of a simulation with confidence intervals, beside the exact figures.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use taisai_rules::{Fraction, Money};

use crate::layout_figures::Confidence;
use crate::real::{count, real, whole};
use crate::simulate::plan::SimulationPlan;
use crate::simulate::strategy::Strategy;
use crate::simulate::{SessionResult, SimulationResults};

/// A figure with the interval that holds the true one in 95 of 100 runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub found: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    fn around(found: f64, deviation: f64) -> Self {
        let half = Confidence::NinetyFive.deviations() * deviation;
        Self { found, low: found - half, high: found + half }
    }

    /// Of a share (Wilson): it stays between 0 and 1, and has a width even if none or all sessions count.
    fn of_share(met: u64, of: u64) -> Self {
        let (z, n) = (Confidence::NinetyFive.deviations(), count(of));
        let share = count(met) / n;
        let (scale, middle) = (1.0 + z * z / n, share + z * z / (2.0 * n));
        let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        Self { found: share, low: ((middle - half) / scale).max(0.0), high: ((middle + half) / scale).min(1.0) }
    }

    /// Whether a value lies in it.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// One player over all sessions.
#[derive(Clone, Debug)]
pub struct PlayerSummary {
    pub name: String,
    pub strategy: Strategy,
    /// Rounds with a bet, and those that won.
    pub rounds: u64,
    /// Rounds that won money.
    pub won: u64,
    /// What counted of the stakes, in cents.
    pub staked: i128,
    /// The net result, in cents.
    pub net: i128,
    /// What the House kept of a stake of one; the interval is around it.
    pub edge: Interval,
    /// What it keeps of these stakes on average, exactly.
    pub exact_edge: Fraction,
    /// How many standard deviations the net result is above what the stakes could expect.
    pub deviations: f64,
    /// The share of sessions that ended in ruin.
    pub ruin: Interval,
    /// The exact chance, for flat stakes that always count in full.
    pub exact_ruin: Option<f64>,
    /// The mean bankroll at the end, in cents.
    pub bankroll: Interval,
    /// The bankroll that one in twenty sessions end below, that half end below, and that one in twenty end above.
    pub ends: [Money; 3],
    /// The lowest and highest bankroll of all sessions.
    pub extremes: (Money, Money),
}

/// The summary of every player; none if nothing was played.
pub fn summaries(plan: &SimulationPlan, results: &SimulationResults) -> Vec<PlayerSummary> {
    let players = plan.players().iter().enumerate();
    players.filter_map(|(place, _)| summary(plan, place, &results.of(place).copied().collect::<Vec<_>>())).collect()
}

fn summary(plan: &SimulationPlan, place: usize, sessions: &[SessionResult]) -> Option<PlayerSummary> {
    let player = &plan.players()[place];
    let all = u64::try_from(sessions.len()).ok().filter(|all| *all > 0)?;
    let sum = |of: fn(&SessionResult) -> i128| sessions.iter().map(of).sum::<i128>();
    let (staked, net) = (sum(|s| s.staked.cents().into()), sum(|s| s.net.cents().into()));
    let expected = sum(|s| s.expected);
    let deviation = sessions.iter().map(|session| session.variance).sum::<f64>().sqrt();
    let (one, at_stake) = (whole(net) - whole(expected) / 216.0, whole(staked.max(1)));
    let mut ends: Vec<i64> = sessions.iter().map(|session| player.bankroll + session.net.cents()).collect();
    ends.sort_unstable();
    let end = |of_twenty: usize| Money::from_cents(ends[(ends.len() * of_twenty / 20).min(ends.len() - 1)]);
    let mean = whole(ends.iter().map(|end| i128::from(*end)).sum()) / count(all);
    let squares: f64 = ends.iter().map(|end| (whole((*end).into()) - mean).powi(2)).sum();
    let spread = (squares / count(all.max(2) - 1)).sqrt() / count(all).sqrt();
    let ruined = sessions.iter().filter(|session| session.is_ruined).count();
    Some(PlayerSummary {
        name: player.name.clone(),
        strategy: player.strategy,
        rounds: sessions.iter().map(|session| session.rounds).sum(),
        won: sessions.iter().map(|session| session.won).sum(),
        staked,
        net,
        edge: Interval::around(-whole(net) / at_stake, deviation / at_stake),
        exact_edge: Fraction::new(-expected, 216 * staked.max(1)),
        deviations: if deviation > 0.0 { one / deviation } else { 0.0 },
        ruin: Interval::of_share(u64::try_from(ruined).ok()?, all),
        exact_ruin: exact_ruin(plan, place),
        bankroll: Interval::around(mean, spread),
        ends: [end(1), end(10), end(19)],
        extremes: (sessions.iter().map(|s| s.lowest).min()?, sessions.iter().map(|s| s.highest).max()?),
    })
}

/// Flat stakes whose limits never bind are a slip over rounds.
fn exact_ruin(plan: &SimulationPlan, place: usize) -> Option<f64> {
    let player = &plan.players()[place];
    let (Strategy::Flat, Some(slip), false) = (player.strategy, &player.slip, plan.shares_limits) else { return None };
    // A session that ends with too little for another slip is not ruined: ruin is being unable to place one of its slips.
    let before_last = u32::try_from(plan.rounds()).ok()?.checked_sub(1)?;
    if before_last == 0 {
        return Some(0.0);
    }
    slip.ruin(Money::from_cents(player.bankroll), before_last).ok().map(|ruin| ruin.within(before_last))
}

impl PlayerSummary {
    /// The edge of these stakes as a float.
    pub fn exact_edge_real(&self) -> f64 {
        real(self.exact_edge)
    }
}
