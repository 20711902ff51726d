//! Who gave and got what when a round was settled, and settled again: movements between the layout, the House and the seats.

use serde::Serialize;
use taisai_rules::Money;
use taisai_table::{ClusterId, Seat};

use super::{BadSheet, Sheet, sum};
use crate::settlement::{Changed, Settled};

/// Money that moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Movement {
    /// Who gives.
    pub from: String,
    /// Who gets.
    pub to: String,
    /// How much.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub amount: Money,
    /// Why.
    pub why: &'static str,
}

const LAYOUT: &str = "the layout";
const HOUSE: &str = "the House";

/// A seat as people call it: with its cluster where that is not the first.
fn seat_name(cluster: ClusterId, seat: Seat) -> String {
    match cluster.number {
        0 => format!("seat {}", seat.0),
        number => format!("seat {number}/{}", seat.0),
    }
}

/// What a settlement moved, seat by seat. A void round returns everything.
pub(super) fn settled(settled: &Settled, sheet: Option<&Sheet>) -> Result<Vec<Movement>, BadSheet> {
    let unit = settled.limits.unit().cents();
    let mut movements = Vec::new();
    let mut seats: Vec<Seat> = settled.slip.lines.iter().map(|line| line.seat).collect();
    seats.dedup();
    for seat in seats {
        let name = seat_name(settled.cluster, seat);
        let mut add = |from: &str, to: &str, amount: Money, why| {
            if amount != Money::ZERO {
                movements.push(Movement { from: from.to_owned(), to: to.to_owned(), amount, why });
            }
        };
        let Some(sheet) = sheet else {
            let lines = settled.slip.lines.iter().filter(|line| line.seat == seat);
            let units: i64 = lines.map(|line| i64::from(line.units)).sum();
            let stake = units.checked_mul(unit).ok_or(BadSheet::TooLarge)?;
            add(LAYOUT, &name, Money::from_cents(stake), "bets returned");
            continue;
        };
        let (mut lost, mut kept, mut profit, mut returned) = (Money::ZERO, Money::ZERO, Money::ZERO, Money::ZERO);
        for line in sheet.lines.iter().filter(|line| line.seat == seat) {
            let stake = if line.odds.is_some() { &mut kept } else { &mut lost };
            *stake = sum(*stake, line.counted)?;
            profit = sum(profit, line.profit)?;
            returned = sum(returned, line.returned)?;
        }
        add(LAYOUT, HOUSE, lost, "bets lost");
        add(LAYOUT, &name, kept, "bets won");
        add(HOUSE, &name, profit, "profit");
        add(LAYOUT, &name, returned, "excess returned");
    }
    Ok(movements)
}

/// What a correction or a late void moved.
pub(super) fn changed(cluster: ClusterId, change: &Changed) -> Vec<Movement> {
    let mut movements = Vec::new();
    for adjustment in &change.adjustments {
        let name = seat_name(cluster, adjustment.seat);
        let session = format!("{name}, session {}", adjustment.session.0);
        let at_once = adjustment.at_once.cents();
        let later = adjustment.amount().cents() - at_once;
        for (cents, why) in [(at_once, "at once"), (later, if later > 0 { "as a claim" } else { "as a receivable" })] {
            let amount = Money::from_cents(cents.abs());
            let (from, to) = if cents > 0 { (HOUSE, session.as_str()) } else { (session.as_str(), HOUSE) };
            if cents != 0 {
                movements.push(Movement { from: from.to_owned(), to: to.to_owned(), amount, why });
            }
        }
    }
    movements
}
