//! Invariants: what must hold after every entry. A machine that breaks one has a bug.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {detail}")]
pub struct BrokenInvariant {
    /// The invariant.
    pub name: &'static str,
    /// What is wrong.
    pub detail: String,
}

pub(crate) fn hold(name: &'static str, holds: bool, detail: impl Fn() -> String) -> Result<(), BrokenInvariant> {
    if holds { Ok(()) } else { Err(BrokenInvariant { name, detail: detail() }) }
}
