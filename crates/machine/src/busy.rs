//! Busy waiting (\[BCS\] 3.1, made independent of the search order): a thread that can return to a state by its own
//! steps alone is busy-waiting there. A fair scheduler would move on, so a switch away from it is no preemption.
//!
//! Defined on the graph of one thread's own steps, those after which it still counts as the one that ran last:
//! a thread is busy-waiting in a state iff the state lies on a cycle of that graph. Found with Tarjan's algorithm,
//! without recursion; answers are remembered, so that every step of the graph is executed once.

use rustc_hash::FxHashMap;

use crate::{ExpandBuffers, Machine, Threads, Turn, expand_own};
use selvedge_core::ThreadId;

/// What is known about who is busy-waiting where, for one machine.
pub struct BusyWaiting<M: Machine> {
    known: FxHashMap<ThreadId, FxHashMap<Box<[u8]>, Answer>>,
    buffers: ExpandBuffers<M>,
    bytes: u64,
    /// How many states a question may look at.
    most: usize,
}

/// A state in the graph of one thread's own steps.
#[derive(Clone, Copy)]
enum Answer {
    /// Being looked at; its number in the order of discovery.
    Open(usize),
    Known(bool),
}

/// A state on the path of the depth-first search; its key is what tells it from other states.
struct Frame {
    key: Box<[u8]>,
    successors: Vec<Box<[u8]>>,
    number: usize,
    low: usize,
    own_successor: bool,
}

impl<M: Machine> Default for BusyWaiting<M> {
    fn default() -> Self {
        BusyWaiting { known: FxHashMap::default(), buffers: ExpandBuffers::default(), bytes: 0, most: usize::MAX }
    }
}

impl<M: Machine> BusyWaiting<M> {
    /// One that looks at so many states for a question and no more: a thread that could go on for longer without coming
    /// back does not count as busy-waiting. For machines whose threads may go on for ever, one state after the other.
    pub fn at_most(states: usize) -> Self {
        BusyWaiting { most: states, ..Self::default() }
    }

    /// Whether `thread` can return to `state` by its own steps alone.
    pub fn is_busy(&mut self, machine: &M, state: &[u8], thread: ThreadId) -> bool {
        let key = &state[machine.hidden_prefix()..];
        match self.known.get(&thread).and_then(|states| states.get(key)) {
            Some(Answer::Known(busy)) => *busy,
            _ => {
                self.explore(machine, state, thread);
                matches!(self.known[&thread].get(key), Some(Answer::Known(true)))
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tarjan's algorithm from a state, on the graph of the thread's own steps.
    fn explore(&mut self, machine: &M, state: &[u8], thread: ThreadId) {
        let hidden = machine.hidden_prefix();
        let mut path = vec![self.open(machine, state, thread, 0)];
        let mut component: Vec<Box<[u8]>> = vec![state[hidden..].into()];
        let mut numbers = 1;
        while let Some(frame) = path.last_mut() {
            if numbers > self.most {
                return self.give_up(&component, &state[hidden..], thread);
            }
            if let Some(next) = frame.successors.pop() {
                match self.known[&thread].get(&next[hidden..]) {
                    Some(Answer::Known(_)) => {}
                    Some(Answer::Open(number)) => frame.low = frame.low.min(*number),
                    None => {
                        component.push(next[hidden..].into());
                        path.push(self.open(machine, &next, thread, numbers));
                        numbers += 1;
                    }
                }
                continue;
            }
            let Some(done) = path.pop() else { break };
            if let Some(parent) = path.last_mut() {
                parent.low = parent.low.min(done.low);
            }
            if done.low == done.number {
                self.close(&done, &mut component, thread);
            }
        }
    }

    /// Too many states: nothing is known of those that are open but that the first of them counts as not busy.
    fn give_up(&mut self, open: &[Box<[u8]>], asked: &[u8], thread: ThreadId) {
        let states = self.known.entry(thread).or_default();
        for key in open {
            states.remove(key);
        }
        states.insert(asked.into(), Answer::Known(false));
    }

    /// A state is met for the first time.
    fn open(&mut self, machine: &M, state: &[u8], thread: ThreadId, number: usize) -> Frame {
        let mut successors: Vec<Box<[u8]>> = Vec::new();
        expand_own(machine, state, &Threads::only(thread), &mut self.buffers, &mut |arrival| {
            let own = arrival.thread() == Some(thread) && arrival.ran_last() == Some(thread);
            if let Some(next) = arrival.state.filter(|_| own && arrival.turn == Turn::Any) {
                successors.push(next.into());
            }
        });
        self.bytes += state.len() as u64 + 64;
        let hidden = machine.hidden_prefix();
        let key: Box<[u8]> = state[hidden..].into();
        let own_successor = successors.iter().any(|next| next[hidden..] == *key);
        self.known.entry(thread).or_default().insert(key.clone(), Answer::Open(number));
        Frame { key, successors, number, low: number, own_successor }
    }

    /// A component is complete: the states above the one it was entered through, and that one.
    fn close(&mut self, entry: &Frame, component: &mut Vec<Box<[u8]>>, thread: ThreadId) {
        let several = component.last().is_some_and(|last| *last != entry.key);
        let busy = several || entry.own_successor;
        let states = self.known.entry(thread).or_default();
        while let Some(state) = component.pop() {
            let last = state == entry.key;
            states.insert(state, Answer::Known(busy));
            if last {
                break;
            }
        }
    }
}
