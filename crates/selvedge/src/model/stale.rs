//! Stale accesses in words: what each of them overlooked, which ordering allowed it, and which would not have.

use std::sync::atomic::Ordering;

use selvedge_stateless::{At, Change, Changed, RecordedRun, RecordedStep, StaleAccess};

use crate::primitive::notes;

/// A sentence for each stale access of a run.
pub(super) fn sentences(run: &RecordedRun) -> Vec<String> {
    run.steps.iter().filter_map(|step| Some(sentence(run, step, step.stale.as_ref()?))).collect()
}

fn place(at: At) -> String {
    format!("{}:{}:{}", at.file(), at.line(), at.column())
}

fn sentence(run: &RecordedRun, step: &RecordedStep, stale: &StaleAccess) -> String {
    let thread = |step: &RecordedStep| run.threads.get(step.thread.index()).map_or("a thread", |t| t.name.as_str());
    let object = step.object.as_deref().unwrap_or("an atomic");
    let note = notes::read(step.note.as_deref().unwrap_or(""));
    let newest = stale.newest.and_then(|newest| run.steps.get(newest));
    let newer = newest.map_or("a newer value is there".to_owned(), |newest| {
        let value = notes::read(newest.note.as_deref().unwrap_or("")).value;
        let value = if value.is_empty() { "a newer value" } else { value };
        format!("{} stored {value} at {}", thread(newest), place(newest.at))
    });
    let does = match (stale.reads, stale.writes) {
        (true, false) => format!("reads {} from {object}", note.result),
        (false, _) => format!("stores {} to {object} behind an older value", note.arguments),
        (true, true) => format!("reads {} from {object} and stores behind it", note.result),
    };
    let (me, at, verb) = (thread(step), place(step.at), step.verb);
    format!("{me} {does} at {at}, although {newer}; allowed because {}", reason(stale.order, verb))
}

/// The ordering that allows it, as far as it is that of the access itself.
fn reason(order: Ordering, verb: &str) -> String {
    match order {
        Ordering::SeqCst => format!("not everything around the {verb} is `SeqCst`"),
        order => format!("the {verb} is `{order:?}`"),
    }
}

/// Changes that forbid a run: `Acquire` at a.rs:12:9.
pub(super) fn fix(changes: &[Change]) -> String {
    let one = |change: &Change| {
        let at = place(change.at);
        match change.what {
            Changed::Order(order) => format!("`{order:?}` at {at}"),
            Changed::Failure(order) => format!("`{order:?}` for failure at {at}"),
            Changed::FenceBefore(order) => format!("`fence({order:?})` before {at}"),
            Changed::FenceAfter(order) => format!("`fence({order:?})` after {at}"),
        }
    };
    changes.iter().map(one).collect::<Vec<_>>().join(" and ")
}
