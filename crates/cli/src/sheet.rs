//! The settlement sheet: what each line of a round's slip was paid, and by which paragraphs. It is reckoned from the slip
//! and the pay table, beside the machines, and must come to what they settled.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use taisai_rules::{BetBox, Citation, Dice, Game, Language, Layout, Limits, Money, Outcome};
use taisai_table::{Chips, Seat, Slip, SlipLine, Totals};

use crate::print::{self, Column};

/// A line of the sheet.
#[derive(Serialize)]
pub(crate) struct SheetLine {
    pub(crate) seat: Seat,
    #[serde(rename = "box")]
    bet_box: BetBox,
    label: String,
    chips: Chips,
    pub(crate) stake: Money,
    pub(crate) counted: Money,
    pub(crate) returned: Money,
    /// None if it lost.
    pub(crate) odds: Option<String>,
    pub(crate) profit: Money,
    pub(crate) paid: Money,
    paragraphs: Vec<String>,
}

/// A settled round on paper.
#[derive(Serialize)]
pub(crate) struct Sheet {
    pub(crate) lines: Vec<SheetLine>,
    /// Counted stakes that lost.
    pub(crate) collected: Money,
    /// Profits of winning bets.
    pub(crate) paid_out: Money,
}

impl Sheet {
    /// Writes the sheet of a slip by the dice.
    pub(crate) fn new(game: &Game, layout: &Layout, limits: &Limits, slip: &Slip, dice: Dice) -> anyhow::Result<Self> {
        let unit = limits.unit().cents();
        let amount = |units: u32| i64::from(units).checked_mul(unit).context("a stake is beyond 64 bits");
        let mut totals: BTreeMap<BetBox, i64> = BTreeMap::new();
        for line in &slip.lines {
            *totals.entry(line.bet_box).or_default() += amount(line.units)?;
        }
        let total = |bet_box: BetBox| Money::from_cents(totals.get(&bet_box).copied().unwrap_or_default());
        let mut sheet = Self { lines: Vec::new(), collected: Money::ZERO, paid_out: Money::ZERO };
        for line in &slip.lines {
            let (stake, counted) = (Money::from_cents(amount(line.units)?), Money::from_cents(amount(line.counted)?));
            let outcome = layout.outcome(line.bet_box, dice).context("a bet lies outside the layout")?;
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
            sheet.lines.push(SheetLine {
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
    pub(crate) fn check(&self, totals: &Totals) -> anyhow::Result<()> {
        let total =
            |of: fn(&SheetLine) -> Money| self.lines.iter().try_fold(Money::ZERO, |total, line| sum(total, of(line)));
        ensure!(u64::try_from(self.lines.len())? == totals.lines, "the sheet has other lines than were settled");
        for (name, sheet, settled) in [
            ("stakes", total(|line| line.stake)?, totals.staked),
            ("what counted", total(|line| line.counted)?, totals.counted),
            ("what was returned", total(|line| line.returned)?, totals.returned),
            ("what was paid", total(|line| line.paid)?, totals.paid),
        ] {
            ensure!(sheet == settled, "{name}: the sheet comes to {sheet}, the table to {settled}");
        }
        Ok(())
    }

    /// What the round brought the House.
    pub(crate) fn net(&self) -> Money {
        Money::from_cents(self.collected.cents() - self.paid_out.cents())
    }

    /// Prints the lines and what they come to, each line of text after an indent.
    pub(crate) fn print(&self, out: &mut impl Write, indent: &str) -> anyhow::Result<()> {
        if self.lines.is_empty() {
            writeln!(out, "{indent}There were no bets.")?;
            return Ok(());
        }
        let mut table = Vec::new();
        print::table(&mut table, &Self::COLUMNS, &self.rows())?;
        // A table has an indent of its own.
        let before = &indent[indent.len().min(2)..];
        for line in String::from_utf8(table)?.lines() {
            writeln!(out, "{before}{line}")?;
        }
        let (collected, paid_out, net) = (self.collected, self.paid_out, signed(self.net()));
        writeln!(out, "{indent}The House collects {collected} and pays out {paid_out}: {net}.")?;
        Ok(())
    }

    const COLUMNS: [Column<'static>; 10] = [
        Column::right("Seat"),
        Column::left("Box"),
        Column::left("Bet"),
        Column::right("Stake"),
        Column::right("Counted"),
        Column::right("Returned"),
        Column::right("Odds"),
        Column::right("Profit"),
        Column::right("Paid"),
        Column::left("Paragraphs"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |line: &SheetLine| {
            let colour = if line.chips == Chips::Colour { " (Colour Chips)" } else { "" };
            vec![
                line.seat.0.to_string(),
                line.bet_box.to_string(),
                format!("{}{colour}", line.label),
                line.stake.to_string(),
                line.counted.to_string(),
                amount(line.returned),
                line.odds.clone().unwrap_or_else(|| "lost".to_owned()),
                amount(line.profit),
                amount(line.paid),
                line.paragraphs.join(", "),
            ]
        };
        self.lines.iter().map(row).collect()
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
    if layout.limit_scope() != Some(taisai_rules::LimitScope::Box) {
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

pub(crate) fn sum(a: Money, b: Money) -> anyhow::Result<Money> {
    a.checked_add(b).context("a sum is beyond 64 bits")
}

/// An amount, or nothing where there is none.
fn amount(money: Money) -> String {
    if money == Money::ZERO { String::new() } else { money.to_string() }
}

/// An amount with its sign.
pub(crate) fn signed(money: Money) -> String {
    if money > Money::ZERO { format!("+{money}") } else { money.to_string() }
}
