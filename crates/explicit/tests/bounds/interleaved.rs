//! Two searches in turns give the answer of a brute force, and what is simplified is a run that ends in a violation and
//! costs no less than the best one.

use super::brute_force::{BruteForce, Counted};
use super::random::System;
use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason, SwitchReason};
use selvedge_explicit::{
    ExhaustiveOptions, Found, InterleavedOptions, LayeredOptions, Order, Simplified, exhaustive, interleaved, simplify,
};
use selvedge_machine::{Counting, Machine, Path, Steps, Turn, classify};

const SYSTEMS: u64 = 1500;

fn budget() -> Budget {
    Budget::start(Limits::default(), Interrupt::new())
}

/// Follows a run step by step.
fn assert_is_run(system: &System, path: &Path, what: &str) {
    let mut state = Vec::new();
    system.initial(&mut state);
    let mut turn = Turn::Any;
    for step in &path.steps {
        let mut steps = Steps::new();
        system.steps(&state, turn, &mut (), &mut steps);
        if steps.list.is_empty() {
            system.steps(&state, Turn::Any, &mut (), &mut steps);
        }
        let same = |one: &&selvedge_machine::Step| {
            one.thread == step.step.thread && one.action == step.step.action && steps.state(one) == Some(&step.state)
        };
        assert!(steps.list.iter().any(|one| same(&one)), "{what}");
        (state, turn) = (step.state.clone(), step.step.turn);
    }
}

fn preemptions(system: &System, path: &Path) -> u32 {
    let switches = classify(system, path, Counting::default());
    switches.iter().filter(|reason| **reason == Some(SwitchReason::Preempted)).count() as u32
}

#[test]
fn a_simplified_run_ends_in_a_violation_at_the_reported_cost() {
    let mut best = 0;
    let mut all = 0;
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        let options = ExhaustiveOptions { order: Order::DepthFirst, ..ExhaustiveOptions::default() };
        let found = exhaustive(&system, &options, &budget(), &mut Silent).violations;
        let Some(found) = found.first() else { continue };
        let simplified = simplify(&system, found, Counting::default(), 10_000, &budget());
        let Some(Simplified { found: Found { path, .. }, preemptions: cost, .. }) = simplified else {
            panic!("seed {seed}: nothing was found");
        };
        assert_is_run(&system, &path, &format!("seed {seed}"));
        assert_eq!(preemptions(&system, &path), cost, "seed {seed}");
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        let (least, _) = brute.best_run(20).expect("a violation");
        assert!(cost >= least, "seed {seed}");
        best += u32::from(cost == least);
        all += 1;
    }
    assert!(all > 500 && best * 10 > all * 8, "{best} of {all} have the least cost");
}

#[test]
fn two_searches_in_turns_give_the_answer_of_a_brute_force() {
    let (mut unbounded, mut proven) = (0, 0);
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        let least = brute.best_run(20).map(|(cost, _)| cost);
        for turn in [1, 3, 10_000] {
            let options = InterleavedOptions { layers: LayeredOptions::default(), turn };
            let mut simplified = None;
            let outcome = interleaved(&system, &options, &budget(), &mut Silent, &mut |found, work| {
                simplified = simplify(&system, found, Counting::default(), work, &budget()).map(|run| run.preemptions);
                simplified
            });
            let what = format!("seed {seed}, turns of {turn}");
            assert_eq!(outcome.violations.is_empty(), least.is_none(), "{what}");
            let stop = if least.is_none() { StopReason::Exhausted } else { StopReason::Violation };
            assert_eq!(outcome.stop, stop, "{what}");
            if let Some(at) = outcome.violated_at {
                assert_eq!(Some(at), least, "{what}");
                proven += 1;
            }
            for layer in &outcome.layers {
                assert_eq!(layer.states, brute.states_within(layer.bound).len() as u64, "{what}");
            }
            unbounded += u32::from(outcome.unbounded);
        }
    }
    assert!(unbounded > 300 && proven > 1000, "{unbounded} {proven}");
}
