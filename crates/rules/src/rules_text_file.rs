//! The file of an approved text becomes a checked [`RulesText`], or a list of all its faults.

use std::ops::Range;

use taisai_datafile::{FileFault, FileFaultKind, TomlReader, TomlTable, TomlValue, cite};

use crate::game::Games;
use crate::game_file::text_of;
use crate::paragraph::Paragraph;
use crate::rules_text::{RulesParagraph, RulesText, order};

/// A passage of more characters is refused.
const MAX_CHARACTERS: usize = 2_000;

/// The text must have every paragraph of its document that one of the games cites.
pub(crate) fn read(file: &[u8], games: &Games) -> Result<RulesText, Vec<FileFault>> {
    let text = text_of(file)?;
    let (mut reader, document) = TomlReader::parse(text);
    let root = TomlTable::new(document.span(), document.get_ref());
    let read = read_text(&mut reader, root, games);
    let faults = reader.finish();
    match read {
        Some(read) if faults.is_empty() => Ok(RulesText { file: text.to_owned(), ..read }),
        _ => Err(faults),
    }
}

fn read_text<'t>(reader: &mut TomlReader<'t>, mut root: TomlTable<'_, 't>, games: &Games) -> Option<RulesText> {
    let document = root.required(reader, "document").and_then(|value| read_document(reader, value, games));
    let opening = root.required(reader, "opening").map(|value| read_passages(reader, value));
    let reading = root.required(reader, "reading").map(|value| read_passages(reader, value));
    let list = root.required(reader, "paragraphs");
    let paragraphs = list.and_then(|list| reader.array(list)).map(|list| read_paragraphs(reader, list));
    root.finish(reader);

    if let (Some(document), Some(list), Some(paragraphs)) = (&document, list, &paragraphs) {
        check_citations(reader, list.span(), document, paragraphs, games);
    }
    Some(RulesText {
        document: document?,
        opening: opening?,
        reading: reading?,
        paragraphs: paragraphs?,
        file: String::new(),
    })
}

fn read_document<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, games: &Games) -> Option<String> {
    let document = reader.string(value)?;
    let is_cited = |paragraph: &&Paragraph| paragraph.document() == Some(document);
    if games.text(document).is_some() {
        let message = format!("the text of document {} is there twice", cite(document));
        reader.fault(value.span(), FileFaultKind::BadValue, message);
    } else if !games.iter().any(|game| game.document() == document || game.cited().iter().any(is_cited)) {
        let message = format!("no game is played by document {}", cite(document));
        reader.fault(value.span(), FileFaultKind::BadValue, message);
    }
    Some(document.to_owned())
}

fn read_passages<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Vec<String> {
    let list = reader.array(value).unwrap_or_default();
    list.iter().filter_map(|value| read_passage(reader, value)).collect()
}

fn read_passage<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<String> {
    let text = reader.long_string(value, MAX_CHARACTERS)?;
    if text.trim().is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "the text is empty");
    }
    Some(text.to_owned())
}

fn read_paragraphs<'t>(reader: &mut TomlReader<'t>, list: &[TomlValue<'t>]) -> Vec<RulesParagraph> {
    let mut paragraphs: Vec<RulesParagraph> = Vec::new();
    for value in list {
        let Some(mut table) = reader.table(value) else { continue };
        let number = table.required(reader, "number").and_then(|value| read_number(reader, value, &paragraphs));
        let [heading, text, closing] = ["heading", "text", "closing"]
            .map(|key| table.optional(key).map(|value| read_passage(reader, value).unwrap_or_default()));
        if heading.is_none() && text.is_none() {
            reader.fault(value.span(), FileFaultKind::MissingKey, "a paragraph has a heading, a text or both");
        }
        table.finish(reader);
        paragraphs.extend(number.map(|number| RulesParagraph { number, heading, text, closing }));
    }
    paragraphs
}

/// A number stands after those before it, and within one that is there.
fn read_number<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>, before: &[RulesParagraph]) -> Option<String> {
    let paragraph: Paragraph = reader.parsed(value, FileFaultKind::BadValue)?;
    let number = paragraph.number();
    let mut refuse = |message: String| reader.fault(value.span(), FileFaultKind::BadValue, message);
    if paragraph.document().is_some() {
        refuse(format!("{paragraph}: a text has the paragraphs of its own document"));
    } else if before.iter().any(|known| known.number == number) {
        refuse(format!("{number} is there twice"));
    } else if let Some(last) = before.last().filter(|last| order(number) <= order(&last.number)) {
        refuse(format!("{number} stands after {}; paragraphs stand in the order of their numbers", last.number));
    } else if let Some((whole, _)) = number.rsplit_once('.')
        && !before.iter().any(|known| known.number == whole)
    {
        refuse(format!("{number} belongs to {whole}, which is not in the text"));
    }
    Some(number.to_owned())
}

fn check_citations(
    reader: &mut TomlReader<'_>,
    at: Range<usize>,
    document: &str,
    paragraphs: &[RulesParagraph],
    games: &Games,
) {
    for game in games.iter() {
        for cited in game.cited() {
            let is_of_this = cited.document().unwrap_or(game.document()) == document;
            if is_of_this && !paragraphs.iter().any(|paragraph| paragraph.number == cited.number()) {
                let message = format!("{}@{} cites {cited}, which is not in the text", game.id(), game.version());
                reader.fault(at.clone(), FileFaultKind::MissingKey, message);
            }
        }
    }
}
