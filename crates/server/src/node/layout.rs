//! How the tables of an installation are laid out: as the record has them, and as the plan adds them.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::sync::Arc;

use taisai_journal::Archive;
use taisai_record::{
    Address, ChainOpening, MachineSetup, RecordStore, RecordStoreError, Recorder, chain_of, first_opening,
};
use taisai_table::{Actor, ClusterId, CommandRequest, Decision, Entry, House, HouseCommand, MachineId, TableId};

use super::clock::{Clock, OwnIds, Share, Sources};
use super::{InstallationPlan, NodeError, Plans, TablePlan};

/// What the machine of a chain was first built with.
pub(super) fn recorded(archive: &mut dyn Archive, machine: MachineId) -> Result<Option<ChainOpening>, NodeError> {
    Ok(first_opening(archive, &chain_of(machine)).map_err(RecordStoreError::from)?)
}

/// Adds every planned table to the House, and returns the layout of each.
pub(super) fn found(
    store: &mut RecordStore,
    house: &mut Recorder<House>,
    plan: &InstallationPlan,
    clock: Clock,
    sources: &Sources,
) -> Result<LaidOutTables, NodeError> {
    // Before anything of them is recorded.
    with_tables(house.machine(), plan, clock)?;
    add_tables(house, plan, clock, sources)?;
    laid_out(store.archive(), house.machine(), plan)
}

/// The House as it will be with every planned table, or why there will be no such House. Nothing is recorded.
pub(super) fn with_tables(house: &House, plan: &InstallationPlan, clock: Clock) -> Result<House, NodeError> {
    for table in &plan.tables {
        plan.check_approval(table)?;
    }
    let mut planned = house.clone();
    let sources = Sources::new(clock, Share::ALL);
    sources.above(house.highest_source());
    let mut ids = OwnIds::new(&sources);
    for table in &plan.tables {
        let Some(request) = addition(&planned, table, clock, &mut ids)? else { continue };
        match planned.decide(&request) {
            Decision::Accepted(event) => planned.apply(&Entry { request, outcome: Ok(event) }),
            Decision::Repeated(_) => {}
            Decision::Refused(refusal) => return Err(NodeError::Table { table: table.table, refusal }),
        }
    }
    Ok(planned)
}

pub(super) fn add_tables(
    house: &mut Recorder<House>,
    plan: &InstallationPlan,
    clock: Clock,
    sources: &Sources,
) -> Result<(), NodeError> {
    let mut ids = OwnIds::new(sources);
    for table in &plan.tables {
        let Some(request) = addition(house.machine(), table, clock, &mut ids)? else {
            if house.machine().tables().all(|(known, _)| known != table.table) {
                tracing::warn!(table = table.table.0, "the table is not on file; add it with `taisai config apply`");
            }
            continue;
        };
        match house.ask(request) {
            Decision::Accepted(_) | Decision::Repeated(_) => {}
            Decision::Refused(refusal) => return Err(NodeError::Table { table: table.table, refusal }),
        }
    }
    Ok(())
}

/// Asks a House without people to add a table. Once there are people, they add tables.
fn addition(
    house: &House,
    plan: &TablePlan,
    clock: Clock,
    ids: &mut OwnIds,
) -> Result<Option<CommandRequest<HouseCommand>>, NodeError> {
    let table = plan.table;
    if house.tables().any(|(known, _)| known == table) || house.people().next().is_some() {
        return Ok(None);
    }
    let clusters = u16::try_from(plan.seats.len()).ok().and_then(NonZeroU16::new).ok_or(NodeError::Clusters(table))?;
    let command = HouseCommand::AddTable { table, clusters, training: plan.is_training, second: None };
    Ok(Some(CommandRequest { time: clock.now(), actor: Actor::System, id: ids.next(), command }))
}

/// The tables of the casino.
pub(super) struct LaidOutTables {
    pub(super) plans: Plans,
    /// The tables whose record does not say how they are laid out, as it cannot be read. They are not opened.
    pub(super) unreadable: BTreeMap<TableId, NodeError>,
}

/// The tables of the casino as the record has them. A table that was added but never opened is laid out as planned; without a plan
/// it is left out.
pub(super) fn laid_out(
    archive: &mut dyn Archive,
    house: &House,
    installation: &InstallationPlan,
) -> Result<LaidOutTables, NodeError> {
    let plans = &installation.tables;
    let (mut tables, mut unreadable) = (BTreeMap::new(), BTreeMap::new());
    for (table, on_file) in house.tables() {
        let fits = |plan: &&TablePlan| {
            let clusters = usize::from(on_file.clusters.get());
            plan.table == table && plan.seats.len() == clusters && plan.is_training == on_file.is_training
        };
        let plan = plans.iter().find(fits);
        let found = match as_recorded(archive, table, plan) {
            Ok(found) => found,
            // A database that is away for a moment says nothing of one table.
            Err(error) if error.is_failed_read() && matches!(installation.address, Address::Postgres(_)) => {
                return Err(error);
            }
            Err(error) if error.is_of_one_table() => {
                unreadable.insert(table, error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let Some(found) = found else {
            tracing::error!(
                table = table.0,
                "the table is on file without a layout; describe it in the configuration file"
            );
            continue;
        };
        if plans.iter().any(|plan| plan.table == table && *plan != found) {
            tracing::warn!(
                table = table.0,
                "the configuration file differs from the record; the table opens as the record has it"
            );
        }
        installation.check_approval(&found)?;
        tables.insert(table, found);
    }
    Ok(LaidOutTables { plans: Arc::new(tables), unreadable })
}

/// A table as its chains were first opened; missing parts are taken from the plan.
fn as_recorded(
    archive: &mut dyn Archive,
    table: TableId,
    plan: Option<&TablePlan>,
) -> Result<Option<TablePlan>, NodeError> {
    let Some(opening) = recorded(archive, MachineId::Round(table))? else { return Ok(plan.cloned()) };
    let MachineSetup::Round { game, layout, registration, is_training, clusters, .. } = opening.setup else {
        return Err(RecordStoreError::OtherSetup(chain_of(MachineId::Round(table)).to_string()).into());
    };
    let mut seats = Vec::new();
    for number in 0..clusters {
        let planned = plan.and_then(|plan| plan.seats.get(usize::from(number)).copied());
        let found =
            match recorded(archive, MachineId::Cluster(ClusterId { table, number }))?.map(|opening| opening.setup) {
                Some(MachineSetup::Cluster { seats, .. }) => Some(seats),
                Some(MachineSetup::House { .. } | MachineSetup::Round { .. }) | None => planned,
            };
        let Some(found) = found else { return Ok(None) };
        seats.push(found);
    }
    Ok(Some(TablePlan { table, game, layout, registration, is_training, seats }))
}
