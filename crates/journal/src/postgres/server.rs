//! A server that keeps its word, and the tables and the function in it.

use tokio_postgres::error::SqlState;

use super::PostgresError;
use super::session::PostgresSession;

/// What makes each layout of the tables out of the one before it.
const LAYOUTS: [&str; 3] = [include_str!("tables.sql"), include_str!("leases/leases.sql"), include_str!("slips.sql")];

/// The newest of them.
const LAYOUT: i32 = 3;

/// The first one with slips.
pub(super) const SLIPS: i32 = 3;

/// The oldest version of a server that will do.
pub(super) const OLDEST: i64 = 150_000;

/// The answer of the function when a chain is not where a batch begins.
pub(super) fn fenced() -> SqlState {
    SqlState::from_code("TS001")
}

/// Whether the server is new enough, and durable. What a session can hold on to it does, whatever others set later; the rest
/// is looked at again in every append.
pub(super) fn check(session: &PostgresSession) -> Result<(), PostgresError> {
    let version = show(session, "server_version_num")?;
    if version.parse::<i64>().map_or(true, |version| version < OLDEST) {
        return Err(PostgresError::Old { found: show(session, "server_version")? });
    }
    let kept = durable(session, "synchronous_commit")?;
    durable(session, "fsync")?;
    durable(session, "full_page_writes")?;
    session.execute("SELECT set_config('synchronous_commit', $1, false)", &[&kept])?;
    Ok(())
}

/// Whether a commit waits for a synchronous standby, or the configuration says that one server is wanted. `PostgreSQL`
/// waits whenever standbys are named, also if none of them is connected; without names it does not wait and does not
/// warn. A session sees a change of the names before its next statement.
pub(super) const WAITS_FOR_STANDBY: &str = "(current_setting('synchronous_standby_names') <> ''
    AND current_setting('max_wal_senders') <> '0' OR current_setting('taisai.single_server', true) = 'on')";

/// Whether commits of this session wait as they should.
pub(super) fn check_standby(session: &PostgresSession) -> Result<(), PostgresError> {
    let row = session.query_one(&format!("SELECT coalesce({WAITS_FOR_STANDBY}, false)"), &[])?;
    if row.try_get(0)? { Ok(()) } else { Err(PostgresError::NoStandby) }
}

/// Which server a session is on: its cluster, when it was started, and whether it is a standby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerIdentity {
    system: String,
    started: String,
    is_standby: bool,
}

/// A primary and its standbys are of one cluster, and each was started at a moment of its own.
pub(super) fn identity(session: &PostgresSession) -> Result<ServerIdentity, PostgresError> {
    let row = session.query_one(
        "SELECT system_identifier::text, extract(epoch FROM pg_postmaster_start_time())::text, pg_is_in_recovery()
         FROM pg_control_system()",
        &[],
    )?;
    Ok(ServerIdentity { system: row.try_get(0)?, started: row.try_get(1)?, is_standby: row.try_get(2)? })
}

/// The value of a setting, which must not give durability away.
fn durable(session: &PostgresSession, setting: &'static str) -> Result<String, PostgresError> {
    let found = show(session, setting)?;
    if is_durable(&found) { Ok(found) } else { Err(PostgresError::Setting { setting, found, needed: "on" }) }
}

/// Whether commits are durable with such a setting. `remote_apply` waits for more than `on`; all others wait for less.
pub(super) fn is_durable(value: &str) -> bool {
    matches!(value, "on" | "remote_apply")
}

pub(super) fn show(session: &PostgresSession, setting: &str) -> Result<String, PostgresError> {
    Ok(session.query_one("SELECT current_setting($1)", &[&setting])?.try_get(0)?)
}

/// The layout of the tables, if there are any.
pub(super) fn layout(session: &PostgresSession) -> Result<Option<i32>, PostgresError> {
    let row = session.query_one(
        "SELECT to_regclass('taisai_journal.layout') IS NOT NULL,
                EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                        WHERE n.nspname = 'taisai_journal')",
        &[],
    )?;
    match (row.try_get(0)?, row.try_get(1)?) {
        (true, _) => {}
        (false, true) => return Err(PostgresError::Foreign),
        (false, false) => return Ok(None),
    }
    let found = session.query_opt("SELECT number FROM taisai_journal.layout", &[])?;
    let found: i32 = found.ok_or(PostgresError::Foreign)?.try_get(0).map_err(|_| PostgresError::Foreign)?;
    if found > LAYOUT { Err(PostgresError::Newer { found, known: LAYOUT }) } else { Ok(Some(found)) }
}

/// Makes the tables if there are none, and those that an older program did not know. Of several programs that do so at once
/// one makes them.
pub(super) fn create(session: &PostgresSession) -> Result<(), PostgresError> {
    if layout(session)? == Some(LAYOUT) {
        return Ok(());
    }
    session.transaction(|session| {
        session.execute("SELECT pg_advisory_xact_lock(hashtext('taisai_journal'))", &[])?;
        let found = layout(session)?.unwrap_or(0);
        for (number, tables) in (1..).zip(LAYOUTS).filter(|(number, _)| *number > found) {
            session.batch(tables)?;
            let write = if number == 1 {
                "INSERT INTO taisai_journal.layout VALUES ($1)"
            } else {
                "UPDATE taisai_journal.layout SET number = $1"
            };
            session.execute(write, &[&number])?;
        }
        Ok(())
    })
}
