//! People at screens: they sign in, are asked again for what is sensitive, and are signed out when they are idle. What a
//! person may do is decided by the machines.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use taisai_table::Person;
use utoipa_axum::router::OpenApiRouter;

use crate::denied::Denied;
use crate::server::Shared;

/// Who is signed in.
pub(crate) struct People {}

/// A person who is signed in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedIn {
    /// Who, with the roles on file at this moment.
    pub(crate) person: Person,
    /// The number of this login's commands.
    pub(crate) source: u64,
    /// Whether the password was given not long ago.
    pub(crate) is_fresh: bool,
}

impl FromRequestParts<Shared> for SignedIn {
    type Rejection = Denied;

    async fn from_request_parts(_parts: &mut Parts, _server: &Shared) -> Result<Self, Denied> {
        Err(Denied::NotSignedIn)
    }
}

/// Where people sign in.
pub(crate) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
}
