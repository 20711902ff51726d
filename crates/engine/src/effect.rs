//! What comes of inputs: bytes to append, and what may leave once they are durable.

use taisai_table::{ClusterId, HouseEvent, MachineId, Refusal, RoundNumber, Seat, Time, Verdict};

use crate::cluster::{ClusterView, SeatView};
use crate::house::{HouseList, VoucherFate};
use crate::message::Message;
use crate::recorded::EntryBuffer;
use crate::round::{PublicView, ResultView, RoundStaffView};

/// A caller that waits for a reply, numbered by the host of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerId(pub u64);

/// A screen's connection, as the host of the engine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// Where the reply to a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyTo {
    /// To a caller who waits for this reply alone.
    Caller(CallerId),
    /// To the terminal that asks, with its seat as it stands then. The number is the terminal's own.
    Seat(u64),
    /// Nobody waits.
    Nobody,
}

/// The reply to a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Whether it was carried out.
    pub verdict: Verdict,
    /// Whether it was answered before, when the command was sent first.
    pub is_repeated: bool,
    /// What the House decided, where accepted or refused does not say it all.
    pub event: Option<Box<HouseEvent>>,
}

/// The numbers of a screen's commands, so that a screen that has lost count can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestCommand {
    /// The source of its commands.
    pub source: u64,
    /// The newest number of the source that is known; zero if there is none.
    pub sequence: u64,
}

impl NewestCommand {
    /// With what another machine knows.
    #[must_use]
    pub fn and(self, sequence: u64) -> Self {
        Self { sequence: self.sequence.max(sequence), ..self }
    }
}

/// Screens that follow a table or the House, by what they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// What anyone at the table may see.
    Public,
    /// What its staff see beside it.
    Staff,
    /// What the pit sees of the House.
    Pit,
    /// What the cage sees of the House.
    Cage,
    /// What auditors see of the House.
    Audit,
}

/// What leaves once the batch that it rests on is durable.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// A caller's command was decided.
    Reply(CallerId, Reply),
    /// Everything decided before the matching [`Input::ReadBarrier`](crate::Input::ReadBarrier) is durable.
    ReadBarrier(CallerId),
    /// A caller waited for the voucher of a cash-out.
    Voucher(CallerId, VoucherFate),
    /// A message to a partition of another thread or node.
    Send(Message),
    /// Screens are shown something.
    Publish(ScreenChange),
    /// The slip of a round that is over is read from the record.
    ReadSlip {
        cluster: ClusterId,
        round: RoundNumber,
        /// What the cluster knows it by.
        digest: [u8; 32],
    },
    /// A cluster does not follow its round in time: another node takes it.
    Seize(ClusterId),
}

/// What changes on screens.
#[derive(Debug, PartialEq)]
pub enum ScreenChange {
    /// The seat of a terminal that is connected, and replies to its commands.
    Seat(Box<SeatChange>),
    /// A terminal is connected: it is shown everything.
    SeatConnected {
        /// The seat's cluster.
        cluster: u16,
        seat: Seat,
        connection: ConnectionId,
        /// When.
        time: Time,
        /// The numbers of its commands.
        counted: NewestCommand,
        /// The seat as it stands.
        view: Box<SeatView>,
    },
    /// A screen follows topics from now on: it is shown how they stand.
    Subscribed {
        connection: ConnectionId,
        topics: Vec<Topic>,
        /// When.
        time: Time,
        /// The numbers of its commands, where it sends any.
        counted: Option<NewestCommand>,
    },
    /// A connection ends.
    Cut(ConnectionId),
    /// The table as anyone sees it.
    Public(Box<PublicView>),
    /// The last results, the newest first; sent at the start, and when they are not just the former ones and one new.
    Results(Vec<ResultView>),
    /// What the table's staff see of the dealer's side.
    RoundStaff(Box<RoundStaffView>),
    /// What the table's staff see of a cluster; nothing where it is not known any more.
    ClusterStaff(u16, Option<Box<ClusterView>>),
    House(HouseList),
}

/// A seat as its terminal is shown it, after replies.
#[derive(Debug, Default, PartialEq)]
pub struct SeatChange {
    /// The seat's cluster.
    pub cluster: u16,
    /// The connection of its terminal.
    pub connection: ConnectionId,
    /// Replies to the terminal's commands, by their numbers.
    pub replies: Vec<(u64, Reply)>,
    /// The seat as it stands.
    pub view: SeatView,
}

impl Default for ConnectionId {
    /// No connection has it.
    fn default() -> Self {
        Self(u64::MAX)
    }
}

/// Entries of a partition, to be appended to its chain after all appends before it.
#[derive(Debug)]
pub struct Append {
    pub partition: MachineId,
    pub entries: EntryBuffer,
}

/// What is counted for those who watch the installation.
#[derive(Debug, Default)]
pub struct Counts {
    /// Bets placed.
    pub bets: u64,
    /// Rounds settled or void.
    pub rounds: u64,
    /// Commands refused.
    pub refusals: Vec<Refusal>,
    /// Terminals that came, less those that went.
    pub terminals: i64,
    /// Whether invariants were checked, and held.
    pub are_sound: Option<bool>,
}

/// What a batch of inputs leads to. It is used again for the next batch, with its memory.
#[derive(Debug, Default)]
pub struct Effects {
    /// In the order in which they must become durable.
    pub appends: Vec<Append>,
    /// What may leave once all appends are durable, in order.
    pub held: Vec<Effect>,
    /// Partitions whose state is vouched for as it stands after the appends.
    pub checkpoints: Vec<MachineId>,
    /// What is counted.
    pub counts: Counts,
    /// Messages that have no way yet: to a partition of this worker, or elsewhere.
    pub(crate) messages: Vec<Message>,
    spare_buffers: Vec<EntryBuffer>,
    #[expect(clippy::vec_box, reason = "the boxes are used again")]
    spare_seats: Vec<Box<SeatChange>>,
}

impl Effects {
    pub(crate) fn publish(&mut self, change: ScreenChange) {
        self.held.push(Effect::Publish(change));
    }

    pub(crate) fn send(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Replies to a caller, unless nobody waits. Replies to a terminal go with its seat.
    pub(crate) fn reply(&mut self, to: ReplyTo, reply: Reply) {
        match to {
            ReplyTo::Caller(caller) => self.held.push(Effect::Reply(caller, reply)),
            ReplyTo::Seat(_) | ReplyTo::Nobody => {}
        }
    }

    /// Takes entries over for the next append.
    pub(crate) fn append(&mut self, partition: MachineId, entries: &mut EntryBuffer) {
        if !entries.is_empty() {
            let spare = self.spare_buffers.pop().unwrap_or_default();
            self.appends.push(Append { partition, entries: std::mem::replace(entries, spare) });
        }
    }

    pub(crate) fn new_seat_change(&mut self) -> Box<SeatChange> {
        self.spare_seats.pop().unwrap_or_default()
    }

    /// The appends were handed over: their buffers are used again.
    pub fn appended(&mut self) {
        for mut append in self.appends.drain(..) {
            append.entries.clear();
            self.spare_buffers.push(append.entries);
        }
    }

    /// An effect has left: its memory is used again.
    pub fn left(&mut self, effect: Effect) {
        if let Effect::Publish(ScreenChange::Seat(mut seat)) = effect
            && self.spare_seats.len() < MAX_SPARE_SEATS
        {
            seat.replies.clear();
            seat.view.clear();
            self.spare_seats.push(seat);
        }
    }
}

/// How many views of seats are kept for reuse.
const MAX_SPARE_SEATS: usize = 2_048;
