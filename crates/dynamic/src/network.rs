//! Reachability of finite-state networks: BSR\[k\] and SR of \[DYN\] Section 3, by coverability of nets.

mod encode;
mod iterate;
mod reduce;

use selvedge_core::{Budget, Observer, Silent, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Move};

use crate::cover::{self, cover};
use selvedge_certificate::NetworkCertificate;

use encode::encode_within;
pub use encode::{Encoded, encode};
pub use iterate::{Bounds, Iterated, Level, iterate};
pub use reduce::{NotReducible, network_of_net};

/// The bound on switches, and how they are numbered.
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
    Unreachable(NetworkCertificate),
    /// A limit came first.
    Stopped(StopReason),
    /// The effort that was allowed was not enough.
    GaveUp,
    /// The run that was found cannot be executed, which is a bug of these analyses; what disagrees.
    Defect(String),
}

/// The answer with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// Markings that were stored.
    pub states: u64,
    /// Steps between markings that were executed.
    pub transitions: u64,
    /// Memory of the searches in bytes.
    pub bytes: u64,
}

/// A stack of the network can grow: see the downward closures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFiniteState;

/// Whether a target of a finite-state network can be reached. `Err` if a rule pushes two symbols.
pub fn bounded_switch(dcps: &Dcps, question: Question, budget: &Budget) -> Result<Outcome, NotFiniteState> {
    bounded_switch_with(dcps, question, cover::Options::default(), budget, &mut Silent)
}

/// As [`bounded_switch`], with options of the search.
pub fn bounded_switch_with(
    dcps: &Dcps,
    question: Question,
    options: cover::Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Outcome, NotFiniteState> {
    if !dcps.is_finite_state() {
        return Err(NotFiniteState);
    }
    let encoded = match encode_within(dcps, question, budget) {
        Ok(encoded) => encoded,
        Err(reason) => return Ok(Outcome { answer: Answer::Stopped(reason), states: 0, transitions: 0, bytes: 0 }),
    };
    let found = cover(&encoded.net, options, budget, observer);
    let answer = match found.answer {
        cover::Answer::Covered(run) => match encoded.moves(dcps, &run.transitions) {
            Some(moves) => Answer::Reached(moves),
            None => Answer::Defect(format!(
                "the net of this network has a run of {} steps to a target, but it is no run of its threads",
                run.transitions.len()
            )),
        },
        cover::Answer::Safe(certificate) => {
            Answer::Unreachable(NetworkCertificate { certificate, places: encoded.places.clone() })
        }
        cover::Answer::Stopped(stop) => Answer::Stopped(stop),
        cover::Answer::GaveUp => Answer::GaveUp,
        cover::Answer::Defect(why) => Answer::Defect(why),
    };
    Ok(Outcome { answer, states: found.states, transitions: found.transitions, bytes: found.bytes })
}
