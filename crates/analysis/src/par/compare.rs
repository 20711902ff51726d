//! All layouts side by side: what each box pays and costs on every one of them, the cheapest and the dearest marked.

#![expect(clippy::float_arithmetic, reason = "places in a picture")]

use taisai_rules::{BetBox, Fraction, Station};

use super::{ParSheet, edge_percent};
use crate::chart::{Axis, Chart, escape, ink};
use crate::figures::BoxFigures;
use crate::layout_figures::less;
use crate::page::{page, picture, table};
use crate::real::{real, size};

/// The page that leads to the sheets and compares them. Each sheet is expected beside it, under its name.
pub fn index(sheets: &[ParSheet]) -> String {
    let body = format!(
        "<header>\n<p class=\"kind\">Par sheets</p>\n<h1>Tai Sai and Sic Bo: {} layouts compared</h1>\n\
         <p>Three dice, 216 throws. Odds are <em>to</em> one; edges are of a stake of one, exact and rounded to three decimals.</p>\n\
         </header>\n{}{}{}",
        sheets.len(),
        list(sheets),
        picture(
            &strips(sheets),
            "Each dot is a family of boxes that pay alike, at its edge. The line is the edge of one stake on every box."
        ),
        comparison(sheets),
    );
    page("Par sheets of every layout", &body)
}

fn list(sheets: &[ParSheet]) -> String {
    let titles =
        ["Layout", "Pay table", "Document", "Boxes", "Lowest edge", "Highest edge", "Over all boxes", "Pays like"];
    let rows = sheets.iter().map(|sheet| {
        let (name, place) = (sheet.name(), escape(&sheet.place()));
        let (low, high) = sheet.figures.ends();
        let same = sheets.iter().filter(|other| other.name() != name && other.rules_hash() == sheet.rules_hash());
        vec![
            format!("<a href=\"{name}.html\">{place}</a>"),
            escape(sheet.layout.title()),
            escape(sheet.game.document()),
            sheet.figures.boxes.len().to_string(),
            edge_percent(low.figures.edge),
            edge_percent(high.figures.edge),
            edge_percent(sheet.figures.average_edge()),
            format!("<span class=\"wrap\">{}</span>", same.map(ParSheet::name).collect::<Vec<_>>().join(", ")),
        ]
    });
    format!("<h2>The sheets</h2>\n{}", table(3, &titles, rows))
}

fn strips(sheets: &[ParSheet]) -> String {
    let names: Vec<_> = sheets.iter().map(ParSheet::name).collect();
    let most = sheets.iter().map(|sheet| real(sheet.figures.ends().1.figures.edge)).fold(0.0, f64::max);
    let x = Axis::even("House edge, per cent of the stake", 0.0, most * 100.0, |value| format!("{value}"));
    let height = 70.0 + 30.0 * size(names.len());
    let mut chart = Chart::new("Edges of every layout", (1040.0, height), x, Axis::names("", &names, true));
    for (place, sheet) in sheets.iter().enumerate() {
        let colour = match sheet.game.station() {
            Station::LiveTable => ink::WINE,
            Station::PlayerTerminals => ink::GREEN,
        };
        let (row, average) = (size(place), real(sheet.figures.average_edge()) * 100.0);
        chart.line([(average, row - 0.38), (average, row + 0.38)], ink::GOLD, "");
        for family in &sheet.figures.families {
            let edge = family.figures.edge;
            let words = format!("{}: {}", family.text(), edge_percent(edge));
            chart.point((real(edge) * 100.0, row), 3.5 + size(family.boxes.len()).sqrt(), colour, &words);
        }
    }
    chart.svg()
}

/// A box as the layouts have it; nothing where one has not.
type CompareRow<'s> = Vec<Option<&'s BoxFigures>>;

fn comparison(sheets: &[ParSheet]) -> String {
    let mut rows: Vec<(Vec<BetBox>, CompareRow)> = Vec::new();
    for bet_box in BetBox::all() {
        let row: CompareRow =
            sheets.iter().map(|sheet| sheet.figures.boxes.iter().find(|figures| figures.bet_box == bet_box)).collect();
        if row.iter().all(Option::is_none) {
            continue;
        }
        match rows.iter_mut().find(|(_, known)| is_alike(known, &row)) {
            Some((boxes, _)) => boxes.push(bet_box),
            None => rows.push((vec![bet_box], row)),
        }
    }
    let titles: Vec<_> = sheets
        .iter()
        .map(|sheet| format!("{}<br>{} · {}", escape(sheet.game.id()), sheet.game.version(), escape(sheet.layout.id())))
        .collect();
    let titles: Vec<_> = ["Boxes"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let rows = rows.iter().map(|(boxes, row)| {
        let first = match &boxes[..] {
            [first, .., last] if boxes.len() > 3 => format!("<code>{first}</code> … <code>{last}</code>"),
            few => few.iter().map(|b| format!("<code>{b}</code>")).collect::<Vec<_>>().join(", "),
        };
        [first].into_iter().chain(cells(row)).collect()
    });
    format!(
        "<h2>Pay tables compared</h2>\n<p>The edge, and below it the odds to one. Where layouts differ, the lowest edge is \
         <span class=\"best\">green</span> and the highest <span class=\"worst\">red</span>; a dash stands where a layout does not have \
         the box.</p>\n{}",
        table(1, &titles, rows)
    )
}

fn is_alike(a: &CompareRow, b: &CompareRow) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => a.is_like(b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    })
}

fn cells(row: &CompareRow) -> Vec<String> {
    let edges = || row.iter().flatten().map(|figures| figures.edge);
    let ends: Option<(Fraction, Fraction)> =
        edges().min_by(|a, b| less(*a, *b)).zip(edges().max_by(|a, b| less(*a, *b)));
    let cell = |figures: Option<&BoxFigures>| {
        let Some(figures) = figures else { return "–".to_owned() };
        let class = match ends {
            Some((low, high)) if low == high => "",
            Some((low, _)) if low == figures.edge => "best",
            Some((_, high)) if high == figures.edge => "worst",
            Some(_) | None => "",
        };
        let pays: Vec<_> = figures.wins.iter().map(|win| win.pays.fraction().to_string()).collect();
        format!("<span class=\"{class}\">{}</span><br><small>{}</small>", edge_percent(figures.edge), pays.join(", "))
    };
    row.iter().copied().map(cell).collect()
}
