//! What `check` cannot do in this version, in the words of the refusal. Nothing is ignored silently.

use selvedge_promela::build::Built;

use crate::args::CheckArgs;

/// Why this combination of options is refused, if it is.
pub fn refusal(args: &CheckArgs) -> Option<String> {
    if args.files.len() > 1 && args.json {
        return Some("--json prints one object, so it needs one FILE: run `selvedge check` once for each".to_owned());
    }
    for (name, given) in [("trace-out", args.trace_out.is_some()), ("html", args.html.is_some())] {
        if args.files.len() > 1 && given {
            return Some(format!("--{name} writes one file, so it needs one FILE: run `selvedge check` once for each"));
        }
    }
    if args.html.as_ref().is_some_and(|out| out.as_os_str() == "-") {
        return Some(
            "--html - would print the page among the answer: name a file, or use `selvedge view -o -`".to_owned(),
        );
    }
    if args.safety_only && (args.acceptance || args.non_progress) {
        return Some("--safety-only leaves infinite runs out, --acceptance and --non-progress ask for them".to_owned());
    }
    None
}

/// Why a claim does not go together with the options, if it does not.
pub fn claim_in_the_way(args: &CheckArgs, built: &Built) -> Option<String> {
    let name = built.claim_name.as_ref().filter(|_| args.non_progress)?;
    Some(format!(
        "--non-progress and the claim `{name}` cannot be checked together, because the claim leaves runs out: \
         --no-claim leaves the claim out"
    ))
}
