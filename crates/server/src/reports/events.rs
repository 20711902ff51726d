//! Significant events (F34): filtered by time, kind, table, terminal and person, a page at a time. A page ends with the position of
//! its last event, and the next starts behind it, so that no event is missed or repeated.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use taisai_reports::{ReportReader, SqlValue};
use taisai_table::{DeviceId, PersonId, Seat, TableId, Time};

use super::csv::{Cell, Csv};
use super::days::Calendar;
use super::error::{ReportError, count, maybe, number, text};

pub const MAX_PAGE_EVENTS: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Included.
    pub from: Option<Time>,
    /// Not included.
    pub to: Option<Time>,
    /// All kinds if empty.
    pub kinds: Vec<String>,
    pub table: Option<TableId>,
    pub cluster: Option<u16>,
    pub seat: Option<Seat>,
    /// By or about this device.
    pub device: Option<DeviceId>,
    /// By this person, with the person's approval, or about the person.
    pub person: Option<PersonId>,
    /// Behind this event.
    pub after: Option<EventPosition>,
    pub is_newest_first: bool,
}

/// The position of an event among all, by time and then by its entry in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPosition {
    time: u64,
    chain: String,
    position: u64,
    line: u32,
    number: u32,
}

impl fmt::Display for EventPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, chain, position, line, number } = self;
        write!(f, "{time}.{chain}.{position}.{line}.{number}")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not the position of an event")]
pub struct BadEventPosition;

impl FromStr for EventPosition {
    type Err = BadEventPosition;

    fn from_str(text: &str) -> Result<Self, BadEventPosition> {
        let mut parts = text.split('.');
        let mut part = || parts.next().ok_or(BadEventPosition);
        let small =
            |number: &str| number.parse::<u64>().ok().filter(|number| *number < 1 << 62).ok_or(BadEventPosition);
        let place = Self {
            time: small(part()?)?,
            chain: part()?.to_owned(),
            position: small(part()?)?,
            line: part()?.parse().map_err(|_| BadEventPosition)?,
            number: part()?.parse().map_err(|_| BadEventPosition)?,
        };
        let is_name = place.chain.len() <= 64 && place.chain.bytes().all(|byte| byte.is_ascii_graphic());
        if parts.next().is_none() && is_name { Ok(place) } else { Err(BadEventPosition) }
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct EventLine {
    /// The chain that has it.
    pub chain: String,
    /// The block.
    pub position: u64,
    /// The entry in it.
    pub line: u32,
    /// Which event of that entry.
    pub number: u32,
    /// When, in milliseconds since 1970.
    pub happened_at: u64,
    /// The same in the time zone of the casino.
    pub local_time: String,
    /// The gaming day.
    pub gaming_day: String,
    /// What, like `void`, `correction`, `login-locked`.
    pub kind: String,
    /// The table.
    pub table: Option<u16>,
    /// The cluster.
    pub cluster: Option<u16>,
    /// The seat.
    pub seat: Option<u32>,
    /// The round.
    pub round: Option<u64>,
    /// Who did it.
    pub person: Option<u32>,
    /// The second person.
    pub second: Option<u32>,
    /// The device.
    pub device: Option<u32>,
    /// The person it is about.
    pub subject: Option<u32>,
    /// The amount, in cents.
    pub amount: Option<i64>,
    /// Why, in the words of who did it.
    pub why: Option<String>,
    /// What else there is to say.
    pub detail: Option<String>,
}

impl EventLine {
    pub fn place(&self) -> EventPosition {
        let Self { happened_at: time, chain, position, line, number, .. } = self;
        EventPosition { time: *time, chain: chain.clone(), position: *position, line: *line, number: *number }
    }

    fn read(row: &[SqlValue], calendar: &Calendar) -> Result<Self, ReportError> {
        let words = |value: &SqlValue| value.text().map(ToOwned::to_owned);
        let happened_at = count(&row[4])?;
        Ok(Self {
            chain: text(&row[0])?.to_owned(),
            position: count(&row[1])?,
            line: count(&row[2])?,
            number: count(&row[3])?,
            happened_at,
            local_time: calendar.local(Time(happened_at)),
            gaming_day: text(&row[5])?.to_owned(),
            kind: text(&row[6])?.to_owned(),
            table: maybe(&row[7])?,
            cluster: maybe(&row[8])?,
            seat: maybe(&row[9])?,
            round: maybe(&row[10])?,
            person: maybe(&row[11])?,
            second: maybe(&row[12])?,
            device: maybe(&row[13])?,
            subject: maybe(&row[14])?,
            amount: if matches!(row[15], SqlValue::Empty) { None } else { Some(number(&row[15])?) },
            why: words(&row[16]),
            detail: words(&row[17]),
        })
    }
}

/// An SQL statement under construction.
struct EventQuery {
    conditions: Vec<String>,
    values: Vec<SqlValue>,
}

impl EventQuery {
    /// Adds a value and returns its placeholder.
    fn value(&mut self, value: impl Into<SqlValue>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }
}

impl EventFilter {
    fn statement(&self) -> EventQuery {
        let mut statement = EventQuery { conditions: Vec::new(), values: Vec::new() };
        for (column, time) in [("happened_at >=", self.from), ("happened_at <", self.to)] {
            if let Some(time) = time {
                let value = statement.value(i64::try_from(time.0).unwrap_or(i64::MAX));
                statement.conditions.push(format!("{column} {value}"));
            }
        }
        if !self.kinds.is_empty() {
            let kinds: Vec<_> = self.kinds.iter().map(|kind| statement.value(kind.clone())).collect();
            statement.conditions.push(format!("kind IN ({})", kinds.join(", ")));
        }
        let (table, seat) = (self.table.map(|table| table.0.into()), self.seat.map(|seat| seat.0.into()));
        let (cluster, device) = (self.cluster.map(Into::into), self.device.map(|device| device.0.into()));
        let places: [(&str, Option<SqlValue>); 4] =
            [("table_number", table), ("cluster", cluster), ("seat", seat), ("device", device)];
        for (column, value) in places {
            if let Some(value) = value {
                let value = statement.value(value);
                statement.conditions.push(format!("{column} = {value}"));
            }
        }
        if let Some(person) = self.person {
            let value = statement.value(person);
            statement.conditions.push(format!("(person = {value} OR second = {value} OR subject = {value})"));
        }
        if let Some(EventPosition { time, chain, position, line, number }) = self.after.clone() {
            let values = [time.into(), chain.into(), position.into(), line.into(), number.into()];
            let values = values.map(|value: SqlValue| statement.value(value));
            let sign = if self.is_newest_first { "<" } else { ">" };
            let place = format!("(happened_at, chain, position, line, number) {sign} ({})", values.join(", "));
            statement.conditions.push(place);
        }
        statement
    }

    /// A page of events, and whether there are more.
    pub fn find(&self, reader: &mut ReportReader, most: usize) -> Result<(Vec<EventLine>, bool), ReportError> {
        let EventQuery { conditions, values } = self.statement();
        let conditions =
            if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
        let order = ["happened_at", "chain", "position", "line", "number"]
            .map(|column| if self.is_newest_first { format!("{column} DESC") } else { column.to_owned() });
        let sql = format!(
            "SELECT chain, position, line, number, happened_at, gaming_day, kind, table_number, cluster, seat, round, person,
                 second, device, subject, amount, why, detail
             FROM events {conditions} ORDER BY {} LIMIT {}",
            order.join(", "),
            most.saturating_add(1)
        );
        let calendar = Calendar::of(reader)?;
        let rows = reader.query(&sql, &values)?.rows;
        let has_more = rows.len() > most;
        let rows = rows.iter().take(most);
        Ok((rows.map(|row| EventLine::read(row, &calendar)).collect::<Result<_, _>>()?, has_more))
    }
}

pub fn events_csv(events: &[EventLine]) -> String {
    let mut csv = Csv::new([
        "happened_at",
        "local_time",
        "gaming_day",
        "kind",
        "table",
        "cluster",
        "seat",
        "round",
        "person",
        "second",
        "device",
        "subject",
        "amount",
        "why",
        "detail",
        "chain",
        "position",
        "line",
        "number",
    ]);
    for event in events {
        csv.row([
            Cell::number(event.happened_at),
            Cell::text(event.local_time.as_str()),
            Cell::text(event.gaming_day.as_str()),
            Cell::text(event.kind.as_str()),
            Cell::maybe(event.table),
            Cell::maybe(event.cluster),
            Cell::maybe(event.seat),
            Cell::maybe(event.round),
            Cell::maybe(event.person),
            Cell::maybe(event.second),
            Cell::maybe(event.device),
            Cell::maybe(event.subject),
            Cell::maybe(event.amount),
            Cell::maybe_text(event.why.as_deref()),
            Cell::maybe_text(event.detail.as_deref()),
            Cell::text(event.chain.as_str()),
            Cell::number(event.position),
            Cell::number(event.line),
            Cell::number(event.number),
        ]);
    }
    csv.into_text()
}
