//! Leases: which node holds which partition. The database decides, by its own clock. A lease only decides who tries to
//! write; the epoch of a chain decides whose blocks it takes.
//!
//! A node is alive until its lease runs out after its last heartbeat, and holds its partitions that long. An expired
//! node is never revived: it joins again under another name. Every call has a timeout. After an error the next call
//! opens a new connection, to the server of the address that takes writes by then.

mod deadline;
mod roster;

use std::time::{Duration, Instant};

pub use deadline::{BadLeaseTiming, LeaseDeadline, LeaseTiming};
pub use roster::{Lease, LeaseRoster, LiveNode, NodeName};

use tokio_postgres::Row;

use super::session::PostgresSession;
use super::{PostgresError, server};
use crate::chain::{BadChainName, ChainName};

/// The leases of an installation: reads them and requests moves.
pub struct Leases {
    address: String,
    timing: LeaseTiming,
    session: Option<PostgresSession>,
}

/// A node that has joined, and renews its leases.
#[derive(Debug)]
pub struct JoinedNode {
    leases: Leases,
    name: NodeName,
    slot: u16,
    deadline: LeaseDeadline,
}

/// The result of a heartbeat.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// Until when the node may answer for its partitions.
    pub deadline: LeaseDeadline,
    /// All nodes and leases. A partition that the node does not hold here is lost to it.
    pub roster: LeaseRoster,
}

/// The result of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The node holds the partition until its deadline.
    Mine,
    /// Another node holds it.
    HeldBy(NodeName),
    /// Nobody holds it, and it is reserved for another node.
    KeptFor(NodeName),
}

/// The result of a request to move a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOutcome {
    /// The holder sees the request at its next heartbeat.
    Noted,
    /// No node of that name is alive.
    NoSuchNode,
    /// Nobody ever held such a partition.
    NoSuchPartition,
}

/// Why a call failed. A change may have happened all the same: read the leases again.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// The lease of the node has run out. It holds nothing, and must join again under another name.
    #[error("the lease of this node has run out: it holds no partition any more")]
    Lapsed,
    /// The server failed, or did not reply.
    #[error(transparent)]
    Server(#[from] PostgresError),
    /// A synchronous standby may not have the change.
    #[error("{}", super::COMMIT_WARNING)]
    Warned,
    /// The table of leases holds a name that is no chain's.
    #[error("the table of leases holds something else: {0}")]
    Partition(#[from] BadChainName),
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for the name of a node")]
    Random(#[from] getrandom::Error),
}

/// The database keeps a lease this much longer than the node does: the clock of a promoted standby may be ahead by this
/// much.
pub const CLOCK_SKEW_ALLOWANCE: Duration = Duration::from_millis(250);

/// The most nodes at a time. Nodes that expired within the last hour count.
pub const NODE_SLOTS: u16 = 1_024;

/// The server has at least this long to answer. This may exceed a lease: the node stops answering at its deadline,
/// whatever the server does.
const MIN_STATEMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// All nodes that are alive, and every partition with its holder and the node that it should move to, if these are
/// alive.
const ROSTER: &str = "
    WITH living AS MATERIALIZED (
        SELECT name, address, version, joined > clock_timestamp() - interval '1 minute' AS is_new
        FROM taisai_journal.nodes WHERE until > clock_timestamp()
    )
    SELECT true AS is_node, name, address, version, is_new FROM living
    UNION ALL
    SELECT false, l.part, h.name, w.name, false FROM taisai_journal.leases l
    LEFT JOIN living h ON h.name = l.holder
    LEFT JOIN living w ON w.name = l.wanted
    ORDER BY 1, 2";

/// A move to the holder itself clears the request.
const REQUEST_MOVE: &str = "
    WITH wished AS (
        UPDATE taisai_journal.leases SET wanted = nullif($2, holder)
        WHERE part = $1 AND taisai_journal.lives($2) RETURNING part
    )
    SELECT EXISTS (SELECT FROM wished), EXISTS (SELECT FROM taisai_journal.leases WHERE part = $1)";

const FORGET: &str = "DELETE FROM taisai_journal.nodes WHERE until < clock_timestamp() - interval '1 hour'";

/// Nodes join one at a time, so that no two take the same slot.
const ALONE: &str = "SELECT pg_advisory_xact_lock(hashtext('taisai_journal.nodes'))";

const JOIN: &str = "
    INSERT INTO taisai_journal.nodes (name, address, version, slot, until)
    SELECT $1, $2, $3, min(free), clock_timestamp() + $4::bigint * interval '1 millisecond'
    FROM generate_series(0, $5::integer - 1) AS free
    WHERE free NOT IN (SELECT slot FROM taisai_journal.nodes)
    RETURNING slot";

impl Leases {
    /// Removes a node and frees its partitions. Only the node itself may do so, or its successor.
    pub fn forget(&mut self, name: &NodeName) -> Result<(), LeaseError> {
        let leave = "DELETE FROM taisai_journal.nodes WHERE name = $1";
        self.with(|session| session.execute(leave, &[&name.as_str()]))?;
        Ok(())
    }

    /// Opens the leases in the store at an address, and creates the tables if they are missing.
    pub fn open(address: &str, timing: LeaseTiming) -> Result<Self, LeaseError> {
        let mut leases = Self { address: address.to_owned(), timing, session: None };
        leases.with(|_| Ok(()))?;
        Ok(leases)
    }

    /// Reads all nodes and leases.
    pub fn read(&mut self) -> Result<LeaseRoster, LeaseError> {
        roster(&self.with(|session| session.query(ROSTER, &[]))?)
    }

    /// Requests that a partition move to a node. Its holder releases it when it can.
    pub fn request_move(&mut self, partition: &ChainName, node: &NodeName) -> Result<MoveOutcome, LeaseError> {
        let requested = self.with(|session| {
            let row = session.query_one(REQUEST_MOVE, &[&partition.as_str(), &node.as_str()])?;
            Ok((row.try_get(0)?, row.try_get(1)?))
        })?;
        Ok(match requested {
            (true, _) => MoveOutcome::Noted,
            (false, true) => MoveOutcome::NoSuchNode,
            (false, false) => MoveOutcome::NoSuchPartition,
        })
    }

    /// Joins as a node that is reached at this address and runs this version of the program.
    pub fn join(mut self, address: &str, version: &str) -> Result<JoinedNode, LeaseError> {
        let name = NodeName::random()?;
        let millis = self.millis();
        let (sent, slot) = self.with(|session| {
            session.execute(FORGET, &[])?;
            session.transaction(|session| {
                session.execute(ALONE, &[])?;
                let sent = Instant::now();
                let slots = i32::from(NODE_SLOTS);
                let row = session.query_one(JOIN, &[&name.as_str(), &address, &version, &millis, &slots])?;
                Ok((sent, row.try_get::<_, i16>(0)?))
            })
        })?;
        let deadline = LeaseDeadline::since(sent, self.timing);
        Ok(JoinedNode { leases: self, name, slot: slot.unsigned_abs(), deadline })
    }

    /// How long the database keeps a lease after a heartbeat.
    fn millis(&self) -> i64 {
        i64::try_from((self.timing.lease() + CLOCK_SKEW_ALLOWANCE).as_millis())
            .expect("timing are of minutes at the most")
    }

    /// A commit with a warning counts as failed. A connection is dropped after its first error.
    fn with<T>(&mut self, act: impl FnOnce(&PostgresSession) -> Result<T, PostgresError>) -> Result<T, LeaseError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.connect()?,
        };
        let done = act(&session)?;
        if session.has_warned() {
            return Err(LeaseError::Warned);
        }
        self.session = Some(session);
        Ok(done)
    }

    fn connect(&self) -> Result<PostgresSession, PostgresError> {
        let session =
            PostgresSession::open(&self.address, "taisai leases", MIN_STATEMENT_TIMEOUT.max(self.timing.lease() / 3))?;
        server::check(&session)?;
        server::check_standby(&session)?;
        server::create(&session)?;
        session.has_warned();
        Ok(session)
    }
}

impl JoinedNode {
    /// The name of this node.
    pub const fn name(&self) -> &NodeName {
        &self.name
    }

    /// A number below [`NODE_SLOTS`] that no other node has.
    pub const fn slot(&self) -> u16 {
        self.slot
    }

    /// Until when the node may answer for its partitions.
    pub const fn deadline(&self) -> LeaseDeadline {
        self.deadline
    }

    /// Renews all leases of the node, and reads the roster.
    pub fn heartbeat(&mut self) -> Result<Heartbeat, LeaseError> {
        let (name, millis) = (&self.name, self.leases.millis());
        let renewed = self.leases.with(|session| {
            let sent = Instant::now();
            let row = session.query_one("SELECT taisai_journal.beat($1, $2)", &[&name.as_str(), &millis])?;
            Ok(row.try_get::<_, bool>(0)?.then_some(sent))
        })?;
        let sent = renewed.ok_or(LeaseError::Lapsed)?;
        self.deadline = self.deadline.or(LeaseDeadline::since(sent, self.leases.timing));
        Ok(Heartbeat { deadline: self.deadline, roster: self.leases.read()? })
    }

    /// Claims a partition that nobody holds.
    pub fn claim(&mut self, partition: &ChainName) -> Result<ClaimOutcome, LeaseError> {
        let name = &self.name;
        let (is_alive, holder, wanted): (bool, Option<String>, Option<String>) = self.leases.with(|session| {
            let claim = "SELECT is_alive, holds, awaited FROM taisai_journal.claim($1, $2)";
            let row = session.query_one(claim, &[&name.as_str(), &partition.as_str()])?;
            Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
        })?;
        match (is_alive, holder.as_deref(), wanted.as_deref()) {
            (true, Some(holder), _) if holder == name.as_str() => Ok(ClaimOutcome::Mine),
            (true, Some(holder), _) => Ok(ClaimOutcome::HeldBy(holder.into())),
            (true, None, Some(wanted)) => Ok(ClaimOutcome::KeptFor(wanted.into())),
            // The last case cannot happen: a node that is alive gets a free partition that is reserved for nobody.
            (false, ..) | (true, None, None) => Err(LeaseError::Lapsed),
        }
    }

    /// Takes a partition from its holder, which learns of it at its next heartbeat; `false` if another node holds it by
    /// now. The store refuses blocks of the old holder once the new one has raised the epoch.
    pub fn seize(&mut self, partition: &ChainName, from: &NodeName) -> Result<bool, LeaseError> {
        let name = &self.name;
        let seize = "UPDATE taisai_journal.leases SET holder = $2, wanted = NULL
                     WHERE part = $1 AND holder = $3 AND taisai_journal.lives($2)";
        let (partition, name, from) = (partition.as_str(), name.as_str(), from.as_str());
        Ok(self.leases.with(|session| session.execute(seize, &[&partition, &name, &from]))? == 1)
    }

    /// Releases a partition. The node that it is reserved for may claim it; without a reservation, any node.
    pub fn release(&mut self, partition: &ChainName) -> Result<(), LeaseError> {
        let name = &self.name;
        let release = "UPDATE taisai_journal.leases SET holder = NULL WHERE part = $1 AND holder = $2";
        self.leases.with(|session| session.execute(release, &[&partition.as_str(), &name.as_str()]))?;
        Ok(())
    }

    /// Leaves, and frees all partitions of this node.
    pub fn leave(mut self) -> Result<(), LeaseError> {
        self.leases.forget(&self.name)
    }

    /// The leases, to read them and to request moves.
    pub const fn leases(&mut self) -> &mut Leases {
        &mut self.leases
    }
}

/// The nodes that are alive, in a store of any layout.
pub(super) fn nodes_in(session: &PostgresSession) -> Result<Vec<LiveNode>, LeaseError> {
    let is_there = session.query_one("SELECT to_regclass('taisai_journal.nodes') IS NOT NULL", &[])?;
    if !is_there.try_get::<_, bool>(0).map_err(PostgresError::from)? {
        return Ok(Vec::new());
    }
    Ok(roster(&session.query(ROSTER, &[])?)?.nodes)
}

fn roster(rows: &[Row]) -> Result<LeaseRoster, LeaseError> {
    let mut roster = LeaseRoster::default();
    for row in rows {
        let text = |at: usize| row.try_get::<_, Option<&str>>(at).map_err(PostgresError::from);
        let (name, second, third) = (text(1)?.unwrap_or_default(), text(2)?, text(3)?);
        if row.try_get(0).map_err(PostgresError::from)? {
            let (address, version) = (second.unwrap_or_default().to_owned(), third.unwrap_or_default().to_owned());
            let is_new = row.try_get(4).map_err(PostgresError::from)?;
            roster.nodes.push(LiveNode { name: name.into(), address, version, is_new });
        } else {
            let (holder, wanted) = (second.map(NodeName::from), third.map(NodeName::from));
            roster.leases.push(Lease { partition: name.parse()?, holder, wanted });
        }
    }
    Ok(roster)
}

impl std::fmt::Debug for Leases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.debug_struct("Leases").field("timing", &self.timing).finish_non_exhaustive()
    }
}
