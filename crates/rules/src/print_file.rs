//! What a felt of a game's file prints: words on boxes and captions, what the drawing leaves blank, and doubtful
//! readings, checked against the felt and its pay table.

use std::ops::Range;

use crate::bet_box::{BetBox, BoxKind};
use crate::felt::{self, Area, BlankKinds, Caption, DoubtfulReading, KindWords};
use crate::layout::PayTableRow;
use crate::layout_file::Spanned;
use crate::odds::Odds;
use taisai_datafile::{FileFaultKind, TomlReader, TomlTable, TomlValue, cite};

/// Of a remark on a drawing.
const MAX_CHARACTERS: usize = 1_000;

/// The print of a felt. What cannot be read is missing, so that the rest is checked all the same.
pub(crate) struct PrintRead {
    /// Nothing where some of them cannot be read.
    pub(crate) words: Option<Vec<Spanned<KindWords>>>,
    pub(crate) blank: Vec<Spanned<BlankKinds>>,
    pub(crate) doubtful: Vec<Spanned<DoubtfulReading>>,
}

pub(crate) fn read<'t>(reader: &mut TomlReader<'t>, felt: &mut TomlTable<'_, 't>) -> PrintRead {
    let blank = felt.optional("blank").and_then(|value| reader.array(value)).unwrap_or_default();
    let blank = blank.iter().filter_map(|value| Some((read_blank(reader, value)?, value.span()))).collect();
    let doubtful = felt.optional("doubtful").and_then(|value| reader.array(value)).unwrap_or_default();
    let doubtful = doubtful.iter().filter_map(|value| Some((read_doubtful(reader, value)?, value.span()))).collect();
    let words = felt.section(reader, "words").and_then(|table| read_words(reader, table));
    PrintRead { words, blank, doubtful }
}

fn read_words<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<Vec<Spanned<KindWords>>> {
    let mut words = Vec::new();
    for of in BoxKind::ALL {
        let Some(value) = table.optional(of.text()) else { continue };
        let places: &[&str] = match of {
            BoxKind::Small | BoxKind::Big | BoxKind::Odd | BoxKind::Even | BoxKind::AnyTriple => &["odds"],
            BoxKind::Single => &["word", "numbers", "odds1", "odds2", "odds3"],
            BoxKind::Double | BoxKind::Triple => &["word", "numbers", "digits", "odds"],
            BoxKind::Sum => &["numbers", "odds"],
            BoxKind::Domino | BoxKind::Four | BoxKind::Three | BoxKind::Pair => &["numbers", "digits", "and", "odds"],
        };
        words.push(read_lines(reader, value, places).map(|lines| (KindWords { of, lines }, value.span())));
    }
    table.finish(reader);
    words.into_iter().collect()
}

/// Lines of print in which only the given places may stand; nothing if one of them cannot be read.
fn read_lines<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, places: &[&str]) -> Option<Vec<String>> {
    let list = reader.array(value)?;
    if list.is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "at least one line is expected");
        return None;
    }
    let mut line = |value: &TomlValue<'t>| {
        let text = reader.string(value)?;
        let rest = places.iter().fold(text.to_owned(), |rest, place| rest.replace(&format!("{{{place}}}"), ""));
        if text.trim() != text || text.is_empty() || rest.contains(['{', '}']) {
            let places: Vec<_> = places.iter().map(|place| format!("{{{place}}}")).collect();
            let places = places.join(", ");
            let message = format!("{}: expected a line as printed; places that may stand in it: {places}", cite(text));
            reader.fault(value.span(), FileFaultKind::BadValue, message);
            return None;
        }
        Some(text.to_owned())
    };
    // Every line is read before a bad one ends the reading.
    let lines: Vec<_> = list.iter().map(&mut line).collect();
    lines.into_iter().collect()
}

pub(crate) fn read_caption_words<'t>(
    reader: &mut TomlReader<'t>,
    value: &TomlValue<'t>,
    of: Option<BoxKind>,
) -> Option<Vec<String>> {
    let places: &[&str] = match of {
        Some(BoxKind::Single) => &["odds1", "odds2", "odds3"],
        Some(_) => &["odds"],
        None => &["odds", "odds1", "odds2", "odds3"],
    };
    read_lines(reader, value, places)
}

fn read_blank<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<BlankKinds> {
    let mut table = reader.table(value)?;
    let of = read_kinds(reader, &mut table);
    let taken = read_remark(reader, &mut table, "taken");
    table.finish(reader);
    Some(BlankKinds { of, taken: taken? })
}

fn read_doubtful<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<DoubtfulReading> {
    let mut table = reader.table(value)?;
    let of = read_kinds(reader, &mut table);
    let [scan, read, why] = ["scan", "read", "why"].map(|key| read_remark(reader, &mut table, key));
    table.finish(reader);
    Some(DoubtfulReading { of, scan: scan?, read: read?, why: why? })
}

fn read_kinds<'t>(reader: &mut TomlReader<'t>, table: &mut TomlTable<'_, 't>) -> Vec<BoxKind> {
    let Some(value) = table.required(reader, "of") else { return Vec::new() };
    let list = reader.array(value);
    if list.is_some_and(<[_]>::is_empty) {
        reader.fault(value.span(), FileFaultKind::BadValue, "at least one kind of box is expected");
    }
    list.unwrap_or_default().iter().filter_map(|value| reader.parsed(value, FileFaultKind::UnknownBox)).collect()
}

fn read_remark<'t>(reader: &mut TomlReader<'t>, table: &mut TomlTable<'_, 't>, key: &'static str) -> Option<String> {
    let value = table.required(reader, key)?;
    let text = reader.long_string(value, MAX_CHARACTERS)?;
    if text.is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "a text is expected");
        return None;
    }
    Some(text.to_owned())
}

/// Checks the print against felt and pay table, and fills in the odds of doubtful readings.
/// `captions` is nothing where some of them cannot be read.
pub(crate) fn check(
    reader: &mut TomlReader<'_>,
    rows: &[PayTableRow],
    areas: &[Spanned<Area>],
    captions: Option<&[Spanned<Caption>]>,
    print: &mut PrintRead,
) {
    if areas.is_empty() {
        return; // That is the fault.
    }
    let felt = CheckedPrint { rows, areas };
    felt.check_kinds(reader, print);
    let (Some(captions), Some(words)) = (captions, &print.words) else { return };
    let printed: Vec<_> = words.iter().map(|(words, _)| (words.of, words.lines.join(" "))).collect();
    let in_captions: Vec<_> = captions.iter().map(|(caption, _)| (caption.of, caption.words.join(" "))).collect();
    let prints = |kind: BoxKind, text: &str| {
        printed.iter().chain(&in_captions).any(|(of, printed)| *of == kind && printed.contains(text))
    };
    for (place, (area, span)) in areas.iter().enumerate() {
        let kind = area.bet_box.kind();
        let is_first = areas[..place].iter().all(|(earlier, _)| earlier.bet_box.kind() != kind);
        if is_first && !prints(kind, "{odds") {
            let message = format!("the odds of {kind} are printed neither on its boxes nor in a caption");
            reader.fault(span.clone(), FileFaultKind::OddsMissing, message);
        }
    }
    for (caption, span) in captions.iter().filter(|(caption, _)| caption.words.join("").contains("{odds")) {
        felt.check_caption(reader, caption, span.clone());
    }
    for (doubt, span) in &mut print.doubtful {
        if let Some(kind) = doubt.of.iter().find(|kind| !prints(**kind, &doubt.read)) {
            let message = format!("{}: this is not printed for {kind}", cite(&doubt.read));
            reader.fault(span.clone(), FileFaultKind::BadValue, message);
        } else if let Some(bet_box) = doubt.of.first().and_then(|kind| felt.boxes(*kind).next()) {
            doubt.read = felt::fill(&doubt.read, bet_box, &felt.pays(bet_box));
        }
    }
}

struct CheckedPrint<'f> {
    rows: &'f [PayTableRow],
    areas: &'f [Spanned<Area>],
}

impl CheckedPrint<'_> {
    /// The boxes of a kind that lie on the felt.
    fn boxes(&self, kind: BoxKind) -> impl Iterator<Item = BetBox> {
        self.areas.iter().map(|(area, _)| area.bet_box).filter(move |bet_box| bet_box.kind() == kind)
    }

    fn pays(&self, bet_box: BetBox) -> Vec<Odds> {
        let mut rows: Vec<_> = self.rows.iter().filter(|row| row.boxes.contains(&bet_box)).collect();
        rows.sort_by_key(|row| row.dice);
        rows.into_iter().map(|row| row.odds).collect()
    }

    /// What is said of a kind is said of one that lies on the felt; it is named as blank once.
    fn check_kinds(&self, reader: &mut TomlReader<'_>, print: &PrintRead) {
        let words = print.words.iter().flatten().map(|(words, span)| (vec![words.of], span));
        let blank = print.blank.iter().map(|(blank, span)| (blank.of.clone(), span));
        let doubtful = print.doubtful.iter().map(|(doubt, span)| (doubt.of.clone(), span));
        for (kinds, span) in words.chain(blank).chain(doubtful) {
            for kind in kinds.into_iter().filter(|kind| self.boxes(*kind).next().is_none()) {
                reader.fault(span.clone(), FileFaultKind::OddsOffLayout, format!("{kind} is not on the felt"));
            }
        }
        let mut named: Vec<BoxKind> = Vec::new();
        for (blank, span) in &print.blank {
            for kind in &blank.of {
                if named.contains(kind) {
                    reader.fault(span.clone(), FileFaultKind::BoxTwice, format!("{kind} is named as blank twice"));
                }
                named.push(*kind);
            }
        }
    }

    /// A caption with odds applies to all boxes of its kind.
    fn check_caption(&self, reader: &mut TomlReader<'_>, caption: &Caption, span: Range<usize>) {
        let of_each = if caption.of == BoxKind::Single { 3 } else { 1 };
        let pays = self.boxes(caption.of).map(|bet_box| self.pays(bet_box));
        // Odds that are missing are a fault of their own.
        let mut pays: Vec<_> = pays.filter(|odds| odds.len() == of_each).collect();
        pays.dedup();
        if pays.len() > 1 {
            let message = format!("the boxes of {} pay differently: a caption cannot print their odds", caption.of);
            reader.fault(span, FileFaultKind::BadOdds, message);
        }
    }
}
