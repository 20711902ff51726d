//! A table that registers winners. After the dice, the Dealer registers what lay on the layout at the close (5.9): every
//! winning box, and every losing box over its maximum or Differential (5.1.1). Other losing bets are collected without being
//! registered, so a correction or late void needs the film.

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Money, Outcome, Rule};

use crate::cluster::decide::{ClusterDecision, MAX_ON_A_BOX, first, wager};
use crate::cluster::{Betting, Chips, Cluster, ClusterEvent, ClusterSeat, PastSlip, Stake, ThrownDice};
use crate::identity::{Actor, Person, Seat};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::rules::Registration;

/// What the Dealer has to register on a box after the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RequiredRegistration {
    /// What each seat has on it: it wins, or it loses and is over its maximum or Differential.
    Stakes,
    /// What lay on it in all: the Differential of the opposite box depends on it.
    Total,
}

/// The actor and the second person of a command.
pub(super) type ActorAndSecond = (Actor, Option<Person>);

impl Cluster {
    /// The dice of the round whose winners are being registered.
    pub fn thrown(&self) -> Option<Dice> {
        self.state.thrown.map(|thrown| thrown.dice)
    }

    /// Whether the Dealer has declared that all winners are registered.
    pub fn is_registered(&self) -> bool {
        self.state.thrown.is_some_and(|thrown| thrown.is_registered)
    }

    /// What the cluster reports to its round: the last notice applied, the value of Colour Chips with players, and whether all
    /// winners are registered.
    pub fn reports(&self) -> (u64, Money, bool) {
        (self.followed(), self.colour_chips(), self.is_registered())
    }

    /// The total on a box that the Dealer has announced.
    pub fn announced_total(&self, bet_box: BetBox) -> Option<Money> {
        self.state.announced_totals.get(&bet_box).map(|units| self.cents(*units))
    }

    /// The most that counts on a box, by what is registered and announced.
    pub fn cap_of(&self, bet_box: BetBox) -> Money {
        self.cap(bet_box, &self.state.totals)
    }

    /// The largest stake that is registered without a second person.
    pub const fn registration_limit(&self) -> Money {
        self.profile.registration_limit
    }

    pub(super) fn wins(&self, bet_box: BetBox, dice: Dice) -> bool {
        matches!(self.rules.layout().outcome(bet_box, dice), Some(Outcome::Won(_)))
    }

    /// The total on a box, if it is known. A winning box is registered in full; the total of any other must be announced.
    fn known_total(&self, bet_box: BetBox, dice: Dice) -> Option<Money> {
        let (announced, registered) = (self.announced_total(bet_box), self.total(bet_box));
        match announced {
            Some(announced) => Some(announced.max(registered)),
            None => self.wins(bet_box, dice).then_some(registered),
        }
    }

    /// The opposite box, if its total must be announced because this one exceeds the Differential (1.3). It is not needed when
    /// the maximum alone decides.
    fn opposite_needed(&self, bet_box: BetBox, dice: Dice) -> Option<BetBox> {
        let (opposite, differential) = (bet_box.opposite()?, self.limits.differential()?);
        let total = self.known_total(bet_box, dice).unwrap_or_else(|| self.total(bet_box));
        let is_over = total.min(self.limits.maximum(bet_box)) > differential;
        (is_over && self.known_total(opposite, dice).is_none()).then_some(opposite)
    }

    /// Whether the announced total is over the maximum or Differential of the box.
    fn is_over(&self, bet_box: BetBox) -> bool {
        self.announced_total(bet_box).is_some_and(|announced| self.binds_boxes() && announced > self.cap_of(bet_box))
    }

    /// What the Dealer still has to register on a box.
    pub fn required_registration(&self, bet_box: BetBox) -> Option<RequiredRegistration> {
        let dice = self.thrown()?;
        let is_short = || self.is_over(bet_box) && self.announced_total(bet_box) != Some(self.total(bet_box));
        let is_needed = || {
            let opposite = bet_box.opposite().filter(|opposite| self.rules.layout().has(*opposite));
            opposite.is_some_and(|opposite| self.opposite_needed(opposite, dice).is_some())
        };
        if self.wins(bet_box, dice) || is_short() {
            Some(RequiredRegistration::Stakes)
        } else {
            is_needed().then_some(RequiredRegistration::Total)
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
            (Betting::Open | Betting::Closed, Some(ThrownDice { is_registered: true, .. })) => {
                Err(Refusal::AllRegistered)
            }
            (Betting::Open | Betting::Closed, Some(ThrownDice { dice, is_registered: false })) => Ok(dice),
        }
    }

    /// A seat whose bets are registered now. What a player who has walked away had there is registered as well (5.3).
    pub(super) fn registering_seat(&self, seat: Seat) -> Result<&ClusterSeat, Refusal> {
        self.registering()?;
        self.known_seat(seat)
    }

    pub(super) fn register(&self, (actor, second): ActorAndSecond, seat: Seat, stakes: &[Stake]) -> ClusterDecision {
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
            self.is_required(stake.bet_box, dice)?;
            self.check_stake(state, *stake)
        }))?;
        Ok(ClusterEvent::Done)
    }

    fn check_stake(&self, state: &ClusterSeat, stake: Stake) -> Result<(), Refusal> {
        let units = self.units(stake.amount)?;
        self.check_limits(state, Chips::Own, stake, units)
    }

    /// No approval is requested for what this table never registers.
    fn can_be_registered(&self, state: &ClusterSeat, stakes: &[Stake]) -> bool {
        self.registers(Registration::Winners).is_ok()
            && self.check_boxes(stakes).is_ok()
            && stakes.iter().all(|stake| self.check_stake(state, *stake).is_ok())
    }

    /// Whether a stake, with what is registered of the same seat and box before, is above the casino's limit.
    fn is_large(&self, state: &ClusterSeat, stakes: &[Stake]) -> bool {
        stakes.iter().any(|stake| {
            let own = wager(state, Chips::Own, stake.bet_box).map_or(Money::ZERO, |own| self.cents(own.units.into()));
            own.checked_add(stake.amount).is_none_or(|line| line > self.profile.registration_limit)
        })
    }

    /// A box that loses is registered only where its total is over its maximum or Differential.
    fn is_required(&self, bet_box: BetBox, dice: Dice) -> Result<(), Refusal> {
        if self.wins(bet_box, dice) {
            return Ok(());
        }
        match self.opposite_needed(bet_box, dice) {
            Some(_) => Err(Refusal::OppositeNotTold),
            None if self.is_over(bet_box) => Ok(()),
            None => Err(Refusal::LosingBox),
        }
    }

    pub(super) fn tell_total(&self, actor: Actor, bet_box: BetBox, amount: Money) -> ClusterDecision {
        self.deals(actor)?;
        self.registers(Registration::Winners)?;
        self.registering()?;
        self.is_in_game(Rule::Excess)?;
        if !self.rules.layout().has(bet_box) {
            return Err(Refusal::BoxNotOnLayout);
        }
        if amount > MAX_ON_A_BOX {
            return Err(Refusal::AmountTooLarge);
        }
        // An empty box is announced too.
        if amount != Money::ZERO {
            self.units(amount)?;
        }
        Ok(ClusterEvent::Done)
    }

    pub(super) fn total_announced(&mut self, bet_box: BetBox, amount: Money) {
        let units = if amount == Money::ZERO { Ok(0) } else { self.units(amount) };
        self.state.announced_totals.insert(bet_box, units.expect("an announced total is whole units").into());
    }

    /// All that wins is registered: then nothing that the apportionment rests on may be missing.
    pub(super) fn all_registered(&self, actor: Actor) -> ClusterDecision {
        self.deals(actor)?;
        self.registers(Registration::Winners)?;
        let dice = self.registering()?;
        first(self.rules.layout().boxes().iter().map(|bet_box| {
            if self.binds_boxes() && self.opposite_needed(*bet_box, dice).is_some() {
                return Err(Refusal::OppositeNotTold);
            }
            let is_apportioned = self.binds_boxes() && self.total(*bet_box) > self.cap_of(*bet_box);
            let must_match = self.wins(*bet_box, dice) || self.is_over(*bet_box) || is_apportioned;
            let differs = self.announced_total(*bet_box).is_some_and(|announced| announced != self.total(*bet_box));
            if must_match && differs { Err(Refusal::TotalDiffers) } else { Ok(()) }
        }))?;
        Ok(ClusterEvent::Done)
    }
}
