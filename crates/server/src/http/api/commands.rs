//! Commands over HTTP: one address for each table and one for the House.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use taisai_endpoint::endpoint;
use taisai_table::{ApprovalId, CommandId, TableId};

use crate::auth::SignedIn;
use crate::auth::commands::{self, PersonCommand, TableCommand};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::http::request::{JsonBody, PathParams};
use crate::server::SharedServer;
use crate::vouchers::HouseAct;

pub(super) fn routes() -> Routes {
    Routes::of([at_table::add_to, at_house::add_to])
}

/// A command for a table, under the next number of its source.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct ForTable {
    /// A source of this sign-in.
    source: u64,
    /// The number of the command: they rise.
    sequence: u64,
    /// The second person's approval, where the act needs one.
    approval: Option<ApprovalId>,
    command: TableCommand,
}

/// A command for the House, under the next number of its source.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct ForHouse {
    /// A source of this sign-in.
    source: u64,
    /// The number of the command: they rise.
    sequence: u64,
    /// The second person's approval, where the act needs one.
    approval: Option<ApprovalId>,
    command: HouseAct,
}

/// Puts a command before a table. The answer comes once the record holds it; the same command sent again gets the same answer.
#[endpoint(
    post,
    "/tables/{table}/commands",
    params(("table" = u16, Path, description = "The table")),
    request_body = ForTable,
    responses(
        (status = 200, description = "Accepted, or refused by the table", body = CommandReply),
        (status = 400, description = "The request cannot be read, or there is no such command"),
        (status = 401, description = "Nobody is signed in"),
        (status = 403, description = "The number is another's, or the password is asked again"),
        (status = 404, description = "There is no such table"),
        (status = 503, description = "The server has stopped")
    )
)]
async fn at_table(
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    by: SignedIn,
    JsonBody(ForTable { source, sequence, approval, command }): JsonBody<ForTable>,
) -> Result<Json<CommandReply>, Denied> {
    let id = CommandId { source, sequence };
    Ok(Json(commands::at_table(&server, TableId(table), PersonCommand { by, id, approval, command }).await?))
}

/// Puts a command before the House. The answer comes once the record holds it; the same command sent again gets the same answer.
#[endpoint(
    post,
    "/house/commands",
    request_body = ForHouse,
    responses(
        (status = 200, description = "Accepted, or refused by the House", body = CommandReply),
        (status = 400, description = "The request cannot be read, or there is no such command"),
        (status = 401, description = "Nobody is signed in"),
        (status = 403, description = "The number is another's, or the password is asked again"),
        (status = 503, description = "The server has stopped")
    )
)]
async fn at_house(
    State(server): State<SharedServer>,
    by: SignedIn,
    JsonBody(ForHouse { source, sequence, approval, command }): JsonBody<ForHouse>,
) -> Result<Json<CommandReply>, Denied> {
    let id = CommandId { source, sequence };
    Ok(Json(commands::at_house(&server, PersonCommand { by, id, approval, command }).await?))
}
