//! An installation with an open table, betting players and a Dealer, and the checks at its end.

use std::time::Duration;

use crate::betting_players::{BettingPlayers, Player};
use crate::dealer::Dealer;
use crate::dealing::Dealing;
use crate::house::{TABLE, TestCasino};
use crate::record::PlayedRecord;

/// How many bets prove that play goes on.
pub(crate) const BETS: u64 = 50;

pub(crate) struct BettingRun {
    pub(crate) house: TestCasino,
    pub(crate) crowd: BettingPlayers,
    pub(crate) dealer: Dealer,
}

impl BettingRun {
    /// This many terminals on three nodes.
    pub(crate) fn begin(terminals: u32) -> Self {
        Self::at(TestCasino::open(terminals), terminals, 1)
    }

    /// This many terminals, with dice of this seed.
    pub(crate) fn at(house: TestCasino, terminals: u32, seed: u64) -> Self {
        let Dealing { dealer, .. } = Dealing::open(&house, TABLE);
        let dealer = Dealer::new(&house, dealer, seed);
        let crowd = BettingPlayers::begin(&house, house.enrol(1..=terminals));
        Self { house, crowd, dealer }
    }

    /// Stops players and nodes, verifies the record, and compares it with every reply.
    pub(crate) fn ends(self) -> PlayedRecord {
        self.ends_with(Vec::new())
    }

    /// The same, with players beside the crowd.
    pub(crate) fn ends_with(mut self, mut players: Vec<Player>) -> PlayedRecord {
        self.dealer.concludes();
        players.extend(self.crowd.rest(&self.house));
        self.house.audit();
        let record = PlayedRecord::read(self.house.store(), self.house.clusters());
        record.holds(&players, &self.dealer);
        let (bets, rounds) = record.counted();
        println!("{bets} bets in {rounds} rounds, each once; taken for a copy: {}", record.copied);
        record
    }
}

/// Prints for how long nobody could bet.
pub(crate) fn print_interruption(what: &str, after: Duration) {
    println!("{what}: bets are taken again after {} ms", after.as_millis());
}
