//! `taisai audit`: the record of a house is checked, a round of it shown, and evidence of a round written and checked. What is
//! found comes from the record's crate; here it is put into words.

mod evidence;
mod show;
mod verify;

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use taisai_journal::{Hash, SigningKey};
use taisai_record::Program;

use crate::args::AuditCommand;
use crate::store::{self, Store};

/// Carries out a command; `false` if something is wrong with what it looked at.
pub(crate) fn run(command: &AuditCommand) -> anyhow::Result<bool> {
    match command {
        AuditCommand::Verify { store, anchor, json } => verify::run(&Store::open(store)?, anchor.as_deref(), *json),
        AuditCommand::Show { store, round, json } => show::run(&Store::open(store)?, round, *json),
        AuditCommand::Evidence { store, round, output, force } => {
            evidence::write(&Store::open(store)?, round, output, *force)
        }
        AuditCommand::Key { path } => public_key(path),
        AuditCommand::VerifyEvidence { file, key, json } => evidence::verify(file, &store::keys(key)?, *json),
    }
}

fn public_key(path: &Path) -> anyhow::Result<bool> {
    let file = if path.is_dir() { path.join("house.key") } else { path.into() };
    writeln!(std::io::stdout().lock(), "{}", SigningKey::open(&file)?.public())?;
    Ok(true)
}

/// This program, as it writes itself into a record.
pub(crate) fn program() -> anyhow::Result<Program> {
    let file = std::env::current_exe().context("the program's own file is not known")?;
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: *Hash::of(&bytes).as_bytes() })
}
