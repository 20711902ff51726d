//! A table of three clusters: its five chains are recovered, verified, proven and merged like those of one cluster.

use std::path::Path;

use taisai_journal::{Archive as _, Block, ChainHead, MemoryStore};
use taisai_record::{Audit, Auditor, RoundEvidence, RoundSettlement, merge_chains};
use taisai_table::{Cluster, MachineEntry, RoundNumber};

use crate::casino::{TABLE, chain, program};
use crate::evidence::{file_of, parts};
use crate::verify::key;
use crate::wide_table::{CHAINS, played, settled};

fn audit(memory: &MemoryStore, folder: &Path) -> Audit {
    audit_to(memory, folder, &memory.clone().heads().unwrap())
}

fn audit_to(memory: &MemoryStore, folder: &Path, heads: &[ChainHead]) -> Audit {
    let auditor = Auditor { keys: &[key(folder)], anchored: &[], program: &program() };
    auditor.audit(&|| Ok(Box::new(memory.clone())), heads, &|| {}).unwrap()
}

#[test]
fn three_clusters_are_recovered_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    played(&memory, folder.path()).close();
    let found = audit(&memory, folder.path());
    let names: Vec<_> = found.chains.iter().map(|chain| chain.head.chain.as_str()).collect();
    assert_eq!(names, CHAINS);
    let findings: Vec<_> = found.findings().map(ToString::to_string).collect();
    assert_eq!(findings, [""; 0]);
    let rounds: Vec<_> = found.chains.iter().map(|chain| chain.result.as_ref().unwrap().rounds).collect();
    assert_eq!(rounds, [None, Some(4), Some(4), Some(4), Some(4)]);
    // The round's chain shows that a cluster's chain was cut off, whichever it is.
    for name in &CHAINS[2..] {
        let mut heads = memory.clone().heads().unwrap();
        let head = heads.iter_mut().find(|head| head.chain == chain(name)).unwrap();
        let second = memory.clone().read(&head.chain, 1, 1).unwrap().remove(0);
        (head.next, head.hash) = (2, Block::decode(second).unwrap().hash());
        let found = audit_to(&memory, folder.path(), &heads);
        let findings: Vec<_> = found.findings().map(ToString::to_string).collect();
        assert!(findings[0].starts_with(&format!("chain table-1 says that chain {name} holds ")), "{findings:?}");
    }
}

#[test]
fn evidence_proves_a_round_of_three_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    played(&memory, folder.path()).close();
    let key = key(folder.path());
    for round in 1..=4 {
        let gathered = RoundEvidence::gather(&mut memory.clone(), &[key], TABLE, RoundNumber(round)).unwrap();
        let bytes = gathered.to_bytes().unwrap();
        let proven = RoundEvidence::from_bytes(&bytes).unwrap().check(&[key], &program()).unwrap();
        let here = settled(&memory, round);
        let summary = |settlement: &RoundSettlement| {
            let cluster =
                |cluster: &taisai_record::ClusterSettlement| (cluster.cluster, cluster.slip.clone(), cluster.totals);
            settlement.clusters.iter().map(cluster).collect::<Vec<_>>()
        };
        assert_eq!(summary(&proven.settlement), summary(&here), "round {round}");
        assert_eq!(
            here.clusters.iter().map(|cluster| cluster.changes.len()).sum::<usize>(),
            if round == 1 { 3 } else { 0 }
        );
        // A missing or exchanged cluster proves nothing about the round.
        let (head, parts) = parts(&bytes);
        let check =
            |parts: &[&[u8]]| RoundEvidence::from_bytes(&file_of(head, parts)).unwrap().check(&[key], &program());
        assert!(check(&parts).is_ok());
        assert!(check(&parts[..3]).is_err() && check(&[parts[0], parts[1], parts[3], parts[2]]).is_err(), "{round}");
    }
}

#[test]
fn the_chains_of_three_clusters_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let hashes = played(&memory, folder.path()).close();
    let merged = merge_chains(&mut memory.clone(), &[key(folder.path())], TABLE).unwrap();
    let mut machines = merged.machines;
    let mut of_clusters = [0; 3];
    for (_, recorded) in &merged.entries {
        if let MachineEntry::Cluster(id, _) = recorded {
            of_clusters[usize::from(id.number)] += 1;
        }
        machines.apply(recorded);
    }
    assert!(of_clusters.iter().all(|entries| *entries > 10), "{of_clusters:?}");
    let entries: u64 =
        audit(&memory, folder.path()).chains.iter().map(|chain| chain.result.as_ref().unwrap().entries).sum();
    assert_eq!(u64::try_from(merged.entries.len()).unwrap(), entries, "nothing is left out");
    let clusters = machines.clusters().map(Cluster::state_hash);
    let round = machines.tables[&TABLE].round.state_hash();
    let found: Vec<_> = [machines.house.state_hash(), round].into_iter().chain(clusters).collect();
    assert_eq!(found, hashes);
}
