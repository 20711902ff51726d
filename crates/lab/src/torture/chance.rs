//! Chance from a seed: the same seed gives the same run on every machine (`SplitMix64`).

#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is above zero.
    pub(super) const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`.
    pub(super) fn between(&mut self, first: i64, last: i64) -> i64 {
        let span = u64::try_from(last - first + 1).expect("the first comes before the last");
        first + i64::try_from(self.below(span)).expect("a span of small numbers")
    }

    /// True once in so many times.
    pub(super) const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// True so many times in a hundred.
    pub(super) const fn percent(&mut self, times: u64) -> bool {
        self.below(100) < times
    }

    pub(super) fn small(&mut self, end: u32) -> u32 {
        u32::try_from(self.below(end.into())).expect("below a small number")
    }

    /// A place in a list that is not empty.
    pub(super) fn place(&mut self, len: usize) -> usize {
        let len = u64::try_from(len).expect("lists fit in memory");
        usize::try_from(self.below(len)).expect("a place in a list")
    }

    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.place(list.len())]
    }

    /// Which of the kinds, each as often as its weight says.
    pub(super) fn weighted<T: Copy>(&mut self, weights: &[(u64, T)]) -> T {
        let mut left = self.below(weights.iter().map(|(weight, _)| weight).sum());
        for (weight, kind) in weights {
            if left < *weight {
                return *kind;
            }
            left -= weight;
        }
        weights[0].1
    }

    pub(super) fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&self.next().to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        // The first numbers of SplitMix64 for the seed 1234567, as its author's code prints them.
        let mut chance = Chance::new(1_234_567);
        assert_eq!([chance.next(), chance.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn weights_are_kept() {
        let mut chance = Chance::new(1);
        let mut met = [0; 2];
        for _ in 0..1_000 {
            met[chance.weighted(&[(9, 0), (1, 1)])] += 1;
        }
        assert!(met[1] > 50 && met[1] < 200, "{met:?}");
    }
}
