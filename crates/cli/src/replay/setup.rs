//! What a simulated casino is set up with, as its record's file says it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use taisai_rules::Games;
use taisai_table::{Machines, Profile, Registration, TableId, TableRules, TableSpec};

/// The table that is played.
pub const TABLE: TableId = TableId(1);

/// A casino with one table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaySetup {
    /// The game with its version, like `tai-sai@6`.
    pub game: String,
    /// The layout of its table.
    pub layout: String,
    /// What the Dealer registers.
    pub registration: Registration,
    /// How many seats each cluster has.
    pub seats: Vec<u32>,
    /// Whether no money in it is real.
    pub training: bool,
    /// The profile of the casino.
    pub profile: Profile,
}

impl ReplaySetup {
    /// Its table, with the rules of the game.
    pub fn plan(&self, games: &Games) -> anyhow::Result<TableSpec> {
        let game = games.find(&self.game, None)?;
        let rules = TableRules::new(Arc::new(game.clone()), &self.layout)?.registering(self.registration)?;
        Ok(TableSpec { table: TABLE, rules, is_training: self.training, seats: self.seats.clone() })
    }

    /// The machines before the first entry.
    pub fn machines(&self, games: &Games) -> anyhow::Result<Machines> {
        let mut machines = Machines::new(self.profile.clone(), self.training);
        machines.lay_out(self.plan(games)?)?;
        Ok(machines)
    }
}
