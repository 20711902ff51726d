//! Money: whole cents in 64-bit integers, never a float, never an unchecked sum.

use std::fmt;

/// An amount of whole cents. It may be negative: a result of the House can be a loss.
///
/// ```
/// use taisai_rules::Money;
/// let stake = Money::from_cents(400_000);
/// assert_eq!(stake.to_string(), "4,000.00");
/// assert_eq!(stake.checked_add(Money::from_cents(1)), Some(Money::from_cents(400_001)));
/// assert_eq!(Money::from_cents(i64::MAX).checked_add(stake), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    /// No money.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Money::ZERO.cents(), 0);
    /// ```
    pub const ZERO: Self = Self(0);
    /// The largest amount there is: the maximum of a box without one.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Money::MAX.cents(), i64::MAX);
    /// ```
    pub const MAX: Self = Self(i64::MAX);

    /// An amount in cents.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Money::from_cents(-5).cents(), -5);
    /// ```
    pub const fn from_cents(cents: i64) -> Self {
        Self(cents)
    }

    /// The amount in cents.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Money::from_cents(250).cents(), 250);
    /// ```
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// The sum, unless it is too large for 64 bits.
    ///
    /// ```
    /// use taisai_rules::Money;
    /// assert_eq!(Money::MAX.checked_add(Money::from_cents(1)), None);
    /// ```
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(cents) => Some(Self(cents)),
            None => None,
        }
    }

    /// The difference, unless it is too large for 64 bits.
    ///
    /// ```
    /// use taisai_rules::Money;
    /// assert_eq!(Money::from_cents(3).checked_sub(Money::from_cents(5)), Some(Money::from_cents(-2)));
    /// ```
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(cents) => Some(Self(cents)),
            None => None,
        }
    }

    /// Whether the amount is a whole number of units.
    ///
    /// ```
    /// use taisai_rules::{Money, Unit};
    /// let unit = Unit::try_from(Money::from_cents(100)).unwrap();
    /// assert!(Money::from_cents(2_500).is_whole(unit));
    /// assert!(!Money::from_cents(2_550).is_whole(unit));
    /// ```
    pub const fn is_whole(self, unit: Unit) -> bool {
        self.0 % unit.0 == 0
    }
}

impl fmt::Display for Money {
    /// Units and cents with thousands separated: `1,234.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.0.unsigned_abs();
        let whole = (cents / 100).to_string();
        let mut text = String::with_capacity(whole.len() + whole.len() / 3 + 4);
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        f.pad(&format!("{sign}{text}.{:02}", cents % 100))
    }
}

/// A table's betting unit: stakes and limits are whole multiples of it. At least one cent.
///
/// ```
/// use taisai_rules::{Money, Unit};
/// assert_eq!(Unit::CENT.money(), Money::from_cents(1));
/// assert!(Unit::try_from(Money::ZERO).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit(i64);

impl Unit {
    /// One cent: the unit where none is set.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Unit::CENT.cents(), 1);
    /// ```
    pub const CENT: Self = Self(1);

    /// The unit in cents.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Unit::CENT.cents(), 1);
    /// ```
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// The unit as an amount.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Unit::CENT.money().cents(), 1);
    /// ```
    pub const fn money(self) -> Money {
        Money(self.0)
    }
}

/// A unit below one cent.
///
/// ```
/// use taisai_rules::{BadUnit, Money, Unit};
/// assert_eq!(Unit::try_from(Money::from_cents(-1)), Err(BadUnit));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the unit must be at least 1 cent")]
pub struct BadUnit;

impl TryFrom<Money> for Unit {
    type Error = BadUnit;

    fn try_from(money: Money) -> Result<Self, BadUnit> {
        if money.0 >= 1 { Ok(Self(money.0)) } else { Err(BadUnit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_differences_fit_in_64_bits_or_are_none() {
        const MAX: i64 = i64::MAX;
        for (a, b, sum, difference) in [
            (7, 5, Some(12), Some(2)),
            (5, -7, Some(-2), Some(12)),
            (MAX, 0, Some(MAX), Some(MAX)),
            (MAX, 1, None, Some(MAX - 1)),
            (MAX, -1, Some(MAX - 1), None),
            (i64::MIN, 1, Some(-MAX), None),
        ] {
            let (first, second) = (Money::from_cents(a), Money::from_cents(b));
            let found = [first.checked_add(second), first.checked_sub(second)];
            assert_eq!(found.map(|money| money.map(Money::cents)), [sum, difference], "{a} and {b}");
        }
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        for (cents, text) in [
            (0, "0.00"),
            (5, "0.05"),
            (-5, "-0.05"),
            (100, "1.00"),
            (99_999, "999.99"),
            (100_000, "1,000.00"),
            (123_456_789, "1,234,567.89"),
            (-123_456_789, "-1,234,567.89"),
            (i64::MIN, "-92,233,720,368,547,758.08"),
        ] {
            assert_eq!(Money::from_cents(cents).to_string(), text);
        }
    }
}
