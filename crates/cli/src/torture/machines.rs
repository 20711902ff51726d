//! The three machines of one table, as a record sets them up and moves them. It decides nothing: it applies entries.

use std::sync::Arc;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use taisai_rules::Games;
use taisai_table::{Cluster, ClusterId, House, Profile, Recorded, Round, TableId, TableRules};

/// The table that is played.
pub(crate) const TABLE: TableId = TableId(1);
/// Its players' side.
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };

/// What a table is set up with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    /// The game with its version, like `tai-sai@6`.
    pub(crate) game: String,
    pub(crate) layout: String,
    pub(crate) seats: u32,
    pub(crate) training: bool,
    pub(crate) profile: Profile,
}

impl Setup {
    pub(crate) fn rules(&self, games: &Games) -> anyhow::Result<TableRules> {
        let game = games.find(&self.game, None)?;
        Ok(TableRules::new(Arc::new(game.clone()), &self.layout)?)
    }
}

/// A house with one table.
#[derive(Clone)]
pub(crate) struct Machines {
    pub(crate) round: Round,
    pub(crate) cluster: Cluster,
    pub(crate) house: House,
}

impl Machines {
    pub(crate) fn new(setup: &Setup, rules: &TableRules) -> Self {
        let Setup { profile, training, seats, .. } = setup;
        Self {
            round: Round::new(TABLE, rules.clone(), profile.clone(), *training, 1),
            cluster: Cluster::new(CLUSTER, rules.clone(), profile.clone(), *seats),
            house: House::new(profile.clone(), *training),
        }
    }

    pub(crate) fn apply(&mut self, recorded: &Recorded) {
        match recorded {
            Recorded::Round(_, entry) => self.round.apply(entry),
            Recorded::Cluster(_, entry) => self.cluster.apply(entry),
            Recorded::House(entry) => self.house.apply(entry),
        }
    }

    /// One hash for all three states.
    pub(crate) fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.round.state_hash());
        hasher.update(&self.cluster.state_hash());
        hasher.update(&self.house.state_hash());
        hasher.finalize().into()
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { round: self.round.snapshot(), cluster: self.cluster.snapshot(), house: self.house.snapshot() }
    }
}

/// The bytes of the three states.
pub(super) struct Snapshot {
    round: Vec<u8>,
    cluster: Vec<u8>,
    house: Vec<u8>,
}

impl Snapshot {
    pub(super) fn restore(&self, setup: &Setup, rules: &TableRules) -> anyhow::Result<Machines> {
        let Setup { profile, training, .. } = setup;
        Ok(Machines {
            round: Round::restore(TABLE, rules.clone(), profile.clone(), *training, &self.round)
                .context("the snapshot of the round")?,
            cluster: Cluster::restore(CLUSTER, rules.clone(), profile.clone(), &self.cluster)
                .context("the snapshot of the cluster")?,
            house: House::restore(&self.house).context("the snapshot of the House")?,
        })
    }
}

/// A hash as people compare it.
pub(crate) fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
