//! `taisai dice`: checks throws for fairness, and computes how many throws show a bias.

mod read;

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;
use taisai_analysis::watch::{DiceVerdict, EvidenceKind, page, power_table};
use taisai_analysis::{DiceWatch, count, thousands};
use taisai_rules::Dice;
use taisai_server::reports::DiceSheet;

use crate::output_file::OutputFile;
use crate::print::{self, BAD, Column, GOOD, HEADING, QUIET};

#[derive(Subcommand)]
pub(crate) enum DiceCommand {
    /// Check throws: chi-square by face and sum, dependence between throws, and evidence that is valid at any time
    ///
    /// A file has one throw a line: three faces separated by commas, hyphens or spaces. If the first line has titles, the column
    /// "dice" is read. Of a data folder or postgres://… the reporting tables are read. The exit status is 1 if the evidence against
    /// fair dice reached 100, or if there are bad lines.
    Check(CheckArgs),
    /// Compute how many throws it takes to see a bias
    Power,
}

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// CSV file, "-" for standard input, data folder, or postgres://…
    #[arg(value_name = "FILE|STORE")]
    source: String,
    /// Table in the store; all tables if left out
    #[arg(long)]
    table: Option<u16>,
    /// Report bad lines and use the others
    #[arg(long)]
    skip_bad: bool,
    /// Write a report with charts to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const MAX_CHART_POINTS: usize = 800;

pub(crate) fn run(command: &DiceCommand) -> anyhow::Result<bool> {
    match command {
        DiceCommand::Check(args) => check(args),
        DiceCommand::Power => {
            power()?;
            Ok(true)
        }
    }
}

fn check(args: &CheckArgs) -> anyhow::Result<bool> {
    let output = args.output.as_deref().map(OutputFile::new).transpose()?;
    let read::ThrowFile { throws, bad } = read::throws(&args.source, args.table)?;
    for line in &bad {
        writeln!(anstream::stderr(), "{BAD}bad line{BAD:#}  {}:{line}", args.source)?;
    }
    if !bad.is_empty() && !args.skip_bad {
        bail!(
            "{} of the lines {} no throw; --skip-bad reads the rest",
            bad.len(),
            if bad.len() == 1 { "is" } else { "are" }
        );
    }
    if throws.is_empty() {
        bail!("no throws in {}", args.source);
    }
    let (watch, course) = watched(&throws);
    if let Some(output) = output {
        output.write(page(&format!("Dice of {}", args.source), &watch, &course))?;
    }
    if args.json {
        writeln!(
            std::io::stdout().lock(),
            "{}",
            serde_json::to_string(&DiceJson { sheet: DiceSheet::new(&watch), bad_lines: bad.len() })?
        )?;
    } else {
        print_watch(&watch)?;
    }
    Ok(bad.is_empty() && watch.verdict() < DiceVerdict::Measure)
}

fn watched(throws: &[Dice]) -> (DiceWatch, Vec<(u64, f64)>) {
    let (mut watch, mut course) = (DiceWatch::new(), Vec::new());
    let every = throws.len().div_ceil(MAX_CHART_POINTS);
    for (place, dice) in throws.iter().enumerate() {
        watch.add(*dice);
        if place % every == 0 || place + 1 == throws.len() {
            course.push((watch.throws(), watch.evidence().value()));
        }
    }
    (watch, course)
}

fn print_watch(watch: &DiceWatch) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let of = if watch.throws() == 1 { "throw" } else { "throws" };
    let throws = format!("{} {of}", thousands(count(watch.throws())));
    print::heading(&mut out, &throws)?;
    let rows = [
        ("Faces", watch.by_face(), EvidenceKind::Faces),
        ("Total Sums", watch.by_sum(), EvidenceKind::Sums),
        ("Dependence on the throw before", watch.serial(), EvidenceKind::Serial),
    ]
    .map(|(name, test, kind)| {
        let evidence = format!("{:.3}", watch.evidence().of(kind));
        match test {
            Some(test) => {
                let (statistic, freedom) = (format!("{:.2}", test.statistic), test.freedom.to_string());
                vec![name.to_owned(), statistic, freedom, test.shown_chance(), evidence]
            }
            None => vec![name.to_owned(), "not enough throws yet".to_owned(), String::new(), String::new(), evidence],
        }
    });
    let columns = [
        Column::left("Test"),
        Column::right("Chi-square"),
        Column::right("Freedom"),
        Column::right("p-value"),
        Column::right("Evidence"),
    ];
    print::table(&mut out, &columns, &rows)?;
    let faces =
        (1..).zip(watch.faces()).map(|(face, times): (u8, &u64)| format!("{face}: {times}")).collect::<Vec<_>>();
    writeln!(out, "\n  faces  {}", faces.join("  "))?;
    let evidence = watch.evidence();
    writeln!(out, "  evidence against fair dice {:.3}, at its highest {:.3}", evidence.value(), evidence.highest())?;
    let verdict = watch.verdict();
    let style = match verdict {
        DiceVerdict::Nothing => GOOD,
        DiceVerdict::Watch => HEADING,
        DiceVerdict::Measure | DiceVerdict::TakeOut => BAD,
    };
    writeln!(out, "  {style}{verdict}{style:#} {QUIET}(fair dice ever reach 100 in at most 1 of 100 runs){QUIET:#}")?;
    Ok(())
}

fn power() -> anyhow::Result<()> {
    let rows = power_table().into_iter().map(|power| {
        let throws = [power.half, power.nine_of_ten, power.evidence].map(|throws| thousands(count(throws)));
        let [half, nine, evidence] = throws;
        vec![format!("{} %", power.bias), half, nine, evidence, format!("{:.1}", power.days())]
    });
    let columns = [
        Column::right("One face more often by"),
        Column::right("Found in half"),
        Column::right("In nine of ten"),
        Column::right("Evidence 100"),
        Column::right("Days at a round a minute"),
    ];
    print::table(&mut anstream::stdout().lock(), &columns, &rows.collect::<Vec<_>>())?;
    Ok(())
}

#[derive(Serialize)]
struct DiceJson {
    #[serde(flatten)]
    sheet: DiceSheet,
    bad_lines: usize,
}
