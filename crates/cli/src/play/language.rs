//! The language of scripts: how a line of the dictionary begins, who says it, an example and what it does. Lines are read by
//! it, and the help and `docs/play.md` are printed from it, so that they cannot differ.

use std::fmt::Write as _;

use taisai_table::{Person, Seat};

use super::parse::{self, Parsed};
use super::reader::Reader;

/// One thing that a line can say.
pub(super) struct Phrase {
    /// Words as they are written, and in capitals what is filled in. What stands before the bar tells the phrase from
    /// others.
    form: &'static str,
    example: &'static str,
    means: &'static str,
    read: Read,
}

/// How the rest of a line is read.
enum Read {
    Line(fn(&mut Reader) -> Parsed),
    Seat(fn(&mut Reader, Seat) -> Parsed),
    Person(fn(&mut Reader, Person) -> Parsed),
}

impl Phrase {
    pub(super) const fn line(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut Reader) -> Parsed,
    ) -> Self {
        Self { form, example, means, read: Read::Line(read) }
    }

    /// A phrase that begins with a seat.
    pub(super) const fn seat(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut Reader, Seat) -> Parsed,
    ) -> Self {
        Self { form, example, means, read: Read::Seat(read) }
    }

    /// A phrase that begins with a person.
    pub(super) const fn person(
        form: &'static str,
        example: &'static str,
        means: &'static str,
        read: fn(&mut Reader, Person) -> Parsed,
    ) -> Self {
        Self { form, example, means, read: Read::Person(read) }
    }

    /// The words that tell it from others.
    fn opening(&self) -> impl Iterator<Item = Opening> + use<> {
        let opening = self.form.split_once(" | ").map_or(self.form, |(opening, _)| opening);
        opening
            .split(' ')
            .flat_map(|word| match word {
                "SEAT" => [Some(Opening::Seat), None],
                "PERSON" => [Some(Opening::Role), Some(Opening::Number)],
                word => [Some(Opening::Word(word)), None],
            })
            .flatten()
    }

    /// The form as it is shown.
    fn shown(&self) -> String {
        self.form.replace(" | ", " ")
    }

    /// Reads a line that begins with it.
    fn read(&self, reader: &mut Reader) -> Parsed {
        let (mut seat, mut person) = (None, None);
        for word in self.opening() {
            match word {
                Opening::Seat => seat = Some(reader.seat()?),
                Opening::Role => person = Some(reader.person()?),
                // It was read with the role.
                Opening::Number => {}
                Opening::Word(_) => reader.skip(),
            }
        }
        match (&self.read, seat, person) {
            (Read::Line(read), ..) => read(reader),
            (Read::Seat(read), Some(seat), _) => read(reader, seat),
            (Read::Person(read), _, Some(person)) => read(reader, person),
            (Read::Seat(_), None, _) | (Read::Person(_), _, None) => unreachable!("the form names a seat or a person"),
        }
    }
}

/// One word of an opening.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Word(&'static str),
    Seat,
    Role,
    /// Of a person.
    Number,
}

/// Phrases of the same people.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) phrases: &'static [Phrase],
}

fn phrases() -> impl Iterator<Item = &'static Phrase> {
    parse::SECTIONS.iter().flat_map(|section| section.phrases)
}

/// Reads a line by the phrase with the longest opening that fits.
pub(super) fn read(reader: &mut Reader) -> Parsed {
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

/// The phrases for the help.
pub(crate) fn help() -> String {
    let mut text =
        "What a line can say. Capitals are filled in, and what stands in brackets may be left out.\n".to_owned();
    for Section { title, phrases } in parse::SECTIONS {
        write!(text, "\n{title}:\n").expect("a String takes every text");
        for phrase in *phrases {
            let (form, means, example) = (phrase.shown(), phrase.means.replace('`', ""), phrase.example);
            let example = if form == example { String::new() } else { format!(" “{example}”") };
            write!(text, "  {form}\n      {means}{example}\n").expect("a String takes every text");
        }
    }
    text
}

/// The phrases for the document.
#[cfg(test)]
fn tables() -> String {
    let mut text = String::new();
    for Section { title, phrases } in parse::SECTIONS {
        write!(text, "### {title}\n\n| line | for example | what it does |\n|---|---|---|\n").unwrap();
        for phrase in *phrases {
            writeln!(text, "| `{}` | `{}` | {} |", phrase.shown(), phrase.example, phrase.means).unwrap();
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use taisai_rules::{Games, Moment};

    use super::super::profile::Profiles;
    use super::*;

    /// What the document says of the phrases is what the program reads. `BLESS=1` writes it anew.
    #[test]
    fn the_document_has_every_phrase() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/play.md");
        let document = std::fs::read_to_string(&file).unwrap();
        let (begin, end) = ("<!-- phrases -->\n", "<!-- end of phrases -->\n");
        let (before, rest) = document.split_once(begin).expect("the place of the phrases");
        let (found, after) = rest.split_once(end).expect("the end of the phrases");
        let expected = format!("\n{}", tables());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, format!("{before}{begin}{expected}{end}{after}")).unwrap();
        } else {
            assert!(found == expected, "docs/play.md differs from the language: `make bless` writes it anew");
        }
    }

    #[test]
    fn every_example_is_read_and_ends_where_its_phrase_ends() {
        let now = Moment::from_unix_seconds(1_767_240_000);
        for phrase in phrases() {
            let first =
                if phrase.form.starts_with("table ") { "" } else { "table tai-sai-classic layout A seats 7\nopen\n" };
            let script = format!("{first}{}\n", phrase.example);
            let read = parse::parse(&script, Games::embedded(), now, &Profiles::default());
            assert!(read.is_ok(), "{}: {:?}", phrase.example, read.err());
            let words = phrase.example.split(' ');
            let opening: Vec<_> = phrase.opening().collect();
            for (word, expected) in words.zip(&opening) {
                if let Opening::Word(expected) = expected {
                    assert_eq!(word, *expected, "{}", phrase.example);
                }
            }
        }
    }
}
