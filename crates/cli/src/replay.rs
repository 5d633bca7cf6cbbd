//! `selvedge replay`: executes a saved trace again with the plain interpreter and says whether it
//! still ends in the same violation.

use selvedge_core::Trace;
use selvedge_report::lanes;

use crate::args::ReplayArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;
use crate::independent::{self, Answer};
use crate::simulate::follow;
use crate::trace_file::{self, Found};

/// Runs the command.
pub fn run(args: &ReplayArgs, console: &Console) -> Exit {
    let Some(found) = trace_file::open(&args.trace, args.model.as_deref(), args.format, console) else {
        return Exit::Input;
    };
    match outcome(&found, console) {
        Ok(()) => {
            console.tell(&lanes(&found.trace, &console.lanes()));
            conclude(&found.trace, console)
        }
        Err((step, reason)) => {
            complain(&format!(
                "the trace does not fit the model: step {step} of {}: {reason}",
                found.trace.steps.len()
            ));
            advise("if the model was changed on purpose, the trace is out of date: run `selvedge check` again");
            Exit::Input
        }
    }
}

/// Whether the trace can be executed; else the step that cannot, and why.
fn outcome(found: &Found, console: &Console) -> Result<(), (usize, String)> {
    match independent::ask(&found.opened, &found.trace) {
        Answer::Agrees => Ok(()),
        Answer::Disagrees { step, reason } => Err((step, reason)),
        Answer::CannotTell(reason) => {
            console.warn(&format!("replayed by the search's own machine, not independently: {reason}"));
            follow::follow(&found.opened, &found.trace).map(drop).map_err(|stuck| (stuck.step, stuck.reason))
        }
    }
}

fn conclude(trace: &Trace, console: &Console) -> Exit {
    match &trace.violation {
        Some(violation) => {
            let steps = trace.steps.len();
            let plural = if steps == 1 { "" } else { "s" };
            console.answer(&format!("still violated after {steps} step{plural}: {}\n", violation.message));
            Exit::Violation
        }
        None => {
            console.answer("replayed: every step of the trace can still be taken; it ends in no violation\n");
            Exit::NoViolation
        }
    }
}
