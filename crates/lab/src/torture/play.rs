//! One casino from its founding on: who acts next, step by step, and what is checked when a round is over.

use std::num::NonZeroU16;

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_table::{
    Actor, DeviceId, DeviceKind, Founder, HouseCommand, PersonId, Phase, Position, Role, Roles, RoundCommand, Seat,
};

use super::cage::TRAINING;
use super::casino::{CHIP_READER, DEALER, MANAGER, STAFF, SUPERVISOR, SimulatedCasino, TUMBLER, by};

/// Rounds between two snapshots.
const SNAPSHOT: u64 = 20;
/// A round that takes longer than this hangs.
const MOST_STEPS: u32 = 20_000;

#[derive(Clone, Copy)]
enum PlayerKind {
    Player,
    Wire,
    Dealer,
    Supervisor,
    Staff,
    Trouble,
    PlayFault,
}

impl SimulatedCasino<'_> {
    /// Sets the casino up: tables, devices, people; then the table.
    pub(super) fn found(&mut self) -> CheckResult {
        let (table, clusters) = (TRAINING.table, NonZeroU16::MIN);
        self.accept_house(Actor::System, HouseCommand::AddTable { table, clusters, training: true, second: None })?;
        self.accept_house(
            Actor::System,
            HouseCommand::Enrol { device: TUMBLER, kind: DeviceKind::Tumbler, second: None },
        )?;
        for cluster in self.clusters() {
            self.at = cluster;
            if self.is_live() {
                let kind = DeviceKind::ChipReader { cluster };
                self.accept_house(Actor::System, HouseCommand::Enrol { device: CHIP_READER, kind, second: None })?;
            }
            let terminals = if self.is_live() { 0 } else { self.seats() };
            for seat in (0..terminals).map(Seat) {
                let kind = DeviceKind::Terminal { cluster, seat };
                self.next_device += 1;
                let device = DeviceId(self.next_device);
                self.accept_house(Actor::System, HouseCommand::Enrol { device, kind, second: None })?;
                self.connect(seat)?;
                if !self.setup.profile.notes.is_empty() {
                    let kind = DeviceKind::NoteAcceptor { cluster, seat };
                    self.next_device += 1;
                    let device = DeviceId(self.next_device);
                    self.accept_house(Actor::System, HouseCommand::Enrol { device, kind, second: None })?;
                }
            }
        }
        let founder = |(id, roles): (u32, &[Role])| Founder {
            person: PersonId(id),
            name: format!("Person {id}"),
            roles: Roles::of(roles),
        };
        let people: Vec<_> = STAFF.into_iter().map(founder).collect();
        // Dealers alone cannot found a casino.
        let dealers = people.iter().filter(|founder| founder.person.0 == DEALER).cloned().collect();
        self.ask_house(Actor::System, HouseCommand::Found { people: dealers })?.ok();
        self.accept_house(Actor::System, HouseCommand::Found { people })?;
        self.relieve(Position::Dealer, Some(DEALER))?;
        self.relieve(Position::Supervisor, Some(SUPERVISOR))?;
        self.relieve(Position::Manager, Some(MANAGER))?;
        self.ask_round(by(DEALER), RoundCommand::OpenBets)?;
        self.open_before_the_rules_are_in_force()?;
        self.ask_round(by(SUPERVISOR), RoundCommand::OpenTable)?;
        self.ask_round(by(SUPERVISOR), RoundCommand::UseTumbler { tumbler: TUMBLER.0 })?;
        if self.rules.layout().limit_scope().is_some() {
            self.ask_round(by(DEALER), RoundCommand::OpenBets)?;
        }
        self.show_limits()?;
        self.deliver_all()
    }

    fn accept_house(&mut self, actor: Actor, command: HouseCommand) -> CheckResult {
        let answer = self.ask_house(actor, command)?;
        answer.map(|_| ()).map_err(|refusal| RunFailure(format!("the casino could not be set up: {refusal:?}")))
    }

    /// Plays until another round is over and every machine knows it.
    pub(super) fn play_round(&mut self) -> CheckResult {
        let before = self.round().number();
        let is_over = |phase| matches!(phase, Phase::Settled | Phase::Void);
        for _ in 0..MOST_STEPS {
            self.step()?;
            let round = self.round();
            if round.number() > before && is_over(round.phase()) && round.is_followed() {
                return self.round_is_over();
            }
        }
        ensure("a round comes to its end", false, || {
            format!("round {} is {:?}", self.round().number().0, self.round().phase())
        })
    }

    fn round_is_over(&mut self) -> CheckResult {
        self.coverage.rounds += 1;
        self.check_all()?;
        let number = self.round().number().0;
        if number.is_multiple_of(SNAPSHOT) {
            self.take_snapshot();
        }
        self.pass_days()
    }

    /// The end of a casino: all messages arrive, and everything is rebuilt from the first entry.
    pub(super) fn end(&mut self) -> CheckResult {
        self.deliver_all()?;
        self.check_all()?;
        self.rebuild_from_the_first_entry().map(drop)
    }

    fn step(&mut self) -> CheckResult {
        self.pass_time()?;
        if self.setup.seats.len() > 1 {
            let clusters: Vec<_> = self.clusters().collect();
            self.at = self.random.pick(&clusters);
        }
        let phase = self.round().phase();
        let who = self.random.weighted(match phase {
            Phase::Open => &[
                (680, PlayerKind::Player),
                (120, PlayerKind::Wire),
                (75, PlayerKind::Dealer),
                (4, PlayerKind::Supervisor),
                (45, PlayerKind::Staff),
                (60, PlayerKind::Trouble),
                (16, PlayerKind::PlayFault),
            ][..],
            Phase::Result if self.round().is_registering() => &[
                (20, PlayerKind::Player),
                (150, PlayerKind::Wire),
                (780, PlayerKind::Dealer),
                (6, PlayerKind::Supervisor),
                (30, PlayerKind::Staff),
                (20, PlayerKind::Trouble),
                (8, PlayerKind::PlayFault),
            ],
            Phase::Closing | Phase::Closed | Phase::Result => &[
                (100, PlayerKind::Player),
                (350, PlayerKind::Wire),
                (400, PlayerKind::Dealer),
                (4, PlayerKind::Supervisor),
                (60, PlayerKind::Staff),
                (70, PlayerKind::Trouble),
                (16, PlayerKind::PlayFault),
            ],
            Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => &[
                (150, PlayerKind::Player),
                (350, PlayerKind::Wire),
                (350, PlayerKind::Dealer),
                (12, PlayerKind::Supervisor),
                (70, PlayerKind::Staff),
                (50, PlayerKind::Trouble),
                (16, PlayerKind::PlayFault),
            ],
        });
        if !matches!(who, PlayerKind::Wire) {
            self.wait();
        }
        match who {
            PlayerKind::Player => self.player(),
            PlayerKind::Wire => self.deliver_next().map(|_| ()),
            PlayerKind::Dealer => self.dealer_acts(),
            PlayerKind::Supervisor => self.supervisor_acts(),
            PlayerKind::Staff => self.staff_acts(),
            PlayerKind::Trouble => self.faults(),
            PlayerKind::PlayFault => self.fault(),
        }
    }

    fn fault(&mut self) -> CheckResult {
        match self.random.below(100) {
            0..=1 => self.restart(),
            2..=24 => self.repeat_a_message(),
            25..=44 => self.overtake(),
            45..=69 => self.send_again(),
            70..=92 => self.reuse_an_id(),
            93..=95 => self.step_the_clock(),
            96 if self.record.count() < 4_000 => self.restart_from_the_first_entry(),
            _ if !self.is_live() => {
                let seat = self.seat();
                self.terminal_is_lost(seat)
            }
            _ => self.repeat_a_message(),
        }
    }
}
