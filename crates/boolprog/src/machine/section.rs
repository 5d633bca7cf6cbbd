//! What a thread can reach before another may run: the inside of an atomic section, from any state in it.
//!
//! A section may call procedures that call themselves, and then the stacks that it can build are exponential in the
//! stack limit. What a call does depends on the frame of its caller, on everything outside the stack and on
//! how deep the stack is, but not on the frames further down: calls that agree in these are explored once, and what
//! they return with is handed to all their callers (the summaries of \[LR\] Section 3, state by state). So
//! the cost is linear in the stack limit.

use std::collections::{BTreeSet, HashMap, HashSet};

use selvedge_core::ThreadId;

use super::BoolMachine;
use super::step::Successor;

/// A call of a section, or what was running when the search started.
#[derive(Default)]
struct Activation {
    /// Frames that are left out of its states.
    below: u32,
    seen: HashSet<Vec<u8>>,
    /// Who made the call, with the frames that were left out of the state.
    callers: BTreeSet<(usize, Vec<u8>)>,
    /// States in which it has returned.
    returned: BTreeSet<Vec<u8>>,
}

/// The search.
pub(super) struct Section<'a> {
    machine: &'a BoolMachine,
    thread: ThreadId,
    activations: Vec<Activation>,
    numbers: HashMap<(u32, Vec<u8>), usize>,
    work: Vec<(usize, Vec<u8>)>,
    /// The first mark that was read (`wait.rs`).
    mark: Option<u8>,
}

impl<'a> Section<'a> {
    pub(super) fn new(machine: &'a BoolMachine, thread: ThreadId) -> Self {
        Section { machine, thread, activations: Vec::new(), numbers: HashMap::new(), work: Vec::new(), mark: None }
    }

    /// Whether `stop` accepts one of the states that the thread reaches before another may run. It gets the state with
    /// the frames that matter, how many are left out, and the successors, among which there may be some in which another
    /// may run.
    pub(super) fn any(&mut self, state: &[u8], mut stop: impl FnMut(&[u8], u32, &[Successor]) -> bool) -> bool {
        self.activations.push(Activation::default());
        self.add(0, state.to_vec());
        let mut successors = Vec::new();
        while let Some((activation, state)) = self.work.pop() {
            let below = self.activations[activation].below;
            successors.clear();
            let mark = self.machine.successors(&state, self.thread, below, &mut successors);
            self.mark = self.mark.or(mark);
            if stop(&state, below, &successors) {
                return true;
            }
            let depth = self.depth(&state);
            successors.retain(|next| !self.machine.arrives(next, self.thread));
            for successor in successors.drain(..) {
                match self.depth(&successor.state) {
                    deeper if deeper > depth => self.call(activation, successor.state),
                    1 if depth == 2 && activation > 0 => self.give_back(activation, successor.state),
                    _ => self.add(activation, successor.state),
                }
            }
        }
        false
    }

    /// The first mark that a way has read; it was not followed.
    pub(super) fn mark(&self) -> Option<u8> {
        self.mark
    }

    /// Frames of the thread in a state of an activation.
    fn depth(&self, state: &[u8]) -> u32 {
        let thread = self.machine.thread(state, self.thread.0 as usize);
        thread.map_or(0, |thread| self.machine.depth(state, &thread))
    }

    fn add(&mut self, activation: usize, state: Vec<u8>) {
        if self.activations[activation].seen.insert(state.clone()) {
            self.work.push((activation, state));
        }
    }

    /// The thread is in a new call: its state keeps the frames of caller and callee.
    fn call(&mut self, caller: usize, mut state: Vec<u8>) {
        let below = self.activations[caller].below + self.depth(&state) - 2;
        let base = self.machine.take_base(&mut state, self.thread);
        let next = self.activations.len();
        let callee = *self.numbers.entry((below, state.clone())).or_insert(next);
        if callee == next {
            self.activations.push(Activation { below, ..Activation::default() });
            self.add(callee, state);
        }
        for returned in self.activations[callee].returned.clone() {
            self.add(caller, self.machine.with_base(returned, self.thread, &base));
        }
        self.activations[callee].callers.insert((caller, base));
    }

    /// A call has returned: all its callers go on.
    fn give_back(&mut self, callee: usize, state: Vec<u8>) {
        if !self.activations[callee].returned.insert(state.clone()) {
            return;
        }
        for (caller, base) in self.activations[callee].callers.clone() {
            let state = self.machine.with_base(state.clone(), self.thread, &base);
            self.add(caller, state);
        }
    }
}
