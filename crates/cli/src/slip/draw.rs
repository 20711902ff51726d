//! Draws a distribution: as bars on the terminal, and as SVG.

#![expect(clippy::float_arithmetic, reason = "lengths of bars")]

use std::io::Write;

use taisai_analysis::chart::{Axis, Chart, ink};
use taisai_analysis::{Distribution, PlayerSlip, real, thousands, whole};

use crate::print::QUIET;

const BAR_WIDTH: f64 = 44.0;
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Prints names with their probabilities, a bar each.
pub(super) fn bars(out: &mut impl Write, rows: impl IntoIterator<Item = (String, f64)>) -> std::io::Result<()> {
    let rows: Vec<_> = rows.into_iter().collect();
    let most = rows.iter().map(|(_, chance)| *chance).fold(f64::MIN_POSITIVE, f64::max);
    let wide = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, chance) in rows {
        writeln!(out, "  {name:>wide$}  {QUIET}{:8.4} %{QUIET:#}  {}", chance * 100.0, bar(chance / most))?;
    }
    Ok(())
}

/// A bar of eighths of a character.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length on the screen"
)]
fn bar(part: f64) -> String {
    let eighths = (part.clamp(0.0, 1.0) * BAR_WIDTH * 8.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A hundredth of something.
pub(super) const fn hundredth(number: f64) -> f64 {
    number / 100.0
}

/// The distribution of the net result, in one round or after many.
pub(super) fn distribution(slip: &PlayerSlip, many: Option<&Distribution>) -> String {
    let (bars, mean, title, width) = if let Some(many) = many {
        let bars = many.bars(160);
        let width = bars.windows(2).next().map_or(1.0, |pair| pair[1].0 - pair[0].0);
        (bars, real(many.mean()), format!("Net result after {} rounds", many.rounds()), width)
    } else {
        let spread = slip.spread();
        let bars = spread.results().iter().map(|(net, ways)| (whole(net.cents().into()), f64::from(*ways) / 216.0));
        let (worst, best) = spread.ends();
        let width = (whole(best.cents().into()) - whole(worst.cents().into())).max(1.0) / 120.0;
        (bars.collect::<Vec<_>>(), real(spread.mean()), "Net result of one round".to_owned(), width)
    };
    let most = bars.iter().map(|(_, chance)| *chance).fold(0.0, f64::max);
    let (from, to) = (bars.first().map_or(0.0, |bar| bar.0), bars.last().map_or(1.0, |bar| bar.0) + width);
    let x = Axis::even("Net result", from / 100.0, to / 100.0, thousands);
    let y = Axis::even("Chance, per cent", 0.0, most * 100.0, |value| format!("{value:.3}"));
    let mut chart = Chart::new(&title, (860.0, 420.0), x, y);
    for (at, chance) in &bars {
        let colour = if *at + width / 2.0 < 0.0 { ink::BLUE } else { ink::WINE };
        let words = format!("{:.2}: {:.6} %", at / 100.0, chance * 100.0);
        chart.bar((at / 100.0, (at + width * 0.92) / 100.0), chance * 100.0, colour, &words);
    }
    chart.mark(Some(0.0), None, ink::QUIET);
    chart.mark(Some(mean / 100.0), None, ink::GOLD);
    chart.words((mean / 100.0, most * 100.0), (6.0, -4.0), ink::GOLD, &format!("expected {:.2}", mean / 100.0));
    chart.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_proportional() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0).chars().count(), 44);
        assert_eq!(bar(0.5), "█".repeat(22));
        assert_eq!(bar(1.0 / 352.0), "▏");
    }
}
