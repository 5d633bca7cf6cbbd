//! Drawing and writing a run may be cancelled at any question: then there is no result. Where nothing is cancelled, the questions
//! change nothing, and they are asked all along a long run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_core::{Trace, Verdict, ViolationKind};
use selvedge_report::answer::{Answer, Record, Violation};
use selvedge_report::json::Scope;
use selvedge_report::{
    LaneOptions, github, html, html_until,
    junit::junit,
    lanes, lanes_until,
    sarif::{Setting, sarif},
    trace_from_json, trace_to_json, trace_to_json_until,
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

/// The answer of which this is the run.
fn record(trace: &Trace) -> Record {
    let violation = Violation {
        kind: ViolationKind::Assertion,
        message: "an assertion failed".to_owned(),
        location: None,
        line: String::new(),
        property: None,
        trace: Some(trace.clone()),
    };
    let answer = Answer {
        engine: "explicit".to_owned(),
        verdict: Verdict::Violated,
        words: vec!["violated".to_owned()],
        scope: Scope { checked: vec!["assertions (1)".to_owned()], ..Scope::default() },
        properties: Vec::new(),
        rest_decided: true,
        violations: vec![violation],
    };
    Record { path: "m.pml".to_owned(), answer: Some(answer), ..Record::default() }
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
    let never = Cancel::never();
    let records = [record(&trace)];
    let (relative, explain) = (str::to_owned, |_: &str| None);
    let setting = Setting { version: "1", relative: &relative, explain: &explain };
    let page = |c: &Cancel| github::summary(&records, c);
    let renderers: [(&str, String, Render<'_>); 8] = [
        ("folded", lanes(&trace, &LaneOptions::default()), &|c| lanes_until(&trace, &LaneOptions::default(), c)),
        ("full", lanes(&trace, &full), &|c| lanes_until(&trace, &full, c)),
        ("json", trace_to_json(&trace), &|c| trace_to_json_until(&trace, c)),
        ("html", html(&trace, &[], &[]), &|c| html_until(&trace, &[], &[], c)),
        ("sarif", sarif(&records, &setting, &never).expect("whole"), &|c| sarif(&records, &setting, c)),
        ("junit", junit(&records, &never).expect("whole"), &|c| junit(&records, c)),
        ("page", page(&never).expect("whole"), &page),
        ("runner", github::annotations(&records, &relative, &never).expect("whole"), &|c| {
            github::annotations(&records, &relative, c)
        }),
    ];
    for (name, whole, render) in renderers {
        let (result, questions) = cancelled_at(u64::MAX, render);
        assert!(result == Some(whole), "{name}");
        assert!(questions >= 8, "{name}: {questions} questions");
        for at in (0..questions).step_by((questions / 20).max(1) as usize) {
            let (result, asked) = cancelled_at(at, render);
            assert_eq!((result, asked), (None, at + 1), "{name}: question {at} of {questions}");
        }
    }
}
