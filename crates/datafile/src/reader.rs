//! Reads TOML values with their places, noting every fault instead of stopping at the first.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FileFault, FileFaultKind};

/// A value and its place.
pub type TomlValue<'t> = Spanned<DeValue<'t>>;

/// Faults beyond these are counted, not listed.
const MAX_FAULTS: usize = 1_000;
/// A list of more entries is refused.
const MAX_ENTRIES: usize = 1_000;
/// A text of more characters is refused.
const MAX_CHARACTERS: usize = 200;
/// A long text is quoted up to this many characters.
const MAX_CITED: usize = 60;

/// Collects the faults of one file.
pub struct TomlReader<'t> {
    text: &'t str,
    /// Whether the file is broken TOML, so that what is missing may only have been unreadable.
    broken: bool,
    faults: Vec<(usize, FileFaultKind, String)>,
    /// How many faults there are beside those.
    more: usize,
}

impl<'t> TomlReader<'t> {
    /// A reader without a parsed file: for a text that is refused before it is parsed.
    pub const fn new(text: &'t str) -> Self {
        Self { text, broken: false, faults: Vec::new(), more: 0 }
    }

    /// Parses a text as far as it can be.
    pub fn parse(text: &'t str) -> (Self, Spanned<DeTable<'t>>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut reader = Self { broken: !errors.is_empty(), ..Self::new(text) };
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            reader.fault(at..at, FileFaultKind::Syntax, error.message().lines().collect::<Vec<_>>().join("; "));
        }
        (reader, table)
    }

    /// Notes a fault. One of a value that is broken TOML is left out: the broken value is noted already.
    pub fn fault(&mut self, at: Range<usize>, kind: FileFaultKind, message: impl Into<String>) {
        let is_in_it = |place: usize| place == at.start || at.contains(&place);
        let is_broken =
            |(place, kind, _): &(usize, FileFaultKind, String)| *kind == FileFaultKind::Syntax && is_in_it(*place);
        if self.faults.len() == MAX_FAULTS {
            self.more += 1;
        } else if kind == FileFaultKind::Syntax || !self.faults.iter().any(is_broken) {
            self.faults.push((at.start, kind, message.into()));
        }
    }

    /// The faults, in the order of the file.
    pub fn finish(mut self) -> Vec<FileFault> {
        self.faults.sort_by_key(|(at, _, _)| *at);
        let (mut line, mut column, mut seen) = (1, 1, 0);
        let mut faults = Vec::with_capacity(self.faults.len());
        for (at, kind, message) in self.faults {
            let at = self.text.floor_char_boundary(at);
            for character in self.text[seen..at].chars() {
                (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            seen = at;
            faults.push(FileFault { line, column, kind, message });
        }
        if self.more > 0 {
            let message = format!("{} more faults are not listed", self.more);
            faults.push(FileFault { line, column, kind: FileFaultKind::TooMany, message });
        }
        faults
    }

    /// A text.
    pub fn string<'v>(&mut self, value: &'v TomlValue<'t>) -> Option<&'v str> {
        self.long_string(value, MAX_CHARACTERS)
    }

    /// A printable text of at most `most` characters.
    pub fn long_string<'v>(&mut self, value: &'v TomlValue<'t>, most: usize) -> Option<&'v str> {
        let DeValue::String(text) = value.get_ref() else { return self.wrong_type(value, "a text") };
        if text.chars().nth(most).is_some() {
            self.fault(value.span(), FileFaultKind::BadValue, format!("the text has more than {most} characters"));
            None
        } else if text.contains(char::is_control) {
            let message = format!("{}: a text has no control characters", cite(text));
            self.fault(value.span(), FileFaultKind::BadValue, message);
            None
        } else {
            Some(text)
        }
    }

    /// A text that some type can be made of.
    pub fn parsed<T: std::str::FromStr<Err: ToString>>(
        &mut self,
        value: &TomlValue<'t>,
        kind: FileFaultKind,
    ) -> Option<T> {
        let text = self.string(value)?;
        match text.parse() {
            Ok(made) => Some(made),
            Err(error) => {
                self.fault(value.span(), kind, format!("{}: {}", cite(text), error.to_string()));
                None
            }
        }
    }

    /// A whole number in a range.
    pub fn integer(&mut self, value: &TomlValue<'t>, range: RangeInclusive<u32>) -> Option<u32> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return self.wrong_type(value, "a whole number");
        };
        let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("expected a whole number from {} to {}", range.start(), range.end());
            self.fault(value.span(), FileFaultKind::BadValue, message);
        }
        number
    }

    /// A list.
    pub fn array<'v>(&mut self, value: &'v TomlValue<'t>) -> Option<&'v [TomlValue<'t>]> {
        let DeValue::Array(array) = value.get_ref() else { return self.wrong_type(value, "a list") };
        if array.len() > MAX_ENTRIES {
            let message = format!("the list has {} entries; {MAX_ENTRIES} are the most", array.len());
            self.fault(value.span(), FileFaultKind::BadValue, message);
            return None;
        }
        Some(array)
    }

    /// A list of exactly `N` whole numbers.
    pub fn integers<const N: usize>(&mut self, value: &TomlValue<'t>, range: &RangeInclusive<u32>) -> Option<[u32; N]> {
        let array = self.array(value)?;
        if array.len() != N {
            self.fault(value.span(), FileFaultKind::BadValue, format!("expected {N} whole numbers"));
            return None;
        }
        let numbers: Vec<_> = array.iter().filter_map(|number| self.integer(number, range.clone())).collect();
        numbers.try_into().ok()
    }

    /// A table.
    pub fn table<'v>(&mut self, value: &'v TomlValue<'t>) -> Option<TomlTable<'v, 't>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(TomlTable::new(value.span(), table)),
            _ => self.wrong_type(value, "a table"),
        }
    }

    fn wrong_type<T>(&mut self, value: &TomlValue<'t>, wanted: &str) -> Option<T> {
        let message = format!("expected {wanted}, found {}", value.get_ref().type_str());
        self.fault(value.span(), FileFaultKind::WrongType, message);
        None
    }
}

/// A text as a fault cites it: in quotes, and not the whole of a long one.
pub fn cite(text: &str) -> String {
    match text.char_indices().nth(MAX_CITED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// The word that was most likely meant: the nearest of those known, if it is at most two slips of the pen away.
pub fn near<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    if word.len() > MAX_CITED {
        return None;
    }
    let slips = known.iter().map(|known| (slips(word, known), *known));
    let (slips, nearest) = slips.min_by_key(|(slips, _)| *slips)?;
    (slips <= 2 && slips < nearest.chars().count()).then_some(nearest)
}

/// How many letters must be added, left out or replaced to make one word of the other.
fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, character) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = place + 1;
        for (at, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(character != *wanted);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

/// A table whose keys are taken one by one; what is left over is unknown.
pub struct TomlTable<'v, 't> {
    /// Its place.
    pub span: Range<usize>,
    entries: &'v DeTable<'t>,
    taken: Vec<&'static str>,
}

impl<'v, 't> TomlTable<'v, 't> {
    /// A table at a place.
    pub fn new(span: Range<usize>, entries: &'v DeTable<'t>) -> Self {
        Self { span, entries, taken: Vec::new() }
    }

    /// A value that may be there.
    pub fn optional(&mut self, key: &'static str) -> Option<&'v TomlValue<'t>> {
        self.taken.push(key);
        self.entries.get(key)
    }

    /// A value that must be there.
    pub fn required(&mut self, reader: &mut TomlReader<'t>, key: &'static str) -> Option<&'v TomlValue<'t>> {
        let value = self.optional(key);
        if value.is_none() && !reader.broken {
            reader.fault(self.span.clone(), FileFaultKind::MissingKey, format!("\"{key}\" is missing"));
        }
        value
    }

    /// A table that must be there.
    pub fn section(&mut self, reader: &mut TomlReader<'t>, key: &'static str) -> Option<TomlTable<'v, 't>> {
        let value = self.required(reader, key)?;
        reader.table(value)
    }

    /// A list that must be there.
    pub fn list(&mut self, reader: &mut TomlReader<'t>, key: &'static str) -> Option<&'v [TomlValue<'t>]> {
        let value = self.required(reader, key)?;
        reader.array(value)
    }

    /// A text that must be there.
    pub fn string(&mut self, reader: &mut TomlReader<'t>, key: &'static str) -> Option<String> {
        let value = self.required(reader, key)?;
        let text = reader.string(value)?;
        if text.is_empty() {
            reader.fault(value.span(), FileFaultKind::BadValue, format!("{key:?} is empty"));
        }
        Some(text.to_owned())
    }

    /// A text that must be there and that some type can be made of.
    pub fn parsed<T: std::str::FromStr<Err: ToString>>(
        &mut self,
        reader: &mut TomlReader<'t>,
        key: &'static str,
    ) -> Option<T> {
        let value = self.required(reader, key)?;
        reader.parsed(value, FileFaultKind::BadValue)
    }

    /// One of a few words that must be there.
    pub fn choice<T: Copy>(
        &mut self,
        reader: &mut TomlReader<'t>,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = self.required(reader, key)?;
        let text = reader.string(value)?;
        let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let words: Vec<_> = choices.iter().map(|(word, _)| format!("{word:?}")).collect();
            reader.fault(
                value.span(),
                FileFaultKind::BadValue,
                format!("{}: expected {}", cite(text), words.join(" or ")),
            );
        }
        found
    }

    /// Notes every key that was not taken.
    pub fn finish(self, reader: &mut TomlReader<'t>) {
        for key in self.entries.keys() {
            if !self.taken.contains(&key.get_ref().as_ref()) {
                let known = match near(key.get_ref(), &self.taken) {
                    Some(meant) => format!(": did you mean {meant:?}? Known are"),
                    None => "; known are".to_owned(),
                };
                let message = format!("{} has no meaning here{known} {}", cite(key.get_ref()), self.taken.join(", "));
                reader.fault(key.span(), FileFaultKind::UnknownKey, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_meant() {
        let known = ["listen", "data", "seats", "name"];
        for (word, meant) in [
            ("listn", Some("listen")),
            ("Listen", Some("listen")),
            ("date", Some("data")),
            ("seat", Some("seats")),
            ("colour", None),
            ("", None),
            (&"a".repeat(61), None),
        ] {
            assert_eq!(near(word, &known), meant, "{word}");
        }
    }
}
