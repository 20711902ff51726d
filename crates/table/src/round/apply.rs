//! Applies entries to the dealer's side. Nothing is decided here.

use taisai_rules::{Dice, Face, Money};

use crate::entry::{CommandRequest, Entry};
use crate::identity::{Actor, ClusterId, PersonId, RoundNumber};
use crate::refusal::Refusal;
use crate::round::{
    ClusterProgress, DiceReader, Notice, PastRound, Phase, Position, Round, RoundCommand, RoundEvent, RoundStanding,
    RoundState, Tumble, Unwitnessed, VoidReason,
};
use crate::rules::Registration;
use crate::sources::CommandsBySource;

impl Round {
    /// Applies an entry: remembers its command, and changes the state as its event says.
    pub fn apply(&mut self, entry: &Entry<RoundCommand, RoundEvent>) {
        let state = &mut self.state;
        let content = Self::content(&entry.request.command);
        state.recent.remember(entry.request.id, content, entry.verdict(), CommandsBySource::MANY);
        match &entry.outcome {
            Ok(event) => state.apply(&entry.request, event, self.rules.registration()),
            Err(refusal) => {
                state.refusals += 1;
                // Dice that were read lie still, also where nobody may know how.
                if *refusal == Refusal::DiceConcealed {
                    state.tumble = Tumble::AtRest;
                }
            }
        }
    }
}

/// Who ruled, and why.
fn maker(request: &CommandRequest<RoundCommand>) -> Option<(PersonId, &str)> {
    let RoundCommand::Rule { why, .. } = &request.command else { return None };
    request.actor.person().map(|person| (person.id, why.as_str()))
}

impl RoundState {
    pub(super) fn is_activated(&self) -> bool {
        self.tumble != Tumble::NotYet
    }

    fn apply(&mut self, request: &CommandRequest<RoundCommand>, event: &RoundEvent, registration: Registration) {
        match event {
            RoundEvent::TableOpened => {
                self.phase = Phase::Idle;
                self.opened_at = self.number;
                self.notify(Notice::TableOpened);
            }
            RoundEvent::ClosureAnnounced => {
                self.closure_announced = self.closure_announced.or(Some(self.number));
                self.notify(Notice::ClosureAnnounced);
            }
            RoundEvent::TableClosed => {
                self.phase = Phase::Shut;
                self.closure_announced = None;
                self.notify(Notice::TableClosed);
            }
            RoundEvent::Relieved { position, person } => {
                match position {
                    Position::Dealer => self.dealer = *person,
                    Position::Supervisor => self.supervisor = *person,
                    Position::Manager => self.manager = *person,
                }
                self.notify(Notice::Relieved { position: *position, person: *person });
            }
            RoundEvent::LimitsShown { limits } => {
                self.limits = Some(limits.clone());
                self.notify(Notice::Limits { limits: limits.clone() });
            }
            RoundEvent::DiceInUse { dice_set } => self.dice_set = *dice_set,
            RoundEvent::TumblerInUse { tumbler } => self.tumbler = *tumbler,
            RoundEvent::BetsOpened { round, closes_at } => {
                self.begin(*round);
                self.closes_at = Some(*closes_at);
                self.notify(Notice::Opened { round: *round });
            }
            RoundEvent::BetsClosed => {
                self.phase = Phase::Closing;
                self.closes_at = None;
                self.notify(Notice::Closed { round: self.number });
                self.step();
            }
            RoundEvent::Activated => {
                self.tumble = Tumble::Tumbling;
                self.tumbles = 0;
            }
            RoundEvent::Tumbled { tumbles } => self.tumbles = *tumbles,
            RoundEvent::AtRest { faces } => self.read(request.actor, *faces),
            RoundEvent::Covered => self.is_covered = true,
            RoundEvent::Uncovered => self.is_covered = false,
            RoundEvent::Committed { dice, .. } => {
                self.phase = Phase::Result;
                self.known = None;
                let result = Some(*dice);
                self.past.push(PastRound { dice: result, first_dice: result, ..self.over() });
                self.throw(*dice, registration);
                self.step();
            }
            RoundEvent::Voided { reason, .. } => self.void_in_play(*reason),
            RoundEvent::RoundsVoided { from, to, reason, dice_set, ruled } => {
                for round in (from.0..=to.0).map(RoundNumber) {
                    self.void_past(round, *reason, *dice_set, ruled.contains(&round));
                }
                if let Some(damaged) = dice_set {
                    self.damage(*damaged);
                }
                self.list_to_be_ruled(ruled);
            }
            RoundEvent::Established { known } => {
                self.is_held = false;
                self.know(known);
            }
            RoundEvent::KnownCorrected { known, .. } => self.correct_known(known),
            RoundEvent::Held => {
                self.is_held = true;
                self.notify(Notice::Held);
            }
            RoundEvent::Resumed { closes_at } => {
                self.is_held = false;
                self.closes_at = *closes_at;
                self.notify(Notice::Resumed);
            }
            RoundEvent::Corrected { round, dice } => self.correct(*round, *dice),
            RoundEvent::Ruled { round, before, after, waits } => {
                self.rule(*round, (*before, *after), maker(request).filter(|_| *waits), registration);
            }
            RoundEvent::Witnessed { round } => self.witness(*round, registration),
            RoundEvent::Followed { cluster, followed, colour_chips, is_registered } => {
                self.follow(*cluster, (*followed, *colour_chips, *is_registered));
            }
            RoundEvent::SetDamaged { dice_set } => self.damage(*dice_set),
            RoundEvent::SetInspected { dice_set } => self.damaged_sets.retain(|damaged| damaged != dice_set),
            RoundEvent::ActivatedInNoRound | RoundEvent::Noted => {}
            RoundEvent::EventRaised | RoundEvent::EventsHeld => self.keep_events(request),
        }
    }

    fn keep_events(&mut self, request: &CommandRequest<RoundCommand>) {
        if let RoundCommand::RaiseEvent { what } = request.command {
            self.events.raise(request.id.source, what);
        }
        if let RoundCommand::EventsHeld { last } = request.command {
            self.events.held(last);
        }
    }

    /// Voids a round that is affected: of damaged dice those of the set, and their set is not used again. One that a ruling has
    /// decided stands.
    fn void_past(&mut self, round: RoundNumber, reason: VoidReason, damaged: Option<u32>, is_ruled: bool) {
        let used = self.past.get(round).map_or(self.dice_set, |past| past.dice_set);
        if damaged.is_some_and(|damaged| damaged != used) {
            return;
        }
        if reason == VoidReason::DamagedDice {
            self.damage(used);
        }
        if !is_ruled {
            self.void(round, reason);
        }
    }

    fn list_to_be_ruled(&mut self, rounds: &[RoundNumber]) {
        self.to_be_ruled.extend(rounds);
        self.to_be_ruled.sort_unstable();
        self.to_be_ruled.dedup();
    }

    fn correct(&mut self, round: RoundNumber, dice: Dice) {
        self.past.change(round, |past| past.stand(RoundStanding::Settled(dice)));
        if self.is_unpaid(round) {
            self.notify(Notice::Thrown { round, dice });
        } else {
            self.notify(Notice::Corrected { round, dice });
        }
    }

    /// Whether what wins in the round is being registered: nothing of it is paid yet.
    const fn is_unpaid(&self, round: RoundNumber) -> bool {
        self.is_registering && round.0 == self.number.0
    }

    /// How a round is paid that stands so.
    pub(super) const fn paid(&self, round: RoundNumber, standing: RoundStanding) -> RoundStanding {
        if self.is_unpaid(round) { RoundStanding::InPlay } else { standing }
    }

    fn read(&mut self, by: Actor, faces: [Option<Face>; 3]) {
        self.faces = Some(faces);
        if matches!(by, Actor::Tumbler(_)) {
            self.read_by = DiceReader::Tumbler;
        }
        self.tumble = Tumble::AtRest;
        // Whatever is read after an interruption is known, and binds as well.
        if let Some(known) = &mut self.known {
            *known = faces.into_iter().flatten().collect();
        }
    }

    /// The dice of the round in play: it is settled by them, immediately or once the winners are registered.
    fn throw(&mut self, dice: Dice, registration: Registration) {
        let round = self.number;
        self.is_registering = registration == Registration::Winners;
        self.notify(match registration {
            Registration::EveryBet => Notice::Result { round, dice },
            Registration::Winners => Notice::Thrown { round, dice },
        });
    }

    fn witness(&mut self, round: RoundNumber, registration: Registration) {
        if let Some(ruling) = self.take_unwitnessed(round) {
            self.pay(round, (ruling.paid, ruling.stands), registration);
        }
    }

    /// A round stands as a ruling decides. Where the ruling waits for a witness its money stays as it is.
    fn rule(
        &mut self,
        round: RoundNumber,
        (before, after): (RoundStanding, RoundStanding),
        waiting: Option<(PersonId, &str)>,
        registration: Registration,
    ) {
        let unpaid = self.paid(round, before);
        let paid = self.take_unwitnessed(round).map_or(unpaid, |ruling| ruling.paid);
        if before == RoundStanding::InPlay {
            self.closes_at = None;
            self.is_held = false;
            self.known = None;
            self.past.push(self.over());
        }
        if paid == RoundStanding::InPlay {
            self.phase = if matches!(after, RoundStanding::Void(_)) { Phase::Void } else { Phase::Result };
            self.is_registering = false;
        }
        self.past.change(round, |past| {
            past.stand(after);
            past.is_ruled = true;
        });
        self.to_be_ruled.retain(|listed| *listed != round);
        match waiting {
            Some((by, why)) => {
                self.unwitnessed.push(Unwitnessed { round, by, why: why.to_owned(), stands: after, paid });
            }
            None => self.pay(round, (paid, after), registration),
        }
    }

    fn take_unwitnessed(&mut self, round: RoundNumber) -> Option<Unwitnessed> {
        let place = self.unwitnessed.iter().position(|ruling| ruling.round == round)?;
        Some(self.unwitnessed.remove(place))
    }

    /// Notifies the clusters of a changed standing if they have paid the round.
    fn pay(&mut self, round: RoundNumber, (paid, now): (RoundStanding, RoundStanding), registration: Registration) {
        match (paid, now) {
            _ if paid == now => {}
            (RoundStanding::InPlay, RoundStanding::Settled(dice)) => self.throw(dice, registration),
            (_, RoundStanding::Settled(dice)) => self.notify(Notice::Corrected { round, dice }),
            (_, RoundStanding::Void(reason)) => self.notify(Notice::Voided { round, reason }),
            (_, RoundStanding::InPlay) => {}
        }
        self.step();
    }

    fn follow(&mut self, cluster: ClusterId, (followed, colour_chips, is_registered): (u64, Money, bool)) {
        for follower in self.followers.iter_mut().filter(|follower| follower.cluster == cluster) {
            *follower = ClusterProgress { cluster, followed, colour_chips, is_registered };
        }
        self.forget_followed();
        self.step();
    }

    /// The dice known at an interruption; three of them are as good as a reading.
    fn know(&mut self, known: &[Face]) {
        self.known = Some(known.to_vec());
        self.faces = <[Face; 3]>::try_from(known).ok().map(|faces| faces.map(Some));
    }

    fn correct_known(&mut self, known: &[Face]) {
        let is_not_flat = self.faces.is_some_and(|faces| faces.contains(&None));
        self.know(known);
        // 5.5.2: the die that does not lie flat stays so.
        if is_not_flat && self.faces.is_none() {
            let mut faces = known.iter().copied().map(Some).chain([None; 3]);
            self.faces = Some([0; 3].map(|_| faces.next().flatten()));
        }
    }

    fn damage(&mut self, dice_set: u32) {
        if let Err(place) = self.damaged_sets.binary_search(&dice_set) {
            self.damaged_sets.insert(place, dice_set);
        }
    }

    fn begin(&mut self, round: RoundNumber) {
        self.phase = Phase::Open;
        self.number = round;
        self.tumble = Tumble::NotYet;
        self.tumbles = 0;
        self.faces = None;
        self.read_by = DiceReader::Person;
        self.known = None;
        self.is_registering = false;
    }

    /// The round in play as it is remembered, without result.
    const fn over(&self) -> PastRound {
        PastRound {
            dice: None,
            first_dice: None,
            void: None,
            dice_set: self.dice_set,
            tumbler: self.tumbler,
            dealer: self.dealer,
            is_ruled: false,
        }
    }

    fn void_in_play(&mut self, reason: VoidReason) {
        self.phase = Phase::Void;
        self.closes_at = None;
        self.is_held = false;
        self.known = None;
        self.past.push(PastRound { void: Some(reason), ..self.over() });
        self.notify(Notice::Voided { round: self.number, reason });
    }

    /// Voids a round, in play or over; one that is void stays as it is.
    fn void(&mut self, round: RoundNumber, reason: VoidReason) {
        match self.past.get(round) {
            None => self.void_in_play(reason),
            Some(past) if past.void.is_some() => {}
            Some(_) => {
                if self.is_unpaid(round) {
                    self.phase = Phase::Void;
                    self.is_registering = false;
                }
                self.past.change(round, |past| past.void = Some(reason));
                self.notify(Notice::Voided { round, reason });
            }
        }
    }

    fn notify(&mut self, notice: Notice) {
        self.issued += 1;
        self.notices.push_back(notice);
        self.forget_followed();
    }

    /// Drops the notices that every cluster holds.
    fn forget_followed(&mut self) {
        let held = self.followers.iter().map(|follower| follower.followed).min().unwrap_or(self.issued);
        let kept = usize::try_from(self.issued - held).expect("notices not followed fit in memory");
        let held = self.notices.len().checked_sub(kept).expect("a cluster holds no notice that was not issued");
        self.notices.drain(..held);
    }

    /// The phase moves on when every cluster holds what it waits for.
    fn step(&mut self) {
        let is_paid = self.unwitnessed.iter().all(|ruling| ruling.round != self.number || !ruling.is_of_play());
        let all_hold = is_paid && self.followers.iter().all(|follower| follower.followed == self.issued);
        match self.phase {
            Phase::Closing if all_hold => self.phase = Phase::Closed,
            Phase::Result if all_hold && self.is_registering => self.settle_registered(),
            Phase::Result if all_hold => self.phase = Phase::Settled,
            Phase::Shut
            | Phase::Idle
            | Phase::Open
            | Phase::Closing
            | Phase::Closed
            | Phase::Result
            | Phase::Settled
            | Phase::Void => {}
        }
    }

    /// The round is settled once all that wins is registered.
    fn settle_registered(&mut self) {
        let dice = self.past.get(self.number).and_then(|past| past.dice);
        if let Some(dice) = dice.filter(|_| self.followers.iter().all(|follower| follower.is_registered)) {
            self.is_registering = false;
            self.notify(Notice::Result { round: self.number, dice });
        }
    }
}
