//! Every changed byte and every cut of a block is found in its place.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use taisai_journal::{
    Archive, ChainHead, ChainName, Hash, MemoryStore, ReadError, SnapshotError, StoredSlip, StoredSnapshot, TrustedKeys,
};
use taisai_record::{ChainReplay, RecordedMachine, ReplayError};
use taisai_table::{Cluster, House, Round};

use crate::casino::{TestCasino, chain};
use crate::verify::key;

/// A store that returns one block at a time, and forged bytes instead of some blocks.
#[derive(Clone)]
struct Tampered {
    memory: MemoryStore,
    instead: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Archive for Tampered {
    fn heads(&mut self) -> Result<Vec<ChainHead>, ReadError> {
        self.memory.heads()
    }

    fn read(&mut self, chain: &ChainName, from: u64, _: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let instead = self.instead.lock().unwrap().clone();
        instead.map_or_else(|| self.memory.read(chain, from, 0), |bytes| Ok(vec![bytes]))
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

/// Follows a chain block by block. Before each block, every change of it is offered and must be refused.
fn check_every_byte<M: RecordedMachine>(memory: &MemoryStore, name: &str, trust: TrustedKeys) {
    let store = Tampered { memory: memory.clone(), instead: Arc::default() };
    let mut archive = store.clone();
    let mut replay = ChainReplay::<M>::new(&mut archive, chain(name), trust, &[]);
    let end = store.clone().heads().unwrap().into_iter().find(|head| head.chain == chain(name)).unwrap();
    for position in 0..end.next {
        let bytes = store.clone().memory.read(&chain(name), position, 0).unwrap().remove(0);
        let mut refuses = |changed: Vec<u8>, what: &str| {
            *store.instead.lock().unwrap() = Some(changed);
            let found = replay.next_block(|_| ControlFlow::Continue(()));
            let Err(ReplayError::Block(fault)) = found else { panic!("{name}, block {position}, {what}: {found:?}") };
            assert_eq!((fault.chain.as_str(), fault.position), (name, position), "{what}");
        };
        for byte in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[byte] ^= 1 << (byte % 8);
            refuses(changed, &format!("byte {byte}"));
            refuses(bytes[..byte].to_vec(), &format!("cut at {byte}"));
        }
        *store.instead.lock().unwrap() = None;
        assert_eq!(replay.next_block(|_| ControlFlow::Continue(())).unwrap(), Some(ControlFlow::Continue(())));
    }
    replay.finish().unwrap();
}

#[test]
fn every_changed_byte_and_every_cut_is_found_in_its_block() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.play(1);
    casino.correct(1, [6, 6, 5]);
    casino.close();
    let trust = || TrustedKeys::Keys(vec![key(folder.path())]);
    check_every_byte::<House>(&memory, "house", trust());
    check_every_byte::<Round>(&memory, "table-1", trust());
    check_every_byte::<Cluster>(&memory, "table-1-0", trust());
}
