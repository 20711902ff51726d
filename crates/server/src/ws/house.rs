//! Pit, cage and audit screens. Each follows lists of the House; commands go to the House.

use axum::Extension;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use serde::Deserialize;
use taisai_endpoint::endpoint;
use taisai_engine::Topic;
use taisai_table::{ApprovalId, CommandId, Role};

use super::staff::Source;
use super::{CloseReason, SignInWatch, SocketSession, UnreadableCommands, reply_or_close, run_session, upgrade};
use crate::auth::commands::{self, PersonCommand};
use crate::auth::{self, SignedIn};
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::http::reply::NumberedReplies;
use crate::http::request::{PathParams, QueryParams};
use crate::server::SharedServer;
use crate::vouchers::HouseAct;
use crate::ws::connection::Connection;

/// A screen of the whole casino.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HouseScreen {
    /// Supervisors and managers.
    Pit,
    /// Cashiers and attendants.
    Cage,
    /// Auditors.
    Audit,
}

impl HouseScreen {
    const fn topic(self) -> Topic {
        match self {
            Self::Pit => Topic::Pit,
            Self::Cage => Topic::Cage,
            Self::Audit => Topic::Audit,
        }
    }

    const fn roles(self) -> &'static [Role] {
        match self {
            Self::Pit => &[
                Role::PitSupervisor,
                Role::PitManager,
                Role::ShiftManager,
                Role::CasinoManager,
                Role::Administrator,
                Role::Auditor,
            ],
            Self::Cage => &[Role::Cashier, Role::Attendant, Role::ShiftManager, Role::CasinoManager, Role::Auditor],
            Self::Audit => &[Role::Auditor, Role::ShiftManager, Role::CasinoManager],
        }
    }
}

/// What a screen of the casino sends: commands, each under the next number of its source.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FromHouseScreen {
    commands: Vec<HouseScreenCommand>,
}

/// A command of a person for the House.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = HouseScreenCommand))]
#[serde(deny_unknown_fields)]
struct HouseScreenCommand {
    sequence: u64,
    /// The second person's approval, where the act needs one.
    approval: Option<ApprovalId>,
    command: HouseAct,
}

struct HouseScreenSession {
    server: SharedServer,
    /// The source of the sign-in, and the source of this screen's own commands.
    login: u64,
    source: u64,
    connection: Connection,
    unreadable: UnreadableCommands,
}

impl SocketSession for HouseScreenSession {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        for HouseScreenCommand { sequence, approval, command } in
            self.unreadable.commands(text, |FromHouseScreen { commands }| commands)?
        {
            let by = auth::still(&self.server, self.login, true).await?;
            let id = CommandId { source: self.source, sequence };
            let answer = commands::at_house(&self.server, PersonCommand { by, id, approval, command }).await;
            self.connection.send(NumberedReplies::one(sequence, reply_or_close(answer)?));
        }
        Ok(())
    }
}

/// The socket of the pit, the cage or the audit screen.
#[endpoint(
    get,
    "/house/{screen}",
    params(("screen" = HouseScreen, Path, description = "Which screen"), Source),
    responses((status = 101, description = "A WebSocket"))
)]
pub(super) async fn connect(
    State(server): State<SharedServer>,
    PathParams(screen): PathParams<HouseScreen>,
    QueryParams(Source { source }): QueryParams<Source>,
    by: SignedIn,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    if !by.person.roles.any(screen.roles()) {
        return Err(Denied::NotForYou);
    }
    let source = auth::screen_source(&server, &by, source).await?;
    Ok(upgrade(socket, held, move |mut socket| async move {
        let (connection, messages) = Connection::new();
        let reason = match server.node.house().subscribe(screen.topic(), source, connection.clone()).await {
            Ok(()) => {
                let _watch = SignInWatch::over(&server, by.source, Some(screen.roles()), connection.clone());
                let mut session = HouseScreenSession {
                    server: server.clone(),
                    login: by.source,
                    source,
                    unreadable: UnreadableCommands::new(connection.clone()),
                    connection,
                };
                run_session(&mut socket, &mut session, messages, &server).await
            }
            Err(stopped) => stopped.into(),
        };
        drop(server);
        reason.close(socket).await;
    }))
}
