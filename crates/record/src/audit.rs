//! The audit of a whole store: each chain by itself, several at once, and then what must hold between them.

mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use taisai_journal::{Anchored, Archive, ChainName, Fault, Genesis, Head, PublicKey, Reason};
use taisai_table::{Cluster, ClusterId, House, MachineId, Round, TableId, check_transit};

pub use store::{AuditError, AuditSheet, ChainSheet, InUse, StoreAudit, Waits};

use crate::finding::Finding;
use crate::machine::Machine;
use crate::notices::Notices;
use crate::opening::{Opening, Program, chain_of, machine_of};
use crate::replay::{ReplayError, Seen};
use crate::store::StoreError;
use crate::verify::{Verified, verify_chain};

/// What a store is audited by.
#[derive(Clone, Copy, Debug)]
pub struct Auditor<'a> {
    /// The keys whose checkpoints are believed; if there are none, each is only held against the key beside it.
    pub keys: &'a [PublicKey],
    /// What the anchor holds; nothing if there is none.
    pub anchored: &'a [Anchored],
    /// The program that decides again.
    pub program: &'a Program,
}

/// What was found in a store.
#[derive(Debug, Default)]
pub struct Audit {
    /// Its chains, by name.
    pub chains: Vec<Audited>,
    /// What is wrong between them.
    pub between: Vec<Finding>,
}

/// A chain that was audited.
#[derive(Debug)]
pub struct Audited {
    /// Where it ends, as the store says.
    pub head: Head,
    /// What it holds, or the first thing that is wrong with it.
    pub result: Result<Counted, Finding>,
}

/// What a chain that is well holds.
#[derive(Clone, Debug)]
pub struct Counted {
    /// How many entries.
    pub entries: u64,
    /// How many of them no checkpoint vouches for yet.
    pub unsigned: u64,
    /// How many checkpoints.
    pub checkpoints: u64,
    /// The last round; none in the House, which has no rounds.
    pub rounds: Option<u64>,
    /// The keys that signed its checkpoints.
    pub signers: Vec<PublicKey>,
    /// What it was last opened with.
    pub opening: Option<Opening>,
}

impl Audit {
    /// Everything that is wrong, the chains first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.chains.iter().filter_map(|chain| chain.result.as_ref().err()).chain(&self.between)
    }
}

/// The machines of a house at the ends of their chains, and what they said to each other.
#[derive(Default)]
struct Ends {
    house: Option<House>,
    rounds: BTreeMap<TableId, (Round, Notices)>,
    clusters: BTreeMap<ClusterId, (Cluster, Notices)>,
    genesis: BTreeMap<ChainName, Genesis>,
}

impl Auditor<'_> {
    /// Audits every chain of a store as it was when this began. `open` opens the store once for each thread; `progress` is
    /// told of each block.
    ///
    /// # Panics
    /// If a thread does.
    pub fn audit(
        &self,
        open: &(dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Sync),
        heads: &[Head],
        progress: &(dyn Fn() + Sync),
    ) -> Result<Audit, StoreError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        self.audit_by(threads, open, heads, progress)
    }

    /// The same by at most so many threads, where others need the processors too.
    ///
    /// # Panics
    /// If a thread does.
    pub fn audit_by(
        &self,
        threads: usize,
        open: &(dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Sync),
        heads: &[Head],
        progress: &(dyn Fn() + Sync),
    ) -> Result<Audit, StoreError> {
        let threads = threads.clamp(1, heads.len().max(1));
        let archives = (0..threads).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
        // The longest first, so that no thread ends long after the others.
        let mut order: Vec<&Head> = heads.iter().collect();
        order.sort_by_key(|head| std::cmp::Reverse(head.next));
        let (next, ends, audited) = (AtomicUsize::new(0), Mutex::new(Ends::default()), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for mut archive in archives {
                let (next, order, ends, audited) = (&next, &order, &ends, &audited);
                scope.spawn(move || {
                    while let Some(head) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = self.chain(&mut *archive, head, ends, progress);
                        let head = Head::clone(head);
                        audited.lock().expect("no thread has stopped").push(Audited { head, result });
                    }
                });
            }
        });
        let mut chains: Vec<Audited> = audited.into_inner().expect("no thread has stopped");
        chains.sort_by(|a, b| a.head.chain.cmp(&b.head.chain));
        let mut between = self.anchor(heads);
        // A chain that is wrong has no end to compare with.
        if chains.iter().all(|chain| chain.result.is_ok()) {
            between.extend(ends.into_inner().expect("no thread has stopped").compare());
        }
        Ok(Audit { chains, between })
    }

    fn chain(
        &self,
        archive: &mut dyn Archive,
        head: &Head,
        ends: &Mutex<Ends>,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Counted, Finding> {
        let machine = machine_of(&head.chain).ok_or_else(|| Finding::UnknownChain(head.chain.clone()))?;
        let lock = || ends.lock().expect("no thread has stopped");
        let mut notices = Notices::default();
        let (counted, genesis) = match machine {
            MachineId::House => {
                let verified = self.verify::<House>(archive, head, progress, |_| {})?;
                let counted = counted(&verified, |_| None);
                lock().house = verified.machine;
                (counted, verified.genesis)
            }
            MachineId::Round(table) => {
                let verified = self.verify::<Round>(archive, head, progress, |seen| notices.see_round(seen))?;
                let counted = counted(&verified, |round| Some(round.number().0));
                lock().rounds.extend(verified.machine.map(|round| (table, (round, notices))));
                (counted, verified.genesis)
            }
            MachineId::Cluster(cluster) => {
                let verified = self.verify::<Cluster>(archive, head, progress, |seen| notices.see_cluster(seen))?;
                let counted = counted(&verified, |cluster| Some(cluster.round().0));
                lock().clusters.extend(verified.machine.map(|machine| (cluster, (machine, notices))));
                (counted, verified.genesis)
            }
        };
        lock().genesis.extend(genesis.map(|genesis| (head.chain.clone(), genesis)));
        Ok(counted)
    }

    fn verify<M: Machine>(
        &self,
        archive: &mut dyn Archive,
        head: &Head,
        progress: &(dyn Fn() + Sync),
        mut watch: impl FnMut(&Seen<'_, M>),
    ) -> Result<Verified<M>, Finding> {
        verify_chain(archive, head, self.keys, self.anchored, self.program, |seen| {
            if matches!(seen, Seen::Block(..)) {
                progress();
            }
            watch(seen);
        })
    }

    /// What the anchor knows and no chain of the store can answer for.
    fn anchor(&self, heads: &[Head]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for Anchored { line, checkpoint } in self.anchored {
            if !self.keys.is_empty() && !self.keys.contains(&checkpoint.key) {
                findings.push(Finding::AnchorKey { line: *line, key: checkpoint.key });
                break;
            }
        }
        let mut missing = BTreeMap::new();
        for vouched in self.anchored.iter().map(|line| &line.checkpoint.vouched) {
            if heads.iter().all(|head| head.chain != vouched.chain) {
                missing.entry(vouched.chain.clone()).or_insert(vouched.position);
            }
        }
        let cut_off = |(chain, position)| Fault { chain, position, reason: Reason::CutOff };
        findings.extend(missing.into_iter().map(cut_off).map(ReplayError::from).map(Finding::from));
        findings
    }
}

fn counted<M>(verified: &Verified<M>, rounds: impl FnOnce(&M) -> Option<u64>) -> Counted {
    Counted {
        entries: verified.entries,
        unsigned: verified.unsigned,
        checkpoints: verified.checkpoints,
        rounds: verified.machine.as_ref().and_then(rounds),
        signers: verified.signers.clone(),
        opening: verified.opening.clone(),
    }
}

impl Ends {
    /// What does not fit.
    fn compare(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some((other, first)) = self.genesis.first_key_value() {
            let unlike = self.genesis.iter().find(|(_, genesis)| *genesis != first);
            findings
                .extend(unlike.map(|(chain, _)| Finding::OtherHouse { chain: chain.clone(), other: other.clone() }));
        }
        for (table, (round, given)) in &self.rounds {
            findings.extend(self.followed(*table, round, given));
        }
        findings.extend(self.missing());
        let Some(house) = &self.house else { return findings };
        for (id, (cluster, _)) in &self.clusters {
            let transit = check_transit(house, cluster);
            let chain = chain_of(MachineId::Cluster(*id));
            findings.extend(transit.err().map(|broken| Finding::Transit { chain, broken }));
        }
        findings
    }

    /// The chains that others speak of.
    fn missing(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut need = |machine: MachineId, by: MachineId, is_there: bool| {
            if !is_there {
                findings.push(Finding::Missing { chain: chain_of(machine), by: chain_of(by) });
            }
        };
        let tables = self.rounds.keys().copied().chain(self.clusters.keys().map(|id| id.table));
        for table in tables.collect::<BTreeSet<_>>() {
            need(MachineId::House, MachineId::Round(table), self.house.is_some());
        }
        for id in self.clusters.keys() {
            need(MachineId::Round(id.table), MachineId::Cluster(*id), self.rounds.contains_key(&id.table));
        }
        for (table, of_house) in self.house.iter().flat_map(House::tables) {
            need(MachineId::Round(table), MachineId::House, self.rounds.contains_key(&table));
            for id in (0..of_house.clusters.get()).map(|number| ClusterId { table, number }) {
                need(MachineId::Cluster(id), MachineId::House, self.clusters.contains_key(&id));
            }
        }
        findings
    }

    /// Whether the clusters of a table followed what their round has given, and as far as it was told.
    fn followed(&self, table: TableId, round: &Round, given: &Notices) -> Vec<Finding> {
        let mut findings = Vec::new();
        let chain_of_round = || chain_of(MachineId::Round(table));
        let clusters = (0..=u16::MAX).map(|number| ClusterId { table, number });
        for (id, (reported, ..)) in clusters.map_while(|id| Some((id, round.reported(id)?))) {
            let chain = chain_of(MachineId::Cluster(id));
            let end = self.clusters.get(&id);
            let followed = end.map_or(0, |(cluster, _)| cluster.followed());
            if followed < reported {
                findings.push(Finding::Followed { round: chain_of_round(), chain: chain.clone(), reported, followed });
            }
            if let Some(unlike) = end.and_then(|(_, followed)| followed.first_unlike(given)) {
                let (at, number) = (unlike.at, unlike.number);
                findings.push(Finding::Notice { chain, at, number, round: chain_of_round() });
            }
        }
        findings
    }
}
