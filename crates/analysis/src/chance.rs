//! Random throws from a seed. Each random number depends only on the seed and its index, so that a run is the same whatever
//! the number of threads.

use taisai_rules::Dice;

/// How many throws come from one random number.
const THROWS_PER_NUMBER: usize = 7;
/// How many different sequences of that length exist.
const RUNS: u64 = 216u64.pow(7);
/// Random numbers below this are rejected, so that every sequence is equally likely.
const REJECTED_BELOW: u64 = (u64::MAX % RUNS + 1) % RUNS;

/// The `SplitMix64` random number generator.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

impl SplitMix64 {
    /// The words of one part of a run: each has its own.
    pub const fn of(seed: u64, part: u64) -> Self {
        Self(mixed(mixed(seed.wrapping_add(GOLDEN)).wrapping_add(part.wrapping_mul(GOLDEN))))
    }

    #[inline]
    pub(crate) const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mixed(self.0)
    }

    /// A number below `end`, all of them equally often.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let passed_over = (u64::MAX % end + 1) % end;
        loop {
            let (number, rest) = halves(u128::from(self.word()) * u128::from(end));
            if rest >= passed_over {
                return number;
            }
        }
    }

    /// The next throws, as places among the 216; none if the word is passed over.
    #[inline]
    fn throws(&mut self) -> Option<[u8; THROWS_PER_NUMBER]> {
        let mut rest = self.word();
        let mut throws = [0; THROWS_PER_NUMBER];
        for throw in &mut throws {
            let (place, left) = halves(u128::from(rest) * 216);
            rest = left;
            #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a number below 216")]
            {
                *throw = place as u8;
            }
        }
        (rest >= REJECTED_BELOW).then_some(throws)
    }
}

#[inline]
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the two halves of a number")]
const fn halves(number: u128) -> (u64, u64) {
    ((number >> 64) as u64, number as u64)
}

/// Throws one by one, as places in the order of [`Dice::all`].
#[derive(Clone, Debug)]
pub struct Throws {
    chance: SplitMix64,
    ready: [u8; THROWS_PER_NUMBER],
    next: usize,
}

impl Throws {
    /// The throws of one part of a run.
    pub const fn of(seed: u64, part: u64) -> Self {
        Self { chance: SplitMix64::of(seed, part), ready: [0; THROWS_PER_NUMBER], next: THROWS_PER_NUMBER }
    }

    /// The next throw's place.
    #[inline]
    pub fn next_place(&mut self) -> u8 {
        while self.next == THROWS_PER_NUMBER {
            if let Some(throws) = self.chance.throws() {
                (self.ready, self.next) = (throws, 0);
            }
        }
        let place = self.ready[self.next];
        self.next += 1;
        place
    }
}

impl Iterator for Throws {
    type Item = Dice;

    fn next(&mut self) -> Option<Dice> {
        Dice::all().nth(self.next_place().into())
    }
}

/// How often each throw came, in the order of [`Dice::all`].
pub type ThrowCounts = [u64; 216];

/// Counts the throws of one part of a run.
pub(crate) fn counted(seed: u64, part: u64, throws: u32) -> ThrowCounts {
    let mut chance = SplitMix64::of(seed, part);
    // A column for each throw of a word, so that equal throws of one word do not wait for each other.
    let mut columns = [[0u32; 256]; THROWS_PER_NUMBER];
    let mut words = throws / 7;
    while words > 0 {
        if let Some(throws) = chance.throws() {
            for (column, throw) in columns.iter_mut().zip(throws) {
                let count = &mut column[usize::from(throw)];
                *count = count.wrapping_add(1);
            }
            words -= 1;
        }
    }
    let mut counts = [0; 216];
    for column in &columns {
        for (count, more) in counts.iter_mut().zip(column) {
            *count += u64::from(*more);
        }
    }
    let mut rest = throws % 7;
    while rest > 0 {
        if let Some(throws) = chance.throws() {
            for throw in throws.iter().take(usize::try_from(rest).unwrap_or(0)) {
                counts[usize::from(*throw)] += 1;
            }
            rest = 0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_of_throws_is_favoured() {
        // Of the 2^64 words, those that are not passed over are a multiple of the runs.
        let kept = (1u128 << 64) - u128::from(REJECTED_BELOW);
        assert_eq!(kept % u128::from(RUNS), 0);
    }

    #[test]
    fn counting_is_the_same_as_throwing() {
        for throws in [0, 1, 6, 7, 8, 700, 10_001] {
            let mut counts = [0; 216];
            let mut one_by_one = Throws::of(5, 3);
            for _ in 0..throws {
                counts[usize::from(one_by_one.next_place())] += 1;
            }
            assert_eq!(counted(5, 3, throws), counts, "{throws}");
        }
    }

    #[test]
    fn numbers_below_an_end_are_all_met_and_none_beyond() {
        let mut chance = SplitMix64::of(1, 1);
        let mut met = [0u32; 50];
        for _ in 0..50_000 {
            met[usize::try_from(chance.below(50)).unwrap()] += 1;
        }
        assert!(met.iter().all(|count| (850..1_150).contains(count)), "{met:?}");
        assert_eq!(chance.below(1), 0);
    }

    #[test]
    fn parts_and_seeds_have_their_own_chance() {
        let first = |seed, part| SplitMix64::of(seed, part).word();
        let words = [first(1, 0), first(1, 1), first(2, 0), first(0, 1), first(0, 2)];
        for (place, word) in words.iter().enumerate() {
            assert!(!words[place + 1..].contains(word));
        }
        assert_eq!(first(1, 0), first(1, 0));
    }
}
