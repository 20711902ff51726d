//! Commands over HTTP: one address for each table and one for the House.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use taisai_endpoint::endpoint;
use taisai_table::{ApprovalId, CommandId, TableId};

use crate::auth::SignedIn;
use crate::auth::commands::{self, Sent, TableCommand};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::Answer;
use crate::http::request::{Body, Named};
use crate::server::Shared;
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
        (status = 200, description = "Accepted, or refused by the table", body = Answer),
        (status = 400, description = "The request cannot be read, or there is no such command"),
        (status = 401, description = "Nobody is signed in"),
        (status = 403, description = "The number is another's, or the password is asked again"),
        (status = 404, description = "There is no such table"),
        (status = 503, description = "The house has stopped")
    )
)]
async fn at_table(
    State(server): State<Shared>,
    Named(table): Named<u16>,
    by: SignedIn,
    Body(ForTable { source, sequence, approval, command }): Body<ForTable>,
) -> Result<Json<Answer>, Denied> {
    let id = CommandId { source, sequence };
    Ok(Json(commands::at_table(&server, TableId(table), Sent { by, id, approval, command }).await?))
}

/// Puts a command before the House. The answer comes once the record holds it; the same command sent again gets the same answer.
#[endpoint(
    post,
    "/house/commands",
    request_body = ForHouse,
    responses(
        (status = 200, description = "Accepted, or refused by the House", body = Answer),
        (status = 400, description = "The request cannot be read, or there is no such command"),
        (status = 401, description = "Nobody is signed in"),
        (status = 403, description = "The number is another's, or the password is asked again"),
        (status = 503, description = "The house has stopped")
    )
)]
async fn at_house(
    State(server): State<Shared>,
    by: SignedIn,
    Body(ForHouse { source, sequence, approval, command }): Body<ForHouse>,
) -> Result<Json<Answer>, Denied> {
    let id = CommandId { source, sequence };
    Ok(Json(commands::at_house(&server, Sent { by, id, approval, command }).await?))
}
