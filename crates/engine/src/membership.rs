//! What a node decides about leases: it renews them, claims what nobody holds, gives up what is wanted elsewhere, and takes a cluster
//! from a node on which it is silent. A lease only decides who tries: what a chain takes is decided by its epoch.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use taisai_table::MachineId;

use crate::planted::{Mistake, makes};
use crate::roster::{NodeName, Roster};

/// Milliseconds of a node's own clock, which nobody sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeTime(pub u64);

impl NodeTime {
    const fn after(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

/// How long a lease lasts, and how often it is renewed, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerms {
    /// How long a lease lasts after the renewing statement was sent.
    pub lease: u64,
    /// From one heartbeat to the next.
    pub heartbeat: u64,
}

/// A heartbeat that failed is sent again after this time.
const RETRY_INTERVAL: u64 = 100;

/// How many partitions a node claims between two heartbeats.
const MAX_CLAIMS: usize = 8;

/// A node keeps a silent cluster at least this long: a new holder has yet to open it.
const MIN_HOLDING_TIME: u64 = 10_000;

/// A cluster that was taken from a silent node stays this long: less than the minute in which a node counts as new.
const SEIZED_STAY: u64 = 20_000;

/// An input for the membership.
#[derive(Debug)]
pub enum MembershipInput {
    /// The timer has run out.
    Timer,
    /// These are the partitions of the installation that have leases of their own.
    Partitions(Vec<MachineId>),
    /// The outcome of the last statement.
    Outcome(LeaseOutcome),
    /// A partition has ended here after a request to move, or could not be opened.
    Ended(MachineId),
    /// A cluster does not follow its round.
    Silent(MachineId),
}

/// A statement for the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseStatement {
    /// Renews all leases of this node, and looks who is there.
    Heartbeat,
    /// Claims a partition that nobody holds.
    Claim(MachineId),
    /// Gives a partition up.
    Release(MachineId),
    /// Takes a partition from its holder, if that one holds it still.
    Seize {
        partition: MachineId,
        /// Its holder.
        from: NodeName,
    },
    /// Has a partition moved to a node when its holder can.
    Wish { partition: MachineId, node: NodeName },
}

/// What came of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The leases are renewed; none where the node's time was over.
    Renewed(Option<Roster>),
    /// Whether the partition is this node's. Nothing where the node's time was over.
    Claimed(Option<bool>),
    /// Whether the partition was taken.
    Seized(bool),
    Done,
    /// It was done, or not: the store did not answer.
    Unknown(String),
}

/// What comes of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MembershipEffect {
    /// A statement for the store. Its outcome comes before the next statement.
    Execute(LeaseStatement),
    /// The node holds a partition, and opens it.
    Acquired(MachineId),
    /// A partition is wanted by another node: it ends here when it can.
    Wanted(MachineId),
    /// The node has lost its leases, for this reason: it drops everything and joins again.
    Over(String),
    /// It wants to be called then.
    Timer(NodeTime),
}

/// A node's membership, from when it has joined until it is over.
#[derive(Debug)]
pub struct Membership {
    name: NodeName,
    terms: LeaseTerms,
    /// Until when the node may answer for what it holds.
    until: NodeTime,
    is_over: bool,
    partitions: Vec<MachineId>,
    held: BTreeSet<MachineId>,
    /// Those of them that are to move.
    wanted: BTreeSet<MachineId>,
    /// Silent clusters that this node has taken, and their rounds, with the time until which they stay. The node that they were taken
    /// from joins anew with fewer partitions; it does not get them back at once, as the two nodes may not reach each other.
    seized: BTreeMap<MachineId, NodeTime>,
    /// Who holds each partition, and since when.
    since: BTreeMap<MachineId, (NodeName, NodeTime)>,
    roster: Roster,
    /// Partitions that could not be given up: it is tried again with the next heartbeat.
    unreleased: BTreeSet<MachineId>,
    /// Statements that wait for the one in flight.
    waiting: VecDeque<LeaseStatement>,
    in_flight: Option<(LeaseStatement, NodeTime)>,
}

impl Membership {
    /// A node that has joined by a statement that was sent then. At first it claims these partitions.
    pub fn new(name: NodeName, sent: NodeTime, terms: LeaseTerms, partitions: Vec<MachineId>) -> Self {
        Self {
            name,
            terms,
            until: sent.after(terms.lease),
            is_over: false,
            partitions,
            held: BTreeSet::new(),
            wanted: BTreeSet::new(),
            seized: BTreeMap::new(),
            since: BTreeMap::new(),
            roster: Roster::default(),
            unreleased: BTreeSet::new(),
            waiting: VecDeque::new(),
            in_flight: None,
        }
    }

    /// The node's name.
    pub const fn name(&self) -> &NodeName {
        &self.name
    }

    /// Until when the node may answer for what it holds; `None` once it may not.
    pub fn lease_deadline(&self) -> Option<NodeTime> {
        (!self.is_over).then_some(self.until)
    }

    /// Who is there and who holds what, as this node knew it last.
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Takes an input.
    pub fn handle(&mut self, now: NodeTime, input: MembershipInput, effects: &mut Vec<MembershipEffect>) {
        if self.is_over {
            return;
        }
        match input {
            MembershipInput::Timer => self.send_heartbeat(),
            MembershipInput::Partitions(partitions) => {
                self.partitions = partitions;
                self.partitions.sort_unstable();
                // Claim them now, not with the next timer.
                self.send_heartbeat();
            }
            MembershipInput::Outcome(outcome) => {
                if let Some((statement, sent)) = self.in_flight.take() {
                    self.receive(now, statement, sent, outcome, effects);
                }
            }
            MembershipInput::Ended(partition) => {
                self.held.remove(&partition);
                self.wanted.remove(&partition);
                self.seized.remove(&partition);
                self.waiting.push_back(LeaseStatement::Release(partition));
            }
            MembershipInput::Silent(partition) => self.seize(now, partition, effects),
        }
        if self.in_flight.is_none()
            && !self.is_over
            && let Some(statement) = self.waiting.pop_front()
        {
            self.in_flight = Some((statement.clone(), now));
            effects.push(MembershipEffect::Execute(statement));
        }
    }

    /// The next heartbeat, unless one waits or is under way.
    fn send_heartbeat(&mut self) {
        let in_flight = self.in_flight.iter().map(|(statement, _)| statement);
        if !self.waiting.iter().chain(in_flight).any(|statement| *statement == LeaseStatement::Heartbeat) {
            self.waiting.push_back(LeaseStatement::Heartbeat);
        }
    }

    fn receive(
        &mut self,
        now: NodeTime,
        statement: LeaseStatement,
        sent: NodeTime,
        outcome: LeaseOutcome,
        effects: &mut Vec<MembershipEffect>,
    ) {
        match (statement, outcome) {
            (LeaseStatement::Heartbeat, LeaseOutcome::Renewed(roster)) => self.renewed(now, sent, roster, effects),
            (LeaseStatement::Claim(partition), LeaseOutcome::Claimed(Some(is_mine))) => {
                if is_mine {
                    self.hold(now, partition, effects);
                }
            }
            (LeaseStatement::Claim(_), LeaseOutcome::Claimed(None)) => self.over(LEASE_OVER, effects),
            (LeaseStatement::Seize { partition, .. }, LeaseOutcome::Seized(true)) => {
                let until = now.after(SEIZED_STAY);
                self.seized.insert(partition, until);
                if let MachineId::Cluster(cluster) = partition {
                    self.seized.insert(MachineId::Round(cluster.table), until);
                }
                self.hold(now, partition, effects);
            }
            (LeaseStatement::Heartbeat | LeaseStatement::Claim(_), LeaseOutcome::Unknown(why)) => {
                self.waiting.retain(|statement| matches!(statement, LeaseStatement::Release(_)));
                if now >= self.until {
                    self.over(&why, effects);
                } else {
                    effects.push(MembershipEffect::Timer(now.after(RETRY_INTERVAL)));
                }
            }
            (LeaseStatement::Release(partition), LeaseOutcome::Unknown(_)) => {
                self.unreleased.insert(partition);
            }
            // A silent cluster is taken later.
            (
                LeaseStatement::Heartbeat
                | LeaseStatement::Claim(_)
                | LeaseStatement::Release(_)
                | LeaseStatement::Seize { .. }
                | LeaseStatement::Wish { .. },
                _,
            ) => {}
        }
    }

    fn renewed(&mut self, now: NodeTime, sent: NodeTime, roster: Option<Roster>, effects: &mut Vec<MembershipEffect>) {
        // A lease that was found over is never extended: the outboxes are closed already.
        let Some(roster) = roster.filter(|_| now < self.until || makes(Mistake::LeaseKeptAfterItsEnd)) else {
            return self.over(LEASE_OVER, effects);
        };
        let counted_from = if makes(Mistake::LeaseCountedFromAnswer) { now.after(self.terms.lease) } else { sent };
        self.until = self.until.max(counted_from.after(self.terms.lease));
        if self.held.iter().any(|partition| roster.holder(*partition) != Some(&self.name)) {
            return self.over(LEASE_OVER, effects);
        }
        self.roster = roster;
        self.claim();
        self.waiting.extend(std::mem::take(&mut self.unreleased).into_iter().map(LeaseStatement::Release));
        let wanted = self.roster.held_by(&self.name).filter(|lease| lease.wanted.is_some());
        for partition in wanted.map(|lease| lease.partition).collect::<Vec<_>>() {
            if self.held.contains(&partition) && self.wanted.insert(partition) {
                effects.push(MembershipEffect::Wanted(partition));
            }
        }
        self.seized.retain(|_, until| *until > now);
        let stay = self.seized.keys().copied().collect();
        if let Some((partition, node)) = self.roster.partition_to_move(&self.name, &stay) {
            self.waiting.push_back(LeaseStatement::Wish { partition, node });
        }
        for lease in &self.roster.leases {
            let Some(holder) = &lease.holder else { continue };
            let since = self.since.entry(lease.partition).or_insert_with(|| (holder.clone(), now));
            if since.0 != *holder {
                *since = (holder.clone(), now);
            }
        }
        effects.push(MembershipEffect::Timer(now.after(self.terms.heartbeat)));
    }

    /// Claims what the store has given to this node, even where the answer was lost, and what is free.
    fn claim(&mut self) {
        let given = self.roster.held_by(&self.name).map(|lease| lease.partition);
        let is_unknown = |partition: &MachineId| !self.held.contains(partition) && !self.unreleased.contains(partition);
        let mut claimed: Vec<_> = given.filter(is_unknown).collect();
        claimed.extend(self.roster.assigned_to(&self.name, &self.partitions));
        let is_new = |partition: &MachineId| !self.waiting.contains(&LeaseStatement::Claim(*partition));
        let claims: Vec<_> = claimed.into_iter().filter(is_new).take(MAX_CLAIMS).map(LeaseStatement::Claim).collect();
        self.waiting.extend(claims);
    }

    fn hold(&mut self, now: NodeTime, partition: MachineId, effects: &mut Vec<MembershipEffect>) {
        self.since.insert(partition, (self.name.clone(), now));
        if self.held.insert(partition) {
            effects.push(MembershipEffect::Acquired(partition));
        }
    }

    /// Takes a silent cluster from its holder. Where this node is the holder, something else is wrong: it drops everything and joins again.
    fn seize(&mut self, now: NodeTime, partition: MachineId, effects: &mut Vec<MembershipEffect>) {
        let Some((from, since)) = self.since.get(&partition).cloned() else { return };
        if now < since.after(MIN_HOLDING_TIME) {
            return;
        }
        if self.held.contains(&partition) {
            return self.over("a cluster of this node does not follow its round", effects);
        }
        self.waiting.push_back(LeaseStatement::Seize { partition, from });
    }

    fn over(&mut self, why: &str, effects: &mut Vec<MembershipEffect>) {
        self.is_over = true;
        effects.push(MembershipEffect::Over(why.to_owned()));
    }
}

const LEASE_OVER: &str = "this node has lost its leases, and runs no partition of the installation any more";

#[cfg(test)]
mod tests {
    use taisai_table::{ClusterId, TableId};

    use super::*;
    use crate::roster::{RosterLease, RosterNode};

    const TABLE: MachineId = MachineId::Round(TableId(1));
    const CLUSTER: MachineId = MachineId::Cluster(ClusterId { table: TableId(1), number: 0 });
    const TERMS: LeaseTerms = LeaseTerms { lease: 3_000, heartbeat: 500 };

    fn roster(leases: &[(MachineId, &str, Option<&str>)]) -> Roster {
        let node = |name: &str| RosterNode { name: name.into(), is_new: false };
        let lease = |(partition, holder, wanted): &(MachineId, &str, Option<&str>)| RosterLease {
            partition: *partition,
            holder: Some(NodeName::from(*holder)),
            wanted: wanted.map(NodeName::from),
        };
        Roster { nodes: vec![node("a"), node("b")], leases: leases.iter().map(lease).collect() }
    }

    /// Node `a`, and what it does.
    struct TestNode {
        membership: Membership,
        now: NodeTime,
    }

    impl TestNode {
        fn new() -> Self {
            let membership = Membership::new("a".into(), NodeTime(0), TERMS, vec![MachineId::House, TABLE]);
            Self { membership, now: NodeTime(0) }
        }

        fn at(&mut self, millis: u64, input: MembershipInput) -> Vec<MembershipEffect> {
            self.now = NodeTime(millis);
            let mut effects = Vec::new();
            self.membership.handle(self.now, input, &mut effects);
            effects
        }

        fn heartbeat(&mut self, millis: u64, answered: u64, roster: Roster) -> Vec<MembershipEffect> {
            let effects = self.at(millis, MembershipInput::Timer);
            assert_eq!(effects, [MembershipEffect::Execute(LeaseStatement::Heartbeat)]);
            self.at(answered, MembershipInput::Outcome(LeaseOutcome::Renewed(Some(roster))))
        }

        fn outcome(&mut self, outcome: LeaseOutcome) -> Vec<MembershipEffect> {
            self.at(self.now.0, MembershipInput::Outcome(outcome))
        }

        /// It holds the House and the table.
        fn holding() -> Self {
            let mut node = Self::new();
            node.heartbeat(0, 10, roster(&[(MachineId::House, "a", None), (TABLE, "a", None)]));
            assert_eq!(
                node.outcome(LeaseOutcome::Claimed(Some(true))),
                [MembershipEffect::Acquired(MachineId::House), MembershipEffect::Execute(LeaseStatement::Claim(TABLE))]
            );
            assert_eq!(node.outcome(LeaseOutcome::Claimed(Some(true))), [MembershipEffect::Acquired(TABLE)]);
            node
        }
    }

    #[test]
    fn a_lease_lasts_from_when_its_renewal_was_sent() {
        let mut node = TestNode::holding();
        assert_eq!(node.membership.lease_deadline(), Some(NodeTime(3_000)));
        let held = roster(&[(MachineId::House, "a", None), (TABLE, "a", None)]);
        let effects = node.heartbeat(510, 900, held.clone());
        assert_eq!(effects, [MembershipEffect::Timer(NodeTime(1_400))]);
        assert_eq!(node.membership.lease_deadline(), Some(NodeTime(3_510)));
        // A renewal that is answered when the lease is over comes too late.
        let effects = node.heartbeat(1_400, 3_510, held);
        assert!(matches!(&effects[..], [MembershipEffect::Over(_)]), "{effects:?}");
        assert_eq!(node.membership.lease_deadline(), None);
        assert_eq!(node.at(3_600, MembershipInput::Timer), [], "it stays over");
    }

    #[test]
    fn new_partitions_are_claimed_at_once() {
        let mut node = TestNode::holding();
        let partitions = vec![MachineId::House, TABLE, CLUSTER];
        let effects = node.at(20, MembershipInput::Partitions(partitions));
        assert_eq!(effects, [MembershipEffect::Execute(LeaseStatement::Heartbeat)]);
        let held = roster(&[(MachineId::House, "a", None), (TABLE, "a", None)]);
        let mut alone = held;
        alone.nodes.truncate(1);
        let effects = node.outcome(LeaseOutcome::Renewed(Some(alone)));
        assert_eq!(effects.last(), Some(&MembershipEffect::Execute(LeaseStatement::Claim(CLUSTER))), "{effects:?}");
    }

    #[test]
    fn a_store_that_does_not_answer_is_asked_again_until_the_lease_is_over() {
        let mut node = TestNode::holding();
        let unknown = || MembershipInput::Outcome(LeaseOutcome::Unknown("no answer".to_owned()));
        node.at(510, MembershipInput::Timer);
        assert_eq!(node.at(1_510, unknown()), [MembershipEffect::Timer(NodeTime(1_610))]);
        node.at(1_610, MembershipInput::Timer);
        assert_eq!(node.at(3_000, unknown()), [MembershipEffect::Over("no answer".to_owned())]);
    }

    #[test]
    fn a_node_that_lost_a_partition_drops_everything() {
        let mut node = TestNode::holding();
        let effects = node.heartbeat(510, 520, roster(&[(MachineId::House, "a", None), (TABLE, "b", None)]));
        assert!(matches!(&effects[..], [MembershipEffect::Over(_)]), "{effects:?}");
    }

    #[test]
    fn what_is_wanted_goes_once_and_is_given_up_when_it_has_ended() {
        let mut node = TestNode::holding();
        let wanted = roster(&[(MachineId::House, "a", None), (TABLE, "a", Some("b"))]);
        let effects = node.heartbeat(510, 520, wanted.clone());
        assert_eq!(effects, [MembershipEffect::Wanted(TABLE), MembershipEffect::Timer(NodeTime(1_020))]);
        assert_eq!(node.heartbeat(1_020, 1_030, wanted), [MembershipEffect::Timer(NodeTime(1_530))]);
        let effects = node.at(1_100, MembershipInput::Ended(TABLE));
        assert_eq!(effects, [MembershipEffect::Execute(LeaseStatement::Release(TABLE))]);
    }

    /// It is taken from a node that has held it for long enough to have opened it, and not from this one.
    #[test]
    fn a_silent_cluster_is_taken_from_its_node() {
        let mut node = TestNode::holding();
        let held = roster(&[(MachineId::House, "a", None), (TABLE, "a", None), (CLUSTER, "b", None)]);
        for count in 1..=20 {
            node.heartbeat(count * 500, count * 500 + 10, held.clone());
            let effects = node.at(count * 500 + 20, MembershipInput::Silent(CLUSTER));
            assert_eq!(effects, [], "at {count} it has still to open it");
        }
        node.heartbeat(10_520, 10_530, held);
        let effects = node.at(10_600, MembershipInput::Silent(CLUSTER));
        let seize = LeaseStatement::Seize { partition: CLUSTER, from: "b".into() };
        assert_eq!(effects, [MembershipEffect::Execute(seize)]);
        assert_eq!(node.outcome(LeaseOutcome::Seized(true)), [MembershipEffect::Acquired(CLUSTER)]);
        let effects = node.at(30_000, MembershipInput::Silent(CLUSTER));
        assert!(matches!(&effects[..], [MembershipEffect::Over(_)]), "{effects:?}");
    }
}
