//! The audit of a whole store: each chain by itself, several in parallel, and then what must hold between them.

mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use taisai_journal::{AnchorLine, Archive, ChainFault, ChainFaultReason, ChainHead, ChainName, Genesis, PublicKey};
use taisai_table::{Cluster, ClusterId, House, MachineId, Round, Sensitive, TableId, check_transit};

pub use store::{AuditError, AuditProgress, AuditSheet, ChainSheet, StoreAudit, VersionInUse};

use crate::finding::AuditFinding;
use crate::machine::RecordedMachine;
use crate::notices::Notices;
use crate::opening::{ChainOpening, Program, chain_of, machine_of};
use crate::past::KeptSlips;
use crate::people::{ActingPeople, PeopleOnFile, UnlikePerson};
use crate::replay::{ReplayError, ReplayEvent};
use crate::signers::{ChainSigners, KeyHistory, LateSignature};
use crate::store::StoreError;
use crate::transfers::{ClusterTransfers, HouseTransfers, OwnTransfers, UnlikeTransfer};
use crate::verify::{VerifiedChain, verify_chain};

/// What a store is audited by.
#[derive(Clone, Copy, Debug)]
pub struct Auditor<'a> {
    /// The keys whose checkpoints are accepted. Without keys, each checkpoint is only checked against its own key.
    pub keys: &'a [PublicKey],
    /// What the anchor holds; nothing if there is none.
    pub anchored: &'a [AnchorLine],
    /// The program that decides again.
    pub program: &'a Program,
}

/// The result of an audit.
#[derive(Debug, Default)]
pub struct Audit {
    pub chains: Vec<AuditedChain>,
    /// What is wrong between them.
    pub between: Vec<AuditFinding>,
    /// The House at the end of its chain, unless a chain is wrong.
    pub house: Option<House>,
}

/// A chain that was audited.
#[derive(Debug)]
pub struct AuditedChain {
    /// Where it ends, as the store says.
    pub head: ChainHead,
    /// What it holds, or the first thing that is wrong with it.
    pub result: Result<ChainSummary, AuditFinding>,
}

/// What a chain that is well holds.
#[derive(Clone, Debug)]
pub struct ChainSummary {
    pub entries: u64,
    /// How many of them no checkpoint covers yet.
    pub unsigned: u64,
    pub checkpoints: u64,
    /// The last round; none in the House, which has no rounds.
    pub rounds: Option<u64>,
    /// How many settled rounds have no slip beside the chain: they were settled by a program that kept none, or the slips were
    /// removed.
    pub missing_slips: u64,
    /// The keys that signed its checkpoints.
    pub signers: Vec<PublicKey>,
    /// What it was last opened with.
    pub opening: Option<ChainOpening>,
}

impl Audit {
    /// Everything that is wrong, the chains first.
    pub fn findings(&self) -> impl Iterator<Item = &AuditFinding> {
        self.chains.iter().filter_map(|chain| chain.result.as_ref().err()).chain(&self.between)
    }
}

/// The machines at the ends of their chains, and what passed between them.
#[derive(Default)]
struct Ends {
    house: Option<HouseEnd>,
    rounds: BTreeMap<TableId, (Round, Notices)>,
    clusters: BTreeMap<ClusterId, ClusterEnd>,
    /// Who acted in the chains of tables.
    acting: BTreeMap<ChainName, ActingPeople>,
    signers: BTreeMap<ChainName, ChainSigners>,
    genesis: BTreeMap<ChainName, Genesis>,
    /// Slips that are not those of their chains.
    bad_slips: Vec<AuditFinding>,
}

struct HouseEnd {
    house: House,
    transfers: BTreeMap<ClusterId, OwnTransfers>,
    people: PeopleOnFile,
    keys: KeyHistory,
}

struct ClusterEnd {
    cluster: Cluster,
    notices: Notices,
    transfers: OwnTransfers,
}

impl Auditor<'_> {
    /// Audits every chain of a store up to `heads`. `open` opens the store once for each thread; `progress` is called
    /// for each block.
    ///
    /// # Panics
    /// If a thread does.
    pub fn audit(
        &self,
        open: &(dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Sync),
        heads: &[ChainHead],
        progress: &(dyn Fn() + Sync),
    ) -> Result<Audit, StoreError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        self.audit_by(threads, open, heads, progress)
    }

    /// The same with at most `threads` threads, where others need the processors too.
    ///
    /// # Panics
    /// If a thread does.
    pub fn audit_by(
        &self,
        threads: usize,
        open: &(dyn Fn() -> Result<Box<dyn Archive>, StoreError> + Sync),
        heads: &[ChainHead],
        progress: &(dyn Fn() + Sync),
    ) -> Result<Audit, StoreError> {
        let threads = threads.clamp(1, heads.len().max(1));
        let archives = (0..threads).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
        // The longest first, so that no thread ends long after the others.
        let mut order: Vec<&ChainHead> = heads.iter().collect();
        order.sort_by_key(|head| std::cmp::Reverse(head.next));
        let (next, ends, audited) = (AtomicUsize::new(0), Mutex::new(Ends::default()), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for mut archive in archives {
                let (next, order, ends, audited) = (&next, &order, &ends, &audited);
                scope.spawn(move || {
                    while let Some(head) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = self.chain(&mut *archive, head, ends, progress);
                        let head = ChainHead::clone(head);
                        audited.lock().expect("no thread has stopped").push(AuditedChain { head, result });
                    }
                });
            }
        });
        let mut chains: Vec<AuditedChain> = audited.into_inner().expect("no thread has stopped");
        chains.sort_by(|a, b| a.head.chain.cmp(&b.head.chain));
        let mut between = self.anchor(heads);
        let mut ends = ends.into_inner().expect("no thread has stopped");
        between.append(&mut ends.bad_slips);
        let mut house = None;
        // A chain that is wrong has no end to compare with.
        if chains.iter().all(|chain| chain.result.is_ok()) {
            between.extend(ends.compare());
            house = ends.house.map(|end| end.house);
        }
        Ok(Audit { chains, between, house })
    }

    fn chain(
        &self,
        archive: &mut dyn Archive,
        head: &ChainHead,
        ends: &Mutex<Ends>,
        progress: &(dyn Fn() + Sync),
    ) -> Result<ChainSummary, AuditFinding> {
        let machine = machine_of(&head.chain).ok_or_else(|| AuditFinding::UnknownChain(head.chain.clone()))?;
        let lock = || ends.lock().expect("no thread has stopped");
        let (mut notices, mut acting) = (Notices::default(), ActingPeople::default());
        let mut signers = ChainSigners::default();
        let (counted, genesis) = match machine {
            MachineId::House => {
                let (mut transfers, mut people) = (HouseTransfers::default(), PeopleOnFile::default());
                let mut keys = KeyHistory::default();
                let verified = self.verify::<House>(archive, head, progress, |seen| {
                    transfers.see(seen);
                    people.see(seen);
                    keys.see(seen);
                    signers.see(seen);
                })?;
                let counted = counted(&verified, |_| None);
                let end = |house| HouseEnd { transfers: transfers.end(&house), people, keys, house };
                lock().house = verified.machine.map(end);
                (counted, verified.genesis)
            }
            MachineId::Round(table) => {
                let verified = self.verify::<Round>(archive, head, progress, |seen| {
                    notices.see_round(seen);
                    acting.see(seen, Sensitive::second);
                    signers.see(seen);
                })?;
                let counted = counted(&verified, |round| Some(round.number().0));
                lock().rounds.extend(verified.machine.map(|round| (table, (round, notices))));
                (counted, verified.genesis)
            }
            MachineId::Cluster(id) => {
                let mut transfers = ClusterTransfers::default();
                let verified = self.verify::<Cluster>(archive, head, progress, |seen| {
                    notices.see_cluster(seen);
                    transfers.see(seen);
                    acting.see(seen, Sensitive::second);
                    signers.see(seen);
                })?;
                let mut counted = counted(&verified, |cluster| Some(cluster.round().0));
                if let Some(cluster) = &verified.machine {
                    let kept = KeptSlips::compare(archive, cluster)?;
                    let chain = head.chain.clone();
                    let bad = kept.bad.map(|(round, why)| AuditFinding::Slip { chain, round, why });
                    lock().bad_slips.extend(bad);
                    counted.missing_slips = kept.missing;
                }
                let end = |cluster| ClusterEnd { transfers: transfers.end(&cluster), notices, cluster };
                lock().clusters.extend(verified.machine.map(|cluster| (id, end(cluster))));
                (counted, verified.genesis)
            }
        };
        lock().acting.insert(head.chain.clone(), acting);
        lock().signers.insert(head.chain.clone(), signers);
        lock().genesis.extend(genesis.map(|genesis| (head.chain.clone(), genesis)));
        Ok(counted)
    }

    fn verify<M: RecordedMachine>(
        &self,
        archive: &mut dyn Archive,
        head: &ChainHead,
        progress: &(dyn Fn() + Sync),
        mut watch: impl FnMut(&ReplayEvent<'_, M>),
    ) -> Result<VerifiedChain<M>, AuditFinding> {
        verify_chain(archive, head, self.keys, self.anchored, self.program, |seen| {
            if matches!(seen, ReplayEvent::Block(..)) {
                progress();
            }
            watch(seen);
        })
    }

    /// Lines of the anchor with an unknown key, or of a chain that the store does not have.
    fn anchor(&self, heads: &[ChainHead]) -> Vec<AuditFinding> {
        let mut findings = Vec::new();
        for AnchorLine { line, checkpoint } in self.anchored {
            if !self.keys.is_empty() && !self.keys.contains(&checkpoint.key) {
                findings.push(AuditFinding::AnchorKey { line: *line, key: checkpoint.key });
                break;
            }
        }
        let mut missing = BTreeMap::new();
        for vouched in self.anchored.iter().map(|line| &line.checkpoint.content) {
            if heads.iter().all(|head| head.chain != vouched.chain) {
                missing.entry(vouched.chain.clone()).or_insert(vouched.position);
            }
        }
        let cut_off = |(chain, position)| ChainFault { chain, position, reason: ChainFaultReason::CutOff };
        findings.extend(missing.into_iter().map(cut_off).map(ReplayError::from).map(AuditFinding::from));
        findings
    }
}

fn counted<M>(verified: &VerifiedChain<M>, rounds: impl FnOnce(&M) -> Option<u64>) -> ChainSummary {
    ChainSummary {
        entries: verified.entries,
        unsigned: verified.unsigned,
        checkpoints: verified.checkpoints,
        rounds: verified.machine.as_ref().and_then(rounds),
        missing_slips: 0,
        signers: verified.signers.clone(),
        opening: verified.opening.clone(),
    }
}

impl Ends {
    /// What does not fit.
    fn compare(&self) -> Vec<AuditFinding> {
        let mut findings = Vec::new();
        if let Some((other, first)) = self.genesis.first_key_value() {
            let unlike = self.genesis.iter().find(|(_, genesis)| *genesis != first);
            findings.extend(
                unlike.map(|(chain, _)| AuditFinding::OtherHouse { chain: chain.clone(), other: other.clone() }),
            );
        }
        for (table, (round, given)) in &self.rounds {
            findings.extend(self.followed(*table, round, given));
        }
        findings.extend(self.missing());
        let Some(end) = &self.house else { return findings };
        for (id, of_cluster) in &self.clusters {
            let transit = check_transit(&end.house, &of_cluster.cluster);
            let chain = chain_of(MachineId::Cluster(*id));
            findings.extend(transit.err().map(|broken| AuditFinding::Transit { chain, broken }));
            findings.extend(end.transferred(*id, &of_cluster.transfers));
        }
        let house = chain_of(MachineId::House);
        for (chain, signers) in &self.signers {
            let late = signers.late(&end.keys, *chain == house).into_iter();
            findings.extend(late.map(|LateSignature { key, position }| AuditFinding::ReplacedKey {
                chain: chain.clone(),
                position,
                key,
            }));
        }
        for (chain, acting) in &self.acting {
            let unlike = acting.unlike(&end.people).into_iter();
            findings.extend(unlike.map(|UnlikePerson { at, person, roles }| match roles {
                Some(roles) => AuditFinding::PersonRoles { chain: chain.clone(), at, person, roles },
                None => AuditFinding::UnknownPerson { chain: chain.clone(), at, person },
            }));
        }
        findings
    }

    /// Chains that others refer to and the store does not have.
    fn missing(&self) -> Vec<AuditFinding> {
        let mut findings = Vec::new();
        let mut need = |machine: MachineId, by: MachineId, is_there: bool| {
            if !is_there {
                findings.push(AuditFinding::Missing { chain: chain_of(machine), by: chain_of(by) });
            }
        };
        let tables = self.rounds.keys().copied().chain(self.clusters.keys().map(|id| id.table));
        for table in tables.collect::<BTreeSet<_>>() {
            need(MachineId::House, MachineId::Round(table), self.house.is_some());
        }
        for id in self.clusters.keys() {
            need(MachineId::Round(id.table), MachineId::Cluster(*id), self.rounds.contains_key(&id.table));
        }
        for (table, of_house) in self.house.iter().flat_map(|end| end.house.tables()) {
            need(MachineId::Round(table), MachineId::House, self.rounds.contains_key(&table));
            for id in (0..of_house.clusters.get()).map(|number| ClusterId { table, number }) {
                need(MachineId::Cluster(id), MachineId::House, self.clusters.contains_key(&id));
            }
        }
        findings
    }

    /// Whether the clusters of a table followed the notices of their round, and as far as they reported.
    fn followed(&self, table: TableId, round: &Round, given: &Notices) -> Vec<AuditFinding> {
        let mut findings = Vec::new();
        let chain_of_round = || chain_of(MachineId::Round(table));
        let clusters = (0..=u16::MAX).map(|number| ClusterId { table, number });
        for (id, (reported, ..)) in clusters.map_while(|id| Some((id, round.reported(id)?))) {
            let chain = chain_of(MachineId::Cluster(id));
            let end = self.clusters.get(&id);
            let followed = end.map_or(0, |end| end.cluster.followed());
            if followed < reported {
                findings.push(AuditFinding::Followed {
                    round: chain_of_round(),
                    chain: chain.clone(),
                    reported,
                    followed,
                });
            }
            if let Some(unlike) = end.and_then(|end| end.notices.first_unlike(given)) {
                let (at, number) = (unlike.at, unlike.number);
                findings.push(AuditFinding::Notice { chain, at, number, round: chain_of_round() });
            }
        }
        findings
    }
}

impl HouseEnd {
    /// The first transfer of each direction that a cluster and the House do not both have so.
    fn transferred(&self, id: ClusterId, of_cluster: &OwnTransfers) -> impl Iterator<Item = AuditFinding> {
        let (house, cluster) = (chain_of(MachineId::House), chain_of(MachineId::Cluster(id)));
        let none = OwnTransfers::default();
        let of_house = self.transfers.get(&id).unwrap_or(&none);
        let directions = [
            (of_cluster.first_unlike(of_house), cluster.clone(), house.clone()),
            (of_house.first_unlike(of_cluster), house, cluster),
        ];
        directions.into_iter().filter_map(|(unlike, sender, receiver)| {
            Some(match unlike? {
                UnlikeTransfer::Differs { number, received, sent } => {
                    AuditFinding::TransferDiffers { chain: receiver, at: received, number, sender, sent }
                }
                UnlikeTransfer::Unsent { number, received } => {
                    AuditFinding::TransferUnsent { chain: receiver, at: received, number, sender }
                }
                UnlikeTransfer::Unreceived { number, sent } => {
                    AuditFinding::TransferUnreceived { chain: sender, at: sent, number, receiver }
                }
            })
        })
    }
}
