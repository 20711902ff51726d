//! People and terminals: each does one thing at a time, asks again under the same id when no reply comes, maybe at another node, and
//! receives the outcome.

mod dealer;
mod devices;
mod staff;
mod terminal;

use std::collections::BTreeMap;

use taisai_engine::{CallerId, ConnectionId};
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, HouseCommand, MachineId, RoundCommand, Seat, TableId, VoucherHash,
    VoucherNumber,
};

use crate::casino::{
    ATTENDANT, CASHIER, CHIP_READER, Casino, DEALER, LIVE, LIVE_DEALER, SEATS, SHIFT_MANAGER, SUPERVISOR, TERMINALS,
    acceptor, person, terminal as device,
};
use crate::clock::{BEGIN, SLOTS};
use crate::event::ClientRequest;
use crate::random::Random;
use crate::record::FollowedRecord;

/// How many vouchers players carry about.
const MAX_CARRIED_VOUCHERS: usize = 30;

/// Who someone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientRole {
    Terminal {
        cluster: ClusterId,
        seat: Seat,
    },
    Dealer {
        table: TableId,
    },
    /// Registers bets at a live table, for the Dealer.
    Registrar {
        table: TableId,
    },
    Supervisor {
        table: TableId,
    },
    /// The note acceptor at a terminal.
    NoteAcceptor {
        cluster: ClusterId,
        seat: Seat,
    },
    /// The chip reader of a live table.
    ChipReader {
        table: TableId,
    },
    Cashier,
    Attendant,
    ShiftManager,
}

/// How a terminal is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Cut,
    Connecting(ConnectionId),
    Connected(ConnectionId),
}

/// A request without a reply.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) ask: ClientRequest,
    /// The ids under which it was sent: one, unless someone makes a mistake.
    pub(crate) ids: Vec<CommandId>,
    /// How often it was sent again.
    pub(crate) retries: u32,
}

/// A person or a terminal.
#[derive(Debug)]
pub(crate) struct SimulatedPerson {
    pub(crate) role: ClientRole,
    source: u64,
    sequence: u64,
    /// The node that it sends to.
    pub(crate) node: usize,
    pub(crate) pending: Option<Pending>,
    pub(crate) link: Link,
    /// How often something was sent: an earlier timeout is of no account.
    pub(crate) attempt: u64,
    /// What was last accepted, for those who use an id again.
    last: Option<ClientRequest>,
}

/// A command and who asks.
#[derive(Clone, Debug)]
pub(crate) enum Intent {
    Round(TableId, RoundCommand),
    Cluster(ClusterId, ClusterCommand),
    House(HouseCommand),
}

/// Vouchers that were printed, as players carry them about.
#[derive(Debug, Default)]
pub(crate) struct Pocket(Vec<VoucherHash>);

impl Pocket {
    pub(crate) fn put(&mut self, hash: VoucherHash, random: &mut Random) {
        if self.0.len() < MAX_CARRIED_VOUCHERS {
            self.0.push(hash);
        } else {
            let index = random.index(MAX_CARRIED_VOUCHERS);
            self.0[index] = hash;
        }
    }

    /// One of them; now and then it stays in the pocket, to be tried again.
    fn take(&mut self, random: &mut Random) -> Option<VoucherHash> {
        if self.0.is_empty() {
            return None;
        }
        let index = random.index(self.0.len());
        Some(if random.percent(70) { self.0.swap_remove(index) } else { self.0[index] })
    }
}

/// What someone knows who decides what to do next.
pub(crate) struct Scene<'a> {
    pub(crate) record: &'a FollowedRecord,
    pub(crate) casino: &'a Casino,
    pub(crate) random: &'a mut Random,
    pub(crate) pocket: &'a mut Pocket,
    /// Whether numbers of vouchers are given out twice.
    pub(crate) reuses_numbers: bool,
}

impl Scene<'_> {
    /// A voucher's number: one that nobody had, or by chance one that is in use.
    fn new_voucher(&mut self) -> VoucherNumber {
        if self.reuses_numbers
            && self.random.one_in(8)
            && let Some(hash) = self.pocket.0.first()
        {
            return VoucherNumber { hash: *hash, digits: 0 };
        }
        let digits = u16::try_from(self.random.below(10_000)).unwrap_or(0);
        VoucherNumber { hash: VoucherHash(self.random.bytes()), digits }
    }
}

impl SimulatedPerson {
    fn new(role: ClientRole, number: u64) -> Self {
        Self {
            role,
            source: BEGIN * SLOTS + 900 + number * SLOTS,
            sequence: 0,
            node: 0,
            pending: None,
            link: Link::Cut,
            attempt: 0,
            last: None,
        }
    }

    pub(crate) const fn source(&self) -> u64 {
        self.source
    }

    pub(crate) fn actor(&self) -> Actor {
        match self.role {
            ClientRole::Terminal { cluster, seat } => Actor::Terminal { device: device(cluster, seat), seat },
            ClientRole::Dealer { table } | ClientRole::Registrar { table } => {
                Actor::Person(person(if table == LIVE { LIVE_DEALER } else { DEALER }))
            }
            ClientRole::NoteAcceptor { cluster, seat } => Actor::NoteAcceptor { device: acceptor(cluster, seat), seat },
            ClientRole::ChipReader { .. } => Actor::ChipReader(CHIP_READER),
            ClientRole::Supervisor { .. } => Actor::Person(person(SUPERVISOR)),
            ClientRole::Cashier => Actor::Person(person(CASHIER)),
            ClientRole::Attendant => Actor::Person(person(ATTENDANT)),
            ClientRole::ShiftManager => Actor::Person(person(SHIFT_MANAGER)),
        }
    }

    pub(crate) const fn next_id(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: self.source, sequence: self.sequence }
    }

    /// What it wants to do now, if anything.
    pub(crate) fn wish(&self, scene: &mut Scene<'_>) -> Option<Intent> {
        match self.role {
            ClientRole::Terminal { cluster, seat } => terminal::wish(cluster, seat, scene),
            ClientRole::Dealer { table } => dealer::wish(table, scene).map(|command| Intent::Round(table, command)),
            ClientRole::Registrar { table } => dealer::register(table, scene),
            ClientRole::NoteAcceptor { cluster, seat } => devices::note_acceptor(cluster, seat, scene),
            ClientRole::ChipReader { table } => devices::chip_reader(table, scene),
            ClientRole::Supervisor { table } => {
                staff::supervisor(table, scene).map(|command| Intent::Round(table, command))
            }
            ClientRole::Cashier => staff::cashier(scene),
            ClientRole::Attendant => staff::attendant(scene),
            ClientRole::ShiftManager => staff::shift_manager(scene),
        }
    }

    /// A command for what it wants.
    pub(crate) fn ask(&mut self, wish: Intent) -> ClientRequest {
        let (actor, id) = (self.actor(), self.next_id());
        match wish {
            Intent::Round(table, command) => ClientRequest::Round { table, actor, id, command },
            Intent::Cluster(cluster, command) => ClientRequest::Cluster { cluster, actor, id, command },
            Intent::House(command) => ClientRequest::House { actor, id, command },
        }
    }

    /// The same id for another command to the same machine.
    pub(crate) fn reuse(&mut self) -> Option<ClientRequest> {
        let mut ask = self.last.take()?;
        match &mut ask {
            ClientRequest::Round { command, .. } => *command = RoundCommand::UseDice { dice_set: 987_654 },
            ClientRequest::Cluster { command, .. } => *command = ClusterCommand::Clear { seat: Seat(2) },
            ClientRequest::House { command, .. } => *command = HouseCommand::Acknowledge { event: 987_654 },
            ClientRequest::Connect { .. } | ClientRequest::Disconnect { .. } | ClientRequest::Voucher { .. } => {
                return None;
            }
        }
        Some(ask)
    }

    /// Ends the pending request, as its reply has come.
    pub(crate) fn end_pending(&mut self) -> Option<Pending> {
        let pending = self.pending.take()?;
        // A terminal that connects waits for that.
        if !matches!(self.link, Link::Connecting(_)) {
            self.attempt += 1;
        }
        if pending.ask.id().is_some_and(|id| id.sequence == self.sequence) {
            self.last = Some(pending.ask.clone());
        }
        Some(pending)
    }

    /// How long it thinks, in milliseconds.
    pub(crate) const fn pause(&self, random: &mut Random) -> u64 {
        match self.role {
            ClientRole::Terminal { .. } => random.between(300, 1_500),
            ClientRole::Dealer { .. } => random.between(150, 700),
            ClientRole::Supervisor { .. } | ClientRole::ChipReader { .. } => random.between(1_000, 5_000),
            ClientRole::NoteAcceptor { .. } => random.between(4_000, 15_000),
            ClientRole::Registrar { .. } | ClientRole::Cashier => random.between(300, 1_200),
            ClientRole::Attendant | ClientRole::ShiftManager => random.between(1_000, 4_000),
        }
    }
}

/// Who waits for a reply, and to what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitingCaller {
    pub(crate) person: usize,
    pub(crate) machine: MachineId,
    pub(crate) id: Option<CommandId>,
}

/// Everyone.
#[derive(Debug)]
pub(crate) struct SimulatedPeople {
    pub(crate) everyone: Vec<SimulatedPerson>,
    callers: BTreeMap<CallerId, WaitingCaller>,
    connections: BTreeMap<ConnectionId, usize>,
    next: u64,
    pub(crate) pocket: Pocket,
    /// Nobody begins anything new.
    pub(crate) are_quiet: bool,
    pub(crate) replies: u64,
}

impl SimulatedPeople {
    pub(crate) fn new(casino: &Casino) -> Self {
        let mut roles = vec![ClientRole::Cashier, ClientRole::Attendant, ClientRole::ShiftManager];
        for plan in &casino.tables {
            let table = plan.table;
            roles.extend([ClientRole::Dealer { table }, ClientRole::Supervisor { table }]);
        }
        if casino.tables.iter().any(|plan| plan.table == LIVE) {
            roles.extend([ClientRole::Registrar { table: LIVE }, ClientRole::ChipReader { table: LIVE }]);
        }
        for cluster in casino.clusters().filter(|cluster| cluster.table == TERMINALS) {
            roles.extend((1..SEATS).map(|seat| ClientRole::Terminal { cluster, seat: Seat(seat) }));
            roles.extend((1..SEATS).map(|seat| ClientRole::NoteAcceptor { cluster, seat: Seat(seat) }));
        }
        Self {
            everyone: (1..).zip(roles).map(|(number, role)| SimulatedPerson::new(role, number)).collect(),
            callers: BTreeMap::new(),
            connections: BTreeMap::new(),
            next: 0,
            pocket: Pocket::default(),
            are_quiet: false,
            replies: 0,
        }
    }

    pub(crate) fn new_caller(&mut self, caller: WaitingCaller) -> CallerId {
        self.next += 1;
        self.callers.insert(CallerId(self.next), caller);
        CallerId(self.next)
    }

    pub(crate) fn new_connection(&mut self, person: usize) -> ConnectionId {
        self.next += 1;
        self.connections.insert(ConnectionId(self.next), person);
        ConnectionId(self.next)
    }

    pub(crate) fn caller(&self, caller: CallerId) -> Option<WaitingCaller> {
        self.callers.get(&caller).copied()
    }

    pub(crate) fn forget(&mut self, caller: CallerId) {
        self.callers.remove(&caller);
    }

    pub(crate) fn connection(&self, connection: ConnectionId) -> Option<usize> {
        self.connections.get(&connection).copied()
    }
}
