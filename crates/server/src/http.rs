//! HTTP: accepting connections, checks that hold for every request, the API, operations and the screens.

pub(crate) mod accept;
pub(crate) mod api;
pub(crate) mod denied;
pub(crate) mod guard;
pub(crate) mod network;
pub(crate) mod operations;
pub(crate) mod outage;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod screens;
mod write_timeout;
