//! A whole installation: nodes, their store and network, people and terminals, and what is checked while they play.

mod clients;
mod effects;
mod faults;
mod finish;
mod processes;
mod state;
mod workers;

use std::collections::{BTreeMap, BTreeSet};

use crate::casino::Casino;
use crate::clock::NodeClock;
use crate::event::{Event, NodeEvent, Schedule, StatementPurpose, StatementSender};
use crate::fault::Fault;
use crate::invariants::{InvariantResult, InvariantViolation};
use crate::network::{LinkEnd, SimulatedNetwork};
use crate::node::{ProcessState, SimulatedNode};
use crate::people::SimulatedPeople;
use crate::plan::{SimulationSummary, SimulatorPlan, StoreKind};
use crate::planted::Mistakes;
use crate::record::FollowedRecord;
use crate::replay::{REPLAY_STOPS, ReplayStop};
use crate::store::{SimulatedStore, StatementOutcome, StoreStatement};
use crate::trace::Trace;

use taisai_table::MachineId;

/// How long a process waits for the outcome of a statement.
const STATEMENT_TIMEOUT: u64 = 1_000;

/// An event for whichever process of a node runs when it comes.
const ANY_PROCESS: u64 = u64::MAX;

/// An installation.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) schedule: Schedule,
    plan: SimulatorPlan,
    casino: Casino,
    store: SimulatedStore<StatementSender>,
    network: SimulatedNetwork,
    nodes: Vec<SimulatedNode>,
    record: FollowedRecord,
    people: SimulatedPeople,
    /// How many faults are still to come.
    faults_left: u64,
    /// Who held a partition when a node first sent it something, for a node that makes a mistake.
    first_holders: BTreeMap<(usize, MachineId), usize>,
    /// The nodes to which a message was lost, for one that makes a mistake.
    lost_to: BTreeSet<(usize, usize)>,
    /// Where a replay stops.
    pub(crate) stop: Option<ReplayStop>,
}

impl World {
    /// An installation whose House is founded, before any process is started.
    pub(crate) fn new(seed: u64, plan: &SimulatorPlan) -> Self {
        let mistakes = Mistakes::new(plan.planted);
        let mut schedule = Schedule::new(seed, mistakes);
        let casino = Casino::new(plan.clusters, plan.has_live_table, &mut schedule.random);
        let mut store = SimulatedStore::new(mistakes);
        store.found(MachineId::House, &casino.founding());
        let (record, people) = (FollowedRecord::new(&casino), SimulatedPeople::new(&casino));
        let random = &mut schedule.random;
        let clock = |_| NodeClock { offset: random.signed(-20_000, 20_000), drift: random.signed(-300, 300) };
        let nodes = (0..plan.nodes).map(clock).map(SimulatedNode::new).collect();
        let faults_left = plan.faults;
        let (plan, network) = (plan.clone(), SimulatedNetwork::default());
        let (first_holders, lost_to) = (BTreeMap::new(), BTreeSet::new());
        Self {
            schedule,
            plan,
            casino,
            store,
            network,
            nodes,
            record,
            people,
            faults_left,
            first_holders,
            lost_to,
            stop: None,
        }
    }

    const fn now(&self) -> u64 {
        self.schedule.now
    }

    fn is_alone(&self) -> bool {
        self.plan.store == StoreKind::Sqlite
    }

    /// Plays to the end.
    pub(crate) fn play(&mut self) -> InvariantResult {
        self.record.follow(&self.store)?;
        for node in 0..self.nodes.len() {
            let after = self.schedule.random.below(500);
            self.schedule.after(after, Event::Start { node });
        }
        for person in 0..self.people.everyone.len() {
            self.act_later(person, 2_000);
        }
        self.next_fault();
        while self.faults_left > 0 {
            self.step()?;
        }
        self.finish()
    }

    /// The next event.
    fn step(&mut self) -> InvariantResult {
        let Some(event) = self.schedule.next() else { unreachable!("there is always someone who does something") };
        if self.stop.as_ref().is_none_or(|stop| stop.event != self.schedule.events()) {
            return self.carry_out_event(event);
        }
        let (before, lines_before) = (self.state(), self.schedule.trace.count());
        self.stop =
            Some(ReplayStop { event: self.schedule.events(), what: format!("{event:?}"), before, lines_before });
        self.carry_out_event(event)?;
        Err(InvariantViolation { invariant: REPLAY_STOPS, detail: String::new() })
    }

    fn carry_out_event(&mut self, event: Event) -> InvariantResult {
        match event {
            Event::Node { node, process, event } => self.at_node(node, process, event),
            Event::Start { node } => self.start(node),
            Event::Thaw { node, process } => {
                self.thaw(node, process);
                Ok(())
            }
            Event::Statement { node, number } => self.execute(node, number),
            Event::Person { person, event } => self.at_person(person, event),
            Event::Fault => {
                self.inject()?;
                self.next_fault();
                Ok(())
            }
        }
    }

    fn at_node(&mut self, node: usize, process: u64, event: NodeEvent) -> InvariantResult {
        let at = &mut self.nodes[node];
        if process != ANY_PROCESS && process != at.process {
            return Ok(());
        }
        match at.state {
            ProcessState::Down => return Ok(()),
            ProcessState::Frozen => {
                at.deferred.push(event);
                return Ok(());
            }
            ProcessState::Up => {}
        }
        match event {
            NodeEvent::Membership => self.membership(node, crate::membership::NodeMembershipInput::Timer),
            NodeEvent::Work { partition, run } => self.work(node, partition, run),
            NodeEvent::Outcome { to, outcome } => match to {
                StatementPurpose::Membership => {
                    self.membership(node, crate::membership::NodeMembershipInput::Outcome(outcome))
                }
                StatementPurpose::Opening { partition, run } => self.opened(node, partition, run, &outcome),
                StatementPurpose::Writer { partition, run } => self.written(node, partition, run, &outcome),
                StatementPurpose::Nobody => Ok(()),
            },
            NodeEvent::Message(message) => {
                self.receive(node, message);
                Ok(())
            }
            NodeEvent::Request(request) => {
                self.request(node, request);
                Ok(())
            }
            NodeEvent::Slip { cluster, round, is_read } => {
                self.slip(node, cluster, round, is_read);
                Ok(())
            }
        }
    }

    /// An event for the process that runs on a node now.
    fn event(&self, node: usize, event: NodeEvent) -> Event {
        Event::Node { node, process: self.nodes[node].process, event }
    }

    /// A process sends a statement to the store.
    fn call(&mut self, node: usize, statement: StoreStatement, to: StatementPurpose) {
        let now = self.now();
        if self.network.is_cut(LinkEnd::Node(node), LinkEnd::Store, now) {
            let event = self.event(node, NodeEvent::Outcome { to, outcome: StatementOutcome::Unknown });
            return self.schedule.after(STATEMENT_TIMEOUT, event);
        }
        let waiter = StatementSender { node, process: self.nodes[node].process, to };
        let number = self.store.send(statement, waiter);
        let after = self.delay();
        self.schedule.after(after, Event::Statement { node, number });
    }

    /// How long a statement or an answer takes.
    fn delay(&mut self) -> u64 {
        let random = &mut self.schedule.random;
        if random.one_in(50) { random.between(10, 120) } else { random.between(1, 4) }
    }

    /// A statement reaches the store.
    fn execute(&mut self, node: usize, number: u64) -> InvariantResult {
        let now = self.now();
        if self.store.stops_now(number) {
            self.store.stop_in_append(number, now, node, &mut self.schedule.random);
            self.record.follow(&self.store)?;
            self.schedule.trace(format_args!("node {node}: stops in an append"));
            return self.bring_down(Fault::ProcessKilled, node);
        }
        let Some((waiter, outcome)) = self.store.arrive(number, now, node, &mut self.schedule.random) else {
            return Ok(());
        };
        self.record.follow(&self.store)?;
        let StatementSender { node, process, to } = waiter;
        // A long chain takes a while to be read.
        let reads = matches!((to, &outcome), (StatementPurpose::Opening { .. }, StatementOutcome::Head(_)));
        let (after, outcome) = if reads && self.schedule.random.one_in(4) {
            (self.schedule.random.between(50, 1_500), outcome)
        } else if self.network.is_cut(LinkEnd::Store, LinkEnd::Node(node), now) {
            (STATEMENT_TIMEOUT, StatementOutcome::Unknown)
        } else {
            (self.delay(), outcome)
        };
        self.schedule.after(after, Event::Node { node, process, event: NodeEvent::Outcome { to, outcome } });
        Ok(())
    }

    /// What the run has come to so far.
    pub(crate) fn summary(&self) -> SimulationSummary {
        let played = self.record.played;
        SimulationSummary {
            faults: self.schedule.faults.clone(),
            rounds: played.rounds,
            bets: played.bets,
            commands: played.commands,
            refusals: played.refusals,
            notes: played.notes,
            registered: played.registered,
            transfers: played.transfers,
            corrections: played.corrections,
            take_overs: played.take_overs,
            replies: self.people.replies,
            virtual_seconds: self.now() / 1_000,
            events: self.schedule.events(),
            trace_hash: self.schedule.trace.hash(),
        }
    }

    pub(crate) fn into_trace(self) -> Trace {
        self.schedule.trace
    }
}
