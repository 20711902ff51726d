//! What holds for every request: checks of its origin, its size and its time, and the security headers of the response.

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::http::denied::Denied;

/// For the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const MAX_BODY_BYTES: usize = 64 * 1024;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'self'";

/// Marks every response of a training installation (F54).
const TRAINING_HEADER: HeaderName = HeaderName::from_static("taisai-training");

pub(crate) async fn guard(request: Request, next: Next) -> Response {
    if is_from_elsewhere(request.method(), request.headers()) {
        Denied::OtherSite.into_response()
    } else {
        let answered = async {
            match whole(request).await {
                Ok(request) => next.run(request).await,
                Err(denied) => denied.into_response(),
            }
        };
        tokio::time::timeout(RESPONSE_TIMEOUT, answered).await.unwrap_or_else(|_| Denied::TooSlow.into_response())
    }
}

/// What the headers of every response depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResponseHeaders {
    pub(crate) is_secured: bool,
    pub(crate) is_training: bool,
}

pub(crate) async fn add_headers(
    State(ResponseHeaders { is_secured, is_training }): State<ResponseHeaders>,
    request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if is_api {
        set(header::CACHE_CONTROL, "no-store");
    }
    if is_secured {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    if is_training {
        set(TRAINING_HEADER, "yes");
    }
    response
}

/// Reads the whole body first, so that no handler waits for a slow client.
async fn whole(request: Request) -> Result<Request, Denied> {
    let (parts, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await.map_err(|_| Denied::NotSent)?;
    Ok(Request::from_parts(parts, body.map_err(|_| Denied::TooLarge)?.into()))
}

/// Whether a page of another site sends this. Browsers name the origin of requests that change something or open a socket.
fn is_from_elsewhere(method: &Method, headers: &HeaderMap) -> bool {
    let is_upgrade = headers.contains_key(header::UPGRADE);
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) && !is_upgrade {
        return false;
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let from = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    from.is_none() || from != host
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_other_sites_are_recognised() {
        for (method, upgrade, origin, elsewhere) in [
            (Method::GET, false, Some("https://evil.example"), false),
            (Method::GET, true, Some("https://evil.example"), true),
            (Method::POST, false, Some("https://evil.example"), true),
            (Method::POST, false, Some("null"), true),
            (Method::POST, false, Some("https://house.example.evil"), true),
            (Method::POST, false, Some("https://house.example"), false),
            (Method::GET, true, Some("https://house.example"), false),
            (Method::POST, false, None, false),
            (Method::GET, true, None, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("house.example"));
            if upgrade {
                headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            }
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(is_from_elsewhere(&method, &headers), elsewhere, "{method} {upgrade} {origin:?}");
        }
    }
}
