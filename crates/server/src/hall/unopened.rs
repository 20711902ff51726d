//! The parts that a node holds and has not opened yet. While there are any the node is not ready, and one that is wanted elsewhere
//! meanwhile goes there once it is open.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_journal::ChainName;

/// The parts.
#[derive(Debug, Default)]
pub(crate) struct Unopened {
    /// Each with whether it is wanted elsewhere.
    parts: Mutex<BTreeMap<ChainName, bool>>,
}

impl Unopened {
    /// A part is to be opened.
    pub(crate) fn add(&self, part: ChainName) {
        self.parts().entry(part).or_insert(false);
    }

    /// Whether a part is still to be opened.
    pub(super) fn has(&self, part: &ChainName) -> bool {
        self.parts().contains_key(part)
    }

    /// A part is wanted elsewhere; `false` if it is none of these.
    pub(super) fn want(&self, part: &ChainName) -> bool {
        self.parts().get_mut(part).map(|is_wanted| *is_wanted = true).is_some()
    }

    /// A part is open; whether it is wanted elsewhere.
    pub(crate) fn opened(&self, part: &ChainName) -> bool {
        self.parts().remove(part).unwrap_or(false)
    }

    /// None of them is opened any more.
    pub(super) fn give_up(&self) {
        self.parts().clear();
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.parts().keys().map(ToString::to_string).collect()
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<ChainName, bool>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_wanted_while_it_is_opened_is_not_forgotten() {
        let (unopened, [one, other]) = (Unopened::default(), ["table-1", "table-2"].map(|part| part.parse().unwrap()));
        unopened.add(one);
        let one: ChainName = "table-1".parse().unwrap();
        assert!(unopened.want(&one) && !unopened.want(&other));
        unopened.add(one.clone());
        assert!(unopened.has(&one) && !unopened.has(&other));
        assert_eq!(unopened.names(), ["table-1"]);
        assert!(unopened.opened(&one), "it goes on");
        assert!(!unopened.want(&one) && !unopened.opened(&one) && unopened.names().is_empty());
    }
}
