//! `taisai audit`: the record of a house is checked, a round of it shown, and evidence of a round written and checked. What is
//! found comes from the record's crate; here it is put into words.

mod evidence;
mod ledger;
mod show;
mod verify;

use anyhow::Context as _;
use taisai_journal::Hash;
use taisai_record::Program;
use taisai_rules::Moment;
use taisai_table::Time;

use crate::args::AuditCommand;
use crate::store::{self, Store};

/// Carries out a command; `false` if something is wrong with what it looked at.
pub(crate) fn run(command: &AuditCommand) -> anyhow::Result<bool> {
    match command {
        AuditCommand::Verify { store, anchor, json } => verify::run(&Store::open(store)?, anchor.as_deref(), *json),
        AuditCommand::Show { store, round, json } => show::run(&Store::open(store)?, round, *json),
        AuditCommand::Evidence { store, round, output } => evidence::write(&Store::open(store)?, round, output),
        AuditCommand::VerifyEvidence { file, key, json } => evidence::verify(file, &store::keys(key)?, *json),
    }
}

/// This program, as it writes itself into a record.
pub(crate) fn program() -> anyhow::Result<Program> {
    let file = std::env::current_exe().context("the program's own file is not known")?;
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: *Hash::of(&bytes).as_bytes() })
}

/// A moment as people read it, in UTC and to the second.
fn moment(time: Time) -> String {
    let seconds = time.0 / 1_000;
    let minute = Moment::from_unix_seconds(i64::try_from(seconds).unwrap_or(i64::MAX)).to_string();
    let minute = minute.strip_suffix(" +00:00").unwrap_or(&minute);
    format!("{minute}:{:02} UTC", seconds % 60)
}
