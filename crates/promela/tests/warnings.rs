//! Which variables are reported as never read, which constants as too large, and that a model without a mistake gets no warning.

use std::io;
use std::path::Path;

use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};

/// The messages of a model that is accepted.
fn messages(text: &str) -> Vec<String> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found).expect("it parses");
    assert!(build(&model, &BuildOptions::default(), &mut sources, &mut found).is_some(), "it is accepted");
    found.iter().map(|diagnostic| diagnostic.message.clone()).collect()
}

#[test]
fn only_variables_that_nobody_reads_are_reported() {
    let text = "
        byte read, unread;
        hidden byte unseen;
        show byte shown;
        byte _scratch;
        proctype P(byte parameter) { byte own; unread = 1; unseen = 1; shown = 1; _scratch = 1; own = 1 }
        init { read = 1; run P(read) }
    ";
    assert_eq!(messages(text), ["global variable `unread` is never read", "local variable `own` is never read"]);
}

#[test]
fn a_model_that_reads_its_variables_has_no_warning() {
    let text = "byte x; active proctype P() { byte l; l = x; x = l + 1; assert(x > l) }";
    assert_eq!(messages(text), Vec::<String>::new());
}

#[test]
fn what_another_formula_reads_is_read() {
    let text = "
        byte x, y, z;
        active proctype P() { byte l; x = 1; y = 1; z = 1; l = 1 }
        ltl first { [] (x < 2) }
        ltl second { [] (y < 2 && P:l < 2) }
    ";
    assert_eq!(messages(text), ["global variable `z` is never read"]);
}

#[test]
fn a_constant_that_does_not_fit_is_reported() {
    let text = "
        byte x = 300, a[3] = { 1, 256, 3 };
        short s = 70000;
        bit b = 2;
        unsigned u : 3 = 9;
        int i = 100000;
        mtype = { one };
        init { x = -1; x = 255; s = -32768; assert(x + a[0] + s + b + u + i > 0) }
    ";
    let found = messages(text);
    let values: Vec<&str> =
        found.iter().filter_map(|text| text.strip_suffix(" does not fit into its variable")).collect();
    assert_eq!(values, ["300", "256", "70000", "2", "9", "-1"], "{found:?}");
}
