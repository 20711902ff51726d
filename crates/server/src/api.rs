//! What is asked over HTTP, by its address. The description of it is made from the handlers, with the messages of the sockets
//! among its components.

mod described;
mod docs;

use axum::Router;
use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;
use crate::{devices, people, reports, tumbler};

/// Every address of the house, and their description.
fn described() -> OpenApiRouter<Shared> {
    let v1 = people::routes().merge(devices::routes()).merge(tumbler::routes()).merge(reports::routes());
    OpenApiRouter::with_openapi(described::opening()).nest("/api/v1", v1)
}

/// Every address of the house, with the pages that describe them.
pub(crate) fn routes() -> Router<Shared> {
    let (routes, description) = described().split_for_parts();
    routes.merge(docs::routes(&described::exact(&description)))
}
