//! The runtime of a node: it opens the record store, rebuilds the House and the tables, and runs each on a partition thread. When
//! one of the threads fails, the node stops.

pub(crate) mod clock;
pub(crate) mod handle;
mod house_reader;
pub(crate) mod lease_deadline;
pub(crate) mod membership;
pub(crate) mod message_forwarder;
mod partition_host;
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
use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use serde_json::Value;
use taisai_engine::Message;
use taisai_journal::{AcknowledgedHeads, Archive, ChainName, ChainPurpose, Hash, Journal, Keys, LeaseError, PublicKey};
use taisai_record::{
    Address, ChainOpening, FollowError, MachineSetup, Program, ReadMachine, RecordFiles, RecordStore, RecordStoreError,
    Recorder, StoreError, WarningSink, chain_of, first_opening,
};
use taisai_rules::Game;
use taisai_table::{
    Actor, Cluster, ClusterId, CommandRequest, Decision, Entry, House, HouseCommand, KeyFingerprint, KeysInUse,
    MachineId, Profile, Refusal, Registration, Round, Seat, SignerKey, TableId,
};
use tokio::sync::watch;

use crate::http::accept::TlsError;
use crate::metrics::Metrics;
use crate::node::clock::{Clock, OwnIds, Share, Sources, System};
use crate::node::handle::{HouseHandle, TableHandle};
use crate::node::router::Router;
use crate::node::stopped::Stopped;
use lease_deadline::SharedLeaseDeadline;
use membership::FormerNames;
pub(crate) use partition_host::guarded;
use partition_host::{PartitionHost, Plans, RunningPartitions};
use partition_manager::PartitionManager;
use peer_sender::PeerSender;
use peers::{NodeAddress, Peers};
pub(crate) use relay::relay;
use slip_reader::SlipReader;
use unopened::UnopenedPartitions;

/// How a table is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePlan {
    pub table: TableId,
    /// The game file, word for word.
    pub game: String,
    pub layout: String,
    pub registration: Registration,
    pub is_training: bool,
    /// The number of seats of each cluster.
    pub seats: Vec<u32>,
}

/// What an installation is opened with.
#[derive(Clone, Debug)]
pub struct InstallationPlan {
    /// Where the record is.
    pub address: Address,
    /// The key file and the anchor.
    pub files: RecordFiles,
    pub program: Program,
    /// The id for an installation that has no record yet.
    pub new_house: [u8; 16],
    pub profile: Profile,
    /// Whether the whole installation is for training.
    pub is_training: bool,
    /// Whether tables with real money may play games that are not approved.
    pub allows_unapproved: bool,
    pub tables: Vec<TablePlan>,
    /// What the store has acknowledged to this process: a node that joins again refuses a store with less.
    pub acknowledged: AcknowledgedHeads,
}

/// Why a node cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The key file is of another installation, or an old copy.
    #[error(
        "the key file {} is not the one of this casino: the record knows the keys with the fingerprint {known}, and the file has \
         {found}. Copy the file of a node that plays; if taisai keys rotate was interrupted, run it again",
        path.display()
    )]
    OtherKeys { path: PathBuf, known: Hash, found: Hash },
    #[error(transparent)]
    Record(#[from] RecordStoreError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A real record is opened for training, or the other way round (F54).
    #[error("the record is of the other kind: a training installation stays one, and a real one never becomes one")]
    OtherPurpose,
    #[error("the House refuses table {}: {}", table.0, refusal.sentence())]
    Table { table: TableId, refusal: Refusal },
    /// Real money would be played for by rules that nobody approved.
    #[error(
        "table {}: the game {game} is NOT APPROVED: its hash is {found}, and {}. Use the approved game, or play it for training \
         (training = true); unapproved_games = \"allow\" under [house] opens it for real money all the same",
        table.0,
        approved.map_or_else(|| "no game of that name and version is approved".to_owned(), |hash| format!("the approved one has {hash}"))
    )]
    NotApproved { table: TableId, game: String, found: String, approved: Option<&'static str> },
    #[error("table {} must have from 1 to 65,535 clusters", .0.0)]
    Clusters(TableId),
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    Leases(#[from] LeaseError),
    /// The record of a House that another node holds.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The certificates of other nodes.
    #[error(transparent)]
    Authority(#[from] TlsError),
    /// The node lost its lease while it started.
    #[error("this node has lost its lease: {0}")]
    Over(String),
    /// The node that was to record the first people stopped before it did.
    #[error("the first people are not recorded yet: start a node again to record them")]
    NotFounded,
}

impl NodeError {
    /// Whether a write or a flush of the store failed.
    pub(crate) fn is_failed_write(&self) -> bool {
        match self {
            Self::Record(error) => error.is_failed_write(),
            Self::Store(error) => error.is_failed_write(),
            Self::Stopped(stopped) => stopped.is_failed_write(),
            Self::OtherPurpose
            | Self::OtherKeys { .. }
            | Self::Table { .. }
            | Self::NotApproved { .. }
            | Self::Clusters(_)
            | Self::Thread(_)
            | Self::Leases(_)
            | Self::Follow(_)
            | Self::Authority(_)
            | Self::Over(_)
            | Self::NotFounded => false,
        }
    }
}

/// Handles to the partitions of a node. A node can only be closed once all of these are dropped.
#[derive(Clone)]
pub(crate) struct NodeHandle {
    router: Arc<Router>,
    plans: Plans,
    unopened: Arc<UnopenedPartitions>,
}

impl NodeHandle {
    pub(crate) fn unopened(&self) -> &UnopenedPartitions {
        &self.unopened
    }

    pub(crate) fn house(&self) -> HouseHandle {
        HouseHandle(self.router.house())
    }

    pub(crate) fn has_house(&self) -> bool {
        self.router.has_house()
    }

    /// Delivers a message from another node. If its partition does not run here, the sender repeats it.
    pub(crate) async fn deliver(&self, message: Message) {
        if self.router.partition(message.to()).is_some() {
            self.router.send(message).await;
        }
    }

    /// The public view of a table that runs here.
    pub(crate) fn public(&self, table: TableId) -> Option<Value> {
        self.router.public(table)
    }

    pub(crate) fn table(&self, table: TableId) -> Option<TableHandle> {
        self.router.table(table).map(TableHandle)
    }

    pub(crate) fn cluster(&self, cluster: ClusterId) -> Option<TableHandle> {
        self.router.cluster(cluster).map(TableHandle)
    }

    /// The number of usable seats of each cluster.
    pub(crate) fn places(&self, table: TableId) -> Vec<u32> {
        let seats = self.plans.get(&table).map(|plan| plan.seats.as_slice()).unwrap_or_default();
        seats.iter().map(|seats| seats.saturating_sub(1)).collect()
    }

    pub(crate) fn tables(&self) -> Vec<(TableId, TableHandle)> {
        self.router.tables().into_iter().map(|(table, requests)| (table, TableHandle(requests))).collect()
    }

    /// A handle to each thread of a table or cluster.
    pub(crate) fn all(&self) -> Vec<TableHandle> {
        self.router.table_threads().into_iter().map(TableHandle).collect()
    }

    /// Whether the installation has this table, on any node.
    pub(crate) fn is_laid_out(&self, table: TableId) -> bool {
        self.plans.contains_key(&table)
    }

    /// Whether the seat exists: seats count from one.
    pub(crate) fn has_place(&self, ClusterId { table, number }: ClusterId, Seat(seat): Seat) -> bool {
        let seats = self.plans.get(&table).and_then(|plan| plan.seats.get(usize::from(number)));
        seats.is_some_and(|seats| (1..*seats).contains(&seat))
    }

    pub(crate) fn peer_sender(&self) -> Option<&PeerSender> {
        self.router.peers()
    }
}

/// A running node.
pub(crate) struct Node {
    host: Arc<PartitionHost>,
    /// The threads of an installation on one machine.
    running: Option<RunningPartitions>,
    /// Opens and closes partitions, if the installation runs on several machines.
    manager: Option<PartitionManager>,
    clock: Clock,
    stopped: watch::Receiver<Option<Stopped>>,
    house: [u8; 16],
    known: KnownInstallation,
}

/// What the record of an installation had when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownInstallation {
    /// Whether there were people.
    pub(crate) is_founded: bool,
    /// Whether it knew the keys of the installation.
    pub(crate) has_keys: bool,
}

impl KnownInstallation {
    fn of(house: &House) -> Self {
        Self { is_founded: house.people().next().is_some(), has_keys: house.keys().is_some() }
    }
}

/// A record store with its House, and a clock that is later than everything on record.
pub(crate) struct Opened {
    pub(crate) store: RecordStore,
    pub(crate) house: Recorder<House>,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    profile: Profile,
}

/// Opens the record store of an installation, or creates it.
fn open_store(plan: &InstallationPlan, warn: WarningSink) -> Result<RecordStore, NodeError> {
    let InstallationPlan { files, program, new_house, .. } = plan;
    let opened = RecordStore::in_journal(plan.journal()?, files, program.clone(), *new_house, plan.purpose(), warn);
    opened.map_err(other_purpose)
}

/// Opens the record store for these chains of an installation on several machines.
fn open_partition(plan: &InstallationPlan, chains: &[ChainName], warn: WarningSink) -> Result<RecordStore, NodeError> {
    let InstallationPlan { files, program, new_house, .. } = plan;
    let (journal, purpose) = (plan.journal()?, plan.purpose());
    let opened = RecordStore::open_partition(journal, files, program.clone(), *new_house, purpose, chains, warn);
    opened.map_err(other_purpose)
}

fn other_purpose(error: RecordStoreError) -> NodeError {
    match error {
        RecordStoreError::OtherSetup(chain) if chain == "house" => NodeError::OtherPurpose,
        error => error.into(),
    }
}

impl InstallationPlan {
    /// Opens the store for writing.
    fn journal(&self) -> Result<Box<dyn Journal>, NodeError> {
        Ok(self.acknowledged.guard(self.address.journal()?))
    }

    const fn purpose(&self) -> ChainPurpose {
        if self.is_training { ChainPurpose::Training } else { ChainPurpose::Real }
    }

    /// Real money is played for by approved games only, unless the casino says otherwise. A file that is no game is refused later.
    fn check_approval(&self, plan: &TablePlan) -> Result<(), NodeError> {
        let Ok(game) = Game::from_toml(&plan.game) else { return Ok(()) };
        if game.is_approved() {
            return Ok(());
        }
        let (name, found) = (format!("{}@{}", game.id(), game.version()), game.hash().to_owned());
        if plan.is_training || self.allows_unapproved {
            tracing::warn!(table = plan.table.0, game = name, hash = found, "the game is NOT APPROVED");
            return Ok(());
        }
        Err(NodeError::NotApproved { table: plan.table, game: name, found, approved: game.approved_hash() })
    }
}

/// A record store whose House was read. Nothing is written yet.
struct ReadHouse {
    store: RecordStore,
    house: ReadMachine<House>,
    profile: Profile,
}

impl ReadHouse {
    fn new(system: System, plan: &InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let mut store = open_store(plan, warn)?;
        let clock = Clock::start(system, store.newest());
        let setup = MachineSetup::House { is_training: plan.is_training };
        let recorded = recorded(store.archive(), MachineId::House)?;
        let profile = recorded.map_or_else(|| plan.profile.clone(), |opening| opening.profile);
        let house = store.read(setup, &profile, clock.now())?;
        Ok(Self { store, house, profile })
    }

    /// With the key file that the record knows.
    fn with_own_keys(system: System, plan: &InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let read = Self::new(system, plan, warn)?;
        check_keys(read.house.machine(), plan)?;
        Ok(read)
    }

    fn take_over(self, system: System, share: Share) -> Result<Opened, NodeError> {
        let Self { mut store, house, profile } = self;
        let house = store.take(house)?;
        let clock = Clock::start(system, store.newest());
        let sources = Sources::new(clock, share);
        sources.above(house.machine().highest_source());
        Ok(Opened { store, house, clock, sources, profile })
    }
}

impl Opened {
    pub(crate) fn new(
        system: System,
        plan: &InstallationPlan,
        share: Share,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        ReadHouse::with_own_keys(system, plan, warn)?.take_over(system, share)
    }

    /// Opens it also with a key file that the record does not know yet.
    pub(crate) fn with_any_keys(
        system: System,
        plan: &InstallationPlan,
        share: Share,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        ReadHouse::new(system, plan, warn)?.take_over(system, share)
    }

    /// Waits until everything is durable and vouched for, and closes.
    pub(crate) fn close(self) -> Result<(), Stopped> {
        let Self { store, mut house, clock, .. } = self;
        let (answer, recorded) = mpsc::channel();
        house.commit(move |recorded| answer.send(recorded).unwrap_or_default())?;
        recorded.recv().map_err(|_| Stopped::Closed)??;
        house.checkpoint(clock.now())?;
        drop(house);
        Ok(store.close()?)
    }
}

/// The machines of a table to the end of their chains, which are not taken yet.
type ReadTable = (ReadMachine<Round>, Vec<ReadMachine<Cluster>>);

/// An installation on one machine whose whole record was read. Nothing is written yet, so a start that is refused by now leaves every
/// chain as it was.
pub(crate) struct ReadInstallation {
    plan: InstallationPlan,
    plans: Plans,
    house: ReadHouse,
    tables: Vec<ReadTable>,
    warn: WarningSink,
    system: System,
}

impl ReadInstallation {
    /// The record decides profile and tables; the plan only adds what the record does not have.
    pub(crate) fn new(plan: InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        Self::read_by(clock::system, plan, warn)
    }

    fn read_by(system: System, plan: InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let ReadHouse { mut store, house, profile } = ReadHouse::with_own_keys(system, &plan, warn.clone())?;
        let house = store.check_end(house)?;
        let clock = Clock::start(system, store.newest());
        let planned = with_tables(house.machine(), &plan, clock)?;
        let plans = laid_out(store.archive(), &planned, &plan)?;
        let mut tables = Vec::new();
        for plan in plans.values() {
            tables.push(read_table(&mut store, plan, &profile, clock)?);
        }
        Ok(Self { plan, plans, house: ReadHouse { store, house, profile }, tables, warn, system })
    }

    pub(crate) fn known(&self) -> KnownInstallation {
        KnownInstallation::of(self.house.house.machine())
    }

    /// Takes every chain and runs the installation. Call it from a blocking thread inside a runtime, where the publishers will run.
    pub(crate) fn run(self, metrics: &Arc<Metrics>) -> Result<Node, NodeError> {
        let known = self.known();
        let Self { plan, plans, house, tables, warn, system } = self;
        let Opened { mut store, mut house, clock, sources, profile } = house.take_over(system, Share::ALL)?;
        add_tables(&mut house, &plan, clock, &sources)?;
        let mut taken = Vec::new();
        for (round, clusters) in tables {
            let round = store.take(round)?;
            let clusters = clusters.into_iter().map(|cluster| store.take(cluster)).collect::<Result<Vec<_>, _>>()?;
            taken.push((round, clusters));
        }
        let (stop, stopped) = watch::channel(None);
        let host = Arc::new(PartitionHost {
            slips: SlipReader::start(plan.address.clone(), store.keys().to_vec())?,
            keys: store.keys().to_vec(),
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
        // All queues exist before the first thread sends a message.
        let starts: Vec<_> = taken.into_iter().map(|(round, clusters)| host.table(round, clusters, clock)).collect();
        let mut threads = vec![host.house(house, clock).start(host.stops_node())?];
        for table in starts {
            threads.push(table.start(host.stops_node())?);
        }
        let (id, running) = (store.house(), Some(RunningPartitions { threads, store }));
        Ok(Node { host, running, manager: None, clock, stopped, house: id, known })
    }
}

impl Node {
    /// Opens an installation on one machine.
    #[cfg(test)]
    pub(crate) fn open(plan: InstallationPlan, metrics: &Arc<Metrics>, warn: WarningSink) -> Result<Self, NodeError> {
        ReadInstallation::new(plan, warn)?.run(metrics)
    }

    /// Joins an installation on several machines, or creates it. Partitions without a holder are opened here, now and later.
    pub(crate) fn join(
        plan: InstallationPlan,
        (node, former, listens, is_secured): (&NodeAddress, &FormerNames, SocketAddr, bool),
        metrics: &Arc<Metrics>,
        warn: WarningSink,
    ) -> Result<Self, NodeError> {
        partition_manager::join(plan, (node, former, &node.reached(listens, is_secured)), metrics, warn)
    }

    /// The profile in the record.
    pub(crate) fn profile(&self) -> Arc<Profile> {
        Arc::clone(&self.host.profile)
    }

    /// The installation's id in the record.
    pub(crate) const fn house(&self) -> [u8; 16] {
        self.house
    }

    pub(crate) fn handle(&self) -> NodeHandle {
        let PartitionHost { router, plans, unopened, .. } = &*self.host;
        NodeHandle { router: Arc::clone(router), plans: plans.clone(), unopened: Arc::clone(unopened) }
    }

    /// Whether the game of every table on record is an approved one, also of tables that run on other nodes.
    pub(crate) fn is_game_approved(&self) -> bool {
        let is_approved = |plan: &TablePlan| Game::from_toml(&plan.game).is_ok_and(|game| game.is_approved());
        self.host.plans.values().all(is_approved)
    }

    /// The keys whose checkpoints are trusted.
    pub(crate) fn keys(&self) -> &[PublicKey] {
        &self.host.keys
    }

    /// The other nodes, if there are several.
    pub(crate) fn peers(&self) -> Option<Peers> {
        self.manager.as_ref().and_then(PartitionManager::peers)
    }

    pub(crate) const fn known(&self) -> KnownInstallation {
        self.known
    }

    /// Until when this node may answer for its partitions.
    pub(crate) fn lease(&self) -> SharedLeaseDeadline {
        self.host.lease.clone()
    }

    pub(crate) const fn clock(&self) -> Clock {
        self.clock
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.host.sources
    }

    /// Reports why a thread has stopped.
    pub(crate) fn stopped(&self) -> watch::Receiver<Option<Stopped>> {
        self.stopped.clone()
    }

    /// Records and checkpoints every command received, and closes the record store. All handles must be dropped before.
    pub(crate) fn close(self) -> Result<(), Stopped> {
        let Self { host, running, manager, .. } = self;
        if let Some(manager) = manager {
            manager.close();
        }
        host.router.close();
        // The last to close the store tidies it up.
        host.slips.close();
        running.map_or(Ok(()), RunningPartitions::close)
    }
}

/// What the record knows a key file by.
pub(crate) fn keys_in_use(keys: &Keys) -> KeysInUse {
    KeysInUse {
        fingerprint: KeyFingerprint(*keys.fingerprint().as_bytes()),
        signer: SignerKey(*keys.signing.public().as_bytes()),
    }
}

/// Every node has the key file that the record knows.
fn check_keys(house: &House, plan: &InstallationPlan) -> Result<(), NodeError> {
    let Some(known) = house.keys() else { return Ok(()) };
    let path = &plan.files.key_file;
    let found = Keys::open(path).map_err(RecordStoreError::from)?.fingerprint();
    let known = Hash::from_bytes(known.fingerprint.0);
    if known == found { Ok(()) } else { Err(NodeError::OtherKeys { path: path.clone(), known, found }) }
}

/// What the machine of a chain was first built with.
fn recorded(archive: &mut dyn Archive, machine: MachineId) -> Result<Option<ChainOpening>, NodeError> {
    Ok(first_opening(archive, &chain_of(machine)).map_err(RecordStoreError::from)?)
}

/// Adds every planned table to the House, and returns the layout of each.
fn found(
    store: &mut RecordStore,
    house: &mut Recorder<House>,
    plan: &InstallationPlan,
    clock: Clock,
    sources: &Sources,
) -> Result<Plans, NodeError> {
    // Before anything of them is recorded.
    with_tables(house.machine(), plan, clock)?;
    add_tables(house, plan, clock, sources)?;
    laid_out(store.archive(), house.machine(), plan)
}

/// The House as it will be with every planned table, or why there will be no such House. Nothing is recorded.
fn with_tables(house: &House, plan: &InstallationPlan, clock: Clock) -> Result<House, NodeError> {
    for table in &plan.tables {
        plan.check_approval(table)?;
    }
    let mut planned = house.clone();
    let sources = Sources::new(clock, Share::ALL);
    sources.above(house.highest_source());
    let mut ids = OwnIds::new(&sources);
    for table in &plan.tables {
        let Some(request) = addition(&planned, table, clock, &mut ids)? else { continue };
        match planned.decide(&request) {
            Decision::Accepted(event) => planned.apply(&Entry { request, outcome: Ok(event) }),
            Decision::Repeated(_) => {}
            Decision::Refused(refusal) => return Err(NodeError::Table { table: table.table, refusal }),
        }
    }
    Ok(planned)
}

fn add_tables(
    house: &mut Recorder<House>,
    plan: &InstallationPlan,
    clock: Clock,
    sources: &Sources,
) -> Result<(), NodeError> {
    let mut ids = OwnIds::new(sources);
    for table in &plan.tables {
        let Some(request) = addition(house.machine(), table, clock, &mut ids)? else {
            if house.machine().tables().all(|(known, _)| known != table.table) {
                tracing::warn!(table = table.table.0, "the table is not on file; add it with `taisai config apply`");
            }
            continue;
        };
        match house.ask(request) {
            Decision::Accepted(_) | Decision::Repeated(_) => {}
            Decision::Refused(refusal) => return Err(NodeError::Table { table: table.table, refusal }),
        }
    }
    Ok(())
}

/// Asks a House without people to add a table. Once there are people, they add tables.
fn addition(
    house: &House,
    plan: &TablePlan,
    clock: Clock,
    ids: &mut OwnIds,
) -> Result<Option<CommandRequest<HouseCommand>>, NodeError> {
    let table = plan.table;
    if house.tables().any(|(known, _)| known == table) || house.people().next().is_some() {
        return Ok(None);
    }
    let clusters = u16::try_from(plan.seats.len()).ok().and_then(NonZeroU16::new).ok_or(NodeError::Clusters(table))?;
    let command = HouseCommand::AddTable { table, clusters, training: plan.is_training, second: None };
    Ok(Some(CommandRequest { time: clock.now(), actor: Actor::System, id: ids.next(), command }))
}

/// The tables of the casino as the record has them. A table that was added but never opened is laid out as planned; without a plan
/// it is left out.
fn laid_out(archive: &mut dyn Archive, house: &House, installation: &InstallationPlan) -> Result<Plans, NodeError> {
    let plans = &installation.tables;
    let mut tables = BTreeMap::new();
    for (table, on_file) in house.tables() {
        let fits = |plan: &&TablePlan| {
            let clusters = usize::from(on_file.clusters.get());
            plan.table == table && plan.seats.len() == clusters && plan.is_training == on_file.is_training
        };
        let plan = plans.iter().find(fits);
        let Some(found) = as_recorded(archive, table, plan)? else {
            tracing::error!(
                table = table.0,
                "the table is on file without a layout; describe it in the configuration file"
            );
            continue;
        };
        if plans.iter().any(|plan| plan.table == table && *plan != found) {
            tracing::warn!(
                table = table.0,
                "the configuration file differs from the record; the table opens as the record has it"
            );
        }
        installation.check_approval(&found)?;
        tables.insert(table, found);
    }
    Ok(Arc::new(tables))
}

/// A table as its chains were first opened; missing parts are taken from the plan.
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
    store: &mut RecordStore,
    plan: &TablePlan,
    profile: &Profile,
    clock: Clock,
) -> Result<TableMachines, NodeError> {
    let round = open_round(store, plan, profile, clock)?;
    let mut open = Vec::new();
    for number in 0..plan.clusters()? {
        open.push(open_cluster(store, plan, number, profile, clock)?);
    }
    Ok((round, open))
}

fn read_table(
    store: &mut RecordStore,
    plan: &TablePlan,
    profile: &Profile,
    clock: Clock,
) -> Result<ReadTable, NodeError> {
    let round = store.read(plan.round()?, profile, clock.now())?;
    let round = store.check_end(round)?;
    let mut clusters = Vec::new();
    for number in 0..plan.clusters()? {
        let cluster = store.read(plan.cluster(number)?, profile, clock.now())?;
        clusters.push(store.check_end(cluster)?);
    }
    Ok((round, clusters))
}

fn open_round(
    store: &mut RecordStore,
    plan: &TablePlan,
    profile: &Profile,
    clock: Clock,
) -> Result<Recorder<Round>, NodeError> {
    Ok(store.machine(plan.round()?, profile, clock.now())?)
}

fn open_cluster(
    store: &mut RecordStore,
    plan: &TablePlan,
    number: u16,
    profile: &Profile,
    clock: Clock,
) -> Result<Recorder<Cluster>, NodeError> {
    Ok(store.machine(plan.cluster(number)?, profile, clock.now())?)
}

impl TablePlan {
    /// What its dealer's side is built with.
    fn round(&self) -> Result<MachineSetup, NodeError> {
        let clusters = self.clusters()?;
        let Self { table, game, layout, registration, is_training, .. } = self.clone();
        Ok(MachineSetup::Round { table, game, layout, registration, is_training, clusters })
    }

    /// What one of its clusters is built with.
    fn cluster(&self, number: u16) -> Result<MachineSetup, NodeError> {
        let Self { table, game, layout, registration, seats, .. } = self.clone();
        let seats = seats.get(usize::from(number)).copied().ok_or(NodeError::Clusters(table))?;
        Ok(MachineSetup::Cluster { cluster: ClusterId { table, number }, game, layout, registration, seats })
    }

    fn clusters(&self) -> Result<u16, NodeError> {
        u16::try_from(self.seats.len()).map_err(|_| NodeError::Clusters(self.table))
    }
}

#[cfg(test)]
mod tests;
