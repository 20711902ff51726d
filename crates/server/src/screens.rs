//! The screens, as the browser loads them.

use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use axum::routing::get;

use crate::server::Shared;
use crate::voucher;

/// Where the screens are.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/", get(missing)).route("/voucher.css", get(voucher_style))
}

/// How a printed voucher looks.
async fn voucher_style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css")], voucher::STYLE)
}

/// This program was built without the screens.
async fn missing() -> Html<&'static str> {
    Html(include_str!("screens/missing.html"))
}
