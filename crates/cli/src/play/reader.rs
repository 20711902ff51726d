//! Words of a line, one after the other, with their columns, and the faults of those that do not fit. It never knows what a
//! line means.

mod values;

pub(crate) use values::cents;

use std::str::FromStr;

use super::language::Opening;
use super::near::nearest;
use super::script::{Fault, People};

struct Word<'a> {
    text: &'a str,
    /// Counted from one, in characters.
    column: usize,
}

/// The words of a line that are still to be read.
pub(super) struct Reader<'a> {
    line: usize,
    words: Vec<Word<'a>>,
    at: usize,
    /// Where the words end: at the reason, or at the end of the line.
    end: usize,
    because: Option<&'a str>,
    seats: u32,
    people: &'a mut People,
}

impl<'a> Reader<'a> {
    pub(super) fn new(line: usize, text: &'a str, seats: u32, people: &'a mut People) -> Self {
        let text = without_comment(text).trim_end();
        let mut words = Vec::new();
        let mut because = None;
        let mut end = text.chars().count() + 1;
        for (place, word) in split(text) {
            let column = text[..place].chars().count() + 1;
            if word.eq_ignore_ascii_case("because") && !words.is_empty() {
                because = Some(text[place + word.len()..].trim());
                end = column;
                break;
            }
            let bare = word.trim_end_matches([',', ':']);
            let bare = if bare.is_empty() { word } else { bare };
            words.push(Word { text: bare, column });
            if bare.len() < word.len() {
                words.push(Word { text: &word[bare.len()..], column: column + bare.chars().count() });
            }
        }
        Self { line, words, at: 0, end, because, seats, people }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn word(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|word| word.text)
    }

    /// Where the next word is.
    pub(super) fn column(&self) -> usize {
        self.words.get(self.at).map_or(self.end, |word| word.column)
    }

    /// The next word in lower case.
    pub(super) fn peek(&self) -> String {
        self.word().unwrap_or_default().to_ascii_lowercase()
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes the words if they are the next ones.
    pub(super) fn take(&mut self, words: &str) -> bool {
        let mut wanted = words.split(' ');
        let mut at = self.at;
        let found = wanted.all(|wanted| {
            let same = self.words.get(at).is_some_and(|word| word.text.eq_ignore_ascii_case(wanted));
            at += 1;
            same
        });
        if found {
            self.at = at;
        }
        found
    }

    /// Takes the words, which must come here.
    pub(super) fn must(&mut self, words: &str) -> Result<(), Fault> {
        for word in words.split(' ') {
            if !self.take(word) {
                return Err(self.expected(&format!("“{word}”")));
            }
        }
        Ok(())
    }

    /// The fault that something else stands here.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let word = self.word().or(self.because.map(|_| "because"));
        let found = word.map_or("the line ends".to_owned(), |word| format!("found “{word}”"));
        self.fault(format!("expected {what}, {found}"))
    }

    /// The fault that something else stands here, with the word that was likely meant.
    fn expected_one<'c>(&self, what: &str, words: impl IntoIterator<Item = &'c str>) -> Fault {
        let Fault { message, .. } = self.expected(what);
        match self.word().and_then(|word| nearest(word, words)) {
            Some(meant) => self.fault(format!("{message}; did you mean “{meant}”?")),
            None => self.fault(message),
        }
    }

    /// A fault of the next word.
    pub(super) fn fault(&self, message: String) -> Fault {
        self.fault_at(self.column(), message)
    }

    pub(super) fn fault_at(&self, column: usize, message: String) -> Fault {
        Fault { file: None, line: self.line, column, message }
    }

    /// Whether the word so many words on is one that a phrase opens with.
    pub(super) fn fits(&self, ahead: usize, opening: Opening) -> bool {
        let Some(word) = self.words.get(self.at + ahead).map(|word| word.text) else { return false };
        match opening {
            Opening::Word(expected) => word.eq_ignore_ascii_case(expected),
            Opening::Seat => word.parse().is_ok_and(|seat: u32| (1..=self.seats).contains(&seat)),
            Opening::Role => values::is_role(word),
            Opening::Number => word.parse().is_ok_and(|_: u32| true),
        }
    }

    /// The fault that no phrase goes on like the word so many words on.
    pub(super) fn misfit(&mut self, ahead: usize, expected: &[Opening]) -> Fault {
        self.at += ahead;
        let words = expected.iter().flat_map(|opening| match opening {
            Opening::Word(word) => vec![*word],
            Opening::Role => values::role_names().collect(),
            Opening::Seat | Opening::Number => Vec::new(),
        });
        let words: Vec<_> = words.collect();
        if ahead == 0 {
            let what = "a line like “place your bets”, “seat 3 bets 50 on big” or “dice 2 4 6”";
            return self.expected_one(what, words);
        }
        let named = expected.iter().map(|opening| match opening {
            Opening::Word(word) => format!("“{word}”"),
            Opening::Seat => self.a_seat(),
            Opening::Role => "a person like supervisor 7".to_owned(),
            Opening::Number => "the person's number".to_owned(),
        });
        let what = one_of(&named.collect::<Vec<_>>());
        // The only word that fits has been named already.
        if words.len() > 1 { self.expected_one(&what, words) } else { self.expected(&what) }
    }

    fn a_seat(&self) -> String {
        format!("a seat from 1 to {}", self.seats)
    }

    /// One of several words, each of which stands for something.
    pub(super) fn choice<'c, T: Copy>(
        &mut self,
        what: &str,
        choices: impl IntoIterator<Item = (&'c str, T)>,
    ) -> Result<T, Fault> {
        let choices: Vec<_> = choices.into_iter().collect();
        let word = self.peek();
        let found = choices.iter().find(|(text, _)| *text == word).map(|(_, value)| *value);
        let value = found.ok_or_else(|| self.expected_one(what, choices.iter().map(|(text, _)| *text)))?;
        self.skip();
        Ok(value)
    }

    /// A word that stands for something.
    pub(super) fn parse<T: FromStr>(&mut self, what: &str) -> Result<T, Fault> {
        let value = self.peek().parse().map_err(|_| self.expected(what))?;
        self.skip();
        Ok(value)
    }

    /// A word as it is written.
    pub(super) fn name(&mut self, what: &str) -> Result<&'a str, Fault> {
        let word = self.word().ok_or_else(|| self.expected(what))?;
        self.skip();
        Ok(word)
    }

    /// The reason that the line gives, if it gives one.
    pub(super) fn because(&self) -> Option<String> {
        self.because.filter(|why| !why.is_empty()).map(str::to_owned)
    }

    /// The reason, which must be given.
    pub(super) fn why(&self) -> Result<String, Fault> {
        let missing = "expected “because” and the reason, the line ends";
        self.because().ok_or_else(|| self.fault_at(self.end, missing.to_owned()))
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.words.len()
    }

    /// Nothing more stands here.
    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.is_at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

/// What stands before a comment.
fn without_comment(text: &str) -> &str {
    let begins = |(place, _): &(usize, &str)| *place == 0 || text[..*place].ends_with(char::is_whitespace);
    text.match_indices('#').find(begins).map_or(text, |(place, _)| &text[..place])
}

/// Words between spaces, each with its place.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let begin = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let end = text[begin..].find(char::is_whitespace).map_or(text.len(), |length| begin + length);
        rest = end;
        Some((begin, &text[begin..end]))
    })
}

/// Several things of which one is expected.
fn one_of(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} or {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use taisai_table::Seat;

    use super::*;

    #[test]
    fn words_have_columns_and_comments_are_left_out() {
        let mut people = People::default();
        let mut reader = Reader::new(3, "  seat 3:  because a # b", 7, &mut people);
        assert_eq!((reader.column(), reader.because()), (3, Some("a".to_owned())));
        assert!(reader.take("SEAT"));
        assert_eq!(reader.seat(), Ok(Seat(3)));
        assert_eq!(reader.column(), 9);
        assert!(reader.take(":"));
        reader.end().unwrap();
    }
}
