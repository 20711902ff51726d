//! The chains of one table and of the House in one order, to step through the table. Time gives the order; at equal
//! times an effect comes after its cause in another machine.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use taisai_journal::{Archive, PublicKey, TrustedKeys};
use taisai_table::{
    BadTableSpec, Cluster, ClusterCommand, ClusterId, Entry, House, HouseCommand, MachineEntry, MachineId, Machines,
    Round, RoundCommand, TableId, TableSpec, Time,
};

use crate::machine::RecordedMachine;
use crate::opening::{BadChainOpening, ChainOpening, MachineSetup, chain_of};
use crate::replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent};
use crate::settlement::clusters_of;

/// The entries of a table and of its House in one order.
#[derive(Clone, Debug)]
pub struct MergedTable {
    /// The machines before the first entry.
    pub machines: Machines,
    /// The entries, each with its place in its machine's chain.
    pub entries: Vec<(EntryPosition, MachineEntry)>,
    /// The game with its version.
    pub game: String,
}

/// Why chains cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is no such table.
    #[error("the store has no table {}", .0.0)]
    NoTable(TableId),
    /// A chain cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The rules cannot be read.
    #[error(transparent)]
    Opening(#[from] BadChainOpening),
    /// The machines cannot be laid out.
    #[error(transparent)]
    Plan(#[from] BadTableSpec),
}

/// Merges the chains of a table and of the House.
pub fn merge_chains(archive: &mut dyn Archive, keys: &[PublicKey], table: TableId) -> Result<MergedTable, MergeError> {
    let mut chains = BTreeMap::new();
    let mut read = MergeReader { archive, keys, chains: &mut chains };
    let house = read.chain::<House>(MachineId::House, MachineEntry::House)?;
    let opening = read.chain::<Round>(MachineId::Round(table), |entry| MachineEntry::Round(table, entry))?;
    let opening = opening.ok_or(MergeError::NoTable(table))?;
    let mut seats = Vec::new();
    for id in clusters_of(&opening.setup) {
        let cluster = read.chain::<Cluster>(MachineId::Cluster(id), |entry| MachineEntry::Cluster(id, entry))?;
        seats.push(cluster.map_or(0, |opening| seats_of(&opening.setup)));
    }
    let rules = opening.rules()?;
    let game = format!("{}@{}", rules.game().id(), rules.game().version());
    let is_training = |setup: &MachineSetup| match setup {
        MachineSetup::House { is_training } | MachineSetup::Round { is_training, .. } => *is_training,
        MachineSetup::Cluster { .. } => false,
    };
    let of_house = house.as_ref().unwrap_or(&opening);
    let mut machines = Machines::new(of_house.profile.clone(), is_training(&of_house.setup));
    machines.lay_out(TableSpec { table, rules, is_training: is_training(&opening.setup), seats })?;
    let entries = in_order(machines.clone(), chains);
    Ok(MergedTable { machines, entries, game })
}

const fn seats_of(setup: &MachineSetup) -> u32 {
    match setup {
        MachineSetup::Cluster { seats, .. } => *seats,
        MachineSetup::House { .. } | MachineSetup::Round { .. } => 0,
    }
}

type TableChains = BTreeMap<MachineId, VecDeque<(EntryPosition, MachineEntry)>>;

struct MergeReader<'a> {
    archive: &'a mut dyn Archive,
    keys: &'a [PublicKey],
    chains: &'a mut TableChains,
}

impl MergeReader<'_> {
    /// Reads a chain; what it was opened with, if it is there.
    fn chain<M: RecordedMachine>(
        &mut self,
        id: MachineId,
        recorded: impl Fn(Entry<M::Command, M::Event>) -> MachineEntry,
    ) -> Result<Option<ChainOpening>, MergeError> {
        let trust = if self.keys.is_empty() { TrustedKeys::AnyKey } else { TrustedKeys::Keys(self.keys.to_vec()) };
        let mut replay = ChainReplay::<M>::new(self.archive, chain_of(id), trust, &[]);
        let entries = self.chains.entry(id).or_default();
        replay.run(|seen| {
            if let ReplayEvent::Entry(at, _, entry) = seen {
                entries.push_back((at, recorded(entry.clone())));
            }
            ControlFlow::Continue(())
        })?;
        Ok(replay.into_machine().map(|(opening, _)| opening))
    }
}

/// Takes the earliest entry whose cause is there already, the House's first at equal times. If there is none, the
/// chains do not fit together, and time alone decides.
fn in_order(mut machines: Machines, mut chains: TableChains) -> Vec<(EntryPosition, MachineEntry)> {
    let mut entries = Vec::new();
    loop {
        let firsts = || chains.iter().filter_map(|(id, chain)| Some((*id, &chain.front()?.1)));
        let can_be_next = firsts().filter(|(_, recorded)| is_due(&machines, recorded));
        let earliest = can_be_next.min_by_key(|(_, recorded)| time(recorded));
        let Some((id, _)) = earliest.or_else(|| firsts().min_by_key(|(_, recorded)| time(recorded))) else {
            return entries;
        };
        if let Some((at, recorded)) = chains.get_mut(&id).and_then(VecDeque::pop_front) {
            machines.apply(&recorded);
            entries.push((at, recorded));
        }
    }
}

const fn time(recorded: &MachineEntry) -> Time {
    match recorded {
        MachineEntry::Round(_, entry) => entry.request.time,
        MachineEntry::Cluster(_, entry) => entry.request.time,
        MachineEntry::House(entry) => entry.request.time,
    }
}

/// Whether the cause of an entry in another machine has happened. A refusal has no cause.
fn is_due(machines: &Machines, recorded: &MachineEntry) -> bool {
    use {ClusterCommand as C, HouseCommand as H};
    let (house, cluster) = (&machines.house, |id: &ClusterId| machines.cluster(*id));
    match recorded {
        MachineEntry::Round(_, Entry { request, outcome: Ok(_) }) => {
            let RoundCommand::Report { cluster: id, followed, .. } = &request.command else { return true };
            cluster(id).is_none_or(|cluster| cluster.followed() >= *followed)
        }
        MachineEntry::Cluster(id, Entry { request, outcome: Ok(_) }) => {
            if let C::Follow { number, .. } = &request.command {
                let table = machines.tables.get(&id.table);
                table.is_none_or(|table| table.round.notices(*id).any(|(given, _)| given == *number))
            } else if let C::Receive { transfer } = &request.command {
                house.outbox(*id).any(|out| out.number == transfer.number)
            } else if let C::Delivered { number } = &request.command {
                house.received(*id) >= *number
            } else {
                true
            }
        }
        MachineEntry::House(Entry { request, outcome: Ok(_) }) => {
            if let H::Receive { cluster: id, transfer } = &request.command {
                cluster(id).is_none_or(|cluster| cluster.outbox().any(|out| out.number == transfer.number))
            } else if let H::Delivered { cluster: id, number } = &request.command {
                cluster(id).is_none_or(|cluster| cluster.received() >= *number)
            } else {
                true
            }
        }
        MachineEntry::Round(..) | MachineEntry::Cluster(..) | MachineEntry::House(_) => true,
    }
}
