//! `selvedge ltl`: the never claim of a formula's negation, as a search uses it.

use selvedge_promela::ltl::{print_never_claim, translate_negation};
use selvedge_promela_syntax::parse::parse_ltl;
use selvedge_source::{Diagnostics, SourceMap};

use crate::args::LtlArgs;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::load;

/// Runs the command.
pub fn run(args: &LtlArgs, console: &Console) -> Exit {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let formula = parse_ltl(&args.formula, &mut sources, &mut diagnostics);
    load::show_diagnostics(&diagnostics, &sources, "<formula>", args.format, console);
    let Some(formula) = formula else { return Exit::Input };
    match translate_negation(&formula) {
        Ok(translation) => {
            let written = args.formula.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
            console.answer(&format!("/* !({written}) */\n{}", print_never_claim(&translation, "")));
            Exit::NoViolation
        }
        Err(error) => {
            complain(&error.to_string());
            Exit::Input
        }
    }
}
