//! What every machine has in common: a command as it was asked, what was decided, and the entry that the record keeps.

use serde::{Deserialize, Serialize};

use crate::identity::{Actor, CommandId, Time};
use crate::recent::Verdict;
use crate::refusal::Refusal;

/// A command as it was asked: when, by whom, under which id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRequest<C> {
    /// When it reached the machine.
    pub time: Time,
    /// Who asks.
    pub actor: Actor,
    /// Under which id.
    pub id: CommandId,
    /// What is asked.
    pub command: C,
}

/// What a machine decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision<E> {
    /// It is carried out, with this event.
    Accepted(E),
    /// It is not carried out. The refusal is recorded.
    Refused(Refusal),
    /// It was answered before; nothing is recorded, nothing changes.
    Repeated(Verdict),
}

impl<E> Decision<E> {
    /// How the command is answered.
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Accepted(_) => Verdict::Accepted,
            Self::Refused(refusal) => Verdict::Refused(*refusal),
            Self::Repeated(verdict) => *verdict,
        }
    }
}

/// What the record keeps of a command: how it was asked, and the event or the refusal. An event holds only what the
/// command does not say already; both together change the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<C, E> {
    /// How it was asked.
    pub request: CommandRequest<C>,
    /// What happened.
    pub outcome: Result<E, Refusal>,
}

impl<C, E> Entry<C, E> {
    /// How the command was answered.
    pub fn verdict(&self) -> Verdict {
        match &self.outcome {
            Ok(_) => Verdict::Accepted,
            Err(refusal) => Verdict::Refused(*refusal),
        }
    }
}
