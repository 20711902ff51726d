//! Partitions that this node holds but has not opened yet. The node is not ready while there are any. If another node wants one
//! meanwhile, it moves there once it is open or cannot be opened.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_journal::ChainName;
use taisai_record::machine_of;
use taisai_table::{MachineId, TableId};

#[derive(Debug, Default)]
pub(crate) struct UnopenedPartitions {
    partitions: Mutex<BTreeMap<ChainName, UnopenedPartition>>,
}

#[derive(Debug, Default)]
struct UnopenedPartition {
    is_wanted: bool,
    /// Why opening failed: such a partition does not delay readiness.
    failure: Option<String>,
    /// Whether the House was told.
    is_reported: bool,
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

    /// Opening failed for this reason; returns whether another node wants the partition.
    pub(super) fn failed(&self, partition: &ChainName, why: String) -> bool {
        self.partitions().get_mut(partition).is_some_and(|partition| {
            partition.failure = Some(why);
            partition.is_wanted
        })
    }

    /// The failure of a partition is to be reported now; `false` if it was, or there is none.
    pub(super) fn begin_report(&self, partition: &ChainName) -> bool {
        self.partitions().get_mut(partition).is_some_and(|partition| {
            partition.failure.is_some() && !std::mem::replace(&mut partition.is_reported, true)
        })
    }

    /// The report did not arrive.
    pub(super) fn report_again(&self, partition: &ChainName) {
        if let Some(partition) = self.partitions().get_mut(partition) {
            partition.is_reported = false;
        }
    }

    /// The tables that stay closed, with the reason: a partition of each could not be opened.
    pub(crate) fn closed_tables(&self) -> BTreeMap<TableId, String> {
        let mut closed = BTreeMap::new();
        for (name, partition) in &*self.partitions() {
            let table = match machine_of(name) {
                Some(MachineId::Round(table)) => table,
                Some(MachineId::Cluster(cluster)) => cluster.table,
                Some(MachineId::House) | None => continue,
            };
            if let Some(why) = &partition.failure {
                closed.entry(table).or_insert_with(|| why.clone());
            }
        }
        closed
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
            .filter(|(_, partition)| partition.failure.is_none())
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
        assert!(!unopened.begin_report(&partition), "nothing has failed");
        assert!(!unopened.failed(&partition, "block 7".to_owned()), "nobody wants it");
        unopened.add(partition.clone());
        assert!(unopened.has(&partition) && unopened.names().is_empty(), "it is tried again, and the node is ready");
        assert_eq!(unopened.closed_tables(), BTreeMap::from([(TableId(1), "block 7".to_owned())]));
        assert!(unopened.begin_report(&partition) && !unopened.begin_report(&partition), "once");
        unopened.report_again(&partition);
        assert!(unopened.begin_report(&partition), "it did not arrive");
        assert!(unopened.want(&partition) && unopened.failed(&partition, "block 8".to_owned()));
        assert!(unopened.opened(&partition) && unopened.closed_tables().is_empty());
    }
}
