//! The runtime of a node: it opens the record store, rebuilds the House and the tables, and runs each on a partition thread. When
//! one of the threads fails, the node stops.

pub(crate) mod clock;
pub(crate) mod handle;
mod house_reader;
mod layout;
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
use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use serde_json::Value;
use taisai_engine::Message;
use taisai_journal::{
    AcknowledgedHeads, ChainName, ChainPurpose, ClaimError, Hash, Journal, Keys, LeaseError, PublicKey, ReadError,
    TakeError,
};
use taisai_record::{
    Address, FollowError, MachineSetup, Program, ReadMachine, RecordFiles, RecordStore, RecordStoreError, Recorder,
    ReplayError, StoreError, WarningSink,
};
use taisai_rules::Game;
use taisai_table::{
    Actor, Cluster, ClusterId, CommandRequest, House, HouseCommand, KeyFingerprint, KeysInUse, MachineId, Profile,
    Refusal, Registration, ReportedEvent, Round, Seat, SignerKey, TableId, Time,
};
use tokio::sync::watch;

use crate::http::accept::TlsError;
use crate::metrics::Metrics;
use crate::node::clock::{Clock, ClockGap, OwnIds, Share, Sources, System};
use crate::node::handle::{HouseHandle, TableHandle};
use crate::node::router::Router;
use crate::node::stopped::Stopped;
use layout::{LaidOutTables, add_tables, laid_out, recorded, with_tables};
use lease_deadline::SharedLeaseDeadline;
use membership::FormerNames;
pub(crate) use partition_host::guarded;
use partition_host::{PartitionHost, Plans, RunningPartitions};
use partition_manager::PartitionManager;
use peer_sender::PeerSender;
use peers::{NodeAddress, Peers, partition_of};
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
    /// Whether a person has said that the clock of this machine is right, however far it is from the record.
    pub accepts_clock: bool,
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
    /// A person must say whether the clock is right.
    #[error(transparent)]
    Clock(#[from] ClockGap),
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
    /// Whether it is about the record of one table, which stays closed while the others play.
    pub(crate) const fn is_of_one_table(&self) -> bool {
        match self {
            Self::Record(error) => match error {
                RecordStoreError::Replay(_)
                | RecordStoreError::OtherSetup(_)
                | RecordStoreError::Opening(_)
                | RecordStoreError::RolledBack { .. }
                | RecordStoreError::Take(TakeError::Claim(ClaimError::Lost { .. })) => true,
                RecordStoreError::Store(_)
                | RecordStoreError::Read(_)
                | RecordStoreError::Key(_)
                | RecordStoreError::KeyMissing(_)
                | RecordStoreError::OtherKeys { .. }
                | RecordStoreError::Anchor(_)
                | RecordStoreError::Take(_)
                | RecordStoreError::OtherEnd { .. }
                | RecordStoreError::Thread(_) => false,
            },
            Self::Clusters(_) => true,
            Self::Store(_)
            | Self::OtherPurpose
            | Self::OtherKeys { .. }
            | Self::Table { .. }
            | Self::NotApproved { .. }
            | Self::Clock(_)
            | Self::Thread(_)
            | Self::Stopped(_)
            | Self::Leases(_)
            | Self::Follow(_)
            | Self::Authority(_)
            | Self::Over(_)
            | Self::NotFounded => false,
        }
    }

    /// Whether the store did not give what was to be read.
    const fn is_failed_read(&self) -> bool {
        matches!(
            self,
            Self::Record(
                RecordStoreError::Replay(ReplayError::Read(ReadError::Failed(_)))
                    | RecordStoreError::Read(ReadError::Failed(_))
            )
        )
    }

    /// The chain that is damaged or cannot be read, with the block where that is known.
    fn damage(&self) -> Option<(ChainName, Option<u64>)> {
        if let Self::Record(error) = self { error.damage() } else { None }
    }

    /// Whether a newer program wrote what this one cannot read.
    const fn is_of_newer_program(&self) -> bool {
        matches!(self, Self::Record(error) if error.is_of_newer_program())
    }

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
            | Self::Clock(_)
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

    /// How a table is laid out, if that is known.
    pub(crate) fn plan(&self, table: TableId) -> Option<&TablePlan> {
        self.plans.get(&table)
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

    /// Compares the clock of this machine with the newest entry of the record. The difference is told where a person has accepted it.
    fn check_clock(&self, system: System, newest: Option<Time>) -> Result<Option<ClockGap>, ClockGap> {
        match ClockGap::between(system, newest) {
            Some(gap) if !self.accepts_clock => Err(gap),
            gap => Ok(gap),
        }
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
    /// How far the clock is from the record, if a person has accepted that.
    gap: Option<ClockGap>,
}

impl ReadHouse {
    fn new(system: System, plan: &InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let mut store = open_store(plan, warn)?;
        let gap = plan.check_clock(system, store.newest())?;
        let clock = Clock::start(system, store.newest());
        let setup = MachineSetup::House { is_training: plan.is_training };
        let recorded = recorded(store.archive(), MachineId::House)?;
        let profile = recorded.map_or_else(|| plan.profile.clone(), |opening| opening.profile);
        let house = store.read(setup, &profile, clock.now())?;
        Ok(Self { store, house, profile, gap })
    }

    /// With the key file that the record knows.
    fn with_own_keys(system: System, plan: &InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let read = Self::new(system, plan, warn)?;
        check_keys(read.house.machine(), plan)?;
        Ok(read)
    }

    fn take_over(self, system: System, share: Share) -> Result<Opened, NodeError> {
        let Self { mut store, house, profile, gap } = self;
        let mut house = store.take(house)?;
        let clock = Clock::start(system, store.newest());
        let sources = Sources::new(clock, share);
        sources.above(house.machine().highest_source());
        if let Some(millis) = gap.and_then(ClockGap::ahead) {
            let command = HouseCommand::Report { what: ReportedEvent::ClockStepped { millis } };
            let id = OwnIds::new(&sources).next();
            house.ask(CommandRequest { time: clock.now(), actor: Actor::System, id, command });
        }
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
    /// The tables whose record cannot be read.
    unreadable: BTreeMap<TableId, NodeError>,
    warn: WarningSink,
    system: System,
}

impl ReadInstallation {
    /// The record decides profile and tables; the plan only adds what the record does not have.
    pub(crate) fn new(plan: InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        Self::read_by(clock::system, plan, warn)
    }

    fn read_by(system: System, plan: InstallationPlan, warn: WarningSink) -> Result<Self, NodeError> {
        let ReadHouse { mut store, house, profile, gap } = ReadHouse::with_own_keys(system, &plan, warn.clone())?;
        let house = store.check_end(house)?;
        let clock = Clock::start(system, store.newest());
        let planned = with_tables(house.machine(), &plan, clock)?;
        let LaidOutTables { plans, mut unreadable } = laid_out(store.archive(), &planned, &plan)?;
        let mut tables = Vec::new();
        for plan in plans.values() {
            match read_table(&mut store, plan, &profile, clock) {
                Ok(table) => tables.push(table),
                Err(error @ NodeError::Record(RecordStoreError::Read(_))) => drop(unreadable.insert(plan.table, error)),
                Err(error) if error.is_of_one_table() => drop(unreadable.insert(plan.table, error)),
                Err(error) => return Err(error),
            }
        }
        // Nothing is damaged then: the newer program is the one to use, for every table.
        if let Some((table, _)) = unreadable.iter().find(|(_, error)| error.is_of_newer_program()) {
            let table = *table;
            return Err(unreadable.remove(&table).expect("it was found"));
        }
        Ok(Self { plan, plans, house: ReadHouse { store, house, profile, gap }, tables, unreadable, warn, system })
    }

    pub(crate) fn known(&self) -> KnownInstallation {
        KnownInstallation::of(self.house.house.machine())
    }

    /// Takes every chain and runs the installation. Call it from a blocking thread inside a runtime, where the publishers will run.
    pub(crate) fn run(self, metrics: &Arc<Metrics>) -> Result<Node, NodeError> {
        let known = self.known();
        let Self { plan, plans, house, tables, unreadable, warn, system } = self;
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
            clock,
        });
        // All queues exist before the first thread sends a message.
        let starts: Vec<_> = taken.into_iter().map(|(round, clusters)| host.table(round, clusters, clock)).collect();
        let mut threads = vec![host.house(house, clock).start(host.stops_node())?];
        for (table, error) in unreadable {
            host.stays_closed(&partition_of(table), &error);
        }
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
