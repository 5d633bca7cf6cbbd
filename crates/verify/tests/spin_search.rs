//! The search of `--search spin` against figures of Spin 6.5.2 and of the paper.

use std::io;
use std::path::Path;

use selvedge_core::{Budget, Interrupt, Limits, Omission, Silent};
use selvedge_explicit::{BitArray, Outcome, SpinOptions, spin_search};
use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela::machine::{PromelaMachine, Properties};
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};

/// The model of the paper's Appendix C with `N` processes.
fn worst_case(processes: u32) -> PromelaMachine {
    machine(&format!(
        "#define N {processes}
         int count;
         active [N] proctype p() {{ count++; count-- }}
         never {{ do :: assert(count != N) od }}"
    ))
}

fn machine(text: &str) -> PromelaMachine {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found).expect("a model");
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    let options = BuildOptions { properties, ..Default::default() };
    build(&model, &options, &mut sources, &mut found).expect("a machine").machine
}

fn explore(machine: &PromelaMachine, options: SpinOptions) -> Outcome {
    let options = SpinOptions { keep_going: true, ..options };
    spin_search(machine, &options, &Budget::start(Limits::default(), Interrupt::new()), &mut Silent)
}

fn coverage(outcome: &Outcome) -> Option<f64> {
    match outcome.omission {
        Some(Omission::ByDesign { coverage }) => coverage,
        _ => None,
    }
}

/// States and transitions as `pan` prints them.
fn printed(outcome: &Outcome) -> (u64, u64) {
    (outcome.stats.states, outcome.stats.transitions - outcome.stats.revisits + 1)
}

#[test]
fn counts_on_the_worst_case_are_those_of_spin() {
    let machine = worst_case(10);
    for (bound, states, transitions) in [(0, 7_167, 11_265), (1, 22_784, 76_001), (2, 45_567, 224_778)] {
        let outcome = explore(&machine, SpinOptions { bound, as_pan: true, ..Default::default() });
        assert_eq!(printed(&outcome), (states, transitions), "bound {bound}");
    }
}

#[test]
fn counts_with_reduction_are_those_of_spin() {
    let mut machine = worst_case(10);
    machine.system.reduce_as_spin();
    for (bound, states, transitions) in [(0, 7_167, 11_265), (1, 18_687, 63_755), (2, 38_144, 176_385)] {
        let options = SpinOptions { bound, as_pan: true, reduction: true, ..Default::default() };
        assert_eq!(printed(&explore(&machine, options)), (states, transitions), "bound {bound}");
    }
}

/// Figure 3 as printed remembers the processes and misses nothing: all states that are reachable
/// within the bound, as counted by an exact search.
#[test]
fn figure_3_as_printed_reaches_everything_within_the_bound() {
    let machine = worst_case(10);
    for (bound, states) in [(0, 8_960), (1, 25_599)] {
        let options = SpinOptions { bound, remember_processes: true, ..Default::default() };
        assert_eq!(explore(&machine, options).stats.states, states, "bound {bound}");
    }
}

#[test]
fn a_large_bit_array_changes_nothing_and_a_small_one_reports_what_it_misses() {
    let machine = worst_case(6);
    let bits = |bytes| Some(BitArray { bytes, hashes: 3, seed: 1 });
    for bound in 0..5 {
        let exact = explore(&machine, SpinOptions { bound, ..Default::default() });
        let large = explore(&machine, SpinOptions { bound, bits: bits(1 << 20), ..Default::default() });
        assert_eq!(large.stats.states, exact.stats.states, "bound {bound}");
        assert_eq!(large.stats.transitions, exact.stats.transitions, "bound {bound}");
        assert!(coverage(&large).is_some_and(|share| share > 0.999));
        let small = explore(&machine, SpinOptions { bound, bits: bits(128), ..Default::default() });
        assert!(small.stats.states < exact.stats.states, "bound {bound}");
        assert!(coverage(&small).is_some_and(|share| share < 0.96), "bound {bound}: {:?}", small.omission);
    }
}

/// One preemption is needed: the violation is found with a bound of one and not with none.
#[test]
fn a_violation_comes_with_the_run_that_shows_it() {
    let machine = machine(
        "byte x;
         active proctype a() { x = 1; x = 2 }
         active proctype b() { assert(x != 1) }",
    );
    for (reduction, cycle_rule) in [(false, false), (false, true), (true, true)] {
        let options = |bound| SpinOptions { bound, reduction, cycle_rule, ..Default::default() };
        assert!(explore(&machine, options(0)).violations.is_empty());
        let outcome = explore(&machine, options(1));
        let [found] = outcome.violations.as_slice() else { panic!("one violation, not {:?}", outcome.violations) };
        let last = found.path.steps.last().expect("steps");
        assert_eq!(found.path.steps.len(), 2);
        assert!(last.faults.contains(&found.fault));
    }
}
