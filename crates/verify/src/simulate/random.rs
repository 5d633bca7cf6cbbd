//! Choices at random: at each point one of the threads that are enabled, then one of its steps. The same seed gives
//! the same run, on every machine.

/// SplitMix64 (Steele, Lea and Flood): small, and the same everywhere.
pub struct Chance(u64);

impl Chance {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Chance(seed)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * limit as u128) >> 64) as usize
    }

    /// The index of a step, given whose step each one is.
    pub(super) fn pick<T: Ord + Copy>(&mut self, owners: &[T]) -> usize {
        let mut threads = owners.to_vec();
        threads.sort_unstable();
        threads.dedup();
        let thread = threads[self.below(threads.len())];
        let own: Vec<usize> = (0..owners.len()).filter(|index| owners[*index] == thread).collect();
        own[self.below(own.len())]
    }
}
