//! Tables for spreadsheets, as RFC 4180 has them. Text that a spreadsheet would take for a formula is not one: such a cell
//! begins with an apostrophe.

use std::fmt::{Display, Write as _};

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing: not known, which is not zero.
    Empty,
    /// A number, as it is written.
    Number(String),
    /// Text, whoever wrote it.
    Text(String),
}

impl Cell {
    /// A number.
    pub fn number(number: impl Display) -> Self {
        Self::Number(format!("{number}"))
    }

    /// A number that may not be known.
    pub fn maybe(number: Option<impl Display>) -> Self {
        number.map_or(Self::Empty, Self::number)
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Text that may not be there.
    pub fn maybe_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, Self::text)
    }
}

/// A table: its titles, then a row after the other.
#[derive(Debug)]
pub struct Csv {
    text: String,
}

impl Csv {
    /// A table with these columns.
    pub fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let mut csv = Self { text: String::new() };
        csv.row(titles.into_iter().map(Cell::text));
        csv
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        for (place, cell) in cells.into_iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            match cell {
                Cell::Empty => {}
                Cell::Number(number) => self.text.push_str(&number),
                Cell::Text(text) => self.quoted(&text),
            }
        }
        self.text.push_str("\r\n");
    }

    fn quoted(&mut self, text: &str) {
        let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { "'" } else { "" };
        if text.contains(['"', ',', '\n', '\r']) {
            write!(self.text, "\"{guard}{}\"", text.replace('"', "\"\"")).expect("a String takes every text");
        } else {
            self.text.push_str(guard);
            self.text.push_str(text);
        }
    }

    /// The table as it is sent.
    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_where_it_must_be_and_never_a_formula() {
        for (text, expected) in [
            ("a", "a"),
            ("a, b", "\"a, b\""),
            ("\"", "\"\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("=1+1", "'=1+1"),
            ("+65", "'+65"),
            ("-2", "'-2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
            ("", ""),
        ] {
            let mut csv = Csv { text: String::new() };
            csv.row([Cell::text(text)]);
            assert_eq!(csv.into_text(), format!("{expected}\r\n"), "{text:?}");
        }
    }

    #[test]
    fn numbers_keep_their_sign_and_what_is_not_known_is_empty() {
        let mut csv = Csv::new(["win", "hold", "name"]);
        csv.row([Cell::number(-3), Cell::maybe(None::<i64>), Cell::maybe_text(None::<String>)]);
        assert_eq!(csv.into_text(), "win,hold,name\r\n-3,,\r\n");
    }
}
