//! What a stake pays: which stakes and units can be paid in whole cents, and the look-up for a whole table's wagers.

use crate::bet_box::BetBox;
use crate::dice::Dice;
use crate::layout::Layout;
use crate::layout::outcome::OutcomeCode;
use crate::money::{Money, Unit};
use crate::odds::{Odds, PayoutError};

/// What one box pays: nothing where it is not on the layout, one entry, or three by the number of dice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pays {
    pub(super) odds: [Option<Odds>; 3],
    /// Every stake that is a multiple of this pays whole cents at all of the box's odds.
    pub(super) divisor: i64,
    /// The largest stake whose payout fits in 64 bits.
    most: i64,
}

impl Pays {
    /// Of a box that is not on the layout.
    pub(super) const NONE: Self = Self { odds: [None; 3], divisor: 1, most: i64::MAX };

    /// Enters a row's odds, by the number of dice where the row has one.
    pub(super) fn add(&mut self, dice: Option<u8>, odds: Odds) {
        self.odds[usize::from(dice.unwrap_or(1)) - 1] = Some(odds);
        let (numerator, denominator) = (i64::from(odds.numerator()), i64::from(odds.denominator()));
        // The least common multiple; denominators are at most 100.
        let mut multiples = (1..=denominator).map(|times| self.divisor * times);
        self.divisor = multiples.find(|m| m % denominator == 0).expect("their product at the latest");
        // Stake and profit: stake × (numerator + denominator) / denominator.
        self.most = self.most.min(i64::MAX / (numerator + denominator) * denominator);
    }

    pub(super) const fn is_on_layout(&self) -> bool {
        self.odds[0].is_some()
    }
}

impl Layout {
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
        // Most boxes pay whole odds: a division takes longer than all the rest.
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
        let column = &self.outcomes[dice.index()];
        for bet_box in &self.boxes {
            let odds = &self.pays[bet_box.index()].odds;
            let won = match column[bet_box.index()] {
                OutcomeCode::Absent | OutcomeCode::Lost | OutcomeCode::LostToTriple => None,
                OutcomeCode::Won1 => odds[0],
                OutcomeCode::Won2 => odds[1],
                OutcomeCode::Won3 => odds[2],
            };
            if let Some(odds) = won {
                let broken = |error| BrokenUnit { unit, bet_box: *bet_box, error };
                let profit = odds.profit(unit.money()).map_err(broken)?;
                let paid = unit.money().checked_add(profit).ok_or(PayoutError::TooLarge).map_err(broken)?;
                per_unit[bet_box.index()] = paid.cents();
            }
        }
        Ok(Payouts { per_unit })
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
    /// Stake and profit of `units` on a box; zero when it loses, or is not on the layout; nothing if it does not fit
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
