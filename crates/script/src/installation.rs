//! The installation that a script plays on: one table, the people whom the script names, and a clock that advances one second
//! a line. It sends the machines what a line says and decides nothing itself.

mod actors;
mod restart;

use std::collections::BTreeMap;

use taisai_engine::{InMemoryInstallation, WorkerPlacement};
use taisai_rules::{Game, Layout, Limits, Money, Station};
use taisai_table::{
    Account, Actor, CashOut, Cluster, ClusterCommand, CommandId, CommandRequest, Decision, Device, DeviceId,
    DeviceKind, Founder, House, HouseCommand, MachineEntry, PastRound, PersonId, Phase, Refusal, Registration, Role,
    Roles, Round, RoundAndClusters, RoundCommand, RoundEvent, RoundNumber, RoundStanding, Seat, TableLimits, TableSpec,
    Time, Verdict, VoucherHash, VoucherSerial,
};

use crate::error::PlayError;
use crate::script::{Action, CHIP_READER, CLUSTER, MachineCommand, Script, ScriptStep, TABLE, first_acceptor, voucher};

/// The first moment of a script: 1 January 2026, noon, at +08:00.
pub const BEGIN: Time = Time(1_767_240_000_000);

/// People of every script: the first sets up people and devices, the second acts for a pit in which the script names nobody,
/// and the third takes cash at the terminals.
const ADMINISTRATOR: PersonId = PersonId(9_001);
pub(crate) const OFFICE: PersonId = PersonId(9_002);
const ATTENDANT: PersonId = PersonId(9_003);

pub(crate) struct ScriptInstallation<'s> {
    script: &'s Script,
    pub(crate) engine: InMemoryInstallation,
    pub(crate) time: Time,
    issued_vouchers: u32,
    /// The limits of each round, the first round first.
    limits: Vec<Option<TableLimits>>,
    /// Won over all rounds; negative if lost.
    pub(crate) results: BTreeMap<Seat, Money>,
    /// The last command of a person or a terminal, for `again`.
    last_sent: Option<SentCommand>,
}

#[derive(Clone)]
struct SentCommand {
    actor: Actor,
    id: CommandId,
    command: MachineCommand,
}

/// Whether a line was carried out. A line of several commands ends at the first refusal.
pub type CommandResult = Result<(), Refusal>;

impl<'s> ScriptInstallation<'s> {
    pub(crate) fn new(script: &'s Script) -> Result<Self, PlayError> {
        let setup = &script.setup;
        let mut engine = InMemoryInstallation::new(setup.profile.clone(), false, WorkerPlacement::Together, BEGIN);
        // Seats are numbered as people number them: from one. Seat 0 stays empty.
        let seats = vec![setup.seats + 1];
        engine.add_table(
            TableSpec { table: TABLE, rules: setup.rules.clone(), is_training: setup.is_training, seats },
            BEGIN,
        )?;
        let mut installation = Self {
            script,
            engine,
            time: BEGIN,
            issued_vouchers: 0,
            limits: Vec::new(),
            results: BTreeMap::new(),
            last_sent: None,
        };
        if installation.game().station() == Station::PlayerTerminals {
            for seat in (1..=setup.seats).map(Seat) {
                installation.engine.connect(CLUSTER, seat, BEGIN);
                let kind = DeviceKind::Terminal { cluster: CLUSTER, seat };
                installation.set_up(HouseCommand::Enrol {
                    device: actors::first_terminal(seat),
                    kind,
                    second: None,
                })?;
                if !setup.profile.notes.is_empty() {
                    let kind = DeviceKind::NoteAcceptor { cluster: CLUSTER, seat };
                    installation.set_up(HouseCommand::Enrol { device: first_acceptor(seat), kind, second: None })?;
                }
            }
        }
        if installation.game().station() == Station::LiveTable {
            let kind = DeviceKind::ChipReader { cluster: CLUSTER };
            installation.set_up(HouseCommand::Enrol { device: CHIP_READER, kind, second: None })?;
        }
        let named = script.people.founders.iter().map(|(id, roles)| (*id, roles.clone()));
        let office = [
            (ADMINISTRATOR, vec![Role::Administrator]),
            (OFFICE, vec![Role::CasinoManager]),
            (ATTENDANT, vec![Role::Attendant]),
        ];
        let mut people: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, roles) in office.into_iter().chain(named) {
            people.entry(id).or_default().extend(roles);
        }
        let founder = |(person, roles): (PersonId, Vec<Role>)| {
            let name = format!("{} {}", roles.first().map_or("person", |role| title(*role)), person.0);
            Founder { person, name, roles: Roles::of(&roles) }
        };
        installation.set_up(HouseCommand::Found { people: people.into_iter().map(founder).collect() })?;
        Ok(installation)
    }

    fn set_up(&mut self, command: HouseCommand) -> Result<(), PlayError> {
        let (time, actor, id) = (self.time, Actor::System, self.engine.next_id(actors::source(Actor::System)));
        match self.engine.ask_house(CommandRequest { time, actor, id, command }) {
            Decision::Accepted(_) => Ok(()),
            Decision::Refused(refusal) => Err(PlayError::SetUpRefused(refusal)),
            Decision::Repeated(_) => Err(PlayError::SetUpTwice),
        }
    }

    pub(crate) fn game(&self) -> &'s Game {
        self.script.setup.rules.game()
    }

    pub(crate) fn layout(&self) -> &'s Layout {
        self.script.setup.rules.layout()
    }

    pub(crate) fn registration(&self) -> Registration {
        self.script.setup.rules.registration()
    }

    pub(crate) fn house(&self) -> &House {
        self.engine.house()
    }

    pub(crate) const fn is_training(&self) -> bool {
        self.script.setup.is_training
    }

    fn table(&self) -> &RoundAndClusters {
        self.engine.table(TABLE).expect("the script's table was added")
    }

    pub(crate) fn round(&self) -> &Round {
        &self.table().round
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.table().clusters[0]
    }

    /// All seats but seat 0.
    pub(crate) fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        self.cluster().seats().skip(1)
    }

    pub(crate) fn limits_of(&self, round: RoundNumber) -> Limits {
        let place = usize::try_from(round.0).ok().and_then(|round| round.checked_sub(1));
        let limits = place.and_then(|place| self.limits.get(place)).and_then(Option::as_ref);
        limits.and_then(|limits| limits.check(self.layout()).ok()).unwrap_or_else(Limits::none)
    }

    /// Carries out a line. The record has what came of it.
    pub(crate) fn play(&mut self, step: &ScriptStep) -> Result<CommandResult, PlayError> {
        self.advance_clock();
        let actor = self.actor(step.who);
        let answer = match &step.action {
            Action::OnDuty(_) | Action::Expect(_) => Ok(()),
            Action::Send(MachineCommand::Cluster(ClusterCommand::Lost { seat })) => self.lose_terminal(*seat),
            Action::Send(MachineCommand::Cluster(ClusterCommand::Back { seat })) => self.bring_terminal_back(*seat),
            Action::Send(command) => self.ask(actor, command.clone()),
            Action::Dice(dice) => self.dice(actor, RoundCommand::Commit { dice: *dice }),
            Action::Tumble(times) => self.tumble(actor, *times),
            Action::Correct { round, dice, why, second } => {
                let round = round.unwrap_or(self.round().number());
                self.ask(actor, RoundCommand::Correct { round, dice: *dice, why: why.clone(), second: *second })
            }
            Action::Witness(round) => {
                let seen = self.round().past(*round).map_or(RoundStanding::InPlay, PastRound::standing);
                self.ask(actor, RoundCommand::Witness { round: *round, seen })
            }
            Action::CashOut(seat) => {
                let to = CashOut::Voucher(voucher(self.issued_vouchers + 1));
                self.issue(actor, ClusterCommand::CashOut { seat: *seat, to })
            }
            Action::SellVoucher { amount, second } => {
                let number = voucher(self.issued_vouchers + 1);
                self.issue(actor, HouseCommand::SellVoucher { number, amount: *amount, second: *second })
            }
            Action::ReissueVoucher { voucher: replaced, second } => {
                let (serial, number) = (self.serial(*replaced), voucher(self.issued_vouchers + 1));
                let ended = match actor {
                    Actor::Terminal { seat, .. } => self.cluster().ended_session(seat),
                    Actor::Person(_)
                    | Actor::Tumbler(_)
                    | Actor::System
                    | Actor::NoteAcceptor { .. }
                    | Actor::ChipReader(_) => None,
                };
                self.issue(actor, HouseCommand::ReissueVoucher { serial, number, ended, second: *second })
            }
            Action::ConfirmVoucher(voucher) => {
                let serial = self.serial(*voucher);
                self.ask(actor, HouseCommand::ConfirmVoucher { serial })
            }
            Action::EnrolTerminal { seat, second } => {
                let is_terminal = |device: &Device| matches!(device.kind, DeviceKind::Terminal { .. });
                let terminals = self.house().devices().filter(|(_, device)| is_terminal(device));
                let newest = terminals.map(|(id, _)| id.0).max();
                let device = newest.map_or(actors::first_terminal(*seat), |newest| DeviceId(newest + 1));
                let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: *seat };
                self.ask(actor, HouseCommand::Enrol { device, kind, second: *second })
            }
            Action::RevokeTerminal(seat) => self.revoke(actor, *seat),
            Action::Again => self.again()?,
            Action::Restart => {
                self.restart()?;
                Ok(())
            }
            Action::Tick(seconds) => {
                self.time = Time(self.time.0 + seconds * 1_000);
                self.advance_clock();
                Ok(())
            }
        };
        if self.round().phase() == Phase::Open && self.limits_missing() {
            self.limits.push(self.round().limits().cloned());
        }
        self.engine.check()?;
        let passed = self.house().balance(Account::Transit(CLUSTER));
        let between = passed.checked_add(self.cluster().ledger().transit);
        if between != Some(Money::ZERO) {
            return Err(PlayError::MoneyLost);
        }
        Ok(answer)
    }

    /// The serial number of a voucher, or one that no voucher has.
    fn serial(&self, voucher: VoucherHash) -> VoucherSerial {
        self.house().voucher(voucher).map_or(VoucherSerial(u64::MAX), |voucher| voucher.serial)
    }

    /// Sends a command that issues a voucher, and counts it.
    fn issue(&mut self, actor: Actor, command: impl Into<MachineCommand>) -> CommandResult {
        let answer = self.ask(actor, command);
        self.issued_vouchers += u32::from(answer.is_ok());
        answer
    }

    /// Revokes the terminal of a seat, which ends its connection.
    fn revoke(&mut self, actor: Actor, seat: Seat) -> CommandResult {
        self.ask(actor, HouseCommand::Revoke { device: self.terminal(seat) })?;
        self.lose_terminal(seat)
    }

    /// Ends a terminal's connection. If it has none, its cluster still gets the command.
    fn lose_terminal(&mut self, seat: Seat) -> CommandResult {
        if !self.engine.is_connected(CLUSTER, seat) {
            return self.ask(Actor::System, ClusterCommand::Lost { seat });
        }
        self.engine.disconnect(CLUSTER, seat, self.time);
        self.engine.deliver_all();
        Ok(())
    }

    /// Connects a terminal again. If it is not lost, its cluster still gets the command.
    fn bring_terminal_back(&mut self, seat: Seat) -> CommandResult {
        if !self.cluster().is_lost(seat) {
            return self.ask(Actor::System, ClusterCommand::Back { seat });
        }
        self.engine.connect(CLUSTER, seat, self.time);
        self.engine.deliver_all();
        Ok(())
    }

    /// Sends the last command again.
    fn again(&mut self) -> Result<CommandResult, PlayError> {
        let sent = self.last_sent.clone().ok_or(PlayError::NothingSent)?;
        Ok(self.send(sent))
    }

    /// Whether the round in play has no limits in `self.limits` yet.
    fn limits_missing(&self) -> bool {
        u64::try_from(self.limits.len()).is_ok_and(|kept| kept < self.round().number().0)
    }

    /// Commits the dice, after a valid tumble if the script reports none.
    fn dice(&mut self, actor: Actor, commit: RoundCommand) -> CommandResult {
        if self.round().phase() == Phase::Closed && self.round().tumbles().is_none() {
            self.ask(actor, RoundCommand::Activate)?;
            self.ask(actor, RoundCommand::Tumbled { times: taisai_table::MIN_TUMBLES })?;
        }
        self.ask(actor, commit)
    }

    fn tumble(&mut self, actor: Actor, times: u8) -> CommandResult {
        if self.round().tumbles().is_none() || !self.is_in_play() {
            let before = self.engine.record.len();
            self.ask(actor, RoundCommand::Activate)?;
            let is_activated = self.engine.record[before..].iter().any(
                |entry| matches!(entry, MachineEntry::Round(_, entry) if entry.outcome == Ok(RoundEvent::Activated)),
            );
            // An activation that voids the round, or is between rounds, has no tumbles.
            if !is_activated {
                return Ok(());
            }
        }
        self.ask(actor, RoundCommand::Tumbled { times })
    }

    fn is_in_play(&self) -> bool {
        matches!(self.round().phase(), Phase::Open | Phase::Closing | Phase::Closed)
    }

    /// Sets the clock to the script's time, and lets the partitions do what is due.
    fn advance_clock(&mut self) {
        self.engine.set_clock(self.time);
        self.engine.deliver_all();
    }

    /// Sends a new command to its machine.
    fn ask(&mut self, actor: Actor, command: impl Into<MachineCommand>) -> CommandResult {
        let command = self.with_second_on_file(command.into());
        let id = self.engine.next_id(actors::source(actor));
        let sent = SentCommand { actor, id, command };
        if actor != Actor::System {
            self.last_sent = Some(sent.clone());
        }
        self.send(sent)
    }

    /// Sends a command to its machine, and delivers the messages that follow from it.
    fn send(&mut self, SentCommand { actor, id, command }: SentCommand) -> CommandResult {
        let time = self.time;
        let verdict = match command {
            MachineCommand::Round(command) => {
                let decision = self.engine.ask_round(TABLE, CommandRequest { time, actor, id, command });
                decision.expect("the script's table was added").verdict()
            }
            MachineCommand::Cluster(command) => {
                let decision = self.engine.ask_cluster(CLUSTER, CommandRequest { time, actor, id, command });
                decision.expect("the script's table was added").verdict()
            }
            MachineCommand::House(command) => {
                self.engine.ask_house(CommandRequest { time, actor, id, command }).verdict()
            }
        };
        self.engine.deliver_all();
        match verdict {
            Verdict::Accepted => Ok(()),
            Verdict::Refused(refusal) => Err(refusal),
        }
    }
}

pub(crate) const fn title(role: Role) -> &'static str {
    match role {
        Role::Dealer => "Dealer",
        Role::PitSupervisor => "Pit Supervisor",
        Role::PitManager => "Pit Manager",
        Role::ShiftManager => "Table Games Shift Manager",
        Role::CasinoManager => "Casino Manager",
        Role::Attendant => "Attendant",
        Role::Cashier => "Cashier",
        Role::Auditor => "Auditor",
        Role::Administrator => "Administrator",
    }
}
