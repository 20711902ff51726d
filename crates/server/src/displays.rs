//! How many displays are connected at each table.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use taisai_table::TableId;

/// The count of displays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Displays(Arc<Mutex<BTreeMap<TableId, usize>>>);

/// The place of one display, which it leaves when it is dropped.
pub(crate) struct DisplayPlace {
    displays: Displays,
    table: TableId,
}

impl Displays {
    /// A place at a table, if there are not so many yet.
    pub(crate) fn take(&self, table: TableId, most: usize) -> Option<DisplayPlace> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(table).or_default();
        (*count < most).then(|| {
            *count += 1;
            DisplayPlace { displays: self.clone(), table }
        })
    }
}

impl Drop for DisplayPlace {
    fn drop(&mut self) {
        let mut counts = self.displays.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.table) {
            *count -= 1;
        }
    }
}
