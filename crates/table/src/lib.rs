//! The table: rounds, limits, irregularities and money as three state machines, [`Round`], [`Cluster`] and [`House`]. Each
//! decides a command against its state, with time, dice and identity given to it, and applies what was decided. The same
//! entries give the same state on every machine. There is no clock, no chance, no I/O and no float in this crate.

mod between;
mod cluster;
mod codec;
mod entry;
mod house;
mod identity;
mod invariant;
mod machine;
mod machines;
#[cfg(feature = "openapi")]
mod openapi;
mod past;
mod profile;
mod profile_file;
mod recent;
mod refusal;
mod round;
mod rules;
mod sources;
mod text;
mod transfer;

pub use between::{on_its_way, transit_is_on_its_way};
pub use cluster::{
    Adjustment, AskedFor, Betting, BuyIn, CashOut, Chips, Cluster, ClusterCommand, ClusterEvent, ColourSet, Cut,
    FilmLine, Ledger, Meters, OverDifferential, PayLine, PayList, PlayerMessage, Returns, Slip, SlipLine, Stacker,
    Stake, Stakes, TickedOff, Told, Totals,
};
pub use codec::{BadBytes, ClusterEntry, HouseEntry, RoundEntry, VERSION, decode, encode, time_of};
pub use entry::{Asked, Decision, Entry};
pub use house::{
    Account, Acknowledged, Answer, Approval, ApprovalId, Claim, ClaimId, ClaimOrigin, Device, DeviceKind, Employee,
    ExpiredVoucher, Founder, Happening, House, HouseCommand, HouseEvent, HouseTable, KEPT_SIGNIFICANT, MOST_APPROVALS,
    PaidAt, PaidClaim, Receivable, ReceivableId, ReceivableRuling, Redeemer, Report, SetOff, Significant, TakenBy,
    Voucher, VoucherOrigin, VoucherState,
};
pub use identity::{
    Actor, ClusterId, CommandId, DeviceId, MachineId, Person, PersonId, Receipt, Role, Roles, RoundNumber, Seat,
    SessionId, TableId, Time,
};
pub use invariant::Broken;
pub use machine::Machine;
pub use machines::{BadPlan, Machines, Plan, Recorded, Snapshot, Table};
pub use profile::{Act, Closes, Excess, Law, Profile, Right, Shift};
pub use recent::{Content, Known, Latest, Recent, Verdict};
pub use refusal::Refusal;
pub use round::{
    Concealed, Notice, PastRound, Phase, Position, Round, RoundCommand, RoundEvent, RoundStanding, Ruling, TUMBLES,
    Unwitnessed, VoidReason,
};
pub use rules::{LimitEntry, LimitRange, NoLiveTable, Registration, TableLimits, TableRules};
pub use transfer::{ClaimReason, Purpose, Transfer, VoucherHash, VoucherNumber, VoucherSerial};
