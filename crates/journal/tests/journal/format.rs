//! The bytes of a chain: the golden file, and every way to damage them. `BLESS=1` writes the golden file anew; a
//! difference is a new format, and what was written before must stay readable.

use std::fmt::Write;
use std::path::Path;

use data_encoding::HEXLOWER;
use proptest::prelude::*;
use taisai_journal::suite::head;
use taisai_journal::{BLOCK_FORMAT, BadBlock, Block, ChainFaultReason, Hash, MAX_BLOCK_BYTES};

use crate::common::{bytes_of, follow, small_chain};

#[test]
fn the_format_is_the_one_that_was_released() {
    let mut found = String::new();
    for block in small_chain() {
        writeln!(found, "# {:?} {}", block.header(), block.hash()).expect("text");
        for row in block.bytes().chunks(32) {
            writeln!(found, "{}", HEXLOWER.encode(row)).expect("text");
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/chain.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).expect("a golden file; BLESS=1 writes it");
    assert_eq!(found, expected, "the format differs; if it should, write it with BLESS=1 and raise FORMAT");
}

#[test]
fn blocks_round_trip() {
    for block in small_chain() {
        assert_eq!(Block::decode(block.bytes().to_vec()), Ok(block));
    }
    let chain = small_chain();
    assert_eq!(follow(bytes_of(&chain), &head(&chain[4])), Ok(()));
}

#[test]
fn a_block_cut_at_any_byte_is_found() {
    for block in small_chain() {
        for length in 0..block.bytes().len() {
            let cut = Block::decode(block.bytes()[..length].to_vec());
            assert_eq!(cut, Err(BadBlock::Length), "{length} bytes of {:?}", block.header());
        }
        let longer = [block.bytes(), &[0]].concat();
        assert_eq!(Block::decode(longer), Err(BadBlock::Length));
    }
}

#[test]
fn every_changed_byte_of_a_chain_is_found() {
    let chain = small_chain();
    let end = head(&chain[4]);
    for (at, block) in chain.iter().enumerate() {
        for byte in 0..block.bytes().len() {
            for bit in 0..8 {
                let mut bytes = bytes_of(&chain);
                bytes[at][byte] ^= 1 << bit;
                let fault = follow(bytes, &end).expect_err("found");
                assert_eq!(fault.position, block.header().position, "byte {byte}, bit {bit}");
                assert!(matches!(fault.reason, ChainFaultReason::Block(_)), "{fault}");
            }
        }
    }
}

#[test]
fn other_versions_and_huge_blocks_are_refused_first() {
    assert_eq!(Block::decode(vec![]), Err(BadBlock::Length));
    assert_eq!(Block::decode(vec![BLOCK_FORMAT + 1]), Err(BadBlock::Version(BLOCK_FORMAT + 1)));
    assert_eq!(Block::decode(vec![0; 300]), Err(BadBlock::Version(0)));
    assert_eq!(Block::decode(vec![BLOCK_FORMAT; MAX_BLOCK_BYTES + 1]), Err(BadBlock::Length));
}

proptest! {
    /// Bytes that carry their own right hash are the work of someone who knows the format; they must be read or refused.
    #[test]
    fn hostile_bytes_are_read_or_refused(at in 0_usize..200, with in any::<u8>(), which in 0_usize..5) {
        let block = &small_chain()[which];
        let mut bytes = block.bytes()[..block.bytes().len() - 32].to_vec();
        let at = at % bytes.len();
        bytes[at] = with;
        bytes.extend_from_slice(Hash::of(&bytes).as_bytes());
        if let Ok(read) = Block::decode(bytes.clone()) {
            prop_assert_eq!(read.bytes(), &bytes[..]);
            prop_assert!(read.entries().count() <= bytes.len());
        }
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Block::decode(bytes).is_err());
    }
}
