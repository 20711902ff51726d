//! Data files: TOML read with the place of every value, so that a file's faults are named all at once, each with its line
//! and column. It knows tables, lists, texts and numbers, never what they mean.

mod fault;
mod reader;

pub use fault::{Fault, FaultKind};
pub use reader::{Reader, Table, Value, cite, near};
