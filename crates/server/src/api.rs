//! What is asked over HTTP, by its address. The description of it is made from the handlers.

mod commands;
mod house;
mod tables;

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;
use crate::{audit, config, devices, people, reports, socket, tumbler};

#[derive(OpenApi)]
#[openapi(info(title = "Tai Sai", description = "A house that runs Tai Sai and Sic Bo tables"))]
struct Description;

/// Every address of the house, and their description.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    let v1 = people::routes()
        .merge(devices::routes())
        .merge(tumbler::routes())
        .merge(reports::routes())
        .merge(audit::routes())
        .merge(socket::routes())
        .merge(commands::routes())
        .merge(tables::routes())
        .merge(house::routes())
        .merge(config::api::routes());
    OpenApiRouter::with_openapi(Description::openapi()).nest("/api/v1", v1)
}

/// The description, as it is served.
pub(crate) fn docs(description: utoipa::openapi::OpenApi) -> axum::Router<Shared> {
    let description = description.to_json().expect("the description can be written down");
    let get = move || {
        let description = description.clone();
        async move { ([(axum::http::header::CONTENT_TYPE, "application/json")], description) }
    };
    axum::Router::new().route("/api/openapi.json", axum::routing::get(get))
}
