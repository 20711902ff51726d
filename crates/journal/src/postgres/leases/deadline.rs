//! Until when a node may answer for its partitions, by its own clock.

use std::time::{Duration, Instant};

/// How long leases last, and how often they are renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTiming {
    lease: Duration,
    heartbeat_interval: Duration,
}

/// A lease or a heartbeat interval out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a lease lasts 100 ms to 10 minutes, and at least three heartbeats fit in it")]
pub struct BadLeaseTiming;

impl LeaseTiming {
    /// Leases that last for `lease` and are renewed every `heartbeat`.
    pub fn new(lease: Duration, heartbeat: Duration) -> Result<Self, BadLeaseTiming> {
        let lasts = Duration::from_millis(100)..=Duration::from_mins(10);
        let is_kept = lasts.contains(&lease) && !heartbeat.is_zero() && heartbeat <= lease / 3;
        if is_kept { Ok(Self { lease, heartbeat_interval: heartbeat }) } else { Err(BadLeaseTiming) }
    }

    /// How long a lease lasts.
    pub const fn lease(self) -> Duration {
        self.lease
    }

    /// The time from one heartbeat to the next.
    pub const fn heartbeat_interval(self) -> Duration {
        self.heartbeat_interval
    }
}

impl Default for LeaseTiming {
    fn default() -> Self {
        Self { lease: Duration::from_secs(3), heartbeat_interval: Duration::from_millis(500) }
    }
}

/// Until when a node may answer for the partitions that it holds.
///
/// It counts from before the renewal was sent. The database starts counting later, so it gives no partition to another
/// node before this deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseDeadline {
    until: Instant,
}

impl LeaseDeadline {
    /// The deadline after a renewal that was sent at this moment and acknowledged.
    pub fn since(sent: Instant, timing: LeaseTiming) -> Self {
        Self { until: sent + timing.lease }
    }

    /// The later of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { until: self.until.max(other.until) }
    }

    /// Whether the node may still answer at that moment.
    pub fn holds(self, now: Instant) -> bool {
        now < self.until
    }

    /// The time that is left.
    pub fn left(self, now: Instant) -> Duration {
        self.until.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn lease_deadline_holds_until_the_lease_ends() {
        let sent = Instant::now();
        let deadline = LeaseDeadline::since(sent, LeaseTiming::default());
        for (after, holds, left) in
            [(0, true, 3_000), (2_999, true, 1), (3_000, false, 0), (3_001, false, 0), (86_400_000, false, 0)]
        {
            let now = sent + millis(after);
            assert_eq!((deadline.holds(now), deadline.left(now)), (holds, millis(left)), "{after} ms");
        }
    }

    #[test]
    fn later_lease_deadline_wins() {
        let sent = Instant::now();
        let (early, late) = (
            LeaseDeadline::since(sent, LeaseTiming::default()),
            LeaseDeadline::since(sent + millis(500), LeaseTiming::default()),
        );
        assert_eq!((early.or(late), late.or(early)), (late, late));
        assert!(!early.holds(sent + millis(3_200)) && early.or(late).holds(sent + millis(3_200)));
    }

    #[test]
    fn lease_timings_out_of_bounds_are_refused() {
        for (lease, heartbeat, is_kept) in [
            (3_000, 500, true),
            (300, 100, true),
            (300, 101, false),
            (300, 0, false),
            (99, 10, false),
            (600_000, 1_000, true),
            (600_001, 1_000, false),
        ] {
            assert_eq!(LeaseTiming::new(millis(lease), millis(heartbeat)).is_ok(), is_kept, "{lease} {heartbeat}");
        }
        assert_eq!(LeaseTiming::new(millis(3_000), millis(500)), Ok(LeaseTiming::default()));
    }
}
