//! Partial-order reduction of the searches without a bound: the steps of one thread stand for those
//! of all threads, where the machine calls them safe ([`selvedge_machine::Hints::is_safe`]) and the search cannot go
//! round for ever without taking the others.
//!
//! What must hold, so that every end of a run, every failed assertion and every fault is still found
//! (the conditions C0 to C3 of ample sets): the thread has a step, and all its steps can be completed;
//! safe steps are independent of everybody else's and invisible; and not every state of a cycle is
//! reduced. For the last: depth-first, no step of the thread leads to a state on the current path;
//! breadth-first, at least one leads to a state that is new.

use rustc_hash::FxHashSet;
use selvedge_core::ThreadId;
use selvedge_machine::{ExpandBuffers, Hints, Turn, expand};

/// The states on the current path of a depth-first search.
#[derive(Default)]
pub(crate) struct OpenPath {
    hidden: usize,
    states: Vec<Box<[u8]>>,
    set: FxHashSet<Box<[u8]>>,
    bytes: u64,
}

impl OpenPath {
    /// An empty path of states whose first `hidden` bytes do not count.
    pub fn new(hidden: usize) -> Self {
        OpenPath { hidden, ..OpenPath::default() }
    }

    /// The path goes on with this state at this depth; what was at this depth or below is left.
    pub fn enter(&mut self, depth: u32, state: &[u8]) {
        while self.states.len() > depth as usize {
            self.pop();
        }
        self.push(state);
    }

    /// The path goes on with this state.
    pub fn push(&mut self, state: &[u8]) {
        let state = &state[self.hidden..];
        self.bytes += 2 * state.len() as u64;
        self.states.push(state.into());
        self.set.insert(state.into());
    }

    /// The path goes back by one state.
    pub fn pop(&mut self) {
        if let Some(left) = self.states.pop() {
            self.bytes -= 2 * left.len() as u64;
            self.set.remove(&left);
        }
    }

    /// Whether the state is on the path.
    pub fn contains(&self, state: &[u8]) -> bool {
        self.set.contains(&state[self.hidden..])
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes + (self.states.capacity() + 2 * self.set.capacity()) as u64 * size_of::<Box<[u8]>>() as u64
    }
}

/// What the steps of a thread lead to.
#[derive(Clone, Copy, Default)]
struct Steps {
    some: bool,
    uncompleted: bool,
    back: bool,
}

/// The youngest thread whose steps may stand for all in `state`; none of them leads back to `open`.
pub(crate) fn choose<M: Hints>(
    machine: &M,
    state: &[u8],
    open: &OpenPath,
    buffers: &mut ExpandBuffers<M>,
) -> Option<ThreadId> {
    let threads = machine.thread_count(state);
    let candidates: Vec<ThreadId> =
        (0..threads).rev().map(ThreadId).filter(|thread| machine.is_safe(state, *thread)).collect();
    if candidates.is_empty() || threads < 2 {
        return None;
    }
    let mut steps = vec![Steps::default(); threads as usize];
    expand(machine, state, Turn::Any, buffers, &mut |arrival| {
        let (buffer, index) = arrival.steps[0];
        let Some(ThreadId(thread)) = buffer.list[index].thread else { return };
        let Some(steps) = steps.get_mut(thread as usize) else { return };
        steps.some = true;
        match arrival.state {
            Some(next) => steps.back |= open.contains(next),
            None => steps.uncompleted = true,
        }
    });
    candidates.into_iter().find(|thread| {
        let steps = steps[thread.0 as usize];
        steps.some && !steps.uncompleted && !steps.back
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_holds_each_state_twice() {
        let mut open = OpenPath::new(1);
        let state = |i: u32| [i as u8, i as u8, (i >> 8) as u8];
        (0..1_792).for_each(|i| open.push(&state(i)));
        let least = 1_792 * 2 * (2 + size_of::<Box<[u8]>>() as u64);
        assert!((least..3 * least).contains(&open.bytes()), "{} {least}", open.bytes());
        assert!(open.contains(&[99, 1, 1]) && !open.contains(&[99, 1, 99]));
        open.enter(1, &state(7));
        assert!(open.contains(&state(0)) && open.contains(&state(7)) && !open.contains(&state(1)));
    }
}
