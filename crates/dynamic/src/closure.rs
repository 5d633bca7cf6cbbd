//! From recursive threads to finite-state ones (\[DYN\] Section 5). The visible behaviour of a thread is a word:
//! the threads it creates, and at each switch the global states between which it is suspended. A thread
//! that is created and never runs changes nothing, so created threads may be left out of the word: the words
//! of a thread may be closed downward, and such a closure is regular. [`Reduction`] is the finite-state
//! network whose threads follow these words, and takes a run of it back to a run of the recursive network.
//!
//! The way there: [`behaviour`] is what a thread can do next, [`grammar`] the words it can write, with their
//! switches counted, [`downward`] their closure as automata ([`automaton`]), and [`derive`] finds a run
//! of a thread whose word contains a given one.

pub mod automaton;
mod behaviour;
mod derive;
pub mod downward;
pub mod grammar;
mod lift;
mod reduce;

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::Dcps;

pub use behaviour::Letter;
pub use lift::NotLifted;
pub use reduce::{NotReduced, Reduction};

/// Whether no bound reaches a target because no thread alone does, even if the other threads change the global state
/// arbitrarily at its switches. `false` means unknown.
pub fn safe_without_switches(dcps: &Dcps, budget: &Budget) -> Result<bool, StopReason> {
    behaviour::Threads::new(dcps, true, budget)?.is_safe_without_switches(budget)
}
