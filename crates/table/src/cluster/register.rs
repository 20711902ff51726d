//! A table that registers winners: after the dice the Dealer registers what lay on the layout at the close (5.9), all of each box
//! that wins, and all of each box that loses and is over its maximum or Differential (5.1.1). What else lost is collected and not
//! registered, so a late void or correction is made good from the film, line by line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Money, Outcome, Rule, Unit};

use crate::cluster::conclude::Reason;
use crate::cluster::decide::{Answer, MOST_ON_A_BOX, first, wager};
use crate::cluster::settle::result;
use crate::cluster::{
    Adjustment, Betting, Chips, Cluster, ClusterEvent, PastSlip, SeatState, SlipLine, Stake, Thrown, less, sum,
};
use crate::identity::{Actor, Person, RoundNumber, Seat, SessionId};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::rules::Registration;
use crate::text::{MOST_WHY, check_text};
use crate::transfer::ClaimReason;

/// What the Dealer is asked for on a box after the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AskedFor {
    /// What each seat has on it: it wins, or it loses and is over its maximum or Differential.
    Stakes,
    /// What lay on it in all: the Differential of the opposite box depends on it.
    Total,
}

/// A bet that Supervisor and second person have seen on the film of a round that was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FilmLine {
    /// The seat.
    pub seat: Seat,
    /// The session that what it comes to is booked for.
    pub session: SessionId,
    /// Who played there, for whoever pays the claim.
    pub player: String,
    /// The box.
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    /// The stake, in units of the round.
    pub units: u32,
}

/// A round that came to stand otherwise after its chips were collected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returns {
    /// Whether bets may still be registered from the film.
    pub is_open: bool,
    /// What was registered from the film.
    pub lines: Vec<FilmLine>,
    /// The sessions of the seats that had registered bets in it.
    sessions: BTreeMap<Seat, SessionId>,
}

/// What is asked: who, with whom.
pub(super) type By = (Actor, Option<Person>);

impl Cluster {
    /// The dice of the round whose winners are being registered.
    pub fn thrown(&self) -> Option<Dice> {
        self.state.thrown.map(|thrown| thrown.dice)
    }

    /// Whether the Dealer has said that all that wins is registered.
    pub fn is_registered(&self) -> bool {
        self.state.thrown.is_some_and(|thrown| thrown.is_registered)
    }

    /// What the dealer's side is told: the last notice that is held, what Colour Chips with players are worth, and whether all that
    /// wins is registered.
    pub fn reports(&self) -> (u64, Money, bool) {
        (self.followed(), self.colour_chips(), self.is_registered())
    }

    /// What lay on a box in all, as the Dealer has told it.
    pub fn told(&self, bet_box: BetBox) -> Option<Money> {
        self.state.told.get(&bet_box).map(|units| self.cents(*units))
    }

    /// Rounds that came to stand otherwise after their chips were collected, with what was registered from the film.
    pub fn returns(&self) -> impl Iterator<Item = (RoundNumber, &Returns)> {
        self.state.returns.iter().map(|(round, returns)| (*round, returns))
    }

    /// The most that counts on a box, by what is registered and told.
    pub fn cap_of(&self, bet_box: BetBox) -> Money {
        self.cap(bet_box, &self.state.totals)
    }

    /// The largest stake that is registered without a second person.
    pub const fn registration_limit(&self) -> Money {
        self.profile.registration_limit
    }

    fn wins(&self, bet_box: BetBox, dice: Dice) -> bool {
        matches!(self.rules.layout().outcome(bet_box, dice), Some(Outcome::Won(_)))
    }

    /// The total of a box as far as it is known: all of a box that wins is registered, of another it has to be told.
    fn known_total(&self, bet_box: BetBox, dice: Dice) -> Option<Money> {
        let (told, registered) = (self.told(bet_box), self.total(bet_box));
        match told {
            Some(told) => Some(told.max(registered)),
            None => self.wins(bet_box, dice).then_some(registered),
        }
    }

    /// The box whose total has to be told, as that of this one exceeds the Differential (1.3). Where the maximum alone decides, it
    /// is not asked for.
    fn opposite_needed(&self, bet_box: BetBox, dice: Dice) -> Option<BetBox> {
        let (opposite, differential) = (bet_box.opposite()?, self.limits.differential()?);
        let total = self.known_total(bet_box, dice).unwrap_or_else(|| self.total(bet_box));
        let is_over = total.min(self.limits.maximum(bet_box)) > differential;
        (is_over && self.known_total(opposite, dice).is_none()).then_some(opposite)
    }

    /// Whether the total that was told of a box is over its maximum or Differential.
    fn is_over(&self, bet_box: BetBox) -> bool {
        self.told(bet_box).is_some_and(|told| self.binds_boxes() && told > self.cap_of(bet_box))
    }

    /// What the Dealer is asked for on a box.
    pub fn asked_for(&self, bet_box: BetBox) -> Option<AskedFor> {
        let dice = self.thrown()?;
        let is_short = || self.is_over(bet_box) && self.told(bet_box) != Some(self.total(bet_box));
        let is_needed = || {
            let opposite = bet_box.opposite().filter(|opposite| self.rules.layout().has(*opposite));
            opposite.is_some_and(|opposite| self.opposite_needed(opposite, dice).is_some())
        };
        if self.wins(bet_box, dice) || is_short() {
            Some(AskedFor::Stakes)
        } else {
            is_needed().then_some(AskedFor::Total)
        }
    }

    pub(super) fn registers(&self, registration: Registration) -> Result<(), Refusal> {
        if self.rules.registration() == registration { Ok(()) } else { Err(Refusal::OtherRegistration) }
    }

    /// The dice by which winners are registered now.
    fn registering(&self) -> Result<Dice, Refusal> {
        match (self.state.betting, self.state.thrown) {
            (Betting::Idle, _) => Err(match self.state.past.get(self.state.round) {
                Some(PastSlip { latest: Some(_), .. }) => Refusal::AllRegistered,
                Some(PastSlip { latest: None, .. }) => Refusal::RoundVoid,
                None => Refusal::NotThrown,
            }),
            (Betting::Open | Betting::Closed, None) => Err(Refusal::NotThrown),
            (Betting::Open | Betting::Closed, Some(Thrown { is_registered: true, .. })) => Err(Refusal::AllRegistered),
            (Betting::Open | Betting::Closed, Some(Thrown { dice, is_registered: false })) => Ok(dice),
        }
    }

    /// A seat whose bets are registered now. What a player who has walked away had there is registered as well (5.3).
    pub(super) fn registering_seat(&self, seat: Seat) -> Result<&SeatState, Refusal> {
        self.registering()?;
        self.known_seat(seat)
    }

    pub(super) fn register(&self, (actor, second): By, seat: Seat, stakes: &[Stake]) -> Answer {
        self.deals(actor)?;
        if self.seat(seat).is_some_and(|state| self.is_large(state, stakes) && self.can_be_registered(state, stakes)) {
            self.profile.check(Act::LargeRegistration, actor, second)?;
        }
        self.registers(Registration::Winners)?;
        let dice = self.registering()?;
        let state = self.known_seat(seat)?;
        if stakes.is_empty() {
            return Err(Refusal::NoBets);
        }
        self.check_boxes(stakes)?;
        first(stakes.iter().map(|stake| {
            self.is_asked_for(stake.bet_box, dice)?;
            self.check_stake(state, *stake)
        }))?;
        Ok(ClusterEvent::Done)
    }

    fn check_stake(&self, state: &SeatState, stake: Stake) -> Result<(), Refusal> {
        let units = self.units(stake.amount)?;
        self.check_limits(state, Chips::Own, stake, units)
    }

    /// Nobody is asked to approve what this table never registers.
    fn can_be_registered(&self, state: &SeatState, stakes: &[Stake]) -> bool {
        self.registers(Registration::Winners).is_ok()
            && self.check_boxes(stakes).is_ok()
            && stakes.iter().all(|stake| self.check_stake(state, *stake).is_ok())
    }

    /// Whether a stake, with what is registered of the same seat and box before, is above the house's limit.
    fn is_large(&self, state: &SeatState, stakes: &[Stake]) -> bool {
        stakes.iter().any(|stake| {
            let own = wager(state, Chips::Own, stake.bet_box).map_or(Money::ZERO, |own| self.cents(own.units.into()));
            own.checked_add(stake.amount).is_none_or(|line| line > self.profile.registration_limit)
        })
    }

    /// A box that loses is registered only where its total is over its maximum or Differential.
    fn is_asked_for(&self, bet_box: BetBox, dice: Dice) -> Result<(), Refusal> {
        if self.wins(bet_box, dice) {
            return Ok(());
        }
        match self.opposite_needed(bet_box, dice) {
            Some(_) => Err(Refusal::OppositeNotTold),
            None if self.is_over(bet_box) => Ok(()),
            None => Err(Refusal::LosingBox),
        }
    }

    pub(super) fn tell_total(&self, actor: Actor, bet_box: BetBox, amount: Money) -> Answer {
        self.deals(actor)?;
        self.registers(Registration::Winners)?;
        self.registering()?;
        self.is_in_game(Rule::Excess)?;
        if !self.rules.layout().has(bet_box) {
            return Err(Refusal::BoxNotOnLayout);
        }
        if amount > MOST_ON_A_BOX {
            return Err(Refusal::AmountTooLarge);
        }
        // An empty box is told too.
        if amount != Money::ZERO {
            self.units(amount)?;
        }
        Ok(ClusterEvent::Done)
    }

    pub(super) fn total_told(&mut self, bet_box: BetBox, amount: Money) {
        let units = if amount == Money::ZERO { Ok(0) } else { self.units(amount) };
        self.state.told.insert(bet_box, units.expect("a total that is told is whole units").into());
    }

    /// All that wins is registered: then nothing that the apportionment rests on may be missing.
    pub(super) fn all_registered(&self, actor: Actor) -> Answer {
        self.deals(actor)?;
        self.registers(Registration::Winners)?;
        let dice = self.registering()?;
        first(self.rules.layout().boxes().iter().map(|bet_box| {
            if self.binds_boxes() && self.opposite_needed(*bet_box, dice).is_some() {
                return Err(Refusal::OppositeNotTold);
            }
            let is_apportioned = self.binds_boxes() && self.total(*bet_box) > self.cap_of(*bet_box);
            let must_match = self.wins(*bet_box, dice) || self.is_over(*bet_box) || is_apportioned;
            let differs = self.told(*bet_box).is_some_and(|told| told != self.total(*bet_box));
            if must_match && differs { Err(Refusal::TotalDiffers) } else { Ok(()) }
        }))?;
        Ok(ClusterEvent::Done)
    }

    /// From the film, Supervisor and second person register a bet that was collected as lost and that the round, as it stands now,
    /// owes something for. It counts in full: a box over its maximum or Differential was registered as a whole after the dice.
    pub(super) fn register_from_film(
        &self,
        (actor, second): By,
        (round, seat): (RoundNumber, Seat),
        player: &str,
        stake: Stake,
    ) -> Answer {
        self.profile.check(Act::Correct, actor, second)?;
        self.registers(Registration::Winners)?;
        let returns = self.state.returns.get(&round).filter(|returns| returns.is_open).ok_or(Refusal::NotHeld)?;
        let past = self.state.past.get(round).ok_or(Refusal::NotHeld)?;
        self.known_seat(seat)?;
        if !self.rules.layout().has(stake.bet_box) {
            return Err(Refusal::BoxNotOnLayout);
        }
        let was_collected = past.first.is_some();
        if was_collected && past.latest.is_some_and(|dice| !self.wins(stake.bet_box, dice)) {
            return Err(Refusal::LosingBox);
        }
        let units = film_units(past, returns, stake)?;
        self.rules.layout().check_stake(stake.bet_box, stake.amount).map_err(|_| Refusal::AmountTooLarge)?;
        check_text(player, MOST_WHY)?;
        let session = returns.sessions.get(&seat).copied().unwrap_or(SessionId(self.state.sessions + 1));
        let line = SlipLine { seat, session, bet_box: stake.bet_box, chips: Chips::Own, units, counted: units };
        let (won, mut returned) = self.owed(past, &line)?;
        if !was_collected {
            // The chips were handed back when the round was void first.
            returned = less(returned, stake.amount);
        }
        let is_waived = !self.profile.law.takes_back && sum(won, returned) < Money::ZERO;
        let (at_once, in_colour, is_large) = (Money::ZERO, Money::ZERO, false);
        let owed = Adjustment { seat, session, won, returned, at_once, in_colour, is_large, is_waived };
        Ok(ClusterEvent::Compensated { adjustments: vec![owed] })
    }

    /// What a line is paid and what is returned of it, as its round stands.
    fn owed(&self, past: &PastSlip, line: &SlipLine) -> Result<(Money, Money), Refusal> {
        let unit = Unit::try_from(past.unit).map_err(|_| Refusal::SlipDiffers)?;
        let payouts = past.latest.map(|dice| self.rules.layout().payouts(dice, unit)).transpose();
        Ok(result(line, payouts.map_err(|_| Refusal::SlipDiffers)?.as_ref(), unit.cents()))
    }

    pub(super) fn close_returns(&self, (actor, second): By, round: RoundNumber) -> Answer {
        self.profile.check(Act::Correct, actor, second)?;
        self.registers(Registration::Winners)?;
        let is_open = self.state.returns.get(&round).is_some_and(|returns| returns.is_open);
        if is_open { Ok(ClusterEvent::Done) } else { Err(Refusal::NotHeld) }
    }

    pub(super) fn registered_from_film(
        &mut self,
        actor: Actor,
        round: RoundNumber,
        player: &str,
        stake: Stake,
        event: &ClusterEvent,
    ) {
        let ClusterEvent::Compensated { adjustments } = event else { unreachable!("it tells what is owed") };
        let past = *self.state.past.get(round).expect("the round is over");
        let is_void = past.latest.is_none();
        for adjustment in adjustments {
            let Adjustment { seat, session, .. } = *adjustment;
            // A session of its own for a player of whom nothing was registered in the round.
            if session.0 > self.state.sessions {
                self.state.sessions = session.0;
                let meters = &mut self.seat_mut(seat).meters;
                *(if is_void { &mut meters.voids } else { &mut meters.rounds }) += 1;
            }
            let units = u32::try_from(stake.amount.cents() / past.unit.cents()).expect("the stake was counted");
            let line = FilmLine { seat, session, player: player.to_owned(), bet_box: stake.bet_box, units };
            let returns = self.state.returns.get_mut(&round).expect("its returns are open");
            returns.sessions.insert(seat, session);
            returns.lines.push(line);
            let by = actor.person().map(|person| person.id);
            let reason = Reason { of: ClaimReason::FromFilm(round), by };
            self.adjust(round, adjustment, (is_void, is_void), reason);
        }
    }

    pub(super) fn returns_closed(&mut self, round: RoundNumber) {
        let returns = self.state.returns.get_mut(&round).expect("its returns are open");
        returns.is_open = false;
        if returns.lines.is_empty() {
            self.state.returns.remove(&round);
        }
    }

    /// A round came to stand otherwise after its chips were collected: what was not registered has to be made good from the film.
    pub(super) fn open_returns(&mut self, round: RoundNumber, adjustments: &[Adjustment]) {
        if self.rules.registration() != Registration::Winners {
            return;
        }
        let returns = self.state.returns.entry(round).or_default();
        returns.is_open = true;
        for adjustment in adjustments {
            returns.sessions.entry(adjustment.seat).or_insert(adjustment.session);
        }
    }

    /// What was registered of a round from the film, as lines of its slip.
    pub(super) fn film(&self, round: RoundNumber) -> impl Iterator<Item = SlipLine> {
        let lines = self.state.returns.get(&round).map_or(&[][..], |returns| &returns.lines);
        lines.iter().map(|line| SlipLine {
            seat: line.seat,
            session: line.session,
            bet_box: line.bet_box,
            chips: Chips::Own,
            units: line.units,
            counted: line.units,
        })
    }
}

/// A stake in units of the round, if it and what was registered before can lie on one box.
fn film_units(past: &PastSlip, returns: &Returns, stake: Stake) -> Result<u32, Refusal> {
    if stake.amount <= Money::ZERO {
        return Err(Refusal::BadAmount);
    }
    let unit = past.unit.cents();
    let units = u32::try_from(stake.amount.cents() / unit).map_err(|_| Refusal::AmountTooLarge)?;
    let same_box = returns.lines.iter().filter(|line| line.bet_box == stake.bet_box);
    let total: u64 = u64::from(units) + same_box.map(|line| u64::from(line.units)).sum::<u64>();
    let fits = i64::try_from(total).ok().and_then(|total| total.checked_mul(unit));
    if fits.is_none_or(|total| total > MOST_ON_A_BOX.cents()) {
        return Err(Refusal::AmountTooLarge);
    }
    if stake.amount.cents() % unit == 0 { Ok(units) } else { Err(Refusal::AmountOffUnit) }
}
