//! HTTP: accepting connections, what holds for every request, and the API.

pub(crate) mod accept;
pub(crate) mod api;
pub(crate) mod denied;
pub(crate) mod guard;
pub(crate) mod network;
pub(crate) mod operations;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod screens;
mod write_timeout;
