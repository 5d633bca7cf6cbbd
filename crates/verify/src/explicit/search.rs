//! Runs the planned search with the explicit engine, on any machine, and finds the best run for what it found.

use selvedge_core::{BoundKind, Budget, Observer, StopReason, SwitchCost, ViolationKind};
use selvedge_explicit::{
    CycleOptions, Found, Measure, Order, Outcome, ShortestOptions, among_choices, cycles, exhaustive, improvement,
    interleaved, layered, rounds_or_depth, shortest, spin_search,
};
use selvedge_machine::Hints;

use super::plan::{Plan, Planned};

/// Runs the search.
pub(crate) fn run<M: Hints>(planned: &Planned, machine: &M, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    match &planned.plan {
        Plan::Layered(options) => layered(machine, options, budget, observer),
        // Without anything to simplify runs with, what is found first is the answer.
        Plan::Interleaved(options) => interleaved(machine, options, budget, observer, &mut |_, _| None),
        Plan::RoundsOrDepth(options) => rounds_or_depth(machine, options, budget, observer),
        Plan::Exhaustive(options) => exhaustive(machine, options, budget, observer),
        Plan::Spin(options) => spin_search(machine, options, budget, observer),
        Plan::Cycles(list) => all_cycles(planned, list, machine, budget, observer),
    }
}

/// Searches for cycles. Where the bound is raised step by step and no layer has a bad cycle, runs with infinitely many
/// switches are left: a last search counts none. In a large model that search comes first, because it is reduced much
/// better: it proves that there is no bad cycle at all, or finds one, and then the layers look for one with fewer
/// switches, for about as much work again.
fn all_cycles<M: Hints>(
    planned: &Planned,
    list: &[CycleOptions],
    machine: &M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    if planned.kind == BoundKind::Unbounded || planned.most.is_some() {
        return one_after_the_other(list, machine, budget, observer);
    }
    let unbounded: Vec<CycleOptions> =
        list.iter().map(|options| CycleOptions { cost: None, ..options.clone() }).collect();
    let both = [list, unbounded.as_slice()].concat();
    let wants_all = list.iter().any(|options| options.wanted.keep_going || options.wanted.all);
    if wants_all || budget.limits().states.is_some_and(|most| most <= SMALL) {
        return one_after_the_other(&both, machine, budget, observer);
    }
    let small = one_after_the_other(&both, machine, &budget.with_most_states(SMALL), observer);
    if small.stop != StopReason::States {
        return small;
    }
    let quick = one_after_the_other(&unbounded, machine, &budget.share(1, 2), observer);
    match quick.stop {
        StopReason::Violation => {
            let simpler = one_after_the_other(list, machine, &few_states(&quick, budget), observer);
            if simpler.stop == StopReason::Violation { simpler } else { Outcome { layers: simpler.layers, ..quick } }
        }
        StopReason::Exhausted | StopReason::Bound => Outcome { layers: small.layers, unbounded: true, ..quick },
        _ => one_after_the_other(&both, machine, budget, observer),
    }
}

/// States of a model whose layers are explored in any case.
const SMALL: u64 = 20_000;

/// A budget for a better cycle than one that was found.
fn few_states(found: &Outcome, budget: &Budget) -> Budget {
    budget.with_most_states(SMALL.max(2 * found.stats.states))
}

/// One search for cycles after the other, until one finds something.
fn one_after_the_other<M: Hints>(
    list: &[CycleOptions],
    machine: &M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut last: Option<Outcome> = None;
    for options in list {
        let mut outcome = cycles(machine, options, budget, observer);
        if let Some(before) = last {
            outcome = joined(before, outcome, options.cost.is_none());
        }
        let goes_on = matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound)
            && (outcome.violations.is_empty() || options.wanted.keep_going || options.wanted.all);
        last = Some(outcome);
        if !goes_on {
            break;
        }
    }
    last.unwrap_or_else(|| unreachable!("a search for cycles has at least one kind of them"))
}

/// Two searches of the same states as one.
fn joined(first: Outcome, second: Outcome, beyond_bounds: bool) -> Outcome {
    let mut stats = second.stats;
    stats.states = stats.states.max(first.stats.states);
    stats.transitions += first.stats.transitions;
    stats.max_depth = stats.max_depth.max(first.stats.max_depth);
    stats.peak_memory_bytes = stats.peak_memory_bytes.max(first.stats.peak_memory_bytes);
    let new = |found: &Found| !first.violations.iter().any(|known| known.fault == found.fault);
    let more: Vec<Found> = second.violations.into_iter().filter(new).collect();
    let violated_at = match (first.violated_at, beyond_bounds) {
        (Some(bound), _) => Some(bound),
        (None, true) => None,
        (None, false) => second.violated_at,
    };
    // A bound is covered only if both searches completed it.
    let mut layers = first.layers;
    if !beyond_bounds && !matches!(second.stop, StopReason::Exhausted | StopReason::Bound) {
        layers.truncate(second.layers.len());
    }
    Outcome {
        stop: second.stop,
        stats,
        violations: first.violations.into_iter().chain(more).collect(),
        layers,
        bound: first.bound,
        violated_at,
        omission: None,
        unbounded: false,
        in_vain: 0,
        stored: None,
    }
}

/// Whether what was found came from a search that does not look at costs, and may be much cheaper than the best run.
pub(crate) fn is_quick(planned: &Planned, outcome: &Outcome) -> bool {
    match &planned.plan {
        Plan::Interleaved(_) => outcome.unbounded,
        Plan::Exhaustive(options) => options.order == Order::DepthFirst,
        _ => false,
    }
}

/// How much may be done for a better run than the one that such a search found: nothing where the layers, which look at
/// runs in nearly the same order as the search for the best one, have used up half of it and not found any.
pub(crate) fn enough_work<M: Hints>(outcome: &Outcome, machine: &M) -> u64 {
    let work = improvement(outcome.stats.transitions).max(among_choices(machine, LEAST_WORK));
    if outcome.in_vain > work / 2 { 0 } else { work }
}

/// Transitions that are followed for a better run in any other case.
const LEAST_WORK: u64 = 300_000;

/// Better runs for violations that were found.
#[derive(Default)]
pub(crate) struct Better {
    /// A run for each violation that has a better one.
    pub found: Vec<Found>,
    /// Why none better was looked for, or not to the end.
    pub gave_up: Option<StopReason>,
}

/// Finds the best run for each of the violations, or for any one if only one is wanted. `machine` must have every step
/// of the model.
pub(crate) fn improve<M: Hints>(
    planned: &Planned,
    outcome: &Outcome,
    all: bool,
    machine: &M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Better {
    let Some(minimize) = planned.minimize else { return Better::default() };
    if outcome.violations.iter().any(|found| is_cycle(found.fault.kind)) {
        return better_lasso(planned, outcome, machine, budget, observer);
    }
    let faults = if all { outcome.violations.iter().map(|found| found.fault.clone()).collect() } else { Vec::new() };
    let bound = match (planned.kind, planned.most) {
        (BoundKind::Rounds, _) => {
            return Better::default();
        }
        (BoundKind::Depth, Some(most)) => Some((Measure::Length, most)),
        (BoundKind::Switches, most) => within(Measure::Switches, most, planned, outcome, all),
        (BoundKind::Preemptions, most) => within(Measure::Preemptions, most, planned, outcome, all),
        _ => None,
    };
    let most_work = is_quick(planned, outcome).then(|| enough_work(outcome, machine));
    let options = ShortestOptions { minimize, bound, counting: planned.counting, faults, most_work };
    let (found, stop) = shortest(machine, &options, budget, observer);
    Better { found, gave_up: (stop != StopReason::Violation).then_some(stop) }
}

fn is_cycle(kind: ViolationKind) -> bool {
    matches!(kind, ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle)
}

/// The bound for the best run: what the user asked for, or, if that is what is to be least, what was found to be.
fn within(
    measure: Measure,
    most: Option<u32>,
    planned: &Planned,
    outcome: &Outcome,
    all: bool,
) -> Option<(Measure, u32)> {
    let least = outcome.violated_at.filter(|_| planned.minimize == Some(measure) && !all);
    least.or(most).map(|bound| (measure, bound))
}

/// Searches for cycles again with every step and every schedule, for the best run there is. What is to be least is what
/// the layers count; where no such run has finitely many switches, nothing is counted.
fn better_lasso<M: Hints>(
    planned: &Planned,
    outcome: &Outcome,
    machine: &M,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Better {
    let Plan::Cycles(list) = &planned.plan else { return Better::default() };
    let budget = &few_states(outcome, budget);
    let at = outcome.violated_at;
    let (cost, max_bound) = match (planned.minimize, planned.kind) {
        (Some(Measure::Length) | None, _) => (None, None),
        // What is bounded is what is to be least.
        (_, BoundKind::Switches) => (Some(SwitchCost::Switches), at),
        (Some(Measure::Preemptions), BoundKind::Preemptions) => (Some(SwitchCost::Preemptions), at),
        (Some(Measure::Preemptions), _) => (Some(SwitchCost::Preemptions), None),
        (Some(Measure::Switches), _) => (Some(SwitchCost::Switches), None),
    };
    let mut better = Better::default();
    for (cost, max_bound) in [(cost, max_bound), (None, None)] {
        for options in list {
            let options = CycleOptions { reduction: false, simplest: true, cost, max_bound, ..options.clone() };
            let again = cycles(machine, &options, budget, observer);
            better.found.extend(again.violations.into_iter().filter(|found| !found.path.initial.is_empty()));
            if !matches!(again.stop, StopReason::Exhausted | StopReason::Bound | StopReason::Violation) {
                better.gave_up = Some(again.stop);
            }
        }
        if better.found.iter().any(|found| is_cycle(found.fault.kind)) || better.gave_up.is_some() {
            break;
        }
    }
    better
}
