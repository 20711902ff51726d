//! Plays a script for programs: one JSON object for each line of the script, with entries as the record spells them.

use std::io::Write;

use serde::Serialize;
use serde_json::Value;
use taisai_record::SettlementSheet;
use taisai_rules::{Dice, Game};
use taisai_script::{Balances, LineOutcome, Narration, Playthrough, Script, ScriptFault};
use taisai_table::{CommandRequest, Entry, MachineEntry, Refusal, RoundNumber, Time, Verdict};

/// A line of the script and what came of it.
#[derive(Serialize)]
struct StepObject<'a> {
    line: usize,
    text: &'a str,
    time: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Verdict>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sheets: Vec<SheetObject>,
    /// Whether an expectation is met.
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
    /// What is so instead of what was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
}

#[derive(Serialize)]
struct SheetObject {
    round: RoundNumber,
    dice: Dice,
    #[serde(flatten)]
    sheet: SettlementSheet,
}

#[derive(Serialize)]
struct EntryObject<'a, C, E> {
    machine: &'static str,
    #[serde(flatten)]
    request: &'a CommandRequest<C>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a E>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Refusal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paragraphs: Vec<&'a str>,
}

/// Plays a script and prints an object for each of its lines, and one for the balances.
pub(super) fn play<'s>(script: &'s Script, out: &mut impl Write) -> anyhow::Result<Playthrough<'s>> {
    let mut playthrough = Playthrough::new(script)?;
    let game = playthrough.game();
    for line in script.lines().iter().filter(|line| !line.is_blank()) {
        let mut object = StepObject {
            line: line.number,
            text: line.text.trim(),
            time: playthrough.time(),
            answer: None,
            entries: Vec::new(),
            sheets: Vec::new(),
            met: None,
            found: None,
        };
        match playthrough.play(line)? {
            // The first line: what it sets up is what the record has before it.
            LineOutcome::NoStep => object.entries = entries(game, playthrough.entries())?,
            LineOutcome::Expected(found) => {
                object.met = Some(found.is_none());
                object.found = found;
            }
            LineOutcome::Played { narration, result, entries: recorded } => {
                object.answer = Some(result.map_or_else(Verdict::Refused, |()| Verdict::Accepted));
                object.entries = entries(game, recorded)?;
                object.sheets = narration.into_iter().filter_map(sheet).collect();
            }
        }
        object.time = playthrough.time();
        print_object(out, &object)?;
    }
    print_object(out, &EndObject { balances: &playthrough.balances() })?;
    out.flush()?;
    Ok(playthrough)
}

fn sheet(item: Narration) -> Option<SheetObject> {
    match item {
        Narration::Sheet { round, dice, sheet } => Some(SheetObject { round, dice, sheet }),
        Narration::Sentence(_) | Narration::Refusal(_) => None,
    }
}

fn entries(game: &Game, record: &[MachineEntry]) -> anyhow::Result<Vec<Value>> {
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
    serde_json::to_value(EntryObject {
        machine,
        request: &entry.request,
        event: entry.outcome.as_ref().ok(),
        refusal,
        paragraphs: paragraphs.iter().map(taisai_rules::Paragraph::text).collect(),
    })
}

fn print_object(out: &mut impl Write, object: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")?;
    Ok(())
}

#[derive(Serialize)]
struct EndObject<'a> {
    balances: &'a Balances,
}

#[derive(Serialize)]
struct FaultObject<'a> {
    fault: FaultFields<'a>,
}

#[derive(Serialize)]
struct FaultFields<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

/// Prints a fault of the script, or of its profile.
pub(super) fn fault(out: &mut impl Write, file: &str, fault: &ScriptFault) -> anyhow::Result<()> {
    let ScriptFault { line, column, message, .. } = fault;
    print_object(out, &FaultObject { fault: FaultFields { file, line: *line, column: *column, message } })
}
