//! The machines of one house as a record moves them: the House, and each table with its dealer's side and its clusters. They
//! are laid out by a plan, which the record does not hold, and then apply entries. Nothing is decided here.

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

/// What a table is laid out by.
#[derive(Clone, Debug)]
pub struct TableSpec {
    pub table: TableId,
    /// What it is played by.
    pub rules: TableRules,
    /// Whether it plays for training.
    pub is_training: bool,
    /// How many seats each of its clusters has.
    pub seats: Vec<u32>,
}

/// A plan that makes no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTableSpec {
    /// There are no clusters, or more than can be numbered.
    #[error("a table has from 1 to 65,535 clusters")]
    Clusters,
    /// Limits that run over all players need all of them in one place.
    #[error("a live table has exactly one cluster")]
    LiveTable,
    /// The House has another table of that number, or may not be given one.
    #[error("the House refuses the table: {}", .0.sentence())]
    Refused(Refusal),
}

impl TableSpec {
    /// How many clusters there are, if they may be so many.
    pub fn clusters(&self) -> Result<NonZeroU16, BadTableSpec> {
        let clusters = u16::try_from(self.seats.len()).ok().and_then(NonZeroU16::new).ok_or(BadTableSpec::Clusters)?;
        let is_bound_by_terminal = self.rules.layout().limit_scope() == Some(LimitScope::Terminal);
        if is_bound_by_terminal || clusters == NonZeroU16::MIN { Ok(clusters) } else { Err(BadTableSpec::LiveTable) }
    }
}

/// A table: its dealer's side and its players' sides.
#[derive(Clone, Debug)]
pub struct RoundAndClusters {
    plan: TableSpec,
    /// The dealer's side.
    pub round: Round,
    /// The players' sides, by their numbers.
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

/// One entry of the record, of whichever machine.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineEntry {
    /// Of a dealer's side.
    Round(TableId, RoundEntry),
    /// Of a players' side.
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

/// Every machine of a house.
#[derive(Clone, Debug)]
pub struct Machines {
    pub house: House,
    pub tables: BTreeMap<TableId, RoundAndClusters>,
}

impl Machines {
    /// A house without tables.
    pub fn new(profile: Profile, is_training: bool) -> Self {
        Self { house: House::new(profile, is_training), tables: BTreeMap::new() }
    }

    /// Lays out a table. The House is not told.
    pub fn lay_out(&mut self, plan: TableSpec) -> Result<(), BadTableSpec> {
        if self.tables.contains_key(&plan.table) {
            return Err(BadTableSpec::Refused(Refusal::TableExists));
        }
        self.tables.insert(plan.table, RoundAndClusters::new(plan, self.house.profile())?);
        Ok(())
    }

    /// The same plans before the first entry.
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
    /// If it is of a machine that is not there: then the record is of another house.
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

    /// Takes the states of a snapshot of the same plans. If it is damaged some machines may have taken theirs.
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
