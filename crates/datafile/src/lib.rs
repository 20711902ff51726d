//! Reads TOML data files and reports all faults of a file together, each with its line and column. It knows tables, lists,
//! texts and numbers, never what they mean.
//!
//! Start with [`TomlReader::parse`], take the keys of each [`TomlTable`], and end with [`TomlReader::finish`].

mod fault;
mod reader;

pub use fault::{FileFault, FileFaultKind};
pub use reader::{TomlReader, TomlTable, TomlValue, cite, near};
