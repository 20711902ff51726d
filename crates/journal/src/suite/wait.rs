//! Waiting for what another process or thread does.

use std::time::{Duration, Instant};

/// A test that waits for longer than this has failed. Nothing that works takes so long, however busy the machine is; how long
/// something takes is for a benchmark to say.
pub const HANG_LIMIT: Duration = Duration::from_mins(2);

/// What is waited for is another process's business, which cannot wake this one: it is looked at so often.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until there is something to give.
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

/// Waits until it is so.
///
/// # Panics
/// If it is not so after [`HANG_LIMIT`].
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}
