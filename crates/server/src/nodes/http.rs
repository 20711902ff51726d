//! What the nodes of a house ask each other. It is no part of what the house describes: nobody else is answered.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use taisai_table::MachineId;

use super::courier::{ForCluster, Forwarded, Letter};
use super::house;
use super::relay::FromNode;
use crate::denied::Denied;
use crate::house::HouseMail;
use crate::leaving::Answer;
use crate::request::Body;
use crate::server::{Server, Shared};
use crate::table::{TableDoor, TableMail};
use crate::{api, config};

/// Where the other nodes ask.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/v1/node/house", post(ask))
        .route("/api/v1/node/cluster", post(ask_cluster))
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
    Json(letters): Json<Vec<Value>>,
) -> Result<Json<Value>, Denied> {
    for letter in letters {
        // Another version may write letters that this one does not know: the others are delivered all the same.
        let letter = match serde_json::from_value::<Letter>(letter) {
            Ok(letter) => letter,
            Err(error) => {
                tracing::warn!(%error, "a letter cannot be read, and is left");
                continue;
            }
        };
        // One that finds its machine gone is sent again; the others are delivered.
        deliver(&server, letter).await.unwrap_or_default();
    }
    Ok(Json(Value::Null))
}

async fn deliver(server: &Server, letter: Letter) -> Result<(), Denied> {
    let is_house_here = || server.nodes.as_ref().is_some_and(|nodes| nodes.is_here(&house()));
    match letter {
        Letter::Message(message) => match message.to() {
            MachineId::House if is_house_here() => server.doors.house().send(HouseMail::Message(message)).await?,
            MachineId::House => {}
            MachineId::Round(table) => put(server.doors.table(table), TableMail::Message(message)).await?,
            MachineId::Cluster(cluster) => put(server.doors.cluster(cluster), TableMail::Message(message)).await?,
        },
        Letter::AtCluster { cluster, at_cluster } => {
            let letter = TableMail::AtCluster { cluster: cluster.number, at_cluster };
            put(server.doors.table(cluster.table), letter).await?;
        }
        Letter::SeatMoney { cluster, seat, money } => {
            let letter = TableMail::SeatMoney { cluster: cluster.number, seat, money };
            put(server.doors.cluster(cluster), letter).await?;
        }
        Letter::Cut { device, enrolled } => server.devices.cut(device, enrolled),
    }
    Ok(())
}

/// Puts a letter into a mailbox, if it is one of this node.
async fn put(door: Option<TableDoor>, letter: TableMail) -> Result<(), Denied> {
    match door {
        Some(door) => Ok(door.send(letter).await?),
        None => Ok(()),
    }
}

/// A command for a cluster, which must be here.
async fn ask_cluster(
    State(server): State<Shared>,
    _: FromNode,
    Body(ForCluster { cluster, actor, id, command }): Body<ForCluster>,
) -> Result<Json<Answer>, Denied> {
    let door = server.doors.cluster(cluster).ok_or(Denied::Elsewhere)?;
    Ok(Json(door.ask_cluster(cluster.number, actor, id, command).await?))
}

/// The tables that run here, as anyone is told of them.
async fn tables(State(server): State<Shared>, _: FromNode) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(api::tables_here(&server).await?))
}

/// How they are set up.
async fn configuration(State(server): State<Shared>, _: FromNode) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(config::api::tables_here(&server).await?))
}
