//! Bets over a box's maximum or Differential, before the close (5.1): what the House rejects.

use taisai_rules::{BetBox, Money};

use crate::cluster::{Cluster, PlacedStake, RejectedStake, Stake, cents, less};
use crate::rules::Registration;

impl Cluster {
    /// What is over the limits now, by box: total, and the most that may be there. Nothing where limits bind terminals.
    pub fn excess(&self) -> impl Iterator<Item = (BetBox, Money, Money)> {
        let boxes = self.rules.layout().boxes().iter().filter(|_| self.binds_boxes());
        boxes.filter_map(|bet_box| {
            let (total, cap) = (self.total(*bet_box), self.cap(*bet_box, &self.state.totals));
            (total > cap).then_some((*bet_box, total, cap))
        })
    }

    /// The boxes whose total is below the minimum (5.2): their players are advised. Where winners are registered, totals are not known
    /// while players can be advised.
    pub fn below_minimum(&self) -> impl Iterator<Item = (BetBox, Money, Money)> {
        let is_advised = self.binds_boxes() && self.rules.registration() == Registration::EveryBet;
        let boxes = self.rules.layout().boxes().iter().filter(move |_| is_advised);
        boxes.filter_map(|bet_box| {
            let (total, minimum) = (self.total(*bet_box), self.limits.minimum(*bet_box));
            (total > Money::ZERO && total < minimum).then_some((*bet_box, total, minimum))
        })
    }

    /// The room left on a box (3.5), which any player may use: up to its maximum, and where there is a Differential up to that over
    /// what lies on the other side.
    pub fn room(&self, bet_box: BetBox) -> Money {
        less(self.cap(bet_box, &self.state.totals), self.total(bet_box)).max(Money::ZERO)
    }

    /// The most that may be on a box, given the units on all boxes.
    pub(super) fn cap(&self, bet_box: BetBox, totals: &[u64]) -> Money {
        let announced = |opposite| self.state.announced_totals.get(&opposite).copied().unwrap_or(0);
        let opposite = bet_box.opposite().map_or(0, |opposite| totals[opposite.index()].max(announced(opposite)));
        self.limits.cap(bet_box, self.cents(opposite))
    }

    /// What is rejected until nothing is over a limit: of each box that is over, the latest bet is cut to what fits and no further
    /// (5.1); a remainder below the minimum stays. Rejecting one side may put the other over its Differential, so this goes
    /// on until it fits.
    ///
    /// # Panics
    /// If totals and placements do not agree, which would be a bug.
    pub fn rejections(&self) -> Vec<RejectedStake> {
        if self.excess().next().is_none() {
            return Vec::new();
        }
        let unit = self.limits.unit().cents();
        let mut totals = self.state.totals.clone();
        let mut placements = self.state.placements.clone();
        let mut cuts = Vec::new();
        loop {
            let over = self.rules.layout().boxes().iter().find_map(|bet_box| {
                let (total, cap) = (cents(totals[bet_box.index()], unit), self.cap(*bet_box, &totals));
                (total > cap).then(|| (*bet_box, total.cents() - cap.cents()))
            });
            let Some((bet_box, excess)) = over else { return cuts };
            let excess = u64::try_from(excess / unit).expect("an excess is above zero");
            let latest = placements.iter().rposition(|placement| placement.bet_box == bet_box && placement.units > 0);
            let latest = latest.expect("a box that is over has a bet");
            let cut = placements[latest].units.min(u32::try_from(excess).unwrap_or(u32::MAX));
            placements[latest].units -= cut;
            totals[bet_box.index()] -= u64::from(cut);
            let PlacedStake { seat, chips, .. } = placements[latest];
            let stake = Stake { bet_box, amount: cents(cut.into(), unit) };
            cuts.push(RejectedStake { seat, chips, stake });
        }
    }
}
