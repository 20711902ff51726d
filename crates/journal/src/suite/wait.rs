//! Waiting for what another process or thread does.

use std::time::{Duration, Instant};

/// A test that waits for longer than this has failed. Nothing that works takes this long, however busy the machine is.
pub const HANG_LIMIT: Duration = Duration::from_mins(2);

/// Another process cannot wake this one, so it polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until `find` finds something.
///
/// # Panics
/// If there is nothing after [`HANG_LIMIT`].
#[track_caller]
pub fn wait_for<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(begun.elapsed() < HANG_LIMIT, "{what}, or should be");
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// If it does not hold after [`HANG_LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
