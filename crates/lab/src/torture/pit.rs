//! The pit: dealers who open, close, tumble and commit, some of it wrongly; supervisors and managers who relieve, change limits,
//! correct, void and rule; the table that closes and opens again.

use taisai::replay::failure::CheckResult;
use taisai_rules::{BoxKey, BoxKind, Cover, Dice, Face, LimitScope, Money};
use taisai_table::{
    Actor, BetsCloser, ClusterCommand, LimitEntry, LimitRange, MIN_TUMBLES, PastRound, Phase, Position, RoundCommand,
    RoundNumber, RoundStanding, Ruling, TableLimits, VoidReason,
};

use super::casino::{DEALER, MANAGER, OTHER_DEALER, SHIFT_MANAGER, SUPERVISOR, SimulatedCasino, TUMBLER, by, person};
use super::model::KEPT;

impl SimulatedCasino<'_> {
    /// The acting Dealer.
    pub(super) fn dealer(&self) -> Actor {
        by(self.round().holder(Position::Dealer).map_or(DEALER, |person| person.0))
    }

    pub(super) fn dice(&mut self) -> Dice {
        Dice::from([self.face(), self.face(), self.face()])
    }

    fn face(&mut self) -> Face {
        self.random.pick(&Face::ALL)
    }

    fn deal(&mut self, command: RoundCommand) -> CheckResult {
        let dealer = self.dealer();
        self.ask_round(dealer, command)
    }

    /// The next thing a dealer does.
    pub(super) fn dealer_acts(&mut self) -> CheckResult {
        let round = self.round();
        if round.is_held() {
            let goes_on = self.random.percent(85);
            return self.deal(if goes_on {
                RoundCommand::Continue
            } else {
                RoundCommand::Interrupt { known: Vec::new() }
            });
        }
        let (phase, is_ready) = (round.phase(), round.is_followed());
        let waits = !round.unwitnessed_rulings().is_empty();
        match phase {
            Phase::Idle | Phase::Result | Phase::Settled | Phase::Void if waits && self.random.percent(20) => {
                self.witness()
            }
            Phase::Shut => self.open_the_table(),
            Phase::Idle | Phase::Settled | Phase::Void => {
                if is_ready && self.random.percent(35) {
                    self.deal(RoundCommand::OpenBets)
                } else {
                    self.between_rounds()
                }
            }
            Phase::Open => self.while_open(),
            Phase::Result if self.round().is_registering() => self.register(),
            Phase::Closing | Phase::Result => Ok(()),
            Phase::Closed => self.while_closed(),
        }
    }

    fn open_the_table(&mut self) -> CheckResult {
        if self.round().holder(Position::Dealer).is_none() {
            return self.relieve(Position::Dealer, Some(DEALER));
        }
        self.ask_round(by(SUPERVISOR), RoundCommand::OpenTable)?;
        if self.round().limits().is_none() && self.random.percent(60) {
            self.show_limits()?;
        }
        Ok(())
    }

    fn while_open(&mut self) -> CheckResult {
        let is_covered = self.rules.game().cover() == Cover::Covered;
        let tumbles = self.round().tumbles();
        match self.random.below(100) {
            0..=1 if is_covered => self.deal(RoundCommand::Void { reason: VoidReason::Exposed }),
            // 5.5.3, 5.3.3: void by itself where the cover is open.
            0..=1 => self.deal(RoundCommand::Activate),
            2..=3 => self.deal(RoundCommand::Interrupt { known: Vec::new() }),
            4..=5 if is_covered => self.come_to_rest(),
            6 if is_covered => {
                let dice = self.dice();
                self.deal(RoundCommand::Commit { dice })
            }
            7..=8 if is_covered => self.deal(RoundCommand::Cover),
            9 if is_covered => self.deal(RoundCommand::Uncover),
            10..=30 if is_covered && tumbles.is_none() => self.tumbler(RoundCommand::Activate),
            10..=30 if is_covered => self.tumble(),
            4..=40 if self.has_excess() && self.cluster().excess().next().is_some() => {
                self.ask_cluster(self.dealer(), ClusterCommand::RejectExcess)?.ok();
                Ok(())
            }
            // The time is up, and terminals take no more bets; at a live table the Dealer's word alone closes (3.6).
            41..=70 if self.setup.profile.closes == BetsCloser::Tick => {
                self.time = self.round().closes_at().map_or(self.time, |closes_at| self.time.max(closes_at));
                self.set_clock()
            }
            41..=90 => self.deal(RoundCommand::CloseBets),
            _ => Ok(()),
        }
    }

    fn while_closed(&mut self) -> CheckResult {
        let round = self.round();
        if round.is_interrupted() {
            return self.conclude();
        }
        let (tumbles, faces) = (round.tumbles(), round.faces());
        match (tumbles, faces) {
            (None, _) if self.random.one_in(60) => self.interrupt(0),
            (None, _) => self.tumbler(RoundCommand::Activate),
            (Some(tumbles), _) if tumbles < MIN_TUMBLES => match self.random.below(40) {
                0..=3 if faces.is_some() => self.deal(RoundCommand::Void { reason: VoidReason::FewTumbles }),
                2 => self.come_to_rest(),
                0 => self.deal(RoundCommand::Void { reason: VoidReason::FewTumbles }),
                1 => self.interrupt(0),
                _ => self.tumble(),
            },
            (Some(_), None) => match self.random.below(60) {
                0 => self.interrupt(1),
                1 => self.interrupt(2),
                2 => self.interrupt(3),
                3 => self.interrupt(0),
                _ => self.come_to_rest(),
            },
            // Dice that lie still are not tumbled again.
            (Some(_), Some(_)) if self.random.one_in(30) => self.tumble(),
            (Some(_), Some(faces)) => self.commit(faces),
        }
    }

    fn tumbler(&mut self, command: RoundCommand) -> CheckResult {
        let actor = if self.random.percent(50) { Actor::Tumbler(TUMBLER) } else { self.dealer() };
        self.ask_round(actor, command)
    }

    fn tumble(&mut self) -> CheckResult {
        let times = self.random.pick(&[3, 3, 3, 4, 2, 1, 5]);
        self.tumbler(RoundCommand::Tumbled { times })
    }

    fn come_to_rest(&mut self) -> CheckResult {
        let mut faces = self.dice().faces().map(Some);
        if self.random.one_in(40) {
            faces[self.random.index(3)] = None;
        }
        self.tumbler(RoundCommand::AtRest { faces })
    }

    fn commit(&mut self, faces: [Option<Face>; 3]) -> CheckResult {
        let [Some(a), Some(b), Some(c)] = faces else {
            let reason = VoidReason::NotFlat;
            return if self.random.percent(80) {
                self.deal(RoundCommand::Void { reason })
            } else {
                let dice = self.dice();
                self.deal(RoundCommand::Commit { dice })
            };
        };
        if self.random.one_in(100) {
            // The tumbler has seen them lie flat: it is reported.
            return self.deal(RoundCommand::Void { reason: VoidReason::NotFlat });
        }
        // Now and then the Dealer reads the dice wrongly.
        let dice = if self.random.one_in(30) { self.dice() } else { Dice::from([a, b, c]) };
        self.deal(RoundCommand::Commit { dice })
    }

    fn interrupt(&mut self, dice: usize) -> CheckResult {
        let known = self.dice().faces()[..dice].to_vec();
        self.deal(RoundCommand::Interrupt { known })
    }

    /// An interrupted round is concluded by its dice or by a ruling.
    fn conclude(&mut self) -> CheckResult {
        let dice = self.round().faces().and_then(|faces| Some(Dice::from([faces[0]?, faces[1]?, faces[2]?])));
        let other = self.dice();
        match self.random.below(10) {
            0..=2 => self.deal(RoundCommand::Commit { dice: dice.unwrap_or(other) }),
            // An outcome that is established stays so.
            3 => self.deal(RoundCommand::Interrupt { known: Vec::new() }),
            4 => {
                let known = other.faces()[..1].to_vec();
                let (why, second) = ("the camera shows another face".to_owned(), Some(person(MANAGER)));
                self.ask_round(by(SUPERVISOR), RoundCommand::CorrectKnown { known, why, second })
            }
            5 => self.come_to_rest(),
            6 => self.deal(RoundCommand::Void { reason: VoidReason::NotFlat }),
            7 => {
                let round = self.round().number();
                self.rule(Ruling::Void { round, fact: None })
            }
            _ => {
                // Mostly with the dice that are known.
                let mut faces = other.faces();
                if self.random.percent(80) {
                    for (face, known) in faces.iter_mut().zip(self.round().known()) {
                        *face = *known;
                    }
                }
                self.rule(Ruling::Conclude { dice: Dice::from(faces) })
            }
        }
    }

    fn rule(&mut self, ruling: Ruling) -> CheckResult {
        let why = "as the cameras show".to_owned();
        let second = self.random.percent(40).then(|| person(self.random.pick(&[MANAGER, SHIFT_MANAGER])));
        self.ask_round(by(SHIFT_MANAGER), RoundCommand::Rule { ruling, why, second })
    }

    /// Somebody witnesses a ruling: mostly one that waits, and mostly somebody else than its maker.
    pub(super) fn witness(&mut self) -> CheckResult {
        let waiting: Vec<_> = self.round().unwitnessed_rulings().iter().map(|ruling| ruling.round).collect();
        let round = if waiting.is_empty() { self.round().number() } else { self.random.pick(&waiting) };
        let who = self.random.weighted(&[(80, MANAGER), (15, SHIFT_MANAGER), (5, DEALER)]);
        let stands = self.round().past(round).map_or(RoundStanding::InPlay, PastRound::standing);
        let seen = if self.random.one_in(10) { RoundStanding::InPlay } else { stands };
        self.ask_round(by(who), RoundCommand::Witness { round, seen })
    }

    pub(super) fn relieve(&mut self, position: Position, id: Option<u32>) -> CheckResult {
        let person = id.map(taisai_table::PersonId);
        self.ask_round(by(SUPERVISOR), RoundCommand::Relieve { position, person })
    }

    /// What is done now and then while no round is in play.
    fn between_rounds(&mut self) -> CheckResult {
        match self.random.below(150) {
            120..=149 => {
                let (seat, is_paid) = (self.seat(), self.random.percent(80));
                self.ask_cluster(self.dealer(), ClusterCommand::TickOff { seat, is_paid })?.ok();
                Ok(())
            }
            0..=4 => self.show_limits(),
            5..=7 => {
                let dealer = self.random.pick(&[DEALER, OTHER_DEALER]);
                self.relieve(Position::Dealer, Some(dealer))
            }
            8 => self.relieve(Position::Supervisor, Some(SUPERVISOR)),
            9 => self.relieve(Position::Manager, None),
            10 => {
                let dice_set = self.random.small(50);
                self.ask_round(by(SUPERVISOR), RoundCommand::UseDice { dice_set })
            }
            16..=40 if !self.round().damaged_sets().is_empty() => {
                let damaged = self.round().damaged_sets().to_vec();
                let dice_set = self.random.pick(&damaged);
                let second = Some(person(MANAGER));
                self.ask_round(by(SUPERVISOR), RoundCommand::Inspect { dice_set, second })
            }
            16 => {
                let dice_set = self.random.small(3);
                self.ask_round(Actor::System, RoundCommand::DamagedSet { dice_set })
            }
            11 => self.ask_round(by(SUPERVISOR), RoundCommand::UseTumbler { tumbler: TUMBLER.0 }),
            12 => self.tumbler(RoundCommand::Activate),
            13..=15 if self.table_is_closing => self.close_the_table(),
            13 => self.ask_round(by(SUPERVISOR), RoundCommand::AnnounceClosure),
            // No notice was sent.
            14 => self.close_the_table(),
            _ => Ok(()),
        }
    }

    /// Colour Chips are redeemed first; sometimes that is forgotten.
    fn close_the_table(&mut self) -> CheckResult {
        if self.random.percent(70) {
            for seat in self.cluster().seats() {
                if self.cluster().colour(seat).is_some() {
                    self.ask_cluster(by(DEALER), ClusterCommand::RedeemColour { seat })?.ok();
                }
            }
            self.deliver_all()?;
        }
        self.ask_round(by(SUPERVISOR), RoundCommand::CloseTable)
    }

    pub(super) fn show_limits(&mut self) -> CheckResult {
        let limits = self.some_limits();
        self.ask_round(by(SUPERVISOR), RoundCommand::ShowLimits { limits, why: "busy".to_owned() })
    }

    fn some_limits(&mut self) -> TableLimits {
        let unit = self.random.weighted(&[(90, 100), (5, 200), (5, 500)]);
        let units = |units: i64| Some(Money::from_cents(unit * units));
        let scope = self.rules.layout().limit_scope();
        let mut boxes = Vec::new();
        if scope.is_some() {
            for kind in [BoxKind::Small, BoxKind::Big, BoxKind::Odd, BoxKind::Even] {
                let max = units(self.random.signed(200, 900));
                boxes.push(LimitEntry { boxes: BoxKey::Kind(kind), min: units(self.random.signed(2, 10)), max });
            }
            for kind in [BoxKind::Single, BoxKind::Sum, BoxKind::Domino, BoxKind::Triple, BoxKind::Three] {
                let max = units(self.random.signed(30, 200));
                boxes.push(LimitEntry { boxes: BoxKey::Kind(kind), min: units(1), max });
            }
            let own = BoxKey::Box(self.rules.layout().boxes()[5]);
            boxes.push(LimitEntry { boxes: own, min: units(5), max: units(50) });
        }
        let range = |(min, max): (i64, i64)| {
            Some(LimitRange { min: Money::from_cents(unit * min), max: Money::from_cents(unit * max) })
        };
        // Now and then they are not whole, and no round opens.
        let rest = if scope.is_some() && self.random.percent(90) { range((1, 1_000)) } else { None };
        let has_differential = scope == Some(LimitScope::Box) && self.random.percent(95);
        let differential = if has_differential { units(self.random.signed(0, 400)) } else { None };
        TableLimits { unit: Money::from_cents(unit), boxes, rest, differential }
    }

    /// Supervisors change what is over: corrections, late voids, damaged dice, rulings.
    pub(super) fn supervisor_acts(&mut self) -> CheckResult {
        let newest = self.round().number().0;
        if newest == 0 {
            return Ok(());
        }
        if self.registers_winners() && self.random.percent(60) {
            // Several lines of a box make it worth apportioning.
            return (0..self.random.signed(1, 8)).try_for_each(|_| self.review_film());
        }
        let reach = (KEPT / 2).min(newest);
        let back = if self.random.percent(70) { self.random.below(reach.min(4)) } else { self.random.below(reach) };
        let round = RoundNumber(newest - back);
        let (actor, second) = (by(SUPERVISOR), Some(person(MANAGER)));
        let why = "seen on the cameras".to_owned();
        let dice = self.dice();
        let command = match self.random.below(10) {
            0..=3 => RoundCommand::Correct { round, dice, why, second },
            4..=5 => {
                // 5.5: a settled round stands after an irregularity.
                let reason = self.random.pick(&[
                    VoidReason::FewTumbles,
                    VoidReason::Malfunction,
                    VoidReason::ForceMajeure,
                    VoidReason::SuspectedOffence,
                ]);
                RoundCommand::VoidByLaw { round, reason, why, second }
            }
            6 => {
                let from = RoundNumber(round.0.saturating_sub(self.random.below(4)).max(1));
                let dice_set = self.random.percent(50).then(|| u32::try_from(self.random.below(3)).unwrap_or(0));
                RoundCommand::VoidDamaged { from, to: round, dice_set, why, second }
            }
            7 => {
                let fact =
                    self.random.percent(30).then(|| self.random.pick(&[VoidReason::FewTumbles, VoidReason::NotFlat]));
                return self.rule(Ruling::Void { round, fact });
            }
            8 => return self.rule(Ruling::Settle { round, dice }),
            _ => return self.rule(Ruling::Note),
        };
        self.ask_round(actor, command)
    }
}
