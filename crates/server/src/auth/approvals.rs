//! Approvals by a second person. The House keeps them; an approval fits exactly one act, which it spells out, and one command uses
//! it.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;
use taisai_table::{
    Act, Actor, ApprovalAnswer, ApprovalId, ClusterCommand, CommandId, DeviceId, House, HouseCommand, HouseEvent,
    Person, PersonId, Refusal, RoundCommand, Sensitive as _, TableId, VoucherSerial,
};

use super::SignedIn;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::server::Server;
use crate::vouchers::{HouseAct, VoucherKey};

/// An act that needs a second person. The approval contains its JSON, without the second person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ApprovedAct {
    House(HouseCommand),
    Table {
        table: TableId,
        round: RoundCommand,
    },
    Cluster {
        table: TableId,
        number: u16,
        command: ClusterCommand,
    },
    /// The sale of a voucher, whose number is drawn only when it is sold.
    Sale {
        amount: Money,
    },
    /// A voucher is reissued; its number is drawn only then.
    Reissue {
        serial: VoucherSerial,
    },
    /// A one-time password: its holder can act as that person.
    Password {
        person: PersonId,
    },
    /// A code for an enrolled device: its holder can act as that device.
    Code {
        device: DeviceId,
    },
}

/// The same act as clients send it, with voucher numbers.
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
    /// The canonical JSON of the act.
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

    /// The canonical JSON of an act that a client sent, so that the second person reads all that is in it.
    pub(crate) fn spelled(text: &str, key: &VoucherKey) -> Result<String, Denied> {
        let what = match serde_json::from_str(text).map_err(|_| Denied::BadRequest)? {
            // The number of an issued voucher is not part of the approval.
            RequestedAct::House(act) => Self::House(act.into_request(key)?.command),
            RequestedAct::Table { table, round } => Self::Table { table, round },
            RequestedAct::Cluster { table, number, command } => Self::Cluster { table, number, command },
            RequestedAct::Password { person } => Self::Password { person },
            RequestedAct::Code { device } => Self::Code { device },
        };
        Ok(what.text())
    }
}

/// The person who approved this very act for `asking`, with the roles on file. This does not use the approval.
pub(crate) async fn second(
    server: &Server,
    asking: PersonId,
    approval: ApprovalId,
    what: String,
) -> Result<Person, Denied> {
    let read = move |house: &House| {
        let (_, found) = house.approvals().find(|(id, _)| *id == approval)?;
        match found.answer {
            ApprovalAnswer::Approved(second) if found.by == asking && found.what == what => {
                house.as_actor(second).filter(|second| second.id != asking)
            }
            ApprovalAnswer::Approved(_) | ApprovalAnswer::Refused(_) | ApprovalAnswer::Waiting => None,
        }
    };
    server.node.house().read(read).await?.ok_or(Denied::NotApproved)
}

/// The reply to a repeated request: the newest approval of this act that the person requested, if it is still open.
pub(crate) async fn requested_before(
    server: &Server,
    by: PersonId,
    what: String,
) -> Result<Option<CommandReply>, Denied> {
    let newest = move |house: &House| {
        let own = house.approvals().filter(|(_, approval)| approval.by == by && approval.what == what);
        own.map(|(id, _)| id).max()
    };
    let approval = server.node.house().read(newest).await?;
    Ok(approval.map(|approval| CommandReply::with(&HouseEvent::ApprovalRequested { approval })))
}

/// Has the House use an approval for a command, before the command goes to its machine. The same command may be sent again while
/// the approval lasts, also after a restart. The approval is used up even if the machine refuses the command.
pub(crate) async fn used_by(server: &Server, approval: ApprovalId, command: CommandId) -> Result<(), Denied> {
    match server.node.house().own(HouseCommand::UseApproval { approval, command }).await? {
        CommandReply::Accepted(_) => Ok(()),
        CommandReply::Refused(_) => Err(Denied::NotApproved),
    }
}

/// Checks that a person may do an act of the server's own, with the second person that the profile asks for, and uses the approval
/// up.
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
