//! The approved text of a document, paragraph by paragraph. Games cite paragraphs; here is what they say.

use std::collections::BTreeSet;

use taisai_datafile::FileFault;

use crate::game::{Game, Games};
use crate::paragraph::{Citation, Paragraph};
use crate::rule::Rule;

/// The text of a document. Its pay tables are not repeated: they are the rows of the game's layouts.
///
/// ```
/// use taisai_rules::Games;
/// let text = Games::embedded().text("003").unwrap();
/// assert_eq!(text.paragraph("1.4").unwrap().text.as_deref(), Some("House refers to the Casino Operator."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesText {
    pub(crate) document: String,
    pub(crate) opening: Vec<String>,
    pub(crate) reading: Vec<String>,
    pub(crate) paragraphs: Vec<RulesParagraph>,
    pub(crate) file: String,
}

/// A numbered paragraph. It has a heading, a text, or both.
///
/// ```
/// use taisai_rules::Games;
/// let paragraph = Games::embedded().text("003").unwrap().paragraph("5.5").unwrap();
/// assert_eq!(paragraph.text.as_deref(), Some("In the event that any of the following situations occur:"));
/// assert!(paragraph.closing.as_deref().unwrap().starts_with("the current Round of play shall be Voided"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesParagraph {
    /// Its number, as `5.1.1`.
    pub number: String,
    /// The heading of a section.
    pub heading: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// What it says after its own paragraphs.
    pub closing: Option<String>,
}

/// A part of a text in the order of reading.
///
/// ```
/// use taisai_rules::Games;
/// let passages: Vec<_> = Games::embedded().text("003").unwrap().around("5.5.3").unwrap();
/// let numbers: Vec<_> = passages.iter().map(|passage| (passage.number, passage.is_closing)).collect();
/// assert_eq!(numbers, [("5", false), ("5.5", false), ("5.5.3", false), ("5.5", true)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage<'t> {
    /// The paragraph that it belongs to.
    pub number: &'t str,
    /// Whether it closes the paragraph, after the paragraph's own paragraphs.
    pub is_closing: bool,
    /// The heading.
    pub heading: Option<&'t str>,
    /// What it says.
    pub text: Option<&'t str>,
}

/// A number that the document does not have.
///
/// ```
/// let missing = taisai_rules::Games::embedded().text("003").unwrap().paragraph("5.15").unwrap_err();
/// assert_eq!(missing.to_string(), "document 003 has no paragraph 5.15; near it are 5.13, 5.14");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("document {document} has no paragraph {number}; near it are {}", near.join(", "))]
pub struct UnknownParagraph {
    /// The document.
    pub document: String,
    /// The requested number.
    pub number: String,
    /// The paragraphs before and after the place where it would stand.
    pub near: Vec<String>,
}

impl RulesText {
    /// Stands in a text where the scan of the document has a gap.
    ///
    /// ```
    /// use taisai_rules::{Games, RulesText};
    /// assert_eq!(Games::embedded().text("001").unwrap().opening(), [RulesText::GAP]);
    /// ```
    pub const GAP: &str = "[gap in the scan]";

    /// The document.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().text("002").unwrap().document(), "002");
    /// ```
    pub fn document(&self) -> &str {
        &self.document
    }

    /// What stands before the first section: the title page and the approval.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().text("003").unwrap().opening()[0], "TAI SAI");
    /// ```
    pub fn opening(&self) -> &[String] {
        &self.opening
    }

    /// Repaired and doubtful readings of the scan.
    ///
    /// ```
    /// assert!(!taisai_rules::Games::embedded().text("001").unwrap().reading().is_empty());
    /// ```
    pub fn reading(&self) -> &[String] {
        &self.reading
    }

    /// The file that it was read from.
    ///
    /// ```
    /// let text = taisai_rules::Games::embedded().text("003").unwrap();
    /// assert!(text.file().contains("document = \"003\""));
    /// ```
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The paragraphs, in the order of the document.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().text("003").unwrap().paragraphs()[0].number, "1");
    /// ```
    pub fn paragraphs(&self) -> &[RulesParagraph] {
        &self.paragraphs
    }

    /// The paragraph of that number.
    ///
    /// ```
    /// let text = taisai_rules::Games::embedded().text("003").unwrap();
    /// assert_eq!(text.paragraph("3.10.2").unwrap().text.as_deref(), Some("any Triple Bet;"));
    /// ```
    pub fn paragraph(&self, number: &str) -> Result<&RulesParagraph, UnknownParagraph> {
        self.paragraphs.iter().find(|paragraph| paragraph.number == number).ok_or_else(|| {
            let (before, after) = self
                .paragraphs
                .split_at(self.paragraphs.partition_point(|paragraph| order(&paragraph.number) < order(number)));
            let near = before.iter().skip(before.len().saturating_sub(2)).chain(after.iter().take(2));
            UnknownParagraph {
                document: self.document.clone(),
                number: number.to_owned(),
                near: near.map(|paragraph| paragraph.number.clone()).collect(),
            }
        })
    }

    /// The whole text in the order of reading: what closes a paragraph stands after the paragraph's own paragraphs.
    ///
    /// ```
    /// let text = taisai_rules::Games::embedded().text("003").unwrap();
    /// let at = text.passages().iter().position(|passage| passage.is_closing).unwrap();
    /// assert_eq!([text.passages()[at - 1].number, text.passages()[at].number], ["5.5.3", "5.5"]);
    /// ```
    pub fn passages(&self) -> Vec<Passage<'_>> {
        let mut passages = Vec::new();
        let mut open: Vec<&RulesParagraph> = Vec::new();
        for paragraph in &self.paragraphs {
            while let Some(last) = open.pop_if(|last| !is_within(&paragraph.number, &last.number)) {
                passages.extend(last.closing_passage());
            }
            passages.push(Passage {
                number: &paragraph.number,
                is_closing: false,
                heading: paragraph.heading.as_deref(),
                text: paragraph.text.as_deref(),
            });
            open.push(paragraph);
        }
        passages.extend(open.into_iter().rev().filter_map(RulesParagraph::closing_passage));
        passages
    }

    /// A paragraph as it is to be read: in the paragraphs that it belongs to, with its own.
    ///
    /// ```
    /// let text = taisai_rules::Games::embedded().text("003").unwrap();
    /// assert_eq!(text.around("5.4").unwrap().len(), 4, "5, 5.4, 5.4.1 and 5.4.2");
    /// ```
    pub fn around(&self, number: &str) -> Result<Vec<Passage<'_>>, UnknownParagraph> {
        self.paragraph(number)?;
        let mut passages = self.passages();
        passages.retain(|passage| is_within(number, passage.number) || is_within(passage.number, number));
        Ok(passages)
    }
}

impl RulesParagraph {
    fn closing_passage(&self) -> Option<Passage<'_>> {
        let text = self.closing.as_deref()?;
        Some(Passage { number: &self.number, is_closing: true, heading: None, text: Some(text) })
    }
}

/// By what numbers are in order: 3.9 before 3.10, and 3.10 before 3.10.1.
pub(crate) fn order(number: &str) -> Vec<u32> {
    number.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

/// Whether a paragraph is the other one, or one of its own paragraphs.
pub(crate) fn is_within(number: &str, whole: &str) -> bool {
    number.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Game {
    /// Every paragraph that the game's file cites.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai-classic@1", None).unwrap();
    /// assert!(game.cited().iter().any(|paragraph| paragraph.text() == "003:5.14"));
    /// ```
    pub fn cited(&self) -> BTreeSet<&Paragraph> {
        let triple = self.triple_rule();
        let rules = Rule::ALL.into_iter().flat_map(|rule| self.paragraphs(rule));
        let layouts = self.layouts().iter();
        let layouts = layouts.flat_map(|layout| Citation::ALL.into_iter().filter_map(|of| layout.paragraph(of)));
        let triple = triple.wins.iter().map(|(paragraph, _)| paragraph).chain([&triple.paragraph]);
        rules.chain(layouts).chain(triple).chain(self.limit_paragraph()).collect()
    }
}

impl Games {
    /// Adds the text of a document, or names all faults of its file, which `docs/games.md` describes. The games that cite
    /// the document are to be there already: a paragraph that one of them cites and the text does not have is a fault.
    ///
    /// ```
    /// let mut games = taisai_rules::Games::embedded().clone();
    /// let faults = games.add_text("document = '003'\nopening = []\nreading = []\nparagraphs = []").unwrap_err();
    /// assert!(faults.iter().any(|fault| fault.message == "tai-sai@6 cites 5.14, which is not in the text"));
    /// ```
    pub fn add_text(&mut self, file: impl AsRef<[u8]>) -> Result<(), Vec<FileFault>> {
        let text = crate::rules_text_file::read(file.as_ref(), self)?;
        self.texts.push(text);
        Ok(())
    }

    /// Every text, in the order in which they were added.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().texts().count(), 4);
    /// ```
    pub fn texts(&self) -> impl Iterator<Item = &RulesText> {
        self.texts.iter()
    }

    /// The text of a document.
    ///
    /// ```
    /// assert!(taisai_rules::Games::embedded().text("999").is_none());
    /// ```
    pub fn text(&self, document: &str) -> Option<&RulesText> {
        self.texts.iter().find(|text| text.document == document)
    }

    /// The texts that a game is played by: its own document's, then those of other documents that it cites.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let texts = games.texts_of(games.find("tai-sai-classic", None).unwrap());
    /// assert_eq!(texts.iter().map(|text| text.document()).collect::<Vec<_>>(), ["001", "003"]);
    /// ```
    pub fn texts_of(&self, game: &Game) -> Vec<&RulesText> {
        let followed: BTreeSet<&str> = game.cited().into_iter().filter_map(Paragraph::document).collect();
        let documents = std::iter::once(game.document()).chain(followed);
        documents.filter_map(|document| self.text(document)).collect()
    }

    /// The text behind a paragraph that a game cites, with its document; nothing where the document has no text here.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let classic = games.find("tai-sai-classic", None).unwrap();
    /// let text = games.text_behind(classic, &"003:5.14".parse().unwrap()).unwrap();
    /// assert_eq!(text.document(), "003");
    /// ```
    pub fn text_behind(&self, game: &Game, paragraph: &Paragraph) -> Option<&RulesText> {
        self.text(paragraph.document().unwrap_or(game.document()))
    }
}
