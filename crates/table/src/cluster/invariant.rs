//! The invariants of a cluster. Tests and the simulator check them; the machine itself does not.

use taisai_rules::{BetBox, Money, Station};

use crate::cluster::{Cluster, ClusterLedger, Meters, less, sum};
use crate::invariant::{BrokenInvariant, hold};

impl Cluster {
    /// Every account, the seats' credits and the bets on the layout sum to zero.
    pub fn ledger_sums_to_zero(&self) -> Result<(), BrokenInvariant> {
        let ClusterLedger { house, cash, chips, transit, notes, variance } = self.ledger();
        let accounts = [house, cash, chips, transit, notes, variance, self.colour_chips()];
        let seats = self.seats().flat_map(|seat| [self.credits(seat), self.on_layout(seat)]);
        let total = accounts.into_iter().chain(seats).fold(Money::ZERO, sum);
        hold("ledger sums to zero", total == Money::ZERO, || format!("it sums to {}", total.cents()))
    }

    /// No balance of a seat is negative.
    pub fn no_balance_below_zero(&self) -> Result<(), BrokenInvariant> {
        let below = self.seats().find(|seat| self.credits(*seat) < Money::ZERO || self.on_layout(*seat) < Money::ZERO);
        hold("no balance below zero", below.is_none(), || format!("seat {below:?}"))
    }

    /// What lies on the layout is what the seats have there, box by box.
    pub fn bets_match_the_layout(&self) -> Result<(), BrokenInvariant> {
        let mut totals = [0u64; BetBox::COUNT];
        for (seat, state) in self.seats().zip(&self.state.seats) {
            let mut own = 0;
            for wager in &state.bets {
                totals[wager.bet_box.index()] += u64::from(wager.units);
                own += u64::from(wager.units);
            }
            let matches = self.cents(own) == state.on_layout;
            hold("bets match the layout", matches, || format!("seat {seat:?} has {own} units"))?;
        }
        hold("bets match the layout", totals[..] == self.state.totals[..], || "the totals differ".to_owned())
    }

    /// The seats' meters add up to the cluster's; at a terminal what came in less what went out is what is there (F31).
    pub fn meters_reconcile(&self) -> Result<(), BrokenInvariant> {
        let all = self.meters();
        let is_terminal = self.rules.game().station() == Station::PlayerTerminals;
        for seat in self.seats().filter(|_| is_terminal) {
            let Meters { bought_in, bet, won, returned, dispensed, owed, .. } = self.seat_meters(seat);
            let came = [bought_in, won, returned, owed].into_iter().fold(Money::ZERO, sum);
            let there = less(came, sum(bet, dispensed));
            let is_there = there == sum(self.credits(seat), self.on_layout(seat));
            hold("meters reconcile", is_there, || format!("seat {}: {} by its meters", seat.0, there.cents()))?;
        }
        let total =
            |of: fn(&Meters) -> Money| self.seats().map(|seat| of(&self.seat_meters(seat))).fold(Money::ZERO, sum);
        for (name, seats, cluster) in [
            ("bought in", total(|m| m.bought_in), all.bought_in),
            ("bet", total(|m| m.bet), all.bet),
            ("won", total(|m| m.won), all.won),
            ("returned", total(|m| m.returned), all.returned),
            ("dispensed", total(|m| m.dispensed), all.dispensed),
            ("owed", total(|m| m.owed), all.owed),
        ] {
            hold("meters reconcile", seats == cluster, || {
                format!("{name}: {} and {}", seats.cents(), cluster.cents())
            })?;
        }
        Ok(())
    }

    /// What was accepted in notes lies in the stackers (F86).
    pub fn stackers_match_their_account(&self) -> Result<(), BrokenInvariant> {
        let stacked = self.stackers().fold(Money::ZERO, |total, (_, stacker)| sum(total, stacker.amount));
        let matches = sum(stacked, self.ledger().notes) == Money::ZERO;
        hold("stackers match their account", matches, || format!("{} in the stackers", stacked.cents()))
    }

    /// All of them.
    pub fn check(&self) -> Result<(), BrokenInvariant> {
        self.ledger_sums_to_zero()?;
        self.no_balance_below_zero()?;
        self.bets_match_the_layout()?;
        self.meters_reconcile()?;
        self.stackers_match_their_account()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taisai_rules::Games;

    use super::*;
    use crate::{ClusterId, Profile, TableId, TableRules};

    type Unbalance = fn(&mut Cluster);

    const CENT: Money = Money::from_cents(1);

    #[test]
    fn each_invariant_sees_what_breaks_it() {
        let breaks: [(&str, Unbalance); 10] = [
            ("ledger sums to zero", |cluster| cluster.state.ledger.house = CENT),
            ("ledger sums to zero", |cluster| cluster.state.seats[1].credits = CENT),
            ("no balance below zero", |cluster| {
                cluster.state.seats[1].credits = Money::from_cents(-1);
                cluster.state.ledger.house = CENT;
            }),
            ("no balance below zero", |cluster| {
                cluster.state.seats[1].on_layout = Money::from_cents(-1);
                cluster.state.ledger.house = CENT;
            }),
            ("bets match the layout", |cluster| {
                cluster.state.seats[1].on_layout = CENT;
                cluster.state.ledger.house = Money::from_cents(-1);
            }),
            ("bets match the layout", |cluster| cluster.state.totals[0] = 1),
            ("meters reconcile", |cluster| cluster.state.meters.bought_in = CENT),
            ("meters reconcile", |cluster| cluster.state.seats[1].meters.won = CENT),
            ("meters reconcile", |cluster| cluster.state.meters.dispensed = CENT),
            ("stackers match their account", |cluster| {
                cluster.state.ledger.notes = CENT;
                cluster.state.ledger.cash = Money::from_cents(-1);
            }),
        ];
        for (name, unbalance) in breaks {
            let game = Games::embedded().iter().next().expect("a game");
            let rules = TableRules::new(Arc::new(game.clone()), "A").expect("a layout");
            let mut cluster = Cluster::new(ClusterId { table: TableId(1), number: 0 }, rules, Profile::singapore(), 2);
            assert_eq!(cluster.check(), Ok(()));
            unbalance(&mut cluster);
            assert_eq!(cluster.check().map_err(|broken| broken.name), Err(name));
        }
    }
}
