//! What is asked over HTTP, by its address. The description of it is made from the handlers, with the messages of the sockets
//! among its components.

mod commands;
mod described;
mod docs;
mod house;
mod messages;
mod tables;

pub(crate) use docs::docs;
pub(crate) use messages::{WholePublic, WholeStaff};
pub(crate) use tables::tables_here;
use utoipa_axum::router::OpenApiRouter;

use crate::server::Shared;
use crate::{audit, config, devices, people, reports, socket, tumbler};

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
    OpenApiRouter::with_openapi(described::opening()).nest("/api/v1", v1)
}
