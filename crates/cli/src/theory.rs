//! `taisai report theory`: prints win and theoretical win by table, dealer, shift, day or box.

use std::io::Write as _;

use taisai_analysis::{percent, real, rounded};
use taisai_record::Address;
use taisai_reports::ReportReader;
use taisai_rules::Games;
use taisai_server::reports::{GroupBy, ResultLine, results, results_csv};

use crate::figures::{cents, deviations, near};
use crate::print::{self, Column, QUIET};
use crate::report::DaysArgs;

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TheoryGrouping {
    /// Each table
    Table,
    /// Each dealer
    Dealer,
    /// Each shift of each gaming day
    Shift,
    /// Each gaming day
    Day,
    /// Each box of each table
    Box,
}

impl From<TheoryGrouping> for GroupBy {
    fn from(gathered: TheoryGrouping) -> Self {
        match gathered {
            TheoryGrouping::Table => Self::Table,
            TheoryGrouping::Dealer => Self::Dealer,
            TheoryGrouping::Shift => Self::Shift,
            TheoryGrouping::Day => Self::Day,
            TheoryGrouping::Box => Self::Box,
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct TheoryArgs {
    /// Data folder, or postgres://…
    #[arg(value_name = "STORE")]
    address: Address,
    /// What makes one line
    #[arg(long, value_enum, default_value = "table")]
    by: TheoryGrouping,
    #[command(flatten)]
    days: DaysArgs,
    /// Include training tables
    #[arg(long)]
    training: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(crate) fn run(args: &TheoryArgs, games: &Games) -> anyhow::Result<bool> {
    let by = args.by.into();
    let lines = results(&mut ReportReader::open(&args.address)?, games, by, args.days.days(), args.training)?;
    if args.json {
        print::json_array(&lines)?;
    } else if args.csv {
        write!(std::io::stdout().lock(), "{}", results_csv(&lines))?;
    } else {
        print_table(&lines, by)?;
    }
    Ok(true)
}

fn print_table(lines: &[ResultLine], by: GroupBy) -> anyhow::Result<()> {
    let none = || "–".to_owned();
    let rows = lines.iter().map(|line| {
        let (theoretical, edge) = line.fractions;
        vec![
            line.name.clone(),
            line.rounds.to_string(),
            line.rounds_an_hour.map_or_else(none, |rate| format!("{rate:.1}")),
            line.handle.map_or_else(none, cents),
            line.average_bet.map_or_else(none, near),
            line.drop.map_or_else(none, |drop| cents(drop.into())),
            line.win.map_or_else(none, cents),
            line.hold_percent.map_or_else(none, |hold| format!("{} %", rounded(hold, 2))),
            theoretical.map_or_else(none, |theoretical| near(real(theoretical))),
            edge.map_or_else(none, |edge| percent(edge, 3)),
            line.band_low.zip(line.band_high).map_or_else(none, |(low, high)| {
                format!("{} … {}{}", near(low), near(high), if line.band_is_exact { "" } else { " ~" })
            }),
            line.deviations.map_or_else(none, deviations),
        ]
    });
    let first = match by {
        GroupBy::Table => "Table",
        GroupBy::Dealer => "Dealer",
        GroupBy::Shift => "Shift",
        GroupBy::Day => "Day",
        GroupBy::Box => "Box",
    };
    let columns = [
        Column::left(first),
        Column::right("Rounds"),
        Column::right("an hour"),
        Column::right("Handle"),
        Column::right("Average bet"),
        Column::right("Drop"),
        Column::right("Win"),
        Column::right("Hold"),
        Column::right("Theoretical"),
        Column::right("Edge"),
        Column::right("95 % by luck"),
        Column::right("Deviations"),
    ];
    let mut out = anstream::stdout().lock();
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    let unregistered: u64 = lines.iter().map(|line| line.unregistered_rounds).sum();
    if unregistered > 0 {
        let tables = "tables that register winners, where what lost is not known: the figures leave them out";
        writeln!(out, "\n  {QUIET}{unregistered} of the rounds were at {tables}{QUIET:#}")?;
    }
    writeln!(out, "\n  {QUIET}with ~ a band is normal: more than 2,000 rounds, or too many different ones{QUIET:#}")?;
    Ok(())
}
