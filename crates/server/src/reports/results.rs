//! Results (F70): what the House won at each table, or by dealer, shift, day or box, beside its theoretical win. The reporting
//! tables give the stakes, a table and a day at a time; `taisai-analysis` calculates.
//!
//! Cash belongs to no dealer, shift or box: drop and hold are known by table and by day only. A table that registers winners does
//! not know what lost, so only its number of rounds is known.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_analysis::{Confidence, Theory, count as float, decimals, real, rounded};
use taisai_reports::{ReportReader, SqlValue};
use taisai_rules::{BetBox, Fraction, Games, Layout, Money};
use taisai_table::{Registration, TableId};

use super::csv::{Cell, Csv};
use super::days::Days;
use super::error::{ReportError, bet_box, count, maybe, number, text};
use super::tables::clusters;

/// Which rounds are gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = By))]
#[serde(rename_all = "kebab-case")]
pub enum GroupBy {
    /// Each table.
    #[default]
    Table,
    /// Each dealer.
    Dealer,
    /// Each shift of each gaming day.
    Shift,
    /// Each gaming day.
    Day,
    /// Each box of each table.
    Box,
}

/// In the order of the report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Table(u16),
    /// Sorted before rounds without a dealer.
    Dealer(u32, String),
    NoDealer,
    Shift(String, String),
    Day(String),
    Box(u16, BetBox),
}

impl Subject {
    fn name(&self) -> String {
        match self {
            Self::Table(table) => format!("table {table}"),
            Self::Dealer(dealer, name) => format!("{dealer} {name}").trim_end().to_owned(),
            Self::NoDealer => "nobody".to_owned(),
            Self::Shift(day, shift) => format!("{day} {shift}"),
            Self::Day(day) => day.clone(),
            Self::Box(table, bet_box) => format!("table {table} {bet_box}"),
        }
    }

    const fn table(&self) -> Option<u16> {
        match self {
            Self::Table(table) | Self::Box(table, _) => Some(*table),
            Self::Dealer(..) | Self::NoDealer | Self::Shift(..) | Self::Day(_) => None,
        }
    }

    const fn dealer(&self) -> Option<u32> {
        match self {
            Self::Dealer(dealer, _) => Some(*dealer),
            Self::Table(_) | Self::NoDealer | Self::Shift(..) | Self::Day(_) | Self::Box(..) => None,
        }
    }

    const fn bet_box(&self) -> Option<BetBox> {
        match self {
            Self::Box(_, bet_box) => Some(*bet_box),
            Self::Table(_) | Self::Dealer(..) | Self::NoDealer | Self::Shift(..) | Self::Day(_) => None,
        }
    }
}

/// The sums of one subject.
struct Group {
    theory: Theory,
    drop: Option<i64>,
    /// The time between the first and the last round of each day at each table, and the rounds after the first in it.
    millis: i64,
    following: u64,
    /// Rounds at tables that register winners.
    unregistered: u64,
    /// When the first and the last round of the current day were opened.
    today: Option<(i64, i64)>,
}

impl Default for Group {
    fn default() -> Self {
        Self { theory: Theory::new(), drop: None, millis: 0, following: 0, unregistered: 0, today: None }
    }
}

impl Group {
    fn opened(&mut self, at: i64) {
        match &mut self.today {
            None => self.today = Some((at, at)),
            Some((_, last)) => {
                *last = at.max(*last);
                self.following += 1;
            }
        }
    }
}

/// A line of the report. Amounts are cents; what is not known is left out, as at a table that registers winners.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ResultLine {
    /// What it is about, for people.
    pub name: String,
    /// The table, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<u16>,
    /// The dealer, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dealer: Option<u32>,
    /// The box, where it is about one.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(value_type = Option<String>))]
    pub bet_box: Option<BetBox>,
    /// Rounds with a bet that were not void; at a table that registers winners every round that was not.
    pub rounds: u64,
    /// How many of them were at tables that register winners: what was bet in them is not known, and the figures leave them out.
    pub unregistered_rounds: u64,
    /// Rounds an hour at a table, between the first and the last of each day.
    pub rounds_an_hour: Option<f64>,
    /// What counted of all stakes.
    #[cfg_attr(test, schema(value_type = Option<i64>))]
    pub handle: Option<i128>,
    /// What a wager was on average.
    pub average_bet: Option<f64>,
    /// Cash and vouchers that came in.
    pub drop: Option<i64>,
    /// What the House won.
    #[cfg_attr(test, schema(value_type = Option<i64>))]
    pub win: Option<i128>,
    /// Win to drop.
    pub hold_percent: Option<f64>,
    /// What it should have won on average.
    pub theoretical_win: Option<f64>,
    /// The same, exactly.
    pub theoretical_win_exact: Option<String>,
    /// What it should keep of a stake of one.
    pub edge: Option<f64>,
    /// The same, exactly.
    pub edge_exact: Option<String>,
    /// The lower end of what luck explains in 95 of 100 cases.
    pub band_low: Option<f64>,
    /// The upper end.
    pub band_high: Option<f64>,
    /// Whether the band comes from the exact distribution.
    pub band_is_exact: bool,
    /// By how many standard deviations the win is above the theoretical one.
    pub deviations: Option<f64>,
    /// Theoretical win and edge.
    #[serde(skip)]
    pub fractions: (Option<Fraction>, Option<Fraction>),
}

impl ResultLine {
    fn new(subject: &Subject, group: &Group) -> Self {
        let Group { theory, drop, millis, following, unregistered, today: _ } = group;
        // Unknown is not zero.
        let is_known = theory.rounds() > 0 || *unregistered == 0;
        let band = theory.band(Confidence::NinetyFive);
        let hours = real(Fraction::new(i128::from(*millis), 3_600_000));
        let hold =
            drop.filter(|drop| *drop > 0 && is_known).map(|drop| real(Fraction::new(theory.win() * 100, drop.into())));
        Self {
            name: subject.name(),
            table: subject.table(),
            dealer: subject.dealer(),
            bet_box: subject.bet_box(),
            rounds: theory.rounds() + unregistered,
            unregistered_rounds: *unregistered,
            rounds_an_hour: (hours > 0.0).then(|| float(*following) / hours),
            handle: is_known.then(|| theory.handle()),
            average_bet: theory.average_bet().map(real),
            drop: *drop,
            win: is_known.then(|| theory.win()),
            hold_percent: hold,
            theoretical_win: is_known.then(|| real(theory.theoretical_win())),
            theoretical_win_exact: is_known.then(|| theory.theoretical_win().to_string()),
            edge: theory.edge().map(real),
            edge_exact: theory.edge().map(|edge| edge.to_string()),
            band_low: is_known.then_some(band.low),
            band_high: is_known.then_some(band.high),
            band_is_exact: band.is_exact,
            deviations: is_known.then(|| theory.deviations()),
            fractions: (is_known.then(|| theory.theoretical_win()), theory.edge()),
        }
    }
}

/// The results of the tables that play for money, or of all.
pub fn results(
    reader: &mut ReportReader,
    games: &Games,
    by: GroupBy,
    days: Days,
    training: bool,
) -> Result<Vec<ResultLine>, ReportError> {
    let layouts = layouts(reader, games, training)?;
    let mut groups = BTreeMap::new();
    for day in table_days(reader, days)? {
        match layouts.get(&day.table) {
            Some(LaidOut { layout, has_every_bet: true }) => gather(reader, layout, by, &day, &mut groups)?,
            Some(LaidOut { has_every_bet: false, .. }) => count_rounds(reader, by, &day, &mut groups)?,
            None => {}
        }
    }
    if matches!(by, GroupBy::Table | GroupBy::Day) {
        drops(reader, &layouts, by, days, &mut groups)?;
    }
    Ok(groups.iter().map(|(subject, group)| ResultLine::new(subject, group)).collect())
}

/// The layout of a table, and whether it registers every bet.
#[derive(Clone, Copy)]
struct LaidOut<'g> {
    layout: &'g Layout,
    has_every_bet: bool,
}

type Layouts<'g> = BTreeMap<u16, LaidOut<'g>>;

fn layouts<'g>(reader: &mut ReportReader, games: &'g Games, training: bool) -> Result<Layouts<'g>, ReportError> {
    let sql = "SELECT table_number, game, game_version, layout, is_training, registration FROM tables";
    let mut layouts = BTreeMap::new();
    for row in reader.query(sql, &[])?.rows {
        if training || number(&row[4])? == 0 {
            let game = games.find(&format!("{}@{}", text(&row[1])?, number(&row[2])?), None)?;
            let has_every_bet = text(&row[5])? == Registration::EveryBet.text();
            layouts.insert(count(&row[0])?, LaidOut { layout: game.layout(text(&row[3])?)?, has_every_bet });
        }
    }
    Ok(layouts)
}

struct TableDay {
    table: u16,
    day: String,
    first: i64,
    last: i64,
    /// The numbers of the table's clusters, as an SQL list.
    clusters: String,
}

fn table_days(reader: &mut ReportReader, days: Days) -> Result<Vec<TableDay>, ReportError> {
    let clusters = clusters(reader)?;
    let sql = format!(
        "SELECT table_number, gaming_day, min(round) AS first, max(round) AS last FROM rounds WHERE round > 0{}
         GROUP BY table_number, gaming_day ORDER BY table_number, gaming_day",
        days.condition("gaming_day")
    );
    let mut found = Vec::new();
    for row in reader.query(&sql, &[])?.rows {
        let (table, day) = (count(&row[0])?, text(&row[1])?.to_owned());
        if let Some(clusters) = clusters.get(&TableId(table)) {
            let (first, last) = (number(&row[2])?, number(&row[3])?);
            found.push(TableDay { table, day, first, last, clusters: clusters.clone() });
        }
    }
    Ok(found)
}

/// Adds rounds one after the other: the rows of a round are adjacent.
fn gather(
    reader: &mut ReportReader,
    layout: &Layout,
    by: GroupBy,
    of: &TableDay,
    groups: &mut BTreeMap<Subject, Group>,
) -> Result<(), ReportError> {
    let sql = format!(
        "SELECT w.round, r.shift, r.dealer, coalesce(p.name, '') AS name, r.opened_at, w.box,
       CAST(sum(w.counted) AS BIGINT) AS counted, CAST(sum(w.paid) AS BIGINT) AS paid, count(*) AS wagers
FROM wagers w JOIN rounds r ON r.table_number = w.table_number AND r.round = w.round
     LEFT JOIN people p ON p.person = r.dealer
WHERE w.table_number = $1 AND w.cluster IN ({}) AND w.round BETWEEN $2 AND $3 AND r.gaming_day = $4
  AND w.outcome <> 'void' AND w.counted > 0
GROUP BY w.round, r.shift, r.dealer, p.name, r.opened_at, w.box
ORDER BY w.round, w.box",
        of.clusters
    );
    let values = [of.table.into(), of.first.into(), of.last.into(), of.day.clone().into()];
    let rows = reader.query(&sql, &values)?.rows;
    for rows in rows.chunk_by(|a, b| a[0] == b[0]) {
        let first = &rows[0];
        let subject = match by {
            GroupBy::Table => Subject::Table(of.table),
            GroupBy::Dealer => match maybe(&first[2])? {
                Some(dealer) => Subject::Dealer(dealer, text(&first[3])?.to_owned()),
                None => Subject::NoDealer,
            },
            GroupBy::Shift => Subject::Shift(of.day.clone(), text(&first[1])?.to_owned()),
            GroupBy::Day => Subject::Day(of.day.clone()),
            GroupBy::Box => {
                for row in rows {
                    let subject = Subject::Box(of.table, bet_box(&row[5])?);
                    add_round(layout, of.table, std::slice::from_ref(row), subject, groups)?;
                }
                continue;
            }
        };
        add_round(layout, of.table, rows, subject, groups)?;
    }
    end_day(groups)
}

/// Counts the rounds of a table that registers winners: nothing else is known of them.
fn count_rounds(
    reader: &mut ReportReader,
    by: GroupBy,
    of: &TableDay,
    groups: &mut BTreeMap<Subject, Group>,
) -> Result<(), ReportError> {
    let sql = "SELECT r.shift, r.dealer, coalesce(p.name, '') AS name, r.opened_at
        FROM rounds r LEFT JOIN people p ON p.person = r.dealer
        WHERE r.table_number = $1 AND r.gaming_day = $2 AND r.dice IS NOT NULL AND r.void IS NULL ORDER BY r.round";
    for row in reader.query(sql, &[of.table.into(), of.day.clone().into()])?.rows {
        let subject = match by {
            GroupBy::Table => Subject::Table(of.table),
            GroupBy::Dealer => match maybe(&row[1])? {
                Some(dealer) => Subject::Dealer(dealer, text(&row[2])?.to_owned()),
                None => Subject::NoDealer,
            },
            GroupBy::Shift => Subject::Shift(of.day.clone(), text(&row[0])?.to_owned()),
            GroupBy::Day => Subject::Day(of.day.clone()),
            GroupBy::Box => return Ok(()),
        };
        let group = groups.entry(subject).or_default();
        group.unregistered += 1;
        group.opened(number(&row[3])?);
    }
    end_day(groups)
}

/// Adds the time between the first and the last round of a day.
fn end_day(groups: &mut BTreeMap<Subject, Group>) -> Result<(), ReportError> {
    for group in groups.values_mut() {
        let (first, last) = group.today.take().unwrap_or_default();
        group.millis = group.millis.checked_add(last - first).ok_or(ReportError::TooLarge)?;
    }
    Ok(())
}

/// Adds one round, or one box of it.
fn add_round(
    layout: &Layout,
    table: u16,
    rows: &[Vec<SqlValue>],
    subject: Subject,
    groups: &mut BTreeMap<Subject, Group>,
) -> Result<(), ReportError> {
    let (mut stakes, mut win, mut wagers) = (Vec::new(), 0i64, 0);
    for row in rows {
        let (counted, paid) = (number(&row[6])?, number(&row[7])?);
        stakes.push((bet_box(&row[5])?, Money::from_cents(counted)));
        win = win.checked_add(counted).and_then(|win| win.checked_sub(paid)).ok_or(ReportError::TooLarge)?;
        wagers += count::<u64>(&row[8])?;
    }
    let (round, opened) = (number(&rows[0][0])?, number(&rows[0][4])?);
    let group = groups.entry(subject).or_default();
    group.opened(opened);
    let bad = |bad| ReportError::Round { table: table.into(), round, bad };
    group.theory.add(layout, stakes, wagers, Money::from_cents(win)).map_err(bad)
}

/// Drop as the query `win` has it: cash and vouchers that came in at a table.
fn drops(
    reader: &mut ReportReader,
    layouts: &Layouts<'_>,
    by: GroupBy,
    days: Days,
    groups: &mut BTreeMap<Subject, Group>,
) -> Result<(), ReportError> {
    let sql = format!(
        "SELECT table_number, gaming_day, CAST(sum(CASE WHEN (account IN ('cash', 'notes') AND kind <> 'stacker-emptied')
              OR (account = 'transit' AND kind = 'credits-received') THEN -amount ELSE 0 END) AS BIGINT) AS taken_in
         FROM ledger_entries WHERE chain <> 'house'{} GROUP BY table_number, gaming_day",
        days.condition("gaming_day")
    );
    for row in reader.query(&sql, &[])?.rows {
        let table = count(&row[0])?;
        if !layouts.contains_key(&table) {
            continue;
        }
        let subject = if by == GroupBy::Day { Subject::Day(text(&row[1])?.to_owned()) } else { Subject::Table(table) };
        if let Some(group) = groups.get_mut(&subject) {
            let drop = group.drop.unwrap_or(0).checked_add(number(&row[2])?).ok_or(ReportError::TooLarge)?;
            group.drop = Some(drop);
        }
    }
    Ok(())
}

pub fn results_csv(lines: &[ResultLine]) -> String {
    let mut csv = Csv::new([
        "name",
        "rounds",
        "unregistered_rounds",
        "rounds_an_hour",
        "handle",
        "average_bet",
        "drop",
        "win",
        "hold_percent",
        "theoretical_win",
        "theoretical_win_exact",
        "edge",
        "edge_exact",
        "band_low",
        "band_high",
        "band_is_exact",
        "deviations",
    ]);
    for line in lines {
        let two = |number: Option<f64>| Cell::maybe(number.map(|number| rounded(number, 2)));
        let (theoretical, edge) = line.fractions;
        csv.row([
            Cell::text(line.name.as_str()),
            Cell::number(line.rounds),
            Cell::number(line.unregistered_rounds),
            two(line.rounds_an_hour),
            Cell::maybe(line.handle),
            two(line.average_bet),
            Cell::maybe(line.drop),
            Cell::maybe(line.win),
            two(line.hold_percent),
            Cell::maybe(theoretical.map(|theoretical| decimals(theoretical, 2))),
            Cell::maybe(line.theoretical_win_exact.as_ref()),
            Cell::maybe(edge.map(|edge| decimals(edge, 6))),
            Cell::maybe(line.edge_exact.as_ref()),
            Cell::maybe(line.band_low.map(|low| rounded(low, 0))),
            Cell::maybe(line.band_high.map(|high| rounded(high, 0))),
            Cell::number(u8::from(line.band_is_exact)),
            Cell::maybe(line.deviations.map(|deviations| rounded(deviations, 4))),
        ]);
    }
    csv.into_text()
}
