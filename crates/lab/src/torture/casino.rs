//! The installation that is simulated: the engine's partitions, their record, the plain book beside them, and the one way to ask.
//! After every entry what is cheap to check is checked; after every round all of it.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt::Debug;

use taisai::replay::failure::{CheckResult, RunFailure, caught, ensure};
use taisai::replay::file::ReplayWriter;
use taisai::replay::setup::{ReplaySetup, TABLE};
use taisai_engine::{InMemoryInstallation, Message, WorkerPlacement};
use taisai_rules::Games;
use taisai_table::{
    Actor, Betting, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, CommandRequest, Decision, DeviceId,
    House, HouseCommand, HouseEvent, MachineEntry, Machines, MachinesSnapshot, Person, PersonId, Phase, Refusal, Role,
    Roles, Round, RoundAndClusters, RoundCommand, RoundEntry, RoundEvent, Seat, TableRules, TableSpec, Time,
    VoucherHash,
};

use super::coverage::{Coverage, PlayFault};
use super::model::{ClusterModel, OutsideMoney, money_is_conserved};
use super::order::AppendOrder;
use super::register::ChipsOnFelt;
use taisai_simulator::Random;

/// The first of January 2024, in milliseconds.
const BEGIN: u64 = 1_704_067_200_000;

/// Who works here. Those from `SPARE` on come and go.
pub(super) const ADMINISTRATOR: u32 = 1;
pub(super) const SUPERVISOR: u32 = 2;
pub(super) const MANAGER: u32 = 3;
pub(super) const SHIFT_MANAGER: u32 = 4;
pub(super) const ATTENDANT: u32 = 5;
pub(super) const CASHIER: u32 = 6;
pub(super) const AUDITOR: u32 = 7;
pub(super) const DEALER: u32 = 8;
pub(super) const OTHER_DEALER: u32 = 9;
/// Holds both roles of every two-person act at the table.
pub(super) const BOTH: u32 = 10;
pub(super) const SPARE: u32 = 20;
/// Not on file, whatever roles are claimed.
pub(super) const STRANGER: u32 = 99;

pub(super) const STAFF: [(u32, &[Role]); 10] = [
    (ADMINISTRATOR, &[Role::Administrator]),
    (SUPERVISOR, &[Role::PitSupervisor]),
    (MANAGER, &[Role::PitManager]),
    (SHIFT_MANAGER, &[Role::ShiftManager]),
    (ATTENDANT, &[Role::Attendant]),
    (CASHIER, &[Role::Cashier]),
    (AUDITOR, &[Role::Auditor]),
    (DEALER, &[Role::Dealer]),
    (OTHER_DEALER, &[Role::Dealer]),
    (BOTH, &[Role::PitSupervisor, Role::PitManager, Role::Cashier, Role::CasinoManager]),
];

pub(super) const TUMBLER: DeviceId = DeviceId(7);
pub(super) const CHIP_READER: DeviceId = DeviceId(8);

/// A person with the roles on file.
pub(super) fn person(id: u32) -> Person {
    let roles = STAFF.iter().find(|(known, _)| *known == id).map_or(&[][..], |(_, roles)| roles);
    Person { id: PersonId(id), roles: Roles::of(roles) }
}

pub(super) fn by(id: u32) -> Actor {
    Actor::Person(person(id))
}

/// An installation of one table in play.
pub(super) struct SimulatedCasino<'t> {
    pub(super) setup: ReplaySetup,
    pub(super) rules: TableRules,
    /// Its record holds the entries since the last round was over.
    pub(super) installation: InMemoryInstallation,
    /// How many of those have been checked.
    pub(super) checked: usize,
    /// The machines after the entries checked so far: one batch may append several.
    replica: Machines,
    pub(super) record: ReplayWriter,
    order: AppendOrder,
    /// The plain books, by cluster.
    models: Vec<ClusterModel>,
    outside: OutsideMoney,
    pub(super) coverage: &'t mut Coverage,
    pub(super) random: Random,
    pub(super) time: Time,
    /// The cluster at which players, staff and faults act in this step.
    pub(super) at: ClusterId,
    /// For how many steps some message has been left where it is.
    pub(super) waited: u32,
    /// Messages that were delivered not long ago, to be delivered once more.
    pub(super) delivered: VecDeque<Message>,
    /// The last snapshot, and how many entries there were.
    pub(super) snapshot: Option<(usize, MachinesSnapshot)>,
    pub(super) next_device: u32,
    /// Vouchers that were printed, as players carry them about.
    pub(super) vouchers: Vec<VoucherHash>,
    pub(super) table_is_closing: bool,
    /// The last transfer of the training table, which is on file and has no machine.
    pub(super) training_sent: u64,
    /// The chips on the layout of a table that registers winners.
    pub(super) felt: ChipsOnFelt,
    /// The bets acknowledged in this round.
    acknowledged: Vec<CommandId>,
}

impl<'t> SimulatedCasino<'t> {
    pub(super) fn new(
        setup: ReplaySetup,
        games: &Games,
        placement: WorkerPlacement,
        seed: u64,
        coverage: &'t mut Coverage,
    ) -> anyhow::Result<Self> {
        let plan = setup.plan(games)?;
        let TableSpec { rules, seats, .. } = &plan;
        let model = |seats: &u32| ClusterModel::new(rules.clone(), *seats, setup.profile.large_win);
        let (models, rules) = (seats.iter().map(model).collect(), rules.clone());
        let mut installation = InMemoryInstallation::new(setup.profile.clone(), setup.training, placement, Time(BEGIN));
        installation.add_table(plan, Time(BEGIN))?;
        let replica = installation.machines().empty();
        Ok(Self {
            setup,
            rules,
            installation,
            checked: 0,
            replica,
            record: ReplayWriter::default(),
            order: AppendOrder::default(),
            models,
            outside: OutsideMoney::default(),
            coverage,
            random: Random::new(seed),
            time: Time(BEGIN),
            at: ClusterId { table: TABLE, number: 0 },
            waited: 0,
            delivered: VecDeque::new(),
            snapshot: None,
            next_device: 1_000,
            vouchers: Vec::new(),
            table_is_closing: false,
            training_sent: 0,
            felt: ChipsOnFelt::default(),
            acknowledged: Vec::new(),
        })
    }

    fn table(&self) -> &RoundAndClusters {
        self.installation.table(TABLE).expect("the table was added")
    }

    pub(super) fn round(&self) -> &Round {
        &self.table().round
    }

    pub(super) fn house(&self) -> &House {
        self.installation.house()
    }

    /// The players' side of this step.
    pub(super) fn cluster(&self) -> &Cluster {
        &self.table().clusters[usize::from(self.at.number)]
    }

    /// The plain book of the same.
    pub(super) fn model(&self) -> &ClusterModel {
        &self.models[usize::from(self.at.number)]
    }

    pub(super) fn clusters(&self) -> impl Iterator<Item = ClusterId> + use<> {
        let clusters = u16::try_from(self.models.len()).expect("a few clusters");
        (0..clusters).map(|number| ClusterId { table: TABLE, number })
    }

    /// A command under a new id of its actor.
    pub(super) fn request<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        let source = match actor {
            Actor::System => 0,
            Actor::Person(person) => u64::from(person.id.0),
            Actor::Tumbler(device) | Actor::ChipReader(device) => 1_000 + u64::from(device.0),
            Actor::NoteAcceptor { device, .. } => 10_000 + u64::from(device.0),
            // As the terminal at that seat, also where another claims to be it.
            Actor::Terminal { seat, .. } => {
                10_000 + self.house().terminal_at(self.at, seat).map_or(0, |device| u64::from(device.0))
            }
        };
        CommandRequest { time: self.time, actor, id: self.installation.next_id(source), command }
    }

    pub(super) fn ask_round(&mut self, actor: Actor, command: RoundCommand) -> CheckResult {
        let request = self.request(actor, command);
        self.send_round(&request)?.map_or(Ok(()), |decision| answer(decision).map(drop))
    }

    pub(super) fn ask_cluster(
        &mut self,
        actor: Actor,
        command: ClusterCommand,
    ) -> CheckResult<Result<ClusterEvent, Refusal>> {
        let request = self.request(actor, command);
        answer(self.send_cluster(&request)?)
    }

    pub(super) fn ask_house(
        &mut self,
        actor: Actor,
        command: HouseCommand,
    ) -> CheckResult<Result<HouseEvent, Refusal>> {
        let request = self.request(actor, command);
        answer(self.send_house(&request)?)
    }

    /// Nothing if the command waits until clusters hold what has happened so far: it is decided when they do, or after a while.
    pub(super) fn send_round(
        &mut self,
        request: &CommandRequest<RoundCommand>,
    ) -> CheckResult<Option<Decision<RoundEvent>>> {
        self.watched(request, |installation| installation.ask_round(TABLE, request.clone()))
    }

    pub(super) fn send_cluster(
        &mut self,
        request: &CommandRequest<ClusterCommand>,
    ) -> CheckResult<Decision<ClusterEvent>> {
        let at = self.at;
        let decision = self.watched(request, |installation| installation.ask_cluster(at, request.clone()))?;
        let decision = decision.ok_or_else(|| RunFailure::new("there is no such cluster"))?;
        match &decision {
            Decision::Accepted(_) if is_bet(&request.command) => {
                self.coverage.bets += 1;
                self.acknowledged.push(request.id);
            }
            Decision::Accepted(_) | Decision::Refused(_) => {}
            Decision::Repeated(_) => self.model().seats_are_the_same(self.cluster())?,
        }
        Ok(decision)
    }

    pub(super) fn send_house(&mut self, request: &CommandRequest<HouseCommand>) -> CheckResult<Decision<HouseEvent>> {
        self.watched(request, |installation| installation.ask_house(request.clone()))
    }

    /// What is due at this time happens: partitions send again, tick, and close bets by themselves.
    pub(super) fn set_clock(&mut self) -> CheckResult {
        let time = self.time;
        self.watched(&time, |installation| installation.set_clock(time))
    }

    /// Has the installation do something, and heeds what is recorded of it.
    pub(super) fn watched<T>(
        &mut self,
        what: &impl Debug,
        act: impl FnOnce(&mut InMemoryInstallation) -> T,
    ) -> CheckResult<T> {
        let installation = &mut self.installation;
        let done = caught(what, || act(installation));
        let from = self.checked;
        self.checked = self.installation.record.len();
        self.installation.record[from..].iter().for_each(|recorded| self.record.push(recorded));
        let done = done?;
        (from..self.checked).try_for_each(|place| self.check_new(place))?;
        Ok(done)
    }

    /// An entry is counted, and put to the plain books; what is cheap to check is checked.
    fn check_new(&mut self, place: usize) -> CheckResult {
        let Self { installation, replica, coverage, order, models, outside, .. } = self;
        let recorded = &installation.record[place];
        coverage.recorded(recorded);
        replica.apply(recorded);
        // The machines that play goes on with are looked at wherever no later entry has changed them.
        let machines = if place + 1 == self.checked { installation.machines() } else { replica };
        match recorded {
            MachineEntry::Round(table, entry) => {
                may_ask(entry.request.actor, &entry.outcome)?;
                let table = machines.tables.get(table).expect("the table was added");
                order.check_new(&table.round, entry)?;
                closing_waits_for_all(table, entry, coverage)?;
                match &entry.outcome {
                    Ok(RoundEvent::TableClosed) => self.table_is_closing = false,
                    Ok(RoundEvent::ClosureAnnounced) => self.table_is_closing = true,
                    Ok(_) | Err(_) => {}
                }
            }
            MachineEntry::Cluster(id, entry) => {
                may_ask(entry.request.actor, &entry.outcome)?;
                let cluster = machines.cluster(*id).expect("the cluster was added");
                let model = &mut models[usize::from(id.number)];
                model.cluster(entry, cluster, installation.slip(*id, cluster.round()))?;
                cluster.ledger_sums_to_zero()?;
                cluster.no_balance_below_zero()?;
                model.seats_are_the_same(cluster)?;
            }
            MachineEntry::House(entry) => {
                may_ask(entry.request.actor, &entry.outcome)?;
                outside.house(entry)?;
                machines.house.ledger_sums_to_zero()?;
            }
        }
        Ok(())
    }

    /// Everything that must hold, once a round.
    pub(super) fn check_all(&mut self) -> CheckResult {
        self.installation.check()?;
        self.partitions_are_as_recorded()?;
        for (model, cluster) in self.models.iter().zip(&self.table().clusters) {
            model.seats_are_the_same(cluster)?;
        }
        money_is_conserved(&self.models, &self.outside, self.installation.machines())?;
        self.accepted_bets_are_in_the_record_once()
    }

    /// Partitions decide ahead of what is appended: in the end the record has made the same machines.
    pub(super) fn partitions_are_as_recorded(&self) -> CheckResult {
        ensure("the partitions' machines are those of the record", self.installation.is_as_recorded(), String::new)
    }

    /// The bytes of the round's entries say the same again, and every acknowledged bet is among them exactly once.
    fn accepted_bets_are_in_the_record_once(&mut self) -> CheckResult {
        let from = self.record.count() - self.checked;
        let mut read = self.installation.record.iter();
        let mut bets = self.acknowledged.iter();
        for entry in self.record.entries(from) {
            let entry = entry?;
            ensure("an entry reads as it was written", read.next() == Some(&entry), || format!("{entry:?}"))?;
            if let MachineEntry::Cluster(_, entry) = &entry
                && entry.outcome.is_ok()
                && is_bet(&entry.request.command)
            {
                let is_next = bets.next() == Some(&entry.request.id);
                ensure("every accepted bet is in the record once", is_next, || format!("{entry:?}"))?;
            }
        }
        let left = bets.next();
        ensure("every accepted bet is in the record once", left.is_none(), || format!("{left:?} is not"))?;
        self.installation.record.clear();
        self.checked = 0;
        self.acknowledged.clear();
        Ok(())
    }

    pub(super) fn seats(&self) -> u32 {
        self.setup.seats[usize::from(self.at.number)]
    }

    pub(super) fn seat(&mut self) -> Seat {
        Seat(self.random.small(self.seats()))
    }

    pub(super) fn terminal(&self, seat: Seat) -> Actor {
        let device = self.house().terminal_at(self.at, seat).unwrap_or(DeviceId(0));
        Actor::Terminal { device, seat }
    }
}

const fn is_bet(command: &ClusterCommand) -> bool {
    matches!(
        command,
        ClusterCommand::Place { .. }
            | ClusterCommand::PlaceFor { .. }
            | ClusterCommand::Repeat { .. }
            | ClusterCommand::Double { .. }
    )
}

/// Bets are closed when every cluster holds it, and not when some do.
fn closing_waits_for_all(table: &RoundAndClusters, entry: &RoundEntry, coverage: &mut Coverage) -> CheckResult {
    let Ok(RoundEvent::Followed { cluster, .. }) = entry.outcome else { return Ok(()) };
    let is_open = |cluster: &Cluster| cluster.betting() == Betting::Open;
    let are_open = table.clusters.iter().any(is_open);
    if table.round.phase() == Phase::Closing && !is_open(&table.clusters[usize::from(cluster.number)]) && are_open {
        coverage.fault(PlayFault::CloseHeldByOneOnly);
    }
    let is_early = table.round.phase() == Phase::Closed && are_open;
    ensure("bets are closed when every cluster holds it", !is_early, || format!("{cluster:?}"))
}

/// A person who may only read, or is not on file, never succeeds with a command.
fn may_ask<E>(actor: Actor, outcome: &Result<E, Refusal>) -> CheckResult {
    let is_nobody = actor.person().is_some_and(|person| person.id.0 == AUDITOR || person.id.0 == STRANGER);
    ensure("nobody acts without the right to", outcome.is_err() || !is_nobody, || format!("{actor:?}"))
}

fn answer<E>(decision: Decision<E>) -> CheckResult<Result<E, Refusal>> {
    match decision {
        Decision::Accepted(event) => Ok(Ok(event)),
        Decision::Refused(refusal) => Ok(Err(refusal)),
        Decision::Repeated(verdict) => Err(RunFailure(format!("a new id was answered before: {verdict:?}"))),
    }
}
