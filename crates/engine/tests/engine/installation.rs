//! An installation whose messages take time, get lost and repeat, and whose nodes stop in the middle of a batch.

use std::collections::BTreeMap;

use taisai_engine::{
    ClusterInput, Effect, HouseInput, InMemoryBatch, InMemoryInstallation, Input, Message, ReplyTo, Worker,
    WorkerPlacement, WorkerStop,
};
use taisai_table::{
    ClusterCommand, ClusterId, Entry, HouseCommand, MachineEntry, MachineId, Machines, Profile, RoundCommand,
    RoundNumber, TableId, TableRules, TableSpec, Time,
};

use crate::node::TestNode;
use crate::play;

pub(crate) const TABLE: TableId = TableId(1);

/// Noon of 1 January 2024, when every game is in force.
pub(crate) const NOON: u64 = 1_704_110_400_000;

pub(crate) const fn cluster(number: u16) -> ClusterId {
    ClusterId { table: TABLE, number }
}

/// After how many milliseconds each copy of a message arrives; none where it is lost.
pub(crate) type Carrier = Box<dyn FnMut(&Message) -> Vec<u64>>;

/// What is on its way to a node.
#[derive(Clone, Debug)]
enum Travelling {
    Message(Message),
    Slip(ClusterId, RoundNumber),
}

/// Nodes, what travels between them, and the record.
pub(crate) struct Installation {
    pub(crate) now: u64,
    pub(crate) house: InMemoryInstallation,
    pub(crate) nodes: Vec<TestNode>,
    /// Whether slips are read at once, or only by hand.
    pub(crate) reads_slips: bool,
    pub(crate) carrier: Carrier,
    /// Whether a node stops when it has ended a batch of so many appends, and how many of them are durable then.
    pub(crate) mishap: Box<dyn FnMut(usize) -> Option<usize>>,
    travelling: BTreeMap<(u64, u64), Travelling>,
    /// How much has travelled, and how many callers there were.
    pub(crate) count: u64,
    /// What was sent since this was last cleared, and when.
    pub(crate) sent: Vec<(u64, Message)>,
    /// What else has left since this was last cleared, by node.
    pub(crate) left: Vec<(usize, Effect)>,
}

/// How a table is laid out over nodes.
pub(crate) struct TableLayout<'a> {
    pub(crate) rules: TableRules,
    pub(crate) profile: Profile,
    pub(crate) seats: &'a [u32],
    /// The partitions of each node.
    pub(crate) nodes: &'a [&'a [MachineId]],
}

impl Installation {
    pub(crate) fn new(layout: &TableLayout<'_>) -> Self {
        let mut machines = Machines::new(layout.profile.clone(), false);
        let (rules, seats) = (layout.rules.clone(), layout.seats.to_vec());
        machines.lay_out(TableSpec { table: TABLE, rules, is_training: false, seats }).unwrap();
        let partitions: Vec<_> = layout.nodes.iter().map(|node| node.to_vec()).collect();
        let mut installation = Self {
            now: NOON,
            nodes: partitions.iter().map(|_| TestNode::default()).collect(),
            house: InMemoryInstallation::laid_out(machines, partitions, WorkerPlacement::Apart),
            reads_slips: true,
            carrier: Box::new(|_| vec![0]),
            mishap: Box::new(|_| None),
            travelling: BTreeMap::new(),
            count: 0,
            sent: Vec::new(),
            left: Vec::new(),
        };
        for node in 0..installation.nodes.len() {
            installation.restart(node);
        }
        if installation.node_of(MachineId::House).is_some() {
            let clusters = u16::try_from(layout.seats.len()).unwrap().try_into().unwrap();
            let add = HouseCommand::AddTable { table: TABLE, clusters, training: false, second: None };
            installation.own(add);
        }
        installation
    }

    /// The machines as the record has them.
    pub(crate) const fn machines(&self) -> &Machines {
        self.house.machines()
    }

    pub(crate) fn worker(&self, node: usize) -> &Worker {
        &self.house.workers()[node]
    }

    pub(crate) fn node_of(&self, machine: MachineId) -> Option<usize> {
        self.house.worker_of(machine)
    }

    /// A node stops without a word, and begins again with what is on record.
    pub(crate) fn restart(&mut self, node: usize) {
        self.nodes[node] = TestNode::default();
        let batch = self.house.start(node, Time(self.now)).unwrap();
        self.end(node, batch);
    }

    /// Gives a node an input, and carries whatever comes of it at once.
    pub(crate) fn input(&mut self, node: usize, input: Input) {
        self.inputs(node, [input]);
    }

    /// The same with several inputs in one batch.
    pub(crate) fn inputs(&mut self, node: usize, inputs: impl IntoIterator<Item = Input>) {
        self.handle(node, inputs).unwrap();
        self.pass(0);
    }

    /// A command to the House of the program's own.
    pub(crate) fn own(&mut self, command: HouseCommand) {
        let house = self.node_of(MachineId::House).unwrap();
        self.input(house, Input::House(HouseInput::Own { command, reply: ReplyTo::Nobody }));
    }

    /// Has a node decide a batch, which is recorded and leaves.
    pub(crate) fn handle(&mut self, node: usize, inputs: impl IntoIterator<Item = Input>) -> Result<(), WorkerStop> {
        let batch = self.house.batch(node, Time(self.now), inputs)?;
        self.end(node, batch);
        Ok(())
    }

    fn end(&mut self, node: usize, mut batch: InMemoryBatch) {
        // A driver sleeps until the next timer: one that is due already would have it spin.
        let timer = self.worker(node).next_timer();
        assert!(timer.is_none_or(|timer| timer > Time(self.now)), "{timer:?} is due at {}", self.now);
        self.nodes[node].add(std::mem::take(&mut batch.counts), std::mem::take(&mut batch.checkpoints));
        let appends = batch.appends.len();
        match (self.mishap)(appends) {
            None => self.leave(node, batch, appends),
            Some(durable) => {
                self.leave(node, InMemoryBatch { effects: Vec::new(), ..batch }, durable);
                self.restart(node);
            }
        }
    }

    /// Has a node decide a batch, but the node stops when only some of its appends are durable. Nothing leaves.
    pub(crate) fn crash(&mut self, node: usize, input: Input, durable: impl FnOnce(usize) -> usize) {
        let batch = self.house.batch(node, Time(self.now), [input]).unwrap();
        let durable = durable(batch.appends.len());
        self.leave(node, InMemoryBatch { effects: Vec::new(), ..batch }, durable);
    }

    fn leave(&mut self, node: usize, batch: InMemoryBatch, durable: usize) {
        for recorded in batch.appends.into_iter().take(durable).flatten() {
            self.check_cause(&recorded);
            self.house.append(recorded);
        }
        for effect in batch.effects {
            match effect {
                // Where there is no House reports are taken all the same.
                Effect::Send(Message::Report { from, id, .. }) if self.node_of(MachineId::House).is_none() => {
                    self.travel(0, Travelling::Message(Message::ReportHeld { to: from, id }));
                }
                Effect::Send(message) => {
                    for delay in (self.carrier)(&message) {
                        self.travel(delay, Travelling::Message(message.clone()));
                    }
                    self.sent.push((self.now, message));
                }
                effect => {
                    if let Effect::ReadSlip { cluster, round, .. } = effect
                        && self.reads_slips
                    {
                        self.travel(0, Travelling::Slip(cluster, round));
                    }
                    self.left.push((node, effect));
                }
            }
        }
    }

    /// What an entry rests on is on record before it, whichever machine decided it.
    fn check_cause(&self, recorded: &MachineEntry) {
        let (house, machines) = (self.house.house(), self.machines());
        let is_there = match recorded {
            MachineEntry::Cluster(id, Entry { request, outcome: Ok(_) }) => match &request.command {
                ClusterCommand::Follow { number, notice, .. } => {
                    let mut notices = machines.tables[&id.table].round.notices(*id);
                    notices.any(|issued| issued == (*number, notice))
                }
                ClusterCommand::Receive { transfer } => house.outbox(*id).any(|sent| sent == transfer),
                ClusterCommand::Delivered { number } => house.received(*id) >= *number,
                _ => true,
            },
            MachineEntry::Round(_, Entry { request, outcome: Ok(_) }) => match &request.command {
                RoundCommand::Report { cluster, followed, .. } => {
                    machines.cluster(*cluster).unwrap().followed() >= *followed
                }
                _ => true,
            },
            MachineEntry::House(Entry { request, outcome: Ok(_) }) => match &request.command {
                HouseCommand::Receive { cluster, transfer } => {
                    machines.cluster(*cluster).unwrap().outbox().any(|sent| sent == transfer)
                }
                HouseCommand::Delivered { cluster, number } => {
                    machines.cluster(*cluster).unwrap().received() >= *number
                }
                _ => true,
            },
            MachineEntry::Round(..) | MachineEntry::Cluster(..) | MachineEntry::House(_) => true,
        };
        assert!(is_there, "{recorded:?} stands before what it rests on");
    }

    fn travel(&mut self, delay: u64, what: Travelling) {
        self.count += 1;
        self.travelling.insert((self.now + delay, self.count), what);
    }

    /// Sends a message once more, or one that nobody has sent.
    pub(crate) fn deliver(&mut self, message: Message) {
        self.travel(0, Travelling::Message(message));
        self.pass(0);
    }

    /// Lets time pass: messages arrive and timers fire, each when it is due.
    pub(crate) fn pass(&mut self, millis: u64) {
        let end = self.now + millis;
        loop {
            let arrival = self.travelling.first_key_value().map(|((at, _), _)| *at);
            let timers = self.house.workers().iter().enumerate();
            let timer = timers.filter_map(|(node, worker)| Some((worker.next_timer()?.0, node))).min();
            match (arrival, timer) {
                (Some(at), _) if at <= end && timer.is_none_or(|(timer, _)| at <= timer) => {
                    self.now = self.now.max(at);
                    let (_, travelling) = self.travelling.pop_first().unwrap();
                    self.arrive(travelling);
                }
                (_, Some((at, node))) if at <= end => {
                    self.now = self.now.max(at);
                    self.handle(node, []).unwrap();
                }
                _ => break,
            }
        }
        self.now = end;
    }

    fn arrive(&mut self, travelling: Travelling) {
        let (to, input) = match travelling {
            Travelling::Message(message) => {
                // What a node sends another is bytes.
                let bytes = serde_json::to_string(&message).unwrap();
                let read: Message = serde_json::from_str(&bytes).unwrap();
                assert_eq!(read, message);
                (message.to(), Input::Message(read))
            }
            Travelling::Slip(cluster, round) => {
                let slip = self.house.slip(cluster, round).cloned();
                (MachineId::Cluster(cluster), Input::Cluster(cluster.number, ClusterInput::Slip { round, slip }))
            }
        };
        if let Some(node) = self.node_of(to) {
            self.handle(node, [input]).unwrap();
        }
    }

    /// The workers' machines are those that their record makes.
    pub(crate) fn check_record(&self) {
        assert!(self.house.is_as_recorded());
    }

    /// What was sent since it was last asked.
    pub(crate) fn take_sent(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.sent).into_iter().map(|(_, message)| message).collect()
    }

    /// What was sent since it was last taken.
    pub(crate) fn sent_now(&self) -> Vec<Message> {
        self.sent.iter().map(|(_, message)| message.clone()).collect()
    }

    /// What else has left since it was last asked.
    pub(crate) fn take_left(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.left).into_iter().map(|(_, effect)| effect).collect()
    }
}

/// A table of Player Terminals over nodes, as the default profile has it.
pub(crate) fn etg(seats: &[u32], nodes: &[&[MachineId]]) -> Installation {
    Installation::new(&TableLayout {
        rules: play::rules("sic-bo-etg", "B"),
        profile: Profile::singapore(),
        seats,
        nodes,
    })
}

pub(crate) const ROUND: MachineId = MachineId::Round(TABLE);
pub(crate) const FIRST: MachineId = MachineId::Cluster(cluster(0));
pub(crate) const SECOND: MachineId = MachineId::Cluster(cluster(1));

/// A table of one cluster on one worker, without a House.
pub(crate) fn together() -> Installation {
    etg(&[8], &[&[ROUND, FIRST]])
}

/// A dealer's side and two clusters, each on a worker of its own, without a House.
pub(crate) fn apart() -> Installation {
    etg(&[8, 8], &[&[ROUND], &[FIRST], &[SECOND]])
}

/// A House, and a table of one cluster on a worker of its own.
pub(crate) fn with_house() -> Installation {
    etg(&[8], &[&[MachineId::House], &[ROUND, FIRST]])
}
