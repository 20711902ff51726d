//! The publisher of some partitions: it owns their outbox, and carries out what leaves it, in order: replies to callers, views to
//! screens, messages to other partitions. JSON is made here, never on the thread that decides.

#[cfg(test)]
mod described;
mod house_lists;
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
use tokio::sync::mpsc;

use crate::answer::json;
use crate::connection::Connection;
use crate::handle::{Caller, Request};
use crate::nodes::Term;
use crate::router::Router;
use crate::slips::SlipReader;
#[cfg(test)]
pub(crate) use described::{DeskMessage, HouseList};
use house_lists::HouseLists;
use table_view::TableView;
#[cfg(test)]
pub(crate) use table_view::{SeatMessage, Snapshot, StaffView};

/// What a batch leads to, with those who wait for it.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) effects: Vec<Effect>,
    pub(crate) callers: Vec<(CallerId, Caller)>,
    pub(crate) connections: Vec<Connection>,
}

/// Batches on their way into the outbox; none once nothing leaves any more: whoever waits for one that comes later is told so at once.
type Held = Option<Vec<(BatchNumber, Batch)>>;

enum Event {
    Durable(BatchNumber),
    Failed,
    ReturnSpentTo(StdSender<Vec<Effect>>),
}

/// How many screens follow each topic.
#[derive(Debug, Default)]
struct Followers([AtomicUsize; TOPICS]);

const TOPICS: usize = 5;

/// So many callers may wait before it is looked whether some have gone.
const FEW_CALLERS: usize = 1_024;

const fn place(topic: Topic) -> usize {
    match topic {
        Topic::Public => 0,
        Topic::Staff => 1,
        Topic::Pit => 2,
        Topic::Cage => 3,
        Topic::Audit => 4,
    }
}

/// What a publisher is reached by.
#[derive(Clone)]
pub(crate) struct Publisher {
    /// Batches on their way into the outbox. The publisher is not woken for them: it has nothing to do until they are durable.
    held: Arc<Mutex<Held>>,
    events: mpsc::UnboundedSender<Event>,
    followers: Arc<Followers>,
    public: Arc<Mutex<Option<serde_json::Value>>>,
}

/// What a publisher carries effects out with.
pub(crate) struct Outside {
    pub(crate) router: Weak<Router>,
    pub(crate) term: Term,
    pub(crate) slips: SlipReader,
    /// Has a cluster that is silent taken from its node.
    pub(crate) fence: Box<dyn Fn(ClusterId) + Send>,
    /// Stops everything: a publisher has panicked.
    pub(crate) broken: Box<dyn Fn() + Send>,
}

impl Publisher {
    /// Starts a publisher in a runtime. A table's has the rules that it is played by.
    pub(crate) fn start(outside: Outside, rules: Option<TableRules>) -> Self {
        let (events, received) = mpsc::unbounded_channel();
        let publisher = Self {
            held: Arc::new(Mutex::new(Some(Vec::new()))),
            events,
            followers: Arc::default(),
            public: Arc::default(),
        };
        let publishing = Publishing {
            outside,
            held: Arc::clone(&publisher.held),
            outbox: Outbox::default(),
            durable: BatchNumber::default(),
            callers: HashMap::new(),
            most_callers: FEW_CALLERS,
            connections: HashMap::new(),
            seats: BTreeMap::new(),
            screens: std::array::from_fn(|_| Vec::new()),
            followers: Arc::clone(&publisher.followers),
            public: Arc::clone(&publisher.public),
            table: rules.clone().map(TableView::new),
            lists: HouseLists::default(),
            rules,
            spent: None,
        };
        tokio::spawn(publishing.run(received));
        publisher
    }

    /// A publisher that shows nobody anything.
    #[cfg(test)]
    pub(crate) fn nowhere() -> Self {
        let events = mpsc::unbounded_channel().0;
        Self { held: Arc::new(Mutex::new(Some(Vec::new()))), events, followers: Arc::default(), public: Arc::default() }
    }

    /// Holds what a batch leads to until it is durable.
    pub(crate) fn hold(&self, number: BatchNumber, batch: Batch) {
        if let Some(held) = &mut *locked(&self.held) {
            held.push((number, batch));
        }
    }

    /// All up to this batch is durable.
    pub(crate) fn durable(&self, number: BatchNumber) {
        self.send(Event::Durable(number));
    }

    /// An append failed, or its fate is unknown: nothing leaves any more.
    pub(crate) fn failed(&self) {
        // Whoever waits is told so before the process ends.
        *locked(&self.held) = None;
        self.send(Event::Failed);
    }

    /// Gives effects that have left back, so that their memory is used again.
    pub(crate) fn return_spent_to(&self, spent: StdSender<Vec<Effect>>) {
        self.send(Event::ReturnSpentTo(spent));
    }

    /// Whether anybody follows a topic. One who begins to is shown everything first, so the answer may be a little old.
    pub(crate) fn is_followed(&self, topic: Topic) -> bool {
        self.followers.0[place(topic)].load(Ordering::Relaxed) > 0
    }

    /// The table as anyone sees it, as it was last published; none until it was.
    pub(crate) fn public(&self) -> Option<serde_json::Value> {
        locked(&self.public).clone()
    }

    fn send(&self, event: Event) {
        // A publisher that has ended is of a house that was closed, or of a node that holds nothing any more.
        self.events.send(event).unwrap_or_default();
    }
}

struct Publishing {
    outside: Outside,
    held: Arc<Mutex<Held>>,
    outbox: Outbox<Batch>,
    durable: BatchNumber,
    callers: HashMap<CallerId, Caller>,
    /// With more than so many, those who have gone are dropped.
    most_callers: usize,
    /// Screens that are connected and have not been shown anything yet.
    connections: HashMap<ConnectionId, Connection>,
    /// The terminals, by cluster and seat.
    seats: BTreeMap<u16, Vec<Option<Connection>>>,
    screens: [Vec<Connection>; TOPICS],
    followers: Arc<Followers>,
    public: Arc<Mutex<Option<serde_json::Value>>>,
    table: Option<TableView>,
    lists: HouseLists,
    rules: Option<TableRules>,
    spent: Option<StdSender<Vec<Effect>>>,
}

impl Publishing {
    /// Runs until nobody can send it anything, or there is no right to publish.
    async fn run(mut self, mut events: mpsc::UnboundedReceiver<Event>) {
        while let Some(event) = events.recv().await {
            match event {
                Event::Durable(number) => self.durable = self.durable.max(number),
                // The thread stops for the same reason; whoever follows hears it from there.
                Event::Failed => {
                    self.close();
                    continue;
                }
                Event::ReturnSpentTo(spent) => self.spent = Some(spent),
            }
            for (number, batch) in locked(&self.held).iter_mut().flat_map(|held| held.drain(..)) {
                self.outbox.hold(number, batch);
            }
            // Another node may answer for the partitions by now: whoever waits hears nothing more from this one.
            while let Some(batch) = self.outbox.release(self.durable, self.outside.term.holds()) {
                self.publish(batch).await;
            }
            if self.outbox.is_closed() {
                break;
            }
        }
    }

    /// Nothing leaves any more: whoever waits asks again.
    fn close(&mut self) {
        *locked(&self.held) = None;
        self.outbox.close();
        self.callers.clear();
    }

    async fn publish(&mut self, batch: Batch) {
        self.callers.extend(batch.callers);
        if self.callers.len() > self.most_callers {
            // Some wait for what never comes, and have gone.
            self.callers.retain(|_, caller| !caller.has_gone());
            self.most_callers = FEW_CALLERS.max(2 * self.callers.len());
        }
        self.connections.extend(batch.connections.into_iter().map(|connection| (connection.id(), connection)));
        let mut effects = batch.effects;
        for effect in &mut effects {
            // What is sent on is taken out; the rest stays, so that its memory is used again.
            match effect {
                Effect::Publish(ScreenChange::Seat(change)) => self.show_seat(change),
                other => {
                    let effect = std::mem::replace(other, Effect::ReadBarrier(CallerId(u64::MAX)));
                    self.carry_out(effect).await;
                }
            }
        }
        self.show_staff();
        if let Some(spent) = &self.spent {
            spent.send(effects).unwrap_or_default();
        }
    }

    async fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Reply(caller, reply) => {
                if let Some(caller) = self.callers.remove(&caller) {
                    caller.answer(&reply, self.rules.as_ref().map(TableRules::game));
                }
            }
            Effect::ReadBarrier(caller) => {
                if let Some(Caller::Then(then)) = self.callers.remove(&caller) {
                    then();
                }
            }
            Effect::Voucher(caller, fate) => {
                if let Some(Caller::Voucher(caller)) = self.callers.remove(&caller) {
                    // Whoever waited may have gone.
                    caller.send(fate).map_or_else(drop, drop);
                }
            }
            Effect::Send(message) => {
                // What does not arrive is sent again, or its sender stops too.
                if let Some(router) = self.outside.router.upgrade() {
                    router.send(message).await;
                }
            }
            Effect::ReadSlip(cluster, round) => {
                let requests = self.outside.router.upgrade().and_then(|router| router.cluster(cluster));
                let Some(requests) = requests.map(|requests| requests.downgrade()) else { return };
                self.outside.slips.read(cluster, round, move |slip| {
                    let input = Input::Cluster(cluster.number, ClusterInput::Slip { round, slip });
                    // A table that has stopped needs it no more, and is not kept by whoever reads.
                    if let Some(requests) = requests.upgrade() {
                        requests.blocking_send(Request::Input(input)).unwrap_or_default();
                    }
                });
            }
            Effect::Fence(cluster) => (self.outside.fence)(cluster),
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
                *locked(&self.public) = table.whole_public();
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

    /// Shows staff what the effects so far have changed.
    fn show_staff(&mut self) {
        if let Some(change) = self.table.as_mut().and_then(TableView::staff_change) {
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
        // Whoever follows connects again, and is shown how things stand then.
        let terminals = self.seats.values().flatten().flatten();
        self.screens.iter().flatten().chain(terminals).chain(self.connections.values()).for_each(Connection::close);
        if std::thread::panicking() {
            (self.outside.broken)();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
