//! How a box stands on a throw, and what is certain of it when only some of the dice are known. The one table of
//! outcomes is built here; what an outcome is worth is not decided here.

use crate::bet_box::BetBox;
use crate::dice::{Dice, Face};
use crate::layout::Layout;
use crate::layout::payout::Pays;
use crate::odds::Odds;

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
/// use taisai_rules::{BetBox, Face, Games, BoxStanding};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let sixes = [Face::ALL[5], Face::ALL[5]];
/// assert_eq!(layout.standing(BetBox::SMALL, &sixes), Some(BoxStanding::Lost));
/// assert_eq!(layout.standing(BetBox::BIG, &sixes), Some(BoxStanding::Open), "a third six makes it lose");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxStanding {
    /// It wins whatever the other dice show.
    Won,
    /// It loses whatever the other dice show.
    Lost,
    /// It may still win or lose.
    Open,
}

/// An outcome in one byte: which of the box's odds it pays, or why it pays none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutcomeCode {
    Absent,
    Lost,
    LostToTriple,
    Won1,
    Won2,
    Won3,
}

/// Every throw's column of outcomes, each box in its place. `triple_wins` are the boxes that win when all three dice are
/// the same.
pub(super) fn table(
    boxes: &[BetBox],
    pays: &[Pays; BetBox::COUNT],
    triple_wins: &[BetBox],
) -> Vec<[OutcomeCode; BetBox::COUNT]> {
    let code = |bet_box: BetBox, dice: Dice| {
        if !bet_box.shows(dice) {
            OutcomeCode::Lost
        } else if dice.is_triple() && !triple_wins.contains(&bet_box) {
            OutcomeCode::LostToTriple
        } else {
            let counts = pays[bet_box.index()].odds[1].is_some();
            match bet_box.numbers() {
                [number] if counts && dice.count(*number) == 2 => OutcomeCode::Won2,
                [number] if counts && dice.count(*number) == 3 => OutcomeCode::Won3,
                _ => OutcomeCode::Won1,
            }
        }
    };
    let column = |dice| {
        let mut column = [OutcomeCode::Absent; BetBox::COUNT];
        for bet_box in boxes {
            column[bet_box.index()] = code(*bet_box, dice);
        }
        column
    };
    Dice::all().map(column).collect()
}

impl Layout {
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
            OutcomeCode::Absent => None,
            OutcomeCode::Lost => Some(Outcome::Lost),
            OutcomeCode::LostToTriple => Some(Outcome::LostToTriple),
            OutcomeCode::Won1 => odds[0].map(Outcome::Won),
            OutcomeCode::Won2 => odds[1].map(Outcome::Won),
            OutcomeCode::Won3 => odds[2].map(Outcome::Won),
        }
    }

    /// What is certain of a box when the given dice are known, whatever the others show (5.4). With more than three
    /// dice, or for a box not on the layout, nothing.
    ///
    /// ```
    /// use taisai_rules::{Face, Games, BoxStanding};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let single = "single:4".parse().unwrap();
    /// assert_eq!(layout.standing(single, &[Face::ALL[3]]), Some(BoxStanding::Won));
    /// assert_eq!(layout.standing(single, &[]), Some(BoxStanding::Open));
    /// ```
    pub fn standing(&self, bet_box: BetBox, known: &[Face]) -> Option<BoxStanding> {
        if !self.has(bet_box) {
            return None;
        }
        let mut won = Dice::with(known).map(|dice| matches!(self.outcome(bet_box, dice), Some(Outcome::Won(_))));
        let first = won.next()?;
        Some(match (first, won.all(|other| other == first)) {
            (true, true) => BoxStanding::Won,
            (false, true) => BoxStanding::Lost,
            (_, false) => BoxStanding::Open,
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
        self.boxes.iter().any(|b| matches!(self.standing(*b, known), Some(BoxStanding::Won | BoxStanding::Lost)))
    }
}
