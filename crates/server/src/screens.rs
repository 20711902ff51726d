//! The screens, as the browser loads them.

use axum::Router;
use axum::response::Html;
use axum::routing::get;

use crate::server::Shared;

/// Where the screens are.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/", get(missing))
}

/// This program was built without the screens.
async fn missing() -> Html<&'static str> {
    Html(include_str!("screens/missing.html"))
}
