//! Pseudorandom numbers, the same in every run.

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// One of several values.
    pub(crate) fn among<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[usize::try_from(self.below(u64::try_from(several.len()).unwrap())).unwrap()]
    }
}
