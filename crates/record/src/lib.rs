//! Machines over chains: the record joins the machines of an installation (`House`, `Round`, `Cluster`) to the chains of a
//! journal. It opens no socket and has no clock.
//!
//! - **Record.** [`RecordStore::open`] opens a store, and [`RecordStore::machine`] takes the chain of a machine and rebuilds
//!   the machine from its newest confirmed snapshot and the entries since. A [`Recorder`] decides and applies commands; a
//!   reply may leave once its entry is durable.
//! - **Read.** [`ChainReplay`] replays a chain, [`ChainFollower`] follows one that another program writes, and
//!   [`round_settlement`] finds one round, which [`RoundSheet`] shows.
//! - **Verify.** [`StoreAudit`] decides everything again and compares. [`RoundEvidence`] lets an outsider do so for one round.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use taisai_journal::ChainPurpose;
//! use taisai_record::{Address, MachineSetup, Program, RecordStore};
//! use taisai_table::{House, Profile, Time};
//!
//! # fn example(program: Program, profile: &Profile, now: Time) -> Result<(), Box<dyn std::error::Error>> {
//! let address = Address::Folder("/var/lib/taisai".into());
//! let files = address.files().ok_or("a database has no files of its own")?;
//! let warn = Arc::new(|warning| eprintln!("{warning}"));
//! let mut store = RecordStore::open(&address, &files, program, [7; 16], ChainPurpose::Real, warn)?;
//! let house = store.machine::<House>(MachineSetup::House { is_training: false }, profile, now)?;
//! drop(house);
//! store.close()?;
//! # Ok(())
//! # }
//! ```

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
mod people;
mod record_store;
mod recorder;
mod replay;
mod settlement;
mod sheet;
mod signers;
mod store;
mod transfers;
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
pub use past::{SlipReplay, UnusedSlip, kept_slip};
pub use record_store::{ReadMachine, RecordFiles, RecordStore, RecordStoreError};
pub use recorder::{ChainWriter, Recorder, RecordingStopped};
pub use replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent, ReplayState, SkippedSnapshot, first_opening};
pub use settlement::{
    ClusterSettlement, RegisteredWinner, RoundAct, RoundSettlement, SettlementChange, chain_genesis, round_settlement,
};
pub use sheet::{
    BadSheet, ChangeSheet, ClusterSheet, MoneyHolder, Movement, MovementReason, RecordLabel, RegisteredLine,
    RoundSheet, SettlementLine, SettlementSheet, StakeLine,
};
pub use store::{Address, StoreError, UnknownScheme};
pub use verify::{VerifiedChain, verify_chain};
