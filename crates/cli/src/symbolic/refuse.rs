//! What the symbolic engine cannot do, in the words of the refusal.

use selvedge_boolprog::program::Program;

use crate::args::{CheckArgs, Search, Store};
use crate::recursive::{Model, Opened};

/// Why this combination of options is refused, if it is.
pub fn refusal(args: &CheckArgs) -> Option<String> {
    let explicit_only = [
        ("preemptions", args.bounds.preemptions.is_some()),
        ("switches", args.bounds.switches.is_some()),
        ("depth", args.bounds.depth.is_some()),
        ("unbounded", args.bounds.unbounded),
        ("search", args.search != Search::Layered),
        ("store", args.store != Store::Exact),
        ("reduction", args.reduction.is_some()),
        ("all-violations", args.all_violations),
        ("max-states", args.max_states.is_some()),
        ("max-depth", args.max_depth.is_some()),
        ("deadlock", args.recursive.deadlock),
        ("stack-limit", args.recursive.run.stack_limit.is_some()),
    ];
    let (name, _) = explicit_only.into_iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for the explicit engine (--engine explicit)"))
}

/// Why the engine cannot analyse a model, if it cannot.
pub fn cannot(opened: &Opened) -> Option<String> {
    match &opened.model {
        Model::Bool(model) => program(&model.built.program),
        Model::Pds(_) => None,
        Model::Dcps(_) | Model::Net(_) => Some("the symbolic engine cannot analyse networks and nets".to_owned()),
    }
}

fn program(program: &Program) -> Option<String> {
    let what = match (program.creates_threads(), program.broadcasts()) {
        (true, _) => "creates threads while it runs",
        (false, true) => "waits for broadcasts",
        (false, false) => return None,
    };
    Some(format!("the symbolic engine cannot analyse a program that {what}: use --engine explicit"))
}
