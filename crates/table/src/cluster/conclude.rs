//! Applies settlements: one pass over the wagers pays the seats; a correction or late void is applied session by session.

use taisai_rules::{Dice, Money, Payouts, Station};

use crate::cluster::settle::{CountedUnits, result, slip_line};
use crate::cluster::{
    Adjustment, Betting, Chips, Cluster, ClusterSeat, Meters, PastSlip, PlayerNotice, Slip, SlipTotals, less, sum,
};
use crate::identity::{PersonId, RoundNumber, Seat, SessionId};
use crate::round::{RoundStanding, VoidReason};
use crate::rules::Registration;
use crate::transfer::{ClaimReason, TransferPurpose};

/// What the bets of one seat came to.
#[derive(Clone, Copy)]
struct SeatPayout {
    staked: Money,
    /// For winning bets, stakes included.
    paid: Money,
    returned: Money,
    /// How much of both is for bets in Colour Chips.
    for_colour: Money,
}

impl SeatPayout {
    fn all(self) -> Money {
        sum(self.paid, self.returned)
    }

    fn count(self, meters: &mut Meters, is_void: bool) {
        meters.bet = sum(meters.bet, self.staked);
        meters.won = sum(meters.won, self.paid);
        meters.returned = sum(meters.returned, self.returned);
        if is_void {
            meters.voids += 1;
        } else {
            meters.rounds += 1;
        }
    }
}

/// Why a session is owed by hand, and who had the claim opened.
pub(super) struct ClaimCause {
    pub(super) of: ClaimReason,
    pub(super) by: Option<PersonId>,
}

/// What every seat is settled by.
struct ClusterConclusion {
    counted: CountedUnits,
    /// What a unit pays; none where the round is void and everything goes back.
    payouts: Option<Payouts>,
    unit: i64,
}

impl ClusterConclusion {
    fn given(&self, seat: Seat, state: &ClusterSeat) -> SeatPayout {
        let (mut paid, mut returned, mut for_colour) = (Money::ZERO, Money::ZERO, Money::ZERO);
        for wager in &state.bets {
            let (won, back) = match &self.payouts {
                Some(payouts) if self.counted.is_empty() => {
                    let won = payouts.paid(wager.bet_box, wager.units.into());
                    (won.expect("a stake's payout was checked when placed"), Money::ZERO)
                }
                payouts => result(&slip_line(seat, state, wager, &self.counted), payouts.as_ref(), self.unit),
            };
            paid = sum(paid, won);
            returned = sum(returned, back);
            if wager.chips == Chips::Colour {
                for_colour = sum(for_colour, sum(won, back));
            }
        }
        SeatPayout { staked: state.on_layout, paid, returned, for_colour }
    }
}

impl Cluster {
    /// The round in play is over: by the dice, or with everything back where it is void.
    pub(super) fn settle(&mut self, dice: Option<Dice>, totals: &SlipTotals, digest: [u8; 32]) {
        let payouts = dice.map(|dice| self.payouts(dice));
        let settlement = ClusterConclusion { counted: self.counted(), payouts, unit: self.limits.unit().cents() };
        let is_live = self.rules.game().station() == Station::LiveTable;
        let registers_winners = self.rules.registration() == Registration::Winners;
        if is_live {
            self.state.last_slip = self.slip().lines;
        }
        let large_win = self.profile.large_win;
        let (mut house, mut chips) = (Money::ZERO, Money::ZERO);
        let mut all = Meters::default();
        let mut walked_away = Vec::new();
        for (number, state) in (0..).zip(&mut self.state.seats) {
            if state.bets.is_empty() {
                state.last_bets.clear();
                continue;
            }
            let given = settlement.given(Seat(number), state);
            house = sum(house, less(given.staked, given.all()));
            for meters in [&mut state.meters, &mut state.session_meters, &mut all] {
                given.count(meters, dice.is_none());
            }
            if state.has_walked_away() {
                walked_away.push((Seat(number), state.session, given.all()));
            } else if is_live {
                chips = sum(chips, less(given.all(), put_into_set(state, given.for_colour)));
            } else {
                state.credits = sum(state.credits, given.all());
                state.is_locked |= less(given.all(), given.staked) >= large_win;
            }
            state.on_layout = Money::ZERO;
            state.boxes = 0;
            std::mem::swap(&mut state.bets, &mut state.last_bets);
            state.bets.clear();
        }
        assert_eq!(house, less(totals.staked, sum(totals.paid, totals.returned)), "totals equal their lines");
        self.state.ledger.house = sum(self.state.ledger.house, house);
        self.state.ledger.chips = sum(self.state.ledger.chips, chips);
        let meters = &mut self.state.meters;
        meters.bet = sum(meters.bet, all.bet);
        meters.won = sum(meters.won, all.won);
        meters.returned = sum(meters.returned, all.returned);
        // A round counts once, however many seats had a bet.
        let (rounds, voids) = if registers_winners {
            (u32::from(dice.is_some()), u32::from(dice.is_none()))
        } else {
            (all.rounds.min(1), all.voids.min(1))
        };
        meters.rounds += rounds;
        meters.voids += voids;
        if is_live {
            self.state.claimed = walked_away.iter().map(|(seat, ..)| *seat).collect();
        }
        for (seat, session, amount) in walked_away {
            self.keep_as_claim(seat, session.expect("a seat with bets has a session"), amount);
        }
        self.state.totals.fill(0);
        self.state.placements.clear();
        self.state.betting = Betting::Idle;
        self.state.is_held = false;
        self.state.thrown = None;
        self.state.announced_totals.clear();
        let unit = self.limits.unit().money();
        self.state.past.push(PastSlip { digest, first: dice, latest: dice, unit });
        if registers_winners && dice.is_none() {
            self.all_chips_given();
        }
    }

    /// 5.3: what the bets of a player who is not there came to; the session is over.
    fn keep_as_claim(&mut self, seat: Seat, session: SessionId, amount: Money) {
        if amount > Money::ZERO {
            self.claim(seat, session, amount, ClaimReason::WalkedAway(self.state.round));
        }
        self.seat_mut(seat).colour = None;
        self.end_session(seat);
    }

    /// Updates the meters after a correction or late void; those of the session only if it is still open. What could not be
    /// paid immediately became a claim, and what could not be taken is owed.
    fn meter_again(&mut self, adjustment: &Adjustment, rest: Money, (was_void, is_void): (bool, bool)) {
        let Adjustment { seat, session, won, returned, .. } = *adjustment;
        let change = |meters: &mut Meters| {
            meters.won = sum(meters.won, won);
            meters.returned = sum(meters.returned, returned);
            meters.dispensed = sum(meters.dispensed, rest.max(Money::ZERO));
            meters.owed = less(meters.owed, rest.min(Money::ZERO));
        };
        change(&mut self.state.meters);
        let state = self.seat_mut(seat);
        let of_session = (state.session == Some(session)).then_some(&mut state.session_meters);
        for meters in [Some(&mut state.meters), of_session].into_iter().flatten() {
            change(meters);
            if was_void != is_void {
                turn(meters, is_void);
            }
        }
    }

    /// Accounts for an amount sent to the House as a claim, or as a debt if negative. The House sets a claim off: first
    /// against what it bears of the same round, then against what the session owes.
    fn set_off(&mut self, (seat, round): (Seat, RoundNumber), rest: Money, is_waived: bool) {
        let (claim, debt) = (rest.max(Money::ZERO), less(Money::ZERO, rest.min(Money::ZERO)));
        let (waives, owes) = if is_waived { (debt, Money::ZERO) } else { (Money::ZERO, debt) };
        let waived = self.waived(seat, round);
        let own = claim.min(waived);
        match sum(less(waived, own), waives) {
            Money::ZERO => self.state.waived.remove(&(seat, round)),
            waived => self.state.waived.insert((seat, round), waived),
        };
        let state = self.seat_mut(seat);
        state.owed = sum(less(state.owed, less(claim, own)).max(Money::ZERO), owes);
    }

    /// Applies a correction or late void of a past round.
    pub(super) fn compensated(
        &mut self,
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        slip: Option<&Slip>,
        adjustments: &[Adjustment],
    ) {
        let dice = stands.ok();
        let standing = stands.map_or_else(RoundStanding::Void, RoundStanding::Settled);
        let was_void = self.state.past.get(round).is_some_and(|past| past.latest.is_none());
        let listed = self.pay_list_of(round);
        let of = if dice.is_some() { ClaimReason::Correction(round) } else { ClaimReason::Void(round) };
        for adjustment in adjustments {
            self.adjust(round, adjustment, (was_void, dice.is_none()), ClaimCause { of, by: None });
            let Adjustment { seat, session, at_once, is_waived, .. } = *adjustment;
            if self.session(seat) == Some(session) {
                let amount = adjustment.amount();
                self.notify_player(seat, PlayerNotice::Changed { round, stands: standing, amount, at_once, is_waived });
            }
        }
        let is_counted = self.rules.registration() == Registration::Winners || !adjustments.is_empty();
        if was_void != dice.is_none() && is_counted {
            turn(&mut self.state.meters, dice.is_none());
        }
        self.state.past.change(round, |past| past.latest = dice);
        if let Some(before) = listed {
            self.keep_at_house(&before, adjustments);
        }
        self.open_returns(round, stands, slip.expect("it was settled again by its slip"));
    }

    /// Applies one session's adjustment. `void` is whether the round was void before, and whether it is now.
    pub(super) fn adjust(
        &mut self,
        round: RoundNumber,
        adjustment: &Adjustment,
        void: (bool, bool),
        ClaimCause { of, by }: ClaimCause,
    ) {
        let Adjustment { seat, session, at_once, in_colour, is_large, is_waived, .. } = *adjustment;
        let amount = adjustment.amount();
        let rest = less(amount, at_once);
        self.state.ledger.house = less(self.state.ledger.house, amount);
        self.meter_again(adjustment, rest, void);
        if in_colour != Money::ZERO {
            self.pay(seat, Chips::Colour, in_colour);
        }
        self.pay(seat, Chips::Own, less(at_once, in_colour));
        self.seat_mut(seat).is_locked |= is_large;
        if self.session(seat) == Some(session) {
            self.set_off((seat, round), rest, is_waived);
        }
        if rest > Money::ZERO {
            match by {
                Some(_) => self.claim_by((seat, session), rest, of, by),
                None => self.claim(seat, session, rest, of),
            }
        } else if rest < Money::ZERO {
            let owed = less(Money::ZERO, rest);
            self.state.ledger.transit = less(self.state.ledger.transit, owed);
            self.send(owed, TransferPurpose::Receivable { seat, session, round, is_waived });
        }
    }
}

/// A round that was settled is void, or the other way round.
const fn turn(meters: &mut Meters, is_void: bool) {
    if is_void {
        meters.rounds -= 1;
        meters.voids += 1;
    } else {
        meters.rounds += 1;
        meters.voids -= 1;
    }
}

/// What a set can express of an amount goes into it; the rest is for cash chips. Returns what went into the set.
pub(super) fn put_into_set(state: &mut ClusterSeat, amount: Money) -> Money {
    let Some(set) = state.colour.as_mut() else { return Money::ZERO };
    let whole = Money::from_cents(amount.cents() - amount.cents() % set.value.cents());
    set.credits = sum(set.credits, whole);
    whole
}
