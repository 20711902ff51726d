//! A casino at play: a table that is open, everyone at their terminals, and the Dealer; and how it ends.

use std::time::Duration;

use crate::betting_players::{BettingPlayers, Player};
use crate::dealer::Dealer;
use crate::dealing::Dealing;
use crate::house::{TABLE, TestCasino};
use crate::record::PlayedRecord;

/// So many bets are waited for where it must be seen that play goes on.
pub(crate) const BETS: u64 = 50;

/// A casino at play.
pub(crate) struct BettingRun {
    pub(crate) house: TestCasino,
    pub(crate) crowd: BettingPlayers,
    pub(crate) dealer: Dealer,
}

impl BettingRun {
    /// So many terminals on three machines.
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

    /// Everyone rests; every machine is stopped, the record is checked and held against what everyone was told.
    pub(crate) fn ends(self) -> PlayedRecord {
        self.ends_with(Vec::new())
    }

    /// The same, with players who bet beside the crowd.
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

/// Prints how long nobody could bet.
pub(crate) fn print_interruption(what: &str, after: Duration) {
    println!("{what}: bets are taken again after {} ms", after.as_millis());
}
