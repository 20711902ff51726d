//! Reports, events and evidence over HTTP, read from the reporting tables and the record.

use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;

/// Where reports are asked for.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
}
