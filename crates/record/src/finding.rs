//! What an audit can find: the first thing that is wrong with a chain, and what does not fit between chains.

use taisai_journal::{
    AnchorError, Archive, ChainHead, ChainName, Hash, MAX_BLOCK_NUMBER, PublicKey, ReadError, StrayBlock,
};
use taisai_table::{BadKeptSlip, BrokenInvariant, PersonId, Role, Roles, RoundNumber};

use crate::opening::Program;
use crate::replay::{EntryPosition, ReplayError, SkippedSnapshot};

/// Something that is wrong.
#[derive(Debug, thiserror::Error)]
pub enum AuditFinding {
    /// The chain cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A decision would be another one.
    #[error("chain {chain}, block {}, entry {}: {recorded} is recorded, but this program decides {decided}{}", at.position, at.entry, of_version(other_program.as_deref()))]
    Decision {
        chain: ChainName,
        at: EntryPosition,
        recorded: String,
        decided: String,
        /// The program that recorded it, if it is another one than this.
        other_program: Option<Box<Program>>,
    },
    #[error("chain {chain}, block {position}: {broken}")]
    Invariant { chain: ChainName, position: u64, broken: BrokenInvariant },
    /// A checkpoint has the hash of another state.
    #[error("chain {chain}, block {position}: the state is {found}, and the checkpoint for it says {vouched}")]
    State { chain: ChainName, position: u64, vouched: Hash, found: Hash },
    /// A chain is missing that another refers to.
    #[error("chain {chain} is missing, and chain {by} refers to it")]
    Missing {
        chain: ChainName,
        /// The one that speaks of it.
        by: ChainName,
    },
    /// A kept snapshot is not the state that the chain makes.
    #[error("chain {chain}: the snapshot at block {position} is bad: {why}")]
    Snapshot { chain: ChainName, position: u64, why: SkippedSnapshot },
    /// A kept slip is not the one that the chain settled.
    #[error("chain {chain}: the slip that the store keeps of round {} is not used: {why}", round.0)]
    Slip { chain: ChainName, round: RoundNumber, why: BadKeptSlip },
    /// No machine has a chain of that name.
    #[error("chain {0} belongs to no machine")]
    UnknownChain(ChainName),
    /// Two chains of one store are of different casinos, or one is for training and the other is not.
    #[error("chain {chain} is of another casino than chain {other}")]
    OtherHouse { chain: ChainName, other: ChainName },
    /// A cluster follows a notice that its round never gave.
    #[error("chain {chain}, block {}, entry {}: notice {number} is not the one that chain {round} has given", at.position, at.entry)]
    Notice { chain: ChainName, at: EntryPosition, number: u64, round: ChainName },
    /// A cluster reported to its round that it follows further than it does.
    #[error(
        "chain {round} says that chain {chain} holds {reported} notices, and it holds {followed}: it was cut off or is missing"
    )]
    Followed {
        round: ChainName,
        chain: ChainName,
        /// The position that the cluster reported to the round.
        reported: u64,
        /// How far the cluster is.
        followed: u64,
    },
    /// The money between a cluster and the House is not what is on its way.
    #[error("between chain {chain} and chain house: {broken}")]
    Transit { chain: ChainName, broken: BrokenInvariant },
    /// A transfer was received otherwise than it was sent.
    #[error(
        "chain {chain}, block {}, entry {}: transfer {number} is not the one that chain {sender} sent in block {}, entry {}",
        at.position, at.entry, sent.position, sent.entry
    )]
    TransferDiffers { chain: ChainName, at: EntryPosition, number: u64, sender: ChainName, sent: EntryPosition },
    /// A transfer was received that nobody sent.
    #[error("chain {chain}, block {}, entry {}: chain {sender} never sent transfer {number}", at.position, at.entry)]
    TransferUnsent { chain: ChainName, at: EntryPosition, number: u64, sender: ChainName },
    /// A transfer counts as received, and was not.
    #[error(
        "chain {chain}, block {}, entry {}: chain {receiver} never received transfer {number}, which counts as delivered",
        at.position, at.entry
    )]
    TransferUnreceived { chain: ChainName, at: EntryPosition, number: u64, receiver: ChainName },
    /// Someone acts, first or second, who was never on file.
    #[error("chain {chain}, block {}, entry {}: person {} is not on file in chain house", at.position, at.entry, person.0)]
    UnknownPerson { chain: ChainName, at: EntryPosition, person: PersonId },
    /// Someone acts, first or second, with roles that were not theirs.
    #[error(
        "chain {chain}, block {}, entry {}: person {} acts as {}, and was not that at the time by chain house",
        at.position, at.entry, person.0, role_names(*roles)
    )]
    PersonRoles { chain: ChainName, at: EntryPosition, person: PersonId, roles: Roles },
    /// The store has a block that is no part of the chain.
    #[error("chain {chain}: the store holds a block at {position} that is no part of the chain")]
    Stray {
        /// The chain, as the store calls it.
        chain: String,
        position: i64,
    },
    /// No epoch is left for a writer after the last one.
    #[error("chain {0}: its epoch is the highest there is, so no writer can take it")]
    LastEpoch(ChainName),
    /// The anchor is not what the program wrote.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// A key vouches for what came after it was replaced.
    #[error(
        "chain {chain}, block {position}: its checkpoint is signed with {key}, which was replaced before that by chain house"
    )]
    ReplacedKey { chain: ChainName, position: u64, key: PublicKey },
    /// A line of the anchor is signed by someone unknown.
    #[error("line {line} of the anchor is signed with the unknown key {key}")]
    AnchorKey { line: usize, key: PublicKey },
}

impl AuditFinding {
    /// What is wrong with what a store says of its chains, beside the chains themselves.
    pub fn of_store(archive: &mut dyn Archive, heads: &[ChainHead]) -> Result<Vec<Self>, ReadError> {
        let strays =
            archive.strays()?.into_iter().map(|StrayBlock { chain, position }| Self::Stray { chain, position });
        let last = heads.iter().filter(|head| head.epoch >= MAX_BLOCK_NUMBER);
        Ok(strays.chain(last.map(|head| Self::LastEpoch(head.chain.clone()))).collect())
    }

    /// Whether the store failed, so that nothing is known of what it holds.
    pub const fn is_of_store(&self) -> bool {
        matches!(self, Self::Read(ReadError::Failed(_)) | Self::Replay(ReplayError::Read(ReadError::Failed(_))))
    }
}

fn role_names(roles: Roles) -> String {
    roles.iter().map(Role::text).collect::<Vec<_>>().join(" and ")
}

fn of_version(program: Option<&Program>) -> String {
    program
        .map_or_else(String::new, |program| format!(" (it was recorded by version {} of the program)", program.version))
}
