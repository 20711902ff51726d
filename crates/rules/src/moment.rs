//! Moments at which rules come into force. They are given from outside: this crate has no clock.

use std::cmp::Ordering;
use std::fmt;

/// A moment. It remembers the offset from UTC in which it was written, and is equal to the same moment in any other.
///
/// ```
/// use taisai_rules::Moment;
/// assert_eq!(Moment::from_unix_seconds(0).to_string(), "1970-01-01 00:00 +00:00");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    unix_seconds: i64,
    offset_minutes: i16,
}

impl Moment {
    /// The moment this many seconds after the beginning of 1970, in UTC.
    ///
    /// ```
    /// use taisai_rules::Moment;
    /// assert!(Moment::from_unix_seconds(1) > Moment::from_unix_seconds(0));
    /// ```
    pub const fn from_unix_seconds(unix_seconds: i64) -> Self {
        Self { unix_seconds, offset_minutes: 0 }
    }

    /// Seconds since the beginning of 1970, UTC.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Moment::from_unix_seconds(7).unix_seconds(), 7);
    /// ```
    pub const fn unix_seconds(self) -> i64 {
        self.unix_seconds
    }

    /// The moment at a date and second of the day, as clocks show them at an offset from UTC.
    pub(crate) fn from_civil(year: u16, month: u8, day: u8, second: i64, offset_minutes: i16) -> Self {
        let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
        // Years begin in March here, so that the leap day is the last.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468;
        Self { unix_seconds: days * 86_400 + second - i64::from(offset_minutes) * 60, offset_minutes }
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        self.unix_seconds == other.unix_seconds
    }
}

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.unix_seconds.cmp(&other.unix_seconds)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.unix_seconds + i64::from(self.offset_minutes) * 60;
        let days = local.div_euclid(86_400) + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (year * 365 + year / 4 - year / 100);
        let month = (day * 5 + 2) / 153;
        let day = day - (month * 153 + 2) / 5 + 1;
        let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let year = era * 400 + year + carry;
        let minutes = local.rem_euclid(86_400) / 60;
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let offset = self.offset_minutes.unsigned_abs();
        let (clock, offset) = ((minutes / 60, minutes % 60), (offset / 60, offset % 60));
        let date = format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", clock.0, clock.1);
        f.pad(&format!("{date} {sign}{:02}:{:02}", offset.0, offset.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        for (year, month, day, second, offset, text) in [
            (1970, 1, 1, 0, 0, "1970-01-01 00:00 +00:00"),
            (2000, 2, 29, 86_399, 0, "2000-02-29 23:59 +00:00"),
            (2023, 10, 6, 28_800, 480, "2023-10-06 08:00 +08:00"),
            (2100, 3, 1, 3_600, -330, "2100-03-01 01:00 -05:30"),
            (1969, 12, 31, 60, 0, "1969-12-31 00:01 +00:00"),
        ] {
            assert_eq!(Moment::from_civil(year, month, day, second, offset).to_string(), text);
        }
    }

    /// Four centuries are the whole cycle of leap years; days before 1970 count backwards.
    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut seconds = Moment::from_civil(1899, 12, 31, 0, 0).unix_seconds();
        for year in 1900..2300_u16 {
            let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            let february = if is_leap { 29 } else { 28 };
            for (month, days) in (1..).zip([31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in 1..=days {
                    seconds += 86_400;
                    let moment = Moment::from_civil(year, month, day, 0, 0);
                    assert_eq!(moment.unix_seconds(), seconds, "{moment}");
                    assert_eq!(moment.to_string(), format!("{year}-{month:02}-{day:02} 00:00 +00:00"));
                }
            }
        }
    }

    #[test]
    fn the_offset_changes_the_clock_not_the_moment() {
        let singapore = Moment::from_civil(2023, 10, 6, 28_800, 480);
        assert_eq!(singapore.unix_seconds(), 1_696_550_400);
        assert_eq!(singapore, Moment::from_civil(2023, 10, 6, 0, 0));
        assert_ne!(singapore, Moment::from_civil(2023, 10, 6, 0, 480), "another moment at the same offset");
    }
}
