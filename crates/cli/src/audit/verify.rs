//! `taisai audit verify`: verifies every chain of a store, and that the chains agree.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use anyhow::bail;
use serde::Serialize;
use taisai_record::{AuditFinding, AuditProgress, AuditSheet, AuditedChain, Program, StoreAudit, VersionInUse};
use taisai_server::{SecretFinding, check_secrets};

use super::Store;
use super::show::print_mark;
use crate::print::{self, BAD, Column, GOOD, QUIET};
use crate::progress_bar::ProgressBar;

/// Verifies a store; `false` if something is wrong.
pub(super) fn run(store: &Store, anchor: Option<&Path>, json: bool) -> anyhow::Result<bool> {
    let program = super::program()?;
    let (anchor, is_own_anchor) = store.anchor(anchor);
    let progress = ChainProgressBar(Mutex::new(None));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let audited = StoreAudit::new(threads, &|| store.archive(), &store.keys, anchor.as_deref(), &program, &progress)?;
    let entries = audited.counted().map(|(_, counted)| counted.entries).sum();
    if let Ok(Some(bar)) = progress.0.lock().as_deref() {
        bar.finish(&print::counted(entries, ENTRIES), (entries, "entries"));
    }
    let secrets = CheckedSecrets::new(store, &audited);
    let report = AuditReport { audited: &audited, secrets: &secrets, program: &program, store, is_own_anchor };
    if json {
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&report.json())?)?;
    } else {
        report.print(&mut anstream::stdout().lock())?;
    }
    if let Some(failed) = audited.failure() {
        bail!("{failed}");
    }
    Ok(report.is_well())
}

/// What is wrong with the secrets beside the record, if the key file is at hand; and why they could not be read.
#[derive(Default)]
struct CheckedSecrets {
    findings: Vec<SecretFinding>,
    note: Option<String>,
}

impl CheckedSecrets {
    fn new(store: &Store, audited: &StoreAudit) -> Self {
        let Some(keys) = &store.secret else { return Self::default() };
        match check_secrets(&store.address, keys, audited.audit.house.as_ref()) {
            Ok(findings) => Self { findings, note: None },
            Err(error) => Self { findings: Vec::new(), note: Some(format!("secrets were not checked: {error}")) },
        }
    }
}

/// Progress over all blocks.
struct ChainProgressBar(Mutex<Option<ProgressBar>>);

impl AuditProgress for ChainProgressBar {
    fn begins(&self, blocks: u64) {
        if let Ok(mut bar) = self.0.lock() {
            *bar = Some(ProgressBar::new("audit", blocks));
        }
    }

    fn block(&self) {
        if let Ok(Some(bar)) = self.0.lock().as_deref_mut() {
            bar.advance(1);
        }
    }
}

const ENTRIES: (&str, &str) = ("entry", "entries");

struct AuditReport<'a> {
    audited: &'a StoreAudit,
    secrets: &'a CheckedSecrets,
    program: &'a Program,
    store: &'a Store,
    is_own_anchor: bool,
}

impl AuditReport<'_> {
    fn is_well(&self) -> bool {
        self.audited.audit.findings().next().is_none() && self.secrets.findings.is_empty()
    }

    fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        self.audited.mark.iter().try_for_each(|mark| print_mark(mark, out))?;
        writeln!(out)?;
        let columns = [
            Column::left("Chain"),
            Column::right("Blocks"),
            Column::right("Entries"),
            Column::right("Checkpoints"),
            Column::right("Rounds"),
            Column::right("Not signed yet"),
            Column::left(""),
        ];
        let row = |chain: &AuditedChain| {
            let mut row = vec![chain.head.chain.to_string(), chain.head.next.to_string()];
            match &chain.result {
                Ok(counted) => row.extend([
                    counted.entries.to_string(),
                    counted.checkpoints.to_string(),
                    counted.rounds.map(|rounds| rounds.to_string()).unwrap_or_default(),
                    counted.unsigned.to_string(),
                    if chain.head.next == 0 { "empty" } else { "ok" }.to_owned(),
                ]),
                Err(_) => row.extend(["–", "–", "–", "–", "bad"].map(str::to_owned)),
            }
            row
        };
        print::table(out, &columns, &self.audited.audit.chains.iter().map(row).collect::<Vec<_>>())?;
        writeln!(out)?;
        for VersionInUse { what, name, hash } in self.audited.in_use(self.program) {
            writeln!(out, "{what:9} {name}  {QUIET}{hash}{QUIET:#}")?;
        }
        for key in self.audited.signers() {
            writeln!(out, "signed    {key}")?;
        }
        writeln!(out)?;
        for finding in self.audited.audit.findings() {
            writeln!(out, "{BAD}found{BAD:#}  {finding}")?;
        }
        for finding in &self.secrets.findings {
            writeln!(out, "{BAD}found{BAD:#}  {finding}")?;
        }
        for note in self.notes() {
            writeln!(out, "{QUIET}note{QUIET:#}   {note}")?;
        }
        if self.is_well() {
            writeln!(out, "{GOOD}ok{GOOD:#}     {}", self.sentence())?;
        }
        Ok(())
    }

    fn sentence(&self) -> String {
        let entries: u64 = self.audited.counted().map(|(_, counted)| counted.entries).sum();
        let chains = match self.audited.audit.chains.iter().filter(|chain| chain.head.next > 0).count() {
            1 => "1 chain holds by itself".to_owned(),
            chains => format!("{chains} chains hold by themselves and together"),
        };
        format!(
            "{chains}: {} taken again, every payout and balance was reckoned, and nothing differs.",
            print::counted(entries, ("decision was", "decisions were"))
        )
    }

    /// What was not checked, or only the store itself vouches for.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.secrets.note.iter().cloned().collect();
        if self.store.keys.is_empty() {
            notes.push("no --key was given: signatures were held only against the keys beside them.".to_owned());
        } else if self.store.is_own_key {
            notes.push(
                "no --key was given: the key is the one in the store's folder, and whoever changed the store may have \
                 changed it too."
                    .to_owned(),
            );
        }
        let is_damaged = self.audited.audit.between.iter().any(|finding| matches!(finding, AuditFinding::Anchor(_)));
        match &self.audited.anchor {
            None if is_damaged => notes.push("the anchor is damaged: a roll-back was not checked.".to_owned()),
            Some(anchor) if anchor.lines.is_empty() => {
                notes.push("the anchor holds no checkpoint: a roll-back was not checked.".to_owned());
            }
            None => notes.push("there is no anchor: a roll-back was not checked.".to_owned()),
            Some(_) if self.is_own_anchor => notes.push(
                "the anchor is the one in the store's folder: whoever rolled the store back may have changed it too."
                    .to_owned(),
            ),
            Some(_) => {}
        }
        if let Some(torn) = self.audited.anchor.as_ref().map(|anchor| anchor.torn).filter(|torn| *torn > 0) {
            let torn = print::counted(u64::try_from(torn).unwrap_or(u64::MAX), ("byte", "bytes"));
            notes.push(format!("the anchor ends with {torn} of a line that was never finished."));
        }
        let unsigned: u64 = self.audited.counted().map(|(_, counted)| counted.unsigned).sum();
        if unsigned > 0 {
            let (one, several) = ("entry stands", "entries stand");
            let unsigned = print::counted(unsigned, (one, several));
            notes.push(format!("{unsigned} behind the last checkpoints, not signed yet."));
        }
        let missing: u64 = self.audited.counted().map(|(_, counted)| counted.missing_slips).sum();
        if missing > 0 {
            let missing = print::counted(missing, ("settled round has", "settled rounds have"));
            notes.push(format!("{missing} no slip beside the chain: correcting one replays the chain."));
        }
        for chain in self.audited.audit.chains.iter().filter(|chain| chain.head.next == 0 && chain.result.is_ok()) {
            notes.push(format!("chain {} was claimed, and nothing is written to it.", chain.head.chain));
        }
        let tables = self.audited.openings().filter(|(_, opening)| opening.setup.is_training_table());
        notes.extend(tables.map(|(chain, _)| format!("chain {chain} is of a TRAINING table: no money there is real.")));
        for (chain, opening) in self.audited.openings() {
            if let Some(game) =
                opening.rules().ok().map(|rules| rules.game().clone()).filter(|game| !game.is_approved())
            {
                let (id, version, hash) = (game.id(), game.version(), game.hash());
                notes.push(format!(
                    "chain {chain} was played by rules that are NOT APPROVED: {id}@{version}, hash {hash}."
                ));
            }
        }
        notes
    }

    fn json(&self) -> AuditJson {
        let mut sheet = self.audited.sheet(self.program);
        sheet.ok = self.is_well();
        sheet.findings.extend(self.secrets.findings.iter().map(ToString::to_string));
        AuditJson { sheet, notes: self.notes(), keys_checked: !self.store.keys.is_empty() }
    }
}

#[derive(Serialize)]
struct AuditJson {
    #[serde(flatten)]
    sheet: AuditSheet,
    notes: Vec<String>,
    /// Whether the trusted keys came from outside the store.
    keys_checked: bool,
}
