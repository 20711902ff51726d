//! Pictures of figures as SVG: two axes, and bars, lines, bands and points between them. Knows no game and no file; a picture
//! is whole by itself, with its own colours, and needs no script.

#![expect(clippy::float_arithmetic, reason = "places in a picture")]

mod axis;

use std::fmt::Write as _;

pub use axis::{Axis, Scale};

/// The colours, dark enough for print.
pub mod ink {
    /// Words and axes.
    pub const TEXT: &str = "#2b2a28";
    /// What is of less weight.
    pub const QUIET: &str = "#77716a";
    /// Lines of the grid.
    pub const GRID: &str = "#e6e0d6";
    /// The felt of a live table.
    pub const WINE: &str = "#7d2038";
    /// The felt of terminals.
    pub const GREEN: &str = "#19694a";
    /// What is expected.
    pub const GOLD: &str = "#b58a2b";
    /// What is below zero or lost.
    pub const BLUE: &str = "#35618e";
}

const FONT: &str = "'Source Sans 3','Noto Sans','Segoe UI',Helvetica,Arial,sans-serif";
const LEFT: f64 = 62.0;
const RIGHT: f64 = 34.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;

/// A picture with two axes.
pub struct Chart {
    title: String,
    width: f64,
    height: f64,
    left: f64,
    x: Axis,
    y: Axis,
    body: String,
}

impl Chart {
    /// An empty picture. The title is for those who cannot see it.
    pub fn new(title: &str, (width, height): (f64, f64), x: Axis, y: Axis) -> Self {
        let longest = y.labels().map(|label| label.chars().count()).max().unwrap_or(0);
        let left = f64::max(LEFT, 26.0 + 6.6 * crate::real::size(longest));
        Self { title: title.to_owned(), width, height, left, x, y, body: String::new() }
    }

    fn across(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (self.width - self.left - RIGHT)
    }

    fn down(&self, value: f64) -> f64 {
        TOP + (1.0 - self.y.place(value)) * (self.height - TOP - BOTTOM)
    }

    fn draw(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// A bar from the foot of the picture, or from zero.
    pub fn bar(&mut self, (from, to): (f64, f64), height: f64, colour: &str, words: &str) {
        let (left, right) = (self.across(from), self.across(to));
        let (foot, head) = (self.down(self.y.foot()), self.down(height));
        let (top, tall) = (f64::min(foot, head), (foot - head).abs());
        let words = escape(words);
        let wide = (right - left).max(0.6);
        self.draw(&format!(
            r#"<rect x="{left:.2}" y="{top:.2}" width="{wide:.2}" height="{tall:.2}" fill="{colour}"><title>{words}</title></rect>"#
        ));
    }

    /// A bar along a line of the picture, from the left.
    pub fn row(&mut self, at: f64, to: f64, colour: &str, words: &str) {
        let (start, end, middle) = (self.across(self.x.foot()), self.across(to), self.down(at));
        let (left, wide, words) = (f64::min(start, end), (end - start).abs(), escape(words));
        let tall = 0.66 * (self.down(at - 0.5) - self.down(at + 0.5)).abs();
        let top = middle - tall / 2.0;
        self.draw(&format!(
            r#"<rect x="{left:.2}" y="{top:.2}" width="{wide:.2}" height="{tall:.2}" rx="1.5" fill="{colour}"><title>{words}</title></rect>"#
        ));
        let (x, y, quiet) = (end + 5.0, middle + 3.5, ink::QUIET);
        self.draw(&format!(r#"<text x="{x:.1}" y="{y:.1}" font-size="10.5" fill="{quiet}">{words}</text>"#));
    }

    /// A line through points.
    pub fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, colour: &str, dash: &str) {
        let path = self.path(points);
        self.draw(&format!(
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}" stroke-linejoin="round"/>"#
        ));
    }

    /// What lies between two lines, each through points from left to right.
    pub fn band(&mut self, low: &[(f64, f64)], high: &[(f64, f64)], colour: &str) {
        let path = self.path(low.iter().copied().chain(high.iter().rev().copied()));
        self.draw(&format!(r#"<path d="{path}Z" fill="{colour}" fill-opacity=".16"/>"#));
    }

    fn path(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let step = if path.is_empty() { 'M' } else { 'L' };
            write!(path, "{step}{:.2} {:.2}", self.across(x), self.down(y)).expect("a String takes every text");
        }
        path
    }

    /// A point, with words that show when it is pointed at.
    pub fn point(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, words: &str) {
        let (x, y, words) = (self.across(x), self.down(y), escape(words));
        self.draw(&format!(
            r##"<circle cx="{x:.2}" cy="{y:.2}" r="{radius}" fill="{colour}" fill-opacity=".8" stroke="#fff" stroke-width=".8"><title>{words}</title></circle>"##
        ));
    }

    /// Words beside a place.
    pub fn words(&mut self, (x, y): (f64, f64), (right, up): (f64, f64), colour: &str, words: &str) {
        let (x, y, words) = (self.across(x) + right, self.down(y) - up, escape(words));
        let anchor = if right < 0.0 { "end" } else { "start" };
        self.draw(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="11" text-anchor="{anchor}" fill="{colour}">{words}</text>"#
        ));
    }

    /// A line across at a height, or down at a place.
    pub fn mark(&mut self, x: Option<f64>, y: Option<f64>, colour: &str) {
        let across = x.map_or((self.left, self.width - RIGHT), |x| (self.across(x), self.across(x)));
        let down = y.map_or((TOP, self.height - BOTTOM), |y| (self.down(y), self.down(y)));
        let (x1, x2, y1, y2) = (across.0, across.1, down.0, down.1);
        self.draw(&format!(
            r#"<path d="M{x1:.2} {y1:.2}L{x2:.2} {y2:.2}" stroke="{colour}" stroke-width="1.2" stroke-dasharray="5 4"/>"#
        ));
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let (width, height, title, text) = (self.width, self.height, escape(&self.title), ink::TEXT);
        let mut frame = String::new();
        for (place, label) in self.x.ticks() {
            let (x, foot) = (self.left + place * (self.width - self.left - RIGHT), self.height - BOTTOM);
            let (grid, y, label) = (ink::GRID, foot + 16.0, escape(label));
            writeln!(
                frame,
                r#"<path d="M{x:.2} {TOP}V{foot}" stroke="{grid}"/><text x="{x:.1}" y="{y}" text-anchor="middle">{label}</text>"#
            )
            .expect("a String takes every text");
        }
        for (place, label) in self.y.ticks() {
            let y = TOP + (1.0 - place) * (self.height - TOP - BOTTOM);
            let (grid, left, right, label) = (ink::GRID, self.left, self.width - RIGHT, escape(label));
            let (x, baseline) = (left - 7.0, y + 3.8);
            let line = if self.y.has_names() {
                String::new()
            } else {
                format!(r#"<path d="M{left} {y:.2}H{right}" stroke="{grid}"/>"#)
            };
            writeln!(frame, r#"{line}<text x="{x}" y="{baseline:.1}" text-anchor="end">{label}</text>"#)
                .expect("a String takes every text");
        }
        let (middle, foot) = (f64::midpoint(self.left, self.width - RIGHT), self.height - 9.0);
        let (x_name, y_name, quiet) = (escape(self.x.name()), escape(self.y.name()), ink::QUIET);
        let centre = f64::midpoint(TOP, self.height - BOTTOM);
        let body = &self.body;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{title}" font-family="{FONT}" font-size="11" fill="{text}">
<title>{title}</title>
{frame}<text x="{middle:.1}" y="{foot:.1}" text-anchor="middle" fill="{quiet}">{x_name}</text>
<text transform="translate(13 {centre:.1}) rotate(-90)" text-anchor="middle" fill="{quiet}">{y_name}</text>
{body}</svg>
"#
        )
    }
}

/// Text as it may stand in a picture or a page.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
