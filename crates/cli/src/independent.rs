//! No counterexample leaves unreplayed: the plain interpreter, which shares nothing with the machine
//! that found it, executes every trace before it is shown. Disagreement is a defect of ours.

use selvedge_core::{ReplayError, Trace};

use crate::console::{report_defect, to_stderr};
use crate::load::Opened;

/// Executes a trace with the plain interpreter.
pub fn replay(opened: &Opened, trace: &Trace) -> Result<(), ReplayError> {
    selvedge_promela_judge::replay(&opened.model, opened.built.claim.as_ref(), &opened.sources, trace)
}

/// Says loudly that the interpreter does not agree with a run that the machine found; `run` is the
/// run as it would have been shown.
pub fn report_disagreement(path: &str, step: usize, reason: &str, run: &str) {
    report_defect(&format!(
        "the independent interpreter does not agree with this run of {path}, at step {step}: {reason}"
    ));
    to_stderr(run);
}
