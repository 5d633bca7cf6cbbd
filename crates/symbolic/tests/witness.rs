//! Every violation that an analysis reports comes with a run, and the interpreters, which know no
//! diagrams, can execute it: within the rounds, up to the violation.

mod support;

use selvedge_boolprog::concretize::Move;
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_judge as plain;
use selvedge_boolprog_syntax::random::generate;
use selvedge_boolprog_syntax::{Dialect, print};
use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{Bound, BoundKind, Silent};
use selvedge_machine::{Counting, Heading, classify, narrate};
use selvedge_source::{Cancel, Diagnostics, SourceMap};
use selvedge_symbolic::analysis::{Method, Options, analyse};
use selvedge_symbolic::witness::run_of;
use support::{budget, shape};

/// The least number of rounds that a sequence of threads needs.
fn rounds(moves: &[Move]) -> u32 {
    let later = moves.windows(2).filter(|pair| pair[1].thread < pair[0].thread).count();
    later as u32 + u32::from(!moves.is_empty())
}

fn replay(text: &str, method: Method) -> Option<u32> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let options = BuildOptions { dialect: Some(Dialect::Getafix), ..BuildOptions::default() };
    let built = build("test.bp", text, &options, &mut sources, &mut found).expect("builds");
    if built.program.creates_threads() || built.program.broadcasts() {
        return None;
    }
    let options = Options { method, rounds: Some(3), ..Options::default() };
    let outcome = analyse(&built.program, &options, &budget(), &mut Silent).expect("small");
    let violation = outcome.violation?;
    let (within, needed) = (violation.rounds, rounds(&violation.moves));
    assert!(needed <= within, "{method:?}: {needed} rounds of {within}\n{text}");
    let options = MachineOptions { stack_limit: 1000, ..MachineOptions::default() };
    let machine = BoolMachine::new(built.program.clone(), &sources, options);
    let (path, fault) = run_of(&machine, &violation, &Cancel::never())
        .unwrap_or_else(|why| panic!("{method:?}: {why} {:?}\n{text}", violation.moves));
    let input = TraceInput { path: "test.bp".into(), language: "bp".into(), sha256: String::new() };
    let bound = Bound { kind: BoundKind::Rounds, value: Some(within) };
    let switches = classify(&machine, &path, Counting::default());
    let heading = Heading { input, options: TraceOptions::default(), bound };
    let trace = narrate(&machine, &sources, &path, &switches, Some(&fault), heading);
    plain::replay(&built.ast, &sources, &trace).unwrap_or_else(|error| panic!("{method:?}: {error:?}\n{text}"));
    Some(within)
}

fn many(method: Method, seeds: std::ops::Range<u64>, at_least: [usize; 2]) {
    let mut found = [0; 3];
    for seed in seeds {
        if let Some(rounds) = replay(&print::program(&generate(seed, &shape(seed))), method) {
            found[rounds as usize - 1] += 1;
        }
    }
    assert!(found[0] >= at_least[0] && found[1] + found[2] >= at_least[1], "{found:?}");
}

#[test]
fn runs_of_the_lazy_analysis_can_be_executed() {
    many(Method::Lazy, 0..1500, [300, 10]);
}

#[test]
fn runs_of_the_eager_analysis_can_be_executed() {
    many(Method::Eager, 2000..2600, [100, 5]);
}

#[test]
fn runs_of_the_pushdown_analyses_can_be_executed() {
    many(Method::Pds, 3000..3200, [30, 1]);
    many(Method::Spds, 3200..3300, [15, 0]);
}
