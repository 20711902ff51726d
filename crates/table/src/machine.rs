//! The interface of all machines.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cluster::{Cluster, ClusterCommand, ClusterEvent, SettledSlip};
use crate::entry::{CommandRequest, Decision, Entry};
use crate::house::{House, HouseCommand, HouseEvent};
use crate::invariant::BrokenInvariant;
use crate::round::{Round, RoundCommand, RoundEvent};

/// A deterministic state machine with a chain of its own.
pub trait Machine: Clone + Send + Sized + 'static {
    type Command: Serialize + DeserializeOwned + Clone + std::fmt::Debug + Send;
    type Event: Serialize + DeserializeOwned + Clone + PartialEq + std::fmt::Debug + Send;

    /// Removes what the record must not hold of a command.
    fn conceal(&self, request: CommandRequest<Self::Command>) -> CommandRequest<Self::Command>;
    fn decide(&self, request: &CommandRequest<Self::Command>) -> Decision<Self::Event>;
    /// The slip of the round that an entry settles, before the entry is applied.
    fn settled_slip(&self, entry: &Entry<Self::Command, Self::Event>) -> Option<SettledSlip>;
    fn apply(&mut self, entry: &Entry<Self::Command, Self::Event>);
    fn snapshot(&self) -> Vec<u8>;
    fn state_hash(&self) -> [u8; 32];
    /// Checks every invariant.
    fn check(&self) -> Result<(), BrokenInvariant>;
}

macro_rules! machine {
    ($machine:ident, $command:ident, $event:ident, $conceal:expr, $settled:expr, $check:expr) => {
        impl Machine for $machine {
            type Command = $command;
            type Event = $event;

            fn conceal(&self, request: CommandRequest<$command>) -> CommandRequest<$command> {
                let conceal: fn(&Self, CommandRequest<$command>) -> CommandRequest<$command> = $conceal;
                conceal(self, request)
            }
            fn decide(&self, request: &CommandRequest<$command>) -> Decision<$event> {
                self.decide(request)
            }
            fn settled_slip(&self, entry: &Entry<$command, $event>) -> Option<SettledSlip> {
                let settled: fn(&Self, &Entry<$command, $event>) -> Option<SettledSlip> = $settled;
                settled(self, entry)
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
            fn check(&self) -> Result<(), BrokenInvariant> {
                let check: fn(&Self) -> Result<(), BrokenInvariant> = $check;
                check(self)
            }
        }
    };
}

machine!(House, HouseCommand, HouseEvent, |_, request| request, |_, _| None, Self::check);
machine!(Round, RoundCommand, RoundEvent, Self::conceal, |_, _| None, |_| Ok(()));
machine!(Cluster, ClusterCommand, ClusterEvent, |_, request| request, Self::settled_slip, Self::check);
