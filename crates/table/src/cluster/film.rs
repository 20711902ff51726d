//! Corrections and late voids at a table that registers winners. The losing chips were collected without being registered,
//! so the Supervisor and a second person register them from the film, line by line. The lines count and are paid when the
//! returns are closed: pro rata needs all lines of a box (5.1.1).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Limits, Money, Unit, pro_rata};

use crate::cluster::conclude::ClaimCause;
use crate::cluster::decide::{ClusterDecision, MAX_ON_A_BOX};
use crate::cluster::register::ActorAndSecond;
use crate::cluster::settle::result;
use crate::cluster::{Adjustment, Chips, Cluster, ClusterEvent, PastSlip, Slip, SlipLine, Stake, cents, less, sum};
use crate::identity::{Actor, RoundNumber, Seat, SessionId};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::round::VoidReason;
use crate::rules::Registration;
use crate::text::{MAX_REASON_LENGTH, check_text};
use crate::transfer::ClaimReason;

/// A bet that Supervisor and second person have seen on the film of a round that was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FilmLine {
    /// Its number among the lines of its round, by which it is taken off.
    pub number: u32,
    pub seat: Seat,
    /// The player's name, for the person who pays the claim.
    pub player: String,
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    /// The stake, in units of the round.
    pub units: u32,
}

/// What the film has brought a seat whenever the returns were closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FilmBooking {
    session: SessionId,
    won: Money,
    returned: Money,
}

/// A round that was corrected or voided after its chips were collected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilmReturns {
    /// Whether bets may still be registered from the film.
    pub is_open: bool,
    /// What is registered from the film.
    pub lines: Vec<FilmLine>,
    /// The number of the newest line.
    newest: u32,
    /// What was registered after the dice, with the limits of the round.
    slip: Slip,
    booked: BTreeMap<Seat, FilmBooking>,
    /// Whether the round was void when the returns were closed last.
    was_void: bool,
    /// Whether the film may take back what it gave (F81).
    takes_back: bool,
}

impl FilmReturns {
    const fn new(slip: Slip) -> Self {
        Self {
            is_open: true,
            lines: Vec::new(),
            newest: 0,
            slip,
            booked: BTreeMap::new(),
            was_void: false,
            takes_back: true,
        }
    }

    /// The session of a seat in the round, if it had one.
    fn session(&self, seat: Seat) -> Option<SessionId> {
        let registered = self.slip.lines.iter().find(|line| line.seat == seat).map(|line| line.session);
        registered.or_else(|| self.booked.get(&seat).map(|booked| booked.session))
    }

    fn is_only_on_film(&self, seat: Seat) -> bool {
        self.slip.lines.iter().all(|line| line.seat != seat)
    }

    /// Units that were registered of a box after the dice.
    fn registered(&self, bet_box: BetBox) -> u64 {
        self.slip.lines.iter().filter(|line| line.bet_box == bet_box).map(|line| u64::from(line.units)).sum()
    }

    /// Units that the film shows on a box.
    fn filmed(&self, bet_box: BetBox) -> u64 {
        self.lines.iter().filter(|line| line.bet_box == bet_box).map(|line| u64::from(line.units)).sum()
    }

    fn announced_total(&self, bet_box: BetBox) -> Money {
        let announced = self.slip.told.iter().find(|announced| announced.bet_box == bet_box);
        announced.map_or(Money::ZERO, |announced| announced.amount)
    }

    /// A stake in units of the round, if it and what the film shows already can lie on one box.
    fn units(&self, unit: Money, stake: Stake) -> Result<u32, Refusal> {
        if stake.amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        let too_large = |_| Refusal::AmountTooLarge;
        let units = u64::try_from(stake.amount.cents() / unit.cents()).map_err(too_large)?;
        let total = units.checked_add(self.filmed(stake.bet_box)).ok_or(Refusal::AmountTooLarge)?;
        let total = u32::try_from(total).map_err(too_large)?;
        let fits = i64::from(total).checked_mul(unit.cents()).is_some_and(|total| total <= MAX_ON_A_BOX.cents());
        if !fits {
            return Err(Refusal::AmountTooLarge);
        }
        if stake.amount.cents() % unit.cents() != 0 {
            return Err(Refusal::AmountOffUnit);
        }
        u32::try_from(units).map_err(too_large)
    }
}

impl Cluster {
    /// The rounds that were corrected or voided after their chips were collected.
    pub fn returns(&self) -> impl Iterator<Item = (RoundNumber, &FilmReturns)> {
        self.state.returns.iter().map(|(round, returns)| (*round, returns))
    }

    /// What each session gets or gives when the returns of a round are closed with the lines that there are; none if they are not open.
    pub fn owed_from_film(&self, round: RoundNumber) -> Option<Vec<Adjustment>> {
        let (past, returns) = self.open_round(round).ok()?;
        self.film_adjustments(past, returns).ok()
    }

    fn open_round(&self, round: RoundNumber) -> Result<(&PastSlip, &FilmReturns), Refusal> {
        let returns = self.state.returns.get(&round).filter(|returns| returns.is_open).ok_or(Refusal::NotHeld)?;
        Ok((self.state.past.get(round).ok_or(Refusal::NotHeld)?, returns))
    }

    /// Supervisor and second person register a bet that was collected as lost.
    pub(super) fn register_from_film(
        &self,
        (actor, second): ActorAndSecond,
        (round, seat): (RoundNumber, Seat),
        player: &str,
        stake: Stake,
    ) -> ClusterDecision {
        self.profile.check(Act::Correct, actor, second)?;
        self.registers(Registration::Winners)?;
        let (past, returns) = self.open_round(round)?;
        self.known_seat(seat)?;
        if !self.rules.layout().has(stake.bet_box) {
            return Err(Refusal::BoxNotOnLayout);
        }
        let of_seat = |line: &SlipLine| (line.seat, line.bet_box) == (seat, stake.bet_box);
        if returns.slip.lines.iter().any(of_seat) || self.was_registered(past, returns, stake.bet_box) {
            return Err(Refusal::AlreadyRegistered);
        }
        self.film_counts(past, returns, stake.bet_box)?;
        returns.units(past.unit, stake)?;
        self.rules.layout().check_stake(stake.bet_box, stake.amount).map_err(|_| Refusal::AmountTooLarge)?;
        check_text(player, MAX_REASON_LENGTH)?;
        Ok(ClusterEvent::Done)
    }

    /// Whether all of a box was registered after the dice: it won by the dice that the round was settled by first, or it lost and was
    /// over its maximum or Differential. Where the chips were handed back, registering had not come to its end.
    fn was_registered(&self, past: &PastSlip, returns: &FilmReturns, bet_box: BetBox) -> bool {
        let Some(first) = past.first else { return false };
        let unit = past.unit.cents();
        let lay = |bet_box: BetBox| cents(returns.registered(bet_box), unit).max(returns.announced_total(bet_box));
        let opposite = bet_box.opposite().map_or(Money::ZERO, lay);
        let cap = self.limits_of(returns).cap(bet_box, opposite);
        self.wins(bet_box, first) || (self.binds_boxes() && cents(returns.registered(bet_box), unit) > cap)
    }

    /// A box that loses owes nothing, and is not looked up. Where the opposite box wins and was not registered either, what counts
    /// there rests on what lay here.
    fn film_counts(&self, past: &PastSlip, returns: &FilmReturns, bet_box: BetBox) -> Result<(), Refusal> {
        let was_collected = past.first.is_some();
        let Some(dice) = past.latest.filter(|_| was_collected) else { return Ok(()) };
        let decides = |opposite: BetBox| {
            let has_differential = self.binds_boxes() && self.limits_of(returns).differential().is_some();
            has_differential && self.wins(opposite, dice) && !self.was_registered(past, returns, opposite)
        };
        let counts = self.wins(bet_box, dice) || bet_box.opposite().is_some_and(decides);
        if counts { Ok(()) } else { Err(Refusal::LosingBox) }
    }

    /// The limits that were on display in the round.
    fn limits_of(&self, returns: &FilmReturns) -> Limits {
        let limits = returns.slip.limits.as_ref().map(|limits| limits.check(self.rules.layout()));
        limits.and_then(Result::ok).unwrap_or_else(Limits::none)
    }

    pub(super) fn withdraw_from_film(
        &self,
        (actor, second): ActorAndSecond,
        round: RoundNumber,
        line: u32,
    ) -> ClusterDecision {
        self.profile.check(Act::Correct, actor, second)?;
        self.registers(Registration::Winners)?;
        let (_, returns) = self.open_round(round)?;
        let is_there = returns.lines.iter().any(|film| film.number == line);
        if is_there { Ok(ClusterEvent::Done) } else { Err(Refusal::NoSuchBet) }
    }

    pub(super) fn close_returns(&self, (actor, second): ActorAndSecond, round: RoundNumber) -> ClusterDecision {
        self.profile.check(Act::Correct, actor, second)?;
        self.registers(Registration::Winners)?;
        let (past, returns) = self.open_round(round)?;
        Ok(ClusterEvent::Compensated { adjustments: self.film_adjustments(past, returns)? })
    }

    /// The lines of all boxes that the film shows a bet on, one for each seat, with what counts of them: first what was registered
    /// after the dice, then in the order in which the film was looked through.
    fn film_slip(&self, past: &PastSlip, returns: &FilmReturns) -> Vec<SlipLine> {
        let boxes: BTreeSet<_> = returns.lines.iter().map(|line| line.bet_box).collect();
        let registered = returns.slip.lines.iter().filter(|line| boxes.contains(&line.bet_box));
        let mut lines: Vec<_> = registered.map(|line| SlipLine { counted: line.units, ..*line }).collect();
        let mut sessions = self.state.sessions;
        for FilmLine { seat, bet_box, units, .. } in &returns.lines {
            let own = lines.iter_mut().find(|line| (line.seat, line.bet_box) == (*seat, *bet_box));
            if let Some(line) = own {
                line.units += units;
                line.counted = line.units;
                continue;
            }
            let known = lines.iter().find(|line| line.seat == *seat).map(|line| line.session);
            let session = known.or_else(|| returns.session(*seat)).unwrap_or_else(|| {
                sessions += 1;
                SessionId(sessions)
            });
            let (seat, bet_box, chips) = (*seat, *bet_box, Chips::Own);
            lines.push(SlipLine { seat, session, bet_box, chips, units: *units, counted: *units });
        }
        if past.latest.is_some() && self.binds_boxes() {
            for bet_box in boxes {
                self.apportion(past, returns, bet_box, &mut lines);
            }
        }
        lines
    }

    /// 5.1.1, 5.1.2: what counts on a box that the film shows to be over its maximum or Differential.
    fn apportion(&self, past: &PastSlip, returns: &FilmReturns, bet_box: BetBox, lines: &mut [SlipLine]) {
        let (limits, unit) = (self.limits_of(returns), past.unit.cents());
        let lay = |bet_box: BetBox| {
            let seen = cents(returns.registered(bet_box) + returns.filmed(bet_box), unit);
            seen.max(returns.announced_total(bet_box))
        };
        let cap = limits.cap(bet_box, bet_box.opposite().map_or(Money::ZERO, lay));
        let on_box: Vec<_> = lines.iter_mut().filter(|line| line.bet_box == bet_box).collect();
        let stakes: Vec<_> = on_box.iter().map(|line| cents(line.units.into(), unit)).collect();
        if stakes.iter().copied().fold(Money::ZERO, sum) <= cap {
            return;
        }
        let shares = pro_rata(&stakes, cap, limits.minimum(bet_box), limits.unit());
        for (line, share) in on_box.into_iter().zip(shares) {
            line.counted = u32::try_from(share.cents() / unit).expect("a share is no larger than its stake");
        }
    }

    /// What each session gets or gives for what the film shows, beyond what it was given for it before.
    fn film_adjustments(&self, past: &PastSlip, returns: &FilmReturns) -> Result<Vec<Adjustment>, Refusal> {
        let unit = Unit::try_from(past.unit).map_err(|_| Refusal::SlipDiffers)?;
        let payouts = past.latest.map(|dice: Dice| self.rules.layout().payouts(dice, unit)).transpose();
        let payouts = payouts.map_err(|_| Refusal::SlipDiffers)?;
        let result = |line: &SlipLine| result(line, payouts.as_ref(), unit.cents());
        let mut owed: BTreeMap<Seat, FilmBooking> = BTreeMap::new();
        for (seat, FilmBooking { session, .. }) in &returns.booked {
            owed.insert(*seat, FilmBooking { session: *session, won: Money::ZERO, returned: Money::ZERO });
        }
        for line in self.film_slip(past, returns) {
            let is_registered = |of: &&SlipLine| (of.seat, of.bet_box) == (line.seat, line.bet_box);
            let (won, returned) = result(&line);
            let (won_before, returned_before) = match returns.slip.lines.iter().find(is_registered) {
                // It was settled with the slip.
                Some(registered) => result(registered),
                // The chips were handed back when the round was void first.
                None if past.first.is_none() => (Money::ZERO, cents(line.units.into(), unit.cents())),
                None => (Money::ZERO, Money::ZERO),
            };
            let nothing = FilmBooking { session: line.session, won: Money::ZERO, returned: Money::ZERO };
            let owed = owed.entry(line.seat).or_insert(nothing);
            owed.won = sum(owed.won, less(won, won_before));
            owed.returned = sum(owed.returned, less(returned, returned_before));
        }
        let turns = |seat: Seat| returns.is_only_on_film(seat) && returns.was_void != past.latest.is_none();
        let adjustments = owed.into_iter().filter_map(|(seat, FilmBooking { session, won, returned })| {
            let before = returns.booked.get(&seat);
            let won = less(won, before.map_or(Money::ZERO, |before| before.won));
            let returned = less(returned, before.map_or(Money::ZERO, |before| before.returned));
            let is_new = returns.session(seat).is_none();
            let is_changed = won != Money::ZERO || returned != Money::ZERO || is_new || turns(seat);
            let is_waived = !returns.takes_back && sum(won, returned) < Money::ZERO;
            let (at_once, in_colour, is_large) = (Money::ZERO, Money::ZERO, false);
            is_changed.then_some(Adjustment { seat, session, won, returned, at_once, in_colour, is_large, is_waived })
        });
        Ok(adjustments.collect())
    }

    pub(super) fn registered_from_film(&mut self, round: RoundNumber, seat: Seat, player: &str, stake: Stake) {
        let past = *self.state.past.get(round).expect("the round is over");
        let returns = self.state.returns.get_mut(&round).expect("its returns are open");
        let units = returns.units(past.unit, stake).expect("the stake was counted");
        returns.newest += 1;
        let (number, player) = (returns.newest, player.to_owned());
        returns.lines.push(FilmLine { number, seat, player, bet_box: stake.bet_box, units });
    }

    pub(super) fn withdrawn_from_film(&mut self, round: RoundNumber, line: u32) {
        let returns = self.state.returns.get_mut(&round).expect("its returns are open");
        returns.lines.retain(|film| film.number != line);
    }

    pub(super) fn returns_closed(&mut self, actor: Actor, round: RoundNumber, event: &ClusterEvent) {
        let ClusterEvent::Compensated { adjustments } = event else {
            unreachable!("closing the returns gives adjustments")
        };
        let is_void = self.state.past.get(round).is_some_and(|past| past.latest.is_none());
        let mut returns = self.state.returns.remove(&round).expect("its returns are open");
        for adjustment in adjustments {
            let Adjustment { seat, session, won, returned, .. } = *adjustment;
            let mut was_void = is_void;
            if returns.session(seat).is_none() {
                // A session of its own for a player of whom nothing was registered in the round. They are numbered as the film's
                // lines were registered, and adjustments come by seat.
                self.state.sessions = self.state.sessions.max(session.0);
                let meters = &mut self.seat_mut(seat).meters;
                *(if is_void { &mut meters.voids } else { &mut meters.rounds }) += 1;
            } else if returns.is_only_on_film(seat) {
                was_void = returns.was_void;
            }
            let by = actor.person().map(|person| person.id);
            let reason = ClaimCause { of: ClaimReason::FromFilm(round), by };
            self.adjust(round, adjustment, (was_void, is_void), reason);
            let nothing = FilmBooking { session, won: Money::ZERO, returned: Money::ZERO };
            let booked = returns.booked.entry(seat).or_insert(nothing);
            booked.won = sum(booked.won, won);
            booked.returned = sum(booked.returned, returned);
        }
        if !returns.lines.is_empty() || !returns.booked.is_empty() {
            (returns.is_open, returns.was_void) = (false, is_void);
            self.state.returns.insert(round, returns);
        }
    }

    /// Opens the returns of a round that was corrected or voided after its chips were collected.
    pub(super) fn open_returns(&mut self, round: RoundNumber, stands: Result<Dice, VoidReason>, slip: &Slip) {
        if self.rules.registration() != Registration::Winners {
            return;
        }
        let takes_back = self.takes_back(stands);
        let returns = self.state.returns.entry(round).or_insert_with(|| FilmReturns::new(slip.clone()));
        (returns.is_open, returns.takes_back) = (true, takes_back);
    }
}
