//! `--search spin`: bounded context switching as \[BCS\] has it, Figures 3 and 5, depth first, a state
//! visited again whenever it is reached with fewer switches than before. Kept for comparison and for
//! reproducing the paper's tables; the layered search answers the same question exactly and cheaper.
//!
//! With [`SpinOptions::as_pan`] it does what Spin 6.5.2's `pan -DBCS -DSAFETY` does, step for step,
//! so that its counts can be compared. That differs from the figures, and each difference is marked
//! where it is made:
//!
//! * `pan` stores a state without the process that ran last, so Figure 3's `y ≠ id` is lost: a state
//!   reached again at the same cost by another process is not visited again, and states that are
//!   within the bound are missed ([`SpinOptions::remember_processes`]);
//! * without reduction and with `-DSAFETY` it keeps no stack, so the cycle rule of section 3.1 has no
//!   effect ([`SpinOptions::cycle_rule`]); with the rule, a state on the stack is never visited again;
//! * a handshake is never counted, whoever offers it;
//! * at the bound, a process that blocks inside an atomic sequence ends the path, unless it is
//!   process 0;
//! * a switch is not counted where one process is left at the end of the path explored just before.

mod frames;
mod visited;

use selvedge_core::{Budget, Observer};
use selvedge_machine::Hints;

use crate::outcome::Outcome;
use crate::search::Search;
use crate::watch::Watch;
use frames::DepthFirst;
use visited::{Bits, Exact};

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct SpinOptions {
    /// Preemptions allowed.
    pub bound: u32,
    /// Figure 5: safe steps stand for all where the bound is not reached yet.
    pub reduction: bool,
    /// Section 3.1: a switch away from a process whose steps all lead back to the search stack is
    /// free, and states on the stack are not visited again. Always so with reduction.
    pub cycle_rule: bool,
    /// Figure 3 as printed: a state reached again at the same cost by another process is visited
    /// again. Has no effect in a bit array, which keeps no processes.
    pub remember_processes: bool,
    /// Do as `pan` does, also where the paper says otherwise.
    pub as_pan: bool,
    /// Section 3.2: keep bits, not states.
    pub bits: Option<BitArray>,
    /// Explore past violations, so that counts are exact.
    pub keep_going: bool,
    /// Keep the paths of all different violations, not only of the first.
    pub all_violations: bool,
}

/// A bit array with several hash functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitArray {
    /// Its size; rounded up to whole words.
    pub bytes: u64,
    /// Bits set for each copy of a state, at least one.
    pub hashes: u32,
    /// Chooses the hash functions.
    pub seed: u64,
}

/// Explores what is reachable within the bound, as far as the algorithm gets; it never proves that a bound was explored.
/// Transitions are all that were executed: those to new states, to states visited before and to states visited again.
/// `pan` prints `transitions - revisits + 1`.
pub fn spin_search<M: Hints>(
    machine: &M,
    options: &SpinOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let hidden = machine.hidden_prefix();
    let watch = Watch::new(budget, observer);
    match options.bits {
        None => DepthFirst::new(machine, options, watch, Exact::new(options, hidden, &initial), &initial).run(),
        Some(array) => DepthFirst::new(machine, options, watch, Bits::new(options, array, hidden), &initial).run(),
    }
}
