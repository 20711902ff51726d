//! What is asked over HTTP, by its address. `openapi.json` describes it and the messages of the sockets; a test makes the description
//! anew from the handlers and compares them.

mod commands;
#[cfg(test)]
mod described;
mod docs;
mod house;
#[cfg(test)]
mod messages;
mod routes;
mod rules;
mod tables;

#[cfg(test)]
pub(crate) use described::Code;
pub(crate) use docs::docs;
#[cfg(test)]
pub(crate) use messages::{WholePublic, WholeStaff};
pub(crate) use routes::Routes;
pub(crate) use tables::tables_here;

use crate::{acceptor, audit, chip_reader, config, devices, people, reports, socket, tumbler};

/// Every address below `/api/v1`.
pub(crate) fn routes() -> Routes {
    people::routes()
        .merge(devices::routes())
        .merge(tumbler::routes())
        .merge(acceptor::routes())
        .merge(chip_reader::routes())
        .merge(reports::routes())
        .merge(audit::routes())
        .merge(socket::routes())
        .merge(commands::routes())
        .merge(tables::routes())
        .merge(rules::routes())
        .merge(house::routes())
        .merge(config::api::routes())
}
