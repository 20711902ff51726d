//! What changes a round that has a result, or decides one that waits for a ruling: corrections, damaged dice, the law, rulings.

use taisai_rules::{Dice, Face, Station};

use crate::identity::{Actor, Person, PersonId, Roles, RoundNumber};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::round::decide::{RoundDecision, are_among};
use crate::round::{
    MAX_UNWITNESSED_RULINGS, MAX_VOIDED_ROUNDS, PastRound, Phase, Round, RoundEvent, RoundStanding, Ruling, VoidReason,
};

fn same_faces(one: Dice, other: Dice) -> bool {
    are_among(&one.faces(), &other.faces())
}

/// Whether a second person may witness what somebody ruled.
fn may_witness(roles: Roles, second: Person, maker: PersonId) -> Result<(), Refusal> {
    let may = second.id != maker && second.roles.meets(roles);
    if may { Ok(()) } else { Err(Refusal::SecondPersonNotAllowed) }
}

impl Round {
    pub(super) fn correct(
        &self,
        actor: Actor,
        second: Option<Person>,
        round: RoundNumber,
        dice: Dice,
    ) -> RoundDecision {
        self.profile.check(Act::Correct, actor, second)?;
        let past = self.settled(round)?;
        if past.void.is_some() {
            return Err(Refusal::RoundVoid);
        }
        if past.is_ruled {
            return Err(Refusal::RuledOn);
        }
        // 5.8: at a live table the players go on from what was paid; the Electronic Table Game adjusts at any time (5.5).
        let is_last = round == self.state.number && round > self.state.opened_at && self.state.phase != Phase::Shut;
        if self.rules.game().station() == Station::LiveTable && !is_last {
            return Err(Refusal::CorrectionTooLate);
        }
        if past.dice.is_some_and(|before| same_faces(before, dice)) {
            return Err(Refusal::SameDice);
        }
        Ok(RoundEvent::Corrected { round, dice })
    }

    /// A face that was reported wrongly at the interruption is corrected like a wrong result.
    pub(super) fn correct_known(&self, actor: Actor, second: Option<Person>, known: &[Face]) -> RoundDecision {
        self.profile.check(Act::Correct, actor, second)?;
        let before = self.state.known.clone().ok_or(Refusal::NotHeld)?;
        if known.is_empty() || known.len() > 3 {
            return Err(Refusal::DiceNotKnown);
        }
        if known.len() == before.len() && are_among(known, &before) {
            return Err(Refusal::SameDice);
        }
        Ok(RoundEvent::KnownCorrected { before, known: known.to_vec() })
    }

    /// 5.6: all affected rounds, settled ones and the one in play.
    pub(super) fn void_damaged(
        &self,
        actor: Actor,
        second: Option<Person>,
        (from, to): (RoundNumber, RoundNumber),
        dice_set: Option<u32>,
    ) -> RoundDecision {
        self.profile.check(Act::VoidDamaged, actor, second)?;
        if from.0 == 0 || from > to || to > self.state.number {
            return Err(Refusal::UnknownRound);
        }
        if to.0 - from.0 >= MAX_VOIDED_ROUNDS {
            return Err(Refusal::TooManyRounds);
        }
        if self.is_being_paid(to) {
            return Err(Refusal::RoundNotSettled);
        }
        let is_ruled = |round: &RoundNumber| {
            let past = self.past(*round);
            let is_affected = |used| dice_set.is_none_or(|damaged| damaged == used);
            past.is_some_and(|past| past.is_ruled && is_affected(past.dice_set))
        };
        let ruled = (from.0..=to.0).map(RoundNumber).filter(is_ruled).collect();
        Ok(RoundEvent::RoundsVoided { from, to, reason: VoidReason::DamagedDice, dice_set, ruled })
    }

    /// F80: the law voids a round in play or settled. What a ruling has decided stays for a ruling.
    pub(super) fn void_by_law(
        &self,
        actor: Actor,
        second: Option<Person>,
        round: RoundNumber,
        reason: VoidReason,
    ) -> RoundDecision {
        self.profile.check(Act::VoidByLaw, actor, second)?;
        // 5.5: an irregularity voids the current round, for the Dealer to say; damaged dice and rulings have their own ways.
        if reason.rule().is_some() {
            return Err(Refusal::RoundStands);
        }
        if self.in_play_or_over(round)?.is_some_and(|past| past.is_ruled) {
            return Err(Refusal::RuledOn);
        }
        Ok(RoundEvent::RoundsVoided { from: round, to: round, reason, dice_set: None, ruled: Vec::new() })
    }

    /// 5.14: one person rules, and the ruling takes effect immediately. If it moves money and the profile requires a second
    /// person, that person must witness it.
    pub(super) fn rule(&self, actor: Actor, second: Option<Person>, ruling: Ruling) -> RoundDecision {
        let right = self.profile.right(Act::Rule);
        let maker = actor.person().filter(|person| person.roles.meets(right.first)).ok_or(Refusal::NotAllowed)?;
        if let (Some(roles), Some(second)) = (right.second, second) {
            may_witness(roles, second, maker.id)?;
        }
        let (round, after) = match ruling {
            Ruling::Note => return Ok(RoundEvent::Noted),
            Ruling::Conclude { dice } => {
                self.state.known.as_ref().ok_or(Refusal::NotHeld)?;
                self.bets_are_closed()?;
                self.agree_with_known(&dice.faces())?;
                (self.state.number, RoundStanding::Settled(dice))
            }
            Ruling::Void { round, fact } => {
                if let Some(fact) = fact {
                    self.binds(round, fact)?;
                }
                let reason = self.in_play_or_over(round)?.and_then(|past| past.void).or(fact);
                (round, RoundStanding::Void(reason.unwrap_or(VoidReason::Ruling)))
            }
            Ruling::Settle { round, dice } => {
                let past = self.settled(round)?;
                // A cluster that does not hold the void of an open round still takes bets: dice must not be known before it does.
                if round == self.state.number && self.state.phase == Phase::Void && !self.is_followed() {
                    return Err(Refusal::RoundNotSettled);
                }
                if past.void.is_none() && past.dice.is_some_and(|before| same_faces(before, dice)) {
                    return Err(Refusal::SameDice);
                }
                (round, RoundStanding::Settled(dice))
            }
        };
        let before = self.past(round).map_or(RoundStanding::InPlay, PastRound::standing);
        let paid = self.unwitnessed(round).map_or(self.state.paid(round, before), |ruling| ruling.paid);
        // Bets that are still open are given back by a void: nobody has won or lost them.
        let gives_back = before == RoundStanding::InPlay && self.state.phase == Phase::Open;
        let waits = after != paid && !gives_back && right.second.is_some() && second.is_none();
        if waits && self.state.unwitnessed.len() >= MAX_UNWITNESSED_RULINGS && self.unwitnessed(round).is_none() {
            return Err(Refusal::NotWitnessed);
        }
        Ok(RoundEvent::Ruled { round, before, after, waits })
    }

    /// By somebody else than its maker, who has seen what it says now.
    pub(super) fn witness(&self, actor: Actor, round: RoundNumber, seen: RoundStanding) -> RoundDecision {
        let roles = self.profile.right(Act::Rule).second.ok_or(Refusal::NotAllowed)?;
        let person = actor.person().filter(|person| person.roles.meets(roles)).ok_or(Refusal::NotAllowed)?;
        if self.unwitnessed(round).is_some_and(|ruling| ruling.by == person.id) {
            return Err(Refusal::SecondPersonNotAllowed);
        }
        let ruling = self.unwitnessed(round).filter(|ruling| ruling.stands == seen);
        ruling.map(|_| RoundEvent::Witnessed { round }).ok_or(Refusal::NothingToWitness)
    }

    /// 5.5 voids the current round, until the next one opens; previous rounds stand.
    fn binds(&self, round: RoundNumber, fact: VoidReason) -> Result<(), Refusal> {
        match fact {
            VoidReason::FewTumbles | VoidReason::NotFlat | VoidReason::Exposed | VoidReason::ActivatedEarly => {
                self.is_in_game(fact)?;
            }
            VoidReason::NotEstablished
            | VoidReason::DamagedDice
            | VoidReason::Ruling
            | VoidReason::Malfunction
            | VoidReason::ForceMajeure
            | VoidReason::SuspectedOffence => return Err(Refusal::NotInGame),
        }
        if round == self.state.number { Ok(()) } else { Err(Refusal::RoundStands) }
    }

    /// A round that is over; nothing where it is the one in play.
    fn in_play_or_over(&self, round: RoundNumber) -> Result<Option<&PastRound>, Refusal> {
        if round == self.state.number && self.is_in_play_or_held().is_ok() {
            return Ok(None);
        }
        self.settled(round).map(Some)
    }

    /// A round that is over.
    fn settled(&self, round: RoundNumber) -> Result<&PastRound, Refusal> {
        if round.0 == 0 || round > self.state.number {
            return Err(Refusal::UnknownRound);
        }
        self.past(round).filter(|_| !self.is_being_paid(round)).ok_or(Refusal::RoundNotSettled)
    }

    /// Whether some cluster has not reported yet that it has paid the round. While winners are being registered nothing is
    /// paid: the chips still lie there, and the round can be corrected or voided.
    fn is_being_paid(&self, round: RoundNumber) -> bool {
        let is_result = round == self.state.number && self.state.phase == Phase::Result;
        is_result && !self.state.is_registering && self.unwitnessed(round).is_none()
    }
}
