//! A game's file becomes a checked [`Game`], or a list of all its faults. `docs/games.md` describes the file.

use toml::de::DeValue;
use toml::value::Offset;

use crate::approved;
use crate::bet_box::{BetBox, BoxKind};
use crate::game::{Cover, Game, LimitRule, Station, TripleRule};
use crate::layout::{Layout, LayoutParts};
use crate::layout_file;
use crate::limits::{BoxKey, LimitScope};
use crate::moment::Moment;
use crate::paragraph::{Citation, Paragraph};
use crate::rule::{FoundIn, Rule};
use crate::text::Text;
use taisai_datafile::{FileFault, FileFaultKind, TomlReader, TomlTable, TomlValue, cite};

pub(crate) fn read(file: &[u8]) -> Result<Game, Vec<FileFault>> {
    let text = text_of(file)?;
    let (mut reader, document) = TomlReader::parse(text);
    let root = TomlTable::new(document.span(), document.get_ref());
    let game = read_game(&mut reader, root);
    let faults = reader.finish();
    match game {
        Some(game) if faults.is_empty() => {
            Ok(Game { file: text.to_owned(), hash: approved::hash(document.get_ref()), ..game })
        }
        _ => Err(faults),
    }
}

/// The file as text, unless it is too large or something else.
pub(crate) fn text_of(file: &[u8]) -> Result<&str, Vec<FileFault>> {
    if file.len() > Game::MAX_BYTES {
        return Err(refuse_after("", format!("the file of a game has at most {} bytes", Game::MAX_BYTES)));
    }
    let text = file.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    if text.len() < file.len() {
        return Err(refuse_after(text, "from here on the file is not text in UTF-8".to_owned()));
    }
    Ok(text)
}

/// The one fault of a file that cannot be read further than this.
fn refuse_after(text: &str, message: String) -> Vec<FileFault> {
    let mut reader = TomlReader::new(text);
    reader.fault(text.len()..text.len(), FileFaultKind::Syntax, message);
    reader.finish()
}

fn read_game<'t>(reader: &mut TomlReader<'t>, mut root: TomlTable<'_, 't>) -> Option<Game> {
    // Every part is read before any missing one ends the reading: a file's faults are reported together.
    let id = root.required(reader, "id").and_then(|value| name(reader, value));
    let version = root.required(reader, "version").and_then(|value| reader.integer(value, 1..=9_999));
    let title = root.required(reader, "title").and_then(|value| text(reader, value, &[]));
    let document = root.string(reader, "document");
    let approved = root.string(reader, "approved");
    let effective = root.optional("effective").map(|value| moment(reader, value));
    let until = root.optional("until").map(|value| (value.span(), moment(reader, value)));
    let cover = root.choice(reader, "cover", &[("covered", Cover::Covered), ("open", Cover::Open)]);
    let stations = [("live-table", Station::LiveTable), ("player-terminals", Station::PlayerTerminals)];
    let station = root.choice(reader, "station", &stations);
    let limits = match root.optional("limits") {
        Some(value) => reader.table(value).and_then(|table| read_limits(reader, table)).map(Some),
        None => Some(None),
    };
    let triple = root.section(reader, "triple").and_then(|table| read_triple(reader, table));
    let paragraphs = root.section(reader, "paragraphs").map(|table| read_paragraphs(reader, table, cover));
    let labels = root.section(reader, "labels").map(|table| read_labels(reader, table));
    let layouts = root.required(reader, "layouts").map(|list| layout_file::read(reader, list));
    root.finish(reader);

    if let (Some(Some(from)), Some((span, Some(end)))) = (effective, &until)
        && *end <= from
    {
        reader.fault(span.clone(), FileFaultKind::BadValue, "the game ends before it is in force");
    }
    if let (Some(labels), Some(layouts)) = (&labels, &layouts) {
        for (kind, span) in &layouts.kinds {
            if !labels.iter().any(|(labelled, _)| labelled == kind) {
                reader.fault(span.clone(), FileFaultKind::MissingKey, format!("[labels] has no label for {kind}"));
            }
        }
    }
    let (limits, triple) = (limits?, triple?);
    let layouts = layouts?.layouts.into_iter().map(|layout| {
        let (limit, cites) = match &limits {
            Some((limit, cites)) => (Some(limit.scope), cites.clone()),
            None => (None, [None, None, None]),
        };
        let [pro_rata, minimum_in_excess, below_minimum] = cites;
        let paragraph = |citation| match citation {
            Citation::PayTable => Some(layout.paragraph.clone()),
            Citation::Triple => Some(triple.paragraph.clone()),
            Citation::ProRata => pro_rata.clone(),
            Citation::MinimumInExcess => minimum_in_excess.clone(),
            Citation::BelowMinimum => below_minimum.clone(),
        };
        Layout::new(LayoutParts {
            paragraphs: Citation::ALL.map(paragraph),
            scope: limit,
            triple_wins: triple.wins.iter().flat_map(|(_, boxes)| boxes).copied().collect(),
            id: layout.id,
            pay_table: layout.pay_table,
            title: layout.title,
            rows: layout.rows,
            felt: layout.felt,
        })
    });
    let layouts = layouts.collect();
    Some(Game {
        id: id?,
        version: version?,
        title: title?,
        document: document?,
        approved: approved?,
        effective: effective.flatten(),
        until: until.and_then(|(_, until)| until),
        cover: cover?,
        station: station?,
        limits: limits.map(|(limit, _)| limit),
        triple,
        paragraphs: paragraphs?,
        labels: labels?.into_iter().map(|(kind, text)| Some((kind, text?))).collect::<Option<_>>()?,
        layouts,
        file: String::new(),
        hash: String::new(),
    })
}

fn name<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<String> {
    let text = reader.string(value)?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_name) {
        reader.fault(
            value.span(),
            FileFaultKind::BadValue,
            format!("{}: a name is lower case, digits and dashes", cite(text)),
        );
        return None;
    }
    Some(text.to_owned())
}

fn moment<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Moment> {
    if let DeValue::Datetime(moment) = value.get_ref()
        && let (Some(date), Some(time), Some(offset)) = (moment.date, moment.time, moment.offset)
    {
        let minutes = match offset {
            Offset::Z => 0,
            Offset::Custom { minutes } => minutes,
        };
        let (hour, minute, second) = (time.hour, time.minute, time.second.unwrap_or(0));
        let seconds = i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second);
        return Some(Moment::from_civil(date.year, date.month, date.day, seconds, minutes));
    }
    let message = "expected a date and time with its offset, like 2023-10-06T08:00:00+08:00";
    reader.fault(value.span(), FileFaultKind::WrongType, message);
    None
}

/// A text in every language, in which only the given places may stand.
fn text<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, places: &[&str]) -> Option<Text> {
    let mut table = reader.table(value)?;
    let mut get = |key| {
        let value = table.required(reader, key)?;
        let text = reader.string(value)?;
        let mut rest = text.to_owned();
        for place in places {
            rest = rest.replace(&format!("{{{place}}}"), "");
        }
        if text.is_empty() || rest.contains(['{', '}']) {
            let places: Vec<_> = places.iter().map(|place| format!("{{{place}}}")).collect();
            let allowed = if places.is_empty() { "none".to_owned() } else { places.join(", ") };
            let message = format!("{}: expected a text; places that may stand in it: {allowed}", cite(text));
            reader.fault(value.span(), FileFaultKind::BadValue, message);
            return None;
        }
        Some(text.to_owned())
    };
    let (english, simplified, traditional) = (get("en"), get("zh-Hans"), get("zh-Hant"));
    table.finish(reader);
    Some(Text { english: english?, simplified: simplified?, traditional: traditional? })
}

type LimitParagraphs = [Option<Paragraph>; 3];

fn read_limits<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<(LimitRule, LimitParagraphs)> {
    let scope = table.choice(reader, "scope", &[("box", LimitScope::Box), ("terminal", LimitScope::Terminal)]);
    let paragraph = table.parsed(reader, "paragraph");
    let cites = match scope {
        Some(LimitScope::Box) => {
            ["pro_rata", "minimum_in_excess", "below_minimum"].map(|key| table.parsed(reader, key))
        }
        Some(LimitScope::Terminal) => [None, None, None],
        None => {
            // Which keys there may be is not known; all that some scope has are passed over.
            let keys = ["pro_rata", "minimum_in_excess", "below_minimum"];
            keys.map(|key| table.optional(key).and_then(|value| reader.parsed(value, FileFaultKind::BadValue)))
        }
    };
    table.finish(reader);
    Some((LimitRule { scope: scope?, paragraph: paragraph? }, cites))
}

/// 3.10 of Tai Sai, 3.9 of the Electronic Table Game: the bets that can win when all three dice are the same.
fn wins_on_a_triple(bet_box: BetBox) -> bool {
    match bet_box.kind() {
        BoxKind::Triple | BoxKind::AnyTriple | BoxKind::Double | BoxKind::Single => true,
        BoxKind::Sum => matches!(bet_box.numbers(), [6 | 9 | 12 | 15]),
        BoxKind::Small
        | BoxKind::Big
        | BoxKind::Odd
        | BoxKind::Even
        | BoxKind::Domino
        | BoxKind::Four
        | BoxKind::Three
        | BoxKind::Pair => false,
    }
}

fn read_triple<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<TripleRule> {
    let paragraph = table.parsed(reader, "paragraph");
    let mut wins: Vec<(Option<Paragraph>, Vec<BetBox>)> = Vec::new();
    let mut named: Vec<BetBox> = Vec::new();
    let list = table.required(reader, "wins");
    let entries = list.and_then(|list| reader.array(list));
    for value in entries.into_iter().flatten() {
        let Some(mut entry) = reader.table(value) else { continue };
        let paragraph = entry.parsed(reader, "paragraph");
        let mut boxes = Vec::new();
        for value in entry.list(reader, "boxes").into_iter().flatten() {
            let (again, new): (Vec<_>, Vec<_>) = boxes_of(reader, value).into_iter().partition(|b| named.contains(b));
            let losing: Vec<_> = new.iter().copied().filter(|bet_box| !wins_on_a_triple(*bet_box)).collect();
            if !losing.is_empty() {
                let message = format!("3.10 makes {} lose when all three dice are the same", texts(&losing));
                reader.fault(value.span(), FileFaultKind::TripleRule, message);
            }
            if !again.is_empty() {
                reader.fault(
                    value.span(),
                    FileFaultKind::BoxTwice,
                    format!("in the triple rule twice: {}", texts(&again)),
                );
            }
            named.extend(&new);
            boxes.extend(new);
        }
        entry.finish(reader);
        wins.push((paragraph, boxes));
    }
    if let (Some(list), Some(_)) = (list, entries) {
        let missing: Vec<_> = BetBox::all().filter(|b| wins_on_a_triple(*b) && !named.contains(b)).collect();
        if !missing.is_empty() {
            let message = format!("3.10 lets {} win when all three dice are the same", texts(&missing));
            reader.fault(list.span(), FileFaultKind::TripleRule, message);
        }
    }
    table.finish(reader);
    let wins = wins.into_iter().map(|(paragraph, boxes)| Some((paragraph?, boxes))).collect::<Option<_>>();
    Some(TripleRule { paragraph: paragraph?, wins: wins? })
}

fn texts(boxes: &[BetBox]) -> String {
    boxes.iter().map(|bet_box| bet_box.text()).collect::<Vec<_>>().join(", ")
}

/// The boxes that a text names: a box, or all of a kind.
pub(crate) fn boxes_of<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Vec<BetBox> {
    let key = reader.parsed::<BoxKey>(value, FileFaultKind::UnknownBox);
    key.into_iter().flat_map(BoxKey::boxes).collect()
}

fn read_paragraphs<'t>(
    reader: &mut TomlReader<'t>,
    mut table: TomlTable<'_, 't>,
    cover: Option<Cover>,
) -> Vec<(Rule, Vec<Paragraph>)> {
    let mut rules = Vec::new();
    for rule in Rule::ALL {
        let value = match (rule.found_in(), cover) {
            (FoundIn::Every, _) => table.required(reader, rule.key()),
            (FoundIn::Only(of), Some(cover)) if of == cover => table.required(reader, rule.key()),
            (FoundIn::Only(_), Some(_)) => {
                if let Some(value) = table.optional(rule.key()) {
                    let message = format!("{:?} is a rule of games with the other cover", rule.key());
                    reader.fault(value.span(), FileFaultKind::BadValue, message);
                }
                None
            }
            (FoundIn::Only(_), None) | (FoundIn::Some, _) => table.optional(rule.key()),
        };
        let Some(value) = value else { continue };
        let Some(listed) = reader.array(value) else { continue };
        let paragraphs: Vec<_> =
            listed.iter().filter_map(|value| reader.parsed(value, FileFaultKind::BadValue)).collect();
        if listed.is_empty() {
            reader.fault(value.span(), FileFaultKind::BadValue, "a list of at least one paragraph is expected");
        }
        rules.push((rule, paragraphs));
    }
    table.finish(reader);
    rules
}

/// The labels that are there; one that cannot be read has been noted as a fault.
fn read_labels<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Vec<(BoxKind, Option<Text>)> {
    let mut labels = Vec::new();
    for kind in BoxKind::ALL {
        let Some(value) = table.optional(kind.text()) else { continue };
        let places: &[&str] = match kind {
            BoxKind::Small | BoxKind::Big | BoxKind::Odd | BoxKind::Even | BoxKind::AnyTriple => &[],
            BoxKind::Single | BoxKind::Double | BoxKind::Triple => &["word", "numbers"],
            BoxKind::Sum => &["numbers"],
            BoxKind::Domino | BoxKind::Four | BoxKind::Three | BoxKind::Pair => &["numbers", "and"],
        };
        labels.push((kind, text(reader, value, places)));
    }
    table.finish(reader);
    labels
}
