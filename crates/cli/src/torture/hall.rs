//! The floor that is simulated: the three machines, their record, the plain book beside them, and the one way to ask. After
//! every command what is cheap to check is checked; after every round all of it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use taisai_rules::Games;
use taisai_table::{
    Actor, Asked, ClusterCommand, ClusterEntry, ClusterEvent, CommandId, Decision, DeviceId, Entry, HouseCommand,
    HouseEvent, Person, PersonId, Recorded, Refusal, Role, Roles, RoundCommand, RoundEvent, RoundNumber, Seat, Slip,
    TableRules, Time, Verdict, VoucherHash,
};

use super::chance::Chance;
use super::failure::{Failure, Held, caught, ensure};
use super::machines::{CLUSTER, Machines, Setup, Snapshot, TABLE};
use super::model::Model;
use super::order::Before;
use super::record::Record;
use super::tally::Tally;
use super::wire::Waiting;

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
    (BOTH, &[Role::PitSupervisor, Role::PitManager, Role::Cashier, Role::Administrator]),
];

pub(super) const TUMBLER: DeviceId = DeviceId(7);

/// A person with the roles on file.
pub(super) fn person(id: u32) -> Person {
    let roles = STAFF.iter().find(|(known, _)| *known == id).map_or(&[][..], |(_, roles)| roles);
    Person { id: PersonId(id), roles: Roles::of(roles) }
}

pub(super) fn by(id: u32) -> Actor {
    Actor::Person(person(id))
}

/// The last command that a machine has remembered, to be sent again.
#[derive(Clone, Debug)]
pub(super) struct Sent<C> {
    pub(super) asked: Asked<C>,
    pub(super) verdict: Verdict,
}

/// A floor of one table in play.
pub(super) struct Hall<'t> {
    pub(super) setup: Setup,
    pub(super) rules: TableRules,
    pub(super) machines: Machines,
    pub(super) record: Record,
    pub(super) model: Model,
    pub(super) tally: &'t mut Tally,
    pub(super) chance: Chance,
    pub(super) time: Time,
    pub(super) waiting: Waiting,
    pub(super) slips: VecDeque<(RoundNumber, Slip)>,
    /// The last snapshot, and how many entries there were.
    pub(super) snapshot: (usize, Snapshot),
    pub(super) last_round: Option<Sent<RoundCommand>>,
    pub(super) last_cluster: Option<Sent<ClusterCommand>>,
    pub(super) last_house: Option<Sent<HouseCommand>>,
    /// The terminals, by seat.
    pub(super) terminals: Vec<DeviceId>,
    pub(super) next_device: u32,
    /// Vouchers that were printed, as players carry them about.
    pub(super) vouchers: Vec<VoucherHash>,
    pub(super) table_is_closing: bool,
    /// The last transfer of the training table, which is on file and has no machine.
    pub(super) training_sent: u64,
    sequences: BTreeMap<u64, u64>,
    /// The entries of this round, and the bets acknowledged in it.
    of_round: Vec<Recorded>,
    acknowledged: Vec<CommandId>,
}

impl<'t> Hall<'t> {
    pub(super) fn new(setup: Setup, games: &Games, seed: u64, tally: &'t mut Tally) -> anyhow::Result<Self> {
        let rules = setup.rules(games)?;
        let machines = Machines::new(&setup, &rules);
        let seats = usize::try_from(setup.seats)?;
        Ok(Self {
            model: Model::new(rules.clone(), seats, setup.profile.large_win),
            snapshot: (0, machines.snapshot()),
            terminals: (0..setup.seats).map(|seat| DeviceId(100 + seat)).collect(),
            next_device: 1_000,
            setup,
            rules,
            machines,
            record: Record::default(),
            tally,
            chance: Chance::new(seed),
            time: Time(BEGIN),
            waiting: Waiting::default(),
            slips: VecDeque::new(),
            last_round: None,
            last_cluster: None,
            last_house: None,
            vouchers: Vec::new(),
            table_is_closing: false,
            training_sent: 0,
            sequences: BTreeMap::new(),
            of_round: Vec::new(),
            acknowledged: Vec::new(),
        })
    }

    /// A command under a new id of whoever asks.
    pub(super) fn asked<C>(&mut self, actor: Actor, command: C) -> Asked<C> {
        let source = match actor {
            Actor::System => 0,
            Actor::Person(person) => u64::from(person.id.0),
            Actor::Tumbler(device) => 1_000 + u64::from(device.0),
            Actor::Terminal { seat, .. } => 10_000 + u64::from(seat.0),
        };
        let sequence = self.sequences.entry(source).or_insert(0);
        *sequence += 1;
        Asked { time: self.time, actor, id: CommandId { source, sequence: *sequence }, command }
    }

    pub(super) fn ask_round(&mut self, actor: Actor, command: RoundCommand) -> Held<Result<RoundEvent, Refusal>> {
        let asked = self.asked(actor, command);
        answer(self.send_round(asked)?)
    }

    pub(super) fn ask_cluster(&mut self, actor: Actor, command: ClusterCommand) -> Held<Result<ClusterEvent, Refusal>> {
        let asked = self.asked(actor, command);
        answer(self.send_cluster(asked)?)
    }

    pub(super) fn ask_house(&mut self, actor: Actor, command: HouseCommand) -> Held<Result<HouseEvent, Refusal>> {
        let asked = self.asked(actor, command);
        answer(self.send_house(asked)?)
    }

    pub(super) fn send_round(&mut self, asked: Asked<RoundCommand>) -> Held<Decision<RoundEvent>> {
        self.tally.commands += 1;
        let round = &mut self.machines.round;
        let decision = caught(&asked, || round.decide(&asked))?;
        let Some(entry) = entry(asked, &decision) else { return Ok(decision) };
        self.record.push_round(&entry);
        let before = Before::of(round, &entry);
        caught(&entry, || round.apply(&entry))?;
        before.check(round, &entry)?;
        may_ask(entry.asked.actor, &entry.outcome)?;
        match &entry.outcome {
            Ok(event) => self.tally.round(&entry.asked.command, event),
            Err(refusal) => self.tally.refusal(*refusal),
        }
        match &entry.outcome {
            Ok(RoundEvent::TableClosed) => self.table_is_closing = false,
            Ok(RoundEvent::ClosureAnnounced) => self.table_is_closing = true,
            Ok(_) | Err(_) => {}
        }
        if !entry.verdict().is_of_id() {
            self.last_round = Some(Sent { asked: entry.asked.clone(), verdict: entry.verdict() });
        }
        self.of_round.push(Recorded::Round(TABLE, entry));
        Ok(decision)
    }

    pub(super) fn send_cluster(&mut self, asked: Asked<ClusterCommand>) -> Held<Decision<ClusterEvent>> {
        self.tally.commands += 1;
        let cluster = &mut self.machines.cluster;
        let decision = caught(&asked, || cluster.decide(&asked))?;
        let Some(entry) = entry(asked, &decision) else {
            self.model.seats_are_the_same(&self.machines.cluster)?;
            return Ok(decision);
        };
        self.record.push_cluster(&entry);
        if let ClusterCommand::Follow { .. } = entry.asked.command
            && let Ok(ClusterEvent::Settled { .. }) = entry.outcome
        {
            self.slips.push_back((cluster.round(), cluster.slip()));
        }
        caught(&entry, || cluster.apply(&entry))?;
        match &entry.outcome {
            Ok(event) => self.tally.cluster(&entry.asked.command, event),
            Err(refusal) => self.tally.refusal(*refusal),
        }
        let slip = self.slips.back().map(|(_, slip)| slip);
        self.model.cluster(&entry, &self.machines.cluster, slip)?;
        may_ask(entry.asked.actor, &entry.outcome)?;
        self.after_cluster(&entry)?;
        let is_known = match entry.asked.actor {
            Actor::Terminal { seat, .. } => seat.0 < self.setup.seats,
            Actor::Person(_) | Actor::Tumbler(_) | Actor::System => true,
        };
        if is_known && !entry.verdict().is_of_id() {
            self.last_cluster = Some(Sent { asked: entry.asked.clone(), verdict: entry.verdict() });
        }
        self.of_round.push(Recorded::Cluster(CLUSTER, entry));
        Ok(decision)
    }

    pub(super) fn send_house(&mut self, asked: Asked<HouseCommand>) -> Held<Decision<HouseEvent>> {
        self.tally.commands += 1;
        let house = &mut self.machines.house;
        let decision = caught(&asked, || house.decide(&asked))?;
        let Some(entry) = entry(asked, &decision) else { return Ok(decision) };
        self.record.push_house(&entry);
        caught(&entry, || house.apply(&entry))?;
        match &entry.outcome {
            Ok(event) => self.tally.house(&entry.asked.command, event),
            Err(refusal) => self.tally.refusal(*refusal),
        }
        self.model.house(&entry);
        may_ask(entry.asked.actor, &entry.outcome)?;
        house.ledger_sums_to_zero()?;
        let is_known = match entry.asked.actor {
            Actor::Person(person) => house.as_actor(person.id).is_some(),
            Actor::Terminal { device, .. } | Actor::Tumbler(device) => {
                house.device(device).is_some_and(|device| !device.is_revoked)
            }
            Actor::System => true,
        };
        if is_known && !entry.verdict().is_of_id() {
            self.last_house = Some(Sent { asked: entry.asked.clone(), verdict: entry.verdict() });
        }
        self.of_round.push(Recorded::House(entry));
        Ok(decision)
    }

    fn after_cluster(&mut self, entry: &ClusterEntry) -> Held {
        let cluster = &self.machines.cluster;
        cluster.ledger_sums_to_zero()?;
        cluster.no_balance_below_zero()?;
        self.model.seats_are_the_same(cluster)?;
        if entry.outcome.is_ok() && is_bet(&entry.asked.command) {
            self.tally.bets += 1;
            self.acknowledged.push(entry.asked.id);
        }
        Ok(())
    }

    /// Everything that must hold, once a round.
    pub(super) fn check_all(&mut self) -> Held {
        let Machines { cluster, house, .. } = &self.machines;
        cluster.check()?;
        house.check()?;
        self.model.money_is_conserved(cluster, house)?;
        self.accepted_bets_are_in_the_record_once()?;
        while self.slips.len() > usize::try_from(super::model::KEPT).expect("a small number") {
            self.slips.pop_front();
        }
        Ok(())
    }

    /// The bytes of the round's entries say the same again, and every acknowledged bet is among them exactly once.
    fn accepted_bets_are_in_the_record_once(&mut self) -> Held {
        let from = self.record.len() - self.of_round.len();
        let mut read = self.of_round.iter();
        let mut bets = self.acknowledged.iter();
        for entry in self.record.entries(from) {
            let entry = entry?;
            ensure("an entry reads as it was written", read.next() == Some(&entry), || format!("{entry:?}"))?;
            if let Recorded::Cluster(_, entry) = &entry
                && entry.outcome.is_ok()
                && is_bet(&entry.asked.command)
            {
                let is_next = bets.next() == Some(&entry.asked.id);
                ensure("every accepted bet is in the record once", is_next, || format!("{entry:?}"))?;
            }
        }
        let left = bets.next();
        ensure("every accepted bet is in the record once", left.is_none(), || format!("{left:?} is not"))?;
        self.of_round.clear();
        self.acknowledged.clear();
        Ok(())
    }

    pub(super) fn seat(&mut self) -> Seat {
        Seat(self.chance.small(self.setup.seats))
    }

    /// The terminal at a seat.
    pub(super) fn terminal(&self, seat: Seat) -> Actor {
        let place = usize::try_from(seat.0).expect("a seat's number");
        Actor::Terminal { device: self.terminals.get(place).copied().unwrap_or(DeviceId(0)), seat }
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

/// Whoever only reads, or is not on file, never has anything done.
fn may_ask<E>(actor: Actor, outcome: &Result<E, Refusal>) -> Held {
    let is_nobody = actor.person().is_some_and(|person| person.id.0 == AUDITOR || person.id.0 == STRANGER);
    ensure("nobody acts without the right to", outcome.is_err() || !is_nobody, || format!("{actor:?}"))
}

fn answer<E>(decision: Decision<E>) -> Held<Result<E, Refusal>> {
    match decision {
        Decision::Accepted(event) => Ok(Ok(event)),
        Decision::Refused(refusal) => Ok(Err(refusal)),
        Decision::Repeated(verdict) => Err(Failure(format!("a new id was answered before: {verdict:?}"))),
    }
}

fn entry<C, E: Clone>(asked: Asked<C>, decision: &Decision<E>) -> Option<Entry<C, E>> {
    match decision {
        Decision::Accepted(event) => Some(Entry { asked, outcome: Ok(event.clone()) }),
        Decision::Refused(refusal) => Some(Entry { asked, outcome: Err(*refusal) }),
        Decision::Repeated(_) => None,
    }
}
