//! Reads TOML values with their places, noting every fault instead of stopping at the first. Knows no game.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{Fault, FaultKind};

pub(crate) type Value<'t> = Spanned<DeValue<'t>>;

/// Collects the faults of one file.
pub(crate) struct Reader<'t> {
    text: &'t str,
    /// Whether the file is broken TOML, so that what is missing may only have been unreadable.
    broken: bool,
    faults: Vec<(usize, FaultKind, String)>,
}

impl<'t> Reader<'t> {
    pub(crate) fn parse(text: &'t str) -> (Self, Spanned<DeTable<'t>>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut reader = Self { text, broken: !errors.is_empty(), faults: Vec::new() };
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            reader.fault(at..at, FaultKind::Syntax, error.message().lines().collect::<Vec<_>>().join("; "));
        }
        (reader, table)
    }

    pub(crate) fn fault(&mut self, at: Range<usize>, kind: FaultKind, message: impl Into<String>) {
        self.faults.push((at.start, kind, message.into()));
    }

    /// The faults, in the order of the file.
    pub(crate) fn finish(mut self) -> Vec<Fault> {
        self.faults.sort_by_key(|(at, _, _)| *at);
        let (mut line, mut line_start, mut seen) = (1, 0, 0);
        let text = self.text;
        self.faults
            .into_iter()
            .map(|(at, kind, message)| {
                let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                for (place, _) in text[seen..at].match_indices('\n') {
                    line += 1;
                    line_start = seen + place + 1;
                }
                seen = at;
                Fault { line, column: text[line_start..at].chars().count() + 1, kind, message }
            })
            .collect()
    }

    pub(crate) fn string<'v>(&mut self, value: &'v Value<'t>) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            other => self.wrong_type(value, "a text", other),
        }
    }

    /// A text that some type can be made of.
    pub(crate) fn parsed<T: std::str::FromStr<Err: ToString>>(
        &mut self,
        value: &Value<'t>,
        kind: FaultKind,
    ) -> Option<T> {
        let text = self.string(value)?;
        match text.parse() {
            Ok(made) => Some(made),
            Err(error) => {
                self.fault(value.span(), kind, format!("{text:?}: {}", error.to_string()));
                None
            }
        }
    }

    pub(crate) fn integer(&mut self, value: &Value<'t>, range: RangeInclusive<u32>) -> Option<u32> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return self.wrong_type(value, "a whole number", value.get_ref());
        };
        let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("{integer}: expected a whole number from {} to {}", range.start(), range.end());
            self.fault(value.span(), FaultKind::BadValue, message);
        }
        number
    }

    pub(crate) fn array<'v>(&mut self, value: &'v Value<'t>) -> Option<&'v [Value<'t>]> {
        match value.get_ref() {
            DeValue::Array(array) => Some(array),
            other => self.wrong_type(value, "a list", other),
        }
    }

    /// A list of exactly so many whole numbers.
    pub(crate) fn integers<const N: usize>(
        &mut self,
        value: &Value<'t>,
        range: &RangeInclusive<u32>,
    ) -> Option<[u32; N]> {
        let array = self.array(value)?;
        if array.len() != N {
            self.fault(value.span(), FaultKind::BadValue, format!("expected {N} whole numbers"));
            return None;
        }
        let numbers: Vec<_> = array.iter().filter_map(|number| self.integer(number, range.clone())).collect();
        numbers.try_into().ok()
    }

    pub(crate) fn table<'v>(&mut self, value: &'v Value<'t>) -> Option<Table<'v, 't>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(value.span(), table)),
            other => self.wrong_type(value, "a table", other),
        }
    }

    pub(crate) fn wrong_type<T>(&mut self, value: &Value<'t>, wanted: &str, found: &DeValue<'t>) -> Option<T> {
        self.fault(value.span(), FaultKind::WrongType, format!("expected {wanted}, found {}", found.type_str()));
        None
    }
}

/// A table whose keys are taken one by one; what is left over is unknown.
pub(crate) struct Table<'v, 't> {
    pub(crate) span: Range<usize>,
    entries: &'v DeTable<'t>,
    taken: Vec<&'static str>,
}

impl<'v, 't> Table<'v, 't> {
    pub(crate) fn new(span: Range<usize>, entries: &'v DeTable<'t>) -> Self {
        Self { span, entries, taken: Vec::new() }
    }

    pub(crate) fn optional(&mut self, key: &'static str) -> Option<&'v Value<'t>> {
        self.taken.push(key);
        self.entries.get(key)
    }

    pub(crate) fn required(&mut self, reader: &mut Reader<'t>, key: &'static str) -> Option<&'v Value<'t>> {
        let value = self.optional(key);
        if value.is_none() && !reader.broken {
            reader.fault(self.span.clone(), FaultKind::MissingKey, format!("\"{key}\" is missing"));
        }
        value
    }

    /// A table that must be there.
    pub(crate) fn section(&mut self, reader: &mut Reader<'t>, key: &'static str) -> Option<Table<'v, 't>> {
        let value = self.required(reader, key)?;
        reader.table(value)
    }

    /// A list that must be there, and its place.
    pub(crate) fn list(&mut self, reader: &mut Reader<'t>, key: &'static str) -> Option<&'v [Value<'t>]> {
        let value = self.required(reader, key)?;
        reader.array(value)
    }

    /// A text that must be there.
    pub(crate) fn string(&mut self, reader: &mut Reader<'t>, key: &'static str) -> Option<String> {
        let value = self.required(reader, key)?;
        let text = reader.string(value)?;
        if text.is_empty() {
            reader.fault(value.span(), FaultKind::BadValue, format!("{key:?} is empty"));
        }
        Some(text.to_owned())
    }

    /// A text that must be there and that some type can be made of.
    pub(crate) fn parsed<T: std::str::FromStr<Err: ToString>>(
        &mut self,
        reader: &mut Reader<'t>,
        key: &'static str,
    ) -> Option<T> {
        let value = self.required(reader, key)?;
        reader.parsed(value, FaultKind::BadValue)
    }

    /// One of a few words that must be there.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        reader: &mut Reader<'t>,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = self.required(reader, key)?;
        let text = reader.string(value)?;
        let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let words: Vec<_> = choices.iter().map(|(word, _)| format!("{word:?}")).collect();
            reader.fault(value.span(), FaultKind::BadValue, format!("{text:?}: expected {}", words.join(" or ")));
        }
        found
    }

    /// Notes every key that was not taken.
    pub(crate) fn finish(self, reader: &mut Reader<'t>) {
        for key in self.entries.keys() {
            if !self.taken.contains(&key.get_ref().as_ref()) {
                let message = format!("{:?} has no meaning here; known are {}", key.get_ref(), self.taken.join(", "));
                reader.fault(key.span(), FaultKind::UnknownKey, message);
            }
        }
    }
}
