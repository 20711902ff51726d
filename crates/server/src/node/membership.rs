//! The membership thread: renews this node's leases, claims free partitions and reports changes. The engine decides; this thread
//! carries it out.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taisai_engine::{
    LeaseOutcome, LeaseStatement, LeaseTerms, Membership as Decisions, MembershipEffect, MembershipInput, NodeTime,
    RosterLease, RosterNode,
};
use taisai_journal::{
    ChainName, ClaimOutcome, JoinedNode, Lease, LeaseError, LeaseRoster, LeaseTiming, Leases, NodeName,
};
use taisai_record::{chain_of, machine_of};
use taisai_table::{ClusterId, MachineId};
use tokio::sync::watch;

use super::SharedLeaseDeadline;
use super::peers::{NodeAddress, Peers};
use crate::node::{NodeError, guarded};

/// What the partition manager must act on.
#[derive(Debug)]
pub(crate) enum MembershipEvent {
    /// This node holds a partition and must open it.
    Held(ChainName),
    /// A partition should move to another node when it can.
    Wanted(ChainName),
    /// A partition has ended here as requested.
    Ended(ChainName),
    /// A cluster does not follow its round.
    Silent(ClusterId),
    /// This node has lost its lease, for this reason.
    Over(String),
    Closed,
}

/// Commands to the membership thread.
enum MembershipCommand {
    /// The installation has these partitions.
    Partitions(Vec<ChainName>),
    /// This node has closed a partition and gives it up.
    Released(ChainName),
    /// A partition is taken from its holder.
    Seized(ChainName),
}

/// Names under which this process was a member and could not leave in order. It leaves when it joins again, so that nobody waits
/// for leases that it no longer uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormerNames(Arc<Mutex<Vec<NodeName>>>);

impl FormerNames {
    fn add(&self, name: NodeName) {
        self.names().push(name);
    }

    fn names(&self) -> MutexGuard<'_, Vec<NodeName>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// If this fails again, the leases expire.
    fn leave(&self, leases: &mut Leases) {
        for name in std::mem::take(&mut *self.names()) {
            if let Err(error) = leases.forget(&name) {
                tracing::warn!(%error, "could not release earlier leases of this node; they expire");
            }
        }
    }
}

/// A node that has joined. It leaves when this is dropped.
pub(crate) struct Membership {
    commands: Option<Sender<MembershipCommand>>,
    thread: Option<JoinHandle<()>>,
    pub(crate) lease: SharedLeaseDeadline,
    pub(crate) nodes: Peers,
    pub(crate) slot: u16,
}

impl Membership {
    /// Joins the installation in a store, as a node that others reach at `address`.
    pub(crate) fn join(
        store: &str,
        (plan, former, address): (&NodeAddress, &FormerNames, &str),
        version: &str,
        events: Sender<MembershipEvent>,
    ) -> Result<Self, NodeError> {
        let terms = LeaseTiming::default();
        let mut leases = Leases::open(store, terms)?;
        former.leave(&mut leases);
        // The lease counts from before the statement is sent.
        let began = Instant::now();
        let member = leases.join(address, version)?;
        let (roster, known) = watch::channel(LeaseRoster::default());
        let nodes = Peers::new(member.name().clone(), known, plan)?;
        let (lease, slot) = (SharedLeaseDeadline::new(member.deadline()), member.slot());
        let (commands, received) = mpsc::channel();
        let lease_terms = LeaseTerms { lease: millis(terms.lease()), heartbeat: millis(terms.heartbeat_interval()) };
        let name = taisai_engine::NodeName::from(member.name().as_str());
        let thread_state = MembershipThread {
            decisions: Decisions::new(name, NodeTime(0), lease_terms, vec![MachineId::House]),
            began,
            name: member.name().clone(),
            member,
            former: former.clone(),
            roster,
            events,
            lease: lease.clone(),
        };
        let broken = {
            let (events, lease) = (thread_state.events.clone(), lease.clone());
            move || {
                lease.end();
                events.send(MembershipEvent::Over("the membership thread panicked".to_owned())).unwrap_or_default();
            }
        };
        let run = move || guarded(broken, || thread_state.run(&received));
        let thread = thread::Builder::new().name("node".to_owned()).spawn(run)?;
        Ok(Self { commands: Some(commands), thread: Some(thread), lease, nodes, slot })
    }

    pub(crate) fn claim(&self, partitions: Vec<ChainName>) {
        self.send(MembershipCommand::Partitions(partitions));
    }

    pub(crate) fn release(&self, partition: ChainName) {
        self.send(MembershipCommand::Released(partition));
    }

    pub(crate) fn seize(&self, partition: ChainName) {
        self.send(MembershipCommand::Seized(partition));
    }

    fn send(&self, command: MembershipCommand) {
        if let Some(commands) = &self.commands {
            // A thread that has ended has reported it.
            commands.send(command).unwrap_or_default();
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.lease.end();
        drop(self.commands.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported it; its leases expire.
            thread.join().unwrap_or_default();
        }
        // A heartbeat that was under way may have extended the deadline.
        self.lease.end();
    }
}

struct MembershipThread {
    decisions: Decisions,
    /// The start of the node's own time.
    began: Instant,
    name: NodeName,
    member: JoinedNode,
    former: FormerNames,
    roster: watch::Sender<LeaseRoster>,
    events: Sender<MembershipEvent>,
    lease: SharedLeaseDeadline,
}

impl MembershipThread {
    fn run(mut self, commands: &Receiver<MembershipCommand>) {
        let mut timer = NodeTime(0);
        loop {
            let wait = Duration::from_millis(timer.0.saturating_sub(self.now().0));
            let input = match commands.recv_timeout(wait) {
                Ok(MembershipCommand::Partitions(partitions)) => {
                    MembershipInput::Partitions(partitions.iter().filter_map(machine_of).collect())
                }
                Ok(MembershipCommand::Released(name)) => match machine_of(&name) {
                    Some(partition) => MembershipInput::Ended(partition),
                    None => continue,
                },
                Ok(MembershipCommand::Seized(name)) => match machine_of(&name) {
                    Some(partition) => MembershipInput::Silent(partition),
                    None => continue,
                },
                Err(RecvTimeoutError::Timeout) => MembershipInput::Timer,
                Err(RecvTimeoutError::Disconnected) => return self.leave(),
            };
            if let Err(why) = self.handle(input, &mut timer) {
                self.lease.end();
                self.events.send(MembershipEvent::Over(why)).unwrap_or_default();
                return self.leave();
            }
        }
    }

    fn now(&self) -> NodeTime {
        NodeTime(millis(self.began.elapsed()))
    }

    /// Has the engine decide, and carries out the effects; an error if the node has lost its lease.
    fn handle(&mut self, input: MembershipInput, timer: &mut NodeTime) -> Result<(), String> {
        let mut input = Some(input);
        let mut effects = Vec::new();
        while let Some(next) = input.take() {
            self.decisions.handle(self.now(), next, &mut effects);
            if let Some(until) = self.decisions.lease_deadline() {
                self.lease.renew_until(self.began + Duration::from_millis(until.0));
            }
            for effect in effects.drain(..) {
                match effect {
                    MembershipEffect::Execute(statement) => {
                        input = Some(MembershipInput::Outcome(self.carry_out(statement)));
                    }
                    MembershipEffect::Acquired(partition) => {
                        self.hold(&chain_of(partition));
                        self.event(MembershipEvent::Held(chain_of(partition)));
                    }
                    MembershipEffect::Wanted(partition) => self.event(MembershipEvent::Wanted(chain_of(partition))),
                    MembershipEffect::Over(why) => return Err(why),
                    MembershipEffect::Timer(at) => *timer = at,
                }
            }
        }
        // A publisher that saw the lease end has stopped for good.
        if self.lease.holds() { Ok(()) } else { Err("the lease of this node has expired".to_owned()) }
    }

    fn carry_out(&mut self, statement: LeaseStatement) -> LeaseOutcome {
        let text = format!("{statement:?}");
        let unknown = |error: LeaseError| {
            tracing::warn!(statement = text, %error, "the store did not answer about a lease; trying again");
            LeaseOutcome::Unknown(error.to_string())
        };
        match statement {
            LeaseStatement::Heartbeat => match self.member.heartbeat() {
                Ok(renewed) => LeaseOutcome::Renewed(Some(self.known(renewed.roster))),
                Err(LeaseError::Lapsed) => LeaseOutcome::Renewed(None),
                Err(error) => unknown(error),
            },
            LeaseStatement::Claim(partition) => match self.member.claim(&chain_of(partition)) {
                Ok(claimed) => LeaseOutcome::Claimed(Some(claimed == ClaimOutcome::Mine)),
                Err(LeaseError::Lapsed) => LeaseOutcome::Claimed(None),
                Err(error) => unknown(error),
            },
            LeaseStatement::Release(partition) => {
                self.member.release(&chain_of(partition)).map_or_else(unknown, |()| LeaseOutcome::Done)
            }
            LeaseStatement::Seize { partition, from } => {
                let seized = self.member.seize(&chain_of(partition), &NodeName::from(from.as_str()));
                seized.map_or_else(unknown, LeaseOutcome::Seized)
            }
            LeaseStatement::Wish { partition, node } => {
                tracing::info!(?partition, %node, "moving a partition to a node that holds fewer");
                let wished = self.member.leases().request_move(&chain_of(partition), &NodeName::from(node.as_str()));
                wished.map_or_else(unknown, |_| LeaseOutcome::Done)
            }
        }
    }

    /// Publishes the roster to this node and returns it in the engine's form.
    fn known(&self, roster: LeaseRoster) -> taisai_engine::Roster {
        let name = |name: &NodeName| taisai_engine::NodeName::from(name.as_str());
        let nodes = roster.nodes.iter().map(|node| RosterNode { name: name(&node.name), is_new: node.is_new });
        let leases = roster.leases.iter().filter_map(|lease| {
            let (holder, wanted) = (lease.holder.as_ref().map(name), lease.wanted.as_ref().map(name));
            Some(RosterLease { partition: machine_of(&lease.partition)?, holder, wanted })
        });
        let known = taisai_engine::Roster { nodes: nodes.collect(), leases: leases.collect() };
        // Every relayed socket waits for a change.
        self.roster.send_if_modified(|before| {
            let has_changed = *before != roster;
            *before = roster;
            has_changed
        });
        known
    }

    /// Others learn that this node holds a partition before the next heartbeat.
    fn hold(&self, partition: &ChainName) {
        let held = Lease { partition: partition.clone(), holder: Some(self.name.clone()), wanted: None };
        self.roster.send_modify(|roster| match roster.leases.iter_mut().find(|lease| lease.partition == *partition) {
            Some(lease) => *lease = held,
            None => roster.leases.push(held),
        });
    }

    /// If leaving fails, the others wait for the leases to expire.
    fn leave(self) {
        if let Err(error) = self.member.leave() {
            tracing::warn!(%error, "the node could not leave in order; it does so when it joins again");
            self.former.add(self.name);
        }
    }

    fn event(&self, event: MembershipEvent) {
        // A node that is being closed takes no events.
        self.events.send(event).unwrap_or_default();
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
