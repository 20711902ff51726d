//! What happens next: events by their time, and those of one moment in the order in which they were scheduled.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Arguments;

use taisai_engine::{CallerId, ConnectionId, Message, Reply, VoucherFate};
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, HouseCommand, MachineId, RoundCommand, RoundNumber, Seat, TableId,
    VoucherHash,
};

use crate::fault::Fault;
use crate::planted::Mistakes;
use crate::random::Random;
use crate::store::StatementOutcome;
use crate::trace::Trace;

/// Something that happens.
#[derive(Debug)]
pub(crate) enum Event {
    /// To a process of a node; to none where it has ended.
    Node { node: usize, process: u64, event: NodeEvent },
    /// A process is started.
    Start { node: usize },
    /// A frozen process goes on.
    Thaw { node: usize, process: u64 },
    /// A statement reaches the store.
    Statement { node: usize, number: u64 },
    /// A person or terminal acts, receives something, or has waited long enough.
    Person { person: usize, event: PersonEvent },
    /// The next fault is injected.
    Fault,
}

/// What happens to a process.
#[derive(Debug)]
pub(crate) enum NodeEvent {
    /// The membership's timer.
    Membership,
    /// A worker looks at its inputs and timers.
    Work { partition: MachineId, run: u64 },
    /// What came of a statement.
    Outcome { to: StatementPurpose, outcome: StatementOutcome },
    /// A message of another partition.
    Message(Message),
    /// A request of a person or terminal.
    Request(Box<PartitionRequest>),
    /// A slip was read, or could not be.
    Slip { cluster: ClusterId, round: RoundNumber, is_read: bool },
}

/// What a process has a statement for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementPurpose {
    Membership,
    Opening { partition: MachineId, run: u64 },
    Writer { partition: MachineId, run: u64 },
    Nobody,
}

/// A process that waits for a statement's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatementSender {
    pub(crate) node: usize,
    pub(crate) process: u64,
    pub(crate) to: StatementPurpose,
}

/// A request to a machine.
#[derive(Clone, Debug)]
pub(crate) struct PartitionRequest {
    pub(crate) caller: CallerId,
    pub(crate) what: ClientRequest,
    /// Whether another node has passed it on.
    pub(crate) is_forwarded: bool,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum ClientRequest {
    Round {
        table: TableId,
        actor: Actor,
        id: CommandId,
        command: RoundCommand,
    },
    Cluster {
        cluster: ClusterId,
        actor: Actor,
        id: CommandId,
        command: ClusterCommand,
    },
    House {
        actor: Actor,
        id: CommandId,
        command: HouseCommand,
    },
    /// A terminal connects.
    Connect {
        cluster: ClusterId,
        seat: Seat,
        connection: ConnectionId,
        source: u64,
    },
    Disconnect {
        cluster: ClusterId,
        seat: Seat,
        connection: ConnectionId,
    },
    /// A terminal waits for its voucher.
    Voucher {
        hash: VoucherHash,
    },
}

impl ClientRequest {
    /// The machine that the request is for.
    pub(crate) const fn machine(&self) -> MachineId {
        match self {
            Self::Round { table, .. } => MachineId::Round(*table),
            Self::Cluster { cluster, .. } | Self::Connect { cluster, .. } | Self::Disconnect { cluster, .. } => {
                MachineId::Cluster(*cluster)
            }
            Self::House { .. } | Self::Voucher { .. } => MachineId::House,
        }
    }

    /// The command's id.
    pub(crate) const fn id(&self) -> Option<CommandId> {
        match self {
            Self::Round { id, .. } | Self::Cluster { id, .. } | Self::House { id, .. } => Some(*id),
            Self::Connect { .. } | Self::Disconnect { .. } | Self::Voucher { .. } => None,
        }
    }
}

/// What happens to a person or terminal.
#[derive(Debug)]
pub(crate) enum PersonEvent {
    /// It may do something.
    Act,
    /// It has waited long enough for the reply to an attempt.
    Timeout {
        attempt: u64,
    },
    /// A caller is replied to.
    Reply {
        caller: CallerId,
        reply: Reply,
    },
    /// A terminal is replied to, by the number of its command.
    SeatReply {
        connection: ConnectionId,
        sequence: u64,
        reply: Reply,
    },
    /// A terminal is connected.
    Connected {
        connection: ConnectionId,
    },
    Cut {
        connection: ConnectionId,
    },
    /// What became of a voucher.
    Voucher {
        caller: CallerId,
        fate: VoucherFate,
    },
}

#[derive(Debug)]
struct Scheduled {
    at: u64,
    sequence: u64,
    event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

/// Time, chance, what is to happen and what has happened.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// True time, in milliseconds since the run began.
    pub(crate) now: u64,
    pub(crate) random: Random,
    queue: BinaryHeap<Reverse<Scheduled>>,
    sequence: u64,
    pub(crate) trace: Trace,
    pub(crate) faults: BTreeMap<Fault, u64>,
    pub(crate) mistakes: Mistakes,
    /// Events up to this time are counted.
    pub(crate) counts_until: u64,
    pub(crate) counted: u64,
}

impl Schedule {
    pub(crate) fn new(seed: u64, mistakes: Mistakes) -> Self {
        Self {
            now: 0,
            random: Random::new(seed),
            queue: BinaryHeap::new(),
            sequence: 0,
            trace: Trace::default(),
            faults: BTreeMap::new(),
            mistakes,
            counts_until: 0,
            counted: 0,
        }
    }

    pub(crate) fn at(&mut self, at: u64, event: Event) {
        self.sequence += 1;
        self.queue.push(Reverse(Scheduled { at: at.max(self.now), sequence: self.sequence, event }));
    }

    pub(crate) fn after(&mut self, millis: u64, event: Event) {
        self.at(self.now + millis, event);
    }

    /// The next event; time is then the event's.
    pub(crate) fn next(&mut self) -> Option<Event> {
        let Reverse(Scheduled { at, event, .. }) = self.queue.pop()?;
        self.now = at;
        self.counted += u64::from(at <= self.counts_until);
        Some(event)
    }

    /// What is to happen: the number, the time and the event, the earliest first.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = (u64, u64, &Event)> {
        let mut all: Vec<_> = self.queue.iter().map(|Reverse(scheduled)| scheduled).collect();
        all.sort_unstable();
        all.into_iter().map(|scheduled| (scheduled.sequence, scheduled.at, &scheduled.event))
    }

    /// How many events there have been.
    pub(crate) fn events(&self) -> u64 {
        self.sequence - u64::try_from(self.queue.len()).unwrap_or(0)
    }

    pub(crate) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }

    pub(crate) fn trace(&mut self, what: Arguments<'_>) {
        self.trace.line(self.now, what);
    }
}
