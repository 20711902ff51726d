//! Prints a settlement sheet: its lines in a table, and their totals.

use std::io::Write;

use taisai_record::{SettlementLine, SettlementSheet};
use taisai_rules::Money;
use taisai_table::{Chips, Registration};

use crate::print::{self, Column};

/// Prints the sheet, every line after an indent.
pub(crate) fn print(
    sheet: &SettlementSheet,
    registration: Registration,
    out: &mut impl Write,
    indent: &str,
) -> anyhow::Result<()> {
    if sheet.lines.is_empty() {
        let nothing = match registration {
            Registration::EveryBet => "There were no bets.",
            Registration::Winners => "Nothing was registered.",
        };
        writeln!(out, "{indent}{nothing}")?;
        return Ok(());
    }
    let mut table = Vec::new();
    print::table(&mut table, &COLUMNS, &rows(sheet))?;
    // A table is already indented by two.
    let before = &indent[indent.len().min(2)..];
    for line in String::from_utf8(table)?.lines() {
        writeln!(out, "{before}{line}")?;
    }
    let (collected, paid_out, net) = (sheet.collected, sheet.paid_out, signed(sheet.net()));
    match registration {
        Registration::EveryBet => {
            writeln!(out, "{indent}The House collects {collected} and pays out {paid_out}: {net}.")?;
        }
        Registration::Winners => {
            writeln!(out, "{indent}The House pays out {paid_out}. What else it collects is not registered.")?;
        }
    }
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

fn rows(sheet: &SettlementSheet) -> Vec<Vec<String>> {
    let row = |line: &SettlementLine| {
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
    sheet.lines.iter().map(row).collect()
}

/// An amount; empty if zero.
fn amount(money: Money) -> String {
    if money == Money::ZERO { String::new() } else { money.to_string() }
}

/// An amount with its sign.
pub(crate) fn signed(money: Money) -> String {
    if money > Money::ZERO { format!("+{money}") } else { money.to_string() }
}
