//! From relations to one run, put together: the interfaces of the threads and their paths between them,
//! interleaved round by round. The run is meant to be replayed by an interpreter that knows no diagrams.

use std::collections::HashSet;

use selvedge_boolprog::concretize::{self, Move};
use selvedge_boolprog::machine::BoolMachine;
use selvedge_boolprog::program::{Op, Program};
use selvedge_core::Budget;
use selvedge_machine::{Fault, Machine, Path, PathStep, Steps, Turn};
use selvedge_source::Cancel;

use crate::analysis::Violation;
use crate::bdd::{Limited, Tables};
use crate::encode::{Encoding, Locals};
use crate::flow::touches;
use crate::lazy::Hit;
use crate::path::{self, ThreadStep};
use crate::thread::Goal;

/// The moves of a run that meets a goal.
pub fn moves(program: &Program, hit: &Hit, budget: &Budget) -> Limited<Vec<Move>> {
    Tables::as_needed(budget, |tables| moves_with(program, hit, tables, budget))
}

fn moves_with(program: &Program, hit: &Hit, tables: Tables, budget: &Budget) -> Limited<Vec<Move>> {
    let encoding = Encoding::with_tables(program, 1, Locals::Always, tables, budget);
    let mut threads: Vec<Vec<ThreadStep>> = Vec::new();
    for (index, interface) in hit.interfaces.iter().enumerate() {
        let goal = Some(hit.goal).filter(|_| hit.thread == Some(index));
        let procedure = program.threads[index].procedure;
        let steps = path::find(&encoding, procedure, interface, goal)?;
        let steps = steps.expect("the interface is that of a run");
        threads.push(later(program, steps, goal.is_some()));
    }
    let mut moves = interleave(&threads);
    if let (Goal::Assertion(_), Some(last)) = (hit.goal, moves.last_mut()) {
        last.fails = true;
    }
    Ok(moves)
}

/// Moves steps that concern nobody else out of contexts that end with them, into the thread's next one, and leaves them out
/// where there is none: fewer switches to read. The thread that meets the goal keeps its last steps.
fn later(program: &Program, mut steps: Vec<ThreadStep>, meets_goal: bool) -> Vec<ThreadStep> {
    let alone = |step: &ThreadStep| {
        let edge = program.edge(step.edge);
        // A return may write globals of the caller's choice.
        !program.node(edge.from).atomic && !touches(&edge.op) && !matches!(edge.op, Op::Return { .. })
    };
    let mut contexts: Vec<usize> = steps.iter().map(|step| step.context).collect();
    contexts.dedup();
    for (position, context) in contexts.iter().enumerate() {
        let end = steps.partition_point(|step| step.context <= *context);
        let last = steps[..end].iter().rposition(|step| step.context == *context && !alone(step));
        let first = last.map_or_else(|| steps.partition_point(|step| step.context < *context), |last| last + 1);
        match contexts.get(position + 1) {
            Some(next) => steps[first..end].iter_mut().for_each(|step| {
                step.context = *next;
                // Others have run in between.
                (step.before.globals, step.after.globals) = (None, None);
            }),
            None if !meets_goal => steps.truncate(first),
            None => {}
        }
    }
    steps
}

/// Round by round, in each the threads in order.
fn interleave(threads: &[Vec<ThreadStep>]) -> Vec<Move> {
    let rounds = threads.iter().flatten().map(|step| step.context + 1).max().unwrap_or(0);
    let mut moves = Vec::new();
    for round in 0..rounds {
        for (thread, steps) in threads.iter().enumerate() {
            let here = steps.iter().filter(|step| step.context == round);
            let taken = |ThreadStep { edge, before, after, .. }: &ThreadStep| Move {
                thread,
                edge: *edge,
                before: before.clone(),
                after: after.clone(),
                fails: false,
            };
            moves.extend(here.map(taken));
        }
    }
    moves
}

/// The run of the machine that shows a violation, and the fault it ends in. The error is one sentence: then
/// the analysis and the machine disagree, or it was cancelled.
pub fn run_of(machine: &BoolMachine, violation: &Violation, cancel: &Cancel) -> Result<(Path, Fault), String> {
    let path = match (violation.thread, violation.moves.is_empty()) {
        (None, _) => run_of_init(machine, cancel).ok_or("the machine finds nothing wrong before the threads start")?,
        (Some(_), true) => {
            let mut initial = Vec::new();
            machine.initial(&mut initial);
            Path { initial, steps: Vec::new(), cycle: None }
        }
        (Some(_), false) => concretize::follow_until(machine, &violation.moves, cancel)
            .map_err(|stuck| format!("after {} of {} steps: {}", stuck.moves, violation.moves.len(), stuck.reason))?,
    };
    let fault = fault_of(machine, &path).ok_or("the run ends in no violation")?;
    Ok((path, fault))
}

fn fault_of(machine: &BoolMachine, path: &Path) -> Option<Fault> {
    let Some(last) = path.steps.last() else { return machine.state_fault(&path.initial) };
    let of_step = last.faults.first().cloned();
    let state = Some(&last.state).filter(|state| !state.is_empty());
    of_step.or_else(|| machine.state_fault(state?)).or_else(|| machine.end_fault(state?))
}

/// A state with its turn, where it was reached from and by which step.
type Visited = (Vec<u8>, Turn, Option<(usize, PathStep)>);

/// A shortest run in which something goes wrong before the threads start.
fn run_of_init(machine: &BoolMachine, cancel: &Cancel) -> Option<Path> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    if machine.state_fault(&initial).is_some() {
        return Some(Path { initial, steps: Vec::new(), cycle: None });
    }
    let mut scratch = Default::default();
    let mut states: Vec<Visited> = vec![(initial.clone(), Turn::Any, None)];
    let mut seen = HashSet::from([initial.clone()]);
    let mut next = 0;
    while next < states.len() && !cancel.asks() {
        let (state, turn, _) = states[next].clone();
        let mut steps = Steps::new();
        machine.steps(&state, turn, &mut scratch, &mut steps);
        for step in &steps.list {
            let after = steps.state(step).map_or_else(Vec::new, <[u8]>::to_vec);
            let faults = steps.faults[step.faults.clone()].to_vec();
            let wrong = !faults.is_empty() || (!after.is_empty() && machine.state_fault(&after).is_some());
            let taken = PathStep { step: step.clone(), state: after.clone(), faults };
            if wrong {
                return Some(Path { initial, steps: back(&states, next, taken), cycle: None });
            }
            if machine.in_init(&after) && seen.insert(after.clone()) {
                states.push((after, step.turn, Some((next, taken))));
            }
        }
        next += 1;
    }
    None
}

fn back(states: &[Visited], mut at: usize, last: PathStep) -> Vec<PathStep> {
    let mut steps = vec![last];
    while let Some((before, step)) = &states[at].2 {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    steps
}
