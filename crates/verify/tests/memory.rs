//! A memory limit is there to be used: near it, tables grow by smaller steps, so that a search stops only when little is left.

use std::io;
use std::path::Path;

use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason};
use selvedge_explicit::{ExhaustiveOptions, LayeredOptions, Order, Outcome, Packing, exhaustive, layered};
use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};

/// Too many states for any limit here, on a path without a branch: next to nothing waits beside the states.
const COUNTER: &str = "byte a, b, c; active proctype p() {
    do :: a < 200 -> a++ :: else -> a = 0; if :: b < 200 -> b++ :: else -> b = 0; c++ fi od }";

fn machine() -> PromelaMachine {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", COUNTER, &mut no_files, &mut sources, &mut found).expect("it parses");
    let options = BuildOptions { optimize: false, ..Default::default() };
    build(&model, &options, &mut sources, &mut found).expect("it is a model").machine
}

fn whole(machine: &PromelaMachine, budget: &Budget, order: Order, packing: Packing) -> Outcome {
    exhaustive(machine, &ExhaustiveOptions { order, packing, ..ExhaustiveOptions::default() }, budget, &mut Silent)
}

fn assert_uses(percent: u64, limit: u64, search: impl Fn(&Budget) -> Outcome) {
    let limits = Limits { memory: Some(limit), ..Limits::default() };
    let Outcome { stop, stats, .. } = search(&Budget::start(limits, Interrupt::new()));
    let used = (stats.states as f64 * stats.bytes_per_state) as u64;
    assert_eq!(stop, StopReason::Memory);
    assert!(used <= limit && used > limit / 100 * percent, "{used} of {limit}");
}

#[test]
fn a_search_on_packed_states_uses_most_of_the_memory_that_it_may() {
    let machine = machine();
    let packing = Packing::After(0);
    for limit in [2_000_000, 2_400_000, 2_900_000] {
        assert_uses(85, limit, |budget| whole(&machine, budget, Order::DepthFirst, packing));
        assert_uses(85, limit, |budget| whole(&machine, budget, Order::BreadthFirst, packing));
        let options = LayeredOptions { packing, ..LayeredOptions::default() };
        assert_uses(85, limit, |budget| layered(&machine, &options, budget, &mut Silent));
    }
}

/// States are stored in pieces of a megabyte.
#[test]
fn a_search_on_whole_states_uses_most_of_the_memory_that_it_may() {
    let machine = machine();
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        assert_uses(80, 10_000_000, |budget| whole(&machine, budget, order, Packing::Never));
    }
}
