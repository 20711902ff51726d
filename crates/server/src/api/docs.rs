//! The pages that show the description to people: plain files of this program, as the pages of the house load nothing from
//! elsewhere and run no script that stands in a page.

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use utoipa::openapi::OpenApi;

use super::described::exact;
use crate::server::Shared;

const PAGE: &str = include_str!("docs/docs.html");
const STYLE: &str = include_str!("docs/docs.css");
const SCRIPT: &str = include_str!("docs/docs.js");

/// Where the description is, for programs and for people.
pub(crate) fn docs(description: &OpenApi) -> Router<Shared> {
    let file = |kind: &'static str, text: Bytes| get(async move || ([(CONTENT_TYPE, kind)], text));
    let fixed = |text: &'static str| Bytes::from_static(text.as_bytes());
    Router::new()
        .route("/api/openapi.json", file("application/json", exact(description).to_string().into()))
        .route("/api/docs", file("text/html; charset=utf-8", fixed(PAGE)))
        .route("/api/docs/docs.css", file("text/css; charset=utf-8", fixed(STYLE)))
        .route("/api/docs/docs.js", file("text/javascript; charset=utf-8", fixed(SCRIPT)))
}
