//! `selvedge ltl`: the never claim of a formula's negation, as a search uses it.

use selvedge_verify::{Refusal, never_claim};

use crate::args::LtlArgs;
use crate::console::Console;
use crate::exit::Exit;

/// Runs the command.
pub fn run(args: &LtlArgs, console: &mut Console) -> Result<Exit, Refusal> {
    console.document(&never_claim(&args.formula)?);
    Ok(Exit::NoViolation)
}
