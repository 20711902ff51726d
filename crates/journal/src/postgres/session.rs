//! A connection to a server with a timeout for every call. The server cancels a slow statement; if it does not, this
//! side drops the connection.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::Severity;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Connection, Row, Socket, Statement, ToStatement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::PostgresError;
use super::address::ServerAddress;
use super::tls;

/// After this long without a sign of the other side the connection counts as lost.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// The same for each of several servers: another one may be the one that takes writes.
const SERVER_TIMEOUT: Duration = Duration::from_secs(1);

/// The delay before the next of several servers is tried as well.
const SERVER_INTERVAL: Duration = Duration::from_millis(100);

/// This side waits longer than the server's own timeout: twice as long, with the extra time within these bounds.
const REPLY_GRACE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// A connection.
pub struct PostgresSession {
    runtime: Runtime,
    client: Client,
    listener: AbortHandle,
    warned: Arc<AtomicBool>,
    timeout: Duration,
}

impl PostgresSession {
    /// Connects to an address under a name that the server's list of connections shows. No statement may take longer
    /// than the timeout.
    pub fn open(address: &str, name: &str, timeout: Duration) -> Result<Self, PostgresError> {
        Self::at(&ServerAddress::read(address)?, name, timeout)
    }

    /// Connects to a server whose address was read.
    pub(super) fn at(all: &ServerAddress, name: &str, timeout: Duration) -> Result<Self, PostgresError> {
        let connector = tls::connector(&all.certificate)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(PostgresError::Thread)?;
        let (client, mut connection) = match runtime.block_on(connect(all, name, connector)) {
            Ok(connected) => connected,
            Err(error) => {
                // Do not wait for a host name that is still being looked up.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let warned = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&warned);
        let listener = runtime.spawn(async move {
            // An error ends the pending call.
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notice(notice) = message
                    && notice.parsed_severity().is_none_or(|severity| severity == Severity::Warning)
                {
                    seen.store(true, Ordering::Relaxed);
                }
            }
        });
        let listener = listener.abort_handle();
        let mut session = Self { runtime, client, listener, warned, timeout };
        session.set_timeout(timeout)?;
        Ok(session)
    }

    /// Changes the timeout of statements.
    pub fn set_timeout(&mut self, timeout: Duration) -> Result<(), PostgresError> {
        self.timeout = timeout;
        let millis = timeout.as_millis();
        self.batch(&format!(
            "SET statement_timeout = {millis}; SET lock_timeout = {millis}; SET idle_in_transaction_session_timeout = {millis}"
        ))
    }

    /// Whether the server has warned since the last call of this.
    pub fn has_warned(&self) -> bool {
        self.warned.swap(false, Ordering::Relaxed)
    }

    /// Runs statements without results.
    pub fn batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.run(self.client.batch_execute(sql))
    }

    /// Prepares a statement.
    pub fn prepare(&self, sql: &str) -> Result<Statement, PostgresError> {
        self.run(self.client.prepare(sql))
    }

    /// Runs a statement, and returns how many rows it changed.
    pub fn execute(
        &self,
        statement: &(impl ToStatement + ?Sized),
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, PostgresError> {
        self.run(self.client.execute(statement, values))
    }

    /// Runs a statement and then a query, each in its own transaction, in one round trip. Returns how many rows the
    /// statement gave, and the row that the query gives; it may fail after the statement has succeeded.
    pub(super) fn execute_then_query(
        &self,
        (statement, values): (&Statement, &[&(dyn ToSql + Sync)]),
        query: &Statement,
    ) -> Result<(u64, Result<Row, PostgresError>), PostgresError> {
        // Both are sent before either is waited for.
        self.run(async {
            let (executed, queried) =
                tokio::join!(self.client.execute(statement, values), self.client.query_one(query, &[]));
            Ok((executed?, queried.map_err(PostgresError::from)))
        })
    }

    /// The rows that a statement gives.
    pub fn query(
        &self,
        statement: &(impl ToStatement + ?Sized),
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, PostgresError> {
        self.run(self.client.query(statement, values))
    }

    /// The only row that a statement gives, if it gives one.
    pub fn query_opt(
        &self,
        statement: &(impl ToStatement + ?Sized),
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, PostgresError> {
        self.run(self.client.query_opt(statement, values))
    }

    /// The row that a statement gives.
    pub fn query_one(
        &self,
        statement: &(impl ToStatement + ?Sized),
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, PostgresError> {
        self.run(self.client.query_one(statement, values))
    }

    /// Copies rows into a table: `COPY … FROM STDIN BINARY`.
    pub fn copy_in<'v, T: ToSql + Sync + 'v>(
        &self,
        sql: &str,
        types: &[Type],
        rows: impl IntoIterator<Item = &'v [T]>,
    ) -> Result<(), PostgresError> {
        self.run(async {
            let writer = BinaryCopyInWriter::new(self.client.copy_in(sql).await?, types);
            let mut writer = std::pin::pin!(writer);
            for row in rows {
                writer.as_mut().write_raw(row.iter()).await?;
            }
            writer.finish().await
        })?;
        Ok(())
    }

    /// Runs the work in a transaction.
    pub fn transaction<T, E: From<PostgresError>>(&self, work: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        self.batch("BEGIN")?;
        match work(self) {
            Ok(done) => {
                self.batch("COMMIT")?;
                Ok(done)
            }
            Err(error) => {
                // A connection that is lost takes the transaction with it.
                self.batch("ROLLBACK").ok();
                Err(error)
            }
        }
    }

    fn run<T>(&self, call: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, PostgresError> {
        let waits = self.timeout + self.timeout.clamp(REPLY_GRACE.0, REPLY_GRACE.1);
        let Ok(answer) = self.runtime.block_on(async { timeout(waits, call).await }) else {
            self.listener.abort();
            return Err(PostgresError::Silent(waits));
        };
        Ok(answer?)
    }
}

/// What TLS makes of a connection.
type TlsStream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// Connects to the first server of an address that answers and fits what the address asks for. Servers are tried a
/// little after each other, without waiting for the one before: a server that accepts and stays silent delays nobody.
async fn connect(
    all: &ServerAddress,
    name: &str,
    connector: MakeRustlsConnect,
) -> Result<(Client, Connection<Socket, TlsStream>), PostgresError> {
    let servers = all.alone()?;
    let turn = if servers.len() > 1 { SERVER_TIMEOUT } else { SILENCE_TIMEOUT };
    let mut attempts = JoinSet::new();
    for (index, mut server) in (0_u32..).zip(servers) {
        let turn = server.config.get_connect_timeout().copied().unwrap_or(turn);
        server
            .config
            .application_name(name)
            .connect_timeout(turn)
            .keepalives_idle(SILENCE_TIMEOUT)
            .tcp_user_timeout(SILENCE_TIMEOUT);
        let connector = connector.clone();
        attempts.spawn(async move {
            sleep(SERVER_INTERVAL * index).await;
            match timeout(turn, server.config.connect(connector)).await {
                Ok(connected) => connected.map_err(|error| PostgresError::connecting(&server, error)),
                Err(_) => Err(PostgresError::silent(&server)),
            }
        });
    }
    let mut failures = Vec::new();
    while let Some(attempt) = attempts.join_next().await {
        match attempt.map_err(|broken| PostgresError::Thread(broken.into()))? {
            Ok(connected) => return Ok(connected),
            Err(failure) => failures.push(failure),
        }
    }
    Err(PostgresError::nowhere(all, failures))
}

impl std::fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
