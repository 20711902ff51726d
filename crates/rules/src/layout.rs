//! A layout with its pay table: which boxes there are, what each pays, and how it stands on any throw. The one table
//! of outcomes built here settles bets, gives the odds, and answers what is certain when only some dice are known.

use std::fmt;

use crate::bet_box::BetBox;
use crate::dice::{Dice, Face};
use crate::felt::Felt;
use crate::money::{Money, Unit};
use crate::odds::{Fraction, Odds, PayoutError};

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
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
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

/// Whom the limits of a game bind.
///
/// ```
/// use taisai_rules::{Games, LimitScope};
/// let games = Games::embedded();
/// assert_eq!(games.find("sic-bo-etg@2", None).unwrap().limit_scope(), Some(LimitScope::Terminal));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitScope {
    /// Maximum and Differential bind a box's total over all players (3.3 of Tai Sai).
    Box,
    /// Minimum and maximum bind each player's own total on a box (3.3 of the Electronic Table Game).
    Terminal,
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

/// A row of a pay table, as the document prints it.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// assert_eq!(layout.rows()[0].pays, "1 to 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
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

/// How a box stands on a throw.
///
/// ```
/// use taisai_rules::{BetBox, Dice, Games, Outcome};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let outcome = layout.outcome(BetBox::SMALL, Dice::try_from([2, 2, 2]).unwrap());
/// assert_eq!(outcome, Some(Outcome::LostToTriple));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The box wins at these odds.
    Won(Odds),
    /// The box loses.
    Lost,
    /// The box loses only because all three dice are the same (3.10).
    LostToTriple,
}

/// What is certain of a box when only some of the dice are known (5.4).
///
/// ```
/// use taisai_rules::{BetBox, Face, Games, Standing};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let sixes = [Face::ALL[5], Face::ALL[5]];
/// assert_eq!(layout.standing(BetBox::SMALL, &sixes), Some(Standing::Lost));
/// assert_eq!(layout.standing(BetBox::BIG, &sixes), Some(Standing::Open), "a third six makes it lose");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It wins whatever the other dice show.
    Won,
    /// It loses whatever the other dice show.
    Lost,
    /// It may still win or lose.
    Open,
}

/// What a stake of 1 on a box can expect, exactly.
///
/// ```
/// use taisai_rules::Games;
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let chances = layout.chances("sum:4".parse().unwrap()).unwrap();
/// assert_eq!((chances.ways, chances.edge.to_string()), (3, "1/8".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    /// How many of the 216 throws win.
    pub ways: u8,
    /// What the House keeps of a stake of 1 on average.
    pub edge: Fraction,
    /// The variance of the net result of a stake of 1.
    pub variance: Fraction,
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
    rows: Vec<Row>,
    felt: Felt,
    scope: Option<LimitScope>,
    paragraphs: [Option<Paragraph>; Citation::ALL.len()],
    boxes: Vec<BetBox>,
    pays: [Pays; BetBox::COUNT],
    outcomes: Vec<[Code; BetBox::COUNT]>,
}

/// The parts of a layout, already checked against each other.
pub(crate) struct Parts {
    pub(crate) id: String,
    pub(crate) pay_table: u8,
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) felt: Felt,
    pub(crate) scope: Option<LimitScope>,
    pub(crate) paragraphs: [Option<Paragraph>; Citation::ALL.len()],
    /// The boxes that win when all three dice are the same.
    pub(crate) triple_wins: Vec<BetBox>,
}

/// What one box pays: nothing where it is not on the layout, one entry, or three by the number of dice.
#[derive(Clone, Copy, Debug, Default)]
struct Pays {
    odds: [Option<Odds>; 3],
    /// Every stake that is a multiple of this pays whole cents at all of the box's odds.
    divisor: i64,
    /// The largest stake whose payout fits in 64 bits.
    most: i64,
}

/// An outcome in one byte: which of the box's odds it pays, or why it pays none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Absent,
    Lost,
    LostToTriple,
    Won1,
    Won2,
    Won3,
}

impl Layout {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { id, pay_table, title, rows, felt, scope, paragraphs, triple_wins } = parts;
        let mut pays = [Pays { divisor: 1, most: i64::MAX, ..Pays::default() }; BetBox::COUNT];
        for row in &rows {
            for bet_box in &row.boxes {
                let pays = &mut pays[bet_box.index()];
                pays.odds[usize::from(row.dice.unwrap_or(1)) - 1] = Some(row.odds);
                let (numerator, denominator) = (i64::from(row.odds.numerator()), i64::from(row.odds.denominator()));
                // The least common multiple; denominators are at most 100.
                let multiples = (1..=denominator).map(|times| pays.divisor * times);
                pays.divisor =
                    multiples.into_iter().find(|m| m % denominator == 0).expect("their product at the latest");
                // Stake and profit: stake × (numerator + denominator) / denominator.
                pays.most = pays.most.min(i64::MAX / (numerator + denominator) * denominator);
            }
        }
        let boxes: Vec<_> = BetBox::all().filter(|b| pays[b.index()].odds[0].is_some()).collect();
        let outcomes = Dice::all()
            .map(|dice| {
                let mut column = [Code::Absent; BetBox::COUNT];
                for bet_box in &boxes {
                    let counts = pays[bet_box.index()].odds[1].is_some();
                    column[bet_box.index()] = if !bet_box.shows(dice) {
                        Code::Lost
                    } else if dice.is_triple() && !triple_wins.contains(bet_box) {
                        Code::LostToTriple
                    } else {
                        match bet_box.numbers() {
                            [number] if counts && dice.count(*number) == 2 => Code::Won2,
                            [number] if counts && dice.count(*number) == 3 => Code::Won3,
                            _ => Code::Won1,
                        }
                    };
                }
                column
            })
            .collect();
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
    pub fn rows(&self) -> &[Row] {
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
        self.pays[bet_box.index()].odds[0].is_some()
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

    /// How the box stands on a throw; nothing for a box not on the layout.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Dice, Games, Outcome};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let dice = Dice::try_from([6, 6, 5]).unwrap();
    /// assert!(matches!(layout.outcome(BetBox::BIG, dice), Some(Outcome::Won(_))));
    /// assert_eq!(layout.outcome(BetBox::ODD, dice), None);
    /// ```
    pub fn outcome(&self, bet_box: BetBox, dice: Dice) -> Option<Outcome> {
        let odds = &self.pays[bet_box.index()].odds;
        match self.outcomes[dice.index()][bet_box.index()] {
            Code::Absent => None,
            Code::Lost => Some(Outcome::Lost),
            Code::LostToTriple => Some(Outcome::LostToTriple),
            Code::Won1 => odds[0].map(Outcome::Won),
            Code::Won2 => odds[1].map(Outcome::Won),
            Code::Won3 => odds[2].map(Outcome::Won),
        }
    }

    /// Whether a stake pays whole, countable cents at all odds of its box, won or lost.
    ///
    /// ```
    /// use taisai_rules::{Games, Money, PayoutError};
    /// let games = Games::embedded();
    /// let layout = games.find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
    /// let eight = "sum:8".parse().unwrap();
    /// assert_eq!(layout.check_stake(eight, Money::from_cents(25)), Err(PayoutError::Broken));
    /// assert_eq!(layout.check_stake(eight, Money::from_cents(50)), Ok(()));
    /// ```
    pub const fn check_stake(&self, bet_box: BetBox, stake: Money) -> Result<(), PayoutError> {
        let pays = &self.pays[bet_box.index()];
        if pays.divisor > 1 && stake.cents() % pays.divisor != 0 {
            Err(PayoutError::Broken)
        } else if stake.cents() > pays.most {
            Err(PayoutError::TooLarge)
        } else {
            Ok(())
        }
    }

    /// Whether a table may use this unit: whether every payout of the pay table is whole cents. Otherwise the first
    /// box, in the order of the notation, that breaks.
    ///
    /// ```
    /// use taisai_rules::{Games, Money, Unit};
    /// let games = Games::embedded();
    /// let layout = games.find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
    /// assert!(layout.check_unit(Unit::CENT).is_err());
    /// assert!(layout.check_unit(Unit::try_from(Money::from_cents(100)).unwrap()).is_ok());
    /// ```
    pub fn check_unit(&self, unit: Unit) -> Result<(), BrokenUnit> {
        self.boxes.iter().try_for_each(|bet_box| {
            self.check_stake(*bet_box, unit.money()).map_err(|error| BrokenUnit { unit, bet_box: *bet_box, error })
        })
    }

    /// What each box pays on a throw for every unit staked: the fast path for a whole table's wagers.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Dice, Games, Money, Unit};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let unit = Unit::try_from(Money::from_cents(100)).unwrap();
    /// let payouts = layout.payouts(Dice::try_from([6, 6, 5]).unwrap(), unit).unwrap();
    /// assert_eq!(payouts.paid(BetBox::BIG, 25), Some(Money::from_cents(5_000)), "stake and profit");
    /// ```
    pub fn payouts(&self, dice: Dice, unit: Unit) -> Result<Payouts, BrokenUnit> {
        self.check_unit(unit)?;
        let mut per_unit = [0; 128];
        for bet_box in &self.boxes {
            if let Some(Outcome::Won(odds)) = self.outcome(*bet_box, dice) {
                let broken = |error| BrokenUnit { unit, bet_box: *bet_box, error };
                let profit = odds.profit(unit.money()).map_err(broken)?;
                let paid = unit.money().checked_add(profit).ok_or(PayoutError::TooLarge).map_err(broken)?;
                per_unit[bet_box.index()] = paid.cents();
            }
        }
        Ok(Payouts { per_unit })
    }

    /// What is certain of a box when the given dice are known, whatever the others show (5.4). With more than three
    /// dice, or for a box not on the layout, nothing.
    ///
    /// ```
    /// use taisai_rules::{Face, Games, Standing};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let single = "single:4".parse().unwrap();
    /// assert_eq!(layout.standing(single, &[Face::ALL[3]]), Some(Standing::Won));
    /// assert_eq!(layout.standing(single, &[]), Some(Standing::Open));
    /// ```
    pub fn standing(&self, bet_box: BetBox, known: &[Face]) -> Option<Standing> {
        if known.len() > 3 || !self.has(bet_box) {
            return None;
        }
        let mut won = Dice::with(known).map(|dice| matches!(self.outcome(bet_box, dice), Some(Outcome::Won(_))));
        let first = won.next()?;
        Some(match (first, won.all(|other| other == first)) {
            (true, true) => Standing::Won,
            (false, true) => Standing::Lost,
            (_, false) => Standing::Open,
        })
    }

    /// Whether an outcome is established (5.4.1): whether any available bet has certainly won or lost.
    ///
    /// ```
    /// use taisai_rules::{Face, Games};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// assert!(!layout.is_established(&[]));
    /// assert!(layout.is_established(&[Face::ALL[0]]));
    /// ```
    pub fn is_established(&self, known: &[Face]) -> bool {
        self.boxes.iter().any(|b| matches!(self.standing(*b, known), Some(Standing::Won | Standing::Lost)))
    }

    /// The exact chances of a box, by the same outcomes that settle it; nothing for a box not on the layout.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Games};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// assert_eq!(layout.chances(BetBox::SMALL).unwrap().edge.to_string(), "1/36");
    /// ```
    pub fn chances(&self, bet_box: BetBox) -> Option<Chances> {
        let pays = &self.pays[bet_box.index()];
        let mut ways = [0u8; 3];
        for column in &self.outcomes {
            match column[bet_box.index()] {
                Code::Absent => return None,
                Code::Lost | Code::LostToTriple => {}
                Code::Won1 => ways[0] += 1,
                Code::Won2 => ways[1] += 1,
                Code::Won3 => ways[2] += 1,
            }
        }
        // Net results of a stake of `divisor`, which are whole.
        let divisor = i128::from(pays.divisor);
        let losses = i128::from(Dice::THROWS - ways.iter().sum::<u8>());
        let (mut sum, mut squares) = (-divisor * losses, divisor * divisor * losses);
        for (ways, odds) in ways.into_iter().zip(pays.odds.into_iter().flatten()) {
            let net = divisor / i128::from(odds.denominator()) * i128::from(odds.numerator());
            sum += net * i128::from(ways);
            squares += net * net * i128::from(ways);
        }
        let throws = i128::from(Dice::THROWS);
        let scale = throws * divisor;
        Some(Chances {
            ways: ways.iter().sum(),
            edge: Fraction::new(-sum, scale),
            variance: Fraction::new(throws * squares - sum * sum, scale * scale),
        })
    }
}

/// What every box pays on one throw, in cents for a unit staked. Stakes are counted in units, so that a payout is one
/// look-up and one multiplication.
///
/// ```
/// use taisai_rules::{BetBox, Dice, Games, Money, Unit};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let payouts = layout.payouts(Dice::try_from([1, 2, 3]).unwrap(), Unit::CENT).unwrap();
/// assert_eq!(payouts.paid(BetBox::BIG, 1_000), Some(Money::ZERO));
/// ```
#[derive(Clone, Debug)]
pub struct Payouts {
    /// A power of two long, so that the compiler need not check the place of a box.
    per_unit: [i64; 128],
}

impl Payouts {
    /// Stake and profit of so many units on a box; zero when it loses, or is not on the layout; nothing if it does not fit
    /// in 64 bits.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Dice, Games, Money, Unit};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let payouts = layout.payouts(Dice::try_from([6, 6, 5]).unwrap(), Unit::CENT).unwrap();
    /// assert_eq!(payouts.paid(BetBox::BIG, 10), Some(Money::from_cents(20)));
    /// assert_eq!(payouts.paid(BetBox::BIG, i64::MAX), None);
    /// ```
    #[inline]
    pub const fn paid(&self, bet_box: BetBox, units: i64) -> Option<Money> {
        match self.per_unit[bet_box.index() & 127].checked_mul(units) {
            Some(cents) => Some(Money::from_cents(cents)),
            None => None,
        }
    }
}

/// A unit that would make some payout a fraction of a cent, or too large to count.
///
/// ```
/// use taisai_rules::{Games, Unit};
/// let games = Games::embedded();
/// let layout = games.find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
/// let broken = layout.check_unit(Unit::CENT).unwrap_err();
/// assert_eq!(broken.bet_box.text(), "sum:8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a unit of {unit} cents breaks the payout of {bet_box}: {error}; choose another unit", unit = unit.cents())]
pub struct BrokenUnit {
    /// The unit.
    pub unit: Unit,
    /// The first box whose payout breaks.
    pub bet_box: BetBox,
    /// How it breaks.
    pub error: PayoutError,
}
