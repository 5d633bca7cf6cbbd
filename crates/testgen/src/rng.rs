//! The random choices of the generator of Promela models: xoshiro256**, seeded from [`Chance`], so that a seed and an index
//! name the same program forever.

use selvedge_core::Chance;

/// The state of the generator.
#[derive(Clone, Debug)]
pub struct Rng {
    words: [u64; 4],
}

impl Rng {
    /// The generator of one program: every pair of seed and index has its own sequence.
    pub fn new(seed: u64, index: u64) -> Rng {
        let mut chance =
            Chance::new(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Rng { words: std::array::from_fn(|_| chance.draw()) }
    }

    /// The next 64 random bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.words;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_u64() % limit as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next_u64() % (high - low + 1) as u64) as i64
    }

    /// True once in a hundred/`percent` times.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.next_u64() % 100 < u64::from(percent)
    }

    /// One of the items, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// The position of a weight, chosen in proportion to it. At least one weight must not be 0.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().map(|w| u64::from(*w)).sum();
        let mut left = self.next_u64() % total;
        for (at, weight) in weights.iter().enumerate() {
            if left < u64::from(*weight) {
                return at;
            }
            left -= u64::from(*weight);
        }
        unreachable!("the weights add up to the total")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_sequence() {
        let (mut a, mut b, mut c) = (Rng::new(1, 2), Rng::new(1, 2), Rng::new(1, 3));
        let first: Vec<u64> = (0..8).map(|_| a.next_u64()).collect();
        assert_eq!(first, (0..8).map(|_| b.next_u64()).collect::<Vec<_>>());
        assert_ne!(first, (0..8).map(|_| c.next_u64()).collect::<Vec<_>>());
    }

    #[test]
    fn weights_of_zero_are_never_chosen() {
        let mut rng = Rng::new(7, 0);
        assert!((0..1000).all(|_| rng.weighted(&[0, 3, 0, 1]) % 2 == 1));
    }
}
