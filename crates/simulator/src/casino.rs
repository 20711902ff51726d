//! The installation that is simulated: its tables, people and devices, and what its House knows before the run begins.

use std::num::NonZeroU16;
use std::sync::Arc;

use taisai_rules::{Games, Money};
use taisai_table::{
    Actor, BetsCloser, Cluster, ClusterId, CommandId, CommandRequest, Decision, DeviceId, DeviceKind, Entry,
    ExcessPolicy, Founder, House, HouseCommand, LimitRange, MachineId, Person, PersonId, Profile, Registration, Role,
    Roles, Round, Seat, TableId, TableLimits, TableRules, TableSpec, Time, encode,
};

use crate::clock::BEGIN;
use crate::machine::AnyMachine;
use crate::random::Random;

/// The table with terminals.
pub(crate) const TERMINALS: TableId = TableId(1);
/// The table with chips on the layout.
pub(crate) const LIVE: TableId = TableId(2);

/// How many seats a cluster has. The first is nobody's.
pub(crate) const SEATS: u32 = 4;

pub(crate) const SUPERVISOR: u32 = 2;
pub(crate) const MANAGER: u32 = 3;
pub(crate) const SHIFT_MANAGER: u32 = 4;
pub(crate) const ATTENDANT: u32 = 5;
pub(crate) const CASHIER: u32 = 6;
pub(crate) const DEALER: u32 = 8;
pub(crate) const LIVE_DEALER: u32 = 9;

const STAFF: [(u32, &[Role]); 8] = [
    (1, &[Role::Administrator]),
    (SUPERVISOR, &[Role::PitSupervisor]),
    (MANAGER, &[Role::PitManager]),
    (SHIFT_MANAGER, &[Role::ShiftManager]),
    (ATTENDANT, &[Role::Attendant]),
    (CASHIER, &[Role::Cashier]),
    (DEALER, &[Role::Dealer]),
    (LIVE_DEALER, &[Role::Dealer]),
];

/// A person with the roles on file.
pub(crate) fn person(id: u32) -> Person {
    let roles = STAFF.iter().find(|(known, _)| *known == id).map_or(&[][..], |(_, roles)| roles);
    Person { id: PersonId(id), roles: Roles::of(roles) }
}

pub(crate) const fn terminal(cluster: ClusterId, seat: Seat) -> DeviceId {
    DeviceId(1_000 + widen(cluster.number) * 100 + seat.0)
}

/// The note acceptor of the terminal at a seat.
pub(crate) const fn acceptor(cluster: ClusterId, seat: Seat) -> DeviceId {
    DeviceId(terminal(cluster, seat).0 + 50)
}

/// The chip reader of the live table.
pub(crate) const CHIP_READER: DeviceId = DeviceId(900);

#[expect(clippy::as_conversions, reason = "u16 to u32 loses nothing; From is not const")]
const fn widen(number: u16) -> u32 {
    number as u32
}

/// What the installation is laid out by.
#[derive(Debug)]
pub(crate) struct Casino {
    pub(crate) profile: Profile,
    pub(crate) tables: Vec<TableSpec>,
}

impl Casino {
    /// A table with terminals in clusters, and a live table.
    pub(crate) fn new(clusters: u16, has_live_table: bool, random: &mut Random) -> Self {
        let games = Games::embedded();
        let mut profile = Profile::singapore();
        profile.excess = ExcessPolicy::Refuse;
        profile.closes = random.pick(&[BetsCloser::Tick, BetsCloser::Dealer]);
        profile.betting_seconds = 8;
        profile.notes = [500, 1_000, 5_000].map(Money::from_cents).to_vec();
        (profile.voucher_limit, profile.large_win) = (Money::from_cents(30_000), Money::from_cents(20_000));
        let rules = |id: &str| {
            let game = Arc::new(games.find(id, None).expect("an embedded game").clone());
            let layout = game.layouts()[0].id().to_owned();
            TableRules::new(game, &layout).expect("the game's own layout")
        };
        let table = |table: TableId, game: &str, clusters: u16| TableSpec {
            table,
            rules: rules(game),
            is_training: false,
            seats: vec![SEATS; usize::from(clusters)],
        };
        let mut tables = vec![table(TERMINALS, "sic-bo-etg", clusters)];
        if has_live_table {
            let registration = random.pick(&[Registration::EveryBet, Registration::Winners]);
            let mut live = table(LIVE, "tai-sai", 1);
            live.rules = live.rules.registering(registration).expect("it is a live table");
            tables.push(live);
        }
        Self { profile, tables }
    }

    pub(crate) fn plan(&self, table: TableId) -> &TableSpec {
        self.tables.iter().find(|plan| plan.table == table).expect("the table was laid out")
    }

    fn clusters_of(plan: &TableSpec) -> impl Iterator<Item = ClusterId> + use<> {
        let (table, clusters) = (plan.table, u16::try_from(plan.seats.len()).unwrap_or(u16::MAX));
        (0..clusters).map(move |number| ClusterId { table, number })
    }

    /// The clusters of all tables.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = ClusterId> {
        self.tables.iter().flat_map(Self::clusters_of)
    }

    /// Whether the clusters of a table run apart from its round.
    fn is_spread(&self, table: TableId) -> bool {
        self.plan(table).seats.len() > 1
    }

    /// What leases are for: the House, each table, and each cluster of a table that has several.
    pub(crate) fn partitions(&self) -> Vec<MachineId> {
        let mut partitions = vec![MachineId::House];
        for plan in &self.tables {
            partitions.push(MachineId::Round(plan.table));
            if self.is_spread(plan.table) {
                partitions.extend(Self::clusters_of(plan).map(MachineId::Cluster));
            }
        }
        partitions
    }

    /// The partition that a machine runs in.
    pub(crate) fn partition_of(&self, machine: MachineId) -> MachineId {
        match machine {
            MachineId::Cluster(cluster) if !self.is_spread(cluster.table) => MachineId::Round(cluster.table),
            MachineId::House | MachineId::Round(_) | MachineId::Cluster(_) => machine,
        }
    }

    /// The chains of a partition, a round's before those of its clusters.
    pub(crate) fn chains_of(&self, partition: MachineId) -> Vec<MachineId> {
        match partition {
            MachineId::Round(table) if !self.is_spread(table) => {
                let clusters = Self::clusters_of(self.plan(table)).map(MachineId::Cluster);
                [partition].into_iter().chain(clusters).collect()
            }
            MachineId::House | MachineId::Round(_) | MachineId::Cluster(_) => vec![partition],
        }
    }

    /// Every chain.
    pub(crate) fn chains(&self) -> Vec<MachineId> {
        let rounds = self.tables.iter().map(|plan| MachineId::Round(plan.table));
        [MachineId::House].into_iter().chain(rounds).chain(self.clusters().map(MachineId::Cluster)).collect()
    }

    /// A machine before its first entry.
    pub(crate) fn machine(&self, id: MachineId) -> AnyMachine {
        let profile = self.profile.clone();
        match id {
            MachineId::House => AnyMachine::House(Box::new(House::new(profile, false))),
            MachineId::Round(table) => {
                let plan = self.plan(table);
                let clusters = u16::try_from(plan.seats.len()).unwrap_or(u16::MAX);
                AnyMachine::Round(Box::new(Round::new(table, plan.rules.clone(), profile, false, clusters)))
            }
            MachineId::Cluster(cluster) => {
                let rules = self.plan(cluster.table).rules.clone();
                AnyMachine::Cluster(Box::new(Cluster::new(cluster, rules, profile, SEATS)))
            }
        }
    }

    /// Limits that leave room to play.
    pub(crate) fn limits(&self, table: TableId) -> TableLimits {
        let unit = Money::from_cents(100);
        let rest = Some(LimitRange { min: unit, max: Money::from_cents(50_000) });
        let limits = TableLimits { unit, boxes: Vec::new(), rest, differential: None };
        limits.widest(self.plan(table).rules.layout())
    }

    /// The entries of the House's chain with which an installation begins: tables, devices, people.
    pub(crate) fn founding(&self) -> Vec<Vec<u8>> {
        let mut commands = Vec::new();
        for plan in &self.tables {
            let clusters =
                u16::try_from(plan.seats.len()).ok().and_then(NonZeroU16::new).expect("a table has clusters");
            commands.push(HouseCommand::AddTable { table: plan.table, clusters, training: false, second: None });
        }
        for cluster in self.clusters().filter(|cluster| cluster.table == TERMINALS) {
            for seat in (1..SEATS).map(Seat) {
                let kind = DeviceKind::Terminal { cluster, seat };
                commands.push(HouseCommand::Enrol { device: terminal(cluster, seat), kind, second: None });
                let kind = DeviceKind::NoteAcceptor { cluster, seat };
                commands.push(HouseCommand::Enrol { device: acceptor(cluster, seat), kind, second: None });
            }
        }
        for cluster in self.clusters().filter(|cluster| cluster.table == LIVE) {
            let kind = DeviceKind::ChipReader { cluster };
            commands.push(HouseCommand::Enrol { device: CHIP_READER, kind, second: None });
        }
        let founder = |(id, roles): (u32, &[Role])| Founder {
            person: PersonId(id),
            name: format!("Person {id}"),
            roles: Roles::of(roles),
        };
        commands.push(HouseCommand::Found { people: STAFF.into_iter().map(founder).collect() });
        let mut house = House::new(self.profile.clone(), false);
        let entry = |(sequence, command)| {
            let request = CommandRequest {
                time: Time(BEGIN),
                actor: Actor::System,
                id: CommandId { source: 1, sequence },
                command,
            };
            let Decision::Accepted(event) = house.decide(&request) else { panic!("{request:?} is refused") };
            let entry = Entry { request, outcome: Ok(event) };
            house.apply(&entry);
            let mut bytes = Vec::new();
            encode(&entry, &mut bytes);
            bytes
        };
        (1..).zip(commands).map(entry).collect()
    }
}
