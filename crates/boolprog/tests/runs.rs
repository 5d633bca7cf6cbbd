//! Runs of random programs: what the machine finds, the plain interpreter replays; a run given as moves
//! is found again; a thread is blocked where the plain interpreter says so; a changed run is refused.

mod support;

use std::collections::{HashMap, VecDeque};

use selvedge_boolprog::concretize::{Move, follow};
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::program::EdgeId;
use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_judge as plain;
use selvedge_boolprog_syntax::dialect::Dialect;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{Bound, ThreadId, Trace};
use selvedge_machine::{
    Counting, ExpandBuffers, Fault, Heading, Machine, Path, PathStep, Step, Steps, Turn, classify, expand, narrate,
};
use selvedge_source::{Diagnostics, SourceMap};
use support::{Ready, ready};

/// Programs in which nothing is found among so many states are left out.
const MOST: usize = 1_000;

/// How a state was first reached: from where and by which steps.
type Parents = HashMap<Vec<u8>, Option<(Vec<u8>, Vec<PathStep>)>>;

/// The run to a state.
fn run_to(parents: &Parents, state: &[u8]) -> Vec<PathStep> {
    let mut pieces = Vec::new();
    let mut at = state;
    while let Some(Some((parent, steps))) = parents.get(at) {
        pieces.push(steps);
        at = parent;
    }
    pieces.into_iter().rev().flatten().cloned().collect()
}

/// A violation with a run to it that has the fewest transitions.
fn violation(machine: &BoolMachine) -> Option<(Path, Fault)> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut parents: Parents = HashMap::from([(initial.clone(), None)]);
    let mut queue = VecDeque::from([initial.clone()]);
    let mut buffers = ExpandBuffers::default();
    while let Some(state) = queue.pop_front() {
        let path = |more: Vec<PathStep>, parents: &Parents| Path {
            initial: initial.clone(),
            steps: run_to(parents, &state).into_iter().chain(more).collect(),
            cycle: None,
        };
        if let Some(fault) = machine.state_fault(&state) {
            return Some((path(Vec::new(), &parents), fault));
        }
        let mut found = None;
        let count = expand(machine, &state, Turn::Any, &mut buffers, &mut |arrival| {
            let step = |(buffer, step): (&Steps, &Step)| PathStep {
                step: step.clone(),
                state: buffer.state(step).map_or_else(Vec::new, <[u8]>::to_vec),
                faults: buffer.faults[step.faults.clone()].to_vec(),
            };
            let last = arrival.steps().last();
            if let Some(fault) = last.and_then(|(buffer, step)| buffer.faults[step.faults.clone()].first()) {
                found.get_or_insert((arrival.steps().map(step).collect(), fault.clone()));
            } else if let Some(next) = arrival.state.filter(|next| !parents.contains_key(*next)) {
                parents.insert(next.to_vec(), Some((state.clone(), arrival.steps().map(step).collect())));
                queue.push_back(next.to_vec());
            }
        });
        if let Some((steps, fault)) = found {
            return Some((path(steps, &parents), fault));
        }
        if count == 0
            && let Some(fault) = machine.end_fault(&state)
        {
            return Some((path(Vec::new(), &parents), fault));
        }
        if parents.len() > MOST {
            return None;
        }
    }
    None
}

fn trace_of(ready: &Ready, machine: &BoolMachine, path: &Path, fault: &Fault) -> Trace {
    let input = TraceInput { path: "test.bp".into(), language: "bp".into(), sha256: String::new() };
    let heading = Heading { input, options: TraceOptions::default(), bound: Bound::UNBOUNDED };
    let switches = classify(machine, path, Counting::default());
    narrate(machine, &ready.sources, path, &switches, Some(fault), heading)
}

fn shape(errors: bool) -> Shape {
    Shape { errors, recursion: true, statements: 4, globals: 2, ..Shape::default() }
}

#[test]
fn what_the_machine_finds_the_plain_interpreter_replays() {
    let mut kinds: HashMap<&str, u32> = HashMap::new();
    for seed in 0..800 {
        let program = generate(seed, &Shape { atomic_variable: seed % 4 == 0, ..shape(seed % 3 != 0) });
        let ready = ready(&program).expect("it builds");
        let machine = ready.machine(MachineOptions { stack_limit: 4, deadlock: true });
        let Some((path, fault)) = violation(&machine) else { continue };
        let trace = trace_of(&ready, &machine, &path, &fault);
        let replayed = plain::replay(&ready.built.ast, &ready.sources, &trace);
        assert_eq!(replayed, Ok(()), "seed {seed}: {fault:?}\n{}\n{trace:#?}", ready.text);
        *kinds.entry(fault.kind.code()).or_default() += 1;
    }
    for kind in ["assertion", "invalid-end-state", "label-reached"] {
        assert!(kinds.get(kind).is_some_and(|count| *count > 20), "too few runs of some kind: {kinds:?}");
    }
}

#[test]
fn a_run_that_is_given_as_moves_is_found_again() {
    let mut found = 0;
    for seed in 0..300 {
        let ready = ready(&generate(seed, &shape(true))).expect("it builds");
        let machine = ready.machine(MachineOptions { stack_limit: 4, deadlock: false });
        let Some((path, fault)) = violation(&machine) else { continue };
        let init = usize::from(ready.built.program.init.is_some());
        if init == 1 && path.steps.last().is_none_or(|step| step.step.thread == Some(ThreadId(0))) {
            // Moves are the threads' own, so a violation inside `init` cannot be described.
            continue;
        }
        let own = path.steps.iter().filter_map(|step| step.step.thread.map(|thread| (thread.0 as usize, step)));
        let moves: Vec<Move> = own
            .filter_map(|(thread, step)| {
                let thread = thread.checked_sub(init)?;
                let fails = !step.faults.is_empty();
                let (before, after) = Default::default();
                Some(Move { thread, edge: EdgeId(step.step.action[0]), before, after, fails })
            })
            .collect();
        let again = follow(&machine, &moves).unwrap_or_else(|stuck| panic!("seed {seed}: {stuck:?}\n{}", ready.text));
        let trace = trace_of(&ready, &machine, &again, &fault);
        let replayed = plain::replay(&ready.built.ast, &ready.sources, &trace);
        assert_eq!(replayed, Ok(()), "seed {seed}\n{}", ready.text);
        found += 1;
    }
    assert!(found > 50, "only {found} runs were found again");
}

#[test]
fn a_changed_run_is_refused() {
    let mut refused = 0;
    let mut changed = 0;
    for seed in 0..250 {
        let ready = ready(&generate(seed, &shape(true))).expect("it builds");
        let machine = ready.machine(MachineOptions { stack_limit: 4, deadlock: false });
        let Some((path, fault)) = violation(&machine) else { continue };
        let trace = trace_of(&ready, &machine, &path, &fault);
        let without_first = Trace { steps: trace.steps.iter().skip(1).cloned().collect(), ..trace.clone() };
        let without_last =
            Trace { steps: trace.steps[..trace.steps.len().saturating_sub(1)].to_vec(), ..trace.clone() };
        for damaged in [without_first, without_last].iter().filter(|damaged| damaged.steps.len() < trace.steps.len()) {
            changed += 1;
            refused += u32::from(plain::replay(&ready.built.ast, &ready.sources, damaged).is_err());
        }
    }
    // A first step may be one that nothing depends on, of a thread that does nothing else.
    assert!(changed > 100 && refused * 10 > changed * 8, "{refused} of {changed} changed runs were refused");
}

/// The stacks inside this section are exponential in the stack limit; whether it can be completed is decided without them.
#[test]
fn recursion_inside_a_section_ends() {
    let text = include_str!("../../../corpus/boolprog/recursion/atomic_no_return.bp");
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let options = BuildOptions { dialect: Some(Dialect::Getafix), ..BuildOptions::default() };
    let built = build("m.bp", text, &options, &mut sources, &mut found).expect("it builds");
    let limit = MachineOptions { stack_limit: 200, deadlock: true };
    let machine = BoolMachine::new(built.program, &sources, limit);
    let states = support::everything(&machine, 1_000).expect("few states");
    assert!(states.iter().all(|state| machine.end_fault(state).is_none()));
    assert!(machine.was_cut());
}
