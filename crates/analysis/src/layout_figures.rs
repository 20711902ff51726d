//! The exact figures of a whole layout: every box, the families of boxes that pay alike, the layout's totals, and the bands
//! within which the return of a box stays after many rounds.

#![expect(clippy::float_arithmetic, reason = "bands are shown, never paid")]

use taisai_rules::{BetBox, BoxKind, Fraction, Layout, Money};

use crate::figures::BoxFigures;
use crate::real::{real, whole};
use crate::rounds::TooWide;
use crate::slip::{PlayerSlip, Spread};

/// A stake that pays whole cents at all odds that a pay table may print.
pub(crate) const STAKE: Money = Money::from_cents(10_000);

/// Up to this many rounds, bands are exact; above, they come from the normal distribution.
pub const EXACT_ROUNDS: u32 = 10_000;

/// The confidence of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Nine of ten.
    Ninety,
    /// Nineteen of twenty.
    NinetyFive,
    /// Ninety-nine of a hundred.
    NinetyNine,
}

impl Confidence {
    pub const ALL: [Self; 3] = [Self::Ninety, Self::NinetyFive, Self::NinetyNine];

    /// The chance of lying outside the band.
    pub const fn outside(self) -> f64 {
        match self {
            Self::Ninety => 0.1,
            Self::NinetyFive => 0.05,
            Self::NinetyNine => 0.01,
        }
    }

    /// How many standard deviations the band of a normal distribution reaches to each side.
    pub const fn deviations(self) -> f64 {
        match self {
            Self::Ninety => 1.644_853_626_951_472_7,
            Self::NinetyFive => 1.959_963_984_540_054,
            Self::NinetyNine => 2.575_829_303_548_901,
        }
    }

    pub const fn text(self) -> &'static str {
        match self {
            Self::Ninety => "90 %",
            Self::NinetyFive => "95 %",
            Self::NinetyNine => "99 %",
        }
    }
}

/// Where the average return for one of many rounds lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub low: f64,
    pub high: f64,
    /// Whether it comes from the exact distribution.
    pub is_exact: bool,
}

/// Boxes of a kind that pay alike.
#[derive(Clone, Debug)]
pub struct Family {
    /// The boxes, in the order of the notation.
    pub boxes: Vec<BetBox>,
    pub figures: BoxFigures,
    spread: Spread,
}

impl Family {
    /// The boxes in words: each, or the first and the last of many.
    pub fn text(&self) -> String {
        match &self.boxes[..] {
            [first, .., last] if self.boxes.len() > 3 => format!("{first} … {last}"),
            few => few.iter().map(|bet_box| bet_box.text()).collect::<Vec<_>>().join(", "),
        }
    }

    /// The volatility index: how many stakes the result of one round may be from its mean in nine of ten cases, 1.645 standard
    /// deviations. Over its square root of rounds it is the half width of the band of the return.
    pub fn volatility_index(&self) -> f64 {
        Confidence::Ninety.deviations() * self.figures.standard_deviation()
    }

    /// The band of the average return for one after this many rounds with the same stake.
    pub fn band(&self, rounds: u32, confidence: Confidence) -> Result<Band, TooWide> {
        if rounds == 0 || rounds > EXACT_ROUNDS {
            return self.normal_band(rounds, confidence);
        }
        let (low, high) = self.spread.after(rounds)?.band(confidence.outside());
        let all = f64::from(rounds) * whole(STAKE.cents().into());
        Ok(Band { low: 1.0 + whole(low) / all, high: 1.0 + whole(high) / all, is_exact: true })
    }

    fn normal_band(&self, rounds: u32, confidence: Confidence) -> Result<Band, TooWide> {
        if rounds == 0 {
            return Err(TooWide::Rounds(0));
        }
        let mean = real(self.figures.expected_return().fraction());
        let half = confidence.deviations() * self.figures.standard_deviation() / f64::from(rounds).sqrt();
        Ok(Band { low: mean - half, high: mean + half, is_exact: false })
    }
}

#[derive(Clone, Debug)]
pub struct LayoutFigures {
    /// Of every box, in the order of the notation.
    pub boxes: Vec<BoxFigures>,
    /// Of the boxes that pay alike, in the order of their first box.
    pub families: Vec<Family>,
    /// The result of the same stake on every box.
    pub whole_felt: Spread,
}

impl LayoutFigures {
    /// The figures of a layout.
    ///
    /// ```
    /// use taisai_analysis::LayoutFigures;
    /// let layout = taisai_rules::Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let figures = LayoutFigures::of(layout);
    /// assert_eq!((figures.boxes.len(), figures.average_edge().to_string()), (50, "2/25".to_owned()));
    /// ```
    ///
    /// # Panics
    /// Never: a layout has boxes, and pays a hundred whole on each.
    pub fn of(layout: &Layout) -> Self {
        let boxes: Vec<_> = layout.boxes().iter().filter_map(|bet_box| BoxFigures::of(layout, *bet_box)).collect();
        let slip = |boxes: &mut dyn Iterator<Item = BetBox>| {
            PlayerSlip::new(layout, boxes.map(|bet_box| (bet_box, STAKE)))
                .expect("boxes of the layout, and a whole stake")
        };
        let mut families: Vec<Family> = Vec::new();
        for figures in &boxes {
            match families.iter_mut().find(|family| family.figures.is_like(figures)) {
                Some(family) => family.boxes.push(figures.bet_box),
                None => families.push(Family {
                    boxes: vec![figures.bet_box],
                    figures: figures.clone(),
                    spread: slip(&mut [figures.bet_box].into_iter()).spread(),
                }),
            }
        }
        let whole_felt = slip(&mut layout.boxes().iter().copied()).spread();
        Self { boxes, families, whole_felt }
    }

    /// The edge on the same stake on every box: the mean of all edges.
    pub fn average_edge(&self) -> Fraction {
        let all = i128::try_from(self.boxes.len()).unwrap_or(1) * i128::from(STAKE.cents());
        let mean = self.whole_felt.mean();
        Fraction::new(-mean.numerator(), mean.denominator() * all)
    }

    /// The families with the lowest and the highest edge.
    ///
    /// # Panics
    /// Never: a layout has boxes.
    pub fn ends(&self) -> (&Family, &Family) {
        let by_edge = |a: &&Family, b: &&Family| less(a.figures.edge, b.figures.edge);
        let low = self.families.iter().min_by(by_edge).expect("a layout has boxes");
        (low, self.families.iter().max_by(by_edge).expect("a layout has boxes"))
    }

    /// For each kind on the layout: its boxes, the lowest and the highest edge among them.
    pub fn kinds(&self) -> Vec<(BoxKind, usize, Fraction, Fraction)> {
        let mut kinds: Vec<(BoxKind, usize, Fraction, Fraction)> = Vec::new();
        for BoxFigures { bet_box, edge, .. } in &self.boxes {
            match kinds.iter_mut().find(|(kind, ..)| *kind == bet_box.kind()) {
                Some((_, boxes, low, high)) => {
                    *boxes += 1;
                    *low = if less(*edge, *low).is_lt() { *edge } else { *low };
                    *high = if less(*edge, *high).is_gt() { *edge } else { *high };
                }
                None => kinds.push((bet_box.kind(), 1, *edge, *edge)),
            }
        }
        kinds
    }
}

/// Fractions in their order. Those of a layout are small enough to be multiplied.
pub(crate) fn less(a: Fraction, b: Fraction) -> std::cmp::Ordering {
    (a.numerator() * b.denominator()).cmp(&(b.numerator() * a.denominator()))
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    fn figures() -> LayoutFigures {
        LayoutFigures::of(Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap())
    }

    #[test]
    fn families_hold_every_box_once() {
        let figures = figures();
        assert_eq!(figures.families.iter().map(|family| family.boxes.len()).sum::<usize>(), figures.boxes.len());
        let texts: Vec<_> = figures.families.iter().map(Family::text).collect();
        assert!(texts.contains(&"sum:4, sum:17".to_owned()), "{texts:?}");
        assert!(texts.contains(&"domino:12 … domino:56".to_owned()), "{texts:?}");
    }

    #[test]
    fn an_exact_band_tends_to_the_normal_one_and_is_not_it() {
        let figures = figures();
        let big = figures.families.iter().find(|family| family.boxes.contains(&BetBox::BIG)).unwrap();
        let exact = big.band(EXACT_ROUNDS, Confidence::NinetyFive).unwrap();
        let normal = big.normal_band(EXACT_ROUNDS, Confidence::NinetyFive).unwrap();
        assert!(exact.is_exact && !normal.is_exact);
        assert!(
            (exact.low - normal.low).abs() < 5e-4 && (exact.high - normal.high).abs() < 5e-4,
            "{exact:?} {normal:?}"
        );
        // A triple in a hundred rounds: the lower end cannot be below nothing back, where the normal band is.
        let triple = figures.families.iter().find(|family| family.boxes[0].kind() == BoxKind::Triple).unwrap();
        let exact = triple.band(100, Confidence::NinetyFive).unwrap();
        assert!(exact.low == 0.0 && triple.normal_band(100, Confidence::NinetyFive).unwrap().low < 0.0, "{exact:?}");
        assert_eq!(big.band(0, Confidence::Ninety), Err(TooWide::Rounds(0)));
    }

    #[test]
    fn the_ends_are_those_of_the_document() {
        let figures = figures();
        let (low, high) = figures.ends();
        assert_eq!((low.figures.edge.to_string(), low.boxes[0]), ("1/36".to_owned(), BetBox::SMALL));
        assert!(figures.boxes.iter().all(|figures| less(figures.edge, high.figures.edge).is_le()));
    }
}
