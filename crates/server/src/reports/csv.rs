//! CSV (RFC 4180). A text cell that a spreadsheet would take for a formula begins with an apostrophe.

use std::fmt::{Display, Write as _};

#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Unknown, which is not zero.
    Empty,
    Number(String),
    /// Untrusted text.
    Text(String),
}

impl Cell {
    pub fn number(number: impl Display) -> Self {
        Self::Number(format!("{number}"))
    }

    pub fn maybe(number: Option<impl Display>) -> Self {
        number.map_or(Self::Empty, Self::number)
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn maybe_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, Self::text)
    }
}

#[derive(Debug)]
pub struct Csv {
    text: String,
}

impl Csv {
    pub fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let mut csv = Self { text: String::new() };
        csv.row(titles.into_iter().map(Cell::text));
        csv
    }

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
