//! What `check` cannot do in this version, in the words of the refusal. Nothing is ignored silently.

use clap::ValueEnum;
use selvedge_promela::build::Built;

use crate::args::{CheckArgs, Reduction, Search, Store};
use crate::console::{advise, complain};
use crate::later::not_available;

/// Why this combination of options is refused, if it is.
pub fn refusal(args: &CheckArgs) -> Option<String> {
    if let Some(refusal) = args.later.refusal(args.unbounded) {
        return Some(refusal);
    }
    if matches!(args.search, Search::Layered | Search::Spin) {
        return Some(not_available(&format!("--search {}", name(args.search))));
    }
    if args.reduction != Reduction::None {
        return Some(not_available(&format!("--reduction {}", name(args.reduction))));
    }
    if args.store != Store::Exact {
        return Some(not_available(&format!("--store {}", name(args.store))));
    }
    if args.threads > 1 {
        return Some(not_available(&format!("--threads {}: a search with several threads", args.threads)));
    }
    if args.files.len() > 1 && args.json {
        return Some("--json prints one object, so it needs one FILE: run `selvedge check` once for each".to_owned());
    }
    if args.files.len() > 1 && args.trace_out.is_some() {
        return Some(
            "--trace-out writes one file, so it needs one FILE: run `selvedge check` once for each".to_owned(),
        );
    }
    None
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Refuses a claim that only a search for cycles answers; whether it did.
pub fn claim_about_infinite_runs(args: &CheckArgs, built: &Built) -> bool {
    if !built.liveness || args.safety_only {
        return false;
    }
    let name = built.claim_name.as_deref().unwrap_or("never");
    complain(&format!(
        "the claim `{name}` speaks of infinite runs; acceptance cycles are not searched in this version (selvedge {})",
        env!("CARGO_PKG_VERSION")
    ));
    advise("--safety-only checks what a finite run can show of it");
    advise("--no-claim leaves the claim out");
    true
}
