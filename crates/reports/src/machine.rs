//! What all three machines' scribes have in common. A scribe reads entries before they are applied, and what they have changed
//! off the machine afterwards, so that nothing is settled or booked a second time in other words.

use std::sync::Arc;

use taisai_table::{Actor, RoundNumber, Time};

use super::batch::{Batch, EntryTime, ReportEvent};
use super::gaming_day::{BadDay, Days};
use taisai_record::ChainOpening;
use taisai_record::RecordedMachine;
use taisai_record::{EntryPosition, ReplayEvent};

/// Why an entry cannot be projected.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EntryError {
    /// Its day cannot be told.
    #[error(transparent)]
    Day(#[from] BadDay),
    /// A round's lines do not come to its totals.
    #[error("the lines of round {} do not come to the totals that are recorded", .0.0)]
    Totals(RoundNumber),
}

/// Reads the entries of one machine.
pub(super) trait ProjectedMachine: RecordedMachine {
    /// What is remembered from one entry to the next. After a block it depends on the machine alone.
    type Notes: Send;

    fn notes(&self, context: &ChainContext) -> Self::Notes;
    /// A program begins to write.
    fn opened(context: &mut ChainContext, when: &EntryTime, opening: &ChainOpening, batch: &mut Batch);
    /// An entry, with the machine before it.
    fn entry(
        &self,
        context: &mut ChainContext,
        notes: &mut Self::Notes,
        when: EntryTime,
        entry: &taisai_table::Entry<Self::Command, Self::Event>,
        batch: &mut Batch,
    ) -> Result<(), EntryError>;
    /// The entry before is applied.
    fn applied(&self, context: &mut ChainContext, notes: &mut Self::Notes, batch: &mut Batch);
}

/// What every scribe has at hand.
#[derive(Debug)]
pub(super) struct ChainContext {
    pub(super) chain: Arc<str>,
    days: Days,
}

impl ChainContext {
    pub(super) fn new(chain: &str, opening: &ChainOpening) -> Result<Self, BadDay> {
        Ok(Self { chain: chain.into(), days: Days::of(&opening.profile)? })
    }

    fn when(&mut self, at: EntryPosition, time: Time) -> Result<EntryTime, BadDay> {
        EntryTime::new(&self.chain, at, time, &mut self.days)
    }

    /// Looks at what a replay shows.
    pub(super) fn see<M: ProjectedMachine>(
        &mut self,
        notes: &mut M::Notes,
        seen: &ReplayEvent<'_, M>,
        batch: &mut Batch,
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

/// An event of someone's.
pub(super) fn event_by(kind: &str, actor: Actor) -> ReportEvent {
    let device = actor.device().map(|device| device.0);
    let person = actor.person().map(|person| person.id.0);
    ReportEvent { kind: Some(kind.into()), person, device, ..ReportEvent::default() }
}
