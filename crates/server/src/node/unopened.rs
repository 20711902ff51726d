//! The parts that a node holds and has not opened yet. While any is still to be opened the node is not ready, and one that is wanted
//! elsewhere meanwhile goes there once it is open, or could not be opened here.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_journal::ChainName;

/// The parts.
#[derive(Debug, Default)]
pub(crate) struct UnopenedPartitions {
    parts: Mutex<BTreeMap<ChainName, UnopenedPartition>>,
}

#[derive(Debug, Default)]
struct UnopenedPartition {
    is_wanted: bool,
    /// Whether it was tried, and could not be opened: it keeps nobody from the others.
    has_failed: bool,
}

impl UnopenedPartitions {
    /// A part is to be opened.
    pub(crate) fn add(&self, part: ChainName) {
        self.parts().entry(part).or_default();
    }

    /// Whether a part is still to be opened.
    pub(super) fn has(&self, part: &ChainName) -> bool {
        self.parts().contains_key(part)
    }

    /// A part is wanted elsewhere; `false` if it is none of these.
    pub(super) fn want(&self, part: &ChainName) -> bool {
        self.parts().get_mut(part).map(|part| part.is_wanted = true).is_some()
    }

    /// A part could not be opened; whether it is wanted elsewhere.
    pub(super) fn failed(&self, part: &ChainName) -> bool {
        self.parts().get_mut(part).is_some_and(|part| {
            part.has_failed = true;
            part.is_wanted
        })
    }

    /// A part is open; whether it is wanted elsewhere.
    pub(crate) fn opened(&self, part: &ChainName) -> bool {
        self.parts().remove(part).is_some_and(|part| part.is_wanted)
    }

    /// None of them is opened any more.
    pub(super) fn give_up(&self) {
        self.parts().clear();
    }

    /// The names of those that were not tried yet.
    pub(crate) fn names(&self) -> Vec<String> {
        self.parts().iter().filter(|(_, part)| !part.has_failed).map(|(name, _)| name.to_string()).collect()
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<ChainName, UnopenedPartition>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_wanted_while_it_is_opened_is_not_forgotten() {
        let (unopened, [one, other]) =
            (UnopenedPartitions::default(), ["table-1", "table-2"].map(|part| part.parse().unwrap()));
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
    fn a_part_that_cannot_be_opened_keeps_nobody_waiting_and_may_go() {
        let (unopened, part) = (UnopenedPartitions::default(), "table-1".parse::<ChainName>().unwrap());
        unopened.add(part.clone());
        assert!(!unopened.failed(&part), "nobody wants it");
        unopened.add(part.clone());
        assert!(unopened.has(&part) && unopened.names().is_empty(), "it is tried again, and the node is ready");
        assert!(unopened.want(&part) && unopened.failed(&part));
    }
}
