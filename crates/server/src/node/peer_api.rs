//! Requests between nodes. They are not part of the described API: only nodes get an answer.

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

pub(crate) fn routes() -> Router<SharedServer> {
    Router::new()
        .route("/api/v1/node/house", post(ask))
        .route("/api/v1/node/cluster", post(ask_cluster))
        .route("/api/v1/node/messages", post(receive))
        .route("/api/v1/node/tables", get(tables))
        .route("/api/v1/node/configuration", get(configuration))
}

/// A command for the House, which must run here.
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

/// Messages for partitions that run here; the sender repeats others.
async fn receive(
    State(server): State<SharedServer>,
    _: FromPeer,
    Json(messages): Json<Vec<Value>>,
) -> Result<Json<Value>, Denied> {
    for message in messages {
        // Another version may send messages that this one does not know: deliver the rest.
        match serde_json::from_value::<PeerMessage>(message) {
            Ok(PeerMessage::Message(message)) => server.node.deliver(message).await,
            Ok(PeerMessage::Cut { device, enrolled }) => server.devices.cut(device, enrolled),
            Err(error) => tracing::warn!(%error, "skipped a message of another node that cannot be read"),
        }
    }
    Ok(Json(Value::Null))
}

/// A command for a cluster, which must run here.
async fn ask_cluster(
    State(server): State<SharedServer>,
    _: FromPeer,
    JsonBody(ForwardedClusterCommand { cluster, actor, id, command }): JsonBody<ForwardedClusterCommand>,
) -> Result<Json<CommandReply>, Denied> {
    let handle = server.node.cluster(cluster).ok_or(Denied::Elsewhere)?;
    Ok(Json(handle.ask_cluster(cluster.number, actor, id, command).await?))
}

/// The tables that run here, as the public API lists them.
async fn tables(State(server): State<SharedServer>, _: FromPeer) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(api::tables_here(&server).await?))
}

async fn configuration(State(server): State<SharedServer>, _: FromPeer) -> Result<Json<Vec<Value>>, Denied> {
    Ok(Json(config::api::tables_here(&server).await?))
}
