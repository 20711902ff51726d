//! A partition thread takes the requests in its queue, has the engine decide them, and hands the results to the chain writers and
//! the publisher. It decides the next batch while one is being flushed.

use std::collections::BTreeMap;
use std::sync::{Arc, mpsc as spent};
use std::time::Duration;

use taisai_engine::{BatchNumber, Effect, Effects, HouseInput, Input, Partition, ReplyTo, RoundInput, Topic, Worker};
use taisai_record::{ChainWriter, RecordingStopped};
use taisai_table::{HouseCommand, MachineId, ReportedEvent, Time};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use crate::metrics::PartitionMetrics;
use crate::node::clock::Clock;
use crate::node::handle::{Caller, Request, next_caller};
use crate::node::stopped::Stopped;
use crate::ws::publisher::{PublishedBatch, Publisher};

/// Senders wait when the queue of a thread is full.
pub(crate) const QUEUE_CAPACITY: usize = 4_096;

const MAX_BATCH_REQUESTS: usize = 1_024;

/// One batch is being flushed, and one is flushed next. Later requests form one larger batch, because each flush has its cost.
const MAX_BATCHES_IN_FLIGHT: usize = 2;

/// How long a new subscription counts as a follower, until the publisher counts it.
const SUBSCRIBE_GRACE: Duration = Duration::from_secs(5);

/// An entry gets a checkpoint this long after it was decided, so that after a crash no more can be cut off unnoticed. While the
/// checkpointer is busy, the thread tries again instead of waiting, as bets would wait too.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(5);
/// Copying a large state takes this thread's time: such states have their checkpoints further apart.
const MAX_CHECKPOINT_SHARE: u32 = 50; // one part in so many
const CHECKPOINT_RETRY: Duration = Duration::from_millis(500);

/// How often the system clock is checked, and the smallest step that is reported.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);
const MIN_CLOCK_STEP_MILLIS: u64 = 2_000;

/// Topics whose views are only built while somebody follows them.
const OPTIONAL_TOPICS: [Topic; 4] = [Topic::Staff, Topic::Pit, Topic::Cage, Topic::Audit];

pub(crate) struct PartitionThread {
    pub(crate) worker: Worker,
    /// All chains share one journal writer, which makes entries durable in the order in which they are handed over.
    pub(crate) chains: BTreeMap<MachineId, ChainWriter>,
    pub(crate) clock: Clock,
    pub(crate) publisher: Publisher,
    pub(crate) metrics: PartitionMetrics,
}

/// Permission to decide one more batch.
struct BatchPermit {
    /// Returned once the batch is durable.
    flush: OwnedSemaphorePermit,
    /// Returned once the batch is published.
    publish: OwnedSemaphorePermit,
}

struct PartitionLoop {
    parts: PartitionThread,
    effects: Effects,
    batch: BatchNumber,
    /// The callers and screens of this batch.
    waiting: PublishedBatch,
    /// Effects that have left, whose memory is reused.
    spent: spent::Receiver<Vec<Effect>>,
    /// When each topic was last subscribed to, and whether the engine believes that it is followed.
    subscribed: [Option<Instant>; OPTIONAL_TOPICS.len()],
    watched: [bool; OPTIONAL_TOPICS.len()],
    /// Notified when an append has failed.
    failed: Arc<Notify>,
    /// When entries without a checkpoint get one, if there are any.
    checkpoint_at: Option<Instant>,
    checkpoint_interval: Duration,
    /// By how much the system clock was ahead when that was last reported; only where the House runs.
    clock_ahead: Option<i64>,
}

impl PartitionThread {
    /// Runs until no handle is left, the partitions have departed, or an append fails.
    pub(crate) async fn run(self, mut requests: mpsc::Receiver<Request>) -> Result<(), Stopped> {
        let (return_spent, spent) = spent::channel();
        self.publisher.return_spent_to(return_spent);
        let clock_ahead = self.worker.the_house().map(|_| 0);
        let mut running = PartitionLoop {
            parts: self,
            effects: Effects::default(),
            batch: BatchNumber::default(),
            waiting: PublishedBatch::default(),
            spent,
            subscribed: [None; OPTIONAL_TOPICS.len()],
            watched: [false; OPTIONAL_TOPICS.len()],
            failed: Arc::default(),
            checkpoint_at: None,
            checkpoint_interval: CHECKPOINT_INTERVAL,
            clock_ahead,
        };
        running.run(&mut requests).await
    }
}

impl PartitionLoop {
    async fn run(&mut self, requests: &mut mpsc::Receiver<Request>) -> Result<(), Stopped> {
        let in_flight = Arc::new(Semaphore::new(MAX_BATCHES_IN_FLIGHT));
        // The openings of all chains are on record before anything is decided.
        for chain in self.parts.chains.values_mut() {
            chain.commit(drop)?;
        }
        let now = self.parts.clock.now();
        self.parts.worker.start(now, &mut self.effects)?;
        let batch_permit = self.batch_permit(&in_flight).await;
        self.end_batch(batch_permit)?;
        self.plan_checkpoint(self.checkpoint_interval);
        let mut taken = Vec::with_capacity(MAX_BATCH_REQUESTS);
        let mut clock_checks = tokio::time::interval(CLOCK_INTERVAL);
        loop {
            let batch_permit = self.batch_permit(&in_flight).await;
            let timer = self.parts.worker.next_timer().map(|time| Instant::from(self.parts.clock.at(time)));
            let wakes_at = timer.into_iter().chain(self.checkpoint_at).min();
            let mut is_clock_due = false;
            let count = tokio::select! {
                biased;
                count = requests.recv_many(&mut taken, MAX_BATCH_REQUESTS) => Some(count),
                () = tokio::time::sleep_until(wakes_at.unwrap_or_else(Instant::now)), if wakes_at.is_some() => None,
                () = self.failed.notified() => None,
                _ = clock_checks.tick(), if self.clock_ahead.is_some() => {
                    is_clock_due = true;
                    None
                }
            };
            if count == Some(0) {
                return self.close(batch_permit);
            }
            for request in taken.drain(..) {
                self.handle_request(request)?;
            }
            if is_clock_due {
                self.check_clock()?;
            }
            self.set_watched()?;
            self.end_batch(batch_permit)?;
            self.checkpoint_when_due()?;
            if self.parts.worker.has_departed() {
                return self.depart(requests, &in_flight).await;
            }
        }
    }

    /// The House handles what was sent before it departs; later requests go to its reader. Tables end at once: their callers ask
    /// the next holder.
    async fn depart(
        &mut self,
        requests: &mut mpsc::Receiver<Request>,
        in_flight: &Arc<Semaphore>,
    ) -> Result<(), Stopped> {
        if self.parts.worker.the_house().is_some() {
            requests.close();
            while let Some(request) = requests.recv().await {
                self.handle_request(request)?;
            }
        }
        let batch_permit = self.batch_permit(in_flight).await;
        self.close(batch_permit)
    }

    /// The last batch, with a checkpoint of every chain: what was acknowledged cannot be cut off unnoticed afterwards.
    fn close(&mut self, batch_permit: BatchPermit) -> Result<(), Stopped> {
        if self.parts.worker.the_house().is_some() {
            self.handle(Input::House(HouseInput::Checkpoint))?;
        }
        self.end_batch(batch_permit)?;
        self.checkpoint_uncovered(|_| true)
    }

    fn checkpoint_when_due(&mut self) -> Result<(), Stopped> {
        let is_due = self.checkpoint_at.is_some_and(|due| due <= Instant::now());
        if is_due {
            self.checkpoint_at = None;
            let begins = Instant::now();
            self.checkpoint_uncovered(|chain| !chain.is_checkpointer_busy())?;
            self.checkpoint_interval = CHECKPOINT_INTERVAL.max(begins.elapsed() * MAX_CHECKPOINT_SHARE);
        }
        self.plan_checkpoint(if is_due { CHECKPOINT_RETRY } else { self.checkpoint_interval });
        Ok(())
    }

    /// Plans the next checkpoint while there are entries without one.
    fn plan_checkpoint(&mut self, after: Duration) {
        if self.parts.chains.values().any(ChainWriter::is_uncovered) {
            self.checkpoint_at.get_or_insert_with(|| Instant::now() + after);
        } else {
            self.checkpoint_at = None;
        }
    }

    /// Everything decided is appended, so the machines are as their chains end.
    fn checkpoint_uncovered(&mut self, may: impl Fn(&ChainWriter) -> bool) -> Result<(), Stopped> {
        let PartitionThread { worker, chains, clock, .. } = &mut self.parts;
        for partition in worker.partitions() {
            if let Some(chain) = chains.get_mut(&partition.id())
                && chain.is_uncovered()
                && may(chain)
            {
                checkpoint(chain, clock.now(), partition)?;
            }
        }
        Ok(())
    }

    fn handle_request(&mut self, request: Request) -> Result<(), Stopped> {
        match request {
            Request::Input(input) => self.handle(input),
            Request::Call(input, id, caller) => {
                self.waiting.callers.push((id, caller));
                self.handle(input)
            }
            Request::Connect(input, connection) => {
                self.note_subscription(&input);
                self.waiting.connections.push(connection);
                self.handle(input)
            }
            Request::Read(read) => {
                let then = read(&self.parts.worker);
                self.looked(then)
            }
            Request::ReadHouse(read) => {
                let Some(house) = self.parts.worker.the_house() else { return Ok(()) };
                let then = read(house);
                self.looked(then)
            }
        }
    }

    fn looked(&mut self, then: crate::node::handle::OnDurable) -> Result<(), Stopped> {
        let id = next_caller();
        self.waiting.callers.push((id, Caller::OnDurable(then)));
        self.handle(Input::ReadBarrier(id))
    }

    fn handle(&mut self, input: Input) -> Result<(), Stopped> {
        Ok(self.parts.worker.handle(self.parts.clock.now(), input, &mut self.effects)?)
    }

    /// A step of the system clock changes nothing, but is reported (F32).
    fn check_clock(&mut self) -> Result<(), Stopped> {
        let Some(known) = self.clock_ahead else { return Ok(()) };
        let ahead = self.parts.clock.stepped();
        let millis = ahead.saturating_sub(known);
        if millis.unsigned_abs() < MIN_CLOCK_STEP_MILLIS {
            return Ok(());
        }
        self.clock_ahead = Some(ahead);
        let command = HouseCommand::Report { what: ReportedEvent::ClockStepped { millis } };
        self.handle(Input::House(HouseInput::Own { command, reply: ReplyTo::Nobody }))
    }

    fn note_subscription(&mut self, input: &Input) {
        let topics: &[Topic] = match input {
            Input::Round(RoundInput::Subscribe { topics, .. }) => topics,
            Input::House(HouseInput::Subscribe { topic, .. }) => &[*topic],
            Input::House(_)
            | Input::Round(_)
            | Input::Cluster(..)
            | Input::Message(_)
            | Input::ReadBarrier(_)
            | Input::Depart => &[],
        };
        for (place, topic) in OPTIONAL_TOPICS.iter().enumerate() {
            if topics.contains(topic) {
                self.subscribed[place] = Some(Instant::now());
            }
        }
    }

    /// Tells the engine which views are followed, if that has changed.
    fn set_watched(&mut self) -> Result<(), Stopped> {
        let mut watched = self.watched;
        for (place, topic) in OPTIONAL_TOPICS.into_iter().enumerate() {
            let is_subscribing = self.subscribed[place].is_some_and(|at| at.elapsed() < SUBSCRIBE_GRACE);
            watched[place] = is_subscribing || self.parts.publisher.is_followed(topic);
        }
        if watched == std::mem::replace(&mut self.watched, watched) {
            return Ok(());
        }
        let followed =
            OPTIONAL_TOPICS.into_iter().zip(watched).filter(|(_, is_watched)| *is_watched).map(|(topic, _)| topic);
        if self.parts.worker.the_house().is_some() {
            let topics = followed.collect();
            self.handle(Input::House(HouseInput::Watched { topics }))
        } else {
            self.handle(Input::Round(RoundInput::Watched { by_staff: watched[0] }))
        }
    }

    /// Waits until another batch may be flushed and published.
    async fn batch_permit(&self, in_flight: &Arc<Semaphore>) -> BatchPermit {
        let publish = self.parts.publisher.permit().await;
        let flush = Arc::clone(in_flight).acquire_owned().await.expect("the semaphore is never closed");
        BatchPermit { flush, publish }
    }

    /// Completes a batch and hands it over.
    fn end_batch(&mut self, BatchPermit { flush, publish }: BatchPermit) -> Result<(), Stopped> {
        while let Ok(spent) = self.spent.try_recv() {
            for effect in spent {
                self.effects.left(effect);
            }
        }
        let PartitionThread { worker, chains, clock, publisher, metrics } = &mut self.parts;
        let now = clock.now();
        let ended = worker.end_batch(now, &mut self.effects);
        metrics.count(&mut self.effects.counts);
        ended?;
        self.batch.0 += 1;
        let batch = PublishedBatch {
            effects: std::mem::take(&mut self.effects.held),
            permit: Some(publish),
            ..std::mem::take(&mut self.waiting)
        };
        publisher.hold(self.batch, batch);
        let mut last = chains.keys().next().copied();
        for append in &mut self.effects.appends {
            let Some(chain) = chains.get_mut(&append.partition) else { continue };
            let mut slips = append.entries.take_slips().peekable();
            for (index, entry) in append.entries.iter().enumerate() {
                if let Some((_, slip)) = slips.next_if(|(settled_by, _)| *settled_by == index) {
                    chain.keep_slip(slip);
                }
                chain.append(|buffer| buffer.extend_from_slice(entry));
            }
            // Each append is handed over before those that follow from it.
            chain.commit(drop)?;
            last = Some(append.partition);
        }
        self.effects.appended();
        let (publisher, number, commit, decided) =
            (publisher.clone(), self.batch, metrics.commit.clone(), Instant::now());
        let failed = Arc::clone(&self.failed);
        let done = move |recorded: Result<(), RecordingStopped>| {
            if recorded.is_ok() {
                commit.observe(decided.elapsed().as_secs_f64());
                publisher.durable(number);
            } else {
                // Nothing is published: the thread stops and reports the reason.
                publisher.failed();
                failed.notify_one();
            }
            drop(flush);
        };
        if let Some(chain) = last.and_then(|last| chains.get_mut(&last)) {
            chain.commit(done)?;
        }
        for partition in self.effects.checkpoints.drain(..) {
            let Some(chain) = chains.get_mut(&partition) else { continue };
            if let Some(partition) = worker.partitions().iter().find(|of| of.id() == partition) {
                checkpoint(chain, now, partition)?;
            }
        }
        Ok(())
    }
}

fn checkpoint(chain: &mut ChainWriter, now: Time, partition: &Partition) -> Result<(), RecordingStopped> {
    match partition {
        Partition::House(house) => chain.checkpoint(now, house.machine()),
        Partition::Round(round) => chain.checkpoint(now, round.machine()),
        Partition::Cluster(cluster) => chain.checkpoint(now, cluster.machine()),
    }
}
