//! How a simulated node carries out what the engine decides about leases: it joins, sends statements to the store one at a time, and
//! passes on what came of them. Time is the node's monotonic clock.

use taisai_engine::{
    LeaseOutcome, LeaseStatement, LeaseTerms, Membership as Decisions, MembershipEffect, MembershipInput, NodeTime,
    RosterLease, RosterNode,
};
use taisai_table::MachineId;

use crate::planted::{Mistakes, Planted};
use crate::roster::{NodeName, Roster};
use crate::store::{Claimed, LEASE, Outcome, Statement};

const TERMS: LeaseTerms = LeaseTerms { lease: LEASE, heartbeat: 500 };

/// A node that could not join tries again so soon.
const RETRY: u64 = 100;

/// An input for the membership.
#[derive(Debug)]
pub(crate) enum Input {
    /// The time that was asked for has come.
    Timer,
    /// What came of the statement that was sent last.
    Outcome(Outcome),
    /// A partition that was told to go has ended here.
    Ended(MachineId),
    /// A cluster does not follow its round.
    Silent(MachineId),
}

/// What comes of it.
#[derive(Debug)]
pub(crate) enum Effect {
    /// A statement for the store. Its outcome comes before the next one leaves.
    Ask(Statement),
    /// The node holds a partition, and opens it.
    Held(MachineId),
    /// A partition is wished to another node: it ends here when it can.
    Wanted(MachineId),
    /// The node has a number that no other has.
    Joined { slot: u64 },
    /// The node holds nothing any more: it drops everything, and joins anew.
    Over(String),
    /// It wants to be called then.
    Timer(u64),
}

/// A node's membership, from when it joins until it is over.
#[derive(Debug)]
pub(crate) struct Membership {
    /// Every partition of the installation.
    partitions: Vec<MachineId>,
    /// What the node does before it has joined: it leaves under the names that it had before and could not give up, and joins.
    joining: Vec<Statement>,
    sent: Option<(Statement, u64)>,
    /// Once it has joined.
    joined: Option<(NodeName, Decisions)>,
    /// Who is there, with their addresses.
    pub(crate) roster: Roster,
    mistakes: Mistakes,
}

impl Membership {
    /// A node that joins. It leaves first under the names that it had before and could not give up.
    pub(crate) fn new(address: usize, partitions: Vec<MachineId>, former: &[NodeName], mistakes: Mistakes) -> Self {
        let leaves = former.iter().map(|name| Statement::Leave { name: *name });
        let mut joining: Vec<_> = leaves.chain([Statement::Join { address }]).collect();
        joining.reverse();
        Self { partitions, joining, sent: None, joined: None, roster: Roster::default(), mistakes }
    }

    pub(crate) fn name(&self) -> Option<NodeName> {
        self.joined.as_ref().map(|(name, _)| *name)
    }

    /// Whether the node may answer for what it holds.
    pub(crate) fn holds(&self, now: u64) -> bool {
        let extra = if self.mistakes.is(Planted::LeaseCountedTooLong) { 4 * LEASE } else { 0 };
        let deadline = self.joined.as_ref().and_then(|(_, decisions)| decisions.lease_deadline());
        deadline.is_some_and(|until| now < until.0 + extra)
    }

    pub(crate) fn handle(&mut self, now: u64, input: Input, effects: &mut Vec<Effect>) {
        match input {
            Input::Outcome(outcome) if self.joined.is_none() => self.join(now, outcome, effects),
            Input::Outcome(outcome) => self.outcome(now, outcome, effects),
            Input::Timer if self.joined.is_none() => self.ask_to_join(now, effects),
            Input::Timer => self.decide(now, MembershipInput::Timer, effects),
            Input::Ended(partition) => self.decide(now, MembershipInput::Ended(partition), effects),
            Input::Silent(partition) => self.decide(now, MembershipInput::Silent(partition), effects),
        }
    }

    fn ask_to_join(&mut self, now: u64, effects: &mut Vec<Effect>) {
        if self.sent.is_none()
            && let Some(statement) = self.joining.pop()
        {
            self.sent = Some((statement.clone(), now));
            effects.push(Effect::Ask(statement));
        }
    }

    fn join(&mut self, now: u64, outcome: Outcome, effects: &mut Vec<Effect>) {
        let Some((statement, sent)) = self.sent.take() else { return };
        match (statement, outcome) {
            (Statement::Join { .. }, Outcome::Joined { name, slot }) => {
                let partitions = self.partitions.clone();
                let decisions = Decisions::new(text(name), NodeTime(sent), TERMS, partitions);
                self.joined = Some((name, decisions));
                effects.push(Effect::Joined { slot });
                effects.push(Effect::Timer(now));
            }
            (statement @ Statement::Join { .. }, _) => {
                self.joining.push(statement);
                effects.push(Effect::Timer(now + RETRY));
            }
            _ => self.ask_to_join(now, effects),
        }
    }

    fn outcome(&mut self, now: u64, outcome: Outcome, effects: &mut Vec<Effect>) {
        if self.sent.take().is_none() {
            return;
        }
        let outcome = match outcome {
            Outcome::Beat(roster) => LeaseOutcome::Renewed(roster.map(|roster| {
                let known = known(&roster);
                self.roster = roster;
                known
            })),
            Outcome::Claimed(Claimed::Mine) => LeaseOutcome::Claimed(Some(true)),
            Outcome::Claimed(Claimed::HeldBy(_) | Claimed::KeptFor(_)) => LeaseOutcome::Claimed(Some(false)),
            Outcome::Claimed(Claimed::Lapsed) => LeaseOutcome::Claimed(None),
            Outcome::Seized(is_taken) => LeaseOutcome::Seized(is_taken),
            Outcome::Unavailable | Outcome::Unknown => LeaseOutcome::Unknown("the store does not answer".to_owned()),
            Outcome::Joined { .. }
            | Outcome::Done
            | Outcome::Head(_)
            | Outcome::NotTaken
            | Outcome::Appended
            | Outcome::Fenced => LeaseOutcome::Done,
        };
        self.decide(now, MembershipInput::Outcome(outcome), effects);
    }

    fn decide(&mut self, now: u64, input: MembershipInput, effects: &mut Vec<Effect>) {
        let Some((name, decisions)) = &mut self.joined else { return };
        let mut decided = Vec::new();
        decisions.handle(NodeTime(now), input, &mut decided);
        for effect in decided {
            effects.push(match effect {
                MembershipEffect::Execute(statement) => {
                    let statement = statement_of(*name, statement);
                    self.sent = Some((statement.clone(), now));
                    Effect::Ask(statement)
                }
                MembershipEffect::Acquired(partition) => {
                    self.roster.hold(partition, *name);
                    Effect::Held(partition)
                }
                MembershipEffect::Wanted(partition) => Effect::Wanted(partition),
                MembershipEffect::Over(why) => Effect::Over(why),
                MembershipEffect::Timer(at) => Effect::Timer(at.0),
            });
        }
    }
}

/// A node's name as the engine knows it.
fn text(NodeName(name): NodeName) -> taisai_engine::NodeName {
    taisai_engine::NodeName::from(format!("{name:020}").as_str())
}

fn name(text: &taisai_engine::NodeName) -> NodeName {
    NodeName(text.as_str().parse().expect("it is one of these nodes"))
}

fn known(roster: &Roster) -> taisai_engine::Roster {
    let nodes = roster.nodes.iter().map(|node| RosterNode { name: text(node.name), is_new: node.is_new });
    let leases = roster.leases.iter().map(|lease| RosterLease {
        partition: lease.partition,
        holder: lease.holder.map(text),
        wanted: lease.wanted.map(text),
    });
    taisai_engine::Roster { nodes: nodes.collect(), leases: leases.collect() }
}

fn statement_of(own: NodeName, statement: LeaseStatement) -> Statement {
    match statement {
        LeaseStatement::Heartbeat => Statement::Beat { name: own },
        LeaseStatement::Claim(partition) => Statement::Claim { name: own, partition },
        LeaseStatement::Release(partition) => Statement::Release { name: own, partition },
        LeaseStatement::Seize { partition, from } => Statement::Seize { name: own, partition, from: name(&from) },
        LeaseStatement::Wish { partition, node } => Statement::Wish { partition, node: name(&node) },
    }
}
