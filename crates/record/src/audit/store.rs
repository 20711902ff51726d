//! The audit of a store with its files: the anchor, the store's table of chains, and the chains themselves. The result
//! is one sheet.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use taisai_journal::{Anchor, AnchorContent, AnchorError, Archive, ChainHead, Hash, PublicKey, ReadError};

use super::{Audit, AuditedChain, Auditor, ChainSummary};
use crate::finding::AuditFinding;
use crate::opening::{ChainOpening, MachineSetup, Program};
use crate::settlement::chain_genesis;
use crate::sheet::RecordLabel;
use crate::store::StoreError;

/// Why a store cannot be audited.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// Its anchor cannot be read.
    #[error(transparent)]
    Anchor(AnchorError),
    /// It cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// There is nothing in it.
    #[error("the store is empty: there is nothing to verify")]
    Empty,
}

/// Shows the progress of an audit.
pub trait AuditProgress: Sync {
    /// The audit starts, with this many blocks.
    fn begins(&self, blocks: u64);

    /// One block is done.
    fn block(&self);
}

/// A store that was audited.
#[derive(Debug)]
pub struct StoreAudit {
    /// What was found.
    pub audit: Audit,
    /// Whose it is; none where no chain has a beginning.
    pub mark: Option<RecordLabel>,
    /// What the anchor holds; none without one, or if it is damaged.
    pub anchor: Option<AnchorContent>,
}

impl StoreAudit {
    /// Audits a store with at most `threads` threads. Checkpoints must be signed with one of the keys; without keys,
    /// each is only checked against its own.
    pub fn new(
        threads: usize,
        open: &(dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Sync),
        keys: &[PublicKey],
        anchor: Option<&Path>,
        program: &Program,
        waits: &dyn AuditProgress,
    ) -> Result<Self, AuditError> {
        let (anchor, mut found) = match anchor.map(Anchor::read).transpose() {
            Ok(content) => (content, Vec::new()),
            Err(damaged @ AnchorError::Damaged { .. }) => (None, vec![AuditFinding::from(damaged)]),
            Err(error @ (AnchorError::Io { .. } | AnchorError::Broken { .. })) => {
                return Err(AuditError::Anchor(error));
            }
        };
        let anchored = anchor.as_ref().map_or(&[][..], |content| &content.lines);
        let mut archive = open()?;
        let (mark, audit) = match archive.heads() {
            Ok(heads) if found.is_empty() && anchored.is_empty() && heads.iter().all(|head| head.next == 0) => {
                return Err(AuditError::Empty);
            }
            Ok(heads) => {
                found.extend(AuditFinding::of_store(&mut *archive, &heads).map_err(AuditError::Read)?);
                waits.begins(heads.iter().map(|head| head.next).sum());
                let mut audit =
                    Auditor { keys, anchored, program }.audit_by(threads, open, &heads, &|| waits.block())?;
                audit.between.splice(..0, found);
                (mark(&mut *archive, &heads), audit)
            }
            // Without heads there is nothing to compare the chains with.
            Err(damaged @ ReadError::Head { .. }) => {
                found.push(damaged.into());
                (None, Audit { between: found, ..Audit::default() })
            }
            Err(error @ (ReadError::Damaged { .. } | ReadError::Failed(_))) => return Err(AuditError::Read(error)),
        };
        Ok(Self { audit, mark, anchor })
    }

    /// The finding that the store failed, if it did: the audit says nothing then.
    pub fn failure(&self) -> Option<&AuditFinding> {
        self.audit.findings().find(|finding| finding.is_of_store())
    }

    /// The chains that are well.
    pub fn counted(&self) -> impl Iterator<Item = (&str, &ChainSummary)> {
        self.audit.chains.iter().filter_map(|chain| Some((chain.head.chain.as_str(), chain.result.as_ref().ok()?)))
    }

    /// What those chains were last opened with.
    pub fn openings(&self) -> impl Iterator<Item = (&str, &ChainOpening)> {
        self.counted().filter_map(|(chain, counted)| Some((chain, counted.opening.as_ref()?)))
    }

    /// What was found, on one sheet, by the program that verified.
    pub fn sheet(&self, program: &Program) -> AuditSheet {
        AuditSheet {
            house: self.mark.as_ref().map(|mark| mark.house.clone()),
            training: self.mark.as_ref().map(|mark| mark.is_training),
            ok: self.audit.findings().next().is_none(),
            chains: self.audit.chains.iter().map(ChainSheet::new).collect(),
            in_use: self.in_use(program),
            signers: self.signers().iter().map(ToString::to_string).collect(),
            findings: self.audit.findings().map(ToString::to_string).collect(),
            roll_back_checked: self.anchor.as_ref().is_some_and(|anchor| !anchor.lines.is_empty()),
        }
    }

    /// Programs, rules and profiles in use.
    pub fn in_use(&self, program: &Program) -> Vec<VersionInUse> {
        let mut found = BTreeSet::new();
        for (_, opening) in self.openings() {
            let hash = Hash::from_bytes(opening.program.hash);
            found.insert(("program", format!("version {}", opening.program.version), hash));
            if let (MachineSetup::Round { table, .. }, Some(hash), Ok(rules)) =
                (&opening.setup, opening.rules_hash(), opening.rules())
            {
                let (game, layout) = (rules.game(), rules.layout());
                let name = format!("{}@{} layout {}, table {}", game.id(), game.version(), layout.id(), table.0);
                found.insert(("rules", name, hash));
            }
            found.insert(("profile", opening.profile.name.clone(), opening.profile_hash()));
        }
        let here = format!("version {}, which verified", program.version);
        found.insert(("program", here, Hash::from_bytes(program.hash)));
        found.into_iter().map(|(what, name, hash)| VersionInUse { what, name, hash: hash.to_string() }).collect()
    }

    /// The keys that signed checkpoints, each once.
    pub fn signers(&self) -> Vec<PublicKey> {
        let mut signers: Vec<PublicKey> = Vec::new();
        for key in self.counted().flat_map(|(_, counted)| &counted.signers) {
            if !signers.contains(key) {
                signers.push(*key);
            }
        }
        signers
    }
}

/// Whose the record is, by the first chain that has a beginning.
fn mark(archive: &mut dyn Archive, heads: &[ChainHead]) -> Option<RecordLabel> {
    heads.iter().find_map(|head| chain_genesis(archive, &head.chain).ok()?).as_ref().map(RecordLabel::new)
}

/// What an audit found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditSheet {
    /// The casino's id; none where no chain has a beginning.
    pub house: Option<String>,
    /// Whether its record is for training.
    pub training: Option<bool>,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Its chains, by name.
    pub chains: Vec<ChainSheet>,
    /// Programs, rules and profiles in use.
    pub in_use: Vec<VersionInUse>,
    /// The keys that signed checkpoints.
    pub signers: Vec<String>,
    /// Everything that is wrong.
    pub findings: Vec<String>,
    /// Whether an anchor was there to be held against.
    pub roll_back_checked: bool,
}

/// A chain that was audited.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChainSheet {
    /// Its name.
    pub chain: String,
    /// How many blocks it has.
    pub blocks: u64,
    /// How many entries; none if something is wrong with it, as with all that follow.
    pub entries: Option<u64>,
    /// How many checkpoints.
    pub checkpoints: Option<u64>,
    /// The last round; none in the House too.
    pub rounds: Option<u64>,
    /// How many entries no checkpoint vouches for yet.
    pub unsigned: Option<u64>,
    /// What is wrong.
    pub found: Option<String>,
}

impl ChainSheet {
    fn new(chain: &AuditedChain) -> Self {
        let counted = chain.result.as_ref().ok();
        Self {
            chain: chain.head.chain.to_string(),
            blocks: chain.head.next,
            entries: counted.map(|counted| counted.entries),
            checkpoints: counted.map(|counted| counted.checkpoints),
            rounds: counted.and_then(|counted| counted.rounds),
            unsigned: counted.map(|counted| counted.unsigned),
            found: chain.result.as_ref().err().map(ToString::to_string),
        }
    }
}

/// A program, rules or a profile.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = InUse))]
pub struct VersionInUse {
    /// Which of them.
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// Its hash.
    pub hash: String,
}
