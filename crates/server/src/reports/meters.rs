//! Meters (F31) of each seat, terminal and table, from wagers and ledger, over all days or some. They equal the meters of the
//! machines, and the win of the tables equals the ledger's.

use std::collections::BTreeMap;

use serde::Serialize;
use taisai_reports::ReportReader;

use super::csv::{Cell, Csv};
use super::days::{Calendar, Days};
use super::error::{ReportError, count, number};

/// The meters of a seat, or of a cluster. Amounts are cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct MeterLine {
    /// The table.
    pub table: u16,
    /// The cluster.
    pub cluster: u16,
    /// The seat or terminal; none for all of the cluster.
    pub seat: Option<u32>,
    /// Bought in, and received from vouchers.
    pub bought_in: i64,
    /// Staked in rounds that are over.
    pub bet: i64,
    /// Paid for winning bets, stakes included.
    pub won: i64,
    /// Returned: excess, and bets of void rounds.
    pub returned: i64,
    /// Cashed out, and owed by hand after a correction or late void.
    pub dispensed: i64,
    /// Owed by the player after a correction or late void.
    pub owed: i64,
    /// Rounds settled with a bet.
    pub rounds: u64,
    /// Void rounds with a bet.
    pub voids: u64,
    /// What the ledger says that the House won there; none at a seat.
    pub ledger_win: Option<i64>,
    /// Whether bets less what was won and returned come to that; none at a seat, and where only some days are looked at, as a
    /// correction is booked in its own day.
    pub reconciles: Option<bool>,
}

type SeatRows = BTreeMap<(u16, u16, Option<u32>), MeterLine>;

/// Adds amounts to the meters of seats; the statement selects table, cluster and seat first.
fn add(
    reader: &mut ReportReader,
    seats: &mut SeatRows,
    sql: &str,
    more: impl Fn(&mut MeterLine, &[i64]) -> Option<()>,
) -> Result<(), ReportError> {
    for row in reader.query(sql, &[])?.rows {
        let (table, cluster, seat) = (count(&row[0])?, count(&row[1])?, count(&row[2])?);
        let values = row[3..].iter().map(number).collect::<Result<Vec<_>, _>>()?;
        for seat in [Some(seat), None] {
            let line = seats.entry((table, cluster, seat)).or_default();
            more(line, &values).ok_or(ReportError::TooLarge)?;
        }
    }
    Ok(())
}

fn more(to: &mut i64, by: i64) -> Option<()> {
    *to = to.checked_add(by)?;
    Some(())
}

/// The meters of every seat with activity, each cluster before its seats. Tables that register winners have none.
pub fn meters(reader: &mut ReportReader, days: Days) -> Result<Vec<MeterLine>, ReportError> {
    let mut seats = SeatRows::new();
    let booked = format!(
        "SELECT table_number, cluster, seat,
             CAST(sum(CASE WHEN kind IN ('buy-in', 'buy-in-reversed', 'note', 'colour-issued', 'credits-received') THEN amount ELSE 0 END) AS BIGINT),
             CAST(sum(CASE WHEN kind IN ('cash-out', 'colour-redeemed') THEN -amount ELSE 0 END) AS BIGINT)
         FROM ledger_entries WHERE chain <> 'house' AND account = 'seat'{} GROUP BY table_number, cluster, seat",
        days.condition("gaming_day")
    );
    add(reader, &mut seats, &booked, |line, values| {
        more(&mut line.bought_in, values[0])?;
        more(&mut line.dispensed, values[1])
    })?;
    let played = format!(
        "SELECT w.table_number, w.cluster, w.seat, CAST(sum(w.stake) AS BIGINT), CAST(sum(w.paid) AS BIGINT),
             CAST(sum(w.returned) AS BIGINT)
         FROM wagers w JOIN settlements s ON s.table_number = w.table_number AND s.cluster = w.cluster AND s.round = w.round
         WHERE w.line >= 0{} GROUP BY w.table_number, w.cluster, w.seat",
        days.condition("s.gaming_day")
    );
    add(reader, &mut seats, &played, |line, values| {
        more(&mut line.bet, values[0])?;
        more(&mut line.won, values[1])?;
        more(&mut line.returned, values[2])
    })?;
    let times = days.time_condition("opened_at", &Calendar::of(reader)?)?;
    let claims = format!(
        "SELECT table_number, cluster, seat, CAST(sum(amount) AS BIGINT) FROM claims
         WHERE reason IN ('correction', 'void') AND seat IS NOT NULL{times} GROUP BY table_number, cluster, seat"
    );
    add(reader, &mut seats, &claims, |line, values| more(&mut line.dispensed, values[0]))?;
    let owed = format!(
        "SELECT table_number, cluster, seat, CAST(sum(amount) AS BIGINT) FROM receivables
         WHERE amount > 0{times} GROUP BY table_number, cluster, seat"
    );
    add(reader, &mut seats, &owed, |line, values| more(&mut line.owed, values[0]))?;
    rounds(reader, days, &mut seats)?;
    ledger(reader, days, &mut seats)?;
    // A table that registers winners does not know what lost, so it has no meters.
    for row in reader.query("SELECT table_number FROM tables WHERE registration = 'winners'", &[])?.rows {
        let table = count::<u16>(&row[0])?;
        seats.retain(|(of, ..), _| *of != table);
    }
    let named = seats.into_iter().map(|((table, cluster, seat), line)| MeterLine { table, cluster, seat, ..line });
    Ok(named.collect())
}

/// A round counts once for a cluster, however many seats bet in it.
fn rounds(reader: &mut ReportReader, days: Days, seats: &mut SeatRows) -> Result<(), ReportError> {
    let from = format!(
        "FROM wagers w JOIN settlements s ON s.table_number = w.table_number AND s.cluster = w.cluster AND s.round = w.round
         WHERE w.line >= 0{}",
        days.condition("s.gaming_day")
    );
    for (is_seat, key) in [(true, "w.table_number, w.cluster, w.seat"), (false, "w.table_number, w.cluster")] {
        let sql = format!(
            "SELECT {key}, count(DISTINCT CASE WHEN w.outcome <> 'void' THEN w.round END),
                 count(DISTINCT CASE WHEN w.outcome = 'void' THEN w.round END) {from} GROUP BY {key}"
        );
        for row in reader.query(&sql, &[])?.rows {
            let (seat, counts) = if is_seat { (Some(count(&row[2])?), &row[3..]) } else { (None, &row[2..]) };
            let line = seats.entry((count(&row[0])?, count(&row[1])?, seat)).or_default();
            (line.rounds, line.voids) = (count(&counts[0])?, count(&counts[1])?);
        }
    }
    Ok(())
}

fn ledger(reader: &mut ReportReader, days: Days, seats: &mut SeatRows) -> Result<(), ReportError> {
    let sql = format!(
        "SELECT table_number, cluster, CAST(sum(amount) AS BIGINT) FROM ledger_entries
         WHERE chain <> 'house' AND account = 'house'{} GROUP BY table_number, cluster",
        days.condition("gaming_day")
    );
    for row in reader.query(&sql, &[])?.rows {
        let line = seats.entry((count(&row[0])?, count(&row[1])?, None)).or_default();
        line.ledger_win = Some(number(&row[2])?);
    }
    for ((_, _, seat), line) in seats.iter_mut() {
        if seat.is_none() {
            let win = line.ledger_win.get_or_insert(0);
            let by_meters = line.bet.checked_sub(line.won).and_then(|left| left.checked_sub(line.returned));
            line.reconciles = (days == Days::default()).then_some(by_meters == Some(*win));
        }
    }
    Ok(())
}

pub fn meters_csv(lines: &[MeterLine]) -> String {
    let mut csv = Csv::new([
        "table",
        "cluster",
        "seat",
        "bought_in",
        "bet",
        "won",
        "returned",
        "dispensed",
        "owed",
        "rounds",
        "voids",
        "ledger_win",
        "reconciles",
    ]);
    for line in lines {
        csv.row([
            Cell::number(line.table),
            Cell::number(line.cluster),
            Cell::maybe(line.seat),
            Cell::number(line.bought_in),
            Cell::number(line.bet),
            Cell::number(line.won),
            Cell::number(line.returned),
            Cell::number(line.dispensed),
            Cell::number(line.owed),
            Cell::number(line.rounds),
            Cell::number(line.voids),
            Cell::maybe(line.ledger_win),
            Cell::maybe(line.reconciles.map(u8::from)),
        ]);
    }
    csv.into_text()
}
