//! `taisai audit verify`: every chain of a store and what must hold between them, in a table and a few sentences.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use anyhow::bail;
use serde::Serialize;
use taisai_journal::{AnchorError, Archive, Hash, Head, PublicKey, ReadError};
use taisai_record::{Audit, Audited, Auditor, Counted, Finding, Opening, Program, Setup, beginning};

use super::Store;
use super::marked::{self, Marked};
use crate::bar::Bar;
use crate::print::{self, BAD, Column, GOOD, QUIET};
use crate::store::Lines;

/// Verifies a store; `false` if something is wrong.
pub(super) fn run(store: &Store, anchor: Option<&Path>, json: bool) -> anyhow::Result<bool> {
    let program = super::program()?;
    let (lines, mut found) = match store.anchor(anchor) {
        Ok(lines) => (lines, Vec::new()),
        Err(damaged @ AnchorError::Damaged { .. }) => (None, vec![Finding::from(damaged)]),
        Err(error @ (AnchorError::Io { .. } | AnchorError::Broken { .. })) => return Err(error.into()),
    };
    let anchored = lines.as_ref().map_or(&[][..], |lines| &lines.content.lines);
    let mut archive = store.archive()?;
    let (mark, audit) = match archive.heads() {
        Ok(heads) if found.is_empty() && anchored.is_empty() && heads.iter().all(|head| head.next == 0) => {
            bail!("the store is empty: there is nothing to verify");
        }
        Ok(heads) => {
            found.extend(Finding::of_store(&mut *archive, &heads)?);
            let mut audit = audit(&Auditor { keys: &store.keys, anchored, program: &program }, store, &heads)?;
            audit.between.splice(..0, found);
            (mark(&mut *archive, &heads), audit)
        }
        // Where the chains end is not known, so nothing can be held against it.
        Err(damaged @ ReadError::Head { .. }) => {
            found.push(damaged.into());
            (None, Audit { between: found, ..Audit::default() })
        }
        Err(error @ (ReadError::Damaged { .. } | ReadError::Failed(_))) => return Err(error.into()),
    };
    let report = Report { audit: &audit, mark, program: &program, store, lines: lines.as_ref() };
    if json {
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&report.json())?)?;
    } else {
        report.print(&mut anstream::stdout().lock())?;
    }
    if let Some(failed) = audit.findings().find(|finding| finding.is_of_store()) {
        bail!("{failed}");
    }
    Ok(audit.findings().next().is_none())
}

fn audit(auditor: &Auditor<'_>, store: &Store, heads: &[Head]) -> anyhow::Result<Audit> {
    let bar = Mutex::new(Bar::new("audit", heads.iter().map(|head| head.next).sum()));
    let progress = || bar.lock().map(|mut bar| bar.more(1)).unwrap_or_default();
    let audit = auditor.audit(&|| store.archive(), heads, &progress)?;
    let entries = counted(&audit).map(|(_, counted)| counted.entries).sum();
    if let Ok(bar) = bar.lock() {
        bar.end(&print::counted(entries, ENTRIES), (entries, "entries"));
    }
    Ok(audit)
}

/// Whose the record is, by the first chain that has a beginning.
fn mark(archive: &mut dyn Archive, heads: &[Head]) -> Option<Marked> {
    heads.iter().find_map(|head| beginning(archive, &head.chain).ok()?).as_ref().map(Marked::new)
}

const ENTRIES: (&str, &str) = ("entry", "entries");

/// The chains that are well.
fn counted(audit: &Audit) -> impl Iterator<Item = (&str, &Counted)> {
    audit.chains.iter().filter_map(|chain| Some((chain.head.chain.as_str(), chain.result.as_ref().ok()?)))
}

struct Report<'a> {
    audit: &'a Audit,
    mark: Option<Marked>,
    program: &'a Program,
    store: &'a Store,
    lines: Option<&'a Lines>,
}

impl Report<'_> {
    fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        self.mark.iter().try_for_each(|mark| mark.print(out))?;
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
        let row = |chain: &Audited| {
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
        print::table(out, &columns, &self.audit.chains.iter().map(row).collect::<Vec<_>>())?;
        writeln!(out)?;
        for (what, name, hash) in self.in_use() {
            writeln!(out, "{what:9} {name}  {QUIET}{hash}{QUIET:#}")?;
        }
        for key in self.signers() {
            writeln!(out, "signed    {key}")?;
        }
        writeln!(out)?;
        for finding in self.audit.findings() {
            writeln!(out, "{BAD}found{BAD:#}  {finding}")?;
        }
        for note in self.notes() {
            writeln!(out, "{QUIET}note{QUIET:#}   {note}")?;
        }
        if self.audit.findings().next().is_none() {
            writeln!(out, "{GOOD}ok{GOOD:#}     {}", self.sentence())?;
        }
        Ok(())
    }

    fn sentence(&self) -> String {
        let entries: u64 = counted(self.audit).map(|(_, counted)| counted.entries).sum();
        let chains = match self.audit.chains.iter().filter(|chain| chain.head.next > 0).count() {
            1 => "1 chain holds by itself".to_owned(),
            chains => format!("{chains} chains hold by themselves and together"),
        };
        format!(
            "{chains}: {} taken again, every payout and balance was reckoned, and nothing differs.",
            print::counted(entries, ("decision was", "decisions were"))
        )
    }

    /// What was not checked, or rests on the store's own word.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.store.keys.is_empty() {
            notes.push("no --key was given: signatures were held only against the keys beside them.".to_owned());
        } else if self.store.is_own_key {
            notes.push(
                "no --key was given: the key is the one in the store's folder, and whoever changed the store may have \
                 changed it too."
                    .to_owned(),
            );
        }
        let is_damaged = self.audit.between.iter().any(|finding| matches!(finding, Finding::Anchor(_)));
        match self.lines {
            None if is_damaged => notes.push("the anchor is damaged: a roll-back was not checked.".to_owned()),
            Some(lines) if lines.content.lines.is_empty() => {
                notes.push("the anchor holds no checkpoint: a roll-back was not checked.".to_owned());
            }
            None => notes.push("there is no anchor: a roll-back was not checked.".to_owned()),
            Some(Lines { is_own: true, .. }) => notes.push(
                "the anchor is the one in the store's folder: whoever rolled the store back may have changed it too."
                    .to_owned(),
            ),
            Some(_) => {}
        }
        if let Some(torn) = self.lines.map(|lines| lines.content.torn).filter(|torn| *torn > 0) {
            let torn = print::counted(u64::try_from(torn).unwrap_or(u64::MAX), ("byte", "bytes"));
            notes.push(format!("the anchor ends with {torn} of a line that was never finished."));
        }
        let unsigned: u64 = counted(self.audit).map(|(_, counted)| counted.unsigned).sum();
        if unsigned > 0 {
            let (one, several) = ("entry stands", "entries stand");
            let unsigned = print::counted(unsigned, (one, several));
            notes.push(format!("{unsigned} behind the last checkpoints, not signed yet."));
        }
        for chain in self.audit.chains.iter().filter(|chain| chain.head.next == 0 && chain.result.is_ok()) {
            notes.push(format!("chain {} was claimed, and nothing is written to it.", chain.head.chain));
        }
        let tables = self.openings().filter(|(_, opening)| marked::is_for_training(&opening.setup));
        notes.extend(tables.map(|(chain, _)| format!("chain {chain} is of a TRAINING table: no money there is real.")));
        notes
    }

    fn openings(&self) -> impl Iterator<Item = (&str, &Opening)> {
        counted(self.audit).filter_map(|(chain, counted)| Some((chain, counted.opening.as_ref()?)))
    }

    /// Programs, rules and profiles in use: what it is, its name and its hash.
    fn in_use(&self) -> Vec<(&'static str, String, Hash)> {
        let mut found = BTreeSet::new();
        for (_, opening) in self.openings() {
            let program = (format!("version {}", opening.program.version), Hash::from_bytes(opening.program.hash));
            found.insert(("program", program));
            if let (Setup::Round { table, .. }, Some(hash), Ok(rules)) =
                (&opening.setup, opening.rules_hash(), opening.rules())
            {
                let (game, layout) = (rules.game(), rules.layout());
                let name = format!("{}@{} layout {}, table {}", game.id(), game.version(), layout.id(), table.0);
                found.insert(("rules", (name, hash)));
            }
            found.insert(("profile", (opening.profile.name.clone(), opening.profile_hash())));
        }
        let here = (format!("version {}, which verified", self.program.version), Hash::from_bytes(self.program.hash));
        found.insert(("program", here));
        found.into_iter().map(|(what, (name, hash))| (what, name, hash)).collect()
    }

    fn signers(&self) -> Vec<PublicKey> {
        let mut signers: Vec<PublicKey> = Vec::new();
        for key in counted(self.audit).flat_map(|(_, counted)| &counted.signers) {
            if !signers.contains(key) {
                signers.push(*key);
            }
        }
        signers
    }

    fn json(&self) -> Json {
        let chain = |chain: &Audited| {
            let counted = chain.result.as_ref().ok();
            ChainJson {
                chain: chain.head.chain.to_string(),
                blocks: chain.head.next,
                entries: counted.map(|counted| counted.entries),
                checkpoints: counted.map(|counted| counted.checkpoints),
                rounds: counted.and_then(|counted| counted.rounds),
                unsigned: counted.map(|counted| counted.unsigned),
                found: chain.result.as_ref().err().map(ToString::to_string),
            }
        };
        let in_use = self.in_use().into_iter();
        Json {
            house: self.mark.as_ref().map(|mark| mark.house.clone()),
            training: self.mark.as_ref().map(|mark| mark.is_training),
            ok: self.audit.findings().next().is_none(),
            chains: self.audit.chains.iter().map(chain).collect(),
            in_use: in_use.map(|(what, name, hash)| InUse { what, name, hash: hash.to_string() }).collect(),
            signers: self.signers().iter().map(ToString::to_string).collect(),
            findings: self.audit.findings().map(ToString::to_string).collect(),
            notes: self.notes(),
            keys_checked: !self.store.keys.is_empty(),
            roll_back_checked: self.lines.is_some_and(|lines| !lines.content.lines.is_empty()),
        }
    }
}

#[derive(Serialize)]
struct Json {
    /// The house's id, and whether its record is for training; nothing where no chain has a beginning.
    house: Option<String>,
    training: Option<bool>,
    ok: bool,
    chains: Vec<ChainJson>,
    in_use: Vec<InUse>,
    signers: Vec<String>,
    findings: Vec<String>,
    notes: Vec<String>,
    /// Whether signatures were held against keys from elsewhere than beside them.
    keys_checked: bool,
    roll_back_checked: bool,
}

#[derive(Serialize)]
struct ChainJson {
    chain: String,
    blocks: u64,
    entries: Option<u64>,
    checkpoints: Option<u64>,
    rounds: Option<u64>,
    unsigned: Option<u64>,
    found: Option<String>,
}

#[derive(Serialize)]
struct InUse {
    what: &'static str,
    name: String,
    hash: String,
}
