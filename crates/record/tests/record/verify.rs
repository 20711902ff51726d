//! Verification finds changed bytes, cuts, forged entries with right hashes, and chains of another casino.

use std::path::Path;

use taisai_journal::{
    Anchor, AnchorLine, Archive, Block, BlockContent, BlockHeader, ChainHead, ChainName, Checkpoint, CheckpointContent,
    Entries, Hash, Keys, MemoryStore, PublicKey, ReadError, SigningKey, SnapshotError, StoredSlip, StoredSnapshot,
};
use taisai_record::{Audit, AuditFinding, Auditor, verify_chain};
use taisai_rules::Money;
use taisai_table::{ClusterCommand, ClusterEntry, ClusterEvent, House, decode, encode};

use crate::casino::{TestCasino, chain, files, program};

const CHAINS: [&str; 3] = ["house", "table-1", "table-1-0"];

/// A casino that has played and closed, with its store and the folder of its key and anchor.
fn played(game: &str) -> (tempfile::TempDir, MemoryStore, [[u8; 32]; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let (memory, hashes) = play(folder.path(), game, 3);
    (folder, memory, hashes)
}

fn play(folder: &Path, game: &str, rounds: u64) -> (MemoryStore, [[u8; 32]; 3]) {
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder, game).unwrap();
    casino.play(rounds);
    casino.correct(2, [6, 6, 5]);
    let hashes = casino.close();
    (memory, hashes)
}

pub(crate) fn key(folder: &Path) -> PublicKey {
    Keys::open(&files(folder).key_file).unwrap().signing.public()
}

fn anchored(folder: &Path) -> Vec<AnchorLine> {
    Anchor::read(&files(folder).anchor.unwrap()).unwrap().lines
}

fn audit_with(archive: &(impl Archive + Clone + Sync + 'static), keys: &[PublicKey], anchored: &[AnchorLine]) -> Audit {
    let heads = archive.clone().heads().unwrap();
    let auditor = Auditor { keys, anchored, program: &program() };
    auditor.audit(&|| Ok(Box::new(archive.clone())), &heads, &|| {}).unwrap()
}

pub(crate) fn audit(folder: &Path, memory: &MemoryStore) -> Audit {
    audit_with(memory, &[key(folder)], &anchored(folder))
}

/// The first finding, as a sentence.
pub(crate) fn first(audit: &Audit) -> String {
    audit.findings().next().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn intact_record_is_verified() {
    for game in ["tai-sai", "sic-bo-etg"] {
        let (folder, memory, hashes) = played(game);
        let found = audit(folder.path(), &memory);
        assert_eq!(first(&found), "", "{game}");
        let names: Vec<_> = found.chains.iter().map(|chain| chain.head.chain.as_str()).collect();
        assert_eq!(names, CHAINS);
        let [house, round, cluster] = &found.chains[..] else { panic!("{game}: three chains") };
        let [house, round, cluster] = [house, round, cluster].map(|chain| chain.result.as_ref().unwrap());
        assert_eq!((house.rounds, round.rounds, cluster.rounds), (None, Some(3), Some(3)), "{game}");
        assert!(round.checkpoints >= 3 && cluster.entries > 20 && cluster.unsigned < cluster.entries, "{cluster:?}");
        assert_eq!(cluster.signers, [key(folder.path())]);
        let head = &found.chains[0].head;
        let verified = verify_chain::<House>(&mut memory.clone(), head, &[], &[], &program(), |_| {}).unwrap();
        assert_eq!(verified.machine.unwrap().state_hash(), hashes[0]);
    }
}

/// The audit finds bytes changed anywhere in a block, and names the block.
#[test]
fn changed_byte_is_found() {
    let (folder, memory, _) = played("tai-sai");
    for name in CHAINS {
        let mut lengths = Vec::new();
        memory.tamper(&chain(name), |blocks| lengths = blocks.iter().map(Vec::len).collect());
        for (block, length) in lengths.into_iter().enumerate() {
            for byte in (0..length).step_by(1 + length / 12) {
                let forked = memory.fork();
                forked.tamper(&chain(name), |blocks| blocks[block][byte] ^= 0x20);
                let found = first(&audit(folder.path(), &forked));
                let expected = format!("chain {name}, block {block}: ");
                assert!(found.starts_with(&expected), "{name}, block {block}, byte {byte} of {length}: {found}");
            }
        }
    }
}

/// Only the anchor shows that a chain was cut off after a complete block.
#[test]
fn cut_is_found_through_the_anchor() {
    let (folder, memory, _) = played("tai-sai");
    for name in CHAINS {
        let forked = memory.fork();
        forked.tamper(&chain(name), |blocks| blocks.truncate(1));
        assert!(first(&audit(folder.path(), &forked)).contains("cut off or rolled back"), "{name}");
    }
}

/// Only the anchor shows that a store was put back to an earlier time.
#[test]
fn rollback_is_found_through_the_anchor() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = play(folder.path(), "tai-sai", 3);
    let early = memory.fork();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    casino.play(2);
    casino.close();
    assert_eq!(first(&audit(folder.path(), &memory)), "");
    assert_eq!(first(&audit_with(&early, &[key(folder.path())], &[])), "", "nothing is known without the anchor");
    let found = audit(folder.path(), &early);
    assert_eq!(found.findings().count(), 3);
    assert!(first(&found).contains("the chain was cut off or rolled back"), "{}", first(&found));
    let strange = SigningKey::from_secret([9; 32]).public();
    let found = audit_with(&memory, &[strange], &anchored(folder.path()));
    assert!(first(&found).contains("unknown key"), "{}", first(&found));
    let empty = MemoryStore::default();
    assert!(first(&audit(folder.path(), &empty)).contains("chain house, block"), "chains that are gone are missed");
}

/// Rewrites a chain with changed entries: every hash is right, and a stranger has signed every checkpoint.
fn forge(blocks: &mut [Vec<u8>], change: impl Fn(&mut ClusterEntry)) {
    let stranger = SigningKey::from_secret([9; 32]);
    let mut hashes: Vec<Hash> = Vec::new();
    for bytes in blocks {
        let block = Block::decode(bytes.clone()).unwrap();
        let place = BlockHeader { previous: hashes.last().copied().unwrap_or(Hash::NONE), ..block.header().clone() };
        let forged = match block.content() {
            BlockContent::Genesis(genesis) => Block::genesis(place, *genesis),
            BlockContent::TakeOver(owner) => Block::take_over(place, owner.clone()),
            BlockContent::Checkpoint(checkpoint) => {
                let hash = hashes[usize::try_from(checkpoint.content.position).unwrap()];
                let vouched = CheckpointContent { hash, ..checkpoint.content.clone() };
                Block::checkpoint(place, Checkpoint::sign(vouched, &stranger))
            }
            BlockContent::Entries => {
                let mut entries = Entries::default();
                for line in block.entries() {
                    match decode(line) {
                        Ok(mut entry) => {
                            change(&mut entry);
                            entries.write(|buffer| encode(&entry, buffer));
                        }
                        Err(_) => entries.push(line),
                    }
                }
                Block::of_entries(place, &[&entries])
            }
        };
        hashes.push(forged.hash());
        *bytes = forged.bytes().to_vec();
    }
}

/// A larger payout and a larger stake, by someone who recalculates every hash and signs with another key.
#[test]
fn forged_entry_is_found() {
    let (folder, memory, _) = played("tai-sai");
    let larger_payout = |entry: &mut ClusterEntry| {
        if let Ok(ClusterEvent::Settled { totals, .. }) = &mut entry.outcome {
            totals.paid = Money::from_cents(totals.paid.cents() + 100);
        }
    };
    let larger_stake = |entry: &mut ClusterEntry| {
        if let ClusterCommand::Place { stakes, .. } = &mut entry.request.command {
            stakes[0].amount = Money::from_cents(stakes[0].amount.cents() + 100);
        }
    };
    let nothing = |_: &mut ClusterEntry| {};
    let forged = |change: &dyn Fn(&mut ClusterEntry)| {
        let forged = memory.fork();
        forged.tamper(&chain("table-1-0"), |blocks| forge(blocks, change));
        forged
    };
    let changes: [&dyn Fn(&mut ClusterEntry); 2] = [&larger_payout, &larger_stake];
    for change in changes {
        let forged = forged(change);
        let found = audit_with(&forged, &[], &[]);
        let found = found.findings().next().unwrap();
        assert!(matches!(found, AuditFinding::Decision { .. }), "{found}");
        assert!(first(&audit(folder.path(), &forged)).starts_with("chain table-1-0, block "));
    }
    let found = first(&audit_with(&forged(&nothing), &[key(folder.path())], &[]));
    assert!(found.contains("is signed with the unknown key ed25519:"), "{found}");
}

#[test]
fn swapped_snapshot_is_found() {
    let (folder, memory, _) = played("tai-sai");
    let mut archive = memory.clone();
    let head = archive.heads().unwrap().into_iter().find(|head| head.chain == chain("table-1-0")).unwrap();
    let verified = verify_chain::<taisai_table::Cluster>(&mut archive, &head, &[], &[], &program(), |_| {}).unwrap();
    let cluster = verified.machine.unwrap();
    let (state, bytes) = (Hash::from_bytes(cluster.state_hash()), cluster.snapshot());
    archive.put_snapshot(&head.chain, head.next - 1, state, &bytes).unwrap();
    assert_eq!(first(&audit(folder.path(), &memory)), "");
    for (position, state, bytes) in
        [(head.next - 1, state, &bytes[..40]), (head.next - 1, Hash::of(b"other"), &bytes), (3, state, &bytes)]
    {
        let forked = memory.fork();
        forked.clone().put_snapshot(&head.chain, position, state, bytes).unwrap();
        let found = first(&audit(folder.path(), &forked));
        assert!(found.starts_with("chain table-1-0: the snapshot at block "), "{found}");
    }
}

/// A store in which one chain comes from another store of the same casino.
#[derive(Clone)]
struct Mixed {
    memory: MemoryStore,
    other: MemoryStore,
    chain: ChainName,
}

impl Mixed {
    const fn of(&mut self, is_other: bool) -> &mut MemoryStore {
        if is_other { &mut self.other } else { &mut self.memory }
    }
}

impl Archive for Mixed {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        let mut heads = self.memory.heads()?;
        heads.retain(|head| head.chain != self.chain);
        heads.extend(self.other.heads()?.into_iter().filter(|head| head.chain == self.chain));
        Ok(heads)
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let is_other = *chain == self.chain;
        self.of(is_other).read(chain, from, bytes)
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        let is_other = *chain == self.chain;
        self.of(is_other).slips(chain, from, most, bytes)
    }

    fn put_snapshot(&mut self, _: &ChainName, _: u64, _: Hash, _: &[u8]) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn snapshots(&mut self, _: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        Ok(Vec::new())
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        Err(SnapshotError::Missing { chain: chain.clone(), position })
    }
}

/// Each chain is valid and signed by the casino, but they do not belong together.
#[test]
fn chains_of_different_stores_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = play(folder.path(), "tai-sai", 3);
    std::fs::remove_file(files(folder.path()).anchor.unwrap()).unwrap();
    let other = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(other.open()), folder.path(), "tai-sai").unwrap();
    casino.play(1);
    casino.open_bets();
    casino.bet(0, "big", 100);
    casino.deal([6, 6, 6]);
    casino.close();
    let keys = [key(folder.path())];
    assert_eq!(first(&audit_with(&other, &keys, &[])), "");
    for (name, expected) in [
        ("table-1-0", "chain table-1 says that chain table-1-0 holds"),
        ("table-1", "chain table-1-0, block"),
        ("house", ""),
    ] {
        let mixed = Mixed { memory: memory.clone(), other: other.clone(), chain: chain(name) };
        let found = first(&audit_with(&mixed, &keys, &[]));
        assert!(found.starts_with(expected) && found.is_empty() == expected.is_empty(), "{name}: {found}");
    }
}

/// Other chains refer to a missing chain that no anchor knows.
#[test]
fn missing_chain_is_found_without_an_anchor() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = play(folder.path(), "tai-sai", 3);
    let keys = [key(folder.path())];
    for name in ["table-1-0", "table-1", "house"] {
        let mixed = Mixed { memory: memory.clone(), other: MemoryStore::default(), chain: chain(name) };
        assert_ne!(first(&audit_with(&mixed, &keys, &[])), "", "{name}");
    }
}

/// The anchor knows a checkpoint that was cut away.
#[test]
fn missing_checkpoint_is_found_through_the_anchor() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = play(folder.path(), "tai-sai", 3);
    let head = memory.clone().heads().unwrap().into_iter().find(|head| head.chain == chain("table-1-0")).unwrap();
    let anchored = anchored(folder.path());
    let blocks = memory.clone().read(&head.chain, 0, usize::MAX).unwrap();
    let last = blocks.into_iter().rfind(|bytes| Block::says_checkpoint(bytes)).unwrap();
    let last = Block::decode(last).unwrap();
    let cut = Cut { memory, head: ChainHead { next: last.header().position, hash: last.header().previous, ..head } };
    assert_ne!(first(&audit_with(&cut, &[key(folder.path())], &anchored)), "");
}

/// A store in which a chain ends earlier.
#[derive(Clone)]
struct Cut {
    memory: MemoryStore,
    head: ChainHead,
}

impl Archive for Cut {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        let mut heads = self.memory.heads()?;
        heads.retain(|head| head.chain != self.head.chain);
        heads.push(self.head.clone());
        Ok(heads)
    }

    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut blocks = self.memory.read(chain, from, bytes)?;
        if *chain == self.head.chain {
            blocks.truncate(usize::try_from(self.head.next.saturating_sub(from)).unwrap());
        }
        Ok(blocks)
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        self.memory.slips(chain, from, most, bytes)
    }

    fn put_snapshot(&mut self, _: &ChainName, _: u64, _: Hash, _: &[u8]) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn snapshots(&mut self, _: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        Ok(Vec::new())
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        Err(SnapshotError::Missing { chain: chain.clone(), position })
    }
}

/// Money that left a table and did not reach the House is found.
#[test]
fn money_lost_between_chains_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.play(2);
    casino.commit();
    let early = memory.fork();
    casino.cash_out(1);
    casino.close();
    let keys = [key(folder.path())];
    assert_eq!(first(&audit_with(&memory, &keys, &[])), "");
    let mixed = Mixed { memory, other: early, chain: chain("house") };
    let found = first(&audit_with(&mixed, &keys, &[]));
    assert!(found.starts_with("between chain table-1-0 and chain house: transit is on its way"), "{found}");
}
