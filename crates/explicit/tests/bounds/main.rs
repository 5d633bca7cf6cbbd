//! The searches under a bound against a brute force on thousands of random systems.

mod brute_force;
mod interleaved;
mod random;

use std::collections::{BTreeMap, BTreeSet};

use brute_force::{BruteForce, Counted};
use random::System;
use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason, SwitchCost, SwitchReason};
use selvedge_explicit::{
    Counted as Rank, Cycle, CycleOptions, ExhaustiveOptions, LayeredOptions, Measure, Order, Outcome, Remember,
    RoundsOrDepthOptions, ShortestOptions, Wanted, cycles, exhaustive, layered, rounds_or_depth, shortest,
};
use selvedge_machine::{Counting, Fault, Path, Turn, classify};

const SYSTEMS: u64 = 3000;

fn budget() -> Budget {
    Budget::start(Limits::default(), Interrupt::new())
}

fn everything() -> Wanted {
    Wanted { keep_going: true, all: false }
}

/// Every way of counting.
fn countings() -> [(SwitchCost, Counted, bool); 3] {
    [
        (SwitchCost::Preemptions, Counted::Preemptions, true),
        (SwitchCost::Preemptions, Counted::Preemptions, false),
        (SwitchCost::Switches, Counted::Switches, false),
    ]
}

/// A random system whose finite runs are all right.
fn without_faults(seed: u64) -> System {
    let mut system = System::random(seed);
    system.bad.fill(false);
    system.moves.iter_mut().flatten().flatten().for_each(|one| one.fault = false);
    system
}

fn without_a_bound(system: &System) -> Outcome {
    let options = ExhaustiveOptions { order: Order::BreadthFirst, keep_going: true, ..ExhaustiveOptions::default() };
    exhaustive(system, &options, &budget(), &mut Silent)
}

/// Each layer has the states that a brute force reaches, and all of them together no more than a search without a bound.
fn check_layers(outcome: &Outcome, brute: &BruteForce<'_>, whole: &Outcome, what: &str) {
    for layer in &outcome.layers {
        let within = brute.states_within(layer.bound).len() as u64;
        assert_eq!(layer.states, within, "{what}, bound {}", layer.bound);
    }
    let last = outcome.layers.last().expect("a layer");
    assert_eq!((last.states, last.transitions), (whole.stats.states, whole.stats.transitions), "{what}");
}

#[test]
fn layers_hold_the_states_that_a_brute_force_reaches() {
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        let whole = without_a_bound(&system);
        for (cost, counted, busy) in countings() {
            let brute = BruteForce::new(&system, counted, busy);
            for remember in [Remember::Exactly, Remember::Compactly, Remember::Bits { bytes: 1 << 14, hashes: 4 }] {
                let options = LayeredOptions {
                    cost,
                    count_busy_wait: !busy,
                    remember,
                    shuffle: (seed % 2 == 1).then_some(seed),
                    wanted: everything(),
                    ..LayeredOptions::default()
                };
                let outcome = layered(&system, &options, &budget(), &mut Silent);
                assert_eq!(outcome.stop, StopReason::Exhausted);
                check_layers(&outcome, &brute, &whole, &format!("seed {seed}, {cost:?}"));
                assert_eq!(outcome.omission.is_some(), remember != Remember::Exactly);
            }
        }
    }
}

#[test]
fn raising_the_bound_repeats_nothing() {
    for seed in 0..SYSTEMS / 4 {
        let system = System::random(seed);
        let run = |max_bound| {
            let options = LayeredOptions { max_bound, wanted: everything(), ..LayeredOptions::default() };
            layered(&system, &options, &budget(), &mut Silent)
        };
        let all = run(None);
        for layer in &all.layers {
            let bounded = run(Some(layer.bound));
            assert_eq!(bounded.stats.states, layer.states);
            assert_eq!(bounded.stats.transitions, layer.transitions);
            let expected =
                if layer.bound + 1 == all.layers.len() as u32 { StopReason::Exhausted } else { StopReason::Bound };
            assert_eq!(bounded.stop, expected, "seed {seed}, bound {}", layer.bound);
        }
    }
}

fn messages(faults: impl IntoIterator<Item = Fault>) -> BTreeSet<String> {
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn a_violation_is_found_at_its_least_bound() {
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        for (cost, counted, busy) in countings() {
            let brute = BruteForce::new(&system, counted, busy);
            let violations = brute.violations(20);
            let least = violations.values().map(|(cost, _)| *cost).min();
            let options = LayeredOptions { cost, count_busy_wait: !busy, ..LayeredOptions::default() };
            let outcome = layered(&system, &options, &budget(), &mut Silent);
            assert_eq!(outcome.violated_at, least, "seed {seed} {cost:?}");
            let all = LayeredOptions { wanted: Wanted { keep_going: true, all: true }, ..options };
            let found = layered(&system, &all, &budget(), &mut Silent).violations;
            let found = messages(found.into_iter().map(|found| found.fault));
            assert_eq!(found, violations.keys().cloned().collect(), "seed {seed} {cost:?}");
        }
    }
}

fn cost_of(system: &System, path: &Path, counting: Counting) -> (u32, u32) {
    let switches = classify(system, path, counting);
    let preemptions = switches.iter().filter(|reason| **reason == Some(SwitchReason::Preempted)).count();
    (preemptions as u32, switches.iter().flatten().count() as u32)
}

#[test]
fn the_best_run_is_the_best_there_is() {
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        for (cost, counted, busy) in countings() {
            let counting = Counting { busy_waiting: !busy };
            let brute = BruteForce::new(&system, counted, busy);
            let violations = brute.violations(20);
            let minimize = if cost == SwitchCost::Preemptions { Measure::Preemptions } else { Measure::Switches };
            let least = violations.values().min().copied();
            for bound in [None, least.map(|(cost, _)| (minimize, cost))] {
                let options = ShortestOptions { minimize, bound, counting, ..ShortestOptions::default() };
                let (found, stop) = shortest(&system, &options, &budget(), &mut Silent);
                let Some((least_cost, least_length)) = least else {
                    assert_eq!((found.len(), stop), (0, StopReason::Exhausted));
                    continue;
                };
                assert_eq!(stop, StopReason::Violation);
                let path = &found[0].path;
                let (preemptions, switches) = cost_of(&system, path, counting);
                let cost = if minimize == Measure::Preemptions { preemptions } else { switches };
                assert_eq!((cost, path.steps.len() as u32), (least_cost, least_length), "seed {seed} {minimize:?}");
                let moves: Vec<(u32, u32)> =
                    path.steps.iter().map(|s| (s.step.thread.expect("a thread").0, s.step.action[0])).collect();
                assert_eq!(Some((cost, moves)), brute.best_run(20), "seed {seed} {minimize:?}");
            }
        }
    }
}

#[test]
fn each_violation_has_its_own_best_run_within_a_bound() {
    for seed in 0..SYSTEMS / 4 {
        let system = System::random(seed);
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        for bound in 0..3 {
            let violations = brute.violations(bound);
            let all = LayeredOptions {
                max_bound: Some(bound),
                wanted: Wanted { keep_going: true, all: true },
                ..LayeredOptions::default()
            };
            let faults: Vec<Fault> =
                layered(&system, &all, &budget(), &mut Silent).violations.into_iter().map(|f| f.fault).collect();
            assert_eq!(messages(faults.clone()), violations.keys().cloned().collect(), "seed {seed} bound {bound}");
            if faults.is_empty() {
                continue;
            }
            let options =
                ShortestOptions { bound: Some((Measure::Preemptions, bound)), faults, ..ShortestOptions::default() };
            let (found, _) = shortest(&system, &options, &budget(), &mut Silent);
            let found: BTreeMap<String, (u32, u32)> = found
                .into_iter()
                .map(|f| {
                    let cost = cost_of(&system, &f.path, Counting::default()).0;
                    (f.fault.message, (cost, f.path.steps.len() as u32))
                })
                .collect();
            assert_eq!(found, violations, "seed {seed} bound {bound}");
        }
    }
}

#[test]
fn the_shortest_run_within_a_bound() {
    for seed in 0..SYSTEMS / 2 {
        let system = System::random(seed);
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        for bound in 0..3 {
            let least = brute.shortest(bound);
            let options = ShortestOptions {
                minimize: Measure::Length,
                bound: Some((Measure::Preemptions, bound)),
                ..ShortestOptions::default()
            };
            let (found, _) = shortest(&system, &options, &budget(), &mut Silent);
            assert_eq!(found.first().map(|f| f.path.steps.len() as u32), least, "seed {seed} bound {bound}");
        }
    }
}

#[test]
fn rounds_are_those_of_the_round_robin_schedule() {
    for seed in 0..SYSTEMS {
        let system = System::random(seed);
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        for rounds in 1..4 {
            let options = RoundsOrDepthOptions { counted: Rank::Rounds, max_bound: Some(rounds), wanted: everything() };
            let outcome = rounds_or_depth(&system, &options, &budget(), &mut Silent);
            assert_eq!(outcome.stats.states, brute.round_robin(rounds).len() as u64, "seed {seed}, {rounds} rounds");
        }
        let options = RoundsOrDepthOptions { counted: Rank::Rounds, max_bound: None, wanted: everything() };
        let outcome = rounds_or_depth(&system, &options, &budget(), &mut Silent);
        assert_eq!(outcome.stop, StopReason::Exhausted);
        assert_eq!(outcome.stats.states, brute.states_within(u32::MAX).len() as u64, "seed {seed}");
    }
}

#[test]
fn depth_bounds_the_number_of_steps() {
    for seed in 0..SYSTEMS / 2 {
        let system = System::random(seed);
        let brute = BruteForce::new(&system, Counted::Preemptions, true);
        for depth in 0..6 {
            let options = RoundsOrDepthOptions { counted: Rank::Depth, max_bound: Some(depth), wanted: everything() };
            let outcome = rounds_or_depth(&system, &options, &budget(), &mut Silent);
            assert_eq!(outcome.stats.states, brute.within_steps(depth) as u64, "seed {seed}, {depth} steps");
        }
    }
}

#[test]
fn cycles_are_found_at_their_least_bound() {
    for seed in 0..SYSTEMS / 5 {
        let system = without_faults(seed);
        for (cost, counted, busy) in countings() {
            let brute = BruteForce::new(&system, counted, busy);
            for cycle in [Cycle::Acceptance, Cycle::NonProgress] {
                for fair in [false, true] {
                    let options = CycleOptions {
                        cycle,
                        fair,
                        cost: Some(cost),
                        count_busy_wait: !busy,
                        wanted: Wanted { keep_going: true, all: true },
                        ..CycleOptions::default()
                    };
                    let outcome = cycles(&system, &options, &budget(), &mut Silent);
                    let lassos: Vec<&Path> =
                        outcome.violations.iter().map(|f| &f.path).filter(|p| p.cycle.is_some()).collect();
                    let least = brute.least_cycle(cycle == Cycle::NonProgress, fair);
                    assert_eq!(lassos.is_empty(), least.is_none(), "seed {seed} {cost:?} {cycle:?} fair {fair}");
                    let (Some(least), Some(path)) = (least, lassos.first()) else { continue };
                    let counting = Counting { busy_waiting: !busy };
                    let (preemptions, switches) = cost_of(&system, path, counting);
                    let paid = if cost == SwitchCost::Preemptions { preemptions } else { switches };
                    assert_eq!(paid, least, "seed {seed} {cost:?} {cycle:?} fair {fair}");
                    check_lasso(&brute, path, cycle, fair, seed);
                }
            }
        }
    }
}

#[test]
fn the_best_run_that_ends_in_a_cycle_is_the_best_there_is() {
    let mut found = 0;
    for seed in 0..SYSTEMS / 3 {
        let system = without_faults(seed);
        for (cost, counted, busy) in countings() {
            let brute = BruteForce::new(&system, counted, busy);
            for cycle in [Cycle::Acceptance, Cycle::NonProgress] {
                let Some((least, length)) = brute.best_lasso(cycle == Cycle::NonProgress) else { continue };
                let wanted = Wanted { keep_going: true, all: true };
                let (cost, count_busy_wait) = (Some(cost), !busy);
                let options =
                    CycleOptions { cycle, cost, count_busy_wait, simplest: true, wanted, ..Default::default() };
                let outcome = cycles(&system, &options, &budget(), &mut Silent);
                let lasso = outcome.violations.iter().map(|f| &f.path).find(|p| p.cycle.is_some()).expect("a cycle");
                let (preemptions, switches) = cost_of(&system, lasso, Counting { busy_waiting: !busy });
                let paid = if cost == Some(SwitchCost::Preemptions) { preemptions } else { switches };
                assert_eq!((paid, lasso.steps.len() as u32), (least, length), "seed {seed} {cost:?} {cycle:?}");
                found += 1;
            }
        }
    }
    assert!(found > 1000, "only {found} cycles");
}

#[test]
fn the_search_for_cycles_executes_each_transition_once() {
    for seed in 0..SYSTEMS / 3 {
        let system = System::random(seed);
        let whole = without_a_bound(&system);
        for (cost, counted, busy) in countings() {
            let brute = BruteForce::new(&system, counted, busy);
            let cycle = if seed % 2 == 0 { Cycle::Acceptance } else { Cycle::NonProgress };
            let options = CycleOptions { cycle, cost: Some(cost), count_busy_wait: !busy, ..CycleOptions::default() };
            let on = CycleOptions { wanted: Wanted { keep_going: true, all: true }, ..options.clone() };
            let outcome = cycles(&system, &on, &budget(), &mut Silent);
            assert_eq!(outcome.stop, StopReason::Exhausted);
            check_layers(&outcome, &brute, &whole, &format!("seed {seed}, {cost:?}"));
            let violations = brute.violations(20);
            let found = messages(outcome.violations.into_iter().map(|found| found.fault));
            assert!(violations.keys().all(|message| found.contains(message)), "seed {seed} {cost:?}");
            let least = violations.values().map(|(cost, _)| *cost).min();
            let least = least.into_iter().chain(brute.least_cycle(cycle == Cycle::NonProgress, false)).min();
            let outcome = cycles(&system, &options, &budget(), &mut Silent);
            assert_eq!(outcome.violated_at, least, "seed {seed} {cost:?}");
        }
    }
}

/// The run comes back to where its cycle starts, and the cycle is what was looked for.
fn check_lasso(brute: &BruteForce<'_>, path: &Path, cycle: Cycle, fair: bool, seed: u64) {
    let (system, start) = (brute.system, path.cycle.expect("a cycle"));
    let steps = &path.steps[start..];
    let end = &path.steps.last().expect("a step").state;
    assert_eq!(path.before(start), end.as_slice(), "seed {seed}: the cycle is not closed");
    let states: Vec<u16> = steps.iter().map(|s| u16::from_le_bytes([s.state[0], s.state[1]])).collect();
    // A state inside an atomic sequence counts only where the sequence is blocked.
    let passed = |turn: Turn, state: u16| match turn {
        Turn::Only(thread) => !system.moves[usize::from(state)][thread.0 as usize].is_empty(),
        Turn::Any | Turn::Stutter => false,
    };
    let atomic: Vec<bool> = steps.iter().zip(&states).map(|(s, state)| passed(s.step.turn, *state)).collect();
    let stored = states.iter().zip(&atomic).filter(|(_, atomic)| !**atomic).map(|(s, _)| usize::from(*s));
    match cycle {
        Cycle::Acceptance => assert!(stored.clone().any(|s| system.accepting[s]), "seed {seed}"),
        Cycle::NonProgress => assert!(stored.clone().all(|s| !system.progress[s]), "seed {seed}"),
    }
    if fair {
        for thread in 0..system.threads {
            let moves = steps.iter().any(|s| s.step.thread.is_some_and(|t| t.0 == thread));
            let disabled = stored.clone().any(|s| brute.transitions(s as u16).iter().all(|t| t.thread != thread));
            assert!(moves || disabled, "seed {seed}: thread {thread} is left out");
        }
    }
}
