//! No counterexample leaves unreplayed: the plain interpreter, which shares nothing with the machine
//! that found it, executes every trace before it is shown. Disagreement is a defect of ours.

use selvedge_core::Trace;
use selvedge_promela::plain::{self, Interpreter};

use crate::console::{report_defect, to_stderr};
use crate::load::Opened;

/// What the plain interpreter says about a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The trace can be executed and ends as it says.
    Agrees,
    /// It does not fit the model at this step (from 1).
    Disagrees { step: usize, reason: String },
    /// The interpreter cannot execute this model at all.
    CannotTell(String),
}

/// Executes a trace with the plain interpreter.
pub fn ask(opened: &Opened, trace: &Trace) -> Answer {
    let (model, claim) = (&opened.model, opened.built.claim.as_ref());
    if let Err(reason) = Interpreter::new(model, claim).map(drop) {
        return Answer::CannotTell(reason);
    }
    match plain::replay(model, claim, &opened.sources, trace) {
        Ok(()) => Answer::Agrees,
        Err(error) if error.reason.contains("not supported") => Answer::CannotTell(error.reason),
        Err(error) => Answer::Disagrees { step: error.step, reason: error.reason },
    }
}

/// Says loudly that the interpreter does not agree with a run that the machine found; `run` is the
/// run as it would have been shown.
pub fn report_disagreement(path: &str, step: usize, reason: &str, run: &str) {
    report_defect(&format!(
        "the independent interpreter does not agree with this run of {path}, at step {step}: {reason}"
    ));
    to_stderr(run);
}
