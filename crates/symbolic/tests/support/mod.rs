//! Random programs and what brute force says about them.
#![allow(dead_code)]

use std::collections::BTreeSet;

use selvedge_boolprog::lower::{LowerOptions, lower};
use selvedge_boolprog::program::Program;
use selvedge_boolprog_judge::brute::{Reached, reachable};
use selvedge_boolprog_syntax::check::check;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::shrink::shrink;
use selvedge_boolprog_syntax::{ast, print};
use selvedge_core::{Budget, Interrupt, Limits};
use selvedge_source::Diagnostics;
use selvedge_symbolic::bdd::Bdd;
use selvedge_symbolic::encode::Encoding;

pub const STACK: usize = 6;
pub const MOST_STATES: usize = 2_000;

pub fn lowered(source: &ast::Program) -> Option<Program> {
    let mut found = Diagnostics::new();
    if !check(source, &mut found) {
        return None;
    }
    lower(source, &LowerOptions::default(), &mut found)
}

pub fn budget() -> Budget {
    Budget::start(Limits { memory: Some(4 << 20), ..Limits::default() }, Interrupt::new())
}

pub fn shared(encoding: &Encoding<'_>, states: &Bdd) -> BTreeSet<Vec<bool>> {
    let all = encoding.bdds.assignments(states, &encoding.ins(0), usize::MAX).expect("in budget");
    all.into_iter().collect()
}

/// Shapes from tiny to not so tiny.
pub fn shape(seed: u64) -> Shape {
    let base = Shape { errors: true, ..Shape::default() };
    match seed % 6 {
        0 => Shape { globals: 2, locals: 1, procedures: 0, statements: 4, ..base },
        1 => Shape { globals: 2, locals: 1, procedures: 1, recursion: true, ..base },
        2 => Shape { most_threads: 4, globals: 2, statements: 2, ..base },
        3 => Shape { globals: 2, procedures: 0, statements: 4, atomic_variable: true, ..base },
        4 => Shape { globals: 2, procedures: 1, atomic_variable: true, ..base },
        _ => Shape { globals: 3, locals: 2, procedures: 2, recursion: true, most_threads: 2, ..base },
    }
}

/// Runs a comparison on many random programs; a failure is shrunk and printed.
pub fn on_random_programs(
    seeds: std::ops::Range<u64>,
    rounds: u32,
    differ: &mut dyn FnMut(&ast::Program, &Program, &Reached) -> Option<String>,
) -> Vec<usize> {
    let mut judge = |source: &ast::Program| -> Option<Option<String>> {
        let program = lowered(source)?;
        if program.creates_threads() || program.broadcasts() {
            return None;
        }
        let reached = reachable(source, rounds, STACK, MOST_STATES)?;
        Some(differ(source, &program, &reached))
    };
    // Compared; too large; cut by the stack limit or violated are the caller's to count.
    let mut counts = vec![0, 0];
    for seed in seeds {
        let source = generate(seed, &shape(seed));
        match judge(&source) {
            None => counts[1] += 1,
            Some(None) => counts[0] += 1,
            Some(Some(_)) => {
                let small = shrink(&source, &mut |candidate| matches!(judge(candidate), Some(Some(_))));
                let why = judge(&small).flatten().unwrap_or_default();
                panic!("seed {seed}: {why}\n{}", print::program(&small));
            }
        }
    }
    counts
}
