//! A recorded run as a trace, which every other tool reads.

use std::fmt::Write;

use selvedge_core::trace::{
    Changes, SCHEMA, TraceBound, TraceInput, TraceLocation, TraceOptions, TraceStep, TraceTest, TraceThread,
    TraceViolation, TraceWaiting,
};
use selvedge_core::{BoundKind, Trace};
use selvedge_stateless::{At, Config, RecordedRun, RecordedStep, SearchBound, Violation as Found, Waiting};

use super::explain::Failed;
use super::links;
use super::summary::limit;
use crate::primitive::notes;

/// The steps of the test itself: that the main closure has returned and waits for the other threads is the runtime's.
pub(super) fn shown(run: &RecordedRun) -> impl Iterator<Item = &RecordedStep> {
    run.steps.iter().filter(|step| is_users(step.at))
}

fn is_users(at: At) -> bool {
    let file = at.file().replace('\\', "/");
    !file.contains("crates/stateless/src/") && !file.contains("/selvedge-stateless-")
}

fn location(at: At) -> TraceLocation {
    TraceLocation { file: at.file().to_owned(), line: at.line(), column: at.column() }
}

/// The run of a test as every other tool reads it.
pub(super) fn trace(test: String, config: &Config, found: &Found) -> Trace {
    let run = &found.run;
    let threads = run.threads.iter().zip(0..).map(|(t, id)| TraceThread { id, number: None, name: t.name.clone() });
    let place = found.location.clone().map(|(file, line, column)| TraceLocation { file, line, column });
    let recorded: Vec<&RecordedStep> = shown(run).collect();
    let steps = steps(run, &recorded);
    let failed = Failed { found, recorded: &recorded, shown: &steps };
    let violation = TraceViolation {
        kind: found.kind,
        message: found.message.clone(),
        location: place.clone(),
        preemptions: Some(run.preemptions),
        preemptions_per_cycle: None,
        switches: run.switches,
        length: recorded.len() as u32,
        explanation: Some(failed.explanation()),
        avoided_by_swapping: None,
    };
    let path = run.steps.first().map_or(String::new(), |step| step.at.file().to_owned());
    Trace {
        schema: SCHEMA,
        input: TraceInput { path, language: "rust".to_owned(), sha256: String::new() },
        options: TraceOptions {
            test: Some(TraceTest { name: test, schedule: found.schedule.clone() }),
            ..TraceOptions::default()
        },
        bound: trace_bound(config.bound),
        violation: Some(violation),
        threads: threads.collect(),
        initial: Changes::default(),
        steps,
        waiting: run.waiting.iter().filter(|waiting| is_users(waiting.at)).map(waiting).collect(),
    }
}

fn steps(run: &RecordedRun, shown: &[&RecordedStep]) -> Vec<TraceStep> {
    let links = links::links(shown);
    let with_links = |(recorded, mut follows): (&&RecordedStep, Vec<_>)| {
        follows.extend(links::unseen(&run.steps, shown, recorded));
        TraceStep { follows, ..step(recorded) }
    };
    shown.iter().zip(links).map(with_links).collect()
}

fn trace_bound(bound: SearchBound) -> TraceBound {
    let kind = match bound {
        SearchBound::Preemptions(_) | SearchBound::Deviations(_) => BoundKind::Preemptions,
        SearchBound::Switches(_) => BoundKind::Switches,
        SearchBound::Depth(_) => BoundKind::Depth,
        SearchBound::Fair(_) => return TraceBound { kind: BoundKind::Unbounded, value: None },
    };
    TraceBound { kind, value: limit(bound) }
}

fn waiting(waiting: &Waiting) -> TraceWaiting {
    let reason = format!("waits for {}", waiting.reason);
    TraceWaiting { thread: waiting.thread.0, location: location(waiting.at), reason, since: Vec::new() }
}

/// A step in the words of the source: `head.compare_exchange(0, 1) → Ok(0)`.
fn step(step: &RecordedStep) -> TraceStep {
    let note = notes::read(step.note.as_deref().unwrap_or(""));
    let mut text = match &step.object {
        Some(object) => format!("{object}.{}", step.verb),
        None => step.verb.to_owned(),
    };
    // The runtime notes the other thread of these as what came out.
    let of_thread = matches!(step.verb, "spawn" | "join" | "is_finished" | "unpark") && note.arguments.is_empty();
    let arguments = if of_thread { note.result } else { note.arguments };
    if !arguments.is_empty() {
        let _ = write!(text, "({arguments})");
    }
    if !note.result.is_empty() && !of_thread {
        let _ = write!(text, " → {}", note.result);
    }
    if step.stale.is_some() {
        text.push_str(" (stale)");
    }
    // The atomic keeps its newest value.
    let changed = step
        .object
        .iter()
        .filter(|_| !note.value.is_empty() && step.stale.is_none())
        .map(|o| (o.clone(), note.value.to_owned()));
    TraceStep {
        thread: Some(step.thread.0),
        location: Some(location(step.at)),
        text,
        changes: Changes(changed.collect()),
        switch: step.switch,
        spawns: step.other.filter(|_| step.verb == "spawn").map(|child| child.0).into_iter().collect(),
        ..TraceStep::default()
    }
}
