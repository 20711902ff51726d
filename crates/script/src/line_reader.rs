//! Splits a line into tokens and reads them one after the other. Knows columns and faults, but not what a line means.

mod values;

pub use values::parse_amount;

use std::str::FromStr;

use crate::language::PhrasePart;
use crate::script::{ScriptFault, ScriptPeople};
use crate::suggest::suggest;

struct LineToken<'a> {
    text: &'a str,
    /// Counted from one, in characters.
    column: usize,
}

pub(crate) struct LineReader<'a> {
    line: usize,
    tokens: Vec<LineToken<'a>>,
    next: usize,
    /// The column after the last token: of `because`, or of the end of the line.
    end: usize,
    because: Option<&'a str>,
    seats: u32,
    people: &'a mut ScriptPeople,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(line: usize, text: &'a str, seats: u32, people: &'a mut ScriptPeople) -> Self {
        let text = without_comment(text).trim_end();
        let mut tokens = Vec::new();
        let mut because = None;
        let mut end = text.chars().count() + 1;
        for (place, word) in split_words(text) {
            let column = text[..place].chars().count() + 1;
            if word.eq_ignore_ascii_case("because") && !tokens.is_empty() {
                because = Some(text[place + word.len()..].trim());
                end = column;
                break;
            }
            let bare = word.trim_end_matches([',', ':']);
            let bare = if bare.is_empty() { word } else { bare };
            tokens.push(LineToken { text: bare, column });
            if bare.len() < word.len() {
                tokens.push(LineToken { text: &word[bare.len()..], column: column + bare.chars().count() });
            }
        }
        Self { line, tokens, next: 0, end, because, seats, people }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    fn word(&self) -> Option<&'a str> {
        self.tokens.get(self.next).map(|word| word.text)
    }

    /// The column of the next token.
    pub(crate) fn column(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |word| word.column)
    }

    /// The next token in lower case.
    pub(crate) fn peek(&self) -> String {
        self.word().unwrap_or_default().to_ascii_lowercase()
    }

    pub(crate) fn skip(&mut self) {
        self.next += 1;
    }

    /// Skips these words if they come next.
    pub(crate) fn take(&mut self, words: &str) -> bool {
        let mut wanted = words.split(' ');
        let mut at = self.next;
        let found = wanted.all(|wanted| {
            let same = self.tokens.get(at).is_some_and(|word| word.text.eq_ignore_ascii_case(wanted));
            at += 1;
            same
        });
        if found {
            self.next = at;
        }
        found
    }

    /// Skips these words. Anything else is a fault.
    pub(crate) fn must(&mut self, words: &str) -> Result<(), ScriptFault> {
        for word in words.split(' ') {
            if !self.take(word) {
                return Err(self.expected(&format!("“{word}”")));
            }
        }
        Ok(())
    }

    /// A fault of the next token: something else was expected.
    pub(crate) fn expected(&self, what: &str) -> ScriptFault {
        let word = self.word().or(self.because.map(|_| "because"));
        let found = word.map_or("the line ends".to_owned(), |word| format!("found “{word}”"));
        self.fault(format!("expected {what}, {found}"))
    }

    /// The same, with a suggestion from `words`.
    fn expected_one_of<'c>(&self, what: &str, words: impl IntoIterator<Item = &'c str>) -> ScriptFault {
        let ScriptFault { message, .. } = self.expected(what);
        match self.word().and_then(|word| suggest(word, words)) {
            Some(meant) => self.fault(format!("{message}; did you mean “{meant}”?")),
            None => self.fault(message),
        }
    }

    /// A fault of the next token.
    pub(crate) fn fault(&self, message: String) -> ScriptFault {
        self.fault_at(self.column(), message)
    }

    pub(crate) fn fault_at(&self, column: usize, message: String) -> ScriptFault {
        ScriptFault { file: None, line: self.line, column, message }
    }

    /// Whether the token `ahead` matches a part of a phrase's opening.
    pub(crate) fn fits(&self, ahead: usize, opening: PhrasePart) -> bool {
        let Some(word) = self.tokens.get(self.next + ahead).map(|word| word.text) else { return false };
        match opening {
            PhrasePart::Word(expected) => word.eq_ignore_ascii_case(expected),
            PhrasePart::Seat => word.parse().is_ok_and(|seat: u32| (1..=self.seats).contains(&seat)),
            PhrasePart::Role => values::is_role(word),
            PhrasePart::PersonNumber => word.parse().is_ok_and(|_: u32| true),
        }
    }

    /// The fault that no phrase continues with the token `ahead`.
    pub(crate) fn misfit(&mut self, ahead: usize, expected: &[PhrasePart]) -> ScriptFault {
        self.next += ahead;
        let words = expected.iter().flat_map(|opening| match opening {
            PhrasePart::Word(word) => vec![*word],
            PhrasePart::Role => values::role_names().collect(),
            PhrasePart::Seat | PhrasePart::PersonNumber => Vec::new(),
        });
        let words: Vec<_> = words.collect();
        if ahead == 0 {
            let what = "a line like “place your bets”, “seat 3 bets 50 on big” or “dice 2 4 6”";
            return self.expected_one_of(what, words);
        }
        let named = expected.iter().map(|opening| match opening {
            PhrasePart::Word(word) => format!("“{word}”"),
            PhrasePart::Seat => self.a_seat(),
            PhrasePart::Role => "a person like supervisor 7".to_owned(),
            PhrasePart::PersonNumber => "the person's number".to_owned(),
        });
        let what = one_of(&named.collect::<Vec<_>>());
        // The message already names the only word that fits.
        if words.len() > 1 { self.expected_one_of(&what, words) } else { self.expected(&what) }
    }

    fn a_seat(&self) -> String {
        format!("a seat from 1 to {}", self.seats)
    }

    /// The value of a word, of several choices.
    pub(crate) fn choice<'c, T: Copy>(
        &mut self,
        what: &str,
        choices: impl IntoIterator<Item = (&'c str, T)>,
    ) -> Result<T, ScriptFault> {
        let choices: Vec<_> = choices.into_iter().collect();
        let word = self.peek();
        let found = choices.iter().find(|(text, _)| *text == word).map(|(_, value)| *value);
        let value = found.ok_or_else(|| self.expected_one_of(what, choices.iter().map(|(text, _)| *text)))?;
        self.skip();
        Ok(value)
    }

    pub(crate) fn parse<T: FromStr>(&mut self, what: &str) -> Result<T, ScriptFault> {
        let value = self.peek().parse().map_err(|_| self.expected(what))?;
        self.skip();
        Ok(value)
    }

    /// The next token as it is written.
    pub(crate) fn name(&mut self, what: &str) -> Result<&'a str, ScriptFault> {
        let word = self.word().ok_or_else(|| self.expected(what))?;
        self.skip();
        Ok(word)
    }

    pub(crate) fn because(&self) -> Option<String> {
        self.because.filter(|why| !why.is_empty()).map(str::to_owned)
    }

    /// The reason. A missing one is a fault.
    pub(crate) fn why(&self) -> Result<String, ScriptFault> {
        let missing = "expected “because” and the reason, the line ends";
        self.because().ok_or_else(|| self.fault_at(self.end, missing.to_owned()))
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// More tokens are a fault.
    pub(crate) fn end(&self) -> Result<(), ScriptFault> {
        if self.is_at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

fn without_comment(text: &str) -> &str {
    let begins = |(place, _): &(usize, &str)| *place == 0 || text[..*place].ends_with(char::is_whitespace);
    text.match_indices('#').find(begins).map_or(text, |(place, _)| &text[..place])
}

/// The words of a text, each with its byte offset.
fn split_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let begin = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let end = text[begin..].find(char::is_whitespace).map_or(text.len(), |length| begin + length);
        rest = end;
        Some((begin, &text[begin..end]))
    })
}

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
    fn tokens_have_columns_and_comments_are_ignored() {
        let mut people = ScriptPeople::default();
        let mut reader = LineReader::new(3, "  seat 3:  because a # b", 7, &mut people);
        assert_eq!((reader.column(), reader.because()), (3, Some("a".to_owned())));
        assert!(reader.take("SEAT"));
        assert_eq!(reader.seat(), Ok(Seat(3)));
        assert_eq!(reader.column(), 9);
        assert!(reader.take(":"));
        reader.end().unwrap();
    }
}
