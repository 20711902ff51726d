//! The pictures of a par sheet.

#![expect(clippy::float_arithmetic, reason = "places in a picture")]

use taisai_rules::{BoxKind, Station};

use super::{ParSheet, edge_percent};
use crate::chart::{Axis, Chart, ink};
use crate::layout_figures::{Confidence, Family};
use crate::real::{real, size};

fn colour(sheet: &ParSheet) -> &'static str {
    match sheet.game.station() {
        Station::LiveTable => ink::WINE,
        Station::PlayerTerminals => ink::GREEN,
    }
}

fn by_edge<'s>(sheet: &'s ParSheet) -> Vec<&'s Family> {
    let mut families: Vec<&'s Family> = sheet.figures.families.iter().collect();
    families.sort_by(|a, b| crate::layout_figures::less(a.figures.edge, b.figures.edge));
    families
}

/// A bar for each family, the cheapest on top.
pub(super) fn edges(sheet: &ParSheet) -> String {
    let families = by_edge(sheet);
    let names: Vec<_> = families.iter().map(|family| family.text()).collect();
    let most = families.last().map_or(0.1, |family| real(family.figures.edge));
    let x = Axis::even("House edge, per cent of the stake", 0.0, most * 112.0, |value| format!("{value}"));
    let height = 70.0 + 17.0 * size(names.len());
    let mut chart = Chart::new("The edge of every family of boxes", (560.0, height), x, Axis::names("", &names, true));
    for (place, family) in families.iter().enumerate() {
        let edge = family.figures.edge;
        chart.row(size(place), real(edge) * 100.0, colour(sheet), &edge_percent(edge));
    }
    chart.svg()
}

/// Every family by its standard deviation and its edge.
pub(super) fn map(sheet: &ParSheet) -> String {
    let families = &sheet.figures.families;
    let widest = families.iter().map(|family| family.figures.standard_deviation()).fold(1.0, f64::max);
    let most = families.iter().map(|family| real(family.figures.edge)).fold(0.0, f64::max) * 100.0;
    let x = Axis::powers("Standard deviation of one round, in stakes", 1.0, widest, |value| format!("{value}"));
    let y = Axis::even("House edge, per cent", 0.0, most, |value| format!("{value}"));
    let mut chart = Chart::new("How wild a box is, and what it costs", (560.0, 400.0), x, y);
    let mut seen: Vec<BoxKind> = Vec::new();
    for family in families {
        let at = (family.figures.standard_deviation(), real(family.figures.edge) * 100.0);
        let boxes = size(family.boxes.len());
        chart.point(at, 4.0 + 1.3 * boxes.sqrt(), colour(sheet), &family.text());
        let kind = family.figures.bet_box.kind();
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        // Where the kinds of the approved layouts lie close together their names stand apart.
        let (name, beside) = match kind {
            BoxKind::Small => ("small, big", (10.0, -13.0)),
            BoxKind::Big | BoxKind::Odd | BoxKind::Even => continue,
            BoxKind::Double => ("double", (-9.0, 4.0)),
            BoxKind::Domino => ("domino", (12.0, -3.0)),
            BoxKind::AnyTriple => ("any-triple", (10.0, -14.0)),
            BoxKind::Four => ("four", (-12.0, -4.0)),
            BoxKind::Single | BoxKind::Sum | BoxKind::Triple | BoxKind::Three | BoxKind::Pair => {
                (kind.text(), (10.0, 7.0))
            }
        };
        chart.words(at, beside, ink::QUIET, name);
    }
    chart.svg()
}

/// How the return of the tamest and of the wildest family closes in on its mean.
pub(super) fn funnel(sheet: &ParSheet) -> String {
    let wild = |a: &&Family, b: &&Family| a.figures.standard_deviation().total_cmp(&b.figures.standard_deviation());
    let Some(tame) = sheet.figures.families.iter().min_by(wild) else { return String::new() };
    let Some(wildest) = sheet.figures.families.iter().max_by(wild) else { return String::new() };
    let rounds = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000, 300_000, 1_000_000u32];
    let x = Axis::powers("Rounds with the same stake", 10.0, 1e6, crate::real::thousands);
    let y = Axis::even("Return for one", 0.0, 2.0, |value| format!("{value:.2}"));
    let mut chart = Chart::new("95 % of all runs lie in the band", (560.0, 340.0), x, y);
    for (family, colour, up) in [(wildest, ink::GOLD, -34.0), (tame, colour(sheet), 8.0)] {
        let bands = rounds.iter().filter_map(|rounds| {
            let band = family.band(*rounds, Confidence::NinetyFive).ok()?;
            Some(((f64::from(*rounds), band.low), (f64::from(*rounds), band.high)))
        });
        let (low, high): (Vec<_>, Vec<_>) = bands.unzip();
        chart.band(&low, &high, colour);
        chart.line(low.iter().copied(), colour, "");
        chart.line(high, colour, "");
        let mean = real(family.figures.expected_return().fraction());
        chart.mark(None, Some(mean), colour);
        chart.words((1e6, mean), (-4.0, up), colour, &family.text());
    }
    chart.svg()
}
