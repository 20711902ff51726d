//! Clocks of nodes, which differ from true time, drift and are stepped; and the numbers that nodes give to sources of commands.

use taisai_table::Time;

/// True time when a run begins: the first of January 2024, in milliseconds since 1970.
pub(crate) const BEGIN: u64 = 1_704_067_200_000;

/// How many nodes can share the numbers of sources.
pub(crate) const SLOTS: u64 = 1_024;

/// The clocks of one machine. Steps move the system's clock alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeClock {
    /// How far the system's clock is ahead of true time.
    pub(crate) offset: i64,
    /// How much faster than true time it runs, in millionths.
    pub(crate) drift: i64,
}

impl NodeClock {
    /// Milliseconds that only ever go forward, also while the process is frozen.
    pub(crate) fn monotonic(&self, now: u64) -> u64 {
        let drifted = i128::from(now) * (1_000_000 + i128::from(self.drift)) / 1_000_000;
        u64::try_from(drifted).expect("time goes forward")
    }

    /// The system's clock, in milliseconds since 1970.
    pub(crate) fn system(&self, now: u64) -> u64 {
        (BEGIN + self.monotonic(now)).saturating_add_signed(self.offset)
    }

    /// True time when the monotonic clock will show this, or a little later.
    pub(crate) fn when(&self, monotonic: u64) -> u64 {
        let passed = i128::from(monotonic) * 1_000_000 / (1_000_000 + i128::from(self.drift)) + 1;
        u64::try_from(passed).expect("time goes forward")
    }
}

/// The time that a worker gives to its machines: the system's clock when it was opened, never before the newest time on record, and what
/// has passed since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerClock {
    at: u64,
    /// By the node's monotonic clock.
    started: u64,
}

impl WorkerClock {
    pub(crate) fn start(clock: &NodeClock, now: u64, on_record: Option<Time>) -> Self {
        let next = on_record.map_or(0, |newest| newest.0 + 1);
        Self { at: clock.system(now).max(next), started: clock.monotonic(now) }
    }

    pub(crate) fn now(&self, clock: &NodeClock, now: u64) -> Time {
        Time(self.at + (clock.monotonic(now) - self.started))
    }

    /// A time after it was opened, in milliseconds.
    pub(crate) const fn opened_at(&self, after: u64) -> Time {
        Time(self.at + after)
    }

    /// True time when this clock will show a time.
    pub(crate) fn when(&self, clock: &NodeClock, time: Time) -> u64 {
        clock.when(self.started + time.0.saturating_sub(self.at))
    }
}

/// Numbers for those who send commands: they rise, and no two nodes give the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceNumbers {
    slot: u64,
    last: u64,
}

impl SourceNumbers {
    pub(crate) const fn new(slot: u64) -> Self {
        Self { slot, last: 0 }
    }

    /// A number that nobody had, above those on record.
    pub(crate) fn next(&mut self, system: u64, on_record: u64) -> u64 {
        let least = (system * SLOTS).max(self.last + 1).max(on_record + 1);
        let over = (least + SLOTS - self.slot) % SLOTS;
        self.last = if over == 0 { least } else { least + SLOTS - over };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepped_clock_does_not_move_a_worker_back() {
        let mut clock = NodeClock { offset: 5_000, drift: 200 };
        let worker = WorkerClock::start(&clock, 1_000, None);
        clock.offset -= 3_600_000;
        assert!(worker.now(&clock, 2_000) > worker.now(&clock, 1_500));
        let later = WorkerClock::start(&clock, 2_000, Some(worker.now(&clock, 2_000)));
        assert!(later.now(&clock, 2_000) > worker.now(&clock, 2_000));
        let due = Time(worker.now(&clock, 2_000).0 + 700);
        let when = worker.when(&clock, due);
        assert!(worker.now(&clock, when) >= due && when < 2_710, "{when}");
    }

    #[test]
    fn numbers_of_sources_rise_and_are_not_shared() {
        let (mut one, mut two) = (SourceNumbers::new(1), SourceNumbers::new(2));
        let first = one.next(1_000, 0);
        assert!(one.next(900, 0) > first && two.next(1_000, 0) != first);
        assert!(one.next(900, 9_999_999) > 9_999_999);
    }
}
