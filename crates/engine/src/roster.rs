//! Who is there and who holds what, as the store knew it at one moment, and who takes the partitions that nobody holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use taisai_table::MachineId;

/// The name of a node, another one each time that it joins.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(Arc<str>);

impl From<&str> for NodeName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl NodeName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A node that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterNode {
    pub name: NodeName,
    /// Whether it has only just joined.
    pub is_new: bool,
}

/// Who holds a partition. A table's clusters that share its worker have no lease of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterLease {
    pub partition: MachineId,
    /// The living node that holds it.
    pub holder: Option<NodeName>,
    /// The living node that it shall move to.
    pub wanted: Option<NodeName>,
}

/// All nodes that live, and all partitions that were ever held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    pub nodes: Vec<RosterNode>,
    pub leases: Vec<RosterLease>,
}

impl Roster {
    /// The living node that holds a partition.
    pub fn holder(&self, partition: MachineId) -> Option<&NodeName> {
        self.leases.iter().find(|lease| lease.partition == partition)?.holder.as_ref()
    }

    /// What a node holds.
    pub fn held_by(&self, name: &NodeName) -> impl Iterator<Item = &RosterLease> {
        self.leases.iter().filter(move |lease| lease.holder.as_ref() == Some(name))
    }

    /// A partition that this node should give to one that has just joined and holds at least two fewer, and that node. One moves at a
    /// time: the last in order, never the House, and none of `stay`.
    pub(crate) fn partition_to_move(
        &self,
        name: &NodeName,
        stay: &BTreeSet<MachineId>,
    ) -> Option<(MachineId, NodeName)> {
        if self.leases.iter().any(|lease| lease.wanted.is_some()) {
            return None;
        }
        let count = |name: &NodeName| self.held_by(name).count();
        let new = self.nodes.iter().filter(|node| node.is_new).map(|node| &node.name);
        let fewest = new.min_by_key(|name| count(name))?;
        let may_move = |partition: &MachineId| *partition != MachineId::House && !stay.contains(partition);
        let movable = self.held_by(name).map(|lease| lease.partition).filter(may_move);
        (count(name) >= count(fewest) + 2).then(|| movable.max())?.map(|partition| (partition, fewest.clone()))
    }

    /// Those of these partitions that a node should claim now. What is wanted goes to the node that it is wanted for; the rest is
    /// dealt in order, each to the node with the fewest, the first by name among equals. All nodes compute the same, so that two
    /// rarely claim the same partition; where they do, the store decides.
    pub(crate) fn assigned_to(&self, name: &NodeName, partitions: &[MachineId]) -> Vec<MachineId> {
        let mut counts: BTreeMap<&NodeName, usize> =
            self.nodes.iter().map(|node| (&node.name, self.held_by(&node.name).count())).collect();
        let mut dealt = Vec::new();
        for partition in partitions {
            let lease = self.leases.iter().find(|lease| lease.partition == *partition);
            if lease.is_some_and(|lease| lease.holder.is_some()) {
                continue;
            }
            let wanted = lease.and_then(|lease| lease.wanted.as_ref());
            let fewest = || counts.iter().min_by_key(|(name, count)| (**count, *name)).map(|(name, _)| *name);
            let Some(taker) = wanted.or_else(fewest) else { break };
            if taker == name {
                dealt.push(*partition);
            }
            *counts.entry(taker).or_default() += 1;
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use taisai_table::TableId;

    use super::*;

    const HOUSE: MachineId = MachineId::House;

    const fn table(number: u16) -> MachineId {
        MachineId::Round(TableId(number))
    }

    fn roster(nodes: &[&str], leases: &[(MachineId, Option<&str>, Option<&str>)]) -> Roster {
        let node = |name: &&str| RosterNode { name: NodeName::from(*name), is_new: true };
        let lease = |(partition, holder, wanted): &(MachineId, Option<&str>, Option<&str>)| RosterLease {
            partition: *partition,
            holder: holder.map(NodeName::from),
            wanted: wanted.map(NodeName::from),
        };
        Roster { nodes: nodes.iter().map(node).collect(), leases: leases.iter().map(lease).collect() }
    }

    #[test]
    fn free_partitions_go_to_the_node_with_the_fewest() {
        let partitions = [HOUSE, table(1), table(2), table(3)];
        let empty = roster(&["a", "b"], &[]);
        assert_eq!(empty.assigned_to(&"a".into(), &partitions), [HOUSE, table(2)]);
        assert_eq!(empty.assigned_to(&"b".into(), &partitions), [table(1), table(3)]);
        let uneven =
            roster(&["a", "b"], &[(HOUSE, Some("a"), None), (table(1), Some("a"), None), (table(2), None, None)]);
        assert_eq!(uneven.assigned_to(&"a".into(), &partitions), []);
        assert_eq!(uneven.assigned_to(&"b".into(), &partitions), [table(2), table(3)]);
        assert_eq!(uneven.assigned_to(&"c".into(), &partitions), [], "a node that does not live");
        assert_eq!(roster(&[], &[]).assigned_to(&"a".into(), &partitions), []);
    }

    #[test]
    fn every_free_partition_is_dealt_to_exactly_one() {
        let names = ["a", "b", "c"];
        let partitions: Vec<_> = (1..=20).map(table).collect();
        let roster = roster(&names, &[(table(3), Some("b"), None), (table(7), None, Some("c"))]);
        let mut all: Vec<_> =
            names.iter().flat_map(|name| roster.assigned_to(&NodeName::from(*name), &partitions)).collect();
        all.sort_unstable();
        let free: Vec<_> = partitions.iter().copied().filter(|partition| *partition != table(3)).collect();
        assert_eq!(all, free);
        assert!(roster.assigned_to(&"c".into(), &partitions).contains(&table(7)), "where it is wanted");
    }

    #[test]
    fn a_node_that_has_two_more_gives_one_away() {
        let held = [(HOUSE, Some("a"), None), (table(1), Some("a"), None), (table(2), Some("a"), None)];
        let mut roster = roster(&["a", "b"], &held);
        let none = BTreeSet::new();
        assert_eq!(roster.partition_to_move(&"a".into(), &none), Some((table(2), "b".into())));
        assert_eq!(roster.partition_to_move(&"a".into(), &BTreeSet::from([table(2)])), Some((table(1), "b".into())));
        assert_eq!(roster.partition_to_move(&"b".into(), &none), None);
        roster.leases[2].wanted = Some("b".into());
        assert_eq!(roster.partition_to_move(&"a".into(), &none), None, "one at a time");
        roster.leases[2] = RosterLease { partition: table(2), holder: Some("b".into()), wanted: None };
        assert_eq!(roster.partition_to_move(&"a".into(), &none), None, "one more is as even as it gets");
        roster.nodes.push(RosterNode { name: "c".into(), is_new: false });
        assert_eq!(roster.partition_to_move(&"a".into(), &none), None, "it was emptied on purpose");
        roster.nodes[2].is_new = true;
        assert_eq!(roster.partition_to_move(&"a".into(), &none), Some((table(1), "c".into())));
    }
}
