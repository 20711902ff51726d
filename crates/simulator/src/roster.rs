//! Who is there and who holds what, as the store knew it at one moment.

use taisai_table::MachineId;

/// The name of a node, another one each time that it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeNumber(pub(crate) u64);

/// A node that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreMember {
    pub(crate) name: NodeNumber,
    /// Where it is reached.
    pub(crate) address: usize,
    /// Whether it has only just joined.
    pub(crate) is_new: bool,
}

/// A partition, or the partitions that share a worker with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreLease {
    pub(crate) partition: MachineId,
    /// The living node that holds it.
    pub(crate) holder: Option<NodeNumber>,
    /// The living node that it shall move to.
    pub(crate) wanted: Option<NodeNumber>,
}

/// All nodes that live, and all partitions that were ever held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreRoster {
    pub(crate) nodes: Vec<StoreMember>,
    pub(crate) leases: Vec<StoreLease>,
}

impl StoreRoster {
    /// The address of the node that holds a partition.
    pub(crate) fn holder(&self, partition: MachineId) -> Option<&StoreMember> {
        let lease = self.leases.iter().find(|lease| lease.partition == partition)?;
        self.nodes.iter().find(|node| Some(node.name) == lease.holder)
    }

    /// A node holds a partition now, whatever was known before.
    pub(crate) fn hold(&mut self, partition: MachineId, name: NodeNumber) {
        let taken = StoreLease { partition, holder: Some(name), wanted: None };
        match self.leases.iter_mut().find(|lease| lease.partition == partition) {
            Some(lease) => *lease = taken,
            None => self.leases.push(taken),
        }
    }
}
