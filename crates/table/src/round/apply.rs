//! What an entry does to the dealer's side. Nothing is decided here.

use crate::entry::Entry;
use crate::identity::RoundNumber;
use crate::round::{Notice, PastRound, Phase, Position, Round, RoundCommand, RoundEvent, State, VoidReason};
use crate::sources::Sources;

impl Round {
    /// Applies an entry: remembers its command, and changes the state as its event says.
    pub fn apply(&mut self, entry: &Entry<RoundCommand, RoundEvent>) {
        let state = &mut self.state;
        let content = Self::content(&entry.asked.command);
        state.recent.remember(entry.asked.id, content, entry.verdict(), Sources::MANY);
        match &entry.outcome {
            Ok(event) => state.apply(event),
            Err(_) => state.refusals += 1,
        }
    }
}

impl State {
    fn apply(&mut self, event: &RoundEvent) {
        match event {
            RoundEvent::TableOpened => {
                self.phase = Phase::Idle;
                self.opened_at = self.number;
                self.tell(Notice::TableOpened);
            }
            RoundEvent::ClosureAnnounced => {
                self.closure_announced = self.closure_announced.or(Some(self.number));
                self.tell(Notice::ClosureAnnounced);
            }
            RoundEvent::TableClosed => {
                self.phase = Phase::Shut;
                self.closure_announced = None;
                self.tell(Notice::TableClosed);
            }
            RoundEvent::Relieved { position, person } => match position {
                Position::Dealer => {
                    self.dealer = *person;
                    self.tell(Notice::Relieved { dealer: *person });
                }
                Position::Supervisor => self.supervisor = *person,
                Position::Manager => self.manager = *person,
            },
            RoundEvent::LimitsShown { limits } => {
                self.limits = Some(limits.clone());
                self.tell(Notice::Limits { limits: limits.clone() });
            }
            RoundEvent::DiceInUse { dice_set } => self.dice_set = *dice_set,
            RoundEvent::TumblerInUse { tumbler } => self.tumbler = *tumbler,
            RoundEvent::BetsOpened { round, closes_at } => {
                self.begin(*round);
                self.closes_at = Some(*closes_at);
                self.tell(Notice::Opened { round: *round });
            }
            RoundEvent::BetsClosed => {
                self.phase = Phase::Closing;
                self.closes_at = None;
                self.tell(Notice::Closed { round: self.number });
                self.step();
            }
            RoundEvent::Activated => {
                self.activated = true;
                self.tumbles = 0;
            }
            RoundEvent::Tumbled { tumbles } => self.tumbles = *tumbles,
            RoundEvent::AtRest { faces } => self.faces = Some(*faces),
            RoundEvent::Committed { dice, .. } => {
                self.phase = Phase::Result;
                self.known = None;
                self.past.push(PastRound { dice: Some(*dice), first_dice: Some(*dice), ..self.over() });
                self.tell(Notice::Result { round: self.number, dice: *dice });
                self.step();
            }
            RoundEvent::Voided { reason } => self.void_in_play(*reason),
            RoundEvent::RoundsVoided { from, to, reason, dice_set } => {
                for round in (from.0..=to.0).map(RoundNumber) {
                    self.void(round, *reason, *dice_set);
                }
            }
            RoundEvent::Established { known } => {
                self.known = Some(known.clone());
                self.is_held = false;
                if let Ok(faces) = <[_; 3]>::try_from(&known[..]) {
                    self.faces = Some(faces.map(Some));
                }
            }
            RoundEvent::Held => {
                self.is_held = true;
                self.tell(Notice::Held);
            }
            RoundEvent::Resumed { closes_at } => {
                self.is_held = false;
                self.closes_at = *closes_at;
                self.tell(Notice::Resumed);
            }
            RoundEvent::Corrected { round, dice } => {
                self.past.change(*round, |past| {
                    past.dice = Some(*dice);
                    past.first_dice = past.first_dice.or(Some(*dice));
                    past.void = None;
                });
                self.tell(Notice::Corrected { round: *round, dice: *dice });
            }
            RoundEvent::Followed { cluster, followed, colour_chips } => {
                for follower in self.followers.iter_mut().filter(|follower| follower.cluster == *cluster) {
                    follower.followed = *followed;
                    follower.colour_chips = *colour_chips;
                }
                self.forget_followed();
                self.step();
            }
            RoundEvent::ActivatedInNoRound | RoundEvent::Noted => {}
        }
    }

    fn begin(&mut self, round: RoundNumber) {
        self.phase = Phase::Open;
        self.number = round;
        self.activated = false;
        self.tumbles = 0;
        self.faces = None;
        self.known = None;
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
        }
    }

    fn void_in_play(&mut self, reason: VoidReason) {
        self.phase = Phase::Void;
        self.closes_at = None;
        self.is_held = false;
        self.known = None;
        self.past.push(PastRound { void: Some(reason), ..self.over() });
        self.tell(Notice::Voided { round: self.number, reason });
    }

    /// Voids a round, in play or over; one that is void stays as it is, and so does one of other dice than those named.
    fn void(&mut self, round: RoundNumber, reason: VoidReason, dice_set: Option<u32>) {
        let is_other = |used: u32| dice_set.is_some_and(|damaged| damaged != used);
        match self.past.get(round) {
            Some(past) if past.void.is_some() || is_other(past.dice_set) => {}
            None if is_other(self.dice_set) => {}
            Some(_) => {
                self.past.change(round, |past| past.void = Some(reason));
                self.tell(Notice::Voided { round, reason });
            }
            None => self.void_in_play(reason),
        }
    }

    fn tell(&mut self, notice: Notice) {
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
        let all_hold = self.followers.iter().all(|follower| follower.followed == self.issued);
        match self.phase {
            Phase::Closing if all_hold => self.phase = Phase::Closed,
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
}
