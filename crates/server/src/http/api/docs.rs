//! The committed description, and pages that show it to people. Pages load nothing from elsewhere and have no inline script.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::server::SharedServer;

const DESCRIPTION: &str = include_str!("../../../openapi.json");
const PAGE: &str = include_str!("docs/docs.html");
const STYLE: &str = include_str!("docs/docs.css");
const SCRIPT: &str = include_str!("docs/docs.js");

pub(crate) fn docs() -> Router<SharedServer> {
    let file = |kind: &'static str, text: &'static str| get(async move || ([(CONTENT_TYPE, kind)], text));
    Router::new()
        .route("/api/openapi.json", file("application/json", DESCRIPTION))
        .route("/api/docs", file("text/html; charset=utf-8", PAGE))
        .route("/api/docs/docs.css", file("text/css; charset=utf-8", STYLE))
        .route("/api/docs/docs.js", file("text/javascript; charset=utf-8", SCRIPT))
}
