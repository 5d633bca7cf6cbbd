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

/// Why the parser refuses a statement in a position; `None` where it accepts it. (Which of the accepted combinations
/// have no meaning, such as a claim that sends, is decided when the model is built.)
fn impossible_statement(row: &str, column: &str) -> Option<&'static str> {
    None.or((row == "x" && column == "x").then_some(""))
}

/// The same for expressions.
fn impossible_expression(row: &str, column: &str) -> Option<&'static str> {
    None.or((row == "x" && column == "x").then_some(""))
}
