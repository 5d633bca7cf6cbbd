//! A run by chance: at each point one of the threads that can move, then one of its steps. The same
//! seed gives the same run, on every machine.

use selvedge_core::ThreadId;
use selvedge_machine::Machine;

use super::run::{End, Run};

/// Runs on until the end, or until the run has so many steps.
pub fn run<M: Machine>(run: &mut Run<'_, M>, seed: u64, steps: usize) -> End {
    let mut chance = Chance::new(seed);
    loop {
        if let Some(end) = run.end() {
            return end;
        }
        if run.path().steps.len() >= steps {
            return End::StepLimit;
        }
        let list = &run.choices().list;
        let mut threads: Vec<Option<ThreadId>> = list.iter().map(|step| step.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let thread = threads[chance.below(threads.len())];
        let own: Vec<usize> = (0..list.len()).filter(|index| list[*index].thread == thread).collect();
        let index = own[chance.below(own.len())];
        run.take(index);
    }
}

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
}
