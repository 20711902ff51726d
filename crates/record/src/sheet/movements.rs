//! Who gave and got what when a round was settled, and settled again: movements between the layout, the House and the seats.

use std::fmt;

use serde::Serialize;
use taisai_rules::Money;
use taisai_table::{Adjustment, ClusterId, Seat, SessionId};

use super::{BadSheet, SettlementSheet, sum};
use crate::settlement::ClusterSettlement;

/// Money that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Movement {
    /// Who gives.
    pub from: MoneyHolder,
    /// Who gets.
    pub to: MoneyHolder,
    /// How much.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub amount: Money,
    /// Why.
    pub why: MovementReason,
}

/// Where money lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Purse))]
#[serde(rename_all = "kebab-case")]
pub enum MoneyHolder {
    /// Bets on the layout.
    Layout,
    /// The House's result.
    House,
    /// The credits of a seat.
    Seat {
        /// Its cluster.
        cluster: u16,
        /// The seat.
        #[cfg_attr(feature = "openapi", schema(value_type = u32))]
        seat: Seat,
        /// The session, where it may be over.
        #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
        session: Option<SessionId>,
    },
}

impl MoneyHolder {
    const fn seat(cluster: ClusterId, seat: Seat, session: Option<SessionId>) -> Self {
        Self::Seat { cluster: cluster.number, seat, session }
    }
}

/// A seat is called with its cluster where that is not the first.
impl fmt::Display for MoneyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout => f.write_str("the layout"),
            Self::House => f.write_str("the House"),
            Self::Seat { cluster, seat, session } => {
                match cluster {
                    0 => write!(f, "seat {}", seat.0)?,
                    number => write!(f, "seat {number}/{}", seat.0)?,
                }
                session.map_or(Ok(()), |session| write!(f, ", session {}", session.0))
            }
        }
    }
}

/// Why money moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Moved))]
#[serde(rename_all = "kebab-case")]
pub enum MovementReason {
    /// Bets that lost.
    BetsLost,
    /// Stakes of bets that won.
    BetsWon,
    /// What won bets are paid beside their stakes.
    Profit,
    /// What did not count.
    ExcessReturned,
    /// The round is void.
    BetsReturned,
    /// With free credits of the session.
    AtOnce,
    /// Owed to a session that is over.
    AsClaim,
    /// Owed to the House.
    AsReceivable,
}

impl fmt::Display for MovementReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BetsLost => "bets lost",
            Self::BetsWon => "bets won",
            Self::Profit => "profit",
            Self::ExcessReturned => "excess returned",
            Self::BetsReturned => "bets returned",
            Self::AtOnce => "at once",
            Self::AsClaim => "as a claim",
            Self::AsReceivable => "as a receivable",
        })
    }
}

/// What a settlement moved, seat by seat. A void round returns everything.
pub(super) fn settled(settled: &ClusterSettlement, sheet: Option<&SettlementSheet>) -> Result<Vec<Movement>, BadSheet> {
    let unit = settled.limits.unit().cents();
    let mut movements = Vec::new();
    let mut seats: Vec<Seat> = settled.slip.lines.iter().map(|line| line.seat).collect();
    seats.dedup();
    for seat in seats {
        let player = MoneyHolder::seat(settled.cluster, seat, None);
        let mut add = |from, to, amount: Money, why| {
            if amount != Money::ZERO {
                movements.push(Movement { from, to, amount, why });
            }
        };
        let Some(sheet) = sheet else {
            let lines = settled.slip.lines.iter().filter(|line| line.seat == seat);
            let units: i64 = lines.map(|line| i64::from(line.units)).sum();
            let stake = units.checked_mul(unit).ok_or(BadSheet::TooLarge)?;
            add(MoneyHolder::Layout, player, Money::from_cents(stake), MovementReason::BetsReturned);
            continue;
        };
        let (mut lost, mut kept, mut profit, mut returned) = (Money::ZERO, Money::ZERO, Money::ZERO, Money::ZERO);
        for line in sheet.lines.iter().filter(|line| line.seat == seat) {
            let stake = if line.odds.is_some() { &mut kept } else { &mut lost };
            *stake = sum(*stake, line.counted)?;
            profit = sum(profit, line.profit)?;
            returned = sum(returned, line.returned)?;
        }
        add(MoneyHolder::Layout, MoneyHolder::House, lost, MovementReason::BetsLost);
        add(MoneyHolder::Layout, player, kept, MovementReason::BetsWon);
        add(MoneyHolder::House, player, profit, MovementReason::Profit);
        add(MoneyHolder::Layout, player, returned, MovementReason::ExcessReturned);
    }
    Ok(movements)
}

/// What a correction, a late void or the closing of returns moved.
pub(super) fn adjusted(cluster: ClusterId, adjustments: &[Adjustment]) -> Vec<Movement> {
    let mut movements = Vec::new();
    for adjustment in adjustments {
        let player = MoneyHolder::seat(cluster, adjustment.seat, Some(adjustment.session));
        let at_once = adjustment.at_once.cents();
        let later = adjustment.amount().cents() - at_once;
        for (cents, why) in [
            (at_once, MovementReason::AtOnce),
            (later, if later > 0 { MovementReason::AsClaim } else { MovementReason::AsReceivable }),
        ] {
            let amount = Money::from_cents(cents.abs());
            let (from, to) = if cents > 0 { (MoneyHolder::House, player) } else { (player, MoneyHolder::House) };
            if cents != 0 {
                movements.push(Movement { from, to, amount, why });
            }
        }
    }
    movements
}
