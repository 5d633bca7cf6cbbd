//! The run that leads to a stored state: the chain of parents, walked forward again with the
//! machine, so that no step needs to be stored.

use selvedge_machine::Arrival;
use selvedge_machine::{ExpandBuffers, Fault, Machine, Path, PathStep, Turn, expand};

use crate::store::{StateId, Store};

/// The run to a stored state.
pub(crate) fn to<M: Machine>(machine: &M, store: &Store, id: StateId) -> Path {
    let states: Vec<Vec<u8>> = chain(store, id)
        .iter()
        .map(|id| {
            let mut state = Vec::new();
            store.get(*id, &mut state);
            state
        })
        .collect();
    through(machine, &states)
}

/// The states through which a state was first reached, that one last.
pub(crate) fn chain(store: &Store, id: StateId) -> Vec<StateId> {
    let mut chain = vec![id];
    while let Some(parent) = store.parent(chain[chain.len() - 1]) {
        chain.push(parent);
    }
    chain.reverse();
    chain
}

/// The run through these stored states.
pub(crate) fn through<M: Machine>(machine: &M, states: &[Vec<u8>]) -> Path {
    let mut path = Path { initial: states[0].clone(), steps: Vec::new(), cycle: None };
    let mut buffers = ExpandBuffers::default();
    for pair in states.windows(2) {
        let steps = between(machine, &pair[0], &pair[1], &mut buffers);
        path.steps.extend(steps);
    }
    path
}

/// The run to a stored state and on along an arrival from it, up to the step that has the fault.
pub(crate) fn with_last<M: Machine>(
    machine: &M,
    store: &Store,
    id: StateId,
    arrival: &Arrival<'_>,
    fault: &Fault,
) -> Path {
    extended(to(machine, store, id), arrival, fault)
}

/// A run and on along an arrival from its end, up to the step that has the fault.
pub(crate) fn extended(mut path: Path, arrival: &Arrival<'_>, fault: &Fault) -> Path {
    for step in arrival.to_path() {
        let last = step.faults.contains(fault);
        path.steps.push(step);
        if last {
            break;
        }
    }
    path
}

/// The fewest micro-steps from one stored state to the next.
fn between<M: Machine>(machine: &M, from: &[u8], to: &[u8], buffers: &mut ExpandBuffers<M>) -> Vec<PathStep> {
    for turn in [Turn::Any, Turn::Stutter] {
        let mut best: Option<Vec<PathStep>> = None;
        expand(machine, from, turn, buffers, &mut |arrival| {
            let shorter = best.as_ref().is_none_or(|b| arrival.steps.len() < b.len());
            if shorter && arrival.state == Some(to) {
                best = Some(arrival.to_path());
            }
        });
        if let Some(best) = best {
            return best;
        }
    }
    Vec::new()
}
