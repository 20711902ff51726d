//! A house that deals by itself, for play money: a dealer and players in the program take the same way to a table as everyone
//! else. Dice and bets come from the system's random source. It is for training houses only, so nothing here can be taken for
//! real.

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

/// How fast the house deals.
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
    /// How long bets are open.
    const fn betting(self) -> Duration {
        self.round.checked_mul(3).expect("a round is short").checked_div(5).expect("five is not zero")
    }

    /// How long each other part of a round takes.
    const fn step(self) -> Duration {
        self.round.checked_div(10).expect("ten is not zero")
    }
}

/// How long the dealers stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stay {
    /// Until they are told otherwise.
    On,
    /// Until the round in play is over.
    LastRound,
    /// No longer.
    Gone,
}

/// The dealers and players of a house.
pub(crate) struct Demo {
    stay: watch::Sender<Stay>,
    tables: JoinSet<()>,
}

impl Demo {
    /// Has every table of a training house deal by itself.
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

    /// Has them open no new round.
    pub(crate) fn last_round(&self) {
        self.stay.send_replace(Stay::LastRound);
    }

    /// Has them stop where they are, and waits until they have let go of the house.
    pub(crate) async fn stop(mut self) {
        self.stay.send_replace(Stay::Gone);
        while let Some(ended) = self.tables.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a dealer of the demonstration broke down");
            }
        }
    }
}

#[cfg(test)]
mod tests;
