//! What the nodes of a house ask each other. It is no part of what the house describes: nobody else is answered.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;

use super::peer_sender::{ForwardedClusterCommand, ForwardedHouseCommand, PeerMessage};
use super::relay::FromPeer;
use crate::config;
use crate::http::api;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::http::request::JsonBody;
use crate::server::SharedServer;

/// Where the other nodes ask.
pub(crate) fn routes() -> Router<SharedServer> {
    Router::new()
        .route("/api/v1/node/house", post(ask))
        .route("/api/v1/node/cluster", post(ask_cluster))
        .route("/api/v1/node/messages", post(receive))
        .route("/api/v1/node/tables", get(tables))
        .route("/api/v1/node/configuration", get(configuration))
}

/// A command for the House, which must be here.
async fn ask(
    State(server): State<SharedServer>,
    _: FromPeer,
    JsonBody(ForwardedHouseCommand { actor, id, command }): JsonBody<ForwardedHouseCommand>,
) -> Result<Json<CommandReply>, Denied> {
    if !server.node.has_house() {
        return Err(Denied::Elsewhere);
    }
    Ok(Json(server.node.house().ask(actor, id, command).await?))
}

/// Messages for partitions that run here; those for others are sent again by whoever sent them.
async fn receive(
    State(server): State<SharedServer>,
    _: FromPeer,
    Json(messages): Json<Vec<Value>>,
) -> Result<Json<Value>, Denied> {
    for message in messages {
        // Another version may write messages that this one does not know: the others are delivered all the same.
        match serde_json::from_value::<PeerMessage>(message) {
            Ok(PeerMessage::Message(message)) => server.node.deliver(message).await,
            Ok(PeerMessage::Cut { device, enrolled }) => server.devices.cut(device, enrolled),
            Err(error) => tracing::warn!(%error, "a message cannot be read, and is left"),
        }
    }
    Ok(Json(Value::Null))
}

/// A command for a cluster, which must be here.
async fn ask_cluster(
    State(server): State<SharedServer>,
    _: FromPeer,
    JsonBody(ForwardedClusterCommand { cluster, actor, id, command }): JsonBody<ForwardedClusterCommand>,
) -> Result<Json<CommandReply>, Denied> {
    let handle = server.node.cluster(cluster).ok_or(Denied::Elsewhere)?;
    Ok(Json(handle.ask_cluster(cluster.number, actor, id, command).await?))
}

/// The tables that run here, as anyone is told of them.
async fn tables(State(server): State<SharedServer>, _: FromPeer) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(api::tables_here(&server).await?))
}

/// How they are set up.
async fn configuration(State(server): State<SharedServer>, _: FromPeer) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(config::api::tables_here(&server).await?))
}
