//! `taisai par`: writes par sheets as pages, CSV, JSON or text. The crate `analysis` makes figures and pages.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use taisai_analysis::par::{Maker, ParLine, ParSheet, index};
use taisai_analysis::percent;
use taisai_rules::{Game, Games, Language, Moment};

use crate::args::OptionalTableArgs;
use crate::output_file::OutputFile;
use crate::print::{self, Column, QUIET};

#[derive(clap::Args)]
pub(crate) struct ParArgs {
    #[command(flatten)]
    table: OptionalTableArgs,
    /// Every layout of every game, with an index that compares them
    #[arg(long, conflicts_with_all = ["game", "layout", "json", "csv"], requires = "output")]
    all: bool,
    /// Page to write; with --all the folder, with --csv or --json the file
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// Write CSV
    #[arg(long)]
    csv: bool,
    /// Write JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
}

pub(crate) fn run(args: &ParArgs, games: &Games, now: Moment) -> anyhow::Result<bool> {
    let program = crate::audit::program()?;
    let hash = taisai_journal::Hash::from_bytes(program.hash).to_string();
    let maker = Maker { name: format!("taisai {}", program.version), hash };
    if args.all {
        let Some(folder) = &args.output else { bail!("--all needs a folder to write to: -o DIR") };
        return all(games, &maker, folder);
    }
    let Some(table) = args.table.given() else { bail!("name a sheet with --game G --layout L, or use --all") };
    let (game, layout) = table.find(games, now)?;
    let path = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let output = path.map(OutputFile::new).transpose()?;
    let sheet = ParSheet::new(game, layout, &maker);
    let text = match (args.csv, args.json, &args.output) {
        (true, _, _) => sheet.csv(),
        (_, true, _) => serde_json::to_string_pretty(&sheet.document())? + "\n",
        (false, false, Some(_)) => sheet.html(),
        (false, false, None) => {
            print_sheet(game, &sheet)?;
            return Ok(true);
        }
    };
    match output {
        Some(output) => print_hash(&output.write(&text)?, &text)?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(true)
}

/// Writes every sheet in three forms, and the index.
fn all(games: &Games, maker: &Maker, folder: &Path) -> anyhow::Result<bool> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let index_output = OutputFile::new(&folder.join("index.html"))?;
    let sheets: Vec<_> = games
        .iter()
        .flat_map(|game| game.layouts().iter().map(move |layout| ParSheet::new(game, layout, maker)))
        .collect();
    for sheet in &sheets {
        let at = |extension: &str| OutputFile::new(&folder.join(format!("{}.{extension}", sheet.name())));
        let page = sheet.html();
        let path = at("html")?.write(&page)?;
        at("csv")?.write(sheet.csv())?;
        at("json")?.write(&(serde_json::to_string_pretty(&sheet.document())? + "\n"))?;
        print_hash(&path, &page)?;
    }
    let page = index(&sheets);
    print_hash(&index_output.write(&page)?, &page)?;
    Ok(true)
}

/// Prints a file's name and hash, by which a reader can identify it.
fn print_hash(path: &Path, text: &str) -> anyhow::Result<()> {
    let hash = taisai_journal::Hash::of(text.as_bytes());
    writeln!(anstream::stdout(), "{}  {QUIET}blake3 {hash}{QUIET:#}", path.display())?;
    Ok(())
}

fn print_sheet(game: &Game, sheet: &ParSheet) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    print::heading(&mut out, &format!("{} · {}", game.approved(), sheet.name()))?;
    let rows = sheet.lines().zip(&sheet.figures().boxes).map(|(line, figures)| {
        let ParLine {
            bet_box,
            ways,
            pays_to_one,
            edge_exact: edge,
            standard_deviation,
            skewness,
            volatility_index,
            ..
        } = line;
        vec![
            bet_box.to_owned(),
            game.label(figures.bet_box, Language::English),
            ways.to_string(),
            percent(figures.hit_frequency(), 2),
            pays_to_one.join(", "),
            line.returns_for_one.join(", "),
            edge,
            percent(figures.edge, 3),
            percent(figures.expected_return().fraction(), 3),
            standard_deviation,
            skewness,
            volatility_index,
        ]
    });
    let columns = [
        Column::left("Box"),
        Column::left("Bet"),
        Column::right("Ways"),
        Column::right("Hits"),
        Column::right("To one"),
        Column::right("For one"),
        Column::right("Edge"),
        Column::right(""),
        Column::right("Return"),
        Column::right("Deviation"),
        Column::right("Skewness"),
        Column::right("Volatility"),
    ];
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    let average = sheet.figures().average_edge();
    writeln!(out, "\n  {QUIET}One stake on every box: edge {average}, {}{QUIET:#}", percent(average, 3))?;
    writeln!(
        out,
        "  {QUIET}game file blake3 {}\n  rules     blake3 {}{QUIET:#}",
        sheet.file_hash(),
        sheet.rules_hash()
    )?;
    Ok(())
}
