//! Flat bets on every box: the throws are counted, and each box's result follows from the counts. A round costs one throw,
//! whatever the number of boxes.

use std::sync::atomic::{AtomicU64, Ordering};

use taisai_rules::{Fraction, Layout, Money};

use crate::chance::{ThrowCounts, counted};
use crate::figures::BoxFigures;
use crate::layout_figures::STAKE;
use crate::real::{count as number, real, whole};
use crate::slip::PlayerSlip;

/// Throws in a part of a run: parts are counted on any thread.
const PART: u32 = 7 << 18;

/// Counts throws on several threads. The same seed gives the same counts. Adds its progress to `done`.
///
/// # Panics
/// Never: counting does not stop.
pub fn count(seed: u64, throws: u64, threads: usize, done: &AtomicU64) -> ThrowCounts {
    let parts = throws.div_ceil(PART.into());
    let next = AtomicU64::new(0);
    let work = || {
        let mut counts = [0; 216];
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return counts;
            }
            let left = throws - part * u64::from(PART);
            let size = u32::try_from(left).unwrap_or(PART).min(PART);
            add(&mut counts, &counted(seed, part, size));
            done.fetch_add(size.into(), Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut counts = work();
        for thread in threads {
            add(&mut counts, &thread.join().expect("counting does not stop"));
        }
        counts
    })
}

fn add(counts: &mut ThrowCounts, more: &ThrowCounts) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// The result of the same stake on a box over all throws, beside the expected result.
#[derive(Clone, Debug)]
pub struct BoxResult {
    /// The exact figures of the box.
    pub figures: BoxFigures,
    /// The share of rounds that won.
    pub hits: Fraction,
    /// What the House kept of a stake of one, exactly as counted.
    pub edge: Fraction,
    /// The standard deviation of that edge.
    pub deviation: f64,
}

impl BoxResult {
    /// Every box of a layout, after throws that were counted; nothing if there were none.
    pub fn of(layout: &Layout, counts: &ThrowCounts) -> Vec<Self> {
        let throws: u64 = counts.iter().sum();
        if throws == 0 {
            return Vec::new();
        }
        let boxes = layout.boxes().iter().filter_map(|bet_box| {
            let figures = BoxFigures::of(layout, *bet_box)?;
            let slip = PlayerSlip::new(layout, [(*bet_box, STAKE)]).ok()?;
            let results = || slip.nets().zip(counts).map(|((_, net), count)| (net, i128::from(*count)));
            let net: i128 = results().map(|(net, count)| i128::from(net.cents()) * count).sum();
            let hits: i128 = results().filter(|(net, _)| *net > Money::ZERO).map(|(_, count)| count).sum();
            let deviation = deviation(&figures, throws);
            let all = i128::from(throws);
            let edge = Fraction::new(-net, all * i128::from(STAKE.cents()));
            Some(Self { figures, hits: Fraction::new(hits, all), edge, deviation })
        });
        boxes.collect()
    }

    /// How many standard deviations the edge that was counted is above the exact one.
    #[expect(clippy::float_arithmetic, reason = "a deviation that is shown")]
    pub fn deviations(&self) -> f64 {
        (real(self.edge) - real(self.figures.edge)) / self.deviation
    }
}

#[expect(clippy::float_arithmetic, reason = "a deviation that is shown")]
fn deviation(figures: &BoxFigures, throws: u64) -> f64 {
    (real(figures.variance) / number(throws).max(whole(1))).sqrt()
}

#[cfg(test)]
mod tests {
    use taisai_rules::{Game, Games};

    use super::*;

    #[test]
    fn counts_are_the_same_on_any_number_of_threads() {
        let throws = u64::from(PART) * 3 + 12_345;
        let done = AtomicU64::new(0);
        let alone = count(7, throws, 1, &done);
        assert_eq!((alone.iter().sum::<u64>(), done.into_inner()), (throws, throws));
        for threads in [2, 3, 8] {
            assert_eq!(count(7, throws, threads, &AtomicU64::new(0)), alone, "{threads} threads");
        }
        assert_ne!(count(8, throws, 1, &AtomicU64::new(0)), alone);
    }

    #[test]
    fn every_box_of_every_layout_is_within_its_band() {
        let counts = count(2, 5_000_000, 2, &AtomicU64::new(0));
        for layout in Games::embedded().iter().flat_map(Game::layouts) {
            let boxes = BoxResult::of(layout, &counts);
            assert_eq!(boxes.len(), layout.boxes().len());
            for counted in boxes {
                // A hundred boxes, and this seed: four and a half deviations are not met by chance.
                let found = counted.deviations();
                assert!(found.abs() < 4.5, "{}: {found}", counted.figures.bet_box);
            }
        }
        assert!(
            BoxResult::of(Games::embedded().iter().next().unwrap().layouts().first().unwrap(), &[0; 216]).is_empty()
        );
    }
}
