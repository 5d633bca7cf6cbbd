//! Choices at random: at each point one of the threads that are enabled, then one of its steps. The same seed gives
//! the same run, on every machine.

use selvedge_core::Chance;

/// The index of a step, given whose step each one is.
pub(super) fn pick<T: Ord + Copy>(chance: &mut Chance, owners: &[T]) -> usize {
    let mut threads = owners.to_vec();
    threads.sort_unstable();
    threads.dedup();
    let thread = threads[chance.below(threads.len())];
    let own: Vec<usize> = (0..owners.len()).filter(|index| owners[*index] == thread).collect();
    own[chance.below(own.len())]
}
