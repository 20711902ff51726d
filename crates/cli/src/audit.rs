//! `taisai audit`: verifies a record, shows a round, and writes and checks evidence. The crate `record` does the work.

mod evidence;
mod show;
mod verify;

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use taisai_journal::Hash;
use taisai_record::Program;

use crate::args::AuditCommand;
use crate::store::{self, Store};

/// `false` if something is wrong with the record.
pub(crate) fn run(command: &AuditCommand) -> anyhow::Result<bool> {
    match command {
        AuditCommand::Verify { store, anchor, json } => verify::run(&Store::open(store)?, anchor.as_deref(), *json),
        AuditCommand::Show { store, round, json } => show::run(&Store::open(store)?, round, *json),
        AuditCommand::Evidence { store, round, output, force } => {
            evidence::write(&Store::open(store)?, round, output, *force)
        }
        AuditCommand::Key { path } => public_keys(path),
        AuditCommand::VerifyEvidence { file, key, json } => evidence::verify(file, &store::keys(key)?, *json),
    }
}

fn public_keys(path: &Path) -> anyhow::Result<bool> {
    let file = if path.is_dir() { path.join("house.key") } else { path.into() };
    let mut out = std::io::stdout().lock();
    for key in store::public_keys(&file)? {
        writeln!(out, "{key}")?;
    }
    Ok(true)
}

/// This program's name and version, as a record names it.
pub(crate) fn program() -> anyhow::Result<Program> {
    let file = std::env::current_exe().context("the program's own file is not known")?;
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: *Hash::of(&bytes).as_bytes() })
}
