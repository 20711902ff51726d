//! Partitions that this node holds but has not opened yet. The node is not ready while there are any. If another node wants one
//! meanwhile, it moves there once it is open or cannot be opened.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_journal::ChainName;

#[derive(Debug, Default)]
pub(crate) struct UnopenedPartitions {
    partitions: Mutex<BTreeMap<ChainName, UnopenedPartition>>,
}

#[derive(Debug, Default)]
struct UnopenedPartition {
    is_wanted: bool,
    /// Whether opening failed: such a partition does not delay readiness.
    has_failed: bool,
}

impl UnopenedPartitions {
    pub(crate) fn add(&self, partition: ChainName) {
        self.partitions().entry(partition).or_default();
    }

    pub(super) fn has(&self, partition: &ChainName) -> bool {
        self.partitions().contains_key(partition)
    }

    /// Another node wants the partition; `false` if it is not among these.
    pub(super) fn want(&self, partition: &ChainName) -> bool {
        self.partitions().get_mut(partition).map(|partition| partition.is_wanted = true).is_some()
    }

    /// Opening failed; returns whether another node wants the partition.
    pub(super) fn failed(&self, partition: &ChainName) -> bool {
        self.partitions().get_mut(partition).is_some_and(|partition| {
            partition.has_failed = true;
            partition.is_wanted
        })
    }

    /// The partition is open; returns whether another node wants it.
    pub(crate) fn opened(&self, partition: &ChainName) -> bool {
        self.partitions().remove(partition).is_some_and(|partition| partition.is_wanted)
    }

    pub(super) fn give_up(&self) {
        self.partitions().clear();
    }

    /// The partitions that were not tried yet.
    pub(crate) fn names(&self) -> Vec<String> {
        self.partitions()
            .iter()
            .filter(|(_, partition)| !partition.has_failed)
            .map(|(name, _)| name.to_string())
            .collect()
    }

    fn partitions(&self) -> MutexGuard<'_, BTreeMap<ChainName, UnopenedPartition>> {
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_that_is_wanted_while_it_opens_moves_later() {
        let (unopened, [one, other]) =
            (UnopenedPartitions::default(), ["table-1", "table-2"].map(|partition| partition.parse().unwrap()));
        unopened.add(one);
        let one: ChainName = "table-1".parse().unwrap();
        assert!(unopened.want(&one) && !unopened.want(&other));
        unopened.add(one.clone());
        assert!(unopened.has(&one) && !unopened.has(&other));
        assert_eq!(unopened.names(), ["table-1"]);
        assert!(unopened.opened(&one), "it goes on");
        assert!(!unopened.want(&one) && !unopened.opened(&one) && unopened.names().is_empty());
    }

    #[test]
    fn a_partition_that_cannot_be_opened_delays_nothing_and_may_move() {
        let (unopened, partition) = (UnopenedPartitions::default(), "table-1".parse::<ChainName>().unwrap());
        unopened.add(partition.clone());
        assert!(!unopened.failed(&partition), "nobody wants it");
        unopened.add(partition.clone());
        assert!(unopened.has(&partition) && unopened.names().is_empty(), "it is tried again, and the node is ready");
        assert!(unopened.want(&partition) && unopened.failed(&partition));
    }
}
