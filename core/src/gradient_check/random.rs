//! Where random test points come from.

/// A small generator of pseudo-random numbers (SplitMix64): the same seed gives the same points
/// on every machine. For tests, not for statistics.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below `bound` (0 if that is 0).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound.max(1)
    }

    /// A number in \[0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in \[lo, hi).
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// A number of either sign whose magnitude is in \[lo, hi).
    pub fn signed(&mut self, lo: f64, hi: f64) -> f64 {
        let size = self.between(lo, hi);
        if self.bits() & 1 == 0 { size } else { -size }
    }
}
