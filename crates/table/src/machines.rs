//! All machines of an installation, for replaying a record: the House, and each table's round and clusters. They are built
//! from table specifications, which the record does not hold, and then apply entries. Nothing is decided here.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use taisai_rules::LimitScope;

use crate::cluster::Cluster;
use crate::codec::{BadBytes, ClusterEntry, HouseEntry, RoundEntry};
use crate::house::House;
use crate::identity::{ClusterId, TableId};
use crate::profile::Profile;
use crate::refusal::Refusal;
use crate::round::Round;
use crate::rules::TableRules;

/// What the machines of a table are built from.
#[derive(Clone, Debug)]
pub struct TableSpec {
    pub table: TableId,
    pub rules: TableRules,
    pub is_training: bool,
    /// How many seats each of its clusters has.
    pub seats: Vec<u32>,
}

/// Why a table cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTableSpec {
    #[error("a table has from 1 to 65,535 clusters")]
    Clusters,
    /// Limits over all players need all players in one cluster.
    #[error("a live table has exactly one cluster")]
    LiveTable,
    #[error("the House refuses the table: {}", .0.sentence())]
    Refused(Refusal),
}

impl TableSpec {
    /// The number of clusters, if the table may have that many.
    pub fn clusters(&self) -> Result<NonZeroU16, BadTableSpec> {
        let clusters = u16::try_from(self.seats.len()).ok().and_then(NonZeroU16::new).ok_or(BadTableSpec::Clusters)?;
        let is_bound_by_terminal = self.rules.layout().limit_scope() == Some(LimitScope::Terminal);
        if is_bound_by_terminal || clusters == NonZeroU16::MIN { Ok(clusters) } else { Err(BadTableSpec::LiveTable) }
    }
}

#[derive(Clone, Debug)]
pub struct RoundAndClusters {
    plan: TableSpec,
    pub round: Round,
    /// In the order of their numbers.
    pub clusters: Vec<Cluster>,
}

impl RoundAndClusters {
    fn new(plan: TableSpec, profile: &Profile) -> Result<Self, BadTableSpec> {
        let TableSpec { table, rules, is_training, seats } = &plan;
        let clusters = plan.clusters()?.get();
        let round = Round::new(*table, rules.clone(), profile.clone(), *is_training, clusters);
        let ids = (0..clusters).map(|number| ClusterId { table: *table, number });
        let cluster = |(id, seats): (_, &u32)| Cluster::new(id, rules.clone(), profile.clone(), *seats);
        Ok(Self { round, clusters: ids.zip(seats).map(cluster).collect(), plan })
    }

    fn restore(&mut self, profile: &Profile, (round, clusters): &TableBytes) -> Result<(), BadBytes> {
        let TableSpec { table, rules, is_training, .. } = &self.plan;
        self.round = Round::restore(*table, rules.clone(), profile.clone(), *is_training, round)?;
        if clusters.len() != self.clusters.len() {
            return Err(BadBytes::Damaged);
        }
        for (cluster, bytes) in self.clusters.iter_mut().zip(clusters) {
            *cluster = Cluster::restore(cluster.id(), rules.clone(), profile.clone(), bytes)?;
        }
        Ok(())
    }
}

/// An entry of any machine.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineEntry {
    Round(TableId, RoundEntry),
    Cluster(ClusterId, ClusterEntry),
    House(HouseEntry),
}

/// The bytes of a dealer's side and of its players' sides.
type TableBytes = (Vec<u8>, Vec<Vec<u8>>);

/// The bytes of every machine's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinesSnapshot {
    house: Vec<u8>,
    tables: BTreeMap<TableId, TableBytes>,
}

/// Every machine of an installation.
#[derive(Clone, Debug)]
pub struct Machines {
    pub house: House,
    pub tables: BTreeMap<TableId, RoundAndClusters>,
}

impl Machines {
    /// An installation without tables.
    pub fn new(profile: Profile, is_training: bool) -> Self {
        Self { house: House::new(profile, is_training), tables: BTreeMap::new() }
    }

    /// Adds a table's machines. It does not add the table to the House.
    pub fn lay_out(&mut self, plan: TableSpec) -> Result<(), BadTableSpec> {
        if self.tables.contains_key(&plan.table) {
            return Err(BadTableSpec::Refused(Refusal::TableExists));
        }
        self.tables.insert(plan.table, RoundAndClusters::new(plan, self.house.profile())?);
        Ok(())
    }

    /// The same machines before the first entry.
    ///
    /// # Panics
    /// Never: what was laid out once can be laid out again.
    #[must_use]
    pub fn empty(&self) -> Self {
        let mut empty = Self::new(self.house.profile().clone(), self.house.is_training());
        for table in self.tables.values() {
            empty.lay_out(table.plan.clone()).expect("it was laid out before");
        }
        empty
    }

    /// A players' side.
    pub fn cluster(&self, id: ClusterId) -> Option<&Cluster> {
        self.tables.get(&id.table)?.clusters.get(usize::from(id.number))
    }

    /// The players' sides of all tables.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.tables.values().flat_map(|table| &table.clusters)
    }

    pub(crate) fn cluster_mut(&mut self, id: ClusterId) -> Option<&mut Cluster> {
        self.tables.get_mut(&id.table)?.clusters.get_mut(usize::from(id.number))
    }

    /// Applies an entry.
    ///
    /// # Panics
    /// If the machine does not exist: then the record belongs to another installation.
    pub fn apply(&mut self, recorded: &MachineEntry) {
        match recorded {
            MachineEntry::Round(table, entry) => {
                self.tables.get_mut(table).expect("an entry of a table that is laid out").round.apply(entry);
            }
            MachineEntry::Cluster(cluster, entry) => {
                self.cluster_mut(*cluster).expect("an entry of a cluster that is laid out").apply(entry);
            }
            MachineEntry::House(entry) => self.house.apply(entry),
        }
    }

    /// The bytes of every state.
    pub fn snapshot(&self) -> MachinesSnapshot {
        let of_table =
            |table: &RoundAndClusters| (table.round.snapshot(), table.clusters.iter().map(Cluster::snapshot).collect());
        let tables = self.tables.iter().map(|(id, table)| (*id, of_table(table)));
        MachinesSnapshot { house: self.house.snapshot(), tables: tables.collect() }
    }

    /// Restores the states of a snapshot of the same tables. After an error some machines may have been restored.
    pub fn restore(&mut self, snapshot: &MachinesSnapshot) -> Result<(), BadBytes> {
        self.house = House::restore(&snapshot.house)?;
        if !snapshot.tables.keys().eq(self.tables.keys()) {
            return Err(BadBytes::Damaged);
        }
        for (table, bytes) in self.tables.values_mut().zip(snapshot.tables.values()) {
            table.restore(self.house.profile(), bytes)?;
        }
        Ok(())
    }

    /// One hash for every state: the same entries give the same hash everywhere.
    pub fn state_hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.house.state_hash());
        for table in self.tables.values() {
            hasher.update(&table.round.state_hash());
            for cluster in &table.clusters {
                hasher.update(&cluster.state_hash());
            }
        }
        hasher.finalize().into()
    }
}
