//! The state machines of a casino: [`Round`] is the dealer's side of a table, [`Cluster`] the players' side, and [`House`]
//! keeps people, devices and money outside the tables.
//!
//! A command arrives as a [`CommandRequest`] with time, actor and id. `decide` gives a [`Decision`], an event or a
//! [`Refusal`], and changes nothing. `apply` takes the resulting [`Entry`] and changes the state. The same entries give the
//! same state everywhere: there is no clock, no chance, no I/O and no float in this crate.
//!
//! Start with [`Machine`], then with the commands: [`RoundCommand`], [`ClusterCommand`], [`HouseCommand`].

mod cluster;
mod codec;
mod entry;
mod event_outbox;
mod house;
mod identity;
mod in_transit;
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
mod sensitive;
mod sources;
mod text;
mod transfer;

pub use cluster::{
    Adjustment, BadKeptSlip, Betting, BuyIn, CashOut, Chips, Cluster, ClusterCommand, ClusterEvent, ClusterLedger,
    ColourSet, FilmLine, FilmReturns, Meters, OverDifferential, PayLine, PayList, PlayerMessage, PlayerNotice,
    RejectedStake, RequiredRegistration, SettledSlip, Slip, SlipLine, SlipTotals, Stacker, Stake, Stakes, TickedOff,
};
pub use codec::{BadBytes, ClusterEntry, FORMAT_VERSION, HouseEntry, RoundEntry, decode, encode, entry_time};
pub use entry::{CommandRequest, Decision, Entry};
pub use house::{
    Account, Acknowledgement, Approval, ApprovalAnswer, ApprovalId, Claim, ClaimAttendant, ClaimId, ClaimOrigin,
    Device, DeviceKind, Employee, ExpiredVoucher, Founder, House, HouseCommand, HouseEvent, HouseTable, KeyFingerprint,
    KeysInUse, MAX_OPEN_APPROVALS, MAX_SIGNIFICANT_EVENTS, PaidAt, PaidClaim, Receivable, ReceivableId,
    ReceivableRuling, Redeemer, ReportedEvent, SecretOwner, SetOff, SignerKey, SignificantEvent, SignificantEventKind,
    Voucher, VoucherOrigin, VoucherState,
};
pub use identity::{
    Actor, ClusterId, CommandId, DeviceId, MachineId, Person, PersonId, Receipt, Role, Roles, RoundNumber, Seat,
    SessionId, TableId, Time,
};
pub use in_transit::{cents_in_transit, check_transit};
pub use invariant::BrokenInvariant;
pub use machine::Machine;
pub use machines::{BadTableSpec, MachineEntry, Machines, MachinesSnapshot, RoundAndClusters, TableSpec};
pub use profile::{Act, BetsCloser, ExcessPolicy, Law, Profile, Right, Shift};
pub use recent::{RecentCommands, Verdict};
pub use refusal::Refusal;
pub use round::{
    Concealed, MIN_TUMBLES, Notice, PastRound, Phase, Position, Round, RoundCommand, RoundEvent, RoundStanding, Ruling,
    Unwitnessed, VoidReason,
};
pub use rules::{LimitEntry, LimitRange, NotALiveTable, Registration, TableLimits, TableRules};
pub use sensitive::{PasswordRule, Sensitive};
pub use transfer::{ClaimReason, Transfer, TransferPurpose, VoucherHash, VoucherNumber, VoucherSerial};
