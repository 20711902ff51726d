//! Why a part of the house stops, and with it the whole.

use std::error::Error;

use taisai_engine::WorkerStop;
use taisai_record::NotRecorded;

/// Why a part of the house has stopped.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Stopped {
    /// The record takes nothing more.
    #[error(transparent)]
    Record(#[from] NotRecorded),
    /// A machine refuses what another has for it, or an invariant does not hold.
    #[error(transparent)]
    Engine(#[from] WorkerStop),
    /// This node of a house on several machines holds nothing any more.
    #[error("this node holds no part of the house any more: {0}")]
    Over(String),
    /// A thread of the house broke down.
    #[error("{0} broke down")]
    BrokenDown(&'static str),
    /// The house was closed.
    #[error("the house is closed")]
    Closed,
}

impl Stopped {
    /// Why, down to the first cause.
    pub(crate) fn causes(&self) -> impl Iterator<Item = String> {
        let error: &dyn Error = self;
        std::iter::successors(Some(error), |error: &&dyn Error| (*error).source()).map(ToString::to_string)
    }
}
