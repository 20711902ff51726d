//! Approvals by a second person, as the server uses them. They live in the House; one fits exactly one act, which it spells out,
//! and is used by one command, which may be sent again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use taisai_table::{
    Act, Actor, Answer, ApprovalId, CommandId, DeviceId, House, HouseCommand, Person, PersonId, Refusal, RoundCommand,
    TableId,
};

use super::SignedIn;
use super::sensitive::Sensitive as _;
use crate::denied::Denied;
use crate::server::Server;
use crate::voucher::{HouseAct, VoucherKey};

/// So many commands that used an approval are remembered; an approval lasts ten minutes.
const REMEMBERED: usize = 1_024;

/// An act that needs a second person. Its JSON, with no second person in it, is what the approval says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum What {
    /// Something in the House.
    House(HouseCommand),
    /// Something at a table.
    Table {
        /// Which.
        table: TableId,
        /// What.
        round: RoundCommand,
    },
    /// A one-time password for a person: whoever gets it can be that person.
    Password {
        /// For whom.
        person: PersonId,
    },
    /// A code for a device that is enrolled already: whoever gets it can be that device.
    Code {
        /// For which.
        device: DeviceId,
    },
}

/// The same in the words of those who ask: a voucher has its number there.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Outside {
    House(HouseAct),
    Table { table: TableId, round: RoundCommand },
    Password { person: PersonId },
    Code { device: DeviceId },
}

impl What {
    /// The one spelling of the act.
    pub(crate) fn text(self) -> String {
        let alone = match self {
            Self::House(command) => Self::House(command.without_second()),
            Self::Table { table, round } => Self::Table { table, round: round.without_second() },
            Self::Password { .. } | Self::Code { .. } => self,
        };
        serde_json::to_string(&alone).expect("a command can be written down")
    }

    /// The one spelling of an act that someone wants approved, however it was spelled: what the second person reads is all
    /// that is in it.
    pub(crate) fn spelled(text: &str, key: &VoucherKey) -> Result<String, Denied> {
        let what = match serde_json::from_str(text).map_err(|_| Denied::BadRequest)? {
            // Nothing that is approved is issued by the command, so its place does not matter.
            Outside::House(act) => Self::House(act.ask(key, CommandId { source: 0, sequence: 0 }).command),
            Outside::Table { table, round } => Self::Table { table, round },
            Outside::Password { person } => Self::Password { person },
            Outside::Code { device } => Self::Code { device },
        };
        Ok(what.text())
    }
}

/// Which command uses which approval.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<BTreeMap<ApprovalId, Claim>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Claim {
    by: PersonId,
    command: CommandId,
    what: String,
    second: Person,
}

/// The person who approved an act, with the roles on file, for the command of that id: the approval was asked for by the same
/// person, for this very act, and was given. Whoever gets it says with [`answered`] what became of the command.
pub(crate) async fn second(
    server: &Server,
    asking: PersonId,
    command: CommandId,
    approval: ApprovalId,
    what: &str,
) -> Result<Person, Denied> {
    if let Some(claim) = server.people.claims.get(approval) {
        // The same command again gets the same second person, so that it is the same for the machine too.
        let is_same = claim.by == asking && claim.command == command && claim.what == what;
        return if is_same { Ok(claim.second) } else { Err(Denied::NotApproved) };
    }
    let expected = what.to_owned();
    let look = move |house: &House| {
        let (_, found) = house.approvals().find(|(id, _)| *id == approval)?;
        match found.answer {
            Answer::Approved(second) if found.by == asking && found.what == expected => {
                house.as_actor(second).filter(|second| second.id != asking)
            }
            Answer::Approved(_) | Answer::Refused(_) | Answer::Waiting => None,
        }
    };
    let second = server.doors.house().look(look).await?.ok_or(Denied::NotApproved)?;
    let claim = Claim { by: asking, command, what: what.to_owned(), second };
    server.people.claims.claim(approval, &claim).ok_or(Denied::NotApproved)
}

/// What became of a command with an approval: carried out, it uses the approval up; refused, the approval is free again.
pub(crate) async fn answered(server: &Server, approval: ApprovalId, is_accepted: bool) -> Result<(), Denied> {
    if is_accepted {
        server.doors.house().own(HouseCommand::WithdrawApproval { approval }).await?;
    } else {
        server.people.claims.by_approval().remove(&approval);
    }
    Ok(())
}

/// Whether a person may do an act of the server's own, once, with the second person that the profile asks for.
pub(crate) async fn may(
    server: &Server,
    signed_in: SignedIn,
    (act, what): (Act, What),
    approval: Option<ApprovalId>,
) -> Result<Option<Person>, Denied> {
    let person = signed_in.fresh()?.person;
    let second = match approval {
        Some(approval) => {
            let once = CommandId { source: server.sources.next(), sequence: 0 };
            Some(second(server, person.id, once, approval, &what.text()).await?)
        }
        None => None,
    };
    let checked = server.profile.check(act, Actor::Person(person), second);
    if let Some(approval) = approval {
        answered(server, approval, checked.is_ok()).await?;
    }
    let denied = |refusal| if refusal == Refusal::NotAllowed { Denied::NotAllowed } else { Denied::NotApproved };
    checked.map(|_| second).map_err(denied)
}

impl Claims {
    fn get(&self, approval: ApprovalId) -> Option<Claim> {
        self.by_approval().get(&approval).cloned()
    }

    /// Claims an approval, unless another command was quicker.
    fn claim(&self, approval: ApprovalId, claim: &Claim) -> Option<Person> {
        let mut claims = self.by_approval();
        let claimed = claims.entry(approval).or_insert_with(|| claim.clone());
        let second = (claimed == claim).then_some(claimed.second);
        while claims.len() > REMEMBERED {
            claims.pop_first();
        }
        second
    }

    fn by_approval(&self) -> MutexGuard<'_, BTreeMap<ApprovalId, Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
