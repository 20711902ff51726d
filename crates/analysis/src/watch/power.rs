//! How many throws it takes to see a bias: by the chi-square test of faces with a number of throws fixed beforehand, and by the
//! evidence that may be looked at after every throw.

#![expect(clippy::float_arithmetic, reason = "chances of test statistics")]

use super::evidence::expected_by_faces;
use crate::real::{count, floor};
use crate::tails::{chi_square_limit, noncentral_tail};

/// The throws it takes to see one bias. The dice are biased alike: one face comes more often, the others less, equally.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// By how much the face comes more often, in per cent of its fair rate.
    pub bias: f64,
    /// Throws for the chi-square test at 1 % to find it in half of all cases.
    pub half: u64,
    pub nine_of_ten: u64,
    /// Throws after which the evidence reaches 100, typically.
    pub evidence: u64,
}

/// The power of the tests for biases from half a face more to two in a hundred.
pub fn power_table() -> Vec<Power> {
    [50.0, 30.0, 20.0, 15.0, 10.0, 7.0, 5.0, 3.0, 2.0].map(power).to_vec()
}

fn power(bias: f64) -> Power {
    let more = bias / 600.0;
    let rates = [1.0 / 6.0 + more, 1.0 / 6.0 - more / 5.0];
    // What each die adds to the noncentrality: the squared differences over the fair rate.
    let a_die = 6.0 * (more * more + 5.0 * (more / 5.0).powi(2));
    let limit = chi_square_limit(0.01, 5);
    let throws = |wanted: f64| least(|throws| noncentral_tail(limit, 5, 3.0 * throws * a_die) >= wanted);
    let [high, low] = rates;
    let evidence = least(|throws| expected_by_faces(3.0 * throws, [high, low, low, low, low, low]) >= libm::log(100.0));
    Power { bias, half: throws(0.5), nine_of_ten: throws(0.9), evidence }
}

/// The least number of throws from which a test holds.
fn least(holds: impl Fn(f64) -> bool) -> u64 {
    let (mut low, mut high) = (1.0, 2.0);
    while !holds(high) && high < 1e9 {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1.0 {
        let middle = f64::midpoint(low, high).floor();
        if holds(middle) { high = middle } else { low = middle }
    }
    u64::try_from(floor(high)).unwrap_or(0)
}

impl Power {
    /// How many rounds of a table, at one a minute, the surer test takes, in days.
    pub fn days(&self) -> f64 {
        count(self.nine_of_ten) / 1_440.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::SplitMix64;
    use crate::watch::DiceWatch;

    #[test]
    fn a_smaller_bias_takes_longer_and_four_times_for_half_of_it() {
        let table = power_table();
        assert!(table.windows(2).all(|pair| pair[0].nine_of_ten < pair[1].nine_of_ten && pair[0].half < pair[1].half));
        let of = |bias: f64| table.iter().find(|power| (power.bias - bias).abs() < 1e-9).unwrap();
        let times = count(of(10.0).nine_of_ten) / count(of(20.0).nine_of_ten);
        assert!((times - 4.0).abs() < 0.05, "{times}");
    }

    #[test]
    fn the_power_is_what_loaded_dice_show() {
        let Power { half, evidence, .. } = power(30.0);
        let mut chance = SplitMix64::of(8, 8);
        let (mut found, mut stopped) = (0, Vec::new());
        for _ in 0..80 {
            let mut watch = DiceWatch::new();
            let mut stop = None;
            for throw in 1..=3 * evidence.max(half) {
                // Thirty per cent more sixes: 0.2167 for a six, 0.1567 for each other face.
                let mut face = || match chance.below(600) {
                    0..130 => 6,
                    other => u8::try_from((other - 130) / 94 + 1).unwrap(),
                };
                watch.add([face(), face(), face()].try_into().unwrap());
                if throw == half {
                    found += u32::from(watch.by_face().unwrap().chance < 0.01);
                }
                if stop.is_none() && watch.evidence().value() >= 100.0 {
                    stop = Some(throw);
                }
            }
            stopped.push(stop.unwrap_or(u64::MAX));
        }
        assert!((24..56).contains(&found), "half of 80: {found}");
        stopped.sort_unstable();
        let median = count(stopped[40]);
        assert!((median / count(evidence) - 1.0).abs() < 0.3, "{median} and {evidence}");
    }
}
