//! A par sheet as a page.

use std::fmt::Write as _;

use taisai_rules::{Citation, Cover, Fraction, Language, Money, Station};

use super::{BAND_ROUNDS, ParLine, ParSheet, draw, edge_percent};
use crate::chart::escape;
use crate::layout_figures::{Confidence, Family, STAKE};
use crate::page::{cards, page as whole_page, picture, table};
use crate::real::{decimals, percent, root_decimals, thousands};

pub(super) fn page(sheet: &ParSheet) -> String {
    let body = [header(sheet), summary(sheet), boxes(sheet), bands(sheet), felt(sheet), meaning(), origin(sheet)];
    whole_page(&format!("Par sheet: {}", sheet.place()), &body.concat())
}

fn header(sheet: &ParSheet) -> String {
    let (game, layout) = (sheet.game, sheet.layout);
    let [english, chinese] = [Language::English, Language::Traditional].map(|l| escape(game.title().get(l)));
    let paragraph = layout.paragraph(Citation::PayTable).map(|p| format!(", paragraph {p}")).unwrap_or_default();
    let force = game.effective().map_or("undated".to_owned(), |moment| format!("in force from {moment}"));
    let cover = match game.cover() {
        Cover::Covered => "covered dice",
        Cover::Open => "open cover",
    };
    let station = match game.station() {
        Station::LiveTable => "live table",
        Station::PlayerTerminals => "player terminals",
    };
    let (approved, document, title) = (escape(game.approved()), escape(game.document()), escape(layout.title()));
    let version = game.version();
    format!(
        "<header>\n<p class=\"kind\">Par sheet</p>\n<h1>{english} {chinese} · Layout {}</h1>\n\
         <p>{title}{paragraph} · {approved}, version {version} · document {document}, {force}</p>\n\
         <p>{cover} · {station} · {} betting boxes · three dice, 216 throws, each equally likely</p>\n</header>\n",
        layout.id(),
        layout.boxes().len(),
    )
}

/// A family, and how many other boxes have its edge.
fn alike(sheet: &ParSheet, family: &Family) -> String {
    let boxes = sheet.figures.boxes.iter().filter(|figures| figures.edge == family.figures.edge).count();
    match boxes - family.boxes.len() {
        0 => family.text(),
        1 => format!("{}, and one other box", family.text()),
        others => format!("{}, and {others} other boxes", family.text()),
    }
}

fn summary(sheet: &ParSheet) -> String {
    let (low, high) = sheet.figures.ends();
    let average = sheet.figures.average_edge();
    let wildest = sheet.figures.families.iter().max_by(|a, b| a.volatility_index().total_cmp(&b.volatility_index()));
    let wild = wildest.map_or(String::new(), |family| format!("{:.2}", family.volatility_index()));
    let figures = cards(&[
        ("Lowest edge", edge_percent(low.figures.edge), escape(&alike(sheet, low))),
        ("Highest edge", edge_percent(high.figures.edge), escape(&alike(sheet, high))),
        ("Edge over all boxes", edge_percent(average), format!("{average} of every stake")),
        ("Return over all boxes", format!("{} for 1", complement(average)), "one stake on every box".to_owned()),
        ("Highest volatility index", wild, wildest.map_or(String::new(), |family| escape(&family.text()))),
    ]);
    let edges =
        picture(&draw::edges(sheet), "What the House keeps of a stake on average. Boxes that pay alike are one bar.");
    let map = picture(
        &draw::map(sheet),
        "Each dot is a family of boxes, larger where there are more of them. To the right results are wilder, further up dearer.",
    );
    format!("{figures}<div class=\"pictures\">\n{edges}{map}</div>\n")
}

fn complement(fraction: Fraction) -> String {
    decimals(Fraction::new(fraction.denominator() - fraction.numerator(), fraction.denominator()), 5)
}

fn boxes(sheet: &ParSheet) -> String {
    let titles = [
        "Box",
        "Bet",
        "",
        "Ways<br>of 216",
        "Hit<br>frequency",
        "Pays<br><em>to</em> one",
        "Returns<br><em>for</em> one",
        "House edge<br>exact",
        "<br>per cent",
        "Expected return<br><em>for</em> one",
        "Variance",
        "Standard<br>deviation",
        "Skewness",
        "Volatility<br>index",
    ];
    let mut rows = String::new();
    let mut heading = None;
    for (line, figures) in sheet.lines().zip(&sheet.figures.boxes) {
        let kind = figures.bet_box.kind();
        if heading.replace(kind) != Some(kind) && kind.boxes().count() > 1 {
            let row = sheet.layout.rows().iter().find(|row| row.boxes.contains(&figures.bet_box));
            let name = row.map_or(String::new(), |row| escape(&without_brackets(&row.name)));
            let columns = titles.len();
            writeln!(rows, "<tr class=\"kind\"><td colspan=\"{columns}\">{name}</td></tr>")
                .expect("a String takes every text");
        }
        let chinese = escape(&sheet.game.label(figures.bet_box, Language::Traditional));
        let ParLine {
            bet_box,
            bet,
            ways,
            pays_to_one,
            returns_for_one,
            edge_exact: edge,
            variance_exact: variance,
            ..
        } = &line;
        let cells = [
            format!("<code>{bet_box}</code>"),
            escape(bet),
            if chinese == escape(bet) { String::new() } else { chinese },
            ways.to_string(),
            percent(figures.hit_frequency(), 3),
            pays_to_one.join(", "),
            returns_for_one.join(", "),
            edge.clone(),
            edge_percent(figures.edge),
            decimals(figures.expected_return().fraction(), 5),
            if variance.len() > 16 { decimals(figures.variance, 4) } else { variance.clone() },
            line.standard_deviation.clone(),
            line.skewness.clone(),
            line.volatility_index.clone(),
        ];
        let cell = |(place, cell): (usize, &String)| {
            format!("<td{}>{cell}</td>", if place < 3 { " class=\"word\"" } else { "" })
        };
        writeln!(rows, "<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
            .expect("a String takes every text");
    }
    let head = titles
        .iter()
        .enumerate()
        .map(|(place, title)| format!("<th{}>{title}</th>", if place < 3 { " class=\"word\"" } else { "" }));
    let head: String = head.collect();
    format!("<h2>Every box</h2>\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n")
}

/// The name of a row of the pay table without which of its boxes it is for.
fn without_brackets(name: &str) -> String {
    match (name.split_once(" ("), name.split_once(") ")) {
        (Some((before, _)), Some((_, after))) => format!("{before} {after}"),
        _ => name.to_owned(),
    }
}

fn bands(sheet: &ParSheet) -> String {
    let mut titles =
        vec!["Boxes".to_owned(), "Volatility<br>index".to_owned(), "Expected return<br><em>for</em> one".to_owned()];
    titles.extend(BAND_ROUNDS.iter().map(|rounds| format!("after {}<br>rounds", thousands(f64::from(*rounds)))));
    let titles: Vec<_> = titles.iter().map(String::as_str).collect();
    let row = |family: &Family| {
        let band = |rounds: &u32| match family.band(*rounds, Confidence::NinetyFive) {
            Ok(band) if band.is_exact => format!("{:.4} – {:.4}", band.low, band.high),
            Ok(band) => format!("<span class=\"quiet\">{:.4} – {:.4}</span>", band.low, band.high),
            Err(_) => "–".to_owned(),
        };
        let first = [
            escape(&family.text()),
            format!("{:.3}", family.volatility_index()),
            decimals(family.figures.expected_return().fraction(), 5),
        ];
        first.into_iter().chain(BAND_ROUNDS.iter().map(band)).collect()
    };
    let rows = table(1, &titles, sheet.figures.families.iter().map(row));
    let funnel = picture(
        &draw::funnel(sheet),
        "Bands of the average return for one, of the tamest and of the wildest boxes. The broken lines are their exact means.",
    );
    format!(
        "<h2>Volatility, and bands of the return after many rounds</h2>\n<p>In 95 of 100 runs of so many rounds with the same \
         stake the average return <em>for</em> one lies in the band. Up to 10,000 rounds the bands come from the exact \
         distribution; above, in grey, from the normal one.</p>\n{rows}{funnel}"
    )
}

fn felt(sheet: &ParSheet) -> String {
    let spread = &sheet.figures.whole_felt;
    let boxes = i128::try_from(sheet.figures.boxes.len()).unwrap_or(1);
    let stake = i128::from(STAKE.cents());
    let mean = spread.mean();
    let variance = spread.variance();
    let [won, even, lost] = spread.ways();
    let (worst, best) = spread.ends();
    let stakes = |money: Money| decimals(Fraction::new(money.cents().into(), stake), 2);
    let kinds = table(
        1,
        &["Kind", "Boxes", "Lowest edge", "Highest edge"],
        sheet.figures.kinds().into_iter().map(|(kind, boxes, low, high)| {
            vec![format!("<code>{kind}</code>"), boxes.to_string(), edge_percent(low), edge_percent(high)]
        }),
    );
    let rows = table(
        1,
        &["One stake on every box", ""],
        [
            ("Stakes", boxes.to_string()),
            (
                "Expected net result, in stakes",
                decimals(Fraction::new(mean.numerator(), mean.denominator() * stake), 5),
            ),
            (
                "Standard deviation, in stakes",
                root_decimals(Fraction::new(variance.numerator(), variance.denominator() * stake * stake), 4),
            ),
            ("Throws that win, break even, lose", format!("{won}, {even}, {lost}")),
            ("Worst and best result, in stakes", format!("{} and {}", stakes(worst), stakes(best))),
        ]
        .map(|(name, figure)| vec![name.to_owned(), figure]),
    );
    format!(
        "<h2>The layout as a whole</h2>\n<div class=\"pictures\">\n<figure>{kinds}</figure>\n<figure>{rows}</figure>\n</div>\n"
    )
}

fn meaning() -> String {
    "<h2>What the figures mean</h2>\n<dl>\n\
     <dt>Ways</dt><dd>throws of 216 on which the box wins, counted from the outcomes that settle bets</dd>\n\
     <dt>Pays <em>to</em> one</dt><dd>the profit on a stake of one; the stake comes back as well</dd>\n\
     <dt>Returns <em>for</em> one</dt><dd>everything that comes back for a stake of one when the box wins: the odds to one, and one</dd>\n\
     <dt>House edge</dt><dd>what the House keeps of a stake of one on average: one less the expected return for one</dd>\n\
     <dt>Hit frequency</dt><dd>ways over 216</dd>\n\
     <dt>Variance, standard deviation, skewness</dt><dd>of the net result of a stake of one; the variance is exact, or rounded where its \
     fraction is long (the CSV and JSON have every fraction)</dd>\n\
     <dt>Volatility index</dt><dd>1.645 standard deviations: over the square root of the rounds, the half width of the 90 % band of the \
     return</dd>\n</dl>\n"
        .to_owned()
}

fn origin(sheet: &ParSheet) -> String {
    let (maker, command) = (
        sheet.maker,
        format!("taisai par --game {}@{} --layout {}", sheet.game.id(), sheet.game.version(), sheet.layout.id()),
    );
    format!(
        "<h2>Where this comes from</h2>\n<dl>\n<dt>Program</dt><dd>{}, <code>{}</code></dd>\n\
         <dt>Game file</dt><dd><code>{}</code></dd>\n<dt>Rules</dt><dd><code>{}</code></dd>\n\
         <dt>Made again by</dt><dd><code>{command}</code></dd>\n</dl>\n\
         <p class=\"quiet\">Hashes are BLAKE3. That of the game file is the one a table's record names; that of the rules covers every box \
         with its odds and its outcome on each throw, so that two layouts with the same hash pay the same. The same program and file \
         give this sheet again, byte for byte.</p>\n",
        escape(&maker.name),
        maker.hash,
        sheet.file_hash(),
        sheet.rules_hash(),
    )
}
