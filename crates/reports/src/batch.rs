//! What some blocks of a chain change in the reporting tables: rows to insert, then statements in order. One
//! transaction writes them together with the new position of the chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use taisai_table::{Actor, Person, Time};

use super::gaming_day::{BadDay, Day, GamingDays};
use super::tables::{EVENTS, LEDGER_ENTRIES, ReportTable};
use super::value::SqlValue;
use taisai_record::EntryPosition;

/// A statement. Its parameters are `$1`, `$2`, …, first used in that order, which both stores understand.
pub(super) struct SqlStatement {
    pub(super) sql: &'static str,
    pub(super) values: Vec<SqlValue>,
}

/// Day, person, part, chain and command.
type ActKey = (Arc<str>, u32, &'static str, Arc<str>, &'static str);

/// Day, chain, source with its number, command and reason.
type RefusalKey = (Arc<str>, Arc<str>, &'static str, u32, &'static str, &'static str);

/// How often something happened, and when last.
#[derive(Clone, Copy, Default)]
struct Occurrences {
    count: i64,
    last: Time,
}

impl Occurrences {
    fn more(&mut self, time: Time) {
        self.count += 1;
        self.last = time;
    }
}

/// The changes of some blocks.
#[derive(Default)]
pub(super) struct SqlBatch {
    /// For each table its rows, one after the other.
    pub(super) rows: BTreeMap<&'static str, (&'static ReportTable, Vec<SqlValue>)>,
    pub(super) statements: Vec<SqlStatement>,
    acts: BTreeMap<ActKey, Occurrences>,
    refusals: BTreeMap<RefusalKey, Occurrences>,
    pub(super) entries: u64,
    pub(super) wagers: u64,
    pub(super) time: Time,
    values: usize,
}

/// What a ledger entry or an event belongs to, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Attribution {
    pub(super) table: Option<u16>,
    pub(super) cluster: Option<u16>,
    pub(super) seat: Option<u32>,
    pub(super) session: Option<u32>,
    pub(super) round: Option<u64>,
    pub(super) voucher: Option<Arc<str>>,
    pub(super) claim: Option<u64>,
    pub(super) receivable: Option<u64>,
}

/// A row of `events`, without position and time.
#[derive(Clone, Debug, Default)]
pub(super) struct ReportEvent {
    pub(super) kind: Option<Arc<str>>,
    pub(super) at: Attribution,
    pub(super) person: Option<u32>,
    pub(super) second: Option<u32>,
    pub(super) device: Option<u32>,
    pub(super) subject: Option<u32>,
    pub(super) amount: Option<i64>,
    pub(super) why: Option<Arc<str>>,
    pub(super) detail: Option<String>,
}

/// The position of an entry in the record, its time and its gaming day.
#[derive(Clone, Debug)]
pub(super) struct EntryTime {
    pub(super) chain: Arc<str>,
    pub(super) at: EntryPosition,
    pub(super) time: Time,
    pub(super) day: Day,
}

impl EntryTime {
    pub(super) fn new(chain: &Arc<str>, at: EntryPosition, time: Time, days: &mut GamingDays) -> Result<Self, BadDay> {
        Ok(Self { chain: Arc::clone(chain), at, time, day: days.at(time)? })
    }
}

impl SqlBatch {
    /// About how many values it holds.
    pub(super) const fn size(&self) -> usize {
        self.values
    }

    pub(super) fn insert<const N: usize>(&mut self, table: &'static ReportTable, row: [SqlValue; N]) {
        assert_eq!(N, table.columns.len(), "a row of {} has all columns", table.name);
        self.values += N;
        self.rows.entry(table.name).or_insert_with(|| (table, Vec::new())).1.extend(row);
    }

    pub(super) fn execute<const N: usize>(&mut self, sql: &'static str, values: [SqlValue; N]) {
        self.values += N;
        self.statements.push(SqlStatement { sql, values: values.into() });
    }

    /// Posts the legs of a transaction: account, what it belongs to, and the amount.
    pub(super) fn post(&mut self, when: &EntryTime, kind: &'static str, legs: Vec<(&'static str, Attribution, i64)>) {
        debug_assert_eq!(legs.iter().map(|(_, _, amount)| i128::from(*amount)).sum::<i128>(), 0, "{kind}");
        for (leg, (account, of, amount)) in (0_u32..).zip(legs) {
            self.insert(
                &LEDGER_ENTRIES,
                [
                    Arc::clone(&when.chain).into(),
                    when.at.position.into(),
                    when.at.entry.into(),
                    leg.into(),
                    when.time.into(),
                    Arc::clone(&when.day.date).into(),
                    kind.into(),
                    account.into(),
                    amount.into(),
                    of.table.into(),
                    of.cluster.into(),
                    of.seat.into(),
                    of.session.into(),
                    of.round.into(),
                    of.voucher.into(),
                    of.claim.into(),
                    of.receivable.into(),
                ],
            );
        }
    }

    /// Notes events of one entry, in their order.
    pub(super) fn events(&mut self, when: &EntryTime, events: impl IntoIterator<Item = ReportEvent>) {
        for (number, event) in (0_u32..).zip(events) {
            self.insert(
                &EVENTS,
                [
                    Arc::clone(&when.chain).into(),
                    when.at.position.into(),
                    when.at.entry.into(),
                    number.into(),
                    when.time.into(),
                    Arc::clone(&when.day.date).into(),
                    event.kind.into(),
                    event.at.table.into(),
                    event.at.cluster.into(),
                    event.at.seat.into(),
                    event.at.round.into(),
                    event.person.into(),
                    event.second.into(),
                    event.device.into(),
                    event.subject.into(),
                    event.amount.into(),
                    event.why.into(),
                    event.detail.into(),
                ],
            );
        }
    }

    /// Counts a command that people carried out.
    pub(super) fn act(&mut self, when: &EntryTime, actor: Actor, second: Option<Person>, command: &'static str) {
        let first = actor.person().map(|person| ("first", person));
        for (part, person) in first.into_iter().chain(second.map(|person| ("second", person))) {
            let (date, chain) = (Arc::clone(&when.day.date), Arc::clone(&when.chain));
            self.acts.entry((date, person.id.0, part, chain, command)).or_default().more(when.time);
        }
    }

    pub(super) fn refusal(&mut self, when: &EntryTime, actor: Actor, command: &'static str, reason: &'static str) {
        let (source, number) = match actor {
            Actor::Person(person) => ("person", person.id.0),
            Actor::Terminal { device, .. } => ("terminal", device.0),
            Actor::Tumbler(device) => ("tumbler", device.0),
            Actor::NoteAcceptor { device, .. } => ("note-acceptor", device.0),
            Actor::ChipReader(device) => ("chip-reader", device.0),
            Actor::System => ("system", 0),
        };
        let (date, chain) = (Arc::clone(&when.day.date), Arc::clone(&when.chain));
        self.refusals.entry((date, chain, source, number, command, reason)).or_default().more(when.time);
    }

    /// Turns what was counted into statements.
    pub(super) fn close(&mut self) {
        for ((date, person, part, chain, command), Occurrences { count, last }) in std::mem::take(&mut self.acts) {
            self.execute(
                "INSERT INTO acts AS a (gaming_day, person, part, chain, command, count, last_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (gaming_day, person, part, chain, command)
                 DO UPDATE SET count = a.count + excluded.count, last_at = excluded.last_at",
                [date.into(), person.into(), part.into(), chain.into(), command.into(), count.into(), last.into()],
            );
        }
        for (key, Occurrences { count, last }) in std::mem::take(&mut self.refusals) {
            let (date, chain, source, number, command, reason) = key;
            let key = [date.into(), chain.into(), source.into(), number.into(), command.into(), reason.into()];
            let [date, chain, source, number, command, reason] = key;
            self.execute(
                "INSERT INTO refusals AS r (gaming_day, chain, source, source_number, command, reason, count, last_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                 ON CONFLICT (gaming_day, chain, source, source_number, command, reason)
                 DO UPDATE SET count = r.count + excluded.count, last_at = excluded.last_at",
                [date, chain, source, number, command, reason, count.into(), last.into()],
            );
        }
    }
}
