//! Decides the commands of the dealer's side: an event, or the first refusal that holds.

use taisai_rules::{Cover, Dice, Face, Station};

use crate::entry::{CommandRequest, Decision};
use crate::identity::{Actor, ClusterId, CommandId, DeviceId, Person, RoundNumber, Time};
use crate::profile::{Act, BetsCloser};
use crate::recent::{CommandHash, CommandIdStatus};
use crate::refusal::Refusal;
use crate::round::{
    Concealed, DiceReader, MIN_TUMBLES, Phase, Round, RoundCommand, RoundEvent, Tumble, Unwitnessed, VoidReason,
};
use crate::text::{MAX_REASON_LENGTH, check_text};

pub(super) type RoundDecision = Result<RoundEvent, Refusal>;

/// Whether `others` contains `faces`, each at least as often.
pub(super) fn are_among(faces: &[Face], others: &[Face]) -> bool {
    let count = |face: &Face, among: &[Face]| among.iter().filter(|other| *other == face).count();
    faces.iter().all(|face| count(face, faces) <= count(face, others))
}

/// Refuses a reason that cannot be read (F53).
fn because(why: &str, event: RoundEvent) -> RoundDecision {
    check_text(why, MAX_REASON_LENGTH).map(|()| event)
}

impl Round {
    pub fn decide(&self, request: &CommandRequest<RoundCommand>) -> Decision<RoundEvent> {
        let content = Self::content(&request.command);
        match self.state.recent.known(request.id, content) {
            CommandIdStatus::Answered(verdict) => return Decision::Repeated(verdict),
            CommandIdStatus::Unusable(refusal) => return Decision::Refused(refusal),
            CommandIdStatus::New => {}
        }
        match self.answer(request) {
            Ok(event) => Decision::Accepted(event),
            Err(refusal) => Decision::Refused(refusal),
        }
    }

    /// A hash of a command's content.
    pub(super) fn content(command: &RoundCommand) -> u64 {
        CommandHash::of_bytes(1, command).finish()
    }

    /// What the record may hold of a command. While the dice of a covered game are concealed nobody may know a face (3.7, 5.5.3
    /// of Tai Sai; 3.5, 5.1.4 of the early edition): faces that are said then are dropped before anything is decided. What was
    /// answered before is answered again as it was.
    #[must_use]
    pub fn conceal(&self, mut request: CommandRequest<RoundCommand>) -> CommandRequest<RoundCommand> {
        let is_concealed = match self.state.phase {
            Phase::Shut | Phase::Idle | Phase::Open | Phase::Settled | Phase::Void => {
                self.rules.game().cover() == Cover::Covered
            }
            Phase::Closing | Phase::Closed | Phase::Result => false,
        };
        let open = (self.state.phase == Phase::Open).then_some(self.state.number);
        if is_concealed
            && let Some(said) = request.command.faces_said(open)
            && !matches!(
                self.state.recent.known(request.id, Self::content(&request.command)),
                CommandIdStatus::Answered(_)
            )
        {
            request.command = RoundCommand::Conceal { said };
        }
        request
    }

    fn answer(&self, request: &CommandRequest<RoundCommand>) -> RoundDecision {
        let (actor, time) = (request.actor, request.time);
        match &request.command {
            RoundCommand::OpenTable => self.open_table(actor, time),
            RoundCommand::AnnounceClosure => {
                self.profile.check(Act::RunTable, actor, None)?;
                self.is_open()?;
                Ok(RoundEvent::ClosureAnnounced)
            }
            RoundCommand::CloseTable => self.close_table(actor),
            RoundCommand::Relieve { position, person } => {
                self.profile.check(Act::Relieve, actor, None)?;
                Ok(RoundEvent::Relieved { position: *position, person: *person })
            }
            RoundCommand::ShowLimits { limits, why } => {
                self.profile.check(Act::ChangeLimits, actor, None)?;
                self.is_between_rounds()?;
                limits.check(self.rules.layout())?;
                because(why, RoundEvent::LimitsShown { limits: limits.clone() })
            }
            RoundCommand::UseDice { dice_set } => {
                self.profile.check(Act::RunTable, actor, None)?;
                self.is_between_rounds()?;
                self.is_whole(*dice_set)?;
                Ok(RoundEvent::DiceInUse { dice_set: *dice_set })
            }
            RoundCommand::UseTumbler { tumbler } => {
                self.profile.check(Act::RunTable, actor, None)?;
                self.is_between_rounds()?;
                Ok(RoundEvent::TumblerInUse { tumbler: *tumbler })
            }
            RoundCommand::OpenBets => self.open_bets(actor, time),
            RoundCommand::CloseBets => {
                self.dealer(actor)?;
                self.bets_are_open()?;
                Ok(RoundEvent::BetsClosed)
            }
            RoundCommand::Tick => self.tick(actor, time),
            RoundCommand::Activate => self.activate(actor),
            RoundCommand::Tumbled { times } => self.tumbled(actor, *times),
            RoundCommand::AtRest { faces } => self.at_rest(actor, *faces),
            RoundCommand::Conceal { said } => Err(self.concealed(actor, *said)),
            RoundCommand::Cover => {
                self.has_cover(actor)?;
                Ok(RoundEvent::Covered)
            }
            RoundCommand::Uncover => self.uncover(actor),
            RoundCommand::Commit { dice } => self.commit(actor, *dice),
            RoundCommand::Void { reason } => self.void(actor, *reason),
            RoundCommand::Interrupt { known } => self.interrupt(actor, known),
            RoundCommand::Continue => {
                self.dealer(actor)?;
                if !self.state.is_held {
                    return Err(Refusal::NotHeld);
                }
                let closes_at = (self.state.phase == Phase::Open).then(|| self.countdown(time));
                Ok(RoundEvent::Resumed { closes_at })
            }
            RoundCommand::Restarted => {
                actor.is_system()?;
                match self.state.phase {
                    Phase::Open | Phase::Closing | Phase::Closed => Ok(RoundEvent::Held),
                    Phase::Shut | Phase::Idle | Phase::Result | Phase::Settled | Phase::Void => Err(Refusal::NotHeld),
                }
            }
            RoundCommand::Correct { round, dice, second, why } => {
                self.correct(actor, *second, *round, *dice).and_then(|event| because(why, event))
            }
            RoundCommand::CorrectKnown { known, second, why } => {
                self.correct_known(actor, *second, known).and_then(|event| because(why, event))
            }
            RoundCommand::VoidDamaged { from, to, dice_set, second, why } => {
                self.void_damaged(actor, *second, (*from, *to), *dice_set).and_then(|event| because(why, event))
            }
            RoundCommand::Rule { ruling, why, second } => {
                self.rule(actor, *second, *ruling).and_then(|event| because(why, event))
            }
            RoundCommand::Witness { round, seen } => self.witness(actor, *round, *seen),
            RoundCommand::VoidByLaw { round, reason, second, why } => {
                self.void_by_law(actor, *second, *round, *reason).and_then(|event| because(why, event))
            }
            RoundCommand::DamagedSet { dice_set } => {
                actor.is_system()?;
                Ok(RoundEvent::SetDamaged { dice_set: *dice_set })
            }
            RoundCommand::Inspect { dice_set, second } => self.inspect(actor, *second, *dice_set),
            RoundCommand::Report { cluster, followed, colour_chips, is_registered } => {
                actor.is_system()?;
                self.may_follow(*cluster, *followed)?;
                let (cluster, followed, colour_chips, is_registered) =
                    (*cluster, *followed, *colour_chips, *is_registered);
                Ok(RoundEvent::Followed { cluster, followed, colour_chips, is_registered })
            }
            RoundCommand::RaiseEvent { .. } => actor.is_system().map(|()| RoundEvent::EventRaised),
            RoundCommand::EventsHeld { last } => self.events_held(actor, *last),
        }
    }

    fn events_held(&self, actor: Actor, last: CommandId) -> RoundDecision {
        actor.is_system()?;
        self.state.events.may_hold(last).map(|()| RoundEvent::EventsHeld)
    }

    fn open_table(&self, actor: Actor, time: Time) -> RoundDecision {
        self.profile.check(Act::RunTable, actor, None)?;
        if self.state.phase != Phase::Shut {
            return Err(Refusal::TableOpen);
        }
        let seconds = i64::try_from(time.0 / 1_000).map_err(|_| Refusal::RulesNotInForce)?;
        let now = taisai_rules::Moment::from_unix_seconds(seconds);
        if !self.is_training && !self.rules.game().is_in_force(now) {
            return Err(Refusal::RulesNotInForce);
        }
        Ok(RoundEvent::TableOpened)
    }

    fn close_table(&self, actor: Actor) -> RoundDecision {
        self.profile.check(Act::RunTable, actor, None)?;
        self.is_open()?;
        self.is_between_rounds()?;
        if self.state.followers.iter().any(|follower| follower.colour_chips > taisai_rules::Money::ZERO) {
            return Err(Refusal::NotCleared);
        }
        // Announced before the last round; a table without a round may close as soon as it is announced.
        match self.state.closure_announced {
            Some(at) if self.state.number > at || self.state.number == self.state.opened_at => {
                Ok(RoundEvent::TableClosed)
            }
            Some(_) | None => Err(Refusal::ClosureNotAnnounced),
        }
    }

    fn open_bets(&self, actor: Actor, time: Time) -> RoundDecision {
        self.dealer(actor)?;
        self.is_open()?;
        // 3.3: limits are displayed; the early edition has none.
        if !self.has_whole_limits() {
            return Err(Refusal::LimitsNotShown);
        }
        self.is_between_rounds()?;
        self.is_whole(self.state.dice_set)?;
        let round = RoundNumber(self.state.number.0 + 1);
        Ok(RoundEvent::BetsOpened { round, closes_at: self.countdown(time) })
    }

    fn has_whole_limits(&self) -> bool {
        let layout = self.rules.layout();
        layout.limit_scope().is_none()
            || self
                .state
                .limits
                .as_ref()
                .is_some_and(|limits| limits.check(layout).expect("limits on display were checked").are_whole(layout))
    }

    /// 5.6, 2.2.1: a set that was found damaged is not played with.
    fn is_whole(&self, dice_set: u32) -> Result<(), Refusal> {
        if self.state.damaged_sets.contains(&dice_set) { Err(Refusal::DiceDamaged) } else { Ok(()) }
    }

    fn tick(&self, actor: Actor, time: Time) -> RoundDecision {
        actor.is_system()?;
        match self.state.closes_at {
            _ if self.state.phase != Phase::Open => Err(Refusal::NoRoundOpen),
            // 3.6: at a live table the Dealer's word alone closes.
            Some(_) if self.rules.game().station() == Station::LiveTable => Err(Refusal::NotDue),
            Some(closes_at) if time >= closes_at && self.profile.closes == BetsCloser::Tick && !self.state.is_held => {
                Ok(RoundEvent::BetsClosed)
            }
            Some(_) | None => Err(Refusal::NotDue),
        }
    }

    fn activate(&self, actor: Actor) -> RoundDecision {
        self.dealer_or_tumbler(actor)?;
        self.is_open()?;
        match (self.state.phase, self.rules.game().cover()) {
            (Phase::Shut | Phase::Idle | Phase::Result | Phase::Settled | Phase::Void, _) => {
                Ok(RoundEvent::ActivatedInNoRound)
            }
            // 5.5.3 of Open Cover, 5.3.3 of the Electronic Table Game: void immediately and automatically.
            (Phase::Open, Cover::Open) => Ok(RoundEvent::Voided { reason: VoidReason::ActivatedEarly, differs: false }),
            // 5.3.3: until the terminals display it, which they do when every cluster holds the close.
            (Phase::Closing, Cover::Open) if self.rules.game().station() == Station::PlayerTerminals => {
                Ok(RoundEvent::Voided { reason: VoidReason::ActivatedEarly, differs: false })
            }
            (Phase::Open | Phase::Closing | Phase::Closed, _) if self.state.is_activated() => {
                Err(Refusal::AlreadyTumbled)
            }
            (Phase::Open | Phase::Closing | Phase::Closed, _) => Ok(RoundEvent::Activated),
        }
    }

    fn tumbled(&self, actor: Actor, times: u8) -> RoundDecision {
        self.dealer_or_tumbler(actor)?;
        self.is_tumbling()?;
        // 5.5.1: fewer than three before they came to rest stay fewer than three.
        if self.state.tumble == Tumble::AtRest {
            return Err(Refusal::AlreadyTumbled);
        }
        match self.state.tumbles.checked_add(times) {
            Some(tumbles) if times > 0 => Ok(RoundEvent::Tumbled { tumbles }),
            Some(_) | None => Err(Refusal::BadAmount),
        }
    }

    fn at_rest(&self, actor: Actor, faces: [Option<Face>; 3]) -> RoundDecision {
        self.dealer_or_tumbler(actor)?;
        self.is_tumbling()?;
        // The tumbler's reading stays on record: the Dealer commits what lies there, and a difference is reported.
        let is_other = self.state.read_by == DiceReader::Tumbler && self.state.faces != Some(faces);
        if is_other && matches!(actor, Actor::Person(_)) {
            return Err(Refusal::ReadByTumbler);
        }
        let flat: Vec<_> = faces.iter().flatten().copied().collect();
        self.agree_with_known(&flat)?;
        // 5.5.2: a die that did not lie flat is not read again.
        if self.is_not_flat() { Err(Refusal::DiceNotKnown) } else { Ok(RoundEvent::AtRest { faces }) }
    }

    fn uncover(&self, actor: Actor) -> RoundDecision {
        self.has_cover(actor)?;
        // 5.5.3: concealed dice are exposed before "No more Bets".
        if self.state.phase == Phase::Open && self.state.is_activated() {
            return Ok(RoundEvent::Voided { reason: VoidReason::Exposed, differs: false });
        }
        Ok(RoundEvent::Uncovered)
    }

    fn inspect(&self, actor: Actor, second: Option<Person>, dice_set: u32) -> RoundDecision {
        self.profile.check(Act::VoidDamaged, actor, second)?;
        match self.is_whole(dice_set) {
            Err(_) => Ok(RoundEvent::SetInspected { dice_set }),
            Ok(()) => Err(Refusal::NotHeld),
        }
    }

    fn commit(&self, actor: Actor, dice: Dice) -> RoundDecision {
        self.dealer(actor)?;
        self.bets_are_closed()?;
        // 3.7, 3.8: at least three tumbles, three flat dice.
        if !self.state.is_activated() || self.state.tumbles < MIN_TUMBLES {
            return Err(Refusal::NotTumbled);
        }
        self.agree_with_known(&dice.faces())?;
        let read = self.state.faces.map(|faces| faces.into_iter().collect::<Option<Vec<_>>>());
        match read {
            Some(None) => Err(Refusal::DiceNotKnown),
            // An interrupted round whose other dice cannot be read waits for a ruling.
            None if self.state.known.is_some() => Err(Refusal::DiceNotKnown),
            None => Ok(RoundEvent::Committed { dice, differs: false }),
            Some(Some(mut read)) => {
                let mut committed = dice.faces();
                committed.sort_unstable();
                read.sort_unstable();
                Ok(RoundEvent::Committed { dice, differs: read != committed })
            }
        }
    }

    /// 5.4.1: the round is concluded with the dice that were known at the interruption. It binds the Dealer and the tumbler.
    pub(super) fn agree_with_known(&self, faces: &[Face]) -> Result<(), Refusal> {
        if are_among(self.known(), faces) { Ok(()) } else { Err(Refusal::KnownDiceDiffer) }
    }

    /// Decides on faces that nobody may know yet.
    fn concealed(&self, actor: Actor, how: Concealed) -> Refusal {
        let first = match how {
            Concealed::Reading => self.dealer_or_tumbler(actor).and_then(|()| self.is_tumbling()),
            Concealed::Result => self.dealer(actor).and_then(|()| self.bets_are_closed()),
            Concealed::Known => self.dealer(actor).and_then(|()| self.is_tumbling()),
            Concealed::Correction => self.has_role_for(Act::Correct, actor).and(Err(Refusal::RoundNotSettled)),
            Concealed::KnownCorrection => self.has_role_for(Act::Correct, actor).and(Err(Refusal::NotHeld)),
            Concealed::Ruling => self.has_role_for(Act::Rule, actor).and(Err(Refusal::RoundNotSettled)),
            Concealed::Conclusion => self.has_role_for(Act::Rule, actor).and(Err(Refusal::NotHeld)),
        };
        first.err().unwrap_or(Refusal::DiceConcealed)
    }

    /// Whether the actor's own roles permit an act.
    fn has_role_for(&self, act: Act, actor: Actor) -> Result<(), Refusal> {
        let may = actor.person().is_some_and(|person| person.roles.meets(self.profile.right(act).first));
        if may { Ok(()) } else { Err(Refusal::NotAllowed) }
    }

    /// Only a game that conceals its dice is covered and uncovered.
    fn has_cover(&self, actor: Actor) -> Result<(), Refusal> {
        self.dealer_or_tumbler(actor)?;
        self.is_open()?;
        match self.rules.game().cover() {
            Cover::Covered => Ok(()),
            Cover::Open => Err(Refusal::NotInGame),
        }
    }

    /// Irregularities before the result is committed are the Dealer's to report.
    fn void(&self, actor: Actor, reason: VoidReason) -> RoundDecision {
        self.dealer(actor)?;
        match reason {
            // These have commands of their own.
            VoidReason::ActivatedEarly
            | VoidReason::NotEstablished
            | VoidReason::DamagedDice
            | VoidReason::Ruling
            | VoidReason::Malfunction
            | VoidReason::ForceMajeure
            | VoidReason::SuspectedOffence => return Err(Refusal::NotAllowed),
            VoidReason::FewTumbles | VoidReason::NotFlat | VoidReason::Exposed => self.is_in_play()?,
        }
        // 5.5.3 of the covered game: concealed dice exposed before "No more Bets". Who says so only after it may have seen
        // them since: that is for a ruling.
        if reason == VoidReason::Exposed && self.state.phase != Phase::Open {
            return Err(Refusal::BetsClosed);
        }
        let tumbled = self.state.is_activated();
        let read_flat = self.state.faces.is_some_and(|faces| !faces.contains(&None));
        match reason {
            // 5.5.1: fewer than three tumbles after the tumbler was activated. 5.5.2: a die does not lie flat.
            VoidReason::FewTumbles | VoidReason::NotFlat if !tumbled => Err(Refusal::NotTumbled),
            VoidReason::FewTumbles if self.state.tumbles >= MIN_TUMBLES => Err(Refusal::AlreadyTumbled),
            // 5.4.1: what is known binds; a die not known yet that does not lie flat is for a ruling.
            _ if self.state.known.is_some() => Err(Refusal::OutcomeEstablished),
            reason => {
                self.is_in_game(reason)?;
                Ok(RoundEvent::Voided { reason, differs: reason == VoidReason::NotFlat && read_flat })
            }
        }
    }

    /// 5.4: an established outcome concludes the round, without one it is void. A die counts as known only after a valid
    /// tumble; while bets are open nothing is known, as the cover is not lifted.
    fn interrupt(&self, actor: Actor, known: &[Face]) -> RoundDecision {
        self.dealer(actor)?;
        self.is_in_play_or_held()?;
        if !known.is_empty() && !self.state.is_activated() {
            return Err(Refusal::NotTumbled);
        }
        if known.len() > 3 || (self.state.phase != Phase::Closed && !known.is_empty()) || !self.lie_flat(known) {
            return Err(Refusal::DiceNotKnown);
        }
        if self.state.known.is_some() {
            return Err(Refusal::OutcomeEstablished);
        }
        let is_closed = self.state.phase == Phase::Closed;
        // What the tumbler has read is known, whatever the Dealer leaves out.
        let read =
            self.state.faces.filter(|_| is_closed).and_then(|faces| faces.into_iter().collect::<Option<Vec<_>>>());
        let known = read.as_deref().unwrap_or(known);
        // 5.5.1 and 5.5.2 void first: without a valid tumble, or with a die that does not lie flat, no die counts.
        if is_closed && self.state.is_activated() && self.state.tumbles < MIN_TUMBLES {
            Ok(RoundEvent::Voided { reason: VoidReason::FewTumbles, differs: false })
        } else if is_closed && self.is_not_flat() {
            Ok(RoundEvent::Voided { reason: VoidReason::NotFlat, differs: false })
        } else if self.rules.layout().is_established(known) {
            Ok(RoundEvent::Established { known: known.to_vec() })
        } else {
            Ok(RoundEvent::Voided { reason: VoidReason::NotEstablished, differs: false })
        }
    }

    pub(super) fn is_not_flat(&self) -> bool {
        self.state.faces.is_some_and(|faces| faces.contains(&None))
    }

    /// Whether the dice said to be known are among those that the tumbler has seen to lie flat, if it has seen any.
    fn lie_flat(&self, known: &[Face]) -> bool {
        self.state.faces.is_none_or(|faces| are_among(known, &faces.into_iter().flatten().collect::<Vec<_>>()))
    }

    fn may_follow(&self, cluster: ClusterId, followed: u64) -> Result<(), Refusal> {
        let known = self.state.followers.iter().find(|follower| follower.cluster == cluster);
        let before = known.ok_or(Refusal::UnknownTable)?.followed;
        if followed < before || followed > self.state.issued {
            return Err(Refusal::OutOfOrder);
        }
        Ok(())
    }

    fn countdown(&self, time: Time) -> Time {
        Time(time.0.saturating_add(u64::from(self.profile.betting_seconds) * 1_000))
    }

    /// The person assigned to deal at this table (1.5), whatever their roles.
    fn dealer(&self, actor: Actor) -> Result<(), Refusal> {
        self.profile.deals(self.state.dealer, actor)
    }

    fn dealer_or_tumbler(&self, actor: Actor) -> Result<(), Refusal> {
        if actor == Actor::Tumbler(DeviceId(self.state.tumbler)) { Ok(()) } else { self.dealer(actor) }
    }

    fn is_open(&self) -> Result<(), Refusal> {
        if self.state.phase == Phase::Shut { Err(Refusal::TableNotOpen) } else { Ok(()) }
    }

    /// No round is in play, and every cluster holds what has happened so far.
    fn is_between_rounds(&self) -> Result<(), Refusal> {
        match self.state.phase {
            // The bets of the round still lie there.
            Phase::Void if self.unwitnessed(self.state.number).is_some_and(Unwitnessed::is_of_play) => {
                Err(Refusal::NotWitnessed)
            }
            Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void if self.is_followed() => Ok(()),
            Phase::Shut
            | Phase::Idle
            | Phase::Open
            | Phase::Closing
            | Phase::Closed
            | Phase::Result
            | Phase::Settled
            | Phase::Void => Err(Refusal::RoundInPlay),
        }
    }

    pub(super) fn is_in_play_or_held(&self) -> Result<(), Refusal> {
        match self.state.phase {
            Phase::Shut => Err(Refusal::TableNotOpen),
            Phase::Idle | Phase::Settled | Phase::Void => Err(Refusal::NoRoundOpen),
            Phase::Result => Err(Refusal::ResultCommitted),
            Phase::Open | Phase::Closing | Phase::Closed => Ok(()),
        }
    }

    fn is_in_play(&self) -> Result<(), Refusal> {
        self.is_in_play_or_held()?;
        if self.state.is_held { Err(Refusal::Held) } else { Ok(()) }
    }

    fn bets_are_open(&self) -> Result<(), Refusal> {
        self.is_in_play()?;
        if self.state.phase == Phase::Open { Ok(()) } else { Err(Refusal::BetsClosed) }
    }

    pub(super) fn bets_are_closed(&self) -> Result<(), Refusal> {
        self.is_in_play()?;
        if self.state.phase == Phase::Closed { Ok(()) } else { Err(Refusal::BetsNotClosed) }
    }

    fn is_tumbling(&self) -> Result<(), Refusal> {
        self.is_in_play_or_held()?;
        if self.state.is_activated() { Ok(()) } else { Err(Refusal::NotTumbled) }
    }

    pub(super) fn is_in_game(&self, reason: VoidReason) -> Result<(), Refusal> {
        let found = reason.rule().is_some_and(|rule| !self.rules.game().paragraphs(rule).is_empty());
        if found { Ok(()) } else { Err(Refusal::NotInGame) }
    }
}
