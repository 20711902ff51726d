//! `taisai report events`: searches events.

use std::io::Write as _;

use anyhow::Context as _;
use taisai_record::Address;
use taisai_reports::ReportReader;
use taisai_server::reports::{Calendar, EventFilter, EventLine, EventPosition, events_csv};
use taisai_table::{DeviceId, PersonId, Seat, TableId, Time};

use crate::print::{self, Column};

#[derive(clap::Args)]
pub(crate) struct EventsArgs {
    /// Data folder, or postgres://…
    #[arg(value_name = "STORE")]
    address: Address,
    /// Earliest time: a gaming day, a time, or milliseconds since 1970
    #[arg(long, value_name = "DAY|TIME")]
    from: Option<String>,
    /// Latest time: the end of a gaming day, or before a time
    #[arg(long, value_name = "DAY|TIME")]
    to: Option<String>,
    /// Kind of event, like void; may be given more than once
    #[arg(long)]
    kind: Vec<String>,
    /// Table
    #[arg(long)]
    table: Option<u16>,
    /// Cluster of the table
    #[arg(long)]
    cluster: Option<u16>,
    /// Seat or terminal
    #[arg(long)]
    terminal: Option<u32>,
    /// Device that acted, or that the event is about
    #[arg(long)]
    device: Option<u32>,
    /// Person who acted or approved, or whom the event is about
    #[arg(long)]
    person: Option<u32>,
    /// Newest events first
    #[arg(long)]
    newest: bool,
    /// Print at most this many
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    /// Continue after this position, which the page before printed
    #[arg(long, value_name = "PLACE")]
    after: Option<EventPosition>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl EventsArgs {
    fn filter(&self, calendar: &Calendar) -> anyhow::Result<EventFilter> {
        let moment = |text: Option<&String>, is_end| -> anyhow::Result<Option<Time>> {
            let read = |text: &String| {
                calendar.moment(text, is_end).with_context(|| format!("{text:?} is neither a day nor a time"))
            };
            text.map(read).transpose()
        };
        Ok(EventFilter {
            from: moment(self.from.as_ref(), false)?,
            to: moment(self.to.as_ref(), true)?,
            kinds: self.kind.clone(),
            table: self.table.map(TableId),
            cluster: self.cluster,
            seat: self.terminal.map(Seat),
            device: self.device.map(DeviceId),
            person: self.person.map(PersonId),
            after: self.after.clone(),
            is_newest_first: self.newest,
        })
    }
}

pub(super) fn run(args: &EventsArgs) -> anyhow::Result<bool> {
    let mut reader = ReportReader::open(&args.address)?;
    let filter = args.filter(&Calendar::of(&mut reader)?)?;
    let (events, has_more) = filter.find(&mut reader, args.limit.into())?;
    if args.json {
        print::json_array(&events)?;
    } else if args.csv {
        write!(std::io::stdout().lock(), "{}", events_csv(&events))?;
    } else {
        print_table(&events)?;
    }
    if let Some(last) = events.last().filter(|_| has_more) {
        writeln!(anstream::stderr(), "There are more: --after {}", last.place())?;
    }
    Ok(true)
}

fn print_table(events: &[EventLine]) -> anyhow::Result<()> {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let rows = events.iter().map(|event| {
        let people: Vec<_> = [event.person, event.second].iter().flatten().map(ToString::to_string).collect();
        let remarks =
            [event.why.as_deref(), event.detail.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
        vec![
            event.local_time.clone(),
            event.kind.clone(),
            number(event.table.map(Into::into)),
            number(event.seat.map(Into::into)),
            number(event.round),
            people.join(" and "),
            number(event.subject.map(Into::into)),
            event.amount.map(|amount| crate::figures::cents(amount.into())).unwrap_or_default(),
            remarks,
        ]
    });
    let columns = [
        Column::left("Time"),
        Column::left("Kind"),
        Column::right("Table"),
        Column::right("Seat"),
        Column::right("Round"),
        Column::left("Person"),
        Column::right("About"),
        Column::right("Amount"),
        Column::left("Why"),
    ];
    print::table(&mut anstream::stdout().lock(), &columns, &rows.collect::<Vec<_>>())?;
    Ok(())
}
