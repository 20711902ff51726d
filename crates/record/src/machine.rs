//! How machines are built from the opening of their chain, and from snapshots.

use taisai_table::{BadBytes, Cluster, House, Round};

use crate::opening::{BadChainOpening, ChainOpening, MachineSetup};

/// No cluster has more seats: with a bet on every box at each of them the slip of a round still fits a block when it is settled
/// again. A record that says otherwise is damaged, and is not worth the memory.
const MOST_SEATS: u32 = 100_000;

/// A machine that has a chain.
pub trait RecordedMachine: taisai_table::Machine {
    /// The machine before its first entry.
    fn build(opening: &ChainOpening) -> Result<Self, BadChainOpening>;
    /// The machine with the state of a snapshot.
    fn restore(opening: &ChainOpening, bytes: &[u8]) -> Result<Self, BadChainOpening>;
}

macro_rules! machine {
    ($machine:ident, $build:expr, $restore:expr) => {
        impl RecordedMachine for $machine {
            fn build(opening: &ChainOpening) -> Result<Self, BadChainOpening> {
                let build: fn(&ChainOpening) -> Result<Self, BadChainOpening> = $build;
                build(opening)
            }
            fn restore(opening: &ChainOpening, bytes: &[u8]) -> Result<Self, BadChainOpening> {
                let restore: fn(&ChainOpening, &[u8]) -> Result<Result<Self, BadBytes>, BadChainOpening> = $restore;
                Ok(restore(opening, bytes)??)
            }
        }
    };
}

machine!(
    House,
    |opening| match opening.setup {
        MachineSetup::House { is_training } => Ok(Self::new(opening.profile.clone(), is_training)),
        MachineSetup::Round { .. } | MachineSetup::Cluster { .. } => Err(BadChainOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        MachineSetup::House { .. } => Ok(Self::restore(bytes)),
        MachineSetup::Round { .. } | MachineSetup::Cluster { .. } => Err(BadChainOpening::OtherMachine),
    }
);

machine!(
    Round,
    |opening| match opening.setup {
        MachineSetup::Round { table, is_training, clusters, .. } =>
            Ok(Self::new(table, opening.rules()?, opening.profile.clone(), is_training, clusters)),
        MachineSetup::House { .. } | MachineSetup::Cluster { .. } => Err(BadChainOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        MachineSetup::Round { table, is_training, .. } =>
            Ok(Self::restore(table, opening.rules()?, opening.profile.clone(), is_training, bytes)),
        MachineSetup::House { .. } | MachineSetup::Cluster { .. } => Err(BadChainOpening::OtherMachine),
    }
);

machine!(
    Cluster,
    |opening| match opening.setup {
        MachineSetup::Cluster { seats, .. } if seats > MOST_SEATS => Err(BadChainOpening::Damaged),
        MachineSetup::Cluster { cluster, seats, .. } =>
            Ok(Self::new(cluster, opening.rules()?, opening.profile.clone(), seats)),
        MachineSetup::House { .. } | MachineSetup::Round { .. } => Err(BadChainOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        MachineSetup::Cluster { cluster, .. } =>
            Ok(Self::restore(cluster, opening.rules()?, opening.profile.clone(), bytes)),
        MachineSetup::House { .. } | MachineSetup::Round { .. } => Err(BadChainOpening::OtherMachine),
    }
);
