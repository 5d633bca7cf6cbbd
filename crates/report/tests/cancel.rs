//! Drawing and writing a run may be cancelled at any question: then there is no result. Where nothing is cancelled, the questions
//! change nothing, and they are asked all along a long run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_core::Trace;
use selvedge_report::{
    LaneOptions, html, html_until, lanes, lanes_until, trace_from_json, trace_to_json, trace_to_json_until,
};
use selvedge_source::Cancel;

/// The steps of a stored run, again and again.
fn long_run(steps: usize) -> Trace {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lanes");
    let mut files: Vec<_> = std::fs::read_dir(path).expect("stored runs").flatten().map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let text = std::fs::read_to_string(&files[0]).expect("a stored run");
    let mut trace = trace_from_json(&text).expect("a run");
    trace.steps = trace.steps.iter().cycle().take(steps).cloned().collect();
    trace.steps.iter_mut().for_each(|step| step.follows.clear());
    trace
}

/// Writes a run, unless it is cancelled.
type Render<'a> = &'a dyn Fn(&Cancel) -> Option<String>;

/// Cancelled at the question with this number; and how many questions were asked.
fn cancelled_at(at: u64, render: Render<'_>) -> (Option<String>, u64) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let result = render(&Cancel::when(move || counter.fetch_add(1, Ordering::Relaxed) == at));
    (result, asked.load(Ordering::Relaxed))
}

#[test]
fn whoever_is_cancelled_has_no_result() {
    let trace = long_run(2_000);
    let full = LaneOptions { full: true, ..LaneOptions::default() };
    let renderers: [(&str, String, Render<'_>); 4] = [
        ("folded", lanes(&trace, &LaneOptions::default()), &|c| lanes_until(&trace, &LaneOptions::default(), c)),
        ("full", lanes(&trace, &full), &|c| lanes_until(&trace, &full, c)),
        ("json", trace_to_json(&trace), &|c| trace_to_json_until(&trace, c)),
        ("html", html(&trace, &[], &[]), &|c| html_until(&trace, &[], &[], c)),
    ];
    for (name, whole, render) in renderers {
        let (result, questions) = cancelled_at(u64::MAX, render);
        assert!(result == Some(whole), "{name}");
        assert!(questions >= 8, "{name}: {questions} questions");
        for at in 0..questions {
            let (result, asked) = cancelled_at(at, render);
            assert_eq!((result, asked), (None, at + 1), "{name}: question {at} of {questions}");
        }
    }
}
