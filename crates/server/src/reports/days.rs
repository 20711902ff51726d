//! Gaming days, and the times at which they begin and end in the time zone of the profile.

use std::fmt::Write as _;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use taisai_reports::ReportReader;
use taisai_table::Time;

use super::error::{ReportError, text};

/// A range of gaming days, both ends included, open where none is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Days {
    pub from: Option<Date>,
    pub to: Option<Date>,
}

impl Days {
    /// An SQL condition on a column of gaming days. This program formats the dates, so they are safe in a statement.
    pub(super) fn condition(self, column: &str) -> String {
        let mut condition = String::new();
        for (sign, date) in [(">=", self.from), ("<=", self.to)] {
            if let Some(date) = date {
                write!(condition, " AND {column} {sign} '{date}'").expect("a String takes every text");
            }
        }
        condition
    }

    /// An SQL condition on a column of times.
    pub(super) fn time_condition(self, column: &str, calendar: &Calendar) -> Result<String, ReportError> {
        let mut condition = String::new();
        if let Some(from) = self.from {
            let begins = calendar.begins(from)?.0;
            write!(condition, " AND {column} >= {begins}").expect("a String takes every text");
        }
        if let Some(to) = self.to {
            let ends = calendar.begins(to.checked_add(1.day())?)?.0;
            write!(condition, " AND {column} < {ends}").expect("a String takes every text");
        }
        Ok(condition)
    }
}

/// When gaming days begin.
#[derive(Clone, Debug)]
pub struct Calendar {
    zone: TimeZone,
    begins: i64,
}

impl Calendar {
    /// The calendar of the reporting tables; UTC before there is one.
    pub fn of(reader: &mut ReportReader) -> Result<Self, ReportError> {
        let sql = "SELECT time_zone, day_begins FROM tables ORDER BY table_number LIMIT 1";
        let rows = reader.query(sql, &[])?.rows;
        let Some(row) = rows.first() else { return Ok(Self::utc()) };
        let begins = text(&row[1])?
            .split_once(':')
            .and_then(|(hours, minutes)| Some(hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?));
        Ok(Self {
            zone: TimeZone::get(text(&row[0])?)?,
            begins: begins.ok_or(ReportError::Unreadable("a time of day"))?,
        })
    }

    /// Days begin at midnight.
    pub const fn utc() -> Self {
        Self { zone: TimeZone::UTC, begins: 0 }
    }

    pub fn begins(&self, day: Date) -> Result<Time, ReportError> {
        let local = day.to_datetime(jiff::civil::Time::midnight()).checked_add(self.begins.minutes())?;
        let moment = self.zone.to_timestamp(local)?.as_millisecond();
        Ok(Time(u64::try_from(moment).unwrap_or(0)))
    }

    /// A time in the calendar's zone, for people.
    pub fn local(&self, time: Time) -> String {
        let moment = i64::try_from(time.0).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
        moment.map_or_else(String::new, |moment| {
            let local = moment.to_zoned(self.zone.clone());
            local.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
        })
    }

    /// Reads milliseconds since 1970, a time with its offset, a local time, or a gaming day, which means its beginning or its end.
    pub fn moment(&self, text: &str, is_end: bool) -> Option<Time> {
        if let Ok(millis) = text.parse::<u64>() {
            return (millis < u64::MAX / 2).then_some(Time(millis));
        }
        if let Ok(day) = text.parse::<Date>()
            && !text.contains(['T', 't', ' '])
        {
            let day = if is_end { day.checked_add(1.day()).ok()? } else { day };
            return self.begins(day).ok();
        }
        let moment = text.parse::<Timestamp>().ok().or_else(|| {
            let local = text.parse::<jiff::civil::DateTime>().ok()?;
            self.zone.to_timestamp(local).ok()
        })?;
        u64::try_from(moment.as_millisecond()).ok().map(Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let calendar = Calendar { zone: TimeZone::get("Asia/Singapore").unwrap(), begins: 360 };
        // 2027-01-15 06:00 in Singapore.
        let begins = 1_799_964_000_000;
        for (text, is_end, expected) in [
            ("2027-01-15", false, Some(begins)),
            ("2027-01-14", true, Some(begins)),
            ("2027-01-15T06:00", false, Some(begins)),
            ("2027-01-14T22:00:00Z", false, Some(begins)),
            ("2027-01-15T06:00:00+08:00", true, Some(begins)),
            ("1799964000000", false, Some(begins)),
            ("yesterday", false, None),
            ("2027-13-01", false, None),
            ("-5", false, None),
            ("99999999999999999999", false, None),
            ("18446744073709551615", false, None),
        ] {
            assert_eq!(calendar.moment(text, is_end).map(|time| time.0), expected, "{text}");
        }
        assert_eq!(calendar.local(Time(begins)), "2027-01-15T06:00:00.000+08:00");
    }

    #[test]
    fn days_are_conditions() {
        let days = Days { from: "2027-01-15".parse().ok(), to: "2027-01-16".parse().ok() };
        assert_eq!(days.condition("day"), " AND day >= '2027-01-15' AND day <= '2027-01-16'");
        let calendar = Calendar::utc();
        let times = days.time_condition("at", &calendar).unwrap();
        assert_eq!(times, " AND at >= 1799971200000 AND at < 1800144000000");
        assert_eq!(Days::default().condition("day"), "");
    }
}
