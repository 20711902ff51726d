//! Verifying a chain: block by block and signature by signature, every decision is taken again, every invariant looked at, and
//! every state that a checkpoint vouches for is reckoned.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use taisai_journal::{Anchored, Archive, Block, ChainName, Content, Hash, Head, PublicKey, ReadError, Trust};
use taisai_table::{Broken, Decision, Entry, Refusal};

use crate::machine::Machine;
use crate::opening::{Opening, Program};
use crate::replay::{At, Replay, ReplayError, Seen};

/// What was verified.
#[derive(Clone, Debug)]
pub struct Verified<M> {
    /// Where the chain ends.
    pub head: Head,
    /// How many entries it has.
    pub entries: u64,
    /// How many checkpoints.
    pub checkpoints: u64,
    /// What it was last opened with.
    pub opening: Option<Opening>,
    /// The machine as it stands; none of a chain that has only begun.
    pub machine: Option<M>,
}

/// The first thing that is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Finding {
    /// The chain cannot be gone through.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A decision would be another one.
    #[error("chain {chain}, block {}, entry {}: {recorded} is recorded, but this program decides {decided}{}", at.position, at.line, of_version(other_program.as_deref()))]
    Decision {
        /// The chain.
        chain: ChainName,
        /// Where.
        at: At,
        /// What is recorded.
        recorded: String,
        /// What is decided now.
        decided: String,
        /// The program that recorded it, if it is another one than this.
        other_program: Option<Box<Program>>,
    },
    /// An invariant is broken.
    #[error("chain {chain}, block {position}: {broken}")]
    Invariant {
        /// The chain.
        chain: ChainName,
        /// After which block.
        position: u64,
        /// Which one.
        broken: Broken,
    },
    /// A checkpoint vouches for another state.
    #[error("chain {chain}, block {position}: the state is {found}, and the checkpoint for it says {vouched}")]
    State {
        /// The chain.
        chain: ChainName,
        /// After which block.
        position: u64,
        /// What the checkpoint says.
        vouched: Hash,
        /// What was reckoned.
        found: Hash,
    },
}

fn of_version(program: Option<&Program>) -> String {
    program
        .map_or_else(String::new, |program| format!(" (it was recorded by version {} of the program)", program.version))
}

/// Verifies the chain of a machine. `progress` is told the position of each block.
pub fn verify_chain<M: Machine>(
    archive: &mut dyn Archive,
    chain: &ChainName,
    keys: &[PublicKey],
    anchored: &[Anchored],
    program: &Program,
    mut progress: impl FnMut(u64),
) -> Result<Verified<M>, Finding> {
    let mut vouched = vouched_positions(archive, chain)?;
    let trust = if keys.is_empty() { Trust::AnyKey } else { Trust::Keys(keys.to_vec()) };
    let mut replay = Replay::<M>::new(archive, chain.clone(), trust, anchored);
    let mut states: VecDeque<(u64, Hash)> = VecDeque::new();
    let (mut entries, mut checkpoints, mut opening, mut finding) = (0, 0, None::<Opening>, None);
    replay.run(|seen| {
        let found = match seen {
            Seen::Opening(_, opened) => {
                opening = Some(opened.clone());
                None
            }
            Seen::Entry(at, machine, entry) => {
                entries += 1;
                decided_otherwise(machine, entry).map(|decided| Finding::Decision {
                    chain: chain.clone(),
                    at,
                    recorded: told(&entry.outcome),
                    decided,
                    other_program: opening
                        .as_ref()
                        .map(|o| &o.program)
                        .filter(|p| *p != program)
                        .cloned()
                        .map(Box::new),
                })
            }
            Seen::Block(position, machine) => {
                progress(position);
                if vouched.front() == Some(&position) {
                    vouched.pop_front();
                    states.push_back((position, Hash::from_bytes(machine.state_hash())));
                    machine.check().err().map(|broken| Finding::Invariant { chain: chain.clone(), position, broken })
                } else {
                    None
                }
            }
            Seen::Checkpoint(_, checkpoint) => {
                checkpoints += 1;
                let position = checkpoint.vouched.position;
                states.retain(|(known, _)| *known >= position);
                let found = states.iter().find(|(known, _)| *known == position).map_or(Hash::NONE, |(_, hash)| *hash);
                (found != checkpoint.vouched.state).then(|| Finding::State {
                    chain: chain.clone(),
                    position,
                    vouched: checkpoint.vouched.state,
                    found,
                })
            }
        };
        finding = found;
        if finding.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(finding) = finding {
        return Err(finding);
    }
    replay.finish()?;
    let head = replay.head();
    let machine = replay.into_machine().map(|(_, machine)| machine);
    if let Some(broken) = machine.as_ref().and_then(|machine: &M| machine.check().err()) {
        return Err(Finding::Invariant { chain: chain.clone(), position: head.next.saturating_sub(1), broken });
    }
    Ok(Verified { head, entries, checkpoints, opening, machine })
}

/// What is decided now, where that is not what is recorded.
fn decided_otherwise<M: Machine>(machine: &M, entry: &Entry<M::Command, M::Event>) -> Option<String> {
    let decided = match machine.decide(&entry.asked) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(verdict) => return Some(format!("that it was answered before: {verdict:?}")),
    };
    (decided != entry.outcome).then(|| told(&decided))
}

fn told<E: std::fmt::Debug>(outcome: &Result<E, Refusal>) -> String {
    match outcome {
        Ok(event) => format!("{event:?}"),
        Err(refusal) => format!("the refusal {}", refusal.code()),
    }
}

/// The positions that checkpoints of a chain vouch for, in order. The blocks are not checked here.
fn vouched_positions(archive: &mut dyn Archive, chain: &ChainName) -> Result<VecDeque<u64>, ReadError> {
    let mut positions = Vec::new();
    let mut next = 0;
    loop {
        let batch = archive.read(chain, next, 4 << 20)?;
        if batch.is_empty() {
            positions.sort_unstable();
            positions.dedup();
            return Ok(positions.into());
        }
        for bytes in batch {
            next += 1;
            if let Ok(block) = Block::decode(bytes)
                && let Content::Checkpoint(checkpoint) = block.content()
            {
                positions.push(checkpoint.vouched.position);
            }
        }
    }
}
