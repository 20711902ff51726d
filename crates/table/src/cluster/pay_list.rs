//! The pay list of a live table: whom to pay for the last settled round, what the Dealer has ticked off, and what a
//! correction or late void moved to the House. Money of a player who walked away is kept as a claim (5.3).

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Money, Station, Unit};

use crate::cluster::decide::ClusterDecision;
use crate::cluster::settle::result;
use crate::cluster::{Adjustment, Betting, Chips, Cluster, ClusterEvent, ClusterSeat, SlipLine, cents, less, sum};
use crate::identity::{Actor, RoundNumber, Seat};
use crate::refusal::Refusal;

/// A bet as it is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PayLine {
    /// Whose bet it is.
    pub seat: Seat,
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    /// With what it was placed.
    pub chips: Chips,
    /// What lay there.
    pub stake: Money,
    /// What counts of it (5.1.1).
    pub counted: Money,
    /// What is given back of it: excess, or everything where the round is void.
    pub returned: Money,
    /// What it is paid, with the stake, where it wins.
    pub pays: Money,
    /// Whether its player has walked away (5.3): what it comes to is kept as a claim, and no chips are given.
    pub is_claim: bool,
}

/// A seat of the pay list whose chips were given. After a correction or late void, the seat still gets its new total less
/// `given` and `at_house`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TickedOff {
    pub seat: Seat,
    /// What it was given, stakes included.
    pub given: Money,
    /// What the House keeps as a claim since a correction or late void. If negative, too much was given: the House has a
    /// receivable or bears it.
    pub at_house: Money,
}

/// What a seat was given; see [`TickedOff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChipsGiven {
    given: Money,
    at_house: Money,
}

/// Whom to pay: every bet that is registered, by seat and in order of placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PayList {
    pub round: RoundNumber,
    /// The dice it is paid by; none where the round is void.
    pub dice: Option<Dice>,
    /// Whether the round is settled by it, or what wins is still being registered.
    pub is_settled: bool,
    /// The bets.
    pub lines: Vec<PayLine>,
    /// The seats whose chips were given, as the Dealer has ticked them off. Players who have left had theirs.
    pub ticked_off: Vec<TickedOff>,
}

impl PayList {
    /// What a seat gets in chips: what its bets are paid, and what is returned of them.
    ///
    /// # Panics
    /// If the amounts are none that a table can have.
    pub fn due(&self, seat: Seat) -> Money {
        let lines = self.lines.iter().filter(|line| line.seat == seat && !line.is_claim);
        lines.fold(Money::ZERO, |total, line| sum(total, sum(line.pays, line.returned)))
    }

    /// What is still to be given to a seat.
    ///
    /// # Panics
    /// If the amounts are none that a table can have.
    pub fn to_give(&self, seat: Seat) -> Money {
        let ticked_off = self.ticked_off.iter().find(|ticked_off| ticked_off.seat == seat);
        let settled = ticked_off.map_or(Money::ZERO, |ticked_off| sum(ticked_off.given, ticked_off.at_house));
        less(self.due(seat), settled)
    }
}

impl Cluster {
    /// Whom to pay: by the dice while what wins is registered, and as the last round stands until the next one opens. Only live
    /// tables pay by hand.
    pub fn pay_list(&self) -> Option<PayList> {
        if self.rules.game().station() != Station::LiveTable {
            return None;
        }
        let round = self.state.round;
        let (dice, unit, lines) = match self.thrown() {
            Some(dice) => (Some(dice), self.limits.unit(), self.slip().lines),
            None if self.state.betting == Betting::Idle => {
                let past = self.state.past.get(round)?;
                (past.latest, Unit::try_from(past.unit).ok()?, self.state.last_slip.clone())
            }
            None => return None,
        };
        let payouts = dice.and_then(|dice| self.rules.layout().payouts(dice, unit).ok());
        let is_settled = self.state.thrown.is_none();
        let has_walked_away = |seat: Seat| self.seat(seat).is_some_and(ClusterSeat::has_walked_away);
        let is_claim = |seat: Seat| if is_settled { self.state.claimed.contains(&seat) } else { has_walked_away(seat) };
        let line = |line: &SlipLine| {
            let (pays, returned) = result(line, payouts.as_ref(), unit.cents());
            PayLine {
                seat: line.seat,
                bet_box: line.bet_box,
                chips: line.chips,
                stake: cents(line.units.into(), unit.cents()),
                counted: if dice.is_some() { cents(line.counted.into(), unit.cents()) } else { Money::ZERO },
                returned,
                pays,
                is_claim: is_claim(line.seat),
            }
        };
        let ticked_off = self.state.ticked_off.iter();
        let ticked_off = ticked_off.map(|(seat, ChipsGiven { given, at_house })| TickedOff {
            seat: *seat,
            given: *given,
            at_house: *at_house,
        });
        let (lines, ticked_off) = (lines.iter().map(line).collect(), ticked_off.collect());
        Some(PayList { round, dice, is_settled, lines, ticked_off })
    }

    /// The pay list of a round, if it is the one that was settled last.
    pub(super) fn pay_list_of(&self, round: RoundNumber) -> Option<PayList> {
        if round == self.state.round { self.pay_list().filter(|list| list.is_settled) } else { None }
    }

    /// A seat of the pay list of a round that is settled, until the next one opens. What became a claim is not given at the table
    /// (5.3).
    pub(super) fn tick_off(&self, actor: Actor, seat: Seat, is_paid: bool) -> ClusterDecision {
        self.deals(actor)?;
        match self.state.betting {
            Betting::Idle => {}
            Betting::Open | Betting::Closed => return Err(Refusal::RoundInPlay),
        }
        // Terminals pay in credits.
        if self.rules.game().station() != Station::LiveTable {
            return Err(Refusal::NotInGame);
        }
        let session = self.known_seat(seat)?.session;
        let line = self.state.last_slip.iter().find(|line| line.seat == seat);
        let line = line.filter(|_| !self.state.claimed.contains(&seat)).ok_or(Refusal::NotOnPayList)?;
        let at_house = self.state.ticked_off.get(&seat).map_or(Money::ZERO, |chips| chips.at_house);
        let is_over = session != Some(line.session) || at_house != Money::ZERO;
        if !is_paid && is_over { Err(Refusal::GivenStands) } else { Ok(ClusterEvent::Done) }
    }

    /// All that the pay list has for a seat was given.
    pub(super) fn chips_given(&mut self, seat: Seat) {
        let Some(list) = self.pay_list_of(self.state.round) else { return };
        if list.lines.iter().any(|line| line.seat == seat && !line.is_claim) {
            let chips =
                self.state.ticked_off.entry(seat).or_insert(ChipsGiven { given: Money::ZERO, at_house: Money::ZERO });
            chips.given = sum(chips.given, list.to_give(seat));
        }
    }

    /// Seats that were not ticked off count as given: the table closes, or chips were handed back on the layout.
    pub(super) fn all_chips_given(&mut self) {
        for seat in self.seats() {
            self.chips_given(seat);
        }
    }

    /// After a correction or late void, what a ticked-off seat does not get immediately is with the House.
    pub(super) fn keep_at_house(&mut self, before: &PayList, adjustments: &[Adjustment]) {
        let Some(after) = self.pay_list_of(before.round) else { return };
        for Adjustment { seat, at_once, .. } in adjustments {
            if let Some(chips) = self.state.ticked_off.get_mut(seat) {
                let change = less(after.due(*seat), before.due(*seat));
                chips.at_house = sum(chips.at_house, less(change, *at_once));
            }
        }
    }
}
