//! A game: an approved document as data, and the collection of games a program knows. Every game here has been checked
//! when it was loaded; nothing of a game can be changed afterwards.

use std::sync::LazyLock;

use crate::bet_box::{BetBox, BoxKind};
use crate::layout::Layout;
use crate::limits::LimitScope;
use crate::moment::Moment;
use crate::paragraph::Paragraph;
use crate::rule::Rule;
use crate::rules_text::RulesText;
use crate::text::{Language, Text};
use taisai_datafile::{FileFault, cite};

/// When the dice may be tumbled.
///
/// ```
/// use taisai_rules::{Cover, Games};
/// assert_eq!(Games::embedded().find("tai-sai@6", None).unwrap().cover(), Cover::Covered);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cover {
    /// The dice are covered and may be tumbled before or after "No more Bets".
    Covered,
    /// The dice lie open and are tumbled only after "No more Bets".
    Open,
}

/// Where bets are placed.
///
/// ```
/// use taisai_rules::{Games, Station};
/// assert_eq!(Games::embedded().find("sic-bo-etg@2", None).unwrap().station(), Station::PlayerTerminals);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Station {
    /// At a table with chips.
    LiveTable,
    /// At Player Terminals with credits.
    PlayerTerminals,
}

/// What wins when all three dice are the same.
///
/// ```
/// use taisai_rules::Games;
/// let rule = Games::embedded().find("tai-sai@6", None).unwrap().triple_rule();
/// assert_eq!((rule.paragraph.text(), rule.wins.len()), ("3.10", 5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripleRule {
    /// The paragraph of the rule.
    pub paragraph: Paragraph,
    /// Its paragraphs and the boxes they let win.
    pub wins: Vec<(Paragraph, Vec<BetBox>)>,
}

/// Limits as the document has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LimitRule {
    pub(crate) scope: LimitScope,
    pub(crate) paragraph: Paragraph,
}

/// A game, checked as a whole.
///
/// ```
/// use taisai_rules::Games;
/// let game = Games::embedded().find("tai-sai@6", None).unwrap();
/// assert_eq!((game.id(), game.version(), game.document()), ("tai-sai", 6, "003"));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) id: String,
    pub(crate) version: u32,
    pub(crate) title: Text,
    pub(crate) document: String,
    pub(crate) approved: String,
    pub(crate) effective: Option<Moment>,
    pub(crate) until: Option<Moment>,
    pub(crate) cover: Cover,
    pub(crate) station: Station,
    pub(crate) limits: Option<LimitRule>,
    pub(crate) triple: TripleRule,
    pub(crate) paragraphs: Vec<(Rule, Vec<Paragraph>)>,
    pub(crate) labels: Vec<(BoxKind, Text)>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) file: String,
    pub(crate) hash: String,
}

impl Game {
    /// The largest file that is read as a game.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Game::MAX_BYTES, 1 << 20);
    /// ```
    pub const MAX_BYTES: usize = 1 << 20;

    /// Reads a game's file, or names its faults: all of them, or the first thousand and how many there are beside.
    ///
    /// ```
    /// let faults = taisai_rules::Game::from_toml("id = 'tai-sai'\nversion = 'six'").unwrap_err();
    /// assert_eq!((faults[0].line, faults[0].column, faults[0].kind.code()), (1, 1, "missing-key"));
    /// ```
    pub fn from_toml(file: impl AsRef<[u8]>) -> Result<Self, Vec<FileFault>> {
        crate::game_file::read(file.as_ref())
    }

    /// The file that it was read from, for those who keep or hash it.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(taisai_rules::Game::from_toml(game.file()).unwrap().id(), game.id());
    /// ```
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The hash of everything that the file says. Comments, spaces and the order of keys do not change it.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// let commented = format!("# a comment\n{}", game.file());
    /// assert_eq!(taisai_rules::Game::from_toml(commented).unwrap().hash(), game.hash());
    /// ```
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The hash of the approved game of this name and version; nothing if none was approved.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(game.approved_hash(), Some(game.hash()));
    /// ```
    pub fn approved_hash(&self) -> Option<&'static str> {
        crate::approved::hash_of(&self.id, self.version)
    }

    /// Whether it is an approved game, unchanged.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// let changed = game.file().replace("62 to 1", "60 to 1");
    /// assert!(game.is_approved() && !taisai_rules::Game::from_toml(changed).unwrap().is_approved());
    /// ```
    pub fn is_approved(&self) -> bool {
        self.approved_hash() == Some(self.hash())
    }

    /// The game's name among games.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().iter().next().unwrap().id(), "tai-sai-classic");
    /// ```
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The version of its document.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("tai-sai-open-cover@5", None).unwrap().version(), 5);
    /// ```
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// What it is called.
    ///
    /// ```
    /// use taisai_rules::{Games, Language};
    /// let game = Games::embedded().find("sic-bo-etg@2", None).unwrap();
    /// assert_eq!(game.title().get(Language::English), "Sic Bo (Open Cover)");
    /// ```
    pub const fn title(&self) -> &Text {
        &self.title
    }

    /// The document that its paragraphs belong to.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("sic-bo-etg@2", None).unwrap().document(), "002");
    /// ```
    pub fn document(&self) -> &str {
        &self.document
    }

    /// The name under which it was approved.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().approved(), "Tai Sai (Version 6)");
    /// ```
    pub fn approved(&self) -> &str {
        &self.approved
    }

    /// From when it is in force; an undated document always is.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(game.effective().unwrap().to_string(), "2023-10-06 08:00 +08:00");
    /// ```
    pub const fn effective(&self) -> Option<Moment> {
        self.effective
    }

    /// Until when it is in force, if it has been superseded.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().until(), None);
    /// ```
    pub const fn until(&self) -> Option<Moment> {
        self.until
    }

    /// Whether it is in force at a moment.
    ///
    /// ```
    /// use taisai_rules::{Games, Moment};
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert!(!game.is_in_force(Moment::from_unix_seconds(0)));
    /// ```
    pub fn is_in_force(&self, at: Moment) -> bool {
        self.effective.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }

    /// When its dice may be tumbled.
    ///
    /// ```
    /// use taisai_rules::{Cover, Games};
    /// assert_eq!(Games::embedded().find("sic-bo-etg@2", None).unwrap().cover(), Cover::Open);
    /// ```
    pub const fn cover(&self) -> Cover {
        self.cover
    }

    /// Where its bets are placed.
    ///
    /// ```
    /// use taisai_rules::{Games, Station};
    /// assert_eq!(Games::embedded().find("tai-sai@6", None).unwrap().station(), Station::LiveTable);
    /// ```
    pub const fn station(&self) -> Station {
        self.station
    }

    /// Whom its limits bind; nothing where it has none.
    ///
    /// ```
    /// use taisai_rules::{Games, LimitScope};
    /// assert_eq!(Games::embedded().find("tai-sai@6", None).unwrap().limit_scope(), Some(LimitScope::Box));
    /// ```
    pub fn limit_scope(&self) -> Option<LimitScope> {
        self.limits.as_ref().map(|limits| limits.scope)
    }

    /// The paragraph that has limits displayed; nothing where the game has none.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().limit_paragraph().unwrap().text(), "3.3");
    /// ```
    pub fn limit_paragraph(&self) -> Option<&Paragraph> {
        self.limits.as_ref().map(|limits| &limits.paragraph)
    }

    /// What wins when all three dice are the same.
    ///
    /// ```
    /// let rule = taisai_rules::Games::embedded().find("sic-bo-etg@2", None).unwrap().triple_rule();
    /// assert_eq!(rule.paragraph.text(), "3.9");
    /// ```
    pub const fn triple_rule(&self) -> &TripleRule {
        &self.triple
    }

    /// The paragraphs behind a rule of the round; none where the game has no such rule.
    ///
    /// ```
    /// use taisai_rules::{Games, Rule};
    /// let game = Games::embedded().find("tai-sai-classic@1", None).unwrap();
    /// assert_eq!(game.paragraphs(Rule::WalkAway)[0].text(), "003:5.3");
    /// ```
    pub fn paragraphs(&self, rule: Rule) -> &[Paragraph] {
        self.paragraphs.iter().find(|(known, _)| *known == rule).map_or(&[], |(_, paragraphs)| paragraphs)
    }

    /// The layouts, in the order of the document.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().layouts().len(), 3);
    /// ```
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The layout of that letter.
    ///
    /// ```
    /// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert!(game.layout("B").is_err(), "appendix B shows where bets lie; it is no layout");
    /// ```
    pub fn layout(&self, id: &str) -> Result<&Layout, UnknownLayout> {
        self.layouts.iter().find(|layout| layout.id() == id).ok_or_else(|| UnknownLayout {
            game: self.id.clone(),
            known: self.layouts.iter().map(|layout| layout.id().to_owned()).collect(),
        })
    }

    /// What a box is called.
    ///
    /// ```
    /// use taisai_rules::{Games, Language};
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(game.label("double:6".parse().unwrap(), Language::English), "Double Six");
    /// assert_eq!(game.label("big".parse().unwrap(), Language::Simplified), "大");
    /// ```
    pub fn label(&self, bet_box: BetBox, language: Language) -> String {
        let Some((_, text)) = self.labels.iter().find(|(kind, _)| *kind == bet_box.kind()) else {
            return bet_box.to_string();
        };
        let (words, and) = match language {
            Language::English => (["One", "Two", "Three", "Four", "Five", "Six"], " and "),
            Language::Simplified => (["一", "二", "三", "四", "五", "六"], "与"),
            Language::Traditional => (["一", "二", "三", "四", "五", "六"], "與"),
        };
        let numbers: Vec<_> = bet_box.numbers().iter().map(u8::to_string).collect();
        let word = bet_box.numbers().first().and_then(|number| words.get(usize::from(*number) - 1)).unwrap_or(&"");
        text.fill(language, &[("word", word), ("numbers", &numbers.join(" ")), ("and", &numbers.join(and))])
    }
}

/// The games a program knows.
///
/// ```
/// use taisai_rules::Games;
/// let names: Vec<_> = Games::embedded().iter().map(|game| game.id()).collect();
/// assert_eq!(names, ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Games {
    games: Vec<Game>,
    pub(crate) texts: Vec<RulesText>,
}

static EMBEDDED: LazyLock<Games> = LazyLock::new(|| {
    let files = [
        include_str!("../games/tai-sai-classic.toml"),
        include_str!("../games/tai-sai.toml"),
        include_str!("../games/tai-sai-open-cover.toml"),
        include_str!("../games/sic-bo-etg.toml"),
    ];
    let mut games = Games::default();
    for file in files {
        let game = Game::from_toml(file).expect("the embedded games are checked by the tests");
        games.add(game).expect("the embedded games have different names");
    }
    let texts = [
        include_str!("../texts/tai-sai-classic.toml"),
        include_str!("../texts/tai-sai.toml"),
        include_str!("../texts/tai-sai-open-cover.toml"),
        include_str!("../texts/sic-bo-etg.toml"),
    ];
    for text in texts {
        games.add_text(text).expect("the embedded texts are checked by the tests");
    }
    games
});

impl Games {
    /// The approved games that are part of this crate.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().iter().map(|game| game.layouts().len()).sum::<usize>(), 10);
    /// ```
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Adds a game. A version of a game is there once.
    ///
    /// ```
    /// use taisai_rules::Games;
    /// let mut games = Games::default();
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert!(games.add(game.clone()).is_ok());
    /// assert!(games.add(game.clone()).is_err());
    /// ```
    pub fn add(&mut self, game: Game) -> Result<(), GameTwice> {
        if self.games.iter().any(|known| known.id == game.id && known.version == game.version) {
            return Err(GameTwice { id: game.id, version: game.version });
        }
        self.games.push(game);
        Ok(())
    }

    /// Every game, in the order in which they were added.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Games::embedded().iter().count(), 4);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Game> {
        self.games.iter()
    }

    /// The game of that name. `tai-sai@6` names a version; a bare name is the newest in force at the given moment, or
    /// simply the newest if none is given.
    ///
    /// ```
    /// use taisai_rules::{Games, Moment};
    /// let games = Games::embedded();
    /// assert!(games.find("tai-sai@6", None).is_ok());
    /// assert_eq!(games.find("tai-sai", Some(Moment::from_unix_seconds(0))).unwrap_err().code(), "game-not-in-force");
    /// assert_eq!(games.find("craps", None).unwrap_err().code(), "unknown-game");
    /// ```
    pub fn find(&self, name: &str, at: Option<Moment>) -> Result<&Game, UnknownGame> {
        let (id, version) = match name.split_once('@') {
            Some((id, version)) => (id, Some(version)),
            None => (name, None),
        };
        let named = || self.games.iter().filter(|game| game.id == id);
        let newest = |of: &dyn Fn(&Game) -> bool| {
            named().filter(|game| of(game)).max_by_key(|game| (game.effective, game.version))
        };
        let found = match version {
            Some(version) => named().find(|game| game.version.to_string() == version),
            None => newest(&|game| at.is_none_or(|at| game.is_in_force(at))),
        };
        found.ok_or_else(|| match (version, newest(&|_| true)) {
            (None, Some(game)) => UnknownGame::NotInForce { id: game.id.clone(), version: game.version },
            _ => UnknownGame::Unknown {
                name: name.to_owned(),
                known: self.games.iter().map(|game| format!("{}@{}", game.id, game.version)).collect(),
            },
        })
    }
}

/// A version of a game that is already there.
///
/// ```
/// use taisai_rules::GameTwice;
/// let error = GameTwice { id: "tai-sai".to_owned(), version: 6 };
/// assert_eq!(error.to_string(), "the game tai-sai@6 is there twice");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game {id}@{version} is there twice")]
pub struct GameTwice {
    /// The game.
    pub id: String,
    /// Its version.
    pub version: u32,
}

/// Why no game was found.
///
/// ```
/// assert_eq!(taisai_rules::Games::default().find("tai-sai", None).unwrap_err().code(), "unknown-game");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownGame {
    /// No game has that name or version.
    #[error("there is no game {}; there are {}", cite(name), known.join(", "))]
    Unknown {
        /// The requested name.
        name: String,
        /// The games there are.
        known: Vec<String>,
    },
    /// No version of the game is in force.
    #[error("no version of {id} is in force now; name the version you mean, like {id}@{version}")]
    NotInForce {
        /// The game.
        id: String,
        /// The newest version of it that there is.
        version: u32,
    },
}

impl UnknownGame {
    /// The error's stable code.
    ///
    /// ```
    /// let error = taisai_rules::UnknownGame::NotInForce { id: "tai-sai".to_owned(), version: 6 };
    /// assert_eq!(error.code(), "game-not-in-force");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-game",
            Self::NotInForce { .. } => "game-not-in-force",
        }
    }
}

/// A letter that is no layout of the game.
///
/// ```
/// let game = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap();
/// assert_eq!(game.layout("F").unwrap_err().to_string(), "tai-sai has no layout of that name; it has A, C, E");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{game} has no layout of that name; it has {}", known.join(", "))]
pub struct UnknownLayout {
    /// The game.
    pub game: String,
    /// The layouts it has.
    pub known: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_the_newest_in_force() {
        let six = Games::embedded().find("tai-sai@6", None).unwrap().clone();
        let handover = Moment::from_civil(2027, 1, 1, 0, 480);
        let seven = Game { version: 7, effective: Some(handover), ..six.clone() };
        let six = Game { until: Some(handover), ..six };
        let mut games = Games::default();
        games.add(seven).unwrap();
        games.add(six).unwrap();
        let version = |at| games.find("tai-sai", at).map(Game::version);
        assert_eq!(version(None), Ok(7));
        assert_eq!(version(Some(Moment::from_unix_seconds(handover.unix_seconds() - 1))), Ok(6));
        assert_eq!(version(Some(handover)), Ok(7));
        let error = version(Some(Moment::from_unix_seconds(0))).unwrap_err();
        assert_eq!(error, UnknownGame::NotInForce { id: "tai-sai".to_owned(), version: 7 });
        assert!(error.to_string().ends_with("like tai-sai@7"), "{error}");
        assert_eq!(games.find("tai-sai@6", Some(handover)).map(Game::version), Ok(6));
        assert_eq!(games.find("tai-sai@06", None).unwrap_err().code(), "unknown-game");
    }

    #[test]
    fn the_newest_is_so_by_its_date_and_then_by_its_version() {
        let six = Games::embedded().find("tai-sai@6", None).unwrap();
        let of =
            |version, day| Game { version, effective: Some(Moment::from_civil(2024, 1, day, 0, 480)), ..six.clone() };
        let mut games = Games::default();
        for game in [of(8, 2), of(9, 1), of(7, 2), of(5, 3)] {
            games.add(game).unwrap();
        }
        let version = |at| games.find("tai-sai", Some(Moment::from_civil(2024, 1, at, 1, 480))).map(Game::version);
        assert_eq!([version(1), version(2), version(3)], [Ok(9), Ok(8), Ok(5)]);
        assert_eq!(games.find("tai-sai", None).map(Game::version), Ok(5));
    }

    #[test]
    fn a_long_name_is_cited_by_its_beginning() {
        let error = Games::embedded().find(&"x".repeat(1_000_000), None).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }
}
