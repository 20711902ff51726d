//! The record: joins the machines of a house to the chains of a journal. A command is decided and applied at once and its
//! entry is durable before anyone hears of it; a house is built again from its newest good snapshots and the entries since;
//! and whoever doubts it reads the chains, decides everything again and compares. It opens no socket and has no clock.

mod audit;
mod book;
mod evidence;
mod finding;
mod follower;
mod keeper;
mod machine;
mod merge;
mod notices;
mod opening;
mod past;
pub mod projection;
mod recorder;
mod replay;
mod settlement;
mod sheet;
mod standing;
mod store;
mod verify;

pub use audit::{Audit, AuditError, AuditSheet, Audited, Auditor, ChainSheet, Counted, InUse, StoreAudit, Waits};
pub use book::{Book, BookError, Files};
pub use evidence::{BadFile, Evidence, NoEvidence, Proven, Unproven};
pub use finding::Finding;
pub use follower::{FollowError, Follower};
pub use keeper::{Warn, Warning};
pub use machine::Machine;
pub use merge::{Merged, NotMerged, merge};
pub use opening::{BadOpening, Opening, Program, Setup, chain_of, machine_of};
pub use past::{Played, last_games, slip};
pub use recorder::{ChainWriter, NotRecorded, Recorder};
pub use replay::{At, Replay, ReplayError, Seen, SkippedSnapshot, first_opening};
pub use settlement::{Act, Changed, Registered, Settled, Settlement, beginning, settlement};
pub use sheet::{
    BadSheet, ChangeSheet, ClusterSheet, Mark, Moved, Movement, Purse, RegisteredLine, RoundSheet, Sheet, SheetLine,
    StakeLine,
};
pub use standing::{Standing, Vouching, standings};
pub use store::{Address, StoreError};
pub use verify::{Verified, verify_chain};
