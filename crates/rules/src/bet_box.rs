//! The betting boxes of all layouts: their one text form, their order, and when their combination shows on the dice.
//! Odds, and what a triple does to a box, are not decided here: they come from a game's data.

use std::fmt;
use std::str::FromStr;

use crate::dice::Dice;

/// The kinds of bets that the pay tables list.
///
/// ```
/// use taisai_rules::BoxKind;
/// assert_eq!("any-triple".parse(), Ok(BoxKind::AnyTriple));
/// assert_eq!(BoxKind::Pair.text(), "pair");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoxKind {
    /// Total Sum of 4 to 10.
    Small,
    /// Total Sum of 11 to 17.
    Big,
    /// Odd Total Sum.
    Odd,
    /// Even Total Sum.
    Even,
    /// Single Dice: a number on one, two or three dice.
    Single,
    /// Total Sum Combination: an exact Total Sum.
    Sum,
    /// Domino Combination: two different numbers both show.
    Domino,
    /// Double Dice: a number on at least two dice.
    Double,
    /// Any Triple.
    AnyTriple,
    /// Specific Straight Triple.
    Triple,
    /// Four Number Combination: three different numbers of the four.
    Four,
    /// Three Single Dice Combination: three given different numbers.
    Three,
    /// Double Numbers With Single Dice Combination: a given pair and a given third number.
    Pair,
}

impl BoxKind {
    /// Every kind, in the order of the boxes.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BoxKind::ALL.len(), 13);
    /// ```
    pub const ALL: [Self; 13] = [
        Self::Small,
        Self::Big,
        Self::Odd,
        Self::Even,
        Self::Single,
        Self::Sum,
        Self::Domino,
        Self::Double,
        Self::AnyTriple,
        Self::Triple,
        Self::Four,
        Self::Three,
        Self::Pair,
    ];

    /// The kind's one text form.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BoxKind::Sum.text(), "sum");
    /// ```
    pub const fn text(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Big => "big",
            Self::Odd => "odd",
            Self::Even => "even",
            Self::Single => "single",
            Self::Sum => "sum",
            Self::Domino => "domino",
            Self::Double => "double",
            Self::AnyTriple => "any-triple",
            Self::Triple => "triple",
            Self::Four => "four",
            Self::Three => "three",
            Self::Pair => "pair",
        }
    }

    /// The boxes of this kind, ascending.
    ///
    /// ```
    /// use taisai_rules::BoxKind;
    /// assert_eq!(BoxKind::Domino.boxes().count(), 15);
    /// ```
    pub fn boxes(self) -> impl Iterator<Item = BetBox> {
        let (first, end) = PLACES[kind_place(self)];
        (first..end).map(BetBox)
    }
}

impl fmt::Display for BoxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// A text that names no kind of bet.
///
/// ```
/// use taisai_rules::{BoxKind, UnknownBoxKind};
/// assert_eq!("field".parse::<BoxKind>(), Err(UnknownBoxKind));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a kind is one of small, big, odd, even, single, sum, domino, double, any-triple, triple, four, three, pair")]
pub struct UnknownBoxKind;

impl FromStr for BoxKind {
    type Err = UnknownBoxKind;

    fn from_str(text: &str) -> Result<Self, UnknownBoxKind> {
        Self::ALL.into_iter().find(|kind| kind.text() == text).ok_or(UnknownBoxKind)
    }
}

/// A betting box. There are 117 in the notation; a layout has some of them.
///
/// ```
/// use taisai_rules::{BetBox, Dice, BoxKind};
/// let bet_box: BetBox = "pair:113".parse().unwrap();
/// assert_eq!(bet_box.kind(), BoxKind::Pair);
/// assert_eq!(bet_box.numbers(), [1, 1, 3]);
/// assert!(bet_box.shows(Dice::try_from([1, 3, 1]).unwrap()));
/// assert_eq!(bet_box.to_string(), "pair:113");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BetBox(u8);

#[derive(Clone, Copy)]
struct BoxDefinition {
    kind: BoxKind,
    numbers: [u8; 4],
    len: usize,
    /// The numbers read as one decimal number; one of two digits stands alone.
    value: u16,
    text: ([u8; 10], usize),
}

/// Every box in the order of the notation, ascending: this list decides a box's place in all arrays.
static DEFINITIONS: [BoxDefinition; BetBox::COUNT] = define();

/// The text of every box.
static TEXTS: [&str; BetBox::COUNT] = texts();

/// For each kind the places of its first box and of the one after its last.
static PLACES: [(u8, u8); 13] = places();

impl BetBox {
    /// How many boxes the notation has: the length of an array with a place for each.
    ///
    /// ```
    /// use taisai_rules::BetBox;
    /// assert_eq!(BetBox::all().count(), BetBox::COUNT);
    /// ```
    pub const COUNT: usize = 117;

    /// Small: Total Sum of 4 to 10.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::SMALL.text(), "small");
    /// ```
    pub const SMALL: Self = Self(0);
    /// Big: Total Sum of 11 to 17.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::BIG.text(), "big");
    /// ```
    pub const BIG: Self = Self(1);
    /// Odd Total Sum.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::ODD.text(), "odd");
    /// ```
    pub const ODD: Self = Self(2);
    /// Even Total Sum.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::EVEN.text(), "even");
    /// ```
    pub const EVEN: Self = Self(3);

    /// Every box, in the order of the notation.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::all().next().unwrap().text(), "small");
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        (0u8..).take(Self::COUNT).map(Self)
    }

    /// The box's place in the order of the notation, below [`BetBox::COUNT`].
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::BIG.index(), 1);
    /// ```
    pub const fn index(self) -> usize {
        #[expect(clippy::as_conversions, reason = "u8 to usize loses nothing; From is not const")]
        let index = self.0 as usize;
        index
    }

    /// The same place in one byte.
    ///
    /// ```
    /// use taisai_rules::BetBox;
    /// assert_eq!(BetBox::at(BetBox::EVEN.place()), Some(BetBox::EVEN));
    /// ```
    pub const fn place(self) -> u8 {
        self.0
    }

    /// The box at a place in the order of the notation.
    ///
    /// ```
    /// use taisai_rules::BetBox;
    /// assert_eq!(BetBox::at(1), Some(BetBox::BIG));
    /// assert_eq!(BetBox::at(117), None);
    /// ```
    pub fn at(index: u8) -> Option<Self> {
        (usize::from(index) < Self::COUNT).then_some(Self(index))
    }

    const fn definition(self) -> &'static BoxDefinition {
        &DEFINITIONS[self.index()]
    }

    /// What kind of bet this is.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::ODD.kind(), taisai_rules::BoxKind::Odd);
    /// ```
    pub const fn kind(self) -> BoxKind {
        self.definition().kind
    }

    /// The numbers in the box's name, as written: `[17]` for `sum:17`, none for `big`.
    ///
    /// ```
    /// use taisai_rules::BetBox;
    /// assert_eq!("four:6543".parse::<BetBox>().unwrap().numbers(), [6, 5, 4, 3]);
    /// ```
    pub fn numbers(self) -> &'static [u8] {
        let definition = self.definition();
        &definition.numbers[..definition.len]
    }

    /// The box's one text form.
    ///
    /// ```
    /// assert_eq!(taisai_rules::BetBox::at(4).unwrap().text(), "single:1");
    /// ```
    pub const fn text(self) -> &'static str {
        TEXTS[self.index()]
    }

    /// The box that the Differential (1.3) compares this one with.
    ///
    /// ```
    /// use taisai_rules::BetBox;
    /// assert_eq!(BetBox::BIG.opposite(), Some(BetBox::SMALL));
    /// ```
    pub const fn opposite(self) -> Option<Self> {
        match self.kind() {
            BoxKind::Small => Some(Self::BIG),
            BoxKind::Big => Some(Self::SMALL),
            BoxKind::Odd => Some(Self::EVEN),
            BoxKind::Even => Some(Self::ODD),
            BoxKind::Single
            | BoxKind::Sum
            | BoxKind::Domino
            | BoxKind::Double
            | BoxKind::AnyTriple
            | BoxKind::Triple
            | BoxKind::Four
            | BoxKind::Three
            | BoxKind::Pair => None,
        }
    }

    /// Whether the dice show the box's combination, read by itself. Whether it then wins when all three dice are the
    /// same is for the game's triple rule to say.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Dice};
    /// let four: BetBox = "four:6543".parse().unwrap();
    /// assert!(four.shows(Dice::try_from([3, 6, 4]).unwrap()));
    /// assert!(!four.shows(Dice::try_from([6, 6, 4]).unwrap()), "three different numbers of the four");
    /// ```
    pub fn shows(self, dice: Dice) -> bool {
        let sum = dice.total_sum();
        match (self.kind(), self.numbers()) {
            (BoxKind::Small, _) => (4..=10).contains(&sum),
            (BoxKind::Big, _) => (11..=17).contains(&sum),
            (BoxKind::Odd, _) => !sum.is_multiple_of(2),
            (BoxKind::Even, _) => sum.is_multiple_of(2),
            (BoxKind::Sum, numbers) => numbers == [sum],
            (BoxKind::AnyTriple, _) => dice.is_triple(),
            (BoxKind::Single, numbers) => numbers.iter().all(|n| dice.count(*n) >= 1),
            (BoxKind::Domino, numbers) => numbers.iter().all(|n| dice.count(*n) >= 1),
            (BoxKind::Double, numbers) => numbers.iter().all(|n| dice.count(*n) >= 2),
            (BoxKind::Triple, numbers) => numbers.iter().all(|n| dice.count(*n) == 3),
            (BoxKind::Four, numbers) => numbers.iter().filter(|n| dice.count(**n) == 1).count() == 3,
            (BoxKind::Three, numbers) => numbers.iter().all(|n| dice.count(*n) == 1),
            (BoxKind::Pair, numbers) => {
                let [doubled, _, single] = numbers else { return false };
                dice.count(*doubled) == 2 && dice.count(*single) == 1
            }
        }
    }
}

/// A text that names no box.
///
/// ```
/// use taisai_rules::{BetBox, UnknownBox};
/// assert_eq!("domino:21".parse::<BetBox>(), Err(UnknownBox), "digits ascend");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a box is small, big, odd, even, single:1 to single:6, sum:4 to sum:17, domino:12 to domino:56, double:1 to \
     double:6, any-triple, triple:1 to triple:6, four:6543 (descending), three:126 (ascending) or pair:113 (the \
     doubled number first)"
)]
pub struct UnknownBox;

impl FromStr for BetBox {
    type Err = UnknownBox;

    fn from_str(text: &str) -> Result<Self, UnknownBox> {
        let (kind, digits) = match text.split_once(':') {
            Some((kind, digits)) => (kind.parse::<BoxKind>(), digits),
            None => (text.parse(), ""),
        };
        let kind = kind.map_err(|_| UnknownBox)?;
        let mut value = 0_u16;
        for byte in digits.bytes() {
            if !byte.is_ascii_digit() {
                return Err(UnknownBox);
            }
            let digit = u16::from(byte - b'0');
            value = value.checked_mul(10).and_then(|value| value.checked_add(digit)).ok_or(UnknownBox)?;
        }
        kind.boxes().find(|bet_box| bet_box.definition().value == value && bet_box.text() == text).ok_or(UnknownBox)
    }
}

impl fmt::Display for BetBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

impl fmt::Debug for BetBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[expect(clippy::as_conversions, reason = "a field-less enum's place; no other way is const")]
const fn kind_place(kind: BoxKind) -> usize {
    kind as usize
}

const fn texts() -> [&'static str; BetBox::COUNT] {
    let mut texts = [""; BetBox::COUNT];
    let mut index = 0;
    while index < BetBox::COUNT {
        let (bytes, len) = &DEFINITIONS[index].text;
        if let Ok(text) = str::from_utf8(bytes.split_at(*len).0) {
            texts[index] = text;
        }
        index += 1;
    }
    texts
}

const fn places() -> [(u8, u8); 13] {
    let mut places = [(0, 0); 13];
    let mut index = 0;
    let mut place = 0;
    while index < BetBox::COUNT {
        let kind = kind_place(DEFINITIONS[index].kind);
        if places[kind].1 == 0 {
            places[kind].0 = place;
        }
        place += 1;
        places[kind].1 = place;
        index += 1;
    }
    places
}

const fn definition(kind: BoxKind, numbers: &[u8]) -> BoxDefinition {
    let mut made = BoxDefinition { kind, numbers: [0; 4], len: numbers.len(), value: 0, text: ([0; 10], 0) };
    let mut text = kind.text().as_bytes();
    while let [byte, rest @ ..] = text {
        (made.text.0[made.text.1], text) = (*byte, rest);
        made.text.1 += 1;
    }
    let mut place = 0;
    while place < numbers.len() {
        let number = numbers[place];
        if place == 0 {
            made.text.0[made.text.1] = b':';
            made.text.1 += 1;
        }
        if number >= 10 {
            made.text.0[made.text.1] = b'0' + number / 10;
            made.text.1 += 1;
        }
        made.text.0[made.text.1] = b'0' + number % 10;
        made.text.1 += 1;
        made.numbers[place] = number;
        #[expect(clippy::as_conversions, reason = "u8 to u16 loses nothing; From is not const")]
        let number = number as u16;
        made.value = made.value * 10 + number;
        place += 1;
    }
    made
}

const fn define() -> [BoxDefinition; BetBox::COUNT] {
    let mut all = [definition(BoxKind::Small, &[]); BetBox::COUNT];
    let mut next = 0;
    macro_rules! push {
        ($kind:expr, $($number:expr),*) => {{
            all[next] = definition($kind, &[$($number),*]);
            next += 1;
        }};
    }
    /// Runs the body with the variable at each number from the first up to the end, which is not included.
    macro_rules! each {
        ($n:ident, $from:expr, $end:expr, $body:block) => {{
            let mut $n = $from;
            while $n < $end {
                $body
                $n += 1;
            }
        }};
    }
    push!(BoxKind::Small,);
    push!(BoxKind::Big,);
    push!(BoxKind::Odd,);
    push!(BoxKind::Even,);
    each!(n, 1, 7, { push!(BoxKind::Single, n) });
    each!(n, 4, 18, { push!(BoxKind::Sum, n) });
    each!(a, 1, 7, { each!(b, a + 1, 7, { push!(BoxKind::Domino, a, b) }) });
    each!(n, 1, 7, { push!(BoxKind::Double, n) });
    push!(BoxKind::AnyTriple,);
    each!(n, 1, 7, { push!(BoxKind::Triple, n) });
    each!(a, 1, 7, {
        each!(b, 1, a, { each!(c, 1, b, { each!(d, 1, c, { push!(BoxKind::Four, a, b, c, d) }) }) });
    });
    each!(a, 1, 7, { each!(b, a + 1, 7, { each!(c, b + 1, 7, { push!(BoxKind::Three, a, b, c) }) }) });
    each!(a, 1, 7, {
        each!(b, 1, 7, {
            if a != b {
                push!(BoxKind::Pair, a, a, b);
            }
        });
    });
    assert!(next == BetBox::COUNT);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_round_trip_and_ascend() {
        for bet_box in BetBox::all() {
            assert_eq!(bet_box.text().parse(), Ok(bet_box));
            assert_eq!(format!("{bet_box} {bet_box:?}"), [bet_box.text(); 2].join(" "));
        }
        let values: Vec<_> = BetBox::all().map(|b| (b.kind(), b.definition().value)).collect();
        assert!(values.is_sorted(), "section 2's order, ascending");
    }

    #[test]
    fn places_are_the_order_of_the_notation() {
        for (place, bet_box) in (0..).zip(BetBox::all()) {
            assert_eq!((bet_box.place(), BetBox::at(place)), (place, Some(bet_box)));
        }
        assert_eq!([117, u8::MAX].map(BetBox::at), [None; 2]);
    }

    #[test]
    fn counts_are_those_of_the_notation() {
        let counts = BoxKind::ALL.map(|kind| kind.boxes().count());
        assert_eq!(counts, [1, 1, 1, 1, 6, 14, 15, 6, 1, 6, 15, 20, 30]);
    }

    #[test]
    fn other_spellings_are_unknown() {
        for text in [
            "",
            ":",
            "Big",
            " big",
            "big ",
            "big:",
            "big:1",
            "single",
            "single:",
            "single:0",
            "single:7",
            "single:01",
            "sum:3",
            "sum:18",
            "sum:04",
            "sum:4 ",
            "domino:11",
            "domino:21",
            "domino:123",
            "double:7",
            "triple:0",
            "any_triple",
            "four:3456",
            "four:6544",
            "four:65430",
            "three:621",
            "three:112",
            "pair:131",
            "pair:111",
            "pair:311",
            "sum:٤",
            "sum:+4",
            "sum:-4",
            "single:1:1",
            "sum:65540",
            "大",
        ] {
            assert_eq!(text.parse::<BetBox>(), Err(UnknownBox), "{text}");
        }
    }
}
