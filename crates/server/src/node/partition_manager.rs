//! The partition manager opens the partitions that this node comes to hold, and closes those that move to another node.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taisai_engine::Input;
use taisai_journal::{ChainName, NODE_SLOTS};
use taisai_record::{Address, ChainFollower, MachineSetup, RecordStore, Recorder, WarningSink, chain_of, machine_of};
use taisai_table::{ClusterId, House, MachineId, TableId};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::layout::{LaidOutTables, found, laid_out, recorded};
use super::partition_host::{PartitionHost, ReadyThread, RunningPartitions, guarded, stop_all};
use super::{
    InstallationPlan, KnownInstallation, Node, NodeError, Opened, TablePlan, check_keys, open_cluster, open_partition,
    open_round, open_table,
};
use crate::metrics::Metrics;
use crate::node::clock::{self, Clock, Share, Sources};
use crate::node::handle::Request;
use crate::node::house_reader::HouseReader;
use crate::node::membership::{FormerNames, Membership, MembershipEvent};
use crate::node::peer_sender::PeerSender;
use crate::node::peers::{NodeAddress, Peers, house, partition_of};
use crate::node::router::Router;
use crate::node::slip_reader::SlipReader;
use crate::node::stopped::Stopped;

/// How often a node checks whether another has recorded the first people.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

const MAX_CONCURRENT_OPENS: usize = 4;

/// How long to wait before a partition that could not be opened is tried again.
const REOPEN_INTERVAL: Duration = Duration::from_secs(5);

/// A handle to the thread that opens and closes partitions. When it is dropped the node stops answering and leaves.
pub(super) struct PartitionManager {
    events: Sender<MembershipEvent>,
    thread: Option<JoinHandle<()>>,
    /// `None` once closed.
    work: Option<Arc<ManagerThread>>,
}

impl Drop for PartitionManager {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        work.membership.lease.end();
        self.events.send(MembershipEvent::Closed).unwrap_or_default();
        work.host.router.close();
        let thread = self.thread.take();
        // A database connection must be closed outside of a runtime.
        thread::spawn(move || {
            thread.map(JoinHandle::join);
            drop(work);
        });
    }
}

struct ManagerThread {
    host: Arc<PartitionHost>,
    membership: Membership,
    running: Mutex<BTreeMap<ChainName, RunningPartitions>>,
    /// Threads that read a House which another node holds.
    follows: Mutex<Vec<JoinHandle<()>>>,
    events: Sender<MembershipEvent>,
    peers: PeerSender,
}

/// Joins an installation, or creates it, and runs the partitions that this node holds.
pub(super) fn join(
    plan: InstallationPlan,
    (node, former, address): (&NodeAddress, &FormerNames, &str),
    metrics: &Arc<Metrics>,
    warn: WarningSink,
) -> Result<Node, NodeError> {
    let Address::Postgres(database) = &plan.address else { unreachable!("a folder is of one machine") };
    let (events, received) = mpsc::channel();
    let membership = Membership::join(database, (node, former, address), &plan.program.version, events.clone())?;
    let peers = PeerSender::start(&membership.nodes);
    let share = Share { slot: membership.slot.into(), of: NODE_SLOTS.into() };
    let (stop, stopped) = watch::channel(None);
    let begun = if is_house_here(&membership.nodes, &received)? {
        JoinedInstallation::here(&plan, share, &warn)?
    } else {
        JoinedInstallation::elsewhere(&plan, share, &received)?
    };
    let JoinedInstallation { id, known, clock, sources, profile, keys, laid_out, house: opened } = begun;
    let LaidOutTables { plans, unreadable } = laid_out;
    let spread = plans.values().filter(|plan| plan.seats.len() > 1).map(|plan| plan.table).collect();
    let host = Arc::new(PartitionHost {
        slips: SlipReader::start(plan.address.clone(), keys.clone())?,
        plan,
        plans,
        profile: Arc::new(profile),
        keys,
        router: Arc::new(Router::new(Some(peers.clone()), spread)),
        metrics: Arc::clone(metrics),
        sources,
        stop,
        lease: membership.lease.clone(),
        events: Some(events.clone()),
        unopened: Arc::default(),
        warn,
        clock,
    });
    let work = Arc::new(ManagerThread {
        host: Arc::clone(&host),
        membership,
        running: Mutex::default(),
        follows: Mutex::default(),
        events: events.clone(),
        peers,
    });
    let has_house = opened.is_some();
    if let Some((store, recorder)) = opened {
        work.run_house(store, recorder, clock)?;
    } else {
        work.read_house()?;
    }
    for (table, error) in unreadable {
        let partition = partition_of(table);
        if has_house {
            host.stays_closed(&partition, &error);
        } else {
            // The node that holds the House reports it.
            host.unopened.add(partition.clone());
            host.unopened.failed(&partition, error.to_string());
        }
    }
    work.membership.claim(partitions(&host));
    let (runtime, working) = (Handle::current(), Arc::clone(&work));
    let serve = move || working.guarded("the partition manager", || working.serve(&received, &runtime));
    let thread = thread::Builder::new().name("partition manager".to_owned()).spawn(serve)?;
    let manager = Some(PartitionManager { events, thread: Some(thread), work: Some(work) });
    Ok(Node { host, running: None, manager, clock, stopped, house: id, known })
}

/// The House, each table, and each cluster of a table that has several.
fn partitions(host: &PartitionHost) -> Vec<ChainName> {
    let mut partitions = vec![house()];
    for plan in host.plans.values() {
        partitions.push(partition_of(plan.table));
        if host.router.is_spread(plan.table) {
            partitions.extend(clusters_of(plan));
        }
    }
    partitions
}

fn clusters_of(plan: &TablePlan) -> impl Iterator<Item = ChainName> {
    (0..).zip(&plan.seats).map(|(number, _)| chain_of(MachineId::Cluster(ClusterId { table: plan.table, number })))
}

/// Waits until the holder of the House is known.
fn is_house_here(nodes: &Peers, received: &Receiver<MembershipEvent>) -> Result<bool, NodeError> {
    loop {
        match received.recv_timeout(POLL_INTERVAL) {
            Ok(MembershipEvent::Held(partition)) if partition == house() => return Ok(true),
            Ok(MembershipEvent::Over(why)) => return Err(NodeError::Over(why)),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Stopped::Closed.into()),
        }
        if nodes.is_elsewhere(&house()) {
            return Ok(false);
        }
    }
}

/// What must be known before any partition runs.
struct JoinedInstallation {
    id: [u8; 16],
    known: KnownInstallation,
    clock: Clock,
    sources: Sources,
    profile: taisai_table::Profile,
    keys: Vec<taisai_journal::PublicKey>,
    laid_out: LaidOutTables,
    /// The House, if this node holds it.
    house: Option<(RecordStore, Recorder<House>)>,
}

impl JoinedInstallation {
    fn here(plan: &InstallationPlan, share: Share, warn: &WarningSink) -> Result<Self, NodeError> {
        let Opened { mut store, mut house, clock, sources, profile } =
            Opened::new(clock::system, plan, share, Arc::clone(warn))?;
        let known = KnownInstallation::of(house.machine());
        let laid_out = found(&mut store, &mut house, plan, clock, &sources)?;
        let (id, keys) = (store.house(), store.keys().to_vec());
        Ok(Self { id, known, clock, sources, profile, keys, laid_out, house: Some((store, house)) })
    }

    /// Another node holds the House: it must record the first people before anything runs here.
    fn elsewhere(
        plan: &InstallationPlan,
        share: Share,
        received: &Receiver<MembershipEvent>,
    ) -> Result<Self, NodeError> {
        let keys = plan.files.keys()?;
        let mut follower = ChainFollower::<House>::new(plan.address.clone(), house(), keys.clone());
        loop {
            follower.follow(|_| ControlFlow::Continue(()))?;
            if follower.machine().is_some_and(|house| house.people().next().is_some()) {
                break;
            }
            match received.recv_timeout(POLL_INTERVAL) {
                // The holder left before that: a node that joins again does it.
                Ok(MembershipEvent::Held(_)) => return Err(NodeError::NotFounded),
                Ok(MembershipEvent::Over(why)) => return Err(NodeError::Over(why)),
                Ok(_) | Err(_) => {}
            }
        }
        let house = follower.machine().ok_or(NodeError::NotFounded)?;
        check_keys(house, plan)?;
        let mut archive = plan.address.archive()?;
        let (id, newest) = RecordStore::beginning(&mut *archive)?;
        let laid_out = laid_out(&mut *archive, house, plan)?;
        let opening = recorded(&mut *archive, MachineId::House)?;
        let profile = opening.map_or_else(|| plan.profile.clone(), |opening| opening.profile);
        plan.check_clock(clock::system, newest)?;
        let clock = Clock::start(clock::system, newest);
        let sources = Sources::new(clock, share);
        sources.above(house.highest_source());
        let id = id.ok_or(NodeError::NotFounded)?;
        Ok(Self { id, known: KnownInstallation::of(house), clock, sources, profile, keys, laid_out, house: None })
    }
}

impl PartitionManager {
    pub(super) fn peers(&self) -> Option<Peers> {
        self.work.as_ref().map(|work| work.membership.nodes.clone())
    }

    /// Closes all partitions and leaves, so that others can take them at once.
    pub(super) fn close(mut self) {
        self.events.send(MembershipEvent::Closed).unwrap_or_default();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported it.
            thread.join().unwrap_or_default();
        }
        let Some(work) = self.work.take() else { return };
        work.host.router.close();
        for partition in std::mem::take(&mut *lock(&work.running)).into_values() {
            // The warning has been given; another node reads what the store holds.
            partition.close().unwrap_or_default();
        }
        for thread in std::mem::take(&mut *lock(&work.follows)) {
            thread.join().unwrap_or_default();
        }
    }
}

impl ManagerThread {
    /// Handles events until the node is closed. Partitions are opened on other threads, so that a slow one delays no event.
    fn serve(&self, received: &Receiver<MembershipEvent>, runtime: &Handle) {
        let (to_open, next) = mpsc::channel();
        let next = Mutex::new(next);
        thread::scope(|scope| {
            for _ in 0..MAX_CONCURRENT_OPENS {
                scope.spawn(|| {
                    let _within = runtime.enter();
                    self.guarded("a thread that opens partitions", || self.open_each(&next));
                });
            }
            self.receive_events(received, &to_open);
            drop(to_open);
        });
    }

    fn receive_events(&self, received: &Receiver<MembershipEvent>, to_open: &Sender<ChainName>) {
        for event in received {
            match event {
                MembershipEvent::Held(partition) => {
                    tracing::info!(%partition, "this node holds a partition");
                    self.host.unopened.add(partition.clone());
                    // Threads that panicked have reported it.
                    to_open.send(partition).unwrap_or_default();
                }
                MembershipEvent::Wanted(partition) => {
                    if !self.host.unopened.want(&partition) {
                        self.depart(&partition);
                    }
                }
                MembershipEvent::Ended(partition) => self.closed(partition),
                MembershipEvent::Silent(cluster) => {
                    let partition = chain_of(MachineId::Cluster(cluster));
                    if self.host.unopened.has(&partition) {
                        tracing::warn!(%partition, "a cluster does not answer; it is not open yet");
                    } else {
                        tracing::warn!(%partition, "a cluster does not answer; taking it from its node");
                        self.membership.seize(partition);
                    }
                }
                MembershipEvent::Over(why) => {
                    self.host.unopened.give_up();
                    stop_all(&self.host.stop, Stopped::Over(why));
                }
                MembershipEvent::Closed => return self.host.unopened.give_up(),
            }
        }
    }

    /// Opens partitions in the order in which they were claimed: a round before the clusters that wait for it.
    fn open_each(&self, next: &Mutex<Receiver<ChainName>>) {
        loop {
            let partition = lock(next).recv();
            let Ok(partition) = partition else { return };
            if !self.host.unopened.has(&partition) {
                continue;
            }
            let begun = Instant::now();
            match self.open(&partition) {
                Ok(()) => {
                    tracing::info!(%partition, millis = begun.elapsed().as_millis(), "a partition runs here");
                    if self.host.unopened.opened(&partition) {
                        self.depart(&partition);
                    }
                }
                Err(error) => self.not_opened(partition, &error),
            }
        }
    }

    /// Stops the node if the work panics.
    fn guarded(&self, who: &'static str, work: impl FnOnce()) {
        let stop = self.host.stop.clone();
        guarded(move || stop_all(&stop, Stopped::BrokenDown(who)), work);
    }

    /// A table with a damaged record stays closed and the others play on; for other errors the node joins again.
    fn not_opened(&self, partition: ChainName, error: &NodeError) {
        tracing::error!(%partition, %error, "cannot open a partition");
        if partition == house() || !error.is_of_one_table() {
            return stop_all(&self.host.stop, Stopped::Over(error.to_string()));
        }
        if self.host.stays_closed(&partition, error) {
            self.host.unopened.opened(&partition);
            return self.membership.release(partition);
        }
        let events = self.events.clone();
        thread::spawn(move || {
            thread::sleep(REOPEN_INTERVAL);
            events.send(MembershipEvent::Held(partition)).unwrap_or_default();
        });
    }

    /// Writing to a chain after the lease has ended would take it from its new holder.
    fn check_lease(&self) -> Result<(), NodeError> {
        if self.host.lease.holds() { Ok(()) } else { Err(NodeError::Over("this node has lost its lease".to_owned())) }
    }

    fn open(&self, partition: &ChainName) -> Result<(), NodeError> {
        let store = open_partition(&self.host.plan, &self.chains(partition), Arc::clone(&self.host.warn))?;
        let clock = self.host.clock.after(store.newest());
        match machine_of(partition) {
            Some(MachineId::Round(table)) => self.open_table(store, table, clock),
            Some(MachineId::Cluster(cluster)) => self.open_cluster(store, cluster, clock),
            Some(MachineId::House) | None => self.open_house(store, clock),
        }
    }

    /// A clock later than everything on record, now that no other node can append.
    fn clock_after(&self, store: &RecordStore) -> Clock {
        self.host.clock.after(store.newest())
    }

    /// The chains whose newest entry the clock of a partition must be after: its own, and for a cluster alone that of its round.
    fn chains(&self, partition: &ChainName) -> Vec<ChainName> {
        let mut chains = vec![partition.clone()];
        match machine_of(partition) {
            Some(MachineId::Round(table)) if !self.host.router.is_spread(table) => {
                chains.extend(self.host.plans.get(&table).into_iter().flat_map(clusters_of));
            }
            Some(MachineId::Cluster(cluster)) => chains.push(partition_of(cluster.table)),
            Some(MachineId::Round(_) | MachineId::House) | None => {}
        }
        chains
    }

    fn open_table(&self, mut store: RecordStore, table: TableId, clock: Clock) -> Result<(), NodeError> {
        let partition = partition_of(table);
        let Some(plan) = self.host.plans.get(&table) else { return Ok(()) };
        self.check_lease()?;
        let (round, clusters) = if self.host.router.is_spread(table) {
            (open_round(&mut store, plan, &self.host.profile, clock)?, Vec::new())
        } else {
            open_table(&mut store, plan, &self.host.profile, clock)?
        };
        let ready = self.host.table(round, clusters, self.clock_after(&store));
        self.run(partition, ready, store)
    }

    /// A cluster on a thread of its own follows its round by messages.
    fn open_cluster(&self, mut store: RecordStore, cluster: ClusterId, clock: Clock) -> Result<(), NodeError> {
        let partition = chain_of(MachineId::Cluster(cluster));
        let Some(plan) = self.host.plans.get(&cluster.table) else { return Ok(()) };
        self.check_lease()?;
        let recorder = open_cluster(&mut store, plan, cluster.number, &self.host.profile, clock)?;
        let ready = self.host.cluster(recorder, self.clock_after(&store));
        self.run(partition, ready, store)
    }

    fn open_house(&self, mut store: RecordStore, clock: Clock) -> Result<(), NodeError> {
        let setup = MachineSetup::House { is_training: self.host.plan.is_training };
        self.check_lease()?;
        let recorder: Recorder<House> = store.machine(setup, &self.host.profile, clock.now())?;
        if recorder.machine().people().next().is_none() {
            return Err(NodeError::NotFounded);
        }
        let clock = self.clock_after(&store);
        self.run_house(store, recorder, clock)
    }

    fn run_house(&self, store: RecordStore, recorder: Recorder<House>, clock: Clock) -> Result<(), NodeError> {
        self.run(house(), self.host.house(recorder, clock), store)
    }

    /// The lock is held, so that the partition is known before it can end.
    fn run(&self, partition: ChainName, ready: ReadyThread, store: RecordStore) -> Result<(), NodeError> {
        let mut running = lock(&self.running);
        let threads = vec![ready.start(self.ends(partition.clone()))?];
        running.insert(partition, RunningPartitions { threads, store });
        Ok(())
    }

    fn read_house(&self) -> Result<(), NodeError> {
        let follower = ChainFollower::new(self.host.plan.address.clone(), house(), self.host.keys.clone());
        let reader = HouseReader::new(follower, self.peers.clone(), &self.host.sources, &self.host.router);
        let stop = self.host.stop.clone();
        let ended = move |ended: Result<(), Stopped>| ended.unwrap_or_else(|why| stop_all(&stop, why));
        let ready = self.host.house_reader(reader);
        self.host.router.remove(MachineId::House);
        let thread = ready.start(ended)?;
        let mut follows = lock(&self.follows);
        follows.retain(|thread| !thread.is_finished());
        follows.push(thread);
        Ok(())
    }

    /// Asks a partition to end here: a table does so when its round is over.
    fn depart(&self, partition: &ChainName) {
        tracing::info!(%partition, "a partition moves to another node");
        let Some(machine) = machine_of(partition) else { return };
        // A partition that has ended already has reported it.
        let Some(requests) = self.host.router.partition(machine) else { return };
        if machine == MachineId::House {
            // Requests for the House wait in the reader until another node holds it.
            if let Err(error) = self.read_house() {
                return stop_all(&self.host.stop, Stopped::Over(error.to_string()));
            }
        }
        requests.blocking_send(Request::Input(Input::Depart)).unwrap_or_default();
    }

    /// A partition has ended as requested: once it is recorded, another node may hold it.
    fn closed(&self, partition: ChainName) {
        let Some(running) = lock(&self.running).remove(&partition) else { return };
        match machine_of(&partition) {
            Some(machine @ (MachineId::Round(_) | MachineId::Cluster(_))) => self.host.router.remove(machine),
            // The reader has replaced it already.
            Some(MachineId::House) | None => {}
        }
        // The warning has been given; the next holder reads what the store holds.
        running.close().unwrap_or_default();
        self.membership.release(partition);
    }

    /// A partition that ends as requested is closed; if it fails, the node drops everything and joins again.
    fn ends(&self, partition: ChainName) -> impl FnOnce(Result<(), Stopped>) + Send + use<> {
        let (events, stop) = (self.events.clone(), self.host.stop.clone());
        move |ended| match ended {
            Ok(()) => events.send(MembershipEvent::Ended(partition)).unwrap_or_default(),
            Err(why) => stop_all(&stop, why),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
