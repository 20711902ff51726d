//! The store for several nodes: `PostgreSQL` 15 and later. The database decides whether a block may be appended: one
//! statement moves the heads of all chains of a batch and inserts the blocks, or changes nothing.
//!
//! The statement is its own transaction, so a batch takes one round trip. If no reply comes, or a reply with a warning
//! (a synchronous standby is missing), nobody knows whether the blocks are durable: the handle refuses everything, and
//! the store must be opened again and read. A server that would acknowledge alone is refused, unless the configuration
//! says that one server is wanted (`single_server=on` in the address).

mod address;
mod archive;
mod condition;
mod error;
mod leases;
mod server;
mod session;
mod tls;

use std::time::Duration;

use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

pub use address::BadAddress;
pub use archive::PostgresArchive;
pub use condition::{ExaminedServer, ServerCondition, ServerSetting, StandbyServer, examine_servers};
pub use error::PostgresError;
pub use leases::{
    BadLeaseTiming, CLOCK_SKEW_ALLOWANCE, ClaimOutcome, Heartbeat, JoinedNode, Lease, LeaseDeadline, LeaseError,
    LeaseRoster, LeaseTiming, Leases, LiveNode, MoveOutcome, NODE_SLOTS, NodeName,
};
pub use session::PostgresSession;

use crate::batch::{HeadMove, moves};
use crate::block::{Block, MAX_BLOCK_NUMBER};
use crate::chain::ChainName;
use crate::journal::{AppendError, Archive, Cause, ChainHead, ClaimError, Journal, ReadError, StoredSlip};
use archive::{as_sql, head_in_row};
use server::{ServerIdentity, WAITS_FOR_STANDBY};

/// The store on a server, open for writing.
pub struct Postgres {
    address: String,
    session: PostgresSession,
    identity: ServerIdentity,
    append: Statement,
    append_with_slips: Statement,
    still_waits: Statement,
    poisoned: bool,
}

/// After this long without a reply nobody knows whether blocks are durable.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a commit with a warning counts as unknown.
const COMMIT_WARNING: &str = "the server warned while it committed, as it does when a standby is missing";

impl Postgres {
    /// Opens the store at an address (`postgres://…`), and creates its tables if they are missing.
    pub fn open(address: &str) -> Result<Self, PostgresError> {
        let session = PostgresSession::open(address, "taisai", STATEMENT_TIMEOUT)?;
        server::check(&session)?;
        server::check_standby(&session)?;
        server::create(&session)?;
        let identity = server::identity(&session)?;
        let append = session.prepare(&format!(
            "SELECT taisai_journal.append($1, $2, $3, $4, $5, $6, $7, $8, $9) WHERE {WAITS_FOR_STANDBY}"
        ))?;
        let append_with_slips = session.prepare(&format!(
            "SELECT taisai_journal.append_with_slips($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
             WHERE {WAITS_FOR_STANDBY}"
        ))?;
        let still_waits = session.prepare(&format!("SELECT coalesce({WAITS_FOR_STANDBY}, false)"))?;
        let address = address.into();
        Ok(Self { address, session, identity, append, append_with_slips, still_waits, poisoned: false })
    }

    /// Waits at most this long for the server. After that nobody knows whether an append succeeded.
    pub fn with_timeout(mut self, timeout: Duration) -> Result<Self, PostgresError> {
        self.session.set_timeout(timeout)?;
        Ok(self)
    }

    fn store(&self, moves: &[HeadMove<'_>], blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        let names: Vec<&str> = moves.iter().map(|m| m.chain.as_str()).collect();
        let epochs: Vec<i64> = moves.iter().map(|m| as_sql(m.epoch)).collect();
        let froms: Vec<i64> = moves.iter().map(|m| as_sql(m.from)).collect();
        let previous: Vec<&[u8]> = moves.iter().map(|m| &m.previous.as_bytes()[..]).collect();
        let nexts: Vec<i64> = moves.iter().map(|m| as_sql(m.next)).collect();
        let hashes: Vec<&[u8]> = moves.iter().map(|m| &m.hash.as_bytes()[..]).collect();
        let chains: Vec<&str> = blocks.iter().map(|block| block.header().chain.as_str()).collect();
        let positions: Vec<i64> = blocks.iter().map(|block| as_sql(block.header().position)).collect();
        let bytes: Vec<&[u8]> = blocks.iter().map(Block::bytes).collect();
        let slip_chains: Vec<&str> = slips.iter().map(|slip| slip.chain.as_str()).collect();
        let rounds: Vec<i64> = slips.iter().map(|slip| as_sql(slip.round)).collect();
        let slip_bytes: Vec<&[u8]> = slips.iter().map(|slip| &slip.bytes[..]).collect();
        self.session.has_warned();
        let of_blocks: [&(dyn ToSql + Sync); 9] =
            [&names, &epochs, &froms, &previous, &nexts, &hashes, &chains, &positions, &bytes];
        let of_slips: [&(dyn ToSql + Sync); 3] = [&slip_chains, &rounds, &slip_bytes];
        let (statement, values) = match slips {
            [] => (&self.append, of_blocks.to_vec()),
            [_, ..] => (&self.append_with_slips, [&of_blocks[..], &of_slips].concat()),
        };
        let sent = self.session.execute_then_query((statement, &values), &self.still_waits);
        match sent {
            Ok(_) if self.session.has_warned() => Err(AppendError::Unknown(Cause::from(COMMIT_WARNING))),
            Ok((0, _)) => Err(AppendError::Failed(PostgresError::NoStandby.into())),
            Ok((_, still_waits)) => match still_waits.and_then(|row| Ok(row.try_get(0)?)) {
                Ok(true) => Ok(()),
                // Names that are taken away end a wait without a warning.
                Ok(false) => Err(AppendError::Unknown(PostgresError::NoStandby.into())),
                Err(error) => Err(AppendError::Unknown(error.into())),
            },
            Err(error) => Err(refused(moves, error)),
        }
    }
}

/// What an error of the statement means. If the server reports a failure, nothing was stored, unless the server was
/// shutting down and may have committed already.
fn refused(moves: &[HeadMove<'_>], error: PostgresError) -> AppendError {
    match error.server().and_then(tokio_postgres::Error::as_db_error) {
        Some(answer) if *answer.code() == server::fenced() => {
            // The server says which chain in the detail of its answer.
            let chain = moves.iter().find(|m| answer.detail() == Some(m.chain.as_str())).or(moves.first());
            chain.map_or_else(|| AppendError::Failed(error.into()), HeadMove::fenced)
        }
        Some(answer) if is_stop(answer.code()) => AppendError::Unknown(error.into()),
        Some(_) => AppendError::Failed(error.into()),
        None => AppendError::Unknown(error.into()),
    }
}

/// Operator intervention (class 57), system errors (58) and internal ones (XX) can come after the commit.
fn is_stop(code: &SqlState) -> bool {
    ["57", "58", "XX"].iter().any(|class| code.code().starts_with(class))
}

impl Journal for Postgres {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        if self.poisoned {
            return Err(ClaimError::Poisoned);
        }
        let refused = || ClaimError::Refused { chain: chain.clone(), epoch };
        if epoch == 0 || epoch > MAX_BLOCK_NUMBER {
            return Err(refused());
        }
        self.session.has_warned();
        if let Err(error) = server::check_standby(&self.session) {
            self.poisoned = true;
            return Err(ClaimError::Failed(error.into()));
        }
        let raised = self.session.query_opt(
            "INSERT INTO taisai_journal.chains AS c (name, epoch, next, hash)
             VALUES ($1, $2, 0, decode(repeat('00', 32), 'hex'))
             ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE c.epoch < excluded.epoch
             RETURNING name, epoch, next, hash",
            &[&chain.as_str(), &as_sql(epoch)],
        );
        match raised {
            Ok(_) if self.session.has_warned() => {
                self.poisoned = true;
                Err(ClaimError::Failed(Cause::from(COMMIT_WARNING)))
            }
            Ok(Some(row)) => head_in_row(&row).map_err(ClaimError::Failed),
            Ok(None) => Err(refused()),
            Err(error) => {
                self.poisoned = true;
                Err(ClaimError::Failed(error.into()))
            }
        }
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        if self.poisoned {
            return Err(AppendError::Poisoned);
        }
        let stored = moves(blocks, slips).and_then(|moves| self.store(&moves, blocks, slips));
        self.poisoned = match &stored {
            Ok(()) | Err(AppendError::Fenced { .. }) => false,
            Err(AppendError::Failed(_) | AppendError::Unknown(_) | AppendError::Poisoned) => true,
        };
        stored
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        let archive = PostgresArchive::open_on(&self.address, &self.identity);
        Ok(Box::new(archive.map_err(|error| ReadError::Failed(error.into()))?))
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.debug_struct("Postgres").field("poisoned", &self.poisoned).finish_non_exhaustive()
    }
}
