//! Odds as the pay tables print them, and exact fractions. No rounding happens here: a payout that is not whole
//! cents is an error, never a rounded amount.

use std::fmt;
use std::str::FromStr;

use crate::money::Money;

/// What a winning box pays *to* one: the stake comes back as well.
///
/// ```
/// use taisai_rules::{Money, Odds};
/// let odds: Odds = "8.5 to 1".parse().unwrap();
/// assert_eq!(odds.to_string(), "17/2");
/// assert_eq!(odds.profit(Money::from_cents(200)), Ok(Money::from_cents(1_700)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Odds {
    numerator: u32,
    denominator: u32,
}

impl Odds {
    /// The largest odds a pay table may print.
    ///
    /// ```
    /// use taisai_rules::Odds;
    /// assert!(format!("{} to 1", Odds::LARGEST + 1).parse::<Odds>().is_err());
    /// ```
    pub const LARGEST: u32 = 1_000;

    /// The upper part of the fraction, in lowest terms.
    ///
    /// ```
    /// assert_eq!("8.5 to 1".parse::<taisai_rules::Odds>().unwrap().numerator(), 17);
    /// ```
    pub const fn numerator(self) -> u32 {
        self.numerator
    }

    /// The lower part of the fraction, in lowest terms.
    ///
    /// ```
    /// assert_eq!("8.5 to 1".parse::<taisai_rules::Odds>().unwrap().denominator(), 2);
    /// ```
    pub const fn denominator(self) -> u32 {
        self.denominator
    }

    /// The profit on a stake: stake times odds, exactly.
    ///
    /// ```
    /// use taisai_rules::{Money, Odds, PayoutError};
    /// let odds: Odds = "6.5 to 1".parse().unwrap();
    /// assert_eq!(odds.profit(Money::from_cents(1)), Err(PayoutError::Broken));
    /// assert_eq!(odds.profit(Money::from_cents(i64::MAX - 1)), Err(PayoutError::TooLarge));
    /// ```
    pub const fn profit(self, stake: Money) -> Result<Money, PayoutError> {
        let (numerator, denominator) = (widen(self.numerator), widen(self.denominator));
        // In lowest terms, the product is whole exactly if the stake has the denominator in it.
        if stake.cents() % denominator != 0 {
            return Err(PayoutError::Broken);
        }
        match (stake.cents() / denominator).checked_mul(numerator) {
            Some(cents) => Ok(Money::from_cents(cents)),
            None => Err(PayoutError::TooLarge),
        }
    }
}

#[expect(clippy::as_conversions, reason = "u32 to i64 loses nothing; From is not const")]
const fn widen(number: u32) -> i64 {
    number as i64
}

/// Why a payout cannot be made.
///
/// ```
/// use taisai_rules::PayoutError;
/// assert_eq!(PayoutError::Broken.to_string(), "the payout is not a whole number of cents");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayoutError {
    /// Stake times odds is a fraction of a cent.
    #[error("the payout is not a whole number of cents")]
    Broken,
    /// Stake times odds does not fit in 64 bits.
    #[error("the payout is too large to be counted in 64-bit cents")]
    TooLarge,
}

/// Odds that are not a positive number "to 1" with at most two decimals.
///
/// ```
/// use taisai_rules::{BadOdds, Odds};
/// assert_eq!("0 to 1".parse::<Odds>(), Err(BadOdds));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("odds are written like \"62 to 1\" or \"8.5 to 1\": above 0, at most 1000, at most two decimals")]
pub struct BadOdds;

impl FromStr for Odds {
    type Err = BadOdds;

    fn from_str(text: &str) -> Result<Self, BadOdds> {
        let number = text.strip_suffix(" to 1").ok_or(BadOdds)?;
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str, most: usize| -> Result<u32, BadOdds> {
            if text.is_empty() || text.len() > most || !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(BadOdds);
            }
            text.parse().map_err(|_| BadOdds)
        };
        let hundredths = match decimals.len() {
            1 => digits(decimals, 1)? * 10,
            _ => digits(decimals, 2)?,
        };
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(BadOdds);
        }
        let numerator = digits(whole, 4)? * 100 + hundredths;
        if numerator == 0 || numerator > Self::LARGEST * 100 {
            return Err(BadOdds);
        }
        let common = gcd(numerator.into(), 100);
        let lowest = |part: u32| u32::try_from(u128::from(part) / common).map_err(|_| BadOdds);
        Ok(Self { numerator: lowest(numerator)?, denominator: lowest(100)? })
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

/// An exact fraction in lowest terms: an edge, a variance.
///
/// ```
/// use taisai_rules::Fraction;
/// assert_eq!(Fraction::new(27, 216).to_string(), "1/8");
/// assert_eq!(Fraction::new(-4, 2).to_string(), "-2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    /// The fraction in lowest terms, the sign above.
    ///
    /// # Panics
    /// If the denominator is zero.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Fraction::new(1, -36).numerator(), -1);
    /// ```
    pub fn new(numerator: i128, denominator: i128) -> Self {
        assert!(denominator != 0, "a fraction has no denominator of zero");
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let common = i128::try_from(common).expect("a divisor of two numbers is no larger than they are");
        let sign = denominator.signum();
        Self { numerator: sign * (numerator / common), denominator: sign * (denominator / common) }
    }

    /// The upper part; negative if the fraction is.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Fraction::new(27, 216).numerator(), 1);
    /// ```
    pub const fn numerator(self) -> i128 {
        self.numerator
    }

    /// The lower part, above zero.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Fraction::new(27, 216).denominator(), 8);
    /// ```
    pub const fn denominator(self) -> i128 {
        self.denominator
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_read_exactly_and_nothing_else_is_read() {
        for (text, printed) in [
            ("1 to 1", "1"),
            ("62 to 1", "62"),
            ("8.5 to 1", "17/2"),
            ("7.50 to 1", "15/2"),
            ("0.95 to 1", "19/20"),
            ("1000 to 1", "1000"),
        ] {
            assert_eq!(text.parse::<Odds>().unwrap().to_string(), printed, "{text}");
        }
        for text in [
            "",
            "1",
            "to 1",
            " to 1",
            "0 to 1",
            "0.0 to 1",
            "-1 to 1",
            "+1 to 1",
            "1 to 2",
            "1  to 1",
            "1. to 1",
            ".5 to 1",
            "1.234 to 1",
            "1e2 to 1",
            "1000.01 to 1",
            "062 to 1",
            "1001 to 1",
            "99999999999 to 1",
            "1.5.5 to 1",
            "½ to 1",
        ] {
            assert_eq!(text.parse::<Odds>(), Err(BadOdds), "{text}");
        }
    }

    #[test]
    fn fractions_are_in_lowest_terms_with_their_sign_above() {
        for (numerator, denominator, lowest, text) in [
            (27, 216, (1, 8), "1/8"),
            (6, -216, (-1, 36), "-1/36"),
            (-6, -216, (1, 36), "1/36"),
            (-4, 2, (-2, 1), "-2"),
            (0, -5, (0, 1), "0"),
            (5, 7, (5, 7), "5/7"),
        ] {
            let fraction = Fraction::new(numerator, denominator);
            assert_eq!((fraction.numerator(), fraction.denominator()), lowest, "{numerator}/{denominator}");
            assert_eq!(fraction.to_string(), text);
        }
        assert!(std::panic::catch_unwind(|| Fraction::new(1, 0)).is_err());
    }
}
