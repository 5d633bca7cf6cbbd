//! The sequential program of the reduction, printed, read again and analysed by the sequential core, with
//! eager and with lazy summaries, has the shared states of the concurrent one.

mod support;

use std::collections::BTreeSet;

use selvedge_boolprog::program::{Op, Program};
use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_judge::brute::Reached;
use selvedge_boolprog_syntax::{Dialect, ast, print};
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_symbolic::encode::{Encoding, Locals};
use selvedge_symbolic::sequential::{Summaries, reachable};
use selvedge_symbolic::sequentialize::{CHECKED, copy_name, sequentialize};
use support::{budget, on_random_programs};

/// The shared states at the end, and whether the final assertion fails.
fn run(program: &Program, rounds: usize, summaries: Summaries) -> Result<(BTreeSet<Vec<bool>>, bool), String> {
    let text = print::program(&sequentialize(program, rounds));
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let options = BuildOptions { dialect: Some(Dialect::Getafix), ..BuildOptions::default() };
    let Some(built) = build("sequential.bp", &text, &options, &mut sources, &mut found) else {
        return Err(format!("does not build: {:?}\n{text}", found.iter().next()));
    };
    let sequential = built.program;
    assert_eq!(sequential.threads.len(), 1, "{text}");
    let encoding = Encoding::new(&sequential, 1, Locals::WhileLive, &budget());
    let bdds = &encoding.bdds;
    let start = encoding.declared(&encoding.ins(0)).expect("in budget");
    let reached = reachable(&encoding, sequential.threads[0].procedure, &start, summaries).expect("in budget");
    let node = sequential.labels.iter().find(|label| label.name == CHECKED).expect("the label").nodes[0];
    let position = |name: String| sequential.globals.iter().position(|g| g.name == name).expect("a copy");
    let outs = encoding.outs(0);
    let last: Vec<_> = (0..program.globals.len()).map(|g| outs[position(copy_name(program, g, rounds))]).collect();
    let forget = outs.iter().chain(&encoding.locals()).copied().filter(|var| !last.contains(var)).collect::<Vec<_>>();
    let states = reached.get(&node).cloned().unwrap_or_else(|| bdds.no());
    let states = bdds.exists(&states, &bdds.cube(forget).expect("in budget")).expect("in budget");
    let shared = bdds.assignments(&states, &last, usize::MAX).expect("in budget").into_iter().collect();
    let mut violated = false;
    for edge in &sequential.edges {
        if let (Op::Assert(e), Some(states)) = (&edge.op, reached.get(&edge.from)) {
            let failing = encoding.failure(edge, e, 0).expect("in budget");
            violated |= bdds.and(states, &failing).expect("in budget").satisfiable();
        }
    }
    Ok((shared, violated))
}

fn differ(summaries: Summaries) -> impl FnMut(&ast::Program, &Program, &Reached) -> Option<String> {
    move |_, program, reached| {
        for rounds in 1..=2 {
            let (shared, violated) = match run(program, rounds, summaries) {
                Ok(result) => result,
                Err(why) => return Some(why),
            };
            let (expected, wrong) = (&reached.shared[rounds - 1], reached.violated[rounds - 1]);
            if violated != wrong && (!reached.cut || !violated) {
                return Some(format!("{rounds} rounds: violated {violated}"));
            }
            if wrong || violated {
                return None;
            }
            let right = if reached.cut { expected.is_subset(&shared) } else { *expected == shared };
            if !right {
                return Some(format!("{rounds} rounds: expected {expected:?}, found {shared:?}"));
            }
        }
        None
    }
}

#[test]
fn with_lazy_summaries() {
    let counts = on_random_programs(40_000..40_150, 2, &mut differ(Summaries::Lazy));
    assert!(counts[0] > 90, "{counts:?}");
}

#[test]
fn with_eager_summaries() {
    let counts = on_random_programs(50_000..50_100, 2, &mut differ(Summaries::Eager));
    assert!(counts[0] > 60, "{counts:?}");
}

#[test]
fn copies_have_names_of_their_own() {
    let text = "decl a, a1;\nvoid main() begin a := a1; end\n";
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let built = build("names.bp", text, &BuildOptions::default(), &mut sources, &mut found);
    let program = built.unwrap_or_else(|| panic!("{:?}", found.iter().next())).program;
    let copies = (0..2).flat_map(|global| (1..=11).map(move |context| (global, context)));
    let names: BTreeSet<String> = copies.map(|(global, context)| copy_name(&program, global, context)).collect();
    assert!(names.len() == 22 && !names.contains("a1"), "{names:?}");
}
