//! The settlement sheet: what each line of a round's slip was paid, and by which paragraphs. It is reckoned from the slip
//! and the pay table, beside the machines, and must come to what they settled.

mod movements;
mod round;

use std::collections::BTreeMap;

use serde::Serialize;
use taisai_rules::{BetBox, Citation, Dice, Game, Language, Layout, LimitScope, Limits, Money, Outcome, PayoutError};
use taisai_table::{Chips, Seat, Slip, SlipLine, SlipTotals};

pub use movements::{MoneyHolder, Movement, MovementReason};
pub use round::{ChangeSheet, ClusterSheet, RecordLabel, RegisteredLine, RoundSheet, StakeLine};

use crate::opening::BadChainOpening;

/// Why a sheet cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum BadSheet {
    /// An amount does not fit.
    #[error("a sum is beyond 64 bits")]
    TooLarge,
    /// A bet is on no box of the layout.
    #[error("a bet lies outside the layout")]
    Outside,
    /// A payout cannot be made.
    #[error(transparent)]
    Payout(#[from] PayoutError),
    /// The rules of the table.
    #[error(transparent)]
    Rules(#[from] BadChainOpening),
    /// It has other lines than were settled.
    #[error("the sheet has other lines than were settled")]
    Lines,
    /// It comes to something else than was settled.
    #[error("{what}: the sheet comes to {sheet}, the table to {settled}")]
    Differs {
        /// In what.
        what: &'static str,
        /// What it comes to.
        sheet: Money,
        /// What was settled.
        settled: Money,
    },
}

/// A line of the sheet.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = SheetLine))]
pub struct SettlementLine {
    /// Whose bet it is.
    #[cfg_attr(feature = "openapi", schema(value_type = u32))]
    pub seat: Seat,
    /// The box.
    #[serde(rename = "box")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub bet_box: BetBox,
    /// The box as the layout calls it.
    pub label: String,
    /// With which chips.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub chips: Chips,
    /// The stake.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub stake: Money,
    /// What counts of it.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub counted: Money,
    /// What is returned of it.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub returned: Money,
    /// None if it lost.
    pub odds: Option<String>,
    /// The profit.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub profit: Money,
    /// What is paid, the stake included.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub paid: Money,
    /// The paragraphs by which it stands so.
    pub paragraphs: Vec<String>,
}

/// A settled round on paper.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Sheet))]
pub struct SettlementSheet {
    /// Its lines.
    pub lines: Vec<SettlementLine>,
    /// Counted stakes that lost.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub collected: Money,
    /// Profits of winning bets.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub paid_out: Money,
}

impl SettlementSheet {
    /// Writes the sheet of a slip by the dice.
    pub fn new(game: &Game, layout: &Layout, limits: &Limits, slip: &Slip, dice: Dice) -> Result<Self, BadSheet> {
        let unit = limits.unit().cents();
        let amount = |units: u32| i64::from(units).checked_mul(unit).ok_or(BadSheet::TooLarge);
        let mut totals: BTreeMap<BetBox, i64> = BTreeMap::new();
        for line in &slip.lines {
            *totals.entry(line.bet_box).or_default() += amount(line.units)?;
        }
        for declared in &slip.told {
            let total = totals.entry(declared.bet_box).or_default();
            *total = declared.amount.cents().max(*total);
        }
        let total = |bet_box: BetBox| Money::from_cents(totals.get(&bet_box).copied().unwrap_or_default());
        let mut sheet = Self { lines: Vec::new(), collected: Money::ZERO, paid_out: Money::ZERO };
        for line in &slip.lines {
            let (stake, counted) = (Money::from_cents(amount(line.units)?), Money::from_cents(amount(line.counted)?));
            let outcome = layout.outcome(line.bet_box, dice).ok_or(BadSheet::Outside)?;
            let (odds, profit, paid) = match outcome {
                Outcome::Won(odds) => {
                    let profit = odds.profit(counted)?;
                    (Some(odds.to_string()), profit, sum(counted, profit)?)
                }
                Outcome::Lost | Outcome::LostToTriple => (None, Money::ZERO, Money::ZERO),
            };
            if odds.is_some() {
                sheet.paid_out = sum(sheet.paid_out, profit)?;
            } else {
                sheet.collected = sum(sheet.collected, counted)?;
            }
            let citations = citations(layout, limits, line, stake, outcome, &total);
            let paragraphs = citations.into_iter().filter_map(|citation| layout.paragraph(citation));
            sheet.lines.push(SettlementLine {
                seat: line.seat,
                bet_box: line.bet_box,
                label: game.label(line.bet_box, Language::English),
                chips: line.chips,
                stake,
                counted,
                returned: Money::from_cents(stake.cents() - counted.cents()),
                odds,
                profit,
                paid,
                paragraphs: paragraphs.map(ToString::to_string).collect(),
            });
        }
        Ok(sheet)
    }

    /// Whether the lines come to what was settled.
    pub fn check(&self, totals: &SlipTotals) -> Result<(), BadSheet> {
        let total = |of: fn(&SettlementLine) -> Money| {
            self.lines.iter().try_fold(Money::ZERO, |total, line| sum(total, of(line)))
        };
        if u64::try_from(self.lines.len()).ok() != Some(totals.lines) {
            return Err(BadSheet::Lines);
        }
        for (what, sheet, settled) in [
            ("stakes", total(|line| line.stake)?, totals.staked),
            ("what counted", total(|line| line.counted)?, totals.counted),
            ("what was returned", total(|line| line.returned)?, totals.returned),
            ("what was paid", total(|line| line.paid)?, totals.paid),
        ] {
            if sheet != settled {
                return Err(BadSheet::Differs { what, sheet, settled });
            }
        }
        Ok(())
    }

    /// What the round brought the House.
    pub const fn net(&self) -> Money {
        Money::from_cents(self.collected.cents() - self.paid_out.cents())
    }
}

/// The rules a line rests on, in the order in which they are cited.
fn citations(
    layout: &Layout,
    limits: &Limits,
    line: &SlipLine,
    stake: Money,
    outcome: Outcome,
    total: &impl Fn(BetBox) -> Money,
) -> Vec<Citation> {
    let mut citations = vec![Citation::PayTable];
    if outcome == Outcome::LostToTriple {
        citations.push(Citation::Triple);
    }
    if layout.limit_scope() != Some(LimitScope::Box) {
        return citations;
    }
    let (minimum, on_box) = (limits.minimum(line.bet_box), total(line.bet_box));
    let cap = limits.cap(line.bet_box, line.bet_box.opposite().map_or(Money::ZERO, total));
    if on_box > cap {
        let in_full = on_box > limits.maximum(line.bet_box) && stake < minimum;
        citations.push(if in_full { Citation::MinimumInExcess } else { Citation::ProRata });
    }
    if on_box < minimum {
        citations.push(Citation::BelowMinimum);
    }
    citations
}

fn sum(a: Money, b: Money) -> Result<Money, BadSheet> {
    a.checked_add(b).ok_or(BadSheet::TooLarge)
}
