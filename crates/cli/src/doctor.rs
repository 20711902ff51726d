//! `taisai doctor`: looks at everything that an installation rests on, and says what is wrong and how to fix it, all at once. It changes
//! nothing, and decides nothing for a running server.

mod files;
mod finding;
mod servers;

use std::io::Write as _;

use taisai_journal::{PostgresError, examine_servers};
use taisai_record::{Address, StoreError};
use taisai_server::config::GameNames;

use crate::print::{self, BAD, Column, GOOD, counted};
use crate::serve::HouseArgs;
use finding::{CheckState, DoctorFinding};

#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    house: HouseArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs all checks. `false` if something is wrong.
pub(crate) fn run(args: &DoctorArgs, names: &GameNames<'_>) -> anyhow::Result<bool> {
    let mut config = args.house.file(names)?;
    args.house.place(&mut config, &|name: &str| std::env::var_os(name))?;
    let address = config.address();
    let mut findings = match &address {
        Address::Postgres(text) => servers::judge(&examine_servers(text)?, env!("CARGO_PKG_VERSION")),
        Address::Folder(_) => Vec::new(),
    };
    let (record, has_record) = record(&address);
    findings.extend(record);
    findings.extend(files::judge(&config, has_record));
    let wrong = findings.iter().filter(|finding| finding.state == CheckState::Wrong).count();
    if args.json {
        print::json_array(&findings)?;
    } else {
        print_findings(&findings, wrong)?;
    }
    Ok(wrong == 0)
}

/// Whether the record can be read, and whether there is one. A record that cannot be read counts as one.
fn record(address: &Address) -> (Option<DoctorFinding>, bool) {
    const CHECK: &str = "record";
    if matches!(address, Address::Folder(folder) if !folder.join("journal.db").exists()) {
        let fix = "taisai serve begins it; if there was one, correct the folder";
        return (Some(DoctorFinding::note(CHECK, format!("{address} holds none yet"), fix)), false);
    }
    match address.archive().and_then(|mut archive| Ok(archive.heads()?.len())) {
        Ok(count) => {
            let chains = counted(u64::try_from(count).unwrap_or(u64::MAX), ("chain", "chains"));
            (Some(DoctorFinding::ok(CHECK, format!("{chains} can be read"))), count > 0)
        }
        Err(StoreError::Postgres(PostgresError::Empty)) => {
            (Some(DoctorFinding::note(CHECK, "the database holds none yet", "taisai serve begins it")), false)
        }
        // Each of the servers was reported with its own reason.
        Err(StoreError::Postgres(PostgresError::Absent { .. } | PostgresError::KeptOut { .. })) => (None, true),
        Err(error) => {
            let found = format!("it cannot be read: {:#}", anyhow::Error::from(error));
            (Some(DoctorFinding::wrong(CHECK, found, "see docs/operating.md, When the store fails")), true)
        }
    }
}

fn print_findings(findings: &[DoctorFinding], wrong: usize) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let columns = [Column::left(""), Column::left("Check"), Column::left("Found")];
    let rows = findings.iter().flat_map(|finding| {
        let found = vec![finding.state.text().to_owned(), finding.check.to_owned(), finding.found.clone()];
        let fix = finding.fix.iter().map(|fix| vec![String::new(), String::new(), format!("→ {fix}")]);
        std::iter::once(found).chain(fix)
    });
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    match wrong {
        0 => writeln!(out, "\n{GOOD}Nothing is wrong.{GOOD:#}"),
        1 => writeln!(out, "\n{BAD}One thing is wrong.{BAD:#}"),
        several => writeln!(out, "\n{BAD}{several} things are wrong.{BAD:#}"),
    }
}
