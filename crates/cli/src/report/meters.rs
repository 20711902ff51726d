//! `taisai report meters`: prints the meters of every seat and cluster.

use std::io::Write as _;

use taisai_record::Address;
use taisai_reports::ReportReader;
use taisai_server::reports::{MeterLine, meters, meters_csv};

use super::DaysArgs;
use crate::figures::cents;
use crate::print::{self, BAD, Column};

#[derive(clap::Args)]
pub(crate) struct MetersArgs {
    /// Data folder, or postgres://…
    #[arg(value_name = "STORE")]
    address: Address,
    #[command(flatten)]
    days: DaysArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// `false` if the meters of a cluster differ from its ledger.
pub(super) fn run(args: &MetersArgs) -> anyhow::Result<bool> {
    let lines = meters(&mut ReportReader::open(&args.address)?, args.days.days())?;
    if args.json {
        print::json_array(&lines)?;
    } else if args.csv {
        write!(std::io::stdout().lock(), "{}", meters_csv(&lines))?;
    } else {
        print_table(&lines)?;
    }
    let is_bad = |line: &&MeterLine| line.reconciles == Some(false);
    for MeterLine { table, cluster, .. } in lines.iter().filter(is_bad) {
        writeln!(
            anstream::stderr(),
            "{BAD}found{BAD:#}  table {table}, cluster {cluster}: its ledger has another win"
        )?;
    }
    Ok(!lines.iter().any(|line| is_bad(&line)))
}

fn print_table(lines: &[MeterLine]) -> anyhow::Result<()> {
    let rows = lines.iter().map(|line| {
        let place = [line.table.to_string(), line.cluster.to_string()];
        let seat = line.seat.map_or_else(|| "all".to_owned(), |seat| seat.to_string());
        let amounts = [line.bought_in, line.bet, line.won, line.returned, line.dispensed, line.owed];
        let counts = [line.rounds, line.voids].map(|count| count.to_string());
        let amounts = amounts.map(|amount| cents(amount.into()));
        place.into_iter().chain([seat]).chain(amounts).chain(counts).collect()
    });
    let columns =
        ["Table", "Cluster", "Seat", "Bought in", "Bet", "Won", "Returned", "Dispensed", "Owed", "Rounds", "Voids"]
            .map(Column::right);
    print::table(&mut anstream::stdout().lock(), &columns, &rows.collect::<Vec<_>>())?;
    Ok(())
}
