#![cfg_attr(rustfmt, rustfmt_skip)]
//! The first example of the documentation, and the report shown below it, byte for byte.
//! `UPDATE=1 cargo test -p selvedge --test counter` writes the report anew.

use selvedge::sync::{Arc, atomic::{AtomicUsize, Ordering::SeqCst}};
use selvedge::thread;

// ANCHOR: counter
fn counter() {
    let count = Arc::new(AtomicUsize::new(0));
    let add = |count: &AtomicUsize| count.store(count.load(SeqCst) + 1, SeqCst);
    let other = thread::spawn({ let count = count.clone(); move || add(&count) });
    add(&count);
    other.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}
// ANCHOR_END: counter

#[test]
fn counter_never_loses_an_update() {
    let report = selvedge::Builder::new().explore(counter);
    let text = report.violation.expect("it does").text.replace("crates/selvedge/", "") + "\n";
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/first-report.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(golden).unwrap(), text);
}

#[test]
fn the_documentation_shows_this_very_code() {
    let documentation = include_str!("../src/lib.rs");
    let body = include_str!("counter.rs").split("fn counter() {\n").nth(1).and_then(|s| s.split("\n}\n").next()).unwrap();
    for line in body.lines() {
        assert!(documentation.contains(line.trim()), "not in the documentation: {line}");
    }
}
