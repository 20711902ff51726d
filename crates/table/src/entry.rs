//! What all machines share: a command request, the decision, and the entry that the record keeps.

use serde::{Deserialize, Serialize};

use crate::identity::{Actor, CommandId, Time};
use crate::recent::Verdict;
use crate::refusal::Refusal;

/// A command with its time, actor and id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRequest<C> {
    /// When the command reached the machine.
    pub time: Time,
    pub actor: Actor,
    pub id: CommandId,
    pub command: C,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision<E> {
    Accepted(E),
    /// The refusal is recorded too.
    Refused(Refusal),
    /// The command was answered before. Nothing is recorded and nothing changes.
    Repeated(Verdict),
}

impl<E> Decision<E> {
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Accepted(_) => Verdict::Accepted,
            Self::Refused(refusal) => Verdict::Refused(*refusal),
            Self::Repeated(verdict) => *verdict,
        }
    }
}

/// What the record keeps of a command: the request, and the event or the refusal. An event holds only what the
/// command does not say already; both together change the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<C, E> {
    /// JSON that is in use calls it `asked`.
    #[serde(rename = "asked")]
    pub request: CommandRequest<C>,
    pub outcome: Result<E, Refusal>,
}

impl<C, E> Entry<C, E> {
    pub fn verdict(&self) -> Verdict {
        match &self.outcome {
            Ok(_) => Verdict::Accepted,
            Err(refusal) => Verdict::Refused(*refusal),
        }
    }
}
