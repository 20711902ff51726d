//! A rate limit: a burst, and one more message at each interval.

use std::time::{Duration, Instant};

/// A token bucket.
#[derive(Debug)]
pub(crate) struct RateLimit {
    most: u32,
    each: Duration,
    left: u32,
    filled: Instant,
}

impl RateLimit {
    pub(crate) fn new(most: u32, each: Duration, now: Instant) -> Self {
        Self { most, each, left: most, filled: now }
    }

    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        while self.left < self.most && now.saturating_duration_since(self.filled) >= self.each {
            self.left += 1;
            self.filled += self.each;
        }
        if self.left == self.most {
            self.filled = now;
        }
        let allows = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_one_for_each_interval() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut pace = RateLimit::new(3, Duration::from_millis(100), start);
        let allowed = |pace: &mut RateLimit, millis| (0..10).filter(|_| pace.allows(after(millis))).count();
        assert_eq!(allowed(&mut pace, 0), 3);
        assert_eq!(allowed(&mut pace, 99), 0);
        assert_eq!(allowed(&mut pace, 100), 1);
        assert_eq!(allowed(&mut pace, 350), 2);
        assert_eq!(allowed(&mut pace, 100_000), 3);
        assert_eq!(allowed(&mut pace, 100_099), 0);
    }
}
