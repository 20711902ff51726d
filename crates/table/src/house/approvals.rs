//! Approvals by a second person: who requested what, and who answered. The machine that carries out the act checks both
//! people itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{House, HouseDecision, HouseEvent};
use crate::identity::{Actor, CommandId, PersonId, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::check_text;

/// Ten minutes, in milliseconds.
const APPROVAL_LIFETIME: u64 = 10 * 60 * 1_000;

/// The longest description in characters: enough for any act with all its reasons.
const MAX_WHAT_LENGTH: usize = 20_000;

/// How many unused approvals of one person may be open at the same time.
pub const MAX_OPEN_APPROVALS: usize = 8;

/// Counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApprovalId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalAnswer {
    /// Not yet.
    Waiting,
    Approved(PersonId),
    Refused(PersonId),
}

/// A requested approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Approval {
    pub act: Act,
    /// What is to be done.
    pub what: String,
    /// Who requested it.
    pub by: PersonId,
    /// Since when.
    pub asked: Time,
    pub answer: ApprovalAnswer,
    /// The command that it serves, and no other.
    pub used: Option<CommandId>,
}

impl Approval {
    pub(super) const fn new(act: Act, what: String, by: PersonId, asked: Time) -> Self {
        Self { act, what, by, asked, answer: ApprovalAnswer::Waiting, used: None }
    }

    fn is_over(&self, time: Time) -> bool {
        time.0.checked_sub(self.asked.0).is_some_and(|age| age > APPROVAL_LIFETIME)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Approvals {
    pub(super) open: BTreeMap<ApprovalId, Approval>,
    count: u64,
}

impl Approvals {
    pub(super) fn request(&mut self, id: ApprovalId, approval: Approval) {
        self.count = id.0;
        self.open.insert(id, approval);
    }

    pub(super) fn answer(&mut self, id: ApprovalId, answer: ApprovalAnswer) {
        self.open.get_mut(&id).expect("the approval is open").answer = answer;
    }

    pub(super) fn use_for(&mut self, id: ApprovalId, command: CommandId) {
        self.open.get_mut(&id).expect("the approval is open").used = Some(command);
    }

    /// The expired approvals, for a tick to close.
    pub(super) fn over(&self, time: Time) -> impl Iterator<Item = ApprovalId> {
        self.open.iter().filter(move |(_, approval)| approval.is_over(time)).map(|(id, _)| *id)
    }
}

impl House {
    pub(super) fn decide_request_approval(&self, actor: Actor, act: Act, what: &str) -> HouseDecision {
        let person = self.active_actor(actor)?;
        let right = self.profile.right(act);
        if !person.roles.meets(right.first) || right.second.is_none() {
            return Err(Refusal::NotAllowed);
        }
        check_text(what, MAX_WHAT_LENGTH)?;
        let is_open = |approval: &&Approval| approval.by == person.id && approval.used.is_none();
        if self.approvals.open.values().filter(is_open).count() >= MAX_OPEN_APPROVALS {
            return Err(Refusal::TooManyApprovals);
        }
        let number = self.approvals.count.checked_add(1).expect("approvals can be counted");
        Ok(HouseEvent::ApprovalRequested { approval: ApprovalId(number) })
    }

    /// Two-person acts need two identities (F50): nobody can answer their own request, whatever their roles.
    pub(super) fn decide_answer_approval(&self, actor: Actor, time: Time, id: ApprovalId) -> HouseDecision {
        let person = self.active_actor(actor)?;
        let approval = self.approvals.open.get(&id).ok_or(Refusal::UnknownApproval)?;
        let may = self.profile.right(approval.act).second.is_some_and(|roles| person.roles.meets(roles));
        if approval.by == person.id || !may {
            return Err(Refusal::SecondPersonNotAllowed);
        }
        match approval.answer {
            ApprovalAnswer::Waiting if !approval.is_over(time) => Ok(HouseEvent::Done),
            ApprovalAnswer::Waiting | ApprovalAnswer::Approved(_) | ApprovalAnswer::Refused(_) => {
                Err(Refusal::UnknownApproval)
            }
        }
    }

    /// The same command may be sent again as long as the approval is not over.
    pub(super) fn decide_use_approval(
        &self,
        actor: Actor,
        time: Time,
        id: ApprovalId,
        command: CommandId,
    ) -> HouseDecision {
        actor.is_system()?;
        let approval = self.approvals.open.get(&id).ok_or(Refusal::UnknownApproval)?;
        let is_free = approval.used.is_none_or(|used| used == command);
        match approval.answer {
            ApprovalAnswer::Approved(_) if is_free && !approval.is_over(time) => Ok(HouseEvent::Done),
            ApprovalAnswer::Approved(_) | ApprovalAnswer::Refused(_) | ApprovalAnswer::Waiting => {
                Err(Refusal::UnknownApproval)
            }
        }
    }

    pub(super) fn decide_withdraw_approval(&self, actor: Actor, id: ApprovalId) -> HouseDecision {
        let approval = self.approvals.open.get(&id);
        if actor != Actor::System {
            let person = self.active_actor(actor)?;
            if approval.is_some_and(|approval| approval.by != person.id) {
                return Err(Refusal::NotAllowed);
            }
        }
        approval.map(|_| HouseEvent::Done).ok_or(Refusal::UnknownApproval)
    }
}
