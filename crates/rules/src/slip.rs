//! Settlement of a whole round's slip: bets in, lines out, each with the rules it rests on, and the result of the House.
//! The caller chooses what identifies a player; this module only compares players.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::bet_box::BetBox;
use crate::dice::Dice;
use crate::layout::{Layout, Outcome};
use crate::limits::{LimitScope, Limits};
use crate::money::{Money, Unit};
use crate::odds::{Odds, PayoutError};
use crate::paragraph::Citation;
use crate::pro_rata::pro_rata;

/// A bet as it was placed.
///
/// ```
/// use taisai_rules::{Bet, BetBox, Money};
/// let bet = Bet { player: "ann", bet_box: BetBox::BIG, amount: Money::from_cents(2_500) };
/// assert_eq!(bet.player, "ann");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bet<P> {
    /// Who placed it.
    pub player: P,
    /// Where it lies.
    pub bet_box: BetBox,
    /// How much.
    pub amount: Money,
}

/// All that one player has on one box, settled.
///
/// ```
/// use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let bet = Bet { player: 1, bet_box: BetBox::BIG, amount: Money::from_cents(2_500) };
/// let settled = layout.settle(&Limits::none(), Dice::try_from([6, 6, 5]).unwrap(), [bet, bet]).unwrap();
/// let [line] = &settled.lines[..] else { panic!("bets of one player on one box are one line") };
/// assert_eq!((line.stake.cents(), line.paid().cents(), line.returned().cents()), (5_000, 10_000, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettledLine<P> {
    /// Whose bets.
    pub player: P,
    /// On which box.
    pub bet_box: BetBox,
    /// How much was placed.
    pub stake: Money,
    /// How much of it wins or loses.
    pub counted: Money,
    /// The odds at which it won; none if it lost.
    pub odds: Option<Odds>,
    /// What it won beside its stake.
    pub profit: Money,
    citations: Citations,
    /// The place of its first bet in the slip.
    first_bet: usize,
}

impl<P> SettledLine<P> {
    /// What is given back because it did not count.
    ///
    /// ```
    /// use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let limits = Limits::new(layout, Money::from_cents(100), &[], Some(Money::from_cents(2_000))).unwrap();
    /// let bet = Bet { player: 1, bet_box: BetBox::BIG, amount: Money::from_cents(2_500) };
    /// let settled = layout.settle(&limits, Dice::try_from([1, 2, 3]).unwrap(), [bet]).unwrap();
    /// assert_eq!(settled.lines[0].returned(), Money::from_cents(500));
    /// ```
    pub const fn returned(&self) -> Money {
        Money::from_cents(self.stake.cents() - self.counted.cents())
    }

    /// What is paid: counted stake and profit when won, nothing when lost. What is returned is apart from it.
    ///
    /// ```
    /// use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let bet = Bet { player: 1, bet_box: BetBox::BIG, amount: Money::from_cents(2_500) };
    /// let settled = layout.settle(&Limits::none(), Dice::try_from([1, 2, 3]).unwrap(), [bet]).unwrap();
    /// assert_eq!(settled.lines[0].paid(), Money::ZERO);
    /// ```
    pub const fn paid(&self) -> Money {
        match self.odds {
            Some(_) => Money::from_cents(self.counted.cents() + self.profit.cents()),
            None => Money::ZERO,
        }
    }

    /// The rules the line rests on, in the order in which they are cited.
    ///
    /// ```
    /// use taisai_rules::{Bet, BetBox, Citation, Dice, Games, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let bet = Bet { player: 1, bet_box: BetBox::SMALL, amount: Money::from_cents(2_500) };
    /// let settled = layout.settle(&Limits::none(), Dice::try_from([2, 2, 2]).unwrap(), [bet]).unwrap();
    /// assert!(settled.lines[0].citations().eq([Citation::PayTable, Citation::Triple]));
    /// ```
    pub fn citations(&self) -> impl Iterator<Item = Citation> + use<P> {
        let citations = self.citations;
        Citation::ALL.into_iter().filter(move |citation| citations.has(*citation))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Citations {
    triple: bool,
    /// The rule by which excess was counted.
    excess: Option<Citation>,
    below_minimum: bool,
}

impl Citations {
    const fn has(self, citation: Citation) -> bool {
        match citation {
            Citation::PayTable => true,
            Citation::Triple => self.triple,
            Citation::ProRata => matches!(self.excess, Some(Citation::ProRata)),
            Citation::MinimumInExcess => matches!(self.excess, Some(Citation::MinimumInExcess)),
            Citation::BelowMinimum => self.below_minimum,
        }
    }
}

/// What a round brought the House.
///
/// ```
/// assert_eq!(taisai_rules::HouseResult::default().net().cents(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseResult {
    /// Counted stakes that lost.
    pub collected: Money,
    /// Profits of winning bets.
    pub paid_out: Money,
}

impl HouseResult {
    /// Collected less paid out.
    ///
    /// ```
    /// use taisai_rules::{HouseResult, Money};
    /// let result = HouseResult { collected: Money::from_cents(5), paid_out: Money::from_cents(7) };
    /// assert_eq!(result.net(), Money::from_cents(-2));
    /// ```
    pub const fn net(&self) -> Money {
        Money::from_cents(self.collected.cents() - self.paid_out.cents())
    }
}

/// A settled slip.
///
/// ```
/// use taisai_rules::{Dice, Games, Limits};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let bets: [taisai_rules::Bet<u32>; 0] = [];
/// assert!(layout.settle(&Limits::none(), Dice::try_from([1, 2, 3]).unwrap(), bets).unwrap().lines.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement<P> {
    /// One line a player and box, in order of first placement.
    pub lines: Vec<SettledLine<P>>,
    /// What the round brought the House.
    pub house: HouseResult,
}

impl Layout {
    /// Settles a round's slip: bets in order of placement, by the limits and the dice.
    ///
    /// Where limits bind the box's total, excess that is still there counts pro rata (5.1.1, 5.1.2). Where they bind
    /// each player, a total outside them is an error: such a bet is refused when it is placed.
    ///
    /// ```
    /// use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let bets = [
    ///     Bet { player: "ann", bet_box: BetBox::BIG, amount: Money::from_cents(400_000) },
    ///     Bet { player: "bo", bet_box: "sum:17".parse().unwrap(), amount: Money::from_cents(100) },
    /// ];
    /// let settled = layout.settle(&Limits::none(), Dice::try_from([6, 6, 5]).unwrap(), bets).unwrap();
    /// assert_eq!(settled.lines[1].profit, Money::from_cents(6_200));
    /// assert_eq!(settled.house.net(), Money::from_cents(-406_200));
    /// ```
    pub fn settle<P: Copy + Eq + Hash>(
        &self,
        limits: &Limits,
        dice: Dice,
        bets: impl IntoIterator<Item = Bet<P>>,
    ) -> Result<Settlement<P>, SlipError> {
        let mut lines = self.gather(limits.unit(), bets)?;
        match self.limit_scope() {
            Some(LimitScope::Terminal) => check_terminals(limits, &lines)?,
            Some(LimitScope::Box) => self.count_pro_rata(limits, &mut lines)?,
            None => {}
        }
        let mut house = HouseResult::default();
        for line in &mut lines {
            let bet = line.first_bet;
            let error = |why| SlipError { bet, why };
            let outcome = self.outcome(line.bet_box, dice).ok_or(error(BetError::NotOnLayout(line.bet_box)))?;
            let side = match outcome {
                Outcome::Won(odds) => {
                    line.odds = Some(odds);
                    line.profit =
                        odds.profit(line.counted).map_err(|why| error(BetError::Payout(line.bet_box, why)))?;
                    (&mut house.paid_out, line.profit)
                }
                Outcome::Lost => (&mut house.collected, line.counted),
                Outcome::LostToTriple => {
                    line.citations.triple = true;
                    (&mut house.collected, line.counted)
                }
            };
            let (total, amount) = side;
            *total = total.checked_add(amount).ok_or(error(BetError::TooLarge))?;
        }
        Ok(Settlement { lines, house })
    }

    /// Makes one line of each player's bets on each box, in order of first placement.
    fn gather<P: Copy + Eq + Hash>(
        &self,
        unit: Unit,
        bets: impl IntoIterator<Item = Bet<P>>,
    ) -> Result<Vec<SettledLine<P>>, SlipError> {
        let bets = bets.into_iter();
        let mut lines: Vec<SettledLine<P>> = Vec::with_capacity(bets.size_hint().0);
        let mut index = None;
        for (first_bet, Bet { player, bet_box, amount }) in bets.enumerate() {
            let error = |why| SlipError { bet: first_bet, why };
            if !self.has(bet_box) {
                return Err(error(BetError::NotOnLayout(bet_box)));
            }
            if amount <= Money::ZERO {
                return Err(error(BetError::NotPositive(amount)));
            }
            if !amount.is_whole(unit) {
                return Err(error(BetError::OffUnit { amount, unit }));
            }
            let known = match &index {
                None => lines.iter().position(|line| line.bet_box == bet_box && line.player == player),
                Some(index) => SlipIndex::find(index, &lines, player, bet_box),
            };
            if let Some(line) = known {
                let stake = &mut lines[line].stake;
                *stake = stake.checked_add(amount).ok_or(error(BetError::TooLarge))?;
                continue;
            }
            let (citations, profit) = (Citations::default(), Money::ZERO);
            lines.push(SettledLine {
                player,
                bet_box,
                stake: amount,
                counted: amount,
                odds: None,
                profit,
                citations,
                first_bet,
            });
            match &mut index {
                Some(index) => index.add(&lines, lines.len() - 1),
                None if SlipIndex::is_worth_it(&lines) => index = Some(SlipIndex::of(&lines)),
                None => {}
            }
        }
        for line in &mut lines {
            line.counted = line.stake;
            self.check_line(line)?;
        }
        Ok(lines)
    }

    /// Whether what counts of a line pays whole cents, won or lost.
    fn check_line<P>(&self, line: &SettledLine<P>) -> Result<(), SlipError> {
        let why = |error| SlipError { bet: line.first_bet, why: BetError::Payout(line.bet_box, error) };
        self.check_stake(line.bet_box, line.counted).map_err(why)
    }

    /// Fixes what counts of each line where a box is over its maximum or Differential, or below its minimum.
    fn count_pro_rata<P>(&self, limits: &Limits, lines: &mut [SettledLine<P>]) -> Result<(), SlipError> {
        let mut totals = [Money::ZERO; BetBox::COUNT];
        for line in lines.iter() {
            let total = &mut totals[line.bet_box.index()];
            *total = total.checked_add(line.stake).ok_or(SlipError { bet: line.first_bet, why: BetError::TooLarge })?;
        }
        let mut done = [false; BetBox::COUNT];
        for first in 0..lines.len() {
            let bet_box = lines[first].bet_box;
            if std::mem::replace(&mut done[bet_box.index()], true) {
                continue;
            }
            let total = totals[bet_box.index()];
            let opposite_total = bet_box.opposite().map_or(Money::ZERO, |opposite| totals[opposite.index()]);
            let (minimum, cap) = (limits.minimum(bet_box), limits.cap(bet_box, opposite_total));
            let on_box = |line: &&mut SettledLine<P>| line.bet_box == bet_box;
            if total < minimum {
                // 5.2.1: it stayed below the minimum and wins or loses as it lies.
                lines.iter_mut().filter(on_box).for_each(|line| line.citations.below_minimum = true);
            }
            if total > cap {
                let stakes: Vec<_> = lines.iter_mut().filter(on_box).map(|line| line.stake).collect();
                let counted = pro_rata(&stakes, cap, minimum, limits.unit());
                let over_maximum = total > limits.maximum(bet_box);
                for (line, counted) in lines.iter_mut().filter(on_box).zip(counted) {
                    line.counted = counted;
                    self.check_line(line)?;
                    // 5.1.2 speaks of a box over its maximum; where only the Differential is exceeded, a stake below the
                    // minimum counts in full by the last sentence of 5.1.1.
                    let in_full = over_maximum && line.stake < minimum;
                    line.citations.excess = Some(if in_full { Citation::MinimumInExcess } else { Citation::ProRata });
                }
            }
        }
        Ok(())
    }
}

/// Finds the line of a player and box among many.
struct SlipIndex {
    places: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl SlipIndex {
    /// Fewer lines are found faster by looking at each. Nothing but speed hangs on this.
    const fn is_worth_it<P>(lines: &[SettledLine<P>]) -> bool {
        lines.len() == 24
    }

    fn of<P: Copy + Eq + Hash>(lines: &[SettledLine<P>]) -> Self {
        let mut index = Self { places: HashTable::new(), hasher: DefaultHashBuilder::default() };
        (0..lines.len()).for_each(|place| index.add(lines, place));
        index
    }

    fn add<P: Copy + Eq + Hash>(&mut self, lines: &[SettledLine<P>], place: usize) {
        let hash = |place: &usize| self.hasher.hash_one((lines[*place].player, lines[*place].bet_box));
        self.places.insert_unique(hash(&place), place, hash);
    }

    fn find<P: Copy + Eq + Hash>(&self, lines: &[SettledLine<P>], player: P, bet_box: BetBox) -> Option<usize> {
        let same = |place: &usize| lines[*place].bet_box == bet_box && lines[*place].player == player;
        self.places.find(self.hasher.hash_one((player, bet_box)), same).copied()
    }
}

/// ETG 3.3: the limits bind each player's own total on a box.
fn check_terminals<P>(limits: &Limits, lines: &[SettledLine<P>]) -> Result<(), SlipError> {
    for SettledLine { bet_box, stake, first_bet: bet, .. } in lines {
        let (bet_box, stake, min, max) = (*bet_box, *stake, limits.minimum(*bet_box), limits.maximum(*bet_box));
        if stake > max {
            return Err(SlipError { bet: *bet, why: BetError::OverLimit { bet_box, stake, max } });
        }
        if stake < min {
            return Err(SlipError { bet: *bet, why: BetError::BelowMinimum { bet_box, stake, min } });
        }
    }
    Ok(())
}

/// Why a slip cannot be settled: the first bet concerned, counted from zero, and the reason.
///
/// ```
/// use taisai_rules::{BetError, SlipError};
/// assert_eq!(SlipError { bet: 0, why: BetError::TooLarge }.to_string(), "bet 1: the amount is too large to be counted in 64-bit cents: stake less");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bet {}: {why}", bet + 1)]
pub struct SlipError {
    /// The first bet concerned, counted from zero.
    pub bet: usize,
    /// What is wrong with it.
    pub why: BetError,
}

/// What is wrong with a bet.
///
/// ```
/// assert_eq!(taisai_rules::BetError::TooLarge.code(), "amount-too-large");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BetError {
    /// The box is not on the layout.
    #[error("{0} is not on this layout: choose a box that is")]
    NotOnLayout(BetBox),
    /// The amount is zero or less.
    #[error("an amount of {} cents is no bet: it must be above zero", .0.cents())]
    NotPositive(Money),
    /// The amount is no multiple of the unit.
    #[error("an amount of {} cents is not a whole multiple of the unit of {} cents", amount.cents(), unit.cents())]
    OffUnit {
        /// The amount.
        amount: Money,
        /// The unit.
        unit: Unit,
    },
    /// An amount, a total or a payout does not fit in 64 bits.
    #[error("the amount is too large to be counted in 64-bit cents: stake less")]
    TooLarge,
    /// Stake times odds cannot be paid.
    #[error("what counts on {0} cannot be paid at its odds: {1}")]
    Payout(BetBox, PayoutError),
    /// More than the player may have on the box.
    #[error("{} cents on {bet_box} is over the maximum of {} cents", stake.cents(), max.cents())]
    OverLimit {
        /// The box.
        bet_box: BetBox,
        /// The player's total on it.
        stake: Money,
        /// The maximum.
        max: Money,
    },
    /// Less than the player must have on the box.
    #[error("{} cents on {bet_box} is below the minimum of {} cents", stake.cents(), min.cents())]
    BelowMinimum {
        /// The box.
        bet_box: BetBox,
        /// The player's total on it.
        stake: Money,
        /// The minimum.
        min: Money,
    },
}

impl BetError {
    /// The error's stable code.
    ///
    /// ```
    /// use taisai_rules::{BetBox, BetError};
    /// assert_eq!(BetError::NotOnLayout(BetBox::ODD).code(), "box-not-on-layout");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotOnLayout(_) => "box-not-on-layout",
            Self::NotPositive(_) => "bad-amount",
            Self::OffUnit { .. } => "amount-off-unit",
            Self::TooLarge | Self::Payout(_, PayoutError::TooLarge) => "amount-too-large",
            Self::Payout(_, PayoutError::Broken) => "broken-payout",
            Self::OverLimit { .. } => "over-limit",
            Self::BelowMinimum { .. } => "below-minimum",
        }
    }
}
