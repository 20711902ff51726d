//! Runs a house until it is told to stop: opens the hall, listens, and closes in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{FirstUse, Founding, NotFounded, Seed};
use crate::demo::{Demo, Pace};
use crate::devices::Devices;
use crate::hall::{Hall, HallError, HallPlan};
use crate::metrics::Metrics;
use crate::people::People;
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
    /// The folder of what the house keeps beside its record.
    pub data: PathBuf,
    /// What it is founded with, and what is proposed to its people.
    pub seed: Seed,
    /// How fast it deals by itself, if it does.
    pub demo: Option<Pace>,
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
    /// Only a training house deals by itself (F54).
    #[error("a real house does not deal by itself: a demonstration is for a training house")]
    RealDemo,
    /// Its first people are not founded.
    #[error(transparent)]
    NotFounded(#[from] NotFounded),
    /// The system's random source gives nothing.
    #[error("the system's random source gives nothing: {0}")]
    NoChance(#[from] getrandom::Error),
    /// A part of it has stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Runs a house. `ready` is called once it takes requests, with the address that it listens on and, on the first start, what
/// its people and terminals are let in by; it closes when `stop` is done.
pub async fn serve(
    plan: Plan,
    warn: taisai_record::Warn,
    ready: impl FnOnce(SocketAddr, Option<FirstUse>),
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let (is_training, version) = (plan.hall.is_training, plan.hall.program.version.clone());
    if plan.demo.is_some() && !is_training {
        return Err(ServeError::RealDemo);
    }
    let hall = plan.hall;
    let hall = tokio::task::spawn_blocking(move || Hall::open(hall, warn)).await.map_err(|_| Stopped::Closed)??;
    let first_use = first_use(&hall, &plan.seed).await?;
    let demo = plan.demo.map(|pace| Demo::start(&hall, &plan.seed, pace));
    let place = Place { name: plan.name, house: hall.house(), is_training, version };
    let server = Arc::new(Server {
        place,
        profile: hall.profile(),
        seed: plan.seed,
        doors: hall.doors(),
        clock: hall.clock(),
        sources: hall.sources().clone(),
        secrets: Secrets {},
        people: People {},
        devices: Devices {},
        metrics: Arc::new(Metrics::default()),
    });
    drop(crate::api::routes());
    ready(plan.listen, first_use);
    stop.await;
    if let Some(demo) = demo {
        demo.stop().await;
    }
    drop(server);
    tokio::task::spawn_blocking(move || hall.close()).await.map_err(|_| Stopped::Closed)?;
    Ok(())
}

/// Founds a house that has nobody.
async fn first_use(hall: &Hall, seed: &Seed) -> Result<Option<FirstUse>, ServeError> {
    let door = hall.doors().house();
    let Some(founding) = Founding::due(&door, seed).await? else { return Ok(None) };
    let first_use = founding.first_use(async |_| drawn(), async |_| drawn()).await?;
    founding.record(&door).await?;
    Ok(Some(first_use))
}

/// 128 random bits.
fn drawn() -> Result<String, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bits)))
}
