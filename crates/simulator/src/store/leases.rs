//! Which node holds which partition, by the store's clock. A lease only decides who tries: what a chain takes is decided by its epoch.

use std::collections::{BTreeMap, BTreeSet};

use taisai_table::MachineId;

use crate::clock::SLOTS;
use crate::planted::{Mistakes, Planted};
use crate::roster::{NodeNumber, StoreLease, StoreMember, StoreRoster};

/// How long a node may answer after a beat, by its own clock.
pub(crate) const LEASE: u64 = 3_000;

/// How much longer than the node itself the store counts its lease.
pub(crate) const LEASE_ALLOWANCE: u64 = 250;

/// How long a node counts as new.
const NEW_NODE_PERIOD: u64 = 60_000;

/// What comes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseClaim {
    Mine,
    HeldBy(NodeNumber),
    KeptFor(NodeNumber),
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
struct LeaseRow {
    holder: Option<NodeNumber>,
    wanted: Option<NodeNumber>,
}

/// The tables of nodes and leases.
#[derive(Clone, Debug, Default)]
pub(super) struct LeaseTable {
    nodes: BTreeMap<NodeNumber, Joined>,
    leases: BTreeMap<MachineId, LeaseRow>,
    /// The live nodes that a partition was taken from: they may not know yet.
    seized: BTreeSet<(MachineId, NodeNumber)>,
}

impl LeaseTable {
    fn lives(&self, name: NodeNumber, clock: u64) -> bool {
        self.nodes.get(&name).is_some_and(|node| node.until > clock)
    }

    fn living(&self, name: Option<NodeNumber>, clock: u64) -> Option<NodeNumber> {
        name.filter(|name| self.lives(*name, clock))
    }

    pub(super) fn join(&mut self, name: NodeNumber, address: usize, clock: u64) -> (NodeNumber, u64) {
        let slot = (0..SLOTS).find(|slot| self.nodes.values().all(|node| node.slot != *slot)).unwrap_or(0);
        self.nodes.insert(name, Joined { address, slot, since: clock, until: clock + LEASE + LEASE_ALLOWANCE });
        (name, slot)
    }

    /// Gives a node that lives another term; one whose time is over stays dead.
    pub(super) fn heartbeat(&mut self, name: NodeNumber, clock: u64) -> bool {
        let node = self.nodes.get_mut(&name).filter(|node| node.until > clock);
        node.map(|node| node.until = clock + LEASE + LEASE_ALLOWANCE).is_some()
    }

    pub(super) fn roster(&self, clock: u64) -> StoreRoster {
        let living = self.nodes.iter().filter(|(_, node)| node.until > clock);
        let member = |(name, node): (&NodeNumber, &Joined)| StoreMember {
            name: *name,
            address: node.address,
            is_new: node.since + NEW_NODE_PERIOD > clock,
        };
        let lease = |(partition, held): (&MachineId, &LeaseRow)| StoreLease {
            partition: *partition,
            holder: self.living(held.holder, clock),
            wanted: self.living(held.wanted, clock),
        };
        StoreRoster { nodes: living.map(member).collect(), leases: self.leases.iter().map(lease).collect() }
    }

    pub(super) fn claim(
        &mut self,
        name: NodeNumber,
        partition: MachineId,
        clock: u64,
        mistakes: Mistakes,
    ) -> LeaseClaim {
        let LeaseRow { holder, wanted } = *self.leases.entry(partition).or_default();
        if !self.lives(name, clock) {
            return LeaseClaim::Lapsed;
        }
        let holder = self.living(holder, clock).filter(|_| !mistakes.is(Planted::LeaseOfALivingNodeClaimed));
        match (holder, self.living(wanted, clock)) {
            (Some(holder), _) if holder == name => LeaseClaim::Mine,
            (Some(holder), _) => LeaseClaim::HeldBy(holder),
            (None, Some(wanted)) if wanted != name => LeaseClaim::KeptFor(wanted),
            (None, _) => {
                self.leases.insert(partition, LeaseRow { holder: Some(name), wanted: None });
                LeaseClaim::Mine
            }
        }
    }

    pub(super) fn release(&mut self, name: NodeNumber, partition: MachineId) {
        if let Some(held) = self.leases.get_mut(&partition).filter(|held| held.holder == Some(name)) {
            held.holder = None;
        }
    }

    pub(super) fn seize(&mut self, name: NodeNumber, partition: MachineId, from: NodeNumber, clock: u64) -> bool {
        let lives = self.lives(name, clock);
        let Some(held) = self.leases.get_mut(&partition).filter(|held| held.holder == Some(from) && lives) else {
            return false;
        };
        *held = LeaseRow { holder: Some(name), wanted: None };
        self.seized.insert((partition, from));
        true
    }

    pub(super) fn wish(&mut self, partition: MachineId, node: NodeNumber, clock: u64) {
        let lives = self.lives(node, clock);
        if let Some(held) = self.leases.get_mut(&partition).filter(|_| lives) {
            held.wanted = Some(node).filter(|wanted| held.holder != Some(*wanted));
        }
    }

    pub(super) fn leave(&mut self, name: NodeNumber) {
        self.nodes.remove(&name);
    }

    pub(super) fn holder(&self, partition: MachineId) -> Option<NodeNumber> {
        self.leases.get(&partition)?.holder
    }

    pub(super) fn is_seized(&self, partition: MachineId, from: NodeNumber) -> bool {
        self.seized.contains(&(partition, from))
    }
}
