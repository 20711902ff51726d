//! A layout with its pay table: which boxes there are, what each pays, and which paragraphs say so. The one table of
//! outcomes below it settles bets, gives the odds, and answers what is certain when only some dice are known.

mod chances;
mod outcome;
mod payout;

use crate::bet_box::{BetBox, BoxKind};
use crate::felt::{self, Caption, Felt, PrintRole, PrintedLine};
use crate::limits::LimitScope;
use crate::odds::Odds;
use crate::paragraph::{Citation, Paragraph};
use outcome::OutcomeCode;
use payout::Pays;

pub use chances::Chances;
pub use outcome::{BoxStanding, Outcome};
pub use payout::{BrokenUnit, Payouts};

/// A row of a pay table, as the document prints it.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// assert_eq!(layout.rows()[0].pays, "1 to 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayTableRow {
    /// The column "Type".
    pub name: String,
    /// The column "Bet/Rules".
    pub rules: String,
    /// The column "Pays", as printed.
    pub pays: String,
    /// The same, exactly.
    pub odds: Odds,
    /// For Single Dice: on how many dice the number shows.
    pub dice: Option<u8>,
    /// The boxes the row is for, in printed order.
    pub boxes: Vec<BetBox>,
}

/// A layout and the pay table that applies to it.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("C").unwrap();
/// assert_eq!((layout.pay_table(), layout.boxes().len()), (2, 104));
/// ```
#[derive(Clone, Debug)]
pub struct Layout {
    id: String,
    pay_table: u8,
    title: String,
    rows: Vec<PayTableRow>,
    felt: Felt,
    scope: Option<LimitScope>,
    paragraphs: [Option<Paragraph>; Citation::ALL.len()],
    boxes: Vec<BetBox>,
    pays: [Pays; BetBox::COUNT],
    outcomes: Vec<[OutcomeCode; BetBox::COUNT]>,
}

/// The parts of a layout, already checked against each other.
pub(crate) struct LayoutParts {
    pub(crate) id: String,
    pub(crate) pay_table: u8,
    pub(crate) title: String,
    pub(crate) rows: Vec<PayTableRow>,
    pub(crate) felt: Felt,
    pub(crate) scope: Option<LimitScope>,
    pub(crate) paragraphs: [Option<Paragraph>; Citation::ALL.len()],
    /// The boxes that win when all three dice are the same.
    pub(crate) triple_wins: Vec<BetBox>,
}

impl Layout {
    pub(crate) fn new(parts: LayoutParts) -> Self {
        let LayoutParts { id, pay_table, title, rows, felt, scope, paragraphs, triple_wins } = parts;
        let mut pays = [Pays::NONE; BetBox::COUNT];
        for row in &rows {
            for bet_box in &row.boxes {
                pays[bet_box.index()].add(row.dice, row.odds);
            }
        }
        let boxes: Vec<_> = BetBox::all().filter(|bet_box| pays[bet_box.index()].is_on_layout()).collect();
        let outcomes = outcome::table(&boxes, &pays, &triple_wins);
        Self { id, pay_table, title, rows, felt, scope, paragraphs, boxes, pays, outcomes }
    }

    /// The layout's letter.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("C").unwrap().id(), "C");
    /// ```
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of its pay table.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("E").unwrap().pay_table(), 3);
    /// ```
    pub const fn pay_table(&self) -> u8 {
        self.pay_table
    }

    /// The pay table's name as printed.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("A").unwrap().title(), "Tai Sai Pay Table 1");
    /// ```
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The pay table's rows, as printed.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("A").unwrap().rows().len(), 16);
    /// ```
    pub fn rows(&self) -> &[PayTableRow] {
        &self.rows
    }

    /// Where the boxes lie.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt().areas().len(), 50);
    /// ```
    pub const fn felt(&self) -> &Felt {
        &self.felt
    }

    /// Whom limits bind; nobody where the game has none.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai-classic@1", None).unwrap().layout("A").unwrap().limit_scope(), None);
    /// ```
    pub const fn limit_scope(&self) -> Option<LimitScope> {
        self.scope
    }

    /// The paragraph behind a citation, where the game has it.
    ///
    /// ```
    /// use taisai_rules::{Citation, Games};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai-classic@1", None).unwrap().layout("A").unwrap();
    /// assert_eq!(layout.paragraph(Citation::Triple).unwrap().text(), "003:3.10");
    /// ```
    pub fn paragraph(&self, citation: Citation) -> Option<&Paragraph> {
        match citation {
            Citation::PayTable => self.paragraphs[0].as_ref(),
            Citation::Triple => self.paragraphs[1].as_ref(),
            Citation::ProRata => self.paragraphs[2].as_ref(),
            Citation::MinimumInExcess => self.paragraphs[3].as_ref(),
            Citation::BelowMinimum => self.paragraphs[4].as_ref(),
        }
    }

    /// The distinct boxes, in the order of the notation.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// assert_eq!(games.find("tai-sai@6", None).unwrap().layout("E").unwrap().boxes().len(), 107);
    /// ```
    pub fn boxes(&self) -> &[BetBox] {
        &self.boxes
    }

    /// Whether the box is on this layout.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Games};
    /// let games = Games::embedded();
    /// assert!(!games.find("tai-sai@6", None).unwrap().layout("A").unwrap().has(BetBox::ODD));
    /// ```
    pub const fn has(&self, bet_box: BetBox) -> bool {
        self.pays[bet_box.index()].is_on_layout()
    }

    /// What is printed on a box, line by line; nothing where the drawing has only dice, or the box is not on the layout.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Games};
    /// let layout = Games::embedded().find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
    /// let printed: Vec<_> = layout.printed(BetBox::BIG).into_iter().map(|line| line.text).collect();
    /// assert_eq!(printed, ["BIG", "11 - 17", "1 WINS 1", "EXCEPT FOR ANY TRIPLE"]);
    /// ```
    pub fn printed(&self, bet_box: BetBox) -> Vec<PrintedLine> {
        let pays: Vec<_> = self.pays(bet_box).collect();
        let lines = if self.has(bet_box) { self.felt.words(bet_box.kind()) } else { &[] };
        let line = |(place, text): (usize, &String)| {
            let mut characters = text.chars();
            let role = match (characters.next(), characters.next()) {
                _ if text.contains("{odds") => PrintRole::Odds,
                (Some(only), None) if !only.is_ascii() => PrintRole::Character,
                _ if place == 0 => PrintRole::Name,
                _ => PrintRole::Note,
            };
            PrintedLine { role, text: felt::fill(text, bet_box, &pays) }
        };
        lines.iter().enumerate().map(line).collect()
    }

    /// What a caption of the felt says, from left to right.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// assert_eq!(layout.caption(&layout.felt().captions()[0]), ["EACH DOUBLE 1 WINS 11"]);
    /// ```
    pub fn caption(&self, caption: &Caption) -> Vec<String> {
        let pays = self.boxes_of(caption.of).next().map(|bet_box| self.pays(bet_box).collect::<Vec<_>>());
        let pays = pays.unwrap_or_default();
        caption.words.iter().map(|line| felt::fill_odds(line, &pays)).collect()
    }

    /// The boxes of a kind that are on this layout.
    ///
    /// ```
    /// use taisai_rules::{Games, BoxKind};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("E").unwrap();
    /// assert_eq!((layout.boxes_of(BoxKind::Four).count(), layout.boxes_of(BoxKind::Double).count()), (15, 0));
    /// ```
    pub fn boxes_of(&self, kind: BoxKind) -> impl Iterator<Item = BetBox> {
        self.boxes.iter().copied().filter(move |bet_box| bet_box.kind() == kind)
    }

    /// What the box pays: one entry, three for a Single Dice box, none for a box not on the layout.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let pays: Vec<_> = layout.pays("single:1".parse().unwrap()).map(|odds| odds.to_string()).collect();
    /// assert_eq!(pays, ["1", "2", "12"]);
    /// ```
    pub fn pays(&self, bet_box: BetBox) -> impl Iterator<Item = Odds> {
        self.pays[bet_box.index()].odds.into_iter().flatten()
    }
}
