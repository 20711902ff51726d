//! What the verifier finds in chains whose blocks are whole, each by itself, and what only the anchor can tell.

use std::fs;

use taisai_journal::suite::{block, chain, genesis, head, next_header};
use taisai_journal::{
    Anchor, AnchorError, AnchorLine, Block, BlockContent, ChainFaultReason, ChainHead, ChainPurpose, Checkpoint,
    Genesis, Hash, SigningKey, TrustedKeys, Verifier,
};

use crate::common::{bytes_of, follow, key, signed, small_chain, start};

fn reason(blocks: &[Block]) -> (u64, ChainFaultReason) {
    let fault = follow(bytes_of(blocks), &head(&small_chain()[4])).expect_err("a fault");
    (fault.position, fault.reason)
}

/// The small chain up to a block, and another one after it.
fn ending(length: usize, last: impl FnOnce(&ChainHead) -> Block) -> Vec<Block> {
    let mut blocks = small_chain();
    blocks.truncate(length);
    let at = blocks.last().map_or(start("table/1"), head);
    blocks.push(last(&at));
    blocks
}

#[test]
fn blocks_missing_doubled_or_swapped_are_found() {
    let chain = small_chain();
    for at in 0..chain.len() {
        let mut missing = chain.clone();
        missing.remove(at);
        let mut doubled = chain.clone();
        doubled.insert(at, chain[at].clone());
        let position = chain[at].header().position;
        let next = position + 1;
        if next < 5 {
            assert_eq!(reason(&missing), (position, ChainFaultReason::Position(next)));
            let mut swapped = chain.clone();
            swapped.swap(at, at + 1);
            assert_eq!(reason(&swapped), (position, ChainFaultReason::Position(next)));
        } else {
            assert_eq!(reason(&missing), (4, ChainFaultReason::Head), "the last block");
        }
        assert_eq!(reason(&doubled), (next, ChainFaultReason::Position(position)));
    }
}

#[test]
fn every_rule_of_a_chain_is_checked() {
    let other = |at: &ChainHead| ChainHead { hash: Hash::of(b"other"), ..at.clone() };
    let epoch = |at: &ChainHead, epoch| ChainHead { epoch, ..at.clone() };
    let stranger = |at: &ChainHead| {
        let mut checkpoint = signed(at, b"state", 1);
        checkpoint.key = SigningKey::from_secret([3; 32]).public();
        Block::checkpoint(next_header(at), checkpoint)
    };
    let forged = |at: &ChainHead| {
        let mut checkpoint = signed(at, b"state", 1);
        checkpoint.content.state = Hash::of(b"another state");
        Block::checkpoint(next_header(at), checkpoint)
    };
    let newer = Genesis { house: [0; 16], purpose: ChainPurpose::Real, least_reader: 2 };
    let cases = [
        (ending(0, |at| block(at, &[b"x"])), 0, ChainFaultReason::Genesis),
        (ending(0, |at| Block::take_over(next_header(at), "x".into())), 0, ChainFaultReason::Genesis),
        (ending(0, |at| Block::genesis(next_header(at), newer)), 0, ChainFaultReason::Reader(2)),
        (ending(0, |at| genesis(&other(at))), 0, ChainFaultReason::Previous),
        (ending(2, genesis), 2, ChainFaultReason::Genesis),
        (ending(2, |at| block(&other(at), &[b"x"])), 2, ChainFaultReason::Previous),
        (ending(2, |at| block(&epoch(at, 0), &[b"x"])), 2, ChainFaultReason::Epoch { before: 1, found: 0 }),
        (ending(2, |at| block(&epoch(at, 2), &[b"x"])), 2, ChainFaultReason::Epoch { before: 1, found: 2 }),
        (
            ending(2, |at| Block::take_over(next_header(at), "x".into())),
            2,
            ChainFaultReason::Epoch { before: 1, found: 1 },
        ),
        (
            ending(2, |at| Block::checkpoint(next_header(&epoch(at, 2)), signed(at, b"", 1))),
            2,
            ChainFaultReason::Epoch { before: 1, found: 2 },
        ),
        (
            ending(4, |at| Block::take_over(next_header(&epoch(at, 1)), "x".into())),
            4,
            ChainFaultReason::Epoch { before: 2, found: 1 },
        ),
        (
            ending(2, |at| Block::checkpoint(next_header(at), signed(&other(at), b"", 1))),
            2,
            ChainFaultReason::Checkpoint,
        ),
        (
            ending(2, |at| Block::checkpoint(next_header(at), signed(&ChainHead { next: 1, ..at.clone() }, b"", 1))),
            2,
            ChainFaultReason::Checkpoint,
        ),
        (ending(2, forged), 2, ChainFaultReason::Signature),
        (ending(2, stranger), 2, ChainFaultReason::Key(SigningKey::from_secret([3; 32]).public())),
        (
            ending(2, |at| block(&ChainHead { chain: chain("table/2"), ..at.clone() }, &[])),
            2,
            ChainFaultReason::OtherChain(chain("table/2")),
        ),
    ];
    for (number, (blocks, position, expected)) in cases.into_iter().enumerate() {
        assert_eq!(reason(&blocks), (position, expected), "case {number}");
    }
}

#[test]
fn a_chain_is_followed_from_the_middle() {
    let blocks = small_chain();
    let mut verifier = Verifier::after(&blocks[2], TrustedKeys::AnyKey);
    for block in &blocks[3..] {
        verifier.follow(block.bytes().to_vec()).unwrap();
    }
    assert_eq!(verifier.head(), head(&blocks[4]));
    let claimed = ChainHead { epoch: 9, ..head(&blocks[4]) };
    verifier.finish(&claimed).expect("a chain may be claimed by someone who has not written yet");
}

/// Blocks of entries with a checkpoint after each, and the checkpoints.
fn anchored_chain(entries: u8) -> (Vec<Block>, Vec<Checkpoint>) {
    let mut blocks = vec![genesis(&start("table/1"))];
    let mut checkpoints = Vec::new();
    let mut at = head(&blocks[0]);
    for number in 0..entries {
        let entry = block(&at, &[&[number]]);
        let checkpoint = signed(&head(&entry), &[number], number.into());
        let vouching = Block::checkpoint(next_header(&head(&entry)), checkpoint.clone());
        at = head(&vouching);
        blocks.extend([entry, vouching]);
        checkpoints.push(checkpoint);
    }
    (blocks, checkpoints)
}

fn against(lines: &[AnchorLine], blocks: &[Block]) -> Result<(), (u64, ChainFaultReason)> {
    let mut verifier = Verifier::new(chain("table/1"), TrustedKeys::AnyKey).with_anchor(lines);
    for block in blocks {
        verifier.follow(block.bytes().to_vec()).map_err(|fault| (fault.position, fault.reason))?;
    }
    let end = blocks.last().map_or(start("table/1"), head);
    verifier.finish(&end).map_err(|fault| (fault.position, fault.reason))
}

#[test]
fn the_anchor_finds_a_chain_that_was_cut_off_or_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("anchor");
    let (blocks, checkpoints) = anchored_chain(3);
    let (mut anchor, content) = Anchor::open(&path).unwrap();
    assert!(content.lines.is_empty() && content.torn == 0);
    anchor.add(&checkpoints[..1]).unwrap();
    anchor.add(&checkpoints[1..]).unwrap();
    let mut elsewhere = signed(&ChainHead { next: 90, ..start("table/2") }, b"", 0);
    elsewhere = Checkpoint::sign(elsewhere.content, &key());
    anchor.add(&[elsewhere]).unwrap();
    let lines = Anchor::read(&path).unwrap().lines;
    assert_eq!(lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(against(&lines, &blocks), Ok(()));
    let longer = [&blocks[..], &[block(&head(blocks.last().unwrap()), &[b"x"])]].concat();
    assert_eq!(against(&lines, &longer), Ok(()), "the anchor may be behind");
    // Every shorter chain is faultless in itself; the anchor misses the first checkpoint that is not there.
    for length in 0..6 {
        let position = [1, 1, 3, 3, 5, 5][length];
        assert_eq!(against(&[], &blocks[..length]), Ok(()));
        assert_eq!(against(&lines, &blocks[..length]), Err((position, ChainFaultReason::CutOff)), "{length} blocks");
    }
    // Only the last checkpoint is cut off; what it vouches for is there.
    assert_eq!(against(&lines, &blocks[..6]), Err((6, ChainFaultReason::CheckpointCutOff)));
    // Rolled back to block 2, and played on otherwise, with the right key.
    let mut anew = blocks[..3].to_vec();
    for entry in [b"y", b"z"] {
        anew.push(block(&head(anew.last().unwrap()), &[entry]));
    }
    assert_eq!(against(&[], &anew), Ok(()));
    assert_eq!(against(&lines, &anew), Err((3, ChainFaultReason::Anchor(blocks[3].hash()))));
}

#[test]
fn a_torn_line_is_cut_away_and_any_other_damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("anchor");
    let (_, checkpoints) = anchored_chain(2);
    Anchor::open(&path).unwrap().0.add(&checkpoints).unwrap();
    let good = fs::read(&path).unwrap();
    let second = good.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for length in second..good.len() {
        fs::write(&path, &good[..length]).unwrap();
        assert_eq!(Anchor::read(&path).unwrap().torn, length - second);
        if length % 64 != 0 {
            continue;
        }
        let (mut anchor, content) = Anchor::open(&path).unwrap();
        assert_eq!((content.lines.len(), content.torn), (1, length - second));
        anchor.add(&checkpoints[1..]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), good);
    }
    for at in 0..good.len() {
        for with in [good[at] ^ 1, good[at] ^ 0x20] {
            let mut bad = good.clone();
            bad[at] = with;
            fs::write(&path, &bad).unwrap();
            let line = if at < second { 1 } else { 2 };
            match Anchor::read(&path) {
                Err(AnchorError::Damaged { line: found, .. }) => assert_eq!(found, line, "byte {at}"),
                // Without its end the last line is one that was never finished.
                Ok(content) => assert_eq!((at, content.torn), (good.len() - 1, good.len() - second)),
                Err(other) => panic!("{other}"),
            }
        }
    }
    fs::write(&path, [b"x".repeat(5000), b"\n".to_vec()].concat()).unwrap();
    assert!(matches!(Anchor::open(&path), Err(AnchorError::Damaged { line: 1, .. })));
}

#[test]
fn a_checkpoint_in_the_chain_is_the_one_in_the_anchor() {
    let (blocks, checkpoints) = anchored_chain(1);
    assert_eq!(*blocks[2].content(), BlockContent::Checkpoint(Box::new(checkpoints[0].clone())));
}
