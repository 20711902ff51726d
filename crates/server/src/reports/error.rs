use std::error::Error as _;

use taisai_analysis::BadRound;
use taisai_journal::ReadError;
use taisai_record::{BadSheet, ReplayError, StoreError};
use taisai_reports::{ProjectionError, SqlValue, TablesError};
use taisai_rules::{BetBox, UnknownGame, UnknownLayout};

use crate::http::denied::Denied;

/// Why a report cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Tables(#[from] TablesError),
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Sheet(#[from] BadSheet),
    #[error("the reporting tables have something else where {0} should be: build them again")]
    Unreadable(&'static str),
    #[error(transparent)]
    Game(#[from] UnknownGame),
    #[error(transparent)]
    Layout(#[from] UnknownLayout),
    #[error("table {table}, round {round}: {bad}")]
    Round { table: i64, round: i64, bad: BadRound },
    #[error("a sum is beyond 64 bits")]
    TooLarge,
    #[error("cannot work out the gaming days: {0}")]
    Days(#[from] jiff::Error),
    #[error("the query took too long")]
    TooLong,
    #[error("the reading thread panicked")]
    Thread,
}

impl ReportError {
    /// Whether another node has updated the tables meanwhile: read them again.
    pub(crate) const fn is_rival(&self) -> bool {
        matches!(
            self,
            Self::Tables(TablesError::Moved(_)) | Self::Projection(ProjectionError::Tables(TablesError::Moved(_)))
        )
    }

    /// Whether the store failed: the same may work in a moment.
    const fn is_of_store(&self) -> bool {
        matches!(
            self,
            Self::Store(_)
                | Self::Read(ReadError::Failed(_))
                | Self::Replay(ReplayError::Read(ReadError::Failed(_)))
                | Self::Tables(TablesError::Postgres(_))
                | Self::Projection(
                    ProjectionError::Tables(TablesError::Postgres(_))
                        | ProjectionError::Read(ReadError::Failed(_))
                        | ProjectionError::Replay(ReplayError::Read(ReadError::Failed(_)))
                )
        )
    }

    /// The error with its causes.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}

impl From<ReportError> for Denied {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::TooLong | ReportError::Tables(TablesError::Stopped) => Self::TooLong,
            error => {
                tracing::error!(error = error.with_causes(), "cannot build a report");
                if error.is_of_store() { Self::Unreachable } else { Self::Internal }
            }
        }
    }
}

pub(super) fn number(value: &SqlValue) -> Result<i64, ReportError> {
    value.number().ok_or(ReportError::Unreadable("a number"))
}

/// A cell with a number that is not negative.
pub(super) fn count<N: TryFrom<i64>>(value: &SqlValue) -> Result<N, ReportError> {
    N::try_from(number(value)?).map_err(|_| ReportError::Unreadable("a smaller number"))
}

/// The same, for a cell that may be empty.
pub(super) fn maybe<N: TryFrom<i64>>(value: &SqlValue) -> Result<Option<N>, ReportError> {
    if matches!(value, SqlValue::Empty) { Ok(None) } else { count(value).map(Some) }
}

pub(super) fn text(value: &SqlValue) -> Result<&str, ReportError> {
    value.text().ok_or(ReportError::Unreadable("text"))
}

pub(super) fn bet_box(value: &SqlValue) -> Result<BetBox, ReportError> {
    text(value)?.parse().map_err(|_| ReportError::Unreadable("a box"))
}

#[cfg(test)]
mod tests {
    use taisai_journal::PostgresError;

    use super::*;

    /// In an outage a client asks again, and needs no one to look into a log.
    #[test]
    fn lost_database_is_unreachable_and_no_fault_of_the_server() {
        let absent = || PostgresError::Absent { place: "db-1:5432".to_owned(), why: "refused".to_owned() };
        for error in [
            ReportError::Tables(TablesError::Postgres(absent())),
            ReportError::Projection(ProjectionError::Tables(TablesError::Postgres(absent()))),
        ] {
            assert!(matches!(Denied::from(error), Denied::Unreachable));
        }
        assert!(matches!(Denied::from(ReportError::TooLarge), Denied::Internal));
    }
}
