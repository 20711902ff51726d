//! What is to be done about the dice of a table: one answer for the terminal, the report and programs.

use std::fmt;

/// What is to be done, from nothing on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing.
    Nothing,
    /// To watch on.
    Watch,
    /// To have the dice measured.
    Measure,
    /// To take them out.
    TakeOut,
}

impl Verdict {
    /// Those that ask for something, and the evidence from which they do.
    pub const FROM: [(Self, f64); 3] = [(Self::Watch, 20.0), (Self::Measure, 100.0), (Self::TakeOut, 1_000.0)];

    /// The verdict on the most that the evidence has been.
    ///
    /// ```
    /// use taisai_analysis::watch::Verdict;
    /// assert_eq!(Verdict::of(100.0), Verdict::Measure);
    /// ```
    pub fn of(highest: f64) -> Self {
        let reached = Self::FROM.into_iter().rfind(|(_, from)| highest >= *from);
        reached.map_or(Self::Nothing, |(verdict, _)| verdict)
    }

    /// How programs name it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Watch => "watch",
            Self::Measure => "measure",
            Self::TakeOut => "take-out",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing speaks against these dice",
            Self::Watch => "something speaks against these dice: watch on",
            Self::Measure => "much speaks against these dice: have them measured",
            Self::TakeOut => "these dice do not look fair: take them out",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_begin_where_they_say() {
        for (highest, verdict) in [
            (0.0, Verdict::Nothing),
            (19.9, Verdict::Nothing),
            (20.0, Verdict::Watch),
            (99.9, Verdict::Watch),
            (100.0, Verdict::Measure),
            (999.9, Verdict::Measure),
            (1_000.0, Verdict::TakeOut),
            (f64::INFINITY, Verdict::TakeOut),
        ] {
            assert_eq!(Verdict::of(highest), verdict, "{highest}");
        }
    }
}
