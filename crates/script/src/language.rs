//! The phrases of the language, each with its form, an example and its meaning. The parser, the help and `docs/play.md` all
//! use them, so that they cannot differ.

use std::fmt::Write as _;

use taisai_table::{Person, Seat};

use crate::line_reader::LineReader;
use crate::parse::{self, ParsedStep};

/// One thing that a line can say.
pub(crate) struct Phrase {
    /// Fixed words, and placeholders in capitals. The words before the bar distinguish the phrase from others.
    form: &'static str,
    example: &'static str,
    means: &'static str,
    read: PhraseReader,
}

/// Parses the rest of a line.
enum PhraseReader {
    Line(fn(&mut LineReader) -> ParsedStep),
    Seat(fn(&mut LineReader, Seat) -> ParsedStep),
    Person(fn(&mut LineReader, Person) -> ParsedStep),
}

impl Phrase {
    pub(crate) const fn line(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut LineReader) -> ParsedStep,
    ) -> Self {
        Self { form, example, means, read: PhraseReader::Line(read) }
    }

    /// A phrase that begins with a seat.
    pub(crate) const fn seat(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut LineReader, Seat) -> ParsedStep,
    ) -> Self {
        Self { form, example, means, read: PhraseReader::Seat(read) }
    }

    /// A phrase that begins with a person.
    pub(crate) const fn person(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut LineReader, Person) -> ParsedStep,
    ) -> Self {
        Self { form, example, means, read: PhraseReader::Person(read) }
    }

    /// The parts before the bar.
    fn opening(&self) -> impl Iterator<Item = PhrasePart> + use<> {
        let opening = self.form.split_once(" | ").map_or(self.form, |(opening, _)| opening);
        opening
            .split(' ')
            .flat_map(|word| match word {
                "SEAT" => [Some(PhrasePart::Seat), None],
                "PERSON" => [Some(PhrasePart::Role), Some(PhrasePart::PersonNumber)],
                word => [Some(PhrasePart::Word(word)), None],
            })
            .flatten()
    }

    fn form_text(&self) -> String {
        self.form.replace(" | ", " ")
    }

    /// Parses a line that begins with this phrase.
    fn read(&self, reader: &mut LineReader) -> ParsedStep {
        let (mut seat, mut person) = (None, None);
        for word in self.opening() {
            match word {
                PhrasePart::Seat => seat = Some(reader.seat()?),
                PhrasePart::Role => person = Some(reader.person()?),
                // Parsed with the role.
                PhrasePart::PersonNumber => {}
                PhrasePart::Word(_) => reader.skip(),
            }
        }
        match (&self.read, seat, person) {
            (PhraseReader::Line(read), ..) => read(reader),
            (PhraseReader::Seat(read), Some(seat), _) => read(reader, seat),
            (PhraseReader::Person(read), _, Some(person)) => read(reader, person),
            (PhraseReader::Seat(_), None, _) | (PhraseReader::Person(_), _, None) => {
                unreachable!("the form names a seat or a person")
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhrasePart {
    Word(&'static str),
    Seat,
    Role,
    PersonNumber,
}

/// Phrases that the same people use.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) phrases: &'static [Phrase],
}

fn phrases() -> impl Iterator<Item = &'static Phrase> {
    parse::SECTIONS.iter().flat_map(|section| section.phrases)
}

/// Parses a line by the phrase with the longest matching opening.
pub(crate) fn read(reader: &mut LineReader) -> ParsedStep {
    let mut found: Option<(usize, &Phrase)> = None;
    let (mut deepest, mut expected) = (0, Vec::new());
    for phrase in phrases() {
        let mut depth = 0;
        let misfit = phrase.opening().find(|word| {
            let fits = reader.fits(depth, *word);
            depth += usize::from(fits);
            !fits
        });
        match misfit {
            None if found.is_none_or(|(most, _)| depth > most) => found = Some((depth, phrase)),
            None => {}
            Some(word) => {
                if depth > deepest {
                    (deepest, expected) = (depth, Vec::new());
                }
                if depth == deepest && !expected.contains(&word) {
                    expected.push(word);
                }
            }
        }
    }
    match found {
        Some((_, phrase)) => phrase.read(reader),
        None => Err(reader.misfit(deepest, &expected)),
    }
}

/// All phrases, for the help text of `taisai play`.
pub fn help() -> String {
    let mut text =
        "What a line can say. Capitals are filled in, and what stands in brackets may be left out.\n".to_owned();
    for Section { title, phrases } in parse::SECTIONS {
        write!(text, "\n{title}:\n").expect("a String takes every text");
        for phrase in *phrases {
            let (form, means, example) = (phrase.form_text(), phrase.means.replace('`', ""), phrase.example);
            let example = if form == example { String::new() } else { format!(" “{example}”") };
            write!(text, "  {form}\n      {means}{example}\n").expect("a String takes every text");
        }
    }
    text
}

/// All phrases, for `docs/play.md`.
#[cfg(test)]
fn tables() -> String {
    let mut text = String::new();
    for Section { title, phrases } in parse::SECTIONS {
        write!(text, "### {title}\n\n| line | for example | what it does |\n|---|---|---|\n").unwrap();
        for phrase in *phrases {
            writeln!(text, "| `{}` | `{}` | {} |", phrase.form_text(), phrase.example, phrase.means).unwrap();
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use taisai_rules::Games;

    use super::*;
    use crate::profile::Profiles;

    /// `BLESS=1` writes the document.
    #[test]
    fn the_document_lists_every_phrase() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/play.md");
        let document = std::fs::read_to_string(&file).unwrap();
        let (begin, end) = ("<!-- phrases -->\n", "<!-- end of phrases -->\n");
        let (before, rest) = document.split_once(begin).expect("the place of the phrases");
        let (found, after) = rest.split_once(end).expect("the end of the phrases");
        let expected = format!("\n{}", tables());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, format!("{before}{begin}{expected}{end}{after}")).unwrap();
        } else {
            assert!(found == expected, "docs/play.md differs from the language: run `make bless`");
        }
    }

    #[test]
    fn every_example_parses_by_its_own_phrase() {
        for phrase in phrases() {
            let first =
                if phrase.form.starts_with("table ") { "" } else { "table tai-sai-classic layout A seats 7\nopen\n" };
            let script = format!("{first}{}\n", phrase.example);
            let read = parse::parse(&script, Games::embedded(), &Profiles::default());
            assert!(read.is_ok(), "{}: {:?}", phrase.example, read.err());
            let words = phrase.example.split(' ');
            let opening: Vec<_> = phrase.opening().collect();
            for (word, expected) in words.zip(&opening) {
                if let PhrasePart::Word(expected) = expected {
                    assert_eq!(word, *expected, "{}", phrase.example);
                }
            }
        }
    }
}
