//! The layouts of a game's file: pay-table rows and felt, checked against each other.

use std::ops::Range;

use crate::bet_box::{BetBox, BoxKind};
use crate::felt::{Area, Caption, Felt, Rect};
use crate::game_file::boxes_of;
use crate::layout::PayTableRow;
use crate::paragraph::Paragraph;
use crate::print_file::{self, PrintRead};
use taisai_datafile::{FileFaultKind, TomlReader, TomlTable, TomlValue, cite};

/// A felt of more areas is refused: there are 117 boxes, and none is printed more than twice.
const MAX_AREAS: usize = 2 * BetBox::COUNT;
/// The largest size and place on a felt, in units.
const MAX_UNITS: u32 = 10_000;
/// The most characters of the rules of a row, and of a remark on how a drawing was read.
const MAX_CHARACTERS: usize = 1_000;

/// The layouts of a file.
pub(crate) struct LayoutsRead {
    /// Those without a fault, or with one that leaves them whole.
    pub(crate) layouts: Vec<LayoutRead>,
    /// The kinds on some felt, each where it first stands.
    pub(crate) kinds: Vec<Spanned<BoxKind>>,
}

/// A layout of a file, its boxes and odds checked.
pub(crate) struct LayoutRead {
    pub(crate) id: String,
    pub(crate) pay_table: u8,
    pub(crate) title: String,
    pub(crate) paragraph: Paragraph,
    pub(crate) rows: Vec<PayTableRow>,
    pub(crate) felt: Felt,
}

/// Something, and where in the file it is written.
pub(crate) type Spanned<T> = (T, Range<usize>);

pub(crate) fn read<'t>(reader: &mut TomlReader<'t>, list: &TomlValue<'t>) -> LayoutsRead {
    let mut read = LayoutsRead { layouts: Vec::new(), kinds: Vec::new() };
    let tables = reader.array(list);
    if tables.is_some_and(<[_]>::is_empty) {
        reader.fault(list.span(), FileFaultKind::BadValue, "a game has at least one layout");
    }
    let mut ids = Vec::new();
    for value in tables.unwrap_or_default() {
        if let Some(table) = reader.table(value) {
            let layout = read_layout(reader, table, &mut ids, &mut read.kinds);
            read.layouts.extend(layout);
        }
    }
    read
}

fn read_layout<'t>(
    reader: &mut TomlReader<'t>,
    mut table: TomlTable<'_, 't>,
    ids: &mut Vec<String>,
    kinds: &mut Vec<Spanned<BoxKind>>,
) -> Option<LayoutRead> {
    let id = table.required(reader, "id").and_then(|value| read_id(reader, value, ids));
    let pay_table = table.required(reader, "pay_table").and_then(|value| reader.integer(value, 1..=99));
    let title = table.string(reader, "title");
    let paragraph = table.parsed(reader, "paragraph");
    let rows = table.list(reader, "rows").map(|list| read_rows(reader, list));
    let felt = table.section(reader, "felt").map(|felt| read_felt(reader, felt));
    table.finish(reader);
    for (area, span) in felt.iter().flat_map(|felt| &felt.areas) {
        if !kinds.iter().any(|(kind, _)| *kind == area.bet_box.kind()) {
            kinds.push((area.bet_box.kind(), span.clone()));
        }
    }
    let (rows, mut felt) = (rows?, felt?);
    check_odds(reader, &rows, &felt);
    let captions = felt.has_all_captions.then_some(&felt.captions[..]);
    print_file::check(reader, &rows.rows, &felt.areas, captions, &mut felt.print);
    Some(LayoutRead {
        id: id?,
        pay_table: u8::try_from(pay_table?).ok()?,
        title: title?,
        paragraph: paragraph?,
        rows: rows.rows,
        felt: felt.whole()?,
    })
}

fn read_id<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, ids: &mut Vec<String>) -> Option<String> {
    let text = reader.string(value)?;
    if text.is_empty() || text.len() > 8 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let message = format!("{}: a layout is named by letters and digits, like \"A\"", cite(text));
        reader.fault(value.span(), FileFaultKind::BadValue, message);
    } else if ids.iter().any(|known| known == text) {
        reader.fault(value.span(), FileFaultKind::BadValue, format!("there are two layouts {text:?}"));
    }
    ids.push(text.to_owned());
    Some(text.to_owned())
}

/// What is on the felt has odds, and the other way round.
fn check_odds(reader: &mut TomlReader<'_>, rows: &RowsRead, felt: &FeltRead) {
    if felt.areas.is_empty() {
        return; // That is the fault.
    }
    for (area, span) in &felt.areas {
        for dice in dice_of(area.bet_box.kind()) {
            if !rows.odds.iter().any(|((bet_box, row_dice), _)| *bet_box == area.bet_box && row_dice == dice) {
                let on_dice = dice.map_or(String::new(), |dice| format!(" on {dice} dice"));
                let message = format!("{} has no odds{on_dice} in the pay table", area.bet_box);
                reader.fault(span.clone(), FileFaultKind::OddsMissing, message);
            }
        }
    }
    for ((bet_box, _), span) in &rows.odds {
        if !felt.areas.iter().any(|(area, _)| area.bet_box == *bet_box) {
            reader.fault(
                span.clone(),
                FileFaultKind::OddsOffLayout,
                format!("{bet_box} has odds but is not on the felt"),
            );
        }
    }
    for (caption, span) in &felt.captions {
        if !felt.areas.iter().any(|(area, _)| area.bet_box.kind() == caption.of) {
            let message = format!("a caption for {}, which is not on the felt", caption.of);
            reader.fault(span.clone(), FileFaultKind::OddsOffLayout, message);
        }
    }
}

/// On how many dice a kind's rows pay: Single Dice has one row for each, every other kind one row in all.
fn dice_of(kind: BoxKind) -> &'static [Option<u8>] {
    if kind == BoxKind::Single { &[Some(1), Some(2), Some(3)] } else { &[None] }
}

struct RowsRead {
    rows: Vec<PayTableRow>,
    /// The boxes with odds, on how many dice, and where.
    odds: Vec<Spanned<(BetBox, Option<u8>)>>,
}

fn read_rows<'t>(reader: &mut TomlReader<'t>, list: &[TomlValue<'t>]) -> RowsRead {
    let mut read = RowsRead { rows: Vec::new(), odds: Vec::new() };
    for value in list {
        let Some(mut table) = reader.table(value) else { continue };
        let name = table.string(reader, "type");
        let rules = table.required(reader, "rules").and_then(|value| reader.long_string(value, MAX_CHARACTERS));
        let pays = table.required(reader, "pays");
        let odds = pays.and_then(|pays| reader.parsed(pays, FileFaultKind::BadOdds));
        let pays = pays.and_then(|pays| pays.get_ref().as_str());
        let dice = table.optional("dice").and_then(|value| reader.integer(value, 1..=3));
        let dice = dice.and_then(|dice| u8::try_from(dice).ok());
        let mut boxes = Vec::new();
        let list = table.required(reader, "boxes");
        let listed = list.and_then(|list| reader.array(list));
        if let (Some(list), Some([])) = (list, listed) {
            reader.fault(list.span(), FileFaultKind::BadValue, "a row is for at least one box");
        }
        for value in listed.unwrap_or_default() {
            let Some(bet_box) = reader.parsed::<BetBox>(value, FileFaultKind::UnknownBox) else { continue };
            if !dice_of(bet_box.kind()).contains(&dice) {
                let message = match dice {
                    None => "a row for single dice says on how many: dice = 1, 2 or 3".to_owned(),
                    Some(_) => format!("{bet_box} does not pay by the number of dice"),
                };
                reader.fault(value.span(), FileFaultKind::BadValue, message);
            } else if read.odds.iter().any(|(known, _)| *known == (bet_box, dice)) {
                reader.fault(value.span(), FileFaultKind::BoxTwice, format!("{bet_box} is in this pay table twice"));
            } else {
                read.odds.push(((bet_box, dice), value.span()));
                boxes.push(bet_box);
            }
        }
        table.finish(reader);
        if let (Some(name), Some(rules), Some(pays), Some(odds)) = (name, rules, pays, odds) {
            let (rules, pays) = (rules.to_owned(), pays.to_owned());
            read.rows.push(PayTableRow { name, rules, pays, odds, dice, boxes });
        }
    }
    read
}

/// A felt of a file. What cannot be read is missing, so that the rest is checked all the same.
struct FeltRead {
    size: Option<[u32; 2]>,
    source: Option<String>,
    reading: Vec<String>,
    print: PrintRead,
    areas: Vec<Spanned<Area>>,
    captions: Vec<Spanned<Caption>>,
    has_all_captions: bool,
}

impl FeltRead {
    fn whole(self) -> Option<Felt> {
        let [width, height] = self.size?;
        Some(Felt {
            width,
            height,
            source: self.source?,
            reading: self.reading,
            blank: self.print.blank.into_iter().map(|(blank, _)| blank).collect(),
            doubtful: self.print.doubtful.into_iter().map(|(doubt, _)| doubt).collect(),
            words: self.print.words?.into_iter().map(|(words, _)| words).collect(),
            areas: self.areas.into_iter().map(|(area, _)| area).collect(),
            captions: self.captions.into_iter().map(|(caption, _)| caption).collect(),
        })
    }
}

fn read_felt<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> FeltRead {
    let size = table.required(reader, "size").and_then(|value| reader.integers(value, &(1..=MAX_UNITS)));
    let source = table.string(reader, "source");
    let reading = table.optional("reading").and_then(|value| reader.array(value)).unwrap_or_default();
    let reading = reading.iter().filter_map(|value| reader.long_string(value, MAX_CHARACTERS));
    let reading = reading.map(str::to_owned).collect();
    let twice = table.optional("twice").and_then(|value| reader.array(value)).unwrap_or_default();
    let twice: Vec<_> = twice.iter().map(|value| (boxes_of(reader, value), value.span())).collect();
    let blocks = table.list(reader, "blocks");
    let mut areas = Vec::new();
    for block in blocks.unwrap_or_default() {
        read_block(reader, block, &mut areas);
    }
    let mut captions = Vec::new();
    let listed = table.optional("captions").and_then(|value| reader.array(value)).unwrap_or_default();
    for value in listed {
        captions.extend(read_caption(reader, value).map(|caption| (caption, value.span())));
    }
    let has_all_captions =
        captions.len() == listed.len() && captions.iter().all(|(caption, _)| !caption.words.is_empty());
    let print = print_file::read(reader, &mut table);
    if areas.is_empty() {
        if blocks.is_some() {
            reader.fault(table.span.clone(), FileFaultKind::BadValue, "a felt has at least one box");
        }
    } else if areas.len().max(captions.len()) > MAX_AREAS {
        let message = format!("a felt has at most {MAX_AREAS} areas and as many captions");
        reader.fault(table.span.clone(), FileFaultKind::BadValue, message);
    } else {
        check_places(reader, &areas, &twice);
        let areas_at = areas.iter().map(|(area, span)| (area.bet_box.to_string(), area.at, span.clone()));
        let captions_at = captions.iter().map(|(c, span)| (format!("the caption of {}", c.of), c.at, span.clone()));
        check_geometry(reader, size, &areas_at.chain(captions_at).collect::<Vec<_>>());
    }
    table.finish(reader);
    FeltRead { size, source, reading, print, areas, captions, has_all_captions }
}

fn read_block<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, areas: &mut Vec<Spanned<Area>>) {
    let Some(mut table) = reader.table(value) else { return };
    let at = table.required(reader, "at").and_then(|value| read_rect(reader, value));
    let list = table.list(reader, "rows");
    let rows = list.unwrap_or_default();
    let height = u32::try_from(rows.len()).ok().filter(|rows| *rows > 0);
    let height = height.and_then(|rows| at.and_then(|at| (at.height % rows == 0).then_some(at.height / rows)));
    if at.is_some() && list.is_some() && height.is_none() {
        let message = format!("{} rows do not share the block's height evenly", rows.len());
        reader.fault(table.span.clone(), FileFaultKind::FeltUneven, message);
    }
    let mut y = at.map_or(0, |at| at.y);
    for row in rows {
        let Some(cells) = reader.array(row) else { continue };
        let width = u32::try_from(cells.len()).ok().filter(|cells| *cells > 0);
        let width = width.and_then(|cells| at.and_then(|at| (at.width % cells == 0).then_some(at.width / cells)));
        if at.is_some() && width.is_none() {
            let message = format!("{} boxes do not share the block's width evenly", cells.len());
            reader.fault(row.span(), FileFaultKind::FeltUneven, message);
        }
        let mut x = at.map_or(0, |at| at.x);
        for cell in cells {
            let empty = reader.string(cell).is_none_or(str::is_empty);
            let bet_box = if empty { None } else { reader.parsed(cell, FileFaultKind::UnknownBox) };
            if let Some(bet_box) = bet_box {
                // An area that could not be computed has no size: the box is on the felt, but its area is faulty.
                let (width, height) = (width.unwrap_or(0), height.unwrap_or(0));
                areas.push((Area { bet_box, at: Rect { x, y, width, height } }, cell.span()));
            }
            x += width.unwrap_or(0);
        }
        y += height.unwrap_or(0);
    }
    table.finish(reader);
}

fn read_caption<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Caption> {
    let mut table = reader.table(value)?;
    let at = table.required(reader, "at").and_then(|value| read_rect(reader, value));
    let of = table.required(reader, "of").and_then(|value| reader.parsed(value, FileFaultKind::UnknownBox));
    let words = table.required(reader, "words").and_then(|value| print_file::read_caption_words(reader, value, of));
    table.finish(reader);
    // A caption whose words cannot be read still has its place.
    Some(Caption { of: of?, at: at?, words: words.unwrap_or_default() })
}

fn read_rect<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Rect> {
    let [x, y, width, height] = reader.integers(value, &(0..=MAX_UNITS))?;
    if width == 0 || height == 0 {
        reader.fault(value.span(), FileFaultKind::BadValue, "an area is at least one unit wide and high");
        return None;
    }
    Some(Rect { x, y, width, height })
}

/// A box stands in one place; one that is printed twice in exactly two.
fn check_places(reader: &mut TomlReader<'_>, areas: &[Spanned<Area>], twice: &[Spanned<Vec<BetBox>>]) {
    let may_be_twice = |bet_box| twice.iter().any(|(boxes, _)| boxes.contains(&bet_box));
    for (place, (area, span)) in areas.iter().enumerate() {
        let before = areas[..place].iter().filter(|(earlier, _)| earlier.bet_box == area.bet_box).count();
        if before > usize::from(may_be_twice(area.bet_box)) {
            let message =
                format!("{} is on the felt once too often; \"twice\" names what is printed twice", area.bet_box);
            reader.fault(span.clone(), FileFaultKind::BoxTwice, message);
        }
    }
    for (boxes, span) in twice {
        let places = |bet_box| areas.iter().filter(|(area, _)| area.bet_box == bet_box).count();
        let once: Vec<_> = boxes.iter().filter(|bet_box| places(**bet_box) == 1).map(|b| b.text()).collect();
        if !once.is_empty() || boxes.iter().all(|bet_box| places(*bet_box) == 0) {
            let which = if once.is_empty() { "these boxes".to_owned() } else { once.join(", ") };
            reader.fault(span.clone(), FileFaultKind::BoxOnce, format!("{which}: not in two places on the felt"));
        }
    }
}

fn check_geometry(reader: &mut TomlReader<'_>, size: Option<[u32; 2]>, places: &[(String, Rect, Range<usize>)]) {
    let places: Vec<_> = places.iter().filter(|(_, at, _)| at.width > 0 && at.height > 0).collect();
    for (place, (name, at, span)) in places.iter().enumerate() {
        if size.is_some_and(|[width, height]| !at.is_inside(width, height)) {
            reader.fault(span.clone(), FileFaultKind::FeltOutside, format!("{name} lies outside the felt"));
        }
        if let Some((other, _, _)) = places[..place].iter().find(|(_, other, _)| other.overlaps(*at)) {
            reader.fault(span.clone(), FileFaultKind::FeltOverlap, format!("{name} overlaps {other}"));
        }
    }
}
