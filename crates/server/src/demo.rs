//! A training installation that deals by itself with play money. Dealers and players inside the program use the same handles as
//! everyone else; dice and bets come from the system's random source.

mod chance;
mod dealer;
mod player;

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::Seed;
use crate::node::Node;
use dealer::Dealer;
#[cfg(test)]
pub(crate) use player::occupy;

/// The pace of the demonstration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long a round takes.
    pub round: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { round: Duration::from_secs(20) }
    }
}

impl Pace {
    const fn betting(self) -> Duration {
        self.round.checked_mul(3).expect("a round is short").checked_div(5).expect("five is not zero")
    }

    /// How long each other step of a round takes.
    const fn step(self) -> Duration {
        self.round.checked_div(10).expect("ten is not zero")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stay {
    /// Until `Gone` is sent.
    On,
    /// Until the round in play is over.
    LastRound,
    Gone,
}

pub(crate) struct Demo {
    stay: watch::Sender<Stay>,
    tables: JoinSet<()>,
}

impl Demo {
    /// Starts a dealer at every table of a training installation.
    pub(crate) fn start(node: &Node, seed: &Seed, pace: Pace) -> Self {
        let (stay, staying) = watch::channel(Stay::On);
        let mut tables = JoinSet::new();
        for (table, handle) in node.handle().tables() {
            let limits = seed.tables.get(&table).and_then(|seed| seed.limits.clone());
            tables.spawn(player::sit(handle.clone(), staying.clone()));
            let dealer = Dealer::new(table, handle, node, limits, pace);
            tables.spawn(dealer.deal(staying.clone()));
        }
        Self { stay, tables }
    }

    /// Opens no new round.
    pub(crate) fn last_round(&self) {
        self.stay.send_replace(Stay::LastRound);
    }

    /// Stops all dealers and waits until they have dropped their handles.
    pub(crate) async fn stop(mut self) {
        self.stay.send_replace(Stay::Gone);
        while let Some(ended) = self.tables.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a dealer of the demonstration panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests;
