//! What is asked over HTTP, by its address. The description of it is made from the handlers, with the messages of the sockets
//! among its components.

mod described;
mod docs;

pub(crate) use docs::docs;
use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;
use crate::{devices, people, reports, tumbler};

/// Every address of the house, and their description.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    let v1 = people::routes().merge(devices::routes()).merge(tumbler::routes()).merge(reports::routes());
    OpenApiRouter::with_openapi(described::opening()).nest("/api/v1", v1)
}
