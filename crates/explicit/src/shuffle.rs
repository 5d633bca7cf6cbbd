//! A random order, the same for the same seed on every machine. Searches that differ only in it reach the same states,
//! in another order.

use selvedge_core::Chance;

/// A source of orders.
pub(crate) struct Shuffle(Chance);

impl Shuffle {
    pub(crate) fn new(seed: u64) -> Self {
        Shuffle(Chance::new(seed))
    }

    /// Puts the items in another order (Fisher and Yates).
    pub(crate) fn mix<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.0.below(last + 1);
            items.swap(last, other);
        }
    }

    /// Numbers combined with it by exclusive or are sorted in another order.
    pub(crate) fn mask(&mut self) -> u32 {
        (self.0.draw() >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_order_and_another_seed_another() {
        let mixed = |seed| {
            let mut items: Vec<u32> = (0..20).collect();
            Shuffle::new(seed).mix(&mut items);
            items
        };
        assert_eq!(mixed(1), mixed(1));
        assert_ne!(mixed(1), mixed(2));
        let mut sorted = mixed(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn every_order_comes_up() {
        let mut shuffle = Shuffle::new(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut items = [1, 2, 3, 4];
            shuffle.mix(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 24);
    }
}
