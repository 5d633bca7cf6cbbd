//! Who waits for whom at the end of a run: the text about each thread, and the circular wait.

use selvedge_core::Trace;
use selvedge_core::trace::TraceWaiting;

use crate::lanes::thread_name;
use crate::text::one_line;

/// What a thread waits for, and who has made it so.
pub(crate) fn reason(trace: &Trace, waiting: &TraceWaiting) -> String {
    let mut text = one_line(&waiting.reason);
    for (index, since) in waiting.since.iter().enumerate() {
        let before = if index == 0 { "; " } else { ", " };
        let what = one_line(&since.variable);
        let verb = if is_channel(trace, since.step) { "changed" } else { "set" };
        let who = thread_name(trace, since.thread);
        text.push_str(&format!("{before}{what} {verb} by {who} in step {}", since.step));
    }
    text
}

/// Whether a step sends or receives.
fn is_channel(trace: &Trace, step: u32) -> bool {
    let at = (step as usize).checked_sub(1);
    at.and_then(|at| trace.steps.get(at)).is_some_and(|step| step.message.is_some())
}

/// Threads each of which waits for what the next one has done, the last for the first: `a → b → a`.
pub(crate) fn circle(trace: &Trace) -> Option<String> {
    let names =
        |round: Vec<u32>| round.iter().map(|thread| thread_name(trace, *thread)).collect::<Vec<_>>().join(" → ");
    trace.circular_wait().map(names)
}
