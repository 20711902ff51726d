//! Formats floats and sums of cents for people.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use taisai_analysis::rounded;
use taisai_rules::Money;

/// An amount that is a float of cents, rounded to cents.
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a figure that is shown, rounded to cents")]
pub(crate) fn near(cents: f64) -> String {
    Money::from_cents(cents.round() as i64).to_string()
}

/// A sum of cents that may not fit into `Money`.
pub(crate) fn cents(cents: i128) -> String {
    i64::try_from(cents).map_or_else(|_| cents.to_string(), |cents| Money::from_cents(cents).to_string())
}

/// A share in per cent.
pub(crate) fn percent(share: f64, places: usize) -> String {
    format!("{} %", rounded(share * 100.0, places))
}

/// Both ends of shares in per cent.
pub(crate) fn percents(low: f64, high: f64, places: usize) -> String {
    format!("{} … {}", rounded(low * 100.0, places), percent(high, places))
}

/// A difference in standard deviations, with its sign.
pub(crate) fn deviations(number: f64) -> String {
    let text = rounded(number, 2);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_after_rounding_has_no_sign() {
        for (share, text) in [(-0.0, "0.000 %"), (-1e-9, "0.000 %"), (-0.001, "-0.100 %"), (0.0278, "2.780 %")] {
            assert_eq!(percent(share, 3), text);
        }
        assert_eq!(percents(-1e-9, 0.5, 2), "0.00 … 50.00 %");
        assert_eq!([-0.001, 1.5, -2.25].map(deviations), ["+0.00", "+1.50", "-2.25"]);
    }

    #[test]
    fn amounts_are_rounded_to_cents_and_may_be_large() {
        assert_eq!((near(123_456.7).as_str(), near(-0.2).as_str()), ("1,234.57", "0.00"));
        assert_eq!(cents(i128::from(i64::MAX) + 1), "9223372036854775808");
    }
}
