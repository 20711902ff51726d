//! A script's run for programs: one JSON object a line of the script, in the spelling of the record.

use std::io::Write;

use serde::Serialize;
use serde_json::Value;
use taisai_record::SettlementSheet;
use taisai_rules::{Dice, Game};
use taisai_table::{CommandRequest, Entry, MachineEntry, Refusal, RoundNumber, Time, Verdict};

use super::balances::Balances;
use super::script::Fault;
use super::stage::Answer;

/// A line of the script and what it brought.
#[derive(Serialize)]
pub(super) struct StepLine<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
    pub(super) time: Time,
    /// How what it asks was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Verdict>,
    /// What was recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sheets: Vec<SheetOf<'a>>,
    /// Of an expectation: whether it is met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) met: Option<bool>,
    /// What is found in place of what was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<String>,
}

/// The sheet of a round.
#[derive(Serialize)]
pub(super) struct SheetOf<'a> {
    pub(super) round: RoundNumber,
    pub(super) dice: Dice,
    #[serde(flatten)]
    pub(super) sheet: &'a SettlementSheet,
}

/// An entry of the record: as it was asked, and its event or refusal.
#[derive(Serialize)]
struct EntryLine<'a, C, E> {
    machine: &'static str,
    #[serde(flatten)]
    asked: &'a CommandRequest<C>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a E>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Refusal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paragraphs: Vec<&'a str>,
}

pub(super) fn answer(answer: Answer) -> Verdict {
    answer.map_or_else(Verdict::Refused, |()| Verdict::Accepted)
}

/// The entries of a step.
pub(super) fn entries(game: &Game, record: &[MachineEntry]) -> anyhow::Result<Vec<Value>> {
    let value = |entry: &MachineEntry| match entry {
        MachineEntry::Round(_, entry) => value(game, "round", entry),
        MachineEntry::Cluster(_, entry) => value(game, "cluster", entry),
        MachineEntry::House(entry) => value(game, "house", entry),
    };
    Ok(record.iter().map(value).collect::<Result<_, _>>()?)
}

fn value<C: Serialize, E: Serialize>(
    game: &Game,
    machine: &'static str,
    entry: &Entry<C, E>,
) -> serde_json::Result<Value> {
    let refusal = entry.outcome.as_ref().err().copied();
    let paragraphs = refusal.map_or(&[][..], |refusal| refusal.paragraphs(game));
    serde_json::to_value(EntryLine {
        machine,
        asked: &entry.request,
        event: entry.outcome.as_ref().ok(),
        refusal,
        paragraphs: paragraphs.iter().map(taisai_rules::Paragraph::text).collect(),
    })
}

/// Prints an object on a line of its own.
pub(super) fn line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")?;
    Ok(())
}

#[derive(Serialize)]
struct End<'a> {
    balances: &'a Balances,
}

/// The last line.
pub(super) fn end(out: &mut impl Write, balances: &Balances) -> anyhow::Result<()> {
    line(out, &End { balances })
}

#[derive(Serialize)]
struct FaultLine<'a> {
    fault: FaultAt<'a>,
}

#[derive(Serialize)]
struct FaultAt<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

/// A fault of the script, or of its profile.
pub(super) fn fault(out: &mut impl Write, file: &str, fault: &Fault) -> anyhow::Result<()> {
    let Fault { line: number, column, message, .. } = fault;
    line(out, &FaultLine { fault: FaultAt { file, line: *number, column: *column, message } })
}
