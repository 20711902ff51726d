//! The order of a round: which phase may follow which, and what no entry may undo.

use std::collections::{BTreeMap, BTreeSet};

use taisai::replay::failure::{CheckResult, ensure};
use taisai_rules::{Cover, Dice, Face};
use taisai_table::{
    PersonId, Phase, Round, RoundCommand, RoundEntry, RoundEvent, RoundNumber, RoundStanding, VoidReason,
};

/// The dealer's side as it was after the last entry.
#[derive(Default)]
pub(super) struct AppendOrder {
    phase: Phase,
    number: RoundNumber,
    is_interrupted: bool,
    tumbles: Option<u8>,
    faces: Option<[Option<Face>; 3]>,
    known: Vec<Face>,
    /// The rounds that a ruling has decided, and those that were void before.
    ruled: BTreeSet<RoundNumber>,
    was_void: BTreeSet<RoundNumber>,
    /// The rulings that one person made alone, with that person and how the round is paid until somebody has witnessed it.
    alone: BTreeMap<RoundNumber, (PersonId, RoundStanding)>,
    /// The first result of each round that is over; none where it was void.
    firsts: Vec<Option<Dice>>,
}

impl AppendOrder {
    /// Compares with the round after one more entry.
    pub(super) fn check_new(&mut self, round: &Round, entry: &RoundEntry) -> CheckResult {
        self.check(round, entry)?;
        (self.phase, self.number, self.is_interrupted) = (round.phase(), round.number(), round.is_interrupted());
        (self.tumbles, self.faces) = (round.tumbles(), round.faces());
        self.known = round.known().to_vec();
        self.remember_rulings(entry);
        let next = u64::try_from(self.firsts.len()).map_or(RoundNumber(0), |over| RoundNumber(over + 1));
        self.firsts.extend(round.past(next).map(|past| past.first_dice));
        Ok(())
    }

    fn remember_rulings(&mut self, entry: &RoundEntry) {
        match &entry.outcome {
            Ok(RoundEvent::Witnessed { round }) => {
                self.alone.remove(round);
            }
            Ok(RoundEvent::Ruled { round, before, after, waits }) => {
                let paid = self.alone.remove(round).map_or(*before, |(_, paid)| paid);
                if let Some(maker) = entry.request.actor.person().filter(|_| *waits) {
                    self.alone.insert(*round, (maker.id, paid));
                }
                self.ruled.insert(*round);
                if matches!(after, RoundStanding::Void(_)) {
                    self.was_void.insert(*round);
                } else {
                    self.was_void.remove(round);
                }
            }
            Ok(_) | Err(_) => {}
        }
    }

    fn check(&self, round: &Round, entry: &RoundEntry) -> CheckResult {
        let after = round.phase();
        ensure("phases follow in order", follows(self.phase, after), || format!("{:?}, then {after:?}", self.phase))?;
        let is_next = match entry.outcome {
            Ok(RoundEvent::BetsOpened { .. }) => round.number().0 == self.number.0 + 1,
            Ok(_) | Err(_) => round.number() == self.number,
        };
        ensure("rounds are counted without gaps", is_next, || format!("{:?}, then {:?}", self.number, round.number()))?;
        if matches!(after, Phase::Result | Phase::Settled | Phase::Void) {
            let is_kept = round.past(round.number()).is_some();
            ensure("a round that is over is remembered", is_kept, || format!("{:?}", round.number()))?;
        }
        if self.is_interrupted {
            let undone = matches!(entry.outcome, Ok(RoundEvent::Voided { reason: VoidReason::NotEstablished, .. }));
            ensure("an established outcome stays established (5.4)", !undone, || {
                format!("{:?}", entry.request.command)
            })?;
        }
        self.two_people(entry)?;
        self.check_document_rules(round, entry)?;
        if let (RoundCommand::Commit { .. }, Ok(_)) = (&entry.request.command, &entry.outcome) {
            // Written out here: the machine's own number is what is checked.
            let is_flat = self.faces.is_none_or(|faces| faces.iter().all(Option::is_some));
            let is_valid = self.tumbles.is_some_and(|tumbles| tumbles >= 3) && is_flat;
            ensure("a result comes from three tumbles and flat dice", is_valid, || {
                format!("{:?} tumbles, {:?}", self.tumbles, self.faces)
            })?;
        }
        if let Ok(RoundEvent::Corrected { round: number, .. } | RoundEvent::Ruled { round: number, .. }) = entry.outcome
        {
            let place = usize::try_from(number.0).ok().and_then(|number| number.checked_sub(1));
            let first = place.and_then(|place| self.firsts.get(place)).copied().flatten();
            let kept = round.past(number).and_then(|past| past.first_dice);
            ensure("the first result stays on record", first.is_none() || kept == first, || {
                format!("{first:?} and {kept:?}")
            })?;
        }
        Ok(())
    }

    /// What the documents say to the letter: concealed dice, what is known, and what a ruling has decided.
    fn check_document_rules(&self, round: &Round, entry: &RoundEntry) -> CheckResult {
        let is_concealed = round.rules().game().cover() == Cover::Covered && self.phase == Phase::Open;
        let command = &entry.request.command;
        let has_faces = matches!(command, RoundCommand::AtRest { .. } | RoundCommand::Commit { .. })
            || matches!(command, RoundCommand::Interrupt { known } if !known.is_empty());
        ensure("no face is recorded before \"No more Bets\" (3.7)", !(is_concealed && has_faces), || {
            format!("round {:?}", self.number)
        })?;
        match &entry.outcome {
            Ok(
                RoundEvent::Committed { dice, .. }
                | RoundEvent::Ruled { before: RoundStanding::InPlay, after: RoundStanding::Settled(dice), .. },
            ) => {
                let mut left = dice.faces().to_vec();
                let known = self.known.iter().all(|face| {
                    let place = left.iter().position(|other| other == face);
                    place.map(|place| left.remove(place)).is_some()
                });
                ensure("the dice known at an interruption bind (5.4.1)", known, || {
                    format!("{:?}, then {dice}", self.known)
                })
            }
            Ok(RoundEvent::Tumbled { .. }) => {
                ensure("dice at rest are not tumbled again (5.5.1)", self.faces.is_none(), || {
                    format!("{:?}", self.faces)
                })
            }
            Ok(RoundEvent::BetsOpened { .. }) => {
                let is_damaged = round.damaged_sets().contains(&round.dice_set());
                ensure("a damaged set opens no round (5.6)", !is_damaged, || format!("set {}", round.dice_set()))?;
                let layout = round.rules().layout();
                let are_whole =
                    round.limits().is_some_and(|limits| limits.check(layout).is_ok_and(|l| l.are_whole(layout)));
                let are_due = layout.limit_scope().is_some();
                ensure("whole limits are on display (3.3)", are_whole || !are_due, || format!("{:?}", round.limits()))
            }
            Ok(RoundEvent::Corrected { round: number, .. }) => {
                let is_ruled = self.ruled.contains(number);
                ensure("only a ruling changes what a ruling decided (5.14)", !is_ruled, || format!("{number:?}"))
            }
            Ok(RoundEvent::RoundsVoided { from, to, ruled, .. }) => {
                let changed = self.ruled.range(*from..=*to).find(|round| !ruled.contains(round));
                let is_void = |number: &RoundNumber| round.past(*number).is_some_and(|past| past.void.is_some());
                let changed = changed.filter(|number| is_void(number) && !self.was_void.contains(number));
                ensure("only a ruling changes what a ruling decided (5.14)", changed.is_none(), || {
                    format!("{changed:?}")
                })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// What is over is changed by two people, or by a ruling, whose money waits for the second.
    fn two_people(&self, entry: &RoundEntry) -> CheckResult {
        let first = entry.request.actor.person().map(|person| person.id);
        match (&entry.request.command, &entry.outcome) {
            (RoundCommand::Rule { second, .. }, Ok(RoundEvent::Ruled { round, before, after, waits: false })) => {
                let are_two = second.is_some_and(|second| Some(second.id) != first);
                let paid = self.alone.get(round).map_or(*before, |(_, paid)| *paid);
                let gives_back = *before == RoundStanding::InPlay && self.phase == Phase::Open;
                let may = are_two || paid == *after || gives_back;
                return ensure("two people move the money of a ruling (5.14)", may, || format!("{round:?}: {first:?}"));
            }
            (RoundCommand::Witness { round, .. }, Ok(_)) => {
                let maker = self.alone.get(round).map(|(maker, _)| *maker);
                let are_two = maker.is_some() && maker != first;
                return ensure("somebody else witnesses a ruling", are_two, || format!("{round:?}: {first:?}"));
            }
            _ => {}
        }
        let (
            RoundCommand::Correct { second, .. }
            | RoundCommand::CorrectKnown { second, .. }
            | RoundCommand::VoidByLaw { second, .. }
            | RoundCommand::Inspect { second, .. }
            | RoundCommand::VoidDamaged { second, .. },
            Ok(_),
        ) = (&entry.request.command, &entry.outcome)
        else {
            return Ok(());
        };
        let are_two = first.is_some() && second.is_some_and(|second| Some(second.id) != first);
        ensure("what is over is changed by two people", are_two, || format!("round {:?}: {first:?}", self.number))
    }
}

/// Section 4: Closed never reopens, and the next round opens only after Settled or Void.
fn follows(before: Phase, after: Phase) -> bool {
    use Phase::{Closed, Closing, Idle, Open, Result, Settled, Shut, Void};
    before == after
        || matches!(
            (before, after),
            (Shut, Idle)
                | (Idle | Settled | Void, Shut | Open)
                | (Open, Closing | Void)
                | (Closing, Closed | Void)
                | (Closed, Result | Void)
                // A ruling that nobody has witnessed is changed by another.
                | (Result, Settled | Void)
                | (Void, Result)
        )
}
