//! `taisai play`: runs a script of rounds that a dealer could read and write, and prints what happens, the settlement
//! sheets and the balances.

mod balances;
mod expect;
mod json;
mod keep;
pub(crate) mod language;
mod near;
mod parse;
mod profile;
mod reader;
mod script;
mod stage;
mod tell;

use std::fs::File;
use std::io::{BufWriter, Read as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use taisai_rules::{Games, Language, Moment};
use taisai_table::{BetsCloser, ExcessPolicy, Profile, Registration};

use crate::args::KeepArgs;
use crate::print::{BAD, GOOD, HEADING, QUIET};
pub(crate) use reader::cents;

use balances::Balances;
use keep::Keep;
use profile::Profiles;
use script::{Act, Fault, Line, Script};
use stage::{Answer, BEGIN, Stage};
use tell::{Teller, Told, clock};

/// The largest script.
const MOST_BYTES: u64 = 16 << 20;

/// Runs a script, under another profile if one is chosen, and records it if a store is named; `false` if it has faults or an
/// expectation is not met.
pub(crate) fn run(
    games: &Games,
    file: &Path,
    profile: Option<&Path>,
    store: &KeepArgs,
    json: bool,
) -> anyhow::Result<bool> {
    let text = read(file)?;
    let now = begin()?;
    let (chosen, mut faults) = match profile.map(profile::read).transpose()? {
        Some(Ok(profile)) => (Some(profile), Vec::new()),
        Some(Err(faults)) => (None, faults),
        None => (None, Vec::new()),
    };
    match parse::parse(&text, games, now, &Profiles::new(chosen, file)) {
        Ok(script) if faults.is_empty() => {
            let keep = Keep::open(store, &script)?;
            let run = if json {
                play_json(&script, &mut BufWriter::new(std::io::stdout().lock()))?
            } else {
                play(&script, &mut anstream::stdout().lock())?
            };
            if let Some(keep) = keep {
                let check = keep.record(&run.stage.installation.record)?;
                if !json {
                    writeln!(anstream::stdout(), "\n{check}")?;
                }
            }
            Ok(run.well)
        }
        read => {
            faults.extend(read.err().unwrap_or_default());
            print_faults(file, &faults, json)?;
            Ok(false)
        }
    }
}

/// Plays the text of a script by the profile in the program, and gives what it prints; nothing where it has faults.
pub fn play_text(games: &Games, text: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let profiles = Profiles::new(Some(Profile::singapore()), Path::new(""));
    let Ok(script) = parse::parse(text, games, begin()?, &profiles) else { return Ok(None) };
    let mut printed = Vec::new();
    play(&script, &mut printed)?;
    Ok(Some(printed))
}

/// When every script begins.
fn begin() -> anyhow::Result<Moment> {
    Ok(Moment::from_unix_seconds(i64::try_from(BEGIN.0 / 1_000)?))
}

fn print_faults(script: &Path, faults: &[Fault], json: bool) -> anyhow::Result<()> {
    let script = script.display().to_string();
    for fault in faults {
        let Fault { file, line, column, message } = fault;
        let file = file.as_ref().unwrap_or(&script);
        if json {
            json::fault(&mut std::io::stdout().lock(), file, fault)?;
        } else {
            writeln!(anstream::stdout(), "{BAD}fault{BAD:#}  {file}:{line}:{column}: {message}")?;
        }
    }
    Ok(())
}

/// Reads a script from a file, or from standard input.
fn read(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MOST_BYTES + 1).read_to_string(&mut text)
    } else {
        let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        opened.take(MOST_BYTES + 1).read_to_string(&mut text)
    };
    let bytes = read.with_context(|| format!("cannot read {}", file.display()))?;
    if u64::try_from(bytes)? > MOST_BYTES {
        bail!("{} is larger than {MOST_BYTES} bytes, too large for a script", file.display());
    }
    Ok(text)
}

/// A script on its way: what was told, and how the last line was answered.
struct Run<'s> {
    stage: Stage<'s>,
    teller: Teller,
    answer: Answer,
    well: bool,
}

/// What a line has brought.
enum Brought {
    Told { told: Vec<Told>, from: usize },
    Expected(Option<String>),
}

impl<'s> Run<'s> {
    fn new(script: &'s Script) -> anyhow::Result<Self> {
        Ok(Self { stage: Stage::new(script)?, teller: Teller::default(), answer: Ok(()), well: true })
    }

    /// Carries out a line.
    fn step(&mut self, line: &Line, step: &script::Step) -> anyhow::Result<Brought> {
        if let Act::Expect(expectation) = &step.act {
            let found = expect::check(&self.stage, self.answer, expectation);
            self.well &= found.is_none();
            return Ok(Brought::Expected(found));
        }
        let from = self.stage.installation.record.len();
        self.stage.time.0 += 1_000;
        let at = || format!("line {}: {}", line.number, line.text.trim());
        self.answer = self.stage.play(step).with_context(at)?;
        let told = self.teller.tell(&mut self.stage, &step.act, self.answer, from).with_context(at)?;
        Ok(Brought::Told { told, from })
    }
}

/// Where text stands that belongs to the line above it.
const INDENT: &str = "          ";

fn play<'s>(script: &'s Script, out: &mut impl Write) -> anyhow::Result<Run<'s>> {
    let mut run = Run::new(script)?;
    for line in &script.lines {
        let Some(step) = &line.step else {
            head(&run.stage, line, out)?;
            continue;
        };
        match run.step(line, step)? {
            Brought::Expected(None) => writeln!(out, "{INDENT}{GOOD}✓{GOOD:#} {}", line.text.trim())?,
            Brought::Expected(Some(found)) => {
                writeln!(out, "{INDENT}{BAD}✗ line {}: {}: {found}{BAD:#}", line.number, line.text.trim())?;
            }
            Brought::Told { told, .. } => {
                writeln!(out, "{}  {HEADING}{}{HEADING:#}", clock(run.stage.time), line.text.trim())?;
                for told in &told {
                    print_told(&run.stage, told, out)?;
                }
            }
        }
    }
    Balances::of(&run.stage).print(out)?;
    Ok(run)
}

/// An empty line, a comment, or the first line with what it sets up.
fn head(stage: &Stage, line: &Line, out: &mut impl Write) -> std::io::Result<()> {
    let text = line.text.trim();
    if text.is_empty() || text.starts_with('#') {
        return writeln!(out, "{QUIET}{text}{QUIET:#}");
    }
    let (game, layout) = (stage.game(), stage.layout());
    writeln!(out, "{}  {HEADING}{text}{HEADING:#}", clock(BEGIN))?;
    let title = game.title().get(Language::English);
    let training = if stage.is_training() { " TRAINING: no money is real." } else { "" };
    let document = game.document();
    writeln!(
        out,
        "{INDENT}{title}, document {document}, layout {}, pay table {}.{training}",
        layout.id(),
        layout.pay_table()
    )?;
    if stage.registration() == Registration::Winners {
        writeln!(
            out,
            "{INDENT}Winners are registered after the dice; what else lost is collected and not registered."
        )?;
    }
    let profile = stage.house().profile();
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

fn print_told(stage: &Stage, told: &Told, out: &mut impl Write) -> anyhow::Result<()> {
    match told {
        Told::Words(words) => writeln!(out, "{INDENT}{words}")?,
        Told::Refused(refusal) => {
            let mut cited = vec![refusal.code().to_owned()];
            cited.extend(refusal.paragraphs(stage.game()).iter().map(ToString::to_string));
            writeln!(out, "{INDENT}{BAD}Refused:{BAD:#} {} ({})", refusal.sentence(), cited.join(", "))?;
        }
        Told::Sheet { sheet, .. } => crate::sheet::print(sheet, stage.registration(), out, INDENT)?,
    }
    Ok(())
}

fn play_json<'s>(script: &'s Script, out: &mut impl Write) -> anyhow::Result<Run<'s>> {
    let mut run = Run::new(script)?;
    for line in &script.lines {
        let text = line.text.trim();
        let brought = match &line.step {
            Some(step) => run.step(line, step)?,
            None if text.is_empty() || text.starts_with('#') => continue,
            None => Brought::Told { told: Vec::new(), from: 0 },
        };
        let mut step = json::StepLine {
            line: line.number,
            text,
            time: run.stage.time,
            answer: None,
            entries: Vec::new(),
            sheets: Vec::new(),
            met: None,
            found: None,
        };
        let told = match brought {
            Brought::Expected(found) => {
                step.met = Some(found.is_none());
                step.found = found;
                Vec::new()
            }
            Brought::Told { told, from } => {
                step.answer = line.step.as_ref().map(|_| json::answer(run.answer));
                step.entries = json::entries(run.stage.game(), &run.stage.installation.record[from..])?;
                told
            }
        };
        step.sheets = told.iter().filter_map(sheet_of).collect();
        json::line(out, &step)?;
    }
    json::end(out, &Balances::of(&run.stage))?;
    out.flush()?;
    Ok(run)
}

fn sheet_of(told: &Told) -> Option<json::SheetOf<'_>> {
    match told {
        Told::Sheet { round, dice, sheet } => Some(json::SheetOf { round: *round, dice: *dice, sheet }),
        Told::Words(_) | Told::Refused(_) => None,
    }
}
