//! What every store must do. Each case gets an unused store, and panics if the store fails.

mod chains;
mod disk;
mod pair;
mod port;
mod race;
mod server;
mod slips;
mod snapshots;
mod spawned;
mod wait;

pub use disk::{DiskFailure, FLUSHED_AGAIN, FailingDisk, FailureMode, quick_folder};
pub use pair::PostgresPair;
pub use port::ReservedPort;
pub use server::{TemporaryServer, wait_until_alone};
pub use spawned::Spawned;
pub use wait::{HANG_LIMIT, wait_for, wait_until};

use crate::block::{Block, BlockHeader};
use crate::chain::ChainName;
use crate::entries::Entries;
use crate::genesis::{ChainPurpose, Genesis};
use crate::journal::{Archive, ChainHead, Journal};
use crate::verify::{ChainFault, TrustedKeys, Verifier};

/// A store under test.
pub trait Fixture {
    /// Opens the store once more.
    fn open(&self) -> Box<dyn Journal>;

    /// Whether it may be open twice.
    fn shared(&self) -> bool;
}

/// A case of the suite.
pub type Case = fn(&dyn Fixture);

/// Every case, with what it shows.
pub const CASES: &[(&str, Case)] = &[
    ("blocks are read back as they were appended", chains::read_back),
    ("a new store is empty", chains::empty),
    ("a chain takes only its next block", chains::only_the_next),
    ("an epoch is claimed once and fences those before it", chains::epochs),
    ("a batch is stored whole or not at all", chains::all_or_nothing),
    ("blocks of every size up to the largest", chains::sizes),
    ("many blocks are read in batches", chains::many),
    ("a store opened again has everything", chains::reopened),
    ("an archive reads what was appended after it was opened", chains::beside),
    ("names are only names", chains::names),
    ("of two writers at one place exactly one wins", race::appends),
    ("of two claims of one epoch exactly one wins", race::claims),
    ("writers of several chains in any order do not block each other for ever", race::crossing),
    ("slips are read back by their rounds", slips::by_round),
    ("slips are read in batches", slips::in_batches),
    ("slips are stored with their blocks or not at all", slips::with_their_blocks),
    ("snapshots are listed newest first, and the oldest are forgotten", snapshots::newest_first),
    ("a large snapshot comes back", snapshots::large),
    ("snapshots are kept by chain", snapshots::by_chain),
];

/// Runs every case, each on a store of its own.
pub fn run<F: Fixture>(fresh: impl Fn() -> F) {
    for (name, case) in CASES {
        // The name of a failing case stands last in what a test prints.
        eprintln!("{name}");
        case(&fresh());
    }
}

/// A name.
///
/// # Panics
/// If it is none.
pub fn chain(name: &str) -> ChainName {
    name.parse().expect("a chain's name")
}

/// Bytes copied from a few: writing a quarter of a gigabyte one by one takes seconds without optimisation.
fn bytes(length: usize) -> Vec<u8> {
    let some: Vec<u8> = (0..=250).collect();
    let mut bytes = some.repeat(length.div_ceil(some.len()));
    bytes.truncate(length);
    bytes
}

/// The header of the block after a head.
pub fn next_header(head: &ChainHead) -> BlockHeader {
    BlockHeader { chain: head.chain.clone(), position: head.next, epoch: head.epoch, previous: head.hash }
}

/// The head after a block.
pub fn head(block: &Block) -> ChainHead {
    let header = block.header();
    ChainHead { chain: header.chain.clone(), epoch: header.epoch, next: header.position + 1, hash: block.hash() }
}

/// The casino of the chains.
pub const HOUSE: &[u8; 16] = b"a house of tests";

/// A genesis block for a head.
pub fn genesis(at: &ChainHead) -> Block {
    Block::genesis(next_header(at), Genesis { house: *HOUSE, purpose: ChainPurpose::Training, least_reader: 1 })
}

/// A block of entries after a head.
pub fn block(at: &ChainHead, entries: &[&[u8]]) -> Block {
    let mut written = Entries::default();
    for entry in entries {
        written.push(entry);
    }
    Block::of_entries(next_header(at), &[&written])
}

/// Claims a chain and appends its genesis block.
///
/// # Panics
/// If the store does not let it.
pub fn begin(journal: &mut dyn Journal, name: &str) -> ChainHead {
    let claimed = journal.claim(&chain(name), 1).expect("a new chain can be claimed");
    let first = genesis(&claimed);
    journal.append(std::slice::from_ref(&first)).expect("a genesis block can be appended");
    head(&first)
}

/// Reads a whole chain and checks it against its head.
///
/// # Panics
/// If the store cannot be read.
pub fn verify(archive: &mut dyn Archive, name: &ChainName) -> Result<Vec<Block>, ChainFault> {
    let heads = archive.heads().expect("the heads can be read");
    let head = heads.iter().find(|head| head.chain == *name).expect("the chain is there");
    let mut verifier = Verifier::new(name.clone(), TrustedKeys::AnyKey);
    let mut blocks: Vec<Block> = Vec::new();
    loop {
        let from = verifier.head().next;
        let read = archive.read(name, from, 256 * 1024).expect("the chain can be read");
        if read.is_empty() {
            return verifier.finish(head).map(|()| blocks);
        }
        for bytes in read {
            blocks.push(verifier.follow(bytes)?);
        }
    }
}
