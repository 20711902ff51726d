//! Why a report cannot be given.

use std::error::Error as _;

use taisai_analysis::BadRound;
use taisai_journal::ReadError;
use taisai_record::{BadSheet, ReplayError, StoreError};
use taisai_reports::{ProjectionError, SqlValue, TablesError};
use taisai_rules::{BetBox, UnknownGame, UnknownLayout};

use crate::http::denied::Denied;

/// Why a report cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The reporting tables.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The projection.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The record.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A round cannot be put on paper.
    #[error(transparent)]
    Sheet(#[from] BadSheet),
    /// The tables hold something else than they should.
    #[error("the reporting tables have something else where {0} should be: build them again")]
    Unreadable(&'static str),
    /// A table plays a game that the program does not have.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// A table plays on a layout that its game does not have.
    #[error(transparent)]
    Layout(#[from] UnknownLayout),
    /// A round cannot be counted.
    #[error("table {table}, round {round}: {bad}")]
    Round {
        /// The table.
        table: i64,
        /// The round.
        round: i64,
        /// Why.
        bad: BadRound,
    },
    /// An amount does not fit.
    #[error("a sum is beyond 64 bits")]
    TooLarge,
    /// The profile's time zone, or a day in it.
    #[error("the days of the house cannot be told: {0}")]
    Days(#[from] jiff::Error),
    /// It took longer than anyone may wait.
    #[error("the question took too long")]
    TooLong,
    /// The thread that read broke down.
    #[error("the thread that read broke down")]
    Thread,
}

impl ReportError {
    /// Whether another node has moved the tables on meanwhile: what is there by then is looked at again.
    pub(crate) const fn is_rival(&self) -> bool {
        matches!(
            self,
            Self::Tables(TablesError::Moved(_)) | Self::Projection(ProjectionError::Tables(TablesError::Moved(_)))
        )
    }

    /// What is wrong, with what is behind it.
    pub(crate) fn said(&self) -> String {
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
    fn from(trouble: ReportError) -> Self {
        match trouble {
            ReportError::TooLong | ReportError::Tables(TablesError::Stopped) => Self::TooLong,
            trouble => {
                tracing::error!(error = trouble.said(), "a report cannot be given");
                Self::Internal
            }
        }
    }
}

/// The number in a cell.
pub(super) fn number(value: &SqlValue) -> Result<i64, ReportError> {
    value.number().ok_or(ReportError::Unreadable("a number"))
}

/// The number in a cell that holds one no less than zero.
pub(super) fn count<N: TryFrom<i64>>(value: &SqlValue) -> Result<N, ReportError> {
    N::try_from(number(value)?).map_err(|_| ReportError::Unreadable("a smaller number"))
}

/// The same, where the cell may be empty.
pub(super) fn maybe<N: TryFrom<i64>>(value: &SqlValue) -> Result<Option<N>, ReportError> {
    if matches!(value, SqlValue::Empty) { Ok(None) } else { count(value).map(Some) }
}

/// The text in a cell.
pub(super) fn text(value: &SqlValue) -> Result<&str, ReportError> {
    value.text().ok_or(ReportError::Unreadable("text"))
}

/// The box in a cell.
pub(super) fn bet_box(value: &SqlValue) -> Result<BetBox, ReportError> {
    text(value)?.parse().map_err(|_| ReportError::Unreadable("a box"))
}
