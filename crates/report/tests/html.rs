//! What the view of a trace contains, as a file. How it behaves in a browser is tested with the command.

use selvedge_core::trace::{
    Changes, LinkKind, SCHEMA, StateChanges, TraceBound, TraceInput, TraceLink, TraceLocation, TraceStep, TraceThread,
    TraceViolation, TraceWaiting,
};
use selvedge_core::{BoundKind, Switch, Trace, ViolationKind};
use selvedge_report::{ViewFile, html, trace_from_json, trace_to_json};
use serde_json::{Value, json};

const HOSTILE: &str = "</script><!--<script><b onclick='x'>&amp;\u{2028}\"";

fn step(thread: u32, line: u32, text: &str) -> TraceStep {
    TraceStep {
        thread: Some(thread),
        location: Some(TraceLocation { file: "a.pml".into(), line, column: 5 }),
        text: text.into(),
        ..TraceStep::default()
    }
}

fn trace(text: &str) -> Trace {
    let thread = |id: u32, number: Option<u32>, name: &str| TraceThread { id, number, name: name.into() };
    let mut last = step(7, 3, text);
    last.switch = Switch::Preemptive;
    last.changes = Changes(vec![("t".into(), text.into())]);
    last.state = Some(StateChanges(vec![("p[1].t".into(), Some(text.into())), ("q[2].u".into(), None)]));
    last.follows = vec![TraceLink { step: 1, kind: LinkKind::Lock, what: Some(text.into()) }];
    last.output = Some(text.into());
    Trace {
        schema: SCHEMA,
        input: TraceInput { path: "a.pml".into(), language: "promela".into(), sha256: String::new() },
        options: Default::default(),
        bound: TraceBound { kind: BoundKind::Preemptions, value: Some(1) },
        violation: Some(TraceViolation {
            kind: ViolationKind::Assertion,
            message: text.into(),
            location: Some(TraceLocation { file: "b.h".into(), line: 1, column: 1 }),
            preemptions: Some(1),
            preemptions_per_cycle: None,
            switches: 1,
            length: 2,
            explanation: None,
            avoided_by_swapping: None,
        }),
        threads: vec![thread(0, None, "q"), thread(7, Some(1), "p(1)")],
        initial: Changes(vec![("x".into(), "0".into()), ("p[1].t".into(), "0".into()), ("q[2].u".into(), "1".into())]),
        steps: vec![step(0, 2, "x = 1"), last],
        waiting: vec![TraceWaiting {
            thread: 0,
            location: TraceLocation { file: "a.pml".into(), line: 9, column: 1 },
            reason: text.into(),
            since: Vec::new(),
        }],
    }
}

fn files(text: &str) -> Vec<ViewFile> {
    let file = |name: &str, text: Option<&str>| ViewFile { name: name.into(), text: text.map(str::to_owned) };
    vec![file("unrelated.h", Some("nobody names it")), file("b.h", None), file("a.pml", Some(text))]
}

/// What stands between two marks.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(inside, _)| inside).expect(from)
}

fn data(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"data\">", "</script>")).expect("the data is JSON")
}

#[test]
fn the_data_is_the_run() {
    let page = html(&trace("x != 1"), &files("one\ntwo\n"), &[]);
    let data = data(&page);
    assert_eq!(data["files"], json!([{"name": "a.pml", "text": "one\ntwo\n"}, {"name": "b.h", "text": null}]));
    assert_eq!(data["initial"], json!([["x", "0"], ["p[1].t", "0"], ["q[2].u", "1"]]));
    assert_eq!(data["threads"][1], json!({"name": "p(1)", "prefixes": ["p[1].", "p(1)."]}));
    let last = &data["steps"][1];
    assert_eq!(last["thread"], 1, "threads are named by their place in the list");
    assert_eq!(last["changes"], json!([["p[1].t", "x != 1"], ["q[2].u", null]]));
    assert_eq!(last["stated"], json!([["t", "x != 1"]]));
    assert_eq!(last["switch"], "preemptive");
    assert_eq!(last["follows"], json!([[1, "lock", "x != 1"]]));
    assert_eq!(data["places"][last["place"].as_u64().expect("a number") as usize], json!([0, 3, 5, "x != 1"]));
    assert_eq!(data["fails"], true);
    assert_eq!(between(&page, "<title>", "</title>"), "violated: x != 1 – a.pml – Selvedge");
}

#[test]
fn nothing_of_a_model_is_markup() {
    let page = html(&trace(HOSTILE), &files(HOSTILE), &[HOSTILE.to_owned()]);
    let plain = html(&trace("plain"), &files("plain"), &["plain".to_owned()]);
    for mark in ["<script", "</script", "<b", "<!--", "<p", "onclick"] {
        let expected =
            plain.matches(mark).count() + if mark == "onclick" { page.matches("b onclick=").count() } else { 0 };
        assert_eq!(page.matches(mark).count(), expected, "{mark}");
    }
    let data = data(&page);
    assert_eq!(data["files"][0]["text"], HOSTILE);
    assert_eq!(data["steps"][1]["output"], HOSTILE);
    assert!(between(&page, "<h1>", "</h1>").starts_with("&lt;/script&gt;"));
}

#[test]
fn the_page_allows_itself_and_nothing_else() {
    let page = html(&trace("x"), &files("x"), &[]);
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    let scripts = page.split("<script>").nth(1).expect("a script");
    for reference in ["http://", "https://", " src=", "href=", "@import", "url(h"] {
        let found = page.matches(reference).count();
        // The name of SVG's elements is no address to be loaded.
        let names = if reference == "http://" { scripts.matches("http://www.w3.org/2000/svg").count() } else { 0 };
        assert_eq!(found, names, "{reference}");
    }
}

#[test]
fn the_same_trace_gives_the_same_small_page_also_from_its_file() {
    let trace = trace("x");
    let page = html(&trace, &files("x"), &[]);
    let read = trace_from_json(&trace_to_json(&trace)).expect("a trace");
    assert_eq!(read, trace);
    assert_eq!(html(&read, &files("x"), &[]), page);
    let mut long = trace.clone();
    long.steps = (0..2000)
        .map(|n| TraceStep { changes: Changes(vec![("x".into(), n.to_string())]), ..step(0, 2, "x++") })
        .collect();
    let size = html(&long, &files(&"a line of the model\n".repeat(300)), &[]).len();
    assert!(size < 500_000, "{size} bytes");
}

#[test]
fn links_that_lead_nowhere_are_refused() {
    let mut wrong = trace("x");
    wrong.steps[0].follows = vec![TraceLink { step: 2, kind: LinkKind::Message, what: None }];
    let error = trace_from_json(&trace_to_json(&wrong)).expect_err("refused");
    assert_eq!(error, "step 1 follows step 2, which is not before it");
    let mut unknown = trace("x");
    unknown.steps[0].spawns = vec![3];
    let error = trace_from_json(&trace_to_json(&unknown)).expect_err("refused");
    assert_eq!(error, "step 1 names thread 3, which `threads` does not list");
    assert!(html(&unknown, &[], &[]).contains("</html>"), "a trace that was not read from a file is shown without it");
}

#[test]
fn a_run_without_steps_or_violation_has_a_page() {
    let empty = Trace { steps: Vec::new(), violation: None, waiting: Vec::new(), ..trace("x") };
    let page = html(&empty, &[], &[]);
    assert_eq!(between(&page, "<title>", "</title>"), "run: a run that ends in no violation – a.pml – Selvedge");
    assert_eq!(data(&page)["steps"], json!([]));
}
