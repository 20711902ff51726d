//! A figure: what was measured, how it compares, and what it must reach.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// What a ratio must reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequiredRatio {
    AtLeast(f64),
    AtMost(f64),
    None,
}

/// One figure.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub name: &'static str,
    pub value: f64,
    pub unit: &'static str,
    pub ratio: f64,
    pub of: &'static str,
    pub must: RequiredRatio,
}

impl Figure {
    pub(super) const fn new(
        name: &'static str,
        value: f64,
        unit: &'static str,
        ratio: f64,
        of: &'static str,
        must: RequiredRatio,
    ) -> Self {
        Self { name, value, unit, ratio, of, must }
    }

    /// A figure that need not reach anything.
    pub const fn measured(name: &'static str, value: f64, unit: &'static str, ratio: f64, of: &'static str) -> Self {
        Self::new(name, value, unit, ratio, of, RequiredRatio::None)
    }

    /// Whether it is what it must be.
    pub(super) fn is_reached(&self) -> bool {
        match self.must {
            RequiredRatio::AtLeast(least) => self.ratio >= least,
            RequiredRatio::AtMost(most) => self.ratio <= most,
            RequiredRatio::None => true,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, ratio, of, must } = self;
        write!(f, "{name:<24} {value:>12.2} {unit:<12} {ratio:>8.3}  of {of:<18}")?;
        let reached = if self.is_reached() { "reached" } else { "MISSED" };
        match must {
            RequiredRatio::AtLeast(least) => write!(f, "  at least {least}: {reached}"),
            RequiredRatio::AtMost(most) => write!(f, "  at most {most}: {reached}"),
            RequiredRatio::None => Ok(()),
        }
    }
}

/// The time that 99 of 100 do not exceed; nothing without any.
pub(super) fn p99(times: &mut [Duration]) -> Duration {
    let place = (times.len() * 99).div_ceil(100).saturating_sub(1);
    if times.is_empty() { Duration::ZERO } else { *times.select_nth_unstable(place).1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p99_is_the_time_that_99_of_100_keep() {
        let mut times: Vec<_> = (1..=1_000).rev().map(Duration::from_millis).collect();
        assert_eq!(p99(&mut times), Duration::from_millis(990));
        assert_eq!(p99(&mut [Duration::from_millis(3)]), Duration::from_millis(3));
        assert_eq!(p99(&mut []), Duration::ZERO);
    }

    #[test]
    fn a_figure_says_whether_it_is_reached() {
        let figure = |ratio, must| Figure::new("bets", 1.0, "bets/s", ratio, "the rival", must);
        assert!(
            figure(0.5, RequiredRatio::AtLeast(0.5)).is_reached()
                && !figure(0.49, RequiredRatio::AtLeast(0.5)).is_reached()
        );
        assert!(
            figure(2.0, RequiredRatio::AtMost(2.0)).is_reached()
                && !figure(2.1, RequiredRatio::AtMost(2.0)).is_reached()
        );
        assert!(!figure(f64::NAN, RequiredRatio::AtMost(2.0)).is_reached(), "what was not measured is not reached");
        assert!(figure(2.1, RequiredRatio::AtMost(2.0)).to_string().ends_with("at most 2: MISSED"));
    }
}
