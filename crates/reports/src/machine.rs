//! What the projections of all three machines share. An entry is read before it is applied, and its effects are read
//! from the machine afterwards, so that settling and booking are not written a second time.

use std::sync::Arc;

use taisai_table::{Actor, RoundNumber, Time};

use super::batch::{EntryTime, ReportEvent, SqlBatch};
use super::gaming_day::{BadDay, GamingDays};
use taisai_record::ChainOpening;
use taisai_record::RecordedMachine;
use taisai_record::{EntryPosition, ReplayEvent};

/// Why an entry cannot be projected.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EntryError {
    /// Its gaming day cannot be determined.
    #[error(transparent)]
    Day(#[from] BadDay),
    /// The lines of a round do not add up to its totals.
    #[error("the lines of round {} do not come to the totals that are recorded", .0.0)]
    Totals(RoundNumber),
}

/// A machine whose entries are projected.
pub(super) trait ProjectedMachine: RecordedMachine {
    /// What is kept from one entry to the next. After a block it depends on the machine alone.
    type Notes: Send;

    fn notes(&self, context: &ChainContext) -> Self::Notes;
    /// A program begins to write.
    fn opened(context: &mut ChainContext, when: &EntryTime, opening: &ChainOpening, batch: &mut SqlBatch);
    /// An entry, with the machine before it.
    fn entry(
        &self,
        context: &mut ChainContext,
        notes: &mut Self::Notes,
        when: EntryTime,
        entry: &taisai_table::Entry<Self::Command, Self::Event>,
        batch: &mut SqlBatch,
    ) -> Result<(), EntryError>;
    /// The entry before is applied.
    fn applied(&self, context: &mut ChainContext, notes: &mut Self::Notes, batch: &mut SqlBatch);
}

/// The chain that is projected, and its calendar.
#[derive(Debug)]
pub(super) struct ChainContext {
    pub(super) chain: Arc<str>,
    days: GamingDays,
}

impl ChainContext {
    pub(super) fn new(chain: &str, opening: &ChainOpening) -> Result<Self, BadDay> {
        Ok(Self { chain: chain.into(), days: GamingDays::of(&opening.profile)? })
    }

    fn when(&mut self, at: EntryPosition, time: Time) -> Result<EntryTime, BadDay> {
        EntryTime::new(&self.chain, at, time, &mut self.days)
    }

    /// Projects one event of a replay.
    pub(super) fn see<M: ProjectedMachine>(
        &mut self,
        notes: &mut M::Notes,
        seen: &ReplayEvent<'_, M>,
        batch: &mut SqlBatch,
    ) -> Result<(), EntryError> {
        match seen {
            ReplayEvent::Opening(at, opening) => {
                batch.time = batch.time.max(opening.time);
                let when = self.when(*at, opening.time)?;
                M::opened(self, &when, opening, batch);
            }
            ReplayEvent::Entry(at, machine, entry) => {
                machine.applied(self, notes, batch);
                batch.entries += 1;
                batch.time = entry.request.time;
                let when = self.when(*at, entry.request.time)?;
                machine.entry(self, notes, when, entry, batch)?;
            }
            ReplayEvent::Block(_, machine) => machine.applied(self, notes, batch),
            ReplayEvent::Checkpoint(..) => {}
        }
        Ok(())
    }
}

/// The event of a program that begins to write (F52).
pub(super) fn opening_event(opening: &ChainOpening, at: super::batch::Attribution) -> ReportEvent {
    let program = taisai_journal::Hash::from_bytes(opening.program.hash);
    let rules = opening.rules_hash().map_or_else(String::new, |hash| format!(", rules {hash}"));
    let (version, profile) = (&opening.program.version, opening.profile_hash());
    let detail = Some(format!("program {version} {program}{rules}, profile {} {profile}", opening.profile.name));
    ReportEvent { kind: Some("program-started".into()), at, detail, ..ReportEvent::default() }
}

/// An event with the person or device that caused it.
pub(super) fn event_by(kind: &str, actor: Actor) -> ReportEvent {
    let device = actor.device().map(|device| device.0);
    let person = actor.person().map(|person| person.id.0);
    ReportEvent { kind: Some(kind.into()), person, device, ..ReportEvent::default() }
}
