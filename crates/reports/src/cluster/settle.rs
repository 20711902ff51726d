//! A round that is settled, and one that is settled again: its lines and what they come to.

use taisai_rules::{Money, Unit};
use taisai_table::{Cluster, ClusterEvent, Notice, RoundNumber, Slip, SlipTotals};

use crate::batch::{EntryTime, SqlBatch};
use crate::lines::{LineBasis, Lines, ReportLine, chips};
use crate::machine::EntryError;
use crate::tables::{SETTLEMENTS, WAGERS};
use crate::value::SqlValue;

/// What a notice does to a round, if it settles one or changes one that is over.
pub(super) fn follow(
    cluster: &Cluster,
    when: &EntryTime,
    notice: &Notice,
    slip: Option<&Slip>,
    event: &ClusterEvent,
    batch: &mut SqlBatch,
) -> Result<Option<(RoundNumber, &'static str)>, EntryError> {
    let Some((round, by)) = notice.stands() else { return Ok(None) };
    let is_void = by.is_err();
    let by = by.map_or_else(LineBasis::Void, LineBasis::Dice);
    let kind = match event {
        ClusterEvent::Settled { totals, .. } => {
            settled(cluster, when, round, by, totals, batch)?;
            if is_void { "void" } else { "settlement" }
        }
        ClusterEvent::Compensated { .. } => {
            settled_again(cluster, when, round, by, slip, batch)?;
            if is_void { "late-void" } else { "correction" }
        }
        ClusterEvent::Done
        | ClusterEvent::Rejected { .. }
        | ClusterEvent::BoughtIn { .. }
        | ClusterEvent::BuyInReversed { .. }
        | ClusterEvent::StackerDiffers { .. }
        | ClusterEvent::StackerEmptied { .. } => return Ok(None),
    };
    Ok(Some((round, kind)))
}

fn settled(
    cluster: &Cluster,
    when: &EntryTime,
    round: RoundNumber,
    by: LineBasis,
    totals: &SlipTotals,
    batch: &mut SqlBatch,
) -> Result<(), EntryError> {
    let differ = || EntryError::Totals(round);
    let (table, number) = (cluster.id().table.0, cluster.id().number);
    let mut lines = Lines::new(cluster, by, cluster.limits().unit()).ok_or_else(differ)?;
    let mut found = SlipTotals::default();
    for (place, slip_line) in (0_u32..).zip(&cluster.slip().lines) {
        let line = lines.line(slip_line).ok_or_else(differ)?;
        found = add(found, &line).ok_or_else(differ)?;
        let ReportLine { stake, counted, returned, paid, outcome, odds, paragraph } = line;
        batch.insert(
            &WAGERS,
            [
                table.into(),
                number.into(),
                round.into(),
                place.into(),
                slip_line.seat.into(),
                slip_line.session.into(),
                slip_line.bet_box.text().into(),
                chips(slip_line.chips).into(),
                stake.into(),
                counted.into(),
                returned.into(),
                paid.into(),
                outcome.into(),
                odds.into(),
                paragraph.into(),
                returned.into(),
                paid.into(),
            ],
        );
    }
    if found != *totals {
        return Err(differ());
    }
    batch.wagers += totals.lines;
    batch.insert(
        &SETTLEMENTS,
        [
            table.into(),
            number.into(),
            round.into(),
            when.time.into(),
            when.day.date.clone().into(),
            when.day.shift.clone().into(),
            totals.lines.into(),
            totals.staked.into(),
            totals.counted.into(),
            totals.returned.into(),
            totals.paid.into(),
            totals.counted.into(),
            totals.returned.into(),
            totals.paid.into(),
            SqlValue::Empty,
        ],
    );
    Ok(())
}

/// A settled round gets other dice, or is voided: its first settlement is kept.
fn settled_again(
    cluster: &Cluster,
    when: &EntryTime,
    round: RoundNumber,
    by: LineBasis,
    slip: Option<&Slip>,
    batch: &mut SqlBatch,
) -> Result<(), EntryError> {
    let differ = || EntryError::Totals(round);
    let (table, number) = (cluster.id().table.0, cluster.id().number);
    let unit = cluster.unit_of(round).and_then(|unit| Unit::try_from(unit).ok()).ok_or_else(differ)?;
    let mut lines = Lines::new(cluster, by, unit).ok_or_else(differ)?;
    let mut found = SlipTotals::default();
    for (place, slip_line) in (0_u32..).zip(slip.map_or(&[][..], |slip| &slip.lines)) {
        let line = lines.line(slip_line).ok_or_else(differ)?;
        found = add(found, &line).ok_or_else(differ)?;
        let ReportLine { counted, returned, paid, outcome, odds, paragraph, .. } = line;
        batch.execute(
            "UPDATE wagers SET counted = $1, returned = $2, paid = $3, outcome = $4, odds = $5, paragraph = $6
             WHERE table_number = $7 AND cluster = $8 AND round = $9 AND line = $10",
            [
                counted.into(),
                returned.into(),
                paid.into(),
                outcome.into(),
                odds.into(),
                paragraph.into(),
                table.into(),
                number.into(),
                round.into(),
                place.into(),
            ],
        );
    }
    batch.execute(
        "UPDATE settlements SET counted = $1, returned = $2, paid = $3, changed_at = $4
         WHERE table_number = $5 AND cluster = $6 AND round = $7",
        [
            found.counted.into(),
            found.returned.into(),
            found.paid.into(),
            when.time.into(),
            table.into(),
            number.into(),
            round.into(),
        ],
    );
    Ok(())
}

fn add(totals: SlipTotals, line: &ReportLine) -> Option<SlipTotals> {
    let more = |to: Money, cents| to.checked_add(Money::from_cents(cents));
    Some(SlipTotals {
        lines: totals.lines + 1,
        staked: more(totals.staked, line.stake)?,
        counted: more(totals.counted, line.counted)?,
        returned: more(totals.returned, line.returned)?,
        paid: more(totals.paid, line.paid)?,
    })
}
