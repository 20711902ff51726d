//! `taisai games felt`: what stands on a layout's felt, in words, and how its drawing was read.

use std::io::Write;

use serde::Serialize;
use taisai_rules::{BoxKind, Game, Layout};

use crate::print::{self, Column, QUIET};

/// The felt of a layout, for programs.
#[derive(Serialize)]
pub(super) struct PrintedFelt<'g> {
    game: String,
    layout: &'g str,
    source: &'g str,
    boxes: Vec<PrintedBox>,
    captions: Vec<PrintedCaption>,
    reading: &'g [String],
    blank: Vec<PrintedBlank<'g>>,
    doubtful: Vec<PrintedDoubt<'g>>,
}

#[derive(Serialize)]
struct PrintedBox {
    #[serde(rename = "box")]
    bet_box: &'static str,
    printed: Vec<String>,
}

#[derive(Serialize)]
struct PrintedCaption {
    of: &'static str,
    printed: Vec<String>,
}

#[derive(Serialize)]
struct PrintedBlank<'g> {
    of: Vec<&'static str>,
    taken: &'g str,
}

#[derive(Serialize)]
struct PrintedDoubt<'g> {
    of: Vec<&'static str>,
    scan: &'g str,
    read: &'g str,
    why: &'g str,
}

fn texts(kinds: &[BoxKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.text()).collect()
}

impl<'g> PrintedFelt<'g> {
    pub(super) fn of(game: &Game, layout: &'g Layout) -> Self {
        let felt = layout.felt();
        let boxes = felt.areas().iter().map(|area| PrintedBox {
            bet_box: area.bet_box.text(),
            printed: layout.printed(area.bet_box).into_iter().map(|line| line.text).collect(),
        });
        let captions = felt.captions().iter();
        let captions = captions.map(|c| PrintedCaption { of: c.of.text(), printed: layout.caption(c) });
        let blank = felt.blank().iter().map(|blank| PrintedBlank { of: texts(&blank.of), taken: &blank.taken });
        let doubtful = felt.doubtful().iter().map(|doubt| PrintedDoubt {
            of: texts(&doubt.of),
            scan: &doubt.scan,
            read: &doubt.read,
            why: &doubt.why,
        });
        Self {
            game: format!("{}@{}", game.id(), game.version()),
            layout: layout.id(),
            source: felt.source(),
            boxes: boxes.collect(),
            captions: captions.collect(),
            reading: felt.reading(),
            blank: blank.collect(),
            doubtful: doubtful.collect(),
        }
    }
}

pub(super) fn print(out: &mut impl Write, game: &Game, layout: &Layout) -> std::io::Result<()> {
    let felt = PrintedFelt::of(game, layout);
    print::heading(out, &format!("{} layout {}: {}", felt.game, felt.layout, felt.source))?;
    let joined = |printed: &[String]| if printed.is_empty() { "(dice)".to_owned() } else { printed.join(" / ") };
    let boxes = felt.boxes.iter().map(|of| vec![of.bet_box.to_owned(), joined(&of.printed)]);
    let captions = felt.captions.iter().map(|of| vec![format!("caption {}", of.of), joined(&of.printed)]);
    let columns = [Column::left("Box"), Column::left("Printed")];
    print::table(out, &columns, &boxes.chain(captions).collect::<Vec<_>>())?;
    for remark in felt.reading {
        writeln!(out, "\n  {remark}")?;
    }
    for blank in &felt.blank {
        writeln!(out, "\n  Blank in the scan: {}\n  {QUIET}{}{QUIET:#}", blank.of.join(", "), blank.taken)?;
    }
    for doubt in &felt.doubtful {
        let of = doubt.of.join(", ");
        writeln!(out, "\n  Doubtful, {of}: the scan has “{}”, read as “{}”", doubt.scan, doubt.read)?;
        writeln!(out, "  {QUIET}{}{QUIET:#}", doubt.why)?;
    }
    Ok(())
}
