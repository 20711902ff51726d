//! Nodes and leases, as the database had them at one moment.

use std::fmt;
use std::sync::Arc;

use crate::chain::ChainName;

/// The name of a node; each start has a new one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(Arc<str>);

/// A node that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveNode {
    /// Its name.
    pub name: NodeName,
    /// Where screens and other nodes reach it.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// Whether it has only just joined.
    pub is_new: bool,
}

/// Who holds a partition: the House, a Round or a Cluster, by the name of its chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The chain of the partition.
    pub partition: ChainName,
    /// The node that holds it, if that is alive.
    pub holder: Option<NodeName>,
    /// The node that it should move to, if that is alive.
    pub wanted: Option<NodeName>,
}

/// All nodes that are alive, and all partitions that were ever held, each by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseRoster {
    /// The nodes.
    pub nodes: Vec<LiveNode>,
    /// The parts.
    pub leases: Vec<Lease>,
}

impl NodeName {
    /// A name that no node has had before.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:016x}", u64::from_be_bytes(bytes)).into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for NodeName {
    fn from(name: &str) -> Self {
        Self(name.into())
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

impl LeaseRoster {
    /// The node of that name, if it is alive.
    pub fn node(&self, name: &NodeName) -> Option<&LiveNode> {
        self.nodes.iter().find(|node| node.name == *name)
    }

    /// The node that holds a partition.
    pub fn holder(&self, partition: &ChainName) -> Option<&LiveNode> {
        let lease = self.leases.iter().find(|lease| lease.partition == *partition)?;
        self.node(lease.holder.as_ref()?)
    }

    /// The partitions that a node holds.
    pub fn held_by(&self, name: &NodeName) -> impl Iterator<Item = &Lease> {
        self.leases.iter().filter(move |lease| lease.holder.as_ref() == Some(name))
    }

    /// The partitions that a node holds and should release, with the node that waits for each.
    pub fn wanted_from(&self, name: &NodeName) -> impl Iterator<Item = (&ChainName, &NodeName)> {
        self.held_by(name).filter_map(|lease| Some((&lease.partition, lease.wanted.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, is_new: bool) -> LiveNode {
        LiveNode { name: name.into(), address: String::new(), version: String::new(), is_new }
    }

    fn roster(nodes: &[&str], leases: &[(&str, Option<&str>, Option<&str>)]) -> LeaseRoster {
        let node = |name: &&str| node(name, true);
        let lease = |(partition, holder, wanted): &(&str, Option<&str>, Option<&str>)| Lease {
            partition: partition.parse().unwrap(),
            holder: holder.map(NodeName::from),
            wanted: wanted.map(NodeName::from),
        };
        LeaseRoster { nodes: nodes.iter().map(node).collect(), leases: leases.iter().map(lease).collect() }
    }

    #[test]
    fn partition_is_held_until_released() {
        let before = roster(&["a", "b"], &[("house", Some("a"), None), ("table-1", Some("a"), Some("b"))]);
        let wanted: Vec<_> =
            before.wanted_from(&"a".into()).map(|(partition, node)| format!("{partition} {node}")).collect();
        assert_eq!(wanted, ["table-1 b"]);
        let released = roster(&["a", "b"], &[("house", Some("b"), None), ("table-1", None, Some("b"))]);
        assert_eq!(released.holder(&"house".parse().unwrap()).map(|node| node.name.as_str()), Some("b"));
        assert_eq!(released.holder(&"table-1".parse().unwrap()), None);
    }
}
