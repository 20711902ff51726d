//! `taisai games`: loads games, lists them, prints their pay tables and felts as the documents do, checks game files, and
//! compares layouts and odds.

mod compare;
mod printed;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Serialize;
use taisai_rules::{Cover, FileFault, Game, Games, Language, Layout, Moment, Station};

use crate::check::CheckedFiles;
use crate::print::{self, Column, QUIET};
use compare::Compared;
use printed::PrintedFelt;

/// Loads the games of a folder, or gives those in the program.
pub fn load(folder: Option<&Path>) -> anyhow::Result<Cow<'static, Games>> {
    let Some(folder) = folder else { return Ok(Cow::Borrowed(Games::embedded())) };
    let files = files_of(folder)?;
    if files.is_empty() {
        bail!("no game (*.toml) in {}", folder.display());
    }
    let mut games = Games::default();
    let mut faults = String::new();
    for file in &files {
        let name = file.display();
        match read(file) {
            Ok(Ok(game)) => {
                if let Err(twice) = games.add(game) {
                    write!(faults, "\n  {name}: {twice}")?;
                }
            }
            Ok(Err(found)) => {
                for fault in found {
                    write!(faults, "\n  {name}:{fault}")?;
                }
            }
            Err(error) => write!(faults, "\n  {name}: {error}")?,
        }
    }
    if faults.is_empty() {
        load_texts(&mut games, &folder.join("texts"), &mut faults)?;
    }
    if !faults.is_empty() {
        bail!("the games in {} have faults:{faults}", folder.display());
    }
    Ok(Cow::Owned(games))
}

fn load_texts(games: &mut Games, folder: &Path, faults: &mut String) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for file in &files_of(folder)? {
        let name = file.display();
        match read_bytes(file) {
            Ok(bytes) => {
                for fault in games.add_text(bytes).err().unwrap_or_default() {
                    write!(faults, "\n  {name}:{fault}")?;
                }
            }
            Err(error) => write!(faults, "\n  {name}: {error}")?,
        }
    }
    Ok(())
}

/// The data files of a folder, sorted by name.
fn files_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    files.retain(|path| is_data_file(path));
    files.sort();
    Ok(files)
}

type GameFile = Result<Game, Vec<FileFault>>;

fn read(path: &Path) -> std::io::Result<GameFile> {
    read_bytes(path).map(Game::from_toml)
}

/// Reads a regular file, but no more of it than a game can have.
fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("this is not a regular file"));
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(Game::MAX_BYTES + 1).map_err(std::io::Error::other)?;
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_data_file(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && path.extension().is_some_and(|extension| extension == "toml")
}

#[derive(Serialize)]
struct GameListing<'g> {
    id: &'g str,
    version: u32,
    title: &'g str,
    document: &'g str,
    approved: &'g str,
    effective: Option<i64>,
    until: Option<i64>,
    in_force: bool,
    cover: &'static str,
    station: &'static str,
    layouts: Vec<LayoutListing<'g>>,
}

#[derive(Serialize)]
struct LayoutListing<'g> {
    id: &'g str,
    pay_table: u8,
    boxes: usize,
}

fn listed(game: &Game, now: Moment) -> GameListing<'_> {
    GameListing {
        id: game.id(),
        version: game.version(),
        title: game.title().get(Language::English),
        document: game.document(),
        approved: game.approved(),
        effective: game.effective().map(Moment::unix_seconds),
        until: game.until().map(Moment::unix_seconds),
        in_force: game.is_in_force(now),
        cover: match game.cover() {
            Cover::Covered => "covered",
            Cover::Open => "open",
        },
        station: match game.station() {
            Station::LiveTable => "live-table",
            Station::PlayerTerminals => "player-terminals",
        },
        layouts: game.layouts().iter().map(listed_layout).collect(),
    }
}

fn listed_layout(layout: &Layout) -> LayoutListing<'_> {
    LayoutListing { id: layout.id(), pay_table: layout.pay_table(), boxes: layout.boxes().len() }
}

pub(crate) fn list(games: &Games, now: Moment, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json_array(games.iter().map(|game| listed(game, now)));
    }
    let rows = games.iter().map(|game| {
        let listed = listed(game, now);
        let layouts = listed.layouts.iter().map(|l| format!("{} → {} ({})", l.id, l.pay_table, l.boxes));
        vec![
            format!("{}@{}", listed.id, listed.version),
            listed.title.to_owned(),
            game.title().get(Language::Traditional).to_owned(),
            listed.document.to_owned(),
            game.effective().map_or("undated".to_owned(), |moment| moment.to_string()),
            if listed.in_force { "yes" } else { "no" }.to_owned(),
            listed.cover.to_owned(),
            layouts.collect::<Vec<_>>().join(", "),
        ]
    });
    let columns = [
        Column::left("Game"),
        Column::left("Title"),
        Column::left(""),
        Column::left("Document"),
        Column::left("In force from"),
        Column::left("Now"),
        Column::left("Cover"),
        Column::left("Layout → pay table (boxes)"),
    ];
    print::table(&mut anstream::stdout().lock(), &columns, &rows.collect::<Vec<_>>())?;
    Ok(())
}

#[derive(Serialize)]
struct PayTableJson<'g> {
    game: String,
    layout: &'g str,
    title: &'g str,
    rows: Vec<PayTableRowJson<'g>>,
}

#[derive(Serialize)]
struct PayTableRowJson<'g> {
    #[serde(rename = "type")]
    name: &'g str,
    rules: &'g str,
    pays: &'g str,
    boxes: Vec<&'static str>,
}

pub(crate) fn show(tables: Vec<(&Game, &Layout)>, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json_array(tables.into_iter().map(|(game, layout)| PayTableJson {
            game: format!("{}@{}", game.id(), game.version()),
            layout: layout.id(),
            title: layout.title(),
            rows: layout.rows().iter().map(pay_table_row).collect(),
        }));
    }
    let mut out = anstream::stdout().lock();
    for (game, layout) in tables {
        show_table(&mut out, game, layout)?;
    }
    Ok(())
}

/// The layouts that the arguments choose, with their games.
pub(crate) fn chosen<'g>(
    games: &'g Games,
    now: Moment,
    name: Option<&str>,
    layout: Option<&str>,
) -> anyhow::Result<Vec<(&'g Game, &'g Layout)>> {
    let selected: Vec<&Game> = match name {
        Some(name) => vec![games.find(name, Some(now))?],
        None => games.iter().collect(),
    };
    let mut chosen = Vec::new();
    for game in selected {
        match layout {
            Some(layout) => chosen.push((game, game.layout(layout)?)),
            None => chosen.extend(game.layouts().iter().map(|layout| (game, layout))),
        }
    }
    Ok(chosen)
}

pub(crate) fn felts(felts: Vec<(&Game, &Layout)>, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json_array(felts.into_iter().map(|(game, layout)| PrintedFelt::of(game, layout)));
    }
    let mut out = anstream::stdout().lock();
    for (game, layout) in felts {
        printed::print(&mut out, game, layout)?;
    }
    Ok(())
}

fn pay_table_row(row: &taisai_rules::PayTableRow) -> PayTableRowJson<'_> {
    let boxes = row.boxes.iter().map(|bet_box| bet_box.text()).collect();
    PayTableRowJson { name: &row.name, rules: &row.rules, pays: &row.pays, boxes }
}

fn show_table(out: &mut impl Write, game: &Game, layout: &Layout) -> anyhow::Result<()> {
    let paragraph = layout.paragraph(taisai_rules::Citation::PayTable);
    let paragraph = paragraph.map(ToString::to_string).unwrap_or_default();
    let effective = game.effective().map_or("undated".to_owned(), |moment| format!("in force from {moment}"));
    print::heading(out, &format!("{paragraph}  {}", layout.title()))?;
    let source = format!("{} · document {} · {effective} · layout {}", game.approved(), game.document(), layout.id());
    writeln!(out, "  {QUIET}{source}{QUIET:#}")?;
    writeln!(out, "  {QUIET}{}{QUIET:#}\n", approval(game))?;
    pay_table(out, layout)?;
    Ok(())
}

/// Whether a game is approved, for people.
pub(crate) fn approval(game: &Game) -> String {
    if game.is_approved() { "approved, unchanged".to_owned() } else { format!("NOT APPROVED (hash {})", game.hash()) }
}

/// Prints the rows of a pay table as the document does.
pub(crate) fn pay_table(out: &mut impl Write, layout: &Layout) -> std::io::Result<()> {
    let rows: Vec<_> = layout.rows().iter().map(|r| vec![r.name.clone(), r.rules.clone(), r.pays.clone()]).collect();
    let columns = [Column::left("Type"), Column::left("Bet/Rules"), Column::right("Pays")];
    print::table(out, &columns, &rows)
}

/// Checks files and prints every fault; `false` if there is one. If there is none, compares the layouts of the files with those
/// of the games in the program and prints every difference (F105).
pub(crate) fn check(games: &Games, files: &[PathBuf], json: bool) -> anyhow::Result<bool> {
    let summary = |game: &Game| {
        let boxes: Vec<_> = game.layouts().iter().map(|l| format!("{} {}", l.id(), l.boxes().len())).collect();
        format!("{}@{}, {}, boxes {}", game.id(), game.version(), approval(game), boxes.join(", "))
    };
    let checked = CheckedFiles::read(files, read);
    if !checked.have_no_faults() {
        checked.print(json, summary)?;
        return checked.finish();
    }
    let mut layouts: Vec<_> = games.iter().flat_map(|game| Compared::of(game, None)).collect();
    for (file, game) in checked.contents() {
        let known = games.iter().find(|known| (known.id(), known.version()) == (game.id(), game.version()));
        let file = file.display().to_string();
        match known {
            Some(known) if known.file() == game.file() => {}
            known => layouts.extend(Compared::of(game, known.map(|_| file.as_str()))),
        }
    }
    let differences = compare::differences(&layouts);
    if json {
        let files = checked.to_json().map(serde_json::to_value);
        let differences = differences.iter().map(serde_json::to_value);
        print::json_array(files.chain(differences).collect::<Result<Vec<_>, _>>()?)?;
    } else {
        checked.print(json, summary)?;
        compare::print(&mut anstream::stdout().lock(), &layouts, &differences)?;
    }
    Ok(true)
}
