//! Counts the displays of each table. Nobody signs in at a display, so their number is bounded, and one address cannot take all of
//! it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use taisai_table::TableId;

use crate::auth::ClientAddress;

const MAX_DISPLAYS_PER_TABLE: usize = 64;
const MAX_DISPLAYS_PER_ADDRESS: usize = 8;

#[derive(Clone, Debug, Default)]
pub(crate) struct Displays(Arc<Mutex<BTreeMap<(TableId, IpAddr), usize>>>);

/// Counts as one display until it is dropped.
#[derive(Debug)]
pub(crate) struct DisplayPlace {
    displays: Displays,
    taken: (TableId, IpAddr),
}

impl Displays {
    /// Counts a display, unless there are too many.
    pub(crate) fn reserve(&self, table: TableId, caller: ClientAddress) -> Option<DisplayPlace> {
        let taken = (table, caller.0);
        let mut counts = self.counts();
        let all: usize = counts.iter().filter(|((of, _), _)| *of == table).map(|(_, count)| count).sum();
        let from_one = counts.get(&taken).copied().unwrap_or(0);
        (all < MAX_DISPLAYS_PER_TABLE && from_one < MAX_DISPLAYS_PER_ADDRESS).then(|| {
            counts.insert(taken, from_one + 1);
            DisplayPlace { displays: self.clone(), taken }
        })
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<(TableId, IpAddr), usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DisplayPlace {
    fn drop(&mut self) {
        let mut counts = self.displays.counts();
        if let Some(count) = counts.get_mut(&self.taken) {
            *count -= 1;
        }
        counts.retain(|_, count| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_all_displays() {
        let displays = Displays::default();
        let reserve =
            |table, from: u8| displays.reserve(TableId(table), ClientAddress(IpAddr::from([192, 0, 2, from])));
        let held: Vec<_> = (0..MAX_DISPLAYS_PER_TABLE).filter_map(|_| reserve(1, 1)).collect();
        assert_eq!(held.len(), MAX_DISPLAYS_PER_ADDRESS);
        assert!(reserve(1, 2).is_some() && reserve(2, 1).is_some(), "other addresses and other tables have theirs");
        let others: Vec<_> = (2..=u8::MAX).filter_map(|from| reserve(1, from)).collect();
        assert_eq!(held.len() + others.len(), MAX_DISPLAYS_PER_TABLE);
        drop(held);
        assert!(reserve(1, 1).is_some(), "a place that is left is free");
        drop(others);
        assert!(displays.counts().is_empty());
    }
}
