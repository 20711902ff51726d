//! Who is there and who holds what, as the database knew it at one moment, and who takes the parts that nobody holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::chain::ChainName;

/// The name of a node, another one for each start.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(Arc<str>);

/// A process of a house that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: NodeName,
    /// Where screens and other nodes reach it.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// Whether it has only just joined.
    pub is_new: bool,
}

/// A part of the house: the House itself, the dealer's side of a table or a cluster, by the name of its chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The part.
    pub part: ChainName,
    /// The living node that holds it.
    pub holder: Option<NodeName>,
    /// The living node that it shall move to.
    pub wanted: Option<NodeName>,
}

/// All nodes that live, and all parts that were ever held, each by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The parts.
    pub leases: Vec<Lease>,
}

impl NodeName {
    /// A name that no node had before.
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

impl Roster {
    /// The node of that name, if it lives.
    pub fn node(&self, name: &NodeName) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == *name)
    }

    /// The node that holds a part.
    pub fn holder(&self, part: &ChainName) -> Option<&Node> {
        let lease = self.leases.iter().find(|lease| lease.part == *part)?;
        self.node(lease.holder.as_ref()?)
    }

    /// The parts that a node holds.
    pub fn held_by(&self, name: &NodeName) -> impl Iterator<Item = &Lease> {
        self.leases.iter().filter(move |lease| lease.holder.as_ref() == Some(name))
    }

    /// The parts that a node holds and should release when it can, with the node that waits for each.
    pub fn wanted_from(&self, name: &NodeName) -> impl Iterator<Item = (&ChainName, &NodeName)> {
        self.held_by(name).filter_map(|lease| Some((&lease.part, lease.wanted.as_ref()?)))
    }

    /// A node holds a part now, whatever was known before.
    pub fn hold(&mut self, part: &ChainName, name: &NodeName) {
        let taken = Lease { part: part.clone(), holder: Some(name.clone()), wanted: None };
        match self.leases.iter_mut().find(|lease| lease.part == *part) {
            Some(lease) => *lease = taken,
            None => self.leases.push(taken),
        }
    }

    /// A part of a node that one should have which has only just joined, and has two fewer or less; and that one. One part moves at
    /// a time, the last by name, and never the one that stays. What people move later stays where it is.
    pub fn too_many(&self, name: &NodeName, stays: &ChainName) -> Option<(ChainName, NodeName)> {
        if self.leases.iter().any(|lease| lease.wanted.is_some()) {
            return None;
        }
        let count = |name: &NodeName| self.held_by(name).count();
        let new = self.nodes.iter().filter(|node| node.is_new).map(|node| &node.name);
        let fewest = new.min_by_key(|name| count(name))?;
        let part = self.held_by(name).map(|lease| &lease.part).filter(|part| *part != stays).max()?;
        (count(name) >= count(fewest) + 2).then(|| (part.clone(), fewest.clone()))
    }

    /// Those of these parts that a node should claim now.
    ///
    /// What is wanted goes to the node that it is wanted for. The rest is dealt in order of name, each to the node with the
    /// fewest parts, the first by name among equals. All nodes reckon so, so that rarely two claim the same; where they do
    /// the database decides.
    pub fn dealt_to(&self, name: &NodeName, parts: &[ChainName]) -> Vec<ChainName> {
        let mut counts: BTreeMap<&NodeName, usize> =
            self.nodes.iter().map(|node| (&node.name, self.held_by(&node.name).count())).collect();
        let mut parts: Vec<&ChainName> = parts.iter().collect();
        parts.sort_unstable();
        parts.dedup();
        let mut dealt = Vec::new();
        for part in parts {
            let lease = self.leases.iter().find(|lease| lease.part == *part);
            if lease.is_some_and(|lease| lease.holder.is_some()) {
                continue;
            }
            let wanted = lease.and_then(|lease| lease.wanted.as_ref());
            let fewest = || counts.iter().min_by_key(|(name, count)| (**count, *name)).map(|(name, _)| *name);
            let Some(taker) = wanted.or_else(fewest) else { break };
            if taker == name {
                dealt.push(part.clone());
            }
            *counts.entry(taker).or_default() += 1;
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, is_new: bool) -> Node {
        Node { name: name.into(), address: String::new(), version: String::new(), is_new }
    }

    fn roster(nodes: &[&str], leases: &[(&str, Option<&str>, Option<&str>)]) -> Roster {
        let node = |name: &&str| node(name, true);
        let lease = |(part, holder, wanted): &(&str, Option<&str>, Option<&str>)| Lease {
            part: part.parse().unwrap(),
            holder: holder.map(NodeName::from),
            wanted: wanted.map(NodeName::from),
        };
        Roster { nodes: nodes.iter().map(node).collect(), leases: leases.iter().map(lease).collect() }
    }

    fn dealt(roster: &Roster, name: &str, parts: &[&str]) -> Vec<String> {
        let parts: Vec<ChainName> = parts.iter().map(|part| part.parse().unwrap()).collect();
        roster.dealt_to(&name.into(), &parts).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn free_parts_go_to_the_node_with_the_fewest() {
        let parts = ["table-2", "house", "table-1", "table-3", "table-1"];
        let empty = roster(&["a", "b"], &[]);
        assert_eq!(dealt(&empty, "a", &parts), ["house", "table-2"]);
        assert_eq!(dealt(&empty, "b", &parts), ["table-1", "table-3"]);
        let uneven =
            roster(&["a", "b"], &[("house", Some("a"), None), ("table-1", Some("a"), None), ("table-2", None, None)]);
        assert_eq!(dealt(&uneven, "a", &parts), [""; 0]);
        assert_eq!(dealt(&uneven, "b", &parts), ["table-2", "table-3"]);
        assert_eq!(dealt(&uneven, "c", &parts), [""; 0], "a node that does not live");
        assert_eq!(dealt(&roster(&[], &[]), "a", &parts), [""; 0]);
    }

    #[test]
    fn every_free_part_is_dealt_to_exactly_one() {
        let names = ["a", "b", "c"];
        let parts: Vec<String> = (1..=20).map(|table| format!("table-{table}")).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let roster = roster(&names, &[("table-3", Some("b"), None), ("table-7", None, Some("c"))]);
        let mut all: Vec<String> = names.iter().flat_map(|name| dealt(&roster, name, &parts)).collect();
        all.sort_unstable();
        let mut free: Vec<&str> = parts.iter().copied().filter(|part| *part != "table-3").collect();
        free.sort_unstable();
        assert_eq!(all, free);
    }

    #[test]
    fn a_node_that_has_two_more_gives_one_away() {
        let held = [("house", Some("a"), None), ("table-1", Some("a"), None), ("table-2", Some("a"), None)];
        let given = |roster: &Roster, name: &str| {
            let given = roster.too_many(&name.into(), &"house".parse().unwrap());
            given.map(|(part, node)| format!("{part} {node}"))
        };
        let mut roster = roster(&["a", "b"], &held);
        assert_eq!(given(&roster, "a").as_deref(), Some("table-2 b"));
        assert_eq!(given(&roster, "b"), None);
        roster.leases[2].wanted = Some("b".into());
        assert_eq!(given(&roster, "a"), None, "one at a time");
        roster.hold(&"table-2".parse().unwrap(), &"b".into());
        assert_eq!(given(&roster, "a"), None, "one more is as even as it gets");
        roster.nodes.push(node("c", false));
        assert_eq!(given(&roster, "a"), None, "it was emptied on purpose");
        roster.nodes[2].is_new = true;
        assert_eq!(given(&roster, "a").as_deref(), Some("table-1 c"));
    }

    #[test]
    fn a_wanted_part_goes_where_it_is_wanted() {
        let before = roster(&["a", "b"], &[("house", Some("a"), None), ("table-1", Some("a"), Some("b"))]);
        let wanted: Vec<_> = before.wanted_from(&"a".into()).map(|(part, node)| format!("{part} {node}")).collect();
        assert_eq!(wanted, ["table-1 b"]);
        assert_eq!(dealt(&before, "b", &["table-1"]), [""; 0], "it is held until it is released");
        let released = roster(&["a", "b"], &[("house", Some("b"), None), ("table-1", None, Some("b"))]);
        assert_eq!(dealt(&released, "a", &["table-1"]), [""; 0]);
        assert_eq!(dealt(&released, "b", &["table-1"]), ["table-1"]);
        assert_eq!(released.holder(&"house".parse().unwrap()).map(|node| node.name.as_str()), Some("b"));
        assert_eq!(released.holder(&"table-1".parse().unwrap()), None);
    }
}
