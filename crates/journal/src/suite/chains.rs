//! Appending and reading, by one writer.

use super::{Fixture, begin, block, bytes, chain, genesis, head, next_header, verify};
use crate::block::{Block, MAX_BODY_BYTES};
use crate::hash::Hash;
use crate::journal::{AppendError, Archive, ChainHead, ClaimError, Journal};

fn heads(archive: &mut dyn Archive) -> Vec<ChainHead> {
    archive.heads().expect("heads")
}

fn archive(journal: &dyn Journal) -> Box<dyn Archive> {
    journal.archive().expect("an archive")
}

fn is_fenced(result: &Result<(), AppendError>) -> bool {
    matches!(result, Err(AppendError::Fenced { .. }))
}

pub(super) fn empty(store: &dyn Fixture) {
    let journal = store.open();
    let mut archive = archive(&*journal);
    assert_eq!(heads(&mut *archive), []);
    assert_eq!(archive.read(&chain("house"), 0, 1000).expect("read"), Vec::<Vec<u8>>::new());
    assert_eq!(archive.read(&chain("house"), u64::MAX, 1000).expect("read"), Vec::<Vec<u8>>::new());
}

pub(super) fn read_back(store: &dyn Fixture) {
    let mut journal = store.open();
    let first = begin(&mut *journal, "house");
    let block = block(&first, &[b"one", b"", b"three"]);
    journal.append(std::slice::from_ref(&block)).expect("append");
    let mut archive = archive(&*journal);
    assert_eq!(heads(&mut *archive), [head(&block)]);
    let blocks = verify(&mut *archive, &chain("house")).expect("a good chain");
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[1], block);
    assert_eq!(blocks[1].entries().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
}

pub(super) fn only_the_next(store: &dyn Fixture) {
    let mut journal = store.open();
    let unclaimed = ChainHead { chain: chain("nobody"), epoch: 1, next: 0, hash: Hash::NONE };
    assert!(is_fenced(&journal.append(&[genesis(&unclaimed)])), "a chain is claimed first");
    let first = begin(&mut *journal, "house");
    let wrong = [
        ("position too low", ChainHead { next: 0, ..first.clone() }),
        ("position too high", ChainHead { next: 2, ..first.clone() }),
        ("other previous hash", ChainHead { hash: Hash::of(b"other"), ..first.clone() }),
        ("old epoch", ChainHead { epoch: 0, ..first.clone() }),
        ("epoch that nobody claimed", ChainHead { epoch: 2, ..first.clone() }),
        ("other chain", ChainHead { chain: chain("other"), ..first.clone() }),
    ];
    for (name, wrong) in wrong {
        assert!(is_fenced(&journal.append(&[block(&wrong, &[b"x"])])), "{name}");
    }
    let second = block(&first, &[b"x"]);
    journal.append(std::slice::from_ref(&second)).expect("a refusal leaves the handle usable");
    assert!(is_fenced(&journal.append(std::slice::from_ref(&second))), "the same block twice");
    let (third, fourth) = (block(&head(&second), &[b"y"]), block(&head(&second), &[b"z"]));
    assert!(is_fenced(&journal.append(&[third, fourth])), "two blocks for one place in a batch");
    assert_eq!(heads(&mut *archive(&*journal)), [head(&second)]);
}

pub(super) fn epochs(store: &dyn Fixture) {
    let mut journal = store.open();
    let first = begin(&mut *journal, "house");
    for epoch in [0, 1, u64::MAX] {
        let refused = journal.claim(&chain("house"), epoch);
        assert!(matches!(refused, Err(ClaimError::Refused { .. })), "{epoch}: {refused:?}");
    }
    let claimed = journal.claim(&chain("house"), 7).expect("a higher epoch");
    assert_eq!(claimed, ChainHead { epoch: 7, ..first.clone() });
    assert!(is_fenced(&journal.append(&[block(&first, &[b"late"])])), "the old epoch is over");
    let taken = Block::take_over(next_header(&claimed), "another".into());
    journal.append(std::slice::from_ref(&taken)).expect("the new epoch writes");
    assert_eq!(heads(&mut *archive(&*journal)), [head(&taken)]);
    verify(&mut *archive(&*journal), &chain("house")).expect("a good chain");
}

pub(super) fn all_or_nothing(store: &dyn Fixture) {
    let mut journal = store.open();
    let names = ["house", "table/1", "table/2"];
    let firsts = names.map(|name| begin(&mut *journal, name));
    let before = heads(&mut *archive(&*journal));
    for bad in 0..names.len() {
        let batch: Vec<Block> = (0..names.len())
            .flat_map(|at| {
                let one = block(&firsts[at], &[b"one"]);
                let after = if at == bad { firsts[at].clone() } else { head(&one) };
                [one, block(&after, &[b"two"])]
            })
            .collect();
        assert!(is_fenced(&journal.append(&batch)));
        let one_bad: Vec<Block> = (0..names.len())
            .map(|at| block(&ChainHead { epoch: if at == bad { 9 } else { 1 }, ..firsts[at].clone() }, &[b"one"]))
            .collect();
        assert!(is_fenced(&journal.append(&one_bad)));
        assert_eq!(heads(&mut *archive(&*journal)), before);
    }
    let batch: Vec<Block> = firsts.iter().rev().map(|first| block(first, &[b"one"])).collect();
    journal.append(&batch).expect("a good batch");
    journal.append(&[]).expect("an empty batch");
    for name in names {
        assert_eq!(verify(&mut *archive(&*journal), &chain(name)).expect("a good chain").len(), 2);
    }
}

pub(super) fn sizes(store: &dyn Fixture) {
    let mut journal = store.open();
    let mut at = begin(&mut *journal, "house");
    let mut written = Vec::new();
    // The length before the largest entry takes four bytes.
    for size in [0, 1, 4_000, 70_000, 1_000_000, MAX_BODY_BYTES - 4] {
        let block = block(&at, &[&bytes(size)]);
        journal.append(std::slice::from_ref(&block)).expect("append");
        at = head(&block);
        written.push(block);
    }
    assert_eq!(verify(&mut *archive(&*journal), &chain("house")).expect("a good chain")[1..], written);
}

pub(super) fn many(store: &dyn Fixture) {
    let mut journal = store.open();
    let mut at = begin(&mut *journal, "house");
    let mut other = begin(&mut *journal, "house-2");
    for batch in 0..10 {
        let mut blocks = Vec::new();
        for number in 0..50_u32 {
            let entry = (batch * 50 + number).to_le_bytes();
            let (one, two) = (block(&at, &[&entry]), block(&other, &[&entry, &entry]));
            (at, other) = (head(&one), head(&two));
            blocks.extend([one, two]);
        }
        journal.append(&blocks).expect("append");
    }
    let mut archive = archive(&*journal);
    let name = chain("house");
    let one = archive.read(&name, 0, 0).expect("read");
    assert_eq!(one.len(), 1, "at least one block");
    let some = archive.read(&name, 100, 1000).expect("read");
    assert!(some.len() > 1 && some.iter().map(Vec::len).sum::<usize>() <= 1000);
    assert_eq!(Block::decode(some[0].clone()).expect("a block").header().position, 100);
    assert!(archive.read(&name, 501, 1000).expect("read").is_empty());
    let blocks = verify(&mut *archive, &name).expect("a good chain");
    let numbers: Vec<u8> = blocks.iter().flat_map(Block::entries).flatten().copied().collect();
    let expected: Vec<u8> = (0..500_u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(numbers, expected);
}

pub(super) fn reopened(store: &dyn Fixture) {
    let mut journal = store.open();
    let first = begin(&mut *journal, "house");
    let second = block(&first, &[b"kept"]);
    journal.append(std::slice::from_ref(&second)).expect("append");
    journal.claim(&chain("house"), 5).expect("claim");
    let name = chain("house");
    archive(&*journal).put_snapshot(&name, 1, Hash::of(b"state"), b"bytes").expect("a snapshot");
    drop(journal);
    let journal = store.open();
    let mut archive = archive(&*journal);
    assert_eq!(heads(&mut *archive), [ChainHead { epoch: 5, ..head(&second) }]);
    assert_eq!(verify(&mut *archive, &name).expect("a good chain")[1], second);
    assert_eq!(archive.read_snapshot(&name, 1).expect("the snapshot"), b"bytes");
}

pub(super) fn beside(store: &dyn Fixture) {
    let mut journal = store.open();
    let mut archive = archive(&*journal);
    let mut at = begin(&mut *journal, "house");
    for number in 0..20_u8 {
        let block = block(&at, &[&[number]]);
        journal.append(std::slice::from_ref(&block)).expect("append");
        at = head(&block);
        assert_eq!(heads(&mut *archive), [at.clone()]);
        let read = archive.read(&chain("house"), at.next - 1, 0).expect("read");
        assert_eq!(read, [block.bytes()]);
    }
}

pub(super) fn names(store: &dyn Fixture) {
    let mut journal = store.open();
    let longest = "z".repeat(48);
    let names = ["0", "a", "a-", "a.b", "a/b", "a/b/c", "drop/table.chains--", "null", &longest];
    for name in names {
        begin(&mut *journal, name);
    }
    let mut archive = archive(&*journal);
    let found: Vec<String> = heads(&mut *archive).iter().map(|head| head.chain.to_string()).collect();
    assert_eq!(found, names, "heads come by name, byte by byte");
    for name in names {
        assert_eq!(verify(&mut *archive, &chain(name)).expect("a good chain").len(), 1);
    }
}
