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
    let mut out = Path { initial: initial.clone(), steps: Vec::new(), cycle: None };
    let (mut state, mut turn) = (initial, Turn::Any);
    // What the other machine does not remember may be different after the first time round the
    // cycle; from then on it repeats.
    let again = &path.steps[path.cycle.unwrap_or(path.steps.len())..];
    for wanted in path.steps.iter().chain(again) {
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
        if let Some(start) = path.cycle.filter(|_| out.steps.len() == path.steps.len())
            && closes(machine, &out, start)
        {
            out.cycle = Some(start);
            return Some(out);
        }
    }
    if let Some(first) = path.cycle {
        let repeats = closes(machine, &out, path.steps.len());
        if !repeats {
            // Only what the other machine leaves out, because nothing depends on it, goes on changing.
            out.steps.truncate(path.steps.len());
        }
        out.cycle = Some(if repeats { path.steps.len() } else { first });
    }
    Some(out)
}

/// Whether the run ends in the state before step `start`.
fn closes<M: Machine>(machine: &M, path: &Path, start: usize) -> bool {
    let hidden = machine.hidden_prefix();
    let end = path.steps.last().map_or(&path.initial, |step| &step.state);
    path.before(start).get(hidden..) == end.get(hidden..)
}
