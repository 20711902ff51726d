//! Words of a line, one after the other, with their columns. It knows what an amount, a face or a person looks like, and
//! never what a line means.

use std::collections::BTreeMap;
use std::str::FromStr;

use taisai_rules::{BetBox, Dice, Face, Money};
use taisai_table::{Actor, DeviceId, Person, PersonId, Role, Roles, RoundNumber, Seat};

use super::script::Fault;

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
    people: &'a mut BTreeMap<PersonId, Vec<Role>>,
}

/// Who acts and who is the second person, as a line's end says it.
pub(super) struct By {
    pub(super) first: Option<Actor>,
    pub(super) second: Option<Person>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(line: usize, text: &'a str, seats: u32, people: &'a mut BTreeMap<PersonId, Vec<Role>>) -> Self {
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

    pub(super) fn line(&self) -> usize {
        self.line
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

    /// A fault of the next word.
    pub(super) fn fault(&self, message: String) -> Fault {
        Fault { line: self.line, column: self.column(), message }
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

    pub(super) fn amount(&mut self) -> Result<Money, Fault> {
        self.amount_of("an amount like 50 or 12.50")
    }

    /// An amount that may be below zero.
    pub(super) fn signed(&mut self) -> Result<Money, Fault> {
        let what = "an amount like 50, 12.50 or -50";
        match self.word().and_then(|word| word.strip_prefix('-')).and_then(cents) {
            Some(money) => {
                self.skip();
                Ok(Money::from_cents(-money.cents()))
            }
            None => self.amount_of(what),
        }
    }

    fn amount_of(&mut self, what: &str) -> Result<Money, Fault> {
        let money = self.word().and_then(cents).ok_or_else(|| self.expected(what))?;
        self.skip();
        Ok(money)
    }

    /// Minimum and maximum: `25..5000`, `25..` or `..5000`.
    pub(super) fn range(&mut self) -> Result<(Option<Money>, Option<Money>), Fault> {
        let what = "limits like 25..5000, 25.. or ..5000";
        let word = self.word().unwrap_or_default();
        let (min, max) = word.split_once("..").ok_or_else(|| self.expected(what))?;
        let side = |text: &str| if text.is_empty() { Some(None) } else { cents(text).map(Some) };
        let (Some(min), Some(max)) = (side(min), side(max)) else { return Err(self.expected(what)) };
        if min.is_none() && max.is_none() {
            return Err(self.expected(what));
        }
        self.skip();
        Ok((min, max))
    }

    fn face(&mut self) -> Result<Face, Fault> {
        let what = "a face from 1 to 6";
        let number: u8 = self.peek().parse().map_err(|_| self.expected(what))?;
        let face = Face::try_from(number).map_err(|_| self.expected(what))?;
        self.skip();
        Ok(face)
    }

    pub(super) fn dice(&mut self) -> Result<Dice, Fault> {
        let faces = [self.face()?, self.face()?, self.face()?].map(Face::number);
        Dice::try_from(faces).map_err(|error| self.fault(error.to_string()))
    }

    /// Three dice, of which some do not lie flat.
    pub(super) fn at_rest(&mut self) -> Result<[Option<Face>; 3], Fault> {
        let mut faces = [None; 3];
        for face in &mut faces {
            if !self.take("-") {
                *face = Some(self.face()?);
            }
        }
        Ok(faces)
    }

    /// The faces that follow, as many as there are.
    pub(super) fn faces(&mut self) -> Result<Vec<Face>, Fault> {
        let mut faces = vec![self.face()?];
        while self.peek().starts_with(|first: char| first.is_ascii_digit()) {
            faces.push(self.face()?);
        }
        Ok(faces)
    }

    pub(super) fn bet_box(&mut self) -> Result<BetBox, Fault> {
        self.parse("a box like big or sum:9")
    }

    pub(super) fn round(&mut self) -> Result<RoundNumber, Fault> {
        self.parse("a round's number").map(RoundNumber)
    }

    /// A seat's number; the word before it has been read.
    pub(super) fn seat(&mut self) -> Result<Seat, Fault> {
        let what = format!("a seat from 1 to {}", self.seats);
        let number: u32 = self.peek().parse().map_err(|_| self.expected(&what))?;
        if number == 0 || number > self.seats {
            return Err(self.expected(&what));
        }
        self.skip();
        Ok(Seat(number))
    }

    /// A role, if one stands here.
    pub(super) fn role(&self) -> Option<Role> {
        role(&self.peek())
    }

    /// A person by role and number: from now on that person holds the role.
    pub(super) fn person(&mut self) -> Result<Person, Fault> {
        let role = self.role().ok_or_else(|| self.expected("a person like supervisor 7"))?;
        self.skip();
        let id = self.parse("the person's number").map(PersonId)?;
        let roles = self.people.entry(id).or_default();
        if !roles.contains(&role) {
            roles.push(role);
        }
        Ok(Person { id, roles: Roles::of(&[role]) })
    }

    /// `by supervisor 7 and manager 2`, if it stands here.
    pub(super) fn by(&mut self) -> Result<By, Fault> {
        if !self.take("by") {
            return Ok(By { first: None, second: None });
        }
        if self.take("tumbler") {
            let device = self.parse("the tumbler's number").map(DeviceId)?;
            return Ok(By { first: Some(Actor::Tumbler(device)), second: None });
        }
        let first = Some(Actor::Person(self.person()?));
        let second = if self.take("and") { Some(self.person()?) } else { None };
        Ok(By { first, second })
    }

    /// The reason that the line gives, if it gives one.
    pub(super) fn because(&self) -> Option<String> {
        self.because.filter(|why| !why.is_empty()).map(str::to_owned)
    }

    /// The reason, which must be given.
    pub(super) fn why(&self) -> Result<String, Fault> {
        let missing = || Fault {
            line: self.line,
            column: self.end,
            message: "expected “because” and the reason, the line ends".to_owned(),
        };
        self.because().ok_or_else(missing)
    }

    /// Nothing more stands here.
    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.at < self.words.len() { Err(self.expected("the end of the line")) } else { Ok(()) }
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

/// Dollars and cents.
fn cents(text: &str) -> Option<Money> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 2 {
        return None;
    }
    let tens = if part.len() == 1 { 10 } else { 1 };
    let whole: i64 = whole.parse().ok()?;
    let part: i64 = part.parse().ok()?;
    whole.checked_mul(100)?.checked_add(part * tens).map(Money::from_cents)
}

fn role(word: &str) -> Option<Role> {
    Some(match word {
        "dealer" => Role::Dealer,
        "supervisor" => Role::PitSupervisor,
        "manager" => Role::PitManager,
        "shift-manager" => Role::ShiftManager,
        "casino-manager" => Role::CasinoManager,
        "attendant" => Role::Attendant,
        "cashier" => Role::Cashier,
        "auditor" => Role::Auditor,
        "administrator" => Role::Administrator,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_dollars_and_cents() {
        for (text, amount) in
            [("50", Some(5_000)), ("12.50", Some(1_250)), ("2.5", Some(250)), ("0.05", Some(5)), ("0", Some(0))]
        {
            assert_eq!(cents(text).map(Money::cents), amount, "{text}");
        }
        for text in ["", ".", "5.", ".5", "1.005", "-5", "1e3", "5 0", "99999999999999999999", "$5", "1,000"] {
            assert_eq!(cents(text), None, "{text}");
        }
    }

    #[test]
    fn words_have_columns_and_comments_are_left_out() {
        let mut people = BTreeMap::new();
        let mut reader = Reader::new(3, "  seat 3:  because a # b", 7, &mut people);
        assert_eq!((reader.column(), reader.because()), (3, Some("a".to_owned())));
        assert!(reader.take("SEAT"));
        assert_eq!(reader.seat(), Ok(Seat(3)));
        assert_eq!(reader.column(), 9);
        assert!(reader.take(":"));
        reader.end().unwrap();
    }
}
