//! Random numbers from a seed (`SplitMix64`): the same seed gives the same run on every machine.

#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `end`, which is above zero.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`.
    pub const fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// An amount of money or a difference of clocks, from `first` to `last`.
    ///
    /// # Panics
    /// If `last` comes before `first`.
    pub fn signed(&mut self, first: i64, last: i64) -> i64 {
        let span = u64::try_from(last - first + 1).expect("the first comes before the last");
        first + i64::try_from(self.below(span)).expect("a span of small numbers")
    }

    pub const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub const fn percent(&mut self, times: u64) -> bool {
        self.below(100) < times
    }

    /// A number below `end`.
    ///
    /// # Panics
    /// If `end` is zero.
    pub fn small(&mut self, end: u32) -> u32 {
        u32::try_from(self.below(end.into())).expect("below a small number")
    }

    /// An index into a list.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn index(&mut self, len: usize) -> usize {
        let len = u64::try_from(len).expect("lists fit in memory");
        usize::try_from(self.below(len)).expect("an index of a list")
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// One of the kinds, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, weights: &[(u64, T)]) -> T {
        let mut left = self.below(weights.iter().map(|(weight, _)| weight).sum());
        for (weight, kind) in weights {
            if left < *weight {
                return *kind;
            }
            left -= weight;
        }
        weights[0].1
    }

    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&self.next().to_le_bytes());
        }
        bytes
    }
}

/// A number whose every bit hangs on every bit of the given one.
pub(crate) const fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A hash of bytes after another hash: enough to tell chains and traces apart, no protection against forgers.
pub(crate) fn hash(before: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(before ^ u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    for chunk in bytes.chunks(8) {
        let mut number = [0; 8];
        number[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash.rotate_left(5) ^ u64::from_le_bytes(number));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_gives_the_published_sequence() {
        // The first numbers of SplitMix64 for the seed 1234567, as its author's code prints them.
        let mut random = Random::new(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn weights_are_kept() {
        let mut random = Random::new(1);
        let mut met = [0; 2];
        for _ in 0..1_000 {
            met[random.weighted(&[(9, 0), (1, 1)])] += 1;
        }
        assert!(met[1] > 50 && met[1] < 200, "{met:?}");
    }
}
