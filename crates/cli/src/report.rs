//! `taisai report`: builds the reporting tables, says how far they are behind, and prints what queries find in them. The
//! tables and the queries are the record's; nothing is reckoned here.

mod events;
mod meters;

use std::io::Write as _;

use anyhow::Context as _;
use jiff::civil::Date;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use taisai_journal::Archive;
use taisai_record::Address;
use taisai_reports::{NamedQuery, Projection, ProjectionLag, ProjectionProgress, QUERIES, SqlValue};
use taisai_server::reports::{Days, parameters, rows_csv};
use taisai_table::Time;

use crate::args::{QueryArgs, ReportCommand};
use crate::print::{self, Column, counted};
use crate::progress_bar::ProgressBar;
use crate::store::Store;

pub(crate) use events::EventsArgs;
pub(crate) use meters::MetersArgs;

/// Which gaming days.
#[derive(clap::Args)]
pub(crate) struct DaysArgs {
    /// The first gaming day, like 2027-01-15
    #[arg(long, value_name = "DAY")]
    from: Option<Date>,
    /// The last gaming day
    #[arg(long, value_name = "DAY")]
    to: Option<Date>,
}

impl DaysArgs {
    pub(crate) const fn days(&self) -> Days {
        Days { from: self.from, to: self.to }
    }
}

pub(crate) fn run(command: &ReportCommand, games: Option<&std::path::Path>) -> anyhow::Result<bool> {
    match command {
        ReportCommand::Rebuild { store } => build(&Store::open(store)?, true),
        ReportCommand::Update { store } => build(&Store::open(store)?, false),
        ReportCommand::Lag { address, json } => lag(address, *json),
        ReportCommand::Query(args) => query(args),
        ReportCommand::Events(args) => events::run(args),
        ReportCommand::Meters(args) => meters::run(args),
        ReportCommand::Theory(args) => crate::theory::run(args, &*crate::games::load(games)?),
    }
}

fn build(store: &Store, anew: bool) -> anyhow::Result<bool> {
    let mut archive = store.archive()?;
    let mut projection = if anew { Projection::anew(&store.address)? } else { Projection::open(&store.address)? };
    let behind = behind(&mut projection, &mut *archive)?;
    let (mut bar, mut done) = (ProgressBar::new("report", behind), ProjectionProgress::default());
    loop {
        let progress = projection.advance(&mut *archive, &store.keys)?;
        if progress == ProjectionProgress::default() {
            break;
        }
        done.blocks += progress.blocks;
        done.entries += progress.entries;
        done.wagers += progress.wagers;
        bar.advance(progress.blocks);
    }
    let ProjectionProgress { blocks, entries, wagers } = done;
    let are = if blocks == 1 { "is" } else { "are" };
    let blocks = counted(blocks, BLOCKS);
    bar.finish(&blocks, (entries, "entries"));
    let (entries, wagers) = (counted(entries, ("entry", "entries")), counted(wagers, ("wager", "wagers")));
    writeln!(anstream::stdout(), "{blocks} with {entries} and {wagers} {are} projected.")?;
    Ok(true)
}

const BLOCKS: (&str, &str) = ("block", "blocks");

/// How many blocks the tables are behind the record.
fn behind(projection: &mut Projection, archive: &mut dyn Archive) -> anyhow::Result<u64> {
    Ok(projection.lag(archive)?.iter().map(ProjectionLag::blocks).sum())
}

#[derive(Serialize)]
struct LagJson {
    chain: String,
    head: u64,
    head_at: u64,
    projected: u64,
    projected_at: u64,
    behind: u64,
}

/// `false` if the tables are behind.
fn lag(address: &Address, json: bool) -> anyhow::Result<bool> {
    let mut archive = address.archive()?;
    let lags = Projection::open(address)?.lag(&mut *archive)?;
    let rows_json = lags.iter().map(|lag| LagJson {
        chain: lag.chain.to_string(),
        head: lag.head.next,
        head_at: lag.head.time.0,
        projected: lag.projected.next,
        projected_at: lag.projected.time.0,
        behind: lag.blocks(),
    });
    if json {
        print::json_array(rows_json)?;
    } else {
        let rows: Vec<_> = rows_json
            .map(|lag| {
                let (head, projected) = (moment(lag.head_at), moment(lag.projected_at));
                let numbers = [lag.head, lag.projected, lag.behind].map(|number| number.to_string());
                let [head_next, projected_next, behind] = numbers;
                vec![lag.chain, head_next, head, projected_next, projected, behind]
            })
            .collect();
        let columns = [
            Column::left("Chain"),
            Column::right("Blocks"),
            Column::left("Last entry"),
            Column::right("Projected"),
            Column::left("Last entry"),
            Column::right("Behind"),
        ];
        print::table(&mut anstream::stdout().lock(), &columns, &rows)?;
    }
    Ok(lags.iter().all(|lag| lag.blocks() == 0))
}

/// A time as people read it; nothing where there is none.
fn moment(millis: u64) -> String {
    if millis == 0 { String::new() } else { print::moment(Time(millis)) }
}

fn query(args: &QueryArgs) -> anyhow::Result<bool> {
    let (false, Some(address), Some(name)) = (args.list, &args.address, &args.name) else { return list() };
    let query = NamedQuery::find(name).with_context(|| {
        let names: Vec<_> = QUERIES.iter().map(|query| query.name).collect();
        format!("there is no query {name:?}; there are {}", names.join(", "))
    })?;
    let given = args.parameters.iter().map(|given| given.split_once('=').unwrap_or((given, "")));
    let given: Vec<_> = given.map(|(name, number)| (name.to_owned(), number.to_owned())).collect();
    let values = parameters(query, &given)?;
    let mut archive = address.archive()?;
    let mut projection = Projection::open(address)?;
    let behind = behind(&mut projection, &mut *archive)?;
    if behind > 0 {
        let behind = counted(behind, BLOCKS);
        writeln!(anstream::stderr(), "The tables are {behind} behind the record (taisai report update).")?;
    }
    let answer = projection.query(query.sql, &values)?;
    if args.json {
        print::json_array(answer.rows.iter().map(|values| RowJson { columns: &answer.columns, values }))?;
    } else if args.csv {
        write!(std::io::stdout().lock(), "{}", rows_csv(&answer))?;
    } else {
        let mut columns = Vec::new();
        for (place, name) in answer.columns.iter().enumerate() {
            let is_number = !is_time(name) && answer.rows.iter().all(|row| row[place].text().is_none());
            columns.push(if is_number { Column::right(name) } else { Column::left(name) });
        }
        let rows: Vec<_> = answer.rows.iter().map(|row| row_text(&answer.columns, row)).collect();
        print::table(&mut anstream::stdout().lock(), &columns, &rows)?;
    }
    Ok(true)
}

fn list() -> anyhow::Result<bool> {
    let rows = QUERIES.iter().map(|query| {
        let parameters: Vec<_> = query.parameters().map(|(name, _)| format!("{name}=…")).collect();
        vec![query.name.to_owned(), parameters.join(" "), query.description()]
    });
    let columns = [Column::left("Query"), Column::left("Asks for"), Column::left("Shows")];
    print::table(&mut anstream::stdout().lock(), &columns, &rows.collect::<Vec<_>>())?;
    Ok(true)
}

fn is_time(column: &str) -> bool {
    column.ends_with("_at")
}

/// A row for people: times are written out.
fn row_text(columns: &[String], row: &[SqlValue]) -> Vec<String> {
    let cell = |(column, value): (&String, &SqlValue)| match (value.number(), value.text()) {
        (Some(number), _) if is_time(column) => moment(u64::try_from(number).unwrap_or(0)),
        (Some(number), _) => number.to_string(),
        (None, text) => text.unwrap_or_default().to_owned(),
    };
    columns.iter().zip(row).map(cell).collect()
}

/// A row for programs, its columns in their order.
struct RowJson<'a> {
    columns: &'a [String],
    values: &'a [SqlValue],
}

impl Serialize for RowJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for (column, value) in self.columns.iter().zip(self.values) {
            match (value.number(), value.text()) {
                (Some(number), _) => map.serialize_entry(column, &number)?,
                (None, text) => map.serialize_entry(column, &text)?,
            }
        }
        map.end()
    }
}
