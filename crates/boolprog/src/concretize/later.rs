//! A run whose values were left open until they are read, as the machine takes it: what a thread waits for is decided when it
//! reaches its wait. What the run reads later says which value that is; a value that nothing reads is one of those with which
//! the run continues.

use std::collections::{HashMap, HashSet};

use selvedge_machine::{Machine, Path, PathStep, Step, Steps, Turn};

use super::Move;
use crate::machine::{Around, BoolMachine, Scratch, Variable};
use crate::program::EdgeId;

/// Values by variable; open ones are left out.
type Known = HashMap<Variable, u8>;

/// The same run with what threads wait for decided; `None` if nothing is left to decide, or there is none.
pub(super) fn with_waits_decided(machine: &BoolMachine, moves: &[Move], path: &Path) -> Option<Path> {
    if path.steps.iter().all(|step| step.step.turn != Turn::Any || machine.is_decided(&step.state)) {
        return None;
    }
    let known = known_after(machine, path);
    let of_init = (0..path.steps.len()).take_while(|step| machine.in_init(path.before(*step))).count();
    let mut scratch = Scratch::default();
    let mut tried: HashSet<(usize, Vec<u8>)> = HashSet::new();
    let mut steps: Vec<PathStep> = Vec::new();
    let mut levels: Vec<Vec<PathStep>> = Vec::new();
    while steps.len() < path.steps.len() {
        if levels.len() == steps.len() {
            let number = steps.len();
            let (state, turn) = steps.last().map_or((&path.initial, Turn::Any), |step| (&step.state, step.step.turn));
            let wanted = number.checked_sub(of_init).map(|number| &moves[number]);
            let mut ways = ways(machine, (state, turn), &path.steps[number], wanted, &mut scratch);
            ways.retain(|way| agrees(machine, &way.state, &known[number]) && tried.insert((number, way.state.clone())));
            levels.push(ways);
        }
        match levels.last_mut()?.pop() {
            Some(way) => steps.push(way),
            None => {
                levels.pop();
                steps.pop()?;
            }
        }
    }
    Some(Path { initial: path.initial.clone(), steps, cycle: None })
}

/// The steps of the machine like one of the run, the first one last.
fn ways(
    machine: &BoolMachine,
    (state, turn): (&[u8], Turn),
    like: &PathStep,
    wanted: Option<&Move>,
    scratch: &mut Scratch,
) -> Vec<PathStep> {
    let mut steps = Steps::new();
    match (wanted, like.step.thread) {
        (Some(Move { edge, before, after, .. }), Some(thread)) => {
            let around = Around { before, after };
            machine.steps_along((state, turn), thread, *edge, (around, true), &mut steps);
        }
        _ => machine.steps(state, turn, scratch, &mut steps),
    }
    let is_like = |step: &&Step| {
        step.thread == like.step.thread
            && step.action[0] == like.step.action[0]
            && step.faults.is_empty() == like.faults.is_empty()
    };
    let taken = steps.list.iter().rev().filter(is_like).map(|step| PathStep {
        step: step.clone(),
        state: steps.state(step).map_or_else(Vec::new, <[u8]>::to_vec),
        faults: steps.faults[step.faults.clone()].to_vec(),
    });
    taken.collect()
}

fn agrees(machine: &BoolMachine, state: &[u8], known: &Known) -> bool {
    machine.known_values(state).iter().all(|(variable, value)| known.get(variable).is_none_or(|known| known == value))
}

/// What is known of the values after each step: those that it has, and those that are read later and not written before.
fn known_after(machine: &BoolMachine, path: &Path) -> Vec<Known> {
    let mut known: Vec<Known> = Vec::new();
    let mut later = Known::new();
    for (number, step) in path.steps.iter().enumerate().rev() {
        later.extend(machine.known_values(&step.state));
        known.push(later.clone());
        let before = path.before(number);
        let written = step.step.thread.map(|thread| machine.written(before, thread, EdgeId(step.step.action[0])));
        let exists: HashSet<Variable> = machine.all_values(before).into_iter().map(|(variable, _)| variable).collect();
        later.retain(|variable, _| exists.contains(variable) && !written.iter().flatten().any(|one| one == variable));
    }
    known.reverse();
    known
}
