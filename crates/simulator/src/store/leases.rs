//! Which node holds which partition, by the store's clock. A lease only decides who tries: what a chain takes is decided by its epoch.

use std::collections::{BTreeMap, BTreeSet};

use taisai_table::MachineId;

use crate::clock::SLOTS;
use crate::planted::{Mistakes, Planted};
use crate::roster::{Lease, Member, NodeName, Roster};

/// How long a node may answer after a beat, by its own clock.
pub(crate) const LEASE: u64 = 3_000;

/// So much longer than the node itself the store believes that a node lives.
pub(crate) const ALLOWANCE: u64 = 250;

/// A node is new for so long.
const NEW: u64 = 60_000;

/// What comes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claimed {
    Mine,
    HeldBy(NodeName),
    KeptFor(NodeName),
    /// The claiming node's time is over.
    Lapsed,
}

#[derive(Clone, Copy, Debug)]
struct Joined {
    address: usize,
    slot: u64,
    since: u64,
    until: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Held {
    holder: Option<NodeName>,
    wanted: Option<NodeName>,
}

/// The tables of nodes and leases.
#[derive(Clone, Debug, Default)]
pub(super) struct LeaseTable {
    nodes: BTreeMap<NodeName, Joined>,
    leases: BTreeMap<MachineId, Held>,
    /// The nodes that a partition was taken from while they lived: they may not have heard of it.
    seized: BTreeSet<(MachineId, NodeName)>,
}

impl LeaseTable {
    fn lives(&self, name: NodeName, clock: u64) -> bool {
        self.nodes.get(&name).is_some_and(|node| node.until > clock)
    }

    fn living(&self, name: Option<NodeName>, clock: u64) -> Option<NodeName> {
        name.filter(|name| self.lives(*name, clock))
    }

    pub(super) fn join(&mut self, name: NodeName, address: usize, clock: u64) -> (NodeName, u64) {
        let slot = (0..SLOTS).find(|slot| self.nodes.values().all(|node| node.slot != *slot)).unwrap_or(0);
        self.nodes.insert(name, Joined { address, slot, since: clock, until: clock + LEASE + ALLOWANCE });
        (name, slot)
    }

    /// Gives a node that lives another term; one whose time is over stays dead.
    pub(super) fn beat(&mut self, name: NodeName, clock: u64) -> bool {
        let node = self.nodes.get_mut(&name).filter(|node| node.until > clock);
        node.map(|node| node.until = clock + LEASE + ALLOWANCE).is_some()
    }

    pub(super) fn roster(&self, clock: u64) -> Roster {
        let living = self.nodes.iter().filter(|(_, node)| node.until > clock);
        let member = |(name, node): (&NodeName, &Joined)| Member {
            name: *name,
            address: node.address,
            is_new: node.since + NEW > clock,
        };
        let lease = |(partition, held): (&MachineId, &Held)| Lease {
            partition: *partition,
            holder: self.living(held.holder, clock),
            wanted: self.living(held.wanted, clock),
        };
        Roster { nodes: living.map(member).collect(), leases: self.leases.iter().map(lease).collect() }
    }

    pub(super) fn claim(&mut self, name: NodeName, partition: MachineId, clock: u64, mistakes: Mistakes) -> Claimed {
        let Held { holder, wanted } = *self.leases.entry(partition).or_default();
        if !self.lives(name, clock) {
            return Claimed::Lapsed;
        }
        let holder = self.living(holder, clock).filter(|_| !mistakes.is(Planted::LeaseOfALivingNodeClaimed));
        match (holder, self.living(wanted, clock)) {
            (Some(holder), _) if holder == name => Claimed::Mine,
            (Some(holder), _) => Claimed::HeldBy(holder),
            (None, Some(wanted)) if wanted != name => Claimed::KeptFor(wanted),
            (None, _) => {
                self.leases.insert(partition, Held { holder: Some(name), wanted: None });
                Claimed::Mine
            }
        }
    }

    pub(super) fn release(&mut self, name: NodeName, partition: MachineId) {
        if let Some(held) = self.leases.get_mut(&partition).filter(|held| held.holder == Some(name)) {
            held.holder = None;
        }
    }

    pub(super) fn seize(&mut self, name: NodeName, partition: MachineId, from: NodeName, clock: u64) -> bool {
        let lives = self.lives(name, clock);
        let Some(held) = self.leases.get_mut(&partition).filter(|held| held.holder == Some(from) && lives) else {
            return false;
        };
        *held = Held { holder: Some(name), wanted: None };
        self.seized.insert((partition, from));
        true
    }

    pub(super) fn wish(&mut self, partition: MachineId, node: NodeName, clock: u64) {
        let lives = self.lives(node, clock);
        if let Some(held) = self.leases.get_mut(&partition).filter(|_| lives) {
            held.wanted = Some(node).filter(|wanted| held.holder != Some(*wanted));
        }
    }

    pub(super) fn leave(&mut self, name: NodeName) {
        self.nodes.remove(&name);
    }

    pub(super) fn holder(&self, partition: MachineId) -> Option<NodeName> {
        self.leases.get(&partition)?.holder
    }

    pub(super) fn is_seized(&self, partition: MachineId, from: NodeName) -> bool {
        self.seized.contains(&(partition, from))
    }
}
