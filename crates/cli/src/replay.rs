//! `selvedge replay`: executes a saved trace again with the plain interpreter and says whether it
//! still ends in the same violation. The trace of a test of Rust code is shown, and how its test runs it again.

use selvedge_report::lanes;
use selvedge_verify::{Refusal, Replayed, Trace, replay};

use crate::args::ReplayArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::trace_file;

/// Runs the command.
pub fn run(args: &ReplayArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let trace = trace_file::read(&args.trace)?;
    if let Some(command) = trace_file::rust_test(&trace) {
        console.inform(&lanes(&trace, &console.lanes()));
        let text = format!("not replayed: only the test itself can run this trace again\nrun: {command}\n");
        console.answer(&text);
        return Ok(Exit::Inconclusive);
    }
    let model = trace_file::load_model(&trace, &args.trace, args.model.as_deref(), &args.include, console)?;
    match replay(&model, &trace)? {
        Replayed::Independently => {}
        Replayed::ByTheMachine { reason } => {
            console.warn(&format!("replayed by the machine of the search, not independently: {reason}"));
        }
        Replayed::Mismatch { step, reason } => {
            return Err(Refusal::with_help(
                format!("the trace does not fit the model: step {step} of {}: {reason}", trace.steps.len()),
                "if the model was changed on purpose, the trace is out of date: run `selvedge check` again",
            ));
        }
    }
    console.inform(&lanes(&trace, &console.lanes()));
    Ok(conclude(&trace, console))
}

fn conclude(trace: &Trace, console: &mut Console) -> Exit {
    match &trace.violation {
        Some(violation) => {
            let steps = trace.steps.len();
            let plural = if steps == 1 { "" } else { "s" };
            let text = format!("still violated after {steps} step{plural}: {}\n", violation.message);
            console.answer(&if console.quiet { text } else { console.wrapped(&text) });
            Exit::Violation
        }
        None => {
            console.answer("replayed: every step of the trace is still enabled; the run ends without a violation\n");
            Exit::NoViolation
        }
    }
}
