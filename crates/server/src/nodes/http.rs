//! What the nodes of a house ask each other. It is no part of what the house describes: nobody else is answered.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;

use super::courier::{Forwarded, Letter};
use super::relay::FromNode;
use super::{house, part_of};
use crate::denied::Denied;
use crate::house::HouseMail;
use crate::leaving::Answer;
use crate::request::Body;
use crate::server::{Server, Shared};
use crate::table::TableMail;
use crate::{api, config};

/// Where the other nodes ask.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/v1/node/house", post(ask))
        .route("/api/v1/node/letters", post(take))
        .route("/api/v1/node/tables", get(tables))
        .route("/api/v1/node/configuration", get(configuration))
}

/// A command for the House, which must be here.
async fn ask(
    State(server): State<Shared>,
    _: FromNode,
    Body(Forwarded { actor, id, command }): Body<Forwarded>,
) -> Result<Json<Answer>, Denied> {
    if !server.nodes.as_ref().is_some_and(|nodes| nodes.is_here(&house())) {
        return Err(Denied::Elsewhere);
    }
    Ok(Json(server.doors.house().ask(actor, id, command).await?))
}

/// Letters for machines that run here; those for others are sent again by whoever sent them.
async fn take(
    State(server): State<Shared>,
    _: FromNode,
    Json(letters): Json<Vec<Letter>>,
) -> Result<Json<Value>, Denied> {
    for letter in letters {
        deliver(&server, letter).await?;
    }
    Ok(Json(Value::Null))
}

async fn deliver(server: &Server, letter: Letter) -> Result<(), Denied> {
    let is_here = |part| server.nodes.as_ref().is_some_and(|nodes| nodes.is_here(&part));
    match letter {
        Letter::Transfer { cluster, transfer } if is_here(house()) => {
            server.doors.house().send(HouseMail::Transfer { cluster, transfer }).await?;
        }
        Letter::ClusterHolds { cluster, number } if is_here(house()) => {
            server.doors.house().send(HouseMail::ClusterHolds { cluster, number }).await?;
        }
        Letter::Receive { cluster, transfer } if is_here(part_of(cluster.table)) => {
            if let Some(table) = server.doors.table(cluster.table) {
                table.send(TableMail::Receive { cluster: cluster.number, transfer }).await?;
            }
        }
        Letter::HouseHolds { cluster, number } if is_here(part_of(cluster.table)) => {
            if let Some(table) = server.doors.table(cluster.table) {
                table.send(TableMail::HouseHolds { cluster: cluster.number, number }).await?;
            }
        }
        Letter::Transfer { .. } | Letter::ClusterHolds { .. } | Letter::Receive { .. } | Letter::HouseHolds { .. } => {}
        Letter::Cut { device } => server.devices.cut(device),
    }
    Ok(())
}

/// The tables that run here, as anyone is told of them.
async fn tables(State(server): State<Shared>, _: FromNode) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(api::tables_here(&server).await?))
}

/// How they are set up.
async fn configuration(State(server): State<Shared>, _: FromNode) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(config::api::tables_here(&server).await?))
}
