//! Follows a run again in another machine for the same model: the optimised machine finds the run,
//! the plain one has every value at every step.

use selvedge_source::Cancel;

use crate::{Machine, Path, PathStep, Steps, Turn};

/// Rounds of a cycle that are followed until the state at the end of one is that at the end of an earlier one.
const MOST_ROUNDS: usize = 8;
/// Steps between two questions whether to go on.
const ASK_EVERY: usize = 64;

/// The same steps in `machine`; `None` if it cannot take one of them, or if it was cancelled. Both machines must number
/// threads and actions alike.
pub fn retrace<M: Machine>(machine: &M, path: &Path, cancel: &Cancel) -> Option<Path> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let out = Path { initial: initial.clone(), steps: Vec::new(), cycle: None };
    let (scratch, buffer) = (M::Scratch::default(), Steps::new());
    let mut again = Again { machine, scratch, buffer, turn: Turn::Any, out, cancel };
    again.follow(&path.steps)?;
    let Some(start) = path.cycle.filter(|_| again.out.steps.len() == path.steps.len()) else { return Some(again.out) };
    // What the other machine does not remember may be different after the first times round the cycle.
    let mut ends = vec![start, path.steps.len()];
    while ends.len() <= MOST_ROUNDS + 1 {
        if let Some(first) = ends[..ends.len() - 1].iter().find(|end| again.closes(**end)) {
            again.out.cycle = Some(*first);
            return Some(again.out);
        }
        again.follow(&path.steps[start..])?;
        ends.push(again.out.steps.len());
    }
    // Only what the other machine leaves out, because nothing depends on it, continues changing.
    again.out.steps.truncate(ends[2]);
    again.out.cycle = Some(ends[1]);
    Some(again.out)
}

struct Again<'m, M: Machine> {
    machine: &'m M,
    scratch: M::Scratch,
    buffer: Steps,
    turn: Turn,
    out: Path,
    cancel: &'m Cancel,
}

impl<M: Machine> Again<'_, M> {
    /// Takes the same steps, up to one that ends the run.
    fn follow(&mut self, steps: &[PathStep]) -> Option<()> {
        for (index, wanted) in steps.iter().enumerate() {
            if self.cancel.asks_at(index, ASK_EVERY) {
                return None;
            }
            let state = self.out.steps.last().map_or(&self.out.initial, |step| &step.state).clone();
            let step =
                [self.turn, Turn::Any, Turn::Stutter].into_iter().find_map(|turn| self.find(&state, turn, wanted))?;
            self.turn = step.step.turn;
            let ends = step.state.is_empty();
            self.out.steps.push(step);
            if ends {
                break;
            }
        }
        Some(())
    }

    fn find(&mut self, state: &[u8], turn: Turn, wanted: &PathStep) -> Option<PathStep> {
        let buffer = &mut self.buffer;
        buffer.clear();
        self.machine.steps(state, turn, &mut self.scratch, buffer);
        let wanted = &wanted.step;
        let found = buffer.list.iter().find(|step| step.is_like(wanted) && step.ran_last == wanted.ran_last)?.clone();
        let state = buffer.state(&found).map_or_else(Vec::new, <[u8]>::to_vec);
        Some(PathStep { faults: buffer.faults[found.faults.clone()].to_vec(), state, step: found })
    }

    /// Whether the run so far ends in the state before step `start`.
    fn closes(&self, start: usize) -> bool {
        let hidden = self.machine.hidden_prefix();
        let end = self.out.steps.last().map_or(&self.out.initial, |step| &step.state);
        self.out.before(start).get(hidden..) == end.get(hidden..)
    }
}
