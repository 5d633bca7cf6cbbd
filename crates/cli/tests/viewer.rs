//! The view of a trace in a real browser, and the commands that write it. Without a browser the tests of the page itself
//! say so and are done; what the file contains is tested in `crates/report/tests/html.rs`, browser or not.

mod browser;
mod support;

use browser::{Browser, Page};
use serde_json::{Value, json};
use support::{DEADLOCK, HOLDS, RACE, Scratch};

/// Structs, arrays, channels, a lock, a process that starts another.
const SHAPES: &str = "\
typedef Point { byte x; byte y[2] };
chan q = [3] of { byte, byte };
chan hands = [0] of { byte };
Point p;
byte total[4], lock;
proctype consumer(byte wanted) {
    byte a, b;
    q?a,b; q?a,b;
    (lock == 0) -> total[a] = total[a] + b;
    p.y[1] = a;
    hands?b;
    assert(b != wanted)
}
init {
    byte i = 1;
    lock = 1;
    run consumer(9);
    q!1,2; p.x = 7; q!3,4;
    lock = 0;
    hands!9
}
";

/// Two processes that go round for ever.
const LASSO: &str = "\
byte x;
active proctype left() { accept: do :: x = 1; x = 2 od }
";

/// Ten thousand steps.
const LONG: &str = "\
chan q = [3] of { byte };
int sum; byte turn;
active proctype producer() { byte i; do :: turn == 0 -> q!i; i++; turn = 1 od }
active proctype consumer() { byte a; do :: turn == 1; q?a; sum = sum + a; turn = 0 od }
";

/// A saved trace and its view.
struct Viewed {
    scratch: Scratch,
    trace: Value,
}

impl Viewed {
    fn of(name: &str, model: &str, options: &[&str]) -> Viewed {
        let scratch = Scratch::new(&format!("viewer-{name}"));
        scratch.write("model.pml", model);
        let files = ["--trace-out", "t.json", "--html", "t.html"];
        let ran = scratch.run(&[&["check", "model.pml"], options, &files].concat());
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        let trace = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
        Viewed { scratch, trace }
    }

    fn url(&self) -> String {
        format!("file://{}", self.scratch.path("t.html").display())
    }

    fn steps(&self) -> &[Value] {
        self.trace["steps"].as_array().expect("steps")
    }
}

const WIDE: (u32, u32) = (1440, 900);

fn browser(name: &str) -> Option<Browser> {
    let profile = std::env::temp_dir().join(format!("selvedge-browser-{name}-{}", std::process::id()));
    match Browser::start(profile) {
        Ok(browser) => Some(browser),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

fn current(page: &mut Page<'_>) -> i64 {
    page.eval("Number(document.querySelector('#steps .selected')?.dataset.step ?? -1)").as_i64().expect("a number")
}

/// The strings of a list that the page computes.
fn strings(page: &mut Page<'_>, expression: &str) -> Vec<String> {
    let list = page.eval(&format!("[...{expression}]"));
    list.as_array().expect("a list").iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn steps_are_reached_by_address_key_and_click() {
    let Some(mut browser) = browser("steps") else { return };
    let race = Viewed::of("steps", RACE, &[]);
    let last = race.steps().len() as i64;
    let mut page = browser.open(&format!("{}#step=7", race.url()), WIDE, false);
    assert_eq!(current(&mut page), 7);
    assert!(page.text("document.title").starts_with("violated: assertion violated: x == 2"));
    for (key, at) in [("j", 8), ("k", 7), ("ArrowDown", 8), ("ArrowUp", 7), ("Home", 0), ("End", last), ("k", last - 1)]
    {
        page.keys(&[key]);
        assert_eq!(current(&mut page), at, "after {key}");
        assert_eq!(page.text("location.hash"), format!("#step={at}"));
    }
    page.reload();
    assert_eq!(current(&mut page), last - 1, "the address keeps the step");
    page.keys(&["Home", "p"]);
    let preemption = race.steps().iter().position(|step| step["switch"] == "preemptive").expect("one") as i64 + 1;
    assert_eq!(current(&mut page), preemption);
    page.keys(&["Home", "/", "d", "o", "n", "e", "Enter"]);
    let named = |step: &Value| step["text"].as_str().is_some_and(|text| text.contains("done"));
    assert_eq!(current(&mut page), race.steps().iter().position(named).expect("one") as i64 + 1);
    page.keys(&["Home", "?"]);
    assert_eq!(page.eval("document.getElementById('help').open"), json!(true));
    page.close();
}

#[test]
fn a_step_marks_its_statement_by_line_and_column() {
    let Some(mut browser) = browser("source") else { return };
    for (name, model) in [("source", RACE), ("shapes", SHAPES), ("wait", DEADLOCK)] {
        let viewed = Viewed::of(name, model, &[]);
        let mut page = browser.open(&viewed.url(), WIDE, false);
        for (index, step) in viewed.steps().iter().enumerate() {
            page.click(&format!("#step-{}", index + 1));
            let marked = page.eval(
                "(() => { const mark = document.querySelector('#source mark.now'); const line = mark.closest('.line');
                 const before = document.createRange(); before.setStart(line.querySelector('code'), 0); before.setEndBefore(mark);
                 return [Number(line.dataset.line), [...before.toString()].length + 1,
                         [...document.querySelectorAll('#source mark.now')].map((m) => m.textContent).join('')]; })()",
            );
            assert_eq!(marked[0], step["location"]["line"], "{step}");
            assert_eq!(marked[1], step["location"]["column"], "{step}");
            let bare = |text: &Value| text.as_str().unwrap_or_default().split_whitespace().collect::<String>();
            if step["text"] != "-end-" {
                assert_eq!(bare(&marked[2]), bare(&step["text"]), "{step}");
            }
        }
        page.close();
    }
}

/// The full names of the variables that a step changes, as the file says.
fn changed(step: &Value) -> Vec<String> {
    let changes = step.get("state").unwrap_or(&step["changes"]);
    changes.as_object().expect("an object").keys().cloned().collect()
}

#[test]
fn changed_variables_are_those_of_the_file() {
    let Some(mut browser) = browser("state") else { return };
    let viewed = Viewed::of("state", SHAPES, &[]);
    let mut page = browser.open(&format!("{}#step=0", viewed.url()), WIDE, false);
    assert_eq!(strings(&mut page, "document.querySelectorAll('#state [data-variable]')").len(), 0);
    let mut nested = 0;
    for step in viewed.steps() {
        page.keys(&["j"]);
        let marked = strings(
            &mut page,
            "[...document.querySelectorAll('#state [data-variable]')].map((e) => e.dataset.variable)",
        );
        let wanted = changed(step);
        for name in &wanted {
            assert!(marked.contains(name), "{name} is not marked: {marked:?}\n{step}");
        }
        let part_of =
            |name: &String| wanted.iter().any(|whole| name == whole || name.starts_with(&format!("{whole}[")));
        assert!(marked.iter().all(part_of), "{marked:?} but {wanted:?}\n{step}");
        nested += marked.iter().filter(|name| !wanted.contains(name)).count();
    }
    assert!(nested > 0, "messages are marked inside their channel");
    // Values at the end are those of the last changes.
    assert_eq!(
        page.text("document.querySelector('#state [data-name=\"p\"] + .parts [data-value-of=\"p.x\"]').textContent"),
        "7"
    );
    page.click("#state [data-name=\"lock\"] .pin");
    page.keys(&["Home"]);
    assert_eq!(
        strings(&mut page, "[...document.querySelectorAll('.pinned .variable')].map((e) => e.dataset.name)"),
        ["lock"]
    );
    page.close();
}

#[test]
fn filters_leave_the_steps_they_name() {
    let Some(mut browser) = browser("filters") else { return };
    let viewed = Viewed::of("filters", SHAPES, &[]);
    let rows = "[...document.querySelectorAll('#steps .step')].map((row) => row.dataset.step)";
    let numbers = |wanted: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let all = viewed.steps().iter().enumerate();
        all.filter(|(_, step)| wanted(step)).map(|(index, _)| (index + 1).to_string()).collect()
    };
    let mut page = browser.open(&viewed.url(), WIDE, false);
    let headings = "[...document.querySelectorAll('.heading .name')].map((e) => e.textContent)";
    assert_eq!(strings(&mut page, headings), ["init", "consumer"]);
    let consumer = viewed.trace["threads"][1]["id"].clone();
    page.click("#threads button:nth-child(1)");
    assert_eq!(strings(&mut page, headings), ["consumer"]);
    let takes_part = |step: &Value| step["thread"] == consumer || step["partner"]["thread"] == consumer;
    assert_eq!(strings(&mut page, rows), numbers(&takes_part), "numbers stay");
    page.click("#threads button:nth-child(1)");
    page.click("#state [data-name=\"lock\"] .variable-name");
    let names_lock = |step: &Value| {
        let text = step["text"].as_str().unwrap_or_default();
        changed(step).contains(&"lock".to_owned())
            || text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "lock")
    };
    let touching = numbers(&names_lock);
    assert!(touching.len() >= 3 && touching.len() < viewed.steps().len());
    assert_eq!(strings(&mut page, rows), touching);
    page.keys(&["Escape"]);
    assert_eq!(strings(&mut page, rows).len(), viewed.steps().len());
    page.close();
}

#[test]
fn the_diagram_has_the_arrows_contexts_and_loops_of_the_file() {
    let Some(mut browser) = browser("diagram") else { return };
    let viewed = Viewed::of("diagram", SHAPES, &[]);
    let mut page = browser.open(&viewed.url(), WIDE, false);
    let mut wanted = Vec::new();
    for (index, step) in viewed.steps().iter().enumerate() {
        for link in step["follows"].as_array().into_iter().flatten() {
            wanted.push(format!("{} {}-{}", link["kind"].as_str().expect("a kind"), link["step"], index + 1));
        }
    }
    for kind in ["message", "spawn", "unblocks"] {
        assert!(wanted.iter().any(|link| link.starts_with(kind)), "no {kind} in {wanted:?}");
    }
    let drawn = "[...document.querySelectorAll('.link[data-from]')].map((e) => `${e.classList[1]} ${e.dataset.from}-${e.dataset.to}`)";
    let mut drawn = strings(&mut page, drawn);
    wanted.sort();
    drawn.sort();
    assert_eq!(drawn, wanted);
    let contexts = strings(&mut page, "[...document.querySelectorAll('.context b')].map((e) => e.textContent)");
    let switches = viewed.trace["violation"]["switches"].as_u64().expect("a number");
    assert_eq!(contexts, (1..=switches + 1).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(page.text("document.querySelector('.diagram').getAttribute('aria-label')").contains("2 threads"));
    page.picture("shapes.png");
    page.close();

    let lasso = Viewed::of("lasso", LASSO, &["--acceptance"]);
    let mut page = browser.open(&lasso.url(), WIDE, false);
    assert_eq!(page.eval("document.querySelectorAll('.link.loop').length"), json!(1));
    assert!(page.text("document.getElementById('steps').textContent").contains("cycle starts here"));
    page.picture("lasso.png");
    page.close();

    let deadlock = Viewed::of("deadlock", DEADLOCK, &[]);
    let mut page = browser.open(&deadlock.url(), WIDE, true);
    assert_eq!(page.eval("document.querySelectorAll('.waiting').length"), json!(2));
    page.picture("deadlock-dark.png");
    page.close();
}

#[test]
fn text_of_a_model_is_text() {
    let Some(mut browser) = browser("hostile") else { return };
    let scratch = Scratch::new("viewer-hostile");
    let model = "byte x; /* <!-- </script><b id=injected>&amp; */\nactive proctype p() { \
                 printf(\"</script><b id=injected>\\n\"); x = 1; assert(x < 1) }\n";
    scratch.write("</b><b id=injected>.pml", model);
    let ran = scratch.run(&["check", "</b><b id=injected>.pml", "--html", "t.html"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let mut page = browser.open(&format!("file://{}#step=1", scratch.path("t.html").display()), WIDE, false);
    assert_eq!(page.eval("document.getElementById('injected')"), Value::Null);
    let body = page.text("document.body.innerText");
    assert!(body.contains("/* <!-- </script><b id=injected>&amp; */"), "{body}");
    assert!(body.contains("prints \"</script><b id=injected>"), "{body}");
    assert!(page.text("document.title").contains("</b><b id=injected>.pml"));
    page.close();
}

#[test]
fn ten_thousand_steps_have_few_rows() {
    let Some(mut browser) = browser("long") else { return };
    let scratch = Scratch::new("viewer-long");
    scratch.write("long.pml", LONG);
    let ran = scratch.run(&["simulate", "long.pml", "--steps", "10000", "--trace-out", "t.json", "--quiet"]);
    assert!(ran.code < 2, "{}{}", ran.out, ran.err);
    let ran = scratch.run(&["view", "t.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rows = "document.querySelectorAll('.row').length";
    let few = |page: &mut Page<'_>| page.eval(rows).as_u64().expect("a number") < 500;
    let mut page = browser.open(&format!("file://{}", scratch.path("t.html").display()), WIDE, false);
    println!("ready after {} ms", page.eval("Math.round(performance.now())"));
    assert_eq!(page.eval("steps = document.querySelectorAll('#steps .step').length > 10"), json!(true));
    assert!(few(&mut page));
    page.keys(&["End"]);
    assert_eq!(current(&mut page), 10_000);
    assert!(few(&mut page));
    page.keys(&["k", "PageUp"]);
    assert_eq!(current(&mut page), 9_989);
    page.eval("document.getElementById('steps').scrollTop = 100000");
    page.wait("[...document.querySelectorAll('#steps .step')].some((row) => row.dataset.step > 2000 && row.dataset.step < 5000)");
    assert!(few(&mut page));
    let painted = "new Promise((done) => { const start = performance.now(); document.dispatchEvent(new KeyboardEvent('keydown', \
                   {key: 'j'})); requestAnimationFrame(() => requestAnimationFrame(() => done(Math.round(performance.now() - start)))); })";
    println!("a key press is painted after {} ms", page.eval(painted));
    page.picture("long.png");
    page.close();
}

#[test]
fn a_narrow_window_needs_no_scrolling_sideways() {
    let Some(mut browser) = browser("narrow") else { return };
    let viewed = Viewed::of("narrow", SHAPES, &[]);
    for (size, dark) in [((375, 800), false), ((375, 800), true), ((720, 450), false)] {
        let mut page = browser.open(&viewed.url(), size, dark);
        let width = page.eval("document.documentElement.scrollWidth").as_u64().expect("a number");
        assert!(width <= size.0.into(), "{width} in {size:?}");
        if size.0 == 375 {
            let small = "[...document.querySelectorAll('button, input, #steps .step')].filter((e) => e.offsetHeight > 0 && \
                         e.getBoundingClientRect().height < 44).map((e) => e.id || e.className)";
            assert_eq!(strings(&mut page, small), Vec::<String>::new(), "too small to touch");
            // The statement has a line of its own, the numbers are whole, and the steps can be gone through wherever the page is scrolled to.
            let cut = "[...document.querySelectorAll('.statement, .step .number')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)";
            assert_eq!(strings(&mut page, cut), Vec::<String>::new(), "cut off");
            page.eval("window.scrollTo(0, document.body.scrollHeight)");
            let top = page.eval("document.querySelector('.go').getBoundingClientRect().top").as_f64();
            assert!(top.is_some_and(|top| top >= 0.0), "the toolbar is out of sight: {top:?}");
            page.eval("window.scrollTo(0, 0)");
        }
        page.keys(&["Home", "j", "j"]);
        assert_eq!(current(&mut page), 2);
        page.picture(&format!("narrow-{}-{}.png", size.0, if dark { "dark" } else { "light" }));
        page.close();
    }
}

#[test]
fn the_page_can_be_used_without_a_mouse_and_without_seeing_it() {
    let Some(mut browser) = browser("access") else { return };
    let race = Viewed::of("access", RACE, &[]);
    let mut page = browser.open(&format!("{}#step=2", race.url()), WIDE, false);
    let light = page.text("getComputedStyle(document.body).backgroundColor");
    page.keys(&["t"]);
    assert_ne!(page.text("getComputedStyle(document.body).backgroundColor"), light, "the other theme");
    let mut seen = Vec::new();
    for _ in 0..40 {
        page.keys(&["Tab"]);
        seen.push(page.text(
            "(() => { const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.textContent; })()",
        ));
        if seen.last().is_some_and(|id| id == "state") {
            break;
        }
    }
    let order = ["first", "on", "touching", "search", "keys", "theme", "Steps", "source", "state"];
    let places: Vec<Option<usize>> = order.iter().map(|id| seen.iter().position(|seen| seen == id)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{seen:?}");
    let unnamed = "[...document.querySelectorAll('button, input, [tabindex], svg')].filter((e) => !(e.getAttribute('aria-label') \
                   || e.textContent.trim() || e.closest('section[aria-label]'))).length";
    assert_eq!(page.eval(unnamed), json!(0));
    assert!(page.text("document.getElementById('announced').textContent").contains("Step 2"));
    let selected = page.text("document.querySelector('[role=listbox]').getAttribute('aria-activedescendant')");
    assert_eq!(page.text(&format!("document.getElementById('{selected}').getAttribute('aria-selected')")), "true");
    page.close();
}

#[test]
fn a_view_states_when_its_model_changed_or_is_gone() {
    let viewed = Viewed::of("changed", RACE, &[]);
    let scratch = &viewed.scratch;
    let same = scratch.run(&["view", "t.json", "-o", "again.html"]);
    assert_eq!((same.code, same.err.as_str()), (0, ""), "{}", same.out);
    assert!(same.out.starts_with("again.html: "), "{}", same.out);
    assert_eq!(scratch.read("again.html"), scratch.read("t.html"), "check and view write the same page");
    let piped = scratch.run(&["view", "t.json", "-o", "-"]);
    assert_eq!(piped.out, scratch.read("t.html"));
    scratch.write("model.pml", &format!("{RACE}/* changed */\n"));
    let changed = scratch.run(&["view", "t.json"]);
    assert_eq!(changed.code, 0);
    assert!(changed.err.contains("has changed since the trace was saved"), "{}", changed.err);
    assert!(scratch.read("t.html").contains("has changed since the trace was saved"));
    std::fs::remove_file(scratch.path("model.pml")).expect("removed");
    let gone = scratch.run(&["view", "t.json"]);
    assert_eq!(gone.code, 0);
    assert!(gone.err.replace("\n ", "").contains("the view has no source"), "{}", gone.err);
    let named = scratch.run(&["view", "t.json", "--model", "nowhere.pml"]);
    assert_eq!(named.code, 2);
    let nowhere = scratch.run(&["view", "t.json", "-o", "no/such/directory.html"]);
    assert_eq!(nowhere.code, 2);
    scratch.write("broken.json", "{\"schema\": 1");
    assert_eq!(scratch.run(&["view", "broken.json"]).code, 2);
}

#[test]
fn every_engine_writes_the_view() {
    let scratch = Scratch::new("viewer-engines");
    scratch.write("race.bp", include_str!("../../../corpus/boolprog/classic/lost_update.bp"));
    for engine in ["symbolic", "explicit"] {
        let ran = scratch.run(&["check", "race.bp", "--engine", engine, "--html", "v.html"]);
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("view: v.html"), "{}", ran.out);
        assert!(scratch.read("v.html").contains("<title>violated: "));
        std::fs::remove_file(scratch.path("v.html")).expect("removed");
    }
    scratch.write("holds.pml", HOLDS);
    let none = scratch.run(&["check", "holds.pml", "--html", "none.html"]);
    assert_eq!(none.code, 0);
    assert!(none.err.contains("`none.html` was not written"), "{}", none.err);
    for refused in ["check holds.pml holds.pml --html none.html", "check holds.pml --html -"] {
        let ran = scratch.run(&refused.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{refused}: {}", ran.err);
    }
}

#[test]
fn stacks_of_threads_are_shown_and_statements_run_on() {
    let scratch = Scratch::new("viewer-network");
    scratch.write("lock.dcps", include_str!("../../../corpus/nets/broken_lock.dcps"));
    assert_eq!(scratch.run(&["check", "lock.dcps", "--html", "v.html"]).code, 1);
    let Some(mut browser) = browser("network") else { return };
    let mut page = browser.open(&format!("file://{}#step=5", scratch.path("v.html").display()), WIDE, false);
    // The names of these threads have dots in them, and are no parts of a record.
    let stack = |thread: &str| format!("document.querySelector('#state [data-name=\"{thread}\"] .value').textContent");
    let stacks = ["main", "main.1", "main.2"].map(|thread| page.text(&stack(thread)));
    assert_eq!(stacks, ["empty", "out → saw", "out"]);
    let statements = "[...document.querySelectorAll('.lane.t0 .statement, .lane.t1 .statement')]";
    let cut = format!("{statements}.filter((s) => s.scrollWidth > s.clientWidth + 1).length");
    assert_eq!(page.eval(&format!("{statements}.length")), 8);
    assert_eq!(page.eval(&cut), 0, "there is room in the lanes behind");
    page.picture("network.png");
    page.close();
}

/// A trace as the library for Rust code writes it: files from the root of the workspace, no hash, no initial values.
const RUST: &str = r#"{
  "schema": 1,
  "input": {"path": "crates/pool/tests/model.rs", "language": "rust", "sha256": ""},
  "bound": {"kind": "preemptions", "value": 1},
  "violation": {"kind": "deadlock", "message": "deadlock", "preemptions": 0, "switches": 1, "length": 3},
  "threads": [{"id": 0, "name": "main"}, {"id": 1, "name": "thread 1"}],
  "steps": [
    {"thread": 0, "location": {"file": "crates/pool/tests/model.rs", "line": 1, "column": 1}, "text": "spawn(thread 1)", "changes": {}, "switch": "none", "spawns": [1]},
    {"thread": 0, "location": {"file": "crates/pool/tests/model.rs", "line": 2, "column": 7}, "text": "jobs.lock", "changes": {}, "switch": "none"},
    {"thread": 1, "location": {"file": "crates/pool/tests/model.rs", "line": 3, "column": 7}, "text": "jobs.lock", "changes": {"jobs": "1"},
     "switch": "forced", "follows": [{"step": 1, "kind": "spawn"}, {"step": 2, "kind": "lock", "what": "jobs"}]}
  ],
  "waiting": [{"thread": 0, "location": {"file": "/rustc/library/std.rs", "line": 1, "column": 1}, "reason": "waits for jobs, held by main"}]
}"#;

#[test]
fn traces_of_rust_code_have_a_view() {
    let scratch = Scratch::new("viewer-rust");
    scratch.write("crates/pool/tests/model.rs", "fn model() {\n    a.lock();\n    b.lock();\n}\n");
    scratch.write("crates/pool/bug.json", RUST);
    let ran = scratch.run(&["view", "crates/pool/bug.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let stderr = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(stderr, "warning: `/rustc/library/std.rs` is not among the model's files: the view does not show it");
    let Some(mut browser) = browser("rust") else { return };
    let url = format!("file://{}#step=3", scratch.path("crates/pool/bug.html").display());
    let mut page = browser.open(&url, WIDE, false);
    let drawn = "[...document.querySelectorAll('.link[data-from]')].map((e) => `${e.classList[1]} ${e.dataset.from}-${e.dataset.to}`)";
    assert_eq!(strings(&mut page, drawn), ["spawn 1-3", "lock 2-3"]);
    assert_eq!(page.text("document.querySelector('mark.now').textContent"), "lock");
    assert_eq!(page.text("document.querySelector('#state ins').textContent"), "1");
    page.click("#steps .waiting");
    assert!(page.text("document.getElementById('source').textContent").contains("is not part of this page"));
    page.close();
}
