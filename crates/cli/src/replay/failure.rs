//! A broken invariant, or a machine that stopped: what a run ends with.

use std::panic::{AssertUnwindSafe, catch_unwind};

use taisai_table::BrokenInvariant;

/// Why a run failed.
#[derive(Debug)]
pub struct RunFailure(
    /// The reason, as it is printed.
    pub String,
);

/// Whether what must hold does.
pub type CheckResult<T = ()> = Result<T, RunFailure>;

impl RunFailure {
    /// A failure with this reason.
    pub fn new(what: &str) -> Self {
        Self(what.to_owned())
    }
}

impl From<BrokenInvariant> for RunFailure {
    fn from(broken: BrokenInvariant) -> Self {
        Self(broken.to_string())
    }
}

impl From<anyhow::Error> for RunFailure {
    fn from(error: anyhow::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// A failure with the name of what must hold, if it does not.
pub fn ensure(name: &str, holds: bool, detail: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(RunFailure(format!("{name}: {}", detail()))) }
}

/// Runs a machine; one that stops is a failure with its message.
pub fn caught<T>(command: &impl std::fmt::Debug, run: impl FnOnce() -> T) -> CheckResult<T> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|entry_text| {
        let text = entry_text.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| entry_text.downcast_ref::<&str>().copied()).unwrap_or("without a word");
        RunFailure(format!("the machine stopped: {text}, at {command:?}"))
    })
}

/// Runs without a word on standard error from machines that stop: what they say is in the failure.
pub fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = run();
    std::panic::set_hook(hook);
    done
}
