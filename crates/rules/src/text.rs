//! Titles and labels of a game in its three languages.

/// The languages of labels.
///
/// ```
/// assert_eq!(taisai_rules::Language::ALL.len(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Chinese, simplified characters.
    Simplified,
    /// Chinese, traditional characters.
    Traditional,
}

impl Language {
    /// Every language.
    ///
    /// ```
    /// assert!(taisai_rules::Language::ALL.contains(&taisai_rules::Language::English));
    /// ```
    pub const ALL: [Self; 3] = [Self::English, Self::Simplified, Self::Traditional];
}

/// A text in every language, with places to fill in.
///
/// ```
/// use taisai_rules::{Games, Language};
/// let game = Games::embedded().find("tai-sai@6", None).unwrap();
/// assert_eq!(game.title().get(Language::Traditional), "骰寶");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub(crate) english: String,
    pub(crate) simplified: String,
    pub(crate) traditional: String,
}

impl Text {
    /// The text in one language, its places not filled in.
    ///
    /// ```
    /// use taisai_rules::{Games, Language};
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(game.title().get(Language::English), "Tai Sai");
    /// ```
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::English => &self.english,
            Language::Simplified => &self.simplified,
            Language::Traditional => &self.traditional,
        }
    }

    /// The text in one language with its places filled in: `{name}` becomes the value given for that name.
    pub(crate) fn fill(&self, language: Language, values: &[(&str, &str)]) -> String {
        values
            .iter()
            .fold(self.get(language).to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }
}
