//! The three dice. Decides what a throw is and how many ways there are; knows no bet.

use std::fmt;
use std::str::FromStr;

/// The uppermost face of one die, one to six.
///
/// ```
/// use taisai_rules::Face;
/// assert_eq!(Face::try_from(6).unwrap().number(), 6);
/// assert!(Face::try_from(7).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Face(u8);

impl Face {
    /// The six faces, ascending.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Face::ALL.len(), 6);
    /// ```
    pub const ALL: [Self; 6] = [Self(1), Self(2), Self(3), Self(4), Self(5), Self(6)];

    /// The number of pips.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Face::ALL[0].number(), 1);
    /// ```
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Face {
    type Error = BadDice;

    fn try_from(number: u8) -> Result<Self, BadDice> {
        match number {
            1..=6 => Ok(Self(number)),
            _ => Err(BadDice::Face),
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why something is not a throw of three dice.
///
/// ```
/// use taisai_rules::{BadDice, Dice};
/// assert_eq!("1 2".parse::<Dice>(), Err(BadDice::Count));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDice {
    /// A face that no die has.
    #[error("a die shows a whole number from 1 to 6")]
    Face,
    /// Not three dice.
    #[error("a throw is exactly three dice")]
    Count,
}

/// A throw: the faces of the three dice, in the order in which they were read.
///
/// ```
/// use taisai_rules::Dice;
/// let dice = Dice::try_from([6, 6, 5]).unwrap();
/// assert_eq!(dice.total_sum(), 17);
/// assert_eq!(dice.to_string(), "6 6 5");
/// assert_eq!("6 6 5".parse(), Ok(dice));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dice([Face; 3]);

impl Dice {
    /// How many throws there are.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Dice::all().count(), usize::from(taisai_rules::Dice::THROWS));
    /// ```
    pub const THROWS: u8 = 216;

    /// Every throw, from 1 1 1 to 6 6 6.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Dice::all().count(), 216);
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        (0..usize::from(Self::THROWS)).map(|i| Self([Face::ALL[i / 36], Face::ALL[i / 6 % 6], Face::ALL[i % 6]]))
    }

    /// Every throw whose first dice are the given ones: what can still come when some dice are known.
    pub(crate) fn with(known: &[Face]) -> impl Iterator<Item = Self> {
        Self::all().filter(move |dice| dice.0.starts_with(known))
    }

    /// The three faces.
    ///
    /// ```
    /// use taisai_rules::{Dice, Face};
    /// assert_eq!(Dice::try_from([1, 1, 1]).unwrap().faces(), [Face::ALL[0]; 3]);
    /// ```
    pub const fn faces(self) -> [Face; 3] {
        self.0
    }

    /// The Total Sum (1.8): the three faces added up.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Dice::try_from([1, 2, 3]).unwrap().total_sum(), 6);
    /// ```
    pub const fn total_sum(self) -> u8 {
        let [a, b, c] = self.0;
        a.0 + b.0 + c.0
    }

    /// Whether all three dice show the same number.
    ///
    /// ```
    /// assert!(taisai_rules::Dice::try_from([4, 4, 4]).unwrap().is_triple());
    /// ```
    pub const fn is_triple(self) -> bool {
        let [a, b, c] = self.0;
        a.0 == b.0 && b.0 == c.0
    }

    /// On how many dice a number shows.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Dice::try_from([6, 6, 5]).unwrap().count(6), 2);
    /// ```
    pub const fn count(self, number: u8) -> u8 {
        let mut count = 0;
        let mut die = 0;
        while die < 3 {
            if self.0[die].0 == number {
                count += 1;
            }
            die += 1;
        }
        count
    }

    /// The throw's place among the 216, in reading order.
    pub(crate) fn index(self) -> usize {
        let [a, b, c] = self.0.map(|face| usize::from(face.0) - 1);
        a * 36 + b * 6 + c
    }
}

impl From<[Face; 3]> for Dice {
    fn from(faces: [Face; 3]) -> Self {
        Self(faces)
    }
}

impl TryFrom<[u8; 3]> for Dice {
    type Error = BadDice;

    fn try_from([a, b, c]: [u8; 3]) -> Result<Self, BadDice> {
        Ok(Self([a.try_into()?, b.try_into()?, c.try_into()?]))
    }
}

impl FromStr for Dice {
    type Err = BadDice;

    fn from_str(text: &str) -> Result<Self, BadDice> {
        let mut faces = text.split(' ').map(|face| match face.as_bytes() {
            [digit @ b'1'..=b'6'] => Ok(digit - b'0'),
            _ => Err(BadDice::Face),
        });
        match (faces.next(), faces.next(), faces.next(), faces.next()) {
            (Some(a), Some(b), Some(c), None) => [a?, b?, c?].try_into(),
            _ => Err(BadDice::Count),
        }
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "{a} {b} {c}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_all_there_in_order() {
        let texts: Vec<_> = Dice::all().map(|dice| dice.to_string()).collect();
        assert_eq!((texts.len(), &texts[0][..], &texts[215][..]), (216, "1 1 1", "6 6 6"));
        assert!(texts.is_sorted_by(|a, b| a < b));
        for (place, dice) in Dice::all().enumerate() {
            assert_eq!((dice.index(), dice.to_string().parse()), (place, Ok(dice)));
            assert_eq!(Dice::from(dice.faces()), dice);
        }
    }

    #[test]
    fn other_spellings_are_no_throw() {
        for (text, error) in [
            ("", BadDice::Count),
            ("1 2", BadDice::Count),
            ("1 2 3 4", BadDice::Count),
            ("1 2 3 ", BadDice::Count),
            ("1  2 3", BadDice::Count),
            ("123", BadDice::Count),
            ("0 1 2", BadDice::Face),
            ("1 7 2", BadDice::Face),
            ("1 2 03", BadDice::Face),
            ("1 2 +3", BadDice::Face),
            ("1 2 x", BadDice::Face),
            ("1 2 ", BadDice::Face),
        ] {
            assert_eq!(text.parse::<Dice>(), Err(error), "{text:?}");
        }
        for faces in [[0, 1, 1], [1, 7, 1], [1, 1, 255]] {
            assert_eq!(Dice::try_from(faces), Err(BadDice::Face), "{faces:?}");
        }
    }
}
