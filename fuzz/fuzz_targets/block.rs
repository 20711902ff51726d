//! A block is read as it was written, or refused: also one whose hash was made to fit by someone who knows the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_journal::{Block, Hash, TrustedKeys, Verifier};

fuzz_target!(|bytes: &[u8]| {
    read(bytes.to_vec());
    read([bytes, Hash::of(bytes).as_bytes()].concat());
});

fn read(bytes: Vec<u8>) {
    let Ok(block) = Block::decode(bytes.clone()) else { return };
    assert_eq!(block.bytes(), bytes);
    let length: usize = block.entries().map(|entry| entry.len() + 1).sum();
    assert!(length <= bytes.len());
    let chain = block.header().chain.clone();
    let followed = Verifier::new(chain.clone(), TrustedKeys::AnyKey).follow(bytes);
    assert!(followed.is_err() || block.header().position == 0);
    assert_eq!(chain.as_str().parse(), Ok(chain));
}
