//! What changes a round that has a result, or decides one that waits for a ruling: corrections, damaged dice, the law, rulings.

use taisai_rules::{Dice, Face, Station};

use crate::identity::{Actor, Person, RoundNumber};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::round::decide::{Answer, are_among};
use crate::round::{MOST_VOIDED, PastRound, Phase, Round, RoundEvent, Ruling, VoidReason};

fn same_faces(one: Dice, other: Dice) -> bool {
    are_among(&one.faces(), &other.faces())
}

/// One round is void.
const fn voided(round: RoundNumber, reason: VoidReason, is_ruling: bool) -> RoundEvent {
    RoundEvent::RoundsVoided { from: round, to: round, reason, dice_set: None, ruled: Vec::new(), is_ruling }
}

impl Round {
    pub(super) fn correct(&self, actor: Actor, second: Option<Person>, round: RoundNumber, dice: Dice) -> Answer {
        self.profile.check(Act::Correct, actor, second)?;
        let past = self.settled(round)?;
        if past.void.is_some() {
            return Err(Refusal::RoundVoid);
        }
        if past.is_ruled {
            return Err(Refusal::RuledOn);
        }
        // 5.8: at a live table the players go on from what was paid; the Electronic Table Game adjusts at any time (5.5).
        let is_last = round == self.state.number && self.state.phase != Phase::Shut;
        if self.rules.game().station() == Station::LiveTable && !is_last {
            return Err(Refusal::CorrectionTooLate);
        }
        if past.dice.is_some_and(|before| same_faces(before, dice)) {
            return Err(Refusal::SameDice);
        }
        Ok(RoundEvent::Corrected { round, dice, is_ruling: false })
    }

    /// A face that was reported wrongly at the interruption is corrected like a wrong result.
    pub(super) fn correct_known(&self, actor: Actor, second: Option<Person>, known: &[Face]) -> Answer {
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
    ) -> Answer {
        self.profile.check(Act::VoidDamaged, actor, second)?;
        if from.0 == 0 || from > to || to > self.state.number {
            return Err(Refusal::UnknownRound);
        }
        if to.0 - from.0 >= MOST_VOIDED {
            return Err(Refusal::TooManyRounds);
        }
        if to == self.state.number && self.state.phase == Phase::Result {
            return Err(Refusal::RoundNotSettled);
        }
        let is_ruled = |round: &RoundNumber| {
            let past = self.past(*round);
            let is_affected = |used| dice_set.is_none_or(|damaged| damaged == used);
            past.is_some_and(|past| past.is_ruled && is_affected(past.dice_set))
        };
        let ruled = (from.0..=to.0).map(RoundNumber).filter(is_ruled).collect();
        Ok(RoundEvent::RoundsVoided { from, to, reason: VoidReason::DamagedDice, dice_set, ruled, is_ruling: false })
    }

    /// F80: the law voids a round in play or settled. What a ruling has decided stays for a ruling.
    pub(super) fn void_by_law(
        &self,
        actor: Actor,
        second: Option<Person>,
        round: RoundNumber,
        reason: VoidReason,
    ) -> Answer {
        self.profile.check(Act::VoidByLaw, actor, second)?;
        // 5.5: an irregularity voids the current round, for the Dealer to say; damaged dice and rulings have their own ways.
        if reason.rule().is_some() {
            return Err(Refusal::RoundStands);
        }
        if self.in_play_or_over(round)?.is_some_and(|past| past.is_ruled) {
            return Err(Refusal::RuledOn);
        }
        Ok(voided(round, reason, false))
    }

    pub(super) fn rule(&self, actor: Actor, ruling: Ruling) -> Answer {
        self.profile.check(Act::Rule, actor, None)?;
        match ruling {
            Ruling::Note => Ok(RoundEvent::Noted),
            Ruling::Conclude { dice } => {
                self.state.known.as_ref().ok_or(Refusal::NotHeld)?;
                self.bets_are_closed()?;
                self.agree_with_known(&dice.faces())?;
                Ok(RoundEvent::Committed { dice, differs: false, is_ruling: true })
            }
            Ruling::Void { round, fact } => {
                if let Some(fact) = fact {
                    self.binds(round, fact)?;
                }
                self.in_play_or_over(round)?;
                Ok(voided(round, fact.unwrap_or(VoidReason::Ruling), true))
            }
            Ruling::Settle { round, dice } => {
                let past = self.settled(round)?;
                if past.void.is_none() && past.dice.is_some_and(|before| same_faces(before, dice)) {
                    return Err(Refusal::SameDice);
                }
                Ok(RoundEvent::Corrected { round, dice, is_ruling: true })
            }
        }
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
        let is_last = round == self.state.number;
        match self.past(round) {
            Some(_) if is_last && self.state.phase == Phase::Result => Err(Refusal::RoundNotSettled),
            Some(past) => Ok(past),
            None => Err(Refusal::RoundNotSettled),
        }
    }
}
