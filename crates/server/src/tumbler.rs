//! Dice tumblers over a socket of their own; docs/tumbler.md describes what they say. The Dealer still commits.

use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;

/// Where tumblers connect.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
}
