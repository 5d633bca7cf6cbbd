//! Random programs are read again as they were made, and every construct occurs in every position in which the language
//! allows it, within a fixed number of programs.

use selvedge_boolprog_syntax::check::check;
use selvedge_boolprog_syntax::coverage::{Coverage, EXPRESSIONS, POSITIONS, STATEMENTS, USES};
use selvedge_boolprog_syntax::parse::parse;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::{Dialect, print};
use selvedge_source::{Diagnostics, SourceMap};

/// Programs that are generated.
const PROGRAMS: u64 = 12_000;

#[test]
fn every_possible_cell_is_generated() {
    let shape = Shape { everything: true, errors: true, recursion: true, locals: 2, statements: 4, ..Shape::default() };
    let creates = Shape { creates: true, least_threads: 1, most_threads: 1, ..shape };
    let mut coverage = Coverage::default();
    for seed in 0..PROGRAMS {
        let text = print::program(&generate(seed, if seed % 8 == 0 { &creates } else { &shape }));
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let file = sources.add("program.bp", text.as_str());
        let program = parse(file, &text, Some(Dialect::Getafix), &mut found);
        let program = program.filter(|program| check(program, &mut found));
        let Some(program) = program else { panic!("seed {seed}: {:?}\n{text}", found.iter().next()) };
        coverage.count(&program);
    }
    let mut wrong = Vec::new();
    for row in STATEMENTS {
        for column in POSITIONS {
            let hit = coverage.statements.contains_key(&(*row, *column));
            wrong.extend(problem(hit, row, column, impossible_statement(row, column)));
        }
    }
    for row in EXPRESSIONS {
        for column in USES {
            let hit = coverage.expressions.contains_key(&(*row, *column));
            wrong.extend(problem(hit, row, column, impossible_expression(row, column)));
        }
    }
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn problem(hit: bool, row: &str, column: &str, impossible: Option<&str>) -> Option<String> {
    match (hit, impossible) {
        (false, None) => Some(format!("`{row}` is never generated in `{column}`")),
        (true, Some(reason)) => Some(format!("`{row}` in `{column}` is possible, against: {reason}")),
        _ => None,
    }
}

/// Why the language refuses a statement in a position.
fn impossible_statement(row: &str, column: &str) -> Option<&'static str> {
    let leaves = row.starts_with("return") || row.starts_with("goto") || row == "end_thread";
    let returns_values = row == "return of one" || row == "return of two";
    match column {
        "first in a section" | "inside a section" if leaves => Some("a section ends in the block in which it begins"),
        "first in a section" if row == "atomic_end" => Some("random sections are not empty"),
        "thread" | "init" if returns_values => Some("threads and `init` return nothing"),
        "init" if row == "start_thread" => Some("where threads are created, `init` is a procedure"),
        _ => None,
    }
}

/// Why the language refuses an expression in a place.
fn impossible_expression(row: &str, column: &str) -> Option<&'static str> {
    let relation = column.starts_with("constrain");
    match row {
        "primed variable" if !relation => Some("only `constrain` reads values after the step"),
        _ => None,
    }
}
