//! The generated models can be executed, and every construct occurs in every position in which the language allows it,
//! within a fixed number of models.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::coverage::{Coverage, EXPRESSIONS, FEATURES, POSITIONS, STATEMENTS, USES};
use selvedge_testgen::model;

/// Models that are generated.
const MODELS: u64 = 16_000;

#[test]
fn every_possible_cell_is_generated() {
    let (mut coverage, mut built) = (Coverage::default(), 0);
    for index in 0..MODELS {
        let text = model(1, index).to_string();
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let Some(tree) = parse_text("model.pml", &text, &mut no_files, &mut sources, &mut found) else { continue };
        if build(&tree, &BuildOptions::default(), &mut sources, &mut found).is_some() {
            built += 1;
            coverage.count(&tree);
        }
    }
    let mut empty = Vec::new();
    for row in STATEMENTS {
        for column in POSITIONS {
            let hit = coverage.statements.contains_key(&(*row, *column));
            match (hit, impossible_statement(row, column)) {
                (false, None) => empty.push(format!("statement `{row}` in position `{column}`")),
                (true, Some(reason)) => empty.push(format!("`{row}` in `{column}` is possible, against: {reason}")),
                _ => {}
            }
        }
    }
    for row in EXPRESSIONS {
        for column in USES {
            let hit = coverage.expressions.contains_key(&(*row, *column));
            match (hit, impossible_expression(row, column)) {
                (false, None) => empty.push(format!("expression `{row}` as `{column}`")),
                (true, Some(reason)) => empty.push(format!("`{row}` as `{column}` is possible, against: {reason}")),
                _ => {}
            }
        }
    }
    let features: BTreeSet<&str> = coverage.features.keys().copied().collect();
    empty.extend(FEATURES.iter().filter(|name| !features.contains(*name)).map(|name| format!("`{name}`")));
    assert!(empty.is_empty(), "{} cells are wrong:\n{}", empty.len(), empty.join("\n"));
    assert!(built * 100 > MODELS * 92, "only {built} of {MODELS} models can be built");
}

/// Why the language refuses a statement in a position; `None` where it accepts it.
fn impossible_statement(row: &str, column: &str) -> Option<&'static str> {
    let claim = column.starts_with("claim");
    let d_step = column.contains("d_step");
    let labelled = column == "after label" || column.starts_with("target of goto");
    let directly_in = |around: &str| column.starts_with(around) && !column.contains("within");
    match row {
        "send" | "rendezvous send" | "sorted send" if claim => Some("a claim cannot send"),
        "receive" | "rendezvous receive" | "random receive" | "copy receive" | "random copy receive" if claim => {
            Some("a claim cannot receive")
        }
        "for channel" if claim => Some("the loop receives, and a claim cannot"),
        "xr" | "xs" if claim => Some("a claim uses no channel"),
        "run" | "assignment of run" if claim => Some("a claim cannot start processes"),
        "run" | "assignment of run" if d_step => Some("`run` cannot be used inside a `d_step`"),
        "declaration" if claim => Some("a claim has no variables of its own"),
        "inline with result" | "return" if claim => Some("the inlines of claims have no value here"),
        "else" if matches!(column, "if first" | "do first" | "if last" | "do last" | "before label") => None,
        "else" if column.starts_with("within") => None,
        "else" => Some("`else` must be the first statement of an option"),
        "break" if directly_in("process") || directly_in("inline") || claim => Some("there is no loop to leave"),
        "break" if directly_in("d_step") => Some("the loop is outside, and a jump cannot leave a `d_step`"),
        "goto" if directly_in("d_step") => Some("a jump cannot leave a `d_step`; backwards, it would never end"),
        "return" if directly_in("process") => Some("`return` belongs in an inline"),
        "declaration" | "xr" | "xs" if labelled => Some("a label is not allowed in front of a declaration"),
        "unless" if labelled => Some("a label in front of `unless` belongs to its main part"),
        _ => None,
    }
}

/// The same for expressions.
fn impossible_expression(row: &str, column: &str) -> Option<&'static str> {
    match (row, column) {
        ("run", "for bound" | "select bound" | "provided") => Some("what is evaluated again and again starts nothing"),
        ("enabled", "claim" | "formula" | "eval") | ("np_", "claim") => None,
        ("enabled" | "np_", _) => Some("only a claim can ask"),
        ("run", "claim" | "formula") => Some("a claim cannot start processes"),
        ("run", "initialiser") => Some("an initial value cannot start a process"),
        ("conditional", "formula") => Some("in a formula, `->` is an implication"),
        _ => None,
    }
}
