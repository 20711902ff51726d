//! The pay list of the round that was settled last, in the plain book: whose chips were given, and what the House has of it.

use std::collections::{BTreeMap, BTreeSet};

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_table::{Cluster, RoundNumber, Seat};

use super::ClusterModel;

#[derive(Default)]
pub(super) struct GivenMoney {
    /// The round; none while another one is in play.
    round: Option<RoundNumber>,
    /// The seats whose player had walked away (5.3).
    claimed: BTreeSet<Seat>,
    /// What was given to seats that were ticked off, and what the House has for them since, or is owed if negative.
    chips: BTreeMap<Seat, (i64, i64)>,
}

impl GivenMoney {
    pub(super) fn was_given(&self, seat: Seat) -> bool {
        self.chips.contains_key(&seat)
    }

    pub(super) fn keep(&mut self, seat: Seat, cents: i64) {
        if let Some((_, at_house)) = self.chips.get_mut(&seat) {
            *at_house += cents;
        }
    }
}

impl ClusterModel {
    /// The round that is being settled is listed at a live table.
    pub(super) fn list(&mut self, cluster: &Cluster) {
        let walked_away =
            cluster.seats().zip(&self.purses).filter(|(_, purse)| purse.has_walked_away && purse.on_layout > 0);
        let claimed = walked_away.map(|(seat, _)| seat).collect();
        let round = self.is_live().then(|| cluster.round());
        self.given = GivenMoney { round, claimed, chips: BTreeMap::new() };
    }

    /// What a seat gets in chips; none if it is not on the list.
    fn due(&self, seat: Seat) -> Result<Option<i64>, RunFailure> {
        let past = self.past.iter().find(|past| Some(past.round) == self.given.round);
        match past {
            Some(past) if !self.given.claimed.contains(&seat) => past.due(&self.rules, seat),
            Some(_) | None => Ok(None),
        }
    }

    fn to_give(&self, seat: Seat) -> Result<Option<i64>, RunFailure> {
        let (given, at_house) = self.given.chips.get(&seat).copied().unwrap_or_default();
        Ok(self.due(seat)?.map(|due| due - given - at_house))
    }

    /// What is left to give to each seat of the list, if it is that of the round.
    pub(super) fn all_to_give(&self, round: RoundNumber) -> Result<BTreeMap<Seat, i64>, RunFailure> {
        let mut all = BTreeMap::new();
        if self.given.round == Some(round) {
            for seat in (0..).map(Seat).take(self.purses.len()) {
                all.extend(self.to_give(seat)?.map(|cents| (seat, cents)));
            }
        }
        Ok(all)
    }

    pub(super) fn give_chips(&mut self, seat: Seat) -> CheckResult {
        if let Some(more) = self.to_give(seat)? {
            self.given.chips.entry(seat).or_default().0 += more;
        }
        Ok(())
    }

    pub(super) fn give_all_chips(&mut self) -> CheckResult {
        (0..).map(Seat).take(self.purses.len()).try_for_each(|seat| self.give_chips(seat))
    }

    pub(super) fn tick_off(&mut self, seat: Seat, is_paid: bool, cluster: &Cluster) -> CheckResult {
        let is_listed = self.due(seat)?.is_some();
        ensure("only seats that get chips are ticked off", is_listed, || format!("seat {}", seat.0))?;
        if is_paid {
            self.give_chips(seat)?;
        } else if let Some((_, at_house)) = self.given.chips.remove(&seat) {
            ensure("what the House has stands", at_house == 0, || format!("seat {}: {at_house}", seat.0))?;
        }
        self.pay_list_is_the_same(cluster)
    }

    /// Whether the list gives every seat what its bets come to, once: in chips, or as a claim of one who walked away.
    pub(super) fn pay_list_is_the_same(&self, cluster: &Cluster) -> CheckResult {
        let Some(list) = cluster.pay_list().filter(|list| list.is_settled && self.given.round == Some(list.round))
        else {
            return Ok(());
        };
        for seat in cluster.seats() {
            let (due, left) = (self.due(seat)?.unwrap_or(0), self.to_give(seat)?.unwrap_or(0));
            let same = (list.due(seat).cents(), list.to_give(seat).cents()) == (due, left);
            ensure("the pay list gives every seat what its bets come to", same && left >= 0, || {
                format!("seat {}: {due} due and {left} left; {list:?}", seat.0)
            })?;
            let is_claim = list.lines.iter().any(|line| line.seat == seat && line.is_claim);
            ensure(
                "one who walked away is on the pay list with a claim",
                is_claim == self.given.claimed.contains(&seat),
                || format!("seat {}: {list:?}", seat.0),
            )?;
        }
        Ok(())
    }
}
