//! Runs partitions: each on a thread of its own, with its publisher and its chain writers.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use taisai_engine::{ClusterPartition, HousePartition, RoundPartition, Worker};
use taisai_journal::{ChainName, PublicKey};
use taisai_record::{ChainWriter, RecordStore, Recorder, WarningSink, machine_of};
use taisai_table::{
    Cluster, ClusterId, House, HouseCommand, MachineId, Profile, ReportedEvent, Round, TableId, TableRules,
};
use tokio::sync::{mpsc, watch};

use super::unopened::UnopenedPartitions;
use super::{InstallationPlan, NodeError, TablePlan};
use crate::http::reply::CommandReply;
use crate::metrics::{Metrics, PartitionMetrics};
use crate::node::clock::{Clock, Sources};
use crate::node::handle::HouseHandle;
use crate::node::house_reader::HouseReader;
use crate::node::lease_deadline::SharedLeaseDeadline;
use crate::node::membership::MembershipEvent;
use crate::node::partition_thread::{PartitionThread, QUEUE_CAPACITY};
use crate::node::router::Router;
use crate::node::slip_reader::SlipReader;
use crate::node::stopped::Stopped;
use crate::ws::publisher::{Publisher, PublisherContext};

/// The writers of partitions that share a thread.
type ChainWriters = BTreeMap<MachineId, ChainWriter>;

/// The layout of every table of the installation.
pub(super) type Plans = Arc<BTreeMap<TableId, TablePlan>>;

/// What partitions need to run.
pub(super) struct PartitionHost {
    pub(super) plan: InstallationPlan,
    pub(super) plans: Plans,
    pub(super) profile: Arc<Profile>,
    pub(super) keys: Vec<PublicKey>,
    pub(super) router: Arc<Router>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) sources: Sources,
    pub(super) stop: watch::Sender<Option<Stopped>>,
    pub(super) lease: SharedLeaseDeadline,
    /// The queue of the partition manager, if there is one.
    pub(super) events: Option<Sender<MembershipEvent>>,
    pub(super) unopened: Arc<UnopenedPartitions>,
    pub(super) slips: SlipReader,
    pub(super) warn: WarningSink,
    /// The clock of this node, by which it opens partitions.
    pub(super) clock: Clock,
}

/// Running partitions and their record store.
pub(super) struct RunningPartitions {
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) store: RecordStore,
}

impl RunningPartitions {
    /// Waits for the threads and closes the record store: every command received is recorded and checkpointed.
    pub(super) fn close(self) -> Result<(), Stopped> {
        for thread in self.threads {
            // A thread that panicked has reported it.
            thread.join().unwrap_or_default();
        }
        Ok(self.store.close()?)
    }
}

type RunFuture = Pin<Box<dyn Future<Output = Result<(), Stopped>>>>;

/// A partition thread that can be started.
pub(super) struct ReadyThread {
    name: String,
    run: Box<dyn FnOnce() -> RunFuture + Send>,
}

impl ReadyThread {
    fn new<F: Future<Output = Result<(), Stopped>> + 'static>(
        name: String,
        run: impl FnOnce() -> F + Send + 'static,
    ) -> Self {
        Self { name, run: Box::new(move || Box::pin(run())) }
    }

    /// Starts the thread. `ended` is called however it ends.
    pub(super) fn start(
        self,
        ended: impl FnOnce(Result<(), Stopped>) + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        thread::Builder::new().name(self.name).spawn(move || {
            let mut end = ThreadEnd(Some(ended));
            let result = runtime.block_on((self.run)());
            end.report(result);
        })
    }
}

/// Calls back when a thread ends, even by a panic.
struct ThreadEnd<E: FnOnce(Result<(), Stopped>)>(Option<E>);

impl<E: FnOnce(Result<(), Stopped>)> ThreadEnd<E> {
    fn report(&mut self, ended: Result<(), Stopped>) {
        if let Some(report) = self.0.take() {
            report(ended);
        }
    }
}

impl<E: FnOnce(Result<(), Stopped>)> Drop for ThreadEnd<E> {
    fn drop(&mut self) {
        self.report(Err(Stopped::Closed));
    }
}

/// Does some work and calls `broken` if it panics.
pub(crate) fn guarded(broken: impl FnOnce(), work: impl FnOnce()) {
    let mut end = ThreadEnd(Some(|ended: Result<(), Stopped>| {
        if ended.is_err() {
            broken();
        }
    }));
    work();
    end.report(Ok(()));
}

impl PartitionHost {
    /// The partitions of a table. Their queue takes requests from now on.
    pub(super) fn table(&self, round: Recorder<Round>, clusters: Vec<Recorder<Cluster>>, clock: Clock) -> ReadyThread {
        let table = round.machine().table();
        self.sources.above(round.machine().highest_source());
        let rules = round.machine().rules().clone();
        let mut chains = BTreeMap::new();
        let (round, writer) = round.into_parts();
        chains.insert(MachineId::Round(table), writer);
        let round = RoundPartition::new(round, &self.profile, self.sources.next());
        let clusters = clusters.into_iter().map(|cluster| self.cluster_partition(cluster, &mut chains)).collect();
        let worker = Worker::table(round, clusters);
        self.run(format!("table {}", table.0), worker, chains, (Some(rules), self.metrics.table(table)), clock)
    }

    /// A cluster on a thread of its own. Its queue takes requests from now on.
    pub(super) fn cluster(&self, cluster: Recorder<Cluster>, clock: Clock) -> ReadyThread {
        let ClusterId { table, number } = cluster.machine().id();
        let rules = cluster.machine().rules().clone();
        let mut chains = BTreeMap::new();
        let worker = Worker::cluster(self.cluster_partition(cluster, &mut chains));
        let name = format!("table {}, {number}", table.0);
        self.run(name, worker, chains, (Some(rules), self.metrics.table(table)), clock)
    }

    fn cluster_partition(&self, cluster: Recorder<Cluster>, chains: &mut ChainWriters) -> ClusterPartition {
        self.sources.above(cluster.machine().highest_source());
        let (cluster, writer) = cluster.into_parts();
        chains.insert(MachineId::Cluster(cluster.id()), writer);
        ClusterPartition::new(cluster, self.sources.next())
    }

    /// The House. Its queue takes requests from now on.
    pub(super) fn house(&self, house: Recorder<House>, clock: Clock) -> ReadyThread {
        self.sources.above(house.machine().highest_source());
        let (house, writer) = house.into_parts();
        let worker = Worker::house(HousePartition::new(house, self.sources.next()));
        let chains = BTreeMap::from([(MachineId::House, writer)]);
        self.run("house".to_owned(), worker, chains, (None, self.metrics.house()), clock)
    }

    fn run(
        &self,
        name: String,
        worker: Worker,
        chains: ChainWriters,
        (rules, metrics): (Option<TableRules>, PartitionMetrics),
        clock: Clock,
    ) -> ReadyThread {
        let outside = PublisherContext {
            router: Arc::downgrade(&self.router),
            lease: self.lease.clone(),
            slips: self.slips.clone(),
            seize: self.seize(),
            broken: self.broken(),
        };
        let publisher = Publisher::start(outside, rules);
        let (requests, received) = mpsc::channel(QUEUE_CAPACITY);
        for partition in worker.partitions() {
            self.router.set(partition.id(), requests.clone(), publisher.clone());
        }
        let thread = PartitionThread { worker, chains, clock, publisher, metrics };
        ReadyThread::new(name, move || thread.run(received))
    }

    /// A partition cannot be opened: its table stays closed while the others play. The House has it as an event, once.
    pub(super) fn stays_closed(self: &Arc<Self>, partition: &ChainName, error: &NodeError) -> bool {
        self.unopened.add(partition.clone());
        let is_wanted = self.unopened.failed(partition, error.to_string());
        if let Some(what) = unopened_event(partition, error).filter(|_| self.unopened.begin_report(partition)) {
            tracing::error!(%partition, %error, "a table stays closed");
            let (house, unopened, partition) =
                (HouseHandle(self.router.house()), Arc::clone(&self.unopened), partition.clone());
            tokio::spawn(async move {
                // The node that holds the House may not answer: the report is sent with the next attempt to open.
                if !matches!(house.own(HouseCommand::Report { what }).await, Ok(CommandReply::Accepted(_))) {
                    unopened.report_again(&partition);
                }
            });
        }
        is_wanted
    }

    /// Asks the partition manager to take a silent cluster from its node.
    fn seize(&self) -> Box<dyn Fn(ClusterId) + Send> {
        let events = self.events.clone();
        Box::new(move |cluster| {
            if let Some(events) = &events {
                // The manager ends before the threads when a node is closed.
                events.send(MembershipEvent::Silent(cluster)).unwrap_or_default();
            }
        })
    }

    fn broken(&self) -> Box<dyn Fn() + Send> {
        let stop = self.stop.clone();
        Box::new(move || stop_all(&stop, Stopped::BrokenDown("a publisher")))
    }

    /// Reads a House that another node holds.
    pub(super) fn house_reader(&self, reader: HouseReader) -> ReadyThread {
        let (requests, received) = mpsc::channel(QUEUE_CAPACITY);
        self.router.set_house_reader(Some(requests));
        ReadyThread::new("house of another node".to_owned(), move || reader.run(received))
    }

    /// Stops the node when a thread has ended. The first reason is the one reported.
    pub(super) fn stops_node(&self) -> impl FnOnce(Result<(), Stopped>) + Send + use<> {
        let stop = self.stop.clone();
        move |ended| stop_all(&stop, ended.err().unwrap_or(Stopped::Closed))
    }
}

/// The event of a partition that cannot be opened: which table, and where its record is damaged.
fn unopened_event(partition: &ChainName, error: &NodeError) -> Option<ReportedEvent> {
    let (chain, block) = error.damage().unwrap_or_else(|| (partition.clone(), None));
    let (table, cluster) = match machine_of(&chain)? {
        MachineId::Round(table) => (table, None),
        MachineId::Cluster(cluster) => (cluster.table, Some(cluster)),
        MachineId::House => return None,
    };
    Some(ReportedEvent::TableNotOpened { table, cluster, block })
}

/// Stops the node for this reason, unless it stops already.
pub(super) fn stop_all(stop: &watch::Sender<Option<Stopped>>, why: Stopped) {
    stop.send_if_modified(|stopped| {
        let is_first = stopped.is_none();
        stopped.get_or_insert(why);
        is_first
    });
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_is_reported() {
        let is_notified = Cell::new(false);
        guarded(|| is_notified.set(true), || {});
        assert!(!is_notified.get(), "nothing broke down");
        let broken = catch_unwind(AssertUnwindSafe(|| guarded(|| is_notified.set(true), || panic!("on purpose"))));
        assert!(broken.is_err() && is_notified.get());
    }
}
