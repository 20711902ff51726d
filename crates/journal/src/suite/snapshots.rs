//! Snapshots.

use super::{Fixture, bytes, chain};
use crate::hash::Hash;
use crate::journal::{MAX_SNAPSHOTS_PER_CHAIN, SnapshotError, StoredSnapshot};

pub(super) fn newest_first(store: &dyn Fixture) {
    let mut archive = store.open().archive().expect("an archive");
    let name = chain("house");
    assert_eq!(archive.snapshots(&name).expect("none"), []);
    let snapshot =
        |position: u64, length| StoredSnapshot { position, state: Hash::of(&position.to_le_bytes()), length };
    let positions = [10_u64, 30, 20, 40, 50];
    for position in positions {
        let state = Hash::of(&position.to_le_bytes());
        archive.put_snapshot(&name, position, state, &position.to_le_bytes()).expect("a snapshot");
    }
    assert_eq!(MAX_SNAPSHOTS_PER_CHAIN, 3);
    assert_eq!(archive.snapshots(&name).expect("some"), [50, 40, 30].map(|position| snapshot(position, 8)));
    assert_eq!(archive.read_snapshot(&name, 40).expect("bytes"), 40_u64.to_le_bytes());
    for gone in [10, 20, 45, u64::MAX] {
        let missing = archive.read_snapshot(&name, gone);
        assert!(matches!(missing, Err(SnapshotError::Missing { .. })), "{gone}: {missing:?}");
    }
    archive.put_snapshot(&name, 50, Hash::of(&50_u64.to_le_bytes()), b"again").expect("a snapshot");
    assert_eq!(archive.read_snapshot(&name, 50).expect("bytes"), b"again");
    assert_eq!(archive.snapshots(&name).expect("some").first(), Some(&snapshot(50, 5)));
}

pub(super) fn large(store: &dyn Fixture) {
    let mut archive = store.open().archive().expect("an archive");
    let name = chain("house");
    // More than two parts of eight megabytes, and not a whole number of them.
    let bytes = bytes(17 * 1024 * 1024 + 3);
    archive.put_snapshot(&name, 1, Hash::NONE, &bytes).expect("a snapshot");
    assert!(archive.read_snapshot(&name, 1).expect("bytes") == bytes);
    archive.put_snapshot(&name, 2, Hash::NONE, &[]).expect("an empty one");
    assert_eq!(archive.read_snapshot(&name, 2).expect("bytes"), []);
}

pub(super) fn by_chain(store: &dyn Fixture) {
    let mut archive = store.open().archive().expect("an archive");
    for name in ["a", "b", "a/b"] {
        archive.put_snapshot(&chain(name), 7, Hash::NONE, name.as_bytes()).expect("a snapshot");
    }
    for name in ["a", "b", "a/b"] {
        assert_eq!(archive.read_snapshot(&chain(name), 7).expect("bytes"), name.as_bytes());
    }
}
