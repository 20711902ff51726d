//! The par sheet of a layout: everything a regulator wants to know about a pay table, from the same outcomes that settle bets, with the
//! hashes of the program, the game's file and the rules it comes from. The same program and file give the same bytes.

mod compare;
mod draw;
mod html;

use std::fmt::Write as _;

use serde::Serialize;
use taisai_rules::{Dice, Fraction, Game, Language, Layout, Outcome};

use crate::figures::BoxFigures;
use crate::layout_figures::{Confidence, Family, LayoutFigures};
use crate::real::{decimals, percent, root_decimals};

pub use compare::index;

/// The rounds after which bands are given.
pub const BAND_ROUNDS: [u32; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// The program that makes a sheet.
#[derive(Clone, Debug)]
pub struct Maker {
    /// Its name and version.
    pub name: String,
    /// The hash of its file, in hexadecimal.
    pub hash: String,
}

pub struct ParSheet<'g> {
    game: &'g Game,
    layout: &'g Layout,
    figures: LayoutFigures,
    maker: &'g Maker,
}

impl<'g> ParSheet<'g> {
    pub fn new(game: &'g Game, layout: &'g Layout, maker: &'g Maker) -> Self {
        Self { game, layout, figures: LayoutFigures::of(layout), maker }
    }

    pub const fn figures(&self) -> &LayoutFigures {
        &self.figures
    }

    /// What the sheet is of, as a name for a file: `tai-sai-6-A`.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.game.id(), self.game.version(), self.layout.id())
    }

    /// The game, its version and the layout, as commands name them.
    fn place(&self) -> String {
        format!("{}@{} layout {}", self.game.id(), self.game.version(), self.layout.id())
    }

    /// The hash of the game's file, as a record names it.
    pub fn file_hash(&self) -> String {
        blake3::hash(self.game.file().as_bytes()).to_hex().to_string()
    }

    /// The hash of the rules themselves: every box with its odds and its outcome on each of the 216 throws. Two layouts with
    /// the same hash pay the same, whatever their files say beside it.
    pub fn rules_hash(&self) -> String {
        rules_hash(self.layout)
    }

    /// The sheet as a page.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The lines of the sheet for programs, exact numbers as fractions.
    pub fn lines(&self) -> impl Iterator<Item = ParLine> {
        self.figures.boxes.iter().map(|figures| ParLine::new(self.game, figures))
    }

    /// The whole sheet for programs.
    pub fn document(&self) -> ParDocument<'_> {
        let average = self.figures.average_edge();
        ParDocument {
            game: self.game.id(),
            version: self.game.version(),
            source: self.game.document(),
            layout: self.layout.id(),
            pay_table: self.layout.title(),
            program: &self.maker.name,
            program_hash: &self.maker.hash,
            file_hash: self.file_hash(),
            rules_hash: self.rules_hash(),
            average_edge: decimals(average, DECIMALS),
            average_edge_exact: average.to_string(),
            boxes: self.lines().collect(),
            bands: self.figures.families.iter().flat_map(bands).collect(),
        }
    }

    /// The lines for a spreadsheet, as RFC 4180 has it.
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "box,bet,ways,of,hit_frequency,hit_frequency_exact,pays_to_one,returns_for_one,edge,edge_exact,\
             expected_return_for_one,expected_return_for_one_exact,variance,variance_exact,standard_deviation,skewness,\
             volatility_index\r\n",
        );
        for line in self.lines() {
            let ParLine { bet_box, bet, ways, of, hit_frequency, hit_frequency_exact, edge, edge_exact, .. } = &line;
            let ParLine { pays_to_one, returns_for_one, expected_return_for_one, variance, variance_exact, .. } = &line;
            let ParLine { expected_return_for_one_exact, standard_deviation, skewness, volatility_index, .. } = &line;
            let (to_one, for_one) = (pays_to_one.join("; "), returns_for_one.join("; "));
            write!(
                text,
                "{bet_box},\"{bet}\",{ways},{of},{hit_frequency},{hit_frequency_exact},{to_one},{for_one},{edge},{edge_exact},\
                 {expected_return_for_one},{expected_return_for_one_exact},{variance},{variance_exact},\
                 {standard_deviation},{skewness},{volatility_index}\r\n"
            )
            .expect("a String takes every text");
        }
        text
    }
}

/// The hash of every box of a layout with its odds and outcomes.
fn rules_hash(layout: &Layout) -> String {
    let mut hasher = blake3::Hasher::new();
    for bet_box in layout.boxes() {
        hasher.update(bet_box.text().as_bytes());
        for dice in Dice::all() {
            let outcome = match layout.outcome(*bet_box, dice) {
                Some(Outcome::Won(odds)) => format!(" {odds}"),
                Some(Outcome::Lost) | None => " -".to_owned(),
                Some(Outcome::LostToTriple) => " t".to_owned(),
            };
            hasher.update(outcome.as_bytes());
        }
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

/// A sheet for programs.
#[derive(Serialize)]
pub struct ParDocument<'a> {
    game: &'a str,
    version: u32,
    #[serde(rename = "document")]
    source: &'a str,
    layout: &'a str,
    pay_table: &'a str,
    program: &'a str,
    program_hash: &'a str,
    file_hash: String,
    rules_hash: String,
    average_edge: String,
    average_edge_exact: String,
    boxes: Vec<ParLine>,
    bands: Vec<BandLine>,
}

/// The decimals beside exact figures.
const DECIMALS: u32 = 6;

/// A box for programs: decimals, and beside them what is exact as fractions in lowest terms.
#[derive(Clone, Debug, Serialize)]
pub struct ParLine {
    #[serde(rename = "box")]
    pub bet_box: &'static str,
    /// Its English label.
    pub bet: String,
    /// How many throws win.
    pub ways: u8,
    pub of: u8,
    /// How often it wins.
    pub hit_frequency: String,
    /// The same exactly.
    pub hit_frequency_exact: String,
    /// What a win pays to one, by the number of dice where that matters.
    pub pays_to_one: Vec<String>,
    /// What a win returns for one, the stake included.
    pub returns_for_one: Vec<String>,
    /// What the House keeps of one on average.
    pub edge: String,
    /// The same exactly.
    pub edge_exact: String,
    /// What comes back for one on average.
    pub expected_return_for_one: String,
    /// The same exactly.
    pub expected_return_for_one_exact: String,
    /// The variance of the net result of a stake of one.
    pub variance: String,
    /// The same exactly.
    pub variance_exact: String,
    /// Its square root.
    pub standard_deviation: String,
    /// The skewness of the net result.
    pub skewness: String,
    /// 1.645 standard deviations.
    pub volatility_index: String,
}

impl ParLine {
    fn new(game: &Game, figures: &BoxFigures) -> Self {
        let index = Fraction::new(
            figures.variance.numerator() * VOLATILITY_SQUARED.0,
            figures.variance.denominator() * VOLATILITY_SQUARED.1,
        );
        Self {
            bet_box: figures.bet_box.text(),
            bet: game.label(figures.bet_box, Language::English),
            ways: figures.ways,
            of: Dice::THROWS,
            hit_frequency: decimals(figures.hit_frequency(), DECIMALS),
            hit_frequency_exact: figures.hit_frequency().to_string(),
            pays_to_one: figures.wins.iter().map(|win| win.pays.fraction().to_string()).collect(),
            returns_for_one: figures.wins.iter().map(|win| win.pays.for_one().fraction().to_string()).collect(),
            edge: decimals(figures.edge, DECIMALS),
            edge_exact: figures.edge.to_string(),
            expected_return_for_one: decimals(figures.expected_return().fraction(), DECIMALS),
            expected_return_for_one_exact: figures.expected_return().fraction().to_string(),
            variance: decimals(figures.variance, DECIMALS),
            variance_exact: figures.variance.to_string(),
            standard_deviation: root_decimals(figures.variance, 4),
            skewness: format!("{:.4}", figures.skewness()),
            volatility_index: root_decimals(index, 4),
        }
    }
}

/// The square of 1.644854 as a fraction.
const VOLATILITY_SQUARED: (i128, i128) = (2_705_543, 1_000_000);

/// A band for programs.
#[derive(Serialize)]
struct BandLine {
    boxes: Vec<&'static str>,
    rounds: u32,
    confidence: &'static str,
    exact: bool,
    return_for_one_low: f64,
    return_for_one_high: f64,
}

fn bands(family: &Family) -> Vec<BandLine> {
    let each = BAND_ROUNDS.iter().flat_map(|rounds| Confidence::ALL.map(|confidence| (*rounds, confidence)));
    let line = |(rounds, confidence)| {
        let band = family.band(rounds, confidence).ok()?;
        Some(BandLine {
            boxes: family.boxes.iter().map(|bet_box| bet_box.text()).collect(),
            rounds,
            confidence: Confidence::text(confidence),
            exact: band.is_exact,
            return_for_one_low: band.low,
            return_for_one_high: band.high,
        })
    };
    each.filter_map(line).collect()
}

/// An edge as people read it.
fn edge_percent(edge: Fraction) -> String {
    percent(edge, 3)
}
