//! People at screens: they sign in, are asked again for what is sensitive, and are signed out when they are idle. What a
//! person may do is decided by the machines.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use taisai_table::Person;
use utoipa_axum::router::OpenApiRouter;

use crate::denied::Denied;
use crate::server::{Server, Shared};

pub(crate) mod sensitive {
    pub(crate) fn at_table(_: &crate::commands::TableCommand) -> bool {
        false
    }
    pub(crate) fn at_house(_: &taisai_table::HouseCommand) -> bool {
        false
    }
}
pub(crate) mod approvals {
    pub(crate) async fn seconded<C>(
        _: &crate::server::Server,
        _: super::SignedIn,
        _: Option<taisai_table::ApprovalId>,
        command: C,
    ) -> Result<C, crate::denied::Denied> {
        Ok(command)
    }
}

/// Who is signed in.
pub(crate) struct People {}

impl People {
    pub(crate) fn owns(&self, _: &SignedIn, _: u64) -> bool {
        false
    }
}

pub(crate) async fn still(_: &Server, _source: u64, _is_use: bool) -> Result<SignedIn, Denied> {
    Err(Denied::NotSignedIn)
}
pub(crate) async fn screen_source(_: &Server, _: &SignedIn, _: Option<u64>) -> Result<u64, Denied> {
    Err(Denied::NotSignedIn)
}

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
