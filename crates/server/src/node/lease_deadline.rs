//! Until when a node may answer for its partitions, by its own clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use taisai_journal::LeaseDeadline;

/// A deadline that can be renewed or ended while other threads check it.
#[derive(Clone, Debug)]
pub(crate) struct SharedLeaseDeadline(Option<Arc<SharedDeadline>>);

#[derive(Debug)]
struct SharedDeadline {
    begun: Instant,
    /// In milliseconds since `begun`.
    until: AtomicU64,
}

impl SharedLeaseDeadline {
    /// An installation on one machine needs no lease.
    pub(crate) const FOREVER: Self = Self(None);

    pub(super) fn new(deadline: LeaseDeadline) -> Self {
        let now = Instant::now();
        let until = AtomicU64::new(millis(deadline.left(now)));
        Self(Some(Arc::new(SharedDeadline { begun: now, until })))
    }

    /// Extends the deadline, unless it has passed: a publisher that saw it pass has stopped for good.
    pub(super) fn renew_until(&self, deadline: Instant) {
        let Some(lasting) = &self.0 else { return };
        let elapsed = millis(lasting.begun.elapsed());
        let until = millis(deadline.saturating_duration_since(lasting.begun));
        let renew = |before: u64| Some(if elapsed < before { before.max(until) } else { 0 });
        lasting.until.fetch_update(Ordering::AcqRel, Ordering::Acquire, renew).map_or_else(drop, drop);
    }

    /// Ends the lease now.
    pub(crate) fn end(&self) {
        if let Some(lasting) = &self.0 {
            lasting.until.store(0, Ordering::Release);
        }
    }

    pub(crate) fn holds(&self) -> bool {
        let Some(lasting) = &self.0 else { return true };
        lasting.begun.elapsed().as_millis() < u128::from(lasting.until.load(Ordering::Acquire))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use taisai_journal::LeaseTiming;

    use super::*;

    /// A lease that lasts longer than any test.
    const LEASE: Duration = Duration::from_mins(10);

    /// The deadline of a renewal that was sent this long ago.
    fn deadline_since(ago: Duration) -> LeaseDeadline {
        let terms = LeaseTiming::new(LEASE, LEASE / 6).unwrap();
        LeaseDeadline::since(Instant::now().checked_sub(ago).unwrap(), terms)
    }

    #[test]
    fn a_lease_is_renewed_until_it_has_ended() {
        assert!(SharedLeaseDeadline::FOREVER.holds());
        let deadline = SharedLeaseDeadline::new(deadline_since(Duration::from_secs(1)));
        assert!(deadline.holds());
        let later = Instant::now() + 2 * LEASE;
        deadline.renew_until(later);
        assert!(deadline.holds() && deadline.clone().holds());
        deadline.end();
        assert!(!deadline.holds());
        deadline.renew_until(later);
        assert!(!deadline.holds(), "what was over once stays so");
        assert!(!SharedLeaseDeadline::new(deadline_since(LEASE)).holds());
        SharedLeaseDeadline::FOREVER.end();
        assert!(SharedLeaseDeadline::FOREVER.holds());
    }
}
