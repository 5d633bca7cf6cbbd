//! What `check` cannot do in this version, in the words of the refusal. Nothing is ignored silently.

use selvedge_promela::build::Built;

use super::outputs;
use crate::args::CheckArgs;

/// Why this combination of options is refused, if it is.
pub fn refusal(args: &CheckArgs) -> Option<String> {
    if args.files.len() > 1 && args.json {
        return Some("--json prints one object, so it needs one FILE: run `selvedge check` once for each".to_owned());
    }
    for (name, out) in [("trace-out", &args.trace_out), ("html", &args.html)] {
        let Some(out) = out else { continue };
        if args.files.len() > 1 && !outputs::is_directory(out) {
            return Some(format!(
                "--{name} writes one file for each FILE: name a directory for them, such as --{name} runs/"
            ));
        }
        if out.as_os_str() == "-" {
            let instead = if name == "html" { ", or use `selvedge view -o -`" } else { "" };
            return Some(format!("--{name} - would print the file among the answer: name a file{instead}"));
        }
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
