//! `taisai play`: plays a script and prints what happens, the settlement sheets and the balances.

mod balances;
mod json;

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Read as _, Write};
use std::mem::discriminant;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context as _, bail};
use taisai_record::{Address, RecordFiles, RecordWarning};
use taisai_rules::{Games, Language};
use taisai_script::{
    BEGIN, LineOutcome, Narration, Playthrough, ProfileError, Profiles, Script, ScriptFault, ScriptLine, ScriptRecord,
    ScriptRecorder, clock, read_profile,
};
use taisai_table::{BetsCloser, ExcessPolicy, Profile, Registration};

use crate::args::NewStoreArgs;
use crate::excerpt::{excerpt, source};
use crate::print::{BAD, GOOD, HEADING, QUIET};

/// The largest script, in bytes.
const MAX_SCRIPT_BYTES: u64 = 16 << 20;

/// Plays a script, under `profile` if one is given, and records it if `store` names one. `false` if it has faults or an
/// expectation is not met.
pub(crate) fn run(
    games: &Games,
    file: &Path,
    profile: Option<&Path>,
    store: &NewStoreArgs,
    json: bool,
) -> anyhow::Result<bool> {
    let text = read(file)?;
    let (chosen, mut faults) = match profile.map(read_profile).transpose() {
        Ok(profile) => (profile, Vec::new()),
        Err(ProfileError::Faults(faults)) => (None, faults),
        Err(error) => return Err(error.into()),
    };
    match Script::parse(&text, games, &Profiles::new(chosen, file)) {
        Ok(script) if faults.is_empty() => play(&script, store, json),
        parsed => {
            faults.extend(parsed.err().unwrap_or_default());
            print_faults(file, &text, &faults, json)?;
            Ok(false)
        }
    }
}

fn play(script: &Script, store: &NewStoreArgs, json: bool) -> anyhow::Result<bool> {
    let recorder = open_recorder(store, script)?;
    let playthrough = if json {
        json::play(script, &mut BufWriter::new(std::io::stdout().lock()))?
    } else {
        play_for_people(script, &mut anstream::stdout().lock())?
    };
    if let Some(recorder) = recorder {
        let record = recorder.record(playthrough.entries())?;
        if !json {
            writeln!(anstream::stdout(), "\n{}", how_to_audit(&record))?;
        }
    }
    Ok(playthrough.is_as_expected())
}

fn print_faults(script: &Path, text: &str, faults: &[ScriptFault], json: bool) -> anyhow::Result<()> {
    let script = script.display().to_string();
    for fault in faults {
        let ScriptFault { file, line, column, message } = fault;
        let name = file.as_ref().unwrap_or(&script);
        if json {
            json::fault(&mut std::io::stdout().lock(), name, fault)?;
            continue;
        }
        let excerpt = match file {
            Some(profile) => excerpt(&source(Path::new(profile)), *line, *column),
            None => excerpt(text, *line, *column),
        };
        write!(anstream::stdout(), "{BAD}fault{BAD:#}  {name}:{line}:{column}: {message}\n{excerpt}")?;
    }
    Ok(())
}

/// Reads a script from a file, or from standard input.
fn read(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_SCRIPT_BYTES + 1).read_to_string(&mut text)
    } else {
        let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        opened.take(MAX_SCRIPT_BYTES + 1).read_to_string(&mut text)
    };
    let bytes = read.with_context(|| format!("cannot read {}", file.display()))?;
    if u64::try_from(bytes)? > MAX_SCRIPT_BYTES {
        bail!("{} is larger than {MAX_SCRIPT_BYTES} bytes, too large for a script", file.display());
    }
    Ok(text)
}

/// Indents text that belongs to the line above it.
const INDENT: &str = "          ";

fn play_for_people<'s>(script: &'s Script, out: &mut impl Write) -> anyhow::Result<Playthrough<'s>> {
    let mut playthrough = Playthrough::new(script)?;
    for line in script.lines() {
        let text = line.text.trim();
        match playthrough.play(line)? {
            LineOutcome::NoStep => print_heading(&playthrough, line, out)?,
            LineOutcome::Expected(None) => writeln!(out, "{INDENT}{GOOD}✓{GOOD:#} {text}")?,
            LineOutcome::Expected(Some(found)) => {
                writeln!(out, "{INDENT}{BAD}✗ line {}: {text}: {found}{BAD:#}", line.number)?;
            }
            LineOutcome::Played { narration, .. } => {
                writeln!(out, "{}  {HEADING}{text}{HEADING:#}", clock(playthrough.time()))?;
                for item in &narration {
                    print_narration(&playthrough, item, out)?;
                }
            }
        }
    }
    balances::print(&playthrough.balances(), out)?;
    Ok(playthrough)
}

/// Prints a line that plays nothing: an empty line, a comment, or the first line with the table that it sets up.
fn print_heading(playthrough: &Playthrough, line: &ScriptLine, out: &mut impl Write) -> std::io::Result<()> {
    let text = line.text.trim();
    if line.is_blank() {
        return writeln!(out, "{QUIET}{text}{QUIET:#}");
    }
    let (game, layout) = (playthrough.game(), playthrough.layout());
    writeln!(out, "{}  {HEADING}{text}{HEADING:#}", clock(BEGIN))?;
    let title = game.title().get(Language::English);
    let training = if playthrough.is_training() { " TRAINING: no money is real." } else { "" };
    let document = game.document();
    writeln!(
        out,
        "{INDENT}{title}, document {document}, layout {}, pay table {}.{training}",
        layout.id(),
        layout.pay_table()
    )?;
    if playthrough.registration() == Registration::Winners {
        writeln!(
            out,
            "{INDENT}Winners are registered after the dice; what else lost is collected and not registered."
        )?;
    }
    let profile = playthrough.profile();
    if *profile == Profile::singapore() {
        return Ok(());
    }
    let (name, seconds) = (&profile.name, profile.betting_seconds);
    let closes = match profile.closes {
        BetsCloser::Dealer => "the Dealer closes",
        BetsCloser::Tick => "the clock closes",
    };
    let excess = match profile.excess {
        ExcessPolicy::Refuse => "refused when placed",
        ExcessPolicy::Show => "shown for the Dealer to reject",
    };
    writeln!(out, "{INDENT}Profile {name}: bets are open for {seconds} s, then {closes} them; excess is {excess}.")
}

fn print_narration(playthrough: &Playthrough, item: &Narration, out: &mut impl Write) -> anyhow::Result<()> {
    match item {
        Narration::Sentence(sentence) => writeln!(out, "{INDENT}{sentence}")?,
        Narration::Refusal(refusal) => {
            let mut cited = vec![refusal.code().to_owned()];
            cited.extend(refusal.paragraphs(playthrough.game()).iter().map(ToString::to_string));
            writeln!(out, "{INDENT}{BAD}Refused:{BAD:#} {} ({})", refusal.sentence(), cited.join(", "))?;
        }
        Narration::Sheet { sheet, .. } => crate::sheet::print(sheet, playthrough.registration(), out, INDENT)?,
    }
    Ok(())
}

fn open_recorder(args: &NewStoreArgs, script: &Script) -> anyhow::Result<Option<ScriptRecorder>> {
    let Some(address) = args.store.clone() else { return Ok(None) };
    let files = key_and_anchor(&address, args)?;
    // Nothing is left to do if standard error is closed.
    let warn = warn_once(|sentence| writeln!(anstream::stderr(), "{sentence}").unwrap_or_default());
    Ok(Some(ScriptRecorder::open(address, files, crate::audit::program()?, Arc::new(warn), script)?))
}

/// The key file and the anchor: where the arguments say, or in the data folder.
fn key_and_anchor(address: &Address, args: &NewStoreArgs) -> anyhow::Result<RecordFiles> {
    let own = address.files();
    let key_file = args.keys.clone().or_else(|| own.as_ref().map(|files| files.key_file.clone()));
    let key_file =
        key_file.context("a database cannot hold the keys: name a file with --keys, and one with --anchor")?;
    Ok(RecordFiles { key_file, anchor: args.anchor.clone().or_else(|| own?.anchor), trusted: Vec::new() })
}

fn how_to_audit(record: &ScriptRecord) -> String {
    let ScriptRecord { address, key, anchor, has_own_files } = record;
    let mut options = String::new();
    if !has_own_files {
        options += &key.map(|key| format!(" --key {key}")).unwrap_or_default();
        options += &anchor.as_ref().map(|file| format!(" --anchor {}", file.display())).unwrap_or_default();
    }
    format!("The record is in {address}. Check it with\n  taisai audit verify {address}{options}")
}

/// Prints a warning of each kind once: what fails with one checkpoint fails with the next.
fn warn_once(print: impl Fn(String)) -> impl Fn(RecordWarning) {
    let seen = Mutex::new(HashSet::new());
    move |warning| {
        if seen.lock().is_ok_and(|mut seen| seen.insert(discriminant(&warning))) {
            print(warning_text(warning));
        }
    }
}

/// A warning with its causes. A message that ends with its cause's message does not repeat it.
fn warning_text(warning: RecordWarning) -> String {
    let mut text = String::new();
    for cause in anyhow::Error::from(warning).chain().map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text += if text.is_empty() { "warning: " } else { ": " };
            text += &cause;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::ErrorKind;

    use taisai_journal::{AnchorError, SnapshotError};

    use super::*;

    #[test]
    fn each_kind_of_warning_is_printed_once_with_its_cause() {
        let printed = RefCell::new(Vec::new());
        let warn = warn_once(|sentence| printed.borrow_mut().push(sentence));
        let path = || "anchor.txt".into();
        let full = || AnchorError::Io { path: path(), source: ErrorKind::StorageFull.into() };
        for error in [full(), full(), AnchorError::Broken { path: path() }] {
            warn(error.into());
        }
        let full = || SnapshotError::Failed(std::io::Error::from(ErrorKind::StorageFull).into());
        warn(full().into());
        warn(full().into());
        let expected = [
            "warning: a checkpoint was not anchored: the anchor anchor.txt cannot be used: no storage space",
            "warning: a snapshot was not kept: the snapshot could not be stored or read: no storage space",
        ];
        assert_eq!(*printed.borrow(), expected);
    }
}
