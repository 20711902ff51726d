//! The tables that the reporting tables know.

use std::collections::BTreeMap;
use taisai_record::machine_of;

use taisai_reports::ReportReader;
use taisai_table::{MachineId, TableId};

use super::error::{ReportError, text};

/// The numbers of each table's clusters, as an SQL list.
pub(super) fn clusters(reader: &mut ReportReader) -> Result<BTreeMap<TableId, String>, ReportError> {
    let mut clusters: BTreeMap<TableId, Vec<String>> = BTreeMap::new();
    for row in reader.query("SELECT chain FROM chains", &[])?.rows {
        if let Some(MachineId::Cluster(id)) = machine(text(&row[0])?) {
            clusters.entry(id.table).or_default().push(id.number.to_string());
        }
    }
    Ok(clusters.into_iter().map(|(table, numbers)| (table, numbers.join(", "))).collect())
}

/// The machine of a chain.
pub(super) fn machine(chain: &str) -> Option<MachineId> {
    machine_of(&chain.parse().ok()?)
}
