//! The last lines of an answer: the commands to go on with, whichever engine gave it.

use std::path::Path;

use selvedge_verify::{Bound, BoundKind, StopReason};

use crate::outputs::Saved;
use crate::shell;

/// After a violation: how to replay and view the run that was shown.
pub fn after_a_violation(model: &str, saved: &Saved, several: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for trace in &saved.traces {
        lines.push(format!("replay: selvedge replay {}", shell::quote(trace)));
    }
    for trace in saved.traces.iter().filter(|_| saved.views.is_empty()) {
        lines.push(format!("view: selvedge view {}", shell::quote(trace)));
    }
    lines.extend(saved.views.iter().map(|view| format!("view: {} (open it in a browser)", shell::quote(view))));
    if several {
        if lines.is_empty() {
            lines.push("save the traces: add --trace-out DIR/, or --html DIR/ for web pages".to_owned());
        }
        return lines;
    }
    if saved.traces.is_empty() {
        let name = shell::trace_name(Path::new(model));
        lines.push(format!("save the trace: {}", shell::again_with(&["--trace-out", &name])));
    }
    if saved.traces.is_empty() && saved.views.is_empty() {
        let name = shell::view_name(Path::new(model));
        lines.push(format!("view it: {}", shell::again_with(&["--html", &name])));
    }
    lines
}

/// After a certificate was written: how to check it.
pub fn check_the_proof(model: &str, saved: &Saved) -> Option<String> {
    let certificate = saved.certificate.as_ref()?;
    Some(format!("check the certificate: selvedge certify {} {}", shell::quote(model), shell::quote(certificate)))
}

/// After a search that found nothing within its bound: how to look further.
pub fn higher_bound(bound: Bound, several: bool) -> Option<String> {
    let name = match bound.kind {
        BoundKind::Preemptions => "--preemptions",
        BoundKind::Switches => "--switches",
        BoundKind::Rounds => "--rounds",
        BoundKind::Depth => "--depth",
        BoundKind::ThreadSwitches => "--thread-switches",
        BoundKind::Strata => "--strata",
        _ => return None,
    };
    if several {
        return None;
    }
    let higher = bound.value?.checked_add(1)?;
    Some(format!("continue: {}", shell::again_replacing(name, &higher.to_string(), &["--max-bound"])))
}

/// After a search that a limit ended: which one to raise.
pub fn higher_limit(stop: StopReason) -> Option<String> {
    let option = match stop {
        StopReason::Time => "--time-limit",
        StopReason::Memory => "--memory-limit",
        StopReason::States => "--max-states",
        StopReason::Depth => "--max-depth",
        StopReason::Stack => "--stack-limit",
        StopReason::Threads => "--thread-limit",
        StopReason::Tokens => "--token-limit",
        StopReason::Exhausted
        | StopReason::Bound
        | StopReason::Violation
        | StopReason::GaveUp
        | StopReason::Interrupted => return None,
    };
    Some(format!("to explore more, raise {option}"))
}
