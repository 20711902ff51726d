//! Health, readiness and metrics, for operators.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::http::denied::Denied;
use crate::server::SharedServer;

const READY_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) fn routes() -> Router<SharedServer> {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz)).route("/metrics", get(metrics))
}

async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether every partition and the record take commands.
async fn readyz(State(server): State<SharedServer>) -> Response {
    if server.is_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    let opening = server.node.unopened().names();
    if !opening.is_empty() {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("opening {}\n", opening.join(", "))).into_response();
    }
    let read = async {
        server.node.house().read(|_| ()).await?;
        for (_, table) in server.node.tables() {
            table.read(|_| ()).await?;
        }
        Ok::<_, crate::node::stopped::Stopped>(())
    };
    match tokio::time::timeout(READY_TIMEOUT, read).await {
        Ok(Ok(())) => "ready\n".into_response(),
        Ok(Err(stopped)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{stopped}\n")).into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the House does not answer\n").into_response(),
    }
}

/// For this machine, and for networks that the configuration names.
async fn metrics(
    State(server): State<SharedServer>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
) -> Result<impl IntoResponse, Denied> {
    let from = peer.ip().to_canonical();
    if !from.is_loopback() && !server.metrics_from.iter().any(|network| network.contains(from)) {
        return Err(Denied::NotForYou);
    }
    for (table, handle) in server.node.tables() {
        server.metrics.queue_depth(table, handle.waiting());
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], server.metrics.text()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::Body;
    use axum::http::Request;
    use taisai_journal::suite::HANG_LIMIT;
    use tower::ServiceExt as _;

    use super::*;
    use crate::tests::running::RunningServer;

    /// On a busy machine partitions may miss the time limit: then ask again.
    async fn ready(house: &RunningServer) -> (StatusCode, String) {
        let begun = std::time::Instant::now();
        loop {
            let request = Request::get("/readyz").body(Body::empty()).unwrap();
            let response = routes().with_state(Arc::clone(&house.server)).oneshot(request).await.unwrap();
            let status = response.status();
            let body = axum::body::to_bytes(response.into_body(), 1_024).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            if body != "the House does not answer\n" || begun.elapsed() > HANG_LIMIT {
                return (status, body);
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_node_is_not_ready_while_a_partition_opens() {
        let house = RunningServer::start().await;
        assert_eq!(ready(&house).await, (StatusCode::OK, "ready\n".to_owned()));
        let parts = ["house", "table-1"].map(|part| part.parse::<taisai_journal::ChainName>().unwrap());
        for part in &parts {
            house.server.node.unopened().add(part.clone());
        }
        assert_eq!(ready(&house).await, (StatusCode::SERVICE_UNAVAILABLE, "opening house, table-1\n".to_owned()));
        for part in &parts {
            house.server.node.unopened().opened(part);
        }
        assert_eq!(ready(&house).await, (StatusCode::OK, "ready\n".to_owned()));
        house.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn metrics_are_for_this_machine_and_those_who_are_named() {
        let house = RunningServer::start().await;
        for (from, status) in [
            ("127.0.0.1", StatusCode::OK),
            ("::1", StatusCode::OK),
            ("::ffff:127.0.0.1", StatusCode::OK),
            ("192.0.2.7", StatusCode::OK),
            ("192.0.2.8", StatusCode::FORBIDDEN),
            ("2001:db8::1", StatusCode::FORBIDDEN),
        ] {
            let peer = SocketAddr::new(from.parse().unwrap(), 4_000);
            let request = Request::get("/metrics").extension(ConnectInfo(peer)).body(Body::empty()).unwrap();
            let response = routes().with_state(Arc::clone(&house.server)).oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{from}");
        }
        house.close().await;
    }
}
