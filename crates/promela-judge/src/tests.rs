//! The corpus against Spin's figures, tiny models whose figures were measured with Spin, and
//! traces executed again.

mod bounded;
mod cycles;
mod replaying;
mod sampling;
mod spinning;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use selvedge_core::ViolationKind;
use selvedge_source::{Diagnostics, SourceMap};

use super::{Interpreter, explore};
use selvedge_promela_syntax::ast::{Claim, Item, Model};
use selvedge_promela_syntax::parse::{parse_file, parse_text};

/// Models with more states than this are left to the fast machine.
const MOST_STATES: usize = 3000;

fn never(model: &Model) -> Option<&Claim> {
    model.items.iter().find_map(|item| match item {
        Item::Never(claim) => Some(claim),
        _ => None,
    })
}

fn parse(text: &str) -> Model {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let model = parse_text("test.pml", text, &mut no_files, &mut sources, &mut diagnostics);
    model.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The number of states and the kinds of violations of a model, its never claim in force.
fn figures(text: &str) -> (usize, Vec<&'static str>) {
    let model = parse(text);
    let interpreter = Interpreter::new(&model, never(&model)).expect("a proper model");
    let (states, kinds) = explore(&interpreter, MOST_STATES).expect("a tiny model");
    (states, kinds.into_iter().map(ViolationKind::code).collect())
}

/// A line `// name: value` at the top of a model.
fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let mut values = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(':'));
    values.next().map(str::trim)
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let mut files = Vec::new();
    for part in ["constructs", "semantics", "classic"] {
        let Ok(entries) = std::fs::read_dir(root.join(part)) else { continue };
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    files.sort();
    files
}

/// What is wrong with one model of the corpus.
fn disagreement(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let claimless = header(&text, "states-noclaim");
    let wanted: Option<usize> = header(&text, "states").or(claimless)?.parse().ok();
    if wanted.is_some_and(|wanted| wanted > MOST_STATES) {
        return None;
    }
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let Some(model) = parse_file(path, &mut sources, &mut diagnostics) else {
        return Some(format!("does not parse: {diagnostics:?}"));
    };
    let claim = never(&model).filter(|_| header(&text, "states").is_some());
    let interpreter = match Interpreter::new(&model, claim) {
        Ok(interpreter) => interpreter,
        Err(error) => return Some(error),
    };
    let Some((states, kinds)) = explore(&interpreter, 4 * MOST_STATES) else { return Some("too many states".into()) };
    let errors = header(&text, "errors")?;
    // At most runtime errors Spin's verifier gives up, with fewer states.
    let agrees = |wanted| states == wanted || (errors == "runtime-error" && states > wanted);
    if let Some(wanted) = wanted.filter(|wanted| !agrees(*wanted)) {
        return Some(format!("{states} states, Spin has {wanted}"));
    }
    let wanted: BTreeSet<&str> = errors.split([',', ' ']).filter(|word| !word.is_empty() && *word != "none").collect();
    let found: BTreeSet<&str> = kinds.into_iter().map(ViolationKind::code).collect();
    (found != wanted).then(|| format!("finds {found:?}, Spin {wanted:?}"))
}

#[test]
fn corpus_has_spins_figures() {
    let found: Vec<String> =
        corpus().iter().filter_map(|path| disagreement(path).map(|why| format!("{}: {why}", path.display()))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn measured_models_have_spins_figures() {
    for (name, states, kinds, text) in MEASURED {
        assert_eq!(figures(text), (*states, kinds.to_vec()), "{name}");
    }
}

#[test]
fn a_statement_that_blocks_in_a_d_step_is_an_error() {
    let (_, kinds) = figures("byte x; active [2] proctype P() { d_step { x++; x == 1; x = x } }");
    assert_eq!(kinds, ["runtime-error"]);
}

/// Models with the figures of Spin's verifier.
const MEASURED: &[(&str, usize, &[&str], &str)] = &[
    (
        "atomic_if_end",
        13,
        &[],
        "byte x; active [2] proctype P() { atomic { x++; if :: x > 0 -> x++ :: else fi }; x-- }",
    ),
    (
        "channels_travel",
        13,
        &[],
        "chan a = [1] of { chan, byte }; proctype C() { chan mine = [1] of { byte }; a!mine,4; byte v; \
         mine?v; assert(v == 5) } active proctype S() { chan r; byte v; a?r,v; r!v + 1 } init { run C() }",
    ),
    ("claim_blocks", 10, &[], "byte x; active [2] proctype P() { x++; x++ } never { do :: x < 3 od }"),
    (
        "claim_stutters",
        7,
        &["claim-completed"],
        "byte x; active proctype P() { x = 1; x = 2 } never { S: if :: x == 2 -> goto T :: else -> goto S fi; \
         T: if :: true -> goto U fi; U: if :: true -> goto V fi; V: skip }",
    ),
    (
        "d_step_loop",
        12,
        &[],
        "byte x, i; active [2] proctype P() { d_step { x == 0; i = 0; do :: i < 3 -> i++ :: else -> break od; \
         x = i }; x = 0 }",
    ),
    (
        "else_beside_rendezvous",
        6,
        &[],
        "chan c = [0] of { bit }; byte x; active proctype S() { if :: c!1 -> x = 1 :: else -> x = 2 fi } \
         active proctype R() { c?1 }",
    ),
    (
        "goto_out_of_atomic",
        18,
        &[],
        "byte x; active [2] proctype P() { again: atomic { x = (x + 1) % 3; if :: x == 2 -> goto again :: \
         else -> goto out fi }; out: x = 0 }",
    ),
    ("interleave", 21, &[], "byte x; active [2] proctype P() { byte t; t = x; x = t + 1 }"),
    (
        "last_and_pc",
        19,
        &[],
        "byte x; active [2] proctype P() { x = 1; end_here: x = 2 } never { do :: !(_last == 1 && \
         P[0]@end_here) :: pc_value(0) > 9 -> break od }",
    ),
    (
        "late_declaration",
        25,
        &[],
        "byte x; active proctype P() { byte a = 3; x = a; byte b = x, c[2]; do :: x > 0 -> int d; x--; d = x; \
         { byte e = 2; e++ } :: else -> break od; b = c[1] }",
    ),
    (
        "nested_else",
        7,
        &[],
        "byte x = 1; active proctype P() { do :: if :: x == 0 -> x = 3 :: else -> break fi :: x == 1 -> x = 2 \
         od }",
    ),
    (
        "priorities",
        9,
        &[],
        "byte x; active proctype P() priority 2 { x++; x == 3; x++ } active proctype Q() { x++; x++; x++ }",
    ),
    (
        "processes_die_in_order",
        42,
        &[],
        "byte n; proctype C(byte k) { n = n + k } init { byte i; for (i : 1 .. 2) { run C(i) }; _nr_pr == 1; \
         assert(n == 3) }",
    ),
    (
        "rendezvous_into_atomic",
        15,
        &["invalid-end-state"],
        "chan c = [0] of { byte }; byte x; active proctype S() { atomic { c!1; x = 7; c!2 } } active proctype \
         R() { byte v; atomic { c?v; x = v; x = 9 }; c?v } active proctype O() { x == 9; x = 5 }",
    ),
    (
        "select_and_for",
        64,
        &[],
        "byte i, a[3]; active proctype P() { byte my_i; select (i : 1 .. 3); select (my_i : 0 .. 2); for (i \
         in a) { a[i] = my_i } }",
    ),
    (
        "sorted_and_random",
        10,
        &[],
        "chan q = [3] of { byte, byte }; active proctype P() { byte x; q!!2,1; q!!1,3; q!!1,2; q??1,x; \
         assert(x == 2); q??2,x; q?<1,x>; assert(x == 3 && len(q) == 1) }",
    ),
    (
        "structures",
        9,
        &[],
        "typedef In { byte a; bit b[2] } typedef Out { In in[2]; short s } Out o; chan c = [2] of { In }; \
         active proctype P() { In m; m.a = 7; m.b[1] = 1; c!m; o.in[1].a = 300; o.s = 70000; c?o.in[0]; \
         assert(o.in[0].a == 7 && o.in[0].b[1] && o.in[1].a == 44 && o.s == 4464) }",
    ),
    (
        "timeout",
        14,
        &[],
        "chan c = [1] of { byte }; byte n; active proctype P() { do :: c?_ -> n++ :: timeout -> break od } \
         active proctype Q() { c!1; c!2 }",
    ),
    (
        "unless_twice",
        6,
        &[],
        "byte m; active proctype P() { { { m = 1; m = 2; m = 3 } unless { m == 2 -> m = 10 } } unless { m >= \
         2 -> m = 20 } }",
    ),
];
