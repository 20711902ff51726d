//! The clock and the command sources of the installation. Machines have no clock: the server gives them the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use taisai_rules::Moment;
use taisai_table::{CommandId, Time};

/// The system clock, in milliseconds since 1970.
pub(crate) type System = fn() -> u64;

pub(crate) fn system() -> u64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// How far the system clock may be from the newest entry of the record when a program starts. A casino that runs records something every
/// minute, and no zone, no summer time and no drift makes a day; time that was recorded once is never taken back, and vouchers expire by
/// it.
const MAX_CLOCK_GAP_MILLIS: u64 = 24 * 60 * 60 * 1_000;

/// The system clock and the record are so far apart that a person must say which is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the clock of this machine says {}, and the newest entry of the record is of {}. If this clock is right, and the casino was closed \
     meanwhile, start with --accept-clock; else set the clock. Time on record never goes back: vouchers expire by it",
    utc(self.system),
    utc(self.newest)
)]
pub struct ClockGap {
    system: u64,
    newest: u64,
}

impl ClockGap {
    /// Compares the system clock with the newest entry of the record.
    pub(crate) fn between(system: System, newest: Option<Time>) -> Option<Self> {
        let gap = Self { system: system(), newest: newest?.0 };
        (gap.system.abs_diff(gap.newest) > MAX_CLOCK_GAP_MILLIS).then_some(gap)
    }

    /// By how much the system clock is ahead of the record; nothing where it is behind. Then the time on record goes on, and the House
    /// finds the step by itself.
    pub(crate) fn ahead(self) -> Option<i64> {
        self.system.checked_sub(self.newest).and_then(|millis| i64::try_from(millis).ok())
    }
}

/// A time as people read it.
fn utc(millis: u64) -> String {
    Moment::from_unix_seconds(i64::try_from(millis / 1_000).unwrap_or(i64::MAX / 1_000)).to_string()
}

/// Starts at the system's time and then runs on a monotonic clock, so that setting the system clock changes no round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    system: System,
    started: Instant,
    at: u64,
}

impl Clock {
    /// Starts after everything on record: time never goes back.
    pub(crate) fn start(system: System, on_record: Option<Time>) -> Self {
        let next = on_record.map_or(0, |newest| newest.0 + 1);
        Self { system, started: Instant::now(), at: system().max(next) }
    }

    /// This clock, or one that starts after the newest entry of a chain where that is later. However the system clock was set meanwhile,
    /// it is not looked at.
    pub(crate) fn after(&self, on_record: Option<Time>) -> Self {
        let next = on_record.map_or(0, |newest| newest.0 + 1);
        if next > self.now().0 { Self { started: Instant::now(), at: next, ..*self } } else { *self }
    }

    pub(crate) fn now(&self) -> Time {
        Time(self.at + millis(self.started.elapsed()))
    }

    /// When this clock shows that time.
    pub(crate) fn at(&self, time: Time) -> Instant {
        self.started + Duration::from_millis(time.0.saturating_sub(self.at))
    }

    /// By how many milliseconds the system clock is ahead of this one.
    pub(crate) fn stepped(&self) -> i64 {
        i64::try_from(i128::from((self.system)()) - i128::from(self.now().0)).unwrap_or(i64::MAX)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Numbers for those who send commands. They rise even over restarts, because each is at least the time and above those on record.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    clock: Clock,
    share: Share,
    last: Arc<AtomicU64>,
}

/// The share of a node in the source numbers: one of every `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) slot: u64,
    pub(crate) of: u64,
}

impl Share {
    pub(crate) const ALL: Self = Self { slot: 0, of: 1 };

    /// The lowest number of this share that is not below `number`.
    const fn from(self, number: u64) -> u64 {
        let over = (number + self.of - self.slot) % self.of;
        if over == 0 { number } else { number + self.of - over }
    }
}

impl Sources {
    pub(crate) fn new(clock: Clock, share: Share) -> Self {
        Self { clock, share, last: Arc::new(AtomicU64::new(0)) }
    }

    /// Later numbers will be above this one, which is on record.
    pub(crate) fn above(&self, highest: u64) {
        self.last.fetch_max(highest, Ordering::Relaxed);
    }

    /// A number that nobody had before.
    pub(crate) fn next(&self) -> u64 {
        let now = self.clock.now().0 * self.share.of;
        let next = |last: u64| self.share.from(now.max(last + 1));
        let taken = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(taken.unwrap_or_else(|last| last))
    }
}

/// Ids for the server's own commands.
#[derive(Debug)]
pub(crate) struct OwnIds {
    source: u64,
    sequence: u64,
}

impl OwnIds {
    pub(crate) fn new(sources: &Sources) -> Self {
        Self { source: sources.next(), sequence: 0 }
    }

    pub(crate) fn next(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: self.source, sequence: self.sequence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1_000;

    #[test]
    fn a_clock_more_than_a_day_from_the_record_is_a_gap() {
        const SYSTEM: u64 = 100 * DAY;
        let gap = |newest: u64| ClockGap::between(|| SYSTEM, Some(Time(newest)));
        for newest in [SYSTEM, SYSTEM - DAY, SYSTEM + DAY] {
            assert_eq!(gap(newest), None, "{newest}");
        }
        assert_eq!(ClockGap::between(|| SYSTEM, None), None, "there is no record");
        let (ahead, behind) = (gap(SYSTEM - DAY - 1).unwrap(), gap(SYSTEM + DAY + 1).unwrap());
        assert_eq!((ahead.ahead(), behind.ahead()), (Some(86_400_001), None));
        let said = behind.to_string();
        for word in ["1970-04-11 00:00 +00:00", "1970-04-12 00:00 +00:00", "--accept-clock"] {
            assert!(said.contains(word), "{said}");
        }
    }

    /// The system clock is set ahead by a year while the program runs, and then a chain is opened.
    #[test]
    fn a_step_of_the_system_clock_moves_no_time_that_is_recorded() {
        static SYSTEM: AtomicU64 = AtomicU64::new(1_000_000);
        let clock = Clock::start(|| SYSTEM.load(Ordering::Relaxed), None);
        SYSTEM.store(1_000_000 + 365 * DAY, Ordering::Relaxed);
        let opened = clock.after(Some(Time(2_000)));
        assert!(clock.now().0 < DAY && opened.now().0 < DAY, "{opened:?}");
        assert!(opened.stepped() > 364 * 86_400_000, "it is reported");
        assert!(clock.after(Some(Time(5_000_000))).now().0 > 5_000_000, "time goes on after what is on record");
    }

    #[test]
    fn nodes_never_give_the_same_source_number() {
        let clock = Clock::start(|| 1_000, None);
        for (slot, highest) in [(0, 0), (7, 0), (7, 5_000_000), (1_023, 1_024_000), (3, 2_000_003)] {
            let sources = Sources::new(clock, Share { slot, of: 1_024 });
            sources.above(highest);
            let given: Vec<_> = (0..100).map(|_| sources.next()).collect();
            assert!(given.iter().all(|number| number % 1_024 == slot && *number > highest), "{slot} {given:?}");
            assert!(given.is_sorted_by(|one, next| one < next));
        }
        let alone = Sources::new(clock, Share::ALL);
        alone.above(2_000_000);
        assert_eq!((alone.next(), alone.next()), (2_000_001, 2_000_002));
    }
}
