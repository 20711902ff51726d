//! The opening: what a machine is built with. It is written into the chain before its first entry, and again each time
//! a program begins to write to it. With it a chain is complete: it holds the full text of the rules.
//!
//! An opening begins with the byte 0, which no entry does; then comes the version of its format.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use taisai_journal::{ChainName, Hash};
use taisai_rules::Game;
use taisai_table::{BadBytes, ClusterId, MachineId, Profile, Registration, TableId, TableRules, Time};

/// How an opening begins.
const MARK: [u8; 2] = [0, 1];

/// The program that writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub version: String,
    /// The hash of its file.
    pub hash: [u8; 32],
}

/// Which machine a chain is of, and what it is built with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineSetup {
    House {
        /// Whether the whole installation is for training.
        is_training: bool,
    },
    /// The dealer's side of a table.
    Round {
        table: TableId,
        /// The file of the game.
        game: String,
        layout: String,
        registration: Registration,
        /// Whether it plays for training.
        is_training: bool,
        /// How many clusters it has.
        clusters: u16,
    },
    Cluster {
        cluster: ClusterId,
        /// The file of the game.
        game: String,
        layout: String,
        registration: Registration,
        seats: u32,
    },
}

impl MachineSetup {
    /// Which machine it is of.
    pub const fn machine(&self) -> MachineId {
        match self {
            Self::House { .. } => MachineId::House,
            Self::Round { table, .. } => MachineId::Round(*table),
            Self::Cluster { cluster, .. } => MachineId::Cluster(*cluster),
        }
    }

    /// The name of the machine's chain.
    pub fn chain(&self) -> ChainName {
        chain_of(self.machine())
    }

    /// Whether it is of a table for training. Whether the whole installation is for training is in the genesis blocks.
    pub const fn is_training_table(&self) -> bool {
        matches!(self, Self::Round { is_training: true, .. })
    }
}

/// The chain of a machine.
///
/// # Panics
/// Never: every machine has a name that a chain can have.
pub fn chain_of(machine: MachineId) -> ChainName {
    let name = match machine {
        MachineId::House => "house".to_owned(),
        MachineId::Round(table) => format!("table-{}", table.0),
        MachineId::Cluster(cluster) => format!("table-{}-{}", cluster.table.0, cluster.number),
    };
    name.parse().expect("it is a chain's name")
}

/// The machine that a chain is of; none for a name that no machine has.
pub fn machine_of(chain: &ChainName) -> Option<MachineId> {
    let machine = match chain.as_str().strip_prefix("table-") {
        None => MachineId::House,
        Some(numbers) => match numbers.split_once('-') {
            None => MachineId::Round(TableId(numbers.parse().ok()?)),
            Some((table, number)) => {
                MachineId::Cluster(ClusterId { table: TableId(table.parse().ok()?), number: number.parse().ok()? })
            }
        },
    };
    (chain_of(machine) == *chain).then_some(machine)
}

/// What a machine is built with, when and by which program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainOpening {
    pub time: Time,
    pub program: Program,
    pub profile: Profile,
    pub setup: MachineSetup,
}

/// Why no machine can be built with an opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadChainOpening {
    /// It is of another machine.
    #[error("the chain is of another machine")]
    OtherMachine,
    /// A newer program wrote it.
    #[error("the opening has format {0}: use the newer program that wrote it")]
    Newer(u8),
    /// An entry comes before any opening.
    #[error("an entry comes before any opening")]
    Missing,
    #[error("the opening is damaged")]
    Damaged,
    /// The game in it cannot be read.
    #[error("the game in the opening cannot be read: {0}")]
    Game(String),
    /// The state in a snapshot cannot be read.
    #[error("the snapshot cannot be read: {0}")]
    Snapshot(#[from] BadBytes),
}

impl BadChainOpening {
    /// Whether a newer program wrote what this one cannot read: nothing is damaged then.
    pub const fn is_of_newer_program(&self) -> bool {
        match self {
            Self::Newer(_) => true,
            Self::Snapshot(bad) => bad.is_of_newer_program(),
            Self::OtherMachine | Self::Missing | Self::Damaged | Self::Game(_) => false,
        }
    }
}

impl ChainOpening {
    /// Whether an entry of a chain is an opening.
    pub fn is_one(line: &[u8]) -> bool {
        line.first() == Some(&MARK[0])
    }

    pub(crate) fn write(&self, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(&MARK);
        buffer.extend_from_slice(&postcard::to_allocvec(self).expect("an opening can be written down"));
    }

    pub fn read(line: &[u8]) -> Result<Self, BadChainOpening> {
        match line {
            [0, 1, bytes @ ..] => match postcard::take_from_bytes(bytes) {
                Ok((opening, [])) => Ok(opening),
                Ok(_) | Err(_) => Err(BadChainOpening::Damaged),
            },
            [0, newer, ..] if *newer > MARK[1] => Err(BadChainOpening::Newer(*newer)),
            _ => Err(BadChainOpening::Damaged),
        }
    }

    /// What the table is played by, for a machine of a table.
    pub fn rules(&self) -> Result<TableRules, BadChainOpening> {
        let (MachineSetup::Round { game, layout, registration, .. }
        | MachineSetup::Cluster { game, layout, registration, .. }) = &self.setup
        else {
            return Err(BadChainOpening::OtherMachine);
        };
        let game = Game::from_toml(game).map_err(|faults| {
            BadChainOpening::Game(faults.first().map_or_else(|| "no fault is told".to_owned(), ToString::to_string))
        })?;
        let rules =
            TableRules::new(Arc::new(game), layout).map_err(|unknown| BadChainOpening::Game(unknown.to_string()))?;
        rules.registering(*registration).map_err(|other| BadChainOpening::Game(other.to_string()))
    }

    /// The hash of the game's file; none for the House.
    pub fn rules_hash(&self) -> Option<Hash> {
        match &self.setup {
            MachineSetup::House { .. } => None,
            MachineSetup::Round { game, .. } | MachineSetup::Cluster { game, .. } => Some(Hash::of(game.as_bytes())),
        }
    }

    /// The hash of the profile.
    ///
    /// # Panics
    /// Never: a profile can be written down.
    pub fn profile_hash(&self) -> Hash {
        Hash::of(&postcard::to_allocvec(&self.profile).expect("a profile can be written down"))
    }

    /// Whether both build the same machine, whatever their time and program.
    pub(crate) fn builds_the_same(&self, other: &Self) -> bool {
        self.setup == other.setup && self.profile == other.profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_the_name_of_its_machine() {
        let cluster = ClusterId { table: TableId(12), number: 3 };
        for machine in [MachineId::House, MachineId::Round(TableId(65_535)), MachineId::Cluster(cluster)] {
            assert_eq!(machine_of(&chain_of(machine)), Some(machine));
        }
        for other in ["houses", "table-", "table-01", "table-65536", "table-1-", "table-1-2-3", "table-1-02"] {
            assert_eq!(machine_of(&other.parse().unwrap()), None, "{other}");
        }
    }
}
