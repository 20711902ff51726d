//! The report of a dice watch as a page.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use super::{ChiSquareTest, DiceVerdict, DiceWatch, EvidenceKind, SUM_WAYS, power_table};
use crate::chart::{Axis, Chart, escape, ink};
use crate::page::{cards, page as whole_page, picture, table};
use crate::real::{count, size, thousands};
use crate::rounds::shown_chance;

/// The page of a watch. `course` is the evidence over time: throws, and its value there.
pub fn page(title: &str, watch: &DiceWatch, course: &[(u64, f64)]) -> String {
    let evidence = watch.evidence();
    let figures = cards(&[
        ("Throws", thousands(count(watch.throws())), "three dice each".to_owned()),
        ("Evidence against fair dice", figure_text(evidence.value()), watch.verdict().to_string()),
        (
            "At its highest",
            figure_text(evidence.highest()),
            format!("with fair dice at most {}", shown_chance(evidence.chance(), 0.0)),
        ),
    ]);
    let tests = [
        ("Faces", watch.by_face(), EvidenceKind::Faces),
        ("Total Sums", watch.by_sum(), EvidenceKind::Sums),
        ("Dependence on the throw before", watch.serial(), EvidenceKind::Serial),
    ]
    .map(|(name, test, kind)| {
        let cells = test
            .map_or(["not enough throws yet".to_owned(), String::new(), String::new()], |test: ChiSquareTest| {
                [format!("{:.2}", test.statistic), test.freedom.to_string(), test.shown_chance()]
            });
        let [statistic, freedom, chance] = cells;
        vec![name.to_owned(), statistic, freedom, chance, figure_text(evidence.of(kind))]
    });
    let tests = table(1, &["Test", "Chi-square", "Degrees of freedom", "p-value", "Evidence"], tests);
    let power = power_table().into_iter().map(|power| {
        let throws = [power.half, power.nine_of_ten, power.evidence].map(|throws| thousands(count(throws)));
        let [half, nine, evidence] = throws;
        vec![format!("{} %", power.bias), half, nine, evidence, format!("{:.1}", power.days())]
    });
    let titles = [
        "One face more often by",
        "Found in half of all cases",
        "In nine of ten",
        "Evidence reaches 100",
        "Days at a round a minute",
    ];
    let body = format!(
        "<header>\n<p class=\"kind\">Dice watch</p>\n<h1>{}</h1>\n</header>\n{figures}<div class=\"pictures\">\n{}{}{}</div>\n\
         <h2>Tests</h2>\n<p>A chi-square test answers once, for a number of throws fixed beforehand: a p-value below 0.01 speaks \
         against fair dice. The evidence may be looked at after every throw: with fair dice it ever reaches 100 in at most one \
         of a hundred runs.</p>\n{tests}<h2>How many throws it takes</h2>\n<p>For all three dice biased alike: one face comes \
         more often, the others less. The chi-square test is that of faces at 1 %.</p>\n{}",
        escape(title),
        picture(&faces(watch), "How often each face came; the broken line is what fair dice show on average."),
        picture(&sums(watch), "How often each Total Sum came, and what fair dice show on average (dots)."),
        picture(
            &course_of(course),
            "The evidence throw by throw. From 20 on: watch on; from 100 on: have the dice measured; from 1,000 on: take them \
             out."
        ),
        table(1, &titles, power),
    );
    whole_page(title, &body)
}

fn figure_text(value: f64) -> String {
    match value {
        large if large >= 1e6 => crate::rounds::scientific(large),
        small if small < 0.005 => crate::rounds::scientific(small),
        value => format!("{value:.2}"),
    }
}

fn faces(watch: &DiceWatch) -> String {
    let names: Vec<_> = (1..=6).map(|face: u8| face.to_string()).collect();
    let most = watch.faces().iter().copied().max().unwrap_or(1).max(1);
    let y = Axis::even("Dice", 0.0, count(most) * 1.05, thousands);
    let mut chart = Chart::new("Faces", (460.0, 300.0), Axis::names("Face", &names, false), y);
    for (place, times) in watch.faces().iter().enumerate() {
        let at = size(place);
        chart.bar((at - 0.36, at + 0.36), count(*times), ink::WINE, &times.to_string());
    }
    chart.mark(None, Some(count(watch.throws()) / 2.0), ink::GOLD);
    chart.svg()
}

fn sums(watch: &DiceWatch) -> String {
    let names: Vec<_> = (3..=18).map(|sum: u8| sum.to_string()).collect();
    let most = watch.sums().iter().copied().max().unwrap_or(1).max(1);
    let y = Axis::even("Throws", 0.0, count(most) * 1.05, thousands);
    let mut chart = Chart::new("Total Sums", (460.0, 300.0), Axis::names("Total Sum", &names, false), y);
    for (place, (times, ways)) in watch.sums().iter().zip(SUM_WAYS).enumerate() {
        let at = size(place);
        chart.bar((at - 0.36, at + 0.36), count(*times), ink::WINE, &times.to_string());
        let expected = count(watch.throws() * ways) / 216.0;
        chart.point((at, expected), 4.0, ink::GOLD, &format!("{expected:.1} expected"));
    }
    chart.svg()
}

fn course_of(course: &[(u64, f64)]) -> String {
    let last = course.last().map_or(1, |(throws, _)| *throws);
    let most = course.iter().map(|(_, value)| *value).fold(1_000.0, f64::max).min(1e30);
    let least = course.iter().map(|(_, value)| *value).fold(0.1, f64::min).max(1e-6);
    let x = Axis::even("Throws", 0.0, count(last), thousands);
    let y =
        Axis::powers(
            "Evidence",
            least,
            most,
            |value| if value >= 1e6 { format!("{value:.0e}") } else { format!("{value}") },
        );
    let mut chart = Chart::new("Evidence throw by throw", (460.0, 300.0), x, y);
    for (_, from) in DiceVerdict::FROM {
        chart.mark(None, Some(from), ink::GOLD);
    }
    chart.line(course.iter().map(|(throws, value)| (count(*throws), *value)), ink::WINE, "");
    chart.svg()
}
