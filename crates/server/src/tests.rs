//! Helpers that the unit tests of several modules share.

pub(crate) mod plan;
pub(crate) mod played;
pub(crate) mod running;
