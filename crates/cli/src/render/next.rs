//! The last lines of an answer: the commands to go on with, whichever engine gave it.

use std::path::Path;

use selvedge_verify::{Answer, Bound, BoundKind, Language, StopReason};

use crate::model_input::STDIN;
use crate::outputs::Saved;
use crate::shell;

/// After a violation: how to replay and view the run that was shown.
pub fn after_a_violation(answer: &Answer, saved: &Saved, one_of_many: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let with = to_find_the_model(answer);
    for trace in &saved.traces {
        lines.push(format!("replay: selvedge replay {}{with}", shell::quote(trace)));
    }
    for trace in saved.traces.iter().filter(|_| saved.views.is_empty()) {
        lines.push(format!("view: selvedge view {}{with}", shell::quote(trace)));
    }
    lines.extend(saved.views.iter().map(|view| format!("view: {} (open it in a browser)", shell::quote(view))));
    if one_of_many {
        if lines.is_empty() {
            lines.push("save the traces: add --trace-out DIR/, or --html DIR/ for web pages".to_owned());
        }
        return lines;
    }
    if saved.traces.is_empty() {
        let name = shell::trace_name(Path::new(&answer.path));
        lines.push(format!("save the trace: {}", shell::again_with(&["--trace-out", &name])));
    }
    if saved.traces.is_empty() && saved.views.is_empty() {
        let name = shell::view_name(Path::new(&answer.path));
        lines.push(format!("view it: {}", shell::again_with(&["--html", &name])));
    }
    lines
}

/// What a command about a trace needs to find the trace's model and the files that it includes.
fn to_find_the_model(answer: &Answer) -> String {
    let model = if answer.path == STDIN { " --model FILE" } else { "" };
    let directories = answer.traces.first().into_iter().flat_map(|trace| &trace.options.include_directories);
    let directories: String = directories.map(|directory| format!(" -I {}", shell::quote(directory))).collect();
    format!("{model}{directories}")
}

/// After a certificate was written: how to check it.
pub fn check_the_proof(model: &str, saved: &Saved) -> Option<String> {
    let certificate = saved.certificate.as_ref()?;
    Some(format!("check the certificate: selvedge certify {} {}", shell::quote(model), shell::quote(certificate)))
}

/// After a search that found nothing within its bound: how to look further.
pub fn higher_bound(bound: Bound, one_of_many: bool) -> Option<String> {
    let name = match bound.kind {
        BoundKind::Preemptions => "--preemptions",
        BoundKind::Switches => "--switches",
        BoundKind::Rounds => "--rounds",
        BoundKind::Depth => "--depth",
        BoundKind::ThreadSwitches => "--thread-switches",
        BoundKind::Strata => "--strata",
        _ => return None,
    };
    if one_of_many {
        return None;
    }
    let higher = bound.value?.checked_add(1)?;
    Some(format!("continue: {}", shell::again_replacing(name, &higher.to_string(), &["--max-bound"])))
}

/// After a search that did not follow calls beyond a depth: the bound with which another engine follows them all.
pub fn calls_of_any_depth(answer: &Answer, one_of_many: bool) -> Option<String> {
    let reads = matches!(answer.language, Language::Bp | Language::Dcps);
    let asks = answer.stop == StopReason::Stack && reads && !one_of_many && answer.path != STDIN;
    asks.then(|| format!("calls of any depth: selvedge check {} --thread-switches 1", shell::quote(&answer.path)))
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
