//! One axis of a picture: where a value lies on it, and which values are written beside it.

#![expect(clippy::float_arithmetic, reason = "places in a picture")]

use crate::real::{floor, size, whole};

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Even,
    /// By their logarithm.
    Logarithmic,
}

#[derive(Clone, Debug)]
pub struct Axis {
    name: String,
    from: f64,
    to: f64,
    scale: Scale,
    /// Places from 0 to 1, with what is written there.
    ticks: Vec<(f64, String)>,
    has_names: bool,
}

impl Axis {
    /// An axis that reaches at least from one value to another, with round numbers beside it.
    pub fn even(name: &str, from: f64, to: f64, write: impl Fn(f64) -> String) -> Self {
        let span = if to > from { to - from } else { 1.0 };
        let rough = span / 6.0;
        let power = libm::exp10(libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let (first, last) = (floor(from / step + 1e-9), -floor(-(from + span) / step + 1e-9));
        let (from, to) = (whole(first.into()) * step, whole(last.into()) * step);
        let mut axis =
            Self { name: name.to_owned(), from, to, scale: Scale::Even, ticks: Vec::new(), has_names: false };
        axis.ticks = (first..=last)
            .map(|times| whole(times.into()) * step)
            .map(|value| (axis.place(value), write(value)))
            .collect();
        axis
    }

    /// An axis by logarithms, with the powers of ten between two of them beside it.
    pub fn powers(name: &str, from: f64, to: f64, write: impl Fn(f64) -> String) -> Self {
        let first = floor(libm::log10(from) + 1e-9);
        let last = (-floor(-libm::log10(to) + 1e-9)).max(first + 1);
        let power = |exponent: i64| libm::exp10(whole(exponent.into()));
        let (from, to) = (power(first), power(last));
        let mut axis =
            Self { name: name.to_owned(), from, to, scale: Scale::Logarithmic, ticks: Vec::new(), has_names: false };
        let skip = usize::try_from((last - first) / 9 + 1).unwrap_or(1);
        axis.ticks = (first..=last).step_by(skip).map(power).map(|value| (axis.place(value), write(value))).collect();
        axis
    }

    /// An axis of names: the first is at 0, the next at 1, and so on; from the top down or from the left.
    pub fn names(name: &str, names: &[String], is_from_top: bool) -> Self {
        let (low, high) = (-0.5, size(names.len()) - 0.5);
        let (from, to) = if is_from_top { (high, low) } else { (low, high) };
        let mut axis = Self { name: name.to_owned(), from, to, scale: Scale::Even, ticks: Vec::new(), has_names: true };
        axis.ticks = names.iter().enumerate().map(|(n, text)| (axis.place(size(n)), text.clone())).collect();
        axis
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn has_names(&self) -> bool {
        self.has_names
    }

    /// Where bars begin: at zero if it is on the axis.
    pub(super) fn foot(&self) -> f64 {
        if self.has_names || self.scale == Scale::Logarithmic { self.from } else { 0.0f64.clamp(self.from, self.to) }
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        self.ticks.iter().map(|(_, label)| label.as_str())
    }

    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().map(|(place, label)| (*place, label.as_str()))
    }

    /// Where a value lies, from 0 to 1; what is beyond an end lies at it.
    pub(super) fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Even => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => {
                let log = |value: f64| libm::log10(value.max(f64::MIN_POSITIVE));
                (log(value) - log(self.from)) / (log(self.to) - log(self.from))
            }
        };
        part.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers_hold_what_is_shown() {
        for (from, to, expected) in [
            (0.0, 1.0, &["0", "0.2", "0.4", "0.6", "0.8", "1"][..]),
            (-35.0, 110.0, &["-50", "-25", "0", "25", "50", "75", "100", "125"]),
            (3.0, 3.0, &["3", "3.2", "3.4", "3.6", "3.8", "4"]),
        ] {
            let axis = Axis::even("", from, to, |value| format!("{}", libm::round(value * 10.0) / 10.0));
            assert_eq!(axis.labels().collect::<Vec<_>>(), expected, "{from} to {to}");
            assert!(axis.place(from) >= 0.0 && axis.place(to) <= 1.0);
        }
        let axis = Axis::powers("", 3.0, 4_000.0, |value| format!("{value}"));
        assert_eq!(axis.labels().collect::<Vec<_>>(), ["1", "10", "100", "1000", "10000"]);
        assert!((axis.place(100.0) - 0.5).abs() < 1e-12);
    }
}
