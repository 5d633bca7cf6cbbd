//! What the dynamic engine cannot do, in the words of the refusal.

use crate::args::{CheckArgs, Engine, Minimize, Search, Store};
use crate::recursive::{Model, Opened};

/// Why this combination of options is refused, if it is.
pub fn refusal(args: &CheckArgs, opened: &Opened) -> Option<String> {
    match args.recursive.engine {
        Some(Engine::Symbolic) => {
            return Some(
                "the symbolic engine cannot analyse networks, nets, and programs that create threads".to_owned(),
            );
        }
        Some(Engine::Explicit) => return explicit(args),
        Some(Engine::Dynamic) | None => {}
    }
    if let Some(name) = args.recursive.symbolic_only() {
        return Some(format!("--{name} is for Boolean programs (.bp) and pushdown systems (.pds)"));
    }
    let explicit_only = [
        ("preemptions", args.bounds.preemptions.is_some()),
        ("switches", args.bounds.switches.is_some()),
        ("rounds", args.bounds.rounds.is_some()),
        ("depth", args.bounds.depth.is_some()),
        ("search", args.search != Search::Layered),
        ("store", args.store != Store::Exact),
        ("reduction", args.reduction.is_some()),
        ("bitstate-bytes", args.bitstate_bytes.is_some()),
        ("hashes", args.hashes.is_some()),
        ("seed", args.seed.is_some()),
        ("count-busy-wait", args.count_busy_wait),
        ("minimize", args.minimize != Minimize::Preemptions),
        ("acceptance", args.acceptance),
        ("non-progress", args.non_progress),
        ("fair", args.fair),
        ("all-violations", args.all_violations),
        ("max-depth", args.max_depth.is_some()),
        ("continue", args.keep_going),
        ("deadlock", args.recursive.deadlock),
        ("stack-limit", args.recursive.run.stack_limit.is_some()),
        ("thread-limit", args.recursive.run.nets.thread_limit.is_some()),
        ("token-limit", args.recursive.run.nets.token_limit.is_some()),
    ];
    if let Some((name, _)) = explicit_only.into_iter().find(|(_, given)| *given) {
        return Some(format!(
            "--{name} is for the explicit engine (--engine explicit), which limits threads and tokens"
        ));
    }
    if args.nets.solver.is_some() && args.bounds.strata.is_none() {
        return Some("--solver is for --strata".to_owned());
    }
    let proved = matches!(opened.model, Model::Dcps(_) | Model::Net(_)) && args.bounds.strata.is_none();
    if args.nets.certificate.is_some() && !proved {
        return Some("--certificate is for networks and nets that are decided by coverability".to_owned());
    }
    let networks_only = [
        ("thread-switches", args.bounds.thread_switches.is_some()),
        ("strata", args.bounds.strata.is_some()),
        ("max-bound", args.bounds.max_bound.is_some()),
        ("fresh-switches", args.nets.fresh_switches),
    ];
    let (name, _) = networks_only.into_iter().find(|(_, given)| *given && matches!(opened.model, Model::Net(_)))?;
    Some(format!("--{name} is for dynamic networks (.dcps): the tokens of a net are no threads"))
}

fn explicit(args: &CheckArgs) -> Option<String> {
    let dynamic_only = [
        ("thread-switches", args.bounds.thread_switches.is_some()),
        ("strata", args.bounds.strata.is_some()),
        ("fresh-switches", args.nets.fresh_switches),
        ("certificate", args.nets.certificate.is_some()),
        ("solver", args.nets.solver.is_some()),
    ];
    let (name, _) = dynamic_only.into_iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for the dynamic engine (--engine dynamic)"))
}

/// A network whose stacks grow, or the program of one.
pub fn recursion(opened: &Opened) -> String {
    format!(
        "`{}`: --unbounded cannot be decided where threads are recursive, because two stacks can compute anything: bound it \
         with --thread-switches or --strata",
        opened.path
    )
}
