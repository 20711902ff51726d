//! How a simulated node carries out what the engine decides about leases: it joins, sends statements to the store one at a time, and
//! passes on what came of them. Time is the node's monotonic clock.

use taisai_engine::{
    LeaseOutcome, LeaseStatement, LeaseTerms, Membership as Decisions, MembershipEffect, MembershipInput, NodeTime,
    RosterLease, RosterNode,
};
use taisai_table::MachineId;

use crate::planted::{Mistakes, Planted};
use crate::roster::{NodeNumber, StoreRoster};
use crate::store::{LEASE, LeaseClaim, StatementOutcome, StoreStatement};

const LEASE_TERMS: LeaseTerms = LeaseTerms { lease: LEASE, heartbeat: 500 };

/// A node that could not join tries again after this time.
const RETRY_INTERVAL: u64 = 100;

/// An input for the membership.
#[derive(Debug)]
pub(crate) enum NodeMembershipInput {
    /// The timer has run out.
    Timer,
    /// What came of the statement that was sent last.
    Outcome(StatementOutcome),
    /// A partition that is to move has ended here.
    Ended(MachineId),
    /// A cluster does not follow its round.
    Silent(MachineId),
}

/// What comes of it.
#[derive(Debug)]
pub(crate) enum NodeMembershipEffect {
    /// A statement for the store. Its outcome comes before the next one leaves.
    Ask(StoreStatement),
    /// The node holds a partition, and opens it.
    InvariantResult(MachineId),
    /// A partition is wished to another node: it ends here when it can.
    Wanted(MachineId),
    /// The node has a number that no other has.
    Joined { slot: u64 },
    /// The node has lost its leases: it drops everything and joins again.
    Over(String),
    /// It wants to be called then.
    Timer(u64),
}

/// A node's membership, from when it joins until it is over.
#[derive(Debug)]
pub(crate) struct NodeMembership {
    /// Every partition of the installation.
    partitions: Vec<MachineId>,
    /// What the node does before it has joined: it leaves under the names that it had before and could not give up, and joins.
    joining: Vec<StoreStatement>,
    sent: Option<(StoreStatement, u64)>,
    /// Once it has joined.
    joined: Option<(NodeNumber, Decisions)>,
    /// Who is there, with their addresses.
    pub(crate) roster: StoreRoster,
    mistakes: Mistakes,
}

impl NodeMembership {
    /// A node that joins. It leaves first under the names that it had before and could not give up.
    pub(crate) fn new(address: usize, partitions: Vec<MachineId>, former: &[NodeNumber], mistakes: Mistakes) -> Self {
        let leaves = former.iter().map(|name| StoreStatement::Leave { name: *name });
        let mut joining: Vec<_> = leaves.chain([StoreStatement::Join { address }]).collect();
        joining.reverse();
        Self { partitions, joining, sent: None, joined: None, roster: StoreRoster::default(), mistakes }
    }

    pub(crate) fn name(&self) -> Option<NodeNumber> {
        self.joined.as_ref().map(|(name, _)| *name)
    }

    /// Whether the node may answer for what it holds.
    pub(crate) fn holds(&self, now: u64) -> bool {
        let extra = if self.mistakes.is(Planted::LeaseCountedTooLong) { 4 * LEASE } else { 0 };
        let deadline = self.joined.as_ref().and_then(|(_, decisions)| decisions.lease_deadline());
        deadline.is_some_and(|until| now < until.0 + extra)
    }

    pub(crate) fn handle(&mut self, now: u64, input: NodeMembershipInput, effects: &mut Vec<NodeMembershipEffect>) {
        match input {
            NodeMembershipInput::Outcome(outcome) if self.joined.is_none() => self.join(now, outcome, effects),
            NodeMembershipInput::Outcome(outcome) => self.outcome(now, outcome, effects),
            NodeMembershipInput::Timer if self.joined.is_none() => self.ask_to_join(now, effects),
            NodeMembershipInput::Timer => self.decide(now, MembershipInput::Timer, effects),
            NodeMembershipInput::Ended(partition) => self.decide(now, MembershipInput::Ended(partition), effects),
            NodeMembershipInput::Silent(partition) => self.decide(now, MembershipInput::Silent(partition), effects),
        }
    }

    fn ask_to_join(&mut self, now: u64, effects: &mut Vec<NodeMembershipEffect>) {
        if self.sent.is_none()
            && let Some(statement) = self.joining.pop()
        {
            self.sent = Some((statement.clone(), now));
            effects.push(NodeMembershipEffect::Ask(statement));
        }
    }

    fn join(&mut self, now: u64, outcome: StatementOutcome, effects: &mut Vec<NodeMembershipEffect>) {
        let Some((statement, sent)) = self.sent.take() else { return };
        match (statement, outcome) {
            (StoreStatement::Join { .. }, StatementOutcome::Joined { name, slot }) => {
                let partitions = self.partitions.clone();
                let decisions = Decisions::new(text(name), NodeTime(sent), LEASE_TERMS, partitions);
                self.joined = Some((name, decisions));
                effects.push(NodeMembershipEffect::Joined { slot });
                effects.push(NodeMembershipEffect::Timer(now));
            }
            (statement @ StoreStatement::Join { .. }, _) => {
                self.joining.push(statement);
                effects.push(NodeMembershipEffect::Timer(now + RETRY_INTERVAL));
            }
            _ => self.ask_to_join(now, effects),
        }
    }

    fn outcome(&mut self, now: u64, outcome: StatementOutcome, effects: &mut Vec<NodeMembershipEffect>) {
        if self.sent.take().is_none() {
            return;
        }
        let outcome = match outcome {
            StatementOutcome::Heartbeat(roster) => LeaseOutcome::Renewed(roster.map(|roster| {
                let known = known(&roster);
                self.roster = roster;
                known
            })),
            StatementOutcome::Claimed(LeaseClaim::Mine) => LeaseOutcome::Claimed(Some(true)),
            StatementOutcome::Claimed(LeaseClaim::HeldBy(_) | LeaseClaim::KeptFor(_)) => {
                LeaseOutcome::Claimed(Some(false))
            }
            StatementOutcome::Claimed(LeaseClaim::Lapsed) => LeaseOutcome::Claimed(None),
            StatementOutcome::Seized(is_taken) => LeaseOutcome::Seized(is_taken),
            StatementOutcome::Unavailable | StatementOutcome::Unknown => {
                LeaseOutcome::Unknown("the store does not answer".to_owned())
            }
            StatementOutcome::Joined { .. }
            | StatementOutcome::Done
            | StatementOutcome::Head(_)
            | StatementOutcome::NotTaken
            | StatementOutcome::Appended
            | StatementOutcome::Fenced => LeaseOutcome::Done,
        };
        self.decide(now, MembershipInput::Outcome(outcome), effects);
    }

    fn decide(&mut self, now: u64, input: MembershipInput, effects: &mut Vec<NodeMembershipEffect>) {
        let Some((name, decisions)) = &mut self.joined else { return };
        let mut decided = Vec::new();
        decisions.handle(NodeTime(now), input, &mut decided);
        for effect in decided {
            effects.push(match effect {
                MembershipEffect::Execute(statement) => {
                    let statement = statement_of(*name, statement);
                    self.sent = Some((statement.clone(), now));
                    NodeMembershipEffect::Ask(statement)
                }
                MembershipEffect::Acquired(partition) => {
                    self.roster.hold(partition, *name);
                    NodeMembershipEffect::InvariantResult(partition)
                }
                MembershipEffect::Wanted(partition) => NodeMembershipEffect::Wanted(partition),
                MembershipEffect::Over(why) => NodeMembershipEffect::Over(why),
                MembershipEffect::Timer(at) => NodeMembershipEffect::Timer(at.0),
            });
        }
    }
}

/// A node's name as the engine knows it.
fn text(NodeNumber(name): NodeNumber) -> taisai_engine::NodeName {
    taisai_engine::NodeName::from(format!("{name:020}").as_str())
}

fn name(text: &taisai_engine::NodeName) -> NodeNumber {
    NodeNumber(text.as_str().parse().expect("it is one of these nodes"))
}

fn known(roster: &StoreRoster) -> taisai_engine::Roster {
    let nodes = roster.nodes.iter().map(|node| RosterNode { name: text(node.name), is_new: node.is_new });
    let leases = roster.leases.iter().map(|lease| RosterLease {
        partition: lease.partition,
        holder: lease.holder.map(text),
        wanted: lease.wanted.map(text),
    });
    taisai_engine::Roster { nodes: nodes.collect(), leases: leases.collect() }
}

fn statement_of(own: NodeNumber, statement: LeaseStatement) -> StoreStatement {
    match statement {
        LeaseStatement::Heartbeat => StoreStatement::Heartbeat { name: own },
        LeaseStatement::Claim(partition) => StoreStatement::Claim { name: own, partition },
        LeaseStatement::Release(partition) => StoreStatement::Release { name: own, partition },
        LeaseStatement::Seize { partition, from } => StoreStatement::Seize { name: own, partition, from: name(&from) },
        LeaseStatement::Wish { partition, node } => StoreStatement::Wish { partition, node: name(&node) },
    }
}
