//! Reads the reporting tables beside the projection. Another thread can interrupt a reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::InterruptHandle;

use super::store::{QueryResult, Tables, TablesError};
use super::value::SqlValue;
use taisai_record::Address;

/// Reads the reporting tables.
pub struct ReportReader {
    tables: Tables,
    is_stopped: Arc<AtomicBool>,
}

/// Interrupts a reader, from any thread.
pub struct QueryInterrupt {
    sqlite: Option<InterruptHandle>,
    is_stopped: Arc<AtomicBool>,
}

impl ReportReader {
    /// Opens the reporting tables of a store, or creates them, empty.
    pub fn open(address: &Address) -> Result<Self, TablesError> {
        Ok(Self { tables: Tables::open(address)?, is_stopped: Arc::default() })
    }

    /// Has a database server cancel a statement that takes longer. For a file use [`stop`](Self::stop).
    pub fn with_timeout(mut self, timeout: Duration) -> Result<Self, TablesError> {
        self.tables.set_timeout(timeout)?;
        Ok(self)
    }

    /// Interrupts this reader. An interrupted reader reads nothing more.
    pub fn stop(&self) -> QueryInterrupt {
        QueryInterrupt { sqlite: self.tables.interrupt_handle(), is_stopped: Arc::clone(&self.is_stopped) }
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// The rows of a query.
    pub fn query(&mut self, sql: &str, values: &[SqlValue]) -> Result<QueryResult, TablesError> {
        if self.is_stopped() {
            return Err(TablesError::Stopped);
        }
        let answer = self.tables.query(sql, values);
        if self.is_stopped() { Err(TablesError::Stopped) } else { answer }
    }

    /// At most `most` rows of a query, and whether there are more.
    pub fn query_most(
        &mut self,
        sql: &str,
        values: &[SqlValue],
        most: usize,
    ) -> Result<(QueryResult, bool), TablesError> {
        let sql = format!("SELECT * FROM (\n{sql}\n) AS answer LIMIT {}", most.saturating_add(1));
        let mut answer = self.query(&sql, values)?;
        let is_cut = answer.rows.len() > most;
        answer.rows.truncate(most);
        Ok((answer, is_cut))
    }
}

impl QueryInterrupt {
    /// Interrupts the reader. A statement that starts at the same moment may still run: call this again while you wait.
    pub fn now(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        if let Some(sqlite) = &self.sqlite {
            sqlite.interrupt();
        }
    }
}
