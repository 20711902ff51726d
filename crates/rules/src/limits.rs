//! The limits of a table: unit, minimum, maximum and Differential, checked against the game and the layout. It knows
//! amounts on boxes, never who placed them.

use std::str::FromStr;

use crate::bet_box::{BetBox, BoxKind};
use crate::layout::Layout;
use crate::money::{BadUnit, Money, Unit};

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

/// Which boxes a limit is for: all of a kind, or one. A box's own limit stands in place of its kind's.
///
/// ```
/// use taisai_rules::{BoxKind, BoxKey};
/// assert_eq!("sum".parse(), Ok(BoxKey::Kind(BoxKind::Sum)));
/// assert_eq!("sum:4".parse(), Ok(BoxKey::Box("sum:4".parse().unwrap())));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxKey {
    /// Every box of a kind.
    Kind(BoxKind),
    /// One box.
    Box(BetBox),
}

impl BoxKey {
    /// The boxes it is for, of all that the notation has.
    ///
    /// ```
    /// use taisai_rules::BoxKey;
    /// assert_eq!("triple".parse::<BoxKey>().unwrap().boxes().count(), 6);
    /// ```
    pub fn boxes(self) -> impl Iterator<Item = BetBox> {
        let (kind, own) = match self {
            Self::Kind(kind) => (kind, None),
            Self::Box(bet_box) => (bet_box.kind(), Some(bet_box)),
        };
        kind.boxes().filter(move |bet_box| own.is_none_or(|own| own == *bet_box))
    }
}

impl FromStr for BoxKey {
    type Err = crate::UnknownBox;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(kind) => Ok(Self::Kind(kind)),
            Err(_) => text.parse().map(Self::Box),
        }
    }
}

/// Minimum and maximum of a box. An absent minimum is zero, an absent maximum is none.
///
/// ```
/// assert_eq!(taisai_rules::BoxLimit::default().min, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxLimit {
    /// The permissible minimum.
    pub min: Option<Money>,
    /// The permissible maximum.
    pub max: Option<Money>,
}

/// Limits that a layout can be played with.
///
/// ```
/// use taisai_rules::{BetBox, BoxLimit, Games, BoxKey, Limits, Money};
/// let games = Games::embedded();
/// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
/// let limit = BoxLimit { min: Some(Money::from_cents(2_500)), max: Some(Money::from_cents(500_000)) };
/// let big: BoxKey = "big".parse().unwrap();
/// let limits = Limits::new(layout, Money::from_cents(100), &[(big, limit)], None).unwrap();
/// assert_eq!(limits.minimum(BetBox::BIG), Money::from_cents(2_500));
/// assert_eq!(limits.maximum(BetBox::SMALL), Money::MAX);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    unit: Unit,
    /// Minimum and maximum of every box; empty where no box has any.
    boxes: Vec<(Money, Money)>,
    differential: Option<Money>,
}

impl Limits {
    /// No limits, and a unit of one cent.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Limits, Money};
    /// assert_eq!(Limits::none().maximum(BetBox::BIG), Money::MAX);
    /// ```
    pub const fn none() -> Self {
        Self { unit: Unit::CENT, boxes: Vec::new(), differential: None }
    }

    /// Limits for a layout, or the first reason why they cannot be.
    ///
    /// ```
    /// use taisai_rules::{Games, LimitError, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("sic-bo-etg@2", None).unwrap().layout("A").unwrap();
    /// let error = Limits::new(layout, Money::from_cents(100), &[], Some(Money::from_cents(100))).unwrap_err();
    /// assert_eq!(error.code(), "limit-not-in-game");
    /// ```
    pub fn new(
        layout: &Layout,
        unit: Money,
        boxes: &[(BoxKey, BoxLimit)],
        differential: Option<Money>,
    ) -> Result<Self, LimitError> {
        let unit = Unit::try_from(unit)?;
        check_differential(layout, unit, differential)?;
        Ok(Self { unit, boxes: check_boxes(layout, unit, boxes)?, differential })
    }

    /// The unit that stakes are multiples of.
    ///
    /// ```
    /// use taisai_rules::{Limits, Unit};
    /// assert_eq!(Limits::none().unit(), Unit::CENT);
    /// ```
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The minimum of a box, zero where there is none.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Limits, Money};
    /// assert_eq!(Limits::none().minimum(BetBox::BIG), Money::ZERO);
    /// ```
    pub fn minimum(&self, bet_box: BetBox) -> Money {
        self.boxes.get(bet_box.index()).map_or(Money::ZERO, |(min, _)| *min)
    }

    /// The maximum of a box, [`Money::MAX`] where there is none.
    ///
    /// ```
    /// use taisai_rules::{BetBox, Limits, Money};
    /// assert_eq!(Limits::none().maximum(BetBox::BIG), Money::MAX);
    /// ```
    pub fn maximum(&self, bet_box: BetBox) -> Money {
        self.boxes.get(bet_box.index()).map_or(Money::MAX, |(_, max)| *max)
    }

    /// Whether every box of the layout has a minimum of at least a unit and a maximum, and the Differential is set where the
    /// game has one: what must be on display (3.3).
    ///
    /// ```
    /// use taisai_rules::{Games, Limits};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// assert!(!Limits::none().are_whole(layout));
    /// ```
    pub fn are_whole(&self, layout: &Layout) -> bool {
        let is_bound =
            |bet_box: &BetBox| self.minimum(*bet_box) >= self.unit.money() && self.maximum(*bet_box) < Money::MAX;
        let has_differential = self.differential.is_some() || layout.limit_scope() != Some(LimitScope::Box);
        has_differential && layout.boxes().iter().all(is_bound)
    }

    /// The largest permissible Differential, where there is one.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Limits::none().differential(), None);
    /// ```
    pub const fn differential(&self) -> Option<Money> {
        self.differential
    }

    /// The most that counts on a box (5.1.1), given the total placed on the opposite one: its own maximum, or for Big,
    /// Small, Odd and Even what the Differential allows over what was placed there (1.3).
    ///
    /// ```
    /// use taisai_rules::{BetBox, Games, Limits, Money};
    /// let games = Games::embedded();
    /// let layout = games.find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let limits = Limits::new(layout, Money::from_cents(100), &[], Some(Money::from_cents(2_000))).unwrap();
    /// assert_eq!(limits.cap(BetBox::BIG, Money::from_cents(500)), Money::from_cents(2_500));
    /// ```
    pub fn cap(&self, bet_box: BetBox, opposite_total: Money) -> Money {
        let own = self.maximum(bet_box);
        match (bet_box.opposite(), self.differential) {
            // Too large for 64 bits is larger than any maximum.
            (Some(_), Some(differential)) => opposite_total.checked_add(differential).map_or(own, |cap| cap.min(own)),
            _ => own,
        }
    }
}

fn check_differential(layout: &Layout, unit: Unit, differential: Option<Money>) -> Result<(), LimitError> {
    if differential.is_some() && layout.limit_scope() != Some(LimitScope::Box) {
        return Err(LimitError::NotInGame { limit: "differential" });
    }
    check_amount(differential, unit)
}

/// The minimum and maximum of every box; none at all where no limit is given.
fn check_boxes(layout: &Layout, unit: Unit, given: &[(BoxKey, BoxLimit)]) -> Result<Vec<(Money, Money)>, LimitError> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let mut boxes = vec![(Money::ZERO, Money::MAX); BetBox::COUNT];
    // Kinds first: a box's own limit stands in place of its kind's.
    for own in [false, true] {
        let mut taken = [false; BetBox::COUNT];
        for (key, limit) in given.iter().filter(|(key, _)| own == matches!(key, BoxKey::Box(_))) {
            let bounds = check_bounds(layout, unit, *limit)?;
            // One set of limits may serve several layouts, so a kind need not be on this one.
            if let BoxKey::Box(bet_box) = key
                && !layout.has(*bet_box)
            {
                return Err(LimitError::NotOnLayout(*bet_box));
            }
            for bet_box in key.boxes().filter(|bet_box| layout.has(*bet_box)) {
                if std::mem::replace(&mut taken[bet_box.index()], true) {
                    return Err(LimitError::Twice(*key));
                }
                boxes[bet_box.index()] = bounds;
            }
        }
    }
    Ok(boxes)
}

fn check_amount(amount: Option<Money>, unit: Unit) -> Result<(), LimitError> {
    match amount {
        Some(amount) if amount < Money::ZERO => Err(LimitError::Negative(amount)),
        Some(amount) if !amount.is_whole(unit) => Err(LimitError::OffUnit { amount, unit }),
        _ => Ok(()),
    }
}

fn check_bounds(layout: &Layout, unit: Unit, limit: BoxLimit) -> Result<(Money, Money), LimitError> {
    if layout.limit_scope().is_none() && (limit.min.is_some() || limit.max.is_some()) {
        return Err(LimitError::NotInGame { limit: if limit.min.is_some() { "min" } else { "max" } });
    }
    check_amount(limit.min, unit)?;
    check_amount(limit.max, unit)?;
    let (min, max) = (limit.min.unwrap_or(Money::ZERO), limit.max.unwrap_or(Money::MAX));
    if min > max { Err(LimitError::Contradict { min, max }) } else { Ok((min, max)) }
}

/// Why limits cannot be used.
///
/// ```
/// assert_eq!(taisai_rules::LimitError::NotInGame { limit: "max" }.code(), "limit-not-in-game");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The unit is below one cent.
    #[error(transparent)]
    Unit(#[from] BadUnit),
    /// The game's document has no such limit.
    #[error("this game has no limit \"{limit}\": leave it out")]
    NotInGame {
        /// The limit's name.
        limit: &'static str,
    },
    /// A limit below zero.
    #[error("a limit of {} cents is below zero", .0.cents())]
    Negative(Money),
    /// A limit that is no multiple of the unit.
    #[error("a limit of {} cents is not a whole multiple of the unit of {} cents", amount.cents(), unit.cents())]
    OffUnit {
        /// The limit.
        amount: Money,
        /// The unit.
        unit: Unit,
    },
    /// The minimum is above the maximum.
    #[error("a minimum of {} cents is above the maximum of {} cents", min.cents(), max.cents())]
    Contradict {
        /// The minimum.
        min: Money,
        /// The maximum.
        max: Money,
    },
    /// A limit for a box that the layout does not have.
    #[error("{0} is not on this layout: it can have no limit")]
    NotOnLayout(BetBox),
    /// Two limits for the same box or kind.
    #[error("the limit for {} is given twice", key_text(.0))]
    Twice(BoxKey),
}

const fn key_text(key: &BoxKey) -> &dyn std::fmt::Display {
    match key {
        BoxKey::Kind(kind) => kind,
        BoxKey::Box(bet_box) => bet_box,
    }
}

impl LimitError {
    /// The error's stable code.
    ///
    /// ```
    /// use taisai_rules::{BadUnit, LimitError};
    /// assert_eq!(LimitError::Unit(BadUnit).code(), "bad-unit");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unit(_) => "bad-unit",
            Self::NotInGame { .. } => "limit-not-in-game",
            Self::Negative(_) => "bad-limit",
            Self::OffUnit { .. } => "limit-off-unit",
            Self::Contradict { .. } => "limits-contradict",
            Self::NotOnLayout(_) => "box-not-on-layout",
            Self::Twice(_) => "limit-twice",
        }
    }
}
