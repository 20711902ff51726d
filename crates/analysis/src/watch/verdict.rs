//! What to do about the dice of a table, the same for the terminal, the report and programs.

use std::fmt;

/// What to do about the dice, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiceVerdict {
    Nothing,
    Watch,
    /// Have the dice measured.
    Measure,
    /// Take the dice out of play.
    TakeOut,
}

impl DiceVerdict {
    /// The verdicts that require an action, with the evidence that triggers them.
    pub const FROM: [(Self, f64); 3] = [(Self::Watch, 20.0), (Self::Measure, 100.0), (Self::TakeOut, 1_000.0)];

    /// The verdict on the highest evidence so far.
    ///
    /// ```
    /// use taisai_analysis::watch::DiceVerdict;
    /// assert_eq!(DiceVerdict::of(100.0), DiceVerdict::Measure);
    /// ```
    pub fn of(highest: f64) -> Self {
        let reached = Self::FROM.into_iter().rfind(|(_, from)| highest >= *from);
        reached.map_or(Self::Nothing, |(verdict, _)| verdict)
    }

    /// The name in JSON.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Watch => "watch",
            Self::Measure => "measure",
            Self::TakeOut => "take-out",
        }
    }
}

impl fmt::Display for DiceVerdict {
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
            (0.0, DiceVerdict::Nothing),
            (19.9, DiceVerdict::Nothing),
            (20.0, DiceVerdict::Watch),
            (99.9, DiceVerdict::Watch),
            (100.0, DiceVerdict::Measure),
            (999.9, DiceVerdict::Measure),
            (1_000.0, DiceVerdict::TakeOut),
            (f64::INFINITY, DiceVerdict::TakeOut),
        ] {
            assert_eq!(DiceVerdict::of(highest), verdict, "{highest}");
        }
    }
}
