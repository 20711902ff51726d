//! What those who run the house ask: is it there, does it take commands, how is it doing.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::server::Shared;

/// A house that does not answer by then is not ready.
const READY: Duration = Duration::from_secs(2);

/// Where it is asked.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz)).route("/metrics", get(metrics))
}

/// The process runs.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Every part of the house takes commands, and the record takes what they come to.
async fn readyz(State(server): State<Shared>) -> Response {
    if server.is_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    let look = async {
        server.doors.house().look(|_| ()).await?;
        for (_, table) in server.doors.tables() {
            table.look(|_| ()).await?;
        }
        Ok::<_, crate::stopped::Stopped>(())
    };
    match tokio::time::timeout(READY, look).await {
        Ok(Ok(())) => "ready\n".into_response(),
        Ok(Err(stopped)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{stopped}\n")).into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the house does not answer\n").into_response(),
    }
}

async fn metrics(State(server): State<Shared>) -> impl IntoResponse {
    for (table, door) in server.doors.tables() {
        server.metrics.mailbox(table, door.waiting());
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], server.metrics.text())
}
