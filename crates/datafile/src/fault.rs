//! Faults of a data file: what is wrong, and where.

use std::fmt;

/// One fault of a data file. Lines and columns count from one; a column is a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What kind of fault it is.
    pub kind: FileFaultKind,
    /// What is wrong, and what is expected.
    pub message: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.line, self.column, self.kind.code(), self.message)
    }
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFaultKind {
    /// The file is not TOML, not text, or too large to be a game.
    Syntax,
    /// Something that must be there is not.
    MissingKey,
    /// Something is there that has no meaning.
    UnknownKey,
    /// Something is not of the type it should be.
    WrongType,
    /// Something is of the right type, but not possible.
    BadValue,
    /// A text names no box.
    UnknownBox,
    /// A box is in two rows, or in more places on the felt than it may be.
    BoxTwice,
    /// A box that should be printed twice is printed once.
    BoxOnce,
    /// A box on the felt has no odds.
    OddsMissing,
    /// Odds are given for a box that is not on the felt.
    OddsOffLayout,
    /// Odds are not written as odds.
    BadOdds,
    /// An area or caption overlaps another.
    FeltOverlap,
    /// An area or caption lies outside the felt.
    FeltOutside,
    /// A block cannot be shared out in whole units.
    FeltUneven,
    /// The triple rule contradicts 3.10.
    TripleRule,
    /// There are more faults than are listed. It is the last.
    TooMany,
}

impl FileFaultKind {
    /// The fault's stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::MissingKey => "missing-key",
            Self::UnknownKey => "unknown-key",
            Self::WrongType => "wrong-type",
            Self::BadValue => "bad-value",
            Self::UnknownBox => "unknown-box",
            Self::BoxTwice => "box-twice",
            Self::BoxOnce => "box-once",
            Self::OddsMissing => "odds-missing",
            Self::OddsOffLayout => "odds-off-layout",
            Self::BadOdds => "bad-odds",
            Self::FeltOverlap => "felt-overlap",
            Self::FeltOutside => "felt-outside",
            Self::FeltUneven => "felt-uneven",
            Self::TripleRule => "triple-rule",
            Self::TooMany => "too-many",
        }
    }
}
