//! Slips of settled rounds, which are stored with the blocks that settle them.

use super::{Fixture, begin, block, bytes, chain, head};
use crate::journal::{AppendError, Archive, ChainHead, Journal, StoredSlip};

fn slip(name: &str, round: u64, bytes: &[u8]) -> StoredSlip {
    StoredSlip { chain: chain(name), round, bytes: bytes.to_vec() }
}

/// Appends a block with slips.
fn settle(journal: &mut dyn Journal, at: &ChainHead, slips: &[StoredSlip]) -> ChainHead {
    let next = block(at, &[b"settled"]);
    journal.append_with_slips(std::slice::from_ref(&next), slips).expect("a block with slips");
    head(&next)
}

fn slips(archive: &mut dyn Archive, name: &str, from: u64, most: u16) -> Vec<StoredSlip> {
    archive.slips(&chain(name), from, most, usize::MAX).expect("slips")
}

pub(super) fn by_round(store: &dyn Fixture) {
    let mut journal = store.open();
    let mut archive = journal.archive().expect("an archive");
    assert_eq!(slips(&mut *archive, "table-1-0", 0, 9), []);
    let mut at = begin(&mut *journal, "table-1-0");
    let other = begin(&mut *journal, "table-1-1");
    let large = bytes(3_000_000);
    let all = [slip("table-1-0", 1, b"one"), slip("table-1-0", 2, b""), slip("table-1-0", 300, &large)];
    at = settle(&mut *journal, &at, &all[..2]);
    at = settle(&mut *journal, &at, &all[2..]);
    settle(&mut *journal, &other, &[slip("table-1-1", 2, b"of another")]);
    assert_eq!(slips(&mut *archive, "table-1-0", 0, 9), all);
    assert_eq!(slips(&mut *archive, "table-1-0", 2, 1), all[1..2]);
    assert_eq!(slips(&mut *archive, "table-1-0", 3, 9), all[2..]);
    for (name, from, most) in [("table-1-0", 301, 9), ("table-1-0", u64::MAX, 9), ("table-1-0", 0, 0), ("house", 0, 9)]
    {
        assert_eq!(slips(&mut *archive, name, from, most), [], "{name} from {from}");
    }
    settle(&mut *journal, &at, &[slip("table-1-0", 2, b"two")]);
    assert_eq!(slips(&mut *archive, "table-1-0", 2, 1), [slip("table-1-0", 2, b"two")], "the newest is kept");
    drop((journal, archive));
    let mut archive = store.open().archive().expect("an archive");
    assert_eq!(slips(&mut *archive, "table-1-1", 0, 9), [slip("table-1-1", 2, b"of another")]);
    assert_eq!(slips(&mut *archive, "table-1-0", 0, 9).len(), 3);
}

pub(super) fn in_batches(store: &dyn Fixture) {
    let mut journal = store.open();
    let at = begin(&mut *journal, "table-1-0");
    let lengths = [100, 20, 0, 3_000_000, 30];
    let all: Vec<_> = (1..).zip(lengths).map(|(round, length)| slip("table-1-0", round, &bytes(length))).collect();
    settle(&mut *journal, &at, &all);
    let mut archive = journal.archive().expect("an archive");
    for (from, most, budget, expected) in [
        (1, 9, 0, 0..1),
        (1, 9, 119, 0..1),
        (1, 9, 120, 0..3),
        (1, 2, 120, 0..2),
        (2, 9, 3_000_019, 1..3),
        (2, 9, 3_000_020, 1..4),
        (3, 9, 0, 2..3),
        (4, 9, 1_000_000, 3..4),
        (4, 9, usize::MAX, 3..5),
        (6, 9, usize::MAX, 5..5),
        (1, 0, usize::MAX, 0..0),
    ] {
        let found = archive.slips(&chain("table-1-0"), from, most, budget).expect("slips");
        assert!(found == all[expected.clone()], "{most} from {from} in {budget} bytes are {expected:?}");
    }
}

pub(super) fn with_their_blocks(store: &dyn Fixture) {
    let mut journal = store.open();
    let (one, two) = (begin(&mut *journal, "one"), begin(&mut *journal, "two"));
    let mut archive = journal.archive().expect("an archive");
    let late = ChainHead { epoch: 9, ..two.clone() };
    let refused = journal.append_with_slips(
        &[block(&one, &[b"settled"]), block(&late, &[b"late"])],
        &[slip("one", 1, b"slip"), slip("two", 1, b"slip")],
    );
    assert!(matches!(refused, Err(AppendError::Fenced { .. })), "{refused:?}");
    for name in ["one", "two"] {
        assert_eq!(slips(&mut *archive, name, 0, 9), [], "a batch that is refused keeps no slip");
    }
    let batch = [block(&one, &[b"settled"]), block(&two, &[b"settled"])];
    journal.append_with_slips(&batch, &[slip("two", 1, b"slip"), slip("one", 1, b"slip")]).expect("a good batch");
    for name in ["one", "two"] {
        assert_eq!(slips(&mut *archive, name, 0, 9), [slip(name, 1, b"slip")]);
    }
}
