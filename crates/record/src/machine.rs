//! What the record needs of a machine. The House, the dealer's side and the players' side of a table each have a chain.

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{
    Asked, BadBytes, Broken, Cluster, ClusterCommand, ClusterEvent, Decision, Entry, House, HouseCommand, HouseEvent,
    Round, RoundCommand, RoundEvent,
};

use crate::opening::{BadOpening, Opening, Setup};

/// No cluster has more seats: with a bet on every box at each of them the slip of a round still fits a block when it is settled
/// again. A record that says otherwise is damaged, and is not worth the memory.
const MOST_SEATS: u32 = 100_000;

/// A machine that has a chain.
pub trait Machine: Clone + Send + Sized + 'static {
    /// What may be asked of it.
    type Command: Serialize + DeserializeOwned + Clone + std::fmt::Debug + Send;
    /// What happens.
    type Event: Serialize + DeserializeOwned + Clone + PartialEq + std::fmt::Debug + Send;

    /// The machine before its first entry.
    fn build(opening: &Opening) -> Result<Self, BadOpening>;
    /// The machine with the state of a snapshot.
    fn restore(opening: &Opening, bytes: &[u8]) -> Result<Self, BadOpening>;
    /// What the record may hold of a command.
    fn conceal(&self, asked: Asked<Self::Command>) -> Asked<Self::Command>;
    /// Decides a command.
    fn decide(&self, asked: &Asked<Self::Command>) -> Decision<Self::Event>;
    /// Applies an entry.
    fn apply(&mut self, entry: &Entry<Self::Command, Self::Event>);
    /// The bytes of the state.
    fn snapshot(&self) -> Vec<u8>;
    /// The hash of the state.
    fn state_hash(&self) -> [u8; 32];
    /// Every invariant.
    fn check(&self) -> Result<(), Broken>;
}

macro_rules! machine {
    ($machine:ident, $command:ident, $event:ident, $build:expr, $restore:expr, $conceal:expr, $check:expr) => {
        impl Machine for $machine {
            type Command = $command;
            type Event = $event;

            fn build(opening: &Opening) -> Result<Self, BadOpening> {
                let build: fn(&Opening) -> Result<Self, BadOpening> = $build;
                build(opening)
            }
            fn restore(opening: &Opening, bytes: &[u8]) -> Result<Self, BadOpening> {
                let restore: fn(&Opening, &[u8]) -> Result<Result<Self, BadBytes>, BadOpening> = $restore;
                Ok(restore(opening, bytes)??)
            }
            fn conceal(&self, asked: Asked<$command>) -> Asked<$command> {
                let conceal: fn(&Self, Asked<$command>) -> Asked<$command> = $conceal;
                conceal(self, asked)
            }
            fn decide(&self, asked: &Asked<$command>) -> Decision<$event> {
                self.decide(asked)
            }
            fn apply(&mut self, entry: &Entry<$command, $event>) {
                self.apply(entry);
            }
            fn snapshot(&self) -> Vec<u8> {
                self.snapshot()
            }
            fn state_hash(&self) -> [u8; 32] {
                self.state_hash()
            }
            fn check(&self) -> Result<(), Broken> {
                let check: fn(&Self) -> Result<(), Broken> = $check;
                check(self)
            }
        }
    };
}

machine!(
    House,
    HouseCommand,
    HouseEvent,
    |opening| match opening.setup {
        Setup::House { is_training } => Ok(Self::new(opening.profile.clone(), is_training)),
        Setup::Round { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::House { .. } => Ok(Self::restore(bytes)),
        Setup::Round { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    |_, asked| asked,
    Self::check
);

machine!(
    Round,
    RoundCommand,
    RoundEvent,
    |opening| match opening.setup {
        Setup::Round { table, is_training, clusters, .. } =>
            Ok(Self::new(table, opening.rules()?, opening.profile.clone(), is_training, clusters)),
        Setup::House { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::Round { table, is_training, .. } =>
            Ok(Self::restore(table, opening.rules()?, opening.profile.clone(), is_training, bytes)),
        Setup::House { .. } | Setup::Cluster { .. } => Err(BadOpening::OtherMachine),
    },
    Self::conceal,
    |_| Ok(())
);

machine!(
    Cluster,
    ClusterCommand,
    ClusterEvent,
    |opening| match opening.setup {
        Setup::Cluster { seats, .. } if seats > MOST_SEATS => Err(BadOpening::Damaged),
        Setup::Cluster { cluster, seats, .. } =>
            Ok(Self::new(cluster, opening.rules()?, opening.profile.clone(), seats)),
        Setup::House { .. } | Setup::Round { .. } => Err(BadOpening::OtherMachine),
    },
    |opening, bytes| match opening.setup {
        Setup::Cluster { cluster, .. } => Ok(Self::restore(cluster, opening.rules()?, opening.profile.clone(), bytes)),
        Setup::House { .. } | Setup::Round { .. } => Err(BadOpening::OtherMachine),
    },
    |_, asked| asked,
    Self::check
);
