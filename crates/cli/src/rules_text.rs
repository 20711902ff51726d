//! `taisai games rules`: prints the approved text of a game, or one paragraph of it.

use std::io::Write;

use anyhow::Context as _;
use serde::Serialize;
use taisai_rules::{Citation, Game, Games, Layout, Moment, Paragraph, Passage, RulesText};

use crate::games::pay_table;
use crate::print::{self, HEADING, QUIET};

const NUMBER_WIDTH: usize = 8;

#[derive(Serialize)]
struct PrintedPassage<'t> {
    document: &'t str,
    number: &'t str,
    is_closing: bool,
    heading: Option<&'t str>,
    text: Option<&'t str>,
    /// Title of the pay table in this paragraph.
    pay_table: Option<&'t str>,
}

pub(crate) fn print(
    games: &Games,
    now: Moment,
    game: &str,
    paragraph: Option<&Paragraph>,
    json: bool,
) -> anyhow::Result<()> {
    let game = games.find(game, Some(now))?;
    let document = paragraph.and_then(Paragraph::document).unwrap_or(game.document());
    let text = games.text(document).with_context(|| format!("there is no text of document {document} here"))?;
    let passages = match paragraph {
        Some(paragraph) => text.around(paragraph.number())?,
        None => text.passages(),
    };
    // A document's pay tables are those of the game that it approves.
    let owner = games.iter().find(|known| known.document() == document);
    let layout = |passage: &Passage<'_>| owner.and_then(|owner| layout_at(owner, passage));
    if json {
        return print::json_array(passages.into_iter().map(|passage| PrintedPassage {
            document,
            number: passage.number,
            is_closing: passage.is_closing,
            heading: passage.heading,
            text: passage.text,
            pay_table: layout(&passage).map(Layout::title),
        }));
    }
    let mut out = anstream::stdout().lock();
    if paragraph.is_none() {
        print_opening(&mut out, text)?;
    }
    for passage in passages {
        print_passage(&mut out, &passage)?;
        if let Some(layout) = layout(&passage) {
            print::heading(&mut out, &format!("  {}", layout.title()))?;
            pay_table(&mut out, layout)?;
        }
    }
    if paragraph.is_none() {
        print_end(&mut out, games, game, text)?;
    }
    Ok(())
}

/// The layout whose pay table is in a paragraph.
fn layout_at<'g>(game: &'g Game, passage: &Passage<'_>) -> Option<&'g Layout> {
    let is_here = |layout: &&Layout| layout.paragraph(Citation::PayTable).is_some_and(|at| at.text() == passage.number);
    game.layouts().iter().find(is_here).filter(|_| !passage.is_closing)
}

fn print_opening(out: &mut impl Write, text: &RulesText) -> std::io::Result<()> {
    writeln!(out)?;
    for line in text.opening() {
        print::wrapped(out, 2, "", line)?;
    }
    Ok(())
}

fn print_passage(out: &mut impl Write, passage: &Passage<'_>) -> std::io::Result<()> {
    let number = if passage.is_closing { "" } else { passage.number };
    writeln!(out)?;
    if let Some(heading) = passage.heading {
        writeln!(out, "  {HEADING}{number:NUMBER_WIDTH$}{heading}{HEADING:#}")?;
    }
    let first = if passage.heading.is_some() { "" } else { number };
    passage.text.map_or(Ok(()), |text| print::wrapped(out, NUMBER_WIDTH + 2, &format!("  {first}"), text))
}

/// Prints doubtful readings, and which other documents apply.
fn print_end(out: &mut impl Write, games: &Games, game: &Game, text: &RulesText) -> std::io::Result<()> {
    print::heading(out, "How the scan is read")?;
    for reading in text.reading() {
        print::wrapped(out, 4, "  –", reading)?;
    }
    for followed in games.texts_of(game).iter().filter(|followed| followed.document() != text.document()) {
        let document = followed.document();
        let cited = game.cited().into_iter().filter(|cited| cited.document() == Some(document));
        let cited: Vec<_> = cited.map(ToString::to_string).collect();
        writeln!(out, "\n  {QUIET}Document {document} is followed in:{QUIET:#}")?;
        print::wrapped(out, 4, "", &cited.join(", "))?;
    }
    writeln!(out)
}
