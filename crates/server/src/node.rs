//! The hall: a house that runs. It opens the book, builds the House and every table from the record, and gives each a thread;
//! when one of them stops, all do.

pub(crate) mod clock;
pub(crate) mod handle;
mod hosting;
mod house_reader;
pub(crate) mod lease_deadline;
pub(crate) mod membership;
mod partition_manager;
mod partition_thread;
pub(crate) mod peer_api;
mod peer_client;
pub(crate) mod peer_sender;
pub(crate) mod peers;
mod relay;
pub(crate) mod router;
pub(crate) mod slip_reader;
pub(crate) mod stopped;
mod unopened;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::sync::Arc;

use serde_json::Value;
use taisai_engine::Message;
use taisai_journal::{Archive, ChainName, ChainPurpose, LeaseError, PublicKey};
use taisai_record::{
    Address, ChainOpening, FollowError, MachineSetup, Program, RecordFiles, RecordStore, RecordStoreError, Recorder,
    StoreError, WarningSink, chain_of, first_opening,
};
use taisai_table::{
    Actor, Cluster, ClusterId, CommandRequest, Decision, House, HouseCommand, MachineId, Profile, Refusal,
    Registration, Round, Seat, TableId,
};
use tokio::sync::watch;

use crate::http::accept::TlsError;
use crate::metrics::Metrics;
use crate::node::clock::{Clock, OwnIds, Share, Sources, System};
use crate::node::handle::{HouseHandle, TableHandle};
use crate::node::router::Router;
use crate::node::stopped::Stopped;
pub(crate) use hosting::guarded;
use hosting::{PartitionHost, Plans, RunningPartitions};
use lease_deadline::SharedLeaseDeadline;
use membership::FormerNames;
use partition_manager::PartitionManager;
use peer_sender::PeerSender;
use peers::{NodeAddress, Peers};
pub(crate) use relay::relay;
use unopened::UnopenedPartitions;

/// What a table is laid out by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePlan {
    /// The table.
    pub table: TableId,
    /// The file of its game, word for word.
    pub game: String,
    /// The layout's letter.
    pub layout: String,
    /// Which bets are registered.
    pub registration: Registration,
    /// Whether it plays for training.
    pub is_training: bool,
    /// How many seats each of its clusters has.
    pub seats: Vec<u32>,
}

/// What a house is opened by.
#[derive(Clone, Debug)]
pub struct InstallationPlan {
    /// Where its record is.
    pub address: Address,
    /// Its key and its anchor.
    pub files: RecordFiles,
    /// The program that runs it.
    pub program: Program,
    /// The id of a house that begins.
    pub new_house: [u8; 16],
    /// The profile.
    pub profile: Profile,
    /// Whether the whole house plays for training.
    pub is_training: bool,
    /// Its tables.
    pub tables: Vec<TablePlan>,
}

/// Why a house cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Its record.
    #[error(transparent)]
    Record(#[from] RecordStoreError),
    /// Its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A real house is opened for training, or the other way round (F54).
    #[error("the record is of a house of the other kind: a training house stays one, and a real one never becomes one")]
    OtherPurpose,
    /// The House refuses a table.
    #[error("the House refuses table {}: {}", table.0, refusal.sentence())]
    Table {
        /// The table.
        table: TableId,
        /// Why.
        refusal: Refusal,
    },
    /// A table has too many clusters, or none.
    #[error("table {} must have from 1 to 65,535 clusters", .0.0)]
    Clusters(TableId),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The record takes nothing.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The leases of a house on several machines.
    #[error(transparent)]
    Leases(#[from] LeaseError),
    /// The record of a House that another node holds.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// What the other nodes are known by.
    #[error(transparent)]
    Authority(#[from] TlsError),
    /// Its time was over before it had begun.
    #[error("the node holds nothing any more: {0}")]
    Over(String),
    /// A house on several machines is taken over before anyone could come in.
    #[error("the house was not founded to its end: it is when a node is started")]
    NotFounded,
}

/// The ways into a house. It can only be closed when nobody holds them any more.
#[derive(Clone)]
pub(crate) struct NodeHandle {
    router: Arc<Router>,
    plans: Plans,
    unopened: Arc<UnopenedPartitions>,
}

impl NodeHandle {
    /// The parts that this node holds and has not opened yet.
    pub(crate) fn unopened(&self) -> &UnopenedPartitions {
        &self.unopened
    }

    /// The way to the House.
    pub(crate) fn house(&self) -> HouseHandle {
        HouseHandle(self.router.house())
    }

    /// Whether the House runs here.
    pub(crate) fn has_house(&self) -> bool {
        self.router.has_house()
    }

    /// Delivers a message of another node. One for a partition that does not run here is sent again by its sender.
    pub(crate) async fn deliver(&self, message: Message) {
        if self.router.partition(message.to()).is_some() {
            self.router.send(message).await;
        }
    }

    /// A table that runs here, as anyone sees it.
    pub(crate) fn public(&self, table: TableId) -> Option<Value> {
        self.router.public(table)
    }

    /// The way to a table that runs here.
    pub(crate) fn table(&self, table: TableId) -> Option<TableHandle> {
        self.router.table(table).map(TableHandle)
    }

    /// The way to a cluster that runs here.
    pub(crate) fn cluster(&self, cluster: ClusterId) -> Option<TableHandle> {
        self.router.cluster(cluster).map(TableHandle)
    }

    /// How many places each cluster of a table has.
    pub(crate) fn places(&self, table: TableId) -> Vec<u32> {
        let seats = self.plans.get(&table).map(|plan| plan.seats.as_slice()).unwrap_or_default();
        seats.iter().map(|seats| seats.saturating_sub(1)).collect()
    }

    /// Every table that runs here.
    pub(crate) fn tables(&self) -> Vec<(TableId, TableHandle)> {
        self.router.tables().into_iter().map(|(table, requests)| (table, TableHandle(requests))).collect()
    }

    /// Every table and every cluster that runs here.
    pub(crate) fn all(&self) -> Vec<TableHandle> {
        self.router.table_threads().into_iter().map(TableHandle).collect()
    }

    /// Whether a table runs on any node.
    pub(crate) fn is_laid_out(&self, table: TableId) -> bool {
        self.plans.contains_key(&table)
    }

    /// Whether someone could sit there: seats count from one.
    pub(crate) fn has_place(&self, ClusterId { table, number }: ClusterId, Seat(seat): Seat) -> bool {
        let seats = self.plans.get(&table).and_then(|plan| plan.seats.get(usize::from(number)));
        seats.is_some_and(|seats| (1..*seats).contains(&seat))
    }

    /// The way to the other nodes.
    pub(crate) fn peer_sender(&self) -> Option<&PeerSender> {
        self.router.peers()
    }
}

/// A house that runs.
pub(crate) struct Node {
    host: Arc<PartitionHost>,
    /// What runs here, on one machine.
    running: Option<RunningPartitions>,
    /// Who opens and closes parts, on several machines.
    manager: Option<PartitionManager>,
    clock: Clock,
    stopped: watch::Receiver<Option<Stopped>>,
    house: [u8; 16],
    is_founded: bool,
}

/// A book whose House was read, at a time after all that is on record.
pub(crate) struct Opened {
    pub(crate) book: RecordStore,
    pub(crate) house: Recorder<House>,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    profile: Profile,
}

/// Opens the book of a house, or begins it.
fn open_book(plan: &InstallationPlan, warn: WarningSink) -> Result<RecordStore, NodeError> {
    let InstallationPlan { address, files, program, new_house, .. } = plan;
    RecordStore::open(address, files, program.clone(), *new_house, plan.purpose(), warn).map_err(other_purpose)
}

/// Opens the book for a part of a house on several machines, which has these chains.
fn open_partition(plan: &InstallationPlan, chains: &[ChainName], warn: WarningSink) -> Result<RecordStore, NodeError> {
    let InstallationPlan { address, files, program, new_house, .. } = plan;
    let opened = RecordStore::open_partition(address, files, program.clone(), *new_house, plan.purpose(), chains, warn);
    opened.map_err(other_purpose)
}

fn other_purpose(error: RecordStoreError) -> NodeError {
    match error {
        RecordStoreError::OtherSetup(chain) if chain == "house" => NodeError::OtherPurpose,
        error => error.into(),
    }
}

impl InstallationPlan {
    const fn purpose(&self) -> ChainPurpose {
        if self.is_training { ChainPurpose::Training } else { ChainPurpose::Real }
    }
}

impl Opened {
    pub(crate) fn new(
        system: System,
        plan: &InstallationPlan,
        share: Share,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        let mut book = open_book(plan, warn)?;
        let before = Clock::start(system, book.newest());
        let setup = MachineSetup::House { is_training: plan.is_training };
        let recorded = recorded(book.archive(), MachineId::House)?;
        let profile = recorded.map_or_else(|| plan.profile.clone(), |opening| opening.profile);
        let house: Recorder<House> = book.machine(setup, &profile, before.now())?;
        let clock = Clock::start(system, book.newest());
        let sources = Sources::new(clock, share);
        sources.above(house.machine().highest_source());
        Ok(Self { book, house, clock, sources, profile })
    }
}

impl Node {
    /// Opens a house on one machine. What its record says of profile and tables holds; the plan only says how what the record does
    /// not know begins. It waits for the store and is called where a runtime lets it wait, which the voices of the tables run on.
    pub(crate) fn open(plan: InstallationPlan, metrics: &Arc<Metrics>, warn: WarningSink) -> Result<Self, NodeError> {
        Self::open_by(clock::system, plan, metrics, warn)
    }

    fn open_by(
        system: System,
        plan: InstallationPlan,
        metrics: &Arc<Metrics>,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        let Opened { mut book, mut house, clock, sources, profile } =
            Opened::new(system, &plan, Share::ALL, warn.clone())?;
        let is_founded = house.machine().people().next().is_some();
        let plans = found(&mut book, &mut house, &plan, clock, &sources)?;
        let mut tables = Vec::new();
        for plan in plans.values() {
            tables.push(open_table(&mut book, plan, &profile, clock)?);
        }
        let (stop, stopped) = watch::channel(None);
        let host = Arc::new(PartitionHost {
            keys: book.keys().to_vec(),
            plan,
            plans,
            profile: Arc::new(profile),
            router: Arc::new(Router::new(None, BTreeSet::new())),
            metrics: Arc::clone(metrics),
            sources,
            stop,
            lease: SharedLeaseDeadline::FOREVER,
            events: None,
            unopened: Arc::default(),
            warn,
            system,
        });
        // Each can be written to before any of them speaks.
        let starts: Vec<_> = tables.into_iter().map(|(round, clusters)| host.table(round, clusters, clock)).collect();
        let mut threads = vec![host.house(house, clock).start(host.stops_node())?];
        for table in starts {
            threads.push(table.start(host.stops_node())?);
        }
        let (id, running) = (book.house(), Some(RunningPartitions { threads, book }));
        Ok(Self { host, running, manager: None, clock, stopped, house: id, is_founded })
    }

    /// Joins a house on several machines, as a node that listens there, or begins it. Parts that nobody holds are opened here,
    /// now and later.
    pub(crate) fn join(
        plan: InstallationPlan,
        (node, former, listens, is_secured): (&NodeAddress, &FormerNames, SocketAddr, bool),
        metrics: &Arc<Metrics>,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        partition_manager::join(plan, (node, former, &node.reached(listens, is_secured)), metrics, warn)
    }

    /// The profile, as the record has it.
    pub(crate) fn profile(&self) -> Arc<Profile> {
        Arc::clone(&self.host.profile)
    }

    /// The house's id, as the record has it.
    pub(crate) const fn house(&self) -> [u8; 16] {
        self.house
    }

    /// The ways into the house.
    pub(crate) fn handle(&self) -> NodeHandle {
        let PartitionHost { router, plans, unopened, .. } = &*self.host;
        NodeHandle { router: Arc::clone(router), plans: plans.clone(), unopened: Arc::clone(unopened) }
    }

    /// The keys whose checkpoints are believed.
    pub(crate) fn keys(&self) -> &[PublicKey] {
        &self.host.keys
    }

    /// What this node knows of the others, where there are several.
    pub(crate) fn peers(&self) -> Option<Peers> {
        self.manager.as_ref().and_then(PartitionManager::peers)
    }

    /// Whether the record had people when the house was opened.
    pub(crate) const fn is_founded(&self) -> bool {
        self.is_founded
    }

    /// Until when its machines may speak.
    pub(crate) fn lease(&self) -> SharedLeaseDeadline {
        self.host.lease.clone()
    }

    /// The house's time.
    pub(crate) const fn clock(&self) -> Clock {
        self.clock
    }

    /// Numbers for those who send commands.
    pub(crate) fn sources(&self) -> &Sources {
        &self.host.sources
    }

    /// Tells when a part has stopped, and why.
    pub(crate) fn stopped(&self) -> watch::Receiver<Option<Stopped>> {
        self.stopped.clone()
    }

    /// Closes the house: what was asked is recorded, vouched for, and the book closed. Nobody may hold a way into it any more.
    pub(crate) fn close(self) {
        let Self { host, running, manager, .. } = self;
        if let Some(manager) = manager {
            manager.close();
        }
        host.router.close();
        if let Some(running) = running {
            running.close();
        }
    }
}

/// What the machine of a chain was first built with.
fn recorded(archive: &mut dyn Archive, machine: MachineId) -> Result<Option<ChainOpening>, NodeError> {
    Ok(first_opening(archive, &chain_of(machine)).map_err(RecordStoreError::from)?)
}

/// The House has every table on file, and each is laid out.
fn found(
    book: &mut RecordStore,
    house: &mut Recorder<House>,
    plan: &InstallationPlan,
    clock: Clock,
    sources: &Sources,
) -> Result<Plans, NodeError> {
    let mut ids = OwnIds::new(sources);
    for table in &plan.tables {
        add(house, table, clock, &mut ids)?;
    }
    laid_out(book.archive(), house.machine(), &plan.tables)
}

/// The House has the table on file, once. When a house has people, they add its tables.
fn add(house: &mut Recorder<House>, plan: &TablePlan, clock: Clock, ids: &mut OwnIds) -> Result<(), NodeError> {
    let table = plan.table;
    if house.machine().tables().any(|(known, _)| known == table) {
        return Ok(());
    }
    if house.machine().people().next().is_some() {
        tracing::warn!(table = table.0, "the table is not on file: `taisai config apply` adds it");
        return Ok(());
    }
    let clusters = u16::try_from(plan.seats.len()).ok().and_then(NonZeroU16::new).ok_or(NodeError::Clusters(table))?;
    let command = HouseCommand::AddTable { table, clusters, training: plan.is_training, second: None };
    let asked = CommandRequest { time: clock.now(), actor: Actor::System, id: ids.next(), command };
    match house.ask(asked) {
        Decision::Accepted(_) | Decision::Repeated(_) => Ok(()),
        Decision::Refused(refusal) => Err(NodeError::Table { table, refusal }),
    }
}

/// The tables on file, each as the record knows it. One that was added and never opened is laid out by its plan; without one
/// it stays away.
fn laid_out(archive: &mut dyn Archive, house: &House, plans: &[TablePlan]) -> Result<Plans, NodeError> {
    let mut tables = BTreeMap::new();
    for (table, on_file) in house.tables() {
        let fits = |plan: &&TablePlan| {
            let clusters = usize::from(on_file.clusters.get());
            plan.table == table && plan.seats.len() == clusters && plan.is_training == on_file.is_training
        };
        let plan = plans.iter().find(fits);
        let Some(found) = as_recorded(archive, table, plan)? else {
            tracing::error!(table = table.0, "the table is on file, but nothing says how it is laid out");
            continue;
        };
        if plans.iter().any(|plan| plan.table == table && *plan != found) {
            tracing::warn!(table = table.0, "the table is opened as the record has it, not as the file says");
        }
        tables.insert(table, found);
    }
    Ok(Arc::new(tables))
}

/// A table as its chains were first opened; what they do not say yet is as planned.
fn as_recorded(
    archive: &mut dyn Archive,
    table: TableId,
    plan: Option<&TablePlan>,
) -> Result<Option<TablePlan>, NodeError> {
    let Some(opening) = recorded(archive, MachineId::Round(table))? else { return Ok(plan.cloned()) };
    let MachineSetup::Round { game, layout, registration, is_training, clusters, .. } = opening.setup else {
        return Err(RecordStoreError::OtherSetup(chain_of(MachineId::Round(table)).to_string()).into());
    };
    let mut seats = Vec::new();
    for number in 0..clusters {
        let planned = plan.and_then(|plan| plan.seats.get(usize::from(number)).copied());
        let found =
            match recorded(archive, MachineId::Cluster(ClusterId { table, number }))?.map(|opening| opening.setup) {
                Some(MachineSetup::Cluster { seats, .. }) => Some(seats),
                Some(MachineSetup::House { .. } | MachineSetup::Round { .. }) | None => planned,
            };
        let Some(found) = found else { return Ok(None) };
        seats.push(found);
    }
    Ok(Some(TablePlan { table, game, layout, registration, is_training, seats }))
}

type TableMachines = (Recorder<Round>, Vec<Recorder<Cluster>>);

fn open_table(
    book: &mut RecordStore,
    plan: &TablePlan,
    profile: &Profile,
    clock: Clock,
) -> Result<TableMachines, NodeError> {
    let round = open_round(book, plan, profile, clock)?;
    let mut open = Vec::new();
    for number in 0..plan.clusters()? {
        open.push(open_cluster(book, plan, number, profile, clock)?);
    }
    Ok((round, open))
}

fn open_round(
    book: &mut RecordStore,
    plan: &TablePlan,
    profile: &Profile,
    clock: Clock,
) -> Result<Recorder<Round>, NodeError> {
    let clusters = plan.clusters()?;
    let TablePlan { table, game, layout, registration, is_training, .. } = plan.clone();
    let setup = MachineSetup::Round { table, game, layout, registration, is_training, clusters };
    Ok(book.machine(setup, profile, clock.now())?)
}

fn open_cluster(
    book: &mut RecordStore,
    plan: &TablePlan,
    number: u16,
    profile: &Profile,
    clock: Clock,
) -> Result<Recorder<Cluster>, NodeError> {
    let TablePlan { table, game, layout, registration, seats, .. } = plan.clone();
    let seats = seats.get(usize::from(number)).copied().ok_or(NodeError::Clusters(table))?;
    let setup = MachineSetup::Cluster { cluster: ClusterId { table, number }, game, layout, registration, seats };
    Ok(book.machine(setup, profile, clock.now())?)
}

impl TablePlan {
    fn clusters(&self) -> Result<u16, NodeError> {
        u16::try_from(self.seats.len()).map_err(|_| NodeError::Clusters(self.table))
    }
}

#[cfg(test)]
mod tests;
