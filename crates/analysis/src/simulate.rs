//! Simulated play: sessions of players with bankrolls and strategies at one table, by the rules alone or through the machines
//! of a whole table, and plain throws counted. A session is the same whatever the number of threads.

mod by_rules;
mod by_table;
mod count;
mod plan;
mod strategy;
mod summary;

use std::sync::atomic::{AtomicU64, Ordering};

use taisai_rules::Money;

pub use count::{BoxResult, count};
pub use plan::{
    BadSimulationPlan, MAX_PLAYERS, MAX_RESULTS, MAX_ROUNDS as MAX_SESSION_ROUNDS, PlayerPlan, SimulationEngine,
    SimulationPlan,
};
pub use strategy::Strategy;
pub use summary::{Interval, PlayerSummary, summaries};

/// What a session came to for one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SessionResult {
    /// Rounds with a bet.
    pub rounds: u64,
    /// Rounds that won money.
    pub won: u64,
    /// What counted of the stakes.
    pub staked: Money,
    /// The net result.
    pub net: Money,
    /// The least and the most that the bankroll was.
    pub lowest: Money,
    /// The most.
    pub highest: Money,
    /// Whether the bankroll no longer covered the next slip.
    pub is_ruined: bool,
    /// What the stakes that were made could expect, in 216ths of a cent, exactly.
    pub expected: i128,
    /// The variance of the result for the stakes that were made, in squared cents.
    pub variance: f64,
}

/// The results of all sessions, players in their order within each.
#[derive(Clone, Debug)]
pub struct SimulationResults {
    /// How many players a session has.
    pub players: usize,
    /// How many rounds were played, over all sessions: one in which every player is ruined ends before its last.
    pub rounds: u64,
    /// The results, session after session.
    pub results: Vec<SessionResult>,
}

impl SimulationResults {
    /// The results of one player.
    pub fn of(&self, player: usize) -> impl Iterator<Item = &SessionResult> {
        self.results.iter().skip(player).step_by(self.players)
    }
}

/// Plays all sessions of a plan on several threads. Counts in `done` how many of the planned rounds are over, played or not.
///
/// # Panics
/// If the machines of a table refuse what the plan has checked.
pub fn run(plan: &SimulationPlan, threads: usize, done: &AtomicU64) -> SimulationResults {
    let players = plan.players().len();
    let most = usize::try_from(plan.sessions()).unwrap_or(usize::MAX);
    let next = AtomicU64::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let session = next.fetch_add(1, Ordering::Relaxed);
            if session >= plan.sessions() {
                return played;
            }
            let (rounds, results) = match plan.engine() {
                SimulationEngine::Rules => by_rules::play(plan, session),
                SimulationEngine::Table => by_table::play(plan, session),
            };
            played.push((session, rounds, results));
            done.fetch_add(plan.rounds(), Ordering::Relaxed);
        }
    };
    let mut sessions: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..threads.min(most)).map(|_| scope.spawn(work)).collect();
        let mut played = work();
        for thread in threads {
            played.extend(thread.join().expect("a session that does not stop"));
        }
        played
    });
    sessions.sort_unstable_by_key(|(session, ..)| *session);
    let rounds = sessions.iter().map(|(_, rounds, _)| rounds).sum();
    SimulationResults { players, rounds, results: sessions.into_iter().flat_map(|(.., results)| results).collect() }
}
