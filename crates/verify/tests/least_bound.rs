//! What a violation costs does not depend on whether the model is simplified or schedules are left out: on random
//! programs the layered search finds it at the same bound, and the best run is as good.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason, SwitchCost};
use selvedge_explicit::{LayeredOptions, Measure, ShortestOptions, Wanted, layered, shortest};
use selvedge_machine::Counting;
use selvedge_promela::build::{BuildOptions, Built, build};
use selvedge_promela::machine::Properties;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::{model, shrink};

/// Which generated models are used.
const FAMILY: u64 = 11;
/// Programs with more states than this are left out.
const MOST_STATES: u64 = 3_000;
/// Bounds from 0 to this are compared.
const LAST_BOUND: u32 = 2;

fn built(text: &str, optimize: bool, keep_steps: bool) -> Option<Built> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    let options = BuildOptions { properties, optimize, keep_steps, ..Default::default() };
    build(&model, &options, &mut sources, &mut found)
}

fn budget() -> Budget {
    Budget::start(Limits { states: Some(MOST_STATES), ..Limits::default() }, Interrupt::new())
}

/// How to search.
#[derive(Clone, Copy, Debug)]
struct Way {
    cost: SwitchCost,
    count_busy_wait: bool,
    optimize: bool,
    reduction: bool,
}

/// The violations at each bound up to the last one looked at; `None` if the program is too large.
fn violations(text: &str, way: Way) -> Option<Vec<BTreeSet<String>>> {
    (0..=LAST_BOUND).map(|bound| violations_within(text, way, bound)).collect()
}

fn violations_within(text: &str, way: Way, bound: u32) -> Option<BTreeSet<String>> {
    let built = built(text, way.optimize, false)?;
    let (cost, count_busy_wait) = (way.cost, way.count_busy_wait);
    let reduction = way.reduction && !built.counts_steps;
    let wanted = Wanted { keep_going: true, all: false };
    let max_bound = Some(bound);
    let options = LayeredOptions { cost, count_busy_wait, reduction, max_bound, wanted, ..LayeredOptions::default() };
    let outcome = layered(&built.machine, &options, &budget(), &mut Silent);
    let messages = outcome.violations.iter().map(|found| format!("{:?}", found.fault));
    (outcome.stop != StopReason::States).then(|| messages.collect())
}

/// The least bound with a violation.
fn least(violations: &[BTreeSet<String>]) -> Option<u32> {
    violations.iter().position(|at_bound| !at_bound.is_empty()).map(|bound| bound as u32)
}

/// Length of the best run on a machine that has every step.
fn best_length(text: &str, optimize: bool, bound: u32) -> Option<usize> {
    let built = built(text, optimize, true)?;
    let bound = Some((Measure::Preemptions, bound));
    let counting = Counting { busy_waiting: true };
    let options = ShortestOptions { bound, counting, ..ShortestOptions::default() };
    let (found, _) = shortest(&built.machine, &options, &budget(), &mut Silent);
    found.first().map(|found| found.path.steps.len())
}

/// What depends on how the search is done.
fn difference(text: &str) -> Option<String> {
    for (cost, count_busy_wait) in
        [(SwitchCost::Preemptions, false), (SwitchCost::Preemptions, true), (SwitchCost::Switches, true)]
    {
        let way = Way { cost, count_busy_wait, optimize: false, reduction: false };
        let plain = violations(text, way)?;
        let optimized = violations(text, Way { optimize: true, ..way })?;
        if plain != optimized {
            return Some(format!("{way:?}: {plain:#?}, simplified {optimized:#?}"));
        }
        for (optimize, unreduced) in [(false, &plain), (true, &optimized)] {
            let way = Way { optimize, reduction: true, ..way };
            let reduced = violations(text, way)?;
            if reduced != *unreduced {
                return Some(format!("{way:?}: {reduced:#?}, without reduction {unreduced:#?}"));
            }
        }
        if let (Some(bound), SwitchCost::Preemptions, true) = (least(&plain), cost, count_busy_wait) {
            let lengths = (best_length(text, false, bound), best_length(text, true, bound));
            if lengths.0 != lengths.1 || lengths.0.is_none() {
                return Some(format!("best runs of {lengths:?} steps at bound {bound}"));
            }
        }
    }
    None
}

#[test]
fn the_least_bound_is_the_same_however_it_is_searched() {
    let (mut violated, mut compared) = (0, 0);
    for seed in 0..1_500 {
        let program = model(FAMILY, seed);
        let text = program.to_string();
        if difference(&text).is_some() {
            let smallest = shrink(program, 1_000, |smaller| difference(&smaller.to_string()).is_some()).to_string();
            panic!("seed {seed}:\n{smallest}\n{}", difference(&smallest).unwrap_or_default());
        }
        let way = Way { cost: SwitchCost::Preemptions, count_busy_wait: false, optimize: true, reduction: true };
        let growing = violations(&text, way).is_some_and(|found| found.first() != found.last());
        violated += u32::from(growing);
        compared += u32::from(violations(&text, way).is_some());
    }
    assert!(violated > 15, "only {violated} programs have a violation that needs a preemption");
    assert!(compared > 700, "only {compared} programs were small enough");
}
