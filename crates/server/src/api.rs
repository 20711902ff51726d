//! What is asked over HTTP, by its address. The description of it is made from the handlers.

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;
use crate::{audit, devices, people, reports, tumbler};

#[derive(OpenApi)]
#[openapi(info(title = "Tai Sai", description = "A house that runs Tai Sai and Sic Bo tables"))]
struct Description;

/// Every address of the house, and their description.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    let v1 = people::routes()
        .merge(devices::routes())
        .merge(tumbler::routes())
        .merge(reports::routes())
        .merge(audit::routes());
    OpenApiRouter::with_openapi(Description::openapi()).nest("/api/v1", v1)
}
