//! Times between things, in milliseconds of the installation's clock.

use taisai_table::Time;

/// How long something lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Millis(pub(crate) u64);

impl Millis {
    /// The moment this long after another.
    pub(crate) const fn after(self, time: Time) -> Time {
        Time(time.0.saturating_add(self.0))
    }
}

/// A message is held long before that, unless its receiver has moved to another node: then it is sent again.
pub(crate) const RETRY_INTERVAL: Millis = Millis(1_000);

/// The earliest of some times.
pub(crate) fn earliest<const N: usize>(timers: [Option<Time>; N]) -> Option<Time> {
    timers.into_iter().flatten().min()
}
