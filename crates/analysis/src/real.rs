//! The last step from exact numbers to what is shown: decimals rounded from fractions by whole-number arithmetic, and floats for
//! drawing and for functions that have no exact value. Nothing that is paid passes here.

#![expect(clippy::float_arithmetic, reason = "the last step before something is shown")]

use taisai_rules::Fraction;

/// The nearest float to a fraction, to a few units in its last place.
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the last step before something is shown")]
pub fn real(fraction: Fraction) -> f64 {
    fraction.numerator() as f64 / fraction.denominator() as f64
}

/// The nearest float to a whole number.
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the last step before something is shown")]
pub const fn whole(number: i128) -> f64 {
    number as f64
}

/// The nearest float to a count.
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the last step before something is shown")]
pub const fn count(number: u64) -> f64 {
    number as f64
}

/// The nearest float to a length or place in memory.
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the last step before something is shown")]
pub(crate) const fn size(number: usize) -> f64 {
    number as f64
}

/// The whole number below, for places in a picture or a list; what is outside the range becomes its end.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "a cast of a float goes to the nearest end"
)]
pub(crate) const fn floor(number: f64) -> i64 {
    number.floor() as i64
}

/// A fraction as an exact decimal, rounded half away from zero.
///
/// ```
/// use taisai_rules::Fraction;
/// assert_eq!(taisai_analysis::decimals(Fraction::new(-1, 36), 4), "-0.0278");
/// ```
///
/// # Panics
/// If the numerator with its decimals does not fit in 127 bits.
pub fn decimals(fraction: Fraction, places: u32) -> String {
    let scale = 10i128.pow(places);
    let (numerator, denominator) = (fraction.numerator(), fraction.denominator());
    let doubled = numerator.abs().checked_mul(2 * scale).expect("the figures of a box are small") / denominator;
    written(numerator < 0, (doubled + 1) / 2, places)
}

/// The square root of a non-negative fraction as an exact decimal, rounded half up.
///
/// ```
/// use taisai_rules::Fraction;
/// assert_eq!(taisai_analysis::root_decimals(Fraction::new(2, 1), 6), "1.414214");
/// ```
///
/// # Panics
/// If the fraction is negative, or the numerator with twice its decimals does not fit in 127 bits.
pub fn root_decimals(fraction: Fraction, places: u32) -> String {
    let scale = 10i128.pow(2 * places) * 4;
    let square =
        fraction.numerator().checked_mul(scale).expect("the figures of a box are small") / fraction.denominator();
    written(false, (square.isqrt() + 1) / 2, places)
}

fn written(is_negative: bool, number: i128, places: u32) -> String {
    let sign = if is_negative && number > 0 { "-" } else { "" };
    let scale = 10i128.pow(places);
    match usize::try_from(places) {
        Ok(0) | Err(_) => format!("{sign}{number}"),
        Ok(width) => format!("{sign}{}.{:0width$}", number / scale, number % scale),
    }
}

/// A number without decimals, thousands apart.
///
/// ```
/// assert_eq!(taisai_analysis::thousands(-1_234_567.4), "-1,234,567");
/// ```
pub fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0.0 && digits != "0" { format!("-{text}") } else { text }
}

/// A fraction in per cent.
///
/// ```
/// use taisai_rules::Fraction;
/// assert_eq!(taisai_analysis::percent(Fraction::new(1, 36), 3), "2.778 %");
/// ```
pub fn percent(fraction: Fraction, places: u32) -> String {
    format!("{} %", decimals(Fraction::new(fraction.numerator() * 100, fraction.denominator()), places))
}

/// A number as a decimal; what rounds to zero has no sign.
///
/// ```
/// assert_eq!(taisai_analysis::rounded(-0.001, 2), "0.00");
/// ```
pub fn rounded(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    match text.strip_prefix('-') {
        Some(digits) if !digits.contains(|digit: char| matches!(digit, '1'..='9')) => digits.to_owned(),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_not_cut() {
        for (numerator, denominator, places, text) in [
            (1, 36, 3, "0.028"),
            (1, 2, 0, "1"),
            (-1, 2, 0, "-1"),
            (-1, 1_000, 2, "0.00"),
            (1_999, 1_000, 2, "2.00"),
            (35, 216, 6, "0.162037"),
            (7, 1, 2, "7.00"),
        ] {
            assert_eq!(decimals(Fraction::new(numerator, denominator), places), text, "{numerator}/{denominator}");
        }
    }

    #[test]
    fn roots_are_rounded_not_cut() {
        for (numerator, denominator, places, text) in
            [(1, 4, 2, "0.50"), (3, 1, 4, "1.7321"), (0, 1, 2, "0.00"), (9, 4, 0, "2"), (2, 1, 0, "1")]
        {
            assert_eq!(root_decimals(Fraction::new(numerator, denominator), places), text, "{numerator}/{denominator}");
        }
    }
}
