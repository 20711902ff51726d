//! Staff screens at a table, above all the Game Console. Commands are those of the person who is signed in.

use axum::Extension;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use serde::Deserialize;
use taisai_endpoint::endpoint;
use taisai_engine::{NewestCommand, Topic};
use taisai_table::{ApprovalId, CommandId, Person, Position, Role, Round, TableId};

use super::{CloseReason, SignInWatch, SocketSession, UnreadableCommands, reply_or_close, run_session, upgrade};
use crate::auth::commands::{self, PersonCommand, TableCommand};
use crate::auth::{self, SignedIn};
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::http::reply::NumberedReplies;
use crate::http::request::{PathParams, QueryParams};
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;
use crate::server::SharedServer;
use crate::ws::connection::Connection;

/// What a staff screen sends: commands, each under the next number of its source.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FromStaff {
    commands: Vec<StaffCommand>,
}

/// A command of a person.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = StaffCommand))]
#[serde(deny_unknown_fields)]
struct StaffCommand {
    sequence: u64,
    /// The second person's approval, where the act needs one.
    approval: Option<ApprovalId>,
    command: TableCommand,
}

/// Roles that may open a staff screen at a table, beside the people assigned to it.
const TABLE_ROLES: &[Role] = &[
    Role::Dealer,
    Role::PitSupervisor,
    Role::PitManager,
    Role::ShiftManager,
    Role::CasinoManager,
    // Clears locks at the seats of the table.
    Role::Attendant,
];

/// Whether the person works at this table: others see only the public view.
async fn works_at(handle: &TableHandle, person: Person) -> Result<bool, Stopped> {
    if person.roles.any(TABLE_ROLES) {
        return Ok(true);
    }
    let positions = [Position::Dealer, Position::Supervisor, Position::Manager];
    let works = move |round: &Round| positions.into_iter().any(|position| round.holder(position) == Some(person.id));
    handle.read_round(works).await
}

/// Which source the screen goes on with.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(super) struct Source {
    /// The source that this screen had before; a new one where it is left out.
    pub(super) source: Option<u64>,
}

struct Console {
    server: SharedServer,
    table: TableId,
    /// The source of the sign-in, and the source of this screen's own commands.
    login: u64,
    source: u64,
    connection: Connection,
    unreadable: UnreadableCommands,
}

impl SocketSession for Console {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        for StaffCommand { sequence, approval, command } in
            self.unreadable.commands(text, |FromStaff { commands }| commands)?
        {
            let by = auth::still(&self.server, self.login, true).await?;
            let id = CommandId { source: self.source, sequence };
            let answer =
                commands::at_table(&self.server, self.table, PersonCommand { by, id, approval, command }).await;
            self.connection.send(NumberedReplies::one(sequence, reply_or_close(answer)?));
        }
        Ok(())
    }
}

/// The socket of a Game Console, or of another staff screen at a table.
#[endpoint(
    get,
    "/tables/{table}/console",
    params(("table" = u16, Path, description = "The table"), Source),
    responses((status = 101, description = "A WebSocket"))
)]
pub(super) async fn connect(
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    QueryParams(Source { source }): QueryParams<Source>,
    by: SignedIn,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    let table = TableId(table);
    let handle = server.table(table)?;
    if !works_at(&handle, by.person).await? {
        return Err(Denied::NotForYou);
    }
    let source = auth::screen_source(&server, &by, source).await?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let (connection, messages) = Connection::new();
        let topics = vec![Topic::Public, Topic::Staff];
        let counted = Some(NewestCommand { source, sequence: 0 });
        let reason = match handle.subscribe(topics, counted, connection.clone()).await {
            Ok(()) => {
                let _watch = SignInWatch::over(&server, by.source, None, connection.clone());
                let mut console = Console {
                    server: server.clone(),
                    table,
                    login: by.source,
                    source,
                    unreadable: UnreadableCommands::new(connection.clone()),
                    connection,
                };
                run_session(&mut socket, &mut console, messages, &server).await
            }
            Err(stopped) => stopped.into(),
        };
        drop((server, handle));
        reason.close(socket).await;
    }))
}
