//! An installation in one thread, in virtual time and with its record in memory: for scripts, simulated play and tests. It runs the
//! same partitions as a server. The caller sets the time and chooses which message between workers is delivered next.

mod batch;
mod workers;

use std::collections::{BTreeMap, VecDeque};

use taisai_table::{
    BadTableSpec, BrokenInvariant, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, CommandRequest,
    Decision, Entry, House, HouseCommand, HouseEvent, MachineEntry, MachineId, Machines, Profile, RoundAndClusters,
    RoundCommand, RoundEvent, RoundNumber, Seat, Slip, TableId, TableSpec, Time, Verdict, check_transit,
};

use crate::cluster::ClusterInput;
use crate::effect::{CallerId, ConnectionId, Effect, NewestCommand, Reply, ReplyTo};
use crate::house::HouseInput;
use crate::message::Message;
use crate::round::RoundInput;
use crate::worker::{Input, Partition, Worker, WorkerStop};

pub use batch::InMemoryBatch;

/// Which partitions of a table share a worker. The House has one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerPlacement {
    /// A round and its clusters, as where one process runs the table: what they have for each other is delivered within a batch.
    Together,
    /// None: every message between partitions waits until it is delivered.
    Apart,
}

/// An installation in memory.
#[derive(Debug)]
pub struct InMemoryInstallation {
    placement: WorkerPlacement,
    now: Time,
    /// The machines as the record has them.
    machines: Machines,
    workers: Vec<Worker>,
    /// The partitions of each worker, to build it again.
    partitions: Vec<Vec<MachineId>>,
    slips: BTreeMap<(ClusterId, RoundNumber), Slip>,
    waiting: VecDeque<Message>,
    /// The Player Terminals that are connected.
    connections: BTreeMap<(ClusterId, Seat), ConnectionId>,
    sequences: BTreeMap<u64, u64>,
    newest_source: u64,
    newest_caller: CallerId,
    /// What was recorded and not yet taken away: a long run takes it round by round.
    pub record: Vec<MachineEntry>,
}

impl InMemoryInstallation {
    /// A House without tables.
    pub fn new(profile: Profile, is_training: bool, placement: WorkerPlacement, time: Time) -> Self {
        let partitions = vec![vec![MachineId::House]];
        let mut house = Self::laid_out(Machines::new(profile, is_training), partitions, placement);
        house.begin(0, time);
        house
    }

    /// Adds a table, and has the House add it to its file.
    ///
    /// # Panics
    /// If there is no House.
    pub fn add_table(&mut self, plan: TableSpec, time: Time) -> Result<(), BadTableSpec> {
        let (table, clusters, training) = (plan.table, plan.clusters()?, plan.is_training);
        let command = HouseCommand::AddTable { table, clusters, training, second: None };
        let own = |reply| Input::House(HouseInput::Own { command, reply });
        let reply = self.ask(MachineId::House, time, own).expect("the House decides at once");
        if let Verdict::Refused(refusal) = reply.verdict {
            return Err(BadTableSpec::Refused(refusal));
        }
        self.machines.lay_out(plan)?;
        let clusters = (0..clusters.get()).map(|number| MachineId::Cluster(ClusterId { table, number }));
        let all: Vec<_> = [MachineId::Round(table)].into_iter().chain(clusters).collect();
        let workers = match self.placement {
            WorkerPlacement::Together => vec![all],
            WorkerPlacement::Apart => all.into_iter().map(|partition| vec![partition]).collect(),
        };
        for partitions in workers {
            let worker = self.build(&partitions);
            self.workers.push(worker);
            self.partitions.push(partitions);
            self.begin(self.workers.len() - 1, time);
        }
        Ok(())
    }

    /// The time that was last given.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The machines as the record has them.
    pub const fn machines(&self) -> &Machines {
        &self.machines
    }

    pub const fn house(&self) -> &House {
        &self.machines.house
    }

    pub fn table(&self, id: TableId) -> Option<&RoundAndClusters> {
        self.machines.tables.get(&id)
    }

    /// A players' side.
    pub fn cluster(&self, id: ClusterId) -> Option<&Cluster> {
        self.machines.cluster(id)
    }

    /// Names the report that a cluster's round holds of it.
    pub fn held_report(&self, cluster: ClusterId) -> Option<CommandId> {
        let partitions = self.workers.iter().flat_map(Worker::partitions);
        partitions.into_iter().find_map(|partition| match partition {
            Partition::Round(round) if round.machine().table() == cluster.table => round.report_of(cluster),
            Partition::House(_) | Partition::Round(_) | Partition::Cluster(_) => None,
        })
    }

    /// The slip of a round that is over.
    pub fn slip(&self, cluster: ClusterId, round: RoundNumber) -> Option<&Slip> {
        self.slips.get(&(cluster, round))
    }

    pub fn next_id(&mut self, source: u64) -> CommandId {
        let sequence = self.sequences.entry(source).or_insert(0);
        *sequence += 1;
        CommandId { source, sequence: *sequence }
    }

    /// A source that nobody has used. Machines forget the sources that were silent longest, and those below: where people and devices
    /// come and go by the hundred, each needs a new one.
    pub const fn new_source(&mut self) -> u64 {
        self.newest_source += 1;
        self.newest_source
    }

    /// Every invariant of every machine, and that money between them is where it should be: what each cluster and the House have in
    /// transit differs by exactly what is on its way.
    pub fn check(&self) -> Result<(), BrokenInvariant> {
        self.machines.clusters().try_for_each(Cluster::check)?;
        self.house().check()?;
        self.machines.clusters().try_for_each(|cluster| check_transit(self.house(), cluster))
    }
}

/// Commands.
impl InMemoryInstallation {
    /// Asks a dealer's side, at the time of the command. Nothing if there is no such table, or if the command waits until clusters
    /// hold what has happened so far: its entry is appended when they do, or after a while.
    pub fn ask_round(&mut self, table: TableId, request: CommandRequest<RoundCommand>) -> Option<Decision<RoundEvent>> {
        let CommandRequest { time, actor, id, command } = request;
        let (from, to) = (self.record.len(), MachineId::Round(table));
        let input = |reply| Input::Round(RoundInput::Command { actor, id, command, reply });
        let reply = self.ask(to, time, input)?;
        let mut entries = self.record[from..].iter();
        let entry = entries.find_map(|recorded| match recorded {
            MachineEntry::Round(at, entry) if *at == table && entry.request.id == id => Some(entry),
            _ => None,
        });
        Some(decision(entry, &reply))
    }

    /// Asks a players' side, at the time of the command. Nothing if there is no such cluster.
    pub fn ask_cluster(
        &mut self,
        cluster: ClusterId,
        request: CommandRequest<ClusterCommand>,
    ) -> Option<Decision<ClusterEvent>> {
        let CommandRequest { time, actor, id, command } = request;
        let (from, to) = (self.record.len(), MachineId::Cluster(cluster));
        let input = |reply| Input::Cluster(cluster.number, ClusterInput::Command { actor, id, command, reply });
        let reply = self.ask(to, time, input)?;
        let mut entries = self.record[from..].iter();
        let entry = entries.find_map(|recorded| match recorded {
            MachineEntry::Cluster(at, entry) if *at == cluster && entry.request.id == id => Some(entry),
            _ => None,
        });
        Some(decision(entry, &reply))
    }

    /// Asks the House, at the time of the command.
    ///
    /// # Panics
    /// If there is no House.
    pub fn ask_house(&mut self, request: CommandRequest<HouseCommand>) -> Decision<HouseEvent> {
        let CommandRequest { time, actor, id, command } = request;
        let from = self.record.len();
        let input = |reply| Input::House(HouseInput::Command { actor, id, command, reply });
        let reply = self.ask(MachineId::House, time, input).expect("the House decides at once");
        let mut entries = self.record[from..].iter();
        let entry = entries.find_map(|recorded| match recorded {
            MachineEntry::House(entry) if entry.request.id == id => Some(entry),
            _ => None,
        });
        decision(entry, &reply)
    }

    /// The reply, unless the command waits or there is nobody to ask.
    fn ask(&mut self, to: MachineId, time: Time, input: impl FnOnce(ReplyTo) -> Input) -> Option<Reply> {
        let worker = self.worker_of(to)?;
        self.now = time;
        self.newest_caller.0 += 1;
        let caller = self.newest_caller;
        self.handle(worker, [input(ReplyTo::Caller(caller))], Some(caller))
    }

    /// The Player Terminal at a seat is connected until it is disconnected: after a restart it connects again.
    pub fn connect(&mut self, cluster: ClusterId, seat: Seat, time: Time) {
        self.now = time;
        self.newest_caller.0 += 1;
        let connection = ConnectionId(self.newest_caller.0);
        self.connections.insert((cluster, seat), connection);
        self.connected(cluster, seat, connection);
    }

    fn connected(&mut self, cluster: ClusterId, seat: Seat, connection: ConnectionId) {
        let counted = NewestCommand { source: connection.0, sequence: 0 };
        self.send_to_cluster(cluster, ClusterInput::Connect { seat, connection, counted, money: Box::default() });
    }

    /// The connection of the Player Terminal at a seat ends.
    pub fn disconnect(&mut self, cluster: ClusterId, seat: Seat, time: Time) {
        if let Some(connection) = self.connections.remove(&(cluster, seat)) {
            self.now = time;
            self.send_to_cluster(cluster, ClusterInput::Disconnect { seat, connection });
        }
    }

    /// Whether the Player Terminal at a seat is connected.
    pub fn is_connected(&self, cluster: ClusterId, seat: Seat) -> bool {
        self.connections.contains_key(&(cluster, seat))
    }

    fn send_to_cluster(&mut self, cluster: ClusterId, input: ClusterInput) {
        if let Some(worker) = self.worker_of(MachineId::Cluster(cluster)) {
            self.handle(worker, [Input::Cluster(cluster.number, input)], None);
        }
    }
}

/// Messages between workers, time, and restarts.
impl InMemoryInstallation {
    /// The messages that wait, in the order in which they were sent.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.waiting.iter()
    }

    /// Takes a message away that waits: to deliver it before others, or to lose it.
    pub fn take_waiting(&mut self, place: usize) -> Option<Message> {
        self.waiting.remove(place)
    }

    /// Delivers a message: one that was waiting, one that was delivered before, or one that nobody has sent.
    pub fn deliver(&mut self, message: Message) {
        if let Some(worker) = self.worker_of(message.to()) {
            self.handle(worker, [Input::Message(message)], None);
        }
    }

    /// Delivers messages in their order until none waits.
    pub fn deliver_all(&mut self) {
        while let Some(message) = self.waiting.pop_front() {
            self.deliver(message);
        }
    }

    /// When a partition has something to do without an input.
    pub fn next_timer(&self) -> Option<Time> {
        self.workers.iter().filter_map(Worker::next_timer).min()
    }

    /// Lets time pass: what partitions do by themselves happens when it is due. Messages wait.
    pub fn pass_until(&mut self, time: Time) {
        while let Some(timer) = self.next_timer().filter(|timer| *timer <= time) {
            self.set_clock(self.now.max(timer));
        }
        self.now = time;
    }

    /// The clock shows another time, as after a pause of the whole process: what was due meanwhile happens now, and once.
    pub fn set_clock(&mut self, time: Time) {
        self.now = time;
        for worker in 0..self.workers.len() {
            if self.workers[worker].next_timer().is_some_and(|timer| timer <= time) {
                self.handle(worker, [], None);
            }
        }
    }

    /// Everything stops and begins again, with machines as they were read from the record. Messages on their way are lost; terminals
    /// that were connected connect again.
    pub fn restart(&mut self, machines: Machines, time: Time) {
        self.machines = machines;
        self.waiting.clear();
        for worker in 0..self.workers.len() {
            self.begin(worker, time);
        }
        for ((cluster, seat), connection) in self.connections.clone() {
            self.connected(cluster, seat, connection);
        }
    }

    fn begin(&mut self, worker: usize, time: Time) {
        let batch = self.start(worker, time);
        self.end(worker, batch, None);
    }

    fn handle<const N: usize>(&mut self, worker: usize, inputs: [Input; N], caller: Option<CallerId>) -> Option<Reply> {
        let batch = self.batch(worker, self.now, inputs);
        self.end(worker, batch, caller)
    }

    /// Appends a batch, then lets go of what rests on it; the reply to a caller, if it is there.
    fn end(
        &mut self,
        worker: usize,
        batch: Result<InMemoryBatch, WorkerStop>,
        caller: Option<CallerId>,
    ) -> Option<Reply> {
        let InMemoryBatch { appends, effects, .. } = batch.unwrap_or_else(|stop| panic!("{stop}"));
        for recorded in appends.into_iter().flatten() {
            self.append(recorded);
        }
        let (mut reply, mut slips) = (None, Vec::new());
        for effect in effects {
            match effect {
                Effect::Send(message) => self.waiting.push_back(message),
                Effect::Reply(to, of_command) if Some(to) == caller => reply = Some(of_command),
                Effect::ReadSlip { cluster, round, .. } => slips.push((cluster, round)),
                Effect::Reply(..)
                | Effect::ReadBarrier(_)
                | Effect::Voucher(..)
                | Effect::Publish(_)
                | Effect::Seize(_) => {}
            }
        }
        for (cluster, round) in slips {
            let slip = self.slip(cluster, round).cloned();
            self.handle(worker, [Input::Cluster(cluster.number, ClusterInput::Slip { round, slip })], None);
        }
        reply
    }
}

/// What was decided, by the entry that was appended; a command that was answered before has none.
fn decision<C, E: Clone>(entry: Option<&Entry<C, E>>, reply: &Reply) -> Decision<E> {
    match entry.map(|entry| &entry.outcome) {
        Some(Ok(event)) => Decision::Accepted(event.clone()),
        Some(Err(refusal)) => Decision::Refused(*refusal),
        None => Decision::Repeated(reply.verdict),
    }
}
