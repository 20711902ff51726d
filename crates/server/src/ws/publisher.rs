//! Publishes what partitions decide. A publisher owns the outbox of its partitions and carries out released effects in order:
//! replies to callers, views to screens, messages to other partitions. JSON is made here, never on the partition thread.

mod house_lists;
#[cfg(test)]
mod openapi;
mod table_view;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender as StdSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::extract::ws::Utf8Bytes;
use taisai_engine::{
    BatchNumber, CallerId, ClusterInput, ConnectionId, Effect, Input, Outbox, ScreenChange, SeatChange, Topic,
};
use taisai_table::{ClusterId, Seat, TableRules};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::http::reply::json;
use crate::node::handle::{Caller, Request};
use crate::node::lease_deadline::SharedLeaseDeadline;
use crate::node::message_forwarder::MessageForwarder;
use crate::node::router::Router;
use crate::node::slip_reader::SlipReader;
use crate::ws::connection::Connection;
use house_lists::HouseLists;
#[cfg(test)]
pub(crate) use openapi::{HouseList, ToHouseScreen};
use table_view::TableOnDisplay;
#[cfg(test)]
pub(crate) use table_view::{SeatMessage, Snapshot, StaffView};

/// The effects of a batch, with the callers and screens that wait for them.
#[derive(Default)]
pub(crate) struct PublishedBatch {
    pub(crate) effects: Vec<Effect>,
    pub(crate) callers: Vec<(CallerId, Caller)>,
    pub(crate) connections: Vec<Connection>,
    /// Returned once the batch is published or dropped.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// Batches that the outbox does not have yet. `None` once nothing may leave any more: later batches are dropped, which tells their
/// callers.
type WaitingBatches = Option<Vec<(BatchNumber, PublishedBatch)>>;

enum PublisherEvent {
    Durable(BatchNumber),
    Failed,
    ReturnSpentTo(StdSender<Vec<Effect>>),
}

/// The number of screens that follow each topic.
#[derive(Debug, Default)]
struct Followers([AtomicUsize; TOPIC_COUNT]);

const TOPIC_COUNT: usize = 5;

/// A partition thread decides no further batch while this many are unpublished, so that a slow publisher bounds the memory that they
/// take. This cannot deadlock: a publisher waits for nothing but the store, which makes batches durable without the partition thread;
/// messages to other partitions go through a [`MessageForwarder`], which never makes it wait.
const MAX_UNPUBLISHED_BATCHES: usize = 8;

/// Callers that have given up are removed only when more than this many wait.
const MIN_CALLERS_TO_PRUNE: usize = 1_024;

const fn place(topic: Topic) -> usize {
    match topic {
        Topic::Public => 0,
        Topic::Staff => 1,
        Topic::Pit => 2,
        Topic::Cage => 3,
        Topic::Audit => 4,
    }
}

/// A handle to a publisher.
#[derive(Clone)]
pub(crate) struct Publisher {
    /// The publisher is not woken for these: it has nothing to do until they are durable.
    held: Arc<Mutex<WaitingBatches>>,
    /// One permit for each batch that may be unpublished.
    permits: Arc<Semaphore>,
    events: mpsc::UnboundedSender<PublisherEvent>,
    followers: Arc<Followers>,
    public: Arc<Mutex<Option<serde_json::Value>>>,
}

/// What a publisher needs to carry effects out.
pub(crate) struct PublisherContext {
    pub(crate) router: Weak<Router>,
    pub(crate) lease: SharedLeaseDeadline,
    pub(crate) slips: SlipReader,
    /// Has a silent cluster taken from its node.
    pub(crate) seize: Box<dyn Fn(ClusterId) + Send>,
    /// Stops the node, because a publisher has panicked.
    pub(crate) broken: Box<dyn Fn() + Send>,
}

impl Publisher {
    /// Starts a publisher in the current runtime. That of a table needs the table's rules.
    pub(crate) fn start(outside: PublisherContext, rules: Option<TableRules>) -> Self {
        let (events, received) = mpsc::unbounded_channel();
        let publisher = Self {
            held: Arc::new(Mutex::new(Some(Vec::new()))),
            permits: Arc::new(Semaphore::new(MAX_UNPUBLISHED_BATCHES)),
            events,
            followers: Arc::default(),
            public: Arc::default(),
        };
        let publishing = Publishing {
            messages: MessageForwarder::start(Weak::clone(&outside.router)),
            outside,
            held: Arc::clone(&publisher.held),
            outbox: Outbox::default(),
            durable: BatchNumber::default(),
            callers: HashMap::new(),
            most_callers: MIN_CALLERS_TO_PRUNE,
            connections: HashMap::new(),
            seats: BTreeMap::new(),
            screens: std::array::from_fn(|_| Vec::new()),
            followers: Arc::clone(&publisher.followers),
            public: Arc::clone(&publisher.public),
            table: rules.clone().map(TableOnDisplay::new),
            lists: HouseLists::default(),
            rules,
            spent: None,
        };
        tokio::spawn(publishing.run(received));
        publisher
    }

    /// A publisher that publishes nothing.
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        let events = mpsc::unbounded_channel().0;
        Self {
            held: Arc::new(Mutex::new(Some(Vec::new()))),
            permits: Arc::new(Semaphore::new(MAX_UNPUBLISHED_BATCHES)),
            events,
            followers: Arc::default(),
            public: Arc::default(),
        }
    }

    /// Waits until another batch may be decided. Put the permit into that batch.
    pub(crate) async fn permit(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Holds the effects of a batch until it is durable.
    pub(crate) fn hold(&self, number: BatchNumber, batch: PublishedBatch) {
        if let Some(held) = &mut *lock(&self.held) {
            held.push((number, batch));
        }
    }

    /// Everything up to this batch is durable.
    pub(crate) fn durable(&self, number: BatchNumber) {
        self.send(PublisherEvent::Durable(number));
    }

    /// An append failed, or its outcome is unknown: nothing leaves any more.
    pub(crate) fn failed(&self) {
        // Dropping the batches tells their callers before the process ends.
        *lock(&self.held) = None;
        self.send(PublisherEvent::Failed);
    }

    /// Returns effects after they have left, so that their memory is reused.
    pub(crate) fn return_spent_to(&self, spent: StdSender<Vec<Effect>>) {
        self.send(PublisherEvent::ReturnSpentTo(spent));
    }

    /// The answer may be a little old: a new follower starts with a snapshot.
    pub(crate) fn is_followed(&self, topic: Topic) -> bool {
        self.followers.0[place(topic)].load(Ordering::Relaxed) > 0
    }

    /// The public view of the table as last published, if it was.
    pub(crate) fn public(&self) -> Option<serde_json::Value> {
        lock(&self.public).clone()
    }

    fn send(&self, event: PublisherEvent) {
        // A publisher that has ended belongs to a node that is closed or has lost its lease.
        self.events.send(event).unwrap_or_default();
    }
}

struct Publishing {
    messages: MessageForwarder,
    outside: PublisherContext,
    held: Arc<Mutex<WaitingBatches>>,
    outbox: Outbox<PublishedBatch>,
    durable: BatchNumber,
    callers: HashMap<CallerId, Caller>,
    /// Callers that have given up are removed when there are more than this.
    most_callers: usize,
    /// Connected screens that have not got a snapshot yet.
    connections: HashMap<ConnectionId, Connection>,
    /// Connections of terminals, by cluster and seat.
    seats: BTreeMap<u16, Vec<Option<Connection>>>,
    screens: [Vec<Connection>; TOPIC_COUNT],
    followers: Arc<Followers>,
    public: Arc<Mutex<Option<serde_json::Value>>>,
    table: Option<TableOnDisplay>,
    lists: HouseLists,
    rules: Option<TableRules>,
    spent: Option<StdSender<Vec<Effect>>>,
}

impl Publishing {
    /// Runs until no handle is left, or the lease has ended.
    async fn run(mut self, mut events: mpsc::UnboundedReceiver<PublisherEvent>) {
        while let Some(event) = events.recv().await {
            match event {
                PublisherEvent::Durable(number) => self.durable = self.durable.max(number),
                // The partition thread stops for the same reason and reports it.
                PublisherEvent::Failed => {
                    self.close();
                    continue;
                }
                PublisherEvent::ReturnSpentTo(spent) => self.spent = Some(spent),
            }
            for (number, batch) in lock(&self.held).iter_mut().flat_map(|held| held.drain(..)) {
                self.outbox.hold(number, batch);
            }
            // After the lease another node may answer for these partitions, so nothing may leave here.
            while let Some(batch) = self.outbox.release(self.durable, self.outside.lease.holds()) {
                self.publish(batch);
            }
            if self.outbox.is_closed() {
                break;
            }
        }
    }

    /// Drops everything that waits. Callers ask again.
    fn close(&mut self) {
        *lock(&self.held) = None;
        self.outbox.close();
        self.callers.clear();
    }

    fn publish(&mut self, batch: PublishedBatch) {
        let PublishedBatch { mut effects, callers, connections, permit } = batch;
        self.callers.extend(callers);
        if self.callers.len() > self.most_callers {
            // Some callers wait for replies that never come, and have given up.
            self.callers.retain(|_, caller| !caller.has_gone());
            self.most_callers = MIN_CALLERS_TO_PRUNE.max(2 * self.callers.len());
        }
        self.connections.extend(connections.into_iter().map(|connection| (connection.id(), connection)));
        for effect in &mut effects {
            // Effects that are sent on are moved out; the rest stays, so that its memory is reused.
            match effect {
                Effect::Publish(ScreenChange::Seat(change)) => self.show_seat(change),
                other => {
                    let effect = std::mem::replace(other, Effect::ReadBarrier(CallerId(u64::MAX)));
                    self.carry_out(effect);
                }
            }
        }
        self.show_staff();
        if let Some(spent) = &self.spent {
            spent.send(effects).unwrap_or_default();
        }
        drop(permit);
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Reply(caller, reply) => {
                if let Some(caller) = self.callers.remove(&caller) {
                    caller.answer(&reply, self.rules.as_ref().map(TableRules::game));
                }
            }
            Effect::ReadBarrier(caller) => {
                if let Some(Caller::OnDurable(then)) = self.callers.remove(&caller) {
                    then();
                }
            }
            Effect::Voucher(caller, fate) => {
                if let Some(Caller::Voucher(caller)) = self.callers.remove(&caller) {
                    // The caller may have given up.
                    caller.send(fate).map_or_else(drop, drop);
                }
            }
            Effect::Send(message) => self.messages.send(message),
            Effect::ReadSlip { cluster, round, digest } => {
                let requests = self.outside.router.upgrade().and_then(|router| router.cluster(cluster));
                let Some(requests) = requests.map(|requests| requests.downgrade()) else { return };
                self.outside.slips.read(cluster, round, digest, move |slip| {
                    let input = Input::Cluster(cluster.number, ClusterInput::Slip { round, slip });
                    // Do not keep a partition alive that has stopped meanwhile.
                    if let Some(requests) = requests.upgrade() {
                        requests.blocking_send(Request::Input(input)).unwrap_or_default();
                    }
                });
            }
            Effect::Seize(cluster) => (self.outside.seize)(cluster),
            Effect::Publish(change) => self.show(change),
        }
    }

    fn show(&mut self, change: ScreenChange) {
        match change {
            ScreenChange::Seat(change) => self.show_seat(&change),
            ScreenChange::SeatConnected { cluster, seat, connection, time, counted, view } => {
                let Some(connection) = self.connections.remove(&connection) else { return };
                let Some(table) = &mut self.table else { return };
                let screens = &mut self.screens[place(Topic::Public)];
                if screens.len() == screens.capacity() {
                    screens.retain(|connection| !connection.is_closed());
                }
                screens.push(connection.clone());
                let place = seat_mut(&mut self.seats, cluster, seat);
                *place = Some(connection.clone());
                if let Some(snapshot) = table.seat_snapshot(time, counted, view, &connection) {
                    connection.send(snapshot);
                }
                self.count(Topic::Public);
            }
            ScreenChange::Subscribed { connection, topics, time, counted } => {
                let Some(connection) = self.connections.remove(&connection) else { return };
                self.show_staff();
                let snapshot = match &self.table {
                    Some(table) => table.snapshot(time, counted, topics.contains(&Topic::Staff)),
                    None => topics.first().map(|topic| self.lists.snapshot(*topic, time, counted)),
                };
                if snapshot.is_some_and(|snapshot| connection.send(snapshot)) {
                    for topic in topics {
                        let screens = &mut self.screens[place(topic)];
                        screens.retain(|connection| !connection.is_closed());
                        screens.push(connection.clone());
                        self.count(topic);
                    }
                }
            }
            ScreenChange::Cut(connection) => self.close_connection(connection),
            ScreenChange::Public(view) => {
                let Some(table) = &mut self.table else { return };
                let change = table.set_public(*view);
                *lock(&self.public) = table.whole_public();
                if let Some(change) = change {
                    self.show_all(Topic::Public, &change);
                }
            }
            ScreenChange::Results(results) => {
                if let Some(table) = &mut self.table {
                    table.set_results(results);
                }
            }
            ScreenChange::RoundStaff(view) => {
                if let Some(table) = &mut self.table {
                    table.set_round_staff(*view);
                }
            }
            ScreenChange::ClusterStaff(number, view) => {
                if let Some(table) = &mut self.table {
                    table.set_cluster_staff(number, view);
                }
            }
            ScreenChange::House(list) => {
                let name = list.name();
                if let Some(change) = self.lists.set(&list) {
                    for topic in name.topics() {
                        self.show_all(*topic, &change);
                    }
                }
            }
        }
    }

    fn show_seat(&mut self, change: &SeatChange) {
        let game = self.rules.as_ref().map(TableRules::game);
        let seat = seat_mut(&mut self.seats, change.cluster, change.view.seat());
        if let Some(connection) = seat.as_ref().filter(|connection| connection.id() == change.connection) {
            connection.send(json(&table_view::SeatMessage::of(change, game)));
        }
    }

    fn show_staff(&mut self) {
        if let Some(change) = self.table.as_mut().and_then(TableOnDisplay::staff_change) {
            self.show_all(Topic::Staff, &change);
        }
    }

    fn show_all(&mut self, topic: Topic, message: &Utf8Bytes) {
        self.screens[place(topic)].retain(|connection| connection.send(message.clone()));
        self.count(topic);
    }

    fn count(&self, topic: Topic) {
        self.followers.0[place(topic)].store(self.screens[place(topic)].len(), Ordering::Relaxed);
    }

    fn close_connection(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.remove(&id) {
            connection.close();
        }
        let mut terminals = self.seats.values().flatten().flatten();
        if let Some(connection) = terminals.find(|connection| connection.id() == id) {
            connection.close();
        }
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        self.close();
        // Followers reconnect and get a new snapshot.
        let terminals = self.seats.values().flatten().flatten();
        self.screens.iter().flatten().chain(terminals).chain(self.connections.values()).for_each(Connection::close);
        if std::thread::panicking() {
            (self.outside.broken)();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn seat_mut(seats: &mut BTreeMap<u16, Vec<Option<Connection>>>, cluster: u16, seat: Seat) -> &mut Option<Connection> {
    let seats = seats.entry(cluster).or_default();
    let place = usize::try_from(seat.0).expect("a seat's number fits");
    if seats.len() <= place {
        seats.resize_with(place + 1, || None);
    }
    &mut seats[place]
}

#[cfg(test)]
mod tests;
