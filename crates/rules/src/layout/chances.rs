//! What a stake on a box can expect, by the same outcomes that settle it: exact fractions, never a float.

use crate::bet_box::BetBox;
use crate::dice::Dice;
use crate::layout::Layout;
use crate::layout::outcome::OutcomeCode;
use crate::odds::Fraction;

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

impl Layout {
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
                OutcomeCode::Absent => return None,
                OutcomeCode::Lost | OutcomeCode::LostToTriple => {}
                OutcomeCode::Won1 => ways[0] += 1,
                OutcomeCode::Won2 => ways[1] += 1,
                OutcomeCode::Won3 => ways[2] += 1,
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
