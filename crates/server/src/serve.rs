//! Runs a node until it is stopped: opens it, listens, and closes everything in order.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use taisai_engine::Worker;
use taisai_journal::Keys;
use taisai_record::{Address, WarningSink};
use taisai_rules::RulesText;
use taisai_table::{HouseCommand, SecretOwner, Time};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::audit::{Audits, RecordSource};
use crate::auth::secrets::{Expected, Secrets, SecretsError, move_keys};
use crate::auth::{People, TimeOuts, one_time_password, report_refused_secrets};
use crate::config::{FirstUse, Founding, NotFounded, Seed};
use crate::demo::{Demo, Pace};
use crate::devices::displays::Displays;
use crate::devices::{Devices, close_revoked_elsewhere, enrolment_code};
use crate::failed_write::FailedWrite;
use crate::http::accept::{self, Accepting, Tls, TlsError};
use crate::http::guard::{ResponseHeaders, add_headers, guard};
use crate::http::network::Network;
use crate::http::outage::outage;
use crate::http::{api, operations, screens};
use crate::metrics::{ConnectionMetrics, Metrics};
use crate::node;
use crate::node::handle::HouseHandle;
use crate::node::membership::FormerNames;
use crate::node::peers::NodeAddress;
use crate::node::stopped::Stopped;
use crate::node::{InstallationPlan, KnownInstallation, Node, NodeError, ReadInstallation, keys_in_use};
use crate::reports::{Reports, games_of};
use crate::server::{Property, Server, SharedServer, Stopping};
use crate::store_problem::StoreProblems;
use crate::vouchers::Printer;

/// How often shutdown checks whether rounds are over and connections closed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long connections may take to close at shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a node that is stopped while it starts may take to release what it has claimed.
const ABORTED_START_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a node waits before it joins again after a failure.
const REJOIN_INTERVAL: Duration = Duration::from_millis(250);

/// Codes of the first terminals are valid for a week: setting up a casino takes time.
const FIRST_CODES_MILLIS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// What `serve` needs to run a node.
#[derive(Clone, Debug)]
pub struct ServePlan {
    /// The name of the property.
    pub name: String,
    /// Approved texts of games beside the embedded ones.
    pub texts: Vec<RulesText>,
    pub installation: InstallationPlan,
    /// A port of 0 takes a free one.
    pub listen: SocketAddr,
    /// Networks that may read the metrics, beside this machine.
    pub metrics_from: Vec<Network>,
    /// Without it, connections are in the clear.
    pub tls: Option<Tls>,
    /// How long rounds in play may take at shutdown. A round that is not over then is kept as it is.
    pub grace: Duration,
    /// The first people, and proposals to the people of the installation.
    pub seed: Seed,
    /// The pace of the demonstration, if the tables deal by themselves.
    pub demo: Option<Pace>,
    /// Whether the secrets are lost and must be created again.
    pub new_secrets: bool,
    /// How long a client may take to answer a ping.
    pub sign_of_life: Duration,
    /// How other nodes reach this one, if the installation runs on several machines.
    pub node_address: NodeAddress,
}

/// Why a node cannot run, or has stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(
        "{address} cannot be listened on: {error}. Choose another address by --listen, by TAISAI_LISTEN (like \
         TAISAI_LISTEN=127.0.0.1:8081 make run) or by the configuration file"
    )]
    Listen { address: SocketAddr, error: std::io::Error },
    /// Only training installations deal by themselves (F54).
    #[error("a demonstration needs a training installation: a real one does not deal by itself")]
    RealDemo,
    #[error(transparent)]
    NotFounded(#[from] NotFounded),
    /// The first passwords and codes could not be shown to anyone.
    #[error("cannot print the first passwords and codes, so nothing was recorded: {0}")]
    NotPrinted(String),
    #[error("the system's random source gives nothing: {0}")]
    NoChance(#[from] getrandom::Error),
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    FailedWrite(FailedWrite),
}

/// Runs a node until `stop` completes. `print_ready` is called once the node listens, with its address and, on the first start, the first
/// passwords and codes. People are recorded only if it succeeds.
///
/// A node of several machines that has lost its database, its lease or the outcome of an append drops everything and joins again.
/// It keeps its listener meanwhile.
pub async fn serve(
    plan: ServePlan,
    warn: WarningSink,
    mut print_ready: impl FnMut(SocketAddr, Option<&FirstUse>) -> std::io::Result<()>,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    if plan.demo.is_some() && !plan.installation.is_training {
        return Err(ServeError::RealDemo);
    }
    let mut stop = pin!(stop);
    let is_shared = matches!(plan.installation.address, Address::Postgres(_));
    let mut has_run = false;
    let former = FormerNames::default();
    let problems = StoreProblems::default();
    let warn = problems.noting(warn);
    let mut front = Front::listen(&plan)?;
    loop {
        let listens = |address: SocketAddr, first_use: Option<&FirstUse>| {
            let is_news = !has_run || first_use.is_some();
            has_run = true;
            if is_news { print_ready(address, first_use) } else { Ok(()) }
        };
        let ended =
            run((plan.clone(), former.clone()), &mut front, (Arc::clone(&warn), &problems), listens, stop.as_mut())
                .await;
        let Err(error) = ended else { return Ok(()) };
        if !is_shared || !has_run || error.recovery() == Recovery::None {
            return Err(error.at(&plan.installation.address));
        }
        tracing::warn!(%error, "this node joins again after a failure");
        problems.note();
        front.fail(&error.to_string());
        if tokio::time::timeout(REJOIN_INTERVAL, stop.as_mut()).await.is_ok() {
            return Ok(());
        }
    }
}

/// What may help after an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recovery {
    /// To join again.
    Rejoin,
    /// To join again, once the store can be written to.
    Store,
    /// A change by a person.
    None,
}

impl ServeError {
    fn recovery(&self) -> Recovery {
        let is_failed_write = match self {
            Self::Node(error) if !matches!(error, NodeError::Clock(_)) => error.is_failed_write(),
            Self::Stopped(stopped) => stopped.is_failed_write(),
            Self::Secrets(_) | Self::NotFounded(_) => false,
            // Of nodes only a clock that a person must look at is left.
            Self::Node(_)
            | Self::Listen { .. }
            | Self::Tls(_)
            | Self::RealDemo
            | Self::NotPrinted(_)
            | Self::NoChance(_)
            | Self::FailedWrite(_) => return Recovery::None,
        };
        if is_failed_write { Recovery::Store } else { Recovery::Rejoin }
    }

    /// The error, or that the store at this address failed if that is the cause.
    fn at(self, address: &Address) -> Self {
        if self.recovery() == Recovery::Store {
            FailedWrite::of(self, address).map_or_else(|error| error, Self::FailedWrite)
        } else {
            self
        }
    }
}

/// The listener, for the life of the process. Nothing is accepted before a node has run.
struct Front {
    address: SocketAddr,
    headers: ResponseHeaders,
    connections: ConnectionMetrics,
    waiting: Option<(TcpListener, Option<TlsAcceptor>)>,
    accepting: Option<(watch::Sender<Router>, JoinHandle<()>)>,
}

impl Front {
    fn listen(plan: &ServePlan) -> Result<Self, ServeError> {
        let tls = plan.tls.as_ref().map(Tls::acceptor).transpose()?;
        let bad = |error| ServeError::Listen { address: plan.listen, error };
        let listener = accept::listen(plan.listen).map_err(bad)?;
        Ok(Self {
            address: listener.local_addr().map_err(bad)?,
            headers: ResponseHeaders { is_secured: tls.is_some(), is_training: plan.installation.is_training },
            connections: ConnectionMetrics::default(),
            waiting: Some((listener, tls)),
            accepting: None,
        })
    }

    /// From now on requests are answered by these routes.
    fn answer(&mut self, routes: Router) {
        if let Some((listener, tls)) = self.waiting.take() {
            let (metrics, max_connections) = (self.connections.clone(), accept::max_connections());
            let (sender, receiver) = watch::channel(routes);
            let accepting = Accepting { listener, tls, metrics, max_connections };
            self.accepting = Some((sender, tokio::spawn(accepting.run(receiver))));
        } else if let Some((sender, _)) = &self.accepting {
            sender.send_modify(|current| *current = routes);
        }
    }

    /// Nothing is behind the listener, for this reason.
    fn fail(&mut self, why: &str) {
        self.answer(outage(why, self.headers));
    }

    /// Nobody comes to a node that has stopped: the next answers, or nothing does.
    async fn leave(&mut self, ended: &Result<(), Stopped>, is_shared: bool) {
        match ended {
            Err(stopped) if is_shared => self.fail(&stopped.to_string()),
            Ok(()) | Err(_) => self.close().await,
        }
    }

    /// Closes the listener for good.
    async fn close(&mut self) {
        if let Some((sender, accepting)) = self.accepting.take() {
            drop(sender);
            accepting.await.unwrap_or_default();
        }
    }
}

/// Runs a node once, until it is stopped or one of its threads stops.
async fn run(
    (plan, former): (ServePlan, FormerNames),
    front: &mut Front,
    (warn, problems): (WarningSink, &StoreProblems),
    print_ready: impl FnOnce(SocketAddr, Option<&FirstUse>) -> std::io::Result<()>,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<(), ServeError> {
    let ServePlan { installation, seed, new_secrets, node_address, .. } = plan;
    let (address, is_secured) = (front.address, front.headers.is_secured);
    let metrics = Arc::new(Metrics::beside(&front.connections));
    let (version, is_training) = (installation.program.version.clone(), installation.is_training);
    let (address_of_record, anchor, program) =
        (installation.address.clone(), installation.files.anchor.clone(), installation.program.clone());
    let games = games_of(installation.tables.iter().map(|table| table.game.as_str()), plan.texts);
    let (counted, is_shared) = (Arc::clone(&metrics), matches!(installation.address, Address::Postgres(_)));
    let open =
        move || open_node(installation, new_secrets, (&node_address, &former, address, is_secured), &counted, warn);
    let Some((node, secrets, keys)) = opened(open, is_shared, stop.as_mut()).await? else { return Ok(()) };
    node.sources().above(secrets.highest_source().await?);
    let handle = node.handle().house();
    let founding = Founding::due(&handle, &seed, new_secrets).await?;
    let let_in = LetIn::new(founding.as_ref(), &handle, &secrets, node.clock().now()).await?;
    let first_use = let_in.first_use.as_ref();
    if let Err(error) = print_ready(address, first_use) {
        if first_use.is_some() {
            drop(handle);
            close(node).await?;
            return Err(ServeError::NotPrinted(error.to_string()));
        }
        tracing::warn!(%error, "could not print the address of the screens");
    }
    // The secrets exist from here on.
    if let Some(peers) = node.peers() {
        peers.know_by(keys.nodes);
    }
    secrets.take_into_use().await?;
    let vouchers = Printer::new(&keys, &node.profile());
    if let Some(founding) = founding {
        founding.record(&handle).await?;
        let_in.record(&handle).await?;
    }
    if node.handle().has_house() {
        record_keys(&handle, &keys).await?;
    }
    drop(handle);
    let keys = node.keys().to_vec();
    let reports = Reports::start(address_of_record.clone(), keys.clone(), games).map_err(NodeError::Thread)?;
    let audits = Audits::new(RecordSource { address: address_of_record, keys, anchor, program });
    let demo = plan.demo.map(|pace| Demo::start(&node, &seed, pace));
    let (stopping, _) = watch::channel(Stopping::No);
    let server = Arc::new(Server {
        place: Property {
            name: plan.name,
            house: node.house(),
            is_training,
            is_game_approved: node.is_game_approved(),
            version,
        },
        profile: node.profile(),
        seed,
        is_secured,
        node: node.handle(),
        peers: node.peers(),
        lease: node.lease(),
        clock: node.clock(),
        sources: node.sources().clone(),
        people: People::open(&secrets, TimeOuts::default()).await?,
        devices: Devices::open(&secrets).await?,
        vouchers,
        secrets,
        displays: Displays::default(),
        metrics,
        metrics_from: plan.metrics_from,
        reports,
        audits,
        stopping,
        sign_of_life: plan.sign_of_life,
    });
    tokio::spawn(report_refused_secrets(Arc::downgrade(&server)));
    if is_shared {
        tokio::spawn(close_revoked_elsewhere(Arc::downgrade(&server)));
    }
    tokio::spawn(problems.clone().report(Arc::downgrade(&server)));
    front.answer(routes(&server));
    tracing::info!(front_page = front_page(address, is_secured), is_training, "the server runs");
    let ended = until_stopped(&server, node.stopped(), (demo.as_ref(), plan.grace), stop).await;
    front.leave(&ended, is_shared).await;
    let ended = ended.map_err(|stopped| log_failure(&server, stopped));
    if ended.is_ok() {
        server.stopping.send_replace(Stopping::Now);
    }
    if let Some(demo) = demo {
        demo.stop().await;
    }
    if !is_left(server).await {
        tracing::warn!("connections did not close in time and are dropped");
        return ended;
    }
    let closed = close(node).await;
    ended?;
    Ok(closed?)
}

/// Waits until the node is stopped, and lets rounds in play end; or until one of its threads stops.
async fn until_stopped(
    server: &Server,
    mut stopped: watch::Receiver<Option<Stopped>>,
    (demo, grace): (Option<&Demo>, Duration),
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<(), Stopped> {
    tokio::select! {
        () = stop => {
            if let Some(demo) = demo {
                demo.last_round();
            }
            finish_rounds(server, grace).await;
            Ok(())
        }
        // The sender lives as long as the node.
        stopped = stopped.wait_for(Option::is_some) => {
            Err(stopped.ok().and_then(|stopped| stopped.clone()).unwrap_or(Stopped::Closed))
        }
    }
}

/// Tells all connections why the node stops.
fn log_failure(server: &Server, stopped: Stopped) -> ServeError {
    let causes: Vec<_> = stopped.causes().collect();
    tracing::error!(why = causes.join(": "), "the server stops");
    server.stopping.send_replace(Stopping::Failed(causes.last().map_or("", String::as_str).into()));
    stopped.into()
}

type OpenedNode = (Node, Secrets, Keys);

/// Opens the installation with its secrets and keys. Waits for the store, and on several machines for other nodes.
fn open_node(
    installation: InstallationPlan,
    new_secrets: bool,
    of_node: (&NodeAddress, &FormerNames, SocketAddr, bool),
    metrics: &Arc<Metrics>,
    warn: WarningSink,
) -> Result<OpenedNode, ServeError> {
    let (store, key_file) = (installation.address.clone(), installation.files.key_file.clone());
    match &store {
        Address::Folder(_) => {
            let read = ReadInstallation::new(installation, warn)?;
            let (secrets, keys) = secrets_of(read.known(), &store, &key_file, new_secrets)?;
            Ok((read.run(metrics)?, secrets, keys))
        }
        Address::Postgres(_) => {
            let node = Node::join(installation, of_node, metrics, warn)?;
            let (secrets, keys) = secrets_of(node.known(), &store, &key_file, new_secrets)?;
            Ok((node, secrets, keys))
        }
    }
}

/// Opens a node on a thread of its own. If it is stopped meanwhile, it releases what it has claimed if that is quick; otherwise its
/// leases expire.
async fn opened(
    open: impl FnOnce() -> Result<OpenedNode, ServeError> + Send + 'static,
    is_shared: bool,
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Option<OpenedNode>, ServeError> {
    let (runtime, (sender, mut receiver)) = (Handle::current(), oneshot::channel());
    let work = move || {
        let _within = runtime.enter();
        sender.send(open()).map_or_else(drop, drop);
    };
    thread::Builder::new().name("opening".to_owned()).spawn(work).map_err(NodeError::Thread)?;
    tokio::select! {
        opened = &mut receiver => opened.map_err(|_| Stopped::BrokenDown("the thread that opens the node"))?.map(Some),
        () = stop, if is_shared => {
            let left = async {
                if let Ok(Ok((node, ..))) = receiver.await {
                    // It has recorded nothing yet.
                    close(node).await.unwrap_or_default();
                }
            };
            tokio::time::timeout(ABORTED_START_TIMEOUT, left).await.unwrap_or_default();
            Ok(None)
        }
    }
}

/// Whether all connections close in time.
async fn is_left(server: SharedServer) -> bool {
    let shared = Arc::downgrade(&server);
    drop(server);
    let gone = async {
        while shared.strong_count() > 0 {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(CLOSE_TIMEOUT, gone).await.is_ok()
}

/// Closes a node, so that the next start finds its folder unlocked.
async fn close(node: Node) -> Result<(), Stopped> {
    tokio::task::spawn_blocking(move || node.close())
        .await
        .unwrap_or(Err(Stopped::BrokenDown("the thread that closes")))
}

fn front_page(address: SocketAddr, is_secured: bool) -> String {
    format!("{}://{address}/", if is_secured { "https" } else { "http" })
}

fn routes(server: &SharedServer) -> Router {
    let headers = ResponseHeaders { is_secured: server.is_secured, is_training: server.place.is_training };
    Router::new()
        .merge(api::routes().into_router())
        .merge(api::docs())
        .merge(operations::routes())
        .merge(node::peer_api::routes())
        .merge(screens::routes())
        .layer(from_fn_with_state(Arc::clone(server), node::relay))
        .layer(from_fn(guard))
        .layer(from_fn_with_state(headers, add_headers))
        .with_state(Arc::clone(server))
}

/// Opens no new round, and waits a while for rounds in play.
async fn finish_rounds(server: &Server, grace: Duration) {
    server.stopping.send_replace(Stopping::NoNewRound);
    let over = async {
        // Clusters on other threads are in play as long as the round that they follow.
        for table in server.node.all() {
            while table.read(Worker::is_playing).await.unwrap_or(false) {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    };
    if tokio::time::timeout(grace, over).await.is_err() {
        tracing::info!("a round is still in play; it is kept as it is");
    }
}

/// An installation with people must have secrets.
fn secrets_of(
    known: KnownInstallation,
    store: &Address,
    key_file: &Path,
    are_lost: bool,
) -> Result<(Secrets, Keys), SecretsError> {
    let expected = match (known.is_founded, are_lost) {
        (true, false) => Expected::There,
        (true, true) => Expected::Lost,
        (false, _) => Expected::Either,
    };
    move_keys(store, key_file, expected)?;
    let keys = Keys::open(key_file)?;
    Ok((Secrets::open(store, &keys, expected, !known.has_keys)?, keys))
}

/// The first passwords and codes. They are stored before their people and terminals are recorded.
#[derive(Default)]
struct LetIn {
    first_use: Option<FirstUse>,
    /// Passwords in place of others: older ones are not believed once these are recorded.
    replaced: Vec<(SecretOwner, u32)>,
}

impl LetIn {
    async fn new(
        founding: Option<&Founding>,
        handle: &HouseHandle,
        secrets: &Secrets,
        now: Time,
    ) -> Result<Self, ServeError> {
        let Some(founding) = founding else { return Ok(Self::default()) };
        let code_expires = Time(now.0 + FIRST_CODES_MILLIS);
        let newest = async |owner| handle.read(move |house| house.secret_version(owner)).await;
        let mut replaced = Vec::new();
        let password = async |person| {
            let owner = SecretOwner::Person(person);
            let newest = newest(owner).await?;
            let (password, version) = one_time_password(secrets, now, person, newest).await?;
            if newest > 0 {
                replaced.push((owner, version));
            }
            Ok::<_, ServeError>(password)
        };
        let code = async |device| {
            let newest = newest(SecretOwner::Device(device)).await?;
            Ok(enrolment_code(secrets, device, code_expires, newest).await?)
        };
        let first_use = founding.first_use(password, code).await?;
        Ok(Self { first_use: Some(first_use), replaced })
    }

    async fn record(self, handle: &HouseHandle) -> Result<(), Stopped> {
        for (owner, version) in self.replaced {
            handle.own(HouseCommand::ChangeSecret { owner, version }).await?;
        }
        Ok(())
    }
}

/// Records the fingerprint of the keys where the record has none yet.
async fn record_keys(handle: &HouseHandle, keys: &Keys) -> Result<(), Stopped> {
    if handle.read(|house| house.keys().is_some()).await? {
        return Ok(());
    }
    handle.own(HouseCommand::UseKeys { keys: keys_in_use(keys) }).await.map(drop)
}

#[cfg(test)]
mod tests;
