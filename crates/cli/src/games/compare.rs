//! Compares layouts and pay tables across games and versions, and names every difference (F105).

use std::io::Write;

use serde::Serialize;
use taisai_rules::{Area, BetBox, BoxKind, Game, Layout, PayTableRow};

use crate::print::{self, QUIET};

/// A layout and how it is named in the comparison.
pub(crate) struct Compared<'g> {
    pub(crate) name: String,
    pub(crate) layout: &'g Layout,
}

impl<'g> Compared<'g> {
    /// The layouts of a game; a file is named where the game is there twice.
    pub(crate) fn of(game: &'g Game, file: Option<&str>) -> impl Iterator<Item = Self> {
        let name = format!("{}@{}", game.id(), game.version());
        let file = file.map_or(String::new(), |file| format!(" ({file})"));
        game.layouts().iter().map(move |layout| Self { name: format!("{name} {}{file}", layout.id()), layout })
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Aspect {
    Boxes,
    Odds,
    Rows,
    Order,
    Places,
    Words,
    Captions,
}

impl Aspect {
    const ALL: [Self; 7] =
        [Self::Boxes, Self::Odds, Self::Rows, Self::Order, Self::Places, Self::Words, Self::Captions];

    const fn heading(self) -> &'static str {
        match self {
            Self::Boxes => "Boxes: which layouts have them",
            Self::Odds => "Odds to one",
            Self::Rows => "Rows of the pay table, as worded",
            Self::Order => "Order on the felt, row by row",
            Self::Places => "Places on the felt: from the left, from the top, boxes in the row × width × height",
            Self::Words => "Words on the boxes",
            Self::Captions => "Captions: where they lie and what they say",
        }
    }

    /// What a layout has for a box or kind; nothing where the question does not arise.
    fn value(self, layout: &Layout, of: DifferenceSubject) -> Option<String> {
        match (self, of) {
            (Self::Boxes, DifferenceSubject::Box(bet_box)) => {
                Some(if layout.has(bet_box) { "on" } else { "not on" }.to_owned())
            }
            (Self::Odds, DifferenceSubject::Box(bet_box)) => {
                let odds: Vec<_> = layout.pays(bet_box).map(|odds| odds.to_string()).collect();
                (!odds.is_empty()).then(|| odds.join(", "))
            }
            (Self::Rows, DifferenceSubject::Box(bet_box)) => {
                let rows = layout.rows().iter().filter(|row| row.boxes.contains(&bet_box));
                let rows: Vec<_> = rows.map(worded).collect();
                (!rows.is_empty()).then(|| rows.join(" / "))
            }
            (Self::Order, DifferenceSubject::Kind(kind)) => {
                of_rows(layout, kind, |row| row.iter().map(|area| number(area.bet_box)).collect::<Vec<_>>().join(" "))
            }
            (Self::Places, DifferenceSubject::Kind(kind)) => {
                let size = format!("{} × {}: ", layout.felt().width(), layout.felt().height());
                of_rows(layout, kind, |row| runs(row).join(" ")).map(|places| size + &places)
            }
            (Self::Words, DifferenceSubject::Kind(kind)) => {
                layout.boxes_of(kind).next()?;
                let words = layout.felt().words(kind);
                Some(if words.is_empty() { "only dice".to_owned() } else { words.join(" / ") })
            }
            (Self::Captions, DifferenceSubject::Kind(kind)) => {
                layout.boxes_of(kind).next()?;
                let captions = layout.felt().captions().iter().filter(|caption| caption.of == kind);
                let texts = captions.map(|caption| {
                    let at = caption.at;
                    format!("{} at {},{} {}×{}", caption.words.join(" "), at.x, at.y, at.width, at.height)
                });
                let texts: Vec<_> = texts.collect();
                Some(if texts.is_empty() { "none".to_owned() } else { texts.join("; ") })
            }
            (Self::Boxes | Self::Odds | Self::Rows, DifferenceSubject::Kind(_))
            | (Self::Order | Self::Places | Self::Words | Self::Captions, DifferenceSubject::Box(_)) => None,
        }
    }
}

/// What a value belongs to. Most values of a felt belong to a kind.
#[derive(Clone, Copy)]
enum DifferenceSubject {
    Box(BetBox),
    Kind(BoxKind),
}

impl DifferenceSubject {
    const fn text(self) -> &'static str {
        match self {
            Self::Box(bet_box) => bet_box.text(),
            Self::Kind(kind) => kind.text(),
        }
    }
}

/// One difference: boxes or kinds, and each value with the layouts that have it.
#[derive(Serialize)]
pub(crate) struct Difference {
    aspect: Aspect,
    of: Vec<&'static str>,
    values: Vec<LayoutValue>,
}

#[derive(PartialEq, Eq, Serialize)]
struct LayoutValue {
    value: String,
    layouts: Vec<String>,
}

/// Every difference between the layouts. Boxes and kinds that differ in the same way are named together.
pub(crate) fn differences(layouts: &[Compared]) -> Vec<Difference> {
    let subjects: Vec<_> = BetBox::all()
        .map(DifferenceSubject::Box)
        .chain(BoxKind::ALL.into_iter().map(DifferenceSubject::Kind))
        .collect();
    let mut found: Vec<Difference> = Vec::new();
    for aspect in Aspect::ALL {
        for subject in &subjects {
            let values = values(aspect, *subject, layouts);
            if values.len() < 2 {
                continue;
            }
            match found.iter_mut().find(|known| known.aspect == aspect && known.values == values) {
                Some(known) => known.of.push(subject.text()),
                None => found.push(Difference { aspect, of: vec![subject.text()], values }),
            }
        }
    }
    found
}

fn values(aspect: Aspect, subject: DifferenceSubject, layouts: &[Compared]) -> Vec<LayoutValue> {
    let mut values: Vec<LayoutValue> = Vec::new();
    for compared in layouts {
        let Some(value) = aspect.value(compared.layout, subject) else { continue };
        match values.iter_mut().find(|known| known.value == value) {
            Some(known) => known.layouts.push(compared.name.clone()),
            None => values.push(LayoutValue { value, layouts: vec![compared.name.clone()] }),
        }
    }
    values
}

/// A kind's areas row by row, from the top down and from left to right.
fn of_rows(layout: &Layout, kind: BoxKind, describe: impl Fn(&[Area]) -> String) -> Option<String> {
    let mut areas: Vec<_> = layout.felt().areas().iter().copied().filter(|area| area.bet_box.kind() == kind).collect();
    areas.sort_by_key(|area| (area.at.y, area.at.x));
    let rows: Vec<_> = areas.chunk_by(|one, next| one.at.y == next.at.y).map(describe).collect();
    (!rows.is_empty()).then(|| rows.join(" | "))
}

/// Neighbours of the same size in a row, as one.
fn runs(row: &[Area]) -> Vec<String> {
    let follows = |one: &Area, next: &Area| {
        one.at.x + one.at.width == next.at.x && (one.at.width, one.at.height) == (next.at.width, next.at.height)
    };
    let run = |areas: &[Area]| {
        let at = areas.first()?.at;
        Some(format!("{},{} {}×{}×{}", at.x, at.y, areas.len(), at.width, at.height))
    };
    row.chunk_by(follows).filter_map(run).collect()
}

fn worded(row: &PayTableRow) -> String {
    if row.rules.is_empty() { row.name.clone() } else { format!("{}: {}", row.name, row.rules) }
}

fn number(bet_box: BetBox) -> &'static str {
    let text = bet_box.text();
    text.split_once(':').map_or(text, |(_, number)| number)
}

pub(crate) fn print(out: &mut impl Write, layouts: &[Compared], differences: &[Difference]) -> std::io::Result<()> {
    print::heading(out, &format!("{} layouts compared", layouts.len()))?;
    writeln!(out, "  {}", together(layouts.iter().map(|compared| compared.name.as_str())))?;
    if differences.is_empty() {
        return writeln!(out, "\n  There is no difference.");
    }
    for aspect in Aspect::ALL {
        let found: Vec<_> = differences.iter().filter(|difference| difference.aspect == aspect).collect();
        if found.is_empty() {
            continue;
        }
        print::heading(out, aspect.heading())?;
        for difference in found {
            writeln!(out, "  {}", difference.of.join(" "))?;
            for LayoutValue { value, layouts } in &difference.values {
                writeln!(out, "    {value}")?;
                writeln!(out, "      {QUIET}{}{QUIET:#}", together(layouts.iter().map(String::as_str)))?;
            }
        }
    }
    Ok(())
}

/// Names of layouts, those of one game together: `tai-sai@6 A, C`.
fn together<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut games: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (game, layout) = name.split_once(' ').unwrap_or((name, ""));
        match games.last_mut() {
            Some((last, layouts)) if *last == game => layouts.push(layout),
            _ => games.push((game, vec![layout])),
        }
    }
    let games: Vec<_> = games.into_iter().map(|(game, layouts)| format!("{game} {}", layouts.join(", "))).collect();
    games.join("; ")
}
