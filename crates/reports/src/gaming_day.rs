//! Gaming days and shifts: a moment of the record in the local time of the profile. Its time zones are part of the program,
//! so that the same record gives the same days everywhere.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use taisai_table::{Profile, Shift, Time};

/// Why a gaming day cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDay {
    /// The time zone is unknown.
    #[error("the profile's time zone {0:?} is not known")]
    TimeZone(String),
    /// The time is out of range.
    #[error("{0} milliseconds after 1970 is in no year")]
    Time(u64),
}

/// The gaming day of a time.
pub fn gaming_day(profile: &Profile, time: Time) -> Result<Date, BadDay> {
    let (day, _) = GamingDays::of(profile)?.reckon(time).ok_or(BadDay::Time(time.0))?;
    Ok(day)
}

/// Days and shifts of one profile.
#[derive(Clone, Debug)]
pub(super) struct GamingDays {
    zone: TimeZone,
    begins: u16,
    shifts: Vec<(u16, Arc<str>)>,
    /// The day and shift of one minute, as entries of one minute follow each other.
    known: Option<(u64, Day)>,
}

/// A gaming day, and the shift in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) date: Arc<str>,
    pub(super) shift: Arc<str>,
}

const MINUTE: u64 = 60_000;

impl GamingDays {
    pub(super) fn of(profile: &Profile) -> Result<Self, BadDay> {
        let zone = TimeZone::get(&profile.time_zone).map_err(|_| BadDay::TimeZone(profile.time_zone.clone()))?;
        let mut shifts: Vec<_> =
            profile.shifts.iter().map(|Shift { name, begins }| (*begins, Arc::from(name.as_str()))).collect();
        shifts.sort_unstable();
        Ok(Self { zone, begins: profile.gaming_day, shifts, known: None })
    }

    pub(super) fn at(&mut self, time: Time) -> Result<Day, BadDay> {
        let minute = time.0 / MINUTE;
        if let Some((known, day)) = &self.known
            && *known == minute
        {
            return Ok(day.clone());
        }
        let (date, shift) = self.reckon(time).ok_or(BadDay::Time(time.0))?;
        let day = Day { date: date.to_string().into(), shift };
        self.known = Some((minute, day.clone()));
        Ok(day)
    }

    fn reckon(&self, time: Time) -> Option<(Date, Arc<str>)> {
        let local = Timestamp::from_millisecond(time.0.try_into().ok()?).ok()?.to_zoned(self.zone.clone()).datetime();
        let minutes = u16::try_from(local.hour()).ok()? * 60 + u16::try_from(local.minute()).ok()?;
        let day: Date = if minutes < self.begins { local.date().checked_sub(1.day()).ok()? } else { local.date() };
        // Before the first shift of a calendar day the last one of the day before goes on.
        let shift = self.shifts.iter().rev().find(|(begins, _)| *begins <= minutes).or(self.shifts.last());
        Some((day, shift.map_or_else(|| Arc::from(""), |(_, name)| Arc::clone(name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A moment as it is written in UTC.
    fn time(text: &str) -> Time {
        Time(text.parse::<Timestamp>().unwrap().as_millisecond().try_into().unwrap())
    }

    #[test]
    fn a_day_begins_in_the_morning_of_the_profile() {
        let mut days = GamingDays::of(&Profile::singapore()).unwrap();
        for (moment, date, shift) in [
            ("2027-01-14T21:59:59.999Z", "2027-01-14", "night"),
            ("2027-01-14T22:00:00Z", "2027-01-15", "day"),
            ("2027-01-15T05:59:59Z", "2027-01-15", "day"),
            ("2027-01-15T06:00:00Z", "2027-01-15", "swing"),
            ("2027-01-15T14:00:00Z", "2027-01-15", "night"),
            ("2027-01-15T16:00:00Z", "2027-01-15", "night"),
        ] {
            let day = days.at(time(moment)).unwrap();
            assert_eq!((&*day.date, &*day.shift), (date, shift), "{moment}");
            assert_eq!(gaming_day(&Profile::singapore(), time(moment)).map(|day| day.to_string()), Ok(date.to_owned()));
        }
    }

    #[test]
    fn summer_time_moves_the_beginning() {
        let mut days =
            GamingDays::of(&Profile { time_zone: "America/Los_Angeles".to_owned(), ..Profile::singapore() }).unwrap();
        for (moment, date) in [
            ("2027-01-15T13:59:00Z", "2027-01-14"),
            ("2027-01-15T14:00:00Z", "2027-01-15"),
            ("2027-07-15T12:59:00Z", "2027-07-14"),
            ("2027-07-15T13:00:00Z", "2027-07-15"),
        ] {
            assert_eq!(&*days.at(time(moment)).unwrap().date, date, "{moment}");
        }
    }

    #[test]
    fn a_zone_that_nobody_knows_is_named() {
        let bad = GamingDays::of(&Profile { time_zone: "Asia/Nowhere".to_owned(), ..Profile::singapore() });
        assert_eq!(bad.err(), Some(BadDay::TimeZone("Asia/Nowhere".to_owned())));
        let late = GamingDays::of(&Profile::singapore()).unwrap().at(Time(u64::MAX));
        assert_eq!(late, Err(BadDay::Time(u64::MAX)));
    }
}
