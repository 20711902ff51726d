//! A small chain with a block of every kind, and ways to follow and to store it.
use taisai_journal::suite::{HOUSE, chain, head, next_header};
use taisai_journal::{
    Block, ChainFault, ChainHead, ChainPurpose, Checkpoint, CheckpointContent, Entries, Genesis, Hash, SigningKey,
    TrustedKeys, Verifier,
};

/// The key of the small chain.
pub(crate) fn key() -> SigningKey {
    SigningKey::from_secret([42; 32])
}

/// A head before any block.
pub(crate) fn start(name: &str) -> ChainHead {
    ChainHead { chain: chain(name), epoch: 1, next: 0, hash: Hash::NONE }
}

/// A checkpoint for the block before a head.
pub(crate) fn signed(at: &ChainHead, state: &[u8], time: u64) -> Checkpoint {
    let content = CheckpointContent {
        chain: at.chain.clone(),
        house: *HOUSE,
        position: at.next - 1,
        hash: at.hash,
        state: Hash::of(state),
        time,
    };
    Checkpoint::sign(content, &key())
}

/// Genesis, entries, a checkpoint, a take-over, entries.
pub(crate) fn small_chain() -> Vec<Block> {
    let genesis = Genesis { house: *HOUSE, purpose: ChainPurpose::Real, least_reader: 1 };
    let mut first = Entries::default();
    first.push(b"first");
    first.push(b"");
    first.push(&[0xa5; 130]);
    let mut last = Entries::default();
    last.push(b"last");
    let mut blocks = vec![Block::genesis(next_header(&start("table/1")), genesis)];
    blocks.push(Block::of_entries(next_header(&head(&blocks[0])), &[&first]));
    let at = head(&blocks[1]);
    blocks.push(Block::checkpoint(next_header(&at), signed(&at, b"state", 1_800_000_000_000)));
    let claimed = ChainHead { epoch: 2, ..head(&blocks[2]) };
    blocks.push(Block::take_over(next_header(&claimed), "second machine".into()));
    blocks.push(Block::of_entries(next_header(&head(&blocks[3])), &[&last]));
    blocks
}

/// The bytes of blocks.
pub(crate) fn bytes_of(blocks: &[Block]) -> Vec<Vec<u8>> {
    blocks.iter().map(|block| block.bytes().to_vec()).collect()
}

/// Follows blocks to their end, which should be that head.
pub(crate) fn follow(blocks: Vec<Vec<u8>>, end: &ChainHead) -> Result<(), ChainFault> {
    let mut verifier = Verifier::new(chain("table/1"), TrustedKeys::Keys(vec![key().public()]));
    for bytes in blocks {
        verifier.follow(bytes)?;
    }
    verifier.finish(end)
}
