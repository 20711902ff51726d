//! Dice watch: takes one throw at a time and says at any moment whether the dice look fair. Chi-square tests answer once, for a
//! number of throws fixed beforehand; the evidence by e-values may be looked at after every throw.
//!
//! All tests are the same whatever the order in which the three dice of a throw are read.

#![expect(clippy::float_arithmetic, reason = "chances of test statistics")]

mod evidence;
mod power;
mod report;
mod verdict;

use taisai_rules::Dice;

pub use evidence::{DiceEvidence, EvidenceKind};
pub use power::{Power, power_table};
pub use report::page;
pub use verdict::DiceVerdict;

use crate::real::count;
use crate::tails::chi_square_tail;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquareTest {
    pub statistic: f64,
    /// Its degrees of freedom.
    pub freedom: u32,
    /// The chance of one as large, with fair dice.
    pub chance: f64,
}

impl ChiSquareTest {
    fn new(statistic: f64, freedom: u32) -> Self {
        Self { statistic, freedom, chance: chi_square_tail(statistic, freedom) }
    }

    /// The chance as people read it.
    pub fn shown_chance(&self) -> String {
        if self.chance < 0.0001 { "below 0.0001".to_owned() } else { format!("{:.4}", self.chance) }
    }
}

/// A watch over the dice of a table.
#[derive(Clone, Debug)]
pub struct DiceWatch {
    throws: u64,
    faces: [u64; 6],
    sums: [u64; 16],
    last: Option<[f64; 6]>,
    /// How often a face came together with one of the next throw, both measured from what is expected.
    serial: [[f64; 6]; 6],
    evidence: DiceEvidence,
}

impl Default for DiceWatch {
    fn default() -> Self {
        Self::new()
    }
}

/// The ways of 216 of each Total Sum, from 3 on.
pub const SUM_WAYS: [u64; 16] = [1, 3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3, 1];

/// The test of faces needs this many throws: each face is then expected five times.
pub const LEAST_BY_FACE: u64 = 10;
/// The test of Total Sums needs this many throws: the rarest is then expected five times.
pub const LEAST_BY_SUM: u64 = 5 * 216;
/// The test of dependence needs this many throws: every two faces are then expected in a row 125 times, and as pairs of dice
/// in a row, which weigh most, more than twice.
pub const LEAST_SERIAL: u64 = 500;

impl DiceWatch {
    /// A watch that has seen nothing.
    pub fn new() -> Self {
        Self {
            throws: 0,
            faces: [0; 6],
            sums: [0; 16],
            last: None,
            serial: [[0.0; 6]; 6],
            evidence: DiceEvidence::new(),
        }
    }

    /// Takes in a throw.
    ///
    /// ```
    /// use taisai_analysis::DiceWatch;
    /// let mut watch = DiceWatch::new();
    /// for _ in 0..100 {
    ///     watch.add("6 6 5".parse().unwrap());
    /// }
    /// assert!(watch.evidence().value() > 1e20, "no fair dice");
    /// ```
    pub fn add(&mut self, dice: Dice) {
        let mut own = [0u8; 6];
        for face in dice.faces() {
            own[usize::from(face.number()) - 1] += 1;
        }
        self.evidence.add(own, dice.total_sum());
        self.throws += 1;
        for (face, own) in self.faces.iter_mut().zip(own) {
            *face += u64::from(own);
        }
        self.sums[usize::from(dice.total_sum()) - 3] += 1;
        let from_half = own.map(|own| f64::from(own) - 0.5);
        if let Some(last) = self.last.replace(from_half) {
            for (row, last) in self.serial.iter_mut().zip(last) {
                for (cell, own) in row.iter_mut().zip(from_half) {
                    *cell += last * own;
                }
            }
        }
    }

    pub const fn throws(&self) -> u64 {
        self.throws
    }

    /// How often each face came, over all three dice.
    pub const fn faces(&self) -> &[u64; 6] {
        &self.faces
    }

    /// How often each Total Sum came, from 3 on.
    pub const fn sums(&self) -> &[u64; 16] {
        &self.sums
    }

    /// What speaks against fair dice, at any moment.
    pub const fn evidence(&self) -> &DiceEvidence {
        &self.evidence
    }

    /// What is to be done about the dice, by the most that the evidence has been.
    pub fn verdict(&self) -> DiceVerdict {
        DiceVerdict::of(self.evidence.highest())
    }

    /// Whether the faces come equally often; none before [`LEAST_BY_FACE`] throws.
    pub fn by_face(&self) -> Option<ChiSquareTest> {
        let expected = count(self.throws) / 2.0;
        let statistic = self.faces.iter().map(|face| (count(*face) - expected).powi(2) / expected).sum();
        (self.throws >= LEAST_BY_FACE).then(|| ChiSquareTest::new(statistic, 5))
    }

    /// Whether the Total Sums come as often as they should; none before [`LEAST_BY_SUM`] throws.
    pub fn by_sum(&self) -> Option<ChiSquareTest> {
        let expected = SUM_WAYS.map(|ways| count(self.throws * ways) / 216.0);
        let parts = self.sums.iter().zip(expected).map(|(sum, expected)| (count(*sum) - expected).powi(2) / expected);
        let statistic = parts.sum();
        (self.throws >= LEAST_BY_SUM).then(|| ChiSquareTest::new(statistic, 15))
    }

    /// Whether a throw depends on the one before it; none before [`LEAST_SERIAL`] throws. Under fair dice the counts of a throw,
    /// measured from a half, have covariance one half on five dimensions, so that over n pairs of throws the sum of squares of
    /// their products, over n/4, is chi-square with 25 degrees of freedom.
    pub fn serial(&self) -> Option<ChiSquareTest> {
        let pairs = count(self.throws.checked_sub(1)?);
        let squares: f64 = self.serial.iter().flatten().map(|cell| cell * cell).sum();
        (self.throws >= LEAST_SERIAL).then(|| ChiSquareTest::new(squares / (pairs / 4.0), 25))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Throws;

    fn watched(throws: impl Iterator<Item = Dice>) -> DiceWatch {
        let mut watch = DiceWatch::new();
        throws.for_each(|dice| watch.add(dice));
        watch
    }

    #[test]
    fn fair_dice_pass_and_the_tests_have_their_size() {
        let mut small = [0u32; 3];
        for part in 0..200 {
            let watch = watched(Throws::of(11, part).take(1_100));
            let tests = [watch.by_face(), watch.by_sum(), watch.serial()].map(|test| test.unwrap().chance);
            for (small, chance) in small.iter_mut().zip(tests) {
                *small += u32::from(chance < 0.05);
            }
            assert!(watch.evidence().highest() < 400.0, "part {part}");
        }
        // Of 200, ten are expected below 5 %.
        assert!(small.iter().all(|small| (2..24).contains(small)), "{small:?}");
    }

    #[test]
    fn evidence_is_seldom_large_with_fair_dice_whenever_one_looks() {
        let met = (0..500).filter(|part| watched(Throws::of(3, *part).take(300)).evidence().highest() >= 20.0).count();
        assert!(met <= 25, "at most one in twenty: {met} of 500");
    }

    #[test]
    fn the_order_of_the_dice_does_not_matter() {
        let turned = |dice: Dice| {
            let [a, b, c] = dice.faces();
            Dice::from([c, a, b])
        };
        let (one, other) = (watched(Throws::of(1, 1).take(500)), watched(Throws::of(1, 1).take(500).map(turned)));
        assert_eq!((one.by_face(), one.by_sum()), (other.by_face(), other.by_sum()));
        assert_eq!((one.serial(), one.evidence().value()), (other.serial(), other.evidence().value()));
    }

    #[test]
    fn loaded_dice_and_dice_that_repeat_are_found() {
        let mut chance = crate::chance::SplitMix64::of(5, 5);
        let loaded = (0..3_000).map(|_| {
            let face = |number: u64| u8::try_from(if number > 6 { 6 } else { number }).unwrap();
            // Two chances in eight for a six in place of one in six.
            Dice::try_from([(); 3].map(|()| face(1 + chance.below(7)))).unwrap()
        });
        let watch = watched(loaded);
        assert!(watch.by_face().unwrap().chance < 1e-6 && watch.evidence().value() > 1e6);
        let sticky = Throws::of(2, 2).take(3_000).flat_map(|dice| [dice, dice]);
        let watch = watched(sticky);
        assert!(watch.serial().unwrap().chance < 1e-9, "{:?}", watch.serial());
        assert!(watch.evidence().value() > 1e6, "{}", watch.evidence().value());
    }

    #[test]
    fn ways_of_sums_are_those_of_the_throws() {
        let mut ways = [0; 16];
        Dice::all().for_each(|dice| ways[usize::from(dice.total_sum()) - 3] += 1);
        assert_eq!(ways, SUM_WAYS);
    }

    #[test]
    fn too_few_throws_have_no_test() {
        for (throws, expected) in [
            (9, [false, false, false]),
            (10, [true, false, false]),
            (499, [true, false, false]),
            (500, [true, false, true]),
            (1_079, [true, false, true]),
            (1_080, [true, true, true]),
        ] {
            let watch = watched(Throws::of(1, 1).take(throws));
            let tests = [watch.by_face(), watch.by_sum(), watch.serial()];
            assert_eq!(tests.map(|test| test.is_some()), expected, "{throws} throws");
        }
        assert_eq!(DiceWatch::new().serial(), None);
    }
}
