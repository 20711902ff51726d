//! The discrete Fourier transform, radix two. Its rounding is bounded by theorem 24.2 of Higham, *Accuracy and Stability of
//! Numerical Algorithms* (2nd ed.): the result differs from the exact one by at most [`Circle::relative_error`] of its length.

#![expect(clippy::float_arithmetic, reason = "probabilities, with a bound on every rounding")]

use crate::real::{count, size};

/// The unit roundoff of a 64-bit float.
pub(crate) const ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// A bound on the error of a point on the circle: its angle, up to a quarter turn, is rounded three times, and sine and cosine
/// are within one unit in the last place.
pub(crate) const POINT_ERROR: f64 = 8.0 * ROUNDOFF;

/// The roots of unity of an order that is a power of two.
pub(crate) struct Circle {
    order: usize,
    points: Vec<(f64, f64)>,
}

impl Circle {
    pub(crate) fn new(bits: u32) -> Self {
        let order = 1usize << bits;
        let quarter = (order / 4).max(1);
        // One quarter turn is computed and the others derived from it, so that no angle is large.
        let turn = std::f64::consts::TAU / size(order);
        let first: Vec<_> = (0..quarter).map(|place| libm::sincos(turn * size(place))).map(|(s, c)| (c, s)).collect();
        let points = (0..order).map(|place| {
            let (x, y) = first[place % quarter];
            match (place / quarter, order) {
                (0, _) => (x, y),
                (_, 2) | (2, _) => (-x, -y),
                (1, _) => (-y, x),
                _ => (y, -x),
            }
        });
        Self { order, points: points.collect() }
    }

    pub(crate) const fn order(&self) -> usize {
        self.order
    }

    /// The point at a place, counted around and around.
    pub(crate) fn point(&self, place: usize) -> (f64, f64) {
        self.points[place & (self.order - 1)]
    }

    /// How far the transform's result may be from the exact one, as a part of the length (Euclidean) of the exact one.
    pub(crate) fn relative_error(&self) -> f64 {
        let passes = count(u64::from(self.order.trailing_zeros()));
        let step = POINT_ERROR + 4.0 * ROUNDOFF / (1.0 - 4.0 * ROUNDOFF) * (std::f64::consts::SQRT_2 + POINT_ERROR);
        passes * step / (1.0 - passes * step)
    }

    /// The sums over j of the j-th number times the point at j·k, for every k, in place.
    pub(crate) fn transform(&self, numbers: &mut [(f64, f64)]) {
        let bits = self.order.trailing_zeros();
        for place in 0..self.order {
            let other = place.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1);
            if bits > 0 && place < other {
                numbers.swap(place, other);
            }
        }
        let mut half = 1;
        while half < self.order {
            let stride = self.order / (2 * half);
            for block in numbers.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (place, (low, high)) in low.iter_mut().zip(high).enumerate() {
                    let turned = product(*high, self.points[place * stride]);
                    *high = (low.0 - turned.0, low.1 - turned.1);
                    *low = (low.0 + turned.0, low.1 + turned.1);
                }
            }
            half *= 2;
        }
    }
}

/// The product of two complex numbers; its relative error is below three roundoffs (Brent, Percival and Zimmermann: √5).
pub(crate) const fn product(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_is_the_sum_it_stands_for() {
        for bits in 0..8 {
            let circle = Circle::new(bits);
            let numbers: Vec<(f64, f64)> =
                (0..circle.order()).map(|place| (size(place * place % 7), size(place % 3))).collect();
            let mut transformed = numbers.clone();
            circle.transform(&mut transformed);
            for (k, found) in transformed.iter().enumerate() {
                let sum = numbers.iter().enumerate().fold((0.0, 0.0), |sum, (j, x)| {
                    let turned = product(*x, circle.point(j * k));
                    (sum.0 + turned.0, sum.1 + turned.1)
                });
                assert!((sum.0 - found.0).hypot(sum.1 - found.1) < 1e-10, "{bits} bits, place {k}");
            }
        }
    }
}
