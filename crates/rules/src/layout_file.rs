//! The layouts of a game's file: pay-table rows and felt, checked against each other.

use std::ops::Range;

use crate::bet_box::{BetBox, Kind};
use crate::fault::FaultKind;
use crate::felt::{Area, Caption, Felt, Rect};
use crate::game_file::boxes_of;
use crate::layout::{Paragraph, Row};
use crate::reader::{Reader, Table, Value};
use crate::text::Language;

/// A felt of more areas is refused: there are 117 boxes, and none is printed more than twice.
const MOST_AREAS: usize = 2 * BetBox::COUNT;
/// The largest size and place on a felt, in units.
const MOST_UNITS: u32 = 10_000;

/// A layout of a file, its boxes and odds checked.
pub(crate) struct LayoutRead {
    pub(crate) id: String,
    pub(crate) pay_table: u8,
    pub(crate) title: String,
    pub(crate) paragraph: Paragraph,
    pub(crate) rows: Vec<Row>,
    pub(crate) felt: Felt,
    /// The kinds on the felt, each with one place in the file where it stands.
    pub(crate) kinds: Vec<(Kind, Range<usize>)>,
}

/// An area, and where in the file it is written.
type Placed<T> = (T, Range<usize>);

pub(crate) fn read<'t>(reader: &mut Reader<'t>, list: &[Value<'t>]) -> Vec<LayoutRead> {
    let mut ids: Vec<String> = Vec::new();
    let mut layouts = Vec::new();
    for value in list {
        let Some(mut table) = reader.table(value) else { continue };
        if let Some(id) = table.optional("id")
            && let Some(text) = reader.string(id)
        {
            if text.is_empty() || text.len() > 8 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                let message = format!("{text:?}: a layout is named by letters and digits, like \"A\"");
                reader.fault(id.span(), FaultKind::BadValue, message);
            } else if ids.iter().any(|known| known == text) {
                reader.fault(id.span(), FaultKind::BadValue, format!("there are two layouts {text:?}"));
            }
            ids.push(text.to_owned());
        }
        layouts.extend(read_layout(reader, table));
    }
    if list.is_empty() {
        reader.fault(0..0, FaultKind::BadValue, "a game has at least one layout");
    }
    layouts
}

fn read_layout<'t>(reader: &mut Reader<'t>, mut table: Table<'_, 't>) -> Option<LayoutRead> {
    let id = table.string(reader, "id");
    let pay_table = table.required(reader, "pay_table").and_then(|value| reader.integer(value, 1..=99));
    let title = table.string(reader, "title");
    let paragraph = table.parsed(reader, "paragraph");
    let rows = table.list(reader, "rows").map(|list| read_rows(reader, list));
    let felt = table.section(reader, "felt").and_then(|felt| read_felt(reader, felt));
    table.finish(reader);
    let (rows, felt) = (rows?, felt?);

    for (area, span) in &felt.areas {
        for dice in dice_of(area.bet_box.kind()) {
            if !rows.odds.iter().any(|((bet_box, row_dice), _)| *bet_box == area.bet_box && row_dice == dice) {
                let on_dice = dice.map_or(String::new(), |dice| format!(" on {dice} dice"));
                let message = format!("{} has no odds{on_dice} in the pay table", area.bet_box);
                reader.fault(span.clone(), FaultKind::OddsMissing, message);
            }
        }
    }
    for ((bet_box, _), span) in &rows.odds {
        if !felt.areas.iter().any(|(area, _)| area.bet_box == *bet_box) {
            reader.fault(span.clone(), FaultKind::OddsOffLayout, format!("{bet_box} has odds but is not on the felt"));
        }
    }
    for (caption, span) in &felt.captions {
        if !felt.areas.iter().any(|(area, _)| area.bet_box.kind() == caption.of) {
            let message = format!("a caption for {}, which is not on the felt", caption.of);
            reader.fault(span.clone(), FaultKind::OddsOffLayout, message);
        }
    }
    let mut kinds: Vec<(Kind, Range<usize>)> = Vec::new();
    for (area, span) in &felt.areas {
        if !kinds.iter().any(|(kind, _)| *kind == area.bet_box.kind()) {
            kinds.push((area.bet_box.kind(), span.clone()));
        }
    }
    let without_places = |felt: FeltRead| Felt {
        width: felt.size[0],
        height: felt.size[1],
        source: felt.source,
        chinese: felt.chinese,
        reading: felt.reading,
        areas: felt.areas.into_iter().map(|(area, _)| area).collect(),
        captions: felt.captions.into_iter().map(|(caption, _)| caption).collect(),
    };
    Some(LayoutRead {
        id: id?,
        pay_table: u8::try_from(pay_table?).ok()?,
        title: title?,
        paragraph: paragraph?,
        rows: rows.rows,
        felt: without_places(felt),
        kinds,
    })
}

/// On how many dice a kind's rows pay: Single Dice has one row for each, every other kind one row in all.
fn dice_of(kind: Kind) -> &'static [Option<u8>] {
    if kind == Kind::Single { &[Some(1), Some(2), Some(3)] } else { &[None] }
}

struct RowsRead {
    rows: Vec<Row>,
    /// The boxes with odds, on how many dice, and where.
    odds: Vec<Placed<(BetBox, Option<u8>)>>,
}

fn read_rows<'t>(reader: &mut Reader<'t>, list: &[Value<'t>]) -> RowsRead {
    let mut read = RowsRead { rows: Vec::new(), odds: Vec::new() };
    for value in list {
        let Some(mut table) = reader.table(value) else { continue };
        let name = table.string(reader, "type");
        let rules = table.required(reader, "rules").and_then(|value| reader.string(value)).map(str::to_owned);
        let pays = table.required(reader, "pays");
        let odds = pays.and_then(|pays| reader.parsed(pays, FaultKind::BadOdds));
        let dice = table.optional("dice").and_then(|value| reader.integer(value, 1..=3));
        let dice = dice.and_then(|dice| u8::try_from(dice).ok());
        let mut boxes = Vec::new();
        let list = table.required(reader, "boxes");
        let listed = list.and_then(|list| reader.array(list)).unwrap_or_default();
        if let (Some(list), []) = (list, listed) {
            reader.fault(list.span(), FaultKind::BadValue, "a row is for at least one box");
        }
        for value in listed {
            let Some(bet_box) = reader.parsed::<BetBox>(value, FaultKind::UnknownBox) else { continue };
            if !dice_of(bet_box.kind()).contains(&dice) {
                let message = match dice {
                    None => "a row for single dice says on how many: dice = 1, 2 or 3".to_owned(),
                    Some(_) => format!("{bet_box} does not pay by the number of dice"),
                };
                reader.fault(value.span(), FaultKind::BadValue, message);
            } else if read.odds.iter().any(|(known, _)| *known == (bet_box, dice)) {
                reader.fault(value.span(), FaultKind::BoxTwice, format!("{bet_box} is in this pay table twice"));
            } else {
                read.odds.push(((bet_box, dice), value.span()));
                boxes.push(bet_box);
            }
        }
        table.finish(reader);
        let pays = pays.and_then(|pays| reader.string(pays));
        if let (Some(name), Some(rules), Some(pays), Some(odds)) = (name, rules, pays, odds) {
            read.rows.push(Row { name, rules, pays: pays.to_owned(), odds, dice, boxes });
        }
    }
    read
}

struct FeltRead {
    size: [u32; 2],
    source: String,
    chinese: Language,
    reading: Vec<String>,
    areas: Vec<Placed<Area>>,
    captions: Vec<Placed<Caption>>,
}

fn read_felt<'t>(reader: &mut Reader<'t>, mut table: Table<'_, 't>) -> Option<FeltRead> {
    let size = table.required(reader, "size").and_then(|value| reader.integers(value, &(1..=MOST_UNITS)));
    let source = table.string(reader, "source");
    let scripts = [("zh-Hans", Language::Simplified), ("zh-Hant", Language::Traditional)];
    let chinese = table.choice(reader, "chinese", &scripts);
    let reading = table.optional("reading").and_then(|value| reader.array(value)).unwrap_or_default();
    let reading = reading.iter().filter_map(|value| reader.string(value).map(str::to_owned)).collect();
    let twice = table.optional("twice").and_then(|value| reader.array(value)).unwrap_or_default();
    let twice: Vec<_> = twice.iter().map(|value| (boxes_of(reader, value), value.span())).collect();
    let blocks = table.list(reader, "blocks").unwrap_or_default();
    let mut areas = Vec::new();
    for block in blocks {
        read_block(reader, block, &mut areas);
    }
    let mut captions = Vec::new();
    for value in table.optional("captions").and_then(|value| reader.array(value)).unwrap_or_default() {
        captions.extend(read_caption(reader, value).map(|caption| (caption, value.span())));
    }
    if areas.len().max(captions.len()) > MOST_AREAS {
        let message = format!("a felt has at most {MOST_AREAS} areas and as many captions");
        reader.fault(table.span, FaultKind::BadValue, message);
        return None;
    }
    if areas.is_empty() {
        reader.fault(table.span.clone(), FaultKind::BadValue, "a felt has at least one box");
    }
    check_places(reader, &areas, &twice);
    if let Some([width, height]) = size {
        let areas_at = areas.iter().map(|(area, span)| (area.bet_box.to_string(), area.at, span.clone()));
        let captions_at = captions.iter().map(|(c, span)| (format!("the caption of {}", c.of), c.at, span.clone()));
        check_geometry(reader, width, height, &areas_at.chain(captions_at).collect::<Vec<_>>());
    }
    table.finish(reader);
    Some(FeltRead { size: size?, source: source?, chinese: chinese?, reading, areas, captions })
}

fn read_block<'t>(reader: &mut Reader<'t>, value: &Value<'t>, areas: &mut Vec<Placed<Area>>) {
    let Some(mut table) = reader.table(value) else { return };
    let at = table.required(reader, "at").and_then(|value| read_rect(reader, value));
    let rows = table.list(reader, "rows").unwrap_or_default();
    let height = u32::try_from(rows.len()).ok().filter(|rows| *rows > 0);
    let height = height.and_then(|rows| at.and_then(|at| (at.height % rows == 0).then_some(at.height / rows)));
    if at.is_some() && height.is_none() {
        let message = format!("{} rows do not share the block's height evenly", rows.len());
        reader.fault(table.span.clone(), FaultKind::FeltUneven, message);
    }
    let mut y = at.map_or(0, |at| at.y);
    for row in rows {
        let Some(cells) = reader.array(row) else { continue };
        let width = u32::try_from(cells.len()).ok().filter(|cells| *cells > 0);
        let width = width.and_then(|cells| at.and_then(|at| (at.width % cells == 0).then_some(at.width / cells)));
        if at.is_some() && width.is_none() {
            let message = format!("{} boxes do not share the block's width evenly", cells.len());
            reader.fault(row.span(), FaultKind::FeltUneven, message);
        }
        let mut x = at.map_or(0, |at| at.x);
        for cell in cells {
            let empty = reader.string(cell).is_none_or(str::is_empty);
            let bet_box = if empty { None } else { reader.parsed(cell, FaultKind::UnknownBox) };
            if let Some(bet_box) = bet_box {
                // A place that could not be reckoned has no size: the box is on the felt, its place is at fault.
                let (width, height) = (width.unwrap_or(0), height.unwrap_or(0));
                areas.push((Area { bet_box, at: Rect { x, y, width, height } }, cell.span()));
            }
            x += width.unwrap_or(0);
        }
        y += height.unwrap_or(0);
    }
    table.finish(reader);
}

fn read_caption<'t>(reader: &mut Reader<'t>, value: &Value<'t>) -> Option<Caption> {
    let mut table = reader.table(value)?;
    let at = table.required(reader, "at").and_then(|value| read_rect(reader, value));
    let of = table.required(reader, "of").and_then(|value| reader.parsed(value, FaultKind::UnknownBox));
    table.finish(reader);
    Some(Caption { of: of?, at: at? })
}

fn read_rect<'t>(reader: &mut Reader<'t>, value: &Value<'t>) -> Option<Rect> {
    let [x, y, width, height] = reader.integers(value, &(0..=MOST_UNITS))?;
    if width == 0 || height == 0 {
        reader.fault(value.span(), FaultKind::BadValue, "an area is at least one unit wide and high");
        return None;
    }
    Some(Rect { x, y, width, height })
}

/// A box stands in one place; one that is printed twice in exactly two.
fn check_places(reader: &mut Reader<'_>, areas: &[Placed<Area>], twice: &[Placed<Vec<BetBox>>]) {
    let may_be_twice = |bet_box| twice.iter().any(|(boxes, _)| boxes.contains(&bet_box));
    for (place, (area, span)) in areas.iter().enumerate() {
        let before = areas[..place].iter().filter(|(earlier, _)| earlier.bet_box == area.bet_box).count();
        if before > usize::from(may_be_twice(area.bet_box)) {
            let message =
                format!("{} is on the felt once too often; \"twice\" names what is printed twice", area.bet_box);
            reader.fault(span.clone(), FaultKind::BoxTwice, message);
        }
    }
    for (boxes, span) in twice {
        let places = |bet_box| areas.iter().filter(|(area, _)| area.bet_box == bet_box).count();
        let once: Vec<_> = boxes.iter().filter(|bet_box| places(**bet_box) == 1).map(|b| b.text()).collect();
        if !once.is_empty() || boxes.iter().all(|bet_box| places(*bet_box) == 0) {
            let which = if once.is_empty() { "these boxes".to_owned() } else { once.join(", ") };
            reader.fault(span.clone(), FaultKind::BoxOnce, format!("{which}: not in two places on the felt"));
        }
    }
}

fn check_geometry(reader: &mut Reader<'_>, width: u32, height: u32, places: &[(String, Rect, Range<usize>)]) {
    let places: Vec<_> = places.iter().filter(|(_, at, _)| at.width > 0 && at.height > 0).collect();
    for (place, (name, at, span)) in places.iter().enumerate() {
        if !at.is_inside(width, height) {
            reader.fault(span.clone(), FaultKind::FeltOutside, format!("{name} lies outside the felt"));
        }
        if let Some((other, _, _)) = places[..place].iter().find(|(_, other, _)| other.overlaps(*at)) {
            reader.fault(span.clone(), FaultKind::FeltOverlap, format!("{name} overlaps {other}"));
        }
    }
}
