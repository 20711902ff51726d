//! The routes of the API. `openapi.json` describes them and the messages of the sockets; a test builds the description from the
//! handlers and compares.

mod commands;
mod docs;
mod house;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod openapi;
mod routes;
mod rules;
mod tables;

pub(crate) use docs::docs;
#[cfg(test)]
pub(crate) use messages::{WholePublic, WholeStaff};
#[cfg(test)]
pub(crate) use openapi::Code;
pub(crate) use routes::Routes;
pub(crate) use tables::tables_here;

use crate::devices::{acceptor, chip_reader, tumbler};
use crate::{audit, auth, config, devices, reports, ws};

pub(crate) fn routes() -> Routes {
    auth::routes()
        .merge(devices::routes())
        .merge(tumbler::routes())
        .merge(acceptor::routes())
        .merge(chip_reader::routes())
        .merge(reports::routes())
        .merge(audit::routes())
        .merge(ws::routes())
        .merge(commands::routes())
        .merge(tables::routes())
        .merge(rules::routes())
        .merge(house::routes())
        .merge(config::api::routes())
}
