//! Approvals by a second person, as the server uses them. They live in the House; one fits exactly one act, which it spells out,
//! and is used by one command, which may be sent again.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;
use taisai_table::{
    Act, Actor, ApprovalAnswer, ApprovalId, ClusterCommand, CommandId, DeviceId, House, HouseCommand, HouseEvent,
    Person, PersonId, Refusal, RoundCommand, TableId, VoucherSerial,
};

use super::SignedIn;
use super::sensitive::Sensitive as _;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::server::Server;
use crate::vouchers::{HouseAct, VoucherKey};

/// An act that needs a second person. Its JSON, with no second person in it, is what the approval says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ApprovedAct {
    /// Something in the House.
    House(HouseCommand),
    /// Something at a table.
    Table {
        /// Which.
        table: TableId,
        /// What.
        round: RoundCommand,
    },
    /// Something at a seat.
    Cluster {
        /// Of which table.
        table: TableId,
        /// In which cluster.
        number: u16,
        /// What.
        command: ClusterCommand,
    },
    /// The sale of a voucher. Its number is drawn when it is sold.
    Sale {
        /// For how much.
        amount: Money,
    },
    /// A voucher is issued anew. Its number is drawn then.
    Reissue {
        /// Which.
        serial: VoucherSerial,
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
enum RequestedAct {
    House(HouseAct),
    Table { table: TableId, round: RoundCommand },
    Cluster { table: TableId, number: u16, command: ClusterCommand },
    Password { person: PersonId },
    Code { device: DeviceId },
}

impl ApprovedAct {
    /// The one spelling of the act.
    pub(crate) fn text(self) -> String {
        let alone = match self {
            Self::House(HouseCommand::SellVoucher { amount, .. }) => Self::Sale { amount },
            Self::House(HouseCommand::ReissueVoucher { serial, .. }) => Self::Reissue { serial },
            Self::House(command) => Self::House(command.without_second()),
            Self::Table { table, round } => Self::Table { table, round: round.without_second() },
            Self::Cluster { table, number, command } => {
                Self::Cluster { table, number, command: command.without_second() }
            }
            Self::Sale { .. } | Self::Reissue { .. } | Self::Password { .. } | Self::Code { .. } => self,
        };
        serde_json::to_string(&alone).expect("a command can be written down")
    }

    /// The one spelling of an act that someone wants approved, however it was spelled: what the second person reads is all
    /// that is in it.
    pub(crate) fn spelled(text: &str, key: &VoucherKey) -> Result<String, Denied> {
        let what = match serde_json::from_str(text).map_err(|_| Denied::BadRequest)? {
            // The number of a voucher that is issued is no part of what is approved.
            RequestedAct::House(act) => Self::House(act.ask(key)?.command),
            RequestedAct::Table { table, round } => Self::Table { table, round },
            RequestedAct::Cluster { table, number, command } => Self::Cluster { table, number, command },
            RequestedAct::Password { person } => Self::Password { person },
            RequestedAct::Code { device } => Self::Code { device },
        };
        Ok(what.text())
    }
}

/// The person who approved an act, with the roles on file: the approval was asked for by the same person, for this very act, and
/// was given. It is not used by this.
pub(crate) async fn second(
    server: &Server,
    asking: PersonId,
    approval: ApprovalId,
    what: String,
) -> Result<Person, Denied> {
    let look = move |house: &House| {
        let (_, found) = house.approvals().find(|(id, _)| *id == approval)?;
        match found.answer {
            ApprovalAnswer::Approved(second) if found.by == asking && found.what == what => {
                house.as_actor(second).filter(|second| second.id != asking)
            }
            ApprovalAnswer::Approved(_) | ApprovalAnswer::Refused(_) | ApprovalAnswer::Waiting => None,
        }
    };
    server.node.house().look(look).await?.ok_or(Denied::NotApproved)
}

/// The answer to a request that was made when it was sent before: the newest approval of this act that the person asked for. None where it
/// is over.
pub(crate) async fn requested_before(
    server: &Server,
    by: PersonId,
    what: String,
) -> Result<Option<CommandReply>, Denied> {
    let newest = move |house: &House| {
        let own = house.approvals().filter(|(_, approval)| approval.by == by && approval.what == what);
        own.map(|(id, _)| id).max()
    };
    let approval = server.node.house().look(newest).await?;
    Ok(approval.map(|approval| CommandReply::with(&HouseEvent::ApprovalRequested { approval })))
}

/// Has the House use an approval for a command, before the command is put before its machine. The same command may be sent again
/// until the approval is over, also when the program was started anew. An approval is used up also where the machine then refuses
/// the act: whoever asks again under another number needs another one.
pub(crate) async fn used_by(server: &Server, approval: ApprovalId, command: CommandId) -> Result<(), Denied> {
    match server.node.house().own(HouseCommand::UseApproval { approval, command }).await? {
        CommandReply::Accepted(_) => Ok(()),
        CommandReply::Refused(_) => Err(Denied::NotApproved),
    }
}

/// Whether a person may do an act of the server's own, once, with the second person that the profile asks for. If so, the
/// approval is used up, whatever becomes of the act.
pub(crate) async fn may(
    server: &Server,
    signed_in: SignedIn,
    (act, what): (Act, ApprovedAct),
    approval: Option<ApprovalId>,
) -> Result<Option<Person>, Denied> {
    let person = signed_in.fresh()?.person;
    let second = match approval {
        Some(approval) => Some(second(server, person.id, approval, what.text()).await?),
        None => None,
    };
    let denied = |refusal| if refusal == Refusal::NotAllowed { Denied::NotAllowed } else { Denied::NotApproved };
    server.profile.check(act, Actor::Person(person), second).map_err(denied)?;
    if let Some(approval) = approval {
        used_by(server, approval, CommandId { source: server.sources.next(), sequence: 0 }).await?;
    }
    Ok(second)
}
