//! Randomness that can be repeated, and a network that fails by it.

use crate::installation::Carrier;

/// Numbers that look random, the same for each seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below another.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// A network that loses a message in four, repeats one in five, and takes up to so long for each.
pub(crate) fn lossy(seed: u64, slowest: u64) -> Carrier {
    let mut chance = Random::new(seed);
    Box::new(move |_| {
        let copies = match chance.below(20) {
            0..5 => 0,
            5..16 => 1,
            _ => 2,
        };
        (0..copies).map(|_| chance.below(slowest + 1)).collect()
    })
}
