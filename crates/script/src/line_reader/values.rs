//! Reads values: amounts, faces, boxes, seats, people.

use taisai_rules::{BetBox, BoxKey, BoxKind, Dice, Face, Money};
use taisai_table::{Actor, DeviceId, LimitRange, Person, PersonId, Role, Roles, RoundNumber, Seat};

use super::LineReader;
use crate::language::PhrasePart;
use crate::script::{CHIP_READER, ScriptFault};

/// Roles as scripts name them.
const ROLES: [(&str, Role); 9] = [
    ("dealer", Role::Dealer),
    ("supervisor", Role::PitSupervisor),
    ("manager", Role::PitManager),
    ("shift-manager", Role::ShiftManager),
    ("casino-manager", Role::CasinoManager),
    ("attendant", Role::Attendant),
    ("cashier", Role::Cashier),
    ("auditor", Role::Auditor),
    ("administrator", Role::Administrator),
];

pub(crate) fn role_names() -> impl Iterator<Item = &'static str> {
    ROLES.iter().map(|(word, _)| *word)
}

pub(crate) fn is_role(word: &str) -> bool {
    role_names().any(|name| word.eq_ignore_ascii_case(name))
}

impl LineReader<'_> {
    pub(crate) fn amount(&mut self) -> Result<Money, ScriptFault> {
        self.amount_of("an amount like 50 or 12.50")
    }

    pub(crate) fn signed(&mut self) -> Result<Money, ScriptFault> {
        let what = "an amount like 50, 12.50 or -50";
        match self.word().and_then(|word| word.strip_prefix('-')).and_then(parse_amount) {
            Some(money) => {
                self.skip();
                Ok(Money::from_cents(-money.cents()))
            }
            None => self.amount_of(what),
        }
    }

    fn amount_of(&mut self, what: &str) -> Result<Money, ScriptFault> {
        let money = self.word().and_then(parse_amount).ok_or_else(|| self.expected(what))?;
        self.skip();
        Ok(money)
    }

    /// Minimum, maximum or both: `25..5000`, `25..` or `..5000`.
    pub(crate) fn range(&mut self) -> Result<(Option<Money>, Option<Money>), ScriptFault> {
        let what = "limits like 25..5000, 25.. or ..5000";
        let word = self.word().unwrap_or_default();
        let (min, max) = word.split_once("..").ok_or_else(|| self.expected(what))?;
        let side = |text: &str| if text.is_empty() { Some(None) } else { parse_amount(text).map(Some) };
        let (Some(min), Some(max)) = (side(min), side(max)) else { return Err(self.expected(what)) };
        if min.is_none() && max.is_none() {
            return Err(self.expected(what));
        }
        self.skip();
        Ok((min, max))
    }

    /// Minimum and maximum: `1..1000`.
    pub(crate) fn full_range(&mut self) -> Result<LimitRange, ScriptFault> {
        let what = "limits like 1..1000";
        let word = self.word().unwrap_or_default();
        let (min, max) = word.split_once("..").ok_or_else(|| self.expected(what))?;
        let (Some(min), Some(max)) = (parse_amount(min), parse_amount(max)) else { return Err(self.expected(what)) };
        self.skip();
        Ok(LimitRange { min, max })
    }

    fn face(&mut self) -> Result<Face, ScriptFault> {
        let what = "a face from 1 to 6";
        let number: u8 = self.peek().parse().map_err(|_| self.expected(what))?;
        let face = Face::try_from(number).map_err(|_| self.expected(what))?;
        self.skip();
        Ok(face)
    }

    pub(crate) fn dice(&mut self) -> Result<Dice, ScriptFault> {
        let faces = [self.face()?, self.face()?, self.face()?].map(Face::number);
        Dice::try_from(faces).map_err(|error| self.fault(error.to_string()))
    }

    /// Three dice; `-` for one that does not lie flat.
    pub(crate) fn at_rest(&mut self) -> Result<[Option<Face>; 3], ScriptFault> {
        let mut faces = [None; 3];
        for face in &mut faces {
            if !self.take("-") {
                *face = Some(self.face()?);
            }
        }
        Ok(faces)
    }

    /// One face or more.
    pub(crate) fn faces(&mut self) -> Result<Vec<Face>, ScriptFault> {
        let mut faces = vec![self.face()?];
        while self.peek().starts_with(|first: char| first.is_ascii_digit()) {
            faces.push(self.face()?);
        }
        Ok(faces)
    }

    pub(crate) fn bet_box(&mut self) -> Result<BetBox, ScriptFault> {
        let what = "a box like big or sum:9";
        let bet_box = self.peek().parse().map_err(|_| self.expected_one_of(what, BetBox::all().map(BetBox::text)))?;
        self.skip();
        Ok(bet_box)
    }

    /// What a limit applies to.
    pub(crate) fn kind_or_box(&mut self, what: &str) -> Result<BoxKey, ScriptFault> {
        let words = ["unit", "differential", "rest"].into_iter().chain(BoxKind::ALL.map(BoxKind::text));
        let words = words.chain(BetBox::all().map(BetBox::text));
        let key = self.peek().parse().map_err(|_| self.expected_one_of(what, words))?;
        self.skip();
        Ok(key)
    }

    pub(crate) fn round(&mut self) -> Result<RoundNumber, ScriptFault> {
        self.parse("a round's number").map(RoundNumber)
    }

    /// A seat's number, without the word before it.
    pub(crate) fn seat(&mut self) -> Result<Seat, ScriptFault> {
        if !self.fits(0, PhrasePart::Seat) {
            return Err(self.expected(&self.a_seat()));
        }
        self.parse(&self.a_seat()).map(Seat)
    }

    pub(crate) fn role(&mut self) -> Result<Role, ScriptFault> {
        self.choice("a role like cashier", ROLES)
    }

    pub(crate) fn person_number(&mut self) -> Result<PersonId, ScriptFault> {
        self.parse("the person's number").map(PersonId)
    }

    /// A person whom the line adds.
    pub(crate) fn newcomer(&mut self) -> Result<PersonId, ScriptFault> {
        let person = self.person_number()?;
        self.people.add(person);
        Ok(person)
    }

    /// A person by role and number, who has that role from the beginning.
    pub(crate) fn person(&mut self) -> Result<Person, ScriptFault> {
        let role = self.choice("a person like supervisor 7", ROLES)?;
        let id = self.person_number()?;
        self.people.name(id, role);
        Ok(Person { id, roles: Roles::of(&[role]) })
    }

    /// `by supervisor 7`, `by tumbler 12` or `by chip reader`, if it comes next.
    pub(crate) fn by(&mut self) -> Result<Option<Actor>, ScriptFault> {
        if !self.take("by") {
            return Ok(None);
        }
        if self.take("tumbler") {
            return self.parse("the tumbler's number").map(|number| Some(Actor::Tumbler(DeviceId(number))));
        }
        if self.take("chip reader") {
            return Ok(Some(Actor::ChipReader(CHIP_READER)));
        }
        Ok(Some(Actor::Person(self.person()?)))
    }

    /// `by cashier 8`. Anything else is a fault.
    pub(crate) fn by_person(&mut self) -> Result<Person, ScriptFault> {
        if !self.take("by") {
            return Err(self.expected("“by” and who does it, like “by supervisor 7”"));
        }
        self.person()
    }

    /// `with manager 2`, if it comes next.
    pub(crate) fn with_person(&mut self) -> Result<Option<Person>, ScriptFault> {
        if self.take("with") { self.person().map(Some) } else { Ok(None) }
    }

    /// `by supervisor 7 and manager 2`; the second may be missing.
    pub(crate) fn by_two(&mut self) -> Result<(Person, Option<Person>), ScriptFault> {
        let first = self.by_person()?;
        let second = if self.take("and") { Some(self.person()?) } else { None };
        Ok((first, second))
    }
}

/// Parses dollars and cents: `50`, `12.5` or `12.50`.
pub fn parse_amount(text: &str) -> Option<Money> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_dollars_and_cents() {
        for (text, amount) in
            [("50", Some(5_000)), ("12.50", Some(1_250)), ("2.5", Some(250)), ("0.05", Some(5)), ("0", Some(0))]
        {
            assert_eq!(parse_amount(text).map(Money::cents), amount, "{text}");
        }
        for text in ["", ".", "5.", ".5", "1.005", "-5", "1e3", "5 0", "99999999999999999999", "$5", "1,000"] {
            assert_eq!(parse_amount(text), None, "{text}");
        }
    }
}
