//! Moments at which rules come into force. They are given from outside: this crate has no clock.

use std::fmt;

/// A moment: seconds since the beginning of 1970, UTC.
///
/// ```
/// use taisai_rules::Moment;
/// assert_eq!(Moment::from_unix_seconds(0).to_string(), "1970-01-01 00:00 UTC");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

impl Moment {
    /// The moment so many seconds after the beginning of 1970, UTC.
    ///
    /// ```
    /// use taisai_rules::Moment;
    /// assert!(Moment::from_unix_seconds(1) > Moment::from_unix_seconds(0));
    /// ```
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Seconds since the beginning of 1970, UTC.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Moment::from_unix_seconds(7).unix_seconds(), 7);
    /// ```
    pub const fn unix_seconds(self) -> i64 {
        self.0
    }

    /// The moment of a date and time of day in UTC.
    pub(crate) fn from_civil(year: u16, month: u8, day: u8, seconds: i64) -> Self {
        let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
        // Years begin in March here, so that the leap day is the last.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468;
        Self(days * 86_400 + seconds)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(86_400) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (year * 365 + year / 4 - year / 100);
        let month = (day * 5 + 2) / 153;
        let day = day - (month * 153 + 2) / 5 + 1;
        let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let minutes = self.0.rem_euclid(86_400) / 60;
        let year = era * 400 + year + carry;
        f.pad(&format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        for (year, month, day, seconds, text) in [
            (1970, 1, 1, 0, "1970-01-01 00:00 UTC"),
            (2000, 2, 29, 86_399, "2000-02-29 23:59 UTC"),
            (2023, 10, 6, 0, "2023-10-06 00:00 UTC"),
            (2100, 3, 1, 3_600, "2100-03-01 01:00 UTC"),
            (1969, 12, 31, 60, "1969-12-31 00:01 UTC"),
        ] {
            assert_eq!(Moment::from_civil(year, month, day, seconds).to_string(), text);
        }
        assert_eq!(Moment::from_civil(2023, 10, 6, 0).unix_seconds(), 1_696_550_400);
    }
}
