//! Random choices from a seed, the same on every machine. Everything in the workspace that draws at random draws here:
//! generators, samples, random schedules and tests.

/// SplitMix64 (Steele, Lea and Flood).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    /// The next 64 random bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`, which must not be 0.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.draw()) * limit as u128) >> 64) as usize
    }

    /// A number below `limit`, which must not be 0: the remainder of the next draw.
    pub fn remainder(&mut self, limit: u64) -> u64 {
        self.draw() % limit
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// Spreads the bits of a word over all others: what SplitMix64 makes of its counter.
#[inline]
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
