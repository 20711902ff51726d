//! Recent rounds of a table: as first settled, and as they stand now.

use serde::Serialize;
use taisai_reports::{ReportReader, SqlValue};
use taisai_rules::Dice;
use taisai_table::{RoundNumber, TableId};

use super::error::{ReportError, count, maybe, number, text};
use super::tables::clusters;

pub const MAX_ROUNDS: usize = 500;

/// A round of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct RoundLine {
    /// The round.
    pub round: u64,
    /// The gaming day in which it began.
    pub gaming_day: String,
    /// The shift.
    pub shift: String,
    /// When bets were opened.
    pub opened_at: u64,
    /// When they were closed.
    pub closed_at: Option<u64>,
    /// When it had its result, or was void.
    pub over_at: Option<u64>,
    /// Who dealt.
    pub dealer: Option<u32>,
    /// The dealer's name.
    pub dealer_name: Option<String>,
    /// The dice that were in use.
    pub dice_set: Option<u32>,
    /// The tumbler that was in use.
    pub tumbler: Option<u32>,
    /// The dice first committed.
    pub first_dice: Option<[u8; 3]>,
    /// The dice by which it stands.
    pub dice: Option<[u8; 3]>,
    /// Why it is void, if it is.
    pub void: Option<String>,
    /// How often it was changed after it was over.
    pub changes: u32,
    /// How many wagers were registered.
    pub wagers: u64,
    /// What was staked, in cents; none at a table that registers winners, where it is not known.
    pub staked: Option<i64>,
    /// What counts of it as it stands; none likewise.
    pub counted: Option<i64>,
    /// What is returned.
    pub returned: i64,
    /// What is paid, stakes included.
    pub paid: i64,
}

/// Dice as the reporting tables write them.
pub(super) fn dice(value: &SqlValue) -> Result<Option<[u8; 3]>, ReportError> {
    let Some(text) = value.text() else { return Ok(None) };
    let faces: Vec<u8> = text.split('-').filter_map(|face| face.parse().ok()).collect();
    let faces = <[u8; 3]>::try_from(faces).ok().filter(|faces| Dice::try_from(*faces).is_ok());
    faces.map(Some).ok_or(ReportError::Unreadable("dice"))
}

pub(super) fn words(value: &SqlValue) -> Option<String> {
    value.text().map(ToOwned::to_owned)
}

/// The rounds of a table before one, the newest first.
pub fn rounds(
    reader: &mut ReportReader,
    table: TableId,
    before: Option<RoundNumber>,
    most: usize,
) -> Result<Vec<RoundLine>, ReportError> {
    let before = before.map_or(i64::MAX, |round| i64::try_from(round.0).unwrap_or(i64::MAX));
    let sql = format!(
        "SELECT r.round, r.gaming_day, r.shift, r.opened_at, r.closed_at, r.over_at, r.dealer, p.name, r.dice_set, r.tumbler,
             r.first_dice, r.dice, r.void, r.changes
         FROM rounds r LEFT JOIN people p ON p.person = r.dealer
         WHERE r.table_number = $1 AND r.round < $2 ORDER BY r.round DESC LIMIT {most}"
    );
    let rows = reader.query(&sql, &[table.0.into(), before.into()])?.rows;
    let mut lines = rows.iter().map(|row| line(row)).collect::<Result<Vec<_>, _>>()?;
    if let (Some(newest), Some(oldest)) = (lines.first(), lines.last()) {
        let range = (oldest.round, newest.round);
        totals(reader, table, range, &mut lines)?;
    }
    Ok(lines)
}

fn line(row: &[SqlValue]) -> Result<RoundLine, ReportError> {
    Ok(RoundLine {
        round: count(&row[0])?,
        gaming_day: text(&row[1])?.to_owned(),
        shift: text(&row[2])?.to_owned(),
        opened_at: count(&row[3])?,
        closed_at: maybe(&row[4])?,
        over_at: maybe(&row[5])?,
        dealer: maybe(&row[6])?,
        dealer_name: words(&row[7]),
        dice_set: maybe(&row[8])?,
        tumbler: maybe(&row[9])?,
        first_dice: dice(&row[10])?,
        dice: dice(&row[11])?,
        void: words(&row[12]),
        changes: count(&row[13])?,
        wagers: 0,
        staked: None,
        counted: None,
        returned: 0,
        paid: 0,
    })
}

/// The sums of rounds over all clusters.
fn totals(
    reader: &mut ReportReader,
    table: TableId,
    (oldest, newest): (u64, u64),
    lines: &mut [RoundLine],
) -> Result<(), ReportError> {
    let Some(clusters) = clusters(reader)?.remove(&table) else { return Ok(()) };
    let winners = "SELECT 1 FROM tables WHERE table_number = $1 AND registration = 'winners'";
    let has_every_bet = reader.query(winners, &[table.0.into()])?.rows.is_empty();
    for line in lines.iter_mut().filter(|_| has_every_bet) {
        (line.staked, line.counted) = (Some(0), Some(0));
    }
    let sql = format!(
        "SELECT round, CAST(sum(lines) AS BIGINT), CAST(sum(staked) AS BIGINT), CAST(sum(counted) AS BIGINT),
             CAST(sum(returned) AS BIGINT), CAST(sum(paid) AS BIGINT)
         FROM settlements WHERE table_number = $1 AND cluster IN ({clusters}) AND round BETWEEN $2 AND $3 GROUP BY round"
    );
    for row in reader.query(&sql, &[table.0.into(), oldest.into(), newest.into()])?.rows {
        let round: u64 = count(&row[0])?;
        if let Some(line) = lines.iter_mut().find(|line| line.round == round) {
            line.wagers = count(&row[1])?;
            if has_every_bet {
                (line.staked, line.counted) = (Some(number(&row[2])?), Some(number(&row[3])?));
            }
            (line.returned, line.paid) = (number(&row[4])?, number(&row[5])?);
        }
    }
    Ok(())
}
