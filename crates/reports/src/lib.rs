//! The record as SQL tables, with queries over them. Nothing here decides anything: the tables may be dropped at any time and
//! built again from the record.
//!
//! A [`Projection`] follows the chains of a record and writes the tables, into a file beside the record or into a schema of
//! the same `PostgreSQL` database. It runs a little behind the record; [`Projection::lag`] says how far. A [`ReportReader`]
//! runs queries beside it: those of [`QUERIES`], or any SQL. `docs/reporting.md` describes every table ([`REPORT_TABLES`]) and
//! every query, and is written from them.
//!
//! ```no_run
//! use taisai_record::Address;
//! use taisai_reports::{NamedQuery, Projection};
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Address::Folder("/var/lib/taisai/record".into());
//! let mut projection = Projection::open(&store)?;
//! projection.catch_up(&mut *store.archive()?, &[])?;
//! let query = NamedQuery::find("win").ok_or("no such query")?;
//! for row in projection.query(query.sql, &[])?.rows {
//!     println!("{row:?}");
//! }
//! # Ok(())
//! # }
//! ```

mod batch;
mod cluster;
mod gaming_day;
mod house;
mod lag;
mod lines;
mod machine;
mod projection;
mod queries;
mod reader;
mod round;
mod store;
mod tables;
mod value;

pub use gaming_day::{BadDay, gaming_day};
pub use lag::{ChainProgress, ProjectionLag};
pub use machine::EntryError;
pub use projection::{Projection, ProjectionError, ProjectionProgress};
pub use queries::{NamedQuery, QUERIES};
pub use reader::{QueryInterrupt, ReportReader};
pub use store::{QueryResult, REPORTS_FILE, TablesError};
pub use tables::{ColumnKind, REPORT_TABLES, ReportColumn, ReportTable};
pub use value::SqlValue;
