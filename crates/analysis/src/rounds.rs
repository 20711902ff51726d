//! The net result of the same slip over many rounds: the one-round distribution convolved with itself, with a proven bound on
//! how far any probability may be from the exact one.
//!
//! The result of N rounds is N·a + g·K, where K adds up N whole numbers. Its characteristic function is the N-th power of that
//! of one round, and an inverse transform over a window of M places gives its probabilities. Four errors are added up:
//! 1. what lies outside the window, bounded by Chernoff's inequality on both sides (none if the window holds every result);
//! 2. the rounding of the one-round characteristic function and of its power, place by place: |ẑᴺ − zᴺ| ≤ N·(δ + 3u)·rᴺ⁻¹
//!    with r = |ẑ| + δ; each probability then errs by at most the mean over the places. As |z| changes by at most the standard
//!    deviation of K a radian, whole stretches are known to have powers below 10⁻⁴⁰: they are left out;
//! 3. the rounding of the transform (see `fourier`), at most √M times its length over any set of places;
//! 4. the rounding of sums over the window.

#![expect(clippy::float_arithmetic, reason = "probabilities, with a bound on every rounding")]

use taisai_rules::{Fraction, Money};

use crate::fourier::{Circle, POINT_ERROR, ROUNDOFF, product};
use crate::real::{floor, real, size, whole};
use crate::slip::Spread;

pub const MAX_ROUNDS: u32 = 10_000_000;
/// The largest window, as a power of two.
const MAX_BITS: u32 = 22;
/// What may lie outside the window.
const OUTSIDE: f64 = 1e-13;
/// The largest problem: places of the window times the results of all different rounds.
const MAX_SIZE: u128 = 1 << 32;
/// A second or two of work: results visited at all places, where most stop early. One slip, with 56 results at most, never
/// reaches it.
const MAX_WORK: usize = 1 << 27;
/// At how many places the work is estimated beforehand.
const SAMPLE: usize = 256;
/// Smaller powers are left out.
const NEGLIGIBLE: f64 = 1e-40;

/// Why a distribution over many rounds cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooWide {
    #[error("rounds are from 1 to {MAX_ROUNDS}, not {0}")]
    Rounds(u32),
    /// The results lie too far apart for their common step.
    #[error("results lie too far apart for steps of {0}: take fewer rounds, or stakes with a larger common measure")]
    Step(Money),
    /// Too many different rounds over too wide a range.
    #[error("there are too many different rounds to go through: take fewer, or stakes with a larger common measure")]
    Work,
}

/// The distribution of the net result of many rounds.
#[derive(Clone, Debug)]
pub struct Distribution {
    rounds: u32,
    /// The result at the first place, in cents.
    start: i128,
    /// What lies between two places, in cents.
    step: i64,
    probabilities: Vec<f64>,
    /// The probabilities up to and with each place.
    cumulated: Vec<f64>,
    error: f64,
    mean: Fraction,
    variance: Fraction,
}

/// One kind of round on the lattice: its places, ascending from 0, with their chances, and how often it is played.
struct RoundKind {
    places: Vec<(usize, f64)>,
    times: u32,
    /// The mean of K in one round.
    mean: f64,
    /// Its standard deviation.
    deviation: f64,
}

impl RoundKind {
    fn new(places: Vec<(usize, f64)>, times: u32) -> Self {
        let mean: f64 = places.iter().map(|(place, chance)| chance * size(*place)).sum();
        let variance: f64 = places.iter().map(|(place, chance)| chance * (size(*place) - mean).powi(2)).sum();
        Self { places, times, mean, deviation: variance.sqrt() }
    }
}

/// All rounds on one lattice: their sum is `first` + `step`·K.
struct Lattice {
    first: i128,
    step: i64,
    parts: Vec<RoundKind>,
    /// The mean of K.
    mean: f64,
    /// Its standard deviation.
    deviation: f64,
}

impl Lattice {
    fn of(rounds: &[(Spread, u32)]) -> Result<Self, TooWide> {
        let first = |spread: &Spread| spread.results()[0].0.cents();
        let steps =
            rounds.iter().flat_map(|(spread, _)| spread.results().iter().map(|(net, _)| net.cents() - first(spread)));
        let step = steps.fold(0, common).max(1);
        let part = |(spread, times): &(Spread, u32)| {
            let place = |net: Money| {
                usize::try_from((net.cents() - first(spread)) / step).ok().filter(|place| *place < 1 << 40)
            };
            let places = spread.results().iter().map(|(net, ways)| Some((place(*net)?, f64::from(*ways) / 216.0)));
            Some(RoundKind::new(places.collect::<Option<_>>()?, *times))
        };
        let parts: Vec<_> =
            rounds.iter().map(part).collect::<Option<_>>().ok_or(TooWide::Step(Money::from_cents(step)))?;
        let first = rounds.iter().map(|(spread, times)| i128::from(*times) * i128::from(first(spread))).sum();
        let (mean, variance) = parts.iter().fold((0.0, 0.0), |(mean, variance), part: &RoundKind| {
            let times = f64::from(part.times);
            (mean + times * part.mean, variance + times * part.deviation * part.deviation)
        });
        Ok(Self { first, step, parts, mean, deviation: variance.sqrt() })
    }

    /// The largest K.
    fn last(&self) -> u128 {
        let last = |part: &RoundKind| u128::try_from(part.places[part.places.len() - 1].0).unwrap_or(u128::MAX >> 64);
        self.parts.iter().map(|part| last(part) * u128::from(part.times)).sum()
    }

    /// The results of all parts.
    fn results(&self) -> usize {
        self.parts.iter().map(|part| part.places.len()).sum()
    }

    /// Chernoff's bound on the chance that K is at least `far` from its mean on one side. Whatever the tilt, the bound holds;
    /// the tilt is only sought where it is small.
    fn tail(&self, far: f64, is_above: bool) -> f64 {
        let sign = if is_above { 1.0 } else { -1.0 };
        let bound = |tilt: f64| {
            let generating = |part: &RoundKind| {
                let term =
                    |(place, chance): &(usize, f64)| chance * libm::exp(sign * tilt * (size(*place) - part.mean));
                let terms = part.places.iter().map(term);
                f64::from(part.times) * libm::log(terms.sum())
            };
            self.parts.iter().map(generating).sum::<f64>() - tilt * far
        };
        let normal = far / (self.deviation * self.deviation).max(f64::MIN_POSITIVE);
        let tilts = (-24..=8).map(|eighths| normal * libm::exp2(f64::from(eighths) / 8.0));
        let best = tilts.map(bound).filter(|bound| bound.is_finite()).fold(0.0, f64::min);
        // The exponent is a sum of roundings of numbers that are not large.
        libm::exp(best * (1.0 - 1e-9) + 1e-9)
    }
}

pub(crate) const fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { common(b, a % b) }
}

/// The places that are computed.
struct Window {
    bits: u32,
    start: i64,
    /// A bound on the chance of a result outside.
    outside: f64,
}

impl Window {
    fn around(lattice: &Lattice) -> Result<Self, TooWide> {
        let all = lattice.last() + 1;
        let results = u128::try_from(lattice.results()).unwrap_or(u128::MAX >> 64);
        for bits in 4..=MAX_BITS {
            let places = size(1 << bits);
            // A smaller window always leaves more outside.
            if all > 1u128 << bits && places < 4.0 * lattice.deviation {
                continue;
            }
            // Checked before the tails, which visit all results too.
            if results << bits > MAX_SIZE {
                return Err(TooWide::Work);
            }
            if all <= 1u128 << bits {
                return Ok(Self { bits, start: 0, outside: 0.0 });
            }
            // Large wins are rare and losses are not: the longer tail may be above.
            for below in [0.5, 0.375, 0.25] {
                let (low, high) = (places * below - 2.0, places * (1.0 - below) - 2.0);
                let outside = lattice.tail(low, false) + lattice.tail(high, true);
                if outside <= OUTSIDE {
                    return Ok(Self { bits, start: floor(lattice.mean - places * below), outside });
                }
            }
        }
        Err(TooWide::Step(Money::from_cents(lattice.step)))
    }
}

impl Spread {
    /// The distribution after the same round was played several times.
    ///
    /// ```
    /// use taisai_analysis::PlayerSlip;
    /// use taisai_rules::{BetBox, Games, Money};
    /// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
    /// let slip = PlayerSlip::new(layout, [(BetBox::BIG, Money::from_cents(100))]).unwrap();
    /// let hundred = slip.spread().after(100).unwrap();
    /// assert!((hundred.chance_below(Money::ZERO) - 0.571).abs() < 0.001);
    /// assert!(hundred.error() < 1e-11);
    /// ```
    pub fn after(&self, rounds: u32) -> Result<Distribution, TooWide> {
        if rounds == 0 || rounds > MAX_ROUNDS {
            return Err(TooWide::Rounds(rounds));
        }
        Distribution::of(&[(self.clone(), rounds)])
    }
}

impl Distribution {
    /// The distribution of the sum of rounds that need not be alike: each spread with how often it is played.
    pub fn of(rounds: &[(Spread, u32)]) -> Result<Self, TooWide> {
        let all = rounds.iter().map(|(_, times)| u64::from(*times)).sum::<u64>();
        let all = u32::try_from(all).unwrap_or(u32::MAX);
        if all == 0 || all > MAX_ROUNDS {
            return Err(TooWide::Rounds(all));
        }
        let lattice = Lattice::of(rounds)?;
        let window = Window::around(&lattice)?;
        let circle = Circle::new(window.bits);
        if work(&circle, &lattice) > MAX_WORK {
            return Err(TooWide::Work);
        }
        let (mut numbers, powers_error) = powers(&circle, &lattice);
        circle.transform(&mut numbers);
        let order = circle.order();
        let shift = usize::try_from(window.start.rem_euclid(i64::try_from(order).unwrap_or(i64::MAX))).unwrap_or(0);
        // Below zero there is only rounding.
        let probability = |place: usize| (numbers[(place + shift) & (order - 1)].0 / size(order)).max(0.0);
        let probabilities: Vec<f64> = (0..order).map(probability).collect();
        let length = probabilities.iter().map(|p| p * p).sum::<f64>().sqrt();
        let error = size(order) * powers_error
            + size(order).sqrt() * circle.relative_error() * (length + size(order).sqrt() * powers_error) * 1.01
            + size(order) * ROUNDOFF * 1.01
            + window.outside;
        let start = lattice.first + i128::from(window.start) * i128::from(lattice.step);
        // Both are over 216 and its square.
        let scaled = |fraction: Fraction, scale: i128| fraction.numerator() * (scale / fraction.denominator());
        let (mean, variance) = rounds.iter().fold((0, 0), |(mean, variance), (spread, times)| {
            let times = i128::from(*times);
            (mean + times * scaled(spread.mean(), 216), variance + times * scaled(spread.variance(), 216 * 216))
        });
        let moments = (Fraction::new(mean, 216), Fraction::new(variance, 216 * 216));
        Ok(Self::new(all, (start, lattice.step), probabilities, error, moments))
    }
}

/// About how many results `powers` goes through, by places spread evenly over the half circle.
fn work(circle: &Circle, lattice: &Lattice) -> usize {
    let half = circle.order() / 2;
    let every = (half / SAMPLE).max(1);
    let at = |place: usize| {
        let (mut reached, mut results) = (0.0, 0);
        for part in &lattice.parts {
            let (one, delta) = one_round(circle, part, place);
            results += part.places.len();
            reached += f64::from(part.times) * libm::log(one.0.hypot(one.1) + delta);
            if reached < libm::log(NEGLIGIBLE) {
                break;
            }
        }
        results
    };
    // Odd places: even ones are more often where results that have a common measure meet again.
    (0..half).step_by(every).map(|place| at(place | 1)).sum::<usize>() * every
}

/// The characteristic function of all rounds at every place, and the largest error of a probability that comes of it.
fn powers(circle: &Circle, lattice: &Lattice) -> (Vec<(f64, f64)>, f64) {
    let order = circle.order();
    let mut numbers = vec![(0.0, 0.0); order];
    let mut errors = 2.0 * NEGLIGIBLE * size(order);
    let mut place = 0;
    while place <= order / 2 {
        let (mut all, mut reached, mut relative, mut left_out) = ((1.0, 0.0), 0.0, 0.0, 0);
        for part in &lattice.parts {
            let (one, delta) = one_round(circle, part, place);
            let reach = one.0.hypot(one.1) + delta;
            let times = f64::from(part.times);
            reached += times * libm::log(reach);
            relative += times * (delta + 3.1 * ROUNDOFF) / reach;
            // With the product of the parts before it, whose factors are at most one and a little.
            if reached < libm::log(NEGLIGIBLE) {
                left_out = 1 + stretch(order, part, reach);
                break;
            }
            all = product(all, power(one, part.times));
        }
        if left_out > 0 {
            place += left_out;
            continue;
        }
        let twice = if place == 0 || 2 * place == order { 1.0 } else { 2.0 };
        errors += twice * libm::exp(reached) * relative;
        numbers[place] = all;
        numbers[(order - place) & (order - 1)] = (all.0, -all.1);
        place += 1;
    }
    (numbers, 1.01 * errors / size(order))
}

/// The characteristic function of one round at a place, and a bound on its error.
fn one_round(circle: &Circle, part: &RoundKind, place: usize) -> ((f64, f64), f64) {
    let one = part.places.iter().fold((0.0, 0.0), |sum: (f64, f64), (k, chance)| {
        // The conjugate, so that the transform forwards is the inverse one.
        let (x, y) = circle.point(place.wrapping_mul(*k));
        (sum.0 + chance * x, sum.1 - chance * y)
    });
    (one, 1.5 * (size(part.places.len()) + 3.0) * ROUNDOFF + 1.01 * POINT_ERROR)
}

/// Over how many more places the power of one part alone is known to stay negligible.
fn stretch(order: usize, part: &RoundKind, reach: f64) -> usize {
    let change = 1.001 * part.deviation * std::f64::consts::TAU / size(order);
    let small = libm::exp(libm::log(NEGLIGIBLE) / f64::from(part.times));
    let places = if small > reach { (small - reach) / change } else { 0.0 };
    usize::try_from(floor(places)).unwrap_or(0).min(order)
}

/// A power by squaring: the relative error is below three roundoffs a factor.
const fn power(base: (f64, f64), exponent: u32) -> (f64, f64) {
    let (mut result, mut square, mut left) = ((1.0, 0.0), base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = product(result, square);
        }
        square = product(square, square);
        left /= 2;
    }
    result
}

impl Distribution {
    fn new(
        rounds: u32,
        (start, step): (i128, i64),
        probabilities: Vec<f64>,
        error: f64,
        (mean, variance): (Fraction, Fraction),
    ) -> Self {
        let cumulated = probabilities.iter().scan(0.0, |sum, p| {
            *sum += p;
            Some(*sum)
        });
        Self { cumulated: cumulated.collect(), rounds, start, step, probabilities, error, mean, variance }
    }

    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// A bound on how far the chance of any set of results is from the exact one.
    pub const fn error(&self) -> f64 {
        self.error
    }

    /// The expected net result in cents, exactly.
    pub const fn mean(&self) -> Fraction {
        self.mean
    }

    /// The variance in squared cents, exactly.
    pub const fn variance(&self) -> Fraction {
        self.variance
    }

    /// The standard deviation in cents.
    pub fn standard_deviation(&self) -> f64 {
        real(self.variance).sqrt()
    }

    /// Results in cents ascending, with their chances; those outside the window are left out.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = (i128, f64)> + ExactSizeIterator {
        let result = |place: usize| self.start + i128::from(self.step) * i128::try_from(place).unwrap_or(i128::MAX);
        self.probabilities.iter().enumerate().map(move |(place, chance)| (result(place), *chance))
    }

    /// The chance of a result below an amount.
    pub fn chance_below(&self, amount: Money) -> f64 {
        let (distance, step) = (i128::from(amount.cents()) - self.start, i128::from(self.step));
        match usize::try_from((distance + step - 1).div_euclid(step)) {
            Ok(0) | Err(_) => 0.0,
            Ok(places) => self.cumulated[places.min(self.cumulated.len()) - 1].min(1.0),
        }
    }

    /// The chance of a result above an amount.
    pub fn chance_above(&self, amount: Money) -> f64 {
        (1.0 - self.chance_below(Money::from_cents(amount.cents() + 1))).max(0.0)
    }

    /// The least result, in cents, that is reached or stayed below with at least this chance.
    pub fn quantile(&self, chance: f64) -> i128 {
        let place = self.cumulated.partition_point(|sum| *sum < chance).min(self.cumulated.len() - 1);
        self.start + i128::from(self.step) * i128::try_from(place).unwrap_or(i128::MAX)
    }

    /// The band that leaves at most half of `outside` below it and above it, in cents.
    pub fn band(&self, outside: f64) -> (i128, i128) {
        (self.quantile(outside / 2.0), self.quantile(1.0 - outside / 2.0))
    }

    /// At most `most` bars of equal width over all but a millionth of the results: the lower end of each in cents, and its
    /// chance.
    pub fn bars(&self, most: usize) -> Vec<(f64, f64)> {
        let (low, high) = (self.quantile(5e-7), self.quantile(1.0 - 5e-7));
        let steps = (high - low) / i128::from(self.step) + 1;
        let bars = i128::try_from(most).unwrap_or(1).clamp(1, steps);
        // Whole steps a bar, so that no bar has more places than its neighbours.
        let width = (steps + bars - 1) / bars * i128::from(self.step);
        let mut gathered = vec![0.0; usize::try_from((high - low) / width + 1).unwrap_or(1)];
        for (result, chance) in self.results().filter(|(result, _)| (low..=high).contains(result)) {
            gathered[usize::try_from((result - low) / width).unwrap_or(0)] += chance;
        }
        let lower = |bar: usize| whole(low) + size(bar) * whole(width);
        gathered.into_iter().enumerate().map(|(bar, chance)| (lower(bar), chance)).collect()
    }
}

/// A chance as text. One that is not distinguishable from zero or one is given as its bound.
pub fn shown_chance(chance: f64, error: f64) -> String {
    let clamped = chance.clamp(0.0, 1.0);
    if clamped <= error {
        format!("below {}", scientific(2.0 * error.max(f64::MIN_POSITIVE)))
    } else if clamped < 0.001 {
        scientific(clamped)
    } else {
        format!("{:.4} %", clamped * 100.0)
    }
}

/// A small number as people write it: 3.1 × 10⁻¹².
pub fn scientific(number: f64) -> String {
    let text = format!("{number:.1e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let raised = exponent.chars().map(|digit| match digit {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
            [digit.to_digit(10).and_then(|d| usize::try_from(d).ok()).unwrap_or(0)],
    });
    format!("{digits} × 10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use taisai_rules::Games;

    use super::*;
    use crate::slip::PlayerSlip;

    fn spread(bets: &[(&str, i64)]) -> Spread {
        let layout = Games::embedded().find("sic-bo-etg@2", None).unwrap().layout("B").unwrap();
        let bets = bets.iter().map(|(text, cents)| (text.parse().unwrap(), Money::from_cents(*cents)));
        PlayerSlip::new(layout, bets).unwrap().spread()
    }

    /// Ways of 216 to the number of rounds, by whole numbers alone.
    fn convolved(spread: &Spread, rounds: u32) -> BTreeMap<i128, u128> {
        let mut sums = BTreeMap::from([(0i128, 1u128)]);
        for _ in 0..rounds {
            let mut next = BTreeMap::new();
            for (sum, count) in &sums {
                for (net, ways) in spread.results() {
                    *next.entry(sum + i128::from(net.cents())).or_insert(0) += count * u128::from(*ways);
                }
            }
            sums = next;
        }
        sums
    }

    #[test]
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "the expected numbers")]
    fn every_chance_is_within_its_bound_of_the_exact_one() {
        let slips: [&[(&str, i64)]; 4] = [
            &[("big", 100)],
            &[("sum:8", 200), ("single:3", 500), ("triple:2", 100)],
            &[("small", 100), ("big", 100), ("any-triple", 100)],
            &[("domino:12", 300), ("sum:4", 100), ("odd", 700), ("pair:113", 200), ("even", 100)],
        ];
        for bets in slips {
            for rounds in [1, 2, 5, 16] {
                let spread = spread(bets);
                let exact = convolved(&spread, rounds);
                let found = spread.after(rounds).unwrap();
                let all = 216u128.pow(rounds) as f64;
                let chances: BTreeMap<i128, f64> = found.results().collect();
                let mut below = 0.0;
                for (result, ways) in &exact {
                    let expected = *ways as f64 / all;
                    let met = chances.get(result).copied().unwrap_or(0.0);
                    assert!((met - expected).abs() <= found.error(), "{bets:?}, {rounds}: {result}");
                    let money = Money::from_cents(i64::try_from(*result).unwrap());
                    assert!(
                        (found.chance_below(money) - below).abs() <= found.error(),
                        "{bets:?}, {rounds}: below {result}"
                    );
                    below += expected;
                }
                assert!(found.error() < 1e-11, "{bets:?}, {rounds}: {}", found.error());
                let others: f64 = found.results().filter(|(r, _)| !exact.contains_key(r)).map(|(_, p)| p).sum();
                assert!(others <= found.error(), "{bets:?}, {rounds}: {others}");
            }
        }
    }

    #[test]
    fn a_window_that_leaves_out_results_says_so_in_its_bound() {
        let spread = spread(&[("triple:1", 100), ("sum:4", 300), ("big", 700)]);
        let many = spread.after(100_000).unwrap();
        assert!(many.error() > 0.0 && many.error() < 1e-8, "{}", many.error());
        assert!(many.results().len() < 1 << 21);
        let sum: f64 = many.results().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() <= many.error(), "{sum}");
        let mean: f64 = many.results().map(|(result, chance)| whole(result) * chance).sum();
        let expected = real(many.mean());
        assert!((mean / expected - 1.0).abs() < 1e-6, "{mean} {expected}");
    }

    #[test]
    fn quantiles_and_chances_belong_together() {
        let found = spread(&[("sum:9", 100), ("small", 100)]).after(50).unwrap();
        for chance in [0.01, 0.3, 0.5, 0.9, 0.999] {
            let at = Money::from_cents(i64::try_from(found.quantile(chance)).unwrap());
            let next = Money::from_cents(at.cents() + 1);
            assert!(found.chance_below(at) < chance && found.chance_below(next) >= chance, "{chance}");
        }
        assert!(found.chance_below(Money::from_cents(i64::MIN / 2)) == 0.0);
        assert!(found.chance_above(Money::from_cents(i64::MAX / 2)) < found.error());
        let bars = found.bars(20);
        assert!(bars.len() <= 20 && (bars.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 2e-6);
    }

    #[test]
    fn what_cannot_be_computed_gives_a_reason() {
        let wide = spread(&[("big", 1), ("triple:1", 2_000_000_001)]);
        assert_eq!(wide.after(0).unwrap_err(), TooWide::Rounds(0));
        assert_eq!(wide.after(MAX_ROUNDS + 1).unwrap_err(), TooWide::Rounds(MAX_ROUNDS + 1));
        assert!(matches!(wide.after(1_000).unwrap_err(), TooWide::Step(_)));
    }

    #[test]
    fn chances_and_small_numbers_are_written_for_people() {
        assert_eq!(scientific(3.14e-12), "3.1 × 10⁻¹²");
        assert_eq!(shown_chance(0.5, 1e-12), "50.0000 %");
        assert_eq!(shown_chance(2e-5, 1e-12), "2.0 × 10⁻⁵");
        assert_eq!(shown_chance(1e-13, 1e-12), "below 2.0 × 10⁻¹²");
    }
}
