//! The commands of people, over HTTP and over sockets alike: whether the person may use the number, has to give the password
//! again, and has the second person's approval. All else is decided by the machines.

use serde::{Deserialize, Serialize};
use taisai_table::{Actor, ApprovalId, ClusterCommand, CommandId, HouseCommand, RoundCommand, TableId};

use crate::denied::Denied;
use crate::house::HouseMail;
use crate::leaving::{Answer, Reply};
use crate::people::{SignedIn, approvals, sensitive};
use crate::server::Server;

/// A command for one side of a table.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum TableCommand {
    /// For the dealer's side.
    Round(RoundCommand),
    /// For a players' side.
    Cluster {
        /// Its number.
        number: u16,
        /// The command.
        command: ClusterCommand,
    },
}

/// Puts a person's command before a table.
pub(crate) async fn at_table(
    server: &Server,
    by: SignedIn,
    table: TableId,
    id: CommandId,
    approval: Option<ApprovalId>,
    command: TableCommand,
) -> Result<Answer, Denied> {
    let door = server.doors.table(table).ok_or(Denied::Unknown)?;
    if server.is_stopping() && matches!(command, TableCommand::Round(RoundCommand::OpenBets)) {
        return Err(Denied::Stopping);
    }
    let actor = may_send(server, by, id, sensitive::at_table(&command))?;
    let command = approvals::seconded(server, by, approval, command).await?;
    let answer = match command {
        TableCommand::Round(command) => door.ask_round(actor, id, command).await?,
        TableCommand::Cluster { number, command } => door.ask_cluster(number, actor, id, command).await?,
    };
    used(server, approval, &answer).await?;
    Ok(answer)
}

/// Puts a person's command before the House.
pub(crate) async fn at_house(
    server: &Server,
    by: SignedIn,
    id: CommandId,
    approval: Option<ApprovalId>,
    command: HouseCommand,
) -> Result<Answer, Denied> {
    let actor = may_send(server, by, id, sensitive::at_house(&command))?;
    let command = approvals::seconded(server, by, approval, command).await?;
    let revoked = match command {
        HouseCommand::Revoke { device } => Some(device),
        _ => None,
    };
    let answer = server.doors.house().ask(actor, id, command).await?;
    if let (Some(device), Answer::Accepted(_)) = (revoked, &answer) {
        server.devices.cut(device);
    }
    used(server, approval, &answer).await?;
    Ok(answer)
}

/// Whether the person may send a command under that number, and has given the password not long ago where that is asked.
fn may_send(server: &Server, by: SignedIn, id: CommandId, is_sensitive: bool) -> Result<Actor, Denied> {
    if !server.people.owns(&by, id.source) {
        return Err(Denied::NotYours);
    }
    if is_sensitive && !by.is_fresh {
        return Err(Denied::SignInAgain);
    }
    Ok(Actor::Person(by.person))
}

/// An approval serves one act.
async fn used(server: &Server, approval: Option<ApprovalId>, answer: &Answer) -> Result<(), Denied> {
    if let (Some(approval), Answer::Accepted(_)) = (approval, answer) {
        let withdraw = HouseMail::Own(HouseCommand::WithdrawApproval { approval }, Reply::Nobody);
        server.doors.house().send(withdraw).await?;
    }
    Ok(())
}
