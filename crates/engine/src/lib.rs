//! One node of an installation as a deterministic program: partitions with their machines, the messages between them, and what is
//! held until it is durable. Time, chance and identity are inputs; appends, replies, views and messages are effects. There is no
//! thread, clock, chance, socket or database in this crate: the server drives it in real time, and the simulator in virtual time.

mod cluster;
mod effect;
mod house;
mod in_memory;
mod membership;
mod message;
mod outbox;
mod planted;
mod recorded;
mod report_queue;
mod roster;
mod round;
mod timer;
mod worker;

pub use cluster::{
    BelowView, BetView, ClusterInput, ClusterPartition, ClusterView, LastGame, LiveView, MessageView, RegisteringView,
    ReturnsView, SeatBet, SeatHealth, SeatPlace, SeatView, player_seats, seat_of,
};
pub use effect::{
    Append, CallerId, ConnectionId, Counts, Effect, Effects, NewestCommand, Reply, ReplyTo, ScreenChange, SeatChange,
    Topic,
};
pub use house::{
    ApprovalOnFile, AwaitedVouchers, ClaimOnFile, DeviceOnFile, EmployeeOnFile, HouseInput, HouseList, HousePartition,
    ListName, Numbered, ReceivableOnFile, SeatMoney, SignificantOnFile, TableOnFile, VoucherFate, VoucherOnFile,
    own_approvals,
};
pub use in_memory::{InMemoryBatch, InMemoryInstallation, WorkerPlacement};
pub use membership::{
    LeaseOutcome, LeaseStatement, LeaseTerms, Membership, MembershipEffect, MembershipInput, NodeTime,
};
pub use message::Message;
pub use outbox::{BatchNumber, Outbox};
pub use planted::Mistake;
#[cfg(feature = "planted")]
pub use planted::plant;
pub use recorded::EntryBuffer;
pub use roster::{NodeName, Roster, RosterLease, RosterNode};
pub use round::{PublicView, ResultView, RoundInput, RoundPartition, RoundStaffView, in_play, is_lit};
pub use worker::{Input, Partition, Worker, WorkerStop};
