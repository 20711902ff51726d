//! `taisai audit evidence` and `verify-evidence`: write and check the evidence of one round.

use std::fs::File;
use std::io::{Read as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use serde_json::json;
use taisai_journal::PublicKey;
use taisai_record::{MoneyHolder, ProvenRound, RoundEvidence, RoundSheet, chain_of, first_opening};
use taisai_rules::{Dice, Money};
use taisai_script::describe::void_reason;
use taisai_table::{MachineId, RoundNumber, RoundStanding};

use super::Store;
use super::show::{RoundReport, not_approved, waits};
use crate::args::RoundArgs;
use crate::output_file::OutputFile;
use crate::print::{BAD, GOOD, moment};
use crate::store;

/// Writes evidence of a round, after checking it.
pub(super) fn write(store: &Store, args: &RoundArgs, output: &Path, force: bool) -> anyhow::Result<bool> {
    if !force && output.exists() {
        bail!("{} exists already: --force overwrites it", output.display());
    }
    let written = OutputFile::new(output)?;
    let mut archive = store.archive()?;
    let (table, round) = (store::table(args.table, &archive.heads()?)?, RoundNumber(args.round));
    let opening = first_opening(&mut *archive, &chain_of(MachineId::Round(table)))?;
    let evidence = RoundEvidence::gather(&mut *archive, &store.keys, table, round)?;
    let bytes = evidence.to_bytes()?;
    if !store.keys.is_empty() {
        evidence
            .check(&store.keys, &super::program()?)
            .context("the evidence does not verify: run taisai audit verify")?;
    }
    let (file, length) = (output.display(), bytes.len());
    written.write(bytes)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "Evidence of round {} of table {}, {length} bytes, is in {file}. Check it with", round.0, table.0)?;
    let mut keys: Vec<_> = store.keys.iter().map(ToString::to_string).collect();
    if keys.is_empty() {
        keys.push("KEY".to_owned());
    }
    writeln!(out, "  taisai audit verify-evidence {file} --key {}", keys.join(" --key "))?;
    if let Some(why) = opening.and_then(|opening| opening.rules().ok()).and_then(|rules| not_approved(rules.game())) {
        writeln!(out, "The game is NOT APPROVED. {why}")?;
    }
    Ok(true)
}

/// Checks an evidence file. `false` if it proves nothing.
pub(super) fn verify(file: &Path, keys: &[PublicKey], json: bool) -> anyhow::Result<bool> {
    let mut bytes = Vec::new();
    let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let most = u64::try_from(RoundEvidence::LARGEST)? + 1;
    opened.take(most).read_to_end(&mut bytes).with_context(|| format!("cannot read {}", file.display()))?;
    let program = super::program()?;
    let proven = RoundEvidence::from_bytes(&bytes).map_err(anyhow::Error::from);
    let proven = proven.and_then(|evidence| Ok(evidence.check(keys, &program)?));
    let mut out = anstream::stdout().lock();
    match proven {
        Ok(proven) => {
            let sheet = RoundSheet::new(&proven.settlement)?;
            if json {
                writeln!(out, "{}", json!({ "proven": true, "sentence": sentence(&proven, &sheet), "round": sheet }))?;
            } else {
                RoundReport { sheet: &sheet, profile: &proven.settlement.opening.profile }.print(&mut out)?;
                writeln!(out, "\n{GOOD}proven{GOOD:#}  {}", sentence(&proven, &sheet))?;
            }
            Ok(true)
        }
        Err(error) if json => {
            writeln!(out, "{}", json!({ "proven": false, "found": format!("{error:#}") }))?;
            Ok(false)
        }
        Err(error) => {
            writeln!(out, "{BAD}nothing is proven{BAD:#}  {}: {error:#}", file.display())?;
            Ok(false)
        }
    }
}

/// Prints the current result, the first settlement, and up to when they are proven.
fn sentence(proven: &ProvenRound, sheet: &RoundSheet) -> String {
    let ProvenRound { settlement, entries, signers, signed } = proven;
    let signers: Vec<_> = signers.iter().map(ToString::to_string).collect();
    let (table, round) = (settlement.table.0, settlement.round.0);
    let settled = |dice: Option<Dice>| {
        dice.map_or_else(|| "declared void".to_owned(), |dice| format!("settled by the dice {dice}"))
    };
    let first = settled(sheet.clusters.first().and_then(|cluster| cluster.dice));
    let mut text = match settlement.past.map(|past| past.standing()) {
        Some(stands) if sheet.is_changed() => {
            let stands = match stands {
                RoundStanding::Settled(dice) => format!("stands by the dice {dice}"),
                RoundStanding::Void(reason) => format!("is void: {}", void_reason(reason)),
                RoundStanding::InPlay => "is in play".to_owned(),
            };
            let cited = sheet.cited.join(", ");
            let moved = moved(sheet);
            format!("Round {round} of table {table} {stands} ({cited}). It was first {first}; {moved}.")
        }
        Some(RoundStanding::Void(reason)) => {
            let cited = sheet.cited.join(", ");
            format!(
                "Round {round} of table {table} was {first}: {} ({cited}). Every bet was returned.",
                void_reason(reason)
            )
        }
        Some(RoundStanding::Settled(_) | RoundStanding::InPlay) | None => {
            format!("Round {round} of table {table} was {first}, with the bets and payouts above.")
        }
    };
    for sentence in waits(sheet) {
        text.push(' ');
        text.push_str(&sentence);
    }
    let training = if sheet.mark.is_training { " This is TRAINING: no money was played for." } else { "" };
    let unapproved = not_approved(sheet.table_rules().game());
    let unapproved = unapproved.map_or_else(String::new, |why| format!(" The game is NOT APPROVED. {why}"));
    format!(
        "{text} The record that says so was signed with {} up to {}, and all {entries} decisions in it are those of the rules. \
         What was corrected, voided or ruled after that is not part of this evidence.{training}{unapproved}",
        signers.join(" and "),
        moment(*signed),
    )
}

/// What players gave back and received later, over all changes.
fn moved(sheet: &RoundSheet) -> String {
    let (mut taken, mut paid) = (0i64, 0i64);
    let changes = sheet.clusters.iter().flat_map(|cluster| &cluster.changes);
    for movement in changes.flat_map(|change| &change.movements) {
        let total = if movement.from == MoneyHolder::House { &mut paid } else { &mut taken };
        *total += movement.amount.cents();
    }
    let (taken, paid) = (Money::from_cents(taken), Money::from_cents(paid));
    format!("since then {taken} was taken back or is owed by players, and {paid} was paid to them or is owed to them")
}
