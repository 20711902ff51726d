//! Slips of settled rounds: those that the store keeps beside the chain are read without the chain; others are found by replaying it.

use std::collections::BTreeMap;

use taisai_journal::{
    Archive, ChainHead, ChainName, Hash, MemoryStore, PublicKey, ReadError, SnapshotError, StoredSlip, StoredSnapshot,
};
use taisai_record::{ReplayError, SlipReplay, UnusedSlip, kept_slip};
use taisai_table::{BadKeptSlip, RoundNumber, Slip};

use crate::casino::{TestCasino, chain};
use crate::verify::{audit, key};
use crate::wide_table;

const CLUSTER: &str = "table-1-0";
const ROUNDS: u64 = 12;

/// A store that counts what is read.
struct Counting {
    memory: MemoryStore,
    blocks: usize,
    slips: usize,
}

impl Counting {
    fn new(memory: &MemoryStore) -> Self {
        Self { memory: memory.clone(), blocks: 0, slips: 0 }
    }
}

impl Archive for Counting {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        self.memory.heads()
    }

    /// A few blocks at a time, as a chain here is shorter than what is read at once.
    fn read(&mut self, chain: &ChainName, from: u64, bytes: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let blocks = self.memory.read(chain, from, bytes.min(4_000))?;
        self.blocks += blocks.len();
        Ok(blocks)
    }

    fn slips(&mut self, chain: &ChainName, from: u64, most: u16, bytes: usize) -> Result<Vec<StoredSlip>, ReadError> {
        let slips = self.memory.slips(chain, from, most, bytes)?;
        self.slips += slips.len();
        Ok(slips)
    }

    fn put_snapshot(&mut self, _: &ChainName, _: u64, _: Hash, _: &[u8]) -> Result<(), SnapshotError> {
        unreachable!("nobody writes")
    }

    fn snapshots(&mut self, chain: &ChainName) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        self.memory.snapshots(chain)
    }

    fn read_snapshot(&mut self, chain: &ChainName, position: u64) -> Result<Vec<u8>, SnapshotError> {
        self.memory.read_snapshot(chain, position)
    }
}

/// A record with the slips and digests of its rounds as they lay on the table.
struct Played {
    folder: tempfile::TempDir,
    memory: MemoryStore,
    slips: Vec<(Slip, [u8; 32])>,
}

impl Played {
    /// With a snapshot of every state that is vouched for, or with none.
    fn new(has_snapshots: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryStore::default();
        let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
        if has_snapshots {
            casino = casino.with_snapshots();
        }
        let mut slips = Vec::new();
        for number in 0..ROUNDS {
            casino.open_bets();
            for seat in 0..3 {
                casino.bet(seat, ["small", "any-triple", "sum:9"][usize::try_from(seat).unwrap()], 100);
            }
            let lying = casino.cluster.machine().slip();
            casino.deal([1, 2, u8::try_from(number % 6 + 1).unwrap()]);
            slips.push((lying, casino.cluster.machine().slip_digest(RoundNumber(number + 1)).unwrap()));
        }
        casino.close();
        Self { folder, memory, slips }
    }

    fn keys(&self) -> Vec<PublicKey> {
        vec![key(self.folder.path())]
    }

    /// What a round is and has.
    fn rounds(&self) -> impl Iterator<Item = (RoundNumber, &Slip, [u8; 32])> {
        (1..).zip(&self.slips).map(|(round, (slip, digest))| (RoundNumber(round), slip, *digest))
    }

    /// How many blocks the cluster's chain has.
    fn blocks(&self) -> usize {
        let heads = self.memory.clone().heads().unwrap();
        usize::try_from(heads.iter().find(|head| head.chain == chain(CLUSTER)).unwrap().next).unwrap()
    }
}

fn replayed(replay: &mut SlipReplay, store: &mut Counting, round: RoundNumber) -> Result<Option<Slip>, ReplayError> {
    replay.slip(store, &chain(CLUSTER), round, || true)
}

/// Three snapshots are kept, so that the first rounds are before all of them.
#[test]
fn the_slip_of_an_old_round_is_one_row() {
    let played = Played::new(true);
    for (round, slip, digest) in played.rounds() {
        let mut store = Counting::new(&played.memory);
        assert_eq!(kept_slip(&mut store, &chain(CLUSTER), round, digest).unwrap().as_ref(), Some(slip));
        assert_eq!((store.blocks, store.slips), (0, 1), "{round:?}");
    }
    let mut store = Counting::new(&played.memory);
    assert_eq!(kept_slip(&mut store, &chain(CLUSTER), RoundNumber(99), [0; 32]).unwrap(), None);
}

/// A slip that was changed, or is of another round or chain, is not used. One that is missing is found in the chain.
#[test]
fn a_wrong_slip_is_never_used() {
    let played = Played::new(true);
    let (round, slip, digest) = played.rounds().nth(3).unwrap();
    let second = played.memory.clone().slips(&chain(CLUSTER), 2, 1, usize::MAX).unwrap().remove(0).bytes;
    let of_round = played.memory.clone().slips(&chain(CLUSTER), round.0, 1, usize::MAX).unwrap().remove(0).bytes;
    let mut wrong: Vec<Vec<u8>> = vec![second, Vec::new(), of_round[..of_round.len() - 1].to_vec(), vec![9; 70]];
    wrong.extend((0..of_round.len()).map(|at| {
        let mut changed = of_round.clone();
        changed[at] ^= 1;
        changed
    }));
    for bytes in wrong {
        let memory = played.memory.fork();
        memory.tamper_slips(&chain(CLUSTER), |slips| drop(slips.insert(round.0, bytes.clone())));
        let unused = kept_slip(&mut memory.clone(), &chain(CLUSTER), round, digest).unwrap_err();
        assert!(matches!(unused, UnusedSlip::Bad(_)), "{unused}: {bytes:?}");
        let found = replayed(&mut SlipReplay::new(played.keys()), &mut Counting::new(&memory), round).unwrap();
        assert_eq!(found.as_ref(), Some(slip));
    }
    let memory = played.memory.fork();
    memory.tamper_slips(&chain(CLUSTER), |slips| drop(slips.remove(&round.0)));
    assert_eq!(kept_slip(&mut memory.clone(), &chain(CLUSTER), round, digest).unwrap(), None);
    let mut store = Counting::new(&memory);
    assert_eq!(replayed(&mut SlipReplay::new(played.keys()), &mut store, round).unwrap().as_ref(), Some(slip));
    assert!(store.blocks > 0 && store.slips == 0);
}

/// A void of many rounds, in a record of a program that kept no slips: the chain is read once.
#[test]
fn rounds_in_order_are_found_in_one_replay() {
    for has_snapshots in [false, true] {
        let played = Played::new(has_snapshots);
        let mut first = Counting::new(&played.memory);
        replayed(&mut SlipReplay::new(played.keys()), &mut first, RoundNumber(1)).unwrap();
        let (mut store, mut replay) = (Counting::new(&played.memory), SlipReplay::new(played.keys()));
        for (round, slip, _) in played.rounds() {
            assert_eq!(replayed(&mut replay, &mut store, round).unwrap().as_ref(), Some(slip), "{round:?}");
            // Asked again, as for a second correction of the round.
            assert_eq!(replayed(&mut replay, &mut store, round).unwrap().as_ref(), Some(slip), "{round:?}");
        }
        let (read, all, first) = (store.blocks, played.blocks(), first.blocks);
        assert!(read <= all + first, "{read} blocks read of {all}, and {first} to find where to begin");
    }
}

/// A void of many rounds, of a table with several clusters: each of them asks for its slips, in turn with the others.
#[test]
fn rounds_of_several_clusters_are_found_in_one_replay_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    wide_table::played(&memory, folder.path()).close();
    let clusters = &wide_table::CHAINS[2..];
    let new = || (Counting::new(&memory), SlipReplay::new(vec![key(folder.path())]));
    let find = |(store, replay): &mut (Counting, SlipReplay), cluster: &str, round| {
        replay.slip(store, &chain(cluster), RoundNumber(round), || true).unwrap().expect("the slip of a settled round")
    };
    let mut alone = BTreeMap::new();
    let mut read = 0;
    for cluster in clusters {
        let mut replay = new();
        alone.extend((1..=4).map(|round| ((round, *cluster), find(&mut replay, cluster, round))));
        read += replay.0.blocks;
    }
    let mut replay = new();
    for ((round, cluster), slip) in &alone {
        assert_eq!(find(&mut replay, cluster, *round), *slip, "{cluster}, round {round}");
    }
    assert_eq!(replay.0.blocks, read, "no block is read twice");
}

#[test]
fn rounds_in_any_order_are_found() {
    for has_snapshots in [false, true] {
        let played = Played::new(has_snapshots);
        let (mut store, mut replay) = (Counting::new(&played.memory), SlipReplay::new(played.keys()));
        for round in [7, 1, 12, 3, 2, 11, 12] {
            let slip = &played.slips[usize::try_from(round - 1).unwrap()].0;
            assert_eq!(replayed(&mut replay, &mut store, RoundNumber(round)).unwrap().as_ref(), Some(slip), "{round}");
        }
        for round in [13, 99] {
            assert_eq!(replayed(&mut replay, &mut store, RoundNumber(round)).unwrap(), None, "{round}");
        }
        assert_eq!(
            replay.slip(&mut store, &chain(CLUSTER), RoundNumber(1), || false).unwrap(),
            None,
            "nobody wants it"
        );
        assert_eq!(replayed(&mut replay, &mut store, RoundNumber(1)).unwrap().as_ref(), Some(&played.slips[0].0));
    }
}

/// A correction goes by the slip that is kept, and the record holds.
#[test]
fn old_rounds_are_corrected_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap().with_snapshots();
    casino.play(ROUNDS);
    for round in 1..=ROUNDS {
        casino.correct(round, [6, 6, 1]);
        casino.correct(round, [1, 1, 2]);
    }
    casino.close();
    assert!(audit(folder.path(), &memory).findings().next().is_none());
}

#[test]
fn the_audit_compares_slips_with_their_chain() {
    let played = Played::new(false);
    let missing = |memory: &MemoryStore| {
        let audit = audit(played.folder.path(), memory);
        let findings: Vec<_> = audit.findings().map(ToString::to_string).collect();
        let cluster = audit.chains.into_iter().find(|audited| audited.head.chain == chain(CLUSTER)).unwrap();
        (findings, cluster.result.unwrap().missing_slips)
    };
    assert_eq!(missing(&played.memory), (vec![], 0));
    let memory = played.memory.fork();
    memory.tamper_slips(&chain(CLUSTER), |slips| slips.retain(|round, _| *round % 5 > 0));
    assert_eq!(missing(&memory), (vec![], 2), "a missing slip is found in the chain");
    memory.tamper_slips(&chain(CLUSTER), |slips| slips.get_mut(&7).unwrap()[20] ^= 1);
    memory.tamper_slips(&chain(CLUSTER), |slips| drop(slips.insert(9, Vec::new())));
    let found =
        format!("chain {CLUSTER}: the slip that the store keeps of round 7 is not used: {}", BadKeptSlip::Digest);
    assert_eq!(missing(&memory), (vec![found], 2));
    // One of a round that is not settled was stored since.
    let memory = played.memory.fork();
    memory.tamper_slips(&chain(CLUSTER), |slips| drop(slips.insert(ROUNDS + 1, Vec::new())));
    assert_eq!(missing(&memory), (vec![], 0));
}
