//! Commands of people, over HTTP and WebSocket. The server checks that the source is theirs, that the password is recent enough,
//! and that a second person approved. The machines decide everything else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use taisai_engine::{Input, RoundInput, seat_of};
use taisai_table::{
    Actor, ApprovalId, ClusterCommand, ClusterId, CommandId, DeviceKind, HouseCommand, Refusal, Round, RoundCommand,
    Seat, Sensitive, TableId,
};

use crate::auth::SignedIn;
use crate::auth::approvals::{self, ApprovedAct};
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::node::peer_sender::ForwardedClusterCommand;
use crate::server::{Server, SharedServer};
use crate::vouchers::{EarlierVoucher, HouseAct, HouseRequest, VoucherUse, issued, issued_before, presented, reissued};

/// A command for one side of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonCommand<C> {
    pub(crate) by: SignedIn,
    pub(crate) id: CommandId,
    /// The second person's approval, where the act needs one.
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) command: C,
}

/// Sends a person's command to a table. It is completed even if the client disconnects.
pub(crate) async fn at_table(
    server: &SharedServer,
    table: TableId,
    sent: PersonCommand<TableCommand>,
) -> Result<CommandReply, Denied> {
    let server = Arc::clone(server);
    to_the_end(async move { ask_table(&server, table, sent).await }).await
}

/// Sends a person's command to the House, likewise.
pub(crate) async fn at_house(server: &SharedServer, sent: PersonCommand<HouseAct>) -> Result<CommandReply, Denied> {
    let server = Arc::clone(server);
    to_the_end(async move { ask_house(&server, sent).await }).await
}

/// Runs in a task of its own, so that a client that disconnects cannot cancel it.
pub(crate) async fn to_the_end<T: Send + 'static>(
    act: impl Future<Output = Result<T, Denied>> + Send + 'static,
) -> Result<T, Denied> {
    tokio::spawn(act).await.unwrap_or_else(|broken| {
        tracing::error!(%broken, "a command panicked");
        Err(Denied::Internal)
    })
}

async fn ask_table(server: &Server, table: TableId, sent: PersonCommand<TableCommand>) -> Result<CommandReply, Denied> {
    let handle = server.table(table)?;
    let PersonCommand { by, id, approval, command } = sent;
    let actor = Actor::Person(by.person);
    match command {
        TableCommand::Round(RoundCommand::OpenBets) if server.is_stopping() => Err(Denied::Stopping),
        TableCommand::Round(command) => {
            let sent = PersonCommand { by, id, approval, command };
            let command = seconded(server, sent, |round| ApprovedAct::Table { table, round }).await?;
            // 5.6: dice that were found damaged at one table open no round at another.
            let dice_set = match command {
                RoundCommand::UseDice { dice_set } => Some(dice_set),
                RoundCommand::OpenBets => Some(handle.read_round(Round::dice_set).await?),
                // The table itself records what was announced too early.
                RoundCommand::Conceal { .. } => return Err(Denied::BadCommand),
                _ => None,
            };
            if let Some(dice_set) = dice_set
                && server.node.house().read(move |house| house.is_damaged(dice_set)).await?
            {
                handle.send(Input::Round(RoundInput::DamagedSet { dice_set })).await?;
            }
            Ok(handle.ask_round(actor, id, command).await?)
        }
        TableCommand::Cluster { number, command } => {
            // F86: people have no such command.
            if command.is_of_acceptor() {
                return Err(Denied::BadCommand);
            }
            let sent = PersonCommand { by, id, approval, command };
            let command = seconded(server, sent, |command| ApprovedAct::Cluster { table, number, command }).await?;
            if seat_of(&command) == Some(Seat(0)) {
                return Ok(no_such_seat());
            }
            let cluster = ClusterId { table, number };
            match (server.node.cluster(cluster), &server.peers) {
                (Some(handle), _) => Ok(handle.ask_cluster(number, actor, id, command).await?),
                (None, Some(nodes)) => nodes
                    .ask_cluster(&ForwardedClusterCommand { cluster, actor, id, command })
                    .await
                    .ok_or(Denied::TooSlow),
                (None, None) => Err(Denied::Unknown),
            }
        }
    }
}

async fn ask_house(server: &Server, sent: PersonCommand<HouseAct>) -> Result<CommandReply, Denied> {
    let PersonCommand { by, id, approval, command } = sent;
    let HouseRequest { command, about } = command.into_request(&server.vouchers.key)?;
    if let HouseCommand::Enrol {
        kind: DeviceKind::Terminal { cluster, seat } | DeviceKind::NoteAcceptor { cluster, seat },
        ..
    } = command
        && !server.node.has_place(cluster, seat)
    {
        return Ok(no_such_seat());
    }
    let command = match seconded(server, PersonCommand { by, id, approval, command }, ApprovedAct::House).await? {
        // The second person must read all that is in the act.
        HouseCommand::RequestApproval { act, what } => {
            HouseCommand::RequestApproval { act, what: ApprovedAct::spelled(&what, &server.vouchers.key)? }
        }
        command => command,
    };
    let revoked = if let HouseCommand::Revoke { device } = command { Some(device) } else { None };
    let requested = if let HouseCommand::RequestApproval { what, .. } = &command { Some(what.clone()) } else { None };
    let answer = server.node.house().ask(Actor::Person(by.person), id, command).await?;
    if let (Some(device), CommandReply::Accepted(_)) = (revoked, &answer) {
        server.cut(device, None);
    }
    if let (Some(what), CommandReply::Accepted(None)) = (requested, &answer) {
        return Ok(approvals::requested_before(server, by.person.id, what).await?.unwrap_or(answer));
    }
    match (about, &answer) {
        (VoucherUse::Issues(number, _), CommandReply::Accepted(Some(_))) => issued(server, number).await,
        (VoucherUse::Issues(_, amount), CommandReply::Accepted(None)) => {
            issued_before(server, EarlierVoucher::Sale { by: by.person.id, amount }).await
        }
        (VoucherUse::Presents(hash), _) => presented(server, hash, answer).await,
        (VoucherUse::Replaces(serial, number), _) => reissued(server, (serial, number), answer).await,
        (VoucherUse::Issues(..), CommandReply::Refused(_)) | (VoucherUse::Nothing, _) => Ok(answer),
    }
}

pub(crate) fn no_such_seat() -> CommandReply {
    CommandReply::refused(Refusal::UnknownSeat)
}

fn is_theirs(server: &Server, by: SignedIn, id: CommandId) -> Result<(), Denied> {
    if server.people.uses(&by, id.source) { Ok(()) } else { Err(Denied::NotYours) }
}

/// Checks that the source is the person's, and that a sensitive command comes with a recent password.
fn may_send(server: &Server, by: SignedIn, id: CommandId, command: &impl Sensitive) -> Result<(), Denied> {
    is_theirs(server, by, id)?;
    if command.is_sensitive() { by.fresh().map(drop) } else { Ok(()) }
}

/// The command for the machine: with the second person who approved it, and no other.
async fn seconded<C: Sensitive + Clone>(
    server: &Server,
    PersonCommand { by, id, approval, command }: PersonCommand<C>,
    what: impl FnOnce(C) -> ApprovedAct,
) -> Result<C, Denied> {
    let alone = command.without_second();
    let Some(approval) = approval else {
        may_send(server, by, id, &alone)?;
        return Ok(alone);
    };
    let second = approvals::second(server, by.person.id, approval, what(alone.clone()).text()).await?;
    let command = alone.with_second(second);
    may_send(server, by, id, &command)?;
    approvals::used_by(server, approval, id).await?;
    Ok(command)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tests::running::{ADMINISTRATOR, RunningServer, SUPERVISOR};

    /// Seats count from one, and end where the table does.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_seat_that_nobody_sits_at_is_refused() {
        let house = RunningServer::start().await;
        let supervisor = house.sign_in(SUPERVISOR).await;
        let source = house.get("/me", &supervisor).await.body["source"].clone();
        for (sequence, seat) in [(1, 0), (2, 99)] {
            let buy_in = json!({"buy-in": {"seat": seat, "amount": 10_000}});
            let command = json!({"cluster": {"number": 0, "command": buy_in}});
            let body = json!({"source": source, "sequence": sequence, "approval": null, "command": command});
            let response = house.post("/tables/1/commands", &supervisor, body).await;
            assert_eq!(response.code(), "unknown-seat", "{seat}: {}", response.body);
        }
        let administrator = house.sign_in(ADMINISTRATOR).await;
        let source = house.get("/me", &administrator).await.body["source"].clone();
        for (sequence, (table, number, seat)) in (1..).zip([(1, 0, 0), (1, 0, 99), (1, 1, 1), (2, 0, 1), (1, 0, 1)]) {
            let kind = json!({"terminal": {"cluster": {"table": table, "number": number}, "seat": seat}});
            let enrol = json!({"enrol": {"device": 20, "kind": kind}});
            let body = json!({"source": source, "sequence": sequence, "approval": null, "command": enrol});
            let response = house.post("/house/commands", &administrator, body).await;
            let code = if (table, number, seat) == (1, 0, 1) { "second-person-missing" } else { "unknown-seat" };
            assert_eq!(response.code(), code, "{table} {number} {seat}: {}", response.body);
        }
        house.close().await;
    }
}
