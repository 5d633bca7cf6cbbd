//! Details of the view that a reader misses when they are wrong, in headless Chromium (skipped without one): the value
//! that a step changed is in sight, values are not cut off behind long names, a deadlock shows its circle, search goes from
//! match to match, a hidden thread leaves its switches, the strip shows the whole run, calls are indented.

#[allow(dead_code, reason = "these tests do not do all that a browser can")]
mod browser;
mod support;

use browser::{Browser, Page};
use serde_json::{Value, json};
use support::{RACE, Scratch, root};

const SMALL: (u32, u32) = (1280, 700);

/// Many variables, and long names with a value at their end.
const NESTED: &str = "\
typedef Inner { int payload[3] };
typedef Outer { Inner last_message; byte one; byte two; byte three; byte four; byte five };
Outer nodes_of_the_network[4];
byte filler_a, filler_b, filler_c, filler_d;
active proctype writer() {
    nodes_of_the_network[3].last_message.payload[2] = 4711;
    filler_a = nodes_of_the_network[3].five + filler_b + filler_c + filler_d;
    assert(nodes_of_the_network[3].last_message.payload[2] == 0)
}
";

fn browser(name: &str) -> Option<Browser> {
    let profile = std::env::temp_dir().join(format!("selvedge-browser-{name}-{}", std::process::id()));
    Browser::start(profile).map_err(|reason| println!("skipped: {reason}")).ok()
}

fn view(scratch: &Scratch, model: &str) -> String {
    let ran = scratch.run(&["check", model, "--html", "view.html", "--quiet"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    format!("file://{}", scratch.path("view.html").display())
}

/// The race, seen from its end: its address, and its steps.
fn race(scratch: &Scratch) -> (String, Vec<Value>) {
    scratch.write("race.pml", RACE);
    let ran = scratch.run(&["check", "race.pml", "--html", "view.html", "--trace-out", "t.json", "--quiet"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let trace: Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
    let steps = trace["steps"].as_array().expect("steps").clone();
    (format!("file://{}", scratch.path("view.html").display()), steps)
}

fn current(page: &mut Page<'_>) -> i64 {
    page.eval("Number(document.querySelector('#steps .selected')?.dataset.step ?? -1)").as_i64().expect("a number")
}

#[test]
fn search_goes_from_match_to_match() {
    let Some(mut browser) = browser("search") else { return };
    let scratch = Scratch::new("viewer-search");
    let (url, steps) = race(&scratch);
    let named = |step: &Value| step["text"].as_str().is_some_and(|text| text.contains("done"));
    let matches: Vec<i64> = steps.iter().zip(1i64..).filter(|(step, _)| named(step)).map(|(_, at)| at).collect();
    assert!(matches.len() >= 2, "{matches:?}");
    // The page opens at the end, from where the search goes on at the beginning.
    let mut page = browser.open(&url, SMALL, false);
    page.keys(&["/", "d", "o", "n", "e", "Enter"]);
    assert_eq!(current(&mut page), matches[0]);
    assert_eq!(page.text("document.getElementById('hits').textContent"), format!("{} matches", matches.len()));
    page.keys(&["n"]);
    assert_eq!(current(&mut page), matches[1]);
    page.keys(&["N"]);
    assert_eq!(current(&mut page), matches[0]);
    page.keys(&["N"]);
    assert_eq!(current(&mut page), *matches.last().expect("one"), "around the beginning");
    page.keys(&["Escape"]);
    assert_eq!(page.eval("document.querySelectorAll('.step.match').length"), json!(0));
    page.keys(&["/", "x", "y", "z", "z", "y", "j"]);
    assert_eq!(page.text("document.getElementById('search').value"), "xyzzyj", "in a field letters are letters");
    assert_eq!(page.text("document.getElementById('hits').textContent"), "no match");
    page.keys(&["Escape", "j"]);
    assert_eq!(page.text("document.getElementById('search').value"), "");
    page.keys(&["g", "2", "Enter"]);
    assert_eq!(current(&mut page), 2, "to a step by its number");
    page.close();
}

#[test]
fn a_hidden_thread_leaves_its_switches() {
    let Some(mut browser) = browser("hidden") else { return };
    let scratch = Scratch::new("viewer-hidden");
    let (url, _) = race(&scratch);
    let mut page = browser.open(&url, SMALL, false);
    let marks = "[...document.querySelectorAll('.switch.preemption .across')].map((e) => e.textContent).join('|')";
    let before = page.text(marks);
    assert!(before.contains(" is preempted by "), "{before}");
    let steps = page.eval("document.querySelectorAll('#steps .step').length");
    page.click("#threads button:nth-child(2)");
    assert_ne!(page.eval("document.querySelectorAll('#steps .step').length"), steps);
    assert_eq!(page.text(marks), before);
    page.close();
}

#[test]
fn the_strip_shows_the_whole_run() {
    let Some(mut browser) = browser("strip") else { return };
    let scratch = Scratch::new("viewer-strip");
    let (url, steps) = race(&scratch);
    let preemptions = steps.iter().filter(|step| step["switch"] == "preemptive").count();
    let mut page = browser.open(&url, SMALL, true);
    assert_eq!(page.eval("document.querySelectorAll('.strip .preempted').length"), json!(preemptions));
    assert_eq!(page.eval("document.querySelectorAll('.strip .failure').length"), json!(1));
    page.click("#overview");
    let (at, middle) = (current(&mut page), steps.len() as i64 / 2);
    assert!((at - middle).abs() <= 1, "{at} is not in the middle");
    page.close();
}

#[test]
fn the_changed_value_is_in_sight_and_not_cut_off() {
    let Some(mut browser) = browser("details") else { return };
    let scratch = Scratch::new("viewer-details");
    scratch.write("nested.pml", NESTED);
    let url = view(&scratch, "nested.pml");
    let mut page = browser.open(&format!("{url}#step=1"), SMALL, false);
    let in_sight = "(() => { const box = document.querySelector('#state').getBoundingClientRect(); \
        return [...document.querySelectorAll('#state ins')].some((e) => { const at = e.getBoundingClientRect(); \
        return at.top >= box.top && at.bottom <= box.bottom; }); })() ? 'yes' : 'no'";
    assert_eq!(page.text(in_sight), "yes");
    let changes = page.text("document.querySelector('#step-1 .changes').textContent");
    assert_eq!(changes, "…payload[2] = 4711");
    let whole = page.text("document.querySelector('#step-1 .changes').title");
    assert_eq!(whole, "nodes_of_the_network[3].last_message.payload[2] = 4711");
    page.close();
}

#[test]
fn a_deadlock_shows_its_circle() {
    let Some(mut browser) = browser("circle") else { return };
    let scratch = Scratch::new("viewer-circle");
    let model = root().join("docs/book/models/locks.pml");
    std::fs::copy(model, scratch.path("locks.pml")).expect("a copy");
    let url = view(&scratch, "locks.pml");
    let mut page = browser.open(&url, SMALL, true);
    let rows =
        page.text("[...document.querySelectorAll('#steps .waiting .across')].map((e) => e.textContent).join('|')");
    assert!(rows.contains("knife set by right in step 4"), "{rows}");
    let cut = "[...document.querySelectorAll('#steps .waiting .across')].filter((e) => e.scrollWidth > e.clientWidth).length ? 'cut' : 'whole'";
    assert_eq!(page.text(cut), "whole");
    let why = page.text("document.querySelector('header .why').textContent");
    assert!(why.starts_with("a circular wait: left waits for knife, which right set in step "), "{why}");
    assert!(rows.ends_with("circular wait: left → right → left"), "{rows}");
    page.close();
}

#[test]
fn calls_are_indented_and_a_frame_leads_to_its_place() {
    let Some(mut browser) = browser("stack") else { return };
    let scratch = Scratch::new("viewer-stack");
    std::fs::copy(root().join("corpus/boolprog/recursion/depth_05.bp"), scratch.path("depth.bp")).expect("a copy");
    let url = view(&scratch, "depth.bp");
    let mut page = browser.open(&format!("{url}#step=6"), SMALL, false);
    let frames = page.text("[...document.querySelectorAll('.frame')].map((e) => e.textContent).join('|')");
    assert!(frames.ends_with("|1main") && frames.contains("down"), "{frames}");
    let indent = page.text("document.querySelector('#step-6 .statement').textContent");
    assert!(indent.starts_with("    "), "{indent:?}");
    page.click(".frame:last-child");
    let marked = page.text("document.querySelector('#source mark.now').closest('.line').textContent");
    assert!(marked.contains("down()"), "{marked}");
    page.close();
}

#[test]
fn a_lasso_shows_what_its_property_asks() {
    let Some(mut browser) = browser("lasso") else { return };
    let scratch = Scratch::new("viewer-lasso");
    scratch.write("l.pml", "bool p; byte x;\nactive proctype A() { do :: x = 1 - x od }\nactive proctype B() { x == 5; p = true }\nltl resp { [] ((x == 1) -> <> p) }\n");
    let url = view(&scratch, "l.pml");
    let mut page = browser.open(&url, SMALL, false);
    assert!(page.text("document.querySelector('h1').textContent").contains("[] ((x == 1) -> <> p)"));
    let asked = page.text("[...document.querySelectorAll('[data-proposition]')].map((e) => e.textContent).join('|')");
    assert_eq!(asked, "pfalse|x == 1false");
    page.close();
}

#[test]
fn a_single_thread_on_a_phone_has_its_statements_in_full() {
    let Some(mut browser) = browser("phone") else { return };
    let scratch = Scratch::new("viewer-phone");
    let model = "byte count, first = 1, second = 2; active proctype only() { count = count + first + second; assert(count == 0) }";
    scratch.write("one.pml", model);
    let url = view(&scratch, "one.pml");
    let mut page = browser.open(&url, (375, 800), false);
    let cut = page.text(
        "[...document.querySelectorAll('.statement')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent).join('|')",
    );
    assert_eq!(cut, "");
    let statement = page.text("document.querySelector('#step-1 .statement').textContent");
    assert_eq!(statement, "count = count + first + second");
    page.close();
}
