//! Invariants: what must hold after every step. A machine that breaks one has a bug.

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {detail}")]
pub struct Broken {
    /// The invariant.
    pub name: &'static str,
    /// What is wrong.
    pub detail: String,
}

pub(crate) fn hold(name: &'static str, holds: bool, detail: impl Fn() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken { name, detail: detail() }) }
}
