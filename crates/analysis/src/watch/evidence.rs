//! Evidence against fair dice by e-values: wagers against fairness that start with a capital of one, are fair while the dice
//! are, and are put on each throw before it is seen. By Ville's inequality the chance that the capital ever reaches 1/a is at
//! most a, so that one may look after every throw and stop whenever one likes.
//!
//! Three kinds, a third of the capital each: that faces or sums come at other rates (mixtures of Dirichlet priors, from narrow
//! to wide), and that a throw repeats faces of the one before it more or less often (tilted binomials).

#![expect(clippy::float_arithmetic, reason = "evidence is a product of chances")]

use crate::real::count;
use crate::watch::SUM_WAYS;

/// How many throws a prior of faces or sums counts for, before any is seen.
const PRIORS: [f64; 4] = [10.0, 100.0, 1_000.0, 10_000.0];
/// By how much the odds of repeating a face are tilted (logarithms).
const TILTS: [f64; 8] = [-0.8, -0.4, -0.2, -0.1, 0.1, 0.2, 0.4, 0.8];

/// What kind of unfairness the evidence shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceKind {
    /// Faces that come too often or too seldom.
    Faces,
    /// Total Sums that come too often or too seldom.
    Sums,
    /// Throws that depend on the one before.
    Serial,
}

/// Evidence gathered throw by throw. Capitals are kept as logarithms.
#[derive(Clone, Debug)]
pub struct DiceEvidence {
    throws: u64,
    faces: [u64; 6],
    sums: [u64; 16],
    last: Option<[u8; 6]>,
    by_faces: [f64; PRIORS.len()],
    by_sums: [f64; PRIORS.len()],
    by_tilt: [f64; TILTS.len()],
    highest: f64,
}

impl DiceEvidence {
    pub(super) const fn new() -> Self {
        Self {
            throws: 0,
            faces: [0; 6],
            sums: [0; 16],
            last: None,
            by_faces: [0.0; PRIORS.len()],
            by_sums: [0.0; PRIORS.len()],
            by_tilt: [0.0; TILTS.len()],
            highest: 0.0,
        }
    }

    pub(super) fn add(&mut self, own: [u8; 6], sum: u8) {
        self.bet_on_faces(own);
        self.bet_on_sum(usize::from(sum) - 3);
        if let Some(last) = self.last.replace(own) {
            self.bet_on_repeats(last, own);
        }
        self.throws += 1;
        self.highest = self.highest.max(self.logarithm());
    }

    /// Predicts each die from the faces so far, those of its own throw included.
    fn bet_on_faces(&mut self, own: [u8; 6]) {
        let mut dice = 3 * self.throws;
        for (place, times) in own.iter().enumerate() {
            for _ in 0..*times {
                for (capital, prior) in self.by_faces.iter_mut().zip(PRIORS) {
                    let foretold = (3.0 * prior / 6.0 + count(self.faces[place])) / (3.0 * prior + count(dice));
                    *capital += libm::log(6.0 * foretold);
                }
                self.faces[place] += 1;
                dice += 1;
            }
        }
    }

    fn bet_on_sum(&mut self, place: usize) {
        let fair = count(SUM_WAYS[place]) / 216.0;
        for (capital, prior) in self.by_sums.iter_mut().zip(PRIORS) {
            let foretold = (prior * fair + count(self.sums[place])) / (prior + count(self.throws));
            *capital += libm::log(foretold / fair);
        }
        self.sums[place] += 1;
    }

    /// With d different faces before, each fair die shows one of them with chance d/6.
    fn bet_on_repeats(&mut self, last: [u8; 6], own: [u8; 6]) {
        let different: u8 = last.iter().map(|times| u8::from(*times > 0)).sum();
        let repeats: u8 = last.iter().zip(own).filter(|(before, _)| **before > 0).map(|(_, times)| times).sum();
        let fair = f64::from(different) / 6.0;
        for (capital, tilt) in self.by_tilt.iter_mut().zip(TILTS) {
            *capital += f64::from(repeats) * tilt - 3.0 * libm::log(1.0 - fair + fair * libm::exp(tilt));
        }
    }

    /// The logarithm of the evidence of one kind.
    fn logarithm_of(&self, kind: EvidenceKind) -> f64 {
        match kind {
            EvidenceKind::Faces => mean(&self.by_faces),
            EvidenceKind::Sums => mean(&self.by_sums),
            EvidenceKind::Serial => mean(&self.by_tilt),
        }
    }

    fn logarithm(&self) -> f64 {
        mean(&[EvidenceKind::Faces, EvidenceKind::Sums, EvidenceKind::Serial].map(|kind| self.logarithm_of(kind)))
    }

    /// The evidence against fair dice: what a capital of one has grown to.
    pub fn value(&self) -> f64 {
        libm::exp(self.logarithm())
    }

    /// The evidence of one kind.
    pub fn of(&self, kind: EvidenceKind) -> f64 {
        libm::exp(self.logarithm_of(kind))
    }

    /// The highest evidence so far.
    pub fn highest(&self) -> f64 {
        libm::exp(self.highest)
    }

    /// An upper bound on the chance that fair dice ever reach this evidence.
    pub fn chance(&self) -> f64 {
        libm::exp(-self.highest).min(1.0)
    }
}

/// The logarithm of the mean of numbers given as logarithms.
fn mean(logarithms: &[f64]) -> f64 {
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|logarithm| libm::exp(logarithm - most)).sum();
    most + libm::log(sum / crate::real::size(logarithms.len()))
}

/// The logarithm of the evidence by faces, after `dice` dice with exactly these rates.
pub(super) fn expected_by_faces(dice: f64, rates: [f64; 6]) -> f64 {
    let by_prior = PRIORS.map(|prior| {
        let all = 3.0 * prior;
        let own = rates.map(|rate| libm::lgamma(all / 6.0 + dice * rate) - libm::lgamma(all / 6.0));
        own.iter().sum::<f64>() + libm::lgamma(all) - libm::lgamma(all + dice) + dice * libm::log(6.0)
    });
    mean(&[mean(&by_prior), 0.0, 0.0])
}

#[cfg(test)]
mod tests {
    use taisai_rules::Dice;

    use super::*;

    /// Over all throws that may come next, fair evidence stays where it is on average.
    #[test]
    fn evidence_is_fair_while_the_dice_are() {
        let mut evidence = DiceEvidence::new();
        for dice in crate::chance::Throws::of(4, 4).take(60) {
            let own = |dice: Dice| {
                let mut own = [0; 6];
                dice.faces().iter().for_each(|face| own[usize::from(face.number()) - 1] += 1);
                own
            };
            let after = |kind: EvidenceKind| {
                let next = |dice: Dice| {
                    let mut next = evidence.clone();
                    next.add(own(dice), dice.total_sum());
                    next.of(kind)
                };
                Dice::all().map(next).sum::<f64>() / 216.0
            };
            for kind in [EvidenceKind::Faces, EvidenceKind::Sums, EvidenceKind::Serial] {
                assert!((after(kind) / evidence.of(kind) - 1.0).abs() < 1e-9, "{kind:?}");
            }
            evidence.add(own(dice), dice.total_sum());
        }
    }

    #[test]
    fn foretelling_die_by_die_is_the_mixture_in_closed_form() {
        let mut evidence = DiceEvidence::new();
        for _ in 0..40 {
            evidence.add([1, 0, 0, 0, 1, 1], 12);
        }
        let closed = expected_by_faces(120.0, [1.0 / 3.0, 0.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        let own = mean(&[mean(&evidence.by_faces), 0.0, 0.0]);
        assert!((closed - own).abs() < 1e-8, "{closed} {own}");
    }
}
