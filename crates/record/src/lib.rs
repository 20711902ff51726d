//! The record: joins the machines of a house to the chains of a journal. A command is decided and applied at once and its
//! entry is durable before anyone hears of it; a house is built again from its newest good snapshots and the entries since;
//! and whoever doubts it reads the chains, decides everything again and compares. It opens no socket and has no clock.

mod audit;
mod chain_status;
mod checkpointer;
mod evidence;
mod finding;
mod follower;
mod machine;
mod merge;
mod notices;
mod opening;
mod past;
mod record_store;
mod recorder;
mod replay;
mod settlement;
mod sheet;
mod store;
mod verify;

pub use audit::{
    Audit, AuditError, AuditProgress, AuditSheet, AuditedChain, Auditor, ChainSheet, ChainSummary, StoreAudit,
    VersionInUse,
};
pub use chain_status::{ChainStatus, CheckpointStatus, chain_statuses};
pub use checkpointer::{RecordWarning, WarningSink};
pub use evidence::{BadEvidenceFile, GatherError, ProvenRound, RoundEvidence, UnprovenRound};
pub use finding::AuditFinding;
pub use follower::{ChainFollower, FollowError};
pub use machine::RecordedMachine;
pub use merge::{MergeError, MergedTable, merge_chains};
pub use opening::{BadChainOpening, ChainOpening, MachineSetup, Program, chain_of, machine_of};
pub use past::past_slip;
pub use record_store::{RecordFiles, RecordStore, RecordStoreError};
pub use recorder::{ChainWriter, Recorder, RecordingStopped};
pub use replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent, ReplayState, SkippedSnapshot, first_opening};
pub use settlement::{
    ClusterSettlement, RegisteredWinner, RoundAct, RoundSettlement, SettlementChange, chain_genesis, round_settlement,
};
pub use sheet::{
    BadSheet, ChangeSheet, ClusterSheet, MoneyHolder, Movement, MovementReason, RecordLabel, RegisteredLine,
    RoundSheet, SettlementLine, SettlementSheet, StakeLine,
};
pub use store::{Address, StoreError};
pub use verify::{VerifiedChain, verify_chain};
