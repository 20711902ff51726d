//! Tails of the chi-square distribution, by the incomplete gamma function.

#![expect(clippy::float_arithmetic, reason = "chances of test statistics")]

/// The chance that chi-square is at least `value`.
///
/// ```
/// assert!((taisai_analysis::chi_square_tail(11.0705, 5) - 0.05).abs() < 1e-6);
/// ```
pub fn chi_square_tail(value: f64, freedom: u32) -> f64 {
    if value <= 0.0 { 1.0 } else { gamma_tail(f64::from(freedom) / 2.0, value / 2.0) }
}

/// The upper incomplete gamma function over the complete one.
fn gamma_tail(shape: f64, value: f64) -> f64 {
    let front = libm::exp(shape * libm::log(value) - value - libm::lgamma(shape));
    if value < shape + 1.0 {
        let (mut term, mut sum, mut at) = (1.0 / shape, 1.0 / shape, shape);
        while term > sum * 1e-17 {
            at += 1.0;
            term *= value / at;
            sum += term;
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    // Lentz's continued fraction.
    let mut b = value + 1.0 - shape;
    let (mut c, mut d) = (1.0 / f64::MIN_POSITIVE, 1.0 / b);
    let mut fraction = d;
    for step in 1..10_000 {
        let step = f64::from(step);
        let a = step * (shape - step);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (front * fraction).clamp(0.0, 1.0)
}

/// The chance that a noncentral chi-square is at least `value`: a mixture of central ones.
pub(crate) fn noncentral_tail(value: f64, freedom: u32, noncentrality: f64) -> f64 {
    let half = noncentrality / 2.0;
    let weight = |k: f64| libm::exp(k * libm::log(half) - half - libm::lgamma(k + 1.0));
    let (spread, middle) = (10.0 * half.sqrt() + 30.0, half.floor());
    let (mut sum, mut k) = (0.0, (middle - spread).max(0.0).floor());
    while k <= middle + spread {
        sum += weight(k) * gamma_tail(f64::from(freedom) / 2.0 + k, value / 2.0);
        k += 1.0;
    }
    sum.min(1.0)
}

/// The value that chi-square reaches with this chance.
pub(crate) fn chi_square_limit(chance: f64, freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1_000.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if chi_square_tail(middle, freedom) > chance { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_printed_tables() {
        for (value, freedom, tail) in [
            (3.841_459, 1, 0.05),
            (15.086_272, 5, 0.01),
            (24.995_790, 15, 0.05),
            (44.314_105, 25, 0.01),
            (0.831_212, 5, 0.975),
            (0.0, 5, 1.0),
        ] {
            assert!((chi_square_tail(value, freedom) - tail).abs() < 1e-6, "{value}, {freedom}");
        }
        assert!((chi_square_limit(0.05, 5) - 11.070_498).abs() < 1e-5);
        assert!((noncentral_tail(11.070_498, 5, 1e-9) - 0.05).abs() < 1e-6, "nothing off the centre");
        // Cohen's tables: 5 degrees of freedom, 5 %, noncentrality 12.83 gives a power of 0.80.
        assert!((noncentral_tail(11.070_498, 5, 12.83) - 0.80).abs() < 0.002);
    }
}
