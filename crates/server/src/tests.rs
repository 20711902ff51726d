//! Helpers that the unit tests of several modules share.

pub(crate) mod played;
pub(crate) mod running;
