//! `selvedge replay`: executes a saved trace again with the plain interpreter and says whether it
//! still ends in the same violation.

use selvedge_core::{ReplayError, Trace};
use selvedge_report::lanes;

use crate::args::ReplayArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;
use crate::independent;
use crate::recursive;
use crate::simulate::follow;
use crate::trace_file::{self, Found};

/// Runs the command.
pub fn run(args: &ReplayArgs, console: &Console) -> Exit {
    let Some(trace) = trace_file::read(&args.trace) else { return Exit::Input };
    let Some((trace, outcome)) = replayed(trace, args, console) else { return Exit::Input };
    match outcome {
        Ok(()) => {
            console.tell(&lanes(&trace, &console.lanes()));
            conclude(&trace, console)
        }
        Err((step, reason)) => {
            complain(&format!("the trace does not fit the model: step {step} of {}: {reason}", trace.steps.len()));
            advise("if the model was changed on purpose, the trace is out of date: run `selvedge check` again");
            Exit::Input
        }
    }
}

/// Whether a trace can be executed; else the step that cannot, and why.
type Outcome = Result<(), (usize, String)>;

/// Opens the model and executes the trace. `None` if there is no model: then everything was said.
fn replayed(trace: Trace, args: &ReplayArgs, console: &Console) -> Option<(Trace, Outcome)> {
    let model = args.model.as_deref();
    if recursive::language_of(&trace).is_some() {
        let opened = recursive::replay::open_model(&trace, &args.trace, model, args.format, console)?;
        let outcome = recursive::replay::outcome(&opened, &trace);
        return Some((trace, outcome));
    }
    let found = trace_file::open(trace, &args.trace, model, args.format, console)?;
    let outcome = outcome(&found, console);
    Some((found.trace, outcome))
}

fn outcome(found: &Found, console: &Console) -> Outcome {
    match independent::replay(&found.opened, &found.trace) {
        Ok(()) => Ok(()),
        Err(ReplayError::Mismatch { step, reason }) => Err((step, reason)),
        Err(ReplayError::Unsupported { reason }) => {
            console.warn(&format!("replayed by the search's own machine, not independently: {reason}"));
            follow::follow(&found.opened.built.machine, &found.opened.sources, &found.trace)
                .map(drop)
                .map_err(|stuck| (stuck.step, stuck.reason))
        }
    }
}

fn conclude(trace: &Trace, console: &Console) -> Exit {
    match &trace.violation {
        Some(violation) => {
            let steps = trace.steps.len();
            let plural = if steps == 1 { "" } else { "s" };
            let text = format!("still violated after {steps} step{plural}: {}\n", violation.message);
            console.answer(&if console.quiet { text } else { console.wrapped(&text) });
            Exit::Violation
        }
        None => {
            console.answer("replayed: every step of the trace can still be taken; it ends in no violation\n");
            Exit::NoViolation
        }
    }
}
