//! How the machines are built from what their chains begin with. The House, the dealer's side and the players' side of a table each
//! have a chain.

use taisai_table::{BadBytes, Cluster, House, Round};

use crate::opening::{BadOpening, Opening, Setup};

/// No cluster has more seats: with a bet on every box at each of them the slip of a round still fits a block when it is settled
/// again. A record that says otherwise is damaged, and is not worth the memory.
const MOST_SEATS: u32 = 100_000;

/// A machine that has a chain.
pub trait Machine: taisai_table::Machine {
    /// The machine before its first entry.
    fn build(opening: &Opening) -> Result<Self, BadOpening>;
    /// The machine with the state of a snapshot.
    fn restore(opening: &Opening, bytes: &[u8]) -> Result<Self, BadOpening>;
}

macro_rules! machine {
    ($machine:ident, $build:expr, $restore:expr) => {
        impl Machine for $machine {
            fn build(opening: &Opening) -> Result<Self, BadOpening> {
                let build: fn(&Opening) -> Result<Self, BadOpening> = $build;
                build(opening)
            }
            fn restore(opening: &Opening, bytes: &[u8]) -> Result<Self, BadOpening> {
                let restore: fn(&Opening, &[u8]) -> Result<Result<Self, BadBytes>, BadOpening> = $restore;
                Ok(restore(opening, bytes)??)
            }
        }
    };
}

machine!(
    House,
    |opening| match opening.setup {
        Setup::House { is_training } => Ok(Self::new(opening.profile.clone(), is_training)),
        Setup::Round { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::House { .. } => Ok(Self::restore(bytes)),
        Setup::Round { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    }
);

machine!(
    Round,
    |opening| match opening.setup {
        Setup::Round { table, is_training, clusters, .. } =>
            Ok(Self::new(table, opening.rules()?, opening.profile.clone(), is_training, clusters)),
        Setup::House { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::Round { table, is_training, .. } =>
            Ok(Self::restore(table, opening.rules()?, opening.profile.clone(), is_training, bytes)),
        Setup::House { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    }
);

machine!(
    Cluster,
    |opening| match opening.setup {
        Setup::Cluster { seats, .. } if seats > MOST_SEATS => Err(BadOpening::Damaged),
        Setup::Cluster { cluster, seats, .. } =>
            Ok(Self::new(cluster, opening.rules()?, opening.profile.clone(), seats)),
        Setup::House { .. } | Setup::Round { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::Cluster { cluster, .. } => Ok(Self::restore(cluster, opening.rules()?, opening.profile.clone(), bytes)),
        Setup::House { .. } | Setup::Round { .. } => Err(BadOpening::OtherMachine),
    }
);
