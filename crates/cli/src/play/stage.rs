//! The house that a script plays in: one table, the people the script names, and a clock that moves a second a line. It
//! asks the machines for what a line says, and decides nothing itself.

mod restart;
mod who;

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use taisai_engine::{InMemoryInstallation, WorkerPlacement};
use taisai_rules::{Game, Layout, Limits, Money, Station};
use taisai_table::{
    Account, Actor, CashOut, Cluster, ClusterCommand, CommandId, CommandRequest, Decision, Device, DeviceId,
    DeviceKind, Founder, House, HouseCommand, MachineEntry, PastRound, PersonId, Phase, Refusal, Registration, Role,
    Roles, Round, RoundAndClusters, RoundCommand, RoundEvent, RoundNumber, RoundStanding, Seat, TableLimits, TableSpec,
    Time, Verdict, VoucherHash, VoucherSerial,
};

use super::script::{Act, CHIP_READER, CLUSTER, Command, Script, Step, TABLE, first_acceptor, voucher};

/// The first moment of a script: 1 January 2026, noon, at +08:00.
pub(super) const BEGIN: Time = Time(1_767_240_000_000);

/// Three people of the house, who are in every script: the first sets up people and devices, the second stands in for a pit in
/// which the script names nobody, and the third takes cash at the terminals.
const ADMINISTRATOR: PersonId = PersonId(9_001);
pub(super) const OFFICE: PersonId = PersonId(9_002);
const ATTENDANT: PersonId = PersonId(9_003);

/// The house as it stands.
pub(super) struct Stage<'s> {
    script: &'s Script,
    pub(super) installation: InMemoryInstallation,
    pub(super) time: Time,
    /// How many vouchers have been issued.
    vouchers: u32,
    /// The limits by which each round was played, the first round first.
    limits: Vec<Option<TableLimits>>,
    /// What each seat has won, or lost if negative.
    pub(super) results: BTreeMap<Seat, Money>,
    /// What a person or a terminal has sent last.
    last: Option<Sent>,
}

/// A command on its way to its machine.
#[derive(Clone)]
struct Sent {
    actor: Actor,
    id: CommandId,
    command: Command,
}

/// How a line was answered: the last refusal ends it.
pub(super) type Answer = Result<(), Refusal>;

impl<'s> Stage<'s> {
    /// Sets up the house.
    pub(super) fn new(script: &'s Script) -> anyhow::Result<Self> {
        let setup = &script.setup;
        let mut installation =
            InMemoryInstallation::new(setup.profile.clone(), false, WorkerPlacement::Together, BEGIN);
        // Seats are numbered as people number them: from one. Seat 0 stays empty.
        let seats = vec![setup.seats + 1];
        installation.add_table(
            TableSpec { table: TABLE, rules: setup.rules.clone(), is_training: setup.is_training, seats },
            BEGIN,
        )?;
        let mut stage = Self {
            script,
            installation,
            time: BEGIN,
            vouchers: 0,
            limits: Vec::new(),
            results: BTreeMap::new(),
            last: None,
        };
        if stage.game().station() == Station::PlayerTerminals {
            for seat in (1..=setup.seats).map(Seat) {
                stage.installation.connect(CLUSTER, seat, BEGIN);
                let kind = DeviceKind::Terminal { cluster: CLUSTER, seat };
                stage.set_up(HouseCommand::Enrol { device: who::first_terminal(seat), kind, second: None })?;
                if !setup.profile.notes.is_empty() {
                    let kind = DeviceKind::NoteAcceptor { cluster: CLUSTER, seat };
                    stage.set_up(HouseCommand::Enrol { device: first_acceptor(seat), kind, second: None })?;
                }
            }
        }
        if stage.game().station() == Station::LiveTable {
            let kind = DeviceKind::ChipReader { cluster: CLUSTER };
            stage.set_up(HouseCommand::Enrol { device: CHIP_READER, kind, second: None })?;
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
        stage.set_up(HouseCommand::Found { people: people.into_iter().map(founder).collect() })?;
        Ok(stage)
    }

    fn set_up(&mut self, command: HouseCommand) -> anyhow::Result<()> {
        let (time, actor, id) = (self.time, Actor::System, self.installation.next_id(who::source(Actor::System)));
        match self.installation.ask_house(CommandRequest { time, actor, id, command }) {
            Decision::Accepted(_) => Ok(()),
            Decision::Refused(refusal) => bail!("the house cannot be set up: {}", refusal.sentence()),
            Decision::Repeated(_) => bail!("the house was set up twice"),
        }
    }

    pub(super) fn game(&self) -> &'s Game {
        self.script.setup.rules.game()
    }

    pub(super) fn layout(&self) -> &'s Layout {
        self.script.setup.rules.layout()
    }

    /// Which bets the table registers.
    pub(super) fn registration(&self) -> Registration {
        self.script.setup.rules.registration()
    }

    pub(super) fn house(&self) -> &House {
        self.installation.house()
    }

    /// Whether the table plays for training.
    pub(super) const fn is_training(&self) -> bool {
        self.script.setup.is_training
    }

    fn table(&self) -> &RoundAndClusters {
        self.installation.table(TABLE).expect("the script's table was added")
    }

    pub(super) fn round(&self) -> &Round {
        &self.table().round
    }

    pub(super) fn cluster(&self) -> &Cluster {
        &self.table().clusters[0]
    }

    /// The seats that people sit at.
    pub(super) fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        self.cluster().seats().skip(1)
    }

    /// The limits that a round was played by.
    pub(super) fn limits_of(&self, round: RoundNumber) -> Limits {
        let place = usize::try_from(round.0).ok().and_then(|round| round.checked_sub(1));
        let limits = place.and_then(|place| self.limits.get(place)).and_then(Option::as_ref);
        limits.and_then(|limits| limits.check(self.layout()).ok()).unwrap_or_else(Limits::none)
    }

    /// Carries out a line. What it brought stands in the record.
    pub(super) fn play(&mut self, step: &Step) -> anyhow::Result<Answer> {
        self.pass();
        let actor = self.actor(step.who);
        let answer = match &step.act {
            Act::OnDuty(_) | Act::Expect(_) => Ok(()),
            Act::Ask(Command::Cluster(ClusterCommand::Lost { seat })) => self.lose_terminal(*seat),
            Act::Ask(Command::Cluster(ClusterCommand::Back { seat })) => self.bring_terminal_back(*seat),
            Act::Ask(command) => self.ask(actor, command.clone()),
            Act::Dice(dice) => self.dice(actor, RoundCommand::Commit { dice: *dice }),
            Act::Tumble(times) => self.tumble(actor, *times),
            Act::Correct { round, dice, why, second } => {
                let round = round.unwrap_or(self.round().number());
                self.ask(actor, RoundCommand::Correct { round, dice: *dice, why: why.clone(), second: *second })
            }
            Act::Witness(round) => {
                let seen = self.round().past(*round).map_or(RoundStanding::InPlay, PastRound::standing);
                self.ask(actor, RoundCommand::Witness { round: *round, seen })
            }
            Act::CashOut(seat) => {
                let to = CashOut::Voucher(voucher(self.vouchers + 1));
                self.issue(actor, ClusterCommand::CashOut { seat: *seat, to })
            }
            Act::SellVoucher { amount, second } => {
                let number = voucher(self.vouchers + 1);
                self.issue(actor, HouseCommand::SellVoucher { number, amount: *amount, second: *second })
            }
            Act::Reissue { voucher: replaced, second } => {
                let (serial, number) = (self.serial(*replaced), voucher(self.vouchers + 1));
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
            Act::Confirm(voucher) => {
                let serial = self.serial(*voucher);
                self.ask(actor, HouseCommand::ConfirmVoucher { serial })
            }
            Act::Enrol { seat, second } => {
                let is_terminal = |device: &Device| matches!(device.kind, DeviceKind::Terminal { .. });
                let terminals = self.house().devices().filter(|(_, device)| is_terminal(device));
                let newest = terminals.map(|(id, _)| id.0).max();
                let device = newest.map_or(who::first_terminal(*seat), |newest| DeviceId(newest + 1));
                let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: *seat };
                self.ask(actor, HouseCommand::Enrol { device, kind, second: *second })
            }
            Act::Revoke(seat) => self.revoke(actor, *seat),
            Act::Again => self.again()?,
            Act::Restart => {
                self.restart()?;
                Ok(())
            }
            Act::Tick(seconds) => {
                self.time = Time(self.time.0 + seconds * 1_000);
                self.pass();
                Ok(())
            }
        };
        if self.round().phase() == Phase::Open && self.limits_missing() {
            self.limits.push(self.round().limits().cloned());
        }
        self.installation.check().context("after this line the books do not balance")?;
        let passed = self.house().balance(Account::Transit(CLUSTER));
        let between = passed.checked_add(self.cluster().ledger().transit);
        ensure!(between == Some(Money::ZERO), "money was lost between the table and the House");
        Ok(answer)
    }

    /// The serial number of a voucher; one that no voucher has where it is not on file.
    fn serial(&self, voucher: VoucherHash) -> VoucherSerial {
        self.house().voucher(voucher).map_or(VoucherSerial(u64::MAX), |voucher| voucher.serial)
    }

    /// A command by which a voucher is issued.
    fn issue(&mut self, actor: Actor, command: impl Into<Command>) -> Answer {
        let answer = self.ask(actor, command);
        self.vouchers += u32::from(answer.is_ok());
        answer
    }

    /// The terminal of a seat may do nothing from now on: its connection ends.
    fn revoke(&mut self, actor: Actor, seat: Seat) -> Answer {
        self.ask(actor, HouseCommand::Revoke { device: self.terminal(seat) })?;
        self.lose_terminal(seat)
    }

    /// The connection of a terminal ends. One that is not connected is only told to be lost.
    fn lose_terminal(&mut self, seat: Seat) -> Answer {
        if !self.installation.is_connected(CLUSTER, seat) {
            return self.ask(Actor::System, ClusterCommand::Lost { seat });
        }
        self.installation.disconnect(CLUSTER, seat, self.time);
        self.installation.deliver_all();
        Ok(())
    }

    /// A terminal connects again. One that is not lost is only told to be back.
    fn bring_terminal_back(&mut self, seat: Seat) -> Answer {
        if !self.cluster().is_lost(seat) {
            return self.ask(Actor::System, ClusterCommand::Back { seat });
        }
        self.installation.connect(CLUSTER, seat, self.time);
        self.installation.deliver_all();
        Ok(())
    }

    /// The last command arrives once more.
    fn again(&mut self) -> anyhow::Result<Answer> {
        let sent = self.last.clone().context("nothing has been sent yet")?;
        Ok(self.send(sent))
    }

    /// Whether a round has begun whose limits are not kept yet.
    fn limits_missing(&self) -> bool {
        u64::try_from(self.limits.len()).is_ok_and(|kept| kept < self.round().number().0)
    }

    /// Commits the dice, after a valid tumble where the script reports none.
    fn dice(&mut self, actor: Actor, commit: RoundCommand) -> Answer {
        if self.round().phase() == Phase::Closed && self.round().tumbles().is_none() {
            self.ask(actor, RoundCommand::Activate)?;
            self.ask(actor, RoundCommand::Tumbled { times: taisai_table::MIN_TUMBLES })?;
        }
        self.ask(actor, commit)
    }

    fn tumble(&mut self, actor: Actor, times: u8) -> Answer {
        if self.round().tumbles().is_none() || !self.is_in_play() {
            let before = self.installation.record.len();
            self.ask(actor, RoundCommand::Activate)?;
            let is_activated = self.installation.record[before..].iter().any(
                |entry| matches!(entry, MachineEntry::Round(_, entry) if entry.outcome == Ok(RoundEvent::Activated)),
            );
            // A tumbler that voids the round, or belongs to none, has nothing to count.
            if !is_activated {
                return Ok(());
            }
        }
        self.ask(actor, RoundCommand::Tumbled { times })
    }

    fn is_in_play(&self) -> bool {
        matches!(self.round().phase(), Phase::Open | Phase::Closing | Phase::Closed)
    }

    /// It is the script's time: what the partitions do by themselves is done.
    fn pass(&mut self) {
        self.installation.set_clock(self.time);
        self.installation.deliver_all();
    }

    /// Asks a machine anew.
    fn ask(&mut self, actor: Actor, command: impl Into<Command>) -> Answer {
        let command = self.identified(command.into());
        let id = self.installation.next_id(who::source(actor));
        let sent = Sent { actor, id, command };
        if actor != Actor::System {
            self.last = Some(sent.clone());
        }
        self.send(sent)
    }

    /// Brings a command to its machine, and carries what follows from it.
    fn send(&mut self, Sent { actor, id, command }: Sent) -> Answer {
        let time = self.time;
        let verdict = match command {
            Command::Round(command) => {
                let decision = self.installation.ask_round(TABLE, CommandRequest { time, actor, id, command });
                decision.expect("the script's table was added").verdict()
            }
            Command::Cluster(command) => {
                let decision = self.installation.ask_cluster(CLUSTER, CommandRequest { time, actor, id, command });
                decision.expect("the script's table was added").verdict()
            }
            Command::House(command) => {
                self.installation.ask_house(CommandRequest { time, actor, id, command }).verdict()
            }
        };
        self.installation.deliver_all();
        match verdict {
            Verdict::Accepted => Ok(()),
            Verdict::Refused(refusal) => Err(refusal),
        }
    }
}

/// What a role is called.
pub(super) const fn title(role: Role) -> &'static str {
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
