//! What the nodes of a house ask each other. It is no part of what the house describes: nobody else is answered.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;

use super::peer_sender::{ForCluster, Forwarded, PeerMessage};
use super::relay::FromNode;
use crate::config;
use crate::http::api;
use crate::http::denied::Denied;
use crate::http::reply::Answer;
use crate::http::request::Body;
use crate::server::Shared;

/// Where the other nodes ask.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/v1/node/house", post(ask))
        .route("/api/v1/node/cluster", post(ask_cluster))
        .route("/api/v1/node/messages", post(receive))
        .route("/api/v1/node/tables", get(tables))
        .route("/api/v1/node/configuration", get(configuration))
}

/// A command for the House, which must be here.
async fn ask(
    State(server): State<Shared>,
    _: FromNode,
    Body(Forwarded { actor, id, command }): Body<Forwarded>,
) -> Result<Json<Answer>, Denied> {
    if !server.doors.has_house() {
        return Err(Denied::Elsewhere);
    }
    Ok(Json(server.doors.house().ask(actor, id, command).await?))
}

/// Messages for partitions that run here; those for others are sent again by whoever sent them.
async fn receive(
    State(server): State<Shared>,
    _: FromNode,
    Json(messages): Json<Vec<Value>>,
) -> Result<Json<Value>, Denied> {
    for message in messages {
        // Another version may write messages that this one does not know: the others are delivered all the same.
        match serde_json::from_value::<PeerMessage>(message) {
            Ok(PeerMessage::Message(message)) => server.doors.deliver(message).await,
            Ok(PeerMessage::Cut { device, enrolled }) => server.devices.cut(device, enrolled),
            Err(error) => tracing::warn!(%error, "a message cannot be read, and is left"),
        }
    }
    Ok(Json(Value::Null))
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
