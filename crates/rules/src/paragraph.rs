//! Paragraphs of the approved documents, and the rules that a settlement cites them for.

use std::cmp::Ordering;
use std::fmt;

use crate::rules_text::order;

/// A paragraph of an approved document: `4.1.1`, or `003:3.10` where another document's rule is followed.
///
/// ```
/// use taisai_rules::Paragraph;
/// assert_eq!("003:3.10".parse::<Paragraph>().unwrap().to_string(), "003:3.10");
/// assert!("section four".parse::<Paragraph>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Paragraph(String);

impl Paragraph {
    /// The paragraph as it is cited.
    ///
    /// ```
    /// assert_eq!("4.1".parse::<taisai_rules::Paragraph>().unwrap().text(), "4.1");
    /// ```
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The other document whose rule it is; nothing for one of the game's own document.
    ///
    /// ```
    /// assert_eq!("003:3.10".parse::<taisai_rules::Paragraph>().unwrap().document(), Some("003"));
    /// ```
    pub fn document(&self) -> Option<&str> {
        self.0.split_once(':').map(|(document, _)| document)
    }

    /// Its number within the document.
    ///
    /// ```
    /// assert_eq!("003:3.10".parse::<taisai_rules::Paragraph>().unwrap().number(), "3.10");
    /// ```
    pub fn number(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(_, number)| number)
    }
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// In the order of the document: 3.9 before 3.10. Those of the game's own document come first.
///
/// ```
/// use taisai_rules::Paragraph;
/// let mut cited = ["003:1.5", "3.10", "3.9"].map(|text| text.parse::<Paragraph>().unwrap());
/// cited.sort();
/// assert_eq!(cited.map(|paragraph| paragraph.to_string()), ["3.9", "3.10", "003:1.5"]);
/// ```
impl Ord for Paragraph {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |paragraph: &Self| (paragraph.document().map(str::to_owned), order(paragraph.number()));
        place(self).cmp(&place(other)).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Paragraph {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A text that names no paragraph.
///
/// ```
/// use taisai_rules::{BadParagraph, Paragraph};
/// assert_eq!("4.".parse::<Paragraph>(), Err(BadParagraph));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a paragraph is written like \"4.1.1\", or \"003:3.10\" for another document's")]
pub struct BadParagraph;

impl std::str::FromStr for Paragraph {
    type Err = BadParagraph;

    fn from_str(text: &str) -> Result<Self, BadParagraph> {
        let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let (document, paragraph) = text.split_once(':').unwrap_or(("0", text));
        if is_number(document) && paragraph.split('.').all(is_number) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadParagraph)
        }
    }
}

/// A rule that a line of a settlement rests on.
///
/// ```
/// use taisai_rules::{Citation, Games};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// assert_eq!(layout.paragraph(Citation::ProRata).unwrap().text(), "5.1.1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Citation {
    /// The pay table.
    PayTable,
    /// All three dice are the same, which makes the bet lose.
    Triple,
    /// The box was over its maximum or Differential: pro rata.
    ProRata,
    /// The box was over its maximum, the player's bet under the minimum: no pro rata.
    MinimumInExcess,
    /// The box's total stayed below the minimum.
    BelowMinimum,
}

impl Citation {
    pub(crate) const ALL: [Self; 5] =
        [Self::PayTable, Self::Triple, Self::ProRata, Self::MinimumInExcess, Self::BelowMinimum];
}
