//! Connecting to a server that keeps its word, and the tables and the function in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};

use super::PostgresError;

/// The newest layout of the tables.
const LAYOUT: i32 = 1;

/// How long the other side may be silent before the connection counts as lost.
const SILENCE: Duration = Duration::from_secs(10);

/// The answer of the function when a chain is not where a batch begins.
pub(super) fn fenced() -> SqlState {
    SqlState::from_code("TS001")
}

/// A connection, and whether the server warned of something on it.
pub(super) fn connect(address: &str) -> Result<(Client, Arc<AtomicBool>), PostgresError> {
    let warned = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&warned);
    let mut config: Config = address.parse()?;
    config
        .application_name("taisai")
        .connect_timeout(SILENCE)
        .keepalives_idle(SILENCE)
        .tcp_user_timeout(SILENCE)
        .notice_callback(move |notice| {
            if notice.severity() == "WARNING" {
                seen.store(true, Ordering::Relaxed);
            }
        });
    let mut client = config.connect(NoTls)?;
    check(&mut client)?;
    Ok((client, warned))
}

/// Whether the server is new enough, and durable.
fn check(client: &mut Client) -> Result<(), PostgresError> {
    let version = show(client, "server_version_num")?;
    if version.parse::<u32>().map_or(true, |version| version < 150_000) {
        return Err(PostgresError::Old { found: show(client, "server_version")? });
    }
    // `remote_apply` waits for more than `on`; the others wait for less.
    let found = show(client, "synchronous_commit")?;
    if !matches!(found.as_str(), "on" | "remote_apply") {
        return Err(PostgresError::Setting { setting: "synchronous_commit", found, needed: "on" });
    }
    for setting in ["fsync", "full_page_writes"] {
        let found = show(client, setting)?;
        if found != "on" {
            return Err(PostgresError::Setting { setting, found, needed: "on" });
        }
    }
    Ok(())
}

fn show(client: &mut Client, setting: &str) -> Result<String, PostgresError> {
    Ok(client.query_one("SELECT current_setting($1)", &[&setting])?.get(0))
}

/// The layout of the tables, if there are any.
pub(super) fn layout(client: &mut Client) -> Result<Option<i32>, PostgresError> {
    let there: bool = client.query_one("SELECT to_regclass('taisai_journal.layout') IS NOT NULL", &[])?.get(0);
    if !there {
        return Ok(None);
    }
    let found: i32 = client.query_one("SELECT number FROM taisai_journal.layout", &[])?.get(0);
    if found > LAYOUT { Err(PostgresError::Newer { found, known: LAYOUT }) } else { Ok(Some(found)) }
}

/// Makes the tables, if there are none. Of several programs that do so at once one makes them.
pub(super) fn create(client: &mut Client) -> Result<(), PostgresError> {
    if layout(client)?.is_some() {
        return Ok(());
    }
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock(hashtext('taisai_journal'))", &[])?;
    let there: bool = transaction.query_one("SELECT to_regclass('taisai_journal.layout') IS NOT NULL", &[])?.get(0);
    if !there {
        transaction.batch_execute(include_str!("tables.sql"))?;
        transaction.execute("INSERT INTO taisai_journal.layout VALUES ($1)", &[&LAYOUT])?;
    }
    Ok(transaction.commit()?)
}
