//! Data files: TOML read with the place of every value, so that a file's faults are named all at once, each with its line
//! and column. It knows tables, lists, texts and numbers, never what they mean.

mod fault;
mod reader;

pub use fault::{FileFault, FileFaultKind};
pub use reader::{TomlReader, TomlTable, TomlValue, cite, near};
