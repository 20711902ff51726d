//! `taisai odds`: the exact chances of every box.

use serde::{Serialize, Serializer};
use taisai_rules::{BetBox, Chances, Dice, Fraction, Game, Language, Layout};

use crate::print::{self, Column};

#[derive(Serialize)]
struct BoxOdds {
    #[serde(rename = "box", serialize_with = "as_text")]
    bet_box: BetBox,
    ways: u8,
    of: u8,
    pays: Vec<String>,
    #[serde(serialize_with = "as_text")]
    edge: Fraction,
    #[serde(serialize_with = "as_text")]
    variance: Fraction,
}

fn as_text<T: std::fmt::Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn print(game: &Game, layout: &Layout, json: bool) -> anyhow::Result<()> {
    let odds = layout.boxes().iter().filter_map(|bet_box| {
        let Chances { ways, edge, variance } = layout.chances(*bet_box)?;
        let pays = layout.pays(*bet_box).map(|odds| odds.to_string()).collect();
        Some(BoxOdds { bet_box: *bet_box, ways, of: Dice::THROWS, pays, edge, variance })
    });
    if json {
        return print::json_array(odds);
    }
    let rows = odds.map(|odds| {
        vec![
            odds.bet_box.to_string(),
            game.label(odds.bet_box, Language::English),
            game.label(odds.bet_box, Language::Traditional),
            odds.ways.to_string(),
            odds.pays.join(", "),
            odds.edge.to_string(),
            percent(odds.edge),
            odds.variance.to_string(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let mut out = anstream::stdout().lock();
    print::heading(&mut out, &format!("{} · layout {} · {}", game.approved(), layout.id(), layout.title()))?;
    let columns = [
        Column::left("Box"),
        Column::left("Bet"),
        Column::left(""),
        Column::right("Ways of 216"),
        Column::right("Pays to 1"),
        Column::right("Edge"),
        Column::right(""),
        Column::right("Variance"),
    ];
    print::table(&mut out, &columns, &rows)?;
    Ok(())
}

/// A fraction in per cent with three decimals, rounded half away from zero.
fn percent(fraction: Fraction) -> String {
    let (numerator, denominator) = (fraction.numerator(), fraction.denominator());
    let thousandths = (numerator.abs() * 200_000 + denominator) / (denominator * 2);
    let sign = if numerator < 0 && thousandths > 0 { "-" } else { "" };
    format!("{sign}{}.{:03} %", thousandths / 1_000, thousandths % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_in_per_cent_are_rounded_not_cut() {
        for (numerator, denominator, text) in
            [(1, 36, "2.778 %"), (1, 8, "12.500 %"), (-1, 36, "-2.778 %"), (0, 1, "0.000 %"), (1, 1, "100.000 %")]
        {
            assert_eq!(percent(Fraction::new(numerator, denominator)), text);
        }
    }
}
