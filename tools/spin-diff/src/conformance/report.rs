//! The table of a comparison.

use super::case::{Case, Verdict};
use harness::figures::Difference;
use harness::spin::install;
use harness::table::{Table, grouped};
use std::fmt::Write;

/// The first lines of the Markdown file.
pub fn heading() -> String {
    format!(
        "# Conformance with Spin\n\nReference: {}; `spin -o1 -o2 -o3 -a`, `-DNOREDUCE -DSAFETY`, `pan -c0`.\n\
         Transitions are counted without one for the initial state. Made by `cargo spin-diff conformance`.\n",
        install::version()
    )
}

/// Table and summary.
pub fn render(cases: &[Case]) -> String {
    let mut table = Table::new(&[
        "model",
        "#states: spin",
        "#ours",
        "#transitions: spin",
        "#ours",
        "errors",
        "#seconds: spin -a + cc + pan",
        "#ours",
        "result",
    ]);
    for case in cases {
        table.row(row(case));
    }
    let mut text = table.to_string();
    let _ = writeln!(text, "\n{}", summary(cases));
    text
}

fn row(case: &Case) -> Vec<String> {
    let (mut states, mut transitions, mut errors, mut seconds) = Default::default();
    if let Some(spin) = &case.spin {
        let figures = spin.report.figures();
        (states, transitions) = (grouped(figures.states), grouped(figures.transitions));
        errors = figures.kinds_text();
        let s = &spin.stages;
        seconds = format!("{:.2} + {:.2} + {:.2}", s.generate, s.compile, s.verify);
    }
    let (mut our_states, mut our_transitions, mut our_seconds) = Default::default();
    if let Some(ours) = &case.selvedge {
        (our_states, our_transitions) = (grouped(ours.figures.states), grouped(ours.figures.transitions));
        our_seconds = format!("{:.2}", ours.seconds);
    }
    let name = case.name.clone();
    vec![name, states, our_states, transitions, our_transitions, errors, seconds, our_seconds, case.result()]
}

fn summary(cases: &[Case]) -> String {
    let count = |such: fn(&Case) -> bool| cases.iter().filter(|c| such(c)).count();
    format!(
        "{} cases: {} equal, {} differ, {} beyond a limit of ours, {} not comparable",
        cases.len(),
        count(|c| matches!(c.verdict, Verdict::Equal | Verdict::EqualErrors | Verdict::EqualButStuttering)),
        count(Case::fails),
        count(|c| matches!(c.verdict, Verdict::Differs(Difference::Limit, _))),
        count(|c| matches!(c.verdict, Verdict::NotComparable(_))),
    )
}
