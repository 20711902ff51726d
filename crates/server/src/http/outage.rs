//! Answers while a node of several machines has dropped everything and joins again: the process lives, and nothing is behind it.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse as _;
use axum::routing::get;

use super::denied::Denied;
use super::guard::{ResponseHeaders, add_headers};

/// The liveness probe succeeds, readiness gives the reason, and everything else is unavailable for now.
pub(crate) fn outage(why: &str, headers: ResponseHeaders) -> Router {
    let why: Arc<str> = format!("{why}\n").into();
    let ready = async move || (StatusCode::SERVICE_UNAVAILABLE, why.to_string());
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .fallback(async || Denied::Unreachable.into_response())
        .layer(from_fn_with_state(headers, add_headers))
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, header};
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn node_without_database_lives_and_is_not_ready() {
        let headers = ResponseHeaders { is_secured: true, is_training: true };
        let routes = outage("the server did not answer", headers);
        for (method, path, status, begins) in [
            ("GET", "/healthz", 200, "ok\n"),
            ("GET", "/readyz", 503, "the server did not answer\n"),
            ("GET", "/api/v1/tables/1", 503, r#"{"refused":{"code":"unreachable""#),
            ("POST", "/api/v1/sign-in", 503, r#"{"refused":{"code":"unreachable""#),
            ("GET", "/", 503, r#"{"refused":{"code":"unreachable""#),
        ] {
            let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
            let response = routes.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{path}");
            for name in ["taisai-training", "strict-transport-security", "content-security-policy"] {
                assert!(response.headers().contains_key(name), "{path}: {name}");
            }
            let may_retry = response.headers().contains_key(header::RETRY_AFTER);
            let body = to_bytes(response.into_body(), 1_024).await.unwrap();
            let body = str::from_utf8(&body).unwrap();
            assert!(body.starts_with(begins), "{path}: {body}");
            assert_eq!(may_retry, body.starts_with('{'), "{path}");
        }
    }
}
