//! What the servers of an address say of themselves, each asked by itself, whether it takes writes or not. Whether that is
//! well is not judged here, and nothing is changed.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio_postgres::config::TargetSessionAttrs;

use super::PostgresError;
use super::address::ServerAddress;
use super::leases::{LeaseError, LiveNode, nodes_in};
use super::server;
use super::session::PostgresSession;

/// A server of an address, asked by itself.
#[derive(Debug)]
pub struct ExaminedServer {
    /// The server as people call it.
    pub place: String,
    /// How it is, or why nobody knows.
    pub condition: Result<ServerCondition, PostgresError>,
}

/// A server as it is.
#[derive(Debug)]
pub struct ServerCondition {
    /// Its version, as it writes it.
    pub version: String,
    /// Whether the version is new enough.
    pub is_new_enough: bool,
    /// Whether it is a standby.
    pub is_standby: bool,
    /// Settings that decide what a commit is worth.
    pub settings: Vec<ServerSetting>,
    /// `synchronous_standby_names`.
    pub synchronous: String,
    /// Whether the address or the server says that one server without standbys is wanted.
    pub is_single_server: bool,
    /// The standbys that are connected to it.
    pub standbys: Vec<StandbyServer>,
    /// How far its clock is ahead of this machine's, in microseconds.
    pub ahead: i64,
    /// How far that may be wrong.
    pub uncertainty: Duration,
    /// How long commits took, the quickest first, on a server that takes them.
    pub commits: Option<Result<Vec<Duration>, PostgresError>>,
    /// The nodes that live, if there are tables for them.
    pub nodes: Result<Vec<LiveNode>, LeaseError>,
}

/// A setting of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSetting {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Whether what is committed lasts with it.
    pub is_durable: bool,
}

/// A standby as its primary sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandbyServer {
    /// Its name.
    pub name: String,
    /// Its replication state, such as `streaming`; none if this user may not see it.
    pub state: Option<String>,
    /// Whether commits wait for it: `sync`, `quorum`, `potential`, `async`.
    pub sync_state: Option<String>,
    /// How many bytes it has not made durable yet.
    pub behind: Option<i64>,
}

/// How long a server may take for one of the questions, a commit among them.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// How many commits are timed, and how often the clock is asked.
const TIMES: usize = 20;

/// The settings that decide what a commit is worth.
const SETTINGS: [&str; 3] = ["synchronous_commit", "fsync", "full_page_writes"];

/// Asks each server of an address.
pub fn examine_servers(address: &str) -> Result<Vec<ExaminedServer>, PostgresError> {
    let mut servers = ServerAddress::read(address)?.alone()?;
    for server in &mut servers {
        server.config.target_session_attrs(TargetSessionAttrs::Any);
    }
    let examined =
        |server: &ServerAddress| ExaminedServer { place: server.display_name(), condition: condition(server) };
    Ok(servers.iter().map(examined).collect())
}

fn condition(server: &ServerAddress) -> Result<ServerCondition, PostgresError> {
    let session = PostgresSession::at(server, "taisai doctor", STATEMENT_TIMEOUT)?;
    let about = session.query_one(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint, pg_is_in_recovery(),
                current_setting('synchronous_standby_names'),
                coalesce(current_setting('taisai.single_server', true) = 'on', false)",
        &[],
    )?;
    let is_standby = about.try_get(2)?;
    let setting = |name| {
        let value = server::show(&session, name)?;
        Ok(ServerSetting { name, is_durable: server::is_durable(&value), value })
    };
    let (ahead, uncertainty) = clock(&session)?;
    Ok(ServerCondition {
        version: about.try_get(0)?,
        is_new_enough: about.try_get::<_, i64>(1)? >= server::OLDEST,
        is_standby,
        settings: SETTINGS.into_iter().map(setting).collect::<Result<_, PostgresError>>()?,
        synchronous: about.try_get(3)?,
        is_single_server: about.try_get(4)?,
        standbys: if is_standby { Vec::new() } else { standbys(&session)? },
        ahead,
        uncertainty,
        nodes: nodes_in(&session),
        // The last: a session whose commit is not answered is of no more use.
        commits: (!is_standby).then(|| commits(&session)),
    })
}

fn standbys(session: &PostgresSession) -> Result<Vec<StandbyServer>, PostgresError> {
    let rows = session.query(
        "SELECT application_name, state, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
         FROM pg_stat_replication ORDER BY 1",
        &[],
    )?;
    let standby = |row: &tokio_postgres::Row| {
        Ok(StandbyServer {
            name: row.try_get::<_, Option<String>>(0)?.unwrap_or_default(),
            state: row.try_get(1)?,
            sync_state: row.try_get(2)?,
            behind: row.try_get(3)?,
        })
    };
    rows.iter().map(standby).collect()
}

/// How far the server's clock is ahead, and how far that may be wrong; by the quickest answer.
fn clock(session: &PostgresSession) -> Result<(i64, Duration), PostgresError> {
    let ask = session.prepare("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")?;
    let mut best: Option<(i64, Duration)> = None;
    for _ in 0..TIMES {
        let (sent, begun) = (SystemTime::now(), Instant::now());
        let theirs: i64 = session.query_one(&ask, &[])?.try_get(0)?;
        let half = begun.elapsed() / 2;
        let ours = sent.duration_since(UNIX_EPOCH).unwrap_or_default() + half;
        let ours = i64::try_from(ours.as_micros()).unwrap_or(i64::MAX);
        if best.is_none_or(|(_, uncertainty)| half < uncertainty) {
            best = Some((theirs.saturating_sub(ours), half));
        }
    }
    Ok(best.unwrap_or_default())
}

/// Times commits of a message in the write-ahead log: flushed and replicated as a block is, and kept in no table.
fn commits(session: &PostgresSession) -> Result<Vec<Duration>, PostgresError> {
    let commit = session.prepare("SELECT pg_logical_emit_message(true, 'taisai', 'doctor')")?;
    let mut taken = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let begun = Instant::now();
        session.query_one(&commit, &[])?;
        taken.push(begun.elapsed());
    }
    taken.sort_unstable();
    Ok(taken)
}
