//! Why a thread of the node has stopped.

use std::error::Error;

use taisai_engine::WorkerStop;
use taisai_record::RecordingStopped;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Stopped {
    #[error(transparent)]
    Record(#[from] RecordingStopped),
    /// A machine refuses a message of another, or an invariant does not hold.
    #[error(transparent)]
    Engine(#[from] WorkerStop),
    #[error("this node holds no partition any more: {0}")]
    Over(String),
    #[error("{0} panicked")]
    BrokenDown(&'static str),
    #[error("the server is closed")]
    Closed,
}

impl Stopped {
    /// Whether a write or a flush of the store failed.
    pub(crate) fn is_failed_write(&self) -> bool {
        match self {
            Self::Record(stopped) => stopped.is_failed_write(),
            Self::Engine(_) | Self::Over(_) | Self::BrokenDown(_) | Self::Closed => false,
        }
    }

    /// The error and its causes.
    pub(crate) fn causes(&self) -> impl Iterator<Item = String> {
        let error: &dyn Error = self;
        std::iter::successors(Some(error), |error: &&dyn Error| (*error).source()).map(ToString::to_string)
    }
}
