//! Follows a run again in another machine for the same model: the optimised machine finds the run,
//! the plain one has every value at every step.

use crate::{Machine, Path, PathStep, Steps, Turn};

/// The same steps in `machine`; `None` if it cannot take one of them. Both machines must number
/// threads and actions alike.
pub fn retrace<M: Machine>(machine: &M, path: &Path) -> Option<Path> {
    let mut scratch = M::Scratch::default();
    let mut buffer = Steps::new();
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut out = Path { initial: initial.clone(), steps: Vec::new() };
    let (mut state, mut turn) = (initial, Turn::Any);
    for wanted in &path.steps {
        let mut found = None;
        for attempt in [turn, Turn::Any, Turn::Stutter] {
            buffer.clear();
            machine.steps(&state, attempt, &mut scratch, &mut buffer);
            found = buffer.list.iter().position(|s| {
                s.thread == wanted.step.thread && s.ran_last == wanted.step.ran_last && s.action == wanted.step.action
            });
            if found.is_some() {
                break;
            }
        }
        let step = buffer.list[found?].clone();
        let next = buffer.state(&step).map_or_else(Vec::new, <[u8]>::to_vec);
        out.steps.push(PathStep {
            faults: buffer.faults[step.faults.clone()].to_vec(),
            state: next.clone(),
            step: step.clone(),
        });
        (state, turn) = (next, step.turn);
        if state.is_empty() {
            break;
        }
    }
    Some(out)
}
